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
    made = visits_made(solution, network)
    result: list[GroupWork] = []
    for group in network_work.groups:
        station = stations[group.name]
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
                demands[number] = demands[number] * made[number, group.label]
            else:
                demands[number] = _busy(visits, group, station.peak) / rate
        result.append(group.replace(demands=tuple(demands)))
    return tuple(result)


def visits_made(solution: RoutedSolution, network: RoutedNetwork) -> dict[tuple[int, str], float]:
    """The visits made at a group of copies over those stated for the passages completed, by class and label.

    Returns   nothing without losses, and for classes that complete no passage.
    """
    result: dict[tuple[int, str], float] = {}
    if solution.offered is None:
        return result
    stated: dict[tuple[int, str], float] = {}
    stations = {item.name: item for item in network.stations}
    for each in streams(network, FLOATS, [1.0] * len(network.classes)).streams:
        group = stations[each.station].groups[each.group]
        key = (each.class_index, group.label)
        stated[key] = stated.get(key, 0.0) + float(each.rate) * group.copies
    for number, item in enumerate(solution.classes):
        for label in {each.label for each in solution.visits if (each.chain or each.class_name) == item.name}:
            carried = total(
                each.throughput
                for each in solution.visits
                if each.label == label and (each.chain or each.class_name) == item.name
            )
            if item.throughput > 0:
                result[number, label] = float(ratio(carried / item.throughput, stated.get((number, label), 0.0)))
    return result


def _busy(visits: list[ClassStationFigures], group: GroupWork, peak: float) -> float:
    """The mean number of busy servers of a copy; of a delay that of its customers."""
    if group.capacity is None:
        return float(total(item.queue_length for item in visits)) / group.copies
    return float(total(item.utilization or 0.0 for item in visits)) * peak


def bounding(groups: Sequence[GroupWork], network: RoutedNetwork, solution: RoutedSolution) -> tuple[GroupWork, ...]:
    """The work at every group of copies, with the capacity that bounds the throughput.

    That is the last of the rates that depend on the number present, at which open classes saturate a station; but where
    some customers are closed, or lost, fewer may be there, and the largest of the rates is the bound.
    """
    if not network.closed and solution.offered is None:
        return tuple(groups)
    peaks = {item.name: item.peak for item in network.stations if item.rates is not None}
    return tuple(
        item if item.capacity is None else item.replace(capacity=peaks.get(item.name, item.capacity)) for item in groups
    )
