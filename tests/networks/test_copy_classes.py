"""Classes per copy of a station, against models written out and against a Markov chain."""

from __future__ import annotations

import importlib
import itertools
from typing import Any

import pytest

import qnet
from qnet import budget
from qnet.errors import InvalidInput, NotComputed
from qnet.exchange.formats import read_format, write_format
from qnet.exchange.imported import Reading
from qnet.model.metrics import metric
from qnet.networks.wanted import AUTO
from qnet.questions.points.expression_values import expression_value
from qnet.questions.points.points import solve_points
from qnet.questions.solve.solve import solve_report

np: Any = importlib.import_module("numpy")

CPU = '{ station = "cpu", time = "50 ms" }, '
DISK = '{ station = "DISK", visits = 3, time = "20 ms" }'
HELD = '{ hold = "DISK", steps = [ { time = "12 ms" }, { station = "channel", time = "4 ms", scv = 0 } ] }'
FIGURES = ("throughput", "response", "response_p95", "queue_length('cpu')", "utilization('cpu')")
OF_COPIES = ("wait", "utilization", "wait_p80")


def together(steps: str, load: str, copies: int, stations: str = "", classes: str = "") -> Any:
    return qnet.loads(
        f'qnet = 1\ntitle = "together"\n[stations]\ncpu = {{ discipline = "ps" }}\nchannel = {{ servers = 2 }}\n'
        f"disk = {{ copies = {copies} }}\n{stations}\n"
        f'[classes.user]\nper_copy_of = "disk"\n{load}\nsteps = [ {steps.replace("DISK", "disk")} ]\n{classes}'
    )


def written_out(steps: str, load: str, copies: int, stations: str = "", classes: str = "") -> Any:
    numbers = range(1, copies + 1)
    disks = "".join(f"disk{number} = {{}}\n" for number in numbers)
    users = "".join(
        f"[classes.user{number}]\n{load}\nsteps = [ {steps.replace('DISK', f'disk{number}')} ]\n" for number in numbers
    )
    return qnet.loads(
        f'qnet = 1\ntitle = "apart"\n[stations]\ncpu = {{ discipline = "ps" }}\nchannel = {{ servers = 2 }}\n'
        f"{disks}{stations}\n{users}{classes}"
    )


CLOSED = 'population = 3\nthink_time = "1 s"'
OTHERS = '[classes.batch]\npopulation = 2\nsteps = [ { station = "cpu", time = "90 ms" } ]\n'


@pytest.mark.parametrize(
    ("steps", "load", "copies", "classes"),
    [
        (CPU + DISK, CLOSED, 4, ""),
        (CPU + DISK, 'population = 1\nthink_time = "300 ms"', 3, OTHERS),
        (CPU + DISK, "population = 2", 2, OTHERS.replace("population = 2", 'arrival_rate = "3/s"')),
        (DISK, CLOSED, 4, OTHERS),
        (CPU + DISK, 'arrival_rate = "3/s"', 4, ""),
    ],
    ids=["shared", "beside others", "beside arrivals", "independent", "open"],
)
def test_product_forms_are_those_of_the_model_written_out(steps: str, load: str, copies: int, classes: str) -> None:
    one, other = together(steps, load, copies, classes=classes), written_out(steps, load, copies, classes=classes)
    assert solve_points(one).parts[0].solution.exact and solve_points(other).parts[0].solution.exact
    for name in FIGURES:
        assert one.metric(name) == pytest.approx(other.metric(name), rel=1e-10), name
    for name in OF_COPIES:
        assert one.metric(f"{name}('disk')") == pytest.approx(other.metric(f"{name}('disk1')"), rel=1e-9), name
    total = sum(other.metric(f"queue_length('disk{number}')") for number in range(1, copies + 1))
    assert one.metric("queue_length('disk')") == pytest.approx(total, rel=1e-10)
    assert one.metric("response('user')") == pytest.approx(other.metric("response('user1')"), rel=1e-10)
    assert one.metric("throughput('user')") == pytest.approx(copies * other.metric("throughput('user1')"), rel=1e-10)


@pytest.mark.parametrize(
    ("steps", "load"),
    [
        (HELD, 'population = 2\nthink_time = "30 ms"'),
        (HELD, 'arrival_rate = "9/s"'),
        (CPU + DISK, 'arrival_rate = "3/s"\narrival_scv = 4'),
    ],
)
def test_approximations_are_those_of_the_model_written_out(steps: str, load: str) -> None:
    systems = together(steps, load, 3), written_out(steps, load, 3)
    solved = [solve_points(system, asked=AUTO.replace(chain=0)) for system in systems]
    for one, other in (
        *((name, name) for name in ("response", "utilization('channel')", "wait('channel')")),
        ("wait('disk')", "wait('disk1')"),
    ):
        found, expected = (
            expression_value(item, metric(name, item.model).expression)
            for item, name in zip(solved, (one, other), strict=True)
        )
        assert found == pytest.approx(expected, rel=1e-9), one


def chain(copies: int, think: float, cpu: float, disk: float) -> tuple[float, float]:
    """Passages per second, and busy disks, of one customer per disk: each thinks, shares the cpu, or is at its disk."""
    states = list(itertools.product(range(3), repeat=copies))
    rates = np.zeros((len(states), len(states)))
    for row, state in enumerate(states):
        sharing = state.count(1)
        for customer, here in enumerate(state):
            speed = (1 / think, 1 / (cpu * max(sharing, 1)), 1 / disk)[here]
            onward = (*state[:customer], (here + 1) % 3, *state[customer + 1 :])
            rates[row, states.index(onward)] += speed
            rates[row, row] -= speed
    equations = np.vstack([rates.T, np.ones(len(states))])
    steady = np.linalg.lstsq(equations, np.eye(len(states) + 1)[-1], rcond=None)[0]
    at_disk = sum(float(chance) * state.count(2) for chance, state in zip(steady, states, strict=True))
    return at_disk / disk, at_disk


def test_one_customer_per_copy_is_the_chain_of_all_states() -> None:
    model = together(CPU + '{ station = "DISK", time = "60 ms" }', 'population = 1\nthink_time = "200 ms"', 4)
    throughput, busy = chain(4, 0.2, 0.05, 0.06)
    assert model.metric("throughput") == pytest.approx(throughput, rel=1e-10)
    assert model.metric("busy_servers('disk')") == pytest.approx(busy, rel=1e-10)


def test_independent_copies_are_solved_by_one() -> None:
    """A thousand copies and three customers each: the lattice of all classes has no end."""
    one, many = together(DISK, CLOSED, 1), together(DISK, CLOSED, 1000)
    solution = solve_points(many).parts[0].solution
    assert (solution.method, solution.exact) == ("mva", True)
    for name in ("throughput", "queue_length('disk')", "max_throughput"):
        assert many.metric(name) == pytest.approx(1000 * one.metric(name), rel=1e-12), name
    for name in ("response", "response_p95", "wait('disk')", "utilization('disk')", "wait_p80('disk')"):
        assert many.metric(name) == pytest.approx(one.metric(name), rel=1e-12), name


def test_more_customers_reach_the_capacity_of_what_is_shared() -> None:
    """A passage keeps the processor busy for 50 ms; four disks, 60 ms each, would do 66.7/s."""
    assert together(CPU + DISK, CLOSED, 4).metric("max_throughput") == pytest.approx(20, rel=1e-12)


def test_nobody_at_any_copy_leaves_the_demands() -> None:
    assert together(CPU + DISK, CLOSED.replace("3", "0"), 4).metric("response") == pytest.approx(0.11, rel=1e-12)


def test_the_rows_have_the_stated_names() -> None:
    model = together(CPU + DISK, CLOSED, 4, classes=OTHERS)
    report = solve_report(model)
    assert [row["name"] for row in report.records() if row["scope"] == "class"] == ["user", "batch"]
    (disk,) = (row for row in report.records() if row["scope"] == "station" and row["name"] == "disk")
    busy = model.metric("busy_servers('disk')")
    assert (disk["copies"], disk["utilization"]) == (4, pytest.approx(busy / 4, rel=1e-12))
    (user, _) = (row for row in report.records() if row["scope"] == "class")
    assert user["population"] == 12


def test_the_parts_of_the_response_are_whole() -> None:
    model = together(CPU + DISK, CLOSED, 4, classes=OTHERS)
    spent = sum(model.metric(f"residence('{name}')") for name in ("cpu", "disk", "channel"))
    assert spent == pytest.approx(model.metric("response"), rel=1e-12)


def test_a_sweep_over_the_copies_is_its_points() -> None:
    text = (
        'qnet = 1\ntitle = "t"\n[parameters]\nusers = 2\n[stations]\ncpu = { discipline = "ps" }\n'
        'disk = { copies = "users" }\n[classes.user]\npopulation = 1\nper_copy_of = "disk"\nthink_time = "200 ms"\n'
        f"steps = [ {CPU} {DISK.replace('DISK', 'disk')} ]\n"
    )
    model = qnet.loads(text)
    report = model.sweep("users=1:4", metric=["response", "queue_length('disk')"])
    for users, response in zip(report.columns["users"], report.columns["response_s"], strict=True):
        assert response == pytest.approx(model.set(users=users).metric("response"), rel=1e-12)


def test_jmva_has_a_class_for_each_copy() -> None:
    model = together(CPU + DISK, CLOSED, 3)
    converted = write_format("jmva", model)
    assert "one class for each copy" in [item.text for item in converted.items]
    back = qnet.loads(read_format("jmva", converted.text.encode(), Reading(name="model.jmva")).text)
    assert back.metric("response('user[2]')") == pytest.approx(model.metric("response"), rel=1e-10)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('per_copy_of = "disk"', 'per_copy_of = "dsk"'), 'unknown station "dsk"'),
        (('per_copy_of = "disk"', 'per_copy_of = "channel"'), 'the class never visits "channel"'),
        (("copies = 2", "copies = 2, split = [0.5, 0.5]"), "per_copy_of is used with a split"),
        (('"disk", visits', '"disk", copy = 1, visits'), 'copy is used with per_copy_of = "disk"'),
        (("copies = 2", "copies = 2, delay = true"), '"disk" is a delay'),
        (
            (
                "steps = [ ",
                'steps = [ { parallel = [ { copies = 2, steps = [ { station = "disk", time = 1e-3 } ] } ] },',
            ),
            "branches at several copies",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(change: tuple[str, str], message: str) -> None:
    text = together(CPU + DISK, CLOSED, 2).document.text
    with pytest.raises(InvalidInput) as caught:
        qnet.loads(text.replace(*change))
    assert message in str(caught.value)


def test_too_many_classes_are_refused() -> None:
    with pytest.raises(NotComputed) as caught:
        together(CPU + DISK, CLOSED, 2000).metric("response")
    assert "2000 classes, one for each copy of disk" in str(caught.value)


def test_states_found_on_arrival_leave_the_rest_of_an_answer_its_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many for all of six classes: percentiles then take the limit of many customers, who find more."""
    system = written_out('{ station = "channel", time = "6 ms" }, ' + DISK, CLOSED.replace("1 s", "40 ms"), 6)
    monkeypatch.setattr(budget, "FLOOR", 0)
    few, exact = (
        [row["value"] for row in system.solve(metric=["response", "response_p95"], operations=most).records()]
        for most in (2e8, 1e10)
    )
    assert few[0] == exact[0]
    assert exact[1] < few[1] < 1.25 * exact[1]
