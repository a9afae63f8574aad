"""The figures of a solution that expressions may use, by name.

What is reported of a system with finite capacities: arrivals offered, arrivals lost, filling of buffers.
"""

from __future__ import annotations

from typing import Any

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
"""The additional columns of systems with finite capacities."""


def lost(offered: Value, carried: Value) -> Value:
    """The loss probability: the share of the rate offered that is not carried, 0 where nothing is offered."""
    share = (offered - carried) / (offered + (offered == 0))
    # Of rounding below 0 there remains 0, and not its negative.
    return operations_for(share).maximum([0.0 * share * share, share])


def figures_of_full(solution: RoutedSolution) -> dict[str, Value]:
    """The figures that expressions may use, by name; `loss` of a station is that of all its copies."""
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
    """The cells of what may lose customers: the rate that is offered, per second, and the share of it that is lost.

    Returns   none where `offered` is None: nothing can be lost. `carried` is the throughput.
    """
    return {} if offered is None else {"offered": offered, "loss": lost(offered, carried)}


def buffer_cells(item: BufferFigures) -> dict[str, Cell]:
    """The cells of a buffer, by column: rates per second, times in seconds, None for a time to fill without end.

    item   the figures of the buffer.
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
    """Every figure of a solution that expressions may use, by the name they use, in base units.

    Of a station with several copies: `wait`, which stations with rates do not have, is the mean over visits,
    `utilization` that of the busiest copies, `residence`, `queue_length` and `busy_servers` are totals.
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
        # A route that no customer takes still has a response.
        weighted = sum(item.throughput * item.response for item in results) + (rate == 0) * results[0].response
        result[solution_name("throughput", name)] = rate
        result[solution_name("response", name)] = weighted / (rate + (rate == 0))
    for item in solution.classes:
        result[solution_name("throughput", item.name)] = item.throughput
        result[solution_name("response", item.name)] = item.response
    if solution.offered is not None or solution.buffers:
        result |= figures_of_full(solution)
    return result


def largest_of(values: list[Value]) -> Value:
    """The largest of some values, point by point."""
    return operations_for(*values).maximum(values) if len(values) > 1 else values[0]
