"""The walk of chains with many states to go on from at once: the same states and transitions, by arrays.

Every state is a row of numbers. What an event changes in it is computed once for all states that are the same where
it passes, and added to all of them. States are numbered as in a walk one by one.
"""

from __future__ import annotations

from typing import Any

from qnet.lazy import np
from qnet.networks.states.rows import ROOM, KnownRows, NotLocal
from qnet.queues.arithmetic import distinct

_BITS = 62
"""Of the number of an event and what is at the centres that it reaches."""
_SEED = 0x9E3779B97F4A7C15
"""Of the weights by which rows become one number each; rows with equal numbers are compared."""


class WideWalk:
    """Rows that are gone on from together.

    known   of the program.
    most    how many customers from outside there may be.
    rows    (S, T + 2C) those so far.
    more    (S,) how many customers there are besides the closed ones.
    Raises  `NotLocal` where numbers are too small for what an event reaches.
    """

    def __init__(self, known: KnownRows, most: int, rows: Any, more: Any) -> None:
        self.known, self.most, self.rows, self.more, self.count = known, most, rows, more, len(rows)
        changes = known.changes
        events, centres = len(changes.events), known.centres
        bits = [max(events - 1, 1).bit_length(), (2 * ROOM).bit_length()]
        self.bits = (_BITS - sum(bits)) // max(map(len, changes.touched), default=1)
        """Of the number of what a centre shows."""
        self.weights = np.zeros((centres, events), dtype=np.int64)
        """How what a centre shows counts in the number of an event."""
        for event, touched in enumerate(changes.touched):
            for position, centre in enumerate(touched):
                self.weights[centre, event] = 1 << (sum(bits) + position * self.bits)
        self.base = np.arange(events)
        self.room = np.array([1 << bits[0] if asked else 0 for asked in changes.rooms], dtype=np.int64)
        self.served = np.array(known.served, dtype=np.int64)
        size = known.times + 2 * centres
        generator = np.random.Generator(np.random.PCG64(_SEED))
        self.mixer = generator.integers(1, 1 << 62, size, dtype=np.int64) * 2 + 1
        self.numbers = {key: number for number, key in enumerate((rows @ self.mixer).tolist())}
        self.codes_known: Any = np.zeros(0, dtype=np.int64)
        self.ranges: Any = np.zeros((0, 2), dtype=np.int64)
        """The numbers of events with what they have reached, sorted; and where their ways begin and end."""
        self.added: Any = np.zeros((0, known.times + centres), dtype=np.int64)
        self.further: Any = np.zeros(0, dtype=np.int64)
        self.changed: Any = np.zeros((0, centres), dtype=np.int64)
        """Of the ways: what is added to counts and servers, what is added to the customers, and by centre the change of
        the line."""
        self.codes: list[Any] = [np.full((8, 64), -1) for _ in range(centres)]
        """By centre [servers, line] the number of what is shown; -1 of new ones."""
        self.after: list[Any] = [np.full((8, 64), -1) for _ in range(centres)]
        """By centre [change, line] the line after it; likewise."""

    def moved(self, first: int, end: int) -> tuple[int, tuple[Any, ...]]:
        """As of `NarrowWalk`, of some states."""
        known, most = self.known, self.most
        times, centres = known.times, known.centres
        rows, more = self.rows[first:end], self.more[first:end]
        looks = np.zeros((end - first, centres), dtype=np.int64)
        for centre in range(centres):
            looks[:, centre] = self._looks(centre, rows[:, times + centre], rows[:, times + centres + centre])
        # There may be more than the most, as where customers from outside come from a generator.
        room = np.clip(most - more, -ROOM, ROOM)
        code = looks @ self.weights + self.base + (room + ROOM)[:, None] * self.room
        counts = np.ones(code.shape, dtype=np.int64)
        counts[:, :times] = rows[:, :times]
        counts[:, times:] = (more < most)[:, None]
        here, event = np.nonzero(counts)
        begins, ends = self._ways(code[here, event], event, looks[here], room[here]).T
        factor = counts[here, event]
        if known.paced:
            factor = factor * self._speeds(rows)[here, self.served[event]]
        self._table_ways()
        ways = ends - begins
        pair = np.repeat(np.arange(len(ways)), ways)
        way = np.arange(len(pair)) + np.repeat(begins - np.cumsum(ways) + ways, ways)
        source = here[pair]
        after = rows[source]
        after[:, : times + centres] += self.added[way]
        for centre in range(centres):
            self._in_line(centre, after[:, times + centres + centre], self.changed[way, centre])
        put, numbers = self.numbers.setdefault, self.numbers
        target = np.array([put(key, len(numbers)) for key in (after @ self.mixer).tolist()], dtype=np.int64)
        highest = np.maximum.accumulate(np.concatenate([[self.count - 1], target]))
        new = np.flatnonzero(highest[1:] > highest[:-1])
        self._add(after[new], more[source[new]] + self.further[way[new]])
        if not np.array_equal(self.rows[target], after):
            raise NotLocal
        return end, (source + first, target, event[pair], factor[pair], way, new)

    def _add(self, rows: Any, more: Any) -> None:
        """Number new states."""
        end = self.count + len(rows)
        if end > len(self.rows):
            room = max(end, 2 * len(self.rows)) - self.count
            self.rows = np.concatenate([self.rows[: self.count], np.empty((room, rows.shape[1]), dtype=np.int64)])
            self.more = np.concatenate([self.more[: self.count], np.empty(room, dtype=np.int64)])
        self.rows[self.count : end], self.more[self.count : end] = rows, more
        self.count = end

    def _looks(self, centre: int, busy: Any, line: Any) -> Any:
        """The numbers of what a centre shows in some states."""
        known, changes, lines = self.known, self.known.changes, self.known.lines[centre]
        servers = known.servers(centre, busy)
        if changes.plenty[centre]:
            servers = np.minimum(servers, changes.plenty[centre])
        table = self.codes[centre] = _large_enough(self.codes[centre], servers, line)
        codes = table[servers, line]
        missing = np.flatnonzero(codes < 0)
        if missing.size:
            for some, number in _pairs(servers[missing], line[missing]):
                table[some, number] = lines.look(changes.look(centre, some, lines.known[number]))
            codes = table[servers, line]
            if len(lines.shown) > 1 << self.bits:
                raise NotLocal
        return codes

    def _ways(self, code: Any, event: Any, looks: Any, room: Any) -> Any:
        """(E, 2) where the ways of some events begin and end, given their numbers."""
        while True:
            index = self.codes_known.searchsorted(code)
            at = np.minimum(index, max(len(self.codes_known) - 1, 0))
            fits = self.codes_known[at] == code if len(self.codes_known) else np.zeros(len(code), dtype=bool)
            if fits.all():
                return self.ranges[at]
            lacking = np.flatnonzero(~fits)
            every: tuple[Any, Any] = np.unique(code[lacking], return_index=True)
            new, firsts = every
            ranges = [
                self.known.of(int(event[number]), looks[number].tolist(), int(room[number]))
                for number in lacking[firsts].tolist()
            ]
            keys = np.concatenate([self.codes_known, new])
            order = np.argsort(keys, kind="stable")
            self.codes_known, self.ranges = keys[order], np.concatenate([self.ranges, np.array(ranges)])[order]

    def _table_ways(self) -> None:
        """Put the latest ways into arrays."""
        ways, lines = self.known.ways[len(self.further) :], self.known.lines
        if ways:
            added = [way.counts + way.busy for way in ways]
            changed = [[line.change(item) for line, item in zip(lines, way.lines, strict=True)] for way in ways]
            self.added = np.concatenate([self.added, np.array(added, dtype=np.int64).reshape(len(ways), -1)])
            self.changed = np.concatenate([self.changed, np.array(changed, dtype=np.int64).reshape(len(ways), -1)])
            self.further = np.concatenate([self.further, np.array([way.more for way in ways], dtype=np.int64)])

    def _in_line(self, centre: int, lines: Any, changes: Any) -> None:
        """Change the lines of a centre, in place."""
        known = self.known.lines[centre]
        chosen = np.flatnonzero(changes)
        if not chosen.size:
            return
        change, line = changes[chosen], lines[chosen]
        table = self.after[centre] = _large_enough(self.after[centre], change, line)
        after = table[change, line]
        missing = np.flatnonzero(after < 0)
        if missing.size:
            for which, number in _pairs(change[missing], line[missing]):
                new = self.known.changes.changed(centre, known.known[number], known.listed[which - 1])
                table[which, number] = known.number(new)
            after = table[change, line]
        lines[chosen] = after

    def _speeds(self, rows: Any) -> Any:
        """(S, C + 1) how fast one of those in service is served at every centre; the last is none."""
        known = self.known
        result = np.ones((len(rows), known.centres + 1))
        for centre in known.paced:
            item = known.machine.centres[centre]
            present = busy = rows[:, known.times + centre]
            if not item.shared:
                present = busy + known.lines[centre].lengths()[rows[:, known.times + known.centres + centre]]
            rates = np.array([0.0, *(range(1, item.servers + 1) if item.rates is None else item.rates)])
            speeds = rates[np.minimum(present, len(rates) - 1)]
            result[:, centre] = speeds / np.maximum(busy, 1) if item.shared else speeds
        return result

    def lines(self, first: int) -> Any:
        """The lines of the latest states, from one on."""
        return self.rows[first : self.count, self.known.times + self.known.centres :]

    def table(self) -> tuple[Any, Any]:
        """All rows, and how many customers there are besides the closed ones."""
        return self.rows[: self.count], self.more[: self.count]


def _large_enough(table: Any, rows: Any, columns: Any) -> Any:
    """A table with room for some entries, -1 where it is new."""
    if len(rows):
        height, width = int(rows.max()) + 1, int(columns.max()) + 1
        if height > table.shape[0] or width > table.shape[1]:
            larger = np.full((max(table.shape[0], 2 * height), max(table.shape[1], 2 * width)), -1)
            larger[: table.shape[0], : table.shape[1]] = table
            return larger
    return table


def _pairs(rows: Any, columns: Any) -> list[tuple[int, int]]:
    """The distinct pairs of two arrays."""
    width = int(columns.max()) + 1
    return [divmod(code, width) for code in distinct(rows * width + columns).tolist()]
