"""Buffers that are drained by several copies of a station, each with a line of its work, and their exact responses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from level_chain import solve

from qnet.networks.routed import Buffer, Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time

PLACE, OTHER = 0, 1
Lines = tuple[tuple[int, ...], ...]
"""What is at each copy, in order of arrival: work that frees a place, or other work."""


class Drained(NamedTuple):
    """Customers are served at a front, take a place and leave work at a copy of a disk by chance, which frees it."""

    rate: float
    places: int
    copies: int
    front: float
    """Mean service time at a single server before a place is taken."""
    other: float = 0.0
    """Arrivals per second of other work at each copy."""
    room: int = 0
    """For so much of that at a copy, which is as much as ever comes. Services at the copies take 1 second."""

    def network(self) -> RoutedNetwork:
        """The same as qnet is given it."""
        disk = Station("disk", False, 1, "fcfs", (Group("disk", self.copies, 1 / self.copies),))
        front = Station("front", False, 1, "fcfs", (Group("front", 1, 1.0),))
        steps = (
            Hold("front", (Time(self.front),)),
            Time(0.0, fills="nvs"),
            Hold("disk", (Time(1.0),), phase=2, drains="nvs"),
        )
        classes = [OpenClass("write", self.rate, (Route("", 1.0, steps),))]
        if self.other:
            every = self.copies * self.other
            classes.append(OpenClass("read", every, (Route("", 1.0, (Hold("disk", (Time(1.0),)),)),)))
        return RoutedNetwork((front, disk), tuple(classes), buffers=(Buffer("nvs", float(self.places), False),))

    def capacity(self) -> float:
        """Places freed per second where all are taken: mean value analysis of balanced copies."""
        return (1 - self.other) * self.copies * self.places / (self.places + self.copies - 1)

    def exact(self) -> list[float]:
        """The responses of those who fill the buffer, and of other work where there is any."""

        def entered(lines: Lines) -> Iterator[tuple[float, Lines]]:
            for place, line in enumerate(lines):
                yield 1 / self.copies, _with(lines, place, (*line, PLACE))

        def moves(level: int, lines: Lines) -> Iterator[tuple[float, int, Any]]:
            if level < self.places:
                yield from ((self.rate * chance, level + 1, after) for chance, after in entered(lines))
            else:
                yield self.rate, level + 1, lines
            for place, line in enumerate(lines):
                if self.other and line.count(OTHER) < self.room:
                    yield self.other, level, _with(lines, place, (*line, OTHER))
                if not line:
                    continue
                rest = _with(lines, place, line[1:])
                if line[0] == OTHER:
                    yield 1.0, level, rest
                elif level > self.places:
                    yield from ((chance, level - 1, after) for chance, after in entered(rest))
                else:
                    yield 1.0, level - 1, rest

        found = solve(moves, ((),) * self.copies, self.places)
        taken = found.mean(lambda lines: sum(line.count(PLACE) for line in lines))
        outside = (found.level - taken) / self.rate
        others = found.mean(lambda lines: sum(line.count(OTHER) for line in lines))
        own = self.front / (1 - self.rate * self.front) + outside
        return [own, others / (self.copies * self.other)] if self.other else [own]


def _with(lines: Lines, place: int, line: tuple[int, ...]) -> Lines:
    """The lines with one replaced; copies are alike."""
    return tuple(sorted((*lines[:place], line, *lines[place + 1 :])))


def drawn(draw: np.random.Generator, others: bool = False) -> Drained:
    """Two to four copies, at most four times as many places; with other work two of each. Loads up to 0.95."""
    copies = 2 if others else int(draw.integers(2, 5))
    places = 2 if others else int(draw.integers(copies, 4 * copies + 1 if copies < 4 else 11))
    other = float(draw.uniform(0.02, 0.1)) if others else 0.0
    system = Drained(0.0, places, copies, float(draw.uniform(0.2, 1.0)), other, 3 if others else 0)
    rate = draw.uniform(0.3, 0.95) * system.capacity()
    # The front is never what limits.
    return system._replace(rate=rate, front=min(system.front, 0.5 / rate))
