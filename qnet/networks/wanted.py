"""How an answer is to be computed, where there is a choice of methods."""

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


class Work(Record):
    """What a method needs: elementary operations (about 1e9 of them per second) and bytes of memory."""

    operations: float
    bytes: float

    def amount(self, between: str = " and ") -> str:
        """Both as messages have them; what is infinite was too much to be counted.

        >>> Work(2e9, 1e6).amount()
        '2.0e+09 operations and 1.0e+06 bytes'
        """
        if not isfinite(self.operations + self.bytes):
            return "more than 1e300 operations"
        return f"{self.operations:.1e} operations{between}{self.bytes:.1e} bytes"


class Wanted(Record):
    """A method by name, or the best one within an announced budget of work and memory."""

    method: str = "auto"
    states: bool = False
    """Whether state probabilities are wanted."""
    operations: float = OPERATIONS
    """Elementary operations of an exact answer, about 1e9 a second."""
    memory: float = MEMORY
    """Bytes."""
    correction: str = ""
    """How approximations treat several servers; empty: the one with the smallest measured error."""
    core_solutions: int | None = 3
    """Of linearizer; None: until it converges."""
    chain: int = 10_000
    """States of a Markov chain that `auto` may solve where there is no product form; 0 for none."""
    announce: Callable[[str], None] | None = None
    """Called before an answer that will take long."""
    solved: Callable[[int], None] | None = None
    """Called with the number of points of a question solved, whenever some are."""
    bounds: str = ""
    """A kind of bounds that are wanted besides the answer; empty: those of approximate answers only, the tightest."""
    enclosed: bool = True
    """Whether approximate answers come with bounds that enclose the exact one, which searches have no use for."""
    rough: bool = False
    """Whether only the saturating load is asked for, for which a fixed point that has not quite converged is
    sufficient."""
    capacities: bool = False
    """Whether only the loads that hold no waits are asked for: without waits, all other figures mean nothing."""
    responses: bool = False
    """Whether no more than loads, throughputs and responses of classes are asked for: figures by station and by route,
    and what outer stations wait for, may be left out."""
    warned: bool = True
    """Whether answers say what of them was not measured, which searches have no use for."""
    ceilings: bool | None = None
    """Whether to say what the throughput of a single closed class tends to; None: of a point, and not of a batch."""
    each: bool = False
    """Whether every point of a batch has the full budget and gets the method it would get alone; else they share the
    budget and a method. Raises `Divided` where points need different ones."""
    better: bool = False
    """Whether a point of open classes whose approximate answer is warned of may be solved by the chain of its states,
    which takes up to half a second."""
    near: Nearby | None = None
    """What the solution of a network that is nearly the same ended with, from which fixed points converge sooner."""

    def asks_ceiling(self, size: int | None) -> bool:
        """Whether what the throughput tends to is asked for.

        size  of the batch; None for a point.
        """
        return size is None if self.ceilings is None else self.ceilings


class Divided(Exception):
    """Points of a batch are not to be solved by one method; `first` says which of them, an array of truth values."""

    def __init__(self, first: Any) -> None:
        super().__init__("the points of a batch need different methods")
        self.first = first


AUTO = Wanted()
