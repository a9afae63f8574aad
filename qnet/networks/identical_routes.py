"""Routes of a class that differ only in names and probabilities, solved as one where no method has another answer.

A choice between equal routes changes nothing except the number of states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from qnet.expression import Value
from qnet.networks.identical_classes import same
from qnet.networks.routed import Route, RoutedNetwork
from qnet.networks.solution import BranchFigures, RoutedSolution, RouteFigures
from qnet.queues.arithmetic import ratio, total
from qnet.record import Record


class IdenticalRoutes(Record):
    """A network, and the routes of its classes in groups of identical ones."""

    network: RoutedNetwork
    groups: tuple[tuple[tuple[int, ...], ...], ...]
    """By class: the indices of the routes of each group, in the order of their first routes."""

    def joined(self) -> RoutedNetwork:
        """The network with one route for each group, named after its first route."""
        classes = tuple(
            item.replace(
                routes=tuple(
                    item.routes[group[0]].replace(probability=total(item.routes[index].probability for index in group))
                    for group in groups
                )
            )
            for item, groups in zip(self.network.classes, self.groups, strict=True)
        )
        profiles = tuple(
            item.replace(network=IdenticalRoutes(item.network, self.groups).joined()) for item in self.network.profiles
        )
        return self.network.replace(classes=classes, profiles=profiles)

    def apart(self, solution: RoutedSolution) -> RoutedSolution:
        """The solution of the network from that of the joined one: each route has its share of the passages."""
        joined = {
            item.name: item
            for item, groups in zip(self.network.classes, self.groups, strict=True)
            if len(groups) < len(item.routes)
        }
        stated = {name: tuple(self._routes(name)) for name in joined}

        def routes() -> Iterator[RouteFigures]:
            known = {(item.class_name, item.name): item for item in solution.routes}
            for name in dict.fromkeys(item.class_name for item in solution.routes):
                if name not in joined:
                    yield from (item for item in solution.routes if item.class_name == name)
                    continue
                for route, first, share in stated[name]:
                    figures = known[name, first]
                    offered = None if figures.offered is None else share * figures.offered
                    throughput = share * figures.throughput
                    yield figures.replace(
                        name=route.name, probability=route.probability, throughput=throughput, offered=offered
                    )

        def branches() -> Iterator[BranchFigures]:
            for name in dict.fromkeys(item.class_name for item in solution.branches):
                if name not in joined:
                    yield from (item for item in solution.branches if item.class_name == name)
                    continue
                for route, first, _ in stated[name]:
                    for item in solution.branches:
                        if (item.class_name, item.route) == (name, first):
                            yield item.replace(route=route.name)

        return solution.replace(routes=tuple(routes()), branches=tuple(branches()), passages=None, near=None)

    def _routes(self, name: str) -> Iterator[tuple[Route, str, Value]]:
        """The routes of a class as stated, with the name of the first one of their group and their share of it."""
        number = next(index for index, item in enumerate(self.network.classes) if item.name == name)
        routes = self.network.classes[number].routes
        group_of = {index: group for group in self.groups[number] for index in group}
        for index, route in enumerate(routes):
            group = group_of[index]
            amount = total(routes[other].probability for other in group)
            yield route, routes[group[0]].name, ratio(route.probability, amount)


def identical_routes(network: RoutedNetwork) -> IdenticalRoutes | None:
    """The groups of identical routes of a network that no method solves as stated; None where all are different.

    network  of any classes; of a batch, routes that are identical at all points are joined.
    """
    groups = _groups(network)
    if groups is None or any(_groups(item.network) != groups for item in network.profiles):
        return None
    return IdenticalRoutes(network, groups)


def _groups(network: RoutedNetwork) -> tuple[tuple[tuple[int, ...], ...], ...] | None:
    result = tuple(_of_class(item.routes, item.chain) for item in network.classes)
    if all(len(groups) == len(item.routes) for groups, item in zip(result, network.classes, strict=True)):
        return None
    return result


def _of_class(routes: Sequence[Route], apart: bool) -> tuple[tuple[int, ...], ...]:
    """The groups of routes of a class; `apart` where each has a place in the routing of a chain."""
    groups: list[list[int]] = []
    for index, route in enumerate(routes):
        group = next(
            (group for group in groups if not apart and np.all(same(routes[group[0]].steps, route.steps))), None
        )
        if group is None:
            groups.append([index])
        else:
            group.append(index)
    return tuple(map(tuple, groups))
