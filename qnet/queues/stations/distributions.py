"""Poisson probabilities that keep their digits, sums over them, tails of waits, and percentiles from tails."""

from __future__ import annotations

import math
from collections.abc import Callable

from qnet.errors import NotComputed, Problem
from qnet.queues.roots import neighbours

_LAST = 1e-19
"""A term below this share of a sum of decreasing terms changes no digit of it."""
_HALF_LOG = 0.5 * math.log(2 * math.pi)


def log_poisson(count: int, mean: float) -> float:
    """Logarithm of the Poisson probability of `count`, to full relative accuracy of the probability; -inf for none.

    Method   Saddle point: -s(n) - d(n, m) - log(2 pi n) / 2, without the cancellation of n log m - m - log n!.
    Source   @loader2000.

    >>> log_poisson(0, 2.0)
    -2.0
    """
    if mean == 0:
        return 0.0 if count == 0 else -math.inf
    if count == 0:
        return -mean
    return -_stirling(count) - _deviance(count, mean) - _HALF_LOG - 0.5 * math.log(count)


def _stirling(count: int) -> float:
    """log n! minus Stirling's formula."""
    if count < 16:
        return math.lgamma(count + 1.0) - (count + 0.5) * math.log(count) + count - _HALF_LOG
    square = float(count) * count
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / count


def _deviance(count: float, mean: float) -> float:
    """n log(n / m) + m - n, without cancellation where n is near m."""
    difference = count - mean
    if abs(difference) > 0.1 * (count + mean):
        return count * math.log(count / mean) + mean - count
    share = difference / (count + mean)
    total, term = difference * share, 2 * count * share
    square = share * share
    for index in range(1, 1000):
        term *= square
        following = total + term / (2 * index + 1)
        if following == total:
            return total
        total = following
    return total


def poisson_sum(mean: float, log_weight: Callable[[int], float], first: int, last: int | None, start: int) -> float:
    """sum of P(Poisson(mean) = i) exp(log_weight(i)) over first <= i <= last, for log-concave terms.

    start   an index near the largest term.
    Method  from there in both directions, until the terms are decreasing and negligible: about the square root of the
            mean of them.
    """
    if last is not None and last < first:
        return 0.0
    start = max(first, start if last is None else min(start, last))
    head = log_poisson(start, mean) + log_weight(start)
    if head == -math.inf:
        return 0.0
    total = 1.0
    for step in (1, -1):
        index, before, logs = start, 1.0, log_poisson(start, mean)
        while True:
            if step > 0:
                logs += math.log(mean / (index + 1)) if mean > 0 else -math.inf
            else:
                logs -= math.log(mean / index) if index > 0 else 0.0
            index += step
            if index < first or (last is not None and index > last):
                break
            term = math.exp(min(700.0, logs + log_weight(index) - head))
            total += term
            if term <= before and term <= _LAST * total:
                break
            before = term
    return math.exp(head + math.log(total))


def two_phases_tail(time: float, one: float, other: float) -> float:
    """P(X + Y > t) for independent exponential X and Y of these rates, without cancellation where they are near."""
    slow, difference = min(one, other), abs(one - other)
    grown = time if difference * time < 1e-12 else -math.expm1(-difference * time) / difference
    return math.exp(-slow * time) * (1 + slow * grown)


def check_share(share: float) -> None:
    """Raise `NotComputed` for a percentile outside [0, 1)."""
    if not 0 <= share < 1:
        raise NotComputed(Problem("QN550", f"the percentile {share:.6g}", "a share of at least 0 and below 1"))


def quantile(tail: Callable[[float], float], scale: float) -> Callable[[float], float]:
    """q(p): the least t with P(T > t) <= 1 - p, from a decreasing tail function.

    tail    P(T > t).
    scale   a time of the order of the answer.
    Method  doubling from `scale`, then the root of the logarithm of the tail, to the last digits of t.
    """

    def at(share: float) -> float:
        check_share(share)
        goal = 1 - share
        if tail(0.0) <= goal:
            return 0.0
        low, high = 0.0, scale
        while tail(high) > goal:
            low, high = high, 2 * high
            if high > 1e200:
                raise NotComputed(Problem("QN550", "the percentile is too large", "a smaller percentile"))
        return neighbours(lambda time: math.log(max(tail(time), 1e-320) / goal), low, high)[1]

    return at
