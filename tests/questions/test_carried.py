"""The doubt of calibrated parameters in answers, against derivatives by hand."""

import numpy as np
import pytest

import qnet
from qnet.documents import parse as read
from qnet.errors import InvalidInput, NotComputed, UsageError
from qnet.model.load import build
from qnet.model.rewrite import rewritten
from qnet.questions.calibrate.calibrate import calibrate, fitted_point
from qnet.questions.calibrate.candidates import candidates, candidates_report, root_mean_square
from qnet.questions.calibrate.errors import half_width
from qnet.questions.calibrate.report import doubt_of, fitted_on
from qnet.questions.map.map import Mapper

NORMAL = 1.959964

QUEUE = """\
qnet = 1
title = "one queue behind a network"
[parameters]
rate = { value = "5/s", range = ["0.1/s", "1000/s"] }
service = "50 ms"
network = "20 ms"
route = "30 ms"
[stations]
cpu = {}
[classes.job]
arrival_rate = "rate"
steps = [ { delay = "network + route" }, { station = "cpu", time = "service" } ]
[outputs]
waits = { value = "response - network - route", unit = "ms" }
"""
SERVICE = """
[calibration]
parameters = ["service"]
standard_errors = ["0.1 ms"]
"""


def system(text):
    return qnet.System(*build(read(text.encode(), "model.toml"), "model.toml"))


def first(report):
    return report.records()[0]


def response(service, rate=5.0):
    return 0.05 + service / (1 - rate * service)


def interval(value, deviation, times=NORMAL):
    """Of a figure above 0, in its logarithm."""
    return value * np.exp(-times * deviation / value), value * np.exp(times * deviation / value)


def test_a_response_has_the_doubt_of_its_derivative():
    """dR/ds = 1 / (1 - rate s)^2 of M/M/1."""
    row = first(system(QUEUE + SERVICE).solve())
    deviation = 1e-4 / (1 - 5 * 0.05) ** 2
    expected = interval(response(0.05), deviation)
    assert (row["response_low_s"], row["response_high_s"]) == pytest.approx(expected, rel=1e-6)
    # What arrives is what leaves, whatever the service time is.
    assert row["throughput_low_per_s"] == row["throughput_high_per_s"] == pytest.approx(5)


def test_student_s_t_makes_it_wider():
    row = first(system(QUEUE + SERVICE + "degrees_of_freedom = 2\n").solve())
    deviation = 1e-4 / (1 - 5 * 0.05) ** 2
    assert row["response_high_s"] == pytest.approx(
        interval(response(0.05), deviation, half_width(0.95, 2))[1], rel=1e-5
    )


@pytest.mark.parametrize(("correlation", "share"), [(-1, 0), (0, 2**0.5), (1, 2)])
def test_correlated_parameters_add_as_their_covariance_says(correlation, share):
    """Two delays in a row, each with an error of 1 ms: nothing is left where one has what the other lacks."""
    table = f"""
[calibration]
parameters = ["network", "route"]
standard_errors = ["1 ms", "1 ms"]
correlations = [{correlation}]
"""
    row = first(system(QUEUE + table).solve())
    value = response(0.05)
    assert row["response_high_s"] == pytest.approx(interval(value, share * 1e-3)[1], rel=1e-4)


def test_an_output_is_told_in_its_unit():
    report = system(QUEUE + SERVICE).solve()
    (row,) = [row for row in report.records() if row["scope"] == "output"]
    deviation = 1e-4 / (1 - 5 * 0.05) ** 2
    expected = [1000 * end for end in interval(0.05 / 0.75, deviation)]
    assert (row["value_low"], row["value_high"]) == pytest.approx(expected, rel=1e-5)


def test_a_metric_that_is_asked_for_has_its_interval_in_its_unit():
    report = system(QUEUE + SERVICE).solve(metric=["response", "waits"])
    time, waits = report.records()
    deviation = 1e-4 / (1 - 5 * 0.05) ** 2
    assert (time["value_low"], time["value_high"]) == pytest.approx(interval(response(0.05), deviation), rel=1e-5)
    expected = [1000 * end for end in interval(0.05 / 0.75, deviation)]
    assert (waits["value_low"], waits["value_high"]) == pytest.approx(expected, rel=1e-5)


def test_percentiles_of_solve_have_the_doubt_of_their_scale():
    """Of M/M/1 alone: the percentile is -log(1 - p) times the mean."""
    text = QUEUE.replace('"20 ms"', '"0 ms"').replace('"30 ms"', '"0 ms"') + SERVICE
    report = system(text).solve(percentile=[95])
    (row,) = [row for row in report.records() if row["scope"] == "metric"]
    deviation = 1e-4 / (1 - 5 * 0.05) ** 2
    expected = [np.log(20) * end for end in interval(0.05 / 0.75, deviation)]
    assert (row["value_low"], row["value_high"]) == pytest.approx(expected, rel=1e-5)


def test_what_was_not_determined_is_told_beside_a_metric():
    text = SERVICE + 'not_determined = ["network"]\n'
    codes = [note.code for note in system(QUEUE + text).solve(metric=["response"]).notes]
    assert codes.count("QN696") == codes.count("QN697") == 1


def test_a_sweep_has_the_doubt_of_every_point():
    rows = system(QUEUE + SERVICE).sweep("rate=1/s:15/s:7/s", metric="response").records()
    for row in rows:
        rate = row["rate_per_s"]
        deviation = 1e-4 / (1 - rate * 0.05) ** 2
        expected = interval(response(0.05, rate), deviation)
        assert (row["response_low_s"], row["response_high_s"]) == pytest.approx(expected, rel=1e-4)


def test_a_sweep_of_the_parameter_itself_has_no_doubt_of_it():
    report = system(QUEUE + SERVICE).sweep("service=40ms,50ms", metric="response")
    assert [row["response_low_s"] for row in report.records()] == [None, None]
    assert "QN696" not in [note.code for note in report.notes]


def test_an_envelope_has_the_doubt_of_its_end():
    """R <= L up to rate = 1/s - 1/(L - 0.05), whose derivative is -1/s^2."""
    row = first(system(QUEUE + SERVICE).envelope(limit="response <= 150 ms"))
    rate, deviation = 1 / 0.05 - 1 / 0.1, 1e-4 / 0.05**2
    assert row["rate_per_s"] == pytest.approx(rate, rel=1e-9)
    assert (row["rate_low_per_s"], row["rate_high_per_s"]) == pytest.approx(interval(rate, deviation), rel=1e-4)


def test_rows_of_a_map_have_the_doubt_of_their_points():
    """A row that states a parameter of the calibration knows it."""
    rows = [{"rate": 1.0}, {"rate": 15.0}, {"rate": 15.0, "service": 0.05}]
    *found, known = system(QUEUE + SERVICE).map_rows(rows, metric="response")
    for row in found:
        deviation = 1e-4 / (1 - row["rate"] * 0.05) ** 2
        expected = interval(response(0.05, row["rate"]), deviation)
        assert (row["response_low_s"], row["response_high_s"]) == pytest.approx(expected, rel=1e-4)
    assert (known["response_low_s"], known["response_high_s"]) == (None, None)


def test_a_map_says_what_its_intervals_rest_on():
    mapper = Mapper(system(QUEUE + SERVICE + 'not_determined = ["route"]\n'), ["response"])
    mapper.answer([{"rate": 1.0}, {"rate": 2.0}])
    assert [note.code for note in mapper.notes()] == ["QN696", "QN697"]
    assert mapper.names[:3] == ("response_s", "response_low_s", "response_high_s")


def test_a_comparison_has_the_doubt_of_both_sides():
    model = system(QUEUE + SERVICE)
    row = first(model.compare(model.set(rate="10/s"), metric="response"))
    for side, rate in (("base", 5.0), ("value", 10.0)):
        expected = interval(response(0.05, rate), 1e-4 / (1 - rate * 0.05) ** 2)
        assert (row[f"{side}_low"], row[f"{side}_high"]) == pytest.approx(expected, rel=1e-4)


def around(value, deviation):
    return value - NORMAL * deviation, value + NORMAL * deviation


def test_what_both_sides_of_a_comparison_share_moves_them_together():
    """Of R(10/s) - R(5/s) by the service time: 4 - 16/9."""
    model = system(QUEUE + SERVICE)
    row = first(model.compare(model.set(rate="10/s"), metric="response"))
    expected = around(response(0.05, 10.0) - response(0.05), (4 - 16 / 9) * 1e-4)
    assert (row["difference_low"], row["difference_high"]) == pytest.approx(expected, rel=1e-4)


def test_sides_with_different_calibrations_are_independent():
    model, other = system(QUEUE + SERVICE), system(QUEUE + SERVICE.replace("0.1 ms", "0.2 ms"))
    row = first(model.compare(other, metric="response"))
    expected = around(0.0, 16 / 9 * 1e-4 * 5**0.5)
    assert (row["difference_low"], row["difference_high"]) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("correlation", [-0.5, 0.5])
def test_a_parameter_that_one_side_knows_stays_in_doubt_on_the_other(correlation):
    """Two delays in a row: the first is set on one side, the second is in doubt on both and falls out."""
    table = f"""
[calibration]
parameters = ["network", "route"]
standard_errors = ["1 ms", "1 ms"]
correlations = [{correlation}]
"""
    model = system(QUEUE + table)
    row = first(model.compare(model.set(network="20 ms"), metric="response"))
    assert (row["difference_low"], row["difference_high"]) == pytest.approx(around(0.0, 1e-3), rel=1e-4)
    assert row["value_high"] == pytest.approx(interval(response(0.05), 1e-3)[1], rel=1e-4)


def test_a_side_without_a_calibration_has_no_interval_and_the_difference_that_of_the_other():
    row = first(system(QUEUE).compare(system(QUEUE + SERVICE), metric="response"))
    assert row["base_low"] is None and row["value_low"] < row["value"]
    assert row["difference_high"] == pytest.approx(around(0.0, 16 / 9 * 1e-4)[1], rel=1e-4)


def test_a_knee_has_the_doubt_of_its_place():
    """R <= L up to 1/s - 1/(L - 0.05), and saturation at 1/s: both with the derivative -1/s^2."""
    rows = {row["definition"]: row for row in system(QUEUE + SERVICE).knee(limit="response <= 150 ms").records()}
    for name, rate in (("service_level", 10.0), ("saturation", 20.0)):
        expected = interval(rate, 1e-4 / 0.05**2)
        assert (rows[name]["rate_low_per_s"], rows[name]["rate_high_per_s"]) == pytest.approx(expected, rel=1e-4)
        assert rows[name]["population_real_low"] is None


def test_the_response_at_a_knee_has_the_doubt_of_the_place_that_is_told():
    model = system(QUEUE + SERVICE)
    (row,) = model.knee(limit="response <= 150 ms", definition="service_level").records()
    expected = interval(0.15, 4e-4)
    assert (row["response_low_s"], row["response_high_s"]) == pytest.approx(expected, rel=1e-4)
    assert row["throughput_low_per_s"] == row["throughput_high_per_s"]


USERS = """\
qnet = 1
title = "users of one processor and a disk"
[parameters]
users = 20
cpu_time = "50 ms"
[stations]
cpu = {}
disk = {}
[classes.user]
population = "users"
think_time = "2 s"
steps = [ { station = "cpu", time = "cpu_time" }, { station = "disk", time = "20 ms" } ]
[calibration]
parameters = ["cpu_time", "users"]
standard_errors = ["0.5 ms", 0.1]
"""


def test_a_number_of_customers_at_a_knee_has_the_doubt_of_its_demands():
    """N* = (D + Z) / Dmax, of which the processor's demand c gives -(0.02 + 2) / c^2; users are what varies."""
    report = system(USERS).knee(definition="n_star")
    row = first(report)
    expected = interval(2.07 / 0.05, 2.02 / 0.05**2 * 5e-4)
    assert (row["population_real_low"], row["population_real_high"]) == pytest.approx(expected, rel=1e-3)
    assert row["rate_low_per_s"] is None
    assert [note.text for note in report.notes if note.code == "QN696"] == [
        "intervals hold 95 % by the calibration of cpu_time"
    ]


COST = '[costs.cpu_per_page]\nof = "cpu"\nper = "pages"\nunit = "us"\n'
PAGES = QUEUE.replace('route = "30 ms"', 'route = "30 ms"\npages = 4') + COST


def test_a_cost_has_the_doubt_of_its_demand():
    (row,) = system(PAGES + SERVICE).cost().records()
    expected = interval(12500, 25)
    assert (row["value"], row["value_low"], row["value_high"]) == pytest.approx((12500, *expected), rel=1e-6)


def test_a_cost_along_a_grid_has_the_doubt_of_what_the_grid_leaves():
    rows = system(PAGES + SERVICE).cost(over="pages=1,2").records()
    assert [row["value_high"] for row in rows] == pytest.approx([interval(v, v / 500)[1] for v in (50000, 25000)])
    rows = system(PAGES + SERVICE).cost(over="service=40ms,50ms").records()
    assert [row["value_high"] for row in rows] == [None, None]


def test_costs_beside_each_other_share_their_doubt():
    """Half the pages: both costs move with the service time, and so does what is between them."""
    model = system(PAGES + SERVICE)
    (row,) = model.cost(against=model.set(pages=2)).records()
    assert (row["against_low"], row["against_high"]) == pytest.approx(interval(25000, 50), rel=1e-6)
    assert (row["difference_low"], row["difference_high"]) == pytest.approx(around(-12500, 25), rel=1e-6)


def test_a_parameter_that_is_set_is_known():
    report = system(QUEUE + SERVICE).set(service="50 ms").solve()
    assert first(report)["response_low_s"] is None
    assert "QN696" not in [note.code for note in report.notes]


def test_what_was_not_determined_is_told():
    table = SERVICE + 'not_determined = ["route"]\n'
    notes = [note for note in system(QUEUE + table).solve().notes if note.code == "QN697"]
    assert ["route" in note.text for note in notes] == [True]
    assert not [note for note in system(QUEUE + table).set(route="1 ms").solve().notes if note.code == "QN697"]


def test_a_standard_error_into_saturation_is_told():
    table = SERVICE.replace("0.1 ms", "10 ms")
    report = system(QUEUE + table).set(rate="19/s").solve()
    assert any("there is no answer" in note.text for note in report.notes if note.code == "QN697")
    assert first(report)["response_high_s"] > first(report)["response_s"]


def test_a_model_without_a_calibration_answers_as_ever():
    plain, doubted = (system(text) for text in (QUEUE, QUEUE + SERVICE))
    known = set(first(plain.solve()))
    assert not any(name.endswith(("_low_s", "_high_s")) for name in known)
    assert {name: value for name, value in first(doubted.solve()).items() if name in known} == first(plain.solve())


def test_correlations_that_no_errors_can_have_are_refused():
    """Three quantities cannot all move against each other."""
    table = """
[calibration]
parameters = ["service", "network", "route"]
standard_errors = ["1 ms", "1 ms", "1 ms"]
correlations = [-0.9, -0.9, -0.9]
"""
    with pytest.raises(InvalidInput, match="positive semidefinite"):
        system(QUEUE + table)
    assert system(QUEUE + table.replace("-0.9, -0.9, -0.9", "-0.5, -0.5, -0.5")).calibration is not None
    # Of two correlations of 0.9 the third is at least 2 x 0.81 - 1.
    assert system(QUEUE + table.replace("-0.9, -0.9, -0.9", "0.9, 0.63, 0.9")).calibration is not None
    with pytest.raises(InvalidInput, match="positive semidefinite"):
        system(QUEUE + table.replace("-0.9, -0.9, -0.9", "0.9, 0.61, 0.9"))


def measured(noise, seed=0, service=0.05, network=0.02):
    numbers = np.random.default_rng(seed)
    rates = (2.0, 6.0, 10.0, 13.0, 15.0, 17.0)
    return [
        {"rate": r, "response": float(response(service, r) - 0.02 + network) * np.exp(noise * numbers.normal())}
        for r in rates
    ]


def test_what_calibrate_writes_is_what_solve_reads():
    """The interval of a fitted row's response is that of the tangent plane at the minimum."""
    model = system(QUEUE)
    found = calibrate(model, measured(0.02), ["service", "network"])
    text = rewritten(model, fitted_point(found), fitted_on(found), doubt_of(found))
    again = system(text)
    assert again.calibration.parameters == ("service", "network")
    assert again.calibration.freedom == 4
    matrix, slope = found.spread.covariance, found.minimum.jacobian[2]
    deviation = float(slope @ matrix @ slope) ** 0.5
    row = first(again.set(rate="10/s").solve())
    expected = row["response_s"] * np.exp(half_width(0.95, 4) * deviation)
    assert row["response_high_s"] == pytest.approx(expected, rel=1e-2)


def test_a_second_calibration_keeps_what_the_first_one_knows():
    model = system(QUEUE)
    found = calibrate(model, measured(0.02), ["service", "network"])
    once = system(rewritten(model, fitted_point(found), fitted_on(found), doubt_of(found)))
    more = calibrate(once, measured(0.02, 1), ["network"])
    text = rewritten(once, fitted_point(more), fitted_on(more), doubt_of(more))
    twice = system(text)
    assert twice.calibration.parameters == ("service", "network")
    assert twice.calibration.correlations == (0.0,)
    assert text.count("[calibration]") == 1
    assert first(twice.solve())["response_low_s"] is not None


def test_a_calibration_that_stands_in_one_line_is_not_overwritten():
    text = QUEUE.replace(
        "[parameters]", 'calibration = { parameters = ["route"], standard_errors = ["1 ms"] }\n[parameters]'
    )
    model = system(text)
    found = calibrate(model, measured(0.02), ["service"])
    with pytest.raises(UsageError, match="QN255"):
        rewritten(model, fitted_point(found), fitted_on(found), doubt_of(found))


# Candidates

LINE = QUEUE.replace('{ station = "cpu", time = "service" }', '{ delay = "service + rate * rate * slope" }').replace(
    'route = "30 ms"', 'route = "30 ms"\nslope = { value = 1e-6, range = [0, 1] }'
).replace("rate * rate * slope", "rate * rate * slope * 1 s * 1 s * 1 s")  # fmt: skip


def test_candidates_are_ranked_by_rows_left_out():
    """A queue is told by a queue, and a parabola fits it less well where it has not seen it."""
    found = candidates([system(LINE), system(QUEUE)], measured(0.01), ["service", "network", "slope"])
    assert [len(item.fit.parameters) for item in found] == [2, 3]
    assert found[0].error < found[1].error
    assert [row["rank"] for row in candidates_report(found).records()] == [1, 2]


def test_the_error_of_rows_left_out_is_that_of_fits_without_them():
    rows = measured(0.05)
    (one, _) = candidates([system(QUEUE), system(QUEUE)], rows, ["service", "network"])
    errors = []
    for place in range(len(rows)):
        rest = [row for number, row in enumerate(rows) if number != place]
        alone = calibrate(system(QUEUE), rest, ["service", "network"], starts=1)
        told = system(QUEUE).set({**fitted_point(alone), "rate": rows[place]["rate"]}).metric("response")
        errors.append(np.log(told / rows[place]["response"]))
    assert one.error == pytest.approx(root_mean_square(np.array(errors)), rel=1e-3)


def test_a_candidate_without_a_fit_stands_last_and_says_why():
    slow = system(QUEUE.replace("cpu = {}", "cpu = {}\ntape = {}").replace(
        '{ station = "cpu"', '{ station = "tape", time = "70 ms" }, { station = "cpu"'
    ))  # fmt: skip
    found = candidates([slow, system(QUEUE)], measured(0.01), ["service"])
    assert [item.fit is None for item in found] == [False, True]
    assert "row 5 (rate = 15/s) has no answer" in found[1].status and "tape" in found[1].status
    assert candidates_report(found).records()[1]["rank"] is None
    with pytest.raises(NotComputed, match="QN534"):
        candidates([slow, slow], measured(0.01), ["service"])


def test_a_name_that_no_candidate_has_is_refused():
    with pytest.raises(UsageError, match="did you mean"):
        candidates([system(QUEUE), system(LINE)], measured(0.01), ["servic"])
    with pytest.raises(UsageError, match="none of the parameters"):
        candidates([system(QUEUE), system(LINE)], measured(0.01), ["slope"])
