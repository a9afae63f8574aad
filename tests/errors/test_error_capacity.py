"""Stations that may be full, and buffers, against the chain of all states of small random systems."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np  # noqa: TID253
import pytest
from chain import mean, stationary
from measuring import assert_told

from qnet.networks.routed import Buffer, Group, Hold, OpenClass, Route, RoutedNetwork, Station, Step, Time
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve

Moves = Iterable[tuple[float, Any]]
SEED = 5


def station(name: str, servers: int = 1, capacity: int | None = None) -> Station:
    return Station(name, False, servers, "fcfs", (Group(name, 1, 1.0),), capacity=capacity)


def served(name: str, time: Any, **more: Any) -> Hold:
    return Hold(name, (Time(time),), **more)


def solved(
    stations: list[Station], rate: Any, routes: list[tuple[Any, tuple[Step, ...]]], buffers: tuple[Buffer, ...] = ()
) -> RoutedSolution:
    own = tuple(Route(str(place), share, steps) for place, (share, steps) in enumerate(routes))
    return solve(RoutedNetwork(tuple(stations), (OpenClass("all", rate, own),), (), len(rate), buffers=buffers))


def in_a_row(servers: tuple[int, int], capacity: tuple[int, int], rate: float, times: tuple[float, float]) -> Any:
    """The exact shares of time of the numbers at two stations in a row that lose who finds them full."""

    def moves(state: tuple[int, int]) -> Moves:
        first, second = state
        if first < capacity[0]:
            yield rate, (first + 1, second)
        yield min(first, servers[0]) / times[0], (first - 1, min(second + 1, capacity[1]))
        yield min(second, servers[1]) / times[1], (first, second - 1)

    return stationary((0, 0), moves)


def two_in_a_row(random: np.random.Generator, points: int) -> list[float]:
    """Errors of the carried throughput of two stations that lose customers, one behind the other."""
    errors: list[float] = []
    for servers, capacity in (((1, 1), (3, 2)), ((1, 2), (6, 3)), ((2, 1), (2, 4)), ((3, 1), (4, 1)), ((1, 1), (8, 6))):
        rate = random.uniform(0.3, 2.0, points)
        times = [number * random.uniform(0.3, 1.5, points) for number in servers]
        places = [station("a", servers[0], capacity[0]), station("b", servers[1], capacity[1])]
        found = solved(places, rate, [(1.0, (served("a", times[0]), served("b", times[1])))])
        for point in range(points):
            own = (float(times[0][point]), float(times[1][point]))
            shares = in_a_row(servers, capacity, float(rate[point]), own)
            busy = sum(share * min(second, servers[1]) for (_, second), share in shares.items())
            exact = busy / own[1]
            errors.append(float(found.throughput[point]) / exact - 1)
    return errors


def one_place_less(places: int, rate: float, reads: float, time: float, drain: float) -> Any:
    """The exact shares of time of a buffer drained by a server that reads go before: reads, places, what is served."""
    most = 20

    def moves(state: tuple[int, int, int]) -> Moves:
        reading, taken, serving = state  # serving: 0 nothing, 1 a read, 2 a drain; reading and taken include it
        if reading < most:
            yield reads, (reading + 1, taken, serving or 1)
        if taken < places:
            yield rate, (reading, taken + 1, serving or 2)
        if serving == 1:
            yield 1 / time, (reading - 1, taken, 1 if reading > 1 else 2 * (taken > 0))
        if serving == 2:
            yield 1 / drain, (reading, taken - 1, 1 if reading else 2 * (taken > 1))

    return stationary((0, 0, 0), moves)


def drained_beside_reads(random: np.random.Generator, points: int) -> list[float]:
    """Errors of the carried rate of writes that are lost where the buffer is full; reads go before what drains it."""
    errors: list[float] = []
    for places in (4, 5, 6, 8):
        load = random.uniform(0.1, 0.6, points)
        time, drain = random.uniform(0.5, 2.0, points), random.uniform(0.5, 2.0, points)
        writes = (1 - load) / drain * random.uniform(0.3, 2.0, points)
        reads = load / time
        rate = reads + writes
        routes: list[tuple[Any, tuple[Step, ...]]] = [
            (reads / rate, (served("disk", time, priority=1),)),
            (writes / rate, (Time(0.0, fills="nvs"), served("disk", drain, phase=2, drains="nvs"))),
        ]
        found = solved([station("disk")], rate, routes, (Buffer("nvs", float(places), True),))
        for point in range(points):
            args = (float(item[point]) for item in (writes, reads, time, drain))
            shares = one_place_less(places, *args)
            full = sum(share for (_, taken, _), share in shares.items() if taken == places)
            exact = float(writes[point]) * (1 - full)
            errors.append(float(found.buffers[0].throughput[point]) / exact - 1)
    return errors


def behind_another(places: int, rate: float, time: float, drain: float) -> Any:
    """The exact shares of time of a buffer whose places are taken during a step before, and freed by a station."""
    most = 40

    def moves(state: tuple[int, int, int]) -> Moves:
        outside, before, draining = state
        full = before + draining == places
        if outside < most:
            yield rate, (outside + 1, before, draining) if full else (0, before + 1, draining)
        if before:
            yield 1 / time, (outside, before - 1, draining + 1)
        if draining:
            after = (outside - 1, before + 1, draining - 1) if outside else (0, before, draining - 1)
            yield 1 / drain, after

    return stationary((0, 0, 0), moves)


def filled_on_the_way(random: np.random.Generator, points: int) -> list[float]:
    """Errors of the occupancy of a buffer whose places are taken on the way to the response as well."""
    errors: list[float] = []
    for places in (4, 6, 8, 10):
        drain = random.uniform(0.5, 1.0, points)
        rate = random.uniform(0.3, 0.8, points) / drain
        time = random.uniform(0.05, 0.3, points) / rate
        steps = (Time(0.0, fills="nvs"), served("front", time), served("disk", drain, phase=2, drains="nvs"))
        found = solved(
            [station("front"), station("disk")], rate, [(1.0, steps)], (Buffer("nvs", float(places), False),)
        )
        for point in range(points):
            shares = behind_another(places, *(float(item[point]) for item in (rate, time, drain)))
            exact = mean(shares, lambda state: state[1] + state[2])
            errors.append(float(found.buffers[0].occupancy[point]) / exact - 1)
    return errors


SYSTEMS = {
    "capacity: loss behind loss": (two_in_a_row, 40),
    "buffer: lost, drained beside other work": (drained_beside_reads, 50),
    "buffer: wait, filled on the way": (filled_on_the_way, 50),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_table_of_errors(name: str) -> None:
    draw, points = SYSTEMS[name]
    assert_told(name, draw(np.random.default_rng(SEED), points))
