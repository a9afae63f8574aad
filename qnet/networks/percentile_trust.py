"""What makes percentiles of response less sure than where their errors were measured as small."""

from __future__ import annotations

from collections.abc import Iterator

from qnet.expression import Operations
from qnet.networks.exactness import close, in_order, uneven_classes
from qnet.networks.routed import Fork, Hold, OpenClass, RoutedNetwork, Station, Step, Time
from qnet.networks.streams import streams

_MOST = 2.0
"""The largest scv of a service time of which the percentiles are trusted."""


def beyond(network: RoutedNetwork, operations: Operations) -> tuple[str, ...]:
    """Why percentiles of the response of a network are not trusted, in words for people; empty where they are.

    network     stations, classes and routes; their rates do not matter.
    operations  those of its numbers.
    Returns     one text for each cause. The measured errors are those of `percentiles: ...` in the table of errors.
    """
    stations = {station.name: station for station in network.stations}
    found: list[str] = []
    for customers in network.classes:
        if isinstance(customers, OpenClass):
            found += _returns(customers, operations)
        elif customers.chain and not customers.onward:
            found.append(f"{customers.name} comes back to its stations by chance")
        for route in customers.routes:
            for step in route.steps:
                found += _step(step, stations, operations)
    found += [f"arrivals of {name} are not Poisson" for name in uneven_classes(network, operations)]
    found += _places(network)
    if network.closed and len(network.closed) < len(network.classes):
        uneven = in_order(network, streams(network, operations, [1.0] * len(network.classes)), operations)
        found += [
            f"beside open and closed classes {station.name} is no single server with one exponential time for all"
            for station in network.stations
            if not station.delay and (station.servers > 1 or station.discipline != "fcfs" or station.name in uneven)
        ]
    return tuple(dict.fromkeys(found))


def _returns(customers: OpenClass, operations: Operations) -> Iterator[str]:
    """Where customers of an open chain may be more than once."""
    visits: dict[str, object] = {}
    for route in customers.routes if customers.chain else ():
        for step in route.steps:
            if isinstance(step, Hold):
                visits[step.station] = visits.get(step.station, 0.0) + step.visits  # pyright: ignore
    for name, number in visits.items():
        if not operations.all(operations.compare("<=", number, 1 + 1e-9)):  # pyright: ignore
            yield f"{customers.name} comes back to {name} by chance"


def _step(step: Step, stations: dict[str, Station], operations: Operations) -> Iterator[str]:
    """What a step has that was not measured, or not as good."""
    if isinstance(step, Fork):
        yield "steps are parallel"
        return
    if isinstance(step, Time):
        return
    station = stations[step.station]
    if not station.delay and station.discipline == "lcfs-pr":
        yield f"{station.name} serves the last first"
    if station.discipline == "ps" and station.servers > 1:
        yield f"{station.name} shares several servers"
    if step.phase == 2:
        yield f"work is left behind at {station.name}"
    for inner in step.steps:
        if not isinstance(inner, Time):
            yield f"{station.name} is held while another station is waited for"
            yield from _step(inner, stations, operations)
        elif not station.delay and not operations.all(operations.compare("<=", inner.scv, _MOST)):
            yield f"service times at {station.name} have an scv above {_MOST:g}"
        elif station.discipline == "ps" and not close(inner.scv, 1.0, operations):
            yield f"{station.name} is shared by times that are not exponential"


def _places(network: RoutedNetwork) -> Iterator[str]:
    """Stations and buffers that were not measured."""
    for station in network.stations:
        if station.discipline in ("priority", "preemptive"):
            yield f"{station.name} serves some before others"
        if station.capacity is not None:
            yield f"{station.name} may be full"
        if station.rates is not None:
            yield f"{station.name} has rates that depend on the number present"
    for buffer in network.buffers:
        yield f"{buffer.name} may be full"
