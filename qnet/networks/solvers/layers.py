"""Simultaneous resource possession and second-phase work of closed classes: the method of layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qnet.lazy import lazy
from qnet.networks.exactness import refuse_uneven
from qnet.networks.memory.regions import applies as separable
from qnet.networks.memory.regions import held
from qnet.networks.reasons import Reason
from qnet.networks.reduction import Reduction
from qnet.networks.routed import RoutedNetwork
from qnet.networks.solution import RoutedSolution
from qnet.networks.wanted import Wanted, Work

if TYPE_CHECKING:
    from qnet.networks.layers import solve as layers
    from qnet.networks.solvers.protocol import SolvePart
else:
    layers = lazy("qnet.networks.layers.solve")

CLASSES = "closed"
APPLIES = "simultaneous resource possession, second-phase work; no rates that depend on the number present"
COST = "iterations x combinations of holds x streams^2"
SOURCE = "@rolia1995; @chandy1982"


def applies(network: RoutedNetwork, wanted: Wanted) -> Reason | None:
    """Why it does not apply or is not needed; None where it is. Raises as `Reduction`, and `Divided`."""
    if limited := separable(network):
        return held(limited)
    refuse_uneven(network, Reason("closed"))
    if Reduction(network).by_layers(wanted):
        return None
    return Reason("nothing held")


def work(network: RoutedNetwork, wanted: Wanted) -> Work:
    """Some hundred iterations over all pairs of steps."""
    steps = sum(len(route.steps) for item in network.classes for route in item.routes)
    cells = float(steps**2 * (network.size or 1))
    return Work(1e5 * cells, 1e3 * cells)


def solve(network: RoutedNetwork, wanted: Wanted, solve_part: SolvePart) -> RoutedSolution:
    """The steady state; raises `NotComputed` QN513, QN540, QN541."""
    return layers.solve(network, Reduction(network).unit, wanted)
