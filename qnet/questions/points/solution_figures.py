"""The figures of a solution that expressions may use, by name; and their order, in which rounding does not count.

With finite capacities: the offered arrival rates, the loss probabilities, and the figures of buffers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from qnet.expression import Value, operations_for, solution_name
from qnet.model.fields import OF_BUFFERS
from qnet.networks.solution import BufferFigures, RoutedSolution
from qnet.queues.arithmetic import total
from qnet.reports.content import Cell, Column

COLUMNS = (
    Column("offered", "offered", "/s"),
    Column("loss", "loss"),
    Column("places", "places"),
    Column("occupancy", "occupancy"),
    Column("found_full", "blocking probability"),
    Column("delay_when_full", "delay when full", "s"),
    Column("drain_rate", "drain rate", "/s"),
    Column("time_to_fill", "time to fill", "s"),
)
"""The additional columns of reports on systems with finite capacities."""

_NEAR = 1e-9
"""The relative difference up to which figures are equal; any small number above rounding works."""
_Item = TypeVar("_Item")


def same(one: float, other: float) -> bool:
    """Whether two figures, `one` and `other`, are equal but for rounding: to 1e-9 of the larger."""
    return abs(one - other) <= _NEAR * max(abs(one), abs(other))


def rising(items: Iterable[_Item], size: Callable[[_Item], float]) -> list[_Item]:
    """The items sorted by size, ascending; items of equal size, as by `same`, remain in the given order.

    items   in the order of the model.
    size    the figure of an item by which to sort.
    """
    given = list(items)
    result: list[_Item] = []
    identical: list[int] = []
    for position in sorted(range(len(given)), key=lambda position: size(given[position])):
        if identical and not same(size(given[identical[0]]), size(given[position])):
            result += [given[index] for index in sorted(identical)]
            identical = []
        identical.append(position)
    return result + [given[index] for index in sorted(identical)]


def lost(offered: Value, carried: Value) -> Value:
    """The loss probability: the share of the offered rate that is not carried; 0 where nothing is offered.

    offered, carried  rates per second, numbers or arrays.
    """
    share = (offered - carried) / (offered + (offered == 0))
    # Rounding may leave a negative share; the product makes it 0, not -0.
    return operations_for(share).maximum([0.0 * share * share, share])


def loss_figures(solution: RoutedSolution) -> dict[str, Value]:
    """The figures of offered arrival rates, losses and buffers, by the names of expressions.

    `offered` and `loss` of a station, a route or a class are those of all its copies, or of all of that name.
    """
    result: dict[str, Value] = {}
    if solution.offered is not None:
        result = {"offered": solution.offered, "loss": lost(solution.offered, solution.throughput)}
    results: dict[str, list[tuple[Value, Value]]] = {}
    for items in (solution.stations, solution.routes, solution.classes):
        selected: dict[str, list[tuple[Value, Value]]] = {}
        for item in items:
            if item.offered is not None:
                selected.setdefault(item.name, []).append((item.offered, item.throughput))
        results |= selected
    for name, pairs in results.items():
        offered = total(pair[0] for pair in pairs)
        result[solution_name("offered", name)] = offered
        result[solution_name("loss", name)] = lost(offered, total(pair[1] for pair in pairs))
    for item in solution.buffers:
        for name in OF_BUFFERS:
            result[solution_name(name, item.name)] = getattr(item, name)
    return result


def losing(offered: Value | None, carried: Value) -> dict[str, Cell]:
    """The cells `offered` and `loss` of a station, route, class or system that may lose customers.

    offered   the arrival rate per second; None where no customer can be lost.
    carried   the throughput per second.
    Returns   column -> cell; empty where `offered` is None.
    """
    return {} if offered is None else {"offered": offered, "loss": lost(offered, carried)}


def buffer_cells(item: BufferFigures) -> dict[str, Cell]:
    """The cells of a buffer.

    item      the figures of the buffer.
    Returns   column -> cell: rates per second, times in seconds; the drain rate is None without throughput, the time to
              fill where the buffer never fills from empty.
    """
    return {
        "name": item.name,
        "throughput": item.throughput,
        "offered": item.offered,
        "limited_by": item.drained_by,
        "places": item.places,
        "occupancy": item.occupancy,
        "found_full": item.found_full,
        "delay_when_full": item.delay_when_full,
        "drain_rate": item.drain_rate if item.throughput > 0 else None,
        "time_to_fill": item.time_to_fill if item.time_to_fill < float("inf") else None,
    }


def figures(solution: RoutedSolution) -> dict[str, Value]:
    """Every figure of a solution that expressions may use, by its name in expressions, in base units.

    Of a station with several copies `wait` is the mean over visits, `utilization` that of the busiest copies, and
    `residence`, `queue_length` and `busy_servers` are totals. A station with load-dependent rates has no `wait`.
    """
    result: dict[str, Value] = {"throughput": solution.throughput, "response": solution.response}
    stations: dict[str, list[Any]] = {}
    for item in solution.stations:
        stations.setdefault(item.name, []).append(item)
    for name, groups in stations.items():
        visits = sum(item.throughput for item in groups)
        waits = [item.wait * item.throughput for item in groups if item.wait is not None]
        used = [item.utilization for item in groups if item.utilization is not None]
        if waits:
            result[solution_name("wait", name)] = sum(waits) / (visits + (visits == 0))
        result[solution_name("residence", name)] = sum(item.residence for item in groups)
        result[solution_name("utilization", name)] = largest_of(used) if used else 0.0 * visits
        result[solution_name("queue_length", name)] = sum(item.queue_length for item in groups)
        result[solution_name("busy_servers", name)] = sum(item.busy_servers for item in groups)
    routes: dict[str, list[Any]] = {}
    for route in [*solution.routes, *solution.classes]:
        routes.setdefault(route.name, []).append(route)
    for name, results in routes.items():
        rate = sum(item.throughput for item in results)
        # A route without throughput still has a response.
        weighted = sum(item.throughput * item.response for item in results) + (rate == 0) * results[0].response
        result[solution_name("throughput", name)] = rate
        result[solution_name("response", name)] = weighted / (rate + (rate == 0))
    for item in solution.classes:
        result[solution_name("throughput", item.name)] = item.throughput
        result[solution_name("response", item.name)] = item.response
    if solution.offered is not None or solution.buffers:
        result |= loss_figures(solution)
    return result


def largest_of(values: list[Value]) -> Value:
    """The largest of one or more values, at each point of a batch."""
    return operations_for(*values).maximum(values) if len(values) > 1 else values[0]
