"""What customers find waiting where classes are closed: means and mean squares, and the variances of waits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from qnet import budget
from qnet.errors import NotComputed
from qnet.expression import FLOATS, Value
from qnet.networks.duration import Wait
from qnet.networks.routed import ClosedClass, RoutedNetwork, Station
from qnet.networks.solve import solve
from qnet.networks.streams import Key, Streams
from qnet.networks.wanted import Wanted
from qnet.queues.roots import root
from qnet.record import Record

_LONGEST = 100_000
"""Number of customers up to which mean squares are computed by recursion."""
_SHARE = 0.9
"""Part of the operations left that the states found on arrival may take: percentiles can do without them."""
_NEAR, _FAR = 0.02, 700.0
"""Exponents below which differences of exponentials are taken by their series, and beyond which they are infinite."""


class AtArrival(Record):
    """The customers of closed classes present on arrival at a copy of a station."""

    mean: float = 0.0
    square: float = 0.0
    """Mean square of the number found."""
    states: Sequence[float] = ()
    """Probabilities of finding 0, 1, ..., where they are known."""


def with_variances(
    network: RoutedNetwork, compiled: Streams, waits: Sequence[Wait], throughputs: Sequence[Value], wanted: Wanted
) -> list[Wait]:
    """The waits of a network of demands, or of a batch, with their variances.

    waits        by stream, as the mean values give them; `throughputs` by class.
    wanted       the method and its budget.
    Returns      the same means. A customer of a closed class finds what an observer sees with one customer less, of an
                 open class what an observer sees (@lavenberg1980; @sevcik1981); the wait is a
                 sum of that number of services. Service that is shared with open classes is slower in proportion.
    Method       One closed class at single servers: mean squares by a recursion of positive terms, from
                 p(n | N) = X(N) D p(n - 1 | N - 1) (@reiser1980). Else state
                 probabilities, where they are affordable. Else numbers are taken as geometric up to all customers
                 who ever come there, as between two stations, and of many customers at each station that is not full;
                 all others are at the one that is (Gordon and Newell 1967).
    """
    size = network.size or 1
    first = _first_of_each(network)
    observed = {
        number: _Moments(network, compiled, waits, throughputs, number, wanted).at_arrival() for number in set(first)
    }
    at = _at_first(compiled, first)
    stations = {station.name: station for station in network.stations}
    result: list[Wait] = []
    for stream, wait, key in zip(compiled.streams, waits, at, strict=True):
        station = stations[stream.station]
        if station.delay:
            result.append(wait)
            continue
        mean, service = (np.broadcast_to(value, (size,)) for value in (wait.mean, stream.holding.mean))
        selected = [
            _variance(
                station,
                observed[first[stream.class_index]][point].get(key, AtArrival()),
                float(mean[point]),
                float(service[point]),
            )
            for point in range(size)
        ]
        result.append(Wait(wait.mean, selected[0] if network.size is None else np.array(selected)))
    return result


def _first_of_each(network: RoutedNetwork) -> list[int]:
    """By class, the first one of the same name: classes of the copies of a station find the same, each at its copy."""
    names = [item.name for item in network.classes]
    return [names.index(name) for name in names]


def _at_first(compiled: Streams, first: Sequence[int]) -> list[Key]:
    """By stream, where the first class of the same name is at that step of its way."""
    ways: dict[int, list[Key]] = {}
    for stream in compiled.streams:
        ways.setdefault(stream.class_index, []).append((stream.station, stream.group))
    steps = {number: iter(ways[first[number]]) for number in ways}
    return [next(steps[stream.class_index]) for stream in compiled.streams]


class _Moments:
    """What customers of one class find, at every point."""

    def __init__(
        self,
        network: RoutedNetwork,
        compiled: Streams,
        waits: Sequence[Wait],
        throughputs: Sequence[Value],
        number: int,
        wanted: Wanted,
    ) -> None:
        self.network = network
        self.compiled = compiled
        self.waits = waits
        self.throughputs = throughputs
        self.number = number
        self.wanted = wanted
        self.size = network.size or 1
        self.groups: list[tuple[Key, int]] = [
            ((station.name, index), group.copies)
            for station in network.stations
            if not station.delay
            for index, group in enumerate(station.groups)
        ]
        """Every group of copies of queueing stations, and how many they are."""
        self.copies = np.array([count for _, count in self.groups], dtype=float).reshape(-1, 1)

    def at_arrival(self) -> list[dict[Key, AtArrival]]:
        """The customers present on arrival at every group of copies, by point."""
        closed = self.network.closed
        if not closed or not self.groups:
            return [{}] * self.size
        single = all(item.delay or (item.servers == 1 and item.rates is None) for item in self.network.stations)
        if len(closed) == 1 and single and self.others(closed[0]).max() <= _LONGEST:
            return self.by_recursion(closed[0])
        return [self.by_states(point) for point in range(self.size)]

    def spread(self, value: Value) -> Any:
        """A value as an array of points."""
        return np.broadcast_to(np.asarray(value, dtype=float), (self.size,))

    def others(self, only: ClosedClass) -> Any:
        """How many customers of the only closed class there are besides the arriving one, if it is one of them."""
        asking = isinstance(self.network.classes[self.number], ClosedClass)
        return np.floor(np.maximum(self.spread(only.population) - asking, 0.0) + 1e-9)

    def numbers(self, closed: bool, waiting: bool) -> Any:
        """Mean number in service at a copy, of closed or of open classes: (groups, points); optionally with the waiting
        ones."""
        result = np.zeros((len(self.groups), self.size))
        for row, (key, _) in enumerate(self.groups):
            for stream, wait in zip(self.compiled.streams, self.waits, strict=True):
                kind = self.network.classes[stream.class_index]
                if (stream.station, stream.group) == key and isinstance(kind, ClosedClass) == closed:
                    result[row] += self.spread(stream.rate * (stream.holding.mean + (wait.mean if waiting else 0.0)))
        return result

    def by_recursion(self, only: ClosedClass) -> list[dict[Key, AtArrival]]:
        """Mean and mean square of the number found at single servers, all points in one recursion."""
        rate = self.spread(self.throughputs[self.network.classes.index(only)])
        rate = np.where(rate > 0, rate, 1.0)
        # Open classes leave a closed one the rest of every server, and add to no other time.
        demands = self.numbers(True, False) / rate / np.maximum(1 - self.numbers(False, False), 1e-12)
        here = (self.copies * self.numbers(True, True)).sum(axis=0)
        elsewhere = np.maximum(self.spread(only.population) - here, 0.0) / rate
        others = self.others(only)
        if self.size == 1:
            alone = _plain(demands[:, 0].tolist(), self.copies[:, 0].tolist(), float(elsewhere[0]), int(others[0]))
            return self.by_group(*(np.array(item).reshape(-1, 1) for item in alone))
        mean, square = np.zeros_like(demands), np.zeros_like(demands)
        kept = [mean.copy(), square.copy()]
        for customers in range(1, int(others.max()) + 1):
            times = demands * (1 + mean)
            spent = elsewhere + (self.copies * times).sum(axis=0)
            speed = customers / np.where(spent > 0, spent, 1.0)
            square = speed * demands * (square + 2 * mean + 1)
            mean = speed * times
            now = others == customers
            if now.any():
                kept[0][:, now], kept[1][:, now] = mean[:, now], square[:, now]
        return self.by_group(*kept)

    def by_group(self, mean: Any, square: Any) -> list[dict[Key, AtArrival]]:
        """Moments as (groups, points), by point and group."""
        return [
            {
                key: AtArrival(float(mean[row, point]), float(square[row, point]))
                for row, (key, _) in enumerate(self.groups)
            }
            for point in range(self.size)
        ]

    def by_states(self, point: int) -> dict[Key, AtArrival]:
        """The customers present on arrival at one point, by state probabilities; without them, as of
        geometric numbers."""
        network = self.network if self.network.size is None else self.network.point(point)
        classes = list(network.classes)
        particular = classes[self.number]
        if isinstance(particular, ClosedClass):
            classes[self.number] = particular.replace(population=max(particular.population - 1.0, 0.0))
        if not any(isinstance(item, ClosedClass) and item.population > 0 for item in classes):
            return {}
        asked = self.wanted.replace(states=True, bounds="", announce=None, each=False)
        try:
            with budget.share(_SHARE):
                solution = solve(network.replace(classes=tuple(classes)), asked)
        except NotComputed:
            return self.of_many(point)
        labels = {
            (station.name, index): group.label
            for station in network.stations
            for index, group in enumerate(station.groups)
        }
        states = solution.states or {}
        return {
            key: AtArrival(*_moments(states[labels[key]]), states[labels[key]])
            for key, _ in self.groups
            if labels[key] in states
        }

    def of_many(self, point: int) -> dict[Key, AtArrival]:
        """Moments without state probabilities: of geometric numbers with the means found, up to all who ever come."""
        mean, most = self.on_arrival(point)
        spread = np.array([_spread(*item) for item in zip(mean.tolist(), most.tolist(), strict=True)])
        population = sum(float(self.spread(item.population)[point]) for item in self.network.closed)
        copies = self.copies[:, 0]
        elsewhere = max(population - float((copies * mean).sum()), 0.0)
        rest = elsewhere + float((copies * spread).sum()) - spread
        square = np.minimum(spread, rest) + mean**2
        return {key: AtArrival(float(mean[row]), float(square[row])) for row, (key, _) in enumerate(self.groups)}

    def on_arrival(self, point: int) -> tuple[Any, Any]:
        """By group: the mean number of closed classes found at a copy on arrival, and the most there can be.

        At a single server that closed classes alone visit, the mean is what the mean wait there says; elsewhere it is
        what an observer sees.
        """
        rows = {key: row for row, (key, _) in enumerate(self.groups)}
        stations = {station.name: station for station in self.network.stations}
        mean = self.numbers(True, True)[:, point]
        visitors: list[set[int]] = [set() for _ in rows]
        waiting: dict[int, float] = {}
        for stream, wait in zip(self.compiled.streams, self.waits, strict=True):
            row = rows.get((stream.station, stream.group))
            if row is None:
                continue
            visitors[row].add(stream.class_index)
            service = float(self.spread(stream.holding.mean)[point])
            if stream.class_index == self.number and service > 0:
                waiting[row] = float(self.spread(wait.mean)[point]) / service
        most = np.zeros(len(rows))
        for (key, _), row in zip(self.groups, rows.values(), strict=True):
            closed = {n: item for n in visitors[row] if isinstance(item := self.network.classes[n], ClosedClass)}
            most[row] = sum(
                max(float(self.spread(item.population)[point]) - (number == self.number), 0.0)
                for number, item in closed.items()
            )
            station = stations[key[0]]
            if row in waiting and len(closed) == len(visitors[row]) and station.servers == 1 and station.rates is None:
                mean[row] = waiting[row]
        return mean, most


def _spread(mean: float, most: float) -> float:
    """The variance of a geometric number from 0 to `most`, by its mean."""
    if not 0 < mean < most:
        return 0.0
    # Of the numbers there and not there, both of which are geometric, the smaller one; its ratio is exp(-rate).
    few, size = min(mean, most - mean), most + 1.0

    def missing(rate: float) -> float:
        beyond = size / math.expm1(size * rate) if size * rate < _FAR else 0.0
        return few + beyond - 1 / math.expm1(rate)

    low, high = 1e-6 / size, math.log1p(1 / few)
    if missing(low) >= 0:  # as often any number as any other
        return (size**2 - 1) / 12
    rate = root(missing, low, high, missing(low), missing(high), FLOATS)
    if size * rate < _NEAR:
        return (size**2 - 1) / 12 - (size**4 - 1) * rate**2 / 240
    beyond = size / 2 / math.sinh(size * rate / 2) if size * rate < _FAR else 0.0
    return (0.5 / math.sinh(rate / 2)) ** 2 - beyond**2


def _plain(
    demands: Sequence[float], copies: Sequence[float], elsewhere: float, others: int
) -> tuple[list[float], list[float]]:
    """The recursion of one point in plain Python: means and mean squares of the number found, by group."""
    mean, square = [0.0] * len(demands), [0.0] * len(demands)
    for customers in range(1, others + 1):
        times = [demand * (1 + number) for demand, number in zip(demands, mean, strict=True)]
        spent = elsewhere + sum(count * time for count, time in zip(copies, times, strict=True))
        speed = customers / spent if spent > 0 else 0.0
        square = [
            speed * demand * (old + 2 * number + 1) for demand, old, number in zip(demands, square, mean, strict=True)
        ]
        mean = [speed * time for time in times]
    return mean, square


def _variance(station: Station, observed: AtArrival, wait: float, service: float) -> float:
    """The variance of a wait, from the customers of closed classes present on arrival and the mean wait.

    The time of one customer present is the one that makes the mean right: longer where open classes come in between.
    """
    if station.rates is None and station.servers == 1 and station.discipline == "ps":
        return shared_variance(wait, service, (observed.square - observed.mean**2) / (observed.mean + 1) ** 2)
    if station.rates is None and station.servers == 1:
        # All customers present and the service of the arriving one: a sum of equal exponential times, also between
        # arrivals.
        one = (wait + service) / (observed.mean + 1)
        return max(one**2 * (observed.mean + 1 + observed.square - observed.mean**2) - service**2, 0.0)
    if observed.states:
        work, variance = _work(station, observed.states)
        if station.rates is not None:
            return max(((wait + service) / work) ** 2 * variance - service**2, 0.0)
    else:
        work = max(observed.mean - station.servers + 1, 0.0)
        variance = observed.square - observed.mean**2 + work
    return wait**2 * (min(variance / work**2, 3.0) if work > 0 else 1.0)


def shared_variance(wait: Value, service: Value, spread: Value) -> Value:
    """The variance of a wait where service is shared, by exponential times.

    spread    that of the number that share it, the customer included: variance over squared mean. With many arrivals
              it is the load.
    Returns   square seconds: what makes the time there have an scv of 1 + 2 spread / (2 - spread). That is exact for
              M/M/1 (@coffman1970) and where the number is always the same, which
              makes the time exponential; in between it is an estimate, whose error `qnet methods --error` reports.
    """
    return (wait + service) ** 2 * (1 + 2 * spread / (2 - spread)) - service**2


def _moments(states: Sequence[float]) -> tuple[float, float]:
    """Mean and mean square of the number found."""
    mean = sum(number * probability for number, probability in enumerate(states))
    return mean, sum(number**2 * probability for number, probability in enumerate(states))


def _work(station: Station, states: Sequence[float]) -> tuple[float, float]:
    """Mean and variance of the time until a server is free, in service times; of rates, until all found have left, and
    the customer too."""
    count = station.servers
    mean = square = within = 0.0
    done, spread = 0.0, 0.0
    for number, probability in enumerate(states):
        if station.rates is not None:
            rate = station.rates[min(number, len(station.rates) - 1)] or 1.0
            done, spread = done + 1 / rate, spread + 1 / rate**2
        elif number >= count:
            done, spread = done + 1 / count, spread + 1 / count**2
        mean += probability * done
        square += probability * done**2
        within += probability * spread
    return mean, max(square - mean**2, 0.0) + within
