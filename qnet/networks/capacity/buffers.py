"""Buffers: the stations that free their places, the probability that they are full, and the waits for a place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qnet.errors import NotComputed, Problem
from qnet.expression import Operations, Value
from qnet.lazy import np
from qnet.networks.capacity.copied_drains import CopiedDrain, places_in_copies
from qnet.networks.capacity.flows import Flows, flows_with_losses
from qnet.networks.capacity.stations import LEAST, OpenSolverWithLosses, by_point
from qnet.networks.duration import Wait
from qnet.networks.open.centres import Centre
from qnet.networks.routed import Buffer, Hold, OpenClass, RoutedNetwork, Time
from qnet.networks.solution import BufferFigures
from qnet.networks.streams import LONGEST, streams
from qnet.queues.arithmetic import ratio, total
from qnet.queues.m_g_1_k import ServiceTime as Service
from qnet.queues.m_g_1_k import m_g_1_k, m_g_1_outside
from qnet.queues.places import FiniteLine, Servers, with_loss, with_wait
from qnet.record import Record

MOST = 200
"""The largest number of places that are states of an M/G/1/K, one each."""
_NEAR = 1e-9
"""A relative difference that counts as none; any small number above rounding works."""
_SHORTEST = 1e-12
"""The least work that frees a place, in seconds: work without any time would have an infinite rate."""
_TAKEN = 10
"""Errors were measured as small where at most one place in this many is taken before its work can begin: waits before
that are computed for unlimited places."""
_OTHER = 0.1
"""The largest utilization of copies by other work at which errors were measured."""
SPREAD = 0.5
"""The largest spread of a queue with other work, divided by its places and one more, at which errors were measured."""


class Sort(Record):
    """One of several distributions of the time to free a place."""

    share: Value
    mean: Value
    scv: Value


class _Drain(Record):
    """One copy of a station that does the work to free places."""

    centre: Centre
    servers: Servers
    rate: Value
    """Places per second that all copies together can free, given their other work."""
    serving: Value
    """Mean number of places whose work is in service here."""
    waiting: Value
    """Mean number of places whose work would wait here with unlimited places."""
    share: Value
    """The share of the busy servers that does this work."""
    alone: bool
    """Whether the station does no other work."""
    sorts: tuple[Sort, ...]
    """The distributions of the time to free a place at one server, interruptions by other work included."""
    work: Value
    """Server seconds at one copy per place taken, averaged over all places, wherever they are freed."""


class BufferState(Record):
    """The figures of a buffer in one round of the fixed point."""

    figures: BufferFigures
    kept: Value
    """The share of requests for a place that is not lost."""
    delay: tuple[Value, Value]
    """Mean wait for a place over all requests, and its squared coefficient of variation."""
    waits: Mapping[int, Wait]
    """By stream: the wait of the work that frees places, limited by a buffer that loses."""
    inside: Mapping[int, Wait]
    """By stream: the wait of that work after its place is taken, if customers wait for a place."""
    strained: bool
    """Whether the buffer is used in a way for which errors were not measured as small."""
    load: Value = None
    """Requests for a place divided by the places that copies can free, if customers wait; None for a single copy."""


def solve_buffer(
    buffer: Buffer, solver: OpenSolverWithLosses, flows: Flows, kept: Value, operations: Operations
) -> BufferState:
    """The probability that a buffer is full, its occupancy and its waits, given the waits of its network.

    buffer      of the network.
    solver      the waits of the network.
    flows       the flows of its routes.
    kept        the share of requests for a place that is not lost, as the flows assume.
    operations  of the numbers of the network.
    Method  The places are a queue at the station that frees them most slowly: an M/M/c/K, or an M/M/c with at most K
            inside where customers wait for a place; at one server an M/G/1 with the same limit. Work of higher priority
            at that station reduces its capacity. Places taken elsewhere, before the response or at other stations, are
            a constant number. Several copies, of which some are idle while others have a queue: see `copied_drains`.
            Fluid: with a places per second filled and d freed, the buffer fills in K / (a - d).
    Source  The queue: see `queues.places`. The fluid: @newell1971.
    """
    filled = flows.fills[buffer.name]
    carried = total(filled.values())
    offered = carried / kept if buffer.loses else carried
    unlimited = _unlimited_occupancy(buffer, solver, filled)
    state: BufferState | None = None
    stations: dict[str, list[_Drain]] = {}
    for centre in solver.centres:
        drain = _drain(buffer, centre, solver, carried, offered)
        if drain is not None:
            stations.setdefault(centre.key[0], []).append(drain)
    for drains in stations.values():
        at = _state_at_copies if drains[0].centre.station.copies > 1 else _state_at_one
        other = at(buffer, drains, solver, (offered, carried), unlimited, operations)
        state = other if state is None else _slower(state, other, operations)
    if state is None:
        figures = _figures(buffer, (offered, carried), 0.0, (0.0, 0.0), 0.0, 0.0, "")
        return BufferState(
            figures=figures,
            kept=1.0 + 0.0 * offered,
            delay=(0.0 * offered, 1.0 + 0.0 * offered),
            waits={},
            inside={},
            strained=False,
        )
    return state


def _state_at_one(
    buffer: Buffer,
    drains: Sequence[_Drain],
    solver: OpenSolverWithLosses,
    rates: tuple[Value, Value],
    unlimited: Value,
    operations: Operations,
) -> BufferState:
    """The state of a buffer, if one station without copies alone limited how fast places are freed.

    rates      requests for a place per second, and those that are not lost.
    unlimited  mean number of places that would be taken if there were no limit.
    """
    where, maximum, minimum = operations.where, operations.maximum, operations.minimum
    offered, _ = rates
    (drain,) = drains
    centre = drain.centre
    elsewhere = maximum([unlimited - drain.waiting - drain.serving, 0.0 * unlimited])
    count = drain.servers.number
    # Some of the servers that are counted as holding a place each do other work.
    places = maximum([buffer.places - elsewhere + count * (1 - drain.share), count + 0.0 * unlimited])
    one = count == 1 and operations.all(operations.compare("<=", buffer.places, MOST + 0.0 * unlimited))
    late: Value = None
    if one:
        line, late = m_g_1_places(offered, drain.sorts, buffer.places - elsewhere, buffer.loses, drain.serving)
    else:
        line = (with_loss if buffer.loses else with_wait)(drain.servers, places, operations)
    full = line.full
    step = 1 - operations.exp(minimum([drain.servers.log_ratio(operations), 0.0 * unlimited]))
    # Without a steady state, or where a full buffer loses, there is no wait for a place.
    sure = where(step > 0, step, 1.0)
    if late is None:
        late = 0.0 * unlimited if buffer.loses else where(step > 0, 1.0, 0.0) / (drain.rate * sure)
    if count < centre.station.servers:
        waiting: Value = 0.0 * unlimited
    elif buffer.loses or one:
        waiting = line.waiting
    else:
        waiting = drain.waiting - full * (1 - sure) / sure
    held = minimum([elsewhere + drain.serving, buffer.places + 0.0 * unlimited])
    taken = minimum([held + maximum([waiting, 0.0 * unlimited]), buffer.places + 0.0 * unlimited])
    return BufferState(
        figures=_figures(
            buffer,
            rates,
            taken,
            (full, late),
            drain.rate,
            _time_to_fill(buffer, offered, drain.rate, operations),
            _label(centre),
        ),
        kept=maximum([line.free, LEAST + 0.0 * unlimited]) if buffer.loses else 1.0 + 0.0 * offered,
        delay=(full * late, 2 / maximum([full, 1e-300 + 0.0 * unlimited]) - 1),
        waits=_bounded(buffer, centre, solver, line.waiting) if buffer.loses else {},
        inside={} if buffer.loses else _bounded(buffer, centre, solver, taken - held),
        strained=_strained(buffer, drain, elsewhere, operations),
    )


def _state_at_copies(
    buffer: Buffer,
    drains: Sequence[_Drain],
    solver: OpenSolverWithLosses,
    rates: tuple[Value, Value],
    unlimited: Value,
    operations: Operations,
) -> BufferState:
    """The state of a buffer, if the copies of one station alone limited how fast places are freed.

    drains     one for each group of its copies.
    rates      requests for a place per second, and those that are not lost.
    unlimited  mean number of places that would be taken if there were no limit.
    """
    offered, carried = rates
    copies = [drain.centre.station.groups[drain.centre.key[1]].copies for drain in drains]
    there = total(number * (drain.waiting + drain.serving) for number, drain in zip(copies, drains, strict=True))
    elsewhere = operations.maximum([unlimited - there, 0.0 * unlimited])
    copied = [
        CopiedDrain(number, drain.servers.number, drain.work, drain.servers.other, _scv_of(drain))
        for number, drain in zip(copies, drains, strict=True)
    ]
    line = places_in_copies(offered, buffer.places, copied, ratio(elsewhere, carried), buffer.loses)
    taken = operations.minimum([line.taken, buffer.places + 0.0 * line.taken])
    waits: dict[int, Wait] = {}
    others: dict[int, Wait] = {}
    for drain, number in zip(drains, line.at_copies, strict=True):
        waits |= _bounded(buffer, drain.centre, solver, operations.maximum([number - drain.serving, 0.0 * number]))
        others |= _beside(buffer, drain, solver, number, operations)
    busiest = max(drains, key=lambda drain: float(np.max(drain.servers.load)))
    full = line.full
    return BufferState(
        figures=_figures(
            buffer,
            rates,
            taken,
            (full, line.late),
            line.rate,
            _time_to_fill(buffer, offered, line.rate, operations),
            _label(busiest.centre),
        ),
        kept=operations.maximum([1.0 - full, LEAST + 0.0 * full]) if buffer.loses else 1.0 + 0.0 * offered,
        delay=(full * line.late, 2 / operations.maximum([full, 1e-300 + 0.0 * full]) - 1),
        waits=waits if buffer.loses else {},
        inside={} if buffer.loses else waits | others,
        strained=any(_strained(buffer, drain, elsewhere, operations) for drain in drains),
        load=None if buffer.loses else offered / line.rate,
    )


def _scv_of(drain: _Drain) -> Value:
    """Squared coefficient of variation of the time to free a place; taken as 1 where copies do other work."""
    return 2.0 * drain.servers.spread - 1.0 if drain.alone else 1.0


def _beside(
    buffer: Buffer, drain: _Drain, solver: OpenSolverWithLosses, number: Value, operations: Operations
) -> dict[int, Wait]:
    """The waits of other work that queues with the work that frees places: shorter than with unlimited places.

    number  the mean number of places whose work is at the copy.
    """
    centre = drain.centre
    if not centre.station.in_line or drain.alone:
        return {}
    least = min(solver.all[index].priority for index in centre.indices if solver.all[index].drains == buffer.name)
    fewer = operations.maximum([drain.waiting + drain.serving - number, 0.0 * number])
    rate = total(solver.all[index].rate for index in centre.indices if solver.all[index].drains == buffer.name)
    shorter = fewer * ratio(drain.serving, rate) / (centre.station.servers * (1.0 - drain.servers.other))
    waits: dict[int, Wait] = {}
    for index in centre.indices:
        stream = solver.all[index]
        if stream.drains != buffer.name and stream.priority == least:
            wait = operations.maximum([solver.waits[index].mean - shorter, 0.0 * shorter])
            waits[index] = Wait(wait, wait * wait)
    return waits


def _time_to_fill(buffer: Buffer, offered: Value, rate: Value, operations: Operations) -> Value:
    """Seconds until an empty buffer is full if `rate` places are freed per second; infinite where it never fills."""
    growing = offered > rate
    return operations.where(growing, buffer.places / operations.where(growing, offered - rate, 1.0), float("inf"))


def _label(centre: Centre) -> str:
    """The label of the copies of a centre."""
    return centre.station.groups[centre.key[1]].label


def _figures(
    buffer: Buffer,
    rates: tuple[Value, Value],
    taken: Value,
    full: tuple[Value, Value],
    drain_rate: Value,
    fill: Value,
    label: str,
) -> BufferFigures:
    """The figures of a buffer; `full` is the probability that it is full, with the wait for a place then."""
    return BufferFigures(
        name=buffer.name,
        places=buffer.places,
        offered=rates[0],
        throughput=rates[1],
        occupancy=taken,
        found_full=full[0],
        delay_when_full=full[1],
        drain_rate=drain_rate,
        time_to_fill=fill,
        drained_by=label,
    )


def _slower(state: BufferState, other: BufferState, operations: Operations) -> BufferState:
    """Of two stations, the state at the one that frees places more slowly, by point."""
    old, new = state.figures, other.figures
    chosen = new.drain_rate < old.drain_rate

    def pick(first: Value, second: Value) -> Value:
        return operations.where(chosen, second, first)

    return BufferState(
        figures=old.replace(
            occupancy=pick(old.occupancy, new.occupancy),
            found_full=pick(old.found_full, new.found_full),
            delay_when_full=pick(old.delay_when_full, new.delay_when_full),
            drain_rate=pick(old.drain_rate, new.drain_rate),
            time_to_fill=pick(old.time_to_fill, new.time_to_fill),
        ),
        kept=pick(state.kept, other.kept),
        delay=(pick(state.delay[0], other.delay[0]), pick(state.delay[1], other.delay[1])),
        waits={**state.waits, **other.waits},
        inside={**state.inside, **other.inside},
        strained=state.strained or other.strained,
        load=_larger(state.load, other.load, operations),
    )


def _larger(load: Value, other: Value, operations: Operations) -> Value:
    """The larger of two loads, either of which may be None."""
    known = [value for value in (load, other) if value is not None]
    return operations.maximum(known) if len(known) == 2 else next(iter(known), None)


def _strained(buffer: Buffer, drain: _Drain, elsewhere: Value, operations: Operations) -> bool:
    """Whether a buffer is used in a way for which errors were not measured as small."""
    places, spread = buffer.places, drain.servers.spread
    plain = operations.all(operations.absolute(spread - 1.0) <= _NEAR)
    direct = operations.all(elsewhere <= _NEAR * places)
    servers = drain.centre.station.servers
    if drain.centre.station.copies > 1:
        even = len(drain.centre.station.groups) == 1 and servers == 1
        few = operations.all(drain.servers.other <= _OTHER) and not (buffer.loses and not drain.alone)
        return not (even and few and plain and direct)
    if not operations.all(operations.compare("<=", servers + 0.0 * places, places)) and not (drain.alone and plain):
        return True
    if not isinstance(places, float) and drain.servers.number > float(places.min()):
        return True
    if drain.servers.number > 1 and not (drain.alone and plain):
        return True
    if not drain.alone:
        return not (buffer.loses and direct and operations.all(spread <= SPREAD * (places + 1)))
    few_elsewhere = operations.all((_TAKEN * elsewhere <= places) & (places >= 4))
    return not direct and (buffer.loses or not plain or not few_elsewhere)


def _usable_servers(buffer: Buffer, servers: int) -> int:
    """The servers of a station that can free places at once: at most one per place, if all points have equal places."""
    if isinstance(buffer.places, float):
        return max(min(servers, int(buffer.places)), 1)
    least = float(buffer.places.min())
    return max(min(servers, int(least)), 1) if least == float(buffer.places.max()) else servers


def _unlimited_occupancy(
    buffer: Buffer, solver: OpenSolverWithLosses, filled: Mapping[tuple[int, str], Value]
) -> Value:
    """Mean number of places that would be taken if there were no limit."""
    parts: list[Value] = []
    for route in solver.compiled.routes:
        rate = filled.get((route.class_index, route.route))
        if rate is not None:
            spent = route.after[buffer.name].mean_with(solver.waits) + route.left[buffer.name].mean_with(solver.waits)
            parts.append(rate * spent)
    return total(parts)


def _drain(
    buffer: Buffer, centre: Centre, solver: OpenSolverWithLosses, carried: Value, offered: Value
) -> _Drain | None:
    """A station that frees places; None for one that does not."""
    freeing = [index for index in centre.indices if solver.all[index].drains == buffer.name]
    if not freeing:
        return None
    rate = total(solver.all[index].rate for index in freeing)
    busy = total(solver.all[index].rate * solver.holding(index) for index in freeing)
    waiting = total(solver.all[index].rate * solver.waits[index].mean for index in freeing)
    everything = total(solver.all[index].rate * solver.holding(index) for index in centre.indices)
    alone = len(freeing) == len(centre.indices)
    servers = _usable_servers(buffer, centre.station.servers) if alone else centre.station.servers
    other = (everything - busy) / servers if len(freeing) < len(centre.indices) else 0.0 * busy
    nothing = busy == 0
    work = ratio(busy, carried)
    if not solver.operations.all(nothing == False):  # noqa: E712
        work = solver.operations.where(nothing, _idle_work(buffer, centre, solver), work)
    # Work without any time is done at once, by a station of a large and finite rate.
    work = solver.operations.maximum([work, _SHORTEST + 0.0 * work])
    # Other work that saturates the servers leaves no steady state.
    other = solver.operations.minimum([other, 1.0 - 1e-9 + 0.0 * other])
    able = servers * (1 - other) / work
    few = servers < centre.station.servers and not buffer.loses
    if few and not solver.operations.all(solver.operations.compare("<=", offered, able * (1 - 1e-9))):
        text = (
            f'"{buffer.name}" has fewer places than "{centre.station.name}" has servers, and they are filled too fast'
        )
        raise NotComputed(
            Problem("QN551", text, "as many places as servers", help="state fewer servers, or more places")
        )
    queue = solver.queue_at(centre)[1]
    least = min(solver.all[index].priority for index in freeing)
    others = [solver.all[index] for index in centre.indices if index not in freeing]
    if buffer.loses and any(item.priority <= least and not solver.operations.all(item.rate == 0) for item in others):
        text = f'"{centre.station.name}" serves other work of the same or a lower priority than the work that drains '
        text += f'"{buffer.name}", which loses customers'
        raise NotComputed(Problem("QN551", text, "a lower priority of the work that drains it"))
    above = queue.levels[least].above
    mean = ratio(busy, rate)
    spread = ratio(queue.residual, mean) / (1 - above) + nothing
    shared = not centre.station.in_line
    if alone and (shared or solver.operations.all(abs(spread - 1) <= 1e-9)):
        spread = 1.0 + 0.0 * busy
    elif shared:
        # How many share a server depends on their mean times alone.
        spread = solver.operations.maximum([spread, 1.0 + 0.0 * busy])
    line = Servers(servers, ratio(offered, able), other, spread)
    share = ratio(busy, everything) + nothing
    sorts = (Sort(1.0 + 0.0 * busy, 1 / able, solver.operations.maximum([2.0 * spread - 1.0, 0.0 * busy])),)
    if shared:
        sorts = (sorts[0].replace(scv=1.0 + 0.0 * busy),)
    elif alone and once_each(buffer.name, solver.network, solver.operations):
        every = total(solver.all[index].rate + nothing for index in freeing)
        sorts = tuple(
            Sort((solver.all[index].rate + nothing) / every, solver.holding(index), solver.scv(index))
            for index in freeing
        )
    return _Drain(
        centre=centre, servers=line, rate=able, serving=busy, waiting=waiting, share=share, alone=alone, sorts=sorts,
        work=work,
    )  # fmt: skip


def _idle_work(buffer: Buffer, centre: Centre, solver: OpenSolverWithLosses) -> Value:
    """The service demand of freeing one place, in server seconds at a copy, where no places are taken."""
    where = solver.operations.where
    classes = tuple(
        item.replace(
            arrival_rate=where(item.arrival_rate > 0, item.arrival_rate, 1.0),
            routes=tuple(
                route.replace(probability=where(route.probability > 0, route.probability, 1.0)) for route in item.routes
            ),
        )
        for item in solver.network.classes
        if isinstance(item, OpenClass)
    )
    network = solver.network.replace(classes=classes)
    compiled = streams(network, solver.operations)
    flows = flows_with_losses(network, solver.losses, solver.operations)
    places = total(flows.fills[buffer.name].values())
    freeing = [compiled.streams[index] for index in centre.indices if compiled.streams[index].drains == buffer.name]
    return ratio(total(item.rate * item.holding.mean for item in freeing), places)


def _bounded(buffer: Buffer, centre: Centre, solver: OpenSolverWithLosses, waiting: Value) -> dict[int, Wait]:
    """The waits of the work that frees places, limited by the places of the buffer.

    waiting  the mean number of places whose work waits at the station.
    """
    freeing = [index for index in centre.indices if solver.all[index].drains == buffer.name]
    wait = ratio(waiting, total(solver.all[index].rate for index in freeing))
    known = solver.operations.minimum([wait, LONGEST + 0.0 * wait])
    return {index: Wait(wait, known * known) for index in freeing}


def m_g_1_places(
    offered: Value, sorts: Sequence[Sort], places: Value, loses: bool, serving: Value
) -> tuple[FiniteLine, Value]:
    """The queue at one server that frees places, and the mean wait of requests that arrive when all are taken.

    An M/G/1/K, or an M/G/1 with at most K inside.

    offered  requests for a place per second.
    sorts    the distributions of the time to free a place.
    places   K, without the places that are taken elsewhere; a fraction is interpolated between integers.
    loses    whether customers are lost when all places are taken.
    serving  the mean number of places whose work is in service.
    Exact    integer places, exact times, and work that begins or queues as soon as its place is taken.
    """
    values = [value for sort in sorts for value in sort]

    def figures(offered: float, places: float, *values: float) -> tuple[float, ...]:
        services = tuple(Service(*values[first : first + 3]) for first in range(0, len(values), 3))
        least = max(int(places + 1e-9), 1)
        part = min(max(places - least, 0.0), 1.0)
        ends = [_m_g_1(offered, services, count, loses) for count in (least, least + 1)[: 1 + (part > 1e-9)]]
        if len(ends) == 1:
            return ends[0]
        return tuple((1.0 - part) * low + part * high for low, high in zip(*ends, strict=True))

    full, free, number, late = by_point(figures, offered, places, *values)
    waiting = number - serving
    return FiniteLine(full, free, (waiting + abs(waiting)) / 2), late


def _m_g_1(offered: float, services: tuple[Service, ...], places: int, loses: bool) -> tuple[float, ...]:
    if loses:
        lost = m_g_1_k(offered, services, places)
        return lost.blocked, lost.kept, lost.number, 0.0
    waits = m_g_1_outside(offered, services, places)
    return waits.full, 1.0 - waits.full, waits.number, waits.late


def once_each(buffer: str, network: RoutedNetwork, operations: Operations) -> bool:
    """Whether every place of a buffer is freed by one visit, on a route that takes one place."""
    for item in network.classes:
        for route in item.routes:
            taken = [step for step in route.steps if isinstance(step, Time) and step.fills == buffer]
            freed = [step for step in route.steps if isinstance(step, Hold) and step.drains == buffer]
            visits = [step.visits for step in (*taken, *freed)]
            if len(taken) > 1 or len(freed) > 1 or not all(operations.all(value <= 1.0 + 1e-9) for value in visits):
                return False
    return True
