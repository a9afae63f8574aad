"""Convolution for one closed class: exact, with state probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qnet.networks.closed import convolution as method
from qnet.networks.closed.problem import ClosedFigures, ClosedNetwork
from qnet.networks.wanted import Wanted, Work

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import SolvePart

CLASSES = "closed"
APPLIES = "one class; any stations; state probabilities"
COST = "population x servers; for rates of every number population^2"
SOURCE = "@buzen1973; @reiser1975"


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
    >>> solve(closed_network([[0.5]], [3]), AUTO, None).throughput
    (2.0,)
    """
    return method.solve(network, wanted.states)
