"""How many wait at M/D/c: by sums over a walk, or next to saturation by Fourier transforms."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from qnet.errors import NotComputed, Problem
from qnet.lazy import np
from qnet.queues.roots import neighbours
from qnet.queues.stations.distributions import log_poisson, poisson_sum
from qnet.queues.stations.m_g_1 import number_present
from qnet.record import Record

_MOST_WORK = 1_000_000
"""Multiplications that a sum over the walk may cost; beyond, transforms are taken."""
_SMALLEST = 1e-19
"""The share of the largest term below which terms change no digit of a sum."""
_MOST_POINTS = 2**21
"""Points of a transform: enough for some 10^9 servers."""


class Waiting(Record):
    """The number of customers that wait."""

    states: tuple[float, ...]
    """P(0), P(1), ... wait."""
    tails: tuple[float, ...]
    """P(at least 0), P(at least 1), ... wait: one more than states."""
    decay: float
    """-log of the ratio of all further states and tails to those before; infinite where none counts."""

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
    """How many sums of the walk count to the last digit: P(N_k >= k c) <= exp(-k c (rho - 1 - log rho))."""
    gap = offered / servers - 1
    logs = math.log1p(gap) if gap > -0.5 else math.log(offered) - math.log(servers)
    rate = servers * (gap - logs)
    return math.inf if rate <= 0 else math.ceil(45 / rate)


def walk(servers: int, offered: float) -> SpitzerSums:
    """The sums over P(Poisson(k a) = k c + j) / k, over as many k as `terms` gives."""
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
    """With the sums from the far end."""
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
    """s - 1 for the root s > 1 of s^c = exp(a (s - 1)): P(n wait) falls by 1 / s with each n, in the end."""
    load = offered / servers
    low = 1 - load
    high = 2 * low
    while math.log1p(high) > load * high:
        low, high = high, 2 * high
    return neighbours(lambda more: math.log1p(more) / more - load, low, high)[1]


def transformed(servers: int, offered: float) -> Waiting:
    """The number waiting at M/D/c at a load near 1.

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
