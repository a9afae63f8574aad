"""The rows of a walk: the lines of every centre, their visible parts, and how events change them.

A customer that goes on uses a few centres, and only the first customers of their lines. The machine is therefore run on
states with truncated lines; its moves hold for every state that looks the same there. Where it needs more than is
visible, `NotLocal` is raised.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from qnet.networks.states.machine import MOST_STEPS, FastNode, Machine, Scene
from qnet.networks.states.program import CHOICE, FORK, JOIN, QUEUE, RELEASE, SPLIT, TIME, Program
from qnet.record import Record

Look = tuple[int, tuple[int, ...], int]
"""The visible part of a centre: its free servers, or the busy ones where customers are lost; the first customers of its
line; and the number of placeholders for all others."""
LineChange = tuple[int, tuple[int, ...]]
"""The number of first customers that leave a line, and those that join it then; or -1, and the new line."""
_SHOWN = 1
"""The number of visible customers of a line."""
_PLENTY = 3
"""The number of free servers above which it makes no difference, in requests of the most servers."""
ROOM = 8
"""The number of further customers from outside above which it makes no difference."""


class NotLocal(Exception):
    """An event depends on more of a state than is visible."""


class StateChange(Record):
    """One alternative of an event."""

    share: Any
    """Its probability, or an array by program."""
    counts: tuple[int, ...]
    """Added to the customers at the nodes of time."""
    busy: tuple[int, ...]
    """Added to the busy servers, by centre."""
    lines: tuple[LineChange | None, ...]
    """By centre; None where the line does not change."""
    marks: tuple[int, ...]
    """The marks that are passed."""
    more: int
    """Added to the number of customers."""


class LocalChanges:
    """The changes of the events of a program.

    program  as of `Machine`; its numbers may be arrays.
    Raises   `NotLocal` where it has parallel steps, preemption, or times that depend on a number inside.
    """

    def __init__(self, program: Program) -> None:
        if any(node.kind in (FORK, JOIN) or node.speeds or node.levels for node in program.nodes):
            raise NotLocal
        self.machine = _Shown(program)
        if any(centre.ordered or centre.preempted for centre in self.machine.centres):
            raise NotLocal
        self.events = [program.nodes[number].after for number in self.machine.timed]
        self.events += [home for _, home in program.arrivals]
        """By event, the node where its customer goes on: the nodes of time, then the arrivals."""
        self.times = len(self.machine.timed)
        reached = [set(self._reached(program, node, set())) for node in self.events]
        self.rooms = [-1 in each for each in reached]
        """By event, whether it depends on the number of further customers from outside."""
        self.touched = [sorted(each - {-1}) for each in reached]
        """By event, the centres that it may change."""
        self.plenty = [
            0 if centre.shared or centre.capacity is not None else _PLENTY * self.machine.amounts[number][-1]
            for number, centre in enumerate(self.machine.centres)
        ]
        """By centre, the number of free servers above which it makes no difference; 0 where it is not visible."""

    def _reached(self, program: Program, node: int, visited: set[int]) -> Iterator[int]:
        """The centres that a customer, and others that go on because of it, may reach from a node; -1 for the number of
        customers."""
        waiting = [node]
        while waiting:
            number = waiting.pop()
            if number < 0 or number in visited:
                continue
            visited.add(number)
            item = program.nodes[number]
            if item.kind == TIME:
                continue
            if item.kind in (QUEUE, RELEASE):
                yield item.centre
                waiting.append(item.lost)
            if item.kind == RELEASE:
                waiting += [at.after for at in program.nodes if at.kind == QUEUE and at.centre == item.centre]
            if item.kind == SPLIT and item.centre < 0:
                yield -1
            if item.kind in (CHOICE, SPLIT):
                waiting += [after for _, after in item.choices]
            waiting.append(item.after)

    def look(self, centre: int, busy: int, line: tuple[int, ...]) -> Look:
        """The visible part of a centre.

        busy   its free servers, up to `plenty`; where `plenty` is 0 the busy ones, or 0 where no customers are lost.
        line   all customers in line.
        """
        rest = len(line) - _SHOWN
        if rest > 0 and self.machine.centres[centre].capacity is None:
            rest = 1
        return busy, line[:_SHOWN], max(rest, 0)

    def of_event(self, event: int, looks: Sequence[Look], room: int) -> list[StateChange]:
        """All alternatives of an event.

        event   index in `events`.
        looks   the visible parts of the centres that it may change.
        room    further customers from outside that are possible, from -`ROOM` to `ROOM`.
        Raises  `NotLocal`; `NotCovered`.
        """
        machine = self.machine
        # Other centres have no number, so that reaching one raises.
        busy: list[Any] = [None] * len(machine.centres)
        lines: list[tuple[int, ...]] = [()] * len(machine.centres)
        machine.ample = set()
        for centre, (number, shown, rest) in zip(self.touched[event], looks, strict=True):
            lines[centre] = (*shown, *[machine.rests[centre]] * rest)
            plenty, item = self.plenty[centre], machine.centres[centre]
            busy[centre] = item.most - number if plenty else number
            if plenty and number == plenty:
                machine.ample.add(centre)
        machine.most = room + sum(map(len, lines)) - machine.closed
        counts = [0] * self.times
        if event < self.times:
            counts[event] = -1
        machine.cut = False
        moves: list[Any] = []
        machine.advance(counts, lines, busy, (), (), self.events[event], 1.0, moves)
        if machine.steps > MOST_STEPS or (machine.cut and room == ROOM):
            raise NotLocal
        return [self._change(lines, busy, *item) for item in moves]

    def _change(
        self, lines: Sequence[tuple[int, ...]], busy: Sequence[Any], share: Any, state: Any, marks: tuple[int, ...]
    ) -> StateChange:
        """The change from the state before."""
        counts, after, kept, _, _ = state
        changed = [
            None if new == old else self._line(centre, old, new)
            for centre, (old, new) in enumerate(zip(lines, after, strict=True))
        ]
        more = sum(counts) + sum(map(len, after)) - sum(map(len, lines))
        moved = tuple(0 if old is None else new - old for old, new in zip(busy, kept, strict=True))
        return StateChange(share=share, counts=counts, busy=moved, lines=tuple(changed), marks=marks, more=more)

    def _line(self, centre: int, old: tuple[int, ...], new: tuple[int, ...]) -> LineChange:
        """The change from the line before."""
        rest = self.machine.rests[centre]
        if rest not in old:
            return -1, new
        return old.index(rest) - new.index(rest), new[new.index(rest) + old.count(rest) :]

    def changed(self, line: tuple[int, ...], change: LineChange) -> tuple[int, ...]:
        """A line after a change."""
        gone, joining = change
        if gone < 0:
            return joining
        line, nodes = line[gone:], self.machine.nodes
        for customer in joining:
            index = len(line)
            while index and nodes[line[index - 1]].priority < nodes[customer].priority:
                index -= 1
            line = (*line[:index], customer, *line[index:])
        return line


class _Rest(FastNode):
    """A placeholder for the invisible customers of a line: no customer overtakes them, and they do not go on."""

    __slots__ = ()

    def __init__(self, amount: int) -> None:
        self.kind, self.after, self.amount, self.priority = QUEUE, -1, amount, sys.maxsize


class _Shown(Machine):
    """The machine of partly visible states."""

    def __init__(self, program: Program) -> None:
        super().__init__(program, 0)
        self.ample: set[int] = set()
        """The centres with at least `plenty` free servers."""
        queues = [[node for node in self.nodes if node.kind == QUEUE and node.centre == at] for at in self._numbers()]
        self.amounts = [sorted({node.amount for node in each}) or [1] for each in queues]
        """By centre, the numbers of servers that may be taken together."""
        self.ranked = [len({node.priority for node in each}) > 1 for each in queues]
        self.rests = [self.size + centre for centre in self._numbers()]
        """By centre, the number of the placeholder for invisible customers of its line."""
        self.nodes.extend([_Rest(amounts[0]) for amounts in self.amounts])
        self.size = len(self.nodes)

    def _numbers(self) -> range:
        return range(len(self.centres))

    def join(self, scene: Scene, customer: int, ended: tuple[int, ...]) -> tuple[int, ...]:
        if self.nodes[customer].centre in self.ample:
            raise NotLocal
        return super().join(scene, customer, ended)

    def release(self, scene: Scene, centre: int, amount: int) -> None:
        rest, before = self.rests[centre], scene.lines[centre]
        if rest in before and before[-1] != rest and self.ranked[centre]:
            raise NotLocal  # The customer that has joined may be first.
        super().release(scene, centre, amount)
        after = scene.lines[centre]
        hidden = before.count(rest)
        if hidden and (after.count(rest) < hidden or (after[0] == rest and len(self.amounts[centre]) > 1)):
            raise NotLocal


class KnownLines:
    """The lines of one centre, their changes and their visible parts, by number."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[int, ...], int] = {(): 0}
        self.known: list[tuple[int, ...]] = [()]
        self.changes: dict[LineChange, int] = {}
        self.listed: list[LineChange] = []
        self._lengths: Any = np.zeros(0, dtype=np.int64)
        self.looks: dict[Look, int] = {}
        self.shown: list[Look] = []

    def number(self, line: tuple[int, ...]) -> int:
        """The number of a line, known or new."""
        if line not in self.numbers:
            self.numbers[line] = len(self.known)
            self.known.append(line)
        return self.numbers[line]

    def lengths(self) -> Any:
        """The number of customers in each line."""
        if len(self._lengths) < len(self.known):
            new = [len(line) for line in self.known[len(self._lengths) :]]
            self._lengths = np.concatenate([self._lengths, np.array(new, dtype=np.int64)])
        return self._lengths

    def change(self, change: LineChange | None) -> int:
        """The number of a change, from 1; 0 of none."""
        if change is None:
            return 0
        if change not in self.changes:
            self.listed.append(change)
            self.changes[change] = len(self.listed)
        return self.changes[change]

    def look(self, look: Look) -> int:
        """The number of a visible part."""
        if look not in self.looks:
            self.looks[look] = len(self.shown)
            self.shown.append(look)
        return self.looks[look]


class KnownRows:
    """The lines and the changes found in walks of a program.

    A row is the customers at the nodes of time that need no order, the busy servers by centre, and the number of the
    line of every centre.

    program   as of `Machine`.
    programs  the number of programs that are walked together; 0 for one alone.
    Raises    `NotLocal` as `LocalChanges`.
    """

    def __init__(self, program: Program, programs: int = 0) -> None:
        machine = self.machine = Machine(program, 0)
        self.changes = LocalChanges(program)
        self.times, self.centres = self.changes.times, len(machine.centres)
        self.lines = [KnownLines() for _ in machine.centres]
        self.ways: list[StateChange] = []
        """All alternatives of events so far."""
        self._ranges: dict[tuple[int, ...], tuple[int, int]] = {}
        nodes = [machine.nodes[number] for number in machine.timed]
        rates = [node.rate for node in nodes] + [rate for rate, _ in machine.arrivals]
        self.rates: Any = np.empty((len(rates), programs) if programs else len(rates))
        """(E,) of every event, or (E, P) for several programs."""
        for event, rate in enumerate(rates):
            self.rates[event] = rate
        self.served = [node.centre for node in nodes] + [-1] * len(machine.arrivals)
        """By event, the centre whose speed matters; -1 for none."""
        if any(isinstance(rate, np.ndarray) for item in machine.centres for rate in item.rates or ()):
            raise NotLocal
        self.paced = [at for at, item in enumerate(machine.centres) if item.shared or item.rates is not None]
        """The centres whose speed depends on the number present."""

    def servers(self, centre: int, busy: Any) -> Any:
        """The first argument `busy` of `LocalChanges.look`, from the busy servers of a centre."""
        item, plenty = self.machine.centres[centre], self.changes.plenty[centre]
        if plenty:
            return item.most - busy
        return busy if item.capacity is not None else 0 * busy

    def of_event(self, event: int, looks: Sequence[int], room: int) -> tuple[int, int]:
        """The range of the alternatives of an event in `ways`.

        looks    by centre, the number of its visible part.
        room     further customers from outside that are possible, from -`ROOM` to `ROOM`.
        Raises   as `LocalChanges.of_event`.
        """
        touched = self.changes.touched[event]
        key = (event, room if self.changes.rooms[event] else ROOM, *[looks[centre] for centre in touched])
        if key not in self._ranges:
            views = [self.lines[centre].shown[looks[centre]] for centre in touched]
            first = len(self.ways)
            self.ways += self.changes.of_event(event, views, key[1])
            self._ranges[key] = first, len(self.ways)
        return self._ranges[key]

    def shares(self) -> Any:
        """(W,) the probabilities of all `ways`, or (W, P)."""
        result = np.empty((len(self.ways), *self.rates.shape[1:]))
        for number, way in enumerate(self.ways):
            result[number] = way.share
        return result
