"""The service and the demands of the passages that a solution describes: those that are completed.

Without losses, and without parallel steps, they are those of the network.
"""

from __future__ import annotations

from collections.abc import Sequence

from qnet.expression import FLOATS
from qnet.networks.routed import RoutedNetwork
from qnet.networks.solution import ClassStationFigures, RoutedSolution
from qnet.networks.streams import streams
from qnet.networks.work import GroupWork, NetworkWork, RouteWork
from qnet.queues.arithmetic import ratio, total


def service_of_passages(solution: RoutedSolution, network_work: NetworkWork, network: RoutedNetwork) -> NetworkWork:
    """The work, with the service of the passages that are completed.

    solution      of the network.
    network_work  its work as stated.
    network       of the solution.
    Returns  the service of the solution for routes with parallel steps, whose branches wait for each other, and where
             customers may be lost: there residence times are of the passages that are completed, which make fewer of
             the visits at which customers are lost, and take the routes of such visits less often.
    """
    figures = iter(solution.routes)
    result: list[RouteWork] = []
    for each in network_work.routes:
        route = None if network.classes[each.class_index].chain else next(figures)
        if route and route.served is not None:
            each = each.replace(service=route.served)
        if route and route.offered is not None:
            completed = float(solution.classes[each.class_index].throughput)
            if completed > 0:
                each = each.replace(probability=float(route.throughput) / completed)
        result.append(each)
    return network_work.replace(routes=tuple(result))


def demands_of_passages(
    solution: RoutedSolution, network_work: NetworkWork, network: RoutedNetwork
) -> tuple[GroupWork, ...]:
    """The work at every group of copies, with the demands per passage that is completed.

    solution, network_work, network   as of `service_of_passages`.
    Returns  the demands as stated without losses. With losses a station serves fewer visits than stated, and some of
             them for passages that are lost later: the demand is what its servers do over the passages completed.
    Law      D = U c / X (utilization law, @denning1978); where servers also wait for inner stations, the visits made
             over those stated (forced flow law).
    """
    if solution.offered is None:
        return network_work.groups
    rates = [float(item.throughput) for item in solution.classes]
    stations = {item.name: item for item in network.stations}
    compiled = streams(network, FLOATS, [1.0] * len(network.classes))
    result: list[GroupWork] = []
    for group in network_work.groups:
        station = stations[group.name]
        labels = {index: item.label for index, item in enumerate(station.groups)}
        demands = list(group.demands)
        for number, (item, rate) in enumerate(zip(solution.classes, rates, strict=True)):
            visits = [
                each
                for each in solution.visits
                if each.label == group.label and (each.chain or each.class_name) == item.name
            ]
            if rate <= 0 or not visits:
                continue
            if group.label in solution.held_by:
                stated = total(
                    each.rate
                    for each in compiled.streams
                    if each.class_index == number
                    and (each.station, labels.get(each.group)) == (group.name, group.label)
                )
                made = float(total(each.throughput for each in visits)) / group.copies / rate
                demands[number] = demands[number] * ratio(made, float(stated))
            else:
                demands[number] = _busy(visits, group, station.peak) / rate
        result.append(group.replace(demands=tuple(demands)))
    return tuple(result)


def _busy(visits: list[ClassStationFigures], group: GroupWork, peak: float) -> float:
    """The mean number of busy servers of a copy; of a delay that of its customers."""
    if group.capacity is None:
        return float(total(item.queue_length for item in visits)) / group.copies
    return float(total(item.utilization or 0.0 for item in visits)) * peak


def bounding(groups: Sequence[GroupWork], network: RoutedNetwork, solution: RoutedSolution) -> tuple[GroupWork, ...]:
    """The work at every group of copies, with the capacity that bounds the throughput.

    That is the last of the rates that depend on the number present, at which open classes saturate a station; but where
    some customers are closed, or lost, fewer may be there, and the largest rate is the bound.
    """
    if not network.closed and solution.offered is None:
        return tuple(groups)
    peaks = {item.name: item.peak for item in network.stations if item.rates is not None}
    return tuple(
        item if item.capacity is None else item.replace(capacity=peaks.get(item.name, item.capacity)) for item in groups
    )
