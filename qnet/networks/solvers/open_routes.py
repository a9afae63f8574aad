"""Open networks: a formula for every station; holds and finite capacities by a fixed point."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qnet.errors import NotComputed
from qnet.expression import FLOATS, arrays
from qnet.lazy import lazy
from qnet.networks.exactness import reasons_for
from qnet.networks.open.solve import loads_without_waits
from qnet.networks.open.solve import solve as solve_open
from qnet.networks.reasons import Reason
from qnet.networks.routed import OpenClass, RoutedNetwork, nested, one_by_one
from qnet.networks.solution import RoutedSolution
from qnet.networks.streams import streams
from qnet.networks.wanted import NO_STATES, Wanted, Work

if TYPE_CHECKING:
    from qnet.networks import closed_networks
    from qnet.networks.capacity import open as capacity
    from qnet.networks.memory import regions
    from qnet.networks.solvers.protocol import SolvePart
else:
    closed_networks = lazy("qnet.networks.closed_networks")
    capacity = lazy("qnet.networks.capacity.open")
    regions = lazy("qnet.networks.memory.regions")

CLASSES = "open"
APPLIES = "any stations; closed classes of the same network are solved by another method"
COST = "stations x classes"
SOURCE = "@baskett1975"


def applies(network: RoutedNetwork, wanted: Wanted) -> Reason | None:
    """Why it does not apply; None where it does. Raises `NotComputed` QN513 for state probabilities."""
    if network.limited:
        return None
    if any(station.rates is not None for station in network.stations) and not _decomposed(network, wanted.method):
        return Reason("rates")
    if (nested(network) or network.profiles) and (limited := regions.applies(network)):
        return regions.held(limited)
    if wanted.method == "auto" and nested(network) and (limits := regions.shared(network, wanted)):
        return regions.held(limits.limited)
    if network.profiles:
        return Reason("memory")
    if wanted.states:
        raise NotComputed(NO_STATES)
    return None


def _decomposed(network: RoutedNetwork, method: str) -> bool:
    """Whether stations next to those with rates are solved one by one; where all have product form, demands suffice."""
    if network.closed or not one_by_one(network):
        return False
    if method == "qna":
        return True
    operations = FLOATS if network.size is None else arrays()
    rates = [item.arrival_rate for item in network.classes if isinstance(item, OpenClass)]
    return bool(reasons_for(network, streams(network, operations, rates), operations))


def work(network: RoutedNetwork, wanted: Wanted) -> Work:
    """Negligible: closed forms, with a few iterations for holds."""
    return Work(0.0, 0.0)


def solve(network: RoutedNetwork, wanted: Wanted, solve_part: SolvePart) -> RoutedSolution:
    """The steady state; by qna for `auto` where the variability of arrivals matters."""
    if network.limited:
        return capacity.solve(network, wanted.replace(responses=False))
    if wanted.capacities:
        return loads_without_waits(network, wanted.responses)
    solution = solve_open(network, wanted.method, wanted.each, wanted.warned, wanted.responses)
    return closed_networks.enclosed(network, solution, wanted.bounds) if wanted.bounds else solution
