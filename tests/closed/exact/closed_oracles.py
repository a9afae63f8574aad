"""Independent answers for closed networks: states enumerated in fractions, a Markov chain, fifty-digit convolution."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import accumulate, product
from math import factorial, prod
from typing import Any, NamedTuple

from qnet.networks.closed.problem import ClosedNetwork, closed_network


class Answer(NamedTuple):
    """What the oracles know."""

    throughput: list[Any]
    queue_length: list[list[Any]]
    constant: Any = None
    marginals: list[list[Any]] | None = None


def capacity(network: ClosedNetwork, station: int, present: int) -> float:
    if network.delay[station]:
        return present
    rates = network.rates[station] or (1.0,)
    return rates[min(present, len(rates)) - 1]


def _placements(count: int, places: int) -> Iterator[tuple[int, ...]]:
    if places == 1:
        yield (count,)
        return
    for first in range(count + 1):
        for rest in _placements(count - first, places - 1):
            yield (first, *rest)


def enumerated(network: ClosedNetwork) -> Answer:
    """Every state of the product form, in exact fractions; the throughput is the rate at which states are left."""
    stations, classes, population = network.stations, network.classes, network.population
    demands = [[Fraction(value) for value in row] for row in network.demands]
    think = [Fraction(value) for value in network.think_time]
    rates = [Fraction(0)] * classes
    queues = [[Fraction(0)] * classes for _ in range(stations)]
    marginals = [[Fraction(0)] * (sum(population) + 1) for _ in range(stations)]
    constant = Fraction(0)
    for state in product(*(list(_placements(count, stations + 1)) for count in population)):
        weight = Fraction(1)
        for kind in range(classes):
            weight *= think[kind] ** state[kind][-1] / factorial(state[kind][-1])
        for station in range(stations):
            numbers = [state[kind][station] for kind in range(classes)]
            weight *= Fraction(factorial(sum(numbers)), prod(factorial(number) for number in numbers))
            for kind, number in enumerate(numbers):
                weight *= demands[station][kind] ** number
            for present in range(1, sum(numbers) + 1):
                weight /= Fraction(capacity(network, station, present))
        constant += weight
        for kind in range(classes):
            if think[kind]:
                rates[kind] += weight * state[kind][-1] / think[kind]
            else:
                station = next(place for place in range(stations) if demands[place][kind])
                there = sum(row[station] for row in state)
                if there:
                    speed = Fraction(capacity(network, station, there)) / demands[station][kind]
                    rates[kind] += weight * speed * state[kind][station] / there
        for station in range(stations):
            marginals[station][sum(row[station] for row in state)] += weight
            for kind in range(classes):
                queues[station][kind] += weight * state[kind][station]
    return Answer(
        [rate / constant for rate in rates],
        [[value / constant for value in row] for row in queues],
        constant,
        [[value / constant for value in row] for row in marginals],
    )


def markov(network: ClosedNetwork) -> Answer:
    """Global balance of processor-sharing stations visited in turn, the think time last: no product form is assumed."""
    import numpy as np

    stations, classes, population = network.stations, network.classes, network.population
    tours = [
        [place for place in range(stations) if network.demands[place][kind] > 0]
        + ([stations] if network.think_time[kind] > 0 else [])
        for kind in range(classes)
    ]
    options = [
        [
            tuple(dict(zip(tours[kind], row, strict=True)).get(place, 0) for place in range(stations + 1))
            for row in _placements(population[kind], len(tours[kind]))
        ]
        for kind in range(classes)
    ]
    states = list(product(*options))
    index = {state: number for number, state in enumerate(states)}

    def leaving(state: tuple[tuple[int, ...], ...], kind: int, place: int) -> float:
        if place == stations:
            return state[kind][place] / network.think_time[kind]
        there = sum(row[place] for row in state)
        return capacity(network, place, there) * state[kind][place] / there / network.demands[place][kind]

    generator = np.zeros((len(states), len(states)))
    for state, number in index.items():
        for kind, tour in enumerate(tours):
            for turn, place in enumerate(tour):
                onward = tour[(turn + 1) % len(tour)]
                if state[kind][place] and onward != place:
                    row = list(state[kind])
                    row[place] -= 1
                    row[onward] += 1
                    target = index[(*state[:kind], tuple(row), *state[kind + 1 :])]
                    rate = leaving(state, kind, place)
                    generator[number, target] += rate
                    generator[number, number] -= rate
    system = generator.T.copy()
    system[0] = 1.0
    right = np.zeros(len(states))
    right[0] = 1.0
    chances = np.linalg.solve(system, right)
    throughput = [
        sum(
            chances[number] * leaving(state, kind, tours[kind][0])
            for state, number in index.items()
            if state[kind][tours[kind][0]]
        )
        for kind in range(classes)
    ]
    queues = [
        [sum(chances[number] * state[kind][place] for state, number in index.items()) for kind in range(classes)]
        for place in range(stations)
    ]
    return Answer(throughput, queues)


class Digits:
    """One class to fifty digits: the constants of all populations up to the largest, for think time and stations."""

    def __init__(self, demands: Sequence[float], rates: Sequence[Sequence[float] | None], think: float, largest: int):
        self.context = Context(prec=50, Emax=10**15, Emin=-(10**15))
        self.demands = [Decimal(value) for value in demands]
        self.rates = [[Decimal(value) for value in row or (1.0,)][: max(largest, 1)] for row in rates]
        self.others: dict[int, list[Decimal]] = {}
        with localcontext(self.context):
            start = [Decimal(1)]
            for count in range(1, largest + 1):
                start.append(start[-1] * Decimal(think) / count)
            self.start = start
            self.whole = start
            for station in range(len(demands)):
                self.whole = self.joined(self.whole, station)

    def joined(self, constants: list[Decimal], station: int) -> list[Decimal]:
        rates = self.rates[station]
        head = [Decimal(1)]
        for rate in rates[:-1]:
            head.append(head[-1] * self.demands[station] / rate)
        ratio = self.demands[station] / rates[-1]
        rest = list(accumulate(constants, lambda before, value: before * ratio + value))
        shift = len(head) - 1
        joined = [Decimal(0)] * shift + [head[-1] * value for value in rest[: len(constants) - shift]]
        for place, weight in enumerate(head[:-1]):
            for count in range(len(constants) - place):
                joined[place + count] += weight * constants[count]
        return joined

    def without(self, station: int) -> list[Decimal]:
        """The constants of all stations but one."""
        if station not in self.others:
            others = self.start
            for place in range(len(self.demands)):
                if place != station:
                    others = self.joined(others, place)
            self.others[station] = others
        return self.others[station]

    def throughput(self, population: int) -> float:
        with localcontext(self.context):
            return float(self.whole[population - 1] / self.whole[population])

    def log_constant(self, population: int) -> float:
        with localcontext(self.context):
            return float(self.whole[population].ln())

    def queue_length(self, station: int, population: int) -> float:
        """A station of fixed rate from the constants of all; another from those without it, and its own factors."""
        rates = self.rates[station]
        with localcontext(self.context):
            if len(rates) == 1:
                value = Decimal(0)
                for constant in self.whole[:population]:
                    value = value * self.demands[station] / rates[0] + constant
                return float(value * self.demands[station] / rates[0] / self.whole[population])
            others = self.without(station)
            factor, value = Decimal(1), Decimal(0)
            for count in range(1, population + 1):
                factor *= self.demands[station] / rates[min(count, len(rates)) - 1]
                value += count * factor * others[population - count]
            return float(value / self.whole[population])


def random_network(
    rng: random.Random, stations: int, classes: int, most: int, fixed: bool = False, spread: float = 1.0
) -> ClosedNetwork:
    """A network with zeros in all places, delays, multi-server and load-dependent stations, identical stations."""
    demands = [
        [0.0 if rng.random() < 0.15 else 10 ** rng.uniform(-spread, spread) for _ in range(classes)]
        for _ in range(stations)
    ]
    delay = [rng.random() < 0.15 for _ in range(stations)]
    rates: list[Any] = []
    for place in range(stations):
        shape = rng.random()
        if delay[place] or fixed or shape < 0.4:
            rates.append(None)
        elif shape < 0.75:
            rates.append(tuple(range(1, rng.randint(2, 6) + 1)))
        else:
            rates.append(tuple(rng.uniform(0.5, 3) for _ in range(rng.randint(1, 5))))
    if stations > 2 and rng.random() < 0.4:
        demands[1], delay[1], rates[1] = demands[0], delay[0], rates[0]
    population = [rng.randint(0, most) if rng.random() < 0.9 else 0 for _ in range(classes)]
    think = [rng.choice([0.0, 10 ** rng.uniform(-1, 1)]) for _ in range(classes)]
    for kind in range(classes):
        if not think[kind] and not any(row[kind] for row in demands):
            think[kind] = 1.0
    return closed_network(demands, population, think, delay, rates)
