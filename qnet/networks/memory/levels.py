"""A network with 0, 1, ... customers of one class: its throughput and its waits at every number of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qnet.errors import NotComputed, Problem
from qnet.expression import Value, arrays
from qnet.lazy import np
from qnet.networks.routed import ClosedClass, RoutedNetwork, mapped
from qnet.networks.solution import RoutedSolution
from qnet.networks.streams import Streams, streams
from qnet.networks.wanted import Wanted
from qnet.queues.arithmetic import total
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import SolvePart

MOST = 20_000_000
"""Numbers of one figure, over all points, stations and numbers of customers, that are solved at once."""


class Levels(Record):
    """Figures at every number of customers, arrays (points, numbers from 0)."""

    throughput: Any
    """Passages per second; 0 without customers."""
    instant: Any
    """(points,) whether a passage takes no time: then nobody is ever there."""
    rates: tuple[Any, ...]
    """By stream, requests per second and copy."""
    waits: tuple[Any, ...]
    """By stream, the mean wait."""
    longest: Any
    """(points, numbers from 1 or 0) the longest mean time of a visit, as a share of the time of a passage without
    waits."""
    solution: RoutedSolution

    @property
    def logs(self) -> Any:
        """Logarithms of the products of 1 / throughput over 1, 2, ... customers, (points, numbers from 0)."""
        steps = np.zeros_like(self.throughput)
        steps[:, 1:] = np.where(self.instant[:, None], -np.inf, -np.log(self.throughput[:, 1:]))
        return np.cumsum(steps, axis=1)


def repeated(network: RoutedNetwork, times: int) -> RoutedNetwork:
    """A batch in which each point of a network stands so many times, one after the other."""
    size = 1 if network.size is None else network.size
    return mapped(network, lambda array: np.repeat(array, times) if array.ndim else array).replace(size=size * times)


def solved(
    network: RoutedNetwork, kind: int, points: int, wanted: Wanted, solve_part: SolvePart, without: bool = False
) -> Levels:
    """The figures of a batch that holds 1, 2, ... customers for each of some points.

    network  points x numbers of customers, the numbers innermost; `kind` is the closed class that is counted.
    without  whether the numbers begin with none; else nobody else is there, and none has no figures.
    Returns  `Levels`, of which the column without customers has the waits of one customer where it has none.
    Raises   as `solve_part`, and `NotComputed` QN543 where there are too many numbers.
    """
    size = network.size or 0
    cells = size * max(1, len(network.stations))
    most = size // max(1, points)
    if cells > MOST or float(size) * most * max(1, len(network.stations)) > wanted.operations:
        found = f"{points} points with up to {most} customers each are too many to be solved at every number of them"
        raise NotComputed(Problem("QN543", found, "fewer points, or fewer customers"))
    own = network.classes[kind]
    assert isinstance(own, ClosedClass)
    compiled = streams(network, arrays(), [1.0] * len(network.classes))
    spent = _time(compiled, own, kind)
    instant = np.broadcast_to(np.asarray(spent <= 0), (size,))
    only = own.replace(think_time=np.where(instant, 1.0, own.think_time))
    classes = tuple(only if index == kind else item for index, item in enumerate(network.classes))
    asked = Wanted(operations=float("inf"), memory=float("inf"), enclosed=False)
    solution = solve_part(network.replace(classes=classes), asked)
    passages = solution.passages
    assert passages is not None

    def table(value: Value, nobody: float | None = None) -> Any:
        found = np.broadcast_to(np.asarray(value, float), (size,)).reshape(points, most)
        if without:
            return found
        return np.concatenate([found[:, :1] if nobody is None else np.full((points, 1), nobody), found], axis=1)

    throughput = table(solution.classes[kind].throughput, 0.0)
    return Levels(
        throughput,
        instant.reshape(points, most)[:, 0],
        tuple(table(stream.rate, 0.0) for stream in passages.compiled.streams),
        tuple(table(wait.mean) for wait in passages.waits),
        np.broadcast_to(np.asarray(_longest(compiled, spent, kind)), (size,)).reshape(points, most),
        solution,
    )


def _time(compiled: Streams, own: ClosedClass, kind: int) -> Value:
    """The time of a passage of a closed class without any waits, thinking included."""
    routes = [route for route in compiled.routes if route.class_index == kind]
    return own.think_time + total(route.probability * part.mean for route in routes for part in route.parts.values())


def _longest(compiled: Streams, spent: Value, kind: int) -> Value:
    """The longest mean time of a visit that is made, as a share of the time of a passage."""
    operations = arrays()
    nothing = spent <= 0
    times = [
        operations.where(stream.rate > 0, stream.holding.mean, 0.0 * stream.rate)
        for stream in compiled.streams
        if stream.class_index == kind
    ]
    return operations.where(nothing, 0.0, operations.maximum([*times, 0.0 * spent, 0.0 * spent]) / (spent + nothing))
