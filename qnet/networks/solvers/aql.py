"""Aggregate queue length: approximate mean value analysis with the changes of total queue lengths estimated."""

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
COST = "iterations x classes x stations"
SOURCE = "@zahorjan1988"


def applies(network: Demands, wanted: Wanted) -> str:
    """Empty: it applies to all networks with the features of its row."""
    return ""


def work(network: Demands, wanted: Wanted) -> Work:
    """Operations and bytes, for the number of iterations that most networks need."""
    return mixed.approximate_work(network, len(network.closed) + 1)


def solve(network: Demands, wanted: Wanted, solve_part: SolvePart) -> Solution:
    """The steady state; raises `NotComputed` QN511 where it does not converge, QN513 for rates other than servers."""
    return mixed.solve_approximately(network, wanted, "aql")
