"""M/Ek/1: Poisson arrivals, Erlang service of k phases."""

from __future__ import annotations

import math
from functools import lru_cache, partial

from qnet.errors import NotComputed, Problem
from qnet.expression import Value
from qnet.queues.stations.answer import StationAnswer
from qnet.queues.stations.distributions import check_share, poisson_sum, quantile
from qnet.queues.stations.m_g_1 import by_moments
from qnet.queues.stations.numbers import is_symbol, over_floats

_SOURCE = "Kleinrock, Queueing Systems, Volume I: Theory, 1975, section 4.3"
_MOST_WORK = 30_000_000
"""Additions that a distribution may cost."""


def m_e_1(arrival_rate: Value, service_time: Value, phases: Value) -> StationAnswer:
    """Poisson arrivals, service of k exponential phases of equal mean, one server, first come first served.

    Applies       floats, fractions, arrays and symbols; p(n) and percentiles floats and arrays.
    arrival_rate  per second, at least 0.
    service_time  mean of all phases together, in seconds, above 0.
    phases        k >= 1; scv = 1 / k. One phase is M/M/1, many approach M/D/1.
    Returns       all figures.
    Raises        NoAnswer (QN401) for a load of at least 1.
    Method        Means and variance: Pollaczek-Khinchine. The unfinished phases: P(more than n) by a renewal recursion
                  of positive terms; an arrival waits for that many phases, so the tail is a sum of Poisson terms.
    Source        Kleinrock, Queueing Systems, Volume I: Theory, 1975, section 4.3.
    """
    share = 1 / phases if not isinstance(phases, int) or is_symbol(service_time) else 1 / (phases + 0 * service_time)
    third = service_time**3 * (1 + share) * (1 + 2 * share)
    found = by_moments("M/Ek/1", arrival_rate, service_time, share, third, _SOURCE)
    if is_symbol(found.wait):
        return found
    offered = arrival_rate * service_time

    def state(count: int) -> Value:
        def one(load: float, phases: float) -> float:
            if count == 0:
                return 1 - load
            k = int(phases)
            ahead = _ahead(float(load), k)
            tails = [*ahead, *[0.0] * max(0, count * k + 1 - len(ahead))]
            return tails[(count - 1) * k] - tails[count * k]

        return over_floats(one, offered, phases)

    def percentile(share: float, own: bool) -> Value:
        check_share(share)

        def one(load: float, time: float, phases: float) -> float:
            k = int(phases)
            tails = (*([1.0] * k if own else ()), *_ahead(float(load), k))
            logs = [math.log(value) if value > 0 else -math.inf for value in tails]
            start = k if own else 0

            def tail(at: float) -> float:
                mean = at * k / time
                near = max(start, int(mean * load)) if mean > start else int(mean)
                return poisson_sum(mean, logs.__getitem__, 0, len(logs) - 1, near)

            return quantile(tail, float(time))(share)

        return over_floats(one, offered, service_time, phases)

    return found.replace(
        state_probability=state, wait_percentile=partial(percentile, own=False),
        response_percentile=partial(percentile, own=True),
    )  # fmt: skip


@lru_cache(maxsize=32)
def _ahead(load: float, phases: int) -> tuple[float, ...]:
    """P(more than n phases are unfinished), n = 0, 1, ..., down to 1e-18."""
    if 25 * (phases + 1) * (phases + 30) > _MOST_WORK * (1 - load):  # about 25 (k + 1) / (1 - load) sums of k terms
        found = f"the distribution of M/E{phases}/1 at the load {load:.6g} takes too much work"
        raise NotComputed(Problem("QN550", found, "a lower load, fewer phases, or means only"))
    tails: list[float] = []
    while not tails or tails[-1] > 1e-18:
        n = len(tails)
        fresh = load * (phases - n) / phases if n < phases else 0.0
        tails.append(fresh + load / phases * sum(tails[max(0, n - phases) :]))
    return tuple(tails)
