"""The rule for a prediction: what restates or follows from one given number is counted as carried."""

from __future__ import annotations

from pathlib import Path

import pytest
from studies import FAST, HEAD, WINDOW, claim

from qnet.questions.study.load import load_study
from qnet.questions.study.tally import tally
from qnet.questions.study.validate import Judged, validate

CLOSED = """
qnet = 1
title = "users who pause"
[parameters]
users = 3
pause = "3 s"
time = "1 s"
[stations]
window = {}
[classes.user]
population = "users"
think_time = "pause"
steps = [ { station = "window", time = "time" } ]
"""
GIVEN = claim("low", role="given", metric="response at half load", stated="1.95 s")


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A function from claims to their verdicts by id."""
    monkeypatch.setenv("QNET_CATALOG", str(tmp_path))

    def judged(*claims: str) -> dict[str, Judged]:
        files = {"CATALOG.toml": 'schema = 1\ntitle = "test"\n', "studies/s.toml": HEAD + "\n".join(claims)}
        files |= {"systems/window.toml": WINDOW, "systems/fast.toml": FAST, "systems/closed.toml": CLOSED}
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return {item.claim.id: item for item in validate(load_study("s")).judged}

    return judged


def predicted(id: str, stated: str, figure: str, null: str = "none: made up", **keys: object) -> str:
    return claim(id, role="predicted", stated=stated, tolerance=0.2, figure=figure, null=null, **keys)


AT_LOAD = {"set": {"rate": "0.8/s"}}
"""By M/M/1 the response is 5 s there."""


def test_a_response_at_another_load_is_a_prediction(judge):
    found = judge(GIVEN, predicted("x", "4.8 s", "response", "low", **AT_LOAD))["x"]
    assert (found.role, found.carried, found.counted) == ("predicted", "", True)


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        (predicted("x", "2.1 s", "response", "low"), "within 3 % of low"),
        (predicted("x", "0.49 s", "half"), "proportional to time and to nothing else"),
        (predicted("x", "1.01 s", "time"), "within 3 % of time, which is an input"),
        (predicted("x", "0.52", "rate * time"), "a product of inputs alone"),
        (predicted("x", "1.01 s", "time * share", set={"share": "1", "time": "2 s / 2"}),
         "within 3 % of time, which is an input"),
        (predicted("y", "1.6 s", "time * (1 + share)") + predicted("x", "1.4 s", "time * (1 + share)",
         set={"kind": "fast"}), "y times or over inputs"),
        (predicted("y", "0.7/s", "throughput", system="closed") + predicted("x", "2 s", "response", system="closed"),
         "follows from y by Little's law"),
        (predicted("y", "4.8 s", "response", **AT_LOAD) + predicted("x", "4.2", "queue_length('window')", **AT_LOAD),
         "y times or over inputs"),
        (predicted("y", "4.8 s", "response", **AT_LOAD) + predicted("x", "6.1 s", "response + time", **AT_LOAD),
         "y plus or minus inputs"),
        (claim("y", role="predicted", stated="0.7/s", tolerance=0.2, largest="rate", limit="response <= 4 s",
               null="none: made up")
         + claim("x", role="predicted", at_least="4 s", figure="response", null="none: a bound", **AT_LOAD),
         "implied by y"),
    ],
)  # fmt: skip
def test_what_restates_or_follows_from_what_is_there_is_carried(judge, claims: str, reason: str):
    found = judge(GIVEN, claims)
    assert (found["x"].role, found["x"].carried) == ("carried", reason)
    assert all(item.counted for name, item in found.items() if name == "y")
    counted = tally(list(found.values()))
    assert (counted.demoted, counted.carried) == (1, 1)


def test_words_that_a_figure_rests_on_are_two_points(judge):
    """5 s where the clerk is slow, and 0.5 / (1 - 0.4) s where he is fast."""
    slow, fast = predicted("y", "4.8 s", "response", **AT_LOAD), {"set": {"rate": "0.8/s", "kind": "fast"}}
    found = judge(GIVEN, slow, predicted("x", "0.8 s", "response", "low", **fast))
    assert (found["x"].counted, found["y"].counted) == (True, True)


def test_a_bound_where_another_prediction_has_no_steady_state_is_implied(judge):
    """The largest rate is 1/s."""
    late = claim("x", role="predicted", at_most="9 s", figure="response", null="none: a bound", set={"rate": "1.2/s"})
    largest = claim("y", role="predicted", stated="0.9/s", tolerance=0.2, largest="rate", null="none: made up")
    assert judge(largest, late)["x"].carried == "implied by y"


def test_a_share_of_one_is_not_moved(judge):
    """With all of the time the figure is proportional to it, with half of the time it is a product."""
    all_of_it = predicted("x", "2.9 s", "2.5 * time * share", set={"share": "1"})
    half = predicted("y", "1.2 s", "2.5 * time * share")
    found = judge(all_of_it, half)
    assert found["x"].carried == "proportional to time and to nothing else"
    assert found["y"].carried == "a product of inputs alone"


def test_a_figure_that_the_form_was_chosen_for_is_set_apart(judge):
    found = judge(GIVEN, predicted("x", "4.8 s", "response", "low", in_view=True, **AT_LOAD))["x"]
    assert (found.role, found.carried, found.counted) == ("predicted", "", False)
    counted = tally([found])
    assert (counted.predicted, counted.repeated, counted.in_view, counted.errors) == (0, 0, 1, 0)
    assert counted.in_view_median == pytest.approx(5 / 4.85 - 1)


def test_a_fitted_figure_is_an_input_and_its_parameter_is_none(judge):
    """The time is fitted on 2 s at half load; at the same point utilization moves with it, at another the response is a
    prediction."""
    fit = claim("fit", role="fitted", sets="time", stated="2 s", figure="response")
    found = judge(
        fit,
        predicted("x", "0.51", "response * throughput * time / response"),
        predicted("y", "4.8 s", "response", "fit", **AT_LOAD),
    )
    assert found["y"].counted
    assert found["x"].counted


def test_what_moves_as_the_figure_that_was_fitted_is_carried(judge):
    fit = claim("fit", role="fitted", sets="time", stated="2 s", figure="response")
    found = judge(fit, predicted("x", "1.1", "queue_length('window')"))["x"]
    assert found.carried == "fit times or over inputs"


def test_the_null_is_judged_as_the_model_is(judge):
    """5 s for a printed 4.8 s: 3 % from 4.85 s; 1.95 s is 59 % from 4.75 s."""
    found = judge(GIVEN, predicted("x", "4.8 s", "response", "low", **AT_LOAD))["x"]
    assert found.error == pytest.approx(5 / 4.85 - 1)
    assert found.plain_error == pytest.approx(5 / 4.8 - 1)
    assert (found.null, found.null_error) == (1.95, pytest.approx(1.95 / 4.75 - 1))
    counted = tally([found])
    assert (counted.compared, counted.nearer, counted.nearer_share) == (1, 1, 1.0)
    assert counted.median_ratio == pytest.approx((5 / 4.85 - 1) / (1 - 1.95 / 4.75))


def test_unchanged_is_a_null_of_what_is_compared(judge):
    keys = {"base": {"rate": "0.5/s"}, "take": "ratio"}
    found = judge(predicted("x", "2.4", "response", "unchanged", **AT_LOAD, **keys))["x"]
    assert (found.null, found.null_error) == (1.0, pytest.approx(1 / 2.35 - 1))
