"""Corrections of the passages of closed classes with parallel steps: the time of a step less that of all its branches.

Parallel steps without others inside them are computed as arrays (`plain`), since a round has many points and few
branches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from qnet import budget
from qnet.expression import Operations, Value, arrays
from qnet.lazy import Array, lazy
from qnet.networks.duration import Wait
from qnet.networks.parallel.branches import Parallel, mean_join_time
from qnet.networks.routed import ClosedClass, RoutedNetwork
from qnet.networks.streams import LONGEST, Key, Stream, Streams, start_together, stream_wait, streams
from qnet.queues.arithmetic import ratio, summed, total
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.queues import joins
else:
    joins = lazy("qnet.queues.joins")

_A_WAIT, _A_JOIN = 4 * budget.CALL, 50 * budget.CALL
"""Operations of a round for the wait of a stream, and for the time of a parallel step."""


class CopyDemand(Record):
    """The demand of a class at a copy of a station, per passage."""

    demand: Value
    """Seconds."""
    visits: Value


class Joining:
    """The part of the passages of a batch of networks that is not the sum of the times at the stations.

    network     with closed classes.
    compiled    its streams, for one passage per second of every class.
    first_rows  by group of copies, the row of its first copy among the demands.
    asked       by group of copies, the demands by class.
    ordered     the stations at which all visits of a class have the same wait.
    identical   by stream, the `together` of `branches.join_time`.
    """

    def __init__(
        self,
        network: RoutedNetwork,
        compiled: Streams,
        first_rows: Mapping[Key, int],
        asked: Mapping[Key, Sequence[CopyDemand]],
        ordered: frozenset[str],
        identical: Sequence[Value],
    ) -> None:
        self.network = network
        self.first_rows = first_rows
        self.ordered = ordered
        self.operations: Operations = arrays()
        self.delays = frozenset(station.name for station in network.stations if station.delay)
        self.queued = tuple(
            _Queued(index, stream, asked[stream.station, stream.group][stream.class_index])
            for index, stream in enumerate(compiled.streams)
            if stream.started is not None and not stream.left and stream.station not in self.delays
            if isinstance(network.classes[stream.class_index], ClosedClass)
        )
        """The requests of closed classes for queueing stations in branches."""
        self.streams = len(compiled.streams)
        self.copies = _copies(network)
        self.forks = tuple(
            _Forked(route.class_index, route.probability, fork)
            for route in compiled.routes
            for fork in route.forks
            if isinstance(network.classes[route.class_index], ClosedClass)
        )
        self.identical = tuple(identical)
        requests = [
            Request(
                number=item.stream_index,
                stream=item.stream,
                demand=item.asked.demand,
                visits=item.asked.visits,
                copies=self.copies[key],
                ordered=key[0] in ordered,
            )
            for item in self.queued
            for key in [(item.stream.station, item.stream.group)]
        ]
        forks = [(item.class_index, item.probability, item.fork) for item in self.forks]
        self.plain = plain(requests, forks, identical, first_rows, network.size or 1)
        """The steps and requests as arrays; None where that is not possible."""
        names = ("queued", "forks", "identical") if self.plain is None else ()
        self.varying = tuple(name for name in names if _varies(getattr(self, name)))
        """The attributes that differ from point to point."""

    def __getitem__(self, chosen: Any) -> Joining:
        """Some points of the batch."""
        part = object.__new__(Joining)
        part.__dict__.update(self.__dict__)
        if self.plain is not None:
            part.plain = self.plain.part(chosen)
            return part
        part.__dict__.update((name, _taken(getattr(self, name), chosen)) for name in self.varying)
        return part

    def extra(self, residence: Any) -> Any:
        """(P, R) seconds per passage that parallel steps last, less the time spent in their branches, by closed class.

        residence  (P, K, R) seconds per passage at every copy, of closed classes; columns of others are not read.
        """
        budget.spend(_A_WAIT * len(self.queued) + _A_JOIN * len(self.forks), "the rounds of a fixed point")
        if self.plain is not None:
            return self.plain.extra(residence)
        waits = [Wait(0.0, 0.0)] * self.streams
        result = np.zeros((residence.shape[0], residence.shape[2]))
        for item in self.queued:
            stream, asked = item.stream, item.asked
            key, number = (stream.station, stream.group), stream.class_index
            spent = residence[:, self.first_rows[key], number]
            ordered = stream.station in self.ordered
            wait = stream_wait(stream, spent, asked.demand, asked.visits, ordered, False, self.operations)
            waits[item.stream_index] = wait
            result[:, number] -= self.copies[key] * stream.rate * (stream.holding.mean + wait.mean)
        for item in self.forks:
            time = mean_join_time(item.fork, waits, self.identical, self.operations)
            result[:, item.class_index] += item.probability * item.fork.count * time
        return result


class _Queued(Record):
    stream_index: int
    """Index among the streams."""
    stream: Stream
    asked: CopyDemand


class _Forked(Record):
    class_index: int
    probability: Value
    fork: Parallel


def _varies(value: Any) -> bool:
    """Whether anything inside a value has an element per point."""
    if isinstance(value, Mapping):
        return any(_varies(item) for item in cast("Mapping[Any, Any]", value).values())
    if isinstance(value, tuple):
        return any(_varies(item) for item in cast("tuple[Any, ...]", value))
    return bool(getattr(value, "ndim", 0))


def _taken(value: Any, chosen: Any) -> Any:
    """Some points of everything inside a value: records, tuples, tables, arrays."""
    if isinstance(value, tuple):
        record = cast("tuple[Any, ...]", value)
        kind: Any = type(record)
        items: list[Any] = [_taken(item, chosen) for item in record]
        return kind(*items) if hasattr(kind, "_fields") else tuple(items)
    if isinstance(value, Mapping):
        return {key: _taken(item, chosen) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType]
    return value[chosen] if getattr(value, "ndim", 0) else value


class ParallelSteps:
    """The parallel steps of a network with closed classes.

    network     its stations and classes.
    compiled    its streams, for one passage per second of every class.
    operations  of its numbers.
    Limits      Branches that a closed customer has left running count among those of others that it finds on arrival.
    """

    def __init__(self, network: RoutedNetwork, compiled: Streams, operations: Operations) -> None:
        self.network = network
        self.compiled = compiled
        self.identical: tuple[Value, ...] = ()
        """By stream, the `together` of `branches.join_time`."""
        self.lasting: dict[int, Value] = {}
        """Seconds per passage that they last, by class that queues in no branch."""
        self.queued = False
        """Whether closed classes queue in branches."""
        light = [_light(network, compiled, class_index) for class_index in range(len(network.classes))]
        self.identical = start_together(network, streams(network, operations, light), operations)
        delay = {station.name for station in network.stations if station.delay}
        queued = {
            item.class_index
            for item in compiled.streams
            if item.started is not None and not item.left and item.station not in delay
        }
        closed = {
            class_index for class_index, item in enumerate(network.classes) if isinstance(item, ClosedClass)
        } & queued
        self.queued = bool(closed)
        no_waits = [Wait(0.0, 0.0)] * len(compiled.streams)
        for class_index in range(len(network.classes)):
            if class_index not in queued:
                self.lasting[class_index] = total(
                    route.probability * fork.count * mean_join_time(fork, no_waits, self.identical, operations)
                    for route in compiled.routes
                    if route.class_index == class_index
                    for fork in route.forks
                )

    def joins(
        self, first_rows: Mapping[Key, int], ordered: frozenset[str], demands: Sequence[_Row], visits: Sequence[_Row]
    ) -> Joining | None:
        """The corrections of the passages of closed classes that queue in branches; None where there are no such.

        first_rows  by group of copies, the row of its first copy among all copies.
        ordered     the stations at which all visits of a class have the same wait.
        demands     of every group in the order of `first_rows`, by class.
        visits      likewise.
        """
        if not self.queued:
            return None
        rows = zip(first_rows, demands, visits, strict=False)
        asked = {key: [CopyDemand(*pair) for pair in zip(each, counts, strict=True)] for key, each, counts in rows}
        return Joining(self.network, self.compiled, first_rows, asked, ordered, self.identical)


_Row = Sequence[Value]


def _light(network: RoutedNetwork, compiled: Streams, class_index: int) -> Value:
    """Passages per second of a class without any waits, by which the load of a station is split among classes."""
    item = network.classes[class_index]
    if not isinstance(item, ClosedClass):
        return item.arrival_rate
    copies = _copies(network)
    spent = total(
        stream.rate * copies[stream.station, stream.group] * stream.holding.mean
        for stream in compiled.streams
        if stream.class_index == class_index
    )
    return ratio(item.population, item.think_time + spent)


def left_running(network: RoutedNetwork, compiled: Streams) -> set[Key]:
    """The groups of copies where branches of closed classes may go on that no parallel step waits for any more.

    network   with any classes; those of open ones are left out.
    compiled  its streams.
    Returns   the name of the station and the index of the group.
    """
    result: set[Key] = set()
    for route in compiled.routes:
        if isinstance(network.classes[route.class_index], ClosedClass):
            early = [fork for fork in route.forks if fork.needed < fork.width]
            asked = (index for fork in early for branch in fork.branches for index in branch.asked)
            result |= {(compiled.streams[index].station, compiled.streams[index].group) for index in asked}
    return result


def _copies(network: RoutedNetwork) -> dict[Key, int]:
    """The number of copies in every group."""
    return {
        (station.name, index): group.copies
        for station in network.stations
        for index, group in enumerate(station.groups)
    }


class Request(Record):
    """A request of a closed class for a queueing station in a branch."""

    number: int
    """Index of its stream."""
    stream: Stream
    demand: Value
    """Service demand of its class at one copy, in seconds per passage."""
    visits: Value
    """Visits of its class to one copy per passage."""
    copies: int
    """In the group of copies."""
    ordered: bool
    """Whether all visits of a class have the same wait."""


class _Requests(Record):
    """Q requests as arrays, with p = P rows, one for each point, or p = 1 for all."""

    rows: Any
    """(Q,) rows among the demands."""
    classes: Any
    """(Q,) classes."""
    ordered: Any
    """(Q,) whether all visits of a class have the same wait."""
    demand: Any
    """(p, Q) seconds per passage."""
    never: Any
    """(p, Q) whether the demand is 0."""
    visits: Any
    """(p, Q) per passage; 1 instead of 0."""
    mean: Any
    """(p, Q) seconds of a visit."""
    times: Any
    """(p, Q) visits per passage, to all copies."""


class _Fork(Record):
    """A parallel step of B branches as arrays, with a row for each point, or one for all."""

    class_index: int
    """The class."""
    copies: tuple[int, ...]
    """By branch."""
    needed: int
    rank: int
    """The rank of the branch whose share of waiting for work that started together counts."""
    often: Any
    """(p,) executions per passage."""
    mean: Any
    """(p, B) seconds, without waits."""
    variance: Any
    """(p, B) square seconds, without waits."""
    counts: Any
    """(p, B, Q) requests of each kind per execution of a branch."""
    together: Any
    """(p, B, Q) the same, times the share of the work that started together."""

    def time(self, waits: Array, variances: Array) -> Any:
        """(P,) seconds that it lasts per passage.

        waits, variances  (P, Q) of the waits of the requests.
        """
        mean = self.mean + summed(self.counts * waits[:, None])
        variance = self.variance + summed(self.counts * variances[:, None])
        behind = summed(self.together * waits[:, None])
        shared = joins.at_rank((behind / (mean + (mean == 0))).T, self.copies, self.rank)
        if shared.any():
            shared = np.maximum(shared, 0.0)
            root = (shared + np.sqrt(shared * (shared + 8.0))) / 4.0
            variance = variance * ((1.0 + 2.0 * root - root**2) / (1.0 + root) ** 2)[:, None]
        return self.often * joins.mean_of(np.stack([mean.T, variance.T], axis=1), self.copies, self.needed)


class Plain(Record):
    """The parallel steps of a network, and the requests in their branches, as arrays."""

    requests: _Requests
    forks: tuple[_Fork, ...]

    def part(self, chosen: Any) -> Plain:
        """The same for some points of the batch."""
        return Plain(_part(self.requests, chosen), tuple(_part(fork, chosen) for fork in self.forks))

    def extra(self, residence: Array) -> Array:
        """As `Joining.extra`."""
        asked = self.requests
        spent = residence[:, asked.rows, asked.classes]
        idle = (spent == 0) | asked.never
        each: Array = asked.mean * np.maximum(spent / (asked.demand + idle) - 1.0 + idle, 0.0)
        if asked.ordered.any():
            each = np.where(asked.ordered, np.maximum(spent - asked.demand, 0.0) / asked.visits, each)
        known = np.minimum(each, LONGEST)
        variances = known * (known + 2.0 * asked.mean)
        result = np.zeros((len(residence), residence.shape[2]))
        less: Array = asked.times * (asked.mean + each)
        for number, class_index in enumerate(asked.classes.tolist()):
            result[:, class_index] -= less[:, number]
        for fork in self.forks:
            result[:, fork.class_index] += fork.time(each, variances)
        return result


def plain(
    requests: Sequence[Request],
    forks: Sequence[tuple[int, Value, Parallel]],
    identical: Sequence[Value],
    first_rows: Mapping[Key, int],
    size: int,
) -> Plain | None:
    """The parallel steps of a batch as arrays; None where any has others inside, visits with a fractional mean number,
    or a single branch.

    requests    of closed classes in branches.
    forks       by step: its class, the probability of its route, and the step.
    identical   by stream, the `together` of `branches.join_time`.
    first_rows  by group of copies, the row of its first copy among the demands.
    size        the points of the batch.
    """
    branches = [branch for _, _, fork in forks for branch in fork.branches]
    if any(branch.forks or branch.first.fractions for branch in branches) or any(fork.width == 1 for *_, fork in forks):
        return None
    column_of = {item.number: column for column, item in enumerate(requests)}

    def column(values: Sequence[Value]) -> Array:
        return _column(values, size)

    asked = _Requests(
        rows=np.array([first_rows[item.stream.station, item.stream.group] for item in requests], int),
        classes=np.array([item.stream.class_index for item in requests], int),
        ordered=np.array([item.ordered for item in requests], bool),
        demand=column([item.demand for item in requests]),
        never=column([item.demand for item in requests]) == 0,
        visits=column([item.visits + (item.visits == 0) for item in requests]),
        mean=column([item.stream.holding.mean for item in requests]),
        times=column([item.copies * item.stream.rate for item in requests]),
    )
    result: list[_Fork] = []
    for class_index, probability, fork in forks:
        waited = [
            [(column_of[index], count, index) for index, count in branch.first.waits.items() if index in column_of]
            for branch in fork.branches
        ]
        zero = [[0.0] * len(requests) for _ in waited]
        counts, together = [list[Value](row) for row in zero], [list[Value](row) for row in zero]
        for number, row in enumerate(waited):
            for index, count, stream in row:
                counts[number][index], together[number][index] = count, count * identical[stream]
        shape = len(fork.branches), len(requests)
        result.append(
            _Fork(
                class_index=class_index,
                copies=tuple(branch.copies for branch in fork.branches),
                needed=fork.needed,
                rank=min(fork.needed + 1, fork.width - 1),
                often=column([probability * fork.count])[:, 0],
                mean=column([branch.first.mean for branch in fork.branches]),
                variance=column([branch.first.variance for branch in fork.branches]),
                counts=column([item for row in counts for item in row]).reshape(-1, *shape),
                together=column([item for row in together for item in row]).reshape(-1, *shape),
            )
        )
    return Plain(asked, tuple(result))


def _column(values: Sequence[Value], size: int) -> Array:
    """(p, n) numbers, with a row for each point of a batch if any differs between points, else one for all."""
    several = any(getattr(value, "ndim", 0) for value in values)
    shape = (size if several else 1,)
    return np.stack([np.broadcast_to(np.asarray(value, float), shape) for value in values], axis=1)


def _part(record: Any, chosen: Any) -> Any:
    """A record with the rows of some points, in those arrays that have one for each."""
    rows: Any = {"demand", "never", "visits", "mean", "times", "often", "variance", "counts", "together"}
    changed = {name: value[chosen] for name, value in record.as_dict().items() if name in rows and len(value) > 1}
    return record.replace(**changed) if changed else record
