"""The places of a buffer and the customers who fill it: the numbers that are looked at, and who waits."""

from __future__ import annotations

from typing import Any

from qnet.errors import NotComputed, Problem
from qnet.lazy import np
from qnet.networks.capacity.closed_parts import LOST, STATION, WAIT

_DENSE, _RATIO = 24, 1.25
"""Numbers up to which every one is solved, and how far apart those are that are solved beyond; others between them."""
_MOST = 20_000_000
"""Numbers of places over all points, at each of which a figure is kept."""


class Pool:
    """The places and the customers of a buffer."""

    def __init__(self, form: str, places: Any, population: Any, fills: Any) -> None:
        self.form = form
        self.places = places
        """(points,) whole."""
        self.population = population
        """(points, closed classes)."""
        self.fills = fills
        """(points, closed classes) which of them take places."""
        crowd = np.ceil((population * fills).sum(axis=1)).astype(int)
        last = {WAIT: places + crowd, LOST: places, STATION: np.minimum(places, crowd)}
        self.last = last[form]
        """(points,) the greatest number of places that are taken or waited for."""
        self.most = int(self.last.max())
        if len(places) * (self.most + 1) > _MOST:
            found = f"{len(places)} points with up to {self.most} places and customers are too many to look at each"
            raise NotComputed(Problem("QN556", found, "fewer points, places or customers"))
        self.numbers = np.arange(self.most + 1)
        self.taken, self.waiting = self.looked_at()
        """(points, levels) places that are taken, and customers who are not around, at the numbers that are solved."""
        self.below, self.share = self.between()

    @property
    def levels(self) -> int:
        """How many numbers are solved, of each point."""
        return self.taken.shape[1]

    def looked_at(self) -> tuple[Any, Any]:
        """The numbers that are solved: few of many."""
        last = self.last[:, None]
        if self.form == WAIT:
            before, crowd = _grid(int(self.places.max())), last - self.places[:, None]
            most = int(crowd.max())
            waiting = np.minimum(np.arange(1, most + 1), crowd)
            if most > 2 * _DENSE:
                # Much changes where few wait, and where few are left who do not.
                after = _grid(most)
                waiting = np.sort(np.concatenate([np.minimum(after, crowd), crowd - np.minimum(after, crowd)], axis=1))
            all_taken = np.repeat(self.places[:, None], waiting.shape[1], axis=1)
            taken = np.concatenate([np.minimum(before, self.places[:, None]), all_taken], axis=1)
            return taken, np.concatenate([np.zeros((len(last), len(before))), waiting], axis=1)
        taken = np.minimum(_grid(self.most), last)
        return taken, taken * 1.0 if self.form == STATION else np.zeros(taken.shape)

    def between(self) -> tuple[Any, Any]:
        """(points, most + 1) the last solved number not above each, and how far it is on the way to the next."""
        solved = self.taken + (self.waiting if self.form == WAIT else 0)
        below = np.stack([np.searchsorted(row, self.numbers, side="right") - 1 for row in solved])
        below = np.minimum(below, self.levels - 2) if self.levels > 1 else below
        first, second = (np.take_along_axis(solved, np.minimum(below + up, self.levels - 1), axis=1) for up in (0, 1))
        wide = second - first
        share = np.where(wide > 0, (self.numbers - first) / np.where(wide > 0, wide, 1), 0.0)
        return below, np.clip(share, 0.0, 1.0)

    def at_all(self, table: Any) -> Any:
        """(points, levels) at every number, (points, most + 1): on a line between those that are solved."""
        low = np.take_along_axis(table, self.below, axis=1)
        high = np.take_along_axis(table, np.minimum(self.below + 1, self.levels - 1), axis=1)
        return low + self.share * (high - low)

    def spread(self, waiting: Any, shares: Any) -> Any:
        """(..., closed classes) of so many who wait those of each class: in proportion, but not more than there are.

        waiting  (points, any), shares  (points, closed classes).
        """
        population = (self.population * self.fills)[:, None, :]
        weights = np.broadcast_to(shares[:, None, :], (*waiting.shape, shares.shape[1]))
        found = np.zeros(weights.shape)
        free = np.ones(weights.shape, bool)
        for _ in range(shares.shape[1]):
            left = np.maximum(waiting[..., None] - (found * ~free).sum(axis=-1, keepdims=True), 0.0)
            whole = (weights * free).sum(axis=-1, keepdims=True)
            # Who has no share waits only where all others do.
            found = np.where(free, np.where(whole > 0, weights / np.where(whole > 0, whole, 1.0), 1.0) * left, found)
            over = found >= population
            found = np.where(over, population, found)
            free = ~over
        return found


def _grid(most: int) -> Any:
    """Whole numbers from 0 to one, all of the first and ever fewer."""
    dense = np.arange(min(most, _DENSE) + 1)
    if most <= _DENSE:
        return dense
    count = int(np.ceil(np.log(most / _DENSE) / np.log(_RATIO)))
    return np.unique(np.concatenate([dense, np.rint(np.geomspace(_DENSE, most, count + 1)).astype(int)]))
