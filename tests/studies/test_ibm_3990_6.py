"""The IBM 3990-6 against its measurements: the figures that must be met, and the fit done again from scratch."""

from __future__ import annotations

from typing import Any

import pytest
from once import validated

from qnet.model.conditions import condition
from qnet.model.load import load
from qnet.model.model import Model
from qnet.model.settings import with_settings
from qnet.model.values import Values
from qnet.questions.envelope.envelope import envelope
from qnet.questions.envelope.question import question
from qnet.questions.points.changes import changes
from qnet.questions.points.expression_values import expression_value
from qnet.questions.points.points import solve_points
from qnet.questions.points.saturation import saturation
from qnet.questions.points.trial import Trial
from qnet.questions.search.search import largest, pick, search
from qnet.questions.study.load import load_study
from qnet.questions.study.validate import Judged

FITTED = {
    "cu.connect_overhead", "cu.path_release", "cu.destage_overhead", "cu.stage_overhead", "cu.miss_remainder",
    "destages_per_write", "observed_skew", "update_hit", "rewritten", "destages_when_full",
}  # fmt: skip
UPDATES = {"write_fraction": "0.5"}
LOCAL = {**UPDATES, "read_hit": "0.887"}


@pytest.fixture(scope="module")
def model() -> Model:
    return load("ibm-3990-6")


@pytest.fixture(scope="module")
def judged() -> dict[str, Judged]:
    return {item.claim.id.removeprefix("3990-6/"): item for item in validated(load_study("ibm-3990-6")).judged}


def largest_rate(model: Model, limit: str = "", **settings: str) -> float:
    changed = with_settings(model, settings)
    limits = [condition(limit, changed)] if limit else []
    return float(largest(Trial(changed, "rate", limits, {}, 1)).value[0])


def line(model: Model, limit: str, **settings: str) -> list[float]:
    changed = with_settings(model, settings)
    asked = question(changed, None, limit=limit, over=["write_fraction = 0:0.5:0.05"])
    return [point.value or 0.0 for point in envelope(asked).points]


# The acceptance table: stated figure, tolerance


@pytest.mark.parametrize(
    ("claim", "stated", "tolerance"),
    [
        ("front-end/4k/max", 2600, 0.03),
        ("front-end/half-track/max", 1415, 0.03),
        ("front-end/4k/min-response", 1.2, 0.03),
        ("front-end/half-track/min-response", 2.6, 0.03),
        ("sequential/read/max", 620, 0.03),
        ("sequential/write/max", 256, 0.03),
        ("rlc/write-miss/saturation", 380, 0.1),
        ("rlc/record/saturation", 630, 0.1),
        ("rlc/track/saturation", 500, 0.1),
        ("uniform-4k/max-throughput/w0", 1190, 0.03),
        ("uniform-4k/max-throughput/high-w", 900, 0.03),
        ("uniform-half-track/max-throughput/w0", 910, 0.03),
        ("uniform-half-track/max-throughput/high-w", 630, 0.03),
        ("uniform-4k/envelope-10ms/w0", 640, 0.1),
        ("uniform-4k/envelope-10ms/w50", 960, 0.05),
        ("uniform-half-track/envelope-20ms/mean", 640, 0.1),
        ("skewed-4k/envelope-10ms/w0", 600, 0.05),
        ("skewed-4k/max-throughput/w0", 1140, 0.05),
        ("skewed-4k/max-throughput/high-w", 900, 0.05),
        ("skewed-half-track/envelope-20ms/mean", 650, 0.1),
        ("skewed-half-track/max-throughput/w0", 900, 0.05),
        ("skewed-half-track/max-throughput/high-w", 620, 0.05),
        ("channel/front-end/low-load", 11.3, 0.1),
        ("channel/front-end/max-load", 10.0, 0.1),
        ("channel/sequential-write/max-load", 3.8, 0.05),
        ("burn/4k-random/stressed-rate-max", 114, 0.15),
        ("burn/4k-random/stressed-response", 8.5, 0.15),
        ("stress/response-ratio-low-rate", 1.3, 0.1),
        ("uniform-4k/envelope-10ms/w50", 960, 0.03),
        ("skewed-4k/envelope-10ms/w50", 980, 0.02),
        ("uniform-4k/max-throughput/high-w", 900, 0.01),
        ("skewed-half-track/envelope-20ms/mean", 650, 0.01),
    ],
)
def test_a_claim_is_met(judged: dict[str, Judged], claim: str, stated: float, tolerance: float):
    item = judged[claim]
    assert item.stated == pytest.approx(stated)
    assert item.modelled == pytest.approx(stated, rel=tolerance)


def test_record_mode_answers_within_15_ms_at_570_of_the_589_it_can_take(model: Model):
    """The source has 15 ms up to a saturation at 630/s, where the model has no answer: that claim is missed."""
    mix = {"write_fraction": "0.5", "read_hit": "0.5", "destages_per_write": "1"}
    settings = {**mix, "staging": "record", "rate": "570/s"}
    assert solve_points(with_settings(model, settings)).parts[0].solution.response <= 15e-3


def test_the_10_ms_line_rises_to_its_peak_and_then_follows_the_maximum(model: Model):
    limited = line(model, "response <= 10 ms")
    maximum = line(model, "utilization('back_end') <= 1")
    peak = limited.index(max(limited))
    assert 0.3 <= 0.05 * peak <= 0.45
    assert limited[: peak + 1] == sorted(limited[: peak + 1])
    assert limited[8:] == pytest.approx(maximum[8:], rel=1e-6)


def test_the_20_ms_line_falls_throughout(model: Model):
    limited = line(model, "response <= 20 ms", block="27998 B")
    assert limited == sorted(limited, reverse=True)


def test_a_4k_channel_rate_lies_in_the_measured_band_up_to_half_load(model: Model):
    """3.5 to 6.5 MB/s with the tolerance of 10 % that channel rates have; the source says typical, not saturated."""
    expression = model.outputs["channel_rate"].expression
    for rate in ("1/s", "600/s", "1300/s"):
        solved = solve_points(with_settings(model, {"read_hit": "1", "rate": rate}))
        assert 0.9 * 3.5 <= expression_value(solved, expression) / 2**20 <= 1.1 * 6.5


def test_every_prediction_is_met_and_every_trend_shown_but_those_with_a_reason(judged: dict[str, Judged]):
    required = [item for item in judged.values() if item.claim.role in ("predicted", "carried", "trend")]
    missed = [item.claim for item in required if item.verdict != "met"]
    assert [claim.id for claim in missed] == [
        "3990-6/burn/4k-random/stressed-vs-average", "3990-6/stress/10ms-range", "3990-6/rlc/record/response",
    ]  # fmt: skip
    assert all(claim.miss for claim in missed)


def test_the_rate_within_10_ms_is_asked_as_the_source_states_it(judged: dict[str, Judged]):
    """360/s, and not 10 ms at that rate: there the model is 4.6 % off, in the rate 18 %."""
    item = judged["stress/10ms-range"]
    assert (item.stated, item.unit, item.verdict) == (360, "/s", "missed")
    assert item.error is not None
    assert 0.15 < item.error < 0.2


def test_every_identity_is_exact(judged: dict[str, Judged]):
    identities = [item for item in judged.values() if item.claim.role == "identity"]
    assert [item.claim.id for item in identities if item.verdict != "exact"] == []


def test_all_claims_of_the_source_are_here(judged: dict[str, Judged]):
    assert len(judged) == 187


def test_predictions_are_more_than_the_fitted_and_close(judged: dict[str, Judged]):
    counted = [item for item in judged.values() if item.counted]
    assert len(counted) > len(FITTED)
    errors = sorted(abs(item.error) for item in counted if item.error is not None)
    assert errors[len(errors) // 2] < 0.06
    assert sum(error <= 0.2 for error in errors) >= 0.9 * len(errors)


def test_skew_costs_most_at_small_blocks_and_without_writes(model: Model):
    import numpy as np

    def penalties(limit: str, block: str) -> Any:
        """What skew takes off the rate within a limit, at write fractions of 0, 0.25 and 0.5."""
        changed = with_settings(model, {"block": block})
        skew = float(Values(model, {}, None).known["observed_skew"])
        points = {"write_fraction": np.array([0.0, 0.25, 0.5] * 2), "skew": np.array([1.0] * 3 + [skew] * 3)}
        found = largest(Trial(changed, "rate", [condition(limit, changed)], points, 6)).value
        return 1 - found[3:] / found[:3]

    small, large = penalties("response <= 10 ms", "4 KiB"), penalties("response <= 20 ms", "27998 B")
    assert small[0] > max(*small[1:], *large)


# Burn-through


def test_a_stressed_volume_moves_the_others_by_less_than_5_percent():
    model = load("ibm-3990-6-burn-through")

    def responses(rate: str) -> tuple[float, float]:
        solution = solve_points(with_settings(model, {"stressed_rate": rate})).parts[0].solution
        return solution.classes[0].response, solution.response

    idle, stressed = responses("0.001/s"), responses("106/s")
    assert 1 < stressed[0] / idle[0] < 1.05
    assert stressed[1] / idle[1] == pytest.approx(1, abs=0.05)


def test_without_stress_the_burn_through_system_is_the_main_one_with_a_volume_less(model: Model):
    burn = load("ibm-3990-6-burn-through")
    idle = solve_points(with_settings(burn, {"stressed_rate": "0/s"})).parts[0].solution
    settings = {"rate": "512/s", "volumes": "63"}
    assert idle.response == pytest.approx(solve_points(with_settings(model, settings)).parts[0].solution.response)


def test_at_its_limit_the_stressed_volume_is_97_percent_busy_in_the_source_and_always_in_the_model(
    judged: dict[str, Judged],
):
    rate, response = judged["burn/4k-random/stressed-rate-max"], judged["burn/4k-random/stressed-response"]
    assert isinstance(rate.modelled, float)
    assert isinstance(response.modelled, float)
    assert rate.modelled * response.modelled * 1e-3 == pytest.approx(1, rel=1e-9)
    assert judged["burn/4k-random/stressed-utilisation"].modelled == pytest.approx(114 * 8.5e-3)


# Updates and the non-volatile store


@pytest.mark.parametrize(("hit", "destages"), [("0.887", {"destages_per_write": "rewritten"}), ("update_hit", {})])
def test_throughput_falls_once_the_store_is_full(model: Model, hit: str, destages: dict[str, str]):
    updates = {**UPDATES, "read_hit": hit}
    before = largest_rate(model, **updates, **destages)
    full = largest_rate(model, **updates, destages_per_write="destages_when_full")
    assert full < before


def test_the_store_fills_where_writes_come_faster_than_it_is_drained(model: Model):
    def filled_in(**settings: str) -> float:
        changed = with_settings(model, {**LOCAL, "destages_per_write": "rewritten", **settings})
        return float(Values(changed, {}, None).known["store_fills_in"])

    assert filled_in(rate="1480/s") > 1e9
    soon = filled_in(rate="1600/s")
    assert 30 < soon < 300
    assert filled_in(rate="1600/s", **{"cu.nvs": "32 MiB"}) == pytest.approx(2 * soon)


def test_the_bucket_of_the_source_fills_in_ten_minutes(model: Model):
    """5 gallons, 1 in and 0.5 out a minute."""
    bucket = {"store_places": "5", "filled": "1 / 60 s", "drained": "0.5 / 60 s"}
    assert float(Values(with_settings(model, bucket), {}, None).known["store_fills_in"]) == pytest.approx(600)


# Channels


def test_a_channel_is_kept_longer_by_sequential_reads_and_longest_by_sequential_writes(model: Model):
    def rate(**settings: str) -> float:
        solved = solve_points(with_settings(model, {"block": "27998 B", "rate": "250/s", **settings}))
        return float(expression_value(solved, model.outputs["channel_rate"].expression))

    hit = rate(read_hit="1")
    read = rate(access="sequential")
    write = rate(access="sequential", write_fraction="1", destages_per_write="1")
    assert hit > read > write


@pytest.mark.parametrize("rate", ["1e-9/s", "300/s", "620/s", "626.7/s", "629/s", "1200/s", "1e300/s"])
def test_the_largest_rate_does_not_depend_on_the_rate_asked(model: Model, rate: str):
    """Where waits saturate an outer station before the paths are full."""

    def asked(text: str) -> Model:
        return with_settings(
            model, {"rate": text, "skew": "observed_skew", "block": "27998 B", "write_fraction": "0.5"}
        )

    def largest(text: str) -> float:
        solved = solve_points(asked(text))
        return float(saturation(asked(text), solved).factor * solved.parts[0].solution.throughput)

    found = largest(rate)
    assert found == pytest.approx(largest("500/s"), rel=1e-11)
    assert solve_points(asked(f"{found * (1 - 1e-9)!r}/s")).stable
    assert not solve_points(asked(f"{found * (1 + 1e-9)!r}/s")).stable


def test_more_buffer_moves_no_steady_state_figure(model: Model):
    small, large = (solve_points(with_settings(model, {"cu.nvs": size})) for size in ("4 MiB", "1 GiB"))
    assert small.parts[0].solution == large.parts[0].solution
    assert largest_rate(model, **{"cu.nvs": "4 MiB"}) == largest_rate(model, **{"cu.nvs": "1 GiB"})


# The fit


def test_at_most_ten_parameters_are_fitted_each_on_a_claim_of_the_study(model: Model, judged: dict[str, Judged]):
    fitted = {name: item for name, item in model.parameters.items() if item.grade == "fitted"}
    assert set(fitted) == FITTED
    assert len(fitted) <= 10
    claims = {item.claim.id: item.claim for item in judged.values()}
    for name, item in fitted.items():
        assert [claims[claim].sets for claim in item.fitted_on] == [name]
        assert [claims[claim].role for claim in item.fitted_on] == ["fitted"]


def test_a_fitted_claim_is_no_prediction(judged: dict[str, Judged]):
    assert {item.claim.sets for item in judged.values() if item.claim.role == "fitted"} == FITTED
    assert not [item.claim.id for item in judged.values() if item.claim.role == "predicted" and item.claim.sets]


def ends(model: Model, name: str, rate: str, limit: str, settings: dict[str, str], smallest: bool) -> float:
    """The value of a parameter up to which, or down to which, a rate can be had: there it is the largest rate."""
    changed = with_settings(model, {**settings, "rate": rate})
    trial = Trial(changed, name, [condition(limit, changed)] if limit else [], {}, 1)
    return float(pick(trial, search(trial), smallest).value[0])


def test_the_fit_from_scratch_finds_the_values_of_the_catalog(model: Model):
    """Three direct formulas, then three searches in turn; two rounds, because the remainder and the maxima touch."""
    values = {
        "cu.connect_overhead": 0.9e-3 - 4096 / (17 * 2**20),
        "cu.path_release": 4 / 2600 - 0.9e-3,
        "cu.destage_overhead": 4 / 380 - 4096 / (4.2 * 2**20),
        "cu.stage_overhead": 5e-3,
        "destages_per_write": 0.5,
        "cu.miss_remainder": 12e-3,
    }

    def found(name: str, rate: str, case: dict[str, str], limit: str = "", smallest: bool = False) -> float:
        texts = {key: repr(value) + ("" if key == "destages_per_write" else " s") for key, value in values.items()}
        return ends(model, name, rate, limit, {**texts, **case}, smallest)

    half_writes = {"block": "27998 B", "write_fraction": "0.5"}
    for _ in range(2):
        values["cu.stage_overhead"] = found("cu.stage_overhead", "1190/s", {})
        values["destages_per_write"] = found("destages_per_write", "630/s", half_writes)
        values["cu.miss_remainder"] = found("cu.miss_remainder", "640/s", {}, "response <= 10 ms")
    of_tests = {
        "observed_skew": found("skew", "600/s", {}, "response <= 10 ms"),
        "update_hit": found("read_hit", "660/s", UPDATES, smallest=True),
        "rewritten": found("destages_per_write", "1490/s", LOCAL),
        "destages_when_full": found("destages_per_write", "1050/s", LOCAL),
    }
    assert set(values) | set(of_tests) == FITTED
    known = solve_points(model).parts[0].values.known
    assert {name: known[name] for name in FITTED} == pytest.approx({**values, **of_tests}, rel=2e-5)


def test_a_hypothesis_spares_a_fit_and_fails_on_random_updates(model: Model):
    """Writes absorbed in proportion to read hits, through the ordinary workload alone.

    Very high locality then has its 1490/s, which is no input of it. But random updates, whose hit ratio is found again
    on their 660/s, respond a fifth faster at 360/s than the 10 ms of the source.
    """
    known = solve_points(model).parts[0].values.known
    absorbed = (1 - float(known["destages_per_write"])) / float(known["read_hit"])
    hypothesis = {"destages_per_write": f"1 - {absorbed!r} * read_hit"}
    local = with_settings(model, {**LOCAL, **hypothesis})
    assert float(largest(Trial(local, "rate", [], {}, 1)).value[0]) == pytest.approx(1490, rel=0.002)
    hit = ends(model, "read_hit", "660/s", "", {**UPDATES, **hypothesis}, smallest=True)
    updates = with_settings(model, {**UPDATES, **hypothesis, "read_hit": repr(hit), "rate": "360/s"})
    assert 7.5e-3 < float(solve_points(updates).parts[0].solution.response) < 8.5e-3


def test_the_remainder_of_a_fit_gets_no_credit_for_a_faster_drive(model: Model):
    """Half of the rotation and of the destage are saved; what only the fit explains stays."""
    tried = changes(with_settings(model, {"rate": "1/s"}), ["drive"], 1e6)
    known = solve_points(model).parts[0].values.known
    (faster,) = [item for item in tried.tried if item.faster]
    assert faster.response is not None and tried.before.response is not None
    assert tried.before.response - faster.response == pytest.approx(0.3 * known["disk.latency"], rel=2e-3)


@pytest.mark.parametrize("share", [8, 32])
def test_the_shape_of_the_skew_hardly_matters(model: Model, share: int):
    """Fitted again with an eighth or a half of the volumes hot, the largest skewed rate of reads stays within 1 %."""
    hot = {"hot_volumes": str(share)}
    skew = ends(model, "skew", "600/s", "response <= 10 ms", hot, smallest=False)
    skewed = with_settings(model, {**hot, "skew": repr(skew)})
    ours = with_settings(model, {"skew": "observed_skew"})
    rates = [float(largest(Trial(item, "rate", [], {}, 1)).value[0]) for item in (skewed, ours)]
    assert rates[0] == pytest.approx(rates[1], rel=0.01)
