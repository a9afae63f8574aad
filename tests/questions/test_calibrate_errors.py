"""Errors of measurements: what is stated, what is printed, what the residuals show, and intervals that follow."""

from functools import partial

import numpy as np
import pytest
from full import long_but
from test_calibrate import CLOSED, QUEUE, codes, holds, model_of, warnings
from trials import side_by_side

import qnet
from qnet.errors import InvalidInput, UsageError
from qnet.questions.calibrate.calibrate import calibrate, fitted_point
from qnet.questions.calibrate.errors import chi_square, half_digit, half_width, scatter_stated, scatter_unstated
from qnet.questions.calibrate.report import calibration_report

DRAWS = 200
NORMAL = 1.959964

DELAY = QUEUE.replace("factor * service * (0.5 + share)", "0")
"""The response is network + route, of which route is 30 ms: the model is a mean."""

STEPS = """\
qnet = 1
title = "a file in chunks"
[parameters]
size = 3600
chunk = { value = 950, range = [100, 4000] }
each = "10 ms"
base = "5 ms"
[stations]
disk = {}
[classes.io]
arrival_rate = "0.1/s"
steps = [ { delay = "base" }, { station = "disk", time = "each", visits = "ceil(size / chunk)" } ]
"""
SIZES = (800, 1800, 2700, 3600, 4610)
"""4 chunks of 900 hold 3600, 5 of 922 hold 4610: all chunks from 900 to 922 give the same numbers."""


def in_chunks(chunk, each=0.010, base=0.005):
    """Response of M/M/1 that is visited once per chunk, as it is printed."""
    times = [each * -(-size // chunk) for size in SIZES]
    return [{"size": n, "response_s": f"{base + s / (1 - 0.1 * s):.4f}"} for n, s in zip(SIZES, times, strict=True)]


def told(found, scope="parameter"):
    return [row for row in calibration_report(found).records() if row["scope"] == scope]


def summary(found, name):
    (row,) = [row for row in told(found, "summary") if row["name"] == name]
    return row["value"]


@pytest.mark.parametrize(
    ("cell", "half"),
    [
        ("12.6", "0.05"), ("12.60", "0.005"), ("120", "0.5"), ("0.4612 s", "0.00005 s"), ("37 %", "0.5 %"),
        ("1.5e-3", "0.00005"), ("-2.5", "0.05"), (".5", "0.05"), ("1_000", "0.5"), ("", ""), ("soon", ""), (12.6, ""),
        ("1e999999999", ""),
    ],
)  # fmt: skip
def test_half_of_the_last_printed_digit(cell, half):
    found = half_digit(cell)
    number, _, unit = half.partition(" ")
    shown, _, other = found.partition(" ")
    assert (bool(found), other) == (bool(half), unit)
    assert not half or float(shown) == pytest.approx(float(number), rel=1e-12)


@pytest.mark.parametrize(("freedom", "value"), [(1, 6.635), (2, 9.210), (5, 15.086), (10, 23.209), (50, 76.154)])
def test_chi_square_is_that_of_printed_tables(freedom, value):
    """Abramowitz and Stegun, table 26.8."""
    assert chi_square(freedom) == pytest.approx(value, rel=0.02)


def test_a_mean_with_stated_errors_is_the_weighted_one():
    """sum y / e^2 over sum 1 / e^2, with the variance 1 / sum 1 / e^2; two standard errors are from a normal table."""
    y, e = np.array([0.11, 0.12, 0.15, 0.10]), np.array([0.01, 0.02, 0.04, 0.02])
    rows = [{"response_s": value, "response_s_error": error} for value, error in zip(y, e, strict=True)]
    found = calibrate(model_of(DELAY), rows, ["network"], absolute=True)
    (item,) = found.parameters
    mean, error = (y / e**2).sum() / (1 / e**2).sum(), (1 / e**2).sum() ** -0.5
    assert item.value == pytest.approx(mean - 0.03, rel=1e-6)
    assert item.error == pytest.approx(error, rel=1e-6)
    squares = (((y - mean) / e) ** 2).sum()
    assert summary(found, "scatter") == pytest.approx((squares / 3) ** 0.5, rel=1e-6)
    assert found.scatter.times == pytest.approx(NORMAL, rel=1e-6) and "QN691" not in codes(found)


@pytest.mark.parametrize(
    ("error", "sizes"),
    [
        (["10%"], (0.011, 0.015)),
        (["2 ms"], (0.002, 0.002)),
        (["response=2 ms"], (0.002, 0.002)),
        (["10%", "response=4 ms"], (0.004, 0.004)),
        (["response=4 ms", "10%"], (0.004, 0.004)),
    ],
)
def test_an_error_is_a_share_or_a_quantity(error, sizes):
    rows = [{"response_s": 0.11}, {"response_s": 0.15}]
    found = calibrate(model_of(DELAY), rows, ["network"], error=error)
    assert found.measured.errors[:, 0] == pytest.approx(sizes)


def test_a_cell_of_a_column_of_errors_goes_before_all_others():
    rows = [{"response": "110 ms", "response_error": "2 %"}, {"response": "0.15 s", "response_error": ""}]
    found = calibrate(model_of(DELAY), rows, ["network"], error=["5 ms"])
    assert found.measured.errors[:, 0] == pytest.approx([0.0022, 0.005])
    # Without --error, a cell that states none has half of its last printed digit.
    found = calibrate(model_of(DELAY), rows, ["network"])
    assert found.target.errors[:, 0] == pytest.approx([0.02, 0.005 / 0.15])
    assert not found.measured.ignored


@pytest.mark.parametrize("text", ["0.01", "-1%", "x%", "2 KiB", "users=1%", "nothing=1%", "response=0 ms", "soon"])
def test_an_error_that_cannot_be_used_is_refused(text):
    rows = [{"response_s": 0.11}, {"response_s": 0.15}]
    with pytest.raises(UsageError):
        calibrate(model_of(DELAY), rows, ["network"], error=[text])


@pytest.mark.parametrize("cell", ["-1", "0", "soon", "2 KiB", "-3 %"])
def test_a_cell_of_errors_that_cannot_be_used_is_refused(cell):
    with pytest.raises(InvalidInput, match=r"QN251.*|response_error"):
        calibrate(model_of(DELAY), [{"response": 0.11, "response_error": cell}] * 2, ["network"])


def test_a_cell_without_any_error_beside_others_is_named():
    rows = [{"response": 0.11, "response_error": 0.01}, {"response": 0.12, "response_error": ""}]
    with pytest.raises(InvalidInput, match="row 2: response: no error is stated"):
        calibrate(model_of(DELAY), rows, ["network"])


def test_a_model_that_does_not_fit_within_the_errors_says_so_and_is_widened():
    """Birge's ratio: the error of the mean is that of the scatter, by Student's t."""
    values = [0.11, 0.12, 0.15, 0.10]
    found = calibrate(
        model_of(DELAY), [{"response": value} for value in values], ["network"], absolute=True, error=["1 ms"]
    )
    (item,) = found.parameters
    assert item.error == pytest.approx(np.std(values, ddof=1) / 2, rel=1e-6)
    assert found.scatter.times == pytest.approx(half_width(0.95, 3))
    assert any("does not fit within the stated errors" in text for text in warnings(found))


def test_printed_digits_are_the_least_that_errors_can_be():
    """All cells alike, so that nothing scatters: the mean of n values has the error of one over sqrt(n)."""
    found = calibrate(model_of(DELAY), [{"response": "0.12"}] * 4, ["network"], absolute=True)
    assert found.parameters[0].error == pytest.approx(0.005 / 2, rel=1e-6)
    assert found.scatter.kind == "printed digits"


def test_scatter_beyond_the_printed_digits_is_one_common_error():
    """With the same digits everywhere u^2 + d^2 is the variance of the sample, and the mean has its usual error."""
    texts = ["0.11", "0.12", "0.15", "0.10"]
    found = calibrate(model_of(DELAY), [{"response": text} for text in texts], ["network"], absolute=True)
    values = np.array([float(text) for text in texts])
    assert found.parameters[0].error == pytest.approx(values.std(ddof=1) / 2, rel=1e-6)
    common = (values.var(ddof=1) - 0.005**2) ** 0.5 / values.mean()
    assert found.scatter.common == pytest.approx(common, rel=1e-6)


def test_the_common_error_solves_its_equation():
    plain, digits = np.array([0.3, -0.2, 0.1, -0.25, 0.05]), np.array([0.01, 0.2, 0.1, 0.05, 0.02])
    found = scatter_unstated(plain, np.ones(5), digits, 4, True)
    assert (plain**2 / (found.common**2 + digits**2)).sum() == pytest.approx(4, rel=1e-9)
    assert found.times == pytest.approx(half_width(0.95, 4))


def test_a_rounded_cell_counts_less_than_a_fine_one():
    rows = [{"response": "0.1"}, {"response": "0.1300"}, {"response": "0.1310"}, {"response": "0.1290"}]
    found = calibrate(model_of(DELAY), rows, ["network"])
    assert fitted_point(found)["network"] == pytest.approx(0.1, abs=0.0005)


@pytest.mark.parametrize(("freedom", "exceeds"), [(1, False), (10, True)])
def test_few_degrees_of_freedom_speak_against_no_errors(freedom, exceeds):
    found = scatter_stated(3.0 * freedom, freedom)
    assert found.exceeds == exceeds


def test_as_many_figures_as_parameters_rest_on_their_digits_and_are_never_ok():
    """The mean of one value: its interval is that of the digit, and nothing tests the model."""
    (row,) = told(found := calibrate(model_of(DELAY), [{"response": "0.13"}], ["network"]))
    assert row["status"] == "no degrees of freedom"
    low, high = (0.13 * np.exp(sign * NORMAL * 0.005 / 0.13) - 0.03 for sign in (-1, 1))
    assert (row["low"], row["high"]) == pytest.approx((low, high), rel=1e-2)
    assert any("depend on the printed digits alone" in text for text in warnings(found))


def test_eight_figures_and_eight_parameters_are_never_ok():
    """Two of the times are one sum, so that seven are left: a residual of nearly nothing is no proof of anything."""
    names = [f"t{number}" for number in range(8)]
    text = 'qnet = 1\ntitle = "eight"\n[parameters]\nrate = "1/s"\n' + "".join(f'{name} = "10 ms"\n' for name in names)
    for name in names[:6]:
        text += f"k{name} = {{ value = 0, range = [0, 1] }}\n"
    sums = " + ".join(f"k{name} * {name}" for name in names[:6])
    text += '[stations]\ncpu = {}\n[classes.job]\narrival_rate = "rate"\n'
    text += f'steps = [ {{ delay = "{sums} + t6 + t7" }}, {{ station = "cpu", time = "1 us" }} ]\n'
    rows = [
        {**{f"k{name}": float(place == row) for place, name in enumerate(names[:6])}, "response": cell}
        for row, cell in enumerate(
            ["31.2 ms", "33.4 ms", "30.9 ms", "35.5 ms", "29.6 ms", "38.1 ms", "20.0 ms", "20.1 ms"]
        )
    ]
    found = calibrate(model_of(text), rows, names)
    assert found.spread.freedom == 1
    statuses = {row["name"]: row["status"] for row in told(found)}
    allowed = {"no degrees of freedom", "cannot be distinguished", "not determined by these rows"}
    assert set(statuses.values()) <= allowed
    assert "QN690" in codes(found) and "QN634" in codes(found)


def test_without_any_error_there_is_no_interval():
    found = calibrate(model_of(QUEUE), [{"rate": 4.0, "response": 0.13}], ["service"])
    (row,) = told(found)
    assert (row["low"], row["high"], row["standard_error"]) == (None, None, None)
    assert row["status"] == "no degrees of freedom"


@pytest.mark.parametrize("fit", long_but([["chunk"], ["chunk", "each"], ["chunk", "each", "base"]], ["chunk"]))
@pytest.mark.parametrize("start", long_but([950, 3000], 950))
def test_a_step_has_the_interval_in_which_all_values_fit_alike(fit, start):
    model = qnet.System(*model_of(STEPS)).set(chunk=start)
    found = calibrate(model, in_chunks(910), fit)
    chunk = found.parameters[0]
    assert (chunk.low, chunk.high) == pytest.approx((900, 922), abs=0.01)
    assert (chunk.error, chunk.interval) == (None, "profile")
    truth = {"chunk": 910, "each": 0.010, "base": 0.005}
    assert all(holds(item, truth[item.unknown.name]) for item in found.parameters)


@pytest.mark.parametrize("fit", long_but([["chunk"], ["chunk", "each"]], ["chunk"]))
def test_a_slope_that_ends_in_a_step_is_no_narrow_interval(fit):
    """A small slope drives the value to the edge of its step, where derivatives are those of the edge."""
    text = STEPS.replace('{ delay = "base" }', '{ delay = "base + chunk * 2 us" }')
    noise = (0.0003, -0.0002, -0.0004, 0.0003, 0.0001)
    rows = [
        {**row, "response_s": f"{float(row['response_s']) + 905 * 2e-6 + error:.4f}"}
        for row, error in zip(in_chunks(905), noise, strict=True)
    ]
    found = calibrate(model_of(text), rows, fit)
    chunk = found.parameters[0]
    assert (chunk.low, chunk.high) == pytest.approx((900, 922), abs=0.01)
    assert (chunk.error, chunk.interval) == (None, "profile")
    assert found.minimum.converged or "QN694" in codes(found)


def test_exact_figures_of_a_step_do_not_make_it_narrow():
    rows = [{**row, "response_s": float(row["response_s"])} for row in in_chunks(910)]
    (chunk,) = calibrate(model_of(STEPS), rows, ["chunk"]).parameters
    assert (chunk.low, chunk.high) == pytest.approx((900, 922), abs=0.01)


def test_rows_that_do_not_determine_a_parameter_say_so():
    """One customer thinks for 5 s and is served for 0.1 s: 2 % errors hide any smaller service time."""
    rows = [{"users": 1, "throughput": x} for x in (0.194, 0.199, 0.196, 0.195)]
    found = calibrate(model_of(CLOSED), rows, ["cpu_time"], error=["4%"])
    (row,) = told(found)
    assert row["low"] is None and row["high"] is not None
    assert row["status"] == "no lower end" and "QN693" in codes(found)


def test_two_delays_have_ends_above_and_none_below():
    """Only their sum is known: each alone is at most the sum."""
    rows = [{"rate": r, "response": 0.05 + 0.05 / (1 - 0.05 * r)} for r in (2.0, 6.0, 10.0, 14.0)]
    found = calibrate(model_of(QUEUE), rows, ["network", "route"], error=["1%"])
    for item in found.parameters:
        assert item.low is None and item.high == pytest.approx(0.05, rel=0.05)
    assert {row["status"] for row in told(found)} == {"cannot be distinguished"}


def draws(seed, kind):
    """Measurements of a queue behind a delay, with errors of one kind, and how they are told."""
    numbers = np.random.default_rng(seed)
    rates = np.linspace(2, 16, 8)
    exact = 0.05 + 0.05 / (1 - 0.05 * rates)
    cells = (exact * np.exp(0.03 * numbers.normal(size=8))).tolist()
    rows = [{"rate": rate, "response": cell} for rate, cell in zip(rates.tolist(), cells, strict=True)]
    return rows, ["3%"] if kind == "stated" else []


@pytest.mark.long
@pytest.mark.parametrize(("kind", "held_out"), [("stated", 0), ("scatter", 2)])
def test_intervals_of_95_per_cent_hold_the_truth_and_what_is_held_out_as_often(monkeypatch, kind, held_out):
    truth = {"service": 0.05, "network": 0.02}
    model = model_of(QUEUE)
    parameters = np.zeros((DRAWS, 2), dtype=bool)
    predictions = np.zeros((DRAWS, held_out), dtype=bool)

    def fitted(seed):
        rows, error = draws(seed, kind)
        return calibrate(model, rows, ["service", "network"], starts=1, error=error, hold_out=str(held_out or ""))

    for seed, found in enumerate(side_by_side(monkeypatch, [partial(fitted, seed) for seed in range(DRAWS)])):
        parameters[seed] = [holds(item, truth[item.unknown.name]) for item in found.parameters]
        low, high = found.predicted
        within = (low <= found.measured.values) & (found.measured.values <= high)
        predictions[seed] = within[found.measured.held_out].ravel()
    shares = [*parameters.mean(axis=0), *predictions.mean(axis=0)]
    assert len(shares) == 2 + held_out
    assert min(shares) >= 0.90 and max(shares) <= 0.99


def test_the_prediction_of_one_more_value_is_that_of_textbooks():
    """The mean of n and one more: mean -+ t s sqrt(1 + 1 / n)."""
    values = np.array([0.11, 0.12, 0.15, 0.10])
    rows = [{"response": value} for value in (*values, 0.13)]
    found = calibrate(model_of(DELAY), rows, ["network"], absolute=True, hold_out="1")
    half = half_width(0.95, 3) * values.std(ddof=1) * (1 + 1 / 4) ** 0.5
    low, high = (side[-1, 0] for side in found.predicted)
    # Told in shares of the mean of all rows, and by a linear model.
    assert (low, high) == pytest.approx((values.mean() - half, values.mean() + half), rel=1e-4)
    (row,) = [row for row in told(found, "row") if row["use"] == "held out"]
    assert (row["low"], row["high"], row["status"]) == (pytest.approx(low), pytest.approx(high), "ok")


def test_a_prediction_has_no_interval_where_nothing_determines_it():
    """A route that is taken above 15/s only, and no fitted row is there."""
    rows = [{"rate": r, "response": 0.05 + 0.05 / (1 - 0.05 * r)} for r in (2.0, 6.0, 10.0, 14.0)]
    text = QUEUE.replace('delay = "network + route"', 'delay = "network + where(rate > 15/s, route, 30 ms)"')
    held = {"rate": 16.0, "response": 0.3}
    found = calibrate(model_of(text), [*rows, held], ["service", "route"], hold_out="1", error=["1%"])
    assert not np.isfinite(found.predicted[0][-1, 0]) and found.parameters[1].idle
    assert told(found)[1]["status"] == "no effect"


def test_held_out_rows_that_the_model_misses_are_told():
    rows = [{"rate": r, "response": 0.05 + 0.05 / (1 - 0.05 * r)} for r in (2.0, 6.0, 10.0, 14.0)]
    worse = [{"rate": r, "response": 0.6} for r in (15.0, 16.0, 17.0)]
    found = calibrate(model_of(QUEUE), [*rows, *worse], ["service"], hold_out="3", error=["1%"])
    held = [row["status"] for row in told(found, "row") if row["use"] == "held out"]
    assert held == ["outside its prediction interval"] * 3
    assert any("3 of 3 held-out measurements lie outside" in text for text in warnings(found))


@pytest.mark.parametrize("absolute", long_but([False, True], False))
@pytest.mark.parametrize(
    ("text", "fit", "between"),
    [
        (QUEUE, ["service", "network"], ["service=1e-200s:1e200s", "network=1e-250s:1e250s"]),
        (QUEUE.replace("factor * service", "exp(factor * 100) * service"), ["factor", "network"], ["factor=-6:6"]),
        (QUEUE + '[outputs]\nlarge = "exp(response / (1 ms))"\n', ["service", "network"], []),
    ],
    ids=["ranges", "exponential", "output"],
)
def test_absurd_trial_values_are_no_warnings(text, fit, between, absolute):
    """What overflows on the way is no answer there, and nothing that a user hears of: warnings are errors here."""
    rows = [{"rate": rate, "response": f"{0.05 + 0.05 / (1 - 0.05 * rate):.3f}"} for rate in (2.0, 6.0, 10.0, 14.0)]
    if "large" in text:
        rows = [{"rate": rate, "large": value} for rate, value in ((2.0, "1e40"), (5.0, "1e45"), (9.0, "1e50"))]
    found = calibrate(model_of(text), rows, fit, between=between, absolute=absolute)
    assert calibration_report(found).text("csv")


@pytest.mark.parametrize(("unit", "warned"), [("response_ms", False), ("response", True)])
def test_a_fit_that_is_wrong_by_a_factor_doubts_the_units(unit: str, warned: bool):
    system = qnet.loads(
        'qnet = 1\ntitle = "one"\n[parameters]\nrate = "20/s"\nservice = "10 ms"\n[stations]\nserver = {}\n'
        '[classes.c]\narrival_rate = "rate"\nsteps = [ { station = "server", time = "service" } ]'
    )
    rows = [{"rate": f"{rate}/s", unit: f"{1000 / (100 - rate):.3g}"} for rate in (20, 50, 80)]
    report = system.calibrate(rows, fit=["service"])
    found = [note.text for note in report.notes if note.code == "QN691"]
    assert bool(found) == warned
    assert all(
        text.startswith("the model does not fit: it differs from the measurements by a factor") for text in found
    )
