"""The service, demands and capacities of a network, without any waits."""

from __future__ import annotations

from collections.abc import Container, Sequence

from qnet.expression import FLOATS, Operations, Value, arrays, operations_for
from qnet.networks.duration import Wait
from qnet.networks.parallel.branches import breakdown
from qnet.networks.routed import Fork, RoutedNetwork, Step, Time
from qnet.networks.streams import streams
from qnet.queues.arithmetic import total
from qnet.record import Record


class GroupWork(Record):
    """The work of one group of copies of a station, per passage of each class."""

    name: str
    label: str
    copies: int
    capacity: float | None
    """The capacity of a copy with many customers: its servers, or its last rate; None at a delay."""
    demands: tuple[Value, ...]
    """By class: seconds that servers of one copy are kept per passage, both phases, inner service included, no
    waits."""

    def full_at(self, mix: Sequence[Value]) -> Value:
        """The passages per second at which the demands alone saturate the copies; infinite without demand.

        mix   the share of each class in all passages.
        """
        demand = total(share * each for share, each in zip(mix, self.demands, strict=True))
        idle = demand == 0
        return operations_for(demand).where(idle, float("inf"), (self.capacity or 0.0) / (demand + idle))


class RouteWork(Record):
    """The service in the response of one route."""

    class_index: int
    route: str
    probability: Value
    service: dict[str, Value]
    """By label of a station group: seconds of service in the response; under "" those of delays."""


class NetworkWork(Record):
    """All the work of a network."""

    groups: tuple[GroupWork, ...]
    routes: tuple[RouteWork, ...]
    """In the order of the routes of a solution."""


def work(network: RoutedNetwork) -> NetworkWork:
    """The service and the demands of a network, or of every point of a batch.

    network   any network; its arrival rates, populations and think times do not matter here.
    Returns   `NetworkWork`. Time at a station inside the hold of another is service of the inner one, but demand of
              both, since it keeps servers of both.
    Laws      Service demand is visits times holding time; throughput can reach capacity / demand (utilization law).
    Source    @denning1978
    """
    operations: Operations = FLOATS if network.size is None else arrays()
    compiled = streams(network, operations, [1.0] * len(network.classes))
    members = compiled.members()
    labels = {("", 0): ""}
    groups: list[GroupWork] = []
    for station in network.stations:
        for index, group in enumerate(station.groups):
            key = (station.name, index)
            labels[key] = group.label
            selected = [compiled.streams[item] for item in members[key]]
            demands = tuple(
                total(item.rate * item.holding.mean for item in selected if item.class_index == number)
                for number in range(len(network.classes))
            )
            most = float(station.servers) if station.rates is None else station.rates[-1]
            capacity = None if station.delay else most
            groups.append(GroupWork(station.name, group.label, group.copies, capacity, demands))
    nobody = [Wait(0.0, 0.0)] * len(compiled.streams)
    routes: list[RouteWork] = []
    for item in compiled.routes:
        service = {labels[key]: duration.mean for key, duration in item.parts.items()}
        for fork in item.forks:
            for key, part in breakdown(fork, nobody, [0.0] * len(nobody), operations).parts.items():
                service[labels[key]] = service.get(labels[key], 0.0) + fork.count * part
        routes.append(RouteWork(item.class_index, item.route, item.probability, service))
    return NetworkWork(tuple(groups), tuple(routes))


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

    The demand is visits x the time that a server is kept, second phases included. A station that is held while others
    are used has their service, without the waits for it, in its demand too.
    By this definition the utilization law U = X D / servers (@denning1978) holds at every station that holds no waits.

    network      with floats, arrays of one value per point, or symbols.
    operations   those of its numbers.
    work         the kinds of work that count; empty for all kinds.
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
    """The steps, with times of 0 for work of other kinds; `around` is the kind of the enclosing hold."""
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
