"""What goes on with the walk of a chain once it has some states: by a table of what its events change.

The states, the transitions and their numbers are those of the walk state by state; so is what is charged for them.
"""

from __future__ import annotations

from typing import Any

from qnet.lazy import np
from qnet.networks.states.chain import AT_ONCE, Passing, Pattern, Walk, WalkSoFar, charge, structure_of
from qnet.networks.states.coded import CodedStates
from qnet.networks.states.narrow import NarrowWalk
from qnet.networks.states.program import NotCovered, Program, TooLarge
from qnet.networks.states.rows import KnownRows, NotLocal
from qnet.networks.states.wide import WideWalk

_WIDE = 96
"""States to go on from at once with which arrays are faster than one after the other."""
_TOGETHER = 4096
"""The most that are gone on from together."""


class TabledWalk:
    """What goes on with the walk of a machine.

    program   one, or some that are walked together.
    most      how many customers from outside there may be.
    programs  how many programs these are; 0 for one alone.
    kept      what is known of the rows, with any number of customers from outside; it is added to.
    """

    def __init__(self, program: Program, most: int, programs: int, kept: list[KnownRows]) -> None:
        self.program, self.most, self.programs, self.kept = program, most, programs, kept
        self.paid = 0
        """Up to which state work has been charged."""

    def rest(self, begun: WalkSoFar) -> Walk | None:
        """The entire walk; None where this program needs to be walked state by state.

        begun    the walk so far.
        Raises   `TooLarge` and `OverBudget` as `chain.walk`.
        """
        try:
            return _Rest(self, begun).walked()
        except (NotLocal, NotCovered):
            return None


class _Rest:
    """A walk as it goes on."""

    def __init__(self, tabled: TabledWalk, begun: WalkSoFar) -> None:
        self.tabled, self.begun = tabled, begun
        if not tabled.kept:
            tabled.kept.append(KnownRows(tabled.program, tabled.programs))
        self.known = tabled.kept[0]
        self.moves, self.moved, self.size, self.charged = begun.moved, 0, begun.size, begun.charged
        """Transitions, and customers in line in all states; and as many of them as have been charged."""
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
        """The rows of the states so far, and how many customers there are besides the closed ones."""
        states = self.begun.states
        counts = np.array([state[0] for state in states], dtype=np.int64).reshape(len(states), -1)
        busy = np.array([state[2] for state in states], dtype=np.int64).reshape(len(states), -1)
        numbers = [line.number for line in self.known.lines]
        lines = [[number(line) for number, line in zip(numbers, state[1], strict=True)] for state in states]
        coded = np.array(lines, dtype=np.int64).reshape(len(states), -1)
        waiting = np.array([sum(map(len, state[1])) for state in states], dtype=np.int64)
        return np.hstack([counts, busy, coded]), counts.sum(1) + waiting - self.known.machine.closed

    def _charge(self, first: int, end: int, source: Any, new: Any, lines: Any) -> None:
        """Charge the states that some were gone on from, as `chain.walk` does one by one; raise where it would.

        source   where their transitions begin.
        new      which of these find a state.
        lines    (N, C) the lines of these states.
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
        """The transitions with every mark, those so far and all others."""
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
