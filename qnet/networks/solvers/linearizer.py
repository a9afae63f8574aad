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
APPLIES = "single and several servers, delays; any populations, fractions too"
COST = "core solutions x classes^2 x stations"
ERROR = "throughput: median 0.03 %, worst seen 1.6 % with single servers, 17 % with several"
SOURCE = "Chandy, Neuse, Comm. ACM 25 (1982) 126-134"


def applies(network: Demands, wanted: Wanted) -> str:
    """Empty: it takes what its row supports."""
    return ""


def work(network: Demands, wanted: Wanted) -> Work:
    """What it takes, with the rounds that most networks need."""
    return mixed.approximate_work(network)


def solve(network: Demands, wanted: Wanted, solve_part: SolvePart) -> Solution:
    """The steady state; raises `NotComputed` QN511 where it does not converge, QN513 for rates other than servers."""
    return mixed.solve_approximately(network, wanted, "linearizer")
