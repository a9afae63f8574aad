"""Open classes given by their demands, in closed form: product form solves each station by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qnet.errors import NotComputed
from qnet.networks.product.demands import Demands
from qnet.networks.product.mixed import solve_open
from qnet.networks.product.solution import Solution
from qnet.networks.reasons import Reason
from qnet.networks.wanted import NO_STATES, Wanted, Work

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import SolvePart

CLASSES = "open"
APPLIES = "any stations; closed classes of the same network are solved by another method"
COST = "stations x classes"
SOURCE = "@baskett1975"


def applies(network: Demands, wanted: Wanted) -> Reason | None:
    """None: it always applies. Raises `NotComputed` QN513 for state probabilities, which are of closed classes."""
    if wanted.states:
        raise NotComputed(NO_STATES)
    return None


def work(network: Demands, wanted: Wanted) -> Work:
    """Negligible: a closed form for each station."""
    return Work(0.0, 0.0)


def solve(network: Demands, wanted: Wanted, solve_part: SolvePart) -> Solution:
    """The steady state."""
    return solve_open(network)
