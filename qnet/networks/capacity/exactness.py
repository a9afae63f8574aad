"""When the answer for a network in which something may be full is exact, and the reasons when it is not."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from qnet.expression import Operations, Value
from qnet.networks.capacity.forms import doubt, single_times
from qnet.networks.capacity.one_drain import MOST, once_each
from qnet.networks.capacity.thinned import Losses
from qnet.networks.exactness import Beyond, ranked, station_reason
from qnet.networks.exactness import reasons_for as open_reasons
from qnet.networks.routed import Fork, Hold, RoutedNetwork, Station, Step, Time
from qnet.networks.streams import Stream, Streams

LOSSES = 0.1
"""The share that a station may lose where what goes on is trusted to be Poisson."""


def reasons_for(
    network: RoutedNetwork,
    compiled: Streams,
    losses: Losses,
    strained: Sequence[str],
    operations: Operations,
) -> list[str]:
    """Why the answer is an approximation; empty where it is exact.

    Exact are stations with a capacity that `forms.doubt` has no doubt of, if what comes to them is Poisson: as it
    arrives, or from stations with product form, and nobody goes from one to a queue, or comes back after a while.

    network   as stated.
    compiled  its streams.
    losses    the shares of those who come that are let in.
    strained  the buffers that are used beyond what was measured.
    """
    limited = {station.name: station for station in network.stations if station.capacity}
    # What a station with a capacity is to the others: somewhere else.
    relaxed = network.replace(
        stations=tuple(item.replace(delay=True) if item.name in limited else item for item in network.stations)
    )
    found: list[str] = list(_open_reasons(relaxed, compiled, operations))
    for name, station in limited.items():
        own = [stream for stream in compiled.streams if stream.station == name]
        why = doubt(network, station, own, operations)
        if why:
            text = f"{name} has a capacity, and {why}"
            found.append(Beyond(text, "QN657", text))
    delays = {station.name for station in network.stations if station.delay}
    for customers in network.classes:
        for route in customers.routes:
            after = _behind(route.steps, limited, delays, operations)
            if after:
                reason = f"what passes {after} is taken as Poisson where it comes next"
                let_in = [share for key, share in losses.stations.items() if key[0] == after]
                few = all(operations.all(operations.compare("<=", 1 - LOSSES, share)) for share in let_in)
                text = f"{after} loses more than {100 * LOSSES:.0f} % of what comes, and what is left goes on"
                found.append(reason if few else Beyond(reason, "QN657", text))
            found += _uneven(route.steps, network, compiled, limited, operations)
            found += _lost_later(route.steps, network, compiled, losses, operations)
    for buffer in network.buffers:
        found += _of_buffer(buffer.name, buffer.places, network, compiled, strained, operations)
    return found


def _lost_later(
    steps: Sequence[Step], network: RoutedNetwork, compiled: Streams, losses: Losses, operations: Operations
) -> list[str]:
    """Why the waits of those who complete a route are not those of all who come.

    They are where one server serves in the order of arrival, once: how long a customer is there tells nothing of those
    who have left before him (Reich, Ann. Math. Statist. 28 (1957) 768-773), and so nothing of whom he finds later.
    """
    stations = {station.name: station for station in network.stations}
    lossy = {buffer.name for buffer in network.buffers if buffer.loses}
    lossy |= {station.name for station in network.stations if station.capacity}
    passed: set[str] = set()
    mixed = False
    for step in steps:
        name = step.fills if isinstance(step, Time) else step.station if isinstance(step, Hold) else ""
        if name in lossy and mixed:
            shares = [share for key, share in losses.stations.items() if key[0] == name]
            shares += [losses.buffers[name]] if name in losses.buffers else []
            few = all(operations.all(operations.compare("<=", 1 - LOSSES, share)) for share in shares)
            text = "waits of passages that are lost later are counted as those of the others"
            return [text if few else Beyond(text, "QN657", f"{text}, and those are more than 10 %")]
        if isinstance(step, Hold) and step.phase == 1 and not stations[name].delay:
            station = stations[name]
            once = name not in passed and operations.all(operations.compare("<=", step.visits, 1.0))
            own = [stream for stream in compiled.streams if stream.station == name]
            in_order = station.in_line and station.servers == 1 and station.rates is None and not ranked(station, own)
            mixed = mixed or not (once and in_order)
            passed.add(name)
    return []


def _open_reasons(network: RoutedNetwork, compiled: Streams, operations: Operations) -> list[str]:
    """The reasons of the rest of the network; work left behind that drains a buffer is told of the buffer."""
    found = open_reasons(network, compiled, operations)
    others = any(other_work(step, False) for item in network.classes for route in item.routes for step in route.steps)
    return [reason for reason in found if others or not reason.startswith("work left")]


def _behind(
    steps: Sequence[Step], limited: Mapping[str, Station], delays: Container[str], operations: Operations
) -> str:
    """A station with a capacity that a route passes, after which it goes to another queue, or comes back after a
    while; empty for none."""
    passed = ""
    away = False
    for step in steps:
        if not isinstance(step, Hold) or step.station in delays:
            away = away or not isinstance(step, Time) or not operations.all(step.mean == 0)
            continue
        if passed and (away or step.station != passed or limited[passed].copies > 1):
            return passed
        away = False
        passed = step.station if step.station in limited else ""
    return ""


def _uneven(
    steps: Sequence[Step],
    network: RoutedNetwork,
    compiled: Streams,
    limited: Container[str],
    operations: Operations,
) -> list[str]:
    """Why what comes to a station with a capacity on a route is not Poisson: a queue before it without product form."""
    names = {step.station for step in steps if isinstance(step, Hold)}
    if not any(name in limited for name in names):
        return []
    found: list[str] = []
    for station in network.stations:
        if station.name not in names or station.name in limited or station.delay:
            continue
        own = [stream for stream in compiled.streams if stream.station == station.name]
        why = station_reason(station, own, False, operations)
        if why or ranked(station, own):
            text = f"{station.name}: {why or 'priorities'}, and what passes it is taken as Poisson"
            found.append(Beyond(text, "QN657", text))
    return found


def _of_buffer(
    name: str,
    places: Value,
    network: RoutedNetwork,
    compiled: Streams,
    strained: Sequence[str],
    operations: Operations,
) -> list[str]:
    """Why figures of a buffer are not exact."""
    own = [stream for stream in compiled.streams if stream.drains == name]
    stations = {stream.station for stream in own}
    alone = all(stream.drains == name for stream in compiled.streams if stream.station in stations)
    found = f"{name}: the work that frees its places is taken as independent of what fills it"
    several = any(
        not operations.all(operations.compare("<=", abs(step.visits - 1.0), 1e-9))
        for customers in network.classes
        for route in customers.routes
        for step in route.steps
        if isinstance(step, Time) and step.fills == name
    )
    if name in strained or several:
        warning = f"{name} is drained beside other work, or by several servers, or takes another number of places than "
        warning += "one, or keeps them before they can be drained"
        return [Beyond(found, "QN658", warning)]
    station = next((item for item in network.stations if item.name in stations), None)
    after = [item.after[name] for item in compiled.routes if name in item.after]
    direct = all(not item.waits and operations.all(item.mean == 0) for item in after)
    if station is None or not (alone and direct and len(stations) == 1 and once_each(name, network, operations)):
        return [found]
    alike = all(_exponential(stream, own[0], operations) for stream in own)
    one = (
        len({item.priority for item in own}) == 1
        and station.discipline != "lcfs-pr"
        and single_times(network, station.name)
    )
    one = one and station.servers == 1 and station.in_line and operations.all(places <= MOST + 0.0 * places)
    whole = operations.all(places == operations.floor(places))
    if (one and whole) or (alike and station.discipline in ("fcfs", "ps")):
        return []
    return [found]


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
