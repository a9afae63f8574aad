"""The intervals of one parameter in which limits hold, for a batch of points, and what ends each of them."""

from __future__ import annotations

from typing import Any

from qnet.lazy import Array, Indices, np
from qnet.questions.points.trial import Trial
from qnet.questions.search.scan import CLOSE, Scan
from qnet.record import Record

LIMIT, SATURATION, RANGE, ENDLESS = range(4)
"""What may end an interval: a limit, the steady state, the range of the parameter, or nothing observed."""


class Ends(Record):
    """One end of every interval, as arrays of one length."""

    value: Any
    """The last value at which the limits hold, or where the steady state or the range ends."""
    shown: Any
    """Where the figures there are read: there is a steady state."""
    cause: Any
    """One of the four words for what may end an interval."""
    probe: Any
    """Where it shows which limit or station it is: the value itself, or the first integer beyond."""


class Regions(Record):
    """Where limits hold. `point` is the one that an interval belongs to; those of one are in rising order."""

    point: Any
    low: Ends
    high: Ends
    scan: Scan
    """The values tried."""
    hopeless: Any
    """Per point: whether there is no steady state at any value tried."""
    steady_least: Any
    """Per point: the least value with a steady state; nan where the range of the parameter ends first."""
    steady_greatest: Any
    """The same of the greatest one, which is not exact where it was not asked for."""
    best: Array
    """Per point: the value at which the limits are exceeded least."""
    complete: bool = False
    """Whether every integer in the range was tried."""

    def part(self, trial: Trial, start: int) -> Regions:
        """Those of a part of the batch: the points of another trial, which begin somewhere."""
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

    def first(self, size: int) -> Any:
        """Per point the lowest of its intervals, as an index; -1 where there is none."""
        return _index(self.point[::-1], size, len(self.point) - 1, -1)

    def last(self, size: int) -> Any:
        """Per point the highest of its intervals, as an index; -1 where there is none."""
        return _index(self.point, size, 0, 1)


def _index(index: Indices, size: int, first: int, step: int) -> Indices:
    """The last index of each point in a list that begins at `first` and goes by `step`."""
    result = np.full(size, -1)
    result[index] = first + step * np.arange(len(index))
    return result


def intervals(scan: Scan) -> tuple[Indices, Indices]:
    """The runs of neighbouring values at which the limits hold, as indices of the first and of the last of each."""
    holds, same = scan.holds, scan.neighbours()
    before = np.concatenate([[False], holds[:-1] & same])
    after = np.concatenate([holds[1:] & same, [False]])
    return np.flatnonzero(holds & ~before), np.flatnonzero(holds & ~after)


def best(scan: Scan, size: int) -> Array:
    """Per point the value at which the limits are exceeded least; 0 where there is none.

    Of several equal values it is the lowest, else the highest, of all that have a steady state.
    """
    result = np.zeros(size)
    order = np.lexsort((-scan.value, -np.where(scan.stable, scan.excess, 2.0)))
    result[scan.point[order]] = scan.value[order]
    index, value, excess = scan.point[scan.stable], scan.value[scan.stable], scan.excess[scan.stable]
    least = np.full(size, np.inf)
    np.minimum.at(least, index, excess)
    identical = excess <= least[index] + CLOSE
    change = index[1:] != index[:-1]
    for ends in (identical & np.append(change, True), identical & np.append(True, change)):
        result[index[ends]] = value[ends]
    return result
