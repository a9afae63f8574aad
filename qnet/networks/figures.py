"""From the waits of streams to the figures that people read: by class, route and station."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from qnet.expression import Operations, Value
from qnet.networks.duration import Wait
from qnet.networks.exactness import reasons_for
from qnet.networks.network import Group, Network, Station
from qnet.networks.solution import ClassFigures, ClassStationFigures, Limiting, RouteFigures, Solution, StationFigures
from qnet.networks.streams import Key, Streams


class Steady(NamedTuple):
    """A network whose waits have been found."""

    network: Network
    compiled: Streams
    waits: Sequence[Wait]
    rho: Mapping[Key, Value]
    """Load per server of each queueing station group."""
    unstable: Value
    operations: Operations

    def at(self, key: Key) -> list[int]:
        """The streams of a station group."""
        return [index for index, stream in enumerate(self.compiled.streams) if (stream.station, stream.group) == key]

    def busy(self, indices: Sequence[int]) -> Value:
        """Mean number of servers of one copy that some streams keep busy."""
        return total(self.compiled.streams[index].rate * self.holding(index) for index in indices)

    def waiting(self, indices: Sequence[int]) -> Value:
        """Mean number of requests of some streams that wait at one copy."""
        return total(self.compiled.streams[index].rate * self.waits[index].mean for index in indices)

    def rate(self, indices: Sequence[int]) -> Value:
        """Requests per second of some streams at one copy."""
        return total(self.compiled.streams[index].rate for index in indices)

    def holding(self, index: int) -> Value:
        """Mean holding time of a stream, both phases."""
        stream = self.compiled.streams[index]
        return stream.first.mean_with(self.waits) + stream.second.mean_with(self.waits)


def figures(steady: Steady, method: str, rounds: int) -> Solution:
    """All figures of a network whose waits have been found."""
    network = steady.network
    routes, spent = _routes(steady)
    classes = tuple(
        ClassFigures(customers.name, customers.arrival_rate, total(parts.values()))
        for customers, parts in zip(network.classes, spent, strict=True)
    )
    throughput = total(item.throughput for item in classes)
    per_customer = throughput + (throughput == 0)
    reasons = reasons_for(network, steady.compiled, steady.operations)
    groups = [(station, index, group) for station in network.stations for index, group in enumerate(station.groups)]
    return Solution(
        stable=_stable(steady),
        throughput=throughput,
        response=total(item.throughput * item.response for item in classes) / per_customer,
        classes=classes,
        routes=routes,
        stations=tuple(_station(steady, station, index, group, spent, per_customer) for station, index, group in groups),
        visits=tuple(
            _visit(steady, station, index, group, number, spent[number])
            for station, index, group in groups
            for number in range(len(network.classes))
        ),
        loads=_loads(steady),
        held_by=_held_by(steady),
        method=method,
        exact=not reasons,
        reasons=reasons,
        rounds=rounds,
    )


def _routes(steady: Steady) -> tuple[tuple[RouteFigures, ...], list[dict[Key, Value]]]:
    """The figures of every route, and for each class the mean time spent at each station group per customer."""
    routes: list[RouteFigures] = []
    spent: list[dict[Key, Value]] = []
    for index, customers in enumerate(steady.network.classes):
        parts: dict[Key, Value] = {}
        for route in (item for item in steady.compiled.routes if item.class_index == index):
            means = {key: duration.mean_with(steady.waits) for key, duration in route.parts.items()}
            for key, mean in means.items():
                parts[key] = parts.get(key, 0.0) + route.probability * mean
            throughput = customers.arrival_rate * route.probability
            routes.append(RouteFigures(customers.name, route.route, route.probability, throughput, total(means.values())))
        spent.append(parts)
    return tuple(routes), spent


def _station(
    steady: Steady, station: Station, index: int, group: Group, spent: list[dict[Key, Value]], throughput: Value
) -> StationFigures:
    key = (station.name, index)
    indices = steady.at(key)
    rate, busy, waiting = steady.rate(indices), steady.busy(indices), steady.waiting(indices)
    visit = rate + (rate == 0)
    here = total(
        customers.arrival_rate * parts.get(key, 0.0) for customers, parts in zip(steady.network.classes, spent, strict=True)
    )
    return StationFigures(
        name=station.name,
        label=group.label,
        copies=group.copies,
        servers=station.servers,
        throughput=rate * group.copies,
        utilization=None if station.delay else busy / station.servers,
        busy_servers=busy * group.copies,
        wait=waiting / visit,
        holding=busy / visit,
        residence=here / throughput,
        queue_length=(busy + waiting) * group.copies,
    )


def _visit(
    steady: Steady, station: Station, index: int, group: Group, number: int, spent: dict[Key, Value]
) -> ClassStationFigures:
    key = (station.name, index)
    own = [index for index in steady.at(key) if steady.compiled.streams[index].class_index == number]
    busy = steady.busy(own)
    return ClassStationFigures(
        class_name=steady.network.classes[number].name,
        name=station.name,
        label=group.label,
        throughput=steady.rate(own) * group.copies,
        utilization=None if station.delay else busy / station.servers,
        residence=spent.get(key, 0.0),
        queue_length=(busy + steady.waiting(own)) * group.copies,
    )


def _label(steady: Steady, key: Key) -> str:
    return steady.network.station(key[0]).groups[key[1]].label


def _loads(steady: Steady) -> tuple[Limiting, ...]:
    """The share of every capacity in use; of an outer station what is sure, where an inner one has no steady state."""
    found = [Limiting(_label(steady, key), load, _certain(steady, key)) for key, load in steady.rho.items()]
    return tuple(found + [Limiting(limit.name, limit.load / limit.capacity) for limit in steady.network.limits])


def _certain(steady: Steady, key: Key) -> bool:
    streams = [steady.compiled.streams[index] for index in steady.at(key)]
    return not any(stream.first.waits or stream.second.waits for stream in streams)


def _stable(steady: Steady) -> Value:
    full = steady.unstable
    for limit in steady.network.limits:
        full = full | steady.operations.compare(">=", limit.load, limit.capacity)
    return not full if isinstance(full, bool) else ~full


def _held_by(steady: Steady) -> dict[str, dict[str, Value]]:
    """Of the holding time of each outer group, the shares spent waiting for inner stations."""
    result: dict[str, dict[str, Value]] = {}
    streams = steady.compiled.streams
    for key in steady.compiled.order:
        indices = steady.at(key)
        busy = steady.busy(indices)
        shares: dict[str, Value] = {}
        for stream in (streams[index] for index in indices):
            for inner, count in [*stream.first.waits.items(), *stream.second.waits.items()]:
                label = _label(steady, (streams[inner].station, streams[inner].group))
                part = stream.rate * count * steady.waits[inner].mean / (busy + (busy == 0))
                shares[label] = shares.get(label, 0.0) + part
        if shares:
            result[_label(steady, key)] = shares
    return result


def total(values: Any) -> Value:
    """The sum, 0.0 of nothing."""
    return sum(values, 0.0)
