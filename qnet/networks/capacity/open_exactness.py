"""Whether the answer for an open network with limited capacities is exact, and the reasons why not."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from qnet.expression import Operations, Value
from qnet.networks.capacity.buffers import MOST, once_each
from qnet.networks.capacity.flows import Losses
from qnet.networks.capacity.stations import GENERAL, INSENSITIVE, PRIORITIES, form_of, one_exponential
from qnet.networks.exactness import ranked, station_reason
from qnet.networks.exactness import reasons_for as open_reasons
from qnet.networks.reasons import Beyond, Inexact, Reason
from qnet.networks.routed import Fork, Hold, RoutedNetwork, Station, Step, Time
from qnet.networks.streams import Stream, Streams

LOSSES = 0.1
"""The loss probability of a station up to which the flow downstream of it is modelled as Poisson without a warning."""


def reasons_for(
    network: RoutedNetwork,
    compiled: Streams,
    losses: Losses,
    strained: Sequence[str],
    operations: Operations,
) -> list[Inexact]:
    """Why the answer is an approximation; empty where it is exact.

    Exact are stations with a capacity for which `inexact` has no reason, with Poisson arrivals: from outside, or from
    stations with product form, if no customer goes on to another queue or returns later.

    network     as stated.
    compiled    its streams.
    losses      the shares of arrivals that are admitted.
    strained    the buffers that are used in ways for which errors were not measured as small.
    operations  of the numbers of the network.
    """
    limited = {station.name: station for station in network.stations if station.capacity}
    # For the reasons of the other stations, one with a capacity counts as a delay.
    relaxed = network.replace(
        stations=tuple(item.replace(delay=True) if item.name in limited else item for item in network.stations)
    )
    reasons = list(_reasons_without_limits(relaxed, compiled, operations))
    for name, station in limited.items():
        visits = [stream for stream in compiled.streams if stream.station == name]
        why = inexact(network, station, visits, operations)
        if why:
            reasons.append(Beyond(Reason("has capacity", why, name), "QN657"))
    delays = {station.name for station in network.stations if station.delay}
    for customers in network.classes:
        for route in customers.routes:
            after = _passed_before_queue(route.steps, limited, delays, operations)
            if after:
                reason = Reason("passed as Poisson", station=after)
                admitted = [share for key, share in losses.stations.items() if key[0] == after]
                few = all(operations.all(operations.compare("<=", 1 - LOSSES, share)) for share in admitted)
                text = f"{after} loses more than {100 * LOSSES:.0f} % of its arrivals: those that go on are not Poisson"
                reasons.append(Inexact(reason) if few else Beyond(reason, "QN657", text))
            reasons += _not_poisson(route.steps, network, compiled, limited, operations)
            reasons += _lost_later(route.steps, network, compiled, losses, operations)
    for buffer in network.buffers:
        reasons += _of_buffer(buffer.name, buffer.places, network, compiled, strained, operations)
    return reasons


def inexact(network: RoutedNetwork, station: Station, visits: Sequence[Stream], operations: Operations) -> str:
    """Why a station with Poisson arrivals is not solved exactly; empty where it is.

    network     as stated, with `station`, which has a capacity.
    visits      the streams at any copy of it.
    operations  of the numbers of the network.
    Source   Insensitivity of loss systems and of symmetric queues, with a limit of the number too: @kelly1979, sections
             3.3 and 3.4
    """
    visits = [stream for stream in visits if not operations.all(stream.rate == 0)]
    again = returns(network, station.name, operations)
    if again and station.copies > 1:
        return "customers visit several of its copies in turn"
    form = form_of(station, visits, operations)
    if form == INSENSITIVE:
        return ""
    if not single_times(network, station.name):
        return "a visit consists of several service times"
    if form == GENERAL:
        return "customers return, and service times are not exponential with one mean" if again else ""
    if form == PRIORITIES:
        levels = {stream.priority for stream in visits}
        if not all(
            one_exponential([item for item in visits if item.priority == level], operations) for level in levels
        ):
            return "service times of one priority are not exponential with one mean"
        return "customers of several priorities return" if again else ""
    return "" if one_exponential(visits, operations) else "service times are not exponential with one mean"


def returns(network: RoutedNetwork, name: str, operations: Operations) -> bool:
    """Whether any customer visits a station more than once in a passage."""

    def visits(steps: Sequence[Step]) -> int:
        count = 0
        for step in steps:
            if isinstance(step, Hold) and step.station == name:
                count += 1 + (not operations.all(operations.compare("<=", step.visits, 1.0)))
        return count

    return any(visits(route.steps) > 1 for item in network.classes for route in item.routes)


def single_times(network: RoutedNetwork, name: str) -> bool:
    """Whether every visit to a station is one service time, whose distribution is known."""
    return all(_single(step, name) for item in network.classes for route in item.routes for step in route.steps)


def _single(step: Step, name: str) -> bool:
    if isinstance(step, Time):
        return True
    if isinstance(step, Fork):
        return all(_single(inner, name) for inner in step.inner)
    if step.station != name:
        return all(_single(inner, name) for inner in step.steps)
    only = step.steps[0] if len(step.steps) == 1 else None
    return isinstance(only, Time) and isinstance(only.visits, float) and only.visits == 1.0 and only.phase == 1


def _lost_later(
    steps: Sequence[Step], network: RoutedNetwork, compiled: Streams, losses: Losses, operations: Operations
) -> list[Inexact]:
    """Why the waits of completed passages differ from those of all passages.

    They are the same where one server serves in the order of arrival, once: the time of a customer there is independent
    of the departures before it (@reich1957), and so of its losses later.
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
            reason = Reason("lost later")
            text = f"{reason}, and more than {100 * LOSSES:.0f} % are lost"
            return [Inexact(reason) if few else Beyond(reason, "QN657", text)]
        if isinstance(step, Hold) and step.phase == 1 and not stations[name].delay:
            station = stations[name]
            once = name not in passed and operations.all(operations.compare("<=", step.visits, 1.0))
            visits = [stream for stream in compiled.streams if stream.station == name]
            in_order = (
                station.in_line and station.servers == 1 and station.rates is None and not ranked(station, visits)
            )
            mixed = mixed or not (once and in_order)
            passed.add(name)
    return []


def _reasons_without_limits(network: RoutedNetwork, compiled: Streams, operations: Operations) -> tuple[Inexact, ...]:
    """The reasons of the network without its limits; second phases that drain a buffer count among the buffer's."""
    others = any(
        other_second_phase(step, False) for item in network.classes for route in item.routes for step in route.steps
    )
    return open_reasons(network, compiled if others else compiled.replace(deferred=False), operations)


def other_second_phase(step: Step, deferred: bool) -> bool:
    """Whether a step has a second phase that drains no buffer.

    deferred  whether the step is made inside a second phase.
    """
    deferred = deferred or step.phase == 2
    if isinstance(step, Time):
        return deferred
    if isinstance(step, Fork):
        return any(other_second_phase(inner, deferred) for inner in step.inner)
    return not step.drains and (deferred or any(other_second_phase(inner, deferred) for inner in step.steps))


def _passed_before_queue(
    steps: Sequence[Step], limited: Mapping[str, Station], delays: Container[str], operations: Operations
) -> str:
    """A station with a capacity that a route passes before another queue, or before it returns there; "" for none."""
    passed = ""
    left = False
    for step in steps:
        if not isinstance(step, Hold) or step.station in delays:
            left = left or not isinstance(step, Time) or not operations.all(step.mean == 0)
            continue
        if passed and (left or step.station != passed or limited[passed].copies > 1):
            return passed
        left = False
        passed = step.station if step.station in limited else ""
    return ""


def _not_poisson(
    steps: Sequence[Step],
    network: RoutedNetwork,
    compiled: Streams,
    limited: Container[str],
    operations: Operations,
) -> list[Inexact]:
    """Why arrivals at a station with a capacity are not Poisson: a queue before it without product form."""
    names = {step.station for step in steps if isinstance(step, Hold)}
    if not any(name in limited for name in names):
        return []
    reasons: list[Inexact] = []
    for station in network.stations:
        if station.name not in names or station.name in limited or station.delay:
            continue
        visits = [stream for stream in compiled.streams if stream.station == station.name]
        why = station_reason(station, visits, False, operations)
        if why or ranked(station, visits):
            reason = Reason("queue as Poisson", str(why or Reason("priority order")), station.name)
            reasons.append(Beyond(reason, "QN657"))
    return reasons


def _of_buffer(
    name: str,
    places: Value,
    network: RoutedNetwork,
    compiled: Streams,
    strained: Sequence[str],
    operations: Operations,
) -> list[Inexact]:
    """Why the figures of a buffer are not exact."""
    freeing = [stream for stream in compiled.streams if stream.drains == name]
    stations = {stream.station for stream in freeing}
    alone = all(stream.drains == name for stream in compiled.streams if stream.station in stations)
    reason = Reason("independent drain", station=name)
    several = any(
        not operations.all(operations.compare("<=", abs(step.visits - 1.0), 1e-9))
        for customers in network.classes
        for route in customers.routes
        for step in route.steps
        if isinstance(step, Time) and step.fills == name
    )
    if name in strained or several:
        warning = f"{name} is drained by a station with other work or several servers, customers take more or less "
        warning += "than one place, or places are kept before they can be drained"
        return [Beyond(reason, "QN658", warning)]
    station = next((item for item in network.stations if item.name in stations), None)
    after = [item.after[name] for item in compiled.routes if name in item.after]
    direct = all(not item.waits and operations.all(item.mean == 0) for item in after)
    direct = direct and not _goes_on(network, name, operations)
    if station is None or not (alone and direct and len(stations) == 1 and once_each(name, network, operations)):
        return [Inexact(reason)]
    same = all(_same_exponential(stream, freeing[0], operations) for stream in freeing)
    one = (
        len({item.priority for item in freeing}) == 1
        and station.discipline != "lcfs-pr"
        and single_times(network, station.name)
    )
    one = one and station.servers == 1 and station.in_line and operations.all(places <= MOST + 0.0 * places)
    integer = operations.all(places == operations.floor(places))
    if station.copies > 1:
        loses = any(buffer.name == name and buffer.loses for buffer in network.buffers)
        sure = loses and same and station.servers == 1 and station.discipline in ("fcfs", "ps")
        return [] if sure else [Inexact(reason)]
    if (one and integer) or (same and station.discipline in ("fcfs", "ps")):
        return []
    return [Inexact(reason)]


def _goes_on(network: RoutedNetwork, name: str, operations: Operations) -> bool:
    """Whether any route goes on, before its response, after the work that frees places of a buffer."""
    for customers in network.classes:
        for route in customers.routes:
            freed = False
            for step in route.steps:
                if freed and step.phase == 1 and not (isinstance(step, Time) and operations.all(step.mean == 0)):
                    return True
                freed = freed or (isinstance(step, Hold) and step.drains == name)
    return False


def _same_exponential(stream: Stream, other: Stream, operations: Operations) -> bool:
    """Whether the times of a stream are exponential with the mean of another stream."""
    mean, expected = stream.holding.mean, other.holding.mean
    scv = stream.scv if stream.scv is not None else stream.holding.variance / (mean**2 + (mean == 0))
    near = 1e-9
    one_mean = operations.all(abs(mean - expected) <= near * expected)
    return operations.all(abs(scv - 1.0) * (mean != 0) <= near) and one_mean
