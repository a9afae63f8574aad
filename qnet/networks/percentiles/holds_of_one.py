"""Holds around one visit, such as a connection that is held for one visit to a database with fewer servers.

Customers that wait for a connection and those that wait for the database are one queue in order of arrival, cut in two:
without the hold, all responses are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from qnet.expression import FLOATS, arrays
from qnet.networks.duration import Wait
from qnet.networks.routed import Hold, RoutedNetwork, Station, Step, Time
from qnet.networks.solution import Passages
from qnet.networks.streams import Stream, streams
from qnet.networks.wanted import AUTO


def without_holds(passages: Passages) -> tuple[Passages, tuple[int, ...]] | None:
    """The passages without holds around one visit, each replaced by the visit.

    passages  of a solution.
    Returns   the passages, and by stream of the network with these holds the stream that has its wait: -1 where that is
              part of the wait for the visit. None where a hold is around anything else, or its visit is one of a queue
              that others are in.
    """
    visits = _Visits(passages.network)
    network = visits.network()
    if network is None:
        return None
    compiled = streams(network, FLOATS if network.size is None else arrays(), passages.throughputs)
    known = _numbers(passages.compiled.streams)
    numbers = [-1] * len(passages.compiled.streams)
    waits: list[Wait] = [Wait(0.0, 0.0)] * len(compiled.streams)
    for key, after in _numbers(compiled.streams).items():
        around = known.get((*key[:2], visits.held.get(key[2], "")), [])
        for index, number in enumerate(after):
            before = known[key][index]
            numbers[before] = number
            mean: Any = passages.waits[before].mean + (passages.waits[around[index]].mean if around else 0.0)
            waits[number] = Wait(mean, 0.0 * mean)
    return passages.replace(network=network, compiled=compiled, waits=tuple(waits), wanted=AUTO), tuple(numbers)


def holders(network: RoutedNetwork) -> frozenset[str]:
    """The stations that are held around one visit each, if all holds around others are of that kind; else none.

    network  inside a limited subnetwork.
    """
    visits = _Visits(network)
    return frozenset() if visits.network() is None else frozenset(visits.held.values())


def _numbers(known: Sequence[Stream]) -> dict[tuple[int, str, str], list[int]]:
    """The numbers of streams by class, route and station."""
    result: dict[tuple[int, str, str], list[int]] = {}
    for number, item in enumerate(known):
        result.setdefault((item.class_index, item.route, item.station), []).append(number)
    return result


class _Visits:
    """The steps of a network with the visits in place of the holds around them."""

    def __init__(self, network: RoutedNetwork) -> None:
        self.given = network
        self.stations = {station.name: station for station in network.stations}
        self.held: dict[str, str] = {}
        """The station that is held around each station that is visited in a hold."""
        self.direct: set[str] = set()
        """The stations that are visited outside of such holds."""
        self.others = False
        """Whether there is a step that is neither a time, a visit nor such a hold."""

    def network(self) -> RoutedNetwork | None:
        """The network without the holds; None where it has others."""
        classes = tuple(
            item.replace(routes=tuple(route.replace(steps=tuple(map(self.step, route.steps))) for route in item.routes))
            for item in self.given.classes
        )
        holders = list(self.held.values())
        if self.others or self.direct & {*self.held, *holders} or len(set(holders)) < len(holders):
            return None
        return self.given.replace(classes=classes) if holders else None

    def step(self, step: Step) -> Step:
        """A step, or the visit in it."""
        if isinstance(step, Time):
            return step
        if not isinstance(step, Hold):
            self.others = True
            return step
        if all(isinstance(inner, Time) for inner in step.steps):
            self.direct.add(step.station)
            return step
        visit = step.steps[0]
        if len(step.steps) > 1 or not isinstance(visit, Hold) or not self.is_one_queue(step, visit):
            self.others = True
            return step
        if self.held.setdefault(visit.station, step.station) != step.station:
            self.others = True
        return visit.replace(visits=step.visits)

    def is_one_queue(self, hold: Hold, visit: Hold) -> bool:
        """Whether those that wait for a hold and those that wait for the visit in it are one queue."""
        holder, visited = self.stations[hold.station], self.stations[visit.station]
        once = bool(np.all(visit.visits == 1.0)) and all(isinstance(inner, Time) for inner in visit.steps)
        ordered = all(item.phase == 1 and not item.priority for item in (hold, visit)) and hold.scv is None
        return once and ordered and _in_order(holder) and _in_order(visited) and visited.servers <= holder.servers


def _in_order(station: Station) -> bool:
    """Whether a station serves in order of arrival, without any limit, in one copy."""
    plain = station.rates is None and station.capacity is None and station.copies == 1
    return plain and not station.delay and station.discipline == "fcfs"
