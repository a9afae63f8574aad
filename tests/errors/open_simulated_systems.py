"""Random open networks whose exact chains are too large, and their simulated responses: means and percentiles.

Each is simulated for the longer the nearer it is to saturation, so that standard errors of means are about 1 %, and
of the 99th percentiles about 2 %. `python tests/errors/open_simulated_systems.py ROW ...` simulates the systems of
rows that are not warned of by `open_simulation.c`, those that are not in the file, and writes it again.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from math import exp, log
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from measuring import FEWEST
from simulating import output, rounded, written

from qnet.expression import FLOATS
from qnet.networks.exactness import Beyond
from qnet.networks.percentiles.responses import response_percentile
from qnet.networks.percentiles.trust import admitting, beyond, exact
from qnet.networks.routed import Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time
from qnet.networks.solve import solve

SIMULATED = Path(__file__).with_name("open_simulated.json")
_PROGRAM = Path(__file__).with_name("open_simulation.c")
_DISCIPLINES = ("fcfs", "priority", "preemptive", "ps", "delay")
_ARRIVALS, _MOST = 20_000, 2_000_000
SHARES = (0.9, 0.95, 0.99)
Dice = np.random.Generator
Figures = list[list[float]]
"""By class."""
Kept = dict[str, dict[str, Figures]]
"""By row and key of the system."""


class Visit(NamedTuple):
    station: int
    mean: float
    scv: float


class Class(NamedTuple):
    rate: float
    routes: tuple[tuple[float, tuple[Visit, ...]], ...]
    """Probabilities and visits."""


def direct(rate: float, visits: Iterable[Visit]) -> Class:
    """A class with one route."""
    return Class(rate, ((1.0, tuple(visits)),))


class System(NamedTuple):
    """Stations and classes, of which those before others are served first where priorities matter."""

    stations: tuple[tuple[str, int], ...]
    """Disciplines and servers."""
    classes: tuple[Class, ...]

    def load(self) -> float:
        """Of the bottleneck."""
        loads = [0.0] * len(self.stations)
        for rate, routes in self.classes:
            for share, visits in routes:
                for visit in visits:
                    discipline, servers = self.stations[visit.station]
                    loads[visit.station] += 0.0 if discipline == "delay" else rate * share * visit.mean / servers
        return max(loads)

    def loaded(self, load: float) -> System:
        """With so high a load of the bottleneck."""
        before = self.load()
        return self._replace(classes=tuple(item._replace(rate=item.rate * load / before) for item in self.classes))

    def network(self) -> RoutedNetwork:
        stations = tuple(
            Station(f"{index}", discipline == "delay", servers, "fcfs" if discipline == "delay" else discipline,
                    (Group(f"{index}", 1, 1.0),))
            for index, (discipline, servers) in enumerate(self.stations)
        )  # fmt: skip
        classes = tuple(
            OpenClass(f"{index}", rate, tuple(
                Route(f"{index} by {way}", share, tuple(self._hold(visit, index) for visit in visits))
                for way, (share, visits) in enumerate(routes)
            ))
            for index, (rate, routes) in enumerate(self.classes)
        )  # fmt: skip
        return RoutedNetwork(stations, classes)

    def _hold(self, visit: Visit, class_index: int) -> Hold:
        ranked = self.stations[visit.station][0] in ("priority", "preemptive")
        priority = self._priority(class_index) if ranked else 0
        return Hold(f"{visit.station}", (Time(visit.mean, visit.scv),), priority=priority)

    def _priority(self, class_index: int) -> int:
        return len(self.classes) - class_index

    @property
    def key(self) -> str:
        """By numbers of so many digits that no machine rounds them otherwise."""
        short = json.loads(json.dumps(self), parse_float=lambda number: f"{float(number):.6g}")
        return hashlib.sha256(json.dumps(short).encode()).hexdigest()[:12]

    def simulated(self, seed: int | None = None) -> Figures:
        """The mean response of each class, and its percentiles of `SHARES`; the key makes the seed if none is given."""
        arrivals = min(int(_ARRIVALS / (1 - self.load()) ** 2) + 100_000, _MOST)
        seed = int(self.key, 16) % 1_000_000 + 1 if seed is None else seed
        lines = output(_PROGRAM, (*self._values(), arrivals, seed))
        return [rounded((mean, p90, p95, p99), 6) for mean, _, p90, p95, p99, _ in lines]

    def _values(self) -> Iterator[Any]:
        """What the program reads."""
        yield len(self.stations)
        for discipline, servers in self.stations:
            yield from (_DISCIPLINES.index(discipline), servers)
        yield len(self.classes)
        for index, (rate, routes) in enumerate(self.classes):
            yield from (rate, self._priority(index), len(routes))
            for share, visits in routes:
                yield from (share, len(visits), *(value for visit in visits for value in visit))


def _spread(dice: Dice, low: float, high: float) -> float:
    """A number whose logarithm is uniform."""
    return exp(dice.uniform(log(low), log(high)))


def _path(dice: Dice, count: int, share: float) -> list[int]:
    """Some stations, in order; each with this probability."""
    return [station for station in range(count) if dice.random() < share] or [0]


def routed(dice: Dice) -> System:
    """Two to four stations of one to eight servers, exponential times, up to three classes with up to three routes."""
    count = int(dice.integers(2, 5))
    servers = [int(dice.choice([1, 1, 2, 3, 8])) for _ in range(count)]
    means = [_spread(dice, 0.1, 1.0) * number for number in servers]
    classes: list[Class] = []
    for _ in range(int(dice.integers(1, 4))):
        shares = dice.dirichlet([1.0] * int(dice.integers(1, 4))).tolist()
        routes = tuple(
            (share, tuple(Visit(station, means[station], 1.0) for station in _path(dice, count, 0.7)))
            for share in shares
        )
        classes.append(Class(float(dice.uniform(0.3, 1)), routes))
    return System(tuple(("fcfs", number) for number in servers), tuple(classes))


_AGAIN = ((0, 0), (0, 1, 0), (0, 1, 1), (0, 1, 0, 1), (0, 1, 2, 0), (0, 1, 2, 1, 0), (0, 1, 0, 1, 0), (0, 1, 0, 2, 0),
          (0, 1, 1, 1, 1, 0), (0, 1, 2, 1, 2, 1, 0))  # fmt: skip


def again(dice: Dice) -> System:
    """One to three stations, of which each passage visits some two to four times; shared, in order, or delays."""
    path = _AGAIN[int(dice.integers(len(_AGAIN)))]
    stations: list[tuple[str, int]] = []
    for station in range(max(path) + 1):
        discipline = str(dice.choice(["fcfs", "fcfs", "ps", "delay"] if station else ["fcfs", "ps"]))
        stations.append((discipline, int(dice.choice([1, 1, 1, 2, 4, 8])) if discipline == "fcfs" else 1))
    means = [_spread(dice, 0.1, 1.0) * servers for _, servers in stations]
    return System(tuple(stations), (direct(1.0, (Visit(station, means[station], 1.0) for station in path)),))


def sharing(dice: Dice) -> System:
    """One to three stations, shared or some in order of arrival; up to three classes, times up to 25 apart."""
    count = int(dice.integers(1, 4))
    disciplines = ["ps", *(str(dice.choice(["ps", "ps", "fcfs"])) for _ in range(count - 1))]
    means = [_spread(dice, 0.1, 1.0) for _ in disciplines]

    def visit(station: int) -> Visit:
        factor = _spread(dice, 0.2, 5.0) if disciplines[station] == "ps" else 1.0
        return Visit(station, means[station] * factor, 1.0)

    classes = tuple(
        direct(float(dice.uniform(0.3, 1)), map(visit, _path(dice, count, 0.8)))
        for _ in range(int(dice.integers(1, 4)))
    )
    return System(tuple((discipline, 1) for discipline in disciplines), classes)


def varying(dice: Dice) -> System:
    """One to three single servers in order of arrival, an scv of 0 to 2 at each, and maybe a delay, of 0 to 10."""
    count = int(dice.integers(1, 4))
    means = [_spread(dice, 0.1, 1.0) for _ in range(count)]
    scvs = [float(dice.choice([0.0, 0.1, 0.25, 0.5, 1.0, 2.0])) for _ in range(count)]
    delay = Visit(count, _spread(dice, 0.1, 3.0), float(dice.choice([0.0, 0.25, 1.0, 2.0, 4.0, 10.0])))
    classes: list[Class] = []
    for _ in range(int(dice.integers(1, 3))):
        rate = float(dice.uniform(0.3, 1))
        visits = [Visit(station, means[station], scvs[station]) for station in _path(dice, count, 0.8)]
        classes.append(direct(rate, [*visits, delay] if dice.random() < 0.4 else visits))
    return System((*(("fcfs", 1) for _ in range(count)), ("delay", 1)), tuple(classes))


def ranked(dice: Dice) -> System:
    """One station of two to six servers, two or three priorities, scv from 0 to 4, times up to 20 apart."""
    discipline, span = str(dice.choice(["priority", "preemptive"])), float(dice.choice([1.0, 3.0, 10.0, 20.0]))
    count, same = int(dice.choice([2, 2, 3])), float(dice.choice([0.0, 0.25, 0.5, 2.0, 4.0]))
    several = dice.random() < 0.6
    classes: list[Class] = []
    for _ in range(count):
        mean, scv = _spread(dice, 1.0, span), float(dice.choice([0.0, 0.25, 1.0, 2.0, 4.0])) if several else same
        classes.append(direct(float(dice.uniform(0.3, 1)) / mean, [Visit(0, mean, scv)]))
    return System(((discipline, int(dice.choice([2, 2, 3, 4, 6]))),), tuple(classes))


def followed(dice: Dice) -> System:
    """Two or three single servers, some with priorities; two or three classes with routes and times of their own."""
    count = int(dice.choice([2, 2, 3]))
    disciplines = [str(dice.choice(["fcfs", "fcfs", "priority", "preemptive"])) for _ in range(count)]
    span = float(dice.choice([1.0, 3.0, 10.0]))
    scvs = [float(dice.choice([0.0, 0.25, 0.5, 1.0, 2.0, 4.0])) for _ in disciplines]
    classes: list[Class] = []
    for _ in range(int(dice.choice([2, 2, 3]))):
        path, longer = _path(dice, count, 0.8), _spread(dice, 1.0, span)
        path = path[::-1] if dice.random() < 0.3 else path
        visits = [
            Visit(station, longer * _spread(dice, 0.3, 1.0), scvs[station] if dice.random() < 0.7 else 1.0)
            for station in path
        ]
        classes.append(direct(float(dice.uniform(0.3, 1)) / longer, visits))
    return System(tuple((discipline, 1) for discipline in disciplines), tuple(classes))


def percentiles(system: System) -> Figures | None:
    """Those of `SHARES`; None where they are exact, or warned of."""
    network = system.network()
    solution = solve(network)
    assert solution.passages
    warned = any(isinstance(reason, Beyond) for reason in solution.reasons)
    if warned or beyond(network, FLOATS, SHARES, admitting(solution.passages)) or exact(network, FLOATS) is not False:
        return None
    names = (item.name for item in network.classes)
    return [[float(response_percentile(solution, share, name)) for share in SHARES] for name in names]


def means(system: System) -> Figures | None:
    """The mean response; None where it is exact, or warned of."""
    solution = solve(system.network())
    if not solution.reasons or any(isinstance(reason, Beyond) for reason in solution.reasons):
        return None
    return [[float(item.response)] for item in solution.classes]


class Row(NamedTuple):
    """A row of the table of errors."""

    drawn: Callable[[Dice], System]
    answer: Callable[[System], Figures | None]

    def error(self, answer: Figures, simulated: Figures) -> float:
        """The largest of all classes."""
        compared = slice(1, None) if self.answer is percentiles else slice(1)
        return max(
            abs(one / other - 1)
            for expected, figures in zip(answer, simulated, strict=True)
            for one, other in zip(expected, figures[compared], strict=True)
        )


ROWS = {
    "percentiles: open, several servers and routes": Row(routed, percentiles),
    "percentiles: open, visited again": Row(again, percentiles),
    "percentiles: open, shared service": Row(sharing, percentiles),
    "percentiles: open, times that vary": Row(varying, percentiles),
    "priorities: open, several servers, times that vary": Row(ranked, means),
    "service times in open networks: classes and priorities": Row(followed, means),
}


def measured(name: str, count: int = FEWEST) -> Iterator[tuple[System, Figures]]:
    """Systems of a row with loads of up to 0.9, and what is answered for their classes."""
    return islice(_answered(ROWS[name], np.random.default_rng([729, list(ROWS).index(name)])), count)


def _answered(row: Row, dice: Dice) -> Iterator[tuple[System, Figures]]:
    while True:
        system = row.drawn(dice).loaded(float(dice.uniform(0.1, 0.9)))
        answer = row.answer(system)
        if answer is not None:
            yield system, answer


def main(names: list[str]) -> None:
    for name in names or ROWS:
        kept: Kept = json.loads(SIMULATED.read_text()) if SIMULATED.exists() else {}
        known = kept.get(name, {})
        answers = list(measured(name))
        kept[name] = {system.key: known.get(system.key) or system.simulated() for system, _ in answers}
        SIMULATED.write_text(written(kept))
        errors = sorted((ROWS[name].error(answer, kept[name][system.key]), system) for system, answer in answers)
        print(name, float(np.median([error for error, _ in errors])), *errors[-3:], sep="\n", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
