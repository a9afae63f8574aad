"""Whether a customer of an open network can be overtaken, by the ways that there are between its stations."""

from __future__ import annotations

from itertools import pairwise

from qnet.networks.routed import Hold, Route, RoutedNetwork, Time


def one_way_at_most(network: RoutedNetwork) -> bool:
    """Whether between any two queueing stations there is one way at most, of all routes together, without delays.

    Then nobody who comes to a station behind a customer can be at another one before him, where all are first come
    first served by single servers. Stations are visited one after the other: not so where steps are parallel, or one
    station is held while others are waited for, or work is left after the response.
    """
    delays = {station.name for station in network.stations if station.delay}
    onward: dict[str, set[str]] = {}
    for customers in network.classes:
        for route in customers.routes:
            way = _way(route, delays)
            if way is None:
                return False
            for here, there in pairwise(way):
                onward.setdefault(here, set()).add(there)
    return all(_once(start, onward) for start in onward)


def _way(route: Route, delays: set[str]) -> list[str] | None:
    """The queueing stations of a route, in order; None where they are not one after the other without delays."""
    way: list[str] = []
    late = False
    for step in route.steps:
        if step.phase == 2 or (isinstance(step, Time) and step.fills):
            return None
        if isinstance(step, Time) or (isinstance(step, Hold) and step.station in delays):
            late = bool(way)
            continue
        if late or not isinstance(step, Hold) or len(step.steps) != 1:
            return None
        inner = step.steps[0]
        if not isinstance(inner, Time) or inner.phase == 2 or inner.fills:
            return None
        way.append(step.station)
    return way


def _once(start: str, onward: dict[str, set[str]]) -> bool:
    """Whether every station that can be reached from one is reached in one way, and it is not reached itself."""
    seen = {start}
    waiting = [start]
    while waiting:
        for there in onward.get(waiting.pop(), ()):
            if there in seen:
                return False
            seen.add(there)
            waiting.append(there)
    return True
