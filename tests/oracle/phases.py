"""Times by mean and squared coefficient of variation, as the language defines them: phases, and random draws."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log, sqrt
from random import Random

MAX_PHASES = 2000


class Unsupported(Exception):
    """The oracle does not cover this model; the text says why."""


@dataclass(frozen=True)
class Phases:
    """Exponential phases of a time of mean 1: where it begins, the rate of each, and what comes after it."""

    start: tuple[tuple[float, int], ...]
    rates: tuple[float, ...]
    after: tuple[int, ...]
    """The next phase; -1 where the time ends."""


EXPONENTIAL = Phases(((1.0, 0),), (1.0,), (-1,))


def phases(scv: float) -> Phases:
    """The distribution of mean 1 with a squared coefficient of variation above 0; raises `Unsupported` for others."""
    if abs(scv - 1) < 1e-12:
        return EXPONENTIAL
    if scv > 1:
        share, first, second = _balanced(scv)
        return Phases(((share, 0), (1 - share, 1)), (first, second), (-1, -1))
    if scv <= 0 or 1 / scv > MAX_PHASES:
        raise Unsupported("constant times, or nearly so, have no phases")
    count, shorter = _erlang(scv)
    rate = count - shorter
    rates, after = (rate,) * count, tuple(phase - 1 for phase in range(count))
    start = [(1 - shorter, count - 1), (shorter, count - 2)]
    return Phases(tuple(item for item in start if item[0] > 1e-15), rates, after)


def draw(scv: float, random: Random) -> float:
    """A random time of mean 1."""
    if scv <= 0:
        return 1.0
    if scv > 1 + 1e-12:
        share, first, second = _balanced(scv)
        return random.expovariate(first if random.random() < share else second)
    if scv >= 1 - 1e-12:
        return random.expovariate(1.0)
    count, shorter = _erlang(scv)
    stages = count - 1 if random.random() < shorter else count
    if stages > 50:
        return random.gammavariate(stages, 1.0) / (count - shorter)
    product = 1.0
    for _ in range(stages):
        product *= 1.0 - random.random()
    return -log(product) / (count - shorter)


def _balanced(scv: float) -> tuple[float, float, float]:
    """Hyperexponential with balanced means: share of the first phase, and both rates."""
    share = (1 + sqrt((scv - 1) / (scv + 1))) / 2
    return share, 2 * share, 2 * (1 - share)


def _erlang(scv: float) -> tuple[int, float]:
    """Stages k, and the probability of k - 1 instead (Tijms 1994): mean (k - p) / rate."""
    count = max(ceil(1 / scv - 1e-9), 2)
    shorter = (count * scv - sqrt(max(count * (1 + scv) - count * count * scv, 0.0))) / (1 + scv)
    return count, min(max(shorter, 0.0), 1.0)
