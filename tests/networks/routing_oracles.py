"""Independent answers about routings, in exact fractions: traffic equations, and Markov chains of whole networks."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

Table = list[list[Fraction]]


def solved(matrix: Table, right: Sequence[Fraction]) -> list[Fraction]:
    """x of `x matrix = right` by elimination, exact; of each equation only what is not zero is kept."""
    size = len(right)
    rows = [
        {column: value for column, value in enumerate([*(line[row] for line in matrix), right[row]]) if value}
        for row in range(size)
    ]
    for place in range(size):
        pivot = min((row for row in range(place, size) if place in rows[row]), key=lambda row: len(rows[row]))
        rows[place], rows[pivot] = rows[pivot], rows[place]
        first = rows[place][place]
        rows[place] = base = {column: value / first for column, value in rows[place].items()}
        for row in rows[place + 1 :]:
            factor = row.pop(place, None)
            for column, value in base.items() if factor else ():
                if column != place:
                    row[column] = row.get(column, 0) - factor * value
                    if not row[column]:
                        del row[column]
    result = [Fraction(0)] * size
    for place in reversed(range(size)):
        known = rows[place].items()
        rest = sum((value * result[column] for column, value in known if place < column < size), Fraction(0))
        result[place] = rows[place].get(size, Fraction(0)) - rest
    return result


def closed_traffic(routing: Table, reference: int) -> list[Fraction]:
    """v = v P with 1 at the reference, whose own equation is left out."""
    size = len(routing)
    matrix = [[Fraction(row == column) - routing[row][column] for column in range(size)] for row in range(size)]
    for row in range(size):
        matrix[row][reference] = Fraction(row == reference)
    return solved(matrix, [Fraction(place == reference) for place in range(size)])


def open_traffic(routing: Table, entrance: Sequence[Fraction]) -> list[Fraction]:
    """v = e + v P."""
    size = len(routing)
    matrix = [[Fraction(row == column) - routing[row][column] for column in range(size)] for row in range(size)]
    return solved(matrix, entrance)


def random_routing(seed: int, size: int, decades: int = 0, leaving: bool = False) -> Table:
    """Rows that sum to one (or less, where customers leave), along a round through all states and some more ways.

    decades  over how many powers of ten the weights of a row are spread.
    """
    source = random.Random(seed)
    table: Table = []
    for state in range(size):
        weights = [source.randint(1, 99) if source.random() < 0.4 else 0 for _ in range(size)]
        weights[(state + 1) % size] += source.randint(1, 99)
        row = [weight * Fraction(10) ** source.randint(0, decades) for weight in weights]
        whole = sum(row) + (source.randint(0 if state else 1, 50) if leaving else 0)
        table.append([value / whole for value in row])
    return table


def floats(table: Table) -> list[list[float]]:
    return [[float(value) for value in row] for row in table]


class Network(NamedTuple):
    """A closed network of processor-sharing stations and changing classes; states are `station * R + class`."""

    routing: Table
    service: Table
    """(K, R) mean service times."""
    capacity: list[list[int]]
    """For each station the servers in use with 1, 2, ... customers present; the last repeats."""
    groups: list[tuple[int, list[int]]]
    """For each chain its customers and its classes."""


class Answer(NamedTuple):
    throughput: Table
    """(K, R) completions."""
    queue_length: Table
    busy: Table


def balanced(network: Network) -> Answer:
    """Global balance of all states of the network: no product form is assumed."""
    stations, classes = len(network.service), len(network.service[0])
    places = [
        [station * classes + kind for station in range(stations) for kind in kinds if network.service[station][kind]]
        for _, kinds in network.groups
    ]
    states = [
        tuple(sum(parts) for parts in zip(*choice, strict=True))
        for choice in _choices(
            [
                list(_filled(customers, own, stations * classes))
                for (customers, _), own in zip(network.groups, places, strict=True)
            ]
        )
    ]
    index = {state: number for number, state in enumerate(states)}
    generator = [[Fraction(0)] * len(states) for _ in states]
    for state, number in index.items():
        for place, present in enumerate(state):
            if not present:
                continue
            rate = _speed(network, state, place) / network.service[place // classes][place % classes]
            for onward, chance in enumerate(network.routing[place]):
                if chance and onward != place:
                    target = list(state)
                    target[place] -= 1
                    target[onward] += 1
                    generator[number][index[tuple(target)]] += rate * chance
                    generator[number][number] -= rate * chance
    for row in generator:
        row[0] = Fraction(1)
    chances = solved(generator, [Fraction(not number) for number in range(len(states))])

    def mean(figure: list[Fraction]) -> Fraction:
        return sum((chance * value for chance, value in zip(chances, figure, strict=True)), Fraction(0))

    def table(busy: bool) -> Table:
        return [
            [
                mean([_speed(network, s, p * classes + r) if busy else Fraction(s[p * classes + r]) for s in states])
                for r in range(classes)
            ]
            for p in range(stations)
        ]

    busy = table(True)
    rates = [
        [value / time if time else Fraction(0) for value, time in zip(row, times, strict=True)]
        for row, times in zip(busy, network.service, strict=True)
    ]
    return Answer(rates, table(False), busy)


def _speed(network: Network, state: tuple[int, ...], place: int) -> Fraction:
    """The servers that the customers of one class at one station have together."""
    classes = len(network.service[0])
    station = place // classes
    present = sum(state[station * classes : (station + 1) * classes])
    if not present:
        return Fraction(0)
    capacity = network.capacity[station]
    return Fraction(capacity[min(present, len(capacity)) - 1] * state[place], present)


def _filled(customers: int, places: list[int], size: int) -> Iterator[tuple[int, ...]]:
    if len(places) == 1:
        yield tuple(customers * (place == places[0]) for place in range(size))
        return
    for first in range(customers + 1):
        for rest in _filled(customers - first, places[1:], size):
            yield tuple(value + first * (place == places[0]) for place, value in enumerate(rest))


def _choices(options: list[list[tuple[int, ...]]]) -> Iterator[list[tuple[int, ...]]]:
    if not options:
        yield []
        return
    for first in options[0]:
        for rest in _choices(options[1:]):
            yield [first, *rest]
