"""A network whose closed classes fill a buffer, in two parts: its customers, and the places that they take."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import np
from qnet.networks.routed import ClosedClass, Fork, Hold, OpenClass, Route, RoutedNetwork, Step, Time
from qnet.queues.arithmetic import ratio, total
from qnet.record import Record

WAIT, LOST, STATION = "wait", "lost", "station"


class Limited(Record):
    """What may be full."""

    name: str
    form: str
    """`WAIT` or `LOST` of a buffer, by what becomes of those who find it full; `STATION` has a capacity and loses."""
    places: Value


def limited(network: RoutedNetwork) -> Limited:
    """What may be full in a network with only one such thing."""
    for station in network.stations:
        if station.capacity is not None:
            return Limited(station.name, STATION, float(station.capacity))
    buffer = network.buffers[0]
    return Limited(buffer.name, LOST if buffer.loses else WAIT, buffer.places)


def never_full(network: RoutedNetwork) -> bool:
    """Whether a station has as many places at all points as customers who ever come to it."""
    full = limited(network)
    if full.form != STATION or _works_on(network):
        return False
    users = [item for item in network.closed if full.name in used(item, network)]
    operations: Operations = FLOATS if network.size is None else arrays()
    return operations.all(operations.compare("<=", total(item.population for item in users), full.places))


def _works_on(network: RoutedNetwork) -> bool:
    """Whether any work goes on after a response, so that a customer may meet it when he comes again."""
    waiting = [step for item in network.classes for route in item.routes for step in route.steps]
    while waiting:
        step = waiting.pop()
        if step.phase == 2:
            return True
        waiting += getattr(step, "steps", ())
    return False


def opened(network: RoutedNetwork, rates: Sequence[Value]) -> RoutedNetwork:
    """A network with its closed classes as those that arrive at some rates."""
    classes = tuple(
        item if isinstance(item, OpenClass) else OpenClass(item.name, rate, item.routes)
        for item, rate in zip(network.classes, rates, strict=True)
    )
    return network.replace(classes=classes)


def delayed(network: RoutedNetwork, delays: Mapping[int, Value]) -> RoutedNetwork:
    """A network with mean waits for a place, by class, as delays."""
    classes = list(network.classes)
    for kind, delay in delays.items():
        classes[kind] = classes[kind].replace(
            routes=tuple(
                route.replace(
                    steps=tuple(
                        step.replace(mean=delay) if isinstance(step, Time) and step.fills else step
                        for step in route.steps
                    )
                )
                for route in classes[kind].routes
            )
        )
    return network.replace(classes=tuple(classes))


class Way(Record):
    """A route that takes places."""

    kind: int
    """Its class."""
    route: str
    rate: Any
    """(points,) places that a passage of the class takes by it."""
    drain: Hold
    """What is done to free one place."""


def ways(network: RoutedNetwork, full: Limited, column: Callable[[Value], Any]) -> list[Way]:
    """The routes that take places, in the order of the network.

    column   makes an array of points of a value.
    """
    found: list[Way] = []
    for kind, item in enumerate(network.classes):
        for route in item.routes:
            taking = next((step for step in route.steps if takes(step, full)), None)
            drain = next((step for step in route.steps if isinstance(step, Hold) and step.drains == full.name), taking)
            if taking is None or not isinstance(drain, Hold):
                continue
            # Where no place is taken it does not matter what would free it.
            never = taking.visits == 0
            one = drain.replace(visits=ratio(drain.visits, taking.visits) + never, phase=1, keeps=None, drains="")
            found.append(Way(kind, route.name, column(route.probability * taking.visits), one))
    return found


def by_class(found: Sequence[Way], closed: Sequence[int], columns: Sequence[Any]) -> Any:
    """(points, closed classes) the sums of columns of the ways, by class."""
    none = 0.0 * np.asarray(columns[0])
    own = ([item for item, way in zip(columns, found, strict=True) if way.kind == kind] for kind in closed)
    return np.stack([total([none, *items]) for items in own], axis=1)


def takes(step: Step, full: Limited) -> bool:
    """Whether a step takes a place."""
    if full.form == STATION:
        return isinstance(step, Hold) and step.station == full.name
    return isinstance(step, Time) and step.fills == full.name


def customers(network: RoutedNetwork, full: Limited, losing: Value = None) -> RoutedNetwork:
    """The network around what may be full: without the work that frees places, and where nobody waits for one.

    losing   1 where all places are taken and those who ask for one are lost, else 0; None where nobody is.
    """
    classes = tuple(
        item.replace(
            routes=tuple(route.replace(steps=tuple(_around(route.steps, full, losing))) for route in item.routes)
        )
        for item in network.classes
    )
    stations = tuple(item.replace(capacity=None) if item.capacity else item for item in network.stations)
    return network.replace(stations=stations, classes=classes, buffers=(), limits=())


def _around(steps: tuple[Step, ...], full: Limited, losing: Value) -> Iterator[Step]:
    left: Value = None
    for step in steps:
        if isinstance(step, Hold) and step.drains and step.drains == full.name:
            continue
        if takes(step, full):
            left = None if losing is None else 1.0 - losing * step.visits
            if full.form == STATION:
                continue
        yield step if left is None or takes(step, full) else step.replace(visits=step.visits * left)


def places(name: str, found: list[Way]) -> ClosedClass:
    """The places of a buffer as a class of customers, of which each route frees those that one way has taken."""
    routes = tuple(Route(str(number), 1.0, (way.drain,)) for number, way in enumerate(found))
    return ClosedClass(name=f"places of {name}", population=1.0, think_time=0.0, routes=routes)


def used(item: ClosedClass | OpenClass, network: RoutedNetwork) -> set[str]:
    """The stations that the routes of a class use, with those that choose their copies."""
    names: set[str] = set()
    for route in item.routes:
        for step in route.steps:
            names |= stations_of(step)
    follows = {station.name: station.follows for station in network.stations if station.follows}
    return names | {follows[name] for name in names if name in follows}


def stations_of(step: Step) -> set[str]:
    """The stations that a step uses, itself or inside."""
    if isinstance(step, Time):
        return set()
    inner = step.inner if isinstance(step, Fork) else step.steps
    own = {step.station} if isinstance(step, Hold) else set[str]()
    return own.union(*(stations_of(item) for item in inner))
