"""Open pools through which one customer is followed: as exact chains, and as qnet sees them.

Pools of one structure are solved together: rates and times are arrays of one element per pool.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from kept_chains import kept
from passage import DONE, long_run, percentiles

from qnet.networks.routed import Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time

FOLLOWED = 100
"""Added to the step of the customer that is followed."""
BEHIND, STATES = 8, 20_000
"""As many behind the one that is followed as ever come; states of a chain."""

Lines = tuple[tuple[int, ...], ...]
"""By station, the steps that those there are at: in order of arrival where they are served in it."""


class Passed(NamedTuple):
    """Customers who hold one of some servers while they make visits, each an exponential time."""

    rate: Any
    limit: int
    stations: tuple[tuple[str, int], ...]
    """The discipline, or `delay`, and the servers."""
    steps: tuple[tuple[int, Any], ...]
    """The station and the mean time of each visit."""
    waiting: int = 45
    """The most who wait for admission."""
    classes: tuple[tuple[float, int], ...] = ()
    """By class: its share of those who enter, and how many of the visits are its own, in order; empty for one class."""

    def network(self) -> RoutedNetwork:
        """The same as qnet is given it."""
        stations = [Station("pool", False, self.limit, "fcfs", (Group("pool", 1, 1.0),))]
        for number, (kind, servers) in enumerate(self.stations):
            name, delay = f"{number}", kind == "delay"
            stations.append(Station(name, delay, servers, "fcfs" if delay else kind, (Group(name, 1, 1.0),)))
        visits = tuple(Hold(f"{place}", (Time(mean),)) for place, mean in self.steps)
        asked = tuple(
            OpenClass(f"{number}" if self.classes else "all", self.rate * share,
                      (Route(f"way {number}", 1.0, (Hold("pool", visits[first:last]),)),))
            for number, (share, first, last) in enumerate(self.entering)
        )  # fmt: skip
        return RoutedNetwork(tuple(stations), asked, size=len(self.rate))

    @property
    def entering(self) -> list[tuple[float, int, int]]:
        """By class: its share of those who enter, its first step, and the one after its last."""
        ends = np.cumsum([count for _, count in self.classes or ((1.0, len(self.steps)),)]).tolist()
        shares = [share for share, _ in self.classes or ((1.0, 0),)]
        return list(zip(shares, [0, *ends[:-1]], ends, strict=True))

    def percentiles(self, shares: Sequence[float], which: int = 0) -> list[list[float]]:
        """By share, the exact percentiles of those of a class who enter."""
        told = [*self[:5], tuple(shares), *((self.classes, which) if self.classes else ())]
        figures = kept("percentiles of pools", told, lambda: self.exact(shares, which).ravel().tolist())
        size = len(self.rate)
        return [figures[first : first + size] for first in range(0, len(figures), size)]

    def exact(self, shares: Sequence[float], which: int = 0) -> Any:
        """The times within which shares of those of a class who enter are done."""
        begins = FOLLOWED + self.entering[which][1]
        empty: Lines = ((),) * len(self.stations)
        first: dict[Hashable, Any] = {}
        for state, share in long_run((empty, 0), self.present, len(self.rate)).items():
            lines, waiting = state  # pyright: ignore
            if waiting == self.waiting:
                continue
            here = self.entered(lines, begins) if self.inside(lines) < self.limit else lines
            begun = (here, -1 if here is not lines else waiting, 0, begins)
            first[begun] = first.get(begun, 0.0) + share
        return percentiles(first, self.followed, shares, 0.01, STATES)

    def entered(self, lines: Lines, step: int) -> Lines:
        """The lines when a customer begins a step."""
        place, _ = self.steps[step % FOLLOWED]
        line = (*lines[place], step)
        kept_order = self.stations[place][0] == "fcfs"
        return (*lines[:place], line if kept_order else tuple(sorted(line)), *lines[place + 1 :])

    def inside(self, lines: Lines) -> int:
        """How many hold a server."""
        return sum(map(len, lines))

    def served(self, lines: Lines) -> Iterator[tuple[Any, Lines, int | None]]:
        """By visit that may end: its rate, the lines after it, and the step of the customer that leaves, if any."""
        ends = {last for _, _, last in self.entering}
        for index, line in enumerate(lines):
            kind, servers = self.stations[index]
            for position, step in enumerate(line[:servers] if kind == "fcfs" else line):
                share = min(servers, len(line)) / len(line) if kind == "ps" else 1.0
                rest = (*lines[:index], (*line[:position], *line[position + 1 :]), *lines[index + 1 :])
                rate = share / self.steps[step % FOLLOWED][1]
                if step % FOLLOWED + 1 not in ends:
                    yield rate, self.entered(rest, step + 1), None
                else:
                    yield rate, rest, step

    def admitted(self, rate: Any, lines: Lines) -> Iterator[tuple[Any, Lines]]:
        """The rates at which customers of each class enter, and the lines after it."""
        for share, first, _ in self.entering:
            yield rate * share, self.entered(lines, first)

    def present(self, state: tuple[Lines, int]) -> Iterator[tuple[Any, Hashable]]:
        """The moves of those present and those that wait for admission."""
        lines, waiting = state
        if self.inside(lines) < self.limit:
            yield from ((rate, (after, 0)) for rate, after in self.admitted(self.rate, lines))
        elif waiting < self.waiting:
            yield self.rate, (lines, waiting + 1)
        for rate, after, left in self.served(lines):
            if left is None or not waiting:
                yield rate, (after, waiting)
            else:
                yield from ((each, (full, waiting - 1)) for each, full in self.admitted(rate, after))

    def followed(self, state: tuple[Lines, int, int, int]) -> Iterator[tuple[Any, Hashable]]:
        """The moves with one that is followed, of those ahead of it, -1 once it is admitted, and of those behind; the
        last of the state is the first step of the one that is followed."""
        lines, ahead, behind, begins = state
        if self.inside(lines) < self.limit:
            yield from ((rate, (after, ahead, behind, begins)) for rate, after in self.admitted(self.rate, lines))
        elif behind < BEHIND:
            yield self.rate, (lines, ahead, behind + 1, begins)
        for rate, after, left in self.served(lines):
            if left is None:
                yield rate, (after, ahead, behind, begins)
            elif left >= FOLLOWED:
                yield rate, DONE
            elif ahead > 0:
                yield from ((each, (full, ahead - 1, behind, begins)) for each, full in self.admitted(rate, after))
            elif ahead == 0:
                yield rate, (self.entered(after, begins), -1, behind, begins)
            elif behind:
                yield from ((each, (full, ahead, behind - 1, begins)) for each, full in self.admitted(rate, after))
            else:
                yield rate, (after, ahead, behind, begins)
