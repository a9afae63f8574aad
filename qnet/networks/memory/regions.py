"""Subnetworks that customers enter one by one, at most so many at a time, and whose stations nobody else uses."""

from __future__ import annotations

from collections.abc import Iterator

from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.networks.exactness import ranked
from qnet.networks.routed import ClosedClass, Fork, Hold, Route, RoutedNetwork, Station, Step, Time
from qnet.networks.streams import streams
from qnet.queues.arithmetic import total
from qnet.record import Record

UNLIMITED = 10**9
"""The limit of a delay: who holds it waits for nobody."""


class Region(Record):
    """A subnetwork behind a station that is held while its customers are inside."""

    station: str
    """The station that is held: the memory."""
    limit: int
    """How many may be inside."""
    inner: tuple[str, ...]
    """The stations inside, in the order of the network."""
    class_index: int
    """Whose customers use it."""


def regions(network: RoutedNetwork) -> tuple[Region, ...]:
    """The limited subnetworks of a network, where they and what is around them can be taken apart.

    network   any.
    Returns   one region for each station that is held while others are waited for, or whose holders are counted; ()
              where there is none, or any hold is not of this kind: several classes use it, its class is not the only
              closed one where any is closed, an inner station is used elsewhere as well, the held station has copies,
              rates or an order of service other than first come first served, or work has priorities or is left for
              later; the same of holds inside.
    """
    by_name = {station.name: station for station in network.stations}
    outer = [step.station for step in _steps(network) if any(isinstance(inner, Hold) for inner in step.steps)]
    outer += [profile.station for profile in network.profiles]
    inner: dict[str, set[str]] = {name: set() for name in outer}
    if not inner or not all(_may_limit(by_name[name]) for name in inner):
        return ()
    operations: Operations = FLOATS if network.size is None else arrays()
    asked = streams(network, operations, [1.0] * len(network.classes)).streams
    served_before = {station.name for station in network.stations if ranked(station, asked)}
    others: set[str] = set()
    users: dict[str, int] = {}
    for index, customers in enumerate(network.classes):
        for route in customers.routes:
            for step in route.steps:
                if step.phase != 1 or isinstance(step, Fork):
                    return ()
                if isinstance(step, Time):
                    continue
                if step.station not in inner:
                    others.add(step.station)
                    continue
                used = _inside(step, served_before)
                if used is None or users.setdefault(step.station, index) != index:
                    return ()
                inner[step.station] |= used
    if users.keys() != inner.keys():
        return ()
    places = [{*own, name} for name, own in inner.items()]
    apart = [*places, others]
    if len(set[str]().union(*apart)) < sum(map(len, apart)):
        return ()
    if any(_leader(by_name[name], by_name) not in part for part in apart for name in part):
        return ()
    closed = [index for index, item in enumerate(network.classes) if isinstance(item, ClosedClass)]
    if closed and {*closed, *users.values()} != {closed[0]}:
        return ()
    names = list(by_name)
    found = tuple(
        Region(
            name,
            UNLIMITED if by_name[name].delay else by_name[name].servers,
            tuple(sorted(own, key=names.index)),
            users[name],
        )
        for name, own in inner.items()
    )
    return found if all(_apart(inside(network, region, 1.0)) for region in found) else ()


def _apart(network: RoutedNetwork) -> bool:
    """Whether what is inside a region has no limits of its own, or limits that can be taken apart as well."""
    limited = any(isinstance(inner, Hold) for step in _steps(network) for inner in step.steps)
    return not limited or bool(regions(network))


def _steps(network: RoutedNetwork) -> Iterator[Hold]:
    """The steps of all routes that are holds."""
    for customers in network.classes:
        for route in customers.routes:
            for step in route.steps:
                if isinstance(step, Hold):
                    yield step


def _may_limit(station: Station) -> bool:
    plain = station.rates is None and not station.follows and station.copies == 1
    return plain and (station.delay or station.discipline == "fcfs")


def _leader(station: Station, by_name: dict[str, Station]) -> str:
    """The station whose copies decide which one is used."""
    return by_name[station.follows or station.name].name


def _inside(hold: Hold, served_before: set[str]) -> set[str] | None:
    """The stations that are used inside a hold; None where more happens there than that."""
    if hold.station in served_before or hold.scv is not None:
        return None
    found: set[str] = set()
    for step in hold.steps:
        if step.phase != 1 or isinstance(step, Fork):
            return None
        if isinstance(step, Hold):
            visit = all(isinstance(item, Time) and item.phase == 1 for item in step.steps)
            within = set[str]() if visit and step.station not in served_before else _inside(step, served_before)
            if within is None:
                return None
            found |= {step.station} | within
    return found


def around(network: RoutedNetwork, found: tuple[Region, ...]) -> RoutedNetwork:
    """What is outside of all regions: the network whose customers pass through them in no time."""
    names = {name for region in found for name in (region.station, *region.inner)}
    stations = tuple(station for station in network.stations if station.name not in names)
    classes = tuple(
        item.replace(routes=tuple(route.replace(steps=_without(route.steps, names)) for route in item.routes))
        for item in network.classes
    )
    return RoutedNetwork(stations, classes, (), network.size)


def _without(steps: tuple[Step, ...], names: set[str]) -> tuple[Step, ...]:
    return tuple(step for step in steps if not isinstance(step, Hold) or step.station not in names)


def inside(network: RoutedNetwork, region: Region, population: Value) -> RoutedNetwork:
    """A region by itself, with so many customers who enter again as soon as they leave.

    Each way to pass through it is a route; a passage of the class is one entry.
    """
    stations = tuple(station for station in network.stations if station.name in region.inner)
    ways = [
        (way.probability * hold.visits, hold) for way, hold in holds(network, region)
    ]  # fmt: skip
    rate = total(share for share, _ in ways)
    idle = rate == 0
    routes = tuple(
        Route(str(number), (share + idle / len(ways)) / (rate + idle), hold.steps)
        for number, (share, hold) in enumerate(ways)
    )
    only = ClosedClass(
        name=network.classes[region.class_index].name, population=population, think_time=0.0, routes=routes
    )
    return RoutedNetwork(stations, (only,), (), network.size)


def holds(network: RoutedNetwork, region: Region) -> Iterator[tuple[Route, Hold]]:
    """Every way into a region, by its route."""
    for route in network.classes[region.class_index].routes:
        for step in route.steps:
            if isinstance(step, Hold) and step.station == region.station:
                yield route, step


def entries(network: RoutedNetwork, region: Region) -> Value:
    """How often a passage of the class enters a region."""
    return total(route.probability * hold.visits for route, hold in holds(network, region))
