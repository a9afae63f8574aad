"""The variances of waits with closed classes, from the mean and mean square of the number found on arrival."""

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
"""The largest population for which mean squares are computed by recursion."""
_SHARE = 0.9
"""The share of the remaining operations that state probabilities may take: percentiles can do without them."""
_NEAR, _FAR = 0.02, 700.0
"""Exponents below which differences of exponentials are computed by series, and above which they overflow."""


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

    network      stations and classes.
    compiled     its streams.
    waits        by stream, with their means.
    throughputs  by class.
    wanted       the method and its budget.
    Returns      the waits with the same means. A customer of a closed class finds what an outside observer sees with
                 one customer less, of an open class what an outside observer sees (@lavenberg1980; @sevcik1981); the
                 wait is a sum of that number of services. Service that is shared with open classes is slower in
                 proportion.
    Method       One closed class at single servers: mean squares by a recursion of positive terms, from
                 p(n | N) = X(N) D p(n - 1 | N - 1) (@reiser1980). Else state probabilities, where they are affordable.
                 Else numbers have truncated geometric distributions, up to the customers that visit the station: so
                 they have with two stations, and with many customers at each station that is not saturated, while all
                 others are at the one that is (Gordon and Newell 1967).
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
        variances = [
            _variance(
                station,
                observed[first[stream.class_index]][point].get(key, AtArrival()),
                float(mean[point]),
                float(service[point]),
            )
            for point in range(size)
        ]
        result.append(Wait(wait.mean, variances[0] if network.size is None else np.array(variances)))
    return result


def _first_of_each(network: RoutedNetwork) -> list[int]:
    """By class, the first one of the same name: the classes of the copies of a station find equal numbers there."""
    names = [item.name for item in network.classes]
    return [names.index(name) for name in names]


def _at_first(compiled: Streams, first: Sequence[int]) -> list[Key]:
    """By stream, the station group of the same stream of the first class of the same name."""
    ways: dict[int, list[Key]] = {}
    for stream in compiled.streams:
        ways.setdefault(stream.class_index, []).append((stream.station, stream.group))
    steps = {number: iter(ways[first[number]]) for number in ways}
    return [next(steps[stream.class_index]) for stream in compiled.streams]


class _Moments:
    """The numbers that customers of one class find on arrival, at every point."""

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
        """Every group of copies of queueing stations, with the number of copies."""
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
        """The customers of the only closed class, without the arriving one if it is one of them."""
        arriving = isinstance(self.network.classes[self.number], ClosedClass)
        return np.floor(np.maximum(self.spread(only.population) - arriving, 0.0) + 1e-9)

    def numbers(self, closed: bool, waiting: bool) -> Any:
        """(groups, points) mean number in service at a copy, of closed or of open classes; `waiting` adds the queue."""
        result = np.zeros((len(self.groups), self.size))
        for row, (key, _) in enumerate(self.groups):
            for stream, wait in zip(self.compiled.streams, self.waits, strict=True):
                customers = self.network.classes[stream.class_index]
                if (stream.station, stream.group) == key and isinstance(customers, ClosedClass) == closed:
                    result[row] += self.spread(stream.rate * (stream.holding.mean + (wait.mean if waiting else 0.0)))
        return result

    def by_recursion(self, only: ClosedClass) -> list[dict[Key, AtArrival]]:
        """Mean and mean square of the number found at single servers, all points in one recursion."""
        rate = self.spread(self.throughputs[self.network.classes.index(only)])
        rate = np.where(rate > 0, rate, 1.0)
        # Open classes make a server slower for the closed class, in proportion to their load.
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
        """Moments (groups, points) by point and group."""
        return [
            {
                key: AtArrival(float(mean[row, point]), float(square[row, point]))
                for row, (key, _) in enumerate(self.groups)
            }
            for point in range(self.size)
        ]

    def by_states(self, point: int) -> dict[Key, AtArrival]:
        """The customers present on arrival at one point, by state probabilities, or by geometric numbers without
        them."""
        network = self.network if self.network.size is None else self.network.point(point)
        classes = list(network.classes)
        customers = classes[self.number]
        if isinstance(customers, ClosedClass):
            classes[self.number] = customers.replace(population=max(customers.population - 1.0, 0.0))
        if not any(isinstance(item, ClosedClass) and item.population > 0 for item in classes):
            return {}
        wanted = self.wanted.replace(states=True, bounds="", announce=None, each=False)
        try:
            with budget.share(_SHARE):
                solution = solve(network.replace(classes=tuple(classes)), wanted)
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
        """Moments of geometric numbers with the means found, truncated at the customers that visit the station."""
        mean, most = self.on_arrival(point)
        spread = np.array([_spread(*item) for item in zip(mean.tolist(), most.tolist(), strict=True)])
        population = sum(float(self.spread(item.population)[point]) for item in self.network.closed)
        copies = self.copies[:, 0]
        elsewhere = max(population - float((copies * mean).sum()), 0.0)
        rest = elsewhere + float((copies * spread).sum()) - spread
        square = np.minimum(spread, rest) + mean**2
        return {key: AtArrival(float(mean[row]), float(square[row])) for row, (key, _) in enumerate(self.groups)}

    def on_arrival(self, point: int) -> tuple[Any, Any]:
        """By group: the mean and the largest number of customers of closed classes found at a copy on arrival.

        At a single server that only closed classes visit, the mean follows from the mean wait there; elsewhere it is
        that of an outside observer.
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
    # The numbers present and absent are both geometric: the smaller one is computed; its ratio is exp(-rate).
    few, size = min(mean, most - mean), most + 1.0

    def missing(rate: float) -> float:
        beyond = size / math.expm1(size * rate) if size * rate < _FAR else 0.0
        return few + beyond - 1 / math.expm1(rate)

    low, high = 1e-6 / size, math.log1p(1 / few)
    if missing(low) >= 0:  # uniform
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

    The service time of a customer present is scaled to match the mean wait: longer where open classes share the server.
    """
    if station.rates is None and station.servers == 1 and station.discipline == "ps":
        return shared_variance(wait, service, (observed.square - observed.mean**2) / (observed.mean + 1) ** 2)
    if station.rates is None and station.servers == 1:
        # All customers present and the arriving one: a sum of equal exponential times.
        each = (wait + service) / (observed.mean + 1)
        return max(each**2 * (observed.mean + 1 + observed.square - observed.mean**2) - service**2, 0.0)
    if observed.states:
        work, variance = _work(station, observed.states)
        if station.rates is not None:
            return ((wait + service) / work) ** 2 * variance - service**2
    elif station.rates is not None and wait < 0:
        return (wait + service) ** 2 - service**2
    else:
        work = max(observed.mean - station.servers + 1, 0.0)
        variance = observed.square - observed.mean**2 + work
    return wait**2 * (min(variance / work**2, 3.0) if work > 0 else 1.0)


def shared_variance(wait: Value, service: Value, spread: Value) -> Value:
    """The variance of a wait with processor sharing and exponential service.

    wait      mean in seconds.
    service   mean in seconds.
    spread    variance over squared mean of the number that share the server, the customer included; with Poisson
              arrivals it is the load.
    Returns   square seconds, for which the time there has an scv of 1 + 2 spread / (2 - spread). That is exact for
              M/M/1 (@coffman1970), and for a constant number, where the time is exponential; in between it is an
              estimate, whose error `qnet methods --error` reports.
    """
    return (wait + service) ** 2 * (1 + 2 * spread / (2 - spread)) - service**2


def _moments(states: Sequence[float]) -> tuple[float, float]:
    """Mean and mean square of the number found."""
    mean = sum(number * probability for number, probability in enumerate(states))
    return mean, sum(number**2 * probability for number, probability in enumerate(states))


def _work(station: Station, states: Sequence[float]) -> tuple[float, float]:
    """Mean and variance of the time until a server is free, in service times; at a station with rates, until the
    customer and all before it have left."""
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
