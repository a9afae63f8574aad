"""Laws that every station keeps at every point, whatever its family."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from many import many
from station_cases import POINTS, random_points

from qnet.queues.stations.answer import StationAnswer
from qnet.queues.stations.queue import queue
from qnet.queues.stations.table import STATIONS

WORK = ("arrival_rate", "source_rate", "service_time")
WITHOUT_STATES = (
    "M/G/1",
    "M/G/1-priority",
    "M/G/1-preemptive",
    "M/G/1-vacations",
    "M[X]/G/1",
    "GI/G/1",
    "GI/G/c",
)
WITHOUT_PERCENTILES = (*WITHOUT_STATES, "M/G/1-PS")
"""Stations of which no such figure is known in closed form."""


def close(one: float, other: float, tolerance: float = 1e-9) -> bool:
    return math.isclose(one, other, rel_tol=tolerance, abs_tol=1e-300)


def certify(found: StationAnswer, point: dict[str, Any]) -> None:
    """Little's law, the utilization law, balance of flow, and figures that are figures."""
    assert close(found.queue_length, found.throughput * found.response)
    assert close(found.number_waiting, found.throughput * found.wait)
    assert close(found.queue_length, found.number_waiting + found.busy_servers)
    if found.utilization is not None:
        assert 0 <= found.utilization <= 1
        assert close(found.utilization * point.get("servers", 1), found.busy_servers)
    if found.blocking is None:
        assert found.throughput == found.arrival_rate
    else:
        assert close(found.throughput, found.arrival_rate * (1 - found.blocking), 1e-6)
        assert 0 <= found.blocking <= found.time_congestion * (1 + 1e-9) <= 1 + 1e-9
    spreads = (found.variance_of_wait, found.variance_of_response, found.variance_of_queue_length)
    for value in (found.wait, found.response, *spreads):
        assert value is None or 0 <= value < math.inf
    assert found.probability_of_waiting is None or 0 <= found.probability_of_waiting <= 1


def test_every_station_has_a_point():
    assert set(POINTS) == set(STATIONS)


def test_what_is_known_of_each_station():
    for station in STATIONS:
        found = queue(station, **POINTS[station])
        percentiles = found.wait_percentile is not None or found.response_percentile is not None
        assert (found.state_probability is not None) == (station not in WITHOUT_STATES), station
        assert percentiles == (station not in WITHOUT_PERCENTILES), station


@many("station", STATIONS)
def test_laws_at_the_point(station: str):
    certify(queue(station, **POINTS[station]), POINTS[station])


@many("station", STATIONS)
def test_laws_at_random_points(station: str):
    for seed in range(60):
        point = random_points(station, seed)
        try:
            certify(queue(station, **point), point)
        except AssertionError:
            raise AssertionError(f"queue({station!r}, **{point!r})") from None


@pytest.mark.parametrize("station", [station for station in STATIONS if station not in WITHOUT_STATES])
def test_states_are_a_distribution_with_the_mean(station: str):
    found = queue(station, **POINTS[station])
    states: list[float] = []
    while len(states) < 600 and (len(states) < 100 or states[-1] > 1e-25):
        states.append(float(found.state_probability(len(states))))
    assert min(states) >= 0
    assert close(math.fsum(states), 1)
    assert close(math.fsum(n * p for n, p in enumerate(states)), found.queue_length)
    spread = math.fsum((n - found.queue_length) ** 2 * p for n, p in enumerate(states))
    assert close(spread, found.variance_of_queue_length)
    if found.utilization is not None and found.probability_of_waiting is not None:
        servers = POINTS[station].get("servers", 1)
        busy = math.fsum(min(n, servers) * p for n, p in enumerate(states))
        assert close(busy, found.busy_servers)


@pytest.mark.parametrize("station", [station for station in STATIONS if station not in WITHOUT_PERCENTILES])
def test_percentiles_have_the_mean_and_the_variance(station: str):
    # An independent check: integrate q(p) over p, by the rule of Gauss over parts of -log(1 - p).
    found = queue(station, **POINTS[station])
    pairs = (
        (found.wait_percentile, found.wait, found.variance_of_wait),
        (found.response_percentile, found.response, found.variance_of_response),
    )
    for function, mean, variance in pairs:
        if function is None or mean == 0:
            continue
        first, second = moments(function, found.probability_of_waiting if mean == found.wait else 1.0)
        assert close(first, mean, 3e-4)
        assert close(second - first * first, variance, 1e-3)


def moments(function: Any, chance: float) -> tuple[float, float]:
    """int q dp and int q^2 dp over the part above 1 - chance, with p = 1 - chance e^(-x)."""
    first = second = 0.0
    nodes, weights = np.polynomial.legendre.leggauss(8)
    for low, high in pairwise((0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 29.0)):
        for node, weight in zip(nodes, weights, strict=True):
            tail = chance * math.exp(-(low + high + (high - low) * node) / 2)
            value = float(function(1 - tail))
            first += weight * tail * (high - low) / 2 * value
            second += weight * tail * (high - low) / 2 * value * value
    return first, second


@pytest.mark.parametrize("station", [station for station in STATIONS if station not in WITHOUT_PERCENTILES])
def test_percentiles_rise(station: str):
    found = queue(station, **POINTS[station])
    for function in (found.wait_percentile, found.response_percentile):
        if function is not None:
            values = [float(function(share)) for share in (0.0, 0.1, 0.5, 0.9, 0.99, 0.999999)]
            assert values == sorted(values)
            assert values[0] >= 0
    if found.wait_percentile is not None and found.probability_of_waiting is not None:
        assert found.wait_percentile(max(0.0, 1 - found.probability_of_waiting - 1e-6)) == 0


@pytest.mark.parametrize(
    ("station", "parameter"),
    [(station, name) for station, point in POINTS.items() for name in WORK if name in point],
)
def test_more_work_waits_longer(station: str, parameter: str):
    point = POINTS[station]
    value = point[parameter]
    more = [1.1 * item for item in value] if isinstance(value, list) else 1.1 * value
    less, greater = queue(station, **point), queue(station, **{**point, parameter: more})
    assert greater.response >= less.response * (1 - 1e-12)
    assert greater.busy_servers > less.busy_servers
    if less.blocking is not None:
        assert greater.blocking > less.blocking
