"""When the answer for closed classes that fill a buffer is exact, and the reasons when it is not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from qnet.expression import Operations
from qnet.networks.capacity.closed_network import LOST, STATION, Limited, takes
from qnet.networks.capacity.stations import one_exponential
from qnet.networks.reasons import Beyond, Inexact, Reason
from qnet.networks.routed import Hold, Route, RoutedNetwork, Station, Step, Time
from qnet.networks.streams import Stream, exponential, streams
from qnet.queues.arithmetic import close, total

if TYPE_CHECKING:
    from qnet.networks.capacity.closed_levels import Surroundings


def reasons_for(network: RoutedNetwork, around: Surroundings, operations: Operations) -> list[Inexact]:
    """Why figures of a buffer that closed classes fill are not exact; empty where they are.

    network      as stated.
    around       the network around the buffer.
    operations   those of the numbers of the network.
    """
    name = around.name
    reason = Reason("around as one", station=name)
    compiled = streams(network, operations, [1.0] * len(network.classes))
    freeing = [stream for stream in compiled.streams if _frees(stream, around)]
    beyond = "; ".join(_beyond(network, around, freeing, operations))
    if beyond:
        return [Beyond(reason, "QN670", f"{name} is used beyond where errors were measured as small: {beyond}")]
    plain = (
        around.apart
        and len(network.classes) == 1
        and len({(stream.station, stream.group) for stream in freeing}) == 1
        and one_exponential(freeing, operations)
        and all(_once(route.drain, network, operations) for route in around.routes)
    )
    if plain and _one_visit(network, around, operations):
        return []
    crowd = total(item.population for item in network.closed)
    if around.apart and not operations.all(operations.compare("<=", 2.0, crowd)):
        text = f"{name} is used beyond where errors were measured as small: one customer alone fills it"
        return [Beyond(reason, "QN670", text)]
    return [Inexact(reason)]


def _beyond(
    network: RoutedNetwork, around: Surroundings, freeing: Sequence[Stream], operations: Operations
) -> Iterator[str]:
    """What was not measured."""
    full = around.full
    for item in network.classes:
        for step in (step for route in item.routes for step in route.steps):
            if isinstance(step, Time) and step.fills and not operations.all(operations.compare("<=", step.visits, 1.0)):
                yield f"{item.name} takes several places at once"
    if full.form == LOST and not around.apart:
        yield "customers are lost when it is full, and what frees its places does other work"
    crowd = total(item.population for item in network.closed)
    if not around.apart and not operations.all(operations.compare("<=", 2.0, crowd)):
        yield "one customer alone waits for the work that frees its places"
    if full.form != STATION and not operations.all(operations.compare("<=", crowd, full.places)):
        delays = {station.name for station in network.stations if station.delay}
        if any(_queues_between(route, full, delays) for item in network.classes for route in item.routes):
            yield "customers that have taken a place queue before it can be freed"
    stations = {stream.station for stream in freeing}
    if full.form != STATION:
        visiting = [
            route for item in network.classes for route in item.routes if _visits(route.steps, around, stations)
        ]
        if any(takes(step, full) for route in visiting for step in route.steps):
            yield f"customers that fill it visit {min(stations)} for other work as well"
    if not all(exponential(stream, operations) for stream in freeing):
        yield f"times at {min(stations)} that free places are not exponential"


def _queues_between(route: Route, full: Limited, delays: set[str]) -> bool:
    """Whether a route has a queue between taking a place and its response."""
    taken = False
    for step in route.steps:
        if taken and isinstance(step, Hold) and step.phase == 1 and step.station not in delays:
            return True
        taken = taken or takes(step, full)
    return False


def _visits(steps: Sequence[Step], around: Surroundings, stations: set[str]) -> bool:
    """Whether steps visit one of the stations that free places, for other work."""
    return any(
        isinstance(step, Hold)
        and ((step.station in stations and step.drains != around.name) or _visits(step.steps, around, stations))
        for step in steps
    )


def _once(hold: Hold, network: RoutedNetwork, operations: Operations) -> bool:
    """Whether work is one visit to a station without copies."""
    station = next(item for item in network.stations if item.name == hold.station)
    return station.copies == 1 and close(hold.visits, 0.0 * hold.visits + 1.0, operations)


def _one_visit(network: RoutedNetwork, around: Surroundings, operations: Operations) -> bool:
    """Whether all time of the only class is thinking, or one visit to one station with exponential times."""
    item = network.classes[0]
    outside = [_outside(route, around.full, operations) for route in item.routes]
    if any(after for _, after in outside):
        return False
    steps = [steps for steps, _ in outside]
    thinks = getattr(item, "think_time", 0.0)
    if not any(steps):
        return True
    if not operations.all(thinks == 0.0) or not all(len(only) == 1 and isinstance(only[0], Hold) for only in steps):
        return False
    holds = [only[0] for only in steps]
    stations = {hold.station for hold in holds if isinstance(hold, Hold)}
    if len(stations) > 1 or not all(isinstance(hold, Hold) and _once(hold, network, operations) for hold in holds):
        return False
    station: Station = next(other for other in network.stations if other.name in stations)
    compiled = streams(network, operations, [1.0])
    visits = [stream for stream in compiled.streams if not _frees(stream, around)]
    probability = total(route.probability for route in item.routes)
    return one_exponential(visits, operations) and not station.delay and operations.all(probability > 0)


def _frees(stream: Stream, around: Surroundings) -> bool:
    """Whether a stream is work that frees places."""
    if around.full.form == STATION:
        return stream.station == around.name
    return stream.drains == around.name


def _outside(route: Route, full: Limited, operations: Operations) -> tuple[tuple[Hold | Time, ...], bool]:
    """The steps of a route outside of what may be full that take time; whether any comes after taking a place."""
    steps: list[Hold | Time] = []
    taken = after = False
    for step in route.steps:
        if takes(step, full):
            taken = True
        elif isinstance(step, Time) and operations.all(step.mean == 0):
            continue
        elif isinstance(step, (Time, Hold)) and not (isinstance(step, Hold) and step.drains == full.name):
            steps.append(step)
            after = after or taken
    return tuple(steps), after
