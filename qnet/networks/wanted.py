"""What an answer is to contain, by which method, and within which budget."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import TYPE_CHECKING, Any

from qnet.budget import MEMORY, OPERATIONS
from qnet.errors import Problem
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.networks.near import Nearby

NO_STATES = Problem(
    "QN513",
    "state probabilities are those of closed classes, and there are none",
    "a closed class",
    help="leave out --states; qnet queue has those of a single open station, with --states 20",
)
"""The refusal of methods that solve open classes alone."""
CORRECTIONS = ("conway", "seidmann", "rolia-sevcik")
"""How approximations may treat several servers, the one with the smallest measured error first."""

FEW_REQUESTS = 20
"""The number of requests of stations above which the chain of an open network has too many states in any case."""


class Work(Record):
    """What a method needs: elementary operations (about 1e9 of them per second) and bytes of memory."""

    operations: float
    bytes: float

    def amount(self, between: str = " and ") -> str:
        """Both as messages state them; an infinite amount was too large to be counted.

        >>> Work(2e9, 1e6).amount()
        '2.0e+09 operations and 1.0e+06 bytes'
        """
        if not isfinite(self.operations + self.bytes):
            return "more than 1e300 operations"
        return f"{self.operations:.1e} operations{between}{self.bytes:.1e} bytes"


class Wanted(Record):
    """The figures that are wanted, the method for them, and the budget of work and memory."""

    method: str = "auto"
    states: bool = False
    """Whether state probabilities are wanted."""
    operations: float = OPERATIONS
    """Elementary operations that an exact answer may take, about 1e9 a second."""
    memory: float = MEMORY
    """Bytes that it may take."""
    correction: str = ""
    """How approximations treat several servers, one of `CORRECTIONS`; empty: that with the smallest measured error."""
    core_solutions: int | None = 3
    """How many core solutions linearizer makes; None: until it converges."""
    chain: int = 10_000
    """The most states of a Markov chain that `auto` may solve where there is no product form; 0 for no chain."""
    announce: Callable[[str], None] | None = None
    """Called before an answer that will take long."""
    solved: Callable[[int], None] | None = None
    """Called with the number of points of a question solved, whenever some are."""
    bounds: str = ""
    """The kind of bounds wanted with the answer; empty: the tightest ones, of approximate answers only."""
    enclosed: bool = True
    """Whether approximate answers come with bounds that enclose the exact one, which searches have no use for."""
    rough: bool = False
    """Whether only the saturating load is wanted, for which a fixed point need not converge fully."""
    capacities: bool = False
    """Whether only loads without waits inside holds are wanted: no waits are computed, and all other figures mean
    nothing."""
    responses: bool = False
    """Whether only loads, throughputs and responses of classes are wanted: figures by station and by route, and the
    waits inside holds, may be left out."""
    warned: bool = True
    """Whether answers warn of use beyond the measured regions, which searches have no use for."""
    ceilings: bool | None = None
    """Whether the limit of the throughput of a single closed class is wanted; None: of a point, not of a batch."""
    each: bool = False
    """Whether every point of a batch has the full budget and gets the method that it would get alone (`Divided` is
    raised where methods differ); else the points share a budget and a method."""
    better: bool = False
    """Whether a point of open classes whose approximate answer is warned of may be solved by the chain of its states,
    which takes up to half a second."""
    only_chain: float = 0.0
    """The operations of a chain, where no answer is wanted if `auto` takes another method for closed classes, or the
    chain takes more: `NotComputed` is raised without trying that method. 0: the best answer is wanted."""
    near: Nearby | None = None
    """The fixed points of a nearby network, from which those of this one converge sooner."""

    def asks_ceiling(self, size: int | None) -> bool:
        """Whether the limit of the throughput is wanted.

        size  of the batch; None for a point.
        """
        return size is None if self.ceilings is None else self.ceilings


class Divided(Exception):
    """Points of a batch need different methods: those that are true in `first`, an array, and the others."""

    def __init__(self, first: Any) -> None:
        super().__init__("the points of a batch need different methods")
        self.first = first


AUTO = Wanted()
