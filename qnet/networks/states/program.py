"""A program for the customers of a network: wait for a server, spend a time, release the server, go on.

Every route is a graph of nodes. A customer is at a node of time or waits at a node of queueing; all others are passed
at once. `compiler` writes it, `machine` runs it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor

from qnet.record import Record

TIME, QUEUE, RELEASE, CHOICE, SPLIT, DONE, COUNT, REST, FORK, JOIN = range(10)
"""The kinds of nodes: spend an exponential time; wait for servers and take them; release servers; go on at random;
start work after the response; end; count a passing customer and go on; spend a time of 0, the limit of short times, so
that everything that takes no time at all is done before; start the branches of a parallel step; end a branch."""


HoldPath = tuple[tuple[int, int], ...]
"""The path to a hold: its index among the steps of a route and its group of copies, then the same inside of it."""


NEGLIGIBLE = 1e-12
"""The probability of as many customers from outside as the chain includes at which more of them are negligible."""
EVEN = 0.25
"""The scv that replaces those too small for phases, in networks that no other method solves."""


class NotCovered(Exception):
    """The network has a feature that the chain does not cover; the text names it."""


class TooLarge(Exception):
    """There are more states, or more work, than the budget allows."""


class Node(Record):
    """One point of a route.

    kind      one of the numbers above.
    after     the next node; for `SPLIT` that of the customer, for `DONE` where it thinks, or -1 outside.
    rate      `TIME`: per second.
    centre    `TIME`: where service is given, -1 without queueing; `QUEUE`, `RELEASE`: the centre; `SPLIT`: -1 where the
              work keeps no server and no place of a buffer, so that it is unlimited in number.
    priority  `QUEUE` and `TIME`.
    choices   `CHOICE`: probabilities and nodes; `SPLIT` and `FORK`: the first node of the work, or of every branch,
              with 1.
    present   the streams with a request of a customer at this node, waiting or holding a server.
    """

    kind: int
    after: int
    rate: float = 0.0
    centre: int = -1
    priority: int = 0
    choices: tuple[tuple[float, int], ...] = ()
    present: tuple[int, ...] = ()
    spent: tuple[int, int, str, int] | None = None
    """`TIME` and `QUEUE` before the response: class, route, and station and group where the time is spent."""
    mark: int = -1
    """The counter: for `COUNT` of passing customers, for `QUEUE` of those that are lost or wait for places of a buffer,
    for `JOIN` of parallel steps that have waited for this branch."""
    lost: int = -1
    """`QUEUE`: the node of customers that find no place."""
    speeds: tuple[float, ...] = ()
    """`TIME`: the factors of its rate with 1, 2, ... customers inside of `inside`; the last repeats."""
    levels: tuple[tuple[tuple[float, int], ...], ...] = ()
    """`CHOICE`: the choices with 1, 2, ... customers inside of `inside`; empty where they do not depend on it."""
    inside: int = -1
    """The centre whose number of busy servers `speeds` and `levels` depend on."""
    amount: int = 1
    """`QUEUE` and `RELEASE`: the servers that are taken together; `FORK`: the branches that must end."""
    branch: int = -1
    """`TIME`, `QUEUE` and `FORK` in a branch of a parallel step before the response: the number of the branch."""


class CentreCopy(Record):
    """One copy of a queueing station; or a buffer, whose places are servers."""

    station: str
    group: int
    discipline: str
    servers: int
    rates: tuple[float, ...] | None
    capacity: int | None = None
    """The largest number present, those in service included; None without a limit."""

    @property
    def most(self) -> int:
        """The most customers in service at once; 1 where the rate depends on the number present."""
        return self.servers if self.rates is None else 1

    @property
    def shared(self) -> bool:
        """Whether all customers present are served at once."""
        return self.discipline == "ps"

    @property
    def ordered(self) -> bool:
        """Whether service may be interrupted: all customers present are in one line."""
        return self.discipline in ("lcfs-pr", "preemptive")


class Store(Record):
    """A buffer."""

    name: str
    centre: int
    asked: Mapping[int, int]
    """By number of places requested together: the mark of such requests."""
    refused: Mapping[int, int]
    """By number of places requested together: the mark of those that find fewer."""


class ParallelNodes(Record):
    """A parallel step outside of others and before the response."""

    class_index: int
    route: int
    begun: int
    """The mark of its beginning."""
    nodes: tuple[int, ...]
    """Its `FORK` nodes."""
    branches: tuple[tuple[int, int, int], ...]
    """For every branch: its number, the mark of its end, and the mark of its end if the step has waited for it."""


class Program(Record):
    """A network as nodes and centres."""

    nodes: tuple[Node, ...]
    centres: tuple[CentreCopy, ...]
    homes: tuple[tuple[int, int], ...]
    """For every closed class its customers, and the node where they begin; for every open class without Poisson
    arrivals the one customer that generates its arrivals."""
    arrivals: tuple[tuple[float, int], ...]
    """For every open class with Poisson arrivals its rate, and the node where customers begin."""
    phased: tuple[str, ...]
    """The times that are not exponential, in words."""
    routes: Mapping[tuple[int, int], int]
    """By class and route, of classes with several routes: the mark of the passages that end."""
    passing: Mapping[int, int]
    """By stream, where customers may be lost: the mark of its visits."""
    losing: Mapping[tuple[str, int], int]
    """By group of copies of a station with a capacity: the mark of customers lost there."""
    begun: tuple[int, ...]
    """By class, where customers may be lost: the mark of the passages that begin."""
    at_once: bool
    """Whether a service of no time may begin while something else takes no time: their order is a definition."""
    early: bool
    """Whether customers are lost before they have spent any time, if at all."""
    steps: Mapping[tuple[tuple[int, int], HoldPath, int], tuple[int, tuple[int, ...]]]
    """If times depend on the number inside: by class and route, path and index of a step, its mark and its nodes of
    time."""
    stores: tuple[Store, ...] = ()
    forks: tuple[ParallelNodes, ...] = ()
    """By class and route, then in the order of the steps."""
    evened: tuple[str, ...] = ()
    """The times that are more variable here than stated, in words."""
    unbounded: bool = False
    """Whether the number of customers or of pieces of work is unlimited."""


class Held(Record):
    """A hold around a step, in a program."""

    name: str
    centre: int
    """-1: a delay, without waiting."""
    stream: int
    after: int
    """The node after its release."""
    priority: int = 0
    group: int = 0
    mark: int = -1
    """The mark of its visits, where customers may be lost."""


def unbounded(node: Node) -> bool:
    """Whether a node starts work that is unlimited in number.

    node  of a program.
    """
    return (node.kind == SPLIT and node.centre < 0) or (node.kind == FORK and node.amount < len(node.choices))


def drawn(visits: float, left: Sequence[int]) -> tuple[tuple[float, int], ...]:
    """The probabilities and nodes where a mean number of visits begins.

    visits  their mean number.
    left    the nodes where 0, 1, ... visits begin.
    """
    count = floor(visits)
    if visits == count:
        return ((1.0, left[count]),)
    return ((visits - count, left[count + 1]), (1.0 - visits + count, left[count]))
