"""What holders with separate lines of customers wait for a centre: those used unequally meet different loads there."""

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
"""The share of what is idle that equal holders may fill, in place of those that ask for more than others: chosen."""
_LIGHTEST = 1e-9
"""The share of their load that is left to holders that ask for next to nothing where one asks for all the rest."""
_EVEN = 1e-9
"""How far the load of a holder may be from that of others to count as one among equals."""
_STREAKS = 0.5, 0.15
"""Fitted on the waits of 109 random systems of 2 to 64 holders with exponential times, at one to four servers: those of
few holders by exact Markov chains, of many by simulation. With it the median error of a wait is 1 %, the largest 12."""


class LineAtCentre(Record):
    """A line of holders at a centre, whatever they wait elsewhere."""

    indices: tuple[int, ...]
    """The streams of the centre that they request."""
    lighter: Value
    """The share of their load with which equal holders would meet as many others."""
    holder: HolderLine


class _Share(Record):
    """How a line of holders differs from equal ones."""

    line: Line
    heavier: Value
    """Its share of all requests, over that of one among equals."""
    lighter: Value
    """The load of equal holders of which one meets as many others, over that of all."""


def lines_at(
    centre: Centre, loads: Sequence[Load], streams: Sequence[Stream], at_arrival: Queue | None, operations: Operations
) -> list[LineAtCentre]:
    """What the holders of each line wait for a centre, as a function of how busy they are apart from that.

    centre      with lines.
    loads       of its streams, in order.
    streams     of the network.
    at_arrival  what equal holders meet; None where nothing else needs it.
    Method      `holder_line`. A holder with more than an even share of the requests meets fewer of others: as many as
                one of equal holders does where these ask for less. One with less than that meets more, though no more
                than where half of what is idle were busy. What each line meets is computed for all lines at once, and
                once for those that have an even share.
    Source      this tool.
    """
    rates = {index: load.rate for index, load in zip(centre.indices, loads, strict=True)}
    servers, holders = centre.station.servers, centre.holders
    held = [load for load in loads if load.holders]
    asked = total(load.rate for load in held)
    kept = total(load.rate * (load.first + load.second) for load in held)
    others = total(load.rate * (load.first + load.second) for load in loads if not load.holders)
    room = ratio(_FILLED * (servers - (kept + others)), kept)
    shares: list[_Share] = []
    for line in centre.lines:
        share = ratio(total(rates[index] for index in line.indices), asked * line.copies)
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
    """By line, what its holders meet and the least that they wait."""
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
        every = zip(shares, even, strict=True)
        return [
            equal
            if equal and operations.all(flags)
            else solved(lightened(loads, share.lighter), share.heavier / share.lighter)
            for share, flags in every
        ]
    # The points of all lines in a row, and before them those at which some line has an even share.
    flags: Any = np.stack([np.broadcast_to(item, (size,)) for item in even])
    first = np.flatnonzero(flags.any(axis=0))
    rest = [np.flatnonzero(~item) for item in flags]
    points = np.concatenate([first, *rest])
    ones = np.ones(len(first))
    lighter = [np.broadcast_to(share.lighter, (size,)) for share in shares]
    heavier = [np.broadcast_to(share.heavier, (size,)) / some for share, some in zip(shares, lighter, strict=True)]
    lighter, heavier = (
        np.concatenate([ones, *(some[here] for some, here in zip(column, rest, strict=True))])
        for column in (lighter, heavier)
    )
    together = solved(lightened(at_points(tuple(loads), points), lighter), heavier)
    result: list[tuple[Queue, Value]] = []
    start = len(first)
    for here in rest:
        rows = np.zeros(size, dtype=int)
        rows[first], rows[here] = np.arange(len(first)), np.arange(start, start + len(here))
        start += len(here)
        result.append(at_points(together, rows))
    return result


class _Streaks:
    """By how much holders with separate lines meet more of each other, at most, than if each asked at random.

    room      the holders.
    streams   of the network.
    Method    While holders wait, lines grow before them, and those that have lines ask again at once: requests come
              in streaks. Holders that are always busy ask no more often than they can, and idle ones have no lines:
              (a + b N) v^2 (1 - u) / w, u the utilization of the N holders, v the time for which the centre is
              asked or kept, as a share, and w that of either, all without other waits; and no more than leaves them
              idle where they are without it.
    Source    this tool.
    """

    def __init__(self, room: Room, streams: Sequence[Stream]) -> None:
        self.asked = total(rate for _, rate in room.asked) / room.holders
        # Without other waits, which rest on this one in turn: rounds near saturation would swing.
        self.apart = total(rate * streams[index].holding.mean for index, rate in room.held) / room.holders
        self.second = total(rate * streams[index].second.mean for index, rate in room.asked) / room.holders
        self.first = total(rate * streams[index].first.mean for index, rate in room.asked) / room.holders
        few, each = _STREAKS
        self.weight = few + each * room.holders

    def of(
        self, queued: Queue, least: Value, lighter: Value, heavier: Value, operations: Operations
    ) -> tuple[Value, Value]:
        """As a share, and in seconds.

        queued   what a holder of one line meets, all holders having `lighter` of their load, and `least` what it waits.
        heavier  the load of a holder of the line over that of all holders on average.
        """
        minimum = operations.minimum
        waiting = least * self.asked
        busy = (self.apart + self.second + waiting) * lighter
        inside = minimum([(self.first + self.second + waiting) * lighter, busy])
        idle = 1 - minimum([(self.apart + waiting) * heavier, 1.0])
        meeting = self.weight * ratio(inside * inside, busy)
        return idle * meeting, idle * (queued.offered / queued.servers) / (self.asked * heavier + 1e-300)
