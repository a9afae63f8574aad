"""How busy the holders of stations are, and in which order the stations are computed whose waits rest on each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from qnet.expression import Operations, Value
from qnet.networks.duration import Wait
from qnet.networks.open.centres import Centre, Room
from qnet.networks.streams import Stream
from qnet.record import Record

_ROUNDING = 1e-13
"""The share of a rate that is left by rounding where holders wait as often as they ask."""


class BusyHolders(Record):
    """How many holders of a room are busy apart from their wait for its centre: linear in the other waits."""

    holders: int
    """How many there are."""
    busy: Value
    """Without the waits that are unknown."""
    terms: tuple[tuple[int, Value], ...]
    """By stream, how many more for each second of its wait."""
    asked: Value
    """Requests per second for the centre's station."""

    def number(self, waits: Sequence[Wait]) -> Value:
        """How many are busy with some waits."""
        result = self.busy
        for index, count in self.terms:
            result = result + count * waits[index].mean
        return result


def busy_holders(
    room: Room, streams: Sequence[Stream], known: Set[int], waits: Sequence[Wait], operations: Operations
) -> BusyHolders:
    """How busy the holders of a room are, apart from their wait for its centre.

    streams   of the network, with their `waits`, of which some are known.
    """
    busy: Value = 0.0
    counts: dict[int, Value] = {}
    for index, rate in room.held:
        holding = streams[index].holding
        busy = busy + rate * holding.mean
        for inner, count in holding.waits.items():
            counts[inner] = counts.get(inner, 0.0) + rate * count
    asked: Value = 0.0
    for index, rate in room.asked:
        asked = asked + rate
        counts[index] = counts.get(index, 0.0) - rate
    for index in [index for index in counts if index in known]:
        busy = busy + counts.pop(index) * waits[index].mean
    least = _ROUNDING * asked
    terms = [item for item in counts.items() if not operations.all(operations.absolute(item[1]) <= least)]
    return BusyHolders(room.holders, busy, tuple(terms), asked)


def ordered(inner: Sequence[Centre], streams: Sequence[Stream]) -> list[Centre]:
    """Stations that others wait for, each as far as possible after those whose waits it depends on.

    The fewer waits a round takes from the one before, the sooner it converges.
    """
    # Those without waits inside come first: the fewer numbers a round depends on, the sooner it is enclosed.
    left = sorted(inner, key=lambda centre: not centre.regular)
    at = {index: number for number, centre in enumerate(left) for index in centre.indices}
    before = [_needed(centre, streams, at) - {number} for number, centre in enumerate(left)]
    result: list[int] = []
    while len(result) < len(left):
        waiting = [number for number in range(len(left)) if number not in result]
        result.append(min(waiting, key=lambda number: len(before[number].difference(result))))
    return [left[number] for number in result]


def _needed(centre: Centre, streams: Sequence[Stream], at: Mapping[int, int]) -> set[int]:
    """The stations, by number, whose waits those of a station rest on, but for what its holders have time for."""
    waits = {index for stream in centre.indices for index in streams[stream].holding.waits}
    if centre.holders > 1:
        room = centre.rooms[0]
        waits |= {index for stream, _ in room.held for index in streams[stream].holding.waits}
        waits -= {index for index, _ in room.asked}
    return {at[index] for index in waits if index in at}
