"""Which stations nobody ever waits for, since no more can ask than there are servers; and what is left without them."""

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
    """Where no more can ever ask at once than there are servers, of every queueing station group with holds around it.

    Returns   by group: a bool, or an array of one per point; False for all where work is left after a response.
    """
    stations = {station.name: station for station in network.stations}
    found: dict[Key, Value] = {}
    for key, indices in members.items():
        station = stations[key[0]]
        if station.delay or not indices:
            continue
        own = [compiled.streams[index] for index in indices]
        classes = [network.classes[number] for number in dict.fromkeys(stream.class_index for stream in own)]
        if compiled.deferred or station.rates is not None:
            found[key] = False
            continue
        people = [item.population for item in classes if isinstance(item, ClosedClass)]
        few: Value = False
        if len(people) == len(classes):
            few = operations.compare("<=", total(people), float(station.servers))
        if all(stream.inside for stream in own):
            pools: dict[Key, int] = {}
            for stream in own:
                counts = [(_holders(network, stream.station, outer), outer) for outer in stream.around
                          if stations[outer[0]].in_line]  # fmt: skip
                # A station that is shared is held by all who are there, however few its servers are.
                count, outer = min(counts, default=(_ANY, key))
                pools[outer] = count
            few = few | (sum(pools.values()) <= station.servers)
        # No service, no wait.
        busy = total(stream.holding.mean for stream in own)
        found[key] = few | ((busy == 0) & (not any(stream.holding.waits for stream in own)))
    return found


def _holders(network: RoutedNetwork, name: str, outer: Key) -> int:
    """How many servers of a hold can ask at one copy of a station."""
    stations = {station.name: station for station in network.stations}
    around = stations[outer[0]]
    copies = 1 if follows(stations[name], around) else around.groups[outer[1]].copies
    return around.servers * copies


def layered(compiled: Streams, quiet: Mapping[Key, Value]) -> Value:
    """Where a station that may be waited for is asked from inside another one; a bool, or one per point."""
    found: Value = compiled.deferred
    for stream in compiled.streams:
        for outer in stream.around:
            never = quiet.get((stream.station, stream.group), True) | quiet.get(outer, True)
            found = found | (not never if isinstance(never, bool) else ~never)
    return found
