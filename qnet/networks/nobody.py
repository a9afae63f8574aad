"""Closed classes without customers: left out where a network is solved, and told of afterwards.

A class of which there is nobody must change nothing for the others, the choice of the method included.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.networks.duration import Wait
from qnet.networks.figures import Steady, figures
from qnet.networks.passage_times import Passages
from qnet.networks.routed import ClosedClass, RoutedNetwork
from qnet.networks.solution import RoutedSolution
from qnet.networks.streams import Streams, streams
from qnet.queues.arithmetic import total
from qnet.record import Record

_T = TypeVar("_T")


class Nobody(Record):
    """A network and those of its classes that have no customers, by their places."""

    network: RoutedNetwork
    places: frozenset[int]

    def others(self) -> RoutedNetwork:
        """The network without these classes."""
        return _without(self.network, self.places)

    def told(self, solution: RoutedSolution) -> RoutedSolution:
        """The solution of the network from that of the others: a class without customers spends its demands alone."""
        network = self.network
        operations: Operations = FLOATS if network.size is None else arrays()
        nothing: Value = 0.0 * solution.throughput
        known = iter(item.throughput for item in solution.classes)
        rates = [nothing if place in self.places else next(known) for place in range(len(network.classes))]
        compiled = streams(network, operations, rates)
        unhurried = [Wait(0.0, 0.0)] * len(compiled.streams)
        alone = figures(Steady(network, rates, compiled, compiled.members(), unhurried, {}, operations), "", 1)
        names = {network.classes[place].name for place in self.places}
        lost = None if solution.offered is None else nothing
        known_classes, known_routes = iter(solution.classes), iter(solution.routes)
        known_visits, known_branches = iter(solution.visits), iter(solution.branches)
        classes = tuple(
            item.replace(population=customers.population, think_time=customers.think_time, offered=lost)
            if isinstance(customers, ClosedClass) and place in self.places
            else next(known_classes)
            for place, (item, customers) in enumerate(zip(alone.classes, network.classes, strict=True))
        )
        mean = total(item.response for item in classes) / len(classes)
        return solution.replace(
            classes=classes,
            response=operations.where(solution.throughput == 0, mean, solution.response),
            routes=tuple(
                item.replace(offered=lost) if item.class_name in names else next(known_routes) for item in alone.routes
            ),
            visits=tuple(
                item if (item.chain or item.class_name) in names else next(known_visits) for item in alone.visits
            ),
            branches=tuple(item if item.class_name in names else next(known_branches) for item in alone.branches),
            passages=solution.passages and self._passages(solution.passages, compiled, rates),
        )

    def _passages(self, passages: Passages, compiled: Streams, rates: Sequence[Value]) -> Passages:
        """What responses are made of, where nobody waits for anything."""

        def each(values: Sequence[_T], other: _T) -> Iterator[_T]:
            known = iter(values)
            return (other if item.class_index in self.places else next(known) for item in compiled.streams)

        return passages.replace(
            network=self.network,
            compiled=compiled,
            throughputs=tuple(rates),
            waits=tuple(each(passages.waits, Wait(0.0, 0.0))),
            alike=tuple(each(passages.alike, 0.0)) if passages.alike else (),
        )


def nobody(network: RoutedNetwork) -> Nobody | None:
    """The closed classes without customers at any point; None where there are none, or no others."""
    operations: Operations = FLOATS if network.size is None else arrays()
    places = frozenset(
        place
        for place, customers in enumerate(network.classes)
        if isinstance(customers, ClosedClass) and operations.all(customers.population == 0)
    )
    return Nobody(network, places) if places and len(places) < len(network.classes) else None


def _without(network: RoutedNetwork, places: frozenset[int]) -> RoutedNetwork:
    classes = tuple(item for place, item in enumerate(network.classes) if place not in places)
    profiles = tuple(item.replace(network=_without(item.network, places)) for item in network.profiles)
    return network.replace(classes=classes, profiles=profiles)
