"""`qnet calibrate`: known parameters recovered, honest intervals, and what cannot be told is said to be so."""

import csv
import io
from functools import partial

import numpy as np
import pytest
from trials import side_by_side

import qnet
from qnet.documents import parse as read
from qnet.errors import InvalidInput, NotComputed, UsageError
from qnet.model.load import build
from qnet.questions.calibrate.calibrate import calibrate, fitted_point
from qnet.questions.calibrate.report import calibration_report
from qnet.questions.sweep.sweep import sweep, sweep_report

TRIALS = 50

QUEUE = """\
qnet = 1
title = "one queue behind a network"
[parameters]
rate = "5/s"
service = "50 ms"
network = "20 ms"
route = "30 ms"
factor = 1
servers = { value = 1, range = [1, 8] }
share = { value = 0.5, range = [0, 1] }
idle = "1 s"
twice = "2 * service"
[stations]
cpu = { servers = "servers" }
[classes.job]
arrival_rate = "rate"
steps = [ { delay = "network + route" }, { station = "cpu", time = "factor * service * (0.5 + share)" } ]
"""

CLOSED = """\
qnet = 1
title = "terminals"
[parameters]
users = { value = 10, range = [0, 1000] }
think = "5 s"
cpu_time = "100 ms"
disk_time = "100 ms"
[stations]
cpu = { discipline = "ps" }
disk = {}
[classes.user]
population = "users"
think_time = "think"
steps = [ { station = "cpu", time = "cpu_time" }, { station = "disk", time = "disk_time" } ]
"""
RATES = (2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0)


def model_of(text):
    return build(read(text.encode(), "model.toml"), "model.toml")


def response(rate, service, delay):
    """Of M/M/1 behind a delay."""
    return delay + service / (1 - rate * service)


def queue_rows(service=0.05, delay=0.05, noise=0.0, seed=0):
    errors = np.random.default_rng(seed).normal(size=len(RATES))
    pairs = zip(RATES, errors, strict=True)
    return [{"rate": rate, "response_s": response(rate, service, delay) * np.exp(noise * e)} for rate, e in pairs]


def holds(item, value):
    """Whether an interval holds a value; an end that is open holds everything."""
    return (item.low is None or item.low <= value) and (item.high is None or value <= item.high)


def codes(found):
    return [note.code for note in calibration_report(found).notes]


def warnings(found):
    return [note.text for note in calibration_report(found).notes if note.severity == "warning"]


def test_exact_measurements_give_the_parameters_back():
    found = calibrate(model_of(QUEUE), queue_rows(0.04, 0.06), ["service", "network"])
    assert fitted_point(found) == pytest.approx({"service": 0.04, "network": 0.03}, rel=1e-7)


def test_measurements_of_our_own_sweep_are_read_and_give_its_parameters_back(tmp_path):
    truth = qnet.System(*model_of(CLOSED)).set(cpu_time="80 ms", disk_time="130 ms")
    report = sweep_report(sweep(truth, ["users=5:60:5"]))
    (tmp_path / "sweep.csv").write_text(report.text("csv"))
    found = calibrate(model_of(CLOSED), str(tmp_path / "sweep.csv"), ["cpu_time", "disk_time"])
    assert len(found.measured.metrics) == 6
    assert fitted_point(found) == pytest.approx({"cpu_time": 0.08, "disk_time": 0.13}, rel=1e-7)


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "truth", "fit", "rows"),
    [
        (QUEUE, {"service": 0.04, "network": 0.01}, ["service", "network"], [{"rate": r} for r in RATES]),
        (CLOSED, {"cpu_time": 0.08, "think": 4}, ["cpu_time", "think"], [{"users": 8 * n} for n in range(1, 7)]),
    ],
    ids=["open", "closed"],
)  # fmt: skip
def test_known_parameters_lie_in_their_intervals_in_at_least_nine_of_ten_trials(monkeypatch, text, truth, fit, rows):
    stated = qnet.System(*model_of(text))
    exact = [stated.set({**truth, **row}).metric("response") for row in rows]
    inside = np.zeros((TRIALS, 2), dtype=bool)

    def fitted(seed):
        errors = np.random.default_rng(seed).normal(size=len(rows))
        noisy = [{**row, "response": y * (1 + 0.03 * e)} for row, y, e in zip(rows, exact, errors, strict=True)]
        return calibrate(stated, noisy, fit, starts=1)

    for seed, found in enumerate(side_by_side(monkeypatch, [partial(fitted, seed) for seed in range(TRIALS)])):
        inside[seed] = [holds(item, truth[item.unknown.name]) for item in found.parameters]
    assert (inside.sum(axis=0) >= 0.9 * TRIALS).all()
    # Of 100 intervals of 95 % at most 99 hold in 99 of 100 cases: wider ones say nothing.
    assert (inside.mean(axis=0) < 1).any()


def test_an_interval_narrows_with_the_root_of_the_number_of_rows():
    few = calibrate(model_of(QUEUE), queue_rows(noise=0.02), ["service"])
    many = calibrate(model_of(QUEUE), queue_rows(noise=0.02) * 4, ["service"])
    # The same residuals four times: s^2 has 31 and not 4 * 7 = 28 degrees of freedom to be shared by.
    expected = few.parameters[0].error / 2 * (28 / 31) ** 0.5
    assert many.parameters[0].error == pytest.approx(expected, rel=1e-6)


def test_a_weight_counts_like_as_many_rows():
    rows = queue_rows(noise=0.05)
    weighted = calibrate(model_of(QUEUE), [{**row, "weight": 1 + n} for n, row in enumerate(rows)], ["service"])
    repeated = calibrate(model_of(QUEUE), [row for n, row in enumerate(rows) for _ in range(1 + n)], ["service"])
    assert weighted.parameters[0].value == pytest.approx(repeated.parameters[0].value, rel=1e-7)


def test_units_in_cells_and_in_columns_say_the_same():
    plain = [{"rate_per_s": 4.0, "response_s": 0.13}, {"rate_per_s": 9, "response_s": 0.15}]
    words = [{"rate": "4/s", "response": "130 ms"}, {"rate": "9/s", "response": "150 ms"}]
    one, other = (calibrate(model_of(QUEUE), rows, ["service"]) for rows in (plain, words))
    assert fitted_point(one) == fitted_point(other)


def test_rows_that_are_held_out_do_not_change_the_fit():
    rows = queue_rows(noise=0.02)
    outlier = {"rate": 18.0, "response_s": 9.0}
    alone = calibrate(model_of(QUEUE), rows, ["service", "network"])
    for held in (
        calibrate(model_of(QUEUE), [*rows, outlier], ["service", "network"], hold_out="1"),
        calibrate(model_of(QUEUE), [*rows, outlier], ["service", "network"], hold_out="rate > 17/s"),
        calibrate(model_of(QUEUE), [*rows, outlier], ["service", "network"], hold_out="response > 1 s"),
        calibrate(model_of(QUEUE), [*rows, {**outlier, "hold_out": "yes"}], ["service", "network"]),
    ):
        assert fitted_point(held) == fitted_point(alone)
        told = [row for row in calibration_report(held).records() if row["scope"] == "row"]
        assert [row["use"] for row in told] == ["fitted"] * 8 + ["held out"]


def test_a_held_out_row_beyond_saturation_says_so_and_the_fit_stands():
    rows = [*queue_rows(), {"rate": 30.0, "response_s": 1.0}]
    found = calibrate(model_of(QUEUE), rows, ["service"], hold_out="1")
    row = calibration_report(found).records()[-1]
    assert row["modelled"] is None and "no steady state" in row["status"]
    assert "QN602" in codes(found)


def test_a_start_at_which_rows_are_saturated_is_left_for_one_where_none_is():
    slow = qnet.System(*model_of(QUEUE)).set(service="2 s")
    found = calibrate(slow, queue_rows(0.05, 0.05), ["service"])
    assert fitted_point(found)["service"] == pytest.approx(0.05, rel=1e-6)


def test_steps_into_saturation_are_shortened():
    # Nearly saturated: a full Gauss-Newton step from far below goes beyond the capacity.
    fast = qnet.System(*model_of(QUEUE)).set(service="1 ms")
    rows = [{"rate": 19.0, "response_s": response(19.0, 0.05, 0.05)}, {"rate": 19.9, "response_s": 10.05}]
    found = calibrate(fast, rows, ["service"])
    assert fitted_point(found)["service"] == pytest.approx(0.05, rel=1e-6)


def test_two_delays_in_a_row_are_told_to_be_one_sum():
    found = calibrate(model_of(QUEUE), queue_rows(noise=0.02), ["service", "network", "route"])
    assert "cannot be distinguished: network, route; only network + route is determined" in warnings(found)
    assert [item.error is None for item in found.parameters] == [False, True, True]
    point = fitted_point(found)
    alone = calibrate(model_of(QUEUE), queue_rows(noise=0.02), ["service", "network"])
    assert point["network"] + point["route"] == pytest.approx(fitted_point(alone)["network"] + 0.03, rel=1e-4)
    assert found.parameters[0].error == pytest.approx(alone.parameters[0].error, rel=1e-4)


def test_two_factors_are_told_to_be_one_product():
    found = calibrate(model_of(QUEUE), queue_rows(noise=0.02), ["service", "factor"])
    assert "cannot be distinguished: service, factor; only service * factor is determined" in warnings(found)


def test_parameters_that_hardly_differ_are_told_with_their_correlation():
    stated = qnet.System(*model_of(CLOSED))
    exact = [stated.set(users=n).metric("throughput") for n in range(1, 9)]
    rows = [{"users": n, "throughput": x * (1 + 1e-6 * (-1) ** n)} for n, x in enumerate(exact, 1)]
    found = calibrate(stated, rows, ["think", "cpu_time"])
    assert any("can hardly be distinguished (correlation -" in text for text in warnings(found))


def test_two_stations_that_may_change_places_have_two_minima():
    """By symmetry: with the same times the slopes are the same, and the search would stay between the two."""
    truth = qnet.System(*model_of(CLOSED)).set(cpu_time="80 ms", disk_time="150 ms")
    text = CLOSED.replace('{ discipline = "ps" }', "{}")
    rows = [{"users": n, "response": truth.set(users=n).metric("response")} for n in (5, 20, 40, 80)]
    found = calibrate(model_of(text), rows, ["cpu_time", "disk_time"])
    times = sorted(fitted_point(found).values())
    assert times == pytest.approx([0.08, 0.15], rel=1e-6)
    assert sorted(found.others[0]) == pytest.approx(times, rel=1e-6)
    assert "QN636" in codes(found)


@pytest.mark.parametrize(
    ("between", "status"), [((), "another minimum agrees as well"), (("cpu_time=1 ms:110 ms",), "ok")]
)  # fmt: skip
def test_what_another_minimum_has_elsewhere_is_not_ok(between: tuple[str, ...], status: str):
    """Two stations alike fit as well with their times exchanged, and not at all where one of them is the shorter."""
    truth = qnet.System(*model_of(CLOSED)).set(cpu_time="80 ms", disk_time="150 ms")
    rows = [{"users": n, "response": truth.set(users=n).metric("response")} for n in (5, 20, 40, 80)]
    found = calibrate(model_of(CLOSED), rows, ["cpu_time", "disk_time"], between=between, error=["1%"])
    said = [row["status"] for row in calibration_report(found).records() if row["scope"] == "parameter"]
    assert said == [status] * 2


def test_another_minimum_that_the_errors_exclude_leaves_a_parameter_ok():
    """Minima whose residuals are a little larger, but by more than the errors of the measurements allow."""
    truth = qnet.System(*model_of(CLOSED)).set(cpu_time="80 ms", disk_time="150 ms")
    rows = [{"users": n, "response": truth.set(users=n).metric("response")} for n in (5, 20, 40, 80)]
    # Utilization tells the stations apart, which nothing else does.
    for row in rows:
        row["utilization_cpu"] = truth.set(users=row["users"]).metric("utilization('cpu')")
    found = calibrate(model_of(CLOSED), rows, ["cpu_time", "disk_time"], error=["1%"])
    said = [row["status"] for row in calibration_report(found).records() if row["scope"] == "parameter"]
    assert said == ["ok"] * 2


@pytest.mark.long
def test_a_parameter_that_should_be_nothing_runs_into_its_end():
    rows = [{"users": n, "throughput": n / 5.2} for n in (1, 2, 3, 8)]
    found = calibrate(model_of(CLOSED), rows, ["think", "cpu_time"])
    assert [item.side for item in found.parameters] == [0, -1]


def test_a_parameter_without_effect_is_named_and_left_as_it_was():
    found = calibrate(model_of(QUEUE), queue_rows(noise=0.02), ["service", "idle"])
    assert found.parameters[1].idle and found.parameters[1].value == pytest.approx(1.0, rel=1e-9)
    assert "no effect on what was measured: idle" in warnings(found)
    alone = calibrate(model_of(QUEUE), queue_rows(noise=0.02), ["service"])
    assert found.parameters[0].error == pytest.approx(alone.parameters[0].error, rel=1e-6)


def test_a_parameter_that_runs_into_an_end_is_named_and_has_no_error():
    found = calibrate(model_of(QUEUE), queue_rows(0.05, 0.05), ["service"], between=["service=10ms:30ms"])
    (item,) = found.parameters
    assert (item.value, item.side, item.error) == (pytest.approx(0.03), 1, None)
    assert found.searched > 1
    assert any("is at the upper end of its range, 30 ms" in text for text in warnings(found))


def test_as_many_measurements_as_parameters_have_no_errors():
    found = calibrate(model_of(QUEUE), queue_rows()[::4], ["service", "network"])
    assert [item.error for item in found.parameters] == [None, None]
    assert fitted_point(found)["service"] == pytest.approx(0.05, rel=1e-6)


def test_only_the_metrics_that_are_asked_for_count():
    rows = [{**row, "utilization_cpu": 0.9} for row in queue_rows()]
    found = calibrate(model_of(QUEUE), rows, ["service"], metric=["response"])
    assert fitted_point(found)["service"] == pytest.approx(0.05, rel=1e-6)


def test_an_assertion_is_judged_with_the_fitted_values():
    found = calibrate(model_of(QUEUE), queue_rows(0.06, 0.05), ["service"])
    # At the stated rate of 5/s the response is 0.05 + 0.06 / 0.7 = 0.136 s; as the model stands 0.117 s.
    assert not calibration_report(found, ["response < 0.14 s"]).broken
    assert calibration_report(found, ["response < 0.13 s"]).broken


def test_absolute_errors_of_a_straight_line_are_those_of_plain_regression():
    """Response of a pure delay is the parameter itself: its estimate is the mean, its error s / sqrt(n)."""
    text = QUEUE.replace("factor * service * (0.5 + share)", "0")
    values = [0.11, 0.12, 0.15, 0.1]
    found = calibrate(model_of(text), [{"response": value} for value in values], ["network"], absolute=True)
    (item,) = found.parameters
    assert item.value == pytest.approx(np.mean(values) - 0.03, rel=1e-7)
    assert item.error == pytest.approx(np.std(values, ddof=1) / 2, rel=1e-6)


def test_the_same_question_gives_the_same_digits():
    texts = {
        calibration_report(calibrate(model_of(QUEUE), queue_rows(noise=0.05), ["service", "network"])).text("csv")
        for _ in range(2)
    }
    assert len(texts) == 1


def test_csv_has_a_row_for_each_parameter_and_measurement():
    report = calibration_report(calibrate(model_of(QUEUE), queue_rows(noise=0.05), ["service", "network"]))
    rows = list(csv.DictReader(io.StringIO(report.text("csv"))))
    assert [row["scope"] for row in rows].count("parameter") == 2
    assert [row["scope"] for row in rows].count("row") == 8


@pytest.mark.parametrize(
    ("fit", "code"),
    [
        (["nothing"], "QN004"),
        (["servers"], "QN027"),
        (["twice"], "QN027"),
        (["rate"], "QN027"),
        (["service", "service"], "QN027"),
    ],
)
def test_what_cannot_be_fitted_is_refused(fit, code):
    with pytest.raises(UsageError, match=code):
        calibrate(model_of(QUEUE), queue_rows(), fit)


@pytest.mark.parametrize("text", ["service", "service=1ms", "service=2ms:1ms", "network=1ms:2ms", "share=0:2"])
def test_a_range_that_cannot_be_used_is_refused(text):
    with pytest.raises(UsageError, match="QN028"):
        calibrate(model_of(QUEUE), queue_rows(), ["service", "share"], between=[text])


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([], "QN250"),
        ([{"rate": 5}], "QN250"),
        ([{"rate": 5, "response": "soon"}], "QN251"),
        ([{"rate": "5 s", "response": 1}], "QN251"),
        ([{"rate": 5, "response": 1, "weight": 0}], "QN251"),
        ([{"rate": 5, "response": 1, "hold_out": "perhaps"}], "QN251"),
        ([{"rate": 5, "response": 1}], "QN252"),
        ([{"rate": 5, "response": 1}, {"rate": 6, "response": 0}], "QN253"),
    ],
)
def test_measurements_that_cannot_be_used_are_refused(rows, code):
    with pytest.raises(InvalidInput, match=code):
        calibrate(model_of(QUEUE), rows, ["service", "network"])


def test_a_row_without_an_answer_at_any_start_is_named_with_its_reason(tmp_path):
    """At 10 ms and more a rate of 1000/s is ten times what one server can do."""
    (tmp_path / "rows.csv").write_text("rate,response\n5/s,0.1\n1000/s,0.1\n900/s,0.1\n")
    with pytest.raises(NotComputed) as caught:
        calibrate(model_of(QUEUE), str(tmp_path / "rows.csv"), ["service"], between=["service=10ms:50ms"])
    (problem,) = caught.value.problems
    assert (problem.code, problem.line) == ("QN534", 3)
    assert problem.found.startswith("row 2 (rate = 1000/s) has no answer, nor has one more row: no steady state: cpu")


def test_a_load_beyond_every_capacity_is_refused_as_not_computed():
    with pytest.raises(NotComputed, match="QN534"):
        calibrate(model_of(QUEUE), [{"rate": 1000.0, "response": 1.0}], ["service"], between=["service=10ms:50ms"])
