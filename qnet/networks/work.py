"""What the classes of a network ask of its stations, without any waits: service, demands, capacities."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.expression import FLOATS, Operations, Value, arrays, operations_for
from qnet.networks.duration import Wait
from qnet.networks.parallel.branches import breakdown
from qnet.networks.routed import RoutedNetwork
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
    """By class: seconds that servers of one copy are kept, both phases, inner service included and no waits."""

    def full_at(self, mix: Sequence[Value]) -> Value:
        """The passages per second at which the demands alone saturate every copy; infinite without demand.

        mix   the share of each class in all passages.
        """
        asked = total(share * demand for share, demand in zip(mix, self.demands, strict=True))
        idle = asked == 0
        return operations_for(asked).where(idle, float("inf"), (self.capacity or 0.0) / (asked + idle))


class RouteWork(Record):
    """The service in the response of one route."""

    class_index: int
    route: str
    probability: Value
    service: dict[str, Value]
    """By label of a station group: seconds of the first phase there, without waits; under "" those of delays."""


class NetworkWork(Record):
    """All the work of a network."""

    groups: tuple[GroupWork, ...]
    routes: tuple[RouteWork, ...]
    """In the order of the routes of a solution."""


def work(network: RoutedNetwork) -> NetworkWork:
    """The service and the demands of a network, or of every point of a batch: what would remain without any wait.

    network   any network; its arrival rates, populations and think times do not matter here.
    Returns   `NetworkWork`. Time inside a station that is held together with another is service of the inner one, and
              demand of both: it keeps servers of both.
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
