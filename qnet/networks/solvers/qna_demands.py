"""Queueing network analyzer for open classes given by their demands: each class visits its stations in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qnet.networks.product.demands import Demands
from qnet.networks.product.in_turn import solve_in_turn
from qnet.networks.product.solution import Solution
from qnet.networks.reasons import Reason
from qnet.networks.solvers import open_demands
from qnet.networks.solvers.qna import APPLIES, CLASSES, COST, SOURCE
from qnet.networks.wanted import Wanted, Work

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import SolvePart

__all__ = ["APPLIES", "CLASSES", "COST", "SOURCE", "applies", "solve", "work"]


def applies(network: Demands, wanted: Wanted) -> Reason | None:
    """Why it does not apply; None where it does. Raises `NotComputed` QN513 for states of closed classes."""
    return open_demands.applies(network, wanted)


def work(network: Demands, wanted: Wanted) -> Work:
    """A system of linear equations for the variabilities."""
    points = float(network.size or 1)
    return Work(100.0 * network.shape[0] ** 3 * points, 8.0 * network.shape[0] ** 2 * points)


def solve(network: Demands, wanted: Wanted, solve_part: SolvePart) -> Solution:
    """The steady state; raises `NotComputed` QN513 where the variability of arrivals is not known."""
    return solve_in_turn(network, "qna", wanted.each)
