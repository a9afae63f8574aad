"""Queueing network analyzer: open networks, with the variability of arrivals passed from station to station."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qnet.networks.reasons import Reason
from qnet.networks.routed import RoutedNetwork
from qnet.networks.solution import RoutedSolution
from qnet.networks.solvers import open_routes
from qnet.networks.wanted import Wanted, Work

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import SolvePart

CLASSES = "open"
APPLIES = (
    "any service times and interarrival times, given by mean and scv; several servers, sharing, delays; no holds, "
    "priorities, or second-phase work"
)
COST = "pairs of stations, stations^3"
SOURCE = "@whitt1983"


def applies(network: RoutedNetwork, wanted: Wanted) -> Reason | None:
    """Why it does not apply, as far as is known before the streams are computed; None where it may."""
    return open_routes.applies(network, wanted)


def work(network: RoutedNetwork, wanted: Wanted) -> Work:
    """A system of linear equations for the scv of the arrivals at every station."""
    points = float(network.size or 1)
    return Work(100.0 * len(network.stations) ** 3 * points, 8.0 * len(network.stations) ** 2 * points)


def solve(network: RoutedNetwork, wanted: Wanted, solve_part: SolvePart) -> RoutedSolution:
    """The steady state; raises `NotComputed` QN513 where the scv of arrivals cannot be computed."""
    return open_routes.solve(network, wanted, solve_part)
