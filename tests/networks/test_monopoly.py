"""Customers who return at once to a station that serves the last arrival first are served for ever."""

from __future__ import annotations

import pytest

from qnet.errors import NotComputed
from qnet.networks.routed import ClosedClass, Group, Hold, Route, RoutedNetwork, Station, Time
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
