"""A scan along one parameter: limits evaluated at many values at once, more densely near turning points; the intervals
in which they hold, and what ends each of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from qnet.errors import QnetError
from qnet.lazy import Array, Flags, Indices, np
from qnet.questions.points.domain import outside
from qnet.questions.points.trial import Trial
from qnet.record import Record

_CLOSER = 12
"""Refinements around a turning point that may hide two crossings."""
CLOSE = 1e-9
"""Differences of an excess up to this count as none."""


LIMIT, SATURATION, RANGE, ENDLESS = range(4)
"""The causes that end an interval: a limit, the steady state, the range of the parameter, or nothing observed."""


class Scan:
    """The values of the varied parameter that were tried, in order, with the results there.

    All arrays have one element per value; `point` is the index of its point of the batch.
    """

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        self.point: Indices = np.zeros(0, dtype=int)
        self.value: Array = np.zeros(0)
        self.excess: Array = np.zeros(0)
        self.stable: Flags = np.zeros(0, dtype=bool)
        self.sure: Flags = np.zeros(0, dtype=bool)
        """Whether the result is by the method of the answer; a first scan may use an approximation instead."""

    def part(self, trial: Trial, start: int) -> Scan:
        """The scan of a part of the batch: the points of another trial, of which `start` is the first."""
        here = slice(*np.searchsorted(self.point, [start, start + trial.size]))
        result = Scan(trial)
        result.point, result.value = self.point[here] - start, self.value[here]
        result.excess, result.stable, result.sure = self.excess[here], self.stable[here], self.sure[here]
        return result

    @staticmethod
    def joined(trial: Trial, parts: Sequence[tuple[Indices, Scan]]) -> Scan:
        """The scan of a batch of which parts were scanned apart, each with the indices of its points."""
        result = Scan(trial)
        point = np.concatenate([points[scan.point] for points, scan in parts])
        order = np.argsort(point, kind="stable")
        result.point = point[order]
        result.value = np.concatenate([scan.value for _, scan in parts])[order]
        result.excess = np.concatenate([scan.excess for _, scan in parts])[order]
        result.stable = np.concatenate([scan.stable for _, scan in parts])[order]
        result.sure = np.concatenate([scan.sure for _, scan in parts])[order]
        return result

    def look(self, position: Indices, value: Array, brief: bool = False) -> None:
        """Solve at some values, and keep the results; values that the model refuses are left out.

        brief   whether this is a first scan of many values.
        """
        if not len(position):
            return
        trial = (self.trial.brief() if brief else self.trial).at(position)
        try:
            solved = trial.solve(value)
        except QnetError as error:
            if not outside(error):
                raise
            allowed = np.array([trial.domain.allows(index, each) for index, each in enumerate(value)])
            position, value, trial = position[allowed], value[allowed], trial.at(np.flatnonzero(allowed))
            if not len(position):
                return
            solved = trial.solve(value)
        self.keep(position, value, trial.excess(solved), solved.stable, not (brief and trial.uncertain))

    def keep(self, index: Indices, value: Array, excess: Array, stable: Flags, sure: bool = True) -> None:
        """Add the results at some values."""
        self.sure = np.concatenate([self.sure, np.full(len(index), sure)])
        index, value = np.concatenate([self.point, index]), np.concatenate([self.value, value])
        excess, stable = np.concatenate([self.excess, excess]), np.concatenate([self.stable, stable])
        order = np.lexsort((value, index))
        self.point, self.value, self.sure = index[order], value[order], self.sure[order]
        self.excess, self.stable = excess[order], stable[order]

    def settle(self) -> None:
        """Solve both sides of every change again by the method of the answer, until all changes are certain."""
        while True:
            at_change = np.zeros(len(self.point), dtype=bool)
            at_change[np.concatenate(self.changes(self.holds))] = True
            index = np.flatnonzero(at_change & ~self.sure)
            if not len(index):
                return
            trial = self.trial.at(self.point[index])
            solved = trial.solve(self.value[index])
            self.excess[index], self.stable[index], self.sure[index] = trial.excess(solved), solved.stable, True

    @property
    def holds(self) -> Flags:
        """Whether there is a steady state and all limits hold, at each value."""
        return self.stable & (self.excess <= 0)

    def neighbours(self) -> Flags:
        """Whether each value and the next one are at the same point; one element less than there are values."""
        return self.point[1:] == self.point[:-1]

    def nearest_at_end(self, index: int, lowest: bool) -> bool:
        """Whether the excess at the point `index` is least at its lowest value, or, without `lowest`, its highest."""
        rows = slice(*np.searchsorted(self.point, [index, index + 1]))
        excess = self.excess[rows][self.stable[rows]]
        return not len(excess) or excess[0 if lowest else -1] <= excess.min() + CLOSE

    def closer(self, middle: Callable[[Array, Array], Array]) -> None:
        """Sample around every turning point at which the excess may reach zero unnoticed.

        middle   gives a value between two others, or one of them where there is none.
        """
        for _ in range(_CLOSER):
            if len(self.point) < 3:
                return
            same = self.neighbours()
            left, here, right = self.excess[:-2], self.excess[1:-1], self.excess[2:]
            inner = same[1:] & same[:-1] & self.stable[:-2] & self.stable[1:-1] & self.stable[2:]
            sign = np.where(here > 0, 1.0, -1.0)
            same_sign = (sign * left > 0) & (sign * right > 0)
            turns = (sign * here <= sign * left) & (sign * here <= sign * right)
            reach = np.maximum(np.abs(left - here), np.abs(right - here))
            wanted = 1 + np.flatnonzero(inner & same_sign & turns & (np.abs(here) <= reach))
            before = middle(self.value[wanted - 1], self.value[wanted])
            after = middle(self.value[wanted], self.value[wanted + 1])
            indices, values = np.concatenate([self.point[wanted]] * 2), np.concatenate([before, after])
            known = np.concatenate(
                [(before == self.value[wanted - 1]) | (before == self.value[wanted]),
                 (after == self.value[wanted]) | (after == self.value[wanted + 1])]
            )  # fmt: skip
            if known.all():
                return
            self.look(indices[~known], values[~known])

    def changes(self, flags: Flags) -> tuple[Indices, Indices]:
        """The indices of neighbours of which only one has a flag: first the flagged ones, then the others."""
        before = np.flatnonzero(self.neighbours() & (flags[1:] != flags[:-1])) if len(flags) > 1 else self.point[:0]
        first = flags[before]
        return np.where(first, before, before + 1), np.where(first, before + 1, before)


class Ends(Record):
    """One end of every interval, as arrays of one length."""

    value: Any
    """The last value at which the limits hold, or where the steady state or the range ends."""
    shown: Any
    """The value with a steady state at which the figures are read."""
    cause: Any
    """`LIMIT`, `SATURATION`, `RANGE` or `ENDLESS`."""
    probe: Any
    """The value that shows which limit or station ends it: the value itself, or the first integer beyond."""


class Regions(Record):
    """The intervals in which limits hold, those of each point in rising order."""

    point: Any
    """The index of the point of each interval."""
    low: Ends
    high: Ends
    scan: Scan
    """The values tried."""
    hopeless: Any
    """Per point: whether there is no steady state at any value tried."""
    steady_least: Any
    """Per point: the least value with a steady state; NaN where the range of the parameter ends first."""
    steady_greatest: Any
    """Per point: the greatest value with a steady state, likewise; only estimated where it was not searched."""
    best: Array
    """Per point: the value at which the limits are exceeded least."""
    complete: bool = False
    """Whether every integer in the range was tried."""
    refused: str = ""
    """Why values beyond those tried have no answer; empty where that is not known."""

    def part(self, trial: Trial, start: int) -> Regions:
        """The intervals of a part of the batch: the points of another trial, of which `start` is the first."""
        end = start + trial.size
        here = (self.point >= start) & (self.point < end)
        low, high = (
            Ends(side.value[here], side.shown[here], side.cause[here], side.probe[here])
            for side in (self.low, self.high)
        )
        return Regions(
            point=self.point[here] - start,
            low=low,
            high=high,
            scan=self.scan.part(trial, start),
            hopeless=self.hopeless[start:end],
            steady_least=self.steady_least[start:end],
            steady_greatest=self.steady_greatest[start:end],
            best=self.best[start:end],
            complete=self.complete,
        )

    @staticmethod
    def joined(trial: Trial, parts: Sequence[tuple[Indices, Regions]]) -> Regions:
        """The intervals of a batch of which parts were searched apart, each with the indices of its points."""
        point = np.concatenate([points[item.point] for points, item in parts])
        order = np.argsort(point, kind="stable")

        def at(of: Callable[[Regions], Ends]) -> Ends:
            columns = zip(*(of(item) for _, item in parts), strict=True)
            return Ends(*(np.concatenate(column)[order] for column in columns))

        def each(of: Callable[[Regions], Any]) -> Any:
            values = np.concatenate([of(item) for _, item in parts])
            return values[np.argsort(np.concatenate([points for points, _ in parts]))]

        return Regions(
            point=point[order],
            low=at(lambda item: item.low),
            high=at(lambda item: item.high),
            scan=Scan.joined(trial, [(points, item.scan) for points, item in parts]),
            hopeless=each(lambda item: item.hopeless),
            steady_least=each(lambda item: item.steady_least),
            steady_greatest=each(lambda item: item.steady_greatest),
            best=each(lambda item: item.best),
            complete=all(item.complete for _, item in parts),
        )

    def first(self, size: int) -> Any:
        """Per point, the index of its lowest interval; -1 where there is none."""
        return _index(self.point[::-1], size, len(self.point) - 1, -1)

    def last(self, size: int) -> Any:
        """Per point, the index of its highest interval; -1 where there is none."""
        return _index(self.point, size, 0, 1)


def _index(index: Indices, size: int, first: int, step: int) -> Indices:
    """The last index of each point in a list that begins at `first` and goes by `step`."""
    result = np.full(size, -1)
    result[index] = first + step * np.arange(len(index))
    return result


def intervals(scan: Scan) -> tuple[Indices, Indices]:
    """The runs of neighbouring values at which the limits hold: the indices of the first and of the last of each."""
    holds, same = scan.holds, scan.neighbours()
    before = np.concatenate([[False], holds[:-1] & same])
    after = np.concatenate([holds[1:] & same, [False]])
    return np.flatnonzero(holds & ~before), np.flatnonzero(holds & ~after)


def best(scan: Scan, size: int) -> Array:
    """Per point, the value with a steady state at which the limits are exceeded least; 0 where there is none.

    At several equal values, it is the lowest value tried if that is among them, or else the highest.
    """
    result = np.zeros(size)
    order = np.lexsort((-scan.value, -np.where(scan.stable, scan.excess, 2.0)))
    result[scan.point[order]] = scan.value[order]
    index, value, excess = scan.point[scan.stable], scan.value[scan.stable], scan.excess[scan.stable]
    least = np.full(size, np.inf)
    np.minimum.at(least, index, excess)
    at_least = excess <= least[index] + CLOSE
    change = index[1:] != index[:-1]
    for ends in (at_least & np.append(change, True), at_least & np.append(True, change)):
        result[index[ends]] = value[ends]
    return result
