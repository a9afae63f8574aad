"""Centres: one copy of each group of queueing stations, the streams that request it, and the servers held meanwhile.

Also the utilization of those holders, and the order in which centres are computed whose waits depend on each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set

from qnet.expression import Operations, Value
from qnet.networks.duration import Wait
from qnet.networks.routed import RoutedNetwork, Station
from qnet.networks.streams import Key, Stream, Streams, follows
from qnet.queues.waiting import Load
from qnet.record import Record

Rates = tuple[tuple[int, Value], ...]
"""Indices of streams, each with the rate of the stream."""

_ALL = -1
"""Instead of the index of a group: all copies of a station."""


_ROUNDING = 1e-13
"""Rates below this share of the requests are rounding errors."""


class Room(Record):
    """Servers of outer stations that are kept while customers wait for a centre, and their streams."""

    holders: int
    """The number of these servers."""
    held: Rates
    """The streams that they serve, with their rates over all these servers."""
    requested: Rates
    """The streams of the centre's station, at all copies, that they request."""


class Line(Record):
    """Equally loaded copies of an outer station, each of which serves a separate queue."""

    copies: int
    indices: tuple[int, ...]
    """The streams of the centre that they request."""


class Centre(Record):
    """One copy of a queueing station and the streams that request it."""

    key: Key
    station: Station
    indices: tuple[int, ...]
    """Its streams."""
    regular: bool
    """Whether no wait is part of its holding times, so that its loads are known from the start."""
    holders: int
    """The number of servers that can request it at once, over all outer stations; 0 for none."""
    lines: tuple[Line, ...]
    """The requesting holders by group of copies, if there are several holders, each with a separate queue, as copies
    with one server have, and no request has a priority; else empty."""
    pools: tuple[Key, ...]
    """The stations whose servers request it, each with the group of the one copy that does, or -1 for all copies."""
    rooms: tuple[Room, ...]
    """The holders that request it, all in one room; then the servers of every other station kept meanwhile, a room for
    each station. Empty where there are no holders."""


def centres(network: RoutedNetwork, compiled: Streams, members: Mapping[Key, Sequence[int]]) -> list[Centre]:
    """The queueing station groups with any requests, the innermost first.

    network   stations and classes.
    compiled  its streams.
    members   the indices of the streams, by station group.
    """
    stations = {station.name: station for station in network.stations}
    result: list[Centre] = []
    for key in compiled.order:
        station, indices = stations[key[0]], members[key]
        if station.delay or not indices:
            continue
        requests = [compiled.streams[index] for index in indices]
        holders = {stream.holder: stream.holders for stream in requests if stream.holders}
        rooms: list[Room] = []
        if holders:
            kept = dict.fromkeys(name for stream in requests for name in stream.inside)
            rooms = [_room(compiled, members, key, station, [stations[name] for name in holders], _asks)]
            rooms += [
                _room(compiled, members, key, station, [stations[name]], _keeps)
                for name in kept
                if [name] != list(holders)
            ]
        result.append(
            Centre(
                key=key,
                station=station,
                indices=tuple(indices),
                regular=not any(stream.holding.waits for stream in requests),
                holders=sum(holders.values()),
                lines=_lines(compiled, key, stations, indices) if sum(holders.values()) > 1 else (),
                pools=tuple((name, _group(key, station, stations[name])) for name in holders),
                rooms=tuple(rooms),
            )
        )
    return result


def _lines(compiled: Streams, key: Key, stations: Mapping[str, Station], indices: Sequence[int]) -> tuple[Line, ...]:
    """The `lines` of a centre."""
    members: dict[Key, list[int]] = {}
    for index in indices:
        stream = compiled.streams[index]
        if stream.holders:
            members.setdefault((stream.holder, dict(stream.around)[stream.holder]), []).append(index)
    if key[0] in compiled.prioritized or any(stations[name].servers > 1 for name, _ in members):
        return ()
    return tuple(
        Line(stations[name].groups[group].copies, tuple(streams)) for (name, group), streams in members.items()
    )


def undecided(compiled: Streams, centres: Sequence[Centre]) -> list[Centre]:
    """The first centre of each station whose holders also wait at later centres.

    compiled  the streams.
    centres   in the order in which they are visited.
    """
    position = {index: number for number, centre in enumerate(centres) for index in centre.indices}
    result: dict[tuple[str, tuple[Key, ...]], Centre] = {}
    for number, centre in enumerate(centres):
        # Delays have no queue, and are no centres.
        if any(position.get(index, -1) > number for room in centre.rooms for index in _elsewhere(compiled, room)):
            result.setdefault((centre.key[0], centre.pools), centre)
    return list(result.values())


def _elsewhere(compiled: Streams, room: Room) -> set[int]:
    """The streams that the servers of a room wait for, except those at its centre."""
    waits = {index for stream, _ in room.held for index in compiled.streams[stream].holding.waits}
    return waits - {index for index, _ in room.requested}


def _room(
    compiled: Streams,
    members: Mapping[Key, Sequence[int]],
    key: Key,
    station: Station,
    outers: Sequence[Station],
    asks: Callable[[Stream, str], bool],
) -> Room:
    """The servers of outer stations that are kept while customers wait for one copy of a station.

    asks  whether a stream is requested by a server of the outer station of that name.
    """
    holders = 0
    held: list[tuple[int, Value]] = []
    requested: list[tuple[int, Value]] = []
    for outer in outers:
        group = _group(key, station, outer)
        holders += outer.servers if group != _ALL else outer.servers * outer.copies
        held += _rates(compiled, members, outer, group)
        requested += [
            (index, rate)
            for index, rate in _rates(compiled, members, station, group)
            if asks(compiled.streams[index], outer.name)
        ]
    return Room(holders, tuple(held), tuple(requested))


def _asks(stream: Stream, name: str) -> bool:
    return stream.holder == name


def _keeps(stream: Stream, name: str) -> bool:
    return name in stream.inside


def _group(key: Key, station: Station, outer: Station) -> int:
    """The group of the one copy of an outer station that can request a centre, or `_ALL`."""
    return key[1] if follows(station, outer) else _ALL


def _rates(
    compiled: Streams, members: Mapping[Key, Sequence[int]], station: Station, group: int
) -> list[tuple[int, Value]]:
    """The streams at one copy in a group, or at all copies of a station, with their rates there."""
    groups = [(group, 1)] if group != _ALL else [(number, item.copies) for number, item in enumerate(station.groups)]
    streams = compiled.streams
    return [
        (index, copies * streams[index].rate) for number, copies in groups for index in members[station.name, number]
    ]


class BusyHolders(Record):
    """The mean number of holders of a room that are busy, other than waiting for its centre: linear in other waits."""

    holders: int
    """The number of holders."""
    busy: Value
    """The mean number that is busy if all unknown waits are 0."""
    terms: tuple[tuple[int, Value], ...]
    """By stream, the increase of that number per second of its unknown wait."""
    requested: Value
    """Requests per second for the centre's station."""

    def number(self, waits: Sequence[Wait]) -> Value:
        """The mean number that is busy, given the waits by stream."""
        result = self.busy
        for index, count in self.terms:
            result = result + count * waits[index].mean
        return result


def busy_holders(
    room: Room, streams: Sequence[Stream], known: Set[int], waits: Sequence[Wait], operations: Operations
) -> BusyHolders:
    """The mean number of holders of a room that are busy, other than waiting for its centre.

    room        a room of a centre.
    streams     of the network.
    known       the streams whose waits are known.
    waits       by stream.
    operations  of the numbers of the network.
    """
    busy: Value = 0.0
    counts: dict[int, Value] = {}
    for index, rate in room.held:
        holding = streams[index].holding
        busy = busy + rate * holding.mean
        for inner, count in holding.waits.items():
            counts[inner] = counts.get(inner, 0.0) + rate * count
    requested: Value = 0.0
    for index, rate in room.requested:
        requested = requested + rate
        counts[index] = counts.get(index, 0.0) - rate
    for index in [index for index in counts if index in known]:
        busy = busy + counts.pop(index) * waits[index].mean
    least = _ROUNDING * requested
    terms = [item for item in counts.items() if not operations.all(operations.absolute(item[1]) <= least)]
    return BusyHolders(room.holders, busy, tuple(terms), requested)


def ordered(inner: Sequence[Centre], streams: Sequence[Stream]) -> list[Centre]:
    """Stations that are used inside holds, each as far as possible after those whose waits it depends on.

    The fewer waits a round takes from the one before, the sooner it converges.

    inner    the centres of these stations.
    streams  of the network.
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
    """The positions of the centres on whose waits those of a centre depend, other than through the spare time of its
    holders."""
    waits = {index for stream in centre.indices for index in streams[stream].holding.waits}
    if centre.holders > 1:
        room = centre.rooms[0]
        waits |= {index for stream, _ in room.held for index in streams[stream].holding.waits}
        waits -= {index for index, _ in room.requested}
    return {at[index] for index in waits if index in at}


def request(stream: Stream, waits: Sequence[Wait]) -> Load:
    """The load of a stream at its station.

    stream  at a queueing station.
    waits   of all streams, by index: some are part of its holding time.
    """
    first, second = stream.first.mean_with(waits), stream.second.mean_with(waits)
    second_variance = stream.second.variance_with(waits)
    both = (first + second) ** 2
    if stream.scv is None:
        square = stream.first.variance_with(waits) + second_variance + both
    else:
        square = (stream.scv + 1) * both
    second_square = second_variance + second**2
    return Load(
        rate=stream.rate,
        first=first,
        second=second,
        square=square,
        second_square=second_square,
        priority=stream.priority,
        holders=stream.holders,
    )
