"""Random open stations of several servers or with priorities, and pairs of stations, with exact responses by class.

`python tests/errors/station_systems.py` writes again what is kept of the pairs, which take minutes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from hold_systems import station
from level_chain import solve
from open_chain import Phases, mixed, phases

from qnet.networks.routed import Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time

FED = Path(__file__).with_name("fed_exact.json")
FED_APART = Path(__file__).with_name("fed_apart_exact.json")
_LARGEST = 400
"""Phases of a chain, about."""


def moved(times: Phases, at: int) -> Iterator[tuple[float, int]]:
    """Rates from a phase to others."""
    yield from ((float(rate), to) for to, rate in enumerate(times.moves[at]) if to != at and rate > 0)


class Several(NamedTuple):
    """One station of several servers; one arrival per second in all."""

    servers: int
    scv: float
    """Of interarrival times."""
    shares: tuple[float, ...]
    """Of arrivals, by class; of several classes the times are exponential."""
    means: tuple[float, ...]
    kind: float
    """The scv of the service times."""

    def network(self) -> RoutedNetwork:
        classes = tuple(
            OpenClass(f"{number}", share, (Route("way", 1.0, (Hold("one", (Time(mean, self.kind),)),)),),
                      arrival_scv=self.scv)
            for number, (share, mean) in enumerate(zip(self.shares, self.means, strict=True))
        )  # fmt: skip
        return RoutedNetwork((station("one", self.servers),), classes)

    def exact(self) -> list[float]:
        """Responses by class, of which all wait alike. A phase: that of the next arrival, and how many are in each."""
        coming = phases(1.0, self.scv)
        times = mixed(self.shares, self.means) if len(self.means) > 1 else phases(self.means[0], self.kind)

        def changed(busy: tuple[int, ...], *by: tuple[int, int]) -> tuple[int, ...]:
            row = list(busy)
            for place, step in by:
                row[place] += step
            return tuple(row)

        def moves(level: int, phase: Any) -> Iterator[tuple[float, int, Any]]:
            next_, busy = phase
            yield from ((rate, level, (to, busy)) for rate, to in moved(coming, next_))
            for start, chance in enumerate(coming.begin):
                if level >= self.servers:
                    yield coming.ends[next_] * chance, level + 1, (start, busy)
                    continue
                for first, share in enumerate(times.begin):
                    yield coming.ends[next_] * chance * share, level + 1, (start, changed(busy, (first, 1)))
            for at, count in enumerate(busy):
                if not count:
                    continue
                yield from (
                    (count * rate, level, (next_, changed(busy, (at, -1), (to, 1)))) for rate, to in moved(times, at)
                )
                if level <= self.servers:
                    yield count * times.ends[at], level - 1, (next_, changed(busy, (at, -1)))
                    continue
                for first, share in enumerate(times.begin):
                    yield count * times.ends[at] * share, level - 1, (next_, changed(busy, (at, -1), (first, 1)))

        found = solve(moves, (0, (0,) * len(times.begin)), self.servers)
        mean = sum(share * time for share, time in zip(self.shares, self.means, strict=True))
        return [found.level - mean + time for time in self.means]


class Ranked(NamedTuple):
    """One station of exponential times at which the first class is served before the other."""

    discipline: str
    servers: int
    rates: tuple[float, float]
    means: tuple[float, float]

    def network(self) -> RoutedNetwork:
        classes = tuple(
            OpenClass(f"{number}", rate, (Route("way", 1.0, (Hold("one", (Time(mean),), priority=1 - number),)),))
            for number, (rate, mean) in enumerate(zip(self.rates, self.means, strict=True))
        )
        return RoutedNetwork((Station("one", False, self.servers, self.discipline, (Group("one", 1, 1.0),)),), classes)

    def exact(self) -> list[float]:
        """Responses by class. Levels count the lower class, phases the higher one: those who wait, and are served."""
        load = self.rates[0] * self.means[0] / self.servers
        room = int(12 + 14 / -np.log(load))
        preemptive = self.discipline == "preemptive"

        def moves(level: int, phase: tuple[int, int]) -> Iterator[tuple[float, int, tuple[int, int]]]:
            waiting, served = phase
            lower = min(level, self.servers - served)
            yield self.rates[1], level + 1, phase
            if served + (0 if preemptive else lower) < self.servers:
                yield self.rates[0], level, (waiting, served + 1)
            elif waiting < room:
                yield self.rates[0], level, (waiting + 1, served)
            after = (waiting - 1, served) if waiting else (waiting, served - 1)
            yield served / self.means[0], level, after
            begun = waiting and not preemptive
            yield lower / self.means[1], level - 1, (waiting - 1, served + 1) if begun else phase

        found = solve(moves, (0, 0), self.servers)
        return [found.mean(sum) / self.rates[0], found.level / self.rates[1]]


class Fed(NamedTuple):
    """Customers of a class go from one station to another, where a second class is served before or after them."""

    discipline: str
    first: int
    """Which class is served first at the second station: that from the first station (0) or the other (1)."""
    rates: tuple[float, float]
    before: float
    """Mean service time at the first station."""
    kind: float
    """Its scv."""
    means: tuple[float, float]
    """Mean service times at the second, exponential."""

    def network(self) -> RoutedNetwork:
        ranks = [int(self.first == number) for number in (0, 1)]
        second = [Hold("two", (Time(mean),), priority=rank) for mean, rank in zip(self.means, ranks, strict=True)]
        ways = ((Hold("one", (Time(self.before, self.kind),)), second[0]), (second[1],))
        classes = tuple(
            OpenClass(f"{number}", rate, (Route("way", 1.0, steps),))
            for number, (rate, steps) in enumerate(zip(self.rates, ways, strict=True))
        )
        two = Station("two", False, 1, self.discipline, (Group("two", 1, 1.0),))
        return RoutedNetwork((station("one", 1), two), classes)

    @property
    def rooms(self) -> tuple[int, int]:
        """For so many at the first station, and of the higher class at the second, which are nearly all."""
        here = self.rates[0] * self.before
        there = self.rates[self.first] * self.means[self.first]
        return int(4 + 9 * max(self.kind, 0.7) / -np.log(here)), int(4 + 9 / -np.log(there))

    @property
    def size(self) -> int:
        """Phases, about."""
        return self.rooms[0] * self.rooms[1] * len(phases(1.0, self.kind).begin)

    def exact(self) -> list[float]:
        """Responses by class. Levels count the class that is served last."""
        times = phases(self.before, self.kind)
        rooms, here = self.rooms, self.rates[0] * self.before
        last = 1 - self.first
        preemptive = self.discipline == "preemptive"

        def joined(level: int, high: int, served: int, which: int) -> Iterator[tuple[int, int, int]]:
            """One more of a class at the second station: level, the higher class, and whether that is served."""
            if which == last:
                yield level + 1, high, served
            elif high < rooms[1]:
                yield level, high + 1, 1 if preemptive or not level else served

        def moves(level: int, phase: tuple[int, int, int, int]) -> Iterator[tuple[float, int, Any]]:
            present, at, high, served = phase
            if present < rooms[0]:
                yield self.rates[0], level, (present + 1, at, high, served)
            yield from (
                (self.rates[1], up, (present, at, more, which)) for up, more, which in joined(level, high, served, 1)
            )
            if present:
                yield from ((rate, level, (present, to, high, served)) for rate, to in moved(times, at))
                for start, chance in enumerate(times.begin):
                    for up, more, which in joined(level, high, served, 0):
                        yield times.ends[at] * chance, up, (present - 1, start, more, which)
            if served:
                left = int(high > 1)
                yield 1 / self.means[self.first], level, (present, at, high - 1, left)
            elif level:
                yield 1 / self.means[last], level - 1, (present, at, high, int(high > 0))

        starts = [place for place, chance in enumerate(times.begin) if chance > 0]
        found = solve(moves, (0, starts[0], 0, 0), 1)
        inside = {last: found.level, self.first: found.mean(lambda phase: phase[2])}
        wait = self.rates[0] * self.before**2 * (1 + self.kind) / 2 / (1 - here)
        return [self.before + wait + inside[0] / self.rates[0], inside[1] / self.rates[1]]


class Constant(NamedTuple):
    """Stations one after the other, each of one constant time; one arrival per second, in a Poisson stream."""

    times: tuple[float, ...]

    def network(self) -> RoutedNetwork:
        names = [f"{place}" for place, _ in enumerate(self.times)]
        steps = tuple(Hold(name, (Time(time, 0.0),)) for name, time in zip(names, self.times, strict=True))
        stations = tuple(station(name, 1) for name in names)
        return RoutedNetwork(stations, (OpenClass("all", 1.0, (Route("way", 1.0, steps),)),))

    def exact(self) -> list[float]:
        """All wait as before the slowest station alone: Avi-Itzhak, Operations Research 13 (1965) 906-917."""
        return [sum(self.times) + _single_wait(max(self.times))]

    def queue_lengths(self) -> list[float]:
        """By station: what the slowest one so far makes wait that those before it do not."""
        waits = [0.0, *(_single_wait(max(self.times[: place + 1])) for place, _ in enumerate(self.times))]
        return [time + until - before for time, before, until in zip(self.times, waits, waits[1:], strict=False)]


def _single_wait(time: float) -> float:
    """Before a single server of a constant time, at one arrival per second."""
    return time**2 / 2 / (1 - time)


def _spread(draw: np.random.Generator, factor: float) -> float:
    return float(factor ** draw.uniform(-0.5, 0.5))


def _scaled(shares: Sequence[float], means: Sequence[float], load: float) -> tuple[float, ...]:
    """Means with a load, at one arrival per second in all."""
    factor = load / sum(share * mean for share, mean in zip(shares, means, strict=True))
    return tuple(float(mean * factor) for mean in means)


def several(draw: np.random.Generator) -> Several:
    """Two or three servers with a load of up to 0.95; Poisson arrivals of two classes, or other arrivals of one."""
    servers, load = int(draw.integers(2, 4)), draw.uniform(0.2, 0.95)
    if draw.random() < 0.4:
        share = float(draw.uniform(0.2, 0.8))
        shares = (share, 1 - share)
        return Several(servers, 1.0, shares, _scaled(shares, [_spread(draw, 20), 1.0], load * servers), 1.0)
    scvs = [float(draw.choice([0.25, 0.5, 1.0, 2.0, 4.0])) for _ in range(2)]
    return Several(servers, scvs[0], (1.0,), (load * servers,), scvs[1])


def ranked(draw: np.random.Generator) -> Ranked:
    """Two or three servers with a load of up to 0.95, and times up to 20 apart."""
    servers, load, share = int(draw.integers(2, 4)), draw.uniform(0.2, 0.95), draw.uniform(0.2, 0.8)
    means = (_spread(draw, 20), 1.0)
    loads = (load * share, load * (1 - share))
    rates = tuple(float(own * servers / mean) for own, mean in zip(loads, means, strict=True))
    return Ranked(str(draw.choice(["priority", "preemptive"])), servers, (rates[0], rates[1]), means)


def fed(draw: np.random.Generator) -> Fed:
    """The first station has a load of up to 0.6, the second one of up to 0.95, and times up to 20 apart."""
    discipline, first = str(draw.choice(["priority", "preemptive"])), int(draw.integers(2))
    load, high, share = draw.uniform(0.3, 0.95), draw.uniform(0.1, 0.5), 0.0
    share = min(high / load, 0.8)
    means = (1.0, _spread(draw, 20))
    loads = (load * share, load * (1 - share)) if first == 0 else (load * (1 - share), load * share)
    rates = (loads[0] / means[0], loads[1] / means[1])
    kind = float(draw.choice([0.25, 0.5, 0.5, 2.0]))
    return Fed(discipline, first, rates, draw.uniform(0.15, 0.6) / rates[0], kind, means)


def several_apart(draw: np.random.Generator) -> Several:
    """Two to six servers with a load of up to 0.95; Poisson arrivals of two classes whose times are up to 20 apart."""
    servers, load, share = int(draw.choice([2, 2, 3, 4, 6])), draw.uniform(0.2, 0.95), float(draw.uniform(0.1, 0.9))
    shares = (share, 1 - share)
    return Several(servers, 1.0, shares, _scaled(shares, [_apart(draw), 1.0], load * servers), 1.0)


def ranked_apart(draw: np.random.Generator) -> Ranked:
    """Two to six servers with a load of up to 0.95, of which either class has any share, and times up to 20 apart."""
    servers, load, share = int(draw.choice([2, 2, 3, 4, 6])), draw.uniform(0.2, 0.95), draw.uniform(0.1, 0.9)
    means = (_apart(draw), 1.0)
    loads = (load * share, load * (1 - share))
    rates = tuple(float(own * servers / mean) for own, mean in zip(loads, means, strict=True))
    return Ranked(str(draw.choice(["priority", "preemptive"])), servers, (rates[0], rates[1]), means)


def fed_apart(draw: np.random.Generator) -> Fed:
    """The first station has a load of up to 0.85, the second one of up to 0.95, of which either class has any share.

    Times at the second are up to 20 apart. None of those whose chain is large.
    """
    while True:
        discipline, first = str(draw.choice(["priority", "preemptive"])), int(draw.integers(2))
        load, share = draw.uniform(0.3, 0.95), draw.uniform(0.1, 0.9)
        means = (1.0, _apart(draw))
        rates = (load * share / means[0], load * (1 - share) / means[1])
        kind = float(draw.choice([0.25, 0.5, 1.0, 2.0]))
        system = Fed(discipline, first, rates, draw.uniform(0.15, 0.85) / rates[0], kind, means)
        if system.size <= _LARGEST:
            return system


def _apart(draw: np.random.Generator) -> float:
    """A mean time up to 20 times as long as another, which is 1, or as short."""
    return float(20.0 ** draw.uniform(-1, 1))


def fed_systems() -> list[Fed]:
    draw = np.random.default_rng(718)
    return [fed(draw) for _ in range(300)]


def fed_apart_systems() -> list[Fed]:
    draw = np.random.default_rng(719)
    return [fed_apart(draw) for _ in range(320)]


def constant(draw: np.random.Generator) -> Constant:
    """Two to four stations with loads of up to 0.95, the first not the slowest: behind that there is no wait at all."""
    while True:
        times = tuple(float(draw.uniform(0.05, 0.95)) for _ in range(int(draw.integers(2, 5))))
        if times[0] < max(times):
            return Constant(times)


if __name__ == "__main__":
    for path, systems in ((FED, fed_systems()), (FED_APART, fed_apart_systems())):
        told = [[float(f"{value:.9g}") for value in system.exact()] for system in systems]
        path.write_text(json.dumps(told, indent=0) + "\n")
