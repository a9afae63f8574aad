"""Classes that need no method of solution: those without customers, and those without a steady state.

A class without customers must change nothing for the others, not even the choice of the method: it is removed before a
network is solved, and its figures are added afterwards. The figures of an open class without arrivals are those of a
rare customer, from a solution of the network with that class. A class that occupies a station forever is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import np
from qnet.networks.duration import Wait
from qnet.networks.figures import Steady, figures
from qnet.networks.reasons import Beyond, Inexact, Reason
from qnet.networks.routed import ClosedClass, Fork, Hold, OpenClass, Route, RoutedNetwork, Station, Step, Time
from qnet.networks.solution import BufferFigures, Passages, RoutedSolution
from qnet.networks.streams import Streams, streams
from qnet.networks.wanted import Divided
from qnet.queues.arithmetic import total
from qnet.record import Record

_NEXT_TO_NOTHING = 1e-12
"""Servers that an open class keeps busy, and its share of the arrivals, below which no figure of others shows it."""
_T = TypeVar("_T")
_Class = OpenClass | ClosedClass


class EmptyClasses(Record):
    """A network and the indices of its classes that have no customers."""

    network: RoutedNetwork
    indices: frozenset[int]

    def others(self) -> RoutedNetwork:
        """The network without these classes."""
        return _without(self.network, self.indices)

    def added(self, solution: RoutedSolution, rare: RoutedSolution | None = None) -> RoutedSolution:
        """The solution of the network from that of the others.

        rare     a solution of the network with all classes, for the figures of those without customers; None: their
                 response is their service demand.
        Returns  a solution that is approximate where `solution` or `rare` is.
        """
        network = self.network
        operations: Operations = FLOATS if network.size is None else arrays()
        zero: Value = 0.0 * solution.throughput
        solution = _with_unused_buffers(solution, network, zero)
        known = iter(item.throughput for item in solution.classes)
        rates = [
            next(known) if index not in self.indices else item.arrival_rate if isinstance(item, OpenClass) else zero
            for index, item in enumerate(network.classes)
        ]
        compiled = streams(network, operations, rates)
        waits = [Wait(0.0, 0.0)] * len(compiled.streams)
        if rare and rare.passages and len(rare.passages.waits) == len(waits):
            waits = list(rare.passages.waits)
        alone = rare or figures(
            Steady(
                network,
                rates,
                compiled=compiled,
                members=compiled.members(),
                waits=waits,
                rho={},
                operations=operations,
            ),
            "",
            1,
        )
        names = {network.classes[index].name for index in self.indices}
        lost = None if solution.offered is None else zero
        known_classes, known_routes = iter(solution.classes), iter(solution.routes)
        known_visits, known_branches = iter(solution.visits), iter(solution.branches)
        classes = tuple(
            next(known_classes)
            if index not in self.indices
            else item.replace(population=customers.population, think_time=customers.think_time, offered=lost)
            if isinstance(customers, ClosedClass)
            else item.replace(offered=lost)
            for index, (item, customers) in enumerate(zip(alone.classes, network.classes, strict=True))
        )
        mean = total(item.response for item in classes) / len(classes)
        more = rare.reasons if rare else tuple(self._without_rare())
        return solution.replace(
            exact=solution.exact and not more,
            reasons=tuple(dict.fromkeys((*solution.reasons, *more))),
            classes=classes,
            response=operations.where(solution.throughput == 0, mean, solution.response),
            routes=tuple(
                item.replace(offered=lost) if item.class_name in names else next(known_routes) for item in alone.routes
            ),
            visits=tuple(
                item if (item.chain or item.class_name) in names else next(known_visits) for item in alone.visits
            ),
            branches=tuple(item if item.class_name in names else next(known_branches) for item in alone.branches),
            passages=solution.passages and self._passages(solution.passages, compiled, rates, waits),
        )

    def _without_rare(self) -> Iterator[Inexact]:
        """Why figures of open classes without arrivals are not exact where those of a rare customer are unknown."""
        for index in sorted(self.indices):
            customers = self.network.classes[index]
            if not isinstance(customers, OpenClass):
                continue
            if np.any(np.asarray(customers.arrival_rate) > 0):
                yield Beyond(Reason("hardly any arrivals", class_name=customers.name), "QN742")
            else:
                yield Inexact(Reason("no arrivals", class_name=customers.name))

    def _passages(
        self, passages: Passages, compiled: Streams, rates: Sequence[Value], waits: Sequence[Wait]
    ) -> Passages:
        """The passages of all classes, with the waits of these among them."""

        def each(values: Sequence[_T], others: Sequence[_T]) -> Iterator[_T]:
            known = iter(values)
            pairs = zip(compiled.streams, others, strict=True)
            return (other if item.class_index in self.indices else next(known) for item, other in pairs)

        return passages.replace(
            network=self.network,
            compiled=compiled,
            throughputs=tuple(rates),
            waits=tuple(each(passages.waits, waits)),
            identical=tuple(each(passages.identical, [0.0] * len(waits))) if passages.identical else (),
        )


def empty_classes(network: RoutedNetwork) -> EmptyClasses | None:
    """The closed classes without customers at any point; None where there are none, or no others."""
    return _empty(network, ClosedClass)


def idle_classes(network: RoutedNetwork) -> EmptyClasses | None:
    """The open classes without arrivals at any point; None where there are none, no others, or buffers to share."""
    return None if network.limited else _empty(network, OpenClass)


def rare_classes(network: RoutedNetwork) -> EmptyClasses | None:
    """The open classes so rare that they change nothing for the others; None where there are none, or no others.

    network  that no method solves with all its classes.
    Method   They keep less than `_NEXT_TO_NOTHING` servers busy, and others have customers or far more arrivals.
    """
    classes = network.classes
    rates = [item.arrival_rate for item in classes if isinstance(item, OpenClass)]
    operations: Operations = FLOATS if network.size is None else arrays()
    compiled = streams(
        network, operations, [item.arrival_rate if isinstance(item, OpenClass) else 0.0 for item in classes]
    )
    busy = [total(item.rate * item.holding.mean for item in compiled.streams if item.class_index == index)
            for index in range(len(classes))]  # fmt: skip
    present = any(operations.all(item.population > 0) for item in network.closed)
    most = operations.maximum(rates) if rates else 0.0
    indices = frozenset(
        index
        for index, item in enumerate(classes)
        if isinstance(item, OpenClass)
        and operations.all(busy[index] <= _NEXT_TO_NOTHING)
        and (present or operations.all(item.arrival_rate <= _NEXT_TO_NOTHING * most))
    )
    return EmptyClasses(network, indices) if indices and len(indices) < len(classes) else None


def divide(network: RoutedNetwork) -> None:
    """Raise `Divided` where a class has customers, or arrivals, at some points of a batch only.

    network   of several classes, of which the others are solved without it where it has none; or of a closed one.
    """
    for item in network.classes:
        if isinstance(item, OpenClass) and network.limited:
            continue
        customers = item.arrival_rate if isinstance(item, OpenClass) else item.population
        some = np.broadcast_to(np.asarray(customers) != 0, (network.size or 1,))
        if some.any() and not some.all():
            raise Divided(some if some[0] else ~some)


def _empty(network: RoutedNetwork, kind: type[OpenClass] | type[ClosedClass]) -> EmptyClasses | None:
    """The classes of one type without customers; None where there are none, or no other classes."""
    operations: Operations = FLOATS if network.size is None else arrays()
    indices = frozenset(
        index
        for index, item in enumerate(network.classes)
        if isinstance(item, kind)
        and operations.all((item.arrival_rate if isinstance(item, OpenClass) else item.population) == 0)
    )
    return EmptyClasses(network, indices) if indices and len(indices) < len(network.classes) else None


def _without(network: RoutedNetwork, indices: frozenset[int]) -> RoutedNetwork:
    classes = tuple(item for index, item in enumerate(network.classes) if index not in indices)
    profiles = tuple(item.replace(network=_without(item.network, indices)) for item in network.profiles)
    used = {name for item in classes for route in item.routes for name in _buffers(route.steps)}
    buffers = tuple(buffer for buffer in network.buffers if buffer.name in used)
    return network.replace(classes=classes, profiles=profiles, buffers=buffers)


def _with_unused_buffers(solution: RoutedSolution, network: RoutedNetwork, zero: Value) -> RoutedSolution:
    """The solution with the figures of buffers that only removed classes fill, and the rates that they might reduce."""
    known = {item.name: item for item in solution.buffers}
    buffers = tuple(
        known.get(item.name)
        or BufferFigures(
            name=item.name, places=item.places, offered=zero, throughput=zero, occupancy=zero, found_full=zero,
            delay_when_full=zero, drain_rate=zero, time_to_fill=zero + float("inf"), drained_by="",
        )
        for item in network.buffers
    )  # fmt: skip
    solution = solution.replace(buffers=buffers)
    if not network.loses or solution.offered is not None:
        return solution
    return solution.replace(
        offered=solution.throughput,
        classes=tuple(item.replace(offered=item.throughput) for item in solution.classes),
        routes=tuple(item.replace(offered=item.throughput) for item in solution.routes),
    )


def _buffers(steps: Sequence[Step]) -> Iterator[str]:
    """The buffers that some steps fill or drain."""
    for step in steps:
        match step:
            case Time():
                yield step.fills
            case Hold():
                yield step.drains
                yield from _buffers(step.steps)
            case Fork():
                yield from _buffers(step.inner)


def refuse_monopoly(network: RoutedNetwork) -> None:
    """Raise where the order of customers never changes, so that the answer depends on the initial state.

    A customer of a closed class that spends all its time at one station, without think time, returns to it at once. At
    a station that is last come first served, preemptive resume, it is served before all others. Customers who move
    between two such stations alone, each with one server, are moved from the top of one stack to the top of the other:
    their order never changes. In both cases the chain of states has no single steady state, and the product form is not
    its answer.

    Raises   `NotComputed` QN586: for one station where it has more customers than servers, for two where several
             classes move between them.
    """
    stations = {station.name: station for station in network.stations if station.discipline == "lcfs-pr"}
    for classes, points in _as_taken(network):
        _refuse_monopoly(network, classes, points, stations)


def _refuse_monopoly(
    network: RoutedNetwork, classes: Sequence[_Class], points: Value, stations: Mapping[str, Station]
) -> None:
    """As `refuse_monopoly`, at some points.

    classes   with the routes and steps that customers take there.
    points    true at these points: a bool, or an array of the batch.
    stations  those that are last come first served, by name.
    """
    operations = FLOATS if network.size is None else arrays()
    losing = {"", *(buffer.name for buffer in network.buffers if buffer.loses)}
    between: dict[frozenset[str], list[tuple[ClosedClass, Value]]] = {}
    for item in classes:
        names = _only_stations(item, losing) if isinstance(item, ClosedClass) else frozenset[str]()
        if not isinstance(item, ClosedClass) or not names:
            continue
        if any(name not in stations or stations[name].copies > 1 for name in names):
            continue
        always = (item.think_time == 0) & (item.population > 0) & points
        if len(names) == 2:
            between.setdefault(names, []).append((item, always))
        if len(names) > 1:
            continue
        name = next(iter(names))
        customers = sum(_visitors(other, name) for other in classes)
        crowded = customers > stations[name].servers
        if not operations.all((always & crowded) == False):  # noqa: E712
            text = f'customers of "{item.name}" return to "{name}" at once and are served there before all others'
            help = f'give "{item.name}" a think time, or "{name}" the discipline ps'
            raise NotComputed(Problem("QN586", text, "a class that leaves the station", help=help))
    for names, users in between.items():
        several = sum(1 * always for _, always in users) > 1
        if any(stations[name].servers > 1 for name in names) or operations.all(several == False):  # noqa: E712
            continue
        first, second = sorted(names)
        named = " and ".join(f'"{item.name}"' for item, _ in users)
        text = f'customers of {named} move between "{first}" and "{second}" alone, last come first served: '
        text += "their order never changes, and the answer depends on it"
        help = f'give "{users[0][0].name}" a think time, or "{first}" the discipline ps'
        raise NotComputed(Problem("QN586", text, "classes that overtake each other", help=help))


def _as_taken(network: RoutedNetwork) -> Iterator[tuple[Sequence[_Class], Value]]:
    """The classes without routes of probability 0 and steps of no visits, each variant with its points."""
    counts = [
        count
        for item in network.classes
        for route in item.routes
        for count in (route.probability, *(step.visits for step in route.steps))
    ]
    if network.size is None:
        yield _taken(network, [count > 0 for count in counts]), True
        return
    table = np.stack([np.broadcast_to(np.asarray(count) > 0, (network.size,)) for count in counts], axis=1)
    ways, each = np.unique(table, axis=0, return_inverse=True)
    for number, way in enumerate(ways.tolist()):
        yield _taken(network, way), each.reshape(-1) == number


def _taken(network: RoutedNetwork, counted: Sequence[bool]) -> list[_Class]:
    """The classes with the routes and steps that are `counted`, flags in their order."""
    result: list[_Class] = []
    following = iter(counted)
    for item in network.classes:
        routes: list[Route] = []
        for route in item.routes:
            taken = next(following)
            steps = tuple(step for step in route.steps if next(following))
            routes += [route.replace(steps=steps)] * taken
        result.append(item.replace(routes=tuple(routes)))
    return result


def _only_stations(item: ClosedClass, losing: set[str]) -> frozenset[str]:
    """The stations at which a class spends all its time; empty where it has delays, or second phases there.

    losing   buffers that customers never wait for.
    """
    names: set[str] = set()
    left: set[str] = set()
    for route in item.routes:
        for step in route.steps:
            if isinstance(step, Time) and step.fills in losing and _is_zero(step.mean):
                continue
            if isinstance(step, Hold) and step.phase == 2:
                left.add(step.station)
                continue
            if not isinstance(step, Hold) or not all(isinstance(inner, Time) for inner in step.steps):
                return frozenset()
            names.add(step.station)
    return frozenset() if names & left else frozenset(names)


def _is_zero(time: Value) -> bool:
    """Whether a time is 0 at all points."""
    return time == 0 if isinstance(time, (int, float)) else bool((time == 0).all())


def _visitors(item: object, name: str) -> float:
    """The most customers of a class at a station; infinitely many of an open class."""
    routes = getattr(item, "routes", ())
    if not any(isinstance(step, Hold) and step.station == name for route in routes for step in route.steps):
        return 0.0
    return item.population if isinstance(item, ClosedClass) else float("inf")
