"""Classes that differ only in names and numbers of customers, solved as one class.

Customers of such classes are indistinguishable, so that one class with all of them is the same network. They are joined
where a method then applies that is known for one class only: subnetworks with a limited number of customers; and where
no method has an answer for them apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, cast

import numpy as np

from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.networks.memory.regions import applies, regions
from qnet.networks.routed import ClosedClass, OpenClass, Route, RoutedNetwork, nested
from qnet.networks.solution import (
    BranchFigures,
    ClassFigures,
    ClassStationFigures,
    Passages,
    RoutedSolution,
    RouteFigures,
)
from qnet.networks.streams import Stream, streams
from qnet.networks.wanted import Divided
from qnet.queues.arithmetic import total
from qnet.record import Record

_Class = OpenClass | ClosedClass


class IdenticalClasses(Record):
    """A network, and its classes in groups of identical ones."""

    network: RoutedNetwork
    groups: tuple[tuple[int, ...], ...]
    """The indices of the classes of each group, in the order of their first classes."""

    def joined(self) -> RoutedNetwork:
        """The network with one class for each group, named after its first class."""
        classes = self.network.classes
        result: list[_Class] = []
        for group in self.groups:
            first, amount = classes[group[0]], total(_amount(classes[index]) for index in group)
            result.append(
                first.replace(arrival_rate=amount) if isinstance(first, OpenClass) else first.replace(population=amount)
            )
        profiles = tuple(
            item.replace(network=IdenticalClasses(item.network, self.groups).joined()) for item in self.network.profiles
        )
        return self.network.replace(classes=tuple(result), profiles=profiles)

    def apart(self, solution: RoutedSolution) -> RoutedSolution:
        """The solution of the network from that of the joined one: each class has its share of the customers."""
        network, classes = self.network, self.network.classes
        operations: Operations = FLOATS if network.size is None else arrays()
        group_of = {index: number for number, group in enumerate(self.groups) for index in group}
        shares = self._shares()
        order = range(len(classes))
        names = [classes[group[0]].name for group in self.groups]

        def routes() -> Iterator[RouteFigures]:
            for index in order:
                stated = iter(classes[index].routes)
                for item in solution.routes:
                    if item.class_name == names[group_of[index]]:
                        yield _route(item, classes[index].name, next(stated).name, shares[index])

        def visits() -> Iterator[ClassStationFigures]:
            for label in dict.fromkeys(item.label for item in solution.visits):
                for index in order:
                    for item in solution.visits:
                        if item.label == label and item.class_name == names[group_of[index]]:
                            yield _visit(item, classes[index].name, shares[index])

        def branches() -> Iterator[BranchFigures]:
            for index in order:
                names_of = dict(zip(first[group_of[index]], map(_name, classes[index].routes), strict=True))
                for item in solution.branches:
                    if item.class_name == names[group_of[index]]:
                        yield item.replace(class_name=classes[index].name, route=names_of[item.route])

        first = [[item.name for item in classes[group[0]].routes] for group in self.groups]
        rates = [shares[index] * solution.classes[group_of[index]].throughput for index in order]
        compiled = streams(network, operations, rates)
        return solution.replace(
            classes=tuple(_class(solution.classes[group_of[index]], classes[index], shares[index]) for index in order),
            routes=tuple(routes()),
            visits=tuple(visits()),
            branches=tuple(branches()),
            passages=solution.passages and self._passages(solution.passages, compiled.streams, compiled, rates),
            ceiling=None if network.closed else solution.ceiling,
            log_constant=None,
            near=None,
        )

    def _shares(self) -> list[Value]:
        """By class: its share of the customers of its group; equal shares where the group has none."""
        result: dict[int, Value] = {}
        for group in self.groups:
            amounts = [_amount(self.network.classes[index]) for index in group]
            overall = total(amounts)
            nobody = overall == 0
            for index, amount in zip(group, amounts, strict=True):
                result[index] = (amount + nobody / len(group)) / (overall + nobody)
        return [result[index] for index in range(len(self.network.classes))]

    def _passages(
        self, passages: Passages, stated: Sequence[Stream], compiled: Any, rates: Sequence[Value]
    ) -> Passages:
        """The passages of all classes: the waits of each are those of its group."""
        known: dict[tuple[int, int], list[int]] = {}
        for number, stream in enumerate(passages.compiled.streams):
            known.setdefault((stream.class_index, self._route_number(passages.network, stream)), []).append(number)
        group_of = {index: number for number, group in enumerate(self.groups) for index in group}
        rest = {
            (index, route): iter(numbers)
            for index in range(len(self.network.classes))
            for (joined, route), numbers in known.items()
            if joined == group_of[index]
        }
        indices = [next(rest[stream.class_index, self._route_number(self.network, stream)]) for stream in stated]
        return passages.replace(
            network=self.network,
            compiled=compiled,
            throughputs=tuple(rates),
            waits=tuple(passages.waits[number] for number in indices),
            identical=tuple(passages.identical[number] for number in indices) if passages.identical else (),
            part_of=tuple(passages.part_of[number] for number in indices) if passages.part_of else (),
            demands=None,
            start=None,
            variances=None,
        )

    @staticmethod
    def _route_number(network: RoutedNetwork, stream: Stream) -> int:
        """Which route of its class a stream belongs to."""
        return [route.name for route in network.classes[stream.class_index].routes].index(stream.route)


def identical_classes(network: RoutedNetwork, each: bool = False) -> IdenticalClasses | None:
    """The groups of identical classes of a network; None where it is solved as stated.

    network  of any classes; they are joined where only that lets a limited subnetwork be separated.
    each     whether every point of a batch is to be solved as it would be alone.
    Raises   `Divided` where `each` is true and classes are identical at some points only.
    """
    classes = network.classes
    if len(classes) < 2 or network.limited or network.profiles or not nested(network):
        return None
    if each and network.size is not None:
        for one, other in combinations(classes, 2):
            where = np.broadcast_to(_identical(one, other), (network.size,))
            if where.any() and not where.all():
                raise Divided(where)
    result = _groups(network)
    if result is None or regions(network):
        return None
    return result if applies(result.joined()) else None


def any_identical(network: RoutedNetwork) -> IdenticalClasses | None:
    """The groups of identical classes of a network that no method solves as stated; None where all are different.

    network  of any classes; of a batch, classes that are identical at all points are joined.
    """
    result = _groups(network)
    if result is None or any(
        _groups(item.network) != result.replace(network=item.network) for item in network.profiles
    ):
        return None
    return result


def _groups(network: RoutedNetwork) -> IdenticalClasses | None:
    """The groups of classes that are identical at all points; None where all are different."""
    groups: list[list[int]] = []
    for index, item in enumerate(network.classes):
        group = next((group for group in groups if np.all(_identical(network.classes[group[0]], item))), None)
        if group is None:
            groups.append([index])
        else:
            group.append(index)
    if len(groups) == len(network.classes):
        return None
    return IdenticalClasses(network, tuple(map(tuple, groups)))


def _name(route: Route) -> str:
    return route.name


def _amount(item: _Class) -> Value:
    return item.arrival_rate if isinstance(item, OpenClass) else item.population


def _identical(one: _Class, other: _Class) -> Any:
    """Whether two classes differ only in name and number of customers, open ones with Poisson arrivals; an array for a
    batch."""
    if one.chain or other.chain or one.per_copy_of or other.per_copy_of or len(one.routes) != len(other.routes):
        return False
    if isinstance(one, OpenClass):
        if not isinstance(other, OpenClass):
            return False
        equal = same(one.arrival_scv, 1.0) & same(other.arrival_scv, 1.0)
    elif isinstance(other, ClosedClass):
        equal = same(one.think_time, other.think_time)
    else:
        return False
    for mine, its in zip(one.routes, other.routes, strict=True):
        equal = equal & same(mine.probability, its.probability) & same(mine.steps, its.steps)
    return equal


def same(one: Any, other: Any) -> Any:
    """Whether two parts of routes are equal; an array for a batch.

    one, other  steps, or values of them.
    """
    if not isinstance(one, tuple):
        return one == other
    mine, its = cast("tuple[Any, ...]", one), cast("tuple[Any, ...]", other)
    if type(mine) is not type(its) or len(mine) != len(its):
        return False
    equal: Any = True
    for part, counterpart in zip(mine, its, strict=True):
        equal = equal & same(part, counterpart)
    return equal


def _class(item: ClassFigures, stated: _Class, share: Value) -> ClassFigures:
    enclosed = item.enclosed
    if enclosed is not None:
        enclosed = (share * enclosed[0], share * enclosed[1], *enclosed[2:])
    return item.replace(
        name=stated.name,
        throughput=share * item.throughput,
        offered=None if item.offered is None else share * item.offered,
        population=stated.population if isinstance(stated, ClosedClass) else None,
        enclosed=enclosed,
    )


def _route(item: RouteFigures, class_name: str, name: str, share: Value) -> RouteFigures:
    offered = None if item.offered is None else share * item.offered
    return item.replace(class_name=class_name, name=name, throughput=share * item.throughput, offered=offered)


def _visit(item: ClassStationFigures, class_name: str, share: Value) -> ClassStationFigures:
    return item.replace(
        class_name=class_name,
        throughput=share * item.throughput,
        utilization=None if item.utilization is None else share * item.utilization,
        queue_length=share * item.queue_length,
    )
