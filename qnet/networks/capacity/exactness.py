"""When the answer for a network in which something may be full is exact, and the reasons when it is not."""

from __future__ import annotations

from collections.abc import Container, Sequence

from qnet.expression import Operations
from qnet.networks.duration import Wait
from qnet.networks.exactness import Beyond
from qnet.networks.routed import Fork, Hold, RoutedNetwork, Step, Time
from qnet.networks.streams import Stream, Streams


def reasons_for(
    network: RoutedNetwork, compiled: Streams, waits: Sequence[Wait], strained: Sequence[str], operations: Operations
) -> list[str]:
    """Why the answer is an approximation because something may be full; empty where it is exact.

    network   as stated.
    compiled  its streams, and `waits` what each waits.
    strained  the buffers that are used beyond what was measured.
    """
    found: list[str] = []
    limited = {station.name: station for station in network.stations if station.capacity}
    for name, station in limited.items():
        own = [stream for stream in compiled.streams if stream.station == name]
        if station.capacity == station.servers or station.discipline != "fcfs" or not own:
            continue
        held = any(stream.holding.waits for stream in own)
        if held or not all(_exponential(stream, own[0], operations) for stream in own):
            text = f"{name}: a station with a capacity serves as if times were exponential and alike"
            found.append(Beyond(text, "QN657", f"the times at {name} are not exponential and alike"))
    delays = {station.name for station in network.stations if station.delay}
    for customers in network.classes:
        for route in customers.routes:
            after = _behind(route.steps, limited, delays)
            if after:
                found.append(f"what passes {after} is taken as Poisson where it comes next")
    for buffer in network.buffers:
        found += _of_buffer(buffer.name, network, compiled, strained, operations)
    return found


def _behind(steps: Sequence[Step], limited: Container[str], delays: Container[str]) -> str:
    """A station with a capacity that a route passes, after which it goes to another queue; empty for none."""
    passed = ""
    for step in steps:
        if not isinstance(step, Hold) or step.station in delays:
            continue
        if passed:
            return passed
        passed = step.station if step.station in limited else ""
    return ""


def _of_buffer(
    name: str, network: RoutedNetwork, compiled: Streams, strained: Sequence[str], operations: Operations
) -> list[str]:
    """Why figures of a buffer are not exact."""
    own = [stream for stream in compiled.streams if stream.drains == name]
    stations = {stream.station for stream in own}
    alone = all(stream.drains == name for stream in compiled.streams if stream.station in stations)
    found = f"{name}: the work that frees its places is taken as independent of what fills it"
    several = any(
        not operations.all(operations.compare("<=", step.visits, 1.0))
        for customers in network.classes
        for route in customers.routes
        for step in route.steps
        if isinstance(step, Time) and step.fills == name
    )
    if name in strained or several:
        warning = f"{name} has few places, several taken at once, or copies that drain it, or mostly fills elsewhere"
        return [Beyond(found, "QN658", warning)]
    plain = alone and len(stations) == 1 and all(_exponential(stream, own[0], operations) for stream in own)
    after = [item.after[name] for item in compiled.routes if name in item.after]
    direct = all(not item.waits and operations.all(item.mean == 0) for item in after)
    return [] if plain and direct else [found]


def other_work(step: Step, deferred: bool) -> bool:
    """Whether a step leaves work behind that drains no buffer."""
    deferred = deferred or step.phase == 2
    if isinstance(step, Time):
        return deferred
    if isinstance(step, Fork):
        return any(other_work(inner, deferred) for inner in step.inner)
    return not step.drains and (deferred or any(other_work(inner, deferred) for inner in step.steps))


def _exponential(stream: Stream, other: Stream, operations: Operations) -> bool:
    """Whether times are exponential, with the mean of another."""
    mean, alike = stream.holding.mean, other.holding.mean
    scv = stream.scv if stream.scv is not None else stream.holding.variance / (mean**2 + (mean == 0))
    near = 1e-9
    return operations.all(abs(scv - 1.0) * (mean != 0) <= near) and operations.all(abs(mean - alike) <= near * alike)
