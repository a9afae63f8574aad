"""What is known of the rows of a walk: the lines of every centre, what they show, and how events change them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qnet.lazy import np
from qnet.networks.states.local_changes import ROOM, LineChange, LocalChanges, Look, NotLocal, StateChange
from qnet.networks.states.machine import Machine
from qnet.networks.states.program import Program


class KnownLines:
    """The lines of one centre, by number; and what changes of them lead to."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[int, ...], int] = {(): 0}
        self.known: list[tuple[int, ...]] = [()]
        self.changes: dict[LineChange, int] = {}
        self.listed: list[LineChange] = []
        self._lengths: Any = np.zeros(0, dtype=np.int64)
        self.looks: dict[Look, int] = {}
        self.shown: list[Look] = []

    def number(self, line: tuple[int, ...]) -> int:
        """That of a line, known or new."""
        if line not in self.numbers:
            self.numbers[line] = len(self.known)
            self.known.append(line)
        return self.numbers[line]

    def lengths(self) -> Any:
        """How many customers are in each line."""
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
        """The number of what is shown."""
        if look not in self.looks:
            self.looks[look] = len(self.shown)
            self.shown.append(look)
        return self.looks[look]


class KnownRows:
    """What is known of the rows of a walk.

    A row is the customers at the nodes of time that need no order, the servers that are kept by centre, and the number
    of the line of every centre.

    program   as of `Machine`.
    programs  how many are walked together; 0 for one alone.
    Raises    `NotLocal` as `LocalChanges`.
    """

    def __init__(self, program: Program, programs: int = 0) -> None:
        machine = self.machine = Machine(program, 0)
        self.changes = LocalChanges(program)
        self.times, self.centres = self.changes.times, len(machine.centres)
        self.lines = [KnownLines() for _ in machine.centres]
        self.ways: list[StateChange] = []
        """All changes that events have made."""
        self._ranges: dict[tuple[int, ...], tuple[int, int]] = {}
        nodes = [machine.nodes[number] for number in machine.timed]
        rates = [node.rate for node in nodes] + [rate for rate, _ in machine.arrivals]
        self.rates: Any = np.empty((len(rates), programs) if programs else len(rates))
        """(E,) of every event, or (E, P) of several programs."""
        for event, rate in enumerate(rates):
            self.rates[event] = rate
        self.served = [node.centre for node in nodes] + [-1] * len(machine.arrivals)
        """By event the centre whose speed matters; -1 for none."""
        if any(isinstance(rate, np.ndarray) for item in machine.centres for rate in item.rates or ()):
            raise NotLocal
        self.paced = [at for at, item in enumerate(machine.centres) if item.shared or item.rates is not None]
        """The centres whose speed depends on how many are there."""

    def servers(self, centre: int, busy: Any) -> Any:
        """Of the busy servers of a centre what its looks depend on: `LocalChanges.look`."""
        item, plenty = self.machine.centres[centre], self.changes.plenty[centre]
        if plenty:
            return item.most - busy
        return busy if item.capacity is not None else 0 * busy

    def of(self, event: int, looks: Sequence[int], room: int) -> tuple[int, int]:
        """Where among the ways those of an event are, the first and the end.

        looks    by centre the number of what it shows.
        room     how many more customers from outside there may be, from -`ROOM` to `ROOM`.
        Raises   as `LocalChanges.of`.
        """
        touched = self.changes.touched[event]
        key = (event, room if self.changes.rooms[event] else ROOM, *[looks[centre] for centre in touched])
        if key not in self._ranges:
            views = [self.lines[centre].shown[looks[centre]] for centre in touched]
            first = len(self.ways)
            self.ways += self.changes.of(event, views, key[1])
            self._ranges[key] = first, len(self.ways)
        return self._ranges[key]

    def shares(self) -> Any:
        """(W,) the probabilities of all ways, or (W, P)."""
        result = np.empty((len(self.ways), *self.rates.shape[1:]))
        for number, way in enumerate(self.ways):
            result[number] = way.share
        return result
