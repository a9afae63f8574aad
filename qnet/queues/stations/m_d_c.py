"""M/D/1 and M/D/c: Poisson arrivals, constant service time."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from qnet.expression import Value
from qnet.queues.stations.answer import StationAnswer, answer
from qnet.queues.stations.distributions import check_share, log_poisson, quantile
from qnet.queues.stations.m_d_c_states import Waiting, terms, waiting, walk
from qnet.queues.stations.m_g_1 import by_moments
from qnet.queues.stations.numbers import is_symbol, over_floats, pointwise, require_stable

_SOURCE = "@crommelin1932; @franx2001"
_FEW = 400
"""Up to this number of terms of the sum over the walk are added; beyond, roots are taken."""
_NEGLIGIBLE = 1e-20
"""Terms below this share of a sum, however many follow, change no digit of it."""


def m_d_1(arrival_rate: Value, service_time: Value) -> StationAnswer:
    """Poisson arrivals, constant service time, one server, first come first served.

    Applies       floats, fractions, arrays and symbols; p(n) and percentiles floats and arrays.
    arrival_rate  per second, at least 0.
    service_time  in seconds, above 0.
    Returns       all figures.
    Raises        NoAnswer (QN401) for a load of at least 1.
    Method        Means and variance: Pollaczek-Khinchine. p(n): a recursion of positive terms. Percentiles: `m_d_c`.
    Source        @kleinrock1975, chapter 5.

    >>> round(m_d_1(5.0, 0.1).wait, 9)
    0.05
    """
    result = by_moments("M/D/1", arrival_rate, service_time, 0 * service_time, service_time**3)
    return (
        result
        if is_symbol(result.wait)
        else result.replace(**_distribution(1, arrival_rate * service_time, service_time))
    )


@pointwise
def m_d_c(arrival_rate: float, service_time: float, servers: int) -> StationAnswer:
    """Poisson arrivals, constant service time, identical servers, one line, first come first served.

    Applies       floats and arrays. Numbers only: the answer has no closed form for c > 1.
    arrival_rate  per second, at least 0.
    service_time  in seconds, above 0.
    servers       c >= 1.
    Returns       all figures, at every load below 1.
    Raises        NoAnswer (QN401) for a load of at least 1.
    Method        The number waiting at times one service apart is a walk: Q' = max(Q + N - c, 0), N Poisson(a). By
                  Spitzer's identity it is compound Poisson: the k-th of its sums is over P(Poisson(k a) = k c + j) / k,
                  positive terms only. Where that sum is long, at loads near 1, mean and variance come from the c - 1
                  roots of z^c = exp(-a (1 - z)) in the unit disc, and states from `transformed`. The wait: Lq at
                  y = k D - x before an arrival plus the arrivals in y must remain below k c for the wait to be at most
                  x.
    Source        @crommelin1932; @franx2001; Spitzer's identity: @asmussen2003, chapter VIII.

    >>> round(m_d_c(arrival_rate=5.0, service_time=0.1, servers=1).wait, 9)
    0.05
    """
    require_stable("M/D/c", arrival_rate, service_time, servers)
    arrival_rate, service_time = float(arrival_rate), float(service_time)
    offered = arrival_rate * service_time
    if offered == 0:
        mean = second = chance = 0.0
    elif terms(servers, offered) <= _FEW:
        sums = walk(servers, offered)
        mean, second = sums.mean, sums.second
        chance = -math.expm1(-sums.reached)
    else:
        mean, second, chance = _by_roots(servers, offered)
    variance = second / arrival_rate**2 if offered else 0.0
    return answer(
        "M/D/c", _SOURCE, throughput=arrival_rate, service_time=service_time, servers=servers,
        wait=mean / arrival_rate if offered else 0.0, probability_of_waiting=chance, variance_of_wait=variance,
        variance_of_response=variance, variance_of_queue_length=second + mean + offered,
        **_distribution(servers, offered, service_time),
    )  # fmt: skip


def _by_roots(servers: int, offered: float) -> tuple[float, float, float]:
    """Mean number waiting, its variance less its mean, and the probability of waiting."""
    load = offered / servers
    gap = servers - offered
    first = (servers * (servers - 1) - offered * offered) / (2 * gap)
    inverse = squares = 0.0
    logs = math.log(gap)
    for k in range(1, servers // 2 + 1):
        root = _root(cmath.exp(2j * math.pi * k / servers), load)
        # Roots come in conjugate pairs, but for the real one of an even number of servers.
        count = 1 if 2 * k == servers else 2
        share = 1 / (1 - root)
        inverse += count * share.real
        squares += count * (share * share).real
        logs -= count * math.log(abs(1 - root))
    third = (servers * (servers - 1) * (servers - 2) - offered**3) / (3 * gap)
    mean = inverse - first
    return max(mean, 0.0), max(first * first - third - squares, 0.0), max(0.0, -math.expm1(min(0.0, logs)))


def _root(turn: complex, load: float) -> complex:
    """z = turn exp(-load (1 - z)) with |z| < 1."""
    root = turn * math.exp(-load)
    for _ in range(10):
        root = turn * cmath.exp(-load * (1 - root))
    for _ in range(60):
        image = turn * cmath.exp(-load * (1 - root))
        step = (root - image) / (1 - load * image)
        root -= step
        if abs(step) <= 1e-16:
            return root
    return root


def _distribution(servers: Value, offered: Value, service_time: Value) -> dict[str, Any]:
    """p(n) and percentiles, made when they are asked for."""
    known = cache(waiting)  # Held by this answer, whose states and percentiles need the same numbers waiting.

    def state(count: int) -> Value:
        def one(servers: float, offered: float) -> float:
            waits = known(int(servers), float(offered))
            # Poisson(a) arrive in a service time: 13 standard deviations below its mean the rest is negligible.
            most = count if not offered else min(count, int(offered + 13 * math.sqrt(offered)) + 60)
            return math.fsum(
                math.exp(log_poisson(come, offered)) * waits.state(count - come) for come in range(most + 1)
            )

        return over_floats(one, servers, offered)

    def wait(share: float) -> Value:
        return over_floats(partial(_wait, known, share), servers, offered) * service_time

    def response(share: float) -> Value:
        return wait(share) + service_time

    return {"state_probability": state, "wait_percentile": wait, "response_percentile": response}


def _wait(known: Callable[[int, float], Waiting], share: float, count: float, offered: float) -> float:
    """The percentile of the wait in service times."""
    servers = int(count)
    if offered == 0:
        check_share(share)
        return 0.0
    return quantile(partial(wait_tail, known(servers, offered), servers, offered), 1.0)(share)


def wait_tail(waits: Waiting, servers: int, offered: float, time: float) -> float:
    """P(the wait at M/D/c exceeds a number of service times), by the number waiting there."""
    slots = math.floor(time) + 1
    mean, goal = offered * (slots - time), slots * servers
    # Terms below have the smaller Poisson probability, and the smaller tail.
    arrived = max(0, int(mean - 13 * math.sqrt(mean)) - 20)
    if waits.decay == math.inf:
        arrived = max(arrived, goal - len(waits.tails) + 1)
    summed = 0.0
    while True:
        chance = math.exp(log_poisson(arrived, mean))
        summed += chance * waits.tail(max(0, goal - arrived))
        arrived += 1
        if arrived > mean and chance <= _NEGLIGIBLE * summed:
            return summed
