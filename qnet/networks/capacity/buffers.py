"""Buffers: who fills them, who drains them, how often they are full, and for how long that is waited."""

from __future__ import annotations

from collections.abc import Mapping

from qnet.errors import NotComputed, Problem
from qnet.expression import Operations, Value
from qnet.networks.capacity.lines import LEAST, Lines
from qnet.networks.capacity.one_drain import MOST, Sort, once_each, one_by_one
from qnet.networks.capacity.thinned import Thinned, thinned
from qnet.networks.centres import Centre
from qnet.networks.duration import Wait
from qnet.networks.routed import Buffer, OpenClass
from qnet.networks.solution import BufferFigures
from qnet.networks.stream_waits import LONGEST
from qnet.networks.streams import streams
from qnet.queues.arithmetic import ratio, total
from qnet.queues.places import Servers, with_loss, with_wait
from qnet.record import Record

_NEAR = 1e-9
_TAKEN = 10
"""One place in so many may be taken by what cannot be drained yet, where that is trusted: these waits are told as if
places were without end."""
SPREAD = 0.5
"""How large the spread of a line with other work may be where it is trusted, over its places and one more."""


class _Drain(Record):
    """One copy of a station that does the work to free places."""

    centre: Centre
    servers: Servers
    rate: Value
    """Places per second that all copies together can free, beside their other work."""
    serving: Value
    """Mean number of places of which the work is served here."""
    waiting: Value
    """Mean number of those of which it waits here, where they are without limit."""
    share: Value
    """Of the servers, when all are busy, the share that does this work."""
    alone: bool
    """Whether they do no other work."""
    sorts: tuple[Sort, ...]
    """Of one server: the times to free a place, other work before it and between included."""


class Found(Record):
    """A buffer as it was found in a round."""

    figures: BufferFigures
    kept: Value
    """The share of those who ask for a place that is not lost."""
    delay: tuple[Value, Value]
    """Mean wait for a place of all that ask for one, and its squared coefficient of variation."""
    waits: Mapping[int, Wait]
    """What the work that frees places waits, where that is bounded by the buffer."""
    inside: Mapping[int, Wait]
    """What that work waits while its place is taken, where those who find none wait for it elsewhere."""
    strained: bool
    """Whether it is drained by several copies, or many of its places are taken by what is not waiting to be drained."""


def find(buffer: Buffer, solver: Lines, routes: Thinned, kept: Value, operations: Operations) -> Found:
    """How often a buffer is full, given the waits of its network.

    buffer  of the network.
    solver  the waits of the network.
    routes  what comes to each step.
    kept    the share of those who ask for a place that is not lost, as it was assumed.
    Method  The places are a line before the station that drains them most slowly: an M/M/c/K, or an M/M/c of which
            only K are inside where those who find it full wait. Work at that station that goes before leaves it what is
            over. Places that are taken elsewhere, on the way to the response or at other stations, are taken as always
            so many. Fluid: with a places per second filled and d drained, it fills in K / (a - d).
    Source  The line: see `queues.places`. The fluid: Newell, Applications of Queueing Theory, 1971.
    """
    where, maximum, minimum = operations.where, operations.maximum, operations.minimum
    filled = routes.fills[buffer.name]
    carried = total(filled.values())
    offered = carried / kept if buffer.loses else carried
    every = _taken(buffer, solver, filled)
    figures = BufferFigures(
        name=buffer.name,
        places=buffer.places,
        offered=offered,
        throughput=carried,
        occupancy=0.0,
        found_full=0.0,
        delay_when_full=0.0,
        drain_rate=0.0,
        time_to_fill=0.0,
        drained_by="",
    )
    answer = Found(figures, 1.0 + 0.0 * offered, (0.0 * offered, 1.0 + 0.0 * offered), {}, {}, False)
    worst: Value = None
    for centre in solver.centres:
        drain = _drain(buffer, centre, solver, carried, offered)
        if drain is None:
            continue
        beside = maximum([every - drain.waiting - drain.serving, 0.0 * every])
        count = drain.servers.number
        # Other work keeps some of the servers that are counted as holding a place each.
        places = maximum([buffer.places - beside + count * (1 - drain.share), count + 0.0 * every])
        one = count == 1 and operations.all(operations.compare("<=", buffer.places, MOST + 0.0 * every))
        late: Value = None
        if one:
            line, late = one_by_one(offered, drain.sorts, buffer.places - beside, buffer.loses, drain.serving)
        else:
            line = (with_loss if buffer.loses else with_wait)(drain.servers, places, operations)
        full = line.full
        step = 1 - operations.exp(minimum([drain.servers.log_ratio(operations), 0.0 * every]))
        # Without a steady state, or without any way to wait for a place, there is nothing to tell.
        sure = where(step > 0, step, 1.0)
        if late is None:
            late = 0.0 * every if buffer.loses else where(step > 0, 1.0, 0.0) / (drain.rate * sure)
        few = count < centre.station.servers
        waiting = (
            0.0 * every if few else line.waiting if buffer.loses or one else drain.waiting - full * (1 - sure) / sure
        )
        held = minimum([beside + drain.serving, buffer.places + 0.0 * every])
        taken = minimum([held + maximum([waiting, 0.0 * every]), buffer.places + 0.0 * every])
        growing = offered > drain.rate
        fill = where(growing, buffer.places / where(growing, offered - drain.rate, 1.0), float("inf"))
        chosen = True if worst is None else drain.rate < worst
        worst = drain.rate if worst is None else minimum([drain.rate, worst])
        station = solver.network.stations[[item.name for item in solver.network.stations].index(centre.key[0])]
        label = station.groups[centre.key[1]].label
        old = answer.figures
        answer = Found(
            BufferFigures(
                name=buffer.name,
                places=buffer.places,
                offered=offered,
                throughput=carried,
                occupancy=where(chosen, taken, old.occupancy),
                found_full=where(chosen, full, old.found_full),
                delay_when_full=where(chosen, late, old.delay_when_full),
                drain_rate=where(chosen, drain.rate, old.drain_rate),
                time_to_fill=where(chosen, fill, old.time_to_fill),
                drained_by=old.drained_by or label,
            ),
            where(chosen, maximum([line.free, LEAST + 0.0 * every]), answer.kept) if buffer.loses else answer.kept,
            (
                where(chosen, full * late, answer.delay[0]),
                where(chosen, 2 / maximum([full, 1e-300 + 0.0 * every]) - 1, answer.delay[1]),
            ),
            {**answer.waits, **(_bounded(buffer, centre, solver, line.waiting) if buffer.loses else {})},
            {**answer.inside, **({} if buffer.loses else _bounded(buffer, centre, solver, taken - held))},
            answer.strained or _strained(buffer, drain, beside, operations),
        )
    return answer


def _strained(buffer: Buffer, drain: _Drain, beside: Value, operations: Operations) -> bool:
    """Whether a buffer is drained in a way in which errors were not measured as small."""
    places, spread = buffer.places, drain.servers.spread
    plain = operations.all(operations.absolute(spread - 1.0) <= _NEAR)
    direct = operations.all(beside <= _NEAR * places)
    servers = drain.centre.station.servers
    if not operations.all(operations.compare("<=", servers + 0.0 * places, places)) and not (drain.alone and plain):
        return True
    if not isinstance(places, float) and drain.servers.number > float(places.min()):
        return True
    if drain.centre.station.copies > 1 or (drain.servers.number > 1 and not (drain.alone and plain)):
        return True
    if not drain.alone:
        return not (buffer.loses and direct and operations.all(spread <= SPREAD * (places + 1)))
    return not direct and (buffer.loses or not plain or not operations.all((_TAKEN * beside <= places) & (places >= 4)))


def _reached(buffer: Buffer, servers: int) -> int:
    """How many servers of a station can free places at once: at most one for each place, where that is one number."""
    if isinstance(buffer.places, float):
        return max(min(servers, int(buffer.places)), 1)
    least = float(buffer.places.min())
    return max(min(servers, int(least)), 1) if least == float(buffer.places.max()) else servers


def _taken(buffer: Buffer, solver: Lines, filled: Mapping[tuple[int, str], Value]) -> Value:
    """Mean number of places that are taken, were there no end of them."""
    parts: list[Value] = []
    for route in solver.compiled.routes:
        rate = filled.get((route.class_index, route.route))
        if rate is not None:
            spent = route.after[buffer.name].mean_with(solver.waits) + route.left[buffer.name].mean_with(solver.waits)
            parts.append(rate * spent)
    return total(parts)


def _drain(buffer: Buffer, centre: Centre, solver: Lines, carried: Value, offered: Value) -> _Drain | None:
    """A station that frees places; None for one that does not."""
    own = [index for index in centre.indices if solver.all[index].drains == buffer.name]
    if not own:
        return None
    rate = total(solver.all[index].rate for index in own)
    busy = total(solver.all[index].rate * solver.holding(index) for index in own)
    waiting = total(solver.all[index].rate * solver.waits[index].mean for index in own)
    everything = total(solver.all[index].rate * solver.holding(index) for index in centre.indices)
    alone = len(own) == len(centre.indices)
    servers = _reached(buffer, centre.station.servers) if alone else centre.station.servers
    other = (everything - busy) / servers if len(own) < len(centre.indices) else 0.0 * busy
    nothing = busy == 0
    work = ratio(busy, carried)
    if not solver.operations.all(nothing == False):  # noqa: E712
        work = solver.operations.where(nothing, _idle_work(buffer, centre, solver), work)
    # Beside more other work than the servers can do there is no steady state.
    other = solver.operations.minimum([other, 1.0 - 1e-9 + 0.0 * other])
    able = servers * (1 - other) / work
    few = servers < centre.station.servers and not buffer.loses
    if few and not solver.operations.all(solver.operations.compare("<=", offered, able * (1 - 1e-9))):
        found = (
            f'"{buffer.name}" has fewer places than "{centre.station.name}" has servers, and they are filled too fast'
        )
        raise NotComputed(
            Problem("QN551", found, "as many places as servers", help="state fewer servers, or more places")
        )
    met = solver.meet(centre)[1]
    least = min(solver.all[index].priority for index in own)
    others = [solver.all[index] for index in centre.indices if index not in own]
    if buffer.loses and any(item.priority <= least and not solver.operations.all(item.rate == 0) for item in others):
        found = f'"{centre.station.name}" serves others in turn with the work that drains "{buffer.name}", which loses'
        raise NotComputed(Problem("QN551", found, "a lower priority of the work that drains it"))
    above = met.levels[least].above
    mean = ratio(busy, rate)
    spread = ratio(met.residual, mean) / (1 - above) + nothing
    if len(own) == len(centre.indices) and solver.operations.all(abs(spread - 1) <= 1e-9):
        spread = 1.0 + 0.0 * busy
    line = Servers(servers, ratio(offered, able), other, spread)
    share = ratio(busy, everything) + nothing
    sorts = (Sort(1.0 + 0.0 * busy, 1 / able, solver.operations.maximum([2.0 * spread - 1.0, 0.0 * busy])),)
    if not centre.station.in_line:
        sorts = (sorts[0].replace(scv=1.0 + 0.0 * busy),)
    elif alone and once_each(buffer.name, solver.network, solver.operations):
        whole = total(solver.all[index].rate + nothing for index in own)
        sorts = tuple(
            Sort((solver.all[index].rate + nothing) / whole, solver.holding(index), solver.scv(index)) for index in own
        )
    return _Drain(
        centre=centre, servers=line, rate=able, serving=busy, waiting=waiting, share=share, alone=alone, sorts=sorts
    )


def _idle_work(buffer: Buffer, centre: Centre, solver: Lines) -> Value:
    """What freeing one place asks of a station, in server seconds at a copy, where nobody takes any."""
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
    places = total(thinned(network, solver.losses, solver.operations).fills[buffer.name].values())
    own = [compiled.streams[index] for index in centre.indices if compiled.streams[index].drains == buffer.name]
    return total(item.rate * item.holding.mean for item in own) / places


def _bounded(buffer: Buffer, centre: Centre, solver: Lines, waiting: Value) -> dict[int, Wait]:
    """What the work that frees places waits where there are never more than the places of the buffer.

    waiting  the mean number that waits at the station, with its place taken.
    """
    own = [index for index in centre.indices if solver.all[index].drains == buffer.name]
    wait = ratio(waiting, total(solver.all[index].rate for index in own))
    known = solver.operations.minimum([wait, LONGEST + 0.0 * wait])
    return {index: Wait(wait, known * known) for index in own}
