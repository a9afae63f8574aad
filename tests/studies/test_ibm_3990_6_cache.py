"""The 3990-6 with another size of cache: nothing moves at the size of the study, the residency model beyond it."""

from __future__ import annotations

import pytest

import qnet

MEASURED_MISS, THETA = 0.30, 0.25


def response(**settings: object) -> float:
    return float(qnet.load("ibm-3990-6").set(**settings).metric("response"))


@pytest.mark.parametrize("hit", [0.0, 0.4, 0.7, 0.887, 1.0])
def test_at_the_size_of_the_study_the_hit_ratio_is_the_stated_one(hit: float) -> None:
    system = qnet.load("ibm-3990-6").set(read_hit=hit, rate="300/s")
    assert system.metric("found_in_cache") == hit
    assert system.set(cache="1024 MiB").metric("response") == system.metric("response")


@pytest.mark.parametrize("times", [0.25, 0.5, 0.999999, 1.000001, 2.0, 16.0])
def test_misses_follow_from_how_long_items_stay(times: float) -> None:
    """By Little's law the size is misses x item x residency; misses fall as residency to the power -theta."""
    miss = 1 - qnet.load("ibm-3990-6").set(cache=f"{times} GiB").metric("found_in_cache")
    residency = times / (miss / MEASURED_MISS)  # In multiples of that of the study.
    assert miss == pytest.approx(MEASURED_MISS * residency**-THETA, rel=1e-9)


def test_a_size_is_answered_as_the_hit_ratio_that_it_brings() -> None:
    hit = 1 - MEASURED_MISS * 2 ** (-1 / 3)
    assert response(cache="2 GiB") == pytest.approx(response(read_hit=hit), rel=1e-9)


def test_the_largest_rate_of_reads_is_that_of_the_misses() -> None:
    rate = {size: qnet.load("ibm-3990-6").set(cache=size).solve().records()[0]["maximum_throughput_per_s"]
            for size in ("1 GiB", "4 GiB")}  # fmt: skip
    assert rate["4 GiB"] / rate["1 GiB"] == pytest.approx(4 ** (1 / 3), rel=1e-3)


def test_a_cache_that_is_too_small_misses_everything_and_no_more() -> None:
    assert qnet.load("ibm-3990-6").set(cache="64 MiB", read_hit=0.1, rate="200/s").metric(
        "found_in_cache"
    ) == pytest.approx(0)


def test_the_size_is_a_parameter_of_every_question() -> None:
    rows = qnet.load("ibm-3990-6").envelope(vary="cache", limit="response <= 8 ms").records()
    assert response(cache=f"{rows[0]['cache_B'] / 2**20} MiB") == pytest.approx(8e-3, rel=1e-6)
