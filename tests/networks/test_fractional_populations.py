"""A population that is no whole number is told of, whatever method answers."""

from __future__ import annotations

import pytest

from qnet.networks.routed import ClosedClass, Group, Hold, Route, RoutedNetwork, Station, Step, Time
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve as solve_best
from qnet.networks.wanted import AUTO, Wanted


def solve(network: RoutedNetwork, wanted: Wanted = AUTO) -> RoutedSolution:
    """The answer of the methods that are to be tested, which `states` would otherwise take the place of."""
    return solve_best(network, wanted.replace(chain=0))


TOLD = "results for a fractional population lie between those of the two nearest integers"


def visit(name: str, time: float, *inside: Step, priority: int = 0) -> Hold:
    return Hold(name, (Time(time), *inside), priority=priority)


MEMORY = (Hold("memory", (visit("cpu", 0.1),)),)
HELD = (visit("memory", 0.1, visit("cpu", 0.1)),)
METHODS: dict[str, tuple[tuple[Step, ...], ...]] = {
    "flow-equivalent": (MEMORY,),
    "layers": (HELD, (visit("cpu", 0.1),)),
    "residual-service": ((visit("cpu", 0.1),), (visit("cpu", 0.2),)),
    "priority-mva": ((visit("cpu", 0.1),), (visit("cpu", 0.1, priority=1),)),
}


@pytest.mark.parametrize("method", METHODS)
def test_it_is_a_reason(method: str):
    stations = [
        Station(name, False, count, "fcfs", (Group(name, 1, 1.0),)) for name, count in (("memory", 2), ("cpu", 1))
    ]
    for people, told in ((3.5, True), (3.0, False)):
        classes = tuple(ClosedClass(f"{number}", people, 1.0, (Route("", 1.0, steps),))
                        for number, steps in enumerate(METHODS[method]))  # fmt: skip
        found = solve(RoutedNetwork(tuple(stations), classes))
        assert found.method == method
        assert (TOLD in found.reasons) == told
