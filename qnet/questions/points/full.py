"""What is told of a system in which something may be full: what was offered, what was lost, how full buffers are."""

from __future__ import annotations

from qnet.expression import Value, operations_for, solution_name
from qnet.model.fields import OF_BUFFERS
from qnet.networks.solution import BufferFigures, RoutedSolution
from qnet.queues.arithmetic import total
from qnet.reports.report import Cell, Column

COLUMNS = (
    Column("offered", "offered", "/s"),
    Column("loss", "loss"),
    Column("places", "places"),
    Column("occupancy", "occupancy"),
    Column("found_full", "found full"),
    Column("delay_when_full", "delay when full", "s"),
    Column("drain_rate", "drain rate", "/s"),
    Column("time_to_fill", "time to fill", "s"),
)
"""What answers have beside others where something may be full."""


def lost(offered: Value, carried: Value) -> Value:
    """The share of what was offered that is lost."""
    share = (offered - carried) / (offered + (offered == 0))
    return operations_for(share).maximum([share, 0.0 * share])


def figures_of_full(solution: RoutedSolution) -> dict[str, Value]:
    """The figures that expressions may use, by name; `loss` of a station is that of all its copies."""
    result: dict[str, Value] = {}
    if solution.offered is not None:
        result = {"offered": solution.offered, "loss": lost(solution.offered, solution.throughput)}
    found: dict[str, list[tuple[Value, Value]]] = {}
    for items in (solution.stations, solution.routes, solution.classes):
        own: dict[str, list[tuple[Value, Value]]] = {}
        for item in items:
            if item.offered is not None:
                own.setdefault(item.name, []).append((item.offered, item.throughput))
        found |= own
    for name, pairs in found.items():
        offered = total(pair[0] for pair in pairs)
        result[solution_name("offered", name)] = offered
        result[solution_name("loss", name)] = lost(offered, total(pair[1] for pair in pairs))
    for item in solution.buffers:
        for name in OF_BUFFERS:
            result[solution_name(name, item.name)] = getattr(item, name)
    return result


def losing(offered: Value | None, carried: Value) -> dict[str, Cell]:
    """The cells of what may lose customers; none of what does not."""
    return {} if offered is None else {"offered": offered, "loss": lost(offered, carried)}


def buffer_cells(item: BufferFigures) -> dict[str, Cell]:
    """The cells of a buffer."""
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
