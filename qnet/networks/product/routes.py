"""A network of demands as one of routes, and the warnings that this gives for its solution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.networks.exactness import reasons_for
from qnet.networks.product.demands import Demands
from qnet.networks.routed import ClosedClass, Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time, Turn
from qnet.networks.streams import streams

if TYPE_CHECKING:
    from qnet.networks.product.switching import Switching


def by_routes(network: Demands) -> RoutedNetwork:
    """A network of demands as one of routes: each class visits its stations in turn, unless its routing is known.

    network  a point or a batch; with routing, customers move and change class by it.
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
        tuple(_class(network, names, class_index) for class_index in range(classes)),
        size=network.size,
    )


def _class(network: Demands, names: list[str], class_index: int) -> OpenClass | ClosedClass:
    """A class that visits its stations in turn, or a chain with routing."""
    if network.switching is not None:
        return _chain(network, network.switching, names, class_index)
    steps: list[Hold] = []
    for station, name in enumerate(names):
        visits: Value = network.visit_ratio(station, class_index)
        demand: Value = network.demand(station, class_index)
        if not anywhere(visits):
            continue
        each = demand / (visits + (visits == 0))
        rank = network.ranks(station)[class_index]
        steps.append(Hold(name, (Time(each, network.variability(station, class_index)),), visits=visits, priority=rank))
    routes = (Route("", 1.0, tuple(steps)),)
    name, rate = network.class_label(class_index), network.arrival_rate[class_index]
    if rate is not None:
        return OpenClass(name, rate, routes=routes)
    return ClosedClass(
        name=name, population=network.population[class_index], think_time=network.think_time[class_index], routes=routes
    )


def _chain(network: Demands, changing: Switching, names: list[str], chain: int) -> OpenClass | ClosedClass:
    """A chain: the visits of its customers as each of its classes, and the transitions between them."""
    steps: dict[int, list[Hold]] = {
        class_index: [] for class_index, one in enumerate(changing.chain_of) if one == chain
    }
    states: dict[tuple[int, int], Turn] = {}
    for number, (class_index, holds) in enumerate(steps.items()):
        for station, name in enumerate(names):
            visits: Value = changing.visits[station][class_index]
            if not anywhere(visits):
                continue
            each = changing.demands[station][class_index] / (visits + (visits == 0))
            states[station, class_index] = Turn(number, len(holds), ())
            rank = network.ranks(station)[chain]
            holds.append(Hold(name, (Time(each, changing.scv[station][class_index]),), visits=visits, priority=rank))
    name, rate, thinking = network.class_label(chain), network.arrival_rate[chain], network.think_time[chain]
    routes = tuple(Route(changing.class_label(class_index), 1.0, tuple(holds)) for class_index, holds in steps.items())
    if rate is not None:
        onward, turns = _onward(changing, names, chain), _open_turns(changing, states, rate)
        return OpenClass(name, rate, routes=routes, chain=True, onward=onward, turns=turns)
    return ClosedClass(
        name=name,
        population=network.population[chain],
        think_time=thinking,
        routes=routes,
        chain=True,
        turns=_closed_turns(changing, states, thinking),
    )


_States = dict[tuple[int, int], Turn]
"""By station and class, the turn of a customer of a chain there, without the next turns."""


def _open_turns(changing: Switching, states: _States, rate: Value) -> tuple[Turn, ...]:
    """The turns of an open chain, which begin and end outside.

    rate  of all arrivals together.
    """
    number = {state: index for index, state in enumerate(states, 1)}
    entering = tuple(
        (number[station, class_index], changing.arrivals[station][class_index] / (rate + (rate == 0)))
        for station, class_index in states
    )
    turns = [Turn(-1, -1, entering, ends=True)]
    for state, turn in states.items():
        ways = _ways(changing, state, number)
        leaving = max(0.0, 1.0 - sum(share for _, share in ways))
        turns.append(turn.replace(onward=(*ways, (0, leaving))))
    return tuple(turns)


def _closed_turns(changing: Switching, states: _States, thinking: Value) -> tuple[Turn, ...]:
    """The turns of a closed chain: a passage ends on arrival at the reference, before any think time."""
    arriving = [class_index for station, class_index in states if station == changing.reference]
    thoughts = arriving if anywhere(thinking) else []
    number = {state: index for index, state in enumerate(states, len(thoughts))}
    enters = number | {(changing.reference, class_index): index for index, class_index in enumerate(thoughts)}
    turns = [
        Turn(-1, -1, ((number[changing.reference, class_index], 1.0),), ends=True, think_time=thinking)
        for class_index in thoughts
    ]
    for state, turn in states.items():
        ends = not thoughts and state[0] == changing.reference
        turns.append(turn.replace(onward=_ways(changing, state, enters), ends=ends))
    return tuple(turns)


def _ways(
    changing: Switching, state: tuple[int, int], number: Mapping[tuple[int, int], int]
) -> tuple[tuple[int, float], ...]:
    """The next turns from a station as a class: pairs of index and probability."""
    classes = len(changing.chain_of)
    row = changing.routing[state[0] * classes + state[1]]
    shares = ((index, row[station * classes + class_index]) for (station, class_index), index in number.items())
    return tuple((index, share) for index, share in shares if share > 0)


def _onward(changing: Switching, names: list[str], chain: int) -> tuple[tuple[str, str, Value], ...]:
    """The transitions of a chain, as `OpenClass.onward`."""
    *between, outside = changing.onward[chain]
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
"""The code of the warnings of `unstated_visits`."""
_IN_ORDER = ("fcfs", "priority", "preemptive")


def route_reasons(network: Demands, method: str, throughput: Sequence[Value]) -> tuple[str, ...]:
    """Why an answer is approximate, with warnings beyond the region in which its error was measured as small.

    network      a point, or a batch: then the reasons of all variants together.
    method       the method of the answer.
    throughput   passages per second of every class in it.
    Returns      the reasons of the same network given by routes, `Beyond` ones with a warning; empty for none.
    """
    operations: Operations = FLOATS if network.size is None else arrays()
    routed = by_routes(network)
    return reasons_for(routed, streams(routed, operations, throughput), operations, method)


def unstated_visits(network: Demands) -> tuple[str, ...]:
    """Stations in order of arrival for which it is not stated whether a class without demand visits them.

    A customer without service time would wait there behind the others. Without `visits`, a class is taken not to visit
    a station where its demand is 0.

    Returns   a text for each such station with its classes; empty for none.
    """
    if network.visits is not None:
        return ()
    stations, classes = network.shape
    result: list[str] = []
    names = network.class_names or [str(class_index) for class_index in range(classes)]
    for station in range(stations):
        if network.delay[station] or network.disciplines[station] not in _IN_ORDER:
            continue
        busy = [anywhere(network.demand(station, class_index)) for class_index in range(classes)]
        absent = [
            names[class_index]
            for class_index in range(classes)
            if not busy[class_index] and not network.nobody(class_index)
        ]
        if any(busy) and absent:
            who = f"class {absent[0]} has" if len(absent) == 1 else f"classes {', '.join(absent)} have"
            where = network.station_label(station)
            text = f"{who} no demand at {where}, first come first served, and visits are not stated"
            result.append(f"{text}: taken not to visit it, hence not to wait there")
    return tuple(result)
