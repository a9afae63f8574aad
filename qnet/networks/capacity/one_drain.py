"""Places that one server frees one after the other: an M/G/1/K, or an M/G/1 of which K are inside."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.expression import Operations, Value
from qnet.networks.capacity.by_point import by_point
from qnet.networks.routed import Hold, RoutedNetwork, Time
from qnet.queues.m_g_1_k import Time as Service
from qnet.queues.m_g_1_k import m_g_1_k, m_g_1_outside
from qnet.queues.places import Line
from qnet.record import Record

MOST = 200
"""The largest number of places that are looked at one by one."""


class Sort(Record):
    """A sort of times to free a place."""

    share: Value
    mean: Value
    scv: Value


def one_by_one(offered: Value, sorts: Sequence[Sort], places: Value, loses: bool, serving: Value) -> tuple[Line, Value]:
    """The line of what frees the places, and the mean wait for a place of those who find none.

    offered  places per second that are asked for.
    sorts    the times to free one.
    places   K, of which what is taken elsewhere is left out; not whole: between the numbers around it.
    loses    whether those who find none are lost.
    serving  the mean number of places of which the work is served.
    Exact    whole places, exact times, and nobody who takes a place is elsewhere before the work for it begins.
    """
    values = [value for sort in sorts for value in sort]

    def figures(offered: float, places: float, *values: float) -> tuple[float, ...]:
        services = tuple(Service(*values[first : first + 3]) for first in range(0, len(values), 3))
        least = max(int(places + 1e-9), 1)
        part = min(max(places - least, 0.0), 1.0)
        found = [_of(offered, services, count, loses) for count in (least, least + 1)[: 1 + (part > 1e-9)]]
        if len(found) == 1:
            return found[0]
        return tuple((1.0 - part) * low + part * high for low, high in zip(*found, strict=True))

    full, free, number, late = by_point(figures, offered, places, *values)
    waiting = number - serving
    return Line(full, free, (waiting + abs(waiting)) / 2), late


def _of(offered: float, services: tuple[Service, ...], places: int, loses: bool) -> tuple[float, ...]:
    if loses:
        lost = m_g_1_k(offered, services, places)
        return lost.blocked, lost.kept, lost.number, 0.0
    waits = m_g_1_outside(offered, services, places)
    return waits.full, 1.0 - waits.full, waits.number, waits.late


def once_each(buffer: str, network: RoutedNetwork, operations: Operations) -> bool:
    """Whether every place of a buffer is freed by one visit, of one route."""
    for item in network.classes:
        for route in item.routes:
            taken = [step for step in route.steps if isinstance(step, Time) and step.fills == buffer]
            freed = [step for step in route.steps if isinstance(step, Hold) and step.drains == buffer]
            visits = [step.visits for step in (*taken, *freed)]
            if len(taken) > 1 or len(freed) > 1 or not all(operations.all(value <= 1.0 + 1e-9) for value in visits):
                return False
    return True
