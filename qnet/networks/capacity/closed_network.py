"""Networks whose closed classes fill one limited buffer or station: which are covered, and how they are divided.

Such a network is divided into the customers that do not wait for a place, and the places that are taken, which are
the customers of another closed class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.networks.aggregation import passage_time
from qnet.networks.routed import ClosedClass, Fork, Hold, OpenClass, Route, RoutedNetwork, Step, Time
from qnet.networks.streams import filled, streams
from qnet.networks.wanted import Wanted
from qnet.queues.arithmetic import ratio, total
from qnet.record import Record

WAIT, LOST, STATION = "wait", "lost", "station"


class Limited(Record):
    """A buffer, or a station with a capacity."""

    name: str
    form: str
    """`WAIT` or `LOST` for a buffer, by what happens to customers when it is full; `STATION`, which loses them."""
    places: Value


def limited(network: RoutedNetwork) -> Limited:
    """The only buffer, or station with a capacity, of a network."""
    for station in network.stations:
        if station.capacity is not None:
            return Limited(station.name, STATION, float(station.capacity))
    buffer = network.buffers[0]
    return Limited(buffer.name, LOST if buffer.loses else WAIT, buffer.places)


def never_full(network: RoutedNetwork) -> bool:
    """Whether a station with a capacity has at all points a place for every customer that may visit it."""
    full = limited(network)
    if full.form != STATION or _has_second_phase(network):
        return False
    users = [item for item in network.closed if full.name in stations_of_class(item, network)]
    operations: Operations = FLOATS if network.size is None else arrays()
    return operations.all(operations.compare("<=", total(item.population for item in users), full.places))


def _has_second_phase(network: RoutedNetwork) -> bool:
    """Whether any work goes on after a response, so that a customer may still occupy a place when it returns."""
    unread = [step for item in network.classes for route in item.routes for step in route.steps]
    while unread:
        step = unread.pop()
        if step.phase == 2:
            return True
        unread += getattr(step, "steps", ())
    return False


def takes(step: Step, full: Limited) -> bool:
    """Whether a step takes a place."""
    if full.form == STATION:
        return isinstance(step, Hold) and step.station == full.name
    return isinstance(step, Time) and step.fills == full.name


class TakingRoute(Record):
    """A route that takes places."""

    class_index: int
    route: str
    rate: Any
    """(points,) places taken on this route per passage of the class."""
    drain: Hold
    """The work that frees one place."""


def taking_routes(network: RoutedNetwork, full: Limited, column: Callable[[Value], Any]) -> list[TakingRoute]:
    """The routes that take places, in the order of the network.

    column   makes an array (points,) of a value.
    """
    result: list[TakingRoute] = []
    for class_index, item in enumerate(network.classes):
        for route in item.routes:
            taking = next((step for step in route.steps if takes(step, full)), None)
            drain = next((step for step in route.steps if isinstance(step, Hold) and step.drains == full.name), taking)
            if taking is None or not isinstance(drain, Hold):
                continue
            # Where no place is taken it does not matter what would free it.
            never = taking.visits == 0
            freeing = drain.replace(visits=ratio(drain.visits, taking.visits) + never, phase=1, keeps=None, drains="")
            result.append(TakingRoute(class_index, route.name, column(route.probability * taking.visits), freeing))
    return result


def by_class(routes: Sequence[TakingRoute], closed: Sequence[int], columns: Sequence[Any]) -> Any:
    """(points, closed classes) the columns (points,) of routes, summed by class."""
    none = 0.0 * np.asarray(columns[0])
    of_classes = (
        [column for column, route in zip(columns, routes, strict=True) if route.class_index == index]
        for index in closed
    )
    return np.stack([total([none, *items]) for items in of_classes], axis=1)


def around(network: RoutedNetwork, full: Limited, losing: Value = None) -> RoutedNetwork:
    """The network of the customers: without the work that frees places, and without any wait for a place.

    losing   the share of requests for a place that are lost; None where customers wait.
    Returns  the network, with that work replaced by a step without time that `frees` places.
    """
    classes = tuple(
        item.replace(
            routes=tuple(route.replace(steps=tuple(_steps_around(route.steps, full, losing))) for route in item.routes)
        )
        for item in network.classes
    )
    stations = tuple(item.replace(capacity=None) if item.capacity else item for item in network.stations)
    return network.replace(stations=stations, classes=classes, buffers=(), limits=())


def _steps_around(steps: tuple[Step, ...], full: Limited, losing: Value) -> Iterator[Step]:
    remaining: Value = None
    for step in steps:
        if isinstance(step, Hold) and step.drains and step.drains == full.name:
            yield Time(0.0, frees=full.name)
            continue
        if takes(step, full):
            remaining = None if losing is None else 1.0 - losing * step.visits
            if full.form == STATION:
                continue
        yield step if remaining is None or takes(step, full) else step.replace(visits=step.visits * remaining)


def places_as_class(name: str, routes: list[TakingRoute]) -> ClosedClass:
    """The places of a buffer as a class of customers, with one route for the places of each taking route."""
    freeing = tuple(Route(str(number), 1.0, (route.drain,)) for number, route in enumerate(routes))
    return ClosedClass(name=f"places of {name}", population=1.0, think_time=0.0, routes=freeing)


def as_open(network: RoutedNetwork, rates: Sequence[Value]) -> RoutedNetwork:
    """A network with its closed classes as open ones.

    rates  passages per second by class, the arrival rates of those that are closed.
    """
    classes = tuple(
        item if isinstance(item, OpenClass) else OpenClass(item.name, rate, routes=item.routes)
        for item, rate in zip(network.classes, rates, strict=True)
    )
    return network.replace(classes=classes)


def with_delays(network: RoutedNetwork, delays: Mapping[int, Value]) -> RoutedNetwork:
    """A network with the mean waits for a place, by class, as delays."""
    classes = list(network.classes)
    for class_index, delay in delays.items():
        classes[class_index] = classes[class_index].replace(
            routes=tuple(
                route.replace(
                    steps=tuple(
                        step.replace(mean=delay) if isinstance(step, Time) and step.fills else step
                        for step in route.steps
                    )
                )
                for route in classes[class_index].routes
            )
        )
    return network.replace(classes=tuple(classes))


def stations_of_class(item: ClosedClass | OpenClass, network: RoutedNetwork) -> set[str]:
    """The stations that the routes of a class visit, and the stations whose choice of copy these follow."""
    names: set[str] = set()
    for route in item.routes:
        for step in route.steps:
            names |= stations_of(step)
    follows = {station.name: station.follows for station in network.stations if station.follows}
    return names | {follows[name] for name in names if name in follows}


def stations_of(step: Step) -> set[str]:
    """The stations that a step or any step inside it visits."""
    if isinstance(step, Time):
        return set()
    inner = step.inner if isinstance(step, Fork) else step.steps
    outer = {step.station} if isinstance(step, Hold) else set[str]()
    return outer.union(*(stations_of(item) for item in inner))


def forks(step: Step) -> bool:
    """Whether branches run in parallel in a step."""
    return isinstance(step, Fork) or (isinstance(step, Hold) and any(forks(item) for item in step.steps))


def refuse(network: RoutedNetwork, wanted: Wanted) -> None:
    """Raise for what is not covered.

    Raises   `NotComputed` QN513 for states or bounds, QN555 for everything else.
    """
    if wanted.states or wanted.bounds:
        text = "neither states nor bounds are known where capacity is limited"
        raise NotComputed(Problem("QN513", text, "figures alone"))
    names = [item.name for item in network.stations if item.capacity is not None]
    names += [item.name for item in network.buffers]
    if len(names) > 1:
        text = f'closed classes with two limited capacities: "{names[0]}" and "{names[1]}"'
        raise _refused(text, "one limited capacity", "remove the limit that is seldom reached")
    full = limited(network)
    if network.profiles:
        help = "make the number inside a parameter, and vary that"
        raise _refused(f'"{full.name}" may be full, and times depend on a number inside', "one or the other", help)
    users: set[str] = set()
    for item in network.classes:
        if item.chain:
            help = "give each of its classes its population"
            raise _refused(f'"{full.name}" may be full, and "{item.name}" is a chain', "classes", help)
        for route in item.routes:
            if _refuse_route(route, full, item):
                users.add(item.name)
    if full.form != WAIT and len(users) > 1:
        first, second = sorted(users)[:2]
        text = f'customers of both "{first}" and "{second}" are lost when "{full.name}" is full'
        help = "make them routes of one class" + (', or use full = "wait"' if full.form == LOST else "")
        raise _refused(text, "one class", help)
    counts = (
        step.visits for item in network.classes for route in item.routes for step in route.steps if takes(step, full)
    )
    operations: Operations = FLOATS if network.size is None else arrays()
    if full.form != WAIT and not all(operations.all(operations.compare("<=", visits, 1.0)) for visits in counts):
        text = f'a passage requests more than one place of "{full.name}", and is lost when it is full'
        raise _refused(text, "at most 1 visit", "state one longer visit, or classes with shorter passages")
    station = next((item for item in network.stations if item.name == full.name and full.form == STATION), None)
    if station and station.copies > 1:
        text = f'"{full.name}" has copies, each with a capacity, and there are closed classes'
        raise _refused(text, "one copy", "state one copy with all servers and places, which loses less")
    if station and station.rates is not None:
        text = f'"{full.name}" has rates that depend on the number present and a capacity, and there are closed classes'
        raise _refused(text, "servers instead of rates", "give all classes an arrival rate")


def _refuse_route(route: Route, full: Limited, customers: OpenClass | ClosedClass) -> bool:
    """Whether a route takes places; raises for what is not covered."""
    taking = [step for step in route.steps if takes(step, full)]
    for step in route.steps:
        if forks(step):
            help = "make the parallel steps sequential"
            raise _refused(f'"{full.name}" may be full, and branches run in parallel', "one or the other", help)
        within = full.name in (stations_of(step) if full.form == STATION else filled(step))
        if not within:
            continue
        if isinstance(customers, OpenClass):
            text = (
                f'both closed classes and "{customers.name}", which has an arrival rate, take places of "{full.name}"'
            )
            help = f'give "{customers.name}" a population, or all classes an arrival rate'
            raise _refused(text, "closed classes alone", help)
        if not takes(step, full):
            text = f'closed class "{customers.name}" requests a place of "{full.name}" while it holds a station'
            raise _refused(text, "a request outside of holds", "put it before the hold, which then begins after it")
        if full.form == STATION and (step.phase == 2 or stations_of(step) != {full.name} or len(taking) > 1):
            text = f'closed class "{customers.name}" visits "{full.name}", which has a capacity, several times, '
            text += "after the response, or with other stations inside the visit"
            help = "replace stations inside by delays, and give the route one visit"
            raise _refused(text, "one visit before the response, without stations inside", help)
    return bool(taking)


def refuse_idle(network: RoutedNetwork, name: str, operations: Operations) -> None:
    """Raise for a class that spends no time outside of the limited buffer or station: it would always be full.

    network     of the customers, without waits for a place, as `around` makes it.
    name        of the buffer or station.
    operations  of the numbers of the network.
    """
    compiled = streams(network, operations, [1.0] * len(network.classes))
    for class_index, item in enumerate(network.classes):
        if isinstance(item, ClosedClass):
            idle = (item.population > 0) & (passage_time(compiled, item, class_index) <= 0)
            if not operations.all(idle == False):  # noqa: E712
                text = f'"{item.name}" spends no time outside of "{name}"'
                raise _refused(text, "some time outside", "state a think time, or the time of a step before")


def _refused(text: str, expected: str, help: str) -> NotComputed:
    return NotComputed(Problem("QN555", text, expected, help=help))
