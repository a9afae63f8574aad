"""Parallel steps, by a solved chain: how long they take, and what each of their branches has of that."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from qnet.expression import Operations, Value
from qnet.networks.figures import Steady
from qnet.networks.parallel.branches import Breakdown, breakdown
from qnet.networks.solution import RoutedSolution
from qnet.networks.states.figures import SolvedChain, Where
from qnet.networks.streams import Key
from qnet.queues.arithmetic import ratio, total
from qnet.record import Record

Column = Callable[[Sequence[float]], Value]


class BranchCustomers(Record):
    """The customers in parallel steps, by station."""

    spent: dict[Where, Value]
    """How many of them count for a station."""
    served: dict[tuple[int, int], dict[Key, tuple[Value, Value]]]
    """By class and route, and station: what a passage is served there as estimated from the waits alone, and here."""


def spread(
    steady: Steady, result: Sequence[SolvedChain], throughputs: Sequence[Value], column: Column
) -> BranchCustomers:
    """Count the customers in parallel steps for the stations of the branches.

    Method   A step is split among stations in the proportions that the waits of its branches give it, as in
             `parallel.breakdown`.
    """
    spent: dict[Where, Value] = {}
    served: dict[tuple[int, int], dict[Key, tuple[Value, Value]]] = {}
    for (kind, route), indices in _steps(result).items():
        for index, step in zip(indices, _figures(steady, kind, route), strict=True):
            inside = column([point.under_way[index] for point in result])
            overall = total(step.parts.values())
            rate = throughputs[kind]
            table = served.setdefault((kind, route), {})
            for key, part in step.parts.items():
                where = (kind, route, *key)
                number = inside * ratio(part, overall)
                spent[where] = spent.get(where, 0.0) + number
                share = ratio(step.served[key], part)
                before = table.get(key, (0.0, 0.0))
                # What a passage is served may not be more than it spends.
                table[key] = (before[0] + step.fork.count * step.served[key], before[1] + ratio(number * share, rate))
    return BranchCustomers(spent, served)


def with_branches(
    solution: RoutedSolution, steady: Steady, result: Sequence[SolvedChain], extra: BranchCustomers, column: Column
) -> RoutedSolution:
    """The solution with the times of branches, and what routes with parallel steps are served."""
    made = result[0].program
    network, operations = steady.network, steady.operations
    branches = list(solution.branches)
    position = 0
    for number, fork in enumerate(made.forks):
        begun = column([point.often.get(fork.begun, 0.0) for point in result])
        overall = ratio(column([point.under_way[number] for point in result]), begun)
        for branch, ended, awaited in fork.branches:
            item = branches[position]
            under_way = column([point.branches.get(branch, 0.0) for point in result])
            waited = column([point.often.get(awaited, 0.0) for point in result])
            branches[position] = item.replace(
                time=_over(under_way, column([point.often.get(ended, 0.0) for point in result]), item.time, operations),
                total=_over(overall * begun, begun, item.total, operations),
                awaited=_over(waited, begun, item.awaited, operations),
            )
            position += 1
    routes = list(solution.routes)
    indices = [
        (kind, number)
        for kind, item in enumerate(network.classes)
        if not item.chain
        for number in range(len(item.routes))
    ]
    for index, key in enumerate(indices):
        served = routes[index].served
        if served is None or key not in extra.served:
            continue
        labels = {steady.labels.get(station, ""): both for station, both in extra.served[key].items()}
        routes[index] = routes[index].replace(
            served={
                label: mean - labels[label][0] + labels[label][1] if label in labels else mean
                for label, mean in served.items()
            }
        )
    return solution.replace(branches=tuple(branches), routes=tuple(routes))


def _over(number: Value, rate: Value, before: Value, operations: Operations) -> Value:
    """A time by Little's law; the earlier value without arrivals."""
    idle = rate == 0
    return operations.where(idle, before, number / (rate + idle))


def _steps(result: Sequence[SolvedChain]) -> dict[tuple[int, int], list[int]]:
    """By class and route its parallel steps, in their order."""
    indices: dict[tuple[int, int], list[int]] = {}
    for number, fork in enumerate(result[0].program.forks):
        indices.setdefault((fork.kind, fork.route), []).append(number)
    return indices


def _figures(steady: Steady, kind: int, route: int) -> list[Breakdown]:
    """The parallel steps of a route, as the waits at its stations have them."""
    selected = [item for item in steady.compiled.routes if item.class_index == kind][route]
    return [breakdown(fork, steady.waits, steady.identical, steady.operations) for fork in selected.forks]
