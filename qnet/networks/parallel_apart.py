"""What has to hold of an open network so that theory encloses its parallel steps: branches that share nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from qnet.expression import FLOATS
from qnet.networks.exactness import reasons_for
from qnet.networks.routed import Branch, Fork, Hold, OpenClass, Route, RoutedNetwork, Station, Step, Time
from qnet.networks.streams import streams


def not_apart(network: RoutedNetwork) -> str:
    """Why the times of the branches of an open network are not known to be enclosed; empty where they are.

    network   a point, of open classes.
    Returns   words for people. Where there are none, each branch by itself is part of a network of product form, which
              shares no station with the other branches of its step, nor with what is before it; and nobody queues
              after the step, where arrivals are no longer Poisson. So the mean time of every branch is exact.
    """
    for customers in network.classes:
        if not isinstance(customers, OpenClass) or customers.chain:
            return "there are customers who are not open classes with fixed routes"
    delays = {station.name for station in network.stations if station.delay}
    several = {station.name for station in network.stations if len(station.groups) > 1}
    parts = _Parts()
    for route in (route for customers in network.classes for route in customers.routes):
        before, fork, after = _around(route)
        if fork is None:
            parts.join(_stations(before, delays))
            continue
        if _stations(after, delays) or any(isinstance(step, Fork) for step in (*after, *fork.inner)):
            return "customers queue again after a parallel step, or take another one"
        if fork.visits != 1.0 or any(_stations(branch.steps, delays) & several for branch in fork.branches):
            return "a parallel step happens by chance, or its branches choose between copies with loads of their own"
        parts.join(_stations(before, delays))
        for branch in fork.branches:
            parts.join(_stations(branch.steps, delays))
    for route in (route for customers in network.classes for route in customers.routes):
        before, fork, _ = _around(route)
        if fork is not None:
            own = [parts.roots(_stations(branch.steps, delays)) for branch in fork.branches]
            own.append(parts.roots(_stations(before, delays)))
            if len({name for part in own for name in part}) < sum(map(len, own)):
                return "branches of a parallel step meet, or meet what is before it"
    whole = _taken_apart(network)
    found = reasons_for(whole, streams(whole, FLOATS), FLOATS)
    return found[0] if found else ""


def lines_of_their_own(network: RoutedNetwork, fork: Fork) -> bool:
    """Whether all branches of a step are single exponential servers, first come first served, and then delays.

    Others may come to the first of several servers before they have queued elsewhere, and to no other. Then the times
    of the branches are associated, and each is a sum of independent exponential and constant times, whose mean excess
    over any time is at most that of an exponential one.
    """
    stations = {station.name: station for station in network.stations}
    delays = {station.name for station in network.stations if station.delay}
    ways = list(_ways(network, delays))
    return all(_a_line(branch, stations, ways) for branch in fork.branches)


def _a_line(branch: Branch, stations: dict[str, Station], ways: Sequence[Sequence[Hold]]) -> bool:
    queues: list[Station] = []
    delayed = False
    for step in branch.steps:
        inner = step
        if isinstance(step, Hold):
            if len(step.steps) != 1 or step.visits != 1.0:
                return False
            (inner,) = step.steps
            if not stations[step.station].delay:
                if delayed:
                    return False
                queues.append(stations[step.station])
        if not isinstance(inner, Time) or inner.visits != 1.0 or inner.scv > 1.0:
            return False
        delayed = delayed or not isinstance(step, Hold) or stations[step.station].delay
    plain = all(
        station.discipline == "fcfs" and station.servers == 1 and branch.copies in (1, station.copies)
        for station in queues
    )
    if len(queues) > 1:
        plain = plain and all(station.copies == 1 for station in queues)
        plain = plain and all(_asked(ways, station.name) == 1 for station in queues[1:])
    plain = plain and all(_exponential(ways, station.name) for station in queues)
    return plain and (not queues or _first(ways, queues[0].name))


def _ways(network: RoutedNetwork, delays: set[str]) -> Iterator[Sequence[Hold]]:
    """The queueing visits of every route without its parallel steps, and of every branch, in order."""
    for route in (route for customers in network.classes for route in customers.routes):
        before, fork, after = _around(route)
        for steps in ((*before, *after), *(branch.steps for branch in (fork.branches if fork else ()))):
            yield [step for step in _all(steps) if isinstance(step, Hold) and step.station not in delays]


def _exponential(ways: Sequence[Sequence[Hold]], name: str) -> bool:
    """Whether a station serves everyone with one exponential time."""
    own = [hold for way in ways for hold in way if hold.station == name]
    times = [step for hold in own for step in hold.steps if isinstance(step, Time)]
    alike = all(step.scv == 1.0 and abs(step.mean - times[0].mean) <= 1e-12 * step.mean for step in times)
    return alike and len(times) == len(own) and all(hold.scv in (None, 1.0) for hold in own)


def _asked(ways: Sequence[Sequence[Hold]], name: str) -> int:
    """How many steps ask for a station."""
    return sum(hold.station == name for way in ways for hold in way)


def _first(ways: Sequence[Sequence[Hold]], name: str) -> bool:
    """Whether those who ask for a station do so once, and before any other station."""
    own = [way for way in ways if any(hold.station == name for hold in way)]
    return _asked(ways, name) == len(own) and all(way[0].station == name and way[0].visits == 1.0 for way in own)


def _all(steps: Iterable[Step]) -> Iterator[Step]:
    """The steps and all inside them."""
    for step in steps:
        yield step
        if not isinstance(step, Time):
            yield from _all(step.inner if isinstance(step, Fork) else step.steps)


def _stations(steps: Iterable[Step], delays: set[str]) -> frozenset[str]:
    """The queueing stations that steps ask for."""
    return frozenset(step.station for step in _all(steps) if isinstance(step, Hold) and step.station not in delays)


def _around(route: Route) -> tuple[Sequence[Step], Fork | None, Sequence[Step]]:
    """What is before the first parallel step of a route, the step, and what is after it."""
    for place, step in enumerate(route.steps):
        if isinstance(step, Fork):
            return route.steps[:place], step, route.steps[place + 1 :]
    return route.steps, None, ()


def _taken_apart(network: RoutedNetwork) -> RoutedNetwork:
    """The network in which every branch is a class of its own: to one branch the others are nothing."""
    classes: list[OpenClass] = []
    for customers in network.classes:
        if isinstance(customers, OpenClass):
            rest: list[Route] = []
            for route in customers.routes:
                before, fork, after = _around(route)
                rest.append(route.replace(steps=(*before, *after)))
                for branch in fork.branches if fork else ():
                    rate = customers.arrival_rate * route.probability * branch.copies
                    classes.append(OpenClass(branch.name, rate, (Route(branch.name, 1.0, branch.steps),)))
            classes.append(customers.replace(routes=tuple(rest)))
    return network.replace(classes=tuple(classes))


class _Parts:
    """Sets of stations that customers go between."""

    def __init__(self) -> None:
        self.root: dict[str, str] = {}

    def find(self, name: str) -> str:
        """One name for the whole part."""
        while self.root.setdefault(name, name) != name:
            name = self.root[name]
        return name

    def join(self, names: Iterable[str]) -> None:
        """Customers go between these."""
        roots = [self.find(name) for name in names]
        for root in roots[1:]:
            self.root[self.find(root)] = self.find(roots[0])

    def roots(self, names: Iterable[str]) -> frozenset[str]:
        """The parts of some stations."""
        return frozenset(self.find(name) for name in names)
