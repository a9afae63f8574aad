"""A million servers, loads next to one, tiny and huge times: bounded time, and the digits stay."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pytest

from qnet.queues.finite_source import full_probabilities
from qnet.queues.stations.queue import queue

MILLION = 1_000_000


@pytest.mark.parametrize(
    ("station", "point"),
    [
        ("M/M/c", {"arrival_rate": 999_900.0, "servers": MILLION}),
        pytest.param(
            "M/M/c/K", {"arrival_rate": 999_900.0, "servers": MILLION, "capacity": 2 * MILLION}, marks=pytest.mark.long
        ),
        ("M/M/c/K", {"arrival_rate": 1_500_000.0, "servers": MILLION, "capacity": MILLION + 1000}),
        ("M/M/c/c", {"arrival_rate": 1_000_000.0, "servers": MILLION}),
        ("Engset", {"source_rate": 1.0, "servers": MILLION, "sources": 2 * MILLION}),
        pytest.param(
            "M/M/c/K/N", {"source_rate": 0.2501, "servers": MILLION, "sources": 5 * MILLION}, marks=pytest.mark.long
        ),
        pytest.param("M/D/c", {"arrival_rate": 999_000.0, "servers": MILLION}, marks=pytest.mark.long),
        ("GI/G/c", {"arrival_rate": 999_900.0, "servers": MILLION, "scv_arrival": 0.5, "scv_service": 2.0}),
        ("M/M/1/K", {"arrival_rate": 0.999999, "capacity": 10**12}),
    ],
)
def test_a_million_servers(station: str, point: dict[str, float]):
    begun = time.perf_counter()
    found = queue(station, **point, service_time=1.0)
    if station != "M/D/c" and found.response_percentile is not None:
        assert found.response_percentile(0.95) > found.wait
    mean = int(found.queue_length)
    if found.state_probability is not None and station != "M/D/c":
        assert 0 < found.state_probability(mean) < 1
    assert time.perf_counter() - begun < 20


@pytest.mark.long
def test_states_of_a_million_servers_sum_to_one():
    found = queue("M/M/c", arrival_rate=999_000.0, service_time=1.0, servers=MILLION)
    middle = sum(found.state_probability(n) for n in range(998_900, 999_101))
    assert 0 < middle < 1
    loss = queue("M/M/c/c", arrival_rate=10_000.0, service_time=1.0, servers=10_000)
    assert sum(loss.state_probability(n) for n in range(9_000, 10_001)) == pytest.approx(1, rel=1e-12)


def test_the_load_next_to_one():
    for gap in (1e-3, 1e-6, 1e-9):
        found = queue("M/M/1", arrival_rate=1 - gap, service_time=1.0)
        assert found.response == pytest.approx(1 / gap, rel=1e-6)
    room = [queue("M/M/1/K", arrival_rate=1 + gap, service_time=1.0, capacity=100) for gap in (-1e-12, 0.0, 1e-12)]
    for found in room:
        assert found.queue_length == pytest.approx(50, rel=1e-9)
        assert found.blocking == pytest.approx(1 / 101, rel=1e-9)


def test_rare_blocking_keeps_its_digits():
    found = queue("M/M/1/K", arrival_rate=0.1, service_time=1.0, capacity=200)
    assert found.blocking == pytest.approx(0.9 * 1e-200, rel=1e-12)


def test_overload_keeps_the_servers_busy():
    found = queue("M/M/c/K", arrival_rate=1e9, service_time=1.0, servers=3, capacity=10)
    assert found.throughput == pytest.approx(3, rel=1e-12)
    assert found.utilization <= 1
    assert found.variance_of_wait == pytest.approx(7 / 9, rel=1e-6)


def test_scale_of_time_is_free():
    for scale in (1e-9, 1.0, 1e9):
        found = queue("M/D/c", arrival_rate=1.6 / scale, service_time=scale, servers=2)
        assert found.wait / scale == pytest.approx(queue("M/D/c", arrival_rate=1.6, service_time=1.0, servers=2).wait)


def test_many_points_are_worked_on_in_the_memory_of_few() -> None:
    """28 MB where every block of points had arrays that were kept until the end, and the system was asked for each."""
    draw = np.random.default_rng(1)
    offered, share, opened = (draw.uniform(*ends, 20_000) for ends in ((0.2, 2.5), (0.2, 0.9), (0.1, 1.0)))
    tracemalloc.start()
    full_probabilities(64.0, 4, offered, share, opened)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 8e6
