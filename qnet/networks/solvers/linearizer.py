"""Linearizer: approximate mean value analysis with the changes of proportions estimated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qnet.networks.product import mixed
from qnet.networks.product.demands import Demands
from qnet.networks.product.solution import Solution
from qnet.networks.wanted import Wanted, Work

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import SolvePart

CLASSES = "closed"
APPLIES = "single and several servers, delays; any populations, fractional ones too"
COST = "core solutions x classes^2 x stations"
SOURCE = "@chandy1982"


def applies(network: Demands, wanted: Wanted) -> str:
    """Empty: it applies to all networks with the features of its row."""
    return ""


def work(network: Demands, wanted: Wanted) -> Work:
    """Operations and bytes, for the number of iterations that most networks need."""
    cores = 1 if wanted.core_solutions == 1 else len(network.closed) + 1
    return mixed.approximate_work(network, cores)


def solve(network: Demands, wanted: Wanted, solve_part: SolvePart) -> Solution:
    """The steady state; raises `NotComputed` QN511 where it does not converge, QN513 for rates other than servers."""
    return mixed.solve_approximately(network, wanted, "linearizer")
