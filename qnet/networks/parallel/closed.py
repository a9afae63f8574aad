"""What parallel steps take off the passages of closed classes: the difference between all branches and the slowest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from qnet import budget
from qnet.expression import Operations, Value, arrays
from qnet.lazy import np
from qnet.networks.duration import Wait
from qnet.networks.parallel.branches import Parallel, mean_join_time
from qnet.networks.parallel.plain import Request, plain
from qnet.networks.routed import ClosedClass, RoutedNetwork
from qnet.networks.streams import Key, Stream, Streams, start_together, stream_wait, streams
from qnet.queues.arithmetic import ratio, total
from qnet.record import Record

_A_WAIT, _A_JOIN = 4 * budget.CALL, 50 * budget.CALL
"""Operations of a round for the wait of a stream, and for the slowest branch of a parallel step."""


class CopyDemand(Record):
    """What a class asks of a copy of a station in a passage."""

    demand: Value
    """Seconds."""
    visits: Value


class Joining:
    """Of a batch of networks: the time of a passage that is not the sum of the times at the stations.

    network     with closed classes.
    compiled    its streams, for one passage per second of every class.
    first_rows  of every group of copies: the row of its first copy among the demands.
    asked       of every group, by class.
    ordered     the stations at which all visits of a class have the same wait.
    identical   by stream, as of `parallel.join_time`.
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
        """The requests for queueing stations in branches."""
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
        """All of it, where that is possible as arrays."""
        names = ("queued", "forks", "identical") if self.plain is None else ()
        self.varying = tuple(name for name in names if _varies(getattr(self, name)))
        """Those of them in which anything differs from point to point."""

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
        """(P, R) seconds by closed class that parallel steps last, less the time that is spent in their branches.

        residence  (P, K, R) seconds in a passage at every copy, of closed classes; columns of others are not read.
        """
        budget.spend(_A_WAIT * len(self.queued) + _A_JOIN * len(self.forks), "the rounds of a fixed point")
        if self.plain is not None:
            return self.plain.extra(residence)
        waits = [Wait(0.0, 0.0)] * self.streams
        result = np.zeros((residence.shape[0], residence.shape[2]))
        for item in self.queued:
            stream, asked = item.stream, item.asked
            key, kind = (stream.station, stream.group), stream.class_index
            spent = residence[:, self.first_rows[key], kind]
            ordered = stream.station in self.ordered
            wait = stream_wait(stream, spent, asked.demand, asked.visits, ordered, False, self.operations)
            waits[item.stream_index] = wait
            result[:, kind] -= self.copies[key] * stream.rate * (stream.holding.mean + wait.mean)
        for item in self.forks:
            time = mean_join_time(item.fork, waits, self.identical, self.operations)
            result[:, item.class_index] += item.probability * item.fork.count * time
        return result


class _Queued(Record):
    stream_index: int
    """Among the streams."""
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
    operations  those of its numbers.
    Limits      Branches that closed customers have left running count on arrival as those of others do.
    """

    def __init__(self, network: RoutedNetwork, compiled: Streams, operations: Operations) -> None:
        self.network = network
        self.compiled = compiled
        self.identical: tuple[Value, ...] = ()
        """By stream, as of `parallel.join_time`."""
        self.lasting: dict[int, Value] = {}
        """Seconds in a passage that they last, of the classes that queue in no branch."""
        self.queued = False
        """Whether closed classes queue in branches."""
        light = [_light(network, compiled, kind) for kind in range(len(network.classes))]
        self.identical = start_together(network, streams(network, operations, light), operations)
        delay = {station.name for station in network.stations if station.delay}
        queued = {
            item.class_index
            for item in compiled.streams
            if item.started is not None and not item.left and item.station not in delay
        }
        closed = {kind for kind, item in enumerate(network.classes) if isinstance(item, ClosedClass)} & queued
        self.queued = bool(closed)
        nobody = [Wait(0.0, 0.0)] * len(compiled.streams)
        for kind in range(len(network.classes)):
            if kind not in queued:
                self.lasting[kind] = total(
                    route.probability * fork.count * mean_join_time(fork, nobody, self.identical, operations)
                    for route in compiled.routes
                    if route.class_index == kind
                    for fork in route.forks
                )

    def joins(
        self, first_rows: Mapping[Key, int], ordered: frozenset[str], demands: Sequence[_Row], visits: Sequence[_Row]
    ) -> Joining | None:
        """What they take off the passages of closed classes that queue in branches; None where no such class does.

        first_rows  of every group of copies: the row of its first copy among all copies.
        ordered     the stations at which all visits of a class have the same wait.
        demands     of every group in the order of `first_rows`, by class, and `visits` as well.
        """
        if not self.queued:
            return None
        rows = zip(first_rows, demands, visits, strict=False)
        asked = {key: [CopyDemand(*pair) for pair in zip(each, counts, strict=True)] for key, each, counts in rows}
        return Joining(self.network, self.compiled, first_rows, asked, ordered, self.identical)


_Row = Sequence[Value]


def _light(network: RoutedNetwork, compiled: Streams, kind: int) -> Value:
    """Passages per second of a class without any waits: it splits the load of a station among classes."""
    item = network.classes[kind]
    if not isinstance(item, ClosedClass):
        return item.arrival_rate
    copies = _copies(network)
    spent = total(
        stream.rate * copies[stream.station, stream.group] * stream.holding.mean
        for stream in compiled.streams
        if stream.class_index == kind
    )
    return ratio(item.population, item.think_time + spent)


def left_running(network: RoutedNetwork, compiled: Streams) -> set[Key]:
    """The groups of copies where branches of closed classes may go on, and pile up, that no parallel step waits for.

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
    """How many copies every group has."""
    return {
        (station.name, index): group.copies
        for station in network.stations
        for index, group in enumerate(station.groups)
    }
