"""What is not computed of closed classes beside something that may be full, by its name and with a way out."""

from __future__ import annotations

from qnet.errors import NotComputed, Problem
from qnet.expression import Operations
from qnet.networks.routed import ClosedClass, Fork, Hold, OpenClass, RoutedNetwork, Step, Time
from qnet.networks.streams import filled, streams
from qnet.networks.wanted import Wanted
from qnet.queues.arithmetic import total

METHOD = "flow-equivalent"


def refuse(network: RoutedNetwork, wanted: Wanted) -> None:
    """Raise for what is not covered.

    Raises   `NotComputed` QN513 for a method, states or bounds that there are not, QN555 for everything else.
    """
    if wanted.method not in ("auto", METHOD):
        found = f"{wanted.method} does not apply: closed classes fill a buffer"
        raise NotComputed(Problem("QN513", found, f"auto, or {METHOD}"))
    if wanted.states or wanted.bounds:
        found = "neither states nor bounds are known where something may be full"
        raise NotComputed(Problem("QN513", found, "figures alone"))
    limited = [station.name for station in network.stations if station.capacity is not None]
    if limited:
        help = f"leave the capacity out: what closed customers find at {limited[0]} is bounded by their number"
        raise _refused(f'"{limited[0]}" has a capacity, and there are closed classes', "open classes", help)
    if len(network.buffers) > 1:
        names = " and ".join(f'"{item.name}"' for item in network.buffers[:2])
        help = "leave out the one that is drained faster"
        raise _refused(f"closed classes, and several buffers: {names}", "one buffer", help)
    buffer = next(iter(network.buffers))
    if buffer.loses:
        help = 'full = "wait": who finds it full waits for a place'
        raise _refused(f'"{buffer.name}" loses those who find it full, and there are closed classes', "waits", help)
    if network.profiles:
        help = "state the number inside by a parameter, and vary that"
        raise _refused(f'"{buffer.name}" may be full, and times depend on a number inside', "one or the other", help)
    for item in network.classes:
        if item.chain:
            help = "give each of its classes a population of its own"
            raise _refused(f'"{buffer.name}" may be full, and "{item.name}" is a chain', "classes", help)
        for step in (step for route in item.routes for step in route.steps):
            _refuse_step(step, buffer.name, item.name, isinstance(item, OpenClass))


def _refuse_step(step: Step, buffer: str, customers: str, comes: bool) -> None:
    if _forked(step):
        help = "take the parallel steps one after the other"
        raise _refused(f'"{buffer}" may be full, and branches run in parallel', "one or the other", help)
    if comes and filled(step):
        found = f'"{customers}" has an arrival rate and fills "{buffer}", and there are closed classes'
        help = f'give "{customers}" a population, or all classes an arrival rate'
        raise _refused(found, "a buffer that closed classes alone fill", help)
    if filled(step) and not isinstance(step, Time):
        found = f'"{buffer}" is waited for while a station is held, by "{customers}" of a population'
        help = "put the fill before the hold, which then begins when there is a place"
        raise _refused(found, "a fill outside of holds", help)


def refuse_idle(network: RoutedNetwork, buffer: str, operations: Operations) -> None:
    """Raise for a class that spends no time outside of the buffer that it fills: it asks for places without end.

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
                found = f'"{item.name}" spends no time but waiting for a place of "{buffer}"'
                raise _refused(found, "some time to spend", "state a think time, or the time of what comes before")


def _refused(found: str, expected: str, help: str) -> NotComputed:
    return NotComputed(Problem("QN555", found, expected, help=help))


def _forked(step: Step) -> bool:
    """Whether branches run in parallel in a step."""
    return isinstance(step, Fork) or (isinstance(step, Hold) and any(_forked(item) for item in step.steps))
