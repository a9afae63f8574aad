"""The waits for a centre of holders with separate queues: unequally loaded holders find different numbers there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qnet.expression import Operations, Value
from qnet.lazy import np
from qnet.networks.open.centres import Centre, Line, Room
from qnet.networks.routed import at_points
from qnet.networks.streams import Stream
from qnet.queues.arithmetic import ratio, total
from qnet.queues.waiting import HolderLine, Load, Queue, holder_line, least_holder_wait, queue
from qnet.record import Record

_FILLED = 0.5
"""The share of the idle servers that the extra load found by holders with little load may fill: a choice."""
_LIGHTEST = 1e-9
"""The least relative load found by a holder, where one makes nearly all requests."""
_EVEN = 1e-9
"""The relative difference of the load of a holder from an equal share up to which it counts as equal."""
_STREAKS = 0.5, 0.15
"""Fitted on the waits of 109 random systems of 2 to 64 holders with exponential times, at one to four servers: those of
few holders by exact Markov chains, of many by simulation. With it the median error of a wait is 1 %, the largest 12."""


class LineAtCentre(Record):
    """The wait of a line of holders for a centre, as a function of their waits elsewhere."""

    indices: tuple[int, ...]
    """The streams of the centre that they request."""
    lighter: Value
    """The factor of their load with which equal holders would find as many others."""
    holder: HolderLine


class _Share(Record):
    """The load of a line of holders, relative to an equal share."""

    line: Line
    heavier: Value
    """The share of one of its holders in all requests, over an equal share."""
    lighter: Value
    """The factor of the load with which one of equal holders would find as many others."""


def lines_at(
    centre: Centre, loads: Sequence[Load], streams: Sequence[Stream], at_arrival: Queue | None, operations: Operations
) -> list[LineAtCentre]:
    """The waits of the holders of each line for a centre, as functions of their utilization apart from that wait.

    centre      with lines.
    loads       of its streams, in order.
    streams     of the network.
    at_arrival  the queue that equal holders find; None where nothing else needs it.
    operations  of the numbers of the network.
    Method      `holder_line`. A holder that makes more than an equal share of the requests finds fewer of others: as
                many as one of equal holders with a lower load. One that makes fewer finds more, up to a load that fills
                half of the idle servers. The queues of all lines are computed together, and those of lines with an
                equal share only once.
    Source      this tool.
    """
    rates = {index: load.rate for index, load in zip(centre.indices, loads, strict=True)}
    servers, holders = centre.station.servers, centre.holders
    held = [load for load in loads if load.holders]
    requested = total(load.rate for load in held)
    kept = total(load.rate * (load.first + load.second) for load in held)
    others = total(load.rate * (load.first + load.second) for load in loads if not load.holders)
    room = ratio(_FILLED * (servers - (kept + others)), kept)
    shares: list[_Share] = []
    for line in centre.lines:
        share = ratio(total(rates[index] for index in line.indices), requested * line.copies)
        lighter = operations.minimum([(1 - share) / (1 - 1 / holders), 1 + room])
        shares.append(_Share(line, share * holders, operations.maximum([lighter, _LIGHTEST])))
    queues = _queues(centre, loads, shares, at_arrival, operations)
    streak = _Streaks(centre.rooms[0], streams)
    result: list[LineAtCentre] = []
    for share, (queued, least) in zip(shares, queues, strict=True):
        streaks = streak.of(queued, least, share.lighter, share.heavier, operations)
        result.append(LineAtCentre(share.line.indices, share.lighter, holder_line(queued, least, streaks, operations)))
    return result


def _queues(
    centre: Centre, loads: Sequence[Load], shares: Sequence[_Share], at_arrival: Queue | None, operations: Operations
) -> list[tuple[Queue, Value]]:
    """By line, the queue that its holders find, and their least wait."""
    servers, holders = centre.station.servers, centre.holders

    def solved(loads: Sequence[Load], heavier: Value = 1.0) -> tuple[Queue, Value]:
        queued = queue(servers, loads, holders, operations, heavier)
        return queued, least_holder_wait(queued, loads, operations)

    def lightened(loads: Sequence[Load], lighter: Value) -> list[Load]:
        return [load.replace(rate=load.rate * lighter) if load.holders else load for load in loads]

    even = [operations.absolute(share.lighter - 1) <= _EVEN for share in shares]
    equal: tuple[Queue, Value] | None = None
    if any(operations.all(flags) for flags in even):
        equal = (at_arrival, least_holder_wait(at_arrival, loads, operations)) if at_arrival else solved(loads)
    size = next((len(flags) for flags in even if getattr(flags, "ndim", 0)), None)
    if equal or size is None:
        return [
            equal
            if equal and operations.all(flags)
            else solved(lightened(loads, share.lighter), share.heavier / share.lighter)
            for share, flags in zip(shares, even, strict=True)
        ]
    # The points at which some line has an equal share, and after them the other points of all lines.
    flags: Any = np.stack([np.broadcast_to(item, (size,)) for item in even])
    first = np.flatnonzero(flags.any(axis=0))
    rest = [np.flatnonzero(~item) for item in flags]
    points = np.concatenate([first, *rest])
    ones = np.ones(len(first))
    lighter = [np.broadcast_to(share.lighter, (size,)) for share in shares]
    heavier = [np.broadcast_to(share.heavier, (size,)) / factor for share, factor in zip(shares, lighter, strict=True)]
    lighter, heavier = (
        np.concatenate([ones, *(values[chosen] for values, chosen in zip(column, rest, strict=True))])
        for column in (lighter, heavier)
    )
    together = solved(lightened(at_points(tuple(loads), points), lighter), heavier)
    result: list[tuple[Queue, Value]] = []
    start = len(first)
    for chosen in rest:
        rows = np.zeros(size, dtype=int)
        rows[first], rows[chosen] = np.arange(len(first)), np.arange(start, start + len(chosen))
        start += len(chosen)
        result.append(at_points(together, rows))
    return result


class _Streaks:
    """How many more of each other holders with separate queues find, at most, than with requests at random times.

    room      the holders.
    streams   of the network.
    Method    While holders wait, queues grow before them, and holders with queues make their next request at once:
              requests come in streaks. There are none where holders are always busy, or where they are idle:
              (a + b N) v^2 (1 - u) / w, u the utilization of the N holders, v the share of their time in which they
              wait for the centre or keep it, and w that in which they are busy or keep it, all without other waits. The
              limit in seconds is the idle time of a holder per request, times the utilization of the centre.
    Source    this tool.
    """

    def __init__(self, room: Room, streams: Sequence[Stream]) -> None:
        self.requested = total(rate for _, rate in room.requested) / room.holders
        # Without other waits, which depend on this one in turn: rounds near saturation would oscillate.
        self.apart = total(rate * streams[index].holding.mean for index, rate in room.held) / room.holders
        self.second = total(rate * streams[index].second.mean for index, rate in room.requested) / room.holders
        self.first = total(rate * streams[index].first.mean for index, rate in room.requested) / room.holders
        few, each = _STREAKS
        self.weight = few + each * room.holders

    def of(
        self, queued: Queue, least: Value, lighter: Value, heavier: Value, operations: Operations
    ) -> tuple[Value, Value]:
        """The relative increase of the number found, and its limit in seconds.

        queued   the queue that a holder of the line finds.
        least    its least wait.
        lighter  the factor of the load of all holders for which `queued` holds.
        heavier  the load of a holder of the line over the average of all holders.
        """
        minimum = operations.minimum
        waiting = least * self.requested
        busy = (self.apart + self.second + waiting) * lighter
        inside = minimum([(self.first + self.second + waiting) * lighter, busy])
        idle = 1 - minimum([(self.apart + waiting) * heavier, 1.0])
        meeting = self.weight * ratio(inside * inside, busy)
        return idle * meeting, idle * (queued.offered / queued.servers) / (self.requested * heavier + 1e-300)
