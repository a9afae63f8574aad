"""What is not computed of closed classes beside something that may be full, by its name and with a way out."""

from __future__ import annotations

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Operations, arrays
from qnet.networks.capacity.closed_parts import LOST, STATION, WAIT, Limited, limited, stations_of, takes
from qnet.networks.routed import ClosedClass, Fork, Hold, OpenClass, Route, RoutedNetwork, Step
from qnet.networks.streams import filled, streams
from qnet.networks.wanted import Wanted
from qnet.queues.arithmetic import total

METHOD = "flow-equivalent"


def refuse(network: RoutedNetwork, wanted: Wanted) -> None:
    """Raise for what is not covered.

    Raises   `NotComputed` QN513 for states or bounds that there are not, QN555 for everything else.
    """
    if wanted.states or wanted.bounds:
        found = "neither states nor bounds are known where something may be full"
        raise NotComputed(Problem("QN513", found, "figures alone"))
    names = [item.name for item in network.stations if item.capacity is not None]
    names += [item.name for item in network.buffers]
    if len(names) > 1:
        found = f'closed classes, and several that may be full: "{names[0]}" and "{names[1]}"'
        raise _refused(found, "one that may be full", "leave the limit of the one out that is seldom full")
    full = limited(network)
    if network.profiles:
        help = "state the number inside by a parameter, and vary that"
        raise _refused(f'"{full.name}" may be full, and times depend on a number inside', "one or the other", help)
    users: set[str] = set()
    for item in network.classes:
        if item.chain:
            help = "give each of its classes a population of its own"
            raise _refused(f'"{full.name}" may be full, and "{item.name}" is a chain', "classes", help)
        for route in item.routes:
            if _refuse_route(route, full, item):
                users.add(item.name)
    if full.form != WAIT and len(users) > 1:
        first, second = sorted(users)[:2]
        found = f'"{first}" and "{second}" are both lost where "{full.name}" is full'
        help = "make routes of one class of them" + (', or full = "wait"' if full.form == LOST else "")
        raise _refused(found, "one class", help)
    often = (
        step.visits for item in network.classes for route in item.routes for step in route.steps if takes(step, full)
    )
    operations: Operations = FLOATS if network.size is None else arrays()
    if full.form != WAIT and not all(operations.all(operations.compare("<=", visits, 1.0)) for visits in often):
        found = f'a passage asks for more than one place of "{full.name}", and is lost where it is full'
        raise _refused(found, "visits of at most 1", "state one longer visit, or classes with shorter passages")
    station = next((item for item in network.stations if item.name == full.name and full.form == STATION), None)
    if station and station.copies > 1:
        found = f'"{full.name}" has copies, each with a capacity, and there are closed classes'
        raise _refused(found, "one copy", "state one copy with all servers and places, which loses less")


def _refuse_route(route: Route, full: Limited, customers: OpenClass | ClosedClass) -> bool:
    """Raise for what is not covered of a route; whether it takes places."""
    taking = [step for step in route.steps if takes(step, full)]
    for step in route.steps:
        if _forked(step):
            help = "take the parallel steps one after the other"
            raise _refused(f'"{full.name}" may be full, and branches run in parallel', "one or the other", help)
        within = full.name in (stations_of(step) if full.form == STATION else filled(step))
        if not within:
            continue
        if isinstance(customers, OpenClass):
            found = f'"{customers.name}" has an arrival rate and asks for places of "{full.name}" beside closed classes'
            help = f'give "{customers.name}" a population, or all classes an arrival rate'
            raise _refused(found, "closed classes alone", help)
        if not takes(step, full):
            found = f'"{full.name}" is asked for a place while a station is held, by "{customers.name}" of a population'
            raise _refused(found, "outside of holds", "put it before the hold, which then begins when there is a place")
        if full.form == STATION and (step.phase == 2 or stations_of(step) != {full.name} or len(taking) > 1):
            found = f'"{full.name}" has a capacity, and a route with a population holds others there, or comes back'
            help = "give what is inside no station (a delay), and the route one visit"
            raise _refused(found, "one visit before the response, which holds nothing else", help)
    return bool(taking)


def refuse_idle(network: RoutedNetwork, buffer: str, operations: Operations) -> None:
    """Raise for a class that spends no time outside of what may be full: it asks for places without end.

    network   that of the customers, who never wait for a place.
    """
    compiled = streams(network, operations, [1.0] * len(network.classes))
    for kind, item in enumerate(network.classes):
        if isinstance(item, ClosedClass):
            own = [route for route in compiled.routes if route.class_index == kind]
            spent = item.think_time + total(
                route.probability * part.mean for route in own for part in route.parts.values()
            )
            idle = (item.population > 0) & (spent <= 0)
            if not operations.all(idle == False):  # noqa: E712
                found = f'"{item.name}" spends no time outside of "{buffer}"'
                raise _refused(found, "some time to spend", "state a think time, or the time of what comes before")


def _refused(found: str, expected: str, help: str) -> NotComputed:
    return NotComputed(Problem("QN555", found, expected, help=help))


def _forked(step: Step) -> bool:
    """Whether branches run in parallel in a step."""
    return isinstance(step, Fork) or (isinstance(step, Hold) and any(_forked(item) for item in step.steps))
