"""When the answer for closed classes that fill a buffer is exact, and the reasons when it is not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from qnet.expression import Operations
from qnet.networks.capacity.closed_network import LOST, STATION, Limited, takes
from qnet.networks.exactness import Beyond, close, exponential
from qnet.networks.routed import Hold, Route, RoutedNetwork, Station, Step, Time
from qnet.networks.streams import Stream, streams
from qnet.queues.arithmetic import total

if TYPE_CHECKING:
    from qnet.networks.capacity.closed_levels import Surroundings


def reasons_for(network: RoutedNetwork, rest: Surroundings, operations: Operations) -> list[str]:
    """Why figures of a buffer that closed classes fill are not exact; empty where they are.

    network      as stated.
    rest         what is around the buffer.
    operations   those of the numbers of the network.
    """
    name = rest.name
    reason = f"{name}: what is around it is taken as one with its throughput"
    compiled = streams(network, operations, [1.0] * len(network.classes))
    own = [stream for stream in compiled.streams if _frees(stream, rest)]
    beyond = "; ".join(_beyond(network, rest, own, operations))
    if beyond:
        return [Beyond(reason, "QN670", f"{name} is used beyond where errors were measured as small: {beyond}")]
    plain = (
        rest.apart
        and len(network.classes) == 1
        and len({(stream.station, stream.group) for stream in own}) == 1
        and all(_alike(stream, own[0], operations) for stream in own)
        and all(_once(way.drain, network, operations) for way in rest.routes)
    )
    if plain and _one_stay(network, rest, operations):
        return []
    crowd = total(item.population for item in network.closed)
    if rest.apart and not operations.all(operations.compare("<=", 2.0, crowd)):
        text = f"{name} is used beyond where errors were measured as small: one customer alone fills it"
        return [Beyond(reason, "QN670", text)]
    return [reason]


def _beyond(network: RoutedNetwork, rest: Surroundings, own: Sequence[Stream], operations: Operations) -> Iterator[str]:
    """What was not measured."""
    for item in network.classes:
        for step in (step for route in item.routes for step in route.steps):
            if isinstance(step, Time) and step.fills and not operations.all(operations.compare("<=", step.visits, 1.0)):
                yield f"{item.name} takes several places at once"
    if rest.full.form == LOST and not rest.apart:
        yield "those who find it full are lost, and what frees its places does other work"
    crowd = total(item.population for item in network.closed)
    if not rest.apart and not operations.all(operations.compare("<=", 2.0, crowd)):
        yield "one customer alone meets the work that frees his places"
    if rest.full.form != STATION and not operations.all(operations.compare("<=", crowd, rest.full.places)):
        delays = {station.name for station in network.stations if station.delay}
        if any(_queues_between(route, rest.full, delays) for item in network.classes for route in item.routes):
            yield "customers who have taken a place queue before it can be freed"
    stations = {stream.station for stream in own}
    if rest.full.form != STATION:
        met = [route for item in network.classes for route in item.routes if _meets(route.steps, rest, stations)]
        if any(takes(step, rest.full) for route in met for step in route.steps):
            yield f"those who fill it come to {min(stations)} for other work as well"
    if not all(exponential(stream, operations) for stream in own):
        yield f"times at {min(stations)} that free places are not exponential"


def _queues_between(route: Route, full: Limited, delays: set[str]) -> bool:
    """Whether a route comes to a queue between taking a place and its response."""
    taken = False
    for step in route.steps:
        if taken and isinstance(step, Hold) and step.phase == 1 and step.station not in delays:
            return True
        taken = taken or takes(step, full)
    return False


def _meets(steps: Sequence[Step], rest: Surroundings, stations: set[str]) -> bool:
    """Whether steps come to one of the stations that free places, for other work."""
    return any(
        isinstance(step, Hold)
        and ((step.station in stations and step.drains != rest.name) or _meets(step.steps, rest, stations))
        for step in steps
    )


def _alike(stream: Stream, other: Stream, operations: Operations) -> bool:
    return exponential(stream, operations) and close(stream.holding.mean, other.holding.mean, operations)


def _once(hold: Hold, network: RoutedNetwork, operations: Operations) -> bool:
    """Whether work is one visit to a station without copies."""
    station = next(item for item in network.stations if item.name == hold.station)
    return station.copies == 1 and close(hold.visits, 0.0 * hold.visits + 1.0, operations)


def _one_stay(network: RoutedNetwork, rest: Surroundings, operations: Operations) -> bool:
    """Whether all time of the only class is thinking, or one visit to one station with exponential times."""
    item = network.classes[0]
    before = [_before(route, rest.full, operations) for route in item.routes]
    if any(after for _, after in before):
        return False
    steps = [steps for steps, _ in before]
    thinks = getattr(item, "think_time", 0.0)
    if not any(steps):
        return True
    if not operations.all(thinks == 0.0) or not all(len(own) == 1 and isinstance(own[0], Hold) for own in steps):
        return False
    held = [own[0] for own in steps]
    stations = {hold.station for hold in held if isinstance(hold, Hold)}
    if len(stations) > 1 or not all(isinstance(hold, Hold) and _once(hold, network, operations) for hold in held):
        return False
    station: Station = next(other for other in network.stations if other.name in stations)
    compiled = streams(network, operations, [1.0])
    visits = [stream for stream in compiled.streams if not _frees(stream, rest)]
    plain = all(_alike(stream, visits[0], operations) for stream in visits)
    whole = total(route.probability for route in item.routes)
    return plain and not station.delay and operations.all(whole > 0)


def _frees(stream: Stream, rest: Surroundings) -> bool:
    """Whether a stream is of the work that frees places."""
    if rest.full.form == STATION:
        return stream.station == rest.name
    return stream.drains == rest.name


def _before(route: Route, full: Limited, operations: Operations) -> tuple[tuple[Hold | Time, ...], bool]:
    """The steps of a route outside of what may be full, on which time is spent; whether any is behind it."""
    found: list[Hold | Time] = []
    taken = behind = False
    for step in route.steps:
        if takes(step, full):
            taken = True
        elif isinstance(step, Time) and operations.all(step.mean == 0):
            continue
        elif isinstance(step, (Time, Hold)) and not (isinstance(step, Hold) and step.drains == full.name):
            found.append(step)
            behind = behind or taken
    return tuple(found), behind
