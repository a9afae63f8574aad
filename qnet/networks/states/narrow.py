"""The walk of chains with few states to go on from at once: the same states and transitions, one after the other.

A state is one integer, 32 bits for every number of its row, and its moves are sums of such integers, which all states
that show the same have in common.
"""

from __future__ import annotations

from typing import Any

from qnet.lazy import np
from qnet.networks.states.rows import ROOM, KnownRows, NotLocal

_BITS, _BYTES = 32, 4
"""Of a number in a key: those of a 32-bit integer."""
_Move = tuple[int, int, int, int, tuple[tuple[int, int], ...], int]
"""The event and its column in a row or -1, the way, what is added to the state, the changes of lines by centre, and
what is added to the customers."""


class NarrowWalk:
    """Rows that are gone on from one by one.

    known   of the program.
    most    how many customers from outside there may be.
    rows    (S, T + 2C) those so far.
    more    (S,) how many customers there are besides the closed ones.
    """

    def __init__(self, known: KnownRows, most: int, rows: Any, more: Any) -> None:
        self.known, self.most = known, most
        self.width = int(rows.shape[1])
        self.rows: list[tuple[int, ...]] = [tuple(row) for row in rows.tolist()]
        self.more: list[int] = more.tolist()
        self.keys = [self._key(row) for row in self.rows]
        self.numbers = {key: number for number, key in enumerate(self.keys)}
        first, centres = known.times, known.centres
        self.columns = [(number, first + number, first + centres + number) for number in range(centres)]
        """Of every centre its number, and where its servers and its line are in a row."""
        self.looks: list[dict[tuple[int, int], int]] = [{} for _ in range(centres)]
        """By centre, from servers that are kept and line to what is shown."""
        self.after: list[dict[tuple[int, int], int]] = [{} for _ in range(centres)]
        """By centre, from change and line to the line after it."""
        self.kinds: dict[tuple[int, ...], list[_Move]] = {}
        """From what is shown to all moves."""
        self.speeds: dict[tuple[int, int, int], float] = {}

    def _key(self, row: tuple[int, ...]) -> int:
        return sum(number << _BITS * column for column, number in enumerate(row))

    def moved(self, first: int, end: int, wide: int) -> tuple[int, tuple[list[Any], ...]]:
        """The transitions of states from one on, up to an end or where there are many to go on from.

        wide     how many are many.
        Returns  the state after them, and in order where the transitions begin and end, the event of each, what its
                 rate is multiplied by, its way, and which of them find a state.
        Raises   `NotLocal`.
        """
        sources, targets, events, ways, new = list[int](), list[int](), list[int](), list[int](), list[int]()
        factors: list[float] = []
        rows, keys, numbers, times = self.rows, self.keys, self.numbers, self.known.times
        put, width = numbers.setdefault, _BYTES * self.width
        paced, served = self.known.paced, self.known.served
        count = len(keys)
        number = first
        while number < min(end, count) and count - number < wide:
            row, key, more = rows[number], keys[number], self.more[number]
            for event, slot, way, added, changes, further in self._kind(row, more):
                after = key + added
                for centre, change in changes:
                    at = times + self.known.centres + centre
                    line = row[at]
                    new_line = self.after[centre].get((change, line))
                    if new_line is None:
                        new_line = self._line(centre, change, line)
                    after += (new_line - line) << _BITS * at
                target = put(after, count)
                if target == count:
                    new.append(len(sources))
                    keys.append(after)
                    rows.append(tuple(memoryview(after.to_bytes(width, "little")).cast("I")))
                    self.more.append(more + further)
                    count += 1
                sources.append(number)
                targets.append(target)
                ways.append(way)
                events.append(event)
                factor = row[slot] if slot >= 0 else 1
                factors.append(factor * self._speed(served[event], row) if served[event] in paced else factor)
            number += 1
        return number, (sources, targets, events, factors, ways, new)

    def _kind(self, row: tuple[int, ...], more: int) -> list[_Move]:
        """All moves of a state."""
        known = self.known
        looks: list[int] = []
        for centre, busy, line in self.columns:
            look = self.looks[centre].get((row[busy], row[line]))
            looks.append(self._look(centre, row[busy], row[line]) if look is None else look)
        room = max(min(self.most - more, ROOM), -ROOM)
        shown = (room, *looks, *map(bool, row[: known.times]))
        if shown not in self.kinds:
            self.kinds[shown] = self._moves(row, looks, more)
        return self.kinds[shown]

    def _moves(self, row: tuple[int, ...], looks: list[int], more: int) -> list[_Move]:
        """The same, of a state that looks like none before."""
        known, result = self.known, list[_Move]()
        for event in range(len(known.changes.events)):
            arrival = event >= known.times
            if more >= self.most if arrival else not row[event]:
                continue
            for way in range(*known.of(event, looks, max(min(self.most - more, ROOM), -ROOM))):
                change = known.ways[way]
                added = self._key((*change.counts, *change.busy))
                lines = [(at, known.lines[at].change(item)) for at, item in enumerate(change.lines) if item]
                result.append((event, -1 if arrival else event, way, added, tuple(lines), change.more))
        return result

    def _look(self, centre: int, busy: int, line: int) -> int:
        lines, plenty = self.known.lines[centre], self.known.changes.plenty[centre]
        servers = self.known.servers(centre, busy)
        look = lines.look(
            self.known.changes.look(centre, min(servers, plenty) if plenty else servers, lines.known[line])
        )
        self.looks[centre][busy, line] = look
        return look

    def _line(self, centre: int, change: int, line: int) -> int:
        lines = self.known.lines[centre]
        new = lines.number(self.known.changes.changed(centre, lines.known[line], lines.listed[change - 1]))
        self.after[centre][change, line] = new
        return new

    def _speed(self, centre: int, row: tuple[int, ...]) -> float:
        """How fast one of those in service is served."""
        _, at, line = self.columns[centre]
        key = centre, row[at], row[line]
        if key not in self.speeds:
            item, present = self.known.machine.centres[centre], row[at]
            waiting = 0 if item.shared else len(self.known.lines[centre].known[row[line]])
            rates = item.rates
            most = (
                min(item.servers, present)
                if rates is None
                else rates[min(present + waiting, len(rates)) - 1]
            )  # fmt: skip
            self.speeds[key] = most / present if item.shared else most
        return self.speeds[key]

    def lines(self, first: int) -> Any:
        """The lines of the latest states, from one on."""
        begin = self.known.times + self.known.centres
        return np.array([row[begin:] for row in self.rows[first:]], dtype=np.int64).reshape(-1, self.known.centres)

    def table(self) -> tuple[Any, Any]:
        """All rows, and how many customers there are besides the closed ones, as arrays."""
        if not self.width:
            raise NotLocal
        data = b"".join(key.to_bytes(_BYTES * self.width, "little") for key in self.keys)
        return np.frombuffer(data, dtype="<u4").reshape(-1, self.width).astype(np.int64), np.array(self.more)
