"""Sweeps: every point is what solving it alone gives, in the order of the grid, as arrays."""

import importlib
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any

import pytest

import qnet
from qnet import budget
from qnet.errors import NoAnswer, UsageError
from qnet.model.metrics import every_metric
from qnet.model.settings import with_settings
from qnet.networks.wanted import AUTO
from qnet.questions.points.expression_values import expression_value
from qnet.questions.points.points import solve_points
from qnet.questions.presentation.labels import labels
from qnet.questions.sweep.sweep import MAX_POINTS, sweep, sweep_report
from qnet.reports.columns import column_names

np: Any = importlib.import_module("numpy")
RELATIVE = 1e-9


def rows(report):
    names = column_names(report.columns)
    return [dict(zip(names, row, strict=True)) for row in report.rows]


def repairman(users: int, think: float, service: float) -> float:
    """Response of one station and its users, by the sum over all states (the machine repairman)."""
    weights = [prod((users - done) * service / think for done in range(present)) for present in range(users + 1)]
    throughput = (1 - weights[0] / sum(weights)) / service
    return users / throughput - think


@pytest.fixture
def examples():
    return str(Path(__file__).resolve().parents[2] / "examples")


@pytest.fixture
def terminal(tmp_path):
    path = tmp_path / "terminal.toml"
    path.write_text(
        'qnet = 1\ntitle = "terminal"\n[parameters]\nusers = { value = 10, range = [0, 1000] }\nthink = "5 s"\n'
        'service = "200 ms"\nmood = { value = "calm", options = ["calm", "busy"] }\nservers = 1\n'
        '[stations]\ncpu = { servers = "servers" }\n[classes.user]\npopulation = "users"\n'
        "think_time = \"where(mood == 'calm', think, think / 2)\"\n"
        'steps = [ { station = "cpu", time = "service" } ]\n[outputs]\nload = "users / think"\n'
    )
    return qnet.load(str(path))


def test_populations_agree_with_the_machine_repairman(terminal):
    told = rows(sweep_report(sweep(terminal, ["users=1:60"])))
    assert [row["users"] for row in told] == list(range(1, 61))
    for row in told:
        assert row["response_s"] == pytest.approx(repairman(int(row["users"]), 5.0, 0.2), rel=RELATIVE)
        assert (row["method"], row["exactness"], row["status"]) == ("mva", "exact", "ok")


@pytest.mark.parametrize(
    ("system", "vary", "settings"),
    [
        ("examples/interactive-users.toml", "users=0,1,7,300", "users"),
        ("examples/terminals-and-web.toml", "rate=1/s,20/s,33/s", "rate"),
        ("examples/two-workloads.toml", "jobs=0:6", "jobs"),
        ("examples/contention.toml", "users=1,2,60", "users"),
        ("ibm-3990-6", "rate=100/s,900/s", "rate"),
    ],
)
def test_every_point_is_what_it_is_alone(system, vary, settings, examples):
    model = qnet.load(system.replace("examples", examples))
    found = sweep(model, [vary])
    for place, value in enumerate(found.columns[settings].tolist()):
        unit = "/s" if settings == "rate" else ""
        alone = solve_points(with_settings(model, {settings: f"{value}{unit}"}))
        for item in every_metric(model):
            told = found.answers.of(item.expression)[place]
            assert told == pytest.approx(float(expression_value(alone, item.expression)), rel=1e-9, abs=1e-12), (
                item.source
            )


def test_the_first_of_several_grids_varies_slowest(terminal):
    told = rows(sweep_report(sweep(terminal, ["users=1,2", "think=1 s,2 s,3 s"])))
    assert [(row["users"], row["think_s"]) for row in told] == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]


def test_grids_that_go_in_step(terminal):
    told = rows(sweep_report(sweep(terminal, ["users=1,2 & think=1 s,2 s", "service=10 ms,20 ms"])))
    found = [(row["users"], row["think_s"], row["service_s"]) for row in told]
    assert found == [(1, 1, 0.01), (1, 1, 0.02), (2, 2, 0.01), (2, 2, 0.02)]


def test_grids_in_step_are_of_one_length(terminal):
    with pytest.raises(UsageError, match='"users" has 2 and "think" has 1'):
        sweep(terminal, ["users=1,2 & think=1 s"])


def test_numbers_of_servers_and_words_of_a_choice(terminal):
    told = rows(sweep_report(sweep(terminal, ["servers=1:3", "mood=calm,busy"])))
    assert [(row["servers"], row["mood"]) for row in told][:3] == [(1, "calm"), (1, "busy"), (2, "calm")]
    responses = [row["response_s"] for row in told]
    assert responses[0] < responses[1]
    assert responses[0] > responses[2] > responses[4]


def test_metrics_that_were_chosen(terminal):
    (row,) = rows(sweep_report(sweep(terminal, ["users=4"], ["utilization('cpu')", "response * 2", "load"])))
    assert list(row) == ["users", "utilization_cpu", "metric_s", "load_per_s", "method", "exactness", "status"]
    assert row["load_per_s"] == pytest.approx(0.8)


def test_columns_of_one_name_are_kept_apart(tmp_path):
    path = tmp_path / "names.toml"
    path.write_text(
        'qnet = 1\ntitle = "names"\n[parameters]\nstatus = 3\nresponse_s = "1/s"\n[stations]\ncpu = {}\n'
        '[classes.user]\narrival_rate = "response_s * status"\nsteps = [ { station = "cpu", time = "10 ms" } ]\n'
        '[outputs]\nmethod = "status * 2"\n'
    )
    report = sweep_report(sweep(qnet.load(str(path)), ["status=1,2", "response_s=1/s"]))
    names = column_names(report.columns)
    assert names[:2] == ["parameter_status", "response_s_per_s"]
    assert names[-4:] == ["metric_method", "method", "exactness", "status"]


def test_rows_without_an_answer_say_why_and_others_are_told(terminal):
    report = sweep_report(sweep(terminal, ["users=1,2.5,2000"], ["response"]), ["response < 1 min"])
    told = rows(report)
    assert told[0]["exactness"] == "exact"
    assert told[1]["exactness"] == "approximate"  # a fraction of a user
    assert told[2]["status"].startswith("users is 2000")
    assert told[2]["response_s"] is told[2]["method"] is None
    assert (
        report.broken[0].found == "asserted response < 1 min, but there is no answer at 1 of 3 points, first at point 3"
    )
    assert [note.code for note in report.notes] == ["QN601", "QN741", "QN602"]


def test_no_answer_at_all_is_refused():
    with pytest.raises(NoAnswer):
        sweep_report(sweep(qnet.load("ibm-3990-6"), ["rate=5000/s,6000/s"]))


@pytest.mark.parametrize(
    ("vary", "words"),
    [
        (["users=1:3", "users=5"], "twice"),
        (["nobody=1"], "unknown parameter"),
        (["users=1:1000", f"think=1 s:{MAX_POINTS} s:1 s"], "at most"),
    ],
)
def test_grids_that_cannot_be(terminal, vary, words):
    with pytest.raises(UsageError, match=words):
        sweep(terminal, vary)


def test_a_parameter_is_set_or_varied():
    model = with_settings(qnet.load("ibm-3990-6"), {"rate": "1/s"})
    with pytest.raises(UsageError, match="both set"):
        sweep(model, ["rate=1/s,2/s"])


def test_a_row_is_as_exact_as_it_is_alone_however_large_the_others(examples):
    """The lattice of the last row is beyond every budget; the small ones stay exact."""
    model = qnet.load(f"{examples}/million-users.toml")
    found = sweep(model, ["readers=1,20,2000000 & writers=1,10,100000"], ["response"])
    assert labels(found.answers, ()) == ["exact", "exact", "approximate"]


def test_progress_is_told(terminal):
    told = []
    sweep(terminal, ["users=1:3"], ["response"], progress=lambda done, total: told.append((done, total)))
    assert told == [(3, 3)]


def test_beside_a_chain_the_figures_of_a_class_are_told_apart():
    text = Path("tests/cli/golden/solve/chain-mixed-csv/support.toml")
    names = {item.key for item in every_metric(qnet.load(str(text)))}
    assert {"throughput_ticket", "response_ticket", "throughput_report", "response_report"} <= names


def test_a_chain_alone_is_the_system():
    names = [item.key for item in every_metric(qnet.load("examples/web-shop.toml"))]
    assert names[:3] == ["throughput", "response", "utilization_web"]


def test_an_interruption_keeps_the_points_that_are_finished_where_that_is_asked(terminal):
    def stop(done: int, size: int) -> None:
        if done > 64:
            raise KeyboardInterrupt

    result = sweep(terminal, ["users=1:800"], ["response"], progress=stop, keep=True)
    assert (result.interrupted, result.size, result.answers.size) == (True, 800, 64 + 512)
    complete = sweep(terminal, ["users=1:800"], ["response"])
    told = sweep_report(result)
    for row, same in zip(rows(told), rows(sweep_report(complete)), strict=False):
        assert row["response_s"] == pytest.approx(same["response_s"], rel=RELATIVE)
    assert [note.code for note in told.notes] == ["QN734"]
    with pytest.raises(KeyboardInterrupt):
        sweep(terminal, ["users=1:9000"], ["response"], progress=stop)


def test_chunks_that_an_interruption_may_lose_are_as_small_as_the_work_is_large(terminal):
    ends: list[int] = []
    with budget.door():
        sweep(terminal, ["users=1:800"], ["response"], progress=lambda done, _: ends.append(done), keep=True)
    assert ends == [64, 576, 800]
    ends.clear()
    with budget.door():
        wanted = AUTO.replace(solved=lambda points: budget.spend(1e6 * points))
        sweep(terminal, ["users=1:800"], ["response"], wanted, lambda done, _: ends.append(done), keep=True)
    assert (ends[0], len(ends)) == (64, 4)
    assert all(after - before <= 300 for before, after in pairwise(ends))
