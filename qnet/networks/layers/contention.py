"""Stations without waiting, because no more customers can request them than there are servers; and the network without
them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qnet.expression import Operations, Value
from qnet.networks.routed import ClosedClass, RoutedNetwork
from qnet.networks.streams import Key, Streams, follows
from qnet.queues.arithmetic import total

_ANY = 10**9
"""As many as there are customers."""


def without_waiting(
    network: RoutedNetwork, compiled: Streams, members: Mapping[Key, Sequence[int]], operations: Operations
) -> dict[Key, Value]:
    """Where there are never more simultaneous requests than servers, of every queueing station group with holds around
    it.

    network   its populations and servers.
    compiled  its streams.
    members   the indices of the streams at each group.
    operations  of floats or of arrays.
    Returns   by group: a bool, or an array of one per point; False for all where work is left after a response.
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
                # A processor-sharing station is held by all customers there, however few its servers are.
                count, outer = min(counts, default=(_ANY, key))
                pools[outer] = count
            few = few | (sum(pools.values()) <= station.servers)
        # No service, no wait.
        busy = total(stream.holding.mean for stream in selected)
        result[key] = few | ((busy == 0) & (not any(stream.holding.waits for stream in selected)))
    return result


def _holders(network: RoutedNetwork, name: str, outer: Key) -> int:
    """How many servers of a hold can request one copy of a station."""
    stations = {station.name: station for station in network.stations}
    around = stations[outer[0]]
    copies = 1 if follows(stations[name], around) else around.groups[outer[1]].copies
    return around.servers * copies


def layered(compiled: Streams, quiet: Mapping[Key, Value]) -> Value:
    """Where a station with possible waits is requested from inside another one; a bool, or one per point.

    compiled  the streams of the network.
    quiet     by group, where requests never wait; as of `without_waiting`.
    """
    result: Value = compiled.deferred
    for stream in compiled.streams:
        for outer in stream.around:
            never = quiet.get((stream.station, stream.group), True) | quiet.get(outer, True)
            result = result | (not never if isinstance(never, bool) else ~never)
    return result
