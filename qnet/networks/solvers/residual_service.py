"""Closed classes served first come first served without product form: corrected mean value analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qnet.errors import NotComputed
from qnet.networks.product.demands import Demands
from qnet.networks.product.first_come import not_wanted, solve_first_come
from qnet.networks.product.solution import Solution
from qnet.networks.solvers.features import Final
from qnet.networks.wanted import Wanted, Work

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import SolvePart

CLASSES = "closed"
APPLIES = (
    "first come first served with service times that differ between classes or are not exponential; single and "
    "several servers, delays; any populations, fractional ones too"
)
COST = "iterations x classes^3 x stations"
SOURCE = "@reiser1979; @bolch2006, section 10.1"


def applies(network: Demands, wanted: Wanted) -> str:
    """Why it does not apply, or why `auto` prefers another method; raises as `first_come.not_wanted`."""
    return not_wanted(network, wanted)


def work(network: Demands, wanted: Wanted) -> Work:
    """Some hundred iterations over the pairs of classes at every station."""
    stations, classes = network.shape
    cells = float(stations * classes**2 * (network.size or 1))
    return Work(3e4 * (classes + 1) * cells / max(1, classes), 100.0 * cells)


def solve(network: Demands, wanted: Wanted, solve_part: SolvePart) -> Solution:
    """The steady state; raises `Final` QN511 where the fixed point is not proven: product-form methods, which ignore
    the order of arrival, must not answer instead."""
    try:
        return solve_first_come(network, wanted, solve_part)
    except NotComputed as error:
        raise Final(*error.problems) from None
