"""Customers who return at once to a station that serves the last arrival first are served for ever."""

from __future__ import annotations

from typing import Any

import pytest

from qnet import Network
from qnet.errors import NotComputed
from qnet.lazy import np
from qnet.networks.routed import Buffer, ClosedClass, Group, Hold, Route, RoutedNetwork, Station, Time
from qnet.networks.solve import solve


def network(population: float, think: float, discipline: str = "lcfs-pr", others: float = 1.0) -> RoutedNetwork:
    names = ("s", "t")
    stations = tuple(Station(name, False, 1, discipline, (Group(name, 1, 1.0),)) for name in names)
    visits = tuple(Hold(name, (Time(1.0),)) for name in names)
    staying = ClosedClass("staying", population, think, (Route("r", 1.0, visits[:1]),))
    passing = ClosedClass("passing", others, 0.0, (Route("r", 1.0, visits),))
    return RoutedNetwork(stations, (staying, passing))


def test_it_is_refused_with_the_way_out() -> None:
    with pytest.raises(NotComputed) as caught:
        solve(network(1.0, 0.0))
    problem = caught.value.problems[0]
    assert problem.code == "QN586"
    assert "think time" in problem.help


@pytest.mark.parametrize(
    "asked", [network(1.0, 0.1), network(1.0, 0.0, "ps"), network(1.0, 0.0, others=0.0), network(0.0, 0.0)]
)
def test_others_are_exact(asked: RoutedNetwork) -> None:
    assert solve(asked).exact


def test_a_delay_of_no_time_does_not_let_others_in() -> None:
    asked = network(1.0, 0.0)
    staying, passing = asked.classes
    route = staying.routes[0]
    delayed = staying.replace(routes=(route.replace(steps=(Time(0.0), *route.steps)),))
    with pytest.raises(NotComputed) as caught:
        solve(asked.replace(classes=(delayed, passing)))
    assert caught.value.problems[0].code == "QN586"


def test_work_after_the_response_elsewhere_does_not_let_others_in() -> None:
    asked = network(1.0, 0.0)
    staying, passing = asked.classes
    route = staying.routes[0]
    later = Hold("t", (Time(1.0),), phase=2, drains="log")
    leaving = staying.replace(routes=(route.replace(steps=(*route.steps, Time(0.0, fills="log"), later)),))
    losing = asked.replace(classes=(leaving, passing), buffers=(Buffer("log", 2.0, True),))
    with pytest.raises(NotComputed) as caught:
        solve(losing)
    assert caught.value.problems[0].code == "QN586"
    waiting = losing.replace(buffers=(Buffer("log", 2.0, False),))
    assert solve(waiting).classes


def stacks(populations: tuple[float, float], think: float = 0.0, servers: int = 1) -> RoutedNetwork:
    """Two classes with unequal times at two stations that serve the last arrival first."""
    stations = tuple(Station(name, False, servers, "lcfs-pr", (Group(name, 1, 1.0),)) for name in ("s", "t"))
    classes = tuple(
        ClosedClass(name, population, think, (Route("r", 1.0, (Hold("s", (Time(time),)), Hold("t", (Time(1.0),)))),))
        for name, population, time in zip("ab", populations, (1.0, 2.0), strict=True)
    )
    return RoutedNetwork(stations, classes)


def test_customers_who_only_change_between_two_stacks_never_overtake() -> None:
    with pytest.raises(NotComputed) as caught:
        solve(stacks((3.0, 2.0)))
    problem = caught.value.problems[0]
    assert problem.code == "QN586"
    assert "order never changes" in problem.found


@pytest.mark.parametrize("asked", [stacks((3.0, 0.0)), stacks((3.0, 2.0), think=0.1)])
def test_one_class_alone_or_with_think_time_is_exact(asked: RoutedNetwork) -> None:
    assert solve(asked).exact


@pytest.mark.parametrize("visits", [0.0, np.array([1.0, 0.0])])
@pytest.mark.parametrize("route", [Route("r", 1.0, ()), Route("other", 0.0, (Time(5.0),))])
def test_steps_and_routes_that_are_not_taken_do_not_let_others_in(visits: Any, route: Route) -> None:
    asked = network(1.0, 0.0)
    staying, passing = asked.classes
    steps = (*staying.routes[0].steps, Time(1.0, visits=visits))
    left = staying.replace(routes=(staying.routes[0].replace(steps=steps), route.replace(probability=0.0)))
    size = len(visits) if isinstance(visits, np.ndarray) else None
    with pytest.raises(NotComputed) as caught:
        solve(asked.replace(classes=(left, passing), size=size))
    assert caught.value.problems[0].code == "QN586"


STACKED = {"demands": [[1.0, 2.0], [1.5, 1.0]], "population": [3, 2], "disciplines": "lcfs-pr"}


def test_the_same_is_refused_of_demands() -> None:
    for demands in (STACKED["demands"], [[1.0, 2.0], [0.0, 1.0]]):
        with pytest.raises(NotComputed) as caught:
            Network(**{**STACKED, "demands": demands}).solve()
        assert caught.value.problems[0].code == "QN586"


@pytest.mark.parametrize(
    "changed",
    [{"think_time": [0.0, 1.0]}, {"population": [3, 0]}, {"disciplines": ["lcfs-pr", "ps"]}, {"servers": [2, 2]}],
)
def test_demands_that_let_customers_overtake_are_answered(changed: dict[str, Any]) -> None:
    assert Network(**{**STACKED, **changed}).solve().throughput[0] > 0


def test_a_variant_in_which_a_class_stays_is_refused_as_it_is_alone() -> None:
    demands = np.array([[[1.0, 2.0], [1.5, 1.0], [0.5, 0.5]], [[1.0, 2.0], [0.0, 1.0], [0.0, 0.5]]])
    overtaking = {**STACKED, "disciplines": ["lcfs-pr", "lcfs-pr", "ps"]}
    assert Network(**{**overtaking, "demands": demands[:1]}).solve().exact
    for asked in (demands[1], demands):
        with pytest.raises(NotComputed) as caught:
            Network(**{**overtaking, "demands": asked}).solve()
        assert caught.value.problems[0].code == "QN586"
