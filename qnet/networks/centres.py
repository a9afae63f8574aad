"""From streams to centres: one copy of each station group, who asks it, and who holds a server while asking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qnet.expression import Value
from qnet.networks.routed import RoutedNetwork, Station
from qnet.networks.streams import Key, Streams, follows
from qnet.record import Record

Rates = tuple[tuple[int, Value], ...]
"""Streams, each with a rate."""

_ALL = -1
"""In place of a group: all copies of a station."""


class Centre(Record):
    """One copy of a queueing station: who asks it."""

    key: Key
    station: Station
    indices: tuple[int, ...]
    """Its streams."""
    calm: bool
    """Whether no wait is part of its holding times, so that its loads are known from the start."""
    holders: int
    """How many holders can ask at once, over all kinds of them; 0 for none."""
    pools: tuple[Key, ...]
    """Who they are: stations, with the group of the one copy whose servers can ask, or -1 for all copies."""
    held: Rates
    """The streams that the holders serve, with their rate over all those holders."""
    asked: Rates
    """The streams of this station that the holders ask, at all copies, likewise."""


def centres(network: RoutedNetwork, compiled: Streams, members: Mapping[Key, Sequence[int]]) -> list[Centre]:
    """The queueing station groups that are asked at all, the innermost first."""
    stations = {station.name: station for station in network.stations}
    found: list[Centre] = []
    for key in compiled.order:
        station, indices = stations[key[0]], members[key]
        if station.delay or not indices:
            continue
        own = [compiled.streams[index] for index in indices]
        kinds = {stream.holder: stream.holders for stream in own if stream.holders}
        pools: list[Key] = []
        held: list[tuple[int, Value]] = []
        asked: list[tuple[int, Value]] = []
        for name in kinds:
            outer = stations[name]
            group = key[1] if follows(station, outer) else _ALL
            pools.append((name, group))
            held += _rates(compiled, members, outer, group)
            asked += [
                (index, rate)
                for index, rate in _rates(compiled, members, station, group)
                if compiled.streams[index].holder == name
            ]
        found.append(
            Centre(
                key,
                station,
                tuple(indices),
                not any(stream.holding.waits for stream in own),
                sum(kinds.values()),
                tuple(pools),
                tuple(held),
                tuple(asked),
            )
        )
    return found


def undecided(compiled: Streams, centres: Sequence[Centre]) -> list[Centre]:
    """Of centres in the order they are visited: the first of each station whose holders wait at later ones as well."""
    place = {index: number for number, centre in enumerate(centres) for index in centre.indices}
    found: dict[tuple[str, tuple[Key, ...]], Centre] = {}
    for number, centre in enumerate(centres):
        own = {index for index, _ in centre.asked}
        waits = {index for stream, _ in centre.held for index in compiled.streams[stream].holding.waits} - own
        if centre.holders and any(place[index] > number for index in waits):
            found.setdefault((centre.key[0], centre.pools), centre)
    return list(found.values())


def _rates(
    compiled: Streams, members: Mapping[Key, Sequence[int]], station: Station, group: int
) -> list[tuple[int, Value]]:
    """The streams of one copy in a group, or of all copies of a station, and their rate there."""
    groups = [(group, 1)] if group != _ALL else [(number, item.copies) for number, item in enumerate(station.groups)]
    streams = compiled.streams
    return [
        (index, copies * streams[index].rate) for number, copies in groups for index in members[station.name, number]
    ]
