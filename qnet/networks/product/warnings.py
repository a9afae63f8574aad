"""Warnings on the answer for a network of demands: the same as for the same network given by its routes."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.networks.exactness import reasons_for
from qnet.networks.product.demands import Demands
from qnet.networks.product.routes import anywhere, by_routes
from qnet.networks.streams import streams

UNSTATED = "QN739"
"""The code of what `unstated_visits` warns of."""
_IN_ORDER = ("fcfs", "priority", "preemptive")


def route_reasons(network: Demands, method: str, throughput: Sequence[Value]) -> tuple[str, ...]:
    """Why an answer is approximate, and where it is used beyond the region in which its error was measured as small.

    network   of one point, or a batch: then the reasons of any variant.
    method    the one that gave the answer, and the throughput of each class in it.
    Returns   those of the same network given by its routes; `Beyond` with a warning. Empty for none.
    """
    operations: Operations = FLOATS if network.size is None else arrays()
    routed = by_routes(network)
    return reasons_for(routed, streams(routed, operations, throughput), operations, method)


def unstated_visits(network: Demands) -> tuple[str, ...]:
    """Where it is not stated whether a class without demand comes to a station that serves in order of arrival.

    There a customer of no service time waits behind the others, and one who does not come there does not. Without
    `visits` a class is taken not to come where its demand is 0.

    Returns   a text for each such station with its classes; empty for none.
    """
    if network.visits is not None:
        return ()
    stations, classes = network.shape
    result: list[str] = []
    names = network.class_names or [str(kind) for kind in range(classes)]
    for station in range(stations):
        if network.delay[station] or network.disciplines[station] not in _IN_ORDER:
            continue
        busy = [anywhere(network.demand(station, kind)) for kind in range(classes)]
        absent = [names[kind] for kind in range(classes) if not busy[kind] and not network.nobody(kind)]
        if any(busy) and absent:
            who = f"class {absent[0]} has" if len(absent) == 1 else f"classes {', '.join(absent)} have"
            where = network.station_label(station)
            text = f"{who} no demand at {where}, first come first served, and visits are not stated"
            result.append(f"{text}: taken not to visit it, hence not to wait there")
    return tuple(result)
