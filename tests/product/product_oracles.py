"""Independent answers for networks of `product_networks`: the product form in exact fractions, and Markov chains.

`summed` adds up every state; the open customers at a station, of which there can be any number, are summed as a
geometric series. `markov` solves the balance of flows and knows nothing of product forms.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate, product
from math import comb, factorial
from operator import mul
from typing import Any, NamedTuple

from product_networks import Case, capacity, lasting


class Answer(NamedTuple):
    """What the oracles know."""

    throughput: list[Any]
    queue_length: list[list[Any]]
    states: list[list[Any]]
    """For each station the probabilities of 0, 1, ... closed customers."""
    error: float = 0.0
    """How far a mean can be off because not all states were taken."""


def open_kinds(case: Case) -> list[int]:
    return [kind for kind, rate in enumerate(case["arrival_rate"]) if rate is not None]


def closed_kinds(case: Case) -> list[int]:
    return [kind for kind, count in enumerate(case["population"]) if count is not None]


def _placements(count: int, places: int) -> Iterator[tuple[int, ...]]:
    if places == 0:
        if count == 0:
            yield ()
        return
    for first in range(count + 1):
        for rest in _placements(count - first, places - 1):
            yield (first, *rest)


def _open_load(case: Case, station: int) -> Fraction:
    rates, row = case["arrival_rate"], case["demands"][station]
    return sum((Fraction(rates[kind]) * Fraction(row[kind]) for kind in open_kinds(case)), Fraction(0))


def _beside(case: Case, station: int, present: int) -> tuple[Fraction, Fraction]:
    """With closed customers present: the sum of the weights of all numbers of open ones, and of their numbers.

    The weight of m open beside n closed ones is (n + m)! / (n! m!) load^m / (a(1) ... a(n + m)). From where the
    capacity stays the same on, the series C(n + m, m) x^m adds up to (1 - x)^-(n + 1), and m times its terms to
    (n + 1) x (1 - x)^-(n + 2).
    """
    load = _open_load(case, station)
    if case["kinds"][station] == "delay":
        # Divided by exp(load), which all states have in common.
        return Fraction(1, factorial(present)), load / factorial(present)
    last = Fraction(lasting(case, station))
    steps = len(case["rates"][station] or range(case["servers"][station]))
    head = max(steps - present, 0)
    slot = load / last
    capacities = (Fraction(capacity(case, station, number)) for number in range(1, present + head + 1))
    used = [*accumulate(capacities, mul, initial=Fraction(1))]
    whole = counted = Fraction(0)
    for number in range(head):
        weight = comb(present + number, number) * load**number / used[present + number]
        whole, counted = whole + weight, counted + number * weight
    rest = (1 - slot) ** -(present + 1) - sum(comb(present + number, number) * slot**number for number in range(head))
    number_rest = (present + 1) * slot * (1 - slot) ** -(present + 2) - sum(
        number * comb(present + number, number) * slot**number for number in range(head)
    )
    scale = last**head / used[-1]
    return whole + rest * scale, counted + number_rest * scale


def summed(case: Case) -> Answer:
    """Every state of the product form in exact fractions. The throughput is the ratio of two sums."""
    stations, closed = len(case["kinds"]), closed_kinds(case)
    demands = [[Fraction(value) for value in row] for row in case["demands"]]
    think = [Fraction(case["think_time"][kind]) for kind in closed]
    population = tuple(case["population"][kind] for kind in closed)
    beside = [[_beside(case, place, count) for count in range(sum(population) + 1)] for place in range(stations)]

    def factor(place: int, numbers: tuple[int, ...]) -> Fraction:
        """The weight of closed customers at a station, the open ones apart."""
        ways = Fraction(factorial(sum(numbers)))
        for slot, number in enumerate(numbers):
            ways *= demands[place][closed[slot]] ** number / factorial(number)
        return ways

    known: dict[tuple[int, tuple[int, ...]], Fraction] = {}

    def weights(counts: tuple[int, ...]) -> Iterator[tuple[tuple[tuple[int, ...], ...], Fraction]]:
        for spread in product(*(list(_placements(count, stations + 1)) for count in counts)):
            weight = Fraction(1)
            for slot, row in enumerate(spread):
                weight *= think[slot] ** row[-1] / factorial(row[-1])
            there = tuple(tuple(row[place] for row in spread) for place in range(stations))
            for place, numbers in enumerate(there):
                if weight:
                    if (place, numbers) not in known:
                        known[place, numbers] = factor(place, numbers) * beside[place][sum(numbers)][0]
                    weight *= known[place, numbers]
            if weight:
                yield there, weight

    constant = Fraction(0)
    closed_queues = [[Fraction(0)] * len(closed) for _ in range(stations)]
    states = [[Fraction(0)] * (sum(population) + 1) for _ in range(stations)]
    for there, weight in weights(population):
        constant += weight
        for place, numbers in enumerate(there):
            states[place][sum(numbers)] += weight
            for slot, number in enumerate(numbers):
                closed_queues[place][slot] += weight * number
    throughput: list[Any] = list(case["arrival_rate"])
    for slot, kind in enumerate(closed):
        fewer = tuple(count - (place == slot) for place, count in enumerate(population))
        alone = sum((weight for _, weight in weights(fewer)), Fraction(0)) if fewer[slot] >= 0 else 0
        throughput[kind] = alone / constant
    queues = [[Fraction(0)] * len(throughput) for _ in range(stations)]
    for place in range(stations):
        shares = [chance / constant for chance in states[place]]
        states[place] = shares
        visitors = sum(share * beside[place][count][1] / beside[place][count][0] for count, share in enumerate(shares))
        load = _open_load(case, place)
        for kind in open_kinds(case):
            mine = Fraction(case["arrival_rate"][kind]) * demands[place][kind]
            queues[place][kind] = visitors * mine / load if load else Fraction(0)
        for slot, kind in enumerate(closed):
            queues[place][kind] = closed_queues[place][slot] / constant
    return Answer(throughput, queues, states)


def markov(case: Case, most: int) -> Answer:
    """The balance of flows between processor-sharing stations that every class visits in turn.

    most    customers of an open class that find so many of their class in the network are lost; the probability of
            that, times the figures that could be missing, is the error.
    """
    import numpy as np

    stations, classes = len(case["kinds"]), len(case["population"])
    opened = open_kinds(case)
    tours = [
        [place for place in range(stations) if case["demands"][place][kind] > 0]
        + ([stations] if case["think_time"][kind] > 0 or kind in opened else [])
        for kind in range(classes)
    ]
    # An open class is `most` customers, of which those outside, at the last place, arrive as one stream.
    counts = [most if kind in opened else case["population"][kind] for kind in range(classes)]
    options = [
        [
            tuple(dict(zip(tours[kind], row, strict=True)).get(place, 0) for place in range(stations + 1))
            for row in _placements(counts[kind], len(tours[kind]))
        ]
        for kind in range(classes)
    ]
    index = {state: number for number, state in enumerate(product(*options))}

    def leaving(state: tuple[tuple[int, ...], ...], kind: int, place: int) -> float:
        mine = state[kind][place]
        if not mine:
            return 0.0
        if place == stations:
            return case["arrival_rate"][kind] if kind in opened else mine / case["think_time"][kind]
        if case["kinds"][place] == "delay":
            return mine / case["demands"][place][kind]
        there = sum(row[place] for row in state)
        return capacity(case, place, there) * mine / there / case["demands"][place][kind]

    generator = np.zeros((len(index), len(index)))
    for state, number in index.items():
        for kind, tour in enumerate(tours):
            for turn, place in enumerate(tour):
                onward = tour[(turn + 1) % len(tour)]
                rate = leaving(state, kind, place)
                if rate and onward != place:
                    row = list(state[kind])
                    row[place] -= 1
                    row[onward] += 1
                    generator[number, index[(*state[:kind], tuple(row), *state[kind + 1 :])]] += rate
                    generator[number, number] -= rate
    system = generator.T.copy()
    system[0] = 1.0
    right = np.zeros(len(index))
    right[0] = 1.0
    chances = np.linalg.solve(system, right)
    throughput: list[Any] = [0.0] * classes
    queues = [[0.0] * classes for _ in range(stations)]
    states = [[0.0] * (1 + sum(counts[kind] for kind in closed_kinds(case))) for _ in range(stations)]
    lost = 0.0
    for state, number in index.items():
        chance = float(chances[number])
        lost += chance * any(state[kind][stations] == 0 for kind in opened)
        for kind, tour in enumerate(tours):
            throughput[kind] += chance * leaving(state, kind, tour[0]) if tour else 0.0
            for place in range(stations):
                queues[place][kind] += chance * state[kind][place]
        for place in range(stations):
            states[place][sum(state[kind][place] for kind in closed_kinds(case))] += chance
    return Answer(throughput, queues, states, 4.0 * (most + 1) * abs(lost) + 1e-13 if opened else 0.0)
