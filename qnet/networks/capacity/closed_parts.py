"""A network whose closed classes fill a buffer, in two parts: its customers, and the places that they take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qnet.expression import Value
from qnet.networks.routed import ClosedClass, Fork, Hold, Route, RoutedNetwork, Step, Time
from qnet.queues.arithmetic import ratio
from qnet.record import Record


class Way(Record):
    """A route that takes places."""

    kind: int
    """Its class."""
    route: str
    rate: Any
    """(points,) places that a passage of the class takes by it."""
    drain: Hold
    """What is done to free one place."""


def ways(network: RoutedNetwork, name: str, column: Callable[[Value], Any]) -> list[Way]:
    """The routes that take places of a buffer, in the order of the network.

    column   makes an array of points of a value.
    """
    found: list[Way] = []
    for kind, item in enumerate(network.classes):
        for route in item.routes:
            fill = next((step for step in route.steps if isinstance(step, Time) and step.fills == name), None)
            drain = next((step for step in route.steps if isinstance(step, Hold) and step.drains == name), None)
            if fill is None or drain is None:
                continue
            one = drain.replace(visits=ratio(drain.visits, fill.visits), phase=1, keeps=None, drains="")
            found.append(Way(kind, route.name, column(route.probability * fill.visits), one))
    return found


def customers(network: RoutedNetwork, name: str) -> RoutedNetwork:
    """The network without the work that frees places of a buffer; of a place nobody waits for."""
    classes = tuple(
        item.replace(
            routes=tuple(
                route.replace(steps=tuple(step for step in route.steps if not _drains(step, name)))
                for route in item.routes
            )
        )
        for item in network.classes
    )
    return network.replace(classes=classes, buffers=(), limits=())


def _drains(step: Step, name: str) -> bool:
    return isinstance(step, Hold) and step.drains == name


def places(name: str, found: list[Way]) -> ClosedClass:
    """The places of a buffer as a class of customers, of which each route frees those that one way has taken."""
    routes = tuple(Route(str(number), 1.0, (way.drain,)) for number, way in enumerate(found))
    return ClosedClass(f"places of {name}", 1.0, 0.0, routes)


def used(item: ClosedClass | Any, network: RoutedNetwork) -> set[str]:
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
