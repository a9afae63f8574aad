"""How far the response of closed customers who leave work behind is from their Markov chains."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kept_chains import kept
from left_chain import Leaving, throughputs
from measuring import assert_told

from qnet.networks.routed import ClosedClass, Group, Hold, Route, RoutedNetwork, Station, Time
from qnet.networks.solve import solve

pytestmark = pytest.mark.sliced

Draw = np.random.Generator
_SHAPES: tuple[tuple[tuple[int, ...], tuple[tuple[int, ...], ...]], ...] = (
    *(((people,), ((0, 0),)) for people in (1, 2, 3, 4)),
    *(((people,), ((0, 1, 0),)) for people in (1, 2, 3)),
    ((3,), ((0, 1, 1),)),
    ((1, 1), ((0, 0), (0, 0))),
    ((2, 1), ((0, 0), (0, 1, 1))),
)
"""Populations, and the stations of each class with the one where the work is left."""


def drawn(
    draw: Draw, count: int, shape: Any, factor: float, servers: int = 1, shared: bool = False, longest: int = 0
) -> Leaving:
    """Systems whose times at stations differ by up to a factor, and whose think times by one of 1000."""
    population, ways = shape
    times = [[factor ** draw.uniform(-0.5, 0.5, count) for _ in way] for way in ways]
    think = 10 ** draw.uniform(-2, 1, (len(population), count))
    stations = 1 + max(max(way) for way in ways)
    return Leaving(population, think, ways, times, (servers,) + (1,) * (stations - 1), shared, longest)


def network(system: Leaving) -> RoutedNetwork:
    """The same as qnet is told it."""
    order = "ps" if system.shared else "fcfs"
    stations = [
        Station(f"{place}", False, count, order, (Group(f"{place}", 1, 1.0),))
        for place, count in enumerate(system.servers)
    ]
    classes: list[ClosedClass] = []
    for kind, (way, times) in enumerate(zip(system.ways, system.times, strict=True)):
        last = len(way) - 1
        steps = tuple(
            Hold(f"{place}", (Time(time),), phase=1 + (step == last))
            for step, (place, time) in enumerate(zip(way, times, strict=True))
        )
        classes.append(
            ClosedClass(f"{kind}", 1.0 * system.population[kind], system.think[kind], (Route("", 1.0, steps),))
        )
    return RoutedNetwork(tuple(stations), tuple(classes), size=system.think.shape[1])


def _exact(system: Leaving) -> list[float]:
    """Throughputs of every class, of chains that leave next to nothing out."""
    exact, cut = throughputs(system)
    assert (cut < 1e-3).all()
    return exact.ravel().tolist()


def errors(system: Leaving) -> list[float]:
    """Of the response of the class that is told worst."""
    exact = np.reshape(kept("left behind", system, lambda: _exact(system)), system.think.shape)
    found = solve(network(system))
    people = np.array(system.population)[:, None]
    told = np.array([item.response for item in found.classes])
    wanted = people / exact - system.think
    assert all((np.asarray(item.utilization) <= 1.0).all() for item in found.stations)
    return abs(told / wanted - 1).max(0).tolist()


@pytest.mark.long
def test_first_come_first_served():
    draw = np.random.default_rng(20262)
    found = [error for shape in _SHAPES for error in errors(drawn(draw, 20, shape, 3.0))]
    assert_told("second-phase work: first come first served", found)


@pytest.mark.long
def test_several_servers():
    draw = np.random.default_rng(20263)
    found = [error for shape in _SHAPES for error in errors(drawn(draw, 20, shape, 3.0, 2))]
    assert_told("second-phase work: several servers", found)


@pytest.mark.long
def test_shared_service():
    draw = np.random.default_rng(20264)
    found: list[float] = []
    for way, most in (((0, 0), (60, 70, 80, 90)), ((0, 1, 0), (40, 45, 50, 55))):
        for people, longest in enumerate(most, 1):
            found += errors(drawn(draw, 25, ((people,), (way,)), 10.0, 1, True, longest))
    assert_told("second-phase work: shared service", found)


@pytest.mark.parametrize("shared", [False, True])
def test_a_full_station_does_both(shared: bool):
    """Without think time it is always busy, and every passage takes both times of it."""
    times = np.array([0.1, 0.3]), np.array([0.05, 2.0])
    system = Leaving((3,), np.zeros((1, 2)), ((0, 0),), (times,), (1,), shared)
    assert solve(network(system)).throughput == pytest.approx(1 / (times[0] + times[1]), rel=1e-9)


def test_one_customer_alone_is_exact():
    """He meets the rest of what he left, which lasts longer than he thinks with the probability L / (L + Z)."""
    think, times = np.array([[0.1, 1.0, 5.0]]), (np.full(3, 0.2), np.array([3.0, 0.5, 1.0]))
    left = times[1]
    found = solve(network(Leaving((1,), think, ((0, 0),), (times,), (1,), False)))
    assert found.response == pytest.approx(0.2 + left * left / (left + think[0]), rel=1e-9)


def test_work_left_elsewhere_changes_nothing_for_customers():
    """Nobody waits for it: the response is that of the first station alone."""
    think, times = np.array([[2.0]]), (np.array([0.5]), np.array([0.3]))
    found = solve(network(Leaving((5,), think, ((0, 1),), (times,), (1, 1), True)))
    alone = solve(network(Leaving((5,), think, ((0, 0),), ((times[0], np.zeros(1)),), (1, 1), True)))
    assert found.response == pytest.approx(alone.response, rel=1e-9)
    assert found.stations[1].utilization == pytest.approx(0.3 * alone.throughput, rel=1e-9)


@pytest.mark.parametrize(("served", "delay", "left"), [(11.0, 165.0, 25.0), (11.0, 10.0, 60.0), (23.0, 0.0, 7.0)])
def test_one_customer_who_leaves_work_when_he_comes_again_meets_all_of_it(served: float, delay: float, left: float):
    """Without think time nothing of it is done before: a passage takes all three."""
    steps = (Hold("0", (Time(served),)), Time(delay), Hold("0", (Time(left),), phase=2))
    station = Station("0", False, 1, "fcfs", (Group("0", 1, 1.0),))
    alone = ClosedClass("", 1.0, 0.0, (Route("", 1.0, steps),))
    assert solve(RoutedNetwork((station,), (alone,))).throughput == pytest.approx(1 / (served + delay + left), rel=1e-9)


def test_one_customer_meets_what_his_absence_leaves_of_constant_work():
    """E[(L - A)+] of an exponential piece after a constant delay and exponential thinking."""
    delay, think, left = 0.4, 1.5, 2.0
    steps = (Hold("0", (Time(1.0),)), Hold("0", (Time(left),), phase=2), Time(delay, scv=0.0))
    station = Station("0", False, 1, "fcfs", (Group("0", 1, 1.0),))
    alone = ClosedClass("", 1.0, think, (Route("", 1.0, steps),))
    rest = left * np.exp(-delay / left) * left / (left + think)
    found = solve(RoutedNetwork((station,), (alone,)))
    assert found.throughput == pytest.approx(1 / (1.0 + delay + think + rest), rel=1e-9)
