"""Fits whose exact answers are expensive: sought by approximations, ended by the method asked for, in few solves."""

import csv
import io
import random
from collections import Counter

import numpy as np
import pytest

import qnet
from qnet import budget
from qnet.budget import OverBudget
from qnet.errors import NotComputed
from qnet.networks.wanted import AUTO
from qnet.questions.calibrate import polish
from qnet.questions.calibrate.calibrate import calibrate, fitted_point
from qnet.questions.calibrate.report import calibration_report
from qnet.questions.calibrate.search import Target
from qnet.questions.points.expression_values import expression_value
from qnet.questions.points.points import solve_points

HOLD = """qnet = 1
title = "pool"
[parameters]
users = { value = 4, range = [1, 100] }
cpu_time = "60 ms"
disk_time = "80 ms"
tape_time = "50 ms"
[stations]
cpu = {}
agents = { servers = 2 }
disk = {}
[classes.user]
population = "users"
think_time = "500 ms"
steps = [
  { station = "cpu", time = "cpu_time" },
  { hold = "agents", steps = [ { station = "disk", time = "disk_time" }, { delay = "tape_time" } ] },
]
"""
FIT = ["cpu_time", "disk_time", "tape_time"]
TRUE = {"cpu_time": 0.075, "disk_time": 0.065, "tape_time": 0.04}
SERVERS = """qnet = 1
title = "servers"
[parameters]
users = { value = 10, range = [1, 100] }
cpu_time = "120 ms"
disk_time = "80 ms"
tape_time = "50 ms"
[stations]
cpu = { servers = 2 }
disk = {}
tape = {}
[classes.user]
population = "users"
think_time = "5 s"
steps = [
  { station = "cpu", time = "cpu_time" },
  { station = "disk", time = "disk_time" },
  { station = "tape", time = "tape_time" },
]
"""
MANY = 10


def many() -> str:
    """Ten stations."""
    times = "\n".join(f't{index} = "60 ms"' for index in range(MANY))
    stations = "\n".join(f"s{index} = {{}}" for index in range(MANY))
    steps = ", ".join(f'{{ station = "s{index}", time = "t{index}" }}' for index in range(MANY))
    return (
        f'qnet = 1\ntitle = "many"\n[parameters]\nusers = {{ value = 10, range = [1, 500] }}\n{times}\n'
        f'[stations]\n{stations}\n[classes.user]\npopulation = "users"\nthink_time = "5 s"\nsteps = [ {steps} ]\n'
    )


@pytest.fixture
def load(tmp_path):
    def load_text(text):
        path = tmp_path / "m.toml"
        path.write_text(text)
        return qnet.load(str(path))

    return load_text


def rows(model, users, true, figures, scatter=0.0, seed=1):
    """Measurements of a model with known values, with some scatter."""
    chance = random.Random(seed)
    values = {name: np.full(len(users), value) for name, value in true.items()}
    values["users"] = np.array(users, float)
    solved = solve_points(model, values, len(users), asked=AUTO.replace(each=True))
    metrics = [qnet.model.metrics.metric(text, model) for text in figures]
    columns = [expression_value(solved, item.expression) for item in metrics]
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["users", *(item.key + "_s" if item.key == "response" else item.key for item in metrics)])
    for number, count in enumerate(users):
        writer.writerow([count, *(float(column[number]) * chance.gauss(1, scatter) for column in columns)])
    return [dict(item) for item in csv.DictReader(io.StringIO(out.getvalue()))]


@pytest.fixture
def counted(monkeypatch):
    """Batches and points that are solved, of all and by the method asked for."""
    counts: Counter[str] = Counter()
    plain = Target.answers

    def answers(self, points, places, wanted, each=False):
        kind = "asked" if wanted == self.wanted and self.seeking != self.wanted else "seeking"
        counts["batches"] += 1
        counts[kind] += 1
        counts[f"{kind} points"] += len(points)
        return plain(self, points, places, wanted, each)

    monkeypatch.setattr(Target, "answers", answers)
    return counts


@pytest.fixture
def straight(monkeypatch):
    """Every interval is that of the tangent plane: no profile takes hundreds of solutions where none is looked at."""
    monkeypatch.setattr(
        "qnet.questions.calibrate.calibrate.bent", lambda residuals, best, *_: np.zeros(len(best.point), dtype=bool)
    )


@pytest.mark.long
def test_known_values_are_found_by_the_chain(load, counted):
    model = load(HOLD)
    found = calibrate(model, rows(model, [1, 2, 4, 6], TRUE, ["response", "throughput"]), FIT)
    assert fitted_point(found) == pytest.approx(TRUE, rel=1e-6)
    assert (found.answers.methods[-1], found.answers.exact, found.left) == ("states", True, "")
    # One look, the polish, and the rows of the report: the chain of every row is solved for a few dozen points.
    assert counted["asked"] <= 8
    assert counted["asked points"] <= 50


@pytest.mark.long
@pytest.mark.usefixtures("straight")
def test_the_minimum_is_that_of_a_search_by_the_chain_alone(load, monkeypatch):
    model = load(HOLD)
    measured = rows(model, [1, 2, 4, 6], TRUE, ["response", "throughput"], scatter=0.02)
    found = calibrate(model, measured, FIT)
    monkeypatch.setattr("qnet.questions.calibrate.search._seeking", lambda wanted: wanted)
    alone = calibrate(model, measured, FIT, starts=1)
    assert found.answers.exact and alone.answers.exact
    assert found.minimum.cost == pytest.approx(alone.minimum.cost, rel=1e-6)
    for item, other in zip(found.parameters, alone.parameters, strict=True):
        assert item.value == pytest.approx(other.value, rel=1e-4)
        assert item.error == pytest.approx(other.error, rel=1e-2)


@pytest.mark.long
@pytest.mark.usefixtures("straight")
def test_a_fit_by_approximations_says_so_and_has_their_residuals(load, monkeypatch):
    model = load(HOLD)
    measured = rows(model, [1, 2, 4, 6], TRUE, ["response", "throughput"], scatter=0.02)
    monkeypatch.setattr(polish, "_EXPENSIVE", 1e-9)
    with budget.door():
        found = calibrate(model, measured, FIT)
    assert "states" not in found.answers.methods and not found.answers.exact
    report = calibration_report(found)
    assert "QN740" in [note.code for note in report.notes]
    assert {row[-1] for row in report.rows} == {"approximate"}
    fitted = found.residuals[found.used]
    assert float((fitted**2).sum()) == pytest.approx(
        float(((found.minimum.residuals / found.target.factors[found.used]) ** 2).sum()), rel=1e-9
    )


@pytest.mark.long
def test_a_named_chain_is_also_sought_by_approximations(load, counted):
    model = load(HOLD)
    measured = rows(model, [1, 2, 4], TRUE, ["response", "throughput"])
    found = calibrate(model, measured, FIT, wanted=AUTO.replace(method="states"))
    assert (found.answers.methods, fitted_point(found)) == (("states",), pytest.approx(TRUE, rel=1e-6))
    assert counted["asked points"] <= 50


@pytest.mark.parametrize(
    ("text", "users", "fit", "figures", "most"),
    [
        pytest.param(SERVERS, (4, 12, 20, 30), FIT, ["response", "throughput"], 300, marks=pytest.mark.long),
        pytest.param(SERVERS, tuple(range(2, 34, 2)), FIT, ["response", "throughput"], 300, marks=pytest.mark.long),
        pytest.param(
            SERVERS.replace("servers = 2", "servers = 1"), (4, 12, 20, 30), FIT, ["response", "throughput"], 200,
            marks=pytest.mark.long,
        ),
        (many(), tuple(range(5, 85, 5)), [f"t{index}" for index in range(MANY)],
         ["response", "throughput", *(f"utilization('s{index}')" for index in range(MANY))], 60),
    ],
)  # fmt: skip
def test_calibrations_take_few_batches(load, counted, text, users, fit, figures, most):
    model = load(text)
    true = {name: 0.02 + 0.01 * ((7 * index) % 11) for index, name in enumerate(fit)}
    calibrate(model, rows(model, list(users), true, figures, scatter=0.01), fit)
    assert counted["batches"] <= most


def interrupted(calls, error=KeyboardInterrupt):
    """A method that ends with an error at a certain solution."""
    done = 0

    def solved(points):
        nonlocal done
        done += 1
        if done == calls:
            raise error

    return AUTO.replace(solved=solved)


@pytest.mark.parametrize("calls", [3, 6, 12])
def test_an_interrupted_search_keeps_the_best_so_far(load, calls):
    model = load(SERVERS)
    measured = rows(model, [4, 12, 20, 30], TRUE, ["response", "throughput"], scatter=0.01)
    found = calibrate(model, measured, FIT, wanted=interrupted(calls), keep=True)
    assert found.stopped is not None and not found.stopped.proven
    assert isinstance(found.stopped.error, KeyboardInterrupt)
    report = calibration_report(found)
    told = [row for row in report.rows if row[0] == "parameter"]
    assert [row[7:10] for row in told] == [(None, None, None)] * 3
    assert {row[16] for row in told} == {"best so far"}
    assert report.notes[0].code == "QN736"
    assert float((found.residuals[found.used] ** 2).sum()) == pytest.approx(found.minimum.cost, rel=1e-9)
    start = calibrate(model, measured, FIT, wanted=interrupted(3), keep=True)
    assert found.minimum.cost <= start.minimum.cost
    with pytest.raises(KeyboardInterrupt):
        calibrate(model, measured, FIT, wanted=interrupted(calls))


def test_an_interruption_before_any_answer_keeps_nothing(load):
    model = load(SERVERS)
    measured = rows(model, [4, 12, 20, 30], TRUE, ["response", "throughput"])
    with pytest.raises(KeyboardInterrupt):
        calibrate(model, measured, FIT, wanted=interrupted(1), keep=True)


@pytest.mark.long
def test_an_interruption_among_the_errors_keeps_the_minimum(load, monkeypatch):
    model = load(SERVERS.replace("{ servers = 2 }", "{}"))
    measured = rows(model, [4, 12, 20, 30], TRUE, ["response", "throughput"], scatter=0.01)
    complete = calibrate(model, measured, FIT)

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("qnet.questions.calibrate.calibrate.bent", stop)
    found = calibrate(model, measured, FIT, keep=True)
    assert found.stopped is not None and found.stopped.proven
    assert fitted_point(found) == pytest.approx(fitted_point(complete), rel=1e-6)
    assert {row[16] for row in calibration_report(found).rows if row[0] == "parameter"} == {"errors not computed"}


def test_the_best_so_far_is_kept_where_operations_end(load):
    model = load(SERVERS)
    measured = rows(model, [4, 12, 20, 30], TRUE, ["response", "throughput"], scatter=0.01)
    wanted = AUTO.replace(solved=lambda points: budget.spend(1e6 * points))
    with budget.opened(budget.Account(1e9)):
        found = calibrate(model, measured, FIT, wanted=wanted, keep=True)
        assert found.stopped is not None
        assert isinstance(found.stopped.error, OverBudget)
        assert found.answers.answered.all()
    with budget.opened(budget.Account(1e9)), pytest.raises(NotComputed, match="QN515"):
        calibrate(model, measured, FIT, wanted=wanted)
