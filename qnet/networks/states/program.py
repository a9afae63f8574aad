"""A program for the customers of a network: wait for a server, spend a time, release the server, go on.

Every route is a graph of nodes. A customer stands at a node of time or waits at a node of queueing; all others are
passed at once. `compiler` writes it, `machine` runs it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor

from qnet.record import Record

TIME, QUEUE, RELEASE, CHOICE, SPLIT, DONE, COUNT, REST, FORK, JOIN = range(10)
"""What a node does: spend an exponential time; wait for servers and take them; release servers; go on at random; start
work after the response; end; count a passing customer and go on; spend a time of 0, the limit of short times, so
that everything that takes no time at all is done before; start the branches of a parallel step; end a branch."""


HoldPath = tuple[tuple[int, int], ...]
"""Where a hold is: its place among the steps of a route and the group of copies, then so on inside of it."""


NEGLIGIBLE = 1e-12
"""The probability that customers from outside are as many as the chain knows, where more of them do not matter."""
EVEN = 0.25
"""The scv that is taken for those that are too small for phases, of networks that no other method solves."""


class NotCovered(Exception):
    """The network has what the chain does not know; the text says what."""


class TooLarge(Exception):
    """There are more states, or more work, than the budget allows."""


class Node(Record):
    """One point of a route.

    kind      one of the numbers above.
    after     the node that comes next; of `SPLIT` that of the customer, of `DONE` where it thinks, or -1 outside.
    rate      of `TIME`: per second.
    centre    `TIME`: where service is given, -1 without queueing; `QUEUE`, `RELEASE`: the centre; `SPLIT`: -1 where the
              work keeps no server and no place of a buffer, so that there may be any number of it.
    priority  of `QUEUE` and `TIME`.
    choices   of `CHOICE`: probabilities and nodes; of `SPLIT` and `FORK`: the first node of the work, or of every
              branch, with 1.
    present   the streams of which a customer at this node is a request, waiting or holding a server.
    """

    kind: int
    after: int
    rate: float = 0.0
    centre: int = -1
    priority: int = 0
    choices: tuple[tuple[float, int], ...] = ()
    present: tuple[int, ...] = ()
    spent: tuple[int, int, str, int] | None = None
    """Of `TIME` and `QUEUE` before the response: class, route, and station and group where the time is spent."""
    mark: int = -1
    """Of `COUNT`: what is counted. Of `QUEUE`: what is counted where a customer is lost, or waits for places of a
    buffer. Of `JOIN`: what is counted where the parallel step has waited for this branch."""
    lost: int = -1
    """Of `QUEUE`: the node of customers that find no place."""
    speeds: tuple[float, ...] = ()
    """Of `TIME`: how much faster it passes with 1, 2, ... customers inside of `inside`; the last repeats."""
    levels: tuple[tuple[tuple[float, int], ...], ...] = ()
    """Of `CHOICE`: the choices with 1, 2, ... customers inside of `inside`; empty where they do not depend on it."""
    inside: int = -1
    """The centre of which the number of servers that are kept matters here."""
    amount: int = 1
    """Of `QUEUE` and `RELEASE`: the servers that are taken together; of `FORK`: the branches that must end."""
    branch: int = -1
    """Of `TIME`, `QUEUE` and `FORK` in a branch of a parallel step before the response: which branch it is."""


class CentreCopy(Record):
    """One copy of a queueing station; or a buffer, of which the places are the servers."""

    station: str
    group: int
    discipline: str
    servers: int
    rates: tuple[float, ...] | None
    capacity: int | None = None
    """Indices, those of the servers included."""

    @property
    def most(self) -> int:
        """How many are served at once, one after the other."""
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
    """By number of places requested together: the mark of that."""
    refused: Mapping[int, int]
    """The same where there are fewer."""


class ParallelNodes(Record):
    """A parallel step outside of others and before the response."""

    kind: int
    route: int
    begun: int
    """The mark of its beginning."""
    nodes: tuple[int, ...]
    """Where it begins."""
    branches: tuple[tuple[int, int, int], ...]
    """Of every branch: its number, the mark of its end, and the mark of its end where the step has waited for it."""


class Program(Record):
    """A network as nodes and centres."""

    nodes: tuple[Node, ...]
    centres: tuple[CentreCopy, ...]
    homes: tuple[tuple[int, int], ...]
    """Of every closed class its customers, and the node where they begin; and one that generates customers of an open
    class arrive, where they do not come in a Poisson stream."""
    arrivals: tuple[tuple[float, int], ...]
    """Of every open class that comes in a Poisson stream its rate, and the node where customers begin."""
    phased: tuple[str, ...]
    """Which times are not exponential, in words."""
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
    """Where times depend on the number inside: by place of a step its mark and its nodes of time."""
    stores: tuple[Store, ...] = ()
    forks: tuple[ParallelNodes, ...] = ()
    """By class and route, then in the order of the steps."""
    evened: tuple[str, ...] = ()
    """Which times vary more here than is stated, in words."""
    unbounded: bool = False
    """Whether there may be any number of customers or of pieces of work."""


class Held(Record):
    """A hold around a step, as its program knows it."""

    name: str
    centre: int
    """-1: a delay, without waiting."""
    stream: int
    after: int
    """The node that comes when it is released."""
    priority: int = 0
    group: int = 0
    mark: int = -1
    """Where customers may be lost: that of its visits."""


def unbounded(node: Node) -> bool:
    """Whether a node makes work of which there may be any number."""
    return (node.kind == SPLIT and node.centre < 0) or (node.kind == FORK and node.amount < len(node.choices))


def drawn(visits: float, left: Sequence[int]) -> tuple[tuple[float, int], ...]:
    """The nodes where a mean number of visits begins, given those where 0, 1, ... begin, with their probabilities."""
    count = floor(visits)
    if visits == count:
        return ((1.0, left[count]),)
    return ((visits - count, left[count + 1]), (1.0 - visits + count, left[count]))
