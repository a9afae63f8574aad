"""Random open pools whose servers are kept for work after the response, and their exact responses."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from level_chain import solve

from qnet.networks.routed import Group, Hold, OpenClass, Route, RoutedNetwork, Station, Step, Time

AWAY = -1
"""In place of a station: a time that is spent at none."""

Lines = tuple[tuple[int, ...], ...]
"""By inner station, and last for the times at none: the steps that holders are at, in order of arrival."""


class Pool(NamedTuple):
    """Customers who hold one of some servers while they make steps, each an exponential time at a station or none."""

    rate: float
    limit: int
    servers: tuple[int, ...]
    """Of the inner stations, which serve first come first served."""
    steps: tuple[tuple[int, float], ...]
    """The station and the mean time of each."""
    before: int
    """How many of the steps are made before the response."""

    def network(self) -> RoutedNetwork:
        """The same as qnet is given it."""
        stations = [station("pool", self.limit)]
        stations += [station(f"{place}", servers) for place, servers in enumerate(self.servers)]
        steps: list[Step] = []
        for number, (place, mean) in enumerate(self.steps):
            phase = 1 if number < self.before else 2
            steps.append(Time(mean, phase=phase) if place == AWAY else Hold(f"{place}", (Time(mean),), phase=phase))
        route = Route("way", 1.0, (Hold("pool", tuple(steps)),))
        return RoutedNetwork(tuple(stations), (OpenClass("all", self.rate, (route,)),))

    def entered(self, lines: Lines, step: int) -> Lines:
        """The holders when one of them begins a step."""
        place = self.steps[step][0]
        index = len(self.servers) if place == AWAY else place
        line = (*lines[index], step)
        # The order of those that do not wait for each other does not matter.
        return (*lines[:index], tuple(sorted(line)) if place == AWAY else line, *lines[index + 1 :])

    def exact(self) -> list[float]:
        """The response."""

        def moves(level: int, lines: Lines) -> Iterator[tuple[float, int, Any]]:
            yield self.rate, level + 1, self.entered(lines, 0) if level < self.limit else lines
            for index, line in enumerate(lines):
                served = line if index == len(self.servers) else line[: self.servers[index]]
                for place, step in enumerate(served):
                    rest = (*lines[:index], (*line[:place], *line[place + 1 :]), *lines[index + 1 :])
                    rate = 1 / self.steps[step][1]
                    if step + 1 < len(self.steps):
                        yield rate, level, self.entered(rest, step + 1)
                    else:
                        yield rate, level - 1, self.entered(rest, 0) if level > self.limit else rest

        found = solve(moves, ((),) * (len(self.servers) + 1), self.limit)
        late = found.mean(lambda lines: sum(step >= self.before for line in lines for step in line))
        return [(found.level - late) / self.rate]


def station(name: str, servers: int) -> Station:
    return Station(name, False, servers, "fcfs", (Group(name, 1, 1.0),))


def capacity(pool: Pool) -> float:
    """The throughput of as many customers as hold servers, who begin again at once, with single inner servers.

    Mean value analysis in exact arithmetic, of single servers with one mean time for each.
    """
    assert set(pool.servers) == {1}
    demands = [
        sum(Fraction(mean) for place, mean in pool.steps if place == index) for index in range(len(pool.servers))
    ]
    away = sum((Fraction(mean) for place, mean in pool.steps if place == AWAY), Fraction(0))
    numbers, rate = [Fraction(0)] * len(demands), Fraction(0)
    for customers in range(1, pool.limit + 1):
        times = [demand * (1 + number) for demand, number in zip(demands, numbers, strict=True)]
        rate = customers / (away + sum(times))
        numbers = [rate * time for time in times]
    return float(rate)


def drawn(draw: np.random.Generator) -> Pool:
    """Two to four servers around one station or two; up to four steps, one or two of them before the response."""
    inner = int(draw.integers(1, 3))
    servers = tuple(int(draw.choice([1, 1, 2])) for _ in range(inner))
    means = [float(10 ** draw.uniform(-0.7, 0.5)) for _ in range(inner)]
    while True:
        before, after = int(draw.integers(1, 3)), int(draw.integers(1, 3))
        places = [int(draw.integers(-inner, inner)) for _ in range(before + after)]
        if max(places) >= 0:
            break
    steps = tuple(
        (place, means[place]) if place >= 0 else (AWAY, float(10 ** draw.uniform(-0.7, 0.5))) for place in places
    )
    return Pool(0.0, int(draw.integers(2, 5)), servers, steps, before)
