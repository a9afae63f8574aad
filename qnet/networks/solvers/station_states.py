"""Several closed classes at few stations, by the joint distribution of queue lengths: exact."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qnet.networks.closed import station_states as method
from qnet.networks.closed.problem import ClosedFigures, ClosedNetwork
from qnet.networks.wanted import Wanted, Work

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import SolvePart

CLASSES = "closed"
APPLIES = "many classes at few stations; any stations; state probabilities"
COST = "distributions of all customers over the stations x customers"
SOURCE = "@desouza1989"


def applies(network: ClosedNetwork, wanted: Wanted) -> str:
    """Why it does not apply; empty where it does."""
    return method.refusal(network, wanted.states)


def work(network: ClosedNetwork, wanted: Wanted) -> Work:
    """What it needs for a point, or for a batch."""
    return method.work(network, wanted.states)


def solve(network: ClosedNetwork, wanted: Wanted, solve_part: SolvePart) -> ClosedFigures:
    """The steady state of the closed classes.

    >>> from qnet.networks.closed.problem import closed_network
    >>> from qnet.networks.wanted import AUTO
    >>> [round(rate, 9) for rate in solve(closed_network([[1.0, 1.0]], [1, 1]), AUTO, None).throughput]
    [0.5, 0.5]
    """
    return method.solve(network, wanted.states)
