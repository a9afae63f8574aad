"""Exact percentiles of response at one queue in order of arrival, by the transform of Pollaczek and Khinchine."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

Transform = Callable[[complex], complex]


def transform(mean: float, scv: float) -> Transform:
    """Of the time that the language gives a mean and an scv."""
    if scv > 1:
        share = (1 + math.sqrt((scv - 1) / (scv + 1))) / 2
        fast, slow = 2 * share / mean, 2 * (1 - share) / mean
        return lambda s: share * fast / (fast + s) + (1 - share) * slow / (slow + s)
    stages = math.ceil(1 / scv - 1e-9)
    fewer = (stages * scv - math.sqrt(max(stages * (1 + scv) - stages * stages * scv, 0.0))) / (1 + scv)
    rate = (stages - fewer) / mean
    return lambda s: (rate / (rate + s)) ** (stages - 1) * (fewer + (1 - fewer) * rate / (rate + s))


def percentiles(
    rates: Sequence[float], means: Sequence[float], scvs: Sequence[float], which: int, shares: Sequence[float]
) -> list[float]:
    """Times within which shares of a class are answered, of Poisson arrivals at one server."""
    load, every = sum(rate * mean for rate, mean in zip(rates, means, strict=True)), sum(rates)
    times = [transform(mean, scv) for mean, scv in zip(means, scvs, strict=True)]

    def later(s: complex) -> complex:
        work = sum(rate * time(s) for rate, time in zip(rates, times, strict=True))
        return (1 - (1 - load) * s / (s - every + work) * times[which](s)) / s

    return [_inverse(later, 1 - share) for share in shares]


def _inverse(later: Transform, tail: float) -> float:
    """The time beyond which this much is left."""
    low, high = 0.0, 1e-2
    while _at(later, high) > tail:
        low, high = high, 2 * high
    for _ in range(34):
        middle = (low + high) / 2
        low, high = (middle, high) if _at(later, middle) > tail else (low, middle)
    return high


def _at(later: Transform, time: float) -> float:
    """A function of time by its transform: Abate, Whitt, ORSA J. Computing 7 (1995) 36-43."""
    terms = [(-1) ** k * later((18.4 + 2j * math.pi * k) / (2 * time)).real for k in range(45)]
    total = terms[0] / 2 + sum(terms[1:31])
    found = 0.0
    for k in range(15):
        found += math.comb(14, k) * 2.0**-14 * total
        total += terms[31 + k] if 31 + k < 45 else 0.0
    return math.exp(9.2) / time * found
