"""Customers that change class: their turns, each followed by another one at random, as nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from qnet.expression import Value
from qnet.networks.routed import ClosedClass, Hold, OpenClass, Station, Step, Time
from qnet.networks.states.program import CHOICE, COUNT, DONE, Held, HoldPath, Node, NotCovered


class Writer(Protocol):
    """What writes the nodes; `compiler.Compiler` does."""

    home: int
    here: tuple[int, int]
    answering: bool
    loses: bool
    begun: tuple[int, ...]
    nodes: list[Node]
    stations: dict[str, Station]

    @property
    def profile(self) -> Any:
        """The station whose number inside matters; None for none."""
        ...

    def add(self, node: Node) -> int:
        """The number of a new node."""
        ...

    def hold(
        self,
        hold: Hold,
        index: tuple[HoldPath, int],
        around: tuple[Held, ...],
        copies: dict[str, int],
        after: int,
        tail: int,
    ) -> int:
        """The node where a hold begins."""
        ...

    def time(
        self,
        step: Time,
        around: tuple[Held, ...],
        after: int,
        scv: float | None = None,
        name: str = "delays",
        levels: Sequence[Step] = (),
    ) -> int:
        """The node where a time begins."""
        ...


def chain(compiler: Writer, kind: int, item: OpenClass | ClosedClass) -> int:
    """The node where customers of a chain begin.

    compiler  writes the nodes.
    kind      the number of the chain among the classes.
    Returns   of an open chain the node of arrivals, of a closed one a node where a customer thinks or asks for service.
    Raises    `NotCovered` where lost customers have nowhere to go.
    """
    opened = isinstance(item, OpenClass)
    turns = item.turns
    if not turns:
        raise NotCovered(f'the routes of "{item.name}" have no steps in turn')
    after = [compiler.add(Node(CHOICE, -1)) for _ in turns]
    begins: list[int] = []
    home = next((number for number, turn in enumerate(turns) if turn.step < 0 and turn.ends), -1)
    if compiler.loses and home != 0:
        raise NotCovered(f'customers of "{item.name}" are lost, and passages do not begin outside of stations')
    leaving = compiler.add(Node(COUNT, after[0], mark=compiler.begun[kind])) if compiler.loses else after[0]
    resting = -1
    if not opened and home == 0:
        resting = _think(compiler, turns[0].think_time, turns[0].scv, leaving)
    compiler.home = compiler.add(Node(DONE, resting))
    for number, turn in enumerate(turns):
        if turn.step >= 0:
            compiler.here = (kind, turn.route)
            hold = item.routes[turn.route].steps[turn.step]
            assert isinstance(hold, Hold)
            if compiler.profile and hold.station == compiler.profile.station:
                raise NotCovered(f'"{item.name}" visits a station of which the number inside matters')
            if compiler.stations[hold.station].capacity is not None:
                raise NotCovered(f'customers of "{item.name}" may be lost after a part of their passage')
            node = compiler.hold(hold, ((), turn.step), (), {}, after[number], 0)
        elif number == home == 0:
            node = resting
        else:
            node = _think(compiler, turn.think_time, turn.scv, after[number])
        begins.append(compiler.add(Node(COUNT, node, mark=kind)) if turn.ends else node)
    for number, turn in enumerate(turns):
        ways = tuple((float(share), begins[other]) for other, share in turn.onward if share > 0)
        compiler.nodes[after[number]] = compiler.nodes[after[number]].replace(choices=ways)
    if opened:
        return leaving
    start = home if home >= 0 else next((number for number, turn in enumerate(turns) if turn.ends), 0)
    return resting if start == home == 0 else begins[start]


def _think(compiler: Writer, mean: Value, scv: Value, after: int) -> int:
    """A time outside of stations that is no part of the response."""
    answering, compiler.answering = compiler.answering, False
    node = compiler.time(Time(mean, scv), (), after, name="think times")
    compiler.answering = answering
    return node
