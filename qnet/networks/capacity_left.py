"""The loads of open classes where closed classes of higher priority are served before them.

Closed customers whom open ones overtake, or who wait among them, give way at saturation: all their time is spent there,
and the open classes get the entire capacity. Closed customers of a higher priority never give way.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from qnet.expression import Operations, Value
from qnet.networks.routed import OpenClass, RoutedNetwork
from qnet.networks.solution import Limiting
from qnet.networks.streams import Key, Stream, Streams
from qnet.record import Record


class Crowded(Record):
    """The load of open classes at a station group where closed classes are served before them."""

    load: Value
    """Over the capacity that is left, of the rank for which it is largest."""
    proportional: bool
    """Whether it grows in proportion to the arrivals: the closed classes are never delayed by the open ones."""


def beside(
    network: RoutedNetwork, compiled: Streams, ranked: Collection[str], operations: Operations
) -> dict[Key, Crowded]:
    """The loads at stations where closed classes have a higher priority than open ones.

    network     its classes and stations.
    compiled    its streams at the throughputs of the solution.
    ranked      the names of the stations with priorities.
    operations  of its numbers.
    Returns     by station group; none for other stations.
    Method      Open classes of a rank and above get what closed classes above that rank leave. Where those are
                preemptive, and meet no open class that delays them anywhere, their utilization does not depend on the
                arrivals.
    """
    servers = {station.name: station.servers for station in network.stations if station.name in ranked}
    preemptive = {station.name for station in network.stations if station.discipline == "preemptive"}
    opened = [isinstance(item, OpenClass) for item in network.classes]
    here = {key: [compiled.streams[index] for index in members] for key, members in compiled.members().items()}
    delayed = _delayed(network, here, preemptive & servers.keys(), opened)
    result: dict[Key, Crowded] = {}
    for key, requests in here.items():
        if key[0] not in servers:
            continue
        ranks = {item.priority for item in requests if opened[item.class_index]}
        above = {item.class_index for item in requests
                 if not opened[item.class_index] and ranks and item.priority > min(ranks)}  # fmt: skip
        if not above:
            continue
        load: Value = 0.0
        for rank in ranks:
            served: Value = 0.0
            left: Value = 1.0
            for item in requests:
                share = item.rate * item.holding.mean / servers[key[0]]
                if opened[item.class_index] and item.priority >= rank:
                    served = served + share
                elif not opened[item.class_index] and item.priority > rank:
                    left = left - share
            enough = left > 0
            load = operations.maximum([load, operations.where(enough, served / (left + (1 - enough)), 1.0 + served)])
        result[key] = Crowded(load=load, proportional=not above & delayed)
    return result


def _delayed(
    network: RoutedNetwork, here: Mapping[Key, Sequence[Stream]], preemptive: Collection[str], opened: Sequence[bool]
) -> set[int]:
    """The closed classes that open ones delay somewhere, or other closed ones whom those delay."""
    queues = {station.name for station in network.stations if not station.delay}
    result: set[int] = set()
    before = -1
    while len(result) > before:
        before = len(result)
        for (station, _), requests in here.items():
            varying = [item for item in requests if opened[item.class_index] or item.class_index in result]
            for item in requests if station in queues else ():
                first = station in preemptive and all(other.priority < item.priority for other in varying)
                if not opened[item.class_index] and varying and not first:
                    result.add(item.class_index)
    return result


def marked(
    loads: Sequence[Limiting], labels: Mapping[Key, str], crowded: Mapping[Key, Crowded], exact: bool
) -> tuple[Limiting, ...]:
    """The capacities of a solution, with what is known of those of crowded station groups.

    loads    with the loads of `crowded`.
    labels   of the station groups.
    crowded  as returned by `beside`.
    exact    whether the utilizations by closed classes are exact.
    """
    known = {labels[key]: item for key, item in crowded.items()}
    return tuple(
        item.replace(certain=known[item.name].proportional, estimated=not exact) if item.name in known else item
        for item in loads
    )
