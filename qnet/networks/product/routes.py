"""A network of demands as one of routes, and the warnings on its answer: those on the same network by its routes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.networks.exactness import reasons_for
from qnet.networks.product.demands import Demands
from qnet.networks.routed import ClosedClass, Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time, Turn
from qnet.networks.streams import streams
from qnet.queues.arithmetic import total


def by_routes(network: Demands) -> RoutedNetwork:
    """A network of demands as one of routes: each class visits its stations in turn, unless its routing is known.

    network  a point or a batch. With routing, open chains and closed ones of one class go from station to station as
             that says; what customers of a closed chain of several classes do in turn is not known by its demands.
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
    used: dict[int, int] = {}
    for station, name in enumerate(names):
        visits: Value = network.visit_ratio(station, kind)
        demand: Value = network.demand(station, kind)
        if not anywhere(visits):
            continue
        each = demand / (visits + (visits == 0))
        rank = network.ranks(station)[kind]
        used[station] = len(steps)
        steps.append(Hold(name, (Time(each, network.variability(station, kind)),), visits=visits, priority=rank))
    routes = (Route("", 1.0, tuple(steps)),)
    name, rate = network.class_label(kind), network.arrival_rate[kind]
    turns = _turns(network, used, kind)
    if rate is not None:
        onward = _onward(network, names, kind)
        chain = bool(onward) and network.switching is not None
        return OpenClass(name, rate, routes=routes, chain=chain, onward=onward, turns=turns if chain else ())
    return ClosedClass(
        name=name,
        population=network.population[kind],
        think_time=network.think_time[kind],
        routes=routes,
        chain=network.switching is not None,
        turns=turns,
    )


def known_order(network: Demands) -> bool:
    """Whether it is stated in which order the customers of every closed class visit the stations.

    network  of demands: with routing, and closed chains of one class each.
    """
    changing = network.switching
    return changing is not None and all(changing.chain_of.count(chain) == 1 for chain in network.closed)


def _turns(network: Demands, used: dict[int, int], chain: int) -> tuple[Turn, ...]:
    """`OpenClass.turns` of a chain of one class; empty where classes change, and where each visits stations in turn.

    used  by station that the chain visits: the step of its route.
    """
    if network.switching is None or network.switching.chain_of.count(chain) > 1:
        return ()
    *between, outside = network.switching.onward[chain]
    number = {station: index for index, station in enumerate(used, 1)}

    def ways(counts: Sequence[Value], leaves: Value) -> tuple[tuple[int, Value], ...]:
        return ((0, leaves), *((number[station], counts[station]) for station in used))

    turns = [Turn(-1, -1, ways(outside, 0.0), ends=True, think_time=network.think_time[chain])]
    for station, step in used.items():
        visits: Value = network.visit_ratio(station, chain)
        shares: list[Value] = [count / (visits + (visits == 0)) for count in between[station]]
        turns.append(Turn(0, step, ways(shares, 1.0 - total(shares))))
    return tuple(turns)


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
