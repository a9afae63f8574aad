"""Servers held while others are waited for, and work after the response, of closed classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qnet.networks.exactness import refuse_uneven
from qnet.networks.layers.solve import solve as solve_layers
from qnet.networks.memory.regions import applies as apart
from qnet.networks.memory.regions import held
from qnet.networks.reduction import Reduction
from qnet.networks.routed import RoutedNetwork
from qnet.networks.solution import RoutedSolution
from qnet.networks.wanted import Wanted, Work

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import SolvePart

CLASSES = "closed"
APPLIES = "servers held while others are waited for, work after the response; no rates of the number present"
COST = "rounds x ways to hold x streams^2"
SOURCE = "Rolia, Sevcik, IEEE TSE 21 (1995); Chandy, Neuse, Comm. ACM 25 (1982) 126-134"


def applies(network: RoutedNetwork, wanted: Wanted) -> str:
    """Why it does not apply, or `auto` does not need it; empty where it does. Raises as `Reduction`, and `Divided`."""
    found = apart(network)
    if found:
        return held(found)
    refuse_uneven(network, "there are closed classes")
    if Reduction(network).by_layers(wanted):
        return ""
    return "no server is held during a wait that may happen, or kept after the response"


def work(network: RoutedNetwork, wanted: Wanted) -> Work:
    """Some hundred rounds over the pairs of requests for stations."""
    requests = sum(len(route.steps) for item in network.classes for route in item.routes)
    cells = float(requests**2 * (network.size or 1))
    return Work(1e5 * cells, 1e3 * cells)


def solve(network: RoutedNetwork, wanted: Wanted, solve_part: SolvePart) -> RoutedSolution:
    """The steady state; raises `NotComputed` QN513, QN540, QN541."""
    return solve_layers(network, Reduction(network).unit, wanted)
