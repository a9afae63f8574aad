"""The faster continuation of the walk of a chain after its first states, by a table of the changes that events make.

The states, their numbers, the transitions and the charged operations are those of the walk state by state. `NarrowWalk`
expands few states, one after the other; `WideWalk` many at once, by arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qnet.networks.states.chain import AT_ONCE, Passing, Pattern, Walk, WalkSoFar, charge, structure_of
from qnet.networks.states.coded import CodedStates
from qnet.networks.states.program import NotCovered, Program, TooLarge
from qnet.networks.states.rows import ROOM, KnownRows, NotLocal
from qnet.queues.arithmetic import distinct

_WIDE = 96
"""The number of unexpanded states from which arrays are faster."""
_TOGETHER = 4096
"""The most states that are expanded together."""


class TabledWalk:
    """The continuation of the walk of a machine.

    program   one, or several merged ones.
    most      the most customers from outside.
    programs  the number of merged programs; 0 for one alone.
    kept      the known rows, for any number of customers from outside; added to.
    """

    def __init__(self, program: Program, most: int, programs: int, kept: list[KnownRows]) -> None:
        self.program, self.most, self.programs, self.kept = program, most, programs, kept
        self.paid = 0
        """The number of states whose work has been charged."""

    def rest(self, begun: WalkSoFar) -> Walk | None:
        """The entire walk; None where this program has to be walked state by state.

        begun    the walk so far.
        Raises   `TooLarge` and `OverBudget` as `chain.walk`.
        """
        try:
            return _Rest(self, begun).walked()
        except (NotLocal, NotCovered):
            return None


class _Rest:
    """A walk that is continued."""

    def __init__(self, tabled: TabledWalk, begun: WalkSoFar) -> None:
        self.tabled, self.begun = tabled, begun
        if not tabled.kept:
            tabled.kept.append(KnownRows(tabled.program, tabled.programs))
        self.known = tabled.kept[0]
        self.moves, self.moved, self.size, self.charged = begun.moved, 0, begun.size, begun.charged
        """The transitions, and those charged; the customers in line in all states, and those charged."""
        self.count = len(begun.states)
        self.parts: list[tuple[Any, ...]] = []

    def walked(self) -> Walk:
        """As `TabledWalk.rest`."""
        rows, more = self._begun()
        walk: NarrowWalk | WideWalk = NarrowWalk(self.known, self.tabled.most, rows, more)
        first = self.begun.number
        while first < self.count:
            count = self.count
            if isinstance(walk, NarrowWalk):
                end, moved = walk.moved(first, first + AT_ONCE, _WIDE)
                if end == first:
                    walk = WideWalk(self.known, self.tabled.most, *walk.table())
                    continue
            else:
                end, moved = walk.moved(first, min(count, first + _TOGETHER))
            *part, new = map(np.asarray, moved)
            self.parts.append(tuple(part))
            self._charge(first, end, part[0], new, walk.lines(count))
            first = end
        return self._walk(walk.table()[0])

    def _begun(self) -> tuple[Any, Any]:
        """The rows of the states so far, and their numbers of customers besides the closed ones."""
        states = self.begun.states
        counts = np.array([state[0] for state in states], dtype=np.int64).reshape(len(states), -1)
        busy = np.array([state[2] for state in states], dtype=np.int64).reshape(len(states), -1)
        numbers = [line.number for line in self.known.lines]
        lines = [[number(line) for number, line in zip(numbers, state[1], strict=True)] for state in states]
        coded = np.array(lines, dtype=np.int64).reshape(len(states), -1)
        waiting = np.array([sum(map(len, state[1])) for state in states], dtype=np.int64)
        return np.hstack([counts, busy, coded]), counts.sum(1) + waiting - self.known.machine.closed

    def _charge(self, first: int, end: int, source: Any, new: Any, lines: Any) -> None:
        """Charge the expansion of some states as `chain.walk` does one by one; raise where it would.

        source   the states where their transitions begin.
        new      the indices of the transitions that lead to new states.
        lines    (N, C) the lines of the new states.
        """
        begun, count = self.begun, self.count
        lengths = [line.lengths()[lines[:, at]] for at, line in enumerate(self.known.lines)]
        sizes = self.size + np.cumsum(sum(lengths, np.zeros(len(new), dtype=np.int64)))
        beyond = np.flatnonzero((sizes > begun.room) | (np.arange(count, count + len(new)) >= begun.most))
        last = int(source[new[beyond[0]]]) if beyond.size else end - 1
        for number in range(first + -first % AT_ONCE, last + 1, AT_ONCE):
            passed = int(np.searchsorted(source, number))
            known = int(np.searchsorted(new, passed))
            size = float(sizes[known - 1]) if known else self.size
            charge(self.moves + passed - self.moved, size - self.charged)
            self.moved, self.charged, self.tabled.paid = self.moves + passed, size, number + 1
        if beyond.size:
            raise TooLarge
        self.moves += len(source)
        self.count += len(new)
        self.size = float(sizes[-1]) if len(sizes) else self.size

    def _walk(self, rows: Any) -> Walk:
        """The walk, given all rows."""
        begun, known = self.begun, self.known
        source, target, event, factor, way = (np.concatenate(item) for item in zip(*self.parts, strict=True))
        rate = (known.rates[event].T * factor).T * known.shares()[way]
        early = np.empty((len(begun.rates), *rate.shape[1:]))
        for number, value in enumerate(begun.rates):
            early[number] = value
        onward = source != target
        sources: Any = np.concatenate([np.array(begun.sources, dtype=np.int64), source[onward]])
        targets: Any = np.concatenate([np.array(begun.targets, dtype=np.int64), target[onward]])
        end = known.times + known.centres
        lines = [line.known for line in known.lines]
        states = CodedStates(rows[:, : known.times], rows[:, known.times : end], rows[:, end:], lines)
        return Walk(
            states=states,
            sources=sources,
            targets=targets,
            rates=np.concatenate([early, rate[onward]]),
            ended=self._ended(source, rate, way),
            shape=Pattern(structure_of(states, sources, targets)),
        )

    def _ended(self, source: Any, rate: Any, way: Any) -> dict[int, Passing]:
        """The transitions with every mark."""
        result: dict[int, Passing] = {}
        ways = self.known.ways
        for mark in dict.fromkeys([*self.begun.ended, *(mark for item in ways for mark in item.marks)]):
            times = np.array([item.marks.count(mark) for item in ways])[way]
            chosen = np.flatnonzero(times)
            rates = (rate[chosen].T * times[chosen]).T
            states = source[chosen]
            begins = np.flatnonzero(np.diff(states, prepend=-1))
            summed = np.add.reduceat(rates, begins) if len(begins) else rates
            early = self.begun.ended.get(mark, {})
            before = np.empty((len(early), *rate.shape[1:]))
            for number, value in enumerate(early.values()):
                before[number] = value
            where = np.concatenate([np.array(list(early), dtype=np.int64), states[begins]])
            result[mark] = Passing(where, np.concatenate([before, summed]))
        return result


_WORD_BITS, _WORD_BYTES = 32, 4
"""The size of a number in a key: that of a 32-bit integer."""
_Move = tuple[int, int, int, int, tuple[tuple[int, int], ...], int]
"""The event, its column in a row or -1, the alternative, the number added to the key, the changes of lines by centre,
and the number added to the customers."""


class NarrowWalk:
    """Rows that are expanded one by one.

    The key of a state is one integer, with 32 bits for every number of its row. Moves add integers to it, the same for
    all states that look the same.

    known   the known rows of the program.
    most    the most customers from outside.
    rows    (S, T + 2C) the rows so far.
    more    (S,) their customers besides the closed ones.
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
        """For every centre its number, and the columns of its servers and its line."""
        self.looks: list[dict[tuple[int, int], int]] = [{} for _ in range(centres)]
        """By centre, from busy servers and line to the visible part."""
        self.after: list[dict[tuple[int, int], int]] = [{} for _ in range(centres)]
        """By centre, from change and line to the line after it."""
        self.known_moves: dict[tuple[int, ...], list[_Move]] = {}
        """From the visible part of a state to its moves."""
        self.speeds: dict[tuple[int, int, int], float] = {}

    def _key(self, row: tuple[int, ...]) -> int:
        return sum(number << _WORD_BITS * column for column, number in enumerate(row))

    def moved(self, first: int, end: int, wide: int) -> tuple[int, tuple[list[Any], ...]]:
        """The transitions of the states from `first` on, up to `end`, or until `wide` states are unexpanded.

        Returns  the next state, and by transition its source, its target, its event, the factor of its rate and its
                 alternative; and the indices of those that lead to new states.
        Raises   `NotLocal`.
        """
        sources, targets, events, ways, new = list[int](), list[int](), list[int](), list[int](), list[int]()
        factors: list[float] = []
        rows, keys, numbers, times = self.rows, self.keys, self.numbers, self.known.times
        put, width = numbers.setdefault, _WORD_BYTES * self.width
        paced, served = self.known.paced, self.known.served
        count = len(keys)
        number = first
        while number < min(end, count) and count - number < wide:
            row, key, more = rows[number], keys[number], self.more[number]
            for event, slot, way, added, changes, further in self._moves_of(row, more):
                after = key + added
                for centre, change in changes:
                    at = times + self.known.centres + centre
                    line = row[at]
                    new_line = self.after[centre].get((change, line))
                    if new_line is None:
                        new_line = self._line(centre, change, line)
                    after += (new_line - line) << _WORD_BITS * at
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

    def _moves_of(self, row: tuple[int, ...], more: int) -> list[_Move]:
        """All moves of a state."""
        known = self.known
        looks: list[int] = []
        for centre, busy, line in self.columns:
            look = self.looks[centre].get((row[busy], row[line]))
            looks.append(self._look(centre, row[busy], row[line]) if look is None else look)
        room = max(min(self.most - more, ROOM), -ROOM)
        shown = (room, *looks, *map(bool, row[: known.times]))
        if shown not in self.known_moves:
            self.known_moves[shown] = self._new_moves(row, looks, more)
        return self.known_moves[shown]

    def _new_moves(self, row: tuple[int, ...], looks: list[int], more: int) -> list[_Move]:
        """The moves of a state that looks like none before."""
        known, result = self.known, list[_Move]()
        for event in range(len(known.changes.events)):
            arrival = event >= known.times
            if more >= self.most if arrival else not row[event]:
                continue
            for way in range(*known.of_event(event, looks, max(min(self.most - more, ROOM), -ROOM))):
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
        new = lines.number(self.known.changes.changed(lines.known[line], lines.listed[change - 1]))
        self.after[centre][change, line] = new
        return new

    def _speed(self, centre: int, row: tuple[int, ...]) -> float:
        """The relative rate of one customer in service."""
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
        """The lines of the states from `first` on."""
        begin = self.known.times + self.known.centres
        rows = self.rows[first:]
        return np.array([row[begin:] for row in rows], dtype=np.int64).reshape(len(rows), self.known.centres)

    def table(self) -> tuple[Any, Any]:
        """All rows, and their customers besides the closed ones, as arrays."""
        if not self.width:
            raise NotLocal
        data = b"".join(key.to_bytes(_WORD_BYTES * self.width, "little") for key in self.keys)
        return np.frombuffer(data, dtype="<u4").reshape(-1, self.width).astype(np.int64), np.array(self.more)


_BITS = 62
"""The size of the code of an event and the visible parts of the centres that it reaches."""
_SEED = 0x9E3779B97F4A7C15
"""The seed of the weights that make one number of each row; rows with equal numbers are compared."""


class WideWalk:
    """Rows that are expanded together.

    The changes of an event are computed once for all states that look the same to it, and added to all of them. States
    are numbered as in a walk one by one.

    known   the known rows of the program.
    most    the most customers from outside.
    rows    (S, T + 2C) the rows so far.
    more    (S,) their customers besides the closed ones.
    Raises  `NotLocal` where the visible parts of the centres that an event reaches do not fit into its code.
    """

    def __init__(self, known: KnownRows, most: int, rows: Any, more: Any) -> None:
        self.known, self.most, self.rows, self.more, self.count = known, most, rows, more, len(rows)
        changes = known.changes
        events, centres = len(changes.events), known.centres
        bits = [max(events - 1, 1).bit_length(), (2 * ROOM).bit_length()]
        self.bits = (_BITS - sum(bits)) // max(map(len, changes.touched), default=1)
        """The size of the number of a visible part."""
        self.weights = np.zeros((centres, events), dtype=np.int64)
        """The weight of the visible part of a centre in the code of an event."""
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
        """The known codes, sorted, and the ranges of their alternatives."""
        self.added: Any = np.zeros((0, known.times + centres), dtype=np.int64)
        self.further: Any = np.zeros(0, dtype=np.int64)
        self.changed: Any = np.zeros((0, centres), dtype=np.int64)
        """By alternative: the numbers added to counts and servers, and to the customers; and by centre the change of
        the line."""
        self.codes: list[Any] = [np.full((8, 64), -1) for _ in range(centres)]
        """By centre [servers, line] the number of the visible part; -1 where it is not known yet."""
        self.after: list[Any] = [np.full((8, 64), -1) for _ in range(centres)]
        """By centre [change, line] the line after it; likewise."""

    def moved(self, first: int, end: int) -> tuple[int, tuple[Any, ...]]:
        """As `NarrowWalk.moved`, for all states from `first` to `end`."""
        known, most = self.known, self.most
        times, centres = known.times, known.centres
        rows, more = self.rows[first:end], self.more[first:end]
        looks = np.zeros((end - first, centres), dtype=np.int64)
        for centre in range(centres):
            looks[:, centre] = self._looks(centre, rows[:, times + centre], rows[:, times + centres + centre])
        # There may be more than `most`, since a generator of arrivals counts as a customer.
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
        """Add new states."""
        end = self.count + len(rows)
        if end > len(self.rows):
            room = max(end, 2 * len(self.rows)) - self.count
            self.rows = np.concatenate([self.rows[: self.count], np.empty((room, rows.shape[1]), dtype=np.int64)])
            self.more = np.concatenate([self.more[: self.count], np.empty(room, dtype=np.int64)])
        self.rows[self.count : end], self.more[self.count : end] = rows, more
        self.count = end

    def _looks(self, centre: int, busy: Any, line: Any) -> Any:
        """The numbers of the visible part of a centre in some states."""
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
        """(E, 2) the ranges of the alternatives of some events, given their codes."""
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
                self.known.of_event(int(event[number]), looks[number].tolist(), int(room[number]))
                for number in lacking[firsts].tolist()
            ]
            keys = np.concatenate([self.codes_known, new])
            order = np.argsort(keys, kind="stable")
            self.codes_known, self.ranges = keys[order], np.concatenate([self.ranges, np.array(ranges)])[order]

    def _table_ways(self) -> None:
        """Put the latest alternatives into arrays."""
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
                new = self.known.changes.changed(known.known[number], known.listed[which - 1])
                table[which, number] = known.number(new)
            after = table[change, line]
        lines[chosen] = after

    def _speeds(self, rows: Any) -> Any:
        """(S, C + 1) the relative rate of one customer in service at every centre; 1 in the last column."""
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
        """The lines of the states from `first` on."""
        return self.rows[first : self.count, self.known.times + self.known.centres :]

    def table(self) -> tuple[Any, Any]:
        """All rows, and their customers besides the closed ones."""
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
