"""Open pools through which one customer is followed: as exact chains, and as qnet sees them.

Pools of one structure are solved together: rates and times are arrays of one element per pool.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, NamedTuple

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

    def network(self) -> RoutedNetwork:
        """The same as qnet is given it."""
        stations = [Station("pool", False, self.limit, "fcfs", (Group("pool", 1, 1.0),))]
        for number, (kind, servers) in enumerate(self.stations):
            name, delay = f"{number}", kind == "delay"
            stations.append(Station(name, delay, servers, "fcfs" if delay else kind, (Group(name, 1, 1.0),)))
        visits = tuple(Hold(f"{place}", (Time(mean),)) for place, mean in self.steps)
        asked = OpenClass("all", self.rate, (Route("way", 1.0, (Hold("pool", visits),)),))
        return RoutedNetwork(tuple(stations), (asked,), size=len(self.rate))

    def percentiles(self, shares: Sequence[float]) -> list[list[float]]:
        """By share, the exact percentiles of those who enter."""
        told = [*self, tuple(shares)]
        figures = kept("percentiles of pools", told, lambda: self.exact(shares).ravel().tolist())
        size = len(self.rate)
        return [figures[first : first + size] for first in range(0, len(figures), size)]

    def exact(self, shares: Sequence[float]) -> Any:
        """The times within which shares of those who enter are done."""
        empty: Lines = ((),) * len(self.stations)
        first: dict[Hashable, Any] = {}
        for state, share in long_run((empty, 0), self.present, len(self.rate)).items():
            lines, waiting = state  # pyright: ignore
            if waiting == self.waiting:
                continue
            here = self.entered(lines, FOLLOWED) if self.inside(lines) < self.limit else lines
            begun = (here, -1 if here is not lines else waiting, 0)
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
        for index, line in enumerate(lines):
            kind, servers = self.stations[index]
            for position, step in enumerate(line[:servers] if kind == "fcfs" else line):
                share = min(servers, len(line)) / len(line) if kind == "ps" else 1.0
                rest = (*lines[:index], (*line[:position], *line[position + 1 :]), *lines[index + 1 :])
                rate = share / self.steps[step % FOLLOWED][1]
                if step % FOLLOWED + 1 < len(self.steps):
                    yield rate, self.entered(rest, step + 1), None
                else:
                    yield rate, rest, step

    def present(self, state: tuple[Lines, int]) -> Iterator[tuple[Any, Hashable]]:
        """The moves of those present and those that wait for admission."""
        lines, waiting = state
        if self.inside(lines) < self.limit:
            yield self.rate, (self.entered(lines, 0), 0)
        elif waiting < self.waiting:
            yield self.rate, (lines, waiting + 1)
        for rate, after, left in self.served(lines):
            if left is None or not waiting:
                yield rate, (after, waiting)
            else:
                yield rate, (self.entered(after, 0), waiting - 1)

    def followed(self, state: tuple[Lines, int, int]) -> Iterator[tuple[Any, Hashable]]:
        """The moves with one that is followed, of those ahead of it, -1 once it is admitted, and of those behind."""
        lines, ahead, behind = state
        if self.inside(lines) < self.limit:
            yield self.rate, (self.entered(lines, 0), ahead, behind)
        elif behind < BEHIND:
            yield self.rate, (lines, ahead, behind + 1)
        for rate, after, left in self.served(lines):
            if left is None:
                yield rate, (after, ahead, behind)
            elif left >= FOLLOWED:
                yield rate, DONE
            elif ahead > 0:
                yield rate, (self.entered(after, 0), ahead - 1, behind)
            elif ahead == 0:
                yield rate, (self.entered(after, FOLLOWED), -1, behind)
            elif behind:
                yield rate, (self.entered(after, 0), ahead, behind - 1)
            else:
                yield rate, (after, ahead, behind)
