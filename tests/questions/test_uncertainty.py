"""Ranges of parameters: tornado, corners and samples, against what is known of the metric."""

import math

import pytest

import qnet
from qnet.documents import parse as read
from qnet.errors import NotComputed, UsageError
from qnet.model.load import build
from qnet.questions.points.answers import OK
from qnet.questions.sensitivity.uncertainty import corners, sampled, tornado, tornado_report, uncertainty_report

TEXT = """\
qnet = 1
title = "one queue"
[parameters]
rate = "5/s"
service = "100 ms"
servers = 1
share = { value = 0.95, range = [0, 1] }
a = 0.4
b = 0.6
[stations]
cpu = { servers = "servers" }
[classes.job]
arrival_rate = "rate * share / 0.95"
steps = [ { station = "cpu", time = "service" } ]
"""


@pytest.fixture(scope="module")
def model():
    return build(read(TEXT.encode(), "model.toml"), "model.toml")


def response(rate=5.0, service=0.1):
    return service / (1 - rate * service)


def test_a_tornado_has_the_metric_at_both_ends_the_widest_first(model):
    found = tornado(model, ["response"], stated=["rate=4/s:6/s", "service=80ms:110ms"]).reaches
    assert [item.range.input.name for item in found] == ["service", "rate"]
    assert found[0].at_low == pytest.approx(response(service=0.08), rel=1e-12)
    assert found[0].at_high == pytest.approx(response(service=0.11), rel=1e-12)
    assert found[1].width == pytest.approx(response(6) - response(4), rel=1e-12)


def test_a_share_is_cut_where_values_end_and_widened_to_whole_numbers(model):
    found = {item.range.input.name: item.range for item in tornado(model, within="10%").reaches}
    assert (found["share"].low, found["share"].high) == (pytest.approx(0.855), 1.0)
    assert (found["rate"].low, found["rate"].high) == (4.5, 5.5)
    assert (found["servers"].low, found["servers"].high) == (0.0, 2.0)


def test_an_end_without_an_answer_says_so_and_stands_last(model):
    found = tornado(model, stated=["rate=4/s:11/s", "service=90ms:110ms"]).reaches
    assert [item.status for item in found] == [OK, "no steady state: cpu"]
    assert found[1].at_low is not None
    assert tornado_report(tornado(model, stated=["rate=4/s:11/s"])).notes[-1].code == "QN602"


def test_the_catalog_has_ranges_of_its_own():
    found = tornado(qnet.load("ibm-3990-6")).reaches
    ranges = {item.range.input.name: item.range for item in found}
    assert (ranges["disk.latency"].low, ranges["disk.latency"].high) == (0.00705, 0.00715)
    assert all(item.range.origin == "catalog" for item in found)


def test_corners_enclose_what_is_monotone(model):
    (figures,) = corners(model, ["response"], stated=["rate=4/s:6/s", "service=80ms:110ms"]).figures
    assert figures.least == pytest.approx(response(4, 0.08), rel=1e-12)
    assert figures.most == pytest.approx(response(6, 0.11), rel=1e-12)
    assert figures.at_most == "high rate, service"
    assert not figures.mixed


def test_corners_name_what_changes_its_sign(model):
    found = corners(model, ["(a - 0.5) * (b - 0.5)"], stated=["a=0:1", "b=0:1"])
    assert found.figures[0].mixed == ("a", "b")
    assert "QN630" in [note.code for note in uncertainty_report(found).notes]


def test_too_many_corners_are_refused():
    with pytest.raises(NotComputed, match="combinations"):
        corners(qnet.load("ibm-3990-6"), within="1%")


@pytest.mark.parametrize(
    ("asked", "mean", "deviation"),
    [
        ({"stated": ["a=0:1"]}, 0.5, 1 / math.sqrt(12)),
        ({"stated": ["a=0:1"], "shape": "triangular"}, 1.4 / 3, math.sqrt((0.16 + 1 - 0.4) / 18)),
        ({"spread": ["a=20%"]}, 0.4, 0.08),
        ({"stated": ["a=0:1", "b=0:2"]}, 0.5, 1 / math.sqrt(12)),
    ],
)
def test_a_linear_metric_has_the_mean_and_deviation_of_its_parameter(model, asked, mean, deviation):
    # A stratified sample of n has the mean to about n^-1.5, and the deviation to about 1 / n.
    (figures,) = sampled(model, 4000, 7, ["a"], by=["a"] if "b=0:2" not in str(asked) else (), **asked).figures
    assert figures.mean == pytest.approx(mean, rel=2e-4)
    assert figures.deviation == pytest.approx(deviation, rel=1e-2)


def test_percentiles_are_those_of_the_distribution(model):
    (figures,) = sampled(model, 2000, 1, ["a"], stated=["a=0:1"]).figures
    assert figures.percentiles == pytest.approx((0.05, 0.5, 0.95), abs=1e-3)
    # A monotone metric has the percentiles of its parameter, carried through.
    (figures,) = sampled(model, 2000, 1, ["response"], stated=["service=80ms:110ms"]).figures
    expected = [response(service=0.08 + 0.03 * share) for share in (0.05, 0.5, 0.95)]
    assert figures.percentiles == pytest.approx(expected, rel=1e-3)


def test_every_whole_number_is_as_likely(model):
    (figures,) = sampled(model, 3000, 1, ["servers"], stated=["servers=1:3"]).figures
    assert figures.mean == pytest.approx(2, abs=1e-9)
    assert (figures.least, figures.most) == (1, 3)


def test_independent_parameters_add_their_variances(model):
    (figures,) = sampled(model, 20_000, 3, ["a + b"], stated=["a=0:1", "b=0:2"]).figures
    assert figures.deviation == pytest.approx(math.sqrt(5 / 12), rel=2e-2)


def test_the_same_seed_gives_the_same_points(model):
    one, same, other = (sampled(model, 50, seed, stated=["rate=4/s:6/s"]).figures for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_points_without_an_answer_are_counted(model):
    found = sampled(model, 1000, 1, ["response"], stated=["rate=1/s:11/s"])
    (figures,) = found.figures
    assert figures.answered == 900
    report = uncertainty_report(found)
    assert "100 of 1000 points have no answer" in report.notes[-1].text
    assert report.rows[0][-3] == "100 of 1000 points have no answer: no steady state: cpu"


@pytest.mark.parametrize(
    "asked",
    [{}, {"stated": ["rate"]}, {"stated": ["rate=4/s"]}, {"stated": ["rate=4:6"]}, {"stated": ["rate=6/s:4/s"]},
     {"stated": ["rte=4/s:6/s"]}, {"stated": ["rate=6/s:7/s"]}, {"within": "110%"}, {"within": "10 ms"},
     {"stated": ["rate=4/s:6/s", "rate=4/s:6/s"]}, {"stated": ["rate=4/s:x"]}],
)  # fmt: skip
def test_ranges_that_mean_nothing_are_the_askers_fault(model, asked):
    with pytest.raises(UsageError):
        tornado(model, **asked)


def test_all_wrong_ranges_are_told_at_once(model):
    with pytest.raises(UsageError) as caught:
        sampled(model, 10, 1, stated=["rate=4:6", "rte=1:2"], spread=["a=0"], within="x")
    assert len(caught.value.problems) >= 4
