"""Flow-equivalent aggregation: a part of a network as one station whose rate depends on the customers in it.

The common parts of `networks.memory` (subnetworks with a limited number of customers) and `networks.capacity` (closed
classes that fill a buffer). A part is solved at several numbers of customers (levels) as one batch (`solve_levels`),
and represented by its throughput at each number: the probability of n customers in it is in proportion to the product
of arrival rate over throughput at 1, ..., n, computed in logarithms (`log_weights`). Means over these numbers give the
figures of the network (`Aggregation`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import Array, Indices
from qnet.networks.duration import Wait
from qnet.networks.exactness import AGGREGATED
from qnet.networks.figures import Steady, figures
from qnet.networks.routed import ClosedClass, OpenClass, RoutedNetwork, mapped
from qnet.networks.solution import RoutedSolution
from qnet.networks.streams import Key, Streams
from qnet.networks.wanted import Wanted
from qnet.queues.arithmetic import distinct, total
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import SolvePart

MOST = 20_000_000
"""The most floats of one figure, over all points, stations and numbers of customers, that are kept: 160 MB."""
_DENSE, _RATIO = 24, 1.25
"""The number of customers up to which every number is solved, and the ratio of successive numbers beyond."""


class LevelGrid(Record):
    """How the solved levels, columns of a table, represent each number of customers from 0."""

    below: Any
    """(points or 1, numbers) the last level that does not exceed the number."""
    share: Any
    """(points, numbers) the position of the number between that level and the next, from 0 to 1; None where every
    number has its level."""

    def at_all(self, table: Any) -> Array:
        """A table (points, levels) at every number, (points, numbers); linear between two levels."""
        if self.share is None:
            return table[:, self.below[0]]
        low = np.take_along_axis(table, self.below, axis=1)
        high = np.take_along_axis(table, np.minimum(self.below + 1, table.shape[1] - 1), axis=1)
        return low + self.share * (high - low)


def every_number(levels: int, most: int) -> LevelGrid:
    """A grid with the levels 0, 1, ..., `levels`; larger numbers, up to `most`, are as the last level."""
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
    """A batch in which each point of a network is repeated.

    times  how often, at least 1; the repetitions of a point are neighbours.
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
    """By label of a station group, the load of open classes."""
    solution: RoutedSolution
    """All figures of the batch."""


def table(value: Value, points: int, levels: int) -> Array:
    """A value of a batch with all levels of all points, as an array (points, levels)."""
    return np.broadcast_to(np.asarray(value, float), (points * levels,)).reshape(points, levels)


def solve_levels(batch: RoutedNetwork, points: int, wanted: Wanted, solve_part: SolvePart, label: str) -> PartFigures:
    """Solve a part at all its levels.

    batch    points x levels, the levels innermost.
    wanted   the figures and their budget.
    label    the station or buffer at which the network is divided, for the message.
    Raises   as `solve_part`, and `NotComputed` QN555 where the part has no wait for each of its streams.
    """
    solution = solve_part(batch, wanted)
    passages = solution.passages
    if passages is None:
        text = f'a station around "{label}" limits the number of customers inside it'
        raise NotComputed(Problem("QN555", text, "one limit or the other"))
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
    """Seconds of a passage of a customer that never waits, think time included.

    compiled     the routes for one passage per second.
    customers    the closed class, with its think time in seconds.
    class_index  its index among all classes.
    """
    routes = [route for route in compiled.routes if route.class_index == class_index]
    spent = total(route.probability * part.mean for route in routes for part in route.parts.values())
    return customers.think_time + spent


_VALLEY, _SHARE = 0.9, 0.01
"""Two modes are separated by a valley below this share of the lower mode, with at least this probability on each
side."""


def log_weights(births: Any, deaths: Any) -> Array:
    """Logarithms of p(n) / p(0) of a birth-death chain, (points, numbers from 0).

    births  (points, numbers) rate from n to n + 1; that at the last number is not used.
    deaths  (points, numbers) rate from n to n - 1, infinite where a customer leaves at once; that at 0 is not used.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.log(births[:, :-1]) - np.log(deaths[:, 1:])
    return np.concatenate([np.zeros((len(steps), 1)), np.cumsum(steps, axis=1)], axis=1)


def probabilities(logs: Array) -> Array:
    """The probabilities of numbers with given log weights, each row of sum 1.

    logs     (points, numbers) logarithms of weights; -inf for a number that does not occur.
    Method   The largest weight is scaled to 1, so that none overflows.
    Returns  (points, numbers) probabilities.
    """
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def with_queue(logs: Array, ratio: Array) -> tuple[Array, Array]:
    """The numbers of customers in a part with a limit, and in the unlimited queue before it.

    logs     (points, limit + 1) log weights.
    ratio    (points,) p(n + 1) / p(n) from the limit on, below 1.
    Returns  (points, limit + 1) probabilities, the last that of the limit or more; (points,) mean number in the queue.
    """
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    last = weights[:, -1] / (1 - ratio)
    weights[:, -1] = last
    normalization = weights.sum(axis=1)
    return weights / normalization[:, None], last * ratio / (1 - ratio) / normalization


def numbers_in_parts(parts: Sequence[Array], population: Array) -> list[Array]:
    """The probabilities of the numbers of customers in every part of a closed network.

    parts       by part, log weights at 0, 1, ... customers, (points, most + 1).
    population  (points,) customers in all parts together; a fraction mixes the answers for the integers around it.
    Returns     by part (points, most + 1), each row of sum 1.
    Method      The parts are stations whose rates depend on the number present: product form (@chandy1975).
                For two parts it is a birth-death chain.
    """
    low = np.floor(population)
    fraction = (population - low)[:, None]
    result = _of_integers(parts, low.astype(int))
    if not fraction.any():
        return result
    more = _of_integers(parts, np.ceil(population).astype(int))
    return [(1 - fraction) * few + fraction * many for few, many in zip(result, more, strict=True)]


def _of_integers(parts: Sequence[Array], population: Indices) -> list[Array]:
    points: int
    length: int
    points, length = parts[0].shape
    numbers: Indices = np.arange(length)
    elsewhere = population[:, None] - numbers[None, :]
    rows: Indices = np.arange(points)[:, None]
    result: list[Array] = []
    for index, part in enumerate(parts):
        others = _convolved([other for number, other in enumerate(parts) if number != index], points, length)
        result.append(probabilities(part + np.where(elsewhere >= 0, others[rows, np.maximum(elsewhere, 0)], -np.inf)))
    return result


def _convolved(parts: Sequence[Array], points: int, length: int) -> Array:
    """The log weights of several parts taken as one."""
    result = np.full((points, length), -np.inf)
    result[:, 0] = 0.0
    for number, part in enumerate(parts):
        if not number:
            result = part
            continue
        terms = [part[:, : count + 1] + result[:, count::-1] for count in range(length)]
        result = np.stack([np.logaddexp.reduce(term, axis=1) for term in terms], axis=1)
    return result


def mean(shares: Array, values: Array, rates: Array | None = None) -> Array:
    """(points,) the mean of a figure over the numbers of customers: over time, or over events.

    shares  (points, numbers) shares of time with each number.
    values  (points, numbers) the figure at each number.
    rates   events per second at each number, infinite ones taken as 1; None, or no event at all: the mean over time.
    """
    weights = shares
    if rates is not None:
        events = shares * np.where(np.isfinite(rates), rates, 1.0)
        weights = np.where(events.sum(axis=1, keepdims=True) > 0, events, shares)
    return (weights * values).sum(axis=1) / weights.sum(axis=1)


def two_modes(shares: Any) -> tuple[int, int] | None:
    """The two outer modes of the number of customers, with an unlikely number between; None where there are none.

    shares   of time with 0, 1, ... customers; a decreasing tail may be left out.
    """
    row = np.asarray(shares)
    before = np.concatenate([[-1.0], row[:-1]])
    after = np.concatenate([row[1:], [-1.0]])
    peaks = [number for number in np.flatnonzero((row > before) & (row >= after)).tolist() if row[number] > 0]
    best: tuple[int, int] | None = None
    for first, second in pairwise(peaks):
        valley = first + int(row[first : second + 1].argmin())
        deep = row[valley] < _VALLEY * min(row[first], row[second])
        if deep and _SHARE <= row[:valley].sum() <= 1 - _SHARE:
            best = (first, second) if best is None else (best[0], second)
    return best


class Aggregation:
    """A network that is solved by parts: the base of the solvers for limits and for buffers.

    network     a point or a batch.
    wanted      the figures and their budget.
    solve_part  solves a part, by its best method.
    """

    def __init__(self, network: RoutedNetwork, wanted: Wanted, solve_part: SolvePart) -> None:
        self.network = network
        self.wanted = wanted
        self.solve_part = solve_part
        self.operations: Operations = FLOATS if network.size is None else arrays()
        self.points = 1 if network.size is None else network.size

    def column(self, value: Value) -> Any:
        """A value of the network as an array of points."""
        return np.broadcast_to(np.asarray(value, float), (self.points,))

    def value(self, column: Any) -> Value:
        """An array of points as a value of the network."""
        return float(column[0]) if self.network.size is None else column

    def arrivals(self, class_index: int) -> Value:
        """Passages per second of an open class."""
        item = self.network.classes[class_index]
        assert isinstance(item, OpenClass)
        return item.arrival_rate

    def disaggregated(
        self,
        network: RoutedNetwork,
        compiled: Streams,
        throughputs: Sequence[Value],
        waits: Sequence[Wait],
        loads: Mapping[str, Any],
        rounds: int = 1,
    ) -> RoutedSolution:
        """The figures by class, route and station, from the means over the numbers of customers in each part.

        network      with values that depend on these numbers replaced by their means.
        compiled     its streams at the throughputs.
        throughputs  passages per second of every class.
        waits        by stream, the mean wait in its part.
        loads        by label of a station group, the load of open classes, (points,).
        """
        keys: dict[str, Key] = {
            group.label: (station.name, index)
            for station in network.stations
            for index, group in enumerate(station.groups)
        }
        rho = {keys[label]: self.value(load) for label, load in loads.items() if label in keys}
        steady = Steady(
            network, throughputs, compiled=compiled, members=compiled.members(), waits=waits, rho=rho,
            operations=self.operations,
        )  # fmt: skip
        solution = figures(steady, AGGREGATED, rounds)
        self.check(solution)
        return solution.replace(
            classes=tuple(
                item.replace(population=customers.population, think_time=customers.think_time)
                if isinstance(customers, ClosedClass)
                else item
                for item, customers in zip(solution.classes, self.network.classes, strict=True)
            ),
        )

    def check(self, solution: RoutedSolution) -> None:
        """Raise `NotComputed` where the means of the parts contradict each other."""
