"""What one passage of every route asks of the stations: busy server time, without any wait."""

from __future__ import annotations

from collections.abc import Container

from qnet.expression import Operations, Value
from qnet.networks.routed import Fork, RoutedNetwork, Step, Time
from qnet.networks.streams import streams
from qnet.record import Record


class RouteDemand(Record):
    """The demand of one route at one group of copies of a station."""

    class_name: str
    route: str
    probability: Value
    station: str
    label: str
    """The group of copies, as reports name it."""
    demand: Value
    """Seconds of server time per passage of the route, all visits and both phases."""


def route_demands(network: RoutedNetwork, operations: Operations, work: Container[str] = ()) -> tuple[RouteDemand, ...]:
    """The demand of every route at every group of copies, in the order of the classes, routes and stations.

    The demand is visits x the time that a server is kept, work after the response included. A station that is held
    while others are used counts all of that time, and none of the waits for them; the others count theirs.
    By this definition the utilization law U = X D / servers (@denning1978) holds at every station that holds no waits.

    network      numbers, arrays of one value per point, or symbols.
    operations   what the numbers are.
    work         the kinds of work that count; empty for all work.
    """
    routes = [(item, route) for item in network.classes for route in item.routes]
    alone = tuple(
        item.replace(
            name=f"{index}",
            routes=(route.replace(probability=1.0, steps=only_work(route.steps, work) if work else route.steps),),
        )
        for index, (item, route) in enumerate(routes)
    )
    result: dict[tuple[int, str, int], Value] = {}
    for stream in streams(network.replace(classes=alone), operations, [1.0] * len(alone)).streams:
        key = (stream.class_index, stream.station, stream.group)
        part = stream.rate * stream.holding.mean
        result[key] = result[key] + part if key in result else part
    return tuple(
        RouteDemand(
            item.name, route.name, route.probability, station.name, group.label,
            result.get((number, station.name, index), 0.0) * group.copies,
        )
        for number, (item, route) in enumerate(routes)
        for station in network.stations
        for index, group in enumerate(station.groups)
    )  # fmt: skip


def only_work(steps: tuple[Step, ...], work: Container[str], around: str = "") -> tuple[Step, ...]:
    """The steps, with no time where the work is of another kind; `around` is the kind of the hold around them."""
    result: list[Step] = []
    for step in steps:
        kind = step.work or around
        if isinstance(step, Time):
            result.append(step if kind in work else step.replace(mean=0.0 * step.mean))
        elif isinstance(step, Fork):
            branches = tuple(branch.replace(steps=only_work(branch.steps, work, kind)) for branch in step.branches)
            result.append(step.replace(branches=branches))
        else:
            result.append(step.replace(steps=only_work(step.steps, work, kind)))
    return tuple(result)
