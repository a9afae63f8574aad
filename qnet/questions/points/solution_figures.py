"""The figures of a solution that expressions may use, by name."""

from __future__ import annotations

from typing import Any

from qnet.expression import Value, solution_name
from qnet.networks.solution import RoutedSolution


def figures(solution: RoutedSolution) -> dict[str, Value]:
    """Every figure that expressions may use, by the name they use.

    Of a station with several copies: `wait` is the mean over visits, `utilization` that of the busiest copies,
    `residence`, `queue_length` and `busy_servers` are totals.
    """
    result: dict[str, Value] = {"throughput": solution.throughput, "response": solution.response}
    stations: dict[str, list[Any]] = {}
    for item in solution.stations:
        stations.setdefault(item.name, []).append(item)
    for name, groups in stations.items():
        visits = sum(item.throughput for item in groups)
        waits = sum(item.wait * item.throughput for item in groups)
        used = [item.utilization for item in groups if item.utilization is not None]
        result[solution_name("wait", name)] = waits / (visits + (visits == 0))
        result[solution_name("residence", name)] = sum(item.residence for item in groups)
        result[solution_name("utilization", name)] = largest_of(used) if used else 0.0 * visits
        result[solution_name("queue_length", name)] = sum(item.queue_length for item in groups)
        result[solution_name("busy_servers", name)] = sum(item.busy_servers for item in groups)
    routes: dict[str, list[Any]] = {}
    for route in [*solution.routes, *solution.classes]:
        routes.setdefault(route.name, []).append(route)
    for name, found in routes.items():
        rate = sum(item.throughput for item in found)
        # A route that nobody takes still has a response.
        weighted = sum(item.throughput * item.response for item in found) + (rate == 0) * found[0].response
        result[solution_name("throughput", name)] = rate
        result[solution_name("response", name)] = weighted / (rate + (rate == 0))
    for item in solution.classes:
        result[solution_name("throughput", item.name)] = item.throughput
        result[solution_name("response", item.name)] = item.response
    if solution.offered is not None or solution.buffers:
        from qnet.questions.points.full import figures_of_full

        result |= figures_of_full(solution)
    return result


def largest_of(values: list[Value]) -> Value:
    """The largest of some values, point by point."""
    from qnet.expression import operations_for

    return operations_for(*values).maximum(values) if len(values) > 1 else values[0]
