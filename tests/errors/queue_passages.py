"""Exact percentiles of response at one queue in order of arrival, by the transform of Pollaczek and Khinchine."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Transform = Callable[[Any], Any]
"""Of one argument or an array of them."""

_TERMS, _AVERAGED = 31, 15
_WEIGHTS = np.array([math.comb(_AVERAGED - 1, k) for k in range(_AVERAGED)]) * 2.0 ** (1 - _AVERAGED)
_NUMBERS = np.arange(_TERMS + _AVERAGED - 1)
_SIGNS = np.where(_NUMBERS, 1.0, 0.5) * (-1.0) ** _NUMBERS


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

    def later(s: Any) -> Any:
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
    sums = np.cumsum(_SIGNS * later((18.4 + 2j * math.pi * _NUMBERS) / (2 * time)).real)
    return math.exp(9.2) / time * float(sums[_TERMS - 1 :] @ _WEIGHTS)
