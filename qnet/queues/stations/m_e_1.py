"""M/Ek/1: Poisson arrivals, Erlang service of k phases."""

from __future__ import annotations

from functools import cache, partial

from qnet.expression import Value
from qnet.queues.stations.answer import StationAnswer
from qnet.queues.stations.distributions import check_share, quantile
from qnet.queues.stations.m_g_1 import by_moments
from qnet.queues.stations.numbers import is_symbol, over_floats
from qnet.queues.stations.phases import phases_at_arrival, phases_tail

_SOURCE = "@kleinrock1975, section 4.3"


def m_e_1(arrival_rate: Value, service_time: Value, phases: Value) -> StationAnswer:
    """Poisson arrivals, service of k exponential phases of equal mean, one server, first come first served.

    Applies       floats, fractions, arrays and symbols; p(n) and percentiles floats and arrays.
    arrival_rate  per second, at least 0.
    service_time  mean of all phases together, in seconds, above 0.
    phases        k >= 1; scv = 1 / k. One phase is M/M/1, many approach M/D/1.
    Returns       all figures.
    Raises        NoAnswer (QN401) for a load of at least 1.
    Method        Means and variance: Pollaczek-Khinchine. The unfinished phases are a queue of batches of k: P(more
                  than n) by a renewal recursion of positive terms, geometric in the end (`phases_at_arrival`); an
                  arrival waits for that many phases, so the tail is a sum of Poisson terms. At every load below 1.
    Fails         p(n) and percentiles for more than about 1000 phases, which differ from M/D/1 by about 1 / k: QN550.
    Source        @kleinrock1975, section 4.3.

    >>> round(m_e_1(5.0, 0.1, phases=2).wait, 9)
    0.075
    """
    share = 1 / phases if not isinstance(phases, int) or is_symbol(service_time) else 1 / (phases + 0 * service_time)
    third = service_time**3 * (1 + share) * (1 + 2 * share)
    result = by_moments("M/Ek/1", arrival_rate, service_time, share, third, _SOURCE)
    if is_symbol(result.wait):
        return result
    offered = arrival_rate * service_time
    known = cache(phases_at_arrival)  # Held by this answer, whose states and percentiles need the same phases.

    def state(count: int) -> Value:
        def one(load: float, phases: float) -> float:
            k = int(phases)
            return load * known(float(load), k).between((count - 1) * k, count * k) if count else 1 - load

        return over_floats(one, offered, phases)

    def percentile(share: float, with_service: bool) -> Value:
        check_share(share)

        def one(load: float, time: float, phases: float) -> float:
            k, at_arrival = int(phases), known(float(load), int(phases))

            def tail(at: float) -> float:
                return phases_tail(at_arrival, k if with_service else 0, load, at * k / time)

            return quantile(tail, float(time))(share)

        return over_floats(one, offered, service_time, phases)

    return result.replace(
        state_probability=state, wait_percentile=partial(percentile, with_service=False),
        response_percentile=partial(percentile, with_service=True),
    )  # fmt: skip
