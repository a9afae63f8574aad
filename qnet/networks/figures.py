"""From the waits of streams to the figures of a solution: by class, route and station."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from qnet.expression import Operations, Value
from qnet.lazy import lazy, np
from qnet.networks.duration import Wait
from qnet.networks.exactness import HELD, reasons_for
from qnet.networks.reasons import Inexact
from qnet.networks.routed import Group, RoutedNetwork, Station
from qnet.networks.solution import (
    BranchFigures,
    ClassFigures,
    ClassStationFigures,
    Limiting,
    Passages,
    RoutedSolution,
    RouteFigures,
    StationFigures,
)
from qnet.networks.streams import Key, Streams, start_together
from qnet.queues.arithmetic import SATURATED, ratio, total
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.networks.parallel import branches as parallel_branches
    from qnet.networks.parallel.branches import Breakdown
else:
    Breakdown = Any
    parallel_branches = lazy("qnet.networks.parallel.branches")

_Spent = Mapping[Key, Value]
"""Mean time spent at each station group, per customer of one class."""


class Steady:
    """A network with its waits solved."""

    def __init__(
        self,
        network: RoutedNetwork,
        throughputs: Sequence[Value],
        compiled: Streams,
        members: Mapping[Key, Sequence[int]],
        waits: Sequence[Wait],
        rho: Mapping[Key, Value],
        operations: Operations,
        identical: tuple[Value, ...] = (),
        exact: bool = False,
    ) -> None:
        self.network = network
        self.exact = exact
        """Whether theory is known to make the answer exact."""
        self.throughputs = throughputs
        """Passages per second of every class."""
        self.compiled = compiled
        self.members = members
        """The indices of the streams of each station group."""
        self.waits = waits
        self.rho = rho
        """Load per server of each queueing station group."""
        self.operations = operations
        streams = compiled.streams
        self.rates = [stream.rate for stream in streams]
        forked = any(stream.started is not None for stream in streams)
        self.identical: tuple[Value, ...] = identical or (
            start_together(network, compiled, operations) if forked else ()
        )
        """By stream of a parallel step: the share of the customers present on arrival that started together with it."""
        self.labels = {
            (station.name, index): group.label
            for station in network.stations
            for index, group in enumerate(station.groups)
        }

    @cached_property
    def busy(self) -> list[Value]:
        """Mean number of servers of one copy that each stream keeps busy."""
        return [stream.rate * stream.holding.mean_with(self.waits) for stream in self.compiled.streams]

    @cached_property
    def waiting(self) -> list[Value]:
        """Mean number of requests of each stream that wait at one copy."""
        return [stream.rate * wait.mean for stream, wait in zip(self.compiled.streams, self.waits, strict=True)]


def responses(steady: Steady, method: str, rounds: int) -> RoutedSolution:
    """As `figures`, without figures by station and by route; one reason why they are not exact is enough.

    steady, method, rounds   as for `figures`.
    """
    network, operations = steady.network, steady.operations
    each: list[list[Value]] = [[] for _ in network.classes]
    for route in steady.compiled.routes:
        spent = [duration.mean_with(steady.waits) for duration in route.parts.values()]
        for fork in route.forks:
            step = parallel_branches.breakdown(fork, steady.waits, steady.identical, operations)
            spent += [fork.count * mean for mean in step.parts.values()]
        each[route.class_index].append(route.probability * total(spent))
    streams = steady.compiled.streams
    held = any(stream.holder and not operations.all(stream.rate == 0) for stream in streams)
    return _of_classes(steady, [total(parts) for parts in each], method, rounds, (HELD,) if held else None)


def _of_classes(
    steady: Steady, times: Sequence[Value], method: str, rounds: int, reasons: tuple[Inexact, ...] | None = None
) -> RoutedSolution:
    """The figures of the classes, from their mean responses, and of the network, without stations and routes.

    reasons   why they are not exact; None: all that are known.
    """
    network = steady.network
    weights = _weights(steady)
    if reasons is None:
        reasons = () if steady.exact else reasons_for(network, steady.compiled, steady.operations, method)
    return RoutedSolution(
        stable=_stable(steady),
        throughput=total(steady.throughputs),
        response=total(weight * time for weight, time in zip(weights, times, strict=True)) / total(weights),
        classes=tuple(
            ClassFigures(item.name, rate, response=time)
            for item, rate, time in zip(network.classes, steady.throughputs, times, strict=True)
        ),
        routes=(),
        stations=(),
        visits=(),
        loads=_loads(steady),
        held_by={},
        method=method,
        exact=not reasons,
        reasons=reasons,
        rounds=rounds,
    )


def _weights(steady: Steady) -> list[Value]:
    """The weights of the classes in means over customers: their throughputs, or 1 each where all are 0."""
    nobody = total(steady.throughputs) == 0
    return [rate + nobody for rate in steady.throughputs]


def figures(steady: Steady, method: str, rounds: int) -> RoutedSolution:
    """All figures of a network with its waits solved.

    steady   the network, its streams and their waits.
    method   the name of the method that computed them.
    rounds   how many rounds it took.
    Returns  figures by class, route and station, with the reasons why they are not exact.
    Laws     throughput at a station is that of its visits (forced flow); utilization is throughput x holding time
             over servers; queue length is throughput x (wait + holding time) (Little); residences and pure delays sum
             to the response. Without any arrivals the system response is the plain mean over classes.
    """
    network = steady.network
    routes, spent, steps = _routes(steady)
    overall = [_merged(each) for each in spent]
    kinds = _class_keys(steady, spent, overall)
    weights = _weights(steady)
    customers = total(weights)
    times = [total(route.response * route.probability for route in each) for each in routes]
    groups = [(station, index, group) for station in network.stations for index, group in enumerate(station.groups)]
    return _of_classes(steady, times, method, rounds).replace(
        routes=tuple(
            route for item, each in zip(network.classes, routes, strict=True) if not item.chain for route in each
        ),
        stations=tuple(
            _station(
                steady,
                station,
                index,
                group,
                _mean_spent(overall, (station.name, index), weights) / customers,
            )
            for station, index, group in groups
        ),
        visits=tuple(_visit(steady, station, index, group, kind) for station, index, group in groups for kind in kinds),
        held_by=_held_by(steady),
        branches=tuple(_branches(steady, steps)),
        passages=Passages(
            network=network,
            compiled=steady.compiled,
            throughputs=tuple(steady.throughputs),
            waits=tuple(steady.waits),
            identical=steady.identical,
        ),
    )


def _mean_spent(spent: Sequence[_Spent], key: Key, weights: Sequence[Value]) -> Value:
    """Time spent at a station group by the customers of all classes, per second."""
    return total(weight * parts[key] for weight, parts in zip(weights, spent, strict=True) if key in parts)


_Steps = list[tuple[int, str, Breakdown]]
"""Parallel steps, each with its class and route."""


def _routes(steady: Steady) -> tuple[list[list[RouteFigures]], list[list[_Spent]], _Steps]:
    """By class and route: the figures, and the time spent at each station, times the probability of the route; and all
    parallel steps.
    """
    losing = steady.network.loses
    steps: _Steps = []
    routes: list[list[RouteFigures]] = []
    spent: list[list[_Spent]] = []
    for index, customers in enumerate(steady.network.classes):
        selected: list[RouteFigures] = []
        parts: list[_Spent] = []
        for route in steady.compiled.routes:
            if route.class_index != index:
                continue
            means = {key: duration.mean_with(steady.waits) for key, duration in route.parts.items()}
            served = {key: duration.mean for key, duration in route.parts.items()}
            for fork in route.forks:
                step = parallel_branches.breakdown(fork, steady.waits, steady.identical, steady.operations)
                steps.append((index, route.route, step))
                for key, mean in step.parts.items():
                    means[key] = means.get(key, 0.0) + fork.count * mean
                    served[key] = served.get(key, 0.0) + fork.count * step.served[key]
            parts.append({key: route.probability * mean for key, mean in means.items()})
            throughput = steady.throughputs[index] * route.probability
            response = total(means.values())
            parted, kept = (
                {steady.labels.get(key, ""): mean for key, mean in table.items()} for table in (means, served)
            )
            selected.append(
                RouteFigures(
                    class_name=customers.name, name=route.route, probability=route.probability, throughput=throughput,
                    response=response, spent=parted, served=kept if route.forks or losing else None,
                )
            )  # fmt: skip
        routes.append(selected)
        spent.append(parts)
    return routes, spent, steps


def _branches(steady: Steady, steps: _Steps) -> Iterator[BranchFigures]:
    """The branches of parallel steps, numbered within each class."""
    numbers: dict[int, int] = {}
    for kind, route, step in steps:
        numbers[kind] = numbers.get(kind, 0) + 1
        known = zip(step.fork.branches, step.joined.means, step.awaited, strict=True)
        for branch, mean, share in known:
            yield BranchFigures(
                class_name=steady.network.classes[kind].name,
                route=route,
                step=numbers[kind],
                name=branch.name,
                copies=branch.copies,
                needed=step.fork.needed,
                width=step.fork.width,
                count=step.fork.count,
                time=mean,
                total=step.joined.mean,
                awaited=share,
            )


def _merged(parts: Iterable[_Spent]) -> _Spent:
    result: dict[Key, Value] = {}
    for part in parts:
        for key, value in part.items():
            result[key] = result[key] + value if key in result else value
    return result


class _ClassKey(Record):
    """A class, or one class of a chain, with figures by station."""

    name: str
    chain: str
    indices: frozenset[int]
    """Its streams."""
    spent: _Spent


def _class_keys(steady: Steady, spent: Sequence[Sequence[_Spent]], overall: Sequence[_Spent]) -> list[_ClassKey]:
    """The classes, and instead of each chain its classes; `spent` is by class and route, `overall` by class."""
    members: dict[tuple[int, str], set[int]] = {}
    for index, stream in enumerate(steady.compiled.streams):
        route = stream.route if steady.network.classes[stream.class_index].chain else ""
        members.setdefault((stream.class_index, route), set()).add(index)
    result: list[_ClassKey] = []
    for number, item in enumerate(steady.network.classes):
        selected = (
            [(route.name, item.name, route.name) for route in item.routes] if item.chain else [(item.name, "", "")]
        )
        for (name, chain, route), part in zip(
            selected, spent[number] if item.chain else [overall[number]], strict=True
        ):
            result.append(_ClassKey(name, chain, frozenset(members.get((number, route), ())), part))
    return result


def _sum(values: Sequence[Value], indices: Iterable[int]) -> Value:
    return total(values[index] for index in indices)


def _station(steady: Steady, station: Station, index: int, group: Group, residence: Value) -> StationFigures:
    indices = steady.members[station.name, index]
    rate, busy, waiting = _sum(steady.rates, indices), _sum(steady.busy, indices), _sum(steady.waiting, indices)
    return StationFigures(
        name=station.name,
        label=group.label,
        copies=group.copies,
        servers=station.servers if station.rates is None else None,
        throughput=rate * group.copies,
        utilization=None if station.delay else busy / station.peak,
        busy_servers=busy * group.copies,
        wait=ratio(waiting, rate) if station.rates is None else None,
        holding=ratio(busy if station.rates is None else busy + waiting, rate),
        residence=residence,
        queue_length=(busy + waiting) * group.copies,
    )


def _visit(steady: Steady, station: Station, index: int, group: Group, kind: _ClassKey) -> ClassStationFigures:
    key = (station.name, index)
    selected = [item for item in steady.members[key] if item in kind.indices]
    busy = _sum(steady.busy, selected)
    return ClassStationFigures(
        class_name=kind.name,
        name=station.name,
        label=group.label,
        throughput=_sum(steady.rates, selected) * group.copies,
        utilization=None if station.delay else busy / station.peak,
        residence=kind.spent.get(key, 0.0),
        queue_length=(busy + _sum(steady.waiting, selected)) * group.copies,
        chain=kind.chain,
    )


def _loads(steady: Steady) -> tuple[Limiting, ...]:
    """The share of every capacity in use."""
    result = [Limiting(steady.labels[key], load, _certain(steady, key)) for key, load in steady.rho.items()]
    return tuple(result + [Limiting(limit.name, limit.share) for limit in steady.network.limits])


def _certain(steady: Steady, key: Key) -> bool:
    return not any(steady.compiled.streams[index].holding.waits for index in steady.members[key])


def _stable(steady: Steady) -> Value:
    """Whether every capacity exceeds its load: a bool, or an array of one per point of a batch."""
    full: Value = False
    # Closed customers who come back to a station may fill it to the last digit, and have a steady state.
    closed = bool(steady.network.closed)
    for load in steady.rho.values():
        full = full | (load >= 1.0 if closed else load > SATURATED)
    for limit in steady.network.limits:
        full = full | (limit.load >= limit.capacity)
    size = steady.network.size
    if size is None:
        return not full

    return ~np.broadcast_to(full, (size,))


def _held_by(steady: Steady) -> dict[str, dict[str, Value]]:
    """For each station group that is held during waits: the shares of its holding time spent waiting for each other
    one."""
    result: dict[str, dict[str, Value]] = {}
    streams = steady.compiled.streams
    for key, indices in steady.members.items():
        waited: dict[str, Value] = {}
        for stream in (streams[index] for index in indices):
            for inner, count in stream.holding.waits.items():
                label = steady.labels[streams[inner].station, streams[inner].group]
                part = stream.rate * count * steady.waits[inner].mean
                waited[label] = waited[label] + part if label in waited else part
        if waited:
            busy = _sum(steady.busy, indices)
            result[steady.labels[key]] = {label: ratio(part, busy) for label, part in waited.items()}
    return result
