"""A network of layers as arrays: requests, servers held meanwhile, and times that are linear in waits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from qnet.networks.duration import Duration
from qnet.networks.routed import ClosedClass, RoutedNetwork
from qnet.networks.streams import Key, Stream, Streams, follows
from qnet.queues.finite_source import MAX_SOURCES
from qnet.record import Record

Tag = tuple[int, tuple[int, ...]]
"""A requesting customer: its closed class, or -1 where no customer is removed, and the centres whose servers it holds,
which others then lack."""


class Shape(Record):
    """The structure that all points of a batch share: S streams at K centres of C classes."""

    keys: tuple[Key, ...]
    """(K,) the centres: one copy of each group."""
    centre: Any
    """(S,) the centre of each stream."""
    class_of: Any
    """(S,) the class of each stream."""
    counted: Any
    """(S,) whether it is a request of a closed class, before the response."""
    free: Any
    """(S,) whether any number of customers can request it at once: open classes and second phases outside all holds."""
    shared: Any
    """(S,) whether the server is shared or preempted by later arrivals."""
    levels: tuple[Any, ...]
    """The streams inside 0, 1, ... holds, without those at delays."""
    present: Any
    """(S, S) 1 where both streams are at the same queueing station."""
    same_class: Any
    """(S, S) whether both are requested by the same customers."""
    outer: tuple[tuple[tuple[int, Any], ...], ...]
    """By stream, for each hold around it: the stream of that hold, and (S,) the share of the requests of every stream
    that holders of the same copy make."""
    tags: tuple[Tag, ...]
    tag: Any
    """(S,) the tag of the requesting customers."""
    closed: Any
    """(C,)"""
    visiting: Any
    """(K, C) whether a closed class requests a centre before its response."""
    crowd: Any
    """(K,) whether closed classes do not bound the number of requests at once."""
    pools: Any
    """(K, K) for a centre that is requested only from inside holds: the copies of the outer centre whose holders
    request it; rows of 0 for other centres."""
    fraction: Any
    """(F,) the streams of the repeated parts with a fractional number of repetitions."""

    def sources(self, numbers: Numbers, rows: Any) -> Any:
        """(P, s) the largest number of other customers at the station of a request."""
        result = np.empty((len(numbers.population), len(rows)))
        for column, row in enumerate(rows):
            index = self.centre[row]
            people = (numbers.population * self.visiting[index]).sum(1) - self.counted[row]
            if self.crowd[index]:
                people = np.full(len(people), float(MAX_SOURCES))
            if self.pools[index].any():
                people = np.minimum(people, numbers.servers @ self.pools[index] - 1.0)
            result[:, column] = np.clip(people, 0.0, MAX_SOURCES)
        return result


class Numbers(Record):
    """The numbers of P points; every array has P rows. Times in seconds, rates per second."""

    visits: Any
    """(P, S) visits per passage and copy."""
    first: Any
    first_waits: Any
    """(P, S) mean holding time up to the response without waits, and (P, S, S) how often each stream is waited for."""
    second: Any
    second_waits: Any
    variance: Any
    """(P, S) variance of the holding time without waits."""
    part_weight: Any
    part_mean: Any
    part_waits: Any
    """(P, F), (P, F), (P, F, S): the repeated parts that add to variances."""
    scv: Any
    """(P, S) stated scv of the holding time; negative where it follows from the steps."""
    response: Any
    response_waits: Any
    """(P, C) mean response without waits, and (P, C, S) how often each stream is waited for."""
    population: Any
    """(P, C); 0 for open classes."""
    think_time: Any
    arrival_rate: Any
    """(P, C); 0 for closed classes."""
    servers: Any
    """(P, K)"""

    @property
    def fixed(self) -> list[Any]:
        """A cache of values that follow from these numbers alone, of at most one entry."""
        return self.__dict__.setdefault("_fixed", [])

    def part(self, chosen: Any) -> Numbers:
        """Some of the points."""
        result = Numbers(*(value[chosen] for value in self))
        result.fixed.extend(item.part(chosen) for item in self.fixed)
        return result

    def without(self, tag: Tag) -> Numbers:
        """The points with one customer less, and without the servers that it holds."""
        class_index, held = tag
        population, servers = self.population.copy(), self.servers.copy()
        if class_index >= 0:
            population[:, class_index] = (population[:, class_index] - 1.0).clip(0.0)
        servers[:, list(held)] -= 1
        return self.replace(population=population, servers=servers)


def tables(network: RoutedNetwork, compiled: Streams) -> tuple[Shape, Numbers]:
    """The arrays of a network whose streams were compiled at one passage per second of every class."""
    return _Tables(network, compiled).tables()


class _Tables:
    def __init__(self, network: RoutedNetwork, compiled: Streams) -> None:
        self.network, self.compiled = network, compiled
        self.streams = compiled.streams
        self.size = network.size or 1
        self.stations = {station.name: station for station in network.stations}
        self.keys = compiled.order
        self.row_of = {key: number for number, key in enumerate(self.keys)}
        self.closed = [isinstance(item, ClosedClass) for item in network.classes]

    def tables(self) -> tuple[Shape, Numbers]:
        return self.shape(), self.numbers()

    def column(self, values: Sequence[Any]) -> Any:
        """(P, n) an array of n values."""
        if not values:
            return np.zeros((self.size, 0))
        return np.stack([np.broadcast_to(np.asarray(value, float), (self.size,)) for value in values], axis=1)

    def linear(self, durations: Sequence[Duration]) -> tuple[Any, Any]:
        """(P, n) means without waits, and (P, n, S) how often each stream is waited for."""
        counts = np.zeros((self.size, len(durations), len(self.streams)))
        for row, duration in enumerate(durations):
            for stream, count in duration.waits.items():
                counts[:, row, stream] += count
        return self.column([duration.mean for duration in durations]), counts

    def numbers(self) -> Numbers:
        classes = self.network.classes
        response = np.zeros((self.size, len(classes)))
        waits = np.zeros((self.size, len(classes), len(self.streams)))
        for route in self.compiled.routes:
            for duration in route.parts.values():
                response[:, route.class_index] += route.probability * duration.mean
                for stream, count in duration.waits.items():
                    waits[:, route.class_index, stream] += route.probability * count
        parts = [part for stream in self.streams for part in stream.holding.fractions]
        counts = np.zeros((self.size, len(parts), len(self.streams)))
        for row, part in enumerate(parts):
            for stream, count in part.waits.items():
                counts[:, row, stream] += count

        def of_classes(name: str, closed: bool) -> Any:
            return self.column(
                [
                    getattr(item, name) if each == closed else 0.0
                    for item, each in zip(classes, self.closed, strict=True)
                ]
            )

        first, first_waits = self.linear([stream.first for stream in self.streams])
        second, second_waits = self.linear([stream.second for stream in self.streams])
        return Numbers(
            visits=self.column([stream.rate for stream in self.streams]),
            first=first,
            first_waits=first_waits,
            second=second,
            second_waits=second_waits,
            variance=self.column([stream.holding.variance for stream in self.streams]),
            part_weight=self.column([part.weight for part in parts]),
            part_mean=self.column([part.mean for part in parts]),
            part_waits=counts,
            scv=self.column([-1.0 if stream.scv is None else stream.scv for stream in self.streams]),
            response=response,
            response_waits=waits,
            population=of_classes("population", True),
            think_time=of_classes("think_time", True),
            arrival_rate=of_classes("arrival_rate", False),
            servers=self.column([float(self.stations[name].servers) for name, _ in self.keys]),
        )

    def shape(self) -> Shape:
        streams = self.streams
        centre = np.array([self.row_of[stream.station, stream.group] for stream in streams])
        class_of = np.array([stream.class_index for stream in streams])
        counted = np.array([self.closed[stream.class_index] and not stream.behind for stream in streams])
        nested = np.array([bool(self.held(stream)) for stream in streams])
        queueing = np.array([not self.stations[stream.station].delay for stream in streams])
        depth = np.array([len(stream.around) for stream in streams])
        tags = [self.tag(stream, bool(one)) for stream, one in zip(streams, counted, strict=True)]
        distinct = list(dict.fromkeys(tags))
        visiting = np.zeros((len(self.keys), len(self.closed)), bool)
        for position, each, one in zip(centre, class_of, counted, strict=True):
            visiting[position, each] |= one
        free = ~counted & ~nested
        crowd = np.zeros(len(self.keys), bool)
        np.logical_or.at(crowd, centre, ~counted & nested)
        return Shape(
            keys=tuple(self.keys),
            centre=centre,
            class_of=class_of,
            counted=counted,
            free=free,
            shared=np.array([not self.stations[stream.station].in_line for stream in streams]),
            levels=tuple(
                rows for level in range(depth.max(initial=0) + 1)
                for rows in [np.flatnonzero((depth == level) & queueing)] if rows.size
            ),
            present=((centre[:, None] == centre) & queueing[:, None]) * 1.0,
            same_class=(class_of[:, None] == class_of) & counted[:, None] & counted,
            outer=tuple(self.outer(index) for index in range(len(streams))),
            tags=tuple(distinct),
            tag=np.array([distinct.index(tag) for tag in tags]),
            closed=np.array(self.closed),
            visiting=visiting,
            crowd=crowd,
            pools=self.pools(),
            fraction=np.array([i for i, stream in enumerate(streams) for _ in stream.holding.fractions], dtype=int),
        )  # fmt: skip

    def held(self, stream: Stream) -> list[Key]:
        """The holds of queueing stations around a stream."""
        return [key for key in stream.around if not self.stations[key[0]].delay]

    def single(self, key: Key) -> bool:
        """Whether a group is one copy."""
        return self.stations[key[0]].groups[key[1]].copies == 1

    def tag(self, stream: Stream, counted: bool) -> Tag:
        taken = [key for key in self.held(stream) if self.single(key) and self.stations[key[0]].servers > 1]
        return stream.class_index if counted else -1, tuple(self.row_of[key] for key in taken)

    def outer(self, index: int) -> tuple[tuple[int, Any], ...]:
        """The streams of the holds around a stream, as `Shape.outer`."""
        stream = self.streams[index]
        result: list[tuple[int, Any]] = []
        for number, key in enumerate(stream.around):
            station = self.stations[key[0]]
            if station.delay:
                continue
            match = self.holder(stream, number)
            copies = 1 if follows(self.stations[stream.station], station) else station.groups[key[1]].copies
            result.append((match, np.array([(key in item.around) / copies for item in self.streams])))
        return tuple(result)

    def holder(self, stream: Stream, number: int) -> int:
        """The stream of a hold around another stream; a second phase may have left holds around that stream."""
        key, before = stream.around[number], stream.around[:number]
        passage = (stream.class_index, stream.route)
        matches = [
            (item.around != before, other)
            for other, item in enumerate(self.streams)
            if (item.station, item.group) == key
            and (item.class_index, item.route) == passage
            and set(before) <= set(item.around)
        ]
        return min(matches)[1]

    def pools(self) -> Any:
        """(K, K) as `Shape.pools`."""
        result = np.zeros((len(self.keys), len(self.keys)))
        for number, key in enumerate(self.keys):
            selected = [stream for stream in self.streams if (stream.station, stream.group) == key]
            if not selected or not all(self.held(stream) for stream in selected):
                continue
            for stream in selected:
                station = self.stations[stream.station]

                def most(outer: Key, station: Any = station) -> int:
                    around = self.stations[outer[0]]
                    return around.servers * (1 if follows(station, around) else around.groups[outer[1]].copies)

                least = min(self.held(stream), key=most)
                result[number, self.row_of[least]] = most(least) / self.stations[least[0]].servers
        return result
