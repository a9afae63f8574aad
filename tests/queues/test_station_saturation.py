"""Distributions of M/D/c and M/Ek/1 up to saturation, each against another way to the same numbers."""

from __future__ import annotations

import importlib
import math
from fractions import Fraction
from typing import Any

import pytest

from qnet.queues.stations.m_d_c import _by_roots, transformed, wait_tail, waiting
from qnet.queues.stations.queue import queue

np: Any = importlib.import_module("numpy")


@pytest.mark.parametrize(("servers", "offered"), [(1, 0.9), (2, 1.7), (5, 4.5), (50, 46.0), (300, 288.0)])
def test_constant_service_by_transforms_and_by_the_walk(servers: int, offered: float):
    walked, found = waiting(servers, offered), transformed(servers, offered)
    assert walked.decay == math.inf  # The walk was short enough.
    for count in range(len(walked.states)):
        if walked.tail(count) > 1e-10:
            assert found.state(count) == pytest.approx(walked.state(count), rel=1e-8)
            assert found.tail(count) == pytest.approx(walked.tail(count), rel=1e-10)


@pytest.mark.parametrize("servers", [1, 2, 3])
@pytest.mark.parametrize("load", [0.001, 0.01, 0.1, 0.5, 0.9])
def test_short_lines_by_transforms_are_those_by_sums_to_the_last_digits(servers: int, load: float):
    found, sums = transformed(servers, servers * load), waiting(servers, servers * load)
    for ours, theirs in zip(found[:2], sums[:2], strict=True):
        assert ours[:4] == pytest.approx(theirs[: len(ours)][:4], rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("load", [0.99, 0.999, 0.99999])
@pytest.mark.parametrize("servers", [1, 2, 7, 100, 3000])
def test_constant_service_by_transforms_and_by_roots(servers: int, load: float):
    offered = servers * load
    found = transformed(servers, offered)
    # The sums over the geometric rest in closed form, beginning with its first state.
    fall, last = math.exp(-found.decay), len(found.tails) - 1
    mean = math.fsum(found.tails[1:last]) + found.tails[last] / (1 - fall)
    second = 2 * math.fsum(n * tail for n, tail in enumerate(found.tails[1:last]))
    second += 2 * found.tails[last] * ((last - 1) / (1 - fall) + fall / (1 - fall) ** 2)
    by_roots = _by_roots(servers, offered)
    assert mean == pytest.approx(by_roots[0], rel=1e-9)
    assert second - mean * mean == pytest.approx(by_roots[1], rel=1e-9)


@pytest.mark.parametrize("time", [0.5, 3.0, 17.25, 60.0])
def test_erlangs_formula_for_constant_service(time: float):
    # P(W <= t) = (1 - a) sum over j of (a (j - t))^j exp(-a (j - t)) / j!, in fractions.
    load = Fraction(97, 100)
    total = Fraction(0)
    for j in range(math.floor(time) + 1):
        total += (load * (j - Fraction(time))) ** j / math.factorial(j) * _exp(load * (Fraction(time) - j))
    assert wait_tail(waiting(1, 0.97), 1, 0.97, time) == pytest.approx(float(1 - (1 - load) * total), rel=1e-11)


def _exp(value: Fraction) -> Fraction:
    """exp of a number from 0 to 100, to 60 digits."""
    scale = 10**120
    x = value.numerator * scale // value.denominator
    term = total = scale
    n = 0
    while term:
        n += 1
        term = term * x // scale // n
        total += term
    return Fraction(total, scale)


@pytest.mark.parametrize(("servers", "offered"), [(2, 1.9), (5, 4.9)])
def test_the_tail_of_the_wait_has_its_mean(servers: int, offered: float):
    # Gauss-Legendre in each service time, between whose ends the tail is smooth; then geometric.
    nodes, weights = np.polynomial.legendre.leggauss(12)
    waits = waiting(servers, offered)
    decay = waits.decay * servers
    total, slot = 0.0, 0
    while True:
        part = sum(
            weight / 2 * wait_tail(waits, servers, offered, slot + (1 + node) / 2)
            for node, weight in zip(nodes.tolist(), weights.tolist(), strict=True)
        )
        total, slot = total + part, slot + 1
        if slot == 60:
            total += part * math.exp(-decay) / (1 - math.exp(-decay))
            break
    wait = queue("M/D/c", arrival_rate=offered, service_time=1.0, servers=servers).wait
    assert total == pytest.approx(wait, rel=1e-9)


@pytest.mark.parametrize("load", [0.3, 0.9, 0.999, 0.999999])
@pytest.mark.parametrize("phases", [2, 3, 10])
def test_erlang_service_against_the_poles_of_its_transform(phases: int, load: float):
    # E[exp(-s W)] = (1 - rho) s / (s - rate + rate B(s)), B(s) = (k / (k + s))^k: partial fractions in x = k / (k + s).
    # s = k (1 - x) / x turns the denominator into a polynomial: k (1 - x) - rate x (1 - x^k), over (1 - x) x.
    inner = [-load] * phases + [float(phases)]  # k - rate (x + x^2 + ... + x^k), from the highest power
    roots = np.roots(inner)
    poles = [complex(phases * (1 - x) / x) for x in roots]
    found = queue("M/Ek/1", arrival_rate=load, service_time=1.0, phases=phases)

    def tail(time: float) -> float:
        total = 0j
        for s in poles:
            slope = 1 - load * (1 + s / phases) ** (-phases - 1)
            total += (1 - load) * s / slope * np.exp(s * time) / -s
        return float(total.real)

    tolerance = 1e-9 if load < 0.9999 else 1e-8
    for share in (1 - load / 2, 0.9, 0.999, 0.9999999):
        if share > 1 - load:
            time = found.wait_percentile(share)
            # An error of the percentile is one of the logarithm of the tail, over its slope.
            assert math.log(tail(time)) == pytest.approx(math.log(1 - share), abs=tolerance * 10)


def test_erlang_states_to_the_last():
    found = queue("M/Ek/1", arrival_rate=0.999, service_time=1.0, phases=4)
    states = np.array([found.state_probability(n) for n in range(30_000)])
    counts = np.arange(len(states))
    assert math.fsum(states) == pytest.approx(1, rel=1e-9)
    assert float(counts @ states) == pytest.approx(found.queue_length, rel=1e-8)


@pytest.mark.parametrize("load", [0.5, 0.99, 0.99999])
def test_one_phase_and_one_customer_are_exponential(load: float):
    plain = queue("M/M/1", arrival_rate=load, service_time=1.0)
    for station, more in (("M/Ek/1", {"phases": 1}), ("M[X]/M/1", {"batch_size": 1})):
        found = queue(station, arrival_rate=load, service_time=1.0, **more)
        for share in (0.0, 0.6, 0.99, 1 - 1e-12):
            assert found.wait_percentile(share) == pytest.approx(plain.wait_percentile(share), rel=1e-9, abs=1e-300)
            assert found.response_percentile(share) == pytest.approx(plain.response_percentile(share), rel=1e-9)


def test_nobody_comes_in_batches():
    found = queue("M[X]/M/1", arrival_rate=0.0, service_time=1.0, batch_size=3)
    assert found.state_probability(0) == 1
    assert found.state_probability(2) == 0
    # One in three is the first of its batch, one the second, one the third.
    assert found.wait_percentile(0.3) == 0
    tail = (math.exp(-2.0) + math.exp(-2.0) * 3.0) / 3
    assert found.wait_percentile(1 - tail) == pytest.approx(2.0, rel=1e-12)
