"""M/D/1 and M/D/c: Poisson arrivals, constant service time."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from qnet.errors import NotComputed, Problem
from qnet.expression import Value
from qnet.lazy import np
from qnet.queues.roots import neighbours
from qnet.queues.stations.answer import StationAnswer, answer
from qnet.queues.stations.distributions import check_share, log_poisson, poisson_sum, quantile
from qnet.queues.stations.m_g_1 import by_moments, number_present
from qnet.queues.stations.numbers import is_symbol, over_floats, pointwise, require_stable
from qnet.record import Record

_MOST_WORK = 1_000_000
"""The most multiplications of a sum over the walk; beyond, transforms are used."""
_SMALLEST = 1e-19
"""The share of the largest term below which terms change no digit of a sum."""
_MOST_POINTS = 2**21
"""The most points of a transform: enough for some 10^9 servers."""


_SOURCE = "@crommelin1932; @franx2001"
_FEW = 400
"""The most terms of the sum over the walk that are added; beyond, roots are used."""
_NEGLIGIBLE = 1e-20
"""The share of a sum below which all remaining terms together change no digit of it."""


class Waiting(Record):
    """The number of customers that wait."""

    states: tuple[float, ...]
    """P(0), P(1), ... wait."""
    tails: tuple[float, ...]
    """P(at least 0), P(at least 1), ... wait: one more than `states`."""
    decay: float
    """-log of the ratio of further states and tails to the ones before; infinite where these are negligible."""

    def state(self, count: int) -> float:
        """P(`count` wait)."""
        last = len(self.states) - 1
        return self.states[count] if count <= last else self.states[last] * math.exp(-(count - last) * self.decay)

    def tail(self, count: int) -> float:
        """P(at least `count` wait)."""
        last = len(self.tails) - 1
        return self.tails[count] if count <= last else self.tails[last] * math.exp(-(count - last) * self.decay)


class SpitzerSums(Record):
    """Sums of Spitzer's identity."""

    reached: float
    """sum over k of P(N_k >= k c) / k; the probability of no wait is exp(-reached)."""
    mean: float
    """Mean number waiting."""
    second: float
    """Its variance less its mean, which is arrival_rate^2 x the variance of the wait."""
    jumps: tuple[float, ...]
    """b(j) = sum over k of P(N_k = k c + j) / k, j = 0, 1, ..."""


def terms(servers: int, offered: float) -> float:
    """The number of sums of the walk that are not negligible, by P(N_k >= k c) <= exp(-k c (rho - 1 - log rho)).

    servers  c >= 1.
    offered  a in erlangs, 0 < a < c.
    """
    excess = offered / servers - 1
    logs = math.log1p(excess) if excess > -0.5 else math.log(offered) - math.log(servers)
    rate = servers * (excess - logs)
    return math.inf if rate <= 0 else math.ceil(45 / rate)


def walk(servers: int, offered: float) -> SpitzerSums:
    """The sums over P(Poisson(k a) = k c + j) / k, over as many k as `terms` gives.

    servers  c >= 1.
    offered  a in erlangs, 0 < a < c.
    """
    reached = mean = second = 0.0
    jumps: list[float] = []
    for k in range(1, int(terms(servers, offered)) + 1):
        index, load = k * servers, k * offered
        term = math.exp(log_poisson(index, load)) / k
        largest, j = term, 0
        while term > _SMALLEST * largest and term > 0:
            reached += term
            mean += j * term
            second += j * (j - 1) * term
            if j == len(jumps):
                jumps.append(0.0)
            jumps[j] += term
            j += 1
            term *= load / (index + j)
    return SpitzerSums(reached, mean, second, tuple(jumps))


def waiting(servers: int, offered: float) -> Waiting:
    """The number waiting at M/D/c.

    servers  c >= 1.
    offered  a in erlangs, 0 <= a < c.
    Method   The number waiting at times one service apart is a walk: Q' = max(Q + N - c, 0), N Poisson(a). By Spitzer's
             identity it is compound Poisson with the `jumps` of the walk; one server by balance of flows: both positive
             sums, down to 1e-18. Where these are long, at loads near 1, `transformed`.
    """
    if offered == 0:
        return Waiting((1.0,), (1.0, 0.0), math.inf)
    load = offered / servers
    length = 45 / (2 * (1 - load)) + 30
    if servers == 1 and length * 25 <= _MOST_WORK:
        size = int(length + 45 / max(-math.log(offered), 0.05)) + 30
        states = number_present(offered, math.exp(-offered), partial(_exceeds, offered), size)
        return _summed([states[0] + states[1], *states[2:]])
    if terms(servers, offered) * length > _MOST_WORK or length * length > 4 * _MOST_WORK:
        return transformed(servers, offered)
    jumps = walk(servers, offered).jumps
    weights = [j * jump for j, jump in enumerate(jumps)]
    states = [math.exp(-math.fsum(jumps[1:]))]
    while states[-1] > 1e-18 * max(states[0], 1e-3) or len(states) < 3:
        n = len(states)
        states.append(sum(weights[j] * states[n - j] for j in range(1, min(n, len(weights) - 1) + 1)) / n)
    return _summed(states)


def _summed(states: list[float]) -> Waiting:
    """The number waiting from its state probabilities, with tails summed from the far end."""
    tails = [0.0]
    for chance in reversed(states):
        tails.append(tails[-1] + chance)
    return Waiting(tuple(states), tuple(tails[::-1]), math.inf)


def _exceeds(mean: float, count: int) -> float:
    """P(Poisson > count)."""

    def one(_: int) -> float:
        return 0.0

    return poisson_sum(mean, one, count + 1, None, count + 1)


def growth(servers: int, offered: float) -> float:
    """s - 1 for the root s > 1 of s^c = exp(a (s - 1)): P(n wait) decays like s^-n.

    servers  c >= 1.
    offered  a in erlangs, 0 < a < c.
    """
    load = offered / servers
    low = 1 - load
    high = 2 * low
    while math.log1p(high) > load * high:
        low, high = high, 2 * high
    return neighbours(lambda more: math.log1p(more) / more - load, low, high)[1]


def transformed(servers: int, offered: float) -> Waiting:
    """The number waiting at M/D/c at a load near 1.

    servers  c >= 1.
    offered  a in erlangs, 0 < a < c.
    Method   Wiener-Hopf factorization: on the unit circle K(z) = 1 - z^-c exp(-a (1 - z)), over its factors 1 - 1/z and
             1 - z/s, s as of `growth`, has a smooth logarithm sum l(j) z^j, whose coefficients fast Fourier transforms
             give. Then
                 E[z^Q] = (1 - 1/s) / (1 - z/s) exp(sum over j > 0 of l(j) (1 - z^j)),
             a geometric number and a rest that ends after about 14 sqrt(c) states: no load is too near to 1. Points are
             doubled until the outer quarter of the coefficients is below 1e-15.
    Accuracy about 1e-15 of the largest state; all further states and tails are geometric, with s found by bracketing.
    Raises   NotComputed (QN550) where 2^21 points are not enough.
    Source   Factorization: @asmussen2003, chapter VIII; @janssen2008.
    """
    more = growth(servers, offered)
    points = 256
    while True:
        logs = _logarithms(servers, offered, more, points)
        # Coefficients of high order, of both signs, lie in the middle.
        if abs(logs[points * 3 // 8 : points * 5 // 8]).max() < 1e-15 * max(1.0, abs(logs[1:]).max()):
            break
        if points >= _MOST_POINTS:
            text = f"the distribution of M/D/{servers} at the load {offered / servers:.6g} takes too much work"
            raise NotComputed(Problem("QN550", text, "a lower load, or means only"))
        points *= 2
    half = points // 2
    logs[0] = 0.0
    logs[half:] = 0.0
    around = np.fft.ifft(logs) * points
    rest = (np.fft.fft(np.exp(logs.sum() - around)) / points).real[:half]
    counted = np.flatnonzero(abs(rest) > 1e-15 * abs(rest).max())
    states: list[float] = []
    before, fall = 0.0, 1 / (1 + more)
    for value in rest[: counted[-1] + 2].tolist():
        before = (before + more * value) * fall
        states.append(max(before, 0.0))
    tails = [states[-1] * (1 + more) / more / (1 + more)]
    for chance in reversed(states):
        tails.append(tails[-1] + chance)
    return Waiting(tuple(states), tuple(tails[::-1]), math.log1p(more))


def _logarithms(servers: int, offered: float, more: float, points: int) -> Any:
    """l(0), l(1), ..., l(-2), l(-1) of `transformed` by a number of points on the circle."""
    turns = np.fft.fftfreq(points)
    angle = 2 * np.pi * turns[1:]
    sine, lift = np.sin(angle), 2 * np.sin(angle / 2) ** 2
    behind = (servers - offered) * angle + offered * (angle - sine)
    behind -= 2 * np.pi * np.round(behind / (2 * np.pi))
    overall = np.log(-np.expm1(-offered * lift - 1j * behind))
    logs = np.empty(points, complex)
    logs[0] = math.log(servers - offered) - math.log(more / (1 + more))
    logs[1:] = overall - np.log(lift + 1j * sine) - np.log((more + lift - 1j * sine) / (1 + more))
    return (np.fft.fft(logs) / points).real


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
    """Poisson arrivals, constant service time, identical servers, one queue, first come first served.

    Applies       floats and arrays; no symbols, since the answer has no closed form for c > 1.
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
    idle = servers - offered
    first = (servers * (servers - 1) - offered * offered) / (2 * idle)
    inverse = squares = 0.0
    logs = math.log(idle)
    for k in range(1, servers // 2 + 1):
        root = _root(cmath.exp(2j * math.pi * k / servers), load)
        # Roots are conjugate pairs, except for a real one with an even number of servers.
        count = 1 if 2 * k == servers else 2
        share = 1 / (1 - root)
        inverse += count * share.real
        squares += count * (share * share).real
        logs -= count * math.log(abs(1 - root))
    third = (servers * (servers - 1) * (servers - 2) - offered**3) / (3 * idle)
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
    """p(n) and percentiles, computed on demand."""
    known = cache(waiting)  # Held by this answer, whose states and percentiles need the same numbers waiting.

    def state(count: int) -> Value:
        def one(servers: float, offered: float) -> float:
            waits = known(int(servers), float(offered))
            # Poisson(a) customers arrive in a service time: beyond 13 standard deviations the rest is negligible.
            most = count if not offered else min(count, int(offered + 13 * math.sqrt(offered)) + 60)
            return math.fsum(
                math.exp(log_poisson(arrived, offered)) * waits.state(count - arrived) for arrived in range(most + 1)
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
    """P(the wait at M/D/c exceeds a number of service times).

    waits    the number waiting.
    servers  c >= 1.
    offered  a in erlangs, 0 < a < c.
    time     in service times.
    """
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
