"""The intervals of one parameter in which limits hold, for a batch of points, and what ends each of them."""

from __future__ import annotations

from typing import Any

from qnet.lazy import Array, Places, np
from qnet.questions.search.scan import ALIKE, Scan
from qnet.record import Record

LIMIT, SATURATION, RANGE, ENDLESS = range(4)
"""What may end an interval: a limit, the steady state, the range of the parameter, or nothing that was seen."""


class Ends(Record):
    """One end of every interval, as arrays of one length."""

    value: Any
    """The last value at which the limits hold, or where the steady state or the range ends."""
    shown: Any
    """Where the figures there are read: there is a steady state."""
    cause: Any
    """One of the four words for what may end an interval."""
    probe: Any
    """Where it shows which limit or station it is: the value itself, or the first whole number beyond."""


class Regions(Record):
    """Where limits hold. `place` says which point an interval belongs to; those of one point are in rising order."""

    place: Any
    low: Ends
    high: Ends
    scan: Scan
    """What was looked at."""
    hopeless: Any
    """Per point: whether there is no steady state at any value that was looked at."""
    steady_least: Any
    """Per point: the least value with a steady state; nan where the range of the parameter ends first."""
    steady_greatest: Any
    best: Array
    """Per point: the value at which the limits are exceeded least."""
    complete: bool = False
    """Whether every whole number in the range was looked at."""

    def first(self, size: int) -> Any:
        """Per point the lowest of its intervals, as an index; -1 where there is none."""
        return _index(self.place[::-1], size, len(self.place) - 1, -1)

    def last(self, size: int) -> Any:
        """Per point the highest of its intervals, as an index; -1 where there is none."""
        return _index(self.place, size, 0, 1)


def _index(place: Places, size: int, first: int, step: int) -> Places:
    """The last index of each place in a list that begins at `first` and goes by `step`."""
    found = np.full(size, -1)
    found[place] = first + step * np.arange(len(place))
    return found


def intervals(scan: Scan) -> tuple[Places, Places]:
    """The runs of neighbouring values at which the limits hold, as indices of the first and of the last of each."""
    holds, same = scan.holds, scan.neighbours()
    before = np.concatenate([[False], holds[:-1] & same])
    after = np.concatenate([holds[1:] & same, [False]])
    return np.flatnonzero(holds & ~before), np.flatnonzero(holds & ~after)


def best(scan: Scan, size: int) -> Array:
    """Per point the value at which the limits are exceeded least; 0 where there is none.

    Of several values that are alike it is the lowest, else the highest, of all that have a steady state.
    """
    found = np.zeros(size)
    order = np.lexsort((-scan.value, -np.where(scan.stable, scan.excess, 2.0)))
    found[scan.place[order]] = scan.value[order]
    place, value, excess = scan.place[scan.stable], scan.value[scan.stable], scan.excess[scan.stable]
    least = np.full(size, np.inf)
    np.minimum.at(least, place, excess)
    alike = excess <= least[place] + ALIKE
    change = place[1:] != place[:-1]
    for ends in (alike & np.append(change, True), alike & np.append(True, change)):
        found[place[ends]] = value[ends]
    return found
