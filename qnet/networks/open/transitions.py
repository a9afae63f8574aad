"""The flows of customers in an open network: from outside and from station to station, customers per second."""

from __future__ import annotations

from qnet.expression import Operations, Value
from qnet.lazy import np
from qnet.networks.routed import Hold, OpenClass, RoutedNetwork
from qnet.networks.streams import Key, group_of
from qnet.record import Record

_OUTSIDE: Key = ("", 0)
_ROUNDING = 2.0**-53
"""The least pivot: customers who return with a probability of 1, rounding aside, would return without end."""


class Transitions(Record):
    """Customers per second, over all copies of a group."""

    entering: dict[Key, dict[int, Value]]
    """From outside to a station group, by class."""
    between: dict[tuple[Key, Key], Value]
    """From a station group to another or the same one."""


def transitions(network: RoutedNetwork, operations: Operations) -> Transitions:
    """The flows of a network of open classes whose stations are visited one after the other.

    network     without holds inside holds and without second-phase work; delay stations are stations too.
    operations  of its numbers.
    Returns     the flows. A step made v times on average follows the step before it with probability min(v, 1), and
                itself max(v - 1, 0) times; a copy is chosen anew at every visit. Times of no station change nothing.
    """
    walker = _Walker(network, operations)
    for number, customers in enumerate(network.classes):
        assert isinstance(customers, OpenClass)
        if customers.chain:
            walker.chain(number, customers)
        else:
            walker.routes(number, customers)
    return Transitions(walker.entering, walker.between)


class _Walker:
    def __init__(self, network: RoutedNetwork, operations: Operations) -> None:
        self.stations = {station.name: station for station in network.stations}
        self.operations = operations
        self.entering: dict[Key, dict[int, Value]] = {}
        self.between: dict[tuple[Key, Key], Value] = {}

    def chain(self, number: int, customers: OpenClass) -> None:
        """Add the flows of a chain, which are stated by station."""
        for origin, target, count in customers.onward:
            rate = customers.arrival_rate * count
            for before, share in self.groups(origin):
                for after, other in self.groups(target):
                    self.flow(number, before, after, rate * share * other)

    def routes(self, number: int, customers: OpenClass) -> None:
        """Add the flows of all routes of a class, from the probabilities of the station group visited last."""
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
                        self.flow(number, before, after, rate * where * once * share)
                    for before, other in chosen:
                        self.flow(number, before, after, rate * again * other * share)
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

    def flow(self, number: int, before: Key, after: Key, rate: Value) -> None:
        """Add a flow of the class with this number between station groups; departures are left out."""
        if after == _OUTSIDE or (isinstance(rate, (int, float)) and rate == 0):
            return
        if before == _OUTSIDE:
            by_class = self.entering.setdefault(after, {})
            by_class[number] = by_class.get(number, 0.0) + rate
        else:
            self.between[before, after] = self.between.get((before, after), 0.0) + rate


def solved(rows: list[dict[int, Value]], right: list[dict[int, Value]]) -> list[dict[int, Value]]:
    """The solution of diagonally dominant linear equations, by elimination without pivoting.

    rows    by row, the coefficients by column, 0 where there is none; the diagonal is present. Changed.
    right   by row, the right-hand sides by number. Changed.
    Returns by row, the solutions by number of the right-hand side.
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
        sides = right[number]
        for column, value in rows[number].items():
            if column != number:
                for side, known in right[column].items():
                    sides[side] = sides.get(side, 0.0) - value * known
        pivot = _pivot(rows[number][number])
        right[number] = {side: value / pivot for side, value in sides.items()}
    return right


def _pivot(value: Value) -> Value:
    return max(value, _ROUNDING) if isinstance(value, (int, float)) else np.maximum(value, _ROUNDING)
