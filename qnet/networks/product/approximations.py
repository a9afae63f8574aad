"""The approximations of closed classes whose cost does not depend on the populations, as methods of the table.

Their equations are in `closed.approximate_methods`; each method is one record here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qnet.networks.product import mixed
from qnet.networks.product.demands import Demands
from qnet.networks.product.solution import Solution
from qnet.networks.wanted import Wanted, Work
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.networks.reasons import Reason
    from qnet.networks.solvers.protocol import SolvePart


class Approximation(Record):
    """One of these methods."""

    NAME: str
    COST: str
    SOURCE: str
    cores: bool = True
    """Whether it also solves the network with one customer less of each class."""
    CLASSES = "closed"
    APPLIES = "single and several servers, delays; any populations, fractional ones too"

    def applies(self, network: Demands, wanted: Wanted) -> Reason | None:
        """None: it applies to all networks with the features of its row."""
        return None

    def work(self, network: Demands, wanted: Wanted) -> Work:
        """Operations and bytes, for the number of iterations that most networks need."""
        single = not self.cores or (self is LINEARIZER and wanted.core_solutions == 1)
        return mixed.approximate_work(network, 1 if single else len(network.closed) + 1)

    def solve(self, network: Demands, wanted: Wanted, solve_part: SolvePart) -> Solution:
        """The steady state; raises `NotComputed` QN511 where it does not converge, QN513 for rates other than
        servers."""
        return mixed.solve_approximately(network, wanted, self.NAME)


BARD_SCHWEITZER = Approximation(
    NAME="bard-schweitzer", COST="iterations x classes x stations", SOURCE="@schweitzer1979", cores=False
)
LINEARIZER = Approximation(NAME="linearizer", COST="core solutions x classes^2 x stations", SOURCE="@chandy1982")
AQL = Approximation(NAME="aql", COST="iterations x classes x stations", SOURCE="@zahorjan1988")
