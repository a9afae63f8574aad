"""The flows of customers in an open network: from outside and from station to station, customers per second."""

from __future__ import annotations

from qnet.expression import Operations, Value
from qnet.lazy import np
from qnet.networks.routed import Hold, OpenClass, RoutedNetwork
from qnet.networks.streams import Key, group_of
from qnet.record import Record

_OUTSIDE: Key = ("", 0)
_ROUNDING = 2.0**-53
"""The least pivot: customers who return as certainly as numbers can say would return without end."""


class Transitions(Record):
    """Customers per second, over all copies of a group."""

    entering: dict[Key, dict[int, Value]]
    """From outside to a station group, by class."""
    between: dict[tuple[Key, Key], Value]
    """From a station group to one, which may be the same."""


def transitions(network: RoutedNetwork, operations: Operations) -> Transitions:
    """The flows of a network of open classes whose stations are visited one after the other.

    network     without holds inside holds and without second-phase work; delay stations are stations too.
    operations  those of its numbers.
    Returns     `Transitions`. A step made `v` times on average follows the step before it in min(v, 1) of the cases,
                and itself max(v - 1, 0) times; copies are chosen anew at every visit. Delays change nothing.
    """
    walker = _Walker(network, operations)
    for kind, customers in enumerate(network.classes):
        assert isinstance(customers, OpenClass)
        if customers.chain:
            walker.chain(kind, customers)
        else:
            walker.routes(kind, customers)
    return Transitions(walker.entering, walker.between)


class _Walker:
    def __init__(self, network: RoutedNetwork, operations: Operations) -> None:
        self.stations = {station.name: station for station in network.stations}
        self.operations = operations
        self.entering: dict[Key, dict[int, Value]] = {}
        self.between: dict[tuple[Key, Key], Value] = {}

    def chain(self, kind: int, customers: OpenClass) -> None:
        """The flows of a chain, which it has by station."""
        for origin, target, count in customers.onward:
            rate = customers.arrival_rate * count
            for before, share in self.groups(origin):
                for after, other in self.groups(target):
                    self.flow(kind, before, after, rate * share * other)

    def routes(self, kind: int, customers: OpenClass) -> None:
        """The flows of all routes of a class: after each step, where its customers were last, with probabilities."""
        for route in customers.routes:
            rate = customers.arrival_rate * route.probability
            last: dict[Key, Value] = {_OUTSIDE: 1.0}
            for step in route.steps:
                if not isinstance(step, Hold):
                    continue
                chosen = self.groups(step.station, step.copy)
                once = self.operations.minimum([step.visits, 1.0 + 0.0 * step.visits])
                again = step.visits - once
                for after, share in chosen:
                    for before, where in last.items():
                        self.flow(kind, before, after, rate * where * once * share)
                    for before, other in chosen:
                        self.flow(kind, before, after, rate * again * other * share)
                passed = {index: where * (1.0 - once) for index, where in last.items()}
                last = {index: where for index, where in passed.items() if not isinstance(where, float) or where}
                for after, share in chosen:
                    last[after] = last.get(after, 0.0) + once * share

    def groups(self, name: str, copy: int | None = None) -> list[tuple[Key, Value]]:
        """The groups of copies of a station that a visit may use, each with its probability; outside has one."""
        if not name:
            return [(_OUTSIDE, 1.0)]
        station = self.stations[name]
        if copy is not None:
            return [((name, group_of(station, copy)), 1.0)]
        return [((name, index), group.copies * group.share) for index, group in enumerate(station.groups)]

    def flow(self, kind: int, before: Key, after: Key, rate: Value) -> None:
        """Add the flow of customers from one place to another; departures are not counted."""
        if after == _OUTSIDE or (isinstance(rate, (int, float)) and rate == 0):
            return
        if before == _OUTSIDE:
            particular = self.entering.setdefault(after, {})
            particular[kind] = particular.get(kind, 0.0) + rate
        else:
            self.between[before, after] = self.between.get((before, after), 0.0) + rate


def solved(rows: list[dict[int, Value]], right: list[dict[int, Value]]) -> list[dict[int, Value]]:
    """The solution of linear equations whose diagonal is at least the rest of each row: elimination without pivoting.

    rows    by row, the coefficients by column, 0 where there is none; with a diagonal, of 1 less what is returned. They
            are changed.
    right   by row, the right sides by number. They are changed.
    Returns by row, the solutions by number of the right side.
    """
    size = len(rows)
    for number in range(size):
        for below in range(number + 1, size):
            entry = rows[below].pop(number, None)
            if entry is None:
                continue
            share = entry / _pivot(rows[number][number])
            for known, source in ((rows[below], rows[number]), (right[below], right[number])):
                for column, value in source.items():
                    if source is not rows[number] or column != number:
                        known[column] = known.get(column, 0.0) - share * value
    for number in range(size - 1, -1, -1):
        particular = right[number]
        for column, value in rows[number].items():
            if column != number:
                for side, known in right[column].items():
                    particular[side] = particular.get(side, 0.0) - value * known
        pivot = _pivot(rows[number][number])
        right[number] = {side: value / pivot for side, value in particular.items()}
    return right


def _pivot(value: Value) -> Value:
    return max(value, _ROUNDING) if isinstance(value, (int, float)) else np.maximum(value, _ROUNDING)
