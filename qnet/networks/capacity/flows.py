"""Flows of customers where stations and buffers may be full: arriving, admitted, lost, completed, and places freed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qnet.expression import Operations, Value
from qnet.networks.capacity.copied_drains import CopiedDrain, places_in_copies
from qnet.networks.duration import Wait
from qnet.networks.routed import Buffer, Fork, Hold, OpenClass, Route, RoutedNetwork, Station, Step, Time
from qnet.networks.solution import RoutedSolution, StationFigures
from qnet.networks.streams import Key, Streams, filled
from qnet.queues.arithmetic import ratio, total
from qnet.queues.places import geometric_sum
from qnet.record import Record


class Losses(Record):
    """The shares of customers that are admitted, and the waits for admission."""

    stations: Mapping[Key, Value]
    """By station with a capacity and group of copies: the share of arrivals that is admitted, above 0."""
    buffers: Mapping[str, Value]
    """By buffer: the share of requests for a place that is admitted; 1 where customers wait."""
    delays: Mapping[str, tuple[Value, Value]]
    """By buffer: the mean wait for a place, and its squared coefficient of variation."""


class Flows(Record):
    """The flows of a network that loses customers on the way."""

    admitted: RoutedNetwork
    """The network with the visits that are admitted, per passage that begins."""
    completing: RoutedNetwork
    """The network with the visits and the shares of routes of the passages that are completed."""
    fills: Mapping[str, Mapping[tuple[int, str], Value]]
    """Places taken per second: by buffer, then by class and route."""
    entries: Mapping[str, Value]
    """By station with a capacity and one copy: customers admitted per second, each of which may make several visits."""

    @property
    def carried(self) -> list[Value]:
        """Passages per second of every class that are completed."""
        return [item.arrival_rate for item in self.completing.classes if isinstance(item, OpenClass)]


def flows_with_losses(network: RoutedNetwork, losses: Losses, operations: Operations) -> Flows:
    """The flows of a network at given losses, each loss independent of all others.

    Applies     open classes whose customers are lost at outermost steps only.
    losses      the shares that are admitted.
    operations  of the numbers of the network.
    Method      A customer that returns at once to a station that it has just left takes its place again: the visits of
                a step there, and those of steps that follow each other, are admitted together, at the first one. At a
                station of several copies the next visit may be to another one: a step that is made n times or, with
                probability f, once more, is completed with probability (1 - B)^n (1 - f B), B the loss probability.
    """
    return _Routes(network, losses, operations).flows()


class _Routes:
    def __init__(self, network: RoutedNetwork, losses: Losses, operations: Operations) -> None:
        self.network = network
        self.losses = losses
        self.operations = operations
        self.by_name = {station.name: station for station in network.stations}
        self.kept = {station.name: self.mean_kept(station) for station in network.stations if station.capacity}
        self.fills: dict[str, dict[tuple[int, str], Value]] = {item.name: {} for item in network.buffers}
        self.entries: dict[str, Value] = {name: 0.0 for name in self.kept if self.by_name[name].copies == 1}

    def mean_kept(self, station: Station) -> Value:
        """The share of the arrivals at any copy that is admitted."""
        groups = enumerate(station.groups)
        return total(group.copies * group.share * self.losses.stations[station.name, index] for index, group in groups)

    def flows(self) -> Flows:
        """The flows of every route."""
        stations = tuple(self.station(station) for station in self.network.stations)
        admitted: list[OpenClass] = []
        completing: list[OpenClass] = []
        for number, item in enumerate(self.network.classes):
            assert isinstance(item, OpenClass)
            routes = [self.route(number, item.arrival_rate, route) for route in item.routes]
            shares = [share for _, _, share in routes]
            done = total(route.probability * share for route, share in zip(item.routes, shares, strict=True))
            admitted.append(item.replace(routes=tuple(route for route, _, _ in routes)))
            completed = tuple(
                route.replace(probability=ratio(route.probability * share, done)) for _, route, share in routes
            )
            completing.append(item.replace(arrival_rate=item.arrival_rate * done, routes=completed))
        return Flows(
            self.network.replace(stations=stations, classes=tuple(admitted)),
            self.network.replace(stations=stations, classes=tuple(completing)),
            self.fills,
            self.entries,
        )

    def station(self, station: Station) -> Station:
        """A station with the shares of its copies among the customers that are admitted."""
        if station.name not in self.kept:
            return station
        kept = self.kept[station.name]
        groups = tuple(
            group.replace(share=group.share * self.losses.stations[station.name, index] / kept)
            for index, group in enumerate(station.groups)
        )
        return station.replace(groups=groups)

    def route(self, number: int, arrival_rate: Value, route: Route) -> tuple[Route, Route, Value]:
        """The route with the visits that are admitted, with those of completed passages, and the completed share."""
        admitted: list[Step] = []
        completing: list[Step] = []
        remaining: Value = 1.0
        holding: dict[str, Value] = {}
        rate = arrival_rate * route.probability
        inside = ""
        for step in route.steps:
            step = self.delayed(step)
            kept = self.admitted_share(step)
            before, inside = inside, self.just_left(step, inside)
            for name, visits in self.taken(step, 1.0):
                taken = self.fills[name].get((number, route.name), 0.0)
                self.fills[name][number, route.name] = taken + rate * remaining * visits
                holding[name] = remaining
            if kept is None:
                # Places that were taken are freed, even if the customer is lost later.
                drains = step.drains if isinstance(step, Hold) else ""
                admitted.append(step.replace(visits=step.visits * holding.get(drains, remaining)))
                completing.append(step)
                continue
            if isinstance(step, Hold) and step.station in self.entries:
                entering = self.operations.minimum([step.visits, 1.0 + 0.0 * step.visits])
                if step.station == before:
                    entering, kept = 0.0 * entering, 1.0 + 0.0 * kept
                entry = rate * remaining * entering * kept
                self.entries[step.station] = self.entries[step.station] + entry
                completed = 1 - entering + entering * kept
                admitted.append(step.replace(visits=remaining * step.visits * kept))
                completing.append(step.replace(visits=step.visits * kept / completed))
                if step.phase == 1:
                    remaining = remaining * completed
                continue
            times = self.operations.floor(step.visits)
            part = step.visits - times
            steep = -self.operations.log(kept)
            after = self.operations.exp(-steep * times)
            tried = geometric_sum(steep, times, self.operations) + after * part
            admitted.append(step.replace(visits=remaining * tried * kept))
            if isinstance(step, Time):
                holding[step.fills] = remaining * ratio(tried * kept, step.visits)
                self.fills[step.fills][number, route.name] = rate * remaining * tried * kept
            completing.append(step.replace(visits=times + part * kept / (1 - part + part * kept)))
            if step.phase == 1:
                remaining = remaining * after * (1 - part + part * kept)
        return route.replace(steps=tuple(admitted)), route.replace(steps=tuple(completing)), remaining

    def just_left(self, step: Step, before: str) -> str:
        """The station that all customers after a step have just left, where a next visit cannot be lost; "" for none.

        before  the station that they have just left before the step; "" for none.
        """
        if isinstance(step, Time):
            return before if not step.fills and self.operations.all(step.mean == 0) else ""
        if isinstance(step, Fork) or step.phase == 2 or step.station not in self.entries:
            return ""
        sure = step.station == before or self.operations.all(self.operations.compare("<=", 1.0, step.visits))
        return step.station if sure else ""

    def admitted_share(self, step: Step) -> Value | None:
        """The share of the arrivals at a step that is admitted; None where nothing is lost."""
        if isinstance(step, Time):
            return self.losses.buffers[step.fills] if step.fills and self.buffer_loses(step.fills) else None
        if isinstance(step, Fork) or step.station not in self.kept:
            return None
        if step.copy is None:
            return self.kept[step.station]
        last = 0
        for index, group in enumerate(self.by_name[step.station].groups):
            last += group.copies
            if step.copy <= last:
                return self.losses.stations[step.station, index]
        return None

    def buffer_loses(self, name: str) -> bool:
        """Whether customers are lost when a buffer is full."""
        return any(buffer.name == name and buffer.loses for buffer in self.network.buffers)

    def delayed(self, step: Step) -> Step:
        """A step with the waits for the places that it takes."""
        if isinstance(step, Hold):
            return step.replace(steps=tuple(self.delayed(inner) for inner in step.steps)) if filled(step) else step
        if isinstance(step, Fork) or not step.fills:
            return step
        mean, scv = self.losses.delays[step.fills]
        return step.replace(mean=mean, scv=scv)

    def taken(self, step: Step, visits: Value) -> list[tuple[str, Value]]:
        """The buffers whose places a step takes, each with the mean number of places."""
        visits = visits * step.visits
        if isinstance(step, Time):
            return [(step.fills, visits)] if step.fills else []
        inside = step.inner if isinstance(step, Fork) else step.steps
        return [item for inner in inside for item in self.taken(inner, visits)]


def with_offered(
    solution: RoutedSolution, network: RoutedNetwork, rates: Sequence[Value], losses: Losses
) -> RoutedSolution:
    """The solution of the passages that are completed, with the offered rates.

    solution  of the completed passages.
    network   as stated.
    rates     passages per second of every class that begin.
    losses    the shares that are admitted.
    """
    stated = {
        (customers.name, route.name): (rate, route.probability)
        for customers, rate in zip(network.classes, rates, strict=True)
        for route in customers.routes
    }
    stations: list[StationFigures] = []
    groups: dict[str, int] = {}
    for item in solution.stations:
        index = groups.get(item.name, 0)
        groups[item.name] = index + 1
        kept = losses.stations.get((item.name, index))
        stations.append(item if kept is None else item.replace(offered=item.throughput / kept))
    by_route = [(item, *stated[item.class_name, item.name]) for item in solution.routes]
    return solution.replace(
        offered=total(rates),
        classes=tuple(item.replace(offered=rate) for item, rate in zip(solution.classes, rates, strict=True)),
        routes=tuple(
            item.replace(probability=probability, offered=rate * probability) for item, rate, probability in by_route
        ),
        stations=tuple(stations),
    )


def drain_rate(
    buffer: Buffer,
    network: RoutedNetwork,
    compiled: Streams,
    waits: Sequence[Wait],
    carried: Value,
    operations: Operations,
) -> tuple[Value, str]:
    """The largest number of places of a buffer that can be freed per second, and the station that limits it.

    buffer      of the network.
    network     rates per second, times in seconds.
    compiled    its streams, in the order of `waits`.
    waits       by stream.
    carried     places per second that are freed.
    operations  of floats or of arrays of one value per point.
    Returns   the rate, 0 where no places are freed, and the label of the station.
    Law       Utilization: what other work leaves of the servers, over the service demand of freeing a place; of
              several copies less, as some are idle while others have a line.
    """
    where = operations.where
    rate: Value = None
    label = ""
    for station in network.stations:
        for index, group in enumerate(station.groups):
            visits = [item for item in compiled.streams if (item.station, item.group) == (station.name, index)]
            if not any(item.drains == buffer.name for item in visits):
                continue
            busy, other = (
                total(
                    item.rate * item.holding.mean_with(waits)
                    for item in visits
                    if drains == (item.drains == buffer.name)
                )
                for drains in (True, False)
            )
            nothing = busy <= 0
            able = where(nothing, 0.0 * carried, carried * (station.peak - other) / where(nothing, 1.0, busy))
            if group.copies > 1:
                before = _before_drain(buffer.name, compiled, waits)
                work = where(nothing, 1.0, ratio(station.servers, able))
                line = places_in_copies(
                    0.0 * able, buffer.places, [CopiedDrain(group.copies, station.servers, work)], before, True
                )
                able = where(nothing, 0.0 * able, line.rate)
            if rate is None or operations.all((able < rate) | (rate == 0)):
                label = group.label
            rate = able if rate is None else where((able > 0) & ((able < rate) | (rate == 0)), able, rate)
    return rate, label


def _before_drain(name: str, compiled: Streams, waits: Sequence[Wait]) -> Value:
    """Mean seconds from taking a place of a buffer to the start of the work that frees it."""
    routes = [route for route in compiled.routes if name in route.left]
    rates = [
        total(
            item.rate
            for item in compiled.streams
            if item.drains == name and (item.class_index, item.route) == (route.class_index, route.route)
        )
        for route in routes
    ]
    spent = total(rate * route.after[name].mean_with(waits) for rate, route in zip(rates, routes, strict=True))
    return ratio(spent, total(rates))
