"""Finite stations against their Markov chain, solved in fractions: no tolerance at all."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from qnet.queues.stations.queue import queue

S = Fraction(1, 50)


def stationary(births: Callable[[int], Fraction], deaths: Callable[[int], Fraction], last: int) -> list[Fraction]:
    """The stationary vector of a birth-and-death generator, by Gauss-Jordan on its balance equations."""
    size = last + 1
    rows = [[Fraction(0)] * (size + 1) for _ in range(size)]
    for n in range(size):
        up, down = (births(n) if n < last else Fraction(0)), (deaths(n) if n else Fraction(0))
        rows[n][n] -= up + down
        if n < last:
            rows[n + 1][n] += up
        if n:
            rows[n - 1][n] += down
    rows[-1] = [Fraction(1)] * (size + 1)
    for place in range(size):
        pivot = next(row for row in range(place, size) if rows[row][place])
        rows[place], rows[pivot] = rows[pivot], rows[place]
        rows[place] = [value / rows[place][place] for value in rows[place]]
        for other in range(size):
            if other != place and rows[other][place]:
                factor = rows[other][place]
                rows[other] = [one - factor * two for one, two in zip(rows[other], rows[place], strict=True)]
    return [row[-1] for row in rows]


@pytest.mark.parametrize("rate", [Fraction(10), Fraction(50), Fraction(150), Fraction(1000)])
@pytest.mark.parametrize(("servers", "capacity"), [(1, 1), (1, 4), (2, 2), (2, 5), (3, 7)])
def test_limited_room(rate: Fraction, servers: int, capacity: int):
    states = stationary(lambda _: rate, lambda n: min(n, servers) / S, capacity)
    found = queue("M/M/c/K", arrival_rate=rate, service_time=S, servers=servers, capacity=capacity)
    check(found, states, servers, [rate] * (capacity + 1))
    floats = queue("M/M/c/K", arrival_rate=float(rate), service_time=float(S), servers=servers, capacity=capacity)
    assert floats.wait == pytest.approx(float(found.wait), rel=1e-13)
    assert floats.blocking == pytest.approx(float(found.blocking), rel=1e-13)
    assert floats.variance_of_wait == pytest.approx(float(found.variance_of_wait), rel=1e-12)


@pytest.mark.parametrize("rate", [Fraction(1), Fraction(20), Fraction(400)])
@pytest.mark.parametrize(
    ("servers", "capacity", "sources"), [(1, 1, 1), (1, 3, 3), (2, 2, 5), (2, 4, 5), (3, 6, 9), (5, 5, 5)]
)
def test_finite_sources(rate: Fraction, servers: int, capacity: int, sources: int):
    states = stationary(lambda n: (sources - n) * rate, lambda n: min(n, servers) / S, capacity)
    found = queue("M/M/c/K/N", source_rate=rate, service_time=S, servers=servers, capacity=capacity, sources=sources)
    check(found, states, servers, [(sources - n) * rate for n in range(capacity + 1)])
    if servers == capacity:
        assert (
            queue("Engset", source_rate=rate, service_time=S, servers=servers, sources=sources).blocking
            == found.blocking
        )


def check(found, states: list[Fraction], servers: int, births: list[Fraction]) -> None:
    """All figures from the states, rate by rate."""
    full = len(states) - 1
    offered = sum(p * rate for p, rate in zip(states, births, strict=True))
    carried = sum(p * rate for p, rate in zip(states[:-1], births[:-1], strict=True))
    waiting = sum(max(n - servers, 0) * p for n, p in enumerate(states))
    asks = sum(states[n] * births[n] for n in range(servers, full))
    squares = sum(states[n] * births[n] * (n - servers + 1) * (n - servers + 2) for n in range(servers, full))
    assert [found.state_probability(n) for n in range(full + 1)] == states
    assert found.state_probability(full + 1) == 0
    assert found.arrival_rate == offered
    assert found.throughput == carried
    assert found.time_congestion == states[full]
    assert found.blocking == states[full] * births[full] / offered
    assert found.number_waiting == waiting
    assert found.queue_length == sum(n * p for n, p in enumerate(states))
    assert found.variance_of_queue_length == sum((n - found.queue_length) ** 2 * p for n, p in enumerate(states))
    assert found.probability_of_waiting == asks / carried
    assert found.variance_of_wait == squares / carried * (S / servers) ** 2 - (waiting / carried) ** 2


def test_call_congestion_is_time_congestion_of_one_source_less():
    found = queue("Engset", source_rate=Fraction(7), service_time=S, servers=3, sources=8)
    less = queue("Engset", source_rate=Fraction(7), service_time=S, servers=3, sources=7)
    assert found.blocking == less.time_congestion < found.time_congestion


def test_m_m_c_is_exact_in_fractions():
    found = queue("M/M/c", arrival_rate=Fraction(80), service_time=S, servers=2)
    assert found.probability_of_waiting == Fraction(32, 45)
    assert found.wait == Fraction(8, 225)
    assert found.state_probability(0) == Fraction(1, 9)
    assert found.state_probability(5) == Fraction(2, 9) * Fraction(4, 5) ** 5
