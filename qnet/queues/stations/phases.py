"""Phases of exponential service that arrive in batches: the number present, and the time that they take.

M[X]/M/1 with batches of k or k + 1 customers, and M/Ek/1, whose customers are batches of k phases.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from qnet.errors import NotComputed, Problem
from qnet.queues.roots import neighbours
from qnet.queues.stations.distributions import poisson_sum
from qnet.record import Record

_MOST_WORK = 30_000_000
"""The most additions of a distribution."""
_SETTLED = 1e-14
"""The relative difference from the final ratio within which successive tails, over an entire batch, count as
geometric."""
_SMALLEST = 1e-250
"""A probability near the smallest float, below which ratios lose digits."""
_CERTAIN = 45.0
"""A probability below exp(-45) changes no digit."""


class Phases(Record):
    """The number of phases present just after the arrival of a random one: those before it and itself."""

    tails: tuple[float, ...]
    """P(more than n); beyond these the last one times x for each further phase."""
    logs: tuple[float, ...]
    """Their logarithms."""
    root: float
    """1 - x in (0, 1], to all its digits."""
    excess: float
    """The largest logarithm of a tail over the extrapolated geometric one, at least 0."""

    def at(self, count: int) -> float:
        """P(more than `count`)."""
        past = count - len(self.tails) + 1
        if past <= 0:
            return self.tails[count]
        return 0.0 if self.root == 1 else math.exp(self.logs[-1] + past * math.log1p(-self.root))

    def between(self, first: int, last: int) -> float:
        """P(more than `first`, at most `last`)."""
        if first < len(self.tails) - 1 or self.root == 1:
            return self.at(first) - self.at(last)
        return self.at(first) * -math.expm1((last - first) * math.log1p(-self.root))


def phases_at_arrival(load: float, batch: int, part: float = 0.0) -> Phases:
    """The phases present on arrival of a random one, those before it in its batch included, and itself.

    load    rho, in [0, 1).
    batch   k >= 1: batches have k members, or k + 1 with the probability `part`, in [0, 1).
    Method  With G(j) = P(X > j), m = E[X], t(n) = P(more than n present) = rho u(n): balance of the flows across each
            level, summed above it, gives a renewal recursion of positive terms,
                u(n) = (sum over j >= n of G(j) + sum over i < n of t(i) G(n - 1 - i)) / m,
            and u(n) is also the probability on arrival of at least n before the arriving one. Its solution becomes
            geometric, with the ratio x = 1/y at the only root y > 1 of rho (G(0) y + G(1) y^2 + ...) / m = 1; all other
            modes vanish within some batches. Once successive ratios equal x to 1e-14 over an entire batch, the rest is
            that geometric sequence: no load is too near to 1.
    Raises  `NotComputed` (QN550) for batches of more than about 1000.
    Source  @kleinrock1975, sections 4.3 to 4.5 (bulk arrivals, Erlang service).
    """
    if 25 * (batch + 1) * (batch + 30) > _MOST_WORK:
        text = f"the distribution of {batch} phases takes too much work"
        raise NotComputed(Problem("QN550", text, "fewer phases, or means only"))
    mean = batch + part
    window = batch + (part > 0)
    root = _root(load, batch, part) if load else 1.0
    if root == 1:
        ahead = [1.0, *((batch - n + part) / mean for n in range(1, window))]
        return Phases(tuple(ahead), tuple(map(math.log, ahead)), 1.0, 0.0)
    ratio = 1 - root
    ahead = [1.0]
    steady = 0
    while steady <= window and ahead[-1] > _SMALLEST:
        n = len(ahead)
        fresh = max(0.0, batch - n + part) if n <= batch else 0.0
        before = load * (sum(ahead[max(0, n - batch) :]) + (part * ahead[n - batch - 1] if n > batch else 0.0))
        ahead.append((fresh + before) / mean)
        steady = steady + 1 if abs(ahead[n] - ratio * ahead[n - 1]) <= _SETTLED * ahead[n] else 0
    last = len(ahead) - 1
    slope, logs = math.log1p(-root), tuple(map(math.log, ahead))
    excess = max(value - logs[-1] - (n - last) * slope for n, value in enumerate(logs))
    return Phases(tuple(ahead), logs, root, max(0.0, excess))


def _root(load: float, batch: int, part: float) -> float:
    """1 - x of `phases_at_arrival`, by bracketing y - 1."""
    mean = batch + part

    def lacking(more: float) -> float:
        logs = math.log1p(more)
        if (batch + 1) * logs > 600:
            return -1.0
        grown = (1 + more) * math.expm1(batch * logs) / more + part * math.exp((batch + 1) * logs)
        return 1 - load * grown / mean

    low = (1 - load) / (batch + 1) / 1e3
    high = max(2 * low, 1.0)
    while lacking(high) > 0:
        high *= 2
    more = neighbours(lacking, low, high)[1]
    return more / (1 + more)


def phases_tail(phases: Phases, more: int, weight: float, time: float) -> float:
    """P(a number of phases takes longer than `time` mean phases).

    phases   the distribution of the number, if it is not just `more`.
    more     a number added to it, which may be negative.
    weight   the probability that the number is not just `more`.
    time     in means of one phase.
    Method   sum over i of P(Poisson(time) = i) P(more than i phases): positive terms. Where the terms below the
             geometric part have a share below exp(-45), the sum is an exponential.
    """
    if weight == 0 and more <= 0:
        return 0.0
    logs = math.log(weight) if weight > 0 else -math.inf
    start = len(phases.tails) - 1 + more
    tilted = time * (1 - phases.root)
    if tilted > start and (tilted - start) ** 2 > 2 * tilted * (_CERTAIN + phases.excess - logs):
        return math.exp(logs + phases.logs[-1] - start * math.log1p(-phases.root) - phases.root * time)

    known, last = phases.logs, len(phases.logs) - 1
    slope = -math.inf if phases.root == 1 else math.log1p(-phases.root)

    def log_weight(index: int) -> float:
        count = index - more
        if count <= last:
            return logs + known[count] if count >= 0 else 0.0
        return logs + known[last] + (count - last) * slope

    return poisson_sum(time, log_weight, 0, None, _top(log_weight, time))


def _top(log_weight: Callable[[int], float], mean: float) -> int:
    """The index of the largest term, by bisection over the log-concave terms."""
    low, high = 0, int(mean) + 1 if mean > 0 else 0
    while low < high:
        middle = (low + high) // 2
        following = log_weight(middle + 1)
        grows = following > -math.inf and math.log(mean / (middle + 1)) + following - log_weight(middle) > 0
        low, high = (middle + 1, high) if grows else (low, middle)
    return low
