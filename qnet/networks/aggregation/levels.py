"""A part of a network at several numbers of customers, solved together as one batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from qnet.errors import NotComputed, Problem
from qnet.expression import Value
from qnet.lazy import Array, np
from qnet.networks.routed import ClosedClass, RoutedNetwork, mapped
from qnet.networks.solution import RoutedSolution
from qnet.networks.streams import Streams
from qnet.networks.wanted import Wanted
from qnet.queues.arithmetic import distinct, total
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import SolvePart

MOST = 20_000_000
"""Numbers of one figure, over all points, stations and numbers of customers, that are kept at once: 160 MB."""
_DENSE, _RATIO = 24, 1.25
"""Numbers up to which every one is solved, and the ratio of those that are solved beyond."""


class LevelGrid(Record):
    """Which solved level, a column of a table, represents each number of customers from 0."""

    below: Any
    """(points or 1, numbers) the last level of which the number is not larger."""
    share: Any
    """How far the number is on the way to the next level; None where every number has its level."""

    def at_all(self, table: Any) -> Array:
        """A table (points, levels) at every number, (points, numbers); linear between two levels."""
        if self.share is None:
            return table[:, self.below[0]]
        low = np.take_along_axis(table, self.below, axis=1)
        high = np.take_along_axis(table, np.minimum(self.below + 1, table.shape[1] - 1), axis=1)
        return low + self.share * (high - low)


def every_number(levels: int, most: int) -> LevelGrid:
    """A grid with the levels 0, 1, ..., `levels`; greater numbers up to `most` are as the last level."""
    return LevelGrid(np.minimum(np.arange(most + 1), levels)[None, :], None)


def interpolated(solved: Any, most: int) -> LevelGrid:
    """A grid of some numbers in increasing order, (points, levels), for all up to `most`.

    solved  (points, levels) the numbers at which the subnetwork is solved, each row increasing.
    most    the largest number.
    """
    numbers, levels = np.arange(most + 1), solved.shape[1]
    below = np.stack([np.searchsorted(row, numbers, side="right") - 1 for row in solved])
    below = np.minimum(below, levels - 2) if levels > 1 else below
    first, second = (np.take_along_axis(solved, np.minimum(below + up, levels - 1), axis=1) for up in (0, 1))
    wide = second - first
    share = np.where(wide > 0, (numbers - first) / np.where(wide > 0, wide, 1), 0.0)
    return LevelGrid(below, np.clip(share, 0.0, 1.0))


def spaced(most: int) -> Any:
    """Integers from 0 to `most`: all up to 24, then about every 1.25 times the one before."""
    dense = np.arange(min(most, _DENSE) + 1)
    if most <= _DENSE:
        return dense
    count = int(np.ceil(np.log(most / _DENSE) / np.log(_RATIO)))
    return distinct(np.concatenate([dense, np.rint(np.geomspace(_DENSE, most, count + 1)).astype(int)]))


def repeated(network: RoutedNetwork, times: int) -> RoutedNetwork:
    """A batch in which each point of a network is repeated, one after the other.

    times  how often, at least 1; the copies of a point are neighbours.
    """
    size = 1 if network.size is None else network.size
    return mapped(network, lambda array: np.repeat(array, times) if array.ndim else array).replace(size=size * times)


class PartFigures(Record):
    """Figures of a part at its levels, arrays (points, levels)."""

    rates: tuple[Any, ...]
    """By stream, requests per second and copy."""
    waits: tuple[Any, ...]
    """By stream, seconds."""
    throughputs: tuple[Any, ...]
    """By class, passages per second."""
    responses: tuple[Any, ...]
    """By class, seconds."""
    loads: Mapping[str, Any]
    """By label of a station group, that of open classes."""
    solution: RoutedSolution
    """All figures of the batch."""


def table(value: Value, points: int, levels: int) -> Array:
    """A value of a batch of all levels of all points, (points, levels)."""
    return np.broadcast_to(np.asarray(value, float), (points * levels,)).reshape(points, levels)


def solve_levels(batch: RoutedNetwork, points: int, wanted: Wanted, solve_part: SolvePart, label: str) -> PartFigures:
    """Solve a part at all its levels.

    batch    points x levels, the levels innermost.
    wanted   the budget.
    label    the station or buffer that the network is divided at, for the message.
    Raises   as `solve_part`, and `NotComputed` QN555 where the part has no wait for each of its streams.
    """
    solution = solve_part(batch, wanted)
    passages = solution.passages
    if passages is None:
        text = f'what is around "{label}" limits how many may be inside'
        raise NotComputed(Problem("QN555", text, "one or the other"))
    levels = (batch.size or 0) // max(1, points)

    def figure(value: Value) -> Array:
        return table(value, points, levels)

    return PartFigures(
        rates=tuple(figure(stream.rate) for stream in passages.compiled.streams),
        waits=tuple(figure(wait.mean) for wait in passages.waits),
        throughputs=tuple(figure(item.throughput) for item in solution.classes),
        responses=tuple(figure(item.response) for item in solution.classes),
        loads={item.name: figure(item.load) for item in solution.loads},
        solution=solution,
    )


def passage_time(compiled: Streams, customers: ClosedClass, class_index: int) -> Value:
    """Seconds between two passages of a customer that never waits, think time included.

    customers  the closed class, with its think time in seconds.
    class_index  its index among all classes, by which its streams are known.
    compiled  the routes for one passage per second.
    """
    routes = [route for route in compiled.routes if route.class_index == class_index]
    spent = total(route.probability * part.mean for route in routes for part in route.parts.values())
    return customers.think_time + spent
