"""`--assert`: the answer is told all the same, and the exit code says whether it is good enough."""

import pytest

import qnet
import qnet.errors
from qnet.questions.points.answers import solve_table
from qnet.questions.presentation.assertions import broken, conditions
from qnet.questions.solve.solve import solve_report
from qnet.questions.tables.queue_report import queue_report


@pytest.mark.parametrize(
    ("text", "true"),
    [
        ("utilization('window') < 1", True),
        ("response <= 0 s", False),
        ("response > 0 s", True),
        ("1 s >= response", False),
    ],
)
def test_a_condition_is_judged_at_the_point(one_queue, text, true):
    assert bool(solve_report(one_queue, asserted=[text]).broken) is not true


@pytest.fixture
def one_queue(tmp_path):
    path = tmp_path / "one.toml"
    path.write_text(
        'qnet = 1\ntitle = "one"\n[parameters]\nrate = "0.9/s"\n[stations]\nwindow = {}\n'
        '[classes.client]\narrival_rate = "rate"\nsteps = [ { station = "window", time = "1 s" } ]\n'
    )
    return qnet.load(str(path))


def test_a_strict_bound_is_not_met_by_equality(one_queue):
    assert broken_texts(one_queue, "utilization('window') < 0.9")
    assert not broken_texts(one_queue, "utilization('window') <= 0.9")


def broken_texts(model, text):
    return [problem.found for problem in solve_report(model, asserted=[text]).broken]


def test_what_was_found_is_told(one_queue):
    assert broken_texts(one_queue, "response < 2 s") == ["asserted response < 2 s, found 10 s"]


def test_a_point_without_an_answer_breaks_every_assertion(one_queue):
    answers = solve_table(one_queue, {"rate": [0.5, 1.5]}, 2)
    (problem,) = broken(answers, conditions(["response > 0 s"], one_queue))
    assert problem.found == "asserted response > 0 s, but there is no answer at 1 of 2 points, first at point 2"


def test_an_answer_without_points_breaks_every_assertion(one_queue):
    (problem,) = broken(solve_table(one_queue, {}, 0), conditions(["response > 0 s"], one_queue))
    assert problem.found == "asserted response > 0 s, but there is no answer at any point"


def test_all_wrong_assertions_are_told_at_once(one_queue):
    with pytest.raises(qnet.errors.UsageError) as caught:
        conditions(["respons < 1 s", "response < 3"], one_queue)
    assert len(caught.value.problems) == 2


@pytest.mark.parametrize(
    ("text", "true"), [("wait < 5 ms", False), ("response_p95 <= 1 s", True), ("wait <= 1 s", True)]
)
def test_a_station_is_judged_by_its_own_figures(text, true):
    report = queue_report("M/M/1", {"arrival_rate": "40/s", "service_time": "20 ms"}, asserted=[text])
    assert bool(report.broken) is not true
