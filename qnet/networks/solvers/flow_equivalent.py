"""Flow-equivalent aggregation: a part of a network as one station whose rate depends on the customers in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qnet.lazy import lazy
from qnet.networks.reasons import Reason
from qnet.networks.routed import RoutedNetwork
from qnet.networks.solution import RoutedSolution
from qnet.networks.wanted import Wanted, Work

if TYPE_CHECKING:
    from qnet.networks.capacity import closed as capacity
    from qnet.networks.memory import classes, regions
    from qnet.networks.memory import solve as memory
    from qnet.networks.solvers.protocol import SolvePart
else:
    capacity = lazy("qnet.networks.capacity.closed")
    classes = lazy("qnet.networks.memory.classes")
    regions = lazy("qnet.networks.memory.regions")
    memory = lazy("qnet.networks.memory.solve")

CLASSES = "open, closed"
APPLIES = (
    "subnetworks with a limited number of customers: a first-come-first-served station held around stations that "
    "others use by visits of open classes at most; one closed class, or several that share it"
)
COST = "population^2 x stations"
SOURCE = "@chandy1975; @lazowska1984, chapter 9"


def applies(network: RoutedNetwork, wanted: Wanted) -> Reason | None:
    """Why it does not apply; None where it does.

    Raises   `NotComputed` QN544 for times that depend on the number inside a subnetwork that cannot be separated.
    """
    if network.limited:
        return None if network.closed else Reason("limited")
    if regions.applies(network) or regions.shared(network, wanted):
        return None
    if network.profiles:
        raise regions.refusal(network)
    return Reason("no region")


def work(network: RoutedNetwork, wanted: Wanted) -> Work:
    """Solutions of the parts at every number of customers."""
    points = float(network.size or 1)
    most = sum(float(item.population) for item in network.closed) if network.size is None else 1e3
    cells = (most + 1.0) ** 2 * len(network.stations) * points
    return Work(1e3 * cells, 100.0 * cells)


def solve(network: RoutedNetwork, wanted: Wanted, solve_part: SolvePart) -> RoutedSolution:
    """The steady state, with the parts solved by `solve_part`."""
    if network.limited:
        return capacity.solve(network, wanted, solve_part)
    if limits := regions.shared(network, wanted):
        return classes.solve(limits, wanted, solve_part)
    return memory.solve(network, regions.applies(network), wanted, solve_part)
