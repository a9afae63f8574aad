"""Classes per copy of a station: solved by one copy where the copies are independent, else by a class for each copy.

A network as stated has the customers of all copies in one class, whose visits spread evenly over the copies: that is
sufficient for loads, demands and capacities. Waits need a class per copy, since customers of one copy never wait at
another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from qnet import budget
from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.networks import closed_networks
from qnet.networks.routed import ClosedClass, Fork, Group, Hold, OpenClass, Route, RoutedNetwork, Station, Step, Time
from qnet.networks.solution import (
    ClassFigures,
    ClassStationFigures,
    Limiting,
    Passages,
    RoutedSolution,
    RouteFigures,
    StationFigures,
)
from qnet.queues.arithmetic import total
from qnet.record import Record

MOST = 1000
"""Classes, counted copy by copy."""
_EACH = 3e4
"""Operations to make a class, and to combine its figures."""

_Class = OpenClass | ClosedClass


class Apart(Record):
    """A network with a class for each copy, and how its parts correspond to those of the network as stated."""

    stated: RoutedNetwork
    network: RoutedNetwork
    classes: tuple[tuple[int, ...], ...]
    """By class as stated: the indices of its classes in `network`."""
    times: tuple[int, ...]
    """By class as stated: how many copies each of these represents."""
    groups: tuple[tuple[str, tuple[str, ...], int], ...]
    """By group of copies as stated: its label, its labels in `network`, and the copies that each of these
    represents."""

    def together(self, solution: RoutedSolution, ceiling: bool = True) -> RoutedSolution:
        """The solution of the network as stated, from that of the copies.

        ceiling   whether it includes the limit of the throughput.
        """
        names = {
            self.network.classes[number].name: item.name
            for item, numbers in zip(self.stated.classes, self.classes, strict=True)
            for number in numbers
        }
        classes = tuple(
            self._class(customers, [solution.classes[number] for number in numbers], times)
            for customers, numbers, times in zip(self.stated.classes, self.classes, self.times, strict=True)
        )
        throughput = total(item.throughput for item in classes)
        weights = [item.throughput + (throughput == 0) for item in classes]
        visits = tuple(self._visits(solution.visits))
        stations = tuple(self._stations(solution.stations, visits, classes))
        labels = {label: stated for stated, apart, _ in self.groups for label in apart}
        times = dict(zip((item.name for item in self.stated.classes), self.times, strict=True))
        first = {self.network.classes[numbers[0]].name: len(numbers) for numbers in self.classes}
        return solution.replace(
            throughput=throughput,
            response=total(w * item.response for w, item in zip(weights, classes, strict=True)) / total(weights),
            classes=classes,
            routes=tuple(
                _route(item, names[item.class_name], first[item.class_name] * times[names[item.class_name]], labels)
                for item in solution.routes
                if item.class_name in first
            ),
            stations=stations,
            visits=visits,
            loads=_first_of_each(item.replace(name=labels.get(item.name, item.name)) for item in solution.loads),
            held_by={labels[label]: _summed(each, labels) for label, each in reversed(solution.held_by.items())},
            full_at={},
            used_when_full={},
            branches=tuple(
                item.replace(class_name=names[item.class_name])
                for item in solution.branches
                if item.class_name in first
            ),
            states=self._states(solution.states),
            ceiling=self._ceiling(solution) if ceiling else None,
            log_constant=None,
            passages=solution.passages and self._passages(solution.passages, names),
            offered=None if solution.offered is None else total(item.offered or 0.0 for item in classes),
        )

    def _states(self, states: Mapping[str, tuple[float, ...]] | None) -> dict[str, tuple[float, ...]] | None:
        """State probabilities of one copy of every group."""
        if states is None:
            return None
        return {stated: _possible(states[first]) for stated, (first, *_), _ in self.groups if first in states}

    def _ceiling(self, solution: RoutedSolution) -> tuple[Value, Any] | None:
        """The limit of the throughput, as `RoutedSolution.ceiling`, for a single closed class."""
        if len(self.times) != 1 or self.stated.size is not None or not self.stated.closed:
            return None
        if solution.ceiling is not None:
            most, limiting = solution.ceiling
            return most * self.times[0], limiting
        try:
            return closed_networks.ceiling(self.stated)
        except NotComputed:
            return None

    def ceiling(self) -> tuple[Value, Any] | None:
        """The limit of the throughput as computed from demands, and the station that sets it; None where unknown."""
        if len(self.network.classes) == 1 and (one := closed_networks.ceiling(self.network)):
            return one[0] * self.times[0], one[1]
        return closed_networks.ceiling(self.stated)

    def _class(self, customers: _Class, apart: Sequence[ClassFigures], times: int) -> ClassFigures:
        """The figures of a class from those of its copies, which are equal."""
        first, count = apart[0], times * len(apart)
        enclosed = first.enclosed
        if enclosed is not None:
            enclosed = (count * enclosed[0], count * enclosed[1], *enclosed[2:])
        closed = isinstance(customers, ClosedClass)
        return first.replace(
            name=customers.name,
            throughput=count * first.throughput,
            population=customers.population if closed else None,
            enclosed=enclosed,
            offered=None if first.offered is None else count * first.offered,
        )

    def _visits(self, visits: Sequence[ClassStationFigures]) -> Iterator[ClassStationFigures]:
        """The figures of every class at every group of copies; a chain has those of each of its classes."""
        by_class: dict[str, dict[str, list[ClassStationFigures]]] = {}
        for item in visits:
            by_class.setdefault(item.chain or item.class_name, {}).setdefault(item.label, []).append(item)
        for stated, labels, each in self.groups:
            for customers, numbers in zip(self.stated.classes, self.classes, strict=True):
                rows_of = [by_class[self.network.classes[number].name] for number in numbers]
                rows = [[row[label] for row in rows_of for label in labels]]
                for items in zip(*rows[0], strict=True):
                    first = items[0]
                    used = [item.utilization for item in items if item.utilization is not None]
                    yield first.replace(
                        class_name=first.class_name if first.chain else customers.name,
                        label=stated,
                        throughput=each * total(item.throughput for item in items),
                        utilization=total(used) / len(labels) if used else None,
                        residence=total(item.residence for item in items) / len(numbers),
                        queue_length=each * total(item.queue_length for item in items),
                    )

    def _stations(
        self, stations: Sequence[StationFigures], visits: Sequence[ClassStationFigures], classes: Sequence[ClassFigures]
    ) -> Iterator[StationFigures]:
        """The figures of every group of copies."""
        by_label = {item.label: item for item in stations}
        rates = {item.name: item.throughput for item in classes}
        nobody = total(rates.values()) == 0
        count = total(rate + nobody for rate in rates.values())
        sizes = {group.label: group.copies for station in self.stated.stations for group in station.groups}
        for stated, labels, each in self.groups:
            apart = [by_label[label] for label in labels]
            first = apart[0]
            spent = total((rates[item.chain or item.class_name] + nobody) * item.residence
                          for item in visits if item.label == stated)  # fmt: skip
            yield first.replace(
                label=stated,
                copies=sizes[stated],
                throughput=each * total(item.throughput for item in apart),
                busy_servers=each * total(item.busy_servers for item in apart),
                residence=spent / count,
                queue_length=each * total(item.queue_length for item in apart),
                offered=None if first.offered is None else each * total(item.offered or 0.0 for item in apart),
            )

    def _passages(self, passages: Passages, names: Mapping[str, str]) -> Passages:
        """The passages of the copies, each under the name of its class and counted as often as it occurs."""
        classes = tuple(item.replace(name=names[item.name]) for item in passages.network.classes)
        copies = [1] * len(classes)
        for numbers, times in zip(self.classes, self.times, strict=True):
            for number in numbers:
                copies[number] = times
        return passages.replace(network=passages.network.replace(classes=classes), copies=tuple(copies))


def _route(item: RouteFigures, name: str, count: int, labels: Mapping[str, str]) -> RouteFigures:
    """The figures of a route of a class that represents `count` equal ones."""
    return item.replace(
        class_name=name,
        name=name if item.name == item.class_name else item.name,
        throughput=count * item.throughput,
        offered=None if item.offered is None else count * item.offered,
        spent=_summed(item.spent, labels),
        served=None if item.served is None else _summed(item.served, labels),
    )


def _possible(states: Sequence[float]) -> tuple[float, ...]:
    """State probabilities up to the last that is not 0: a copy never has the customers of others."""
    most = max((number for number, probability in enumerate(states) if probability), default=0)
    return tuple(states[: most + 1])


def _first_of_each(loads: Iterable[Limiting]) -> tuple[Limiting, ...]:
    """The first load of every name: copies have equal ones."""
    result: dict[str, Limiting] = {}
    for item in loads:
        result.setdefault(item.name, item)
    return tuple(result.values())


def _summed(values: Mapping[str, Value], labels: Mapping[str, str]) -> dict[str, Value]:
    """The sums of values by label as stated."""
    result: dict[str, Value] = {}
    for label, value in values.items():
        name = labels.get(label, label)
        result[name] = result[name] + value if name in result else value
    return result


def apart(network: RoutedNetwork) -> Apart | None:
    """The network with a class for each copy; None where it is solved as stated.

    Raises   `NotComputed` QN501 with times that depend on the number inside, QN515 for too many classes.
    """
    owners = {item.per_copy_of for item in network.classes if item.per_copy_of}
    if not owners:
        return None
    operations: Operations = FLOATS if network.size is None else arrays()
    if all(_marked(item, network, operations) for item in network.classes if item.per_copy_of):
        return None
    if network.profiles:
        text = f"customers per copy of {min(owners)}, and times that depend on the number inside"
        raise NotComputed(Problem("QN501", text, "one without the other"))
    families = {name: _family(name, network) for name in sorted(owners)}
    alone = {name for name in owners if _alone(name, families[name], network)}
    _count(network, owners, alone)
    return _expanded(network, families, alone)


def per_copy(network: RoutedNetwork) -> RoutedNetwork:
    """A network with a class for each copy, for formats without classes per copy.

    network  at one point.
    Raises   `NotComputed` QN515 for too many classes.
    """
    owners = {item.per_copy_of for item in network.classes if item.per_copy_of}
    families = {name: _family(name, network) for name in sorted(owners)}
    _count(network, owners, set())
    return _expanded(network, families, set()).network


def _count(network: RoutedNetwork, owners: set[str], alone: set[str]) -> None:
    """Charge the classes of each copy; raise `NotComputed` QN515 for too many of them."""
    copies = {station.name: station.copies for station in network.stations}
    count = sum(1 if item.per_copy_of in alone | {""} else copies[item.per_copy_of] for item in network.classes)
    budget.spend(_EACH * count, "the classes of the copies")
    if count > MOST:
        text = f"{count} classes, one for each copy of {' or '.join(sorted(owners - alone))}"
        raise NotComputed(
            Problem("QN515", text, f"at most {MOST}", help="leave out the stations that the copies share")
        )


def _expanded(network: RoutedNetwork, families: Mapping[str, frozenset[str]], alone: set[str]) -> Apart:
    """The network with one copy of each station whose copies are independent, and every copy of the others."""
    stations: list[Station] = []
    labels: list[tuple[str, tuple[str, ...], int]] = []
    for station in network.stations:
        owner = next((name for name, family in families.items() if station.name in family), "")
        (group, *_) = station.groups
        if not owner:
            labels += [(item.label, (item.label,), 1) for item in station.groups]
        elif owner in alone:
            labels.append((group.label, (group.label,), group.copies))
            station = station.replace(groups=(Group(group.label, 1, 1.0),), follows="")
        else:
            each = tuple(f"{station.name}[{number}]" for number in range(1, station.copies + 1))
            labels.append((group.label, each, 1))
            station = station.replace(groups=tuple(Group(label, 1, group.share) for label in each))
        stations.append(station)
    copies = {station.name: station.copies for station in network.stations}
    classes: list[_Class] = []
    numbers: list[tuple[int, ...]] = []
    times: list[int] = []
    for item in network.classes:
        first, number = len(classes), copies[item.per_copy_of] if item.per_copy_of else 1
        if not item.per_copy_of:
            classes.append(item)
        elif item.per_copy_of in alone:
            classes.append(_of_one(item, number))
        else:
            family = families[item.per_copy_of]
            classes += [
                _of_one(item, number).replace(
                    name=f"{item.name}[{copy}]",
                    routes=tuple(_bound(item, route, family, copy) for route in item.routes),
                )
                for copy in range(1, number + 1)
            ]
        numbers.append(tuple(range(first, len(classes))))
        times.append(number if item.per_copy_of in alone else 1)
    changed = network.replace(stations=tuple(stations), classes=tuple(classes))
    return Apart(network, changed, tuple(numbers), tuple(times), tuple(labels))


def _of_one(item: _Class, copies: int) -> _Class:
    """A class with the customers of one copy."""
    if isinstance(item, OpenClass):
        return item.replace(arrival_rate=item.arrival_rate / copies, per_copy_of="")
    return item.replace(population=item.population / copies, per_copy_of="")


def _bound(item: _Class, route: Route, family: frozenset[str], copy: int) -> Route:
    """A route at one copy; an only route has the name of its class."""
    name = f"{item.name}[{copy}]" if route.name == item.name else route.name
    return route.replace(name=name, steps=_at_copy(route.steps, family, copy))


def _at_copy(steps: Sequence[Step], family: frozenset[str], copy: int) -> tuple[Step, ...]:
    """Steps that use one copy of the stations of a family."""
    result: list[Step] = []
    for step in steps:
        if isinstance(step, Fork):
            branches = (branch.replace(steps=_at_copy(branch.steps, family, copy)) for branch in step.branches)
            step = step.replace(branches=tuple(branches))
        elif isinstance(step, Hold):
            inner = _at_copy(step.steps, family, copy)
            step = step.replace(steps=inner, copy=copy if step.station in family else step.copy)
        result.append(step)
    return tuple(result)


def _family(name: str, network: RoutedNetwork) -> frozenset[str]:
    """A station and those that follow it."""
    return frozenset({name, *(station.name for station in network.stations if station.follows == name)})


def _alone(name: str, family: frozenset[str], network: RoutedNetwork) -> bool:
    """Whether the copies of a station are independent: its customers queue only there, and no others do."""
    if network.buffers:
        return False
    delays = {station.name for station in network.stations if station.delay}
    for item in network.classes:
        visited = {step.station for route in item.routes for step in _holds(route.steps)} - delays
        if visited - family if item.per_copy_of == name else visited & family:
            return False
    return True


def _marked(item: _Class, network: RoutedNetwork, operations: Operations) -> bool:
    """Whether the class as stated needs no class per copy: Poisson arrivals that are split over the copies at random
    are Poisson at each, and each customer visits its copy at most once."""
    if isinstance(item, ClosedClass) or not operations.all(item.arrival_scv == 1.0):
        return False
    family = _family(item.per_copy_of, network)
    for route in item.routes:
        if any(isinstance(step, Fork) for step in route.steps):
            return False
        # Inside a hold of a copy, the stations that follow it use the same copy.
        visits = total(step.visits for step in route.steps if family & {hold.station for hold in _holds((step,))})
        inner = [hold for step in route.steps if isinstance(step, Hold) and step.station not in family
                 for hold in _holds(step.steps) if hold.station in family]  # fmt: skip
        if inner or not operations.all(visits <= 1.0):
            return False
    return True


def _holds(steps: Iterable[Step]) -> Iterator[Hold]:
    """All holds in some steps, at any depth."""
    for step in steps:
        if isinstance(step, Time):
            continue
        if isinstance(step, Hold):
            yield step
        yield from _holds(step.inner if isinstance(step, Fork) else step.steps)
