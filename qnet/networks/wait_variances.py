"""What customers find waiting where classes are closed: means and mean squares, and the variances of waits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qnet.errors import NotComputed
from qnet.expression import Value
from qnet.lazy import np
from qnet.networks.duration import Wait
from qnet.networks.routed import ClosedClass, RoutedNetwork, Station
from qnet.networks.solve import solve
from qnet.networks.streams import Key, Streams
from qnet.networks.wanted import Wanted
from qnet.record import Record

_LONGEST = 100_000
"""Customers up to which mean squares are found by recursion."""


class Seen(Record):
    """What is found of closed classes at a copy of a station."""

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
                 open class what an observer sees (Lavenberg and Reiser 1980; Sevcik and Mitrani 1981); the wait is a
                 sum of so many services. Service that is shared with open classes is slower in proportion.
    Method       One closed class at single servers: mean squares by a recursion of positive terms, from
                 p(n | N) = X(N) D p(n - 1 | N - 1) (Reiser and Lavenberg, J. ACM 27 (1980) 313-322). Else state
                 probabilities, where they are affordable. Else the limit of many customers: numbers at stations that
                 are not full are geometric, and all others are at the one that is (Gordon and Newell 1967).
    """
    size = network.size or 1
    found = [_Found(network, compiled, waits, throughputs, number, wanted) for number in range(len(network.classes))]
    seen = [item.seen() for item in found]
    stations = {station.name: station for station in network.stations}
    result: list[Wait] = []
    for stream, wait in zip(compiled.streams, waits, strict=True):
        station, key = stations[stream.station], (stream.station, stream.group)
        if station.delay:
            result.append(wait)
            continue
        mean, service = (np.broadcast_to(value, (size,)) for value in (wait.mean, stream.holding.mean))
        own = [
            _variance(
                station, seen[stream.class_index][point].get(key, Seen()), float(mean[point]), float(service[point])
            )
            for point in range(size)
        ]
        result.append(Wait(wait.mean, own[0] if network.size is None else np.array(own)))
    return result


class _Found:
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
            ((station.name, place), group.copies)
            for station in network.stations
            if not station.delay
            for place, group in enumerate(station.groups)
        ]
        """Every group of copies of queueing stations, and how many they are."""
        self.copies = np.array([count for _, count in self.groups], dtype=float).reshape(-1, 1)

    def seen(self) -> list[dict[Key, Seen]]:
        """What is found at every group of copies, by point."""
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
        """How many customers of the only closed class there are beside the one who asks, if it is one of them."""
        asking = isinstance(self.network.classes[self.number], ClosedClass)
        return np.floor(np.maximum(self.spread(only.population) - asking, 0.0) + 1e-9)

    def numbers(self, closed: bool, waiting: bool) -> Any:
        """Mean number in service at a copy, of closed or of open classes: (groups, points); also who waits."""
        found = np.zeros((len(self.groups), self.size))
        for row, (key, _) in enumerate(self.groups):
            for stream, wait in zip(self.compiled.streams, self.waits, strict=True):
                kind = self.network.classes[stream.class_index]
                if (stream.station, stream.group) == key and isinstance(kind, ClosedClass) == closed:
                    found[row] += self.spread(stream.rate * (stream.holding.mean + (wait.mean if waiting else 0.0)))
        return found

    def by_recursion(self, only: ClosedClass) -> list[dict[Key, Seen]]:
        """Mean and mean square of the number found at single servers, all points in one recursion."""
        rate = self.spread(self.throughputs[self.network.classes.index(only)])
        rate = np.where(rate > 0, rate, 1.0)
        # Open classes leave a closed one the rest of every server, and add to no other time.
        demands = self.numbers(True, False) / rate / np.maximum(1 - self.numbers(False, False), 1e-12)
        here = (self.copies * self.numbers(True, True)).sum(axis=0)
        away = np.maximum(self.spread(only.population) - here, 0.0) / rate
        others = self.others(only)
        if self.size == 1:
            alone = _plain(demands[:, 0].tolist(), self.copies[:, 0].tolist(), float(away[0]), int(others[0]))
            return self.told(*(np.array(item).reshape(-1, 1) for item in alone))
        mean, square = np.zeros_like(demands), np.zeros_like(demands)
        kept = [mean.copy(), square.copy()]
        for customers in range(1, int(others.max()) + 1):
            times = demands * (1 + mean)
            spent = away + (self.copies * times).sum(axis=0)
            speed = customers / np.where(spent > 0, spent, 1.0)
            square = speed * demands * (square + 2 * mean + 1)
            mean = speed * times
            now = others == customers
            if now.any():
                kept[0][:, now], kept[1][:, now] = mean[:, now], square[:, now]
        return self.told(*kept)

    def told(self, mean: Any, square: Any) -> list[dict[Key, Seen]]:
        """Moments as (groups, points), by point and group."""
        return [
            {key: Seen(float(mean[row, point]), float(square[row, point])) for row, (key, _) in enumerate(self.groups)}
            for point in range(self.size)
        ]

    def by_states(self, point: int) -> dict[Key, Seen]:
        """What is found at one point by state probabilities; without them, what is found where many customers are."""
        network = self.network if self.network.size is None else self.network.point(point)
        classes = list(network.classes)
        own = classes[self.number]
        if isinstance(own, ClosedClass):
            classes[self.number] = own.replace(population=max(own.population - 1.0, 0.0))
        if not any(isinstance(item, ClosedClass) and item.population > 0 for item in classes):
            return {}
        asked = self.wanted.replace(states=True, bounds="", announce=None, each=False)
        try:
            solution = solve(network.replace(classes=tuple(classes)), asked)
        except NotComputed:
            return self.of_many(point)
        labels = {
            (station.name, place): group.label
            for station in network.stations
            for place, group in enumerate(station.groups)
        }
        states = solution.states or {}
        return {
            key: Seen(*_moments(states[labels[key]]), states[labels[key]])
            for key, _ in self.groups
            if labels[key] in states
        }

    def of_many(self, point: int) -> dict[Key, Seen]:
        """Moments where there are so many customers that one more makes no difference."""
        mean = self.numbers(True, True)[:, point]
        geometric = mean * (1 + mean)
        population = sum(float(self.spread(item.population)[point]) for item in self.network.closed)
        copies = self.copies[:, 0]
        away = max(population - float((copies * mean).sum()), 0.0)
        rest = away + float((copies * geometric).sum()) - geometric
        square = np.minimum(geometric, rest) + mean**2
        return {key: Seen(float(mean[row]), float(square[row])) for row, (key, _) in enumerate(self.groups)}


def _plain(
    demands: Sequence[float], copies: Sequence[float], away: float, others: int
) -> tuple[list[float], list[float]]:
    """The recursion of one point in plain Python: means and mean squares of the number found, by group."""
    mean, square = [0.0] * len(demands), [0.0] * len(demands)
    for customers in range(1, others + 1):
        times = [demand * (1 + number) for demand, number in zip(demands, mean, strict=True)]
        spent = away + sum(count * time for count, time in zip(copies, times, strict=True))
        speed = customers / spent if spent > 0 else 0.0
        square = [
            speed * demand * (old + 2 * number + 1) for demand, old, number in zip(demands, square, mean, strict=True)
        ]
        mean = [speed * time for time in times]
    return mean, square


def _variance(station: Station, seen: Seen, wait: float, service: float) -> float:
    """The variance of a wait, from what is found of closed classes and the mean wait.

    One found customer takes as long as makes the mean right: longer where open classes come in between.
    """
    if station.rates is None and station.servers == 1 and station.discipline == "ps":
        return shared_variance(wait, service, (seen.square - seen.mean**2) / (seen.mean + 1) ** 2)
    if station.rates is None and station.servers == 1:
        # All that are found and the customer's own service: a sum of equal exponential times, also between arrivals.
        one = (wait + service) / (seen.mean + 1)
        return max(one**2 * (seen.mean + 1 + seen.square - seen.mean**2) - service**2, 0.0)
    if seen.states:
        work, variance = _work(station, seen.states)
        if station.rates is not None:
            return max(((wait + service) / work) ** 2 * variance - service**2, 0.0)
    else:
        work = max(seen.mean - station.servers + 1, 0.0)
        variance = seen.square - seen.mean**2 + work
    return wait**2 * (min(variance / work**2, 3.0) if work > 0 else 1.0)


def shared_variance(wait: Value, service: Value, spread: Value) -> Value:
    """The variance of a wait where service is shared, by exponential times.

    spread    that of the number that share it, the customer included: variance over squared mean. With many arrivals
              it is the load.
    Returns   square seconds: what makes the time there have an scv of 1 + 2 spread / (2 - spread). That is exact for
              M/M/1 (Coffman, Muntz, Trotter, J. ACM 17 (1970) 123-130) and where the number is always the same, which
              makes the time exponential; in between it is a guess, whose error is told by `qnet methods --error`.
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
