"""What is called exact of a station with a capacity, against the chain of all its lines."""

from __future__ import annotations

import pytest
from full_chain import Figures, Visitor, figures

from qnet.networks.routed import Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve
from qnet.networks.wanted import AUTO

ONE, LONG, SHORT = Visitor(0.5, 1.0), Visitor(0.3, 2.0), Visitor(0.9, 0.4)
EVEN, ODD = Visitor(0.4, 1.2, 0.4), Visitor(0.3, 1.0, 5.0)
FIRST = Visitor(0.4, 1.0, priority=1)
TWICE = Visitor(0.3, 1.0, visits=2)

EXACT = {
    "priorities": ((ONE, FIRST), "priority", 1, 3),
    "priorities, first come first served among equals": ((ONE, FIRST), "fcfs", 1, 3),
    "priorities, times that differ": ((LONG, Visitor(0.9, 0.4, priority=1)), "priority", 1, 4),
    "priorities, two servers": ((LONG, FIRST), "priority", 2, 4),
    "priorities, three levels": ((LONG, FIRST, Visitor(0.2, 0.3, priority=3)), "priority", 1, 4),
    "interrupting": ((ONE, FIRST), "preemptive", 1, 3),
    "interrupting, times that differ": ((SHORT, Visitor(0.3, 2.0, priority=1)), "preemptive", 1, 4),
    "interrupting, two servers": ((LONG, FIRST), "preemptive", 2, 4),
    "general times": ((EVEN, ODD), "fcfs", 1, 4),
    "times that differ": ((LONG, SHORT), "fcfs", 1, 4),
    "general times, one place": ((EVEN, ODD), "fcfs", 1, 1),
    "general times, equal priorities": ((EVEN, ODD), "priority", 1, 4),
    "no room to wait": ((EVEN, ODD), "fcfs", 3, 3),
    "no room to wait, interrupting": ((EVEN, Visitor(0.3, 1.0, 5.0, 1)), "preemptive", 2, 2),
    "shared": ((EVEN, ODD), "ps", 1, 4),
    "shared, two servers": ((EVEN, ODD), "ps", 2, 4),
    "last come": ((EVEN, ODD), "lcfs-pr", 1, 4),
    "two visits": ((TWICE, ONE), "fcfs", 1, 3),
    "two visits, two servers": ((TWICE, ONE), "fcfs", 2, 4),
    "two visits, shared": ((Visitor(0.3, 0.7, 3.0, visits=2), EVEN), "ps", 1, 3),
    "two visits, no room to wait": ((Visitor(0.3, 0.7, 3.0, visits=2), EVEN), "fcfs", 2, 2),
}
"""Classes, the discipline, the servers and the places."""
ROUGH = {
    "general times, two servers": ((EVEN, ODD), "fcfs", 2, 4),
    "priorities, general times": ((EVEN, Visitor(0.3, 1.0, 5.0, 1)), "priority", 1, 4),
    "two visits, general times": ((Visitor(0.3, 0.7, 3.0, visits=2), EVEN), "fcfs", 1, 3),
    "two visits, priorities": ((TWICE, FIRST), "priority", 1, 3),
}


def network(visitors: tuple[Visitor, ...], discipline: str, servers: int, places: int) -> RoutedNetwork:
    """The same as qnet is told it."""
    station = Station("s", False, servers, discipline, (Group("s", 1, 1.0),), capacity=places)
    classes = tuple(
        OpenClass(
            str(kind),
            item.rate,
            (Route("", 1.0, (Hold("s", (Time(item.mean, item.scv),), float(item.visits), priority=item.priority),)),),
        )
        for kind, item in enumerate(visitors)
    )
    return RoutedNetwork((station,), classes)


def told(found: RoutedSolution) -> Figures:
    lost = 1.0 - found.throughput / sum(item.offered for item in found.classes)
    return Figures(lost, tuple(item.throughput * item.response for item in found.classes))


@pytest.mark.parametrize("case", EXACT)
def test_what_is_called_exact_is(case: str):
    found = solve(network(*EXACT[case]), AUTO.replace(chain=0))
    exact = figures(*EXACT[case])
    assert found.exact
    assert told(found).lost == pytest.approx(exact.lost, rel=1e-9)
    assert told(found).numbers == pytest.approx(exact.numbers, rel=1e-9)


@pytest.mark.parametrize("case", ROUGH)
def test_what_is_not_exact_warns(case: str):
    found = solve(network(*ROUGH[case]), AUTO.replace(chain=0))
    assert not found.exact
    assert [getattr(reason, "code", "") for reason in found.reasons] == ["QN657"]
    assert told(found).lost == pytest.approx(figures(*ROUGH[case]).lost, rel=0.3)
