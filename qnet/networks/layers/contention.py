"""Stations without waiting: those that never have more requests at once than servers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qnet.expression import Operations, Value
from qnet.networks.routed import ClosedClass, RoutedNetwork
from qnet.networks.streams import Key, Streams, follows
from qnet.queues.arithmetic import total

_ANY = 10**9
"""Any number of customers."""


def without_waiting(
    network: RoutedNetwork, compiled: Streams, members: Mapping[Key, Sequence[int]], operations: Operations
) -> dict[Key, Value]:
    """For every queueing station group: whether it never has more simultaneous requests than servers.

    network   its populations and servers.
    compiled  its streams.
    members   the indices of the streams at each group.
    operations  of floats or of arrays.
    Returns   by group: a bool, or an array of one per point; False for all groups with second phases anywhere.
    """
    stations = {station.name: station for station in network.stations}
    result: dict[Key, Value] = {}
    for key, indices in members.items():
        station = stations[key[0]]
        if station.delay or not indices:
            continue
        selected = [compiled.streams[index] for index in indices]
        classes = [network.classes[number] for number in dict.fromkeys(stream.class_index for stream in selected)]
        if compiled.deferred or station.rates is not None:
            result[key] = False
            continue
        people = [item.population for item in classes if isinstance(item, ClosedClass)]
        few: Value = False
        if len(people) == len(classes):
            few = operations.compare("<=", total(people), float(station.servers))
        if all(stream.inside for stream in selected):
            pools: dict[Key, int] = {}
            for stream in selected:
                counts = [(_holders(network, stream.station, outer), outer) for outer in stream.around
                          if stations[outer[0]].in_line]  # fmt: skip
                # All customers at a processor-sharing station hold it, whatever its number of servers.
                count, outer = min(counts, default=(_ANY, key))
                pools[outer] = count
            few = few | (sum(pools.values()) <= station.servers)
        # Without service there are no waits.
        busy = total(stream.holding.mean for stream in selected)
        result[key] = few | ((busy == 0) & (not any(stream.holding.waits for stream in selected)))
    return result


def _holders(network: RoutedNetwork, name: str, outer: Key) -> int:
    """The number of servers of an outer hold whose customers can request one copy of a station."""
    stations = {station.name: station for station in network.stations}
    around = stations[outer[0]]
    copies = 1 if follows(stations[name], around) else around.groups[outer[1]].copies
    return around.servers * copies


def layered(compiled: Streams, quiet: Mapping[Key, Value]) -> Value:
    """Whether a station with possible waits is requested from inside another one; a bool, or one per point.

    compiled  the streams of the network.
    quiet     by group, whether requests never wait, the result of `without_waiting`.
    """
    result: Value = compiled.deferred
    for stream in compiled.streams:
        for outer in stream.around:
            never = quiet.get((stream.station, stream.group), True) | quiet.get(outer, True)
            result = result | (not never if isinstance(never, bool) else ~never)
    return result
