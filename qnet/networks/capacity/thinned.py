"""Routes on which customers are lost: how many come to each step, and what those do who complete the route."""

from __future__ import annotations

from collections.abc import Mapping

from qnet.expression import Operations, Value
from qnet.networks.routed import Fork, Hold, OpenClass, Route, RoutedNetwork, Station, Step, Time
from qnet.networks.streams import Key, filled
from qnet.queues.arithmetic import ratio, total
from qnet.queues.places import geometric_sum
from qnet.record import Record


class Losses(Record):
    """How many are not lost, and how long is waited, where something may be full."""

    stations: Mapping[Key, Value]
    """The share of those who come to a copy of a station that is let in, above 0."""
    buffers: Mapping[str, Value]
    """The same of a buffer; 1 of those where all wait."""
    delays: Mapping[str, tuple[Value, Value]]
    """By buffer: the mean time that a place is waited for, and its squared coefficient of variation."""


class Thinned(Record):
    """A network of which customers are lost."""

    coming: RoutedNetwork
    """With the visits that are let in, per passage that begins."""
    completing: RoutedNetwork
    """With the visits, and the shares of routes, of passages that are completed."""
    surviving: tuple[tuple[Value, ...], ...]
    """By class and route: the share of the passages that is completed."""
    fills: Mapping[str, Mapping[tuple[int, str], Value]]
    """By buffer, and class and route: the places per second that are taken."""
    entries: Mapping[str, Value]
    """By station with a capacity and one copy: how many a second come in, of whom each may make several visits."""

    @property
    def carried(self) -> list[Value]:
        """Passages per second of every class that are completed."""
        return [item.arrival_rate for item in self.completing.classes if isinstance(item, OpenClass)]


def thinned(network: RoutedNetwork, losses: Losses, operations: Operations) -> Thinned:
    """Thin the routes of a network, each loss independent of all others.

    Applies     open classes whose outermost steps alone lose customers.
    losses      what is lost where.
    operations  those of the numbers.
    Method      Who comes again at once to a station that he has just left finds his place free: the visits of a step
                there, and those of steps that follow each other, are one stay, at whose beginning alone he may be
                lost. At a station of several copies the next visit may be to another one: a step that is made n times
                or, with probability f, once more, is survived with probability (1 - B)^n (1 - f B), B the share that
                is lost.
    """
    return _Thinning(network, losses, operations).thin()


class _Thinning:
    def __init__(self, network: RoutedNetwork, losses: Losses, operations: Operations) -> None:
        self.network = network
        self.losses = losses
        self.operations = operations
        self.by_name = {station.name: station for station in network.stations}
        self.kept = {station.name: self.mean_kept(station) for station in network.stations if station.capacity}
        self.fills: dict[str, dict[tuple[int, str], Value]] = {item.name: {} for item in network.buffers}
        self.entries: dict[str, Value] = {name: 0.0 for name in self.kept if self.by_name[name].copies == 1}

    def mean_kept(self, station: Station) -> Value:
        """The share of those who come to any copy that is let in."""
        groups = enumerate(station.groups)
        return total(group.copies * group.share * self.losses.stations[station.name, place] for place, group in groups)

    def thin(self) -> Thinned:
        """Thin every route."""
        stations = tuple(self.station(station) for station in self.network.stations)
        coming: list[OpenClass] = []
        completing: list[OpenClass] = []
        surviving: list[tuple[Value, ...]] = []
        for number, item in enumerate(self.network.classes):
            assert isinstance(item, OpenClass)
            routes = [self.route(number, item.arrival_rate, route) for route in item.routes]
            shares = tuple(share for _, _, share in routes)
            done = total(route.probability * share for route, share in zip(item.routes, shares, strict=True))
            coming.append(item.replace(routes=tuple(route for route, _, _ in routes)))
            kept = tuple(
                route.replace(probability=ratio(route.probability * share, done)) for _, route, share in routes
            )
            completing.append(item.replace(arrival_rate=item.arrival_rate * done, routes=kept))
            surviving.append(shares)
        return Thinned(
            self.network.replace(stations=stations, classes=tuple(coming)),
            self.network.replace(stations=stations, classes=tuple(completing)),
            tuple(surviving),
            self.fills,
            self.entries,
        )

    def station(self, station: Station) -> Station:
        """A station with the shares of its copies among those who are let in."""
        if station.name not in self.kept:
            return station
        kept = self.kept[station.name]
        groups = tuple(
            group.replace(share=group.share * self.losses.stations[station.name, place] / kept)
            for place, group in enumerate(station.groups)
        )
        return station.replace(groups=groups)

    def route(self, number: int, arrival_rate: Value, route: Route) -> tuple[Route, Route, Value]:
        """The route as it is come to, as it is completed, and the share that completes it."""
        coming: list[Step] = []
        completing: list[Step] = []
        left: Value = 1.0
        holding: dict[str, Value] = {}
        rate = arrival_rate * route.probability
        inside = ""
        for step in route.steps:
            step = self.delayed(step)
            kept = self.let_in(step)
            before, inside = inside, self.stays(step, inside)
            for name, visits in self.taken(step, 1.0):
                found = self.fills[name].get((number, route.name), 0.0)
                self.fills[name][number, route.name] = found + rate * left * visits
                holding[name] = left
            if kept is None:
                # What was taken is freed, whatever becomes of those who took it.
                drains = step.drains if isinstance(step, Hold) else ""
                coming.append(step.replace(visits=step.visits * holding.get(drains, left)))
                completing.append(step)
                continue
            if isinstance(step, Hold) and step.station in self.entries:
                entering = self.operations.minimum([step.visits, 1.0 + 0.0 * step.visits])
                if step.station == before:
                    entering, kept = 0.0 * entering, 1.0 + 0.0 * kept
                entry = rate * left * entering * kept
                self.entries[step.station] = self.entries[step.station] + entry
                over = 1 - entering + entering * kept
                coming.append(step.replace(visits=left * step.visits * kept))
                completing.append(step.replace(visits=step.visits * kept / over))
                if step.phase == 1:
                    left = left * over
                continue
            whole = self.operations.floor(step.visits)
            part = step.visits - whole
            steep = -self.operations.log(kept)
            after = self.operations.exp(-steep * whole)
            tried = geometric_sum(steep, whole, self.operations) + after * part
            coming.append(step.replace(visits=left * tried * kept))
            if isinstance(step, Time):
                holding[step.fills] = left * ratio(tried * kept, step.visits)
                self.fills[step.fills][number, route.name] = rate * left * tried * kept
            completing.append(step.replace(visits=whole + part * kept / (1 - part + part * kept)))
            if step.phase == 1:
                left = left * after * (1 - part + part * kept)
        return route.replace(steps=tuple(coming)), route.replace(steps=tuple(completing)), left

    def stays(self, step: Step, before: str) -> str:
        """The station that all who go on have just left, and that a next visit to cannot lose them; "" for none."""
        if isinstance(step, Time):
            return before if not step.fills and self.operations.all(step.mean == 0) else ""
        if isinstance(step, Fork) or step.phase == 2 or step.station not in self.entries:
            return ""
        sure = step.station == before or self.operations.all(self.operations.compare("<=", 1.0, step.visits))
        return step.station if sure else ""

    def let_in(self, step: Step) -> Value | None:
        """The share of those who come to a step that is not lost; None where nobody is."""
        if isinstance(step, Time):
            return self.losses.buffers[step.fills] if step.fills and self.buffer_loses(step.fills) else None
        if isinstance(step, Fork) or step.station not in self.kept:
            return None
        if step.copy is None:
            return self.kept[step.station]
        last = 0
        for place, group in enumerate(self.by_name[step.station].groups):
            last += group.copies
            if step.copy <= last:
                return self.losses.stations[step.station, place]
        return None

    def buffer_loses(self, name: str) -> bool:
        """Whether those who find a buffer full are lost."""
        return any(buffer.name == name and buffer.loses for buffer in self.network.buffers)

    def delayed(self, step: Step) -> Step:
        """A step with the waits for places in it."""
        if isinstance(step, Hold):
            return step.replace(steps=tuple(self.delayed(inner) for inner in step.steps)) if filled(step) else step
        if isinstance(step, Fork) or not step.fills:
            return step
        mean, scv = self.losses.delays[step.fills]
        return step.replace(mean=mean, scv=scv)

    def taken(self, step: Step, visits: Value) -> list[tuple[str, Value]]:
        """The buffers of which a step takes places, and how many."""
        visits = visits * step.visits
        if isinstance(step, Time):
            return [(step.fills, visits)] if step.fills else []
        inside = step.inner if isinstance(step, Fork) else step.steps
        return [item for inner in inside for item in self.taken(inner, visits)]
