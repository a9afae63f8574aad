"""Responses of a solved chain: the numbers of customers waiting for theirs, over the passages that end (Little)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.networks.routed import RoutedNetwork
from qnet.networks.solution import RoutedSolution, RouteFigures
from qnet.networks.states.figures import Where
from qnet.queues.arithmetic import total


def responses(
    solution: RoutedSolution,
    network: RoutedNetwork,
    throughputs: Sequence[Value],
    ended: Mapping[tuple[int, int], Value],
    spent: Mapping[Where, Value],
) -> RoutedSolution:
    """The solution with responses and residences from the states.

    solution     its other figures; without passages, its responses are kept.
    throughputs  passages per second that end, by class.
    ended        the same by class and route, of classes with several routes.
    spent        the mean number of customers before their response, by where they are.
    Law          Little's law for the customers of a route at a station. Where customers are lost that have spent time,
                 that time is counted as well.
    """
    operations: Operations = FLOATS if network.size is None else arrays()
    labels = {
        (station.name, index): group.label for station in network.stations for index, group in enumerate(station.groups)
    }
    labels["", 0] = ""

    def over(number: Value, rate: Value, before: Value) -> Value:
        idle = rate == 0
        return operations.where(idle, before, number / (rate + idle))

    def at(*wanted: object) -> Value:
        return total(number for where, number in spent.items() if _matches(where, wanted)) + 0.0

    indices = [
        (kind, number)
        for kind, item in enumerate(network.classes)
        if not item.chain
        for number in range(len(item.routes))
    ]
    kinds: list[tuple[int, int | None]] = []
    for kind, item in enumerate(network.classes):
        # A chain is reported by its classes.
        kinds += [(kind, number) for number in range(len(item.routes))] if item.chain else [(kind, None)]
    routes: list[RouteFigures] = []
    for (kind, number), item in zip(indices, solution.routes, strict=True):
        rate = ended.get((kind, number), throughputs[kind])
        parts = {
            label: over(at(kind, number, *key), rate, item.spent.get(label, 0.0))
            for key, label in labels.items()
            if label in item.spent or (kind, number, *key) in spent
        }
        routes.append(item.replace(throughput=rate, response=over(at(kind, number), rate, item.response), spent=parts))
    classes = tuple(
        item.replace(response=over(at(kind), throughputs[kind], item.response))
        for kind, item in enumerate(solution.classes)
    )
    everybody = total(throughputs)
    keys = [(station.name, index) for station in network.stations for index in range(len(station.groups))]
    return solution.replace(
        routes=tuple(routes),
        classes=classes,
        response=over(at(), everybody, solution.response),
        stations=tuple(
            item.replace(residence=over(at(None, None, *key), everybody, item.residence))
            for key, item in zip(keys, solution.stations, strict=True)
        ),
        visits=tuple(
            item.replace(residence=over(at(kind, number, *key), throughputs[kind], item.residence))
            for (key, (kind, number)), item in zip(product(keys, kinds), solution.visits, strict=True)
        ),
    )


def _matches(where: Where, wanted: Sequence[object]) -> bool:
    """Whether class, route and station are those wanted; None matches any."""
    return all(item is None or item == each for each, item in zip(where, wanted, strict=False))
