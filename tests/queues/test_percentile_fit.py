"""Lognormal service times from percentiles, against the closed forms of the lognormal distribution."""

from __future__ import annotations

from math import exp, sqrt
from statistics import NormalDist

import pytest

import qnet
from qnet.errors import UsageError
from qnet.queues.percentile_fit import lognormal

MU, SIGMA = -4.0, 0.8
MEAN, SCV = exp(MU + SIGMA**2 / 2), exp(SIGMA**2) - 1


def at(share: float) -> float:
    return exp(MU + SIGMA * NormalDist().inv_cdf(share))


@pytest.mark.parametrize(
    "text",
    [f"p50 = {at(0.5)!r} s, p99 = {at(0.99)!r} s", f"p99.9 = {at(0.999)!r} s, p10 = {at(0.1)!r} s",
     f"p95 = {at(0.95)!r} s, scv = {SCV!r}", f"mean = {MEAN!r} s, p95 = {at(0.95)!r} s"],
)  # fmt: skip
def test_two_figures_determine_the_time(text: str) -> None:
    assert lognormal(text) == pytest.approx((MEAN, SCV, (SCV + 3) * sqrt(SCV)), rel=1e-9)


def test_a_mean_that_is_the_median_is_a_constant() -> None:
    assert lognormal("mean = 12 ms, p50 = 12 ms") == (0.012, 0.0, 0.0)


@pytest.mark.parametrize(
    "text", ["p50 = 12 ms", "p50 = 12 ms, p99 = 8 ms", "p50 = 12, p99 = 80", "mean = 1 ms, scv = 1",
     "p0 = 1 ms, p9 = 2 ms",
             "p50 = 1 ms, p50 = 2 ms", "mean = 1 ms, p50 = 2 ms", "words"],
)  # fmt: skip
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        lognormal(text)


def test_a_station_waits_by_pollaczek_and_khinchine() -> None:
    text = f"p50 = {at(0.5)!r} s, p99 = {at(0.99)!r} s"
    rate = 20.0
    wait = rate * MEAN**2 * (1 + SCV) / 2 / (1 - rate * MEAN)
    assert qnet.queue("M/G/1", arrival_rate=rate, service=text).wait == pytest.approx(wait, rel=1e-9)


def test_exponential_stations_refuse_percentiles_of_service() -> None:
    with pytest.raises(UsageError, match="scv_service"):
        qnet.queue("M/M/1", arrival_rate=1, service="p50 = 12 ms, p99 = 80 ms")
