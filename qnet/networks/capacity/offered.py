"""Figures of those who complete their routes, with what was offered beside."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.expression import Value
from qnet.networks.capacity.thinned import Losses
from qnet.networks.routed import RoutedNetwork
from qnet.networks.solution import RoutedSolution, RouteFigures, StationFigures
from qnet.networks.streams import Key
from qnet.queues.arithmetic import total


def with_offered(
    solution: RoutedSolution, network: RoutedNetwork, rates: Sequence[Value], losses: Losses
) -> RoutedSolution:
    """The solution with what was offered.

    network   as stated.
    rates     passages per second of every class that begin.
    losses    what is lost where.
    """
    stated = {
        (customers.name, route.name): (rate, route.probability)
        for customers, rate in zip(network.classes, rates, strict=True)
        for route in customers.routes
    }
    told: list[StationFigures] = []
    places: dict[str, int] = {}
    for item in solution.stations:
        place = places.get(item.name, 0)
        places[item.name] = place + 1
        key: Key = (item.name, place)
        kept = losses.stations.get(key)
        told.append(item if kept is None else item.replace(offered=item.throughput / kept))
    found: list[RouteFigures] = []
    for item in solution.routes:
        rate, probability = stated[item.class_name, item.name]
        found.append(item.replace(probability=probability, offered=rate * probability))
    return solution.replace(
        offered=total(rates),
        classes=tuple(item.replace(offered=rate) for item, rate in zip(solution.classes, rates, strict=True)),
        routes=tuple(found),
        stations=tuple(told),
    )
