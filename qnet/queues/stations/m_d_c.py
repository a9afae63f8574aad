"""M/D/1 and M/D/c: Poisson arrivals, constant service time."""

from __future__ import annotations

import cmath
import math
from functools import lru_cache, partial
from typing import Any

from qnet.errors import NotComputed, Problem
from qnet.expression import Value
from qnet.queues.stations.answer import StationAnswer, answer
from qnet.queues.stations.distributions import check_share, log_poisson, poisson_sum, quantile
from qnet.queues.stations.m_g_1 import by_moments, number_present
from qnet.queues.stations.numbers import is_symbol, over_floats, pointwise, require_stable
from qnet.record import Record

_SOURCE = (
    "Crommelin, Delay probability formulas when the holding times are constant, 1932; "
    "Franx, A simple solution for the M/D/c waiting time distribution, 2001"
)
_FEW = 400
"""Up to so many terms of the sum over the walk are added; beyond, roots are taken."""
_MOST_WORK = 10_000_000
"""Multiplications that a distribution may cost."""
_SMALLEST = 1e-19


def m_d_1(arrival_rate: Value, service_time: Value) -> StationAnswer:
    """Poisson arrivals, constant service time, one server, first come first served.

    Applies       floats, fractions, arrays and symbols; p(n) and percentiles floats and arrays.
    arrival_rate  per second, at least 0.
    service_time  in seconds, above 0.
    Returns       all figures.
    Raises        NoAnswer (QN401) for a load of at least 1.
    Method        Means and variance: Pollaczek-Khinchine. p(n): a recursion of positive terms. Percentiles: `m_d_c`.
    Source        Kleinrock, Queueing Systems, Volume I: Theory, 1975, chapter 5.
    """
    found = by_moments("M/D/1", arrival_rate, service_time, 0 * service_time, service_time**3)
    return (
        found if is_symbol(found.wait) else found.replace(**_distribution(1, arrival_rate * service_time, service_time))
    )


@pointwise
def m_d_c(arrival_rate: float, service_time: float, servers: int) -> StationAnswer:
    """Poisson arrivals, constant service time, identical servers, one line, first come first served.

    Applies       floats and arrays. Numbers only: the answer has no closed form for c > 1.
    arrival_rate  per second, at least 0.
    service_time  in seconds, above 0.
    servers       c >= 1.
    Returns       all figures. Percentiles and p(n) of several servers at a load near 1 take work like
                  1 / (1 - load)^3 and are refused where that is above some seconds.
    Raises        NoAnswer (QN401) for a load of at least 1.
    Method        The number waiting at times one service apart is a walk: Q' = max(Q + N - c, 0), N Poisson(a). By
                  Spitzer's identity it is compound Poisson: the k-th of its sums is over P(Poisson(k a) = k c + j) / k,
                  positive terms only. Where that sum is long, at loads near 1, mean and variance come from the c - 1
                  roots of z^c = exp(-a (1 - z)) in the unit disc. The wait: Lq at y = k D - x before an arrival plus
                  the arrivals in y must stay below k c for the wait to be at most x.
    Source        Crommelin, Delay probability formulas when the holding times are constant, Post Office Electrical
                  Engineers Journal 25 (1932); Franx, A simple solution for the M/D/c waiting time distribution,
                  Operations Research Letters 29 (2001) 221-229; Spitzer's identity: Asmussen, Applied Probability and
                  Queues, 2nd ed. 2003, chapter VIII.
    """
    require_stable("M/D/c", arrival_rate, service_time, servers)
    arrival_rate, service_time = float(arrival_rate), float(service_time)
    offered = arrival_rate * service_time
    if offered == 0:
        waiting = second = chance = 0.0
    elif _terms(servers, offered) <= _FEW:
        walk = _walk(servers, offered)
        waiting, second = walk.mean, walk.second
        chance = -math.expm1(-walk.reached)
    else:
        waiting, second, chance = _by_roots(servers, offered)
    variance = second / arrival_rate**2 if offered else 0.0
    return answer(
        "M/D/c", _SOURCE, throughput=arrival_rate, service_time=service_time, servers=servers,
        wait=waiting / arrival_rate if offered else 0.0, probability_of_waiting=chance, variance_of_wait=variance,
        variance_of_response=variance, **_distribution(servers, offered, service_time),
    )  # fmt: skip


class _Walk(Record):
    """Sums of Spitzer's identity."""

    reached: float
    """sum over k of P(N_k >= k c) / k; the probability of no wait is exp(-reached)."""
    mean: float
    """Mean number waiting."""
    second: float
    """Its variance less its mean, which is arrival_rate^2 x the variance of the wait."""
    jumps: tuple[float, ...]
    """b(j) = sum over k of P(N_k = k c + j) / k, j = 0, 1, ..."""


def _terms(servers: int, offered: float) -> float:
    """How many sums of the walk count to the last digit: P(N_k >= k c) <= exp(-k c (rho - 1 - log rho))."""
    gap = offered / servers - 1
    logs = math.log1p(gap) if gap > -0.5 else math.log(offered) - math.log(servers)
    rate = servers * (gap - logs)
    return math.inf if rate <= 0 else math.ceil(45 / rate)


@lru_cache(maxsize=32)
def _walk(servers: int, offered: float) -> _Walk:
    reached = mean = second = 0.0
    jumps: list[float] = []
    for k in range(1, int(_terms(servers, offered)) + 1):
        place, load = k * servers, k * offered
        term = math.exp(log_poisson(place, load)) / k
        largest, j = term, 0
        while term > _SMALLEST * largest and term > 0:
            reached += term
            mean += j * term
            second += j * (j - 1) * term
            if j == len(jumps):
                jumps.append(0.0)
            jumps[j] += term
            j += 1
            term *= load / (place + j)
    return _Walk(reached, mean, second, tuple(jumps))


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


@lru_cache(maxsize=32)
def _waiting_states(servers: int, offered: float) -> tuple[float, ...]:
    """The probabilities that 0, 1, 2, ... wait, down to 1e-18."""
    if offered == 0:
        return (1.0,)
    if servers == 1:
        decay = 2 * (1 - offered)
        length = int(60 + 45 / decay + 45 / max(-math.log(offered), 0.05))
        if length * 25 > _MOST_WORK:
            raise _too_much(servers, offered)
        here = math.exp(-offered)
        states = number_present(
            offered, here, partial(_exceeds, offered), length
        )  # fmt: skip
        return (states[0] + states[1], *states[2:])
    load = offered / servers
    length = 45 / (2 * (1 - load)) + 30
    if _terms(servers, offered) * length > _MOST_WORK or length * length > 4 * _MOST_WORK:
        raise _too_much(servers, offered)
    jumps = _walk(servers, offered).jumps
    weights = [j * jump for j, jump in enumerate(jumps)]
    states = [math.exp(-math.fsum(jumps[1:]))]
    while states[-1] > 1e-18 * max(states[0], 1e-3) or len(states) < 3:
        n = len(states)
        states.append(sum(weights[j] * states[n - j] for j in range(1, min(n, len(weights) - 1) + 1)) / n)
    return tuple(states)


def _exceeds(mean: float, count: int) -> float:
    """P(Poisson > count)."""

    def one(_: int) -> float:
        return 0.0

    return poisson_sum(mean, one, count + 1, None, count + 1)


def _too_much(servers: int, offered: float) -> NotComputed:
    found = f"the distribution of M/D/{servers} at the load {offered / servers:.6g} takes too much work"
    return NotComputed(Problem("QN550", found, "a lower load, or means only"))


def _distribution(servers: Value, offered: Value, service_time: Value) -> dict[str, Any]:
    """p(n) and percentiles, made when they are asked for."""

    def state(count: int) -> Value:
        def one(servers: float, offered: float) -> float:
            waiting = _waiting_states(int(servers), float(offered))
            return math.fsum(
                math.exp(log_poisson(count - i, offered)) * chance for i, chance in enumerate(waiting[: count + 1])
            )

        return over_floats(one, servers, offered)

    def wait(share: float) -> Value:
        return over_floats(partial(_wait, share), servers, offered) * service_time

    def response(share: float) -> Value:
        return wait(share) + service_time

    return {"state_probability": state, "wait_percentile": wait, "response_percentile": response}


def _wait(share: float, count: float, offered: float) -> float:
    """The percentile of the wait in service times."""
    servers = int(count)
    if offered == 0:
        check_share(share)
        return 0.0
    states = _waiting_states(servers, offered)
    tails = [0.0]
    for chance in reversed(states):
        tails.append(tails[-1] + chance)
    tails.reverse()  # tails[i] = P(at least i wait)

    def tail(time: float) -> float:
        slots = math.floor(time) + 1
        mean, goal = offered * (slots - time), slots * servers

        def log_reaching(arrived: int) -> float:
            lacking = goal - arrived
            if lacking <= 0:
                return 0.0
            if lacking >= len(tails) or tails[lacking] <= 0:
                return -math.inf
            return math.log(min(1.0, tails[lacking]))

        first = max(0, goal - len(tails) + 1)
        last = goal + int(mean + 12 * math.sqrt(mean)) + 20
        return sum(math.exp(log_poisson(j, mean) + log_reaching(j)) for j in range(first, last))

    return quantile(tail, 1.0)(share)
