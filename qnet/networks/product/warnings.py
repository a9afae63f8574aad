"""What warns of the answer for a network of demands: the same as of the same network told by its routes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.networks.exactness import Beyond, reasons_for
from qnet.networks.product.demands import Demands
from qnet.networks.routed import ClosedClass, Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time
from qnet.networks.streams import streams


def warnings_of(network: Demands, method: str, throughput: Sequence[Value]) -> tuple[str, ...]:
    """Where an answer is used beyond the region in which its error was measured as small, each with its code.

    network   of one point, or a batch: then a warning of any variant.
    method    the one that gave the answer, and the throughput of each class in it.
    Returns   texts such as `the order of arrival at station 0 is corrected beyond ... [QN638]`; empty for none.
    """
    operations: Operations = FLOATS if network.size is None else arrays()
    routed = by_routes(network)
    compiled = streams(routed, operations, throughput)
    found = reasons_for(routed, compiled, operations, method)
    return tuple(dict.fromkeys(f"{item.warning} [{item.code}]" for item in found if isinstance(item, Beyond)))


def by_routes(network: Demands) -> RoutedNetwork:
    """A network of demands as one of routes: each class visits its stations in turn."""
    stations, classes = network.shape
    names = [f"station {station}" for station in range(stations)]
    return RoutedNetwork(
        tuple(
            Station(
                name=name,
                delay=network.delay[station],
                servers=network.servers[station],
                discipline=network.disciplines[station],
                groups=(Group(name, 1, 1.0),),
                rates=None if network.rates[station] is None else tuple(network.capacities(station)),
            )
            for station, name in enumerate(names)
        ),
        tuple(_class(network, names, kind) for kind in range(classes)),
        size=network.size,
    )


def _class(network: Demands, names: list[str], kind: int) -> OpenClass | ClosedClass:
    steps: list[Hold] = []
    for station, name in enumerate(names):
        visits: Value = network.visit_ratio(station, kind)
        demand: Value = network.demand(station, kind)
        if not _anywhere(demand):
            continue
        each = demand / (visits + (visits == 0))
        priority = 0 if network.priority is None else network.priority[station][kind]
        steps.append(Hold(name, (Time(each, network.variability(station, kind)),), visits, priority=priority))
    routes = (Route("", 1.0, tuple(steps)),)
    name, rate = f"class {kind}", network.arrival_rate[kind]
    if rate is not None:
        return OpenClass(name, rate, routes)
    return ClosedClass(
        name=name, population=network.population[kind], think_time=network.think_time[kind], routes=routes
    )


def _anywhere(demand: Any) -> bool:
    return bool(demand > 0) if isinstance(demand, int | float) else bool((demand > 0).any())
