"""Networks with priorities: approximate mean value analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qnet.networks.product.demands import Demands
from qnet.networks.product.loads import ranked
from qnet.networks.product.priorities import solve_ranked
from qnet.networks.product.solution import Solution
from qnet.networks.wanted import Wanted, Work

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import SolvePart

CLASSES = "closed"
APPLIES = (
    "head-of-line and preemptive-resume priorities; single and several servers, delays; any populations, fractional "
    "ones too"
)
COST = "iterations x classes^3 x stations"
SOURCE = "@bryant1984; corrected here"


def applies(network: Demands, wanted: Wanted) -> str:
    """Why it does not apply; empty where it does."""
    return "" if ranked(network) else "no station has priorities"


def work(network: Demands, wanted: Wanted) -> Work:
    """Some hundred iterations over the pairs of classes at every station."""
    stations, classes = network.shape
    cells = float(stations * classes**2 * (network.size or 1))
    return Work(1e3 * cells, 50.0 * cells)


def solve(network: Demands, wanted: Wanted, solve_part: SolvePart) -> Solution:
    """The steady state; raises `NotComputed` QN511, QN546."""
    return solve_ranked(network, wanted)
