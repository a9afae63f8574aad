"""Stations that may be full, and buffers, against the chain of all states of small random systems."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np
import pytest
from chain import mean, stationary
from drain_chain import lost
from full import long_but
from full_chain import stages
from kept_chains import kept
from measuring import assert_told

from qnet.networks.exactness import Beyond
from qnet.networks.routed import Buffer, Group, Hold, OpenClass, Route, RoutedNetwork, Station, Step, Time
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve
from qnet.networks.wanted import AUTO

pytestmark = pytest.mark.sliced

Moves = Iterable[tuple[float, Any]]
SEED = 5
DRAINED = 50
"""Buffers that are drained with other work, of each size."""
FILLED = 50
"""Buffers whose places are taken on the way to the response, of each size."""


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


def blocked(load: float, servers: int, places: int) -> float:
    """Of an M/M/c/K."""
    weights = [1.0]
    for number in range(places):
        weights.append(weights[-1] * load / min(number + 1, servers))
    return weights[-1] / sum(weights)


def losing(share: float, servers: int, places: int) -> float:
    """Erlangs of which an M/M/c/K loses a share."""
    low, high = 0.0, 10.0 * places
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if blocked(middle, servers, places) < share else (low, middle)
    return low


def behind(servers: int, places: int, rate: float, times: tuple[float, float]) -> float:
    """The exact mean number at both of a station that may be full and a single server behind it, by matrix geometry."""
    size = places + 1
    up, local = np.zeros((size, size)), np.zeros((size, size))
    for number in range(size):
        if number:
            up[number, number - 1] = min(number, servers) / times[0]
        if number < places:
            local[number, number + 1] = rate
    down = np.eye(size) / times[1]
    still = local - np.diag((up + local).sum(1))
    step = np.linalg.inv(down - still)
    rising, falling = step @ up, step @ down
    reached, product = falling, rising
    for _ in range(60):
        both = np.linalg.inv(np.eye(size) - rising @ falling - falling @ rising)
        rising, falling = both @ rising @ rising, both @ falling @ falling
        reached = reached + product @ falling
        product = product @ rising
        if abs(product).max() < 1e-15:
            break
    ratio = up @ np.linalg.inv(down - still - up @ reached)
    balance = (still + ratio @ down).T
    balance[0] = np.linalg.inv(np.eye(size) - ratio).sum(1)
    first = np.linalg.solve(balance, np.eye(size)[0])
    every = first @ np.linalg.inv(np.eye(size) - ratio)
    return float(every @ np.arange(size) + (every @ ratio @ np.linalg.inv(np.eye(size) - ratio)).sum())


def a_queue_behind(random: np.random.Generator, points: int) -> list[float]:
    """Errors of the response of a station that loses up to 10 %, and a single server behind it."""
    errors: list[float] = []
    for servers, room in ((1, 1), (1, 2), (1, 4), (2, 3), (3, 8)):
        shares = random.uniform(0.005, 0.1, points)
        time = random.uniform(0.3, 1.5, points)
        rate = np.array([losing(share, servers, room) for share in shares]) / time
        carried = rate * (1 - shares)
        next_time = random.uniform(0.1, 0.95, points) / carried
        steps = (served("a", time), served("b", next_time))
        found = solved([station("a", servers, room), station("b")], rate, [(1.0, steps)])
        assert not any(hasattr(reason, "code") for reason in found.reasons)
        for point in range(points):
            own = (float(time[point]), float(next_time[point]))
            exact = behind(servers, room, float(rate[point]), own) / float(carried[point])
            errors.append(float(found.response[point]) / exact - 1)
    return errors


def back_later(servers: int, places: int, rate: float, time: float, away: float) -> float:
    """The exact rate of customers who are served twice, with a delay between, at a station that is shared."""
    most = 9

    def moves(state: tuple[int, int, int]) -> Moves:
        first, second, outside = state
        here = first + second
        speed = min(here, servers) / here / time if here else 0.0
        if here < places:
            yield rate, (first + 1, second, outside)
        if outside < most:
            yield speed * first, (first - 1, second, outside + 1)
        yield speed * second, (first, second - 1, outside)
        yield outside / away, (first, second + (here < places), outside - 1)

    shares = stationary((0, 0, 0), moves)
    return mean(shares, lambda state: state[1] and min(state[0] + state[1], servers) * state[1] / sum(state[:2])) / time


def who_come_back(random: np.random.Generator, points: int) -> list[float]:
    """Errors of the carried throughput of customers who come a second time to a station that loses up to 10 %."""
    errors: list[float] = []
    for servers, room in ((1, 1), (1, 2), (1, 3), (2, 2), (2, 3)):
        shares = random.uniform(0.005, 0.1, points)
        time = random.uniform(0.3, 1.5, points)
        rate = np.array([losing(share, servers, room) for share in shares]) / time / 2
        away = random.uniform(0.02, 1.0, points) / rate
        shared = station("a", servers, room).replace(discipline="ps")
        found = solved([shared], rate, [(1.0, (served("a", time), Time(away), served("a", time)))])
        assert not any(hasattr(reason, "code") for reason in found.reasons)
        for point in range(points):
            system = servers, room, *(float(item[point]) for item in (rate, time, away))
            (exact,) = kept("back later", system, lambda system=system: [back_later(*system)])
            errors.append(float(found.throughput[point]) / exact - 1)
    return errors


@cache
def drained_beside_reads() -> list[tuple[float, float]]:
    """Errors of the carried rate of writes that are lost where the buffer is full, and of the places taken; reads go
    before what drains it."""
    random = np.random.default_rng(SEED)
    errors: list[tuple[float, float]] = []
    for places in (1, 2, 4, 6):
        found: list[tuple[float, float]] = []
        while len(found) < DRAINED:
            load, times = random.uniform(0.05, 0.9), 10 ** random.uniform(-0.7, 0.7, 2)
            spreads, interrupting = random.choice([0.5, 1.0, 1.0, 2.0, 5.0], 2), bool(random.integers(2))
            reads, writes = load / times[0], (1 - load) / times[1] * random.uniform(0.2, 2.0)
            disk = station("disk").replace(discipline="preemptive" if interrupting else "priority")
            steps = (Hold("disk", (Time(float(times[0]), float(spreads[0])),), priority=1),)
            drain = Hold("disk", (Time(float(times[1]), float(spreads[1])),), phase=2, drains="nvs")
            classes = (
                OpenClass("read", float(reads), (Route("", 1.0, steps),)),
                OpenClass("write", float(writes), (Route("", 1.0, (Time(0.0, fills="nvs"), drain)),)),
            )
            told = solve(
                RoutedNetwork((disk,), classes, buffers=(Buffer("nvs", float(places), True),)), AUTO.replace(chain=0)
            )
            if any(hasattr(reason, "code") for reason in told.reasons):
                continue
            served = (stages(time, scv) for time, scv in zip(times.tolist(), spreads.tolist(), strict=True))
            system = (places, writes, reads, *served, interrupting)
            full, taken = kept("lost beside reads", system, lambda system=system: lost(*system))
            figures = told.buffers[0]
            found.append((figures.throughput / (writes * (1 - full)) - 1, figures.occupancy / taken - 1))
        errors += found
    return errors


def of_drained(place: int) -> Callable[[np.random.Generator, int], list[float]]:
    """The errors of one of both figures, of systems that are solved once."""

    def errors(random: np.random.Generator, points: int) -> list[float]:
        return [pair[place] for pair in drained_beside_reads()]

    return errors


def behind_another(places: int, rate: float, time: float, drain: float) -> list[float]:
    """The exact numbers outside, in a step before, and at a station that frees the places the step has taken."""
    most = 60

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

    shares = stationary((0, 0, 0), moves)
    return [mean(shares, lambda state, place=place: state[place]) for place in range(3)]


@cache
def filled_before() -> list[tuple[float, float, float]]:
    """Errors of the places taken of a buffer, of the response and of the queue lengths: where places are taken on the
    way to the response as well, one in ten at most."""
    random, points = np.random.default_rng(SEED), FILLED
    errors: list[tuple[float, float, float]] = []
    for places in (4, 6, 8, 10):
        drain = random.uniform(0.5, 1.0, points)
        rate = random.uniform(0.3, 0.85, points) / drain
        time = random.uniform(0.05, places / (10 + places), points) / rate
        steps = (Time(0.0, fills="nvs"), served("front", time), served("disk", drain, phase=2, drains="nvs"))
        found = solved(
            [station("front"), station("disk")], rate, [(1.0, steps)], (Buffer("nvs", float(places), False),)
        )
        assert not any(isinstance(reason, Beyond) for reason in found.reasons)
        for point in range(points):
            system = places, *(float(item[point]) for item in (rate, time, drain))
            outside, front, disk = kept("filled before", system, lambda system=system: behind_another(*system))
            places_taken = float(found.buffers[0].occupancy[point]) / (front + disk) - 1
            response = float(found.response[point]) * float(rate[point]) / (outside + front) - 1
            told = [float(item.queue_length[point]) for item in found.stations]
            errors.append((places_taken, response, max(abs(told[0] / front - 1), abs(told[1] / disk - 1))))
    return errors


def of_filled(place: int) -> Callable[[np.random.Generator, int], list[float]]:
    """The errors of one of the three figures, of systems that are solved once."""

    def errors(random: np.random.Generator, points: int) -> list[float]:
        return [figures[place] for figures in filled_before()]

    return errors


SYSTEMS = {
    "capacity: loss behind loss": (two_in_a_row, 40),
    "capacity: a queue behind": (a_queue_behind, 40),
    "capacity: customers who come back": (who_come_back, 40),
    "buffer: lost, drained with other work": (of_drained(0), DRAINED),
    "buffer: lost, drained with other work, occupancy": (of_drained(1), DRAINED),
    "buffer: wait, filled on the way": (of_filled(0), FILLED),
    "buffer: wait, filled on the way, response": (of_filled(1), FILLED),
    "buffer: wait, filled on the way, queue lengths": (of_filled(2), FILLED),
}


@pytest.mark.parametrize("name", long_but(SYSTEMS, *(name for name in SYSTEMS if "other work" not in name)))
def test_the_table_of_errors(name: str) -> None:
    draw, points = SYSTEMS[name]
    assert_told(name, draw(np.random.default_rng(SEED), points))
