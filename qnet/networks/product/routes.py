"""A network of demands as one of routes."""

from __future__ import annotations

from typing import Any

from qnet.expression import Value
from qnet.networks.product.demands import Demands
from qnet.networks.routed import ClosedClass, Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time


def by_routes(network: Demands) -> RoutedNetwork:
    """A network of demands as one of routes: each class visits its stations in turn, unless its routing is known.

    network  a point or a batch. Open chains of a network with routing go from station to station as that says.
    """
    stations, classes = network.shape
    names = [network.station_label(station) for station in range(stations)]
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
        if not anywhere(visits):
            continue
        each = demand / (visits + (visits == 0))
        rank = network.ranks(station)[kind]
        steps.append(Hold(name, (Time(each, network.variability(station, kind)),), visits=visits, priority=rank))
    routes = (Route("", 1.0, tuple(steps)),)
    name, rate = network.class_label(kind), network.arrival_rate[kind]
    if rate is not None:
        onward = _onward(network, names, kind)
        return OpenClass(name, rate, routes=routes, chain=bool(onward), onward=onward)
    return ClosedClass(
        name=name, population=network.population[kind], think_time=network.think_time[kind], routes=routes
    )


def _onward(network: Demands, names: list[str], chain: int) -> tuple[tuple[str, str, Value], ...]:
    """`OpenClass.onward` of a chain that goes from station to station; empty where it visits one at most."""
    if network.switching is None:
        return ()
    *between, outside = network.switching.onward[chain]
    if not any(anywhere(count) for row in between for count in row):
        return ()
    rows = [*zip(names, between, strict=True), ("", outside)]
    return tuple(
        (origin, target, count)
        for origin, row in rows
        for target, count in zip(names, row, strict=True)
        if anywhere(count)
    )


def anywhere(demand: Any) -> bool:
    """Whether a demand, or that of some variant of a batch, is positive."""
    return bool(demand > 0) if isinstance(demand, int | float) else bool((demand > 0).any())
