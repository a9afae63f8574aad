"""Random open networks whose exact chains are too large, and their simulated responses: means and percentiles.

Each is simulated for the longer the nearer it is to saturation, so that standard errors of means are about 1 %, and
of the 99th percentiles about 2 %. `python tests/errors/open_simulated_systems.py ROW ...` simulates the systems of
rows that are not warned of by `open_simulation.c`, those that are not in the file, and writes it again.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from math import exp, log
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from qnet.expression import FLOATS
from qnet.networks.exactness import Beyond
from qnet.networks.percentiles.responses import response_percentile
from qnet.networks.percentiles.trust import admitting, beyond, exact
from qnet.networks.routed import Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time
from qnet.networks.solve import solve

SIMULATED = Path(__file__).with_name("open_simulated.json")
_PROGRAM = Path(__file__).with_name("open_simulation.c")
_KINDS = ("fcfs", "priority", "preemptive", "ps", "delay")
_ARRIVALS, _MOST = 20_000, 2_000_000
SHARES = (0.9, 0.95, 0.99)
FEWEST = 200
Draw = np.random.Generator
Kept = dict[str, dict[str, list[list[float]]]]
"""By row and key of the system: figures by class."""
Visit = tuple[int, float, float]
"""A station, the mean time there and its scv."""


class Class(NamedTuple):
    rate: float
    routes: tuple[tuple[float, tuple[Visit, ...]], ...]


class System(NamedTuple):
    """Stations and classes, of which those before others are served first where priorities matter."""

    stations: tuple[tuple[str, int], ...]
    """Disciplines and servers."""
    classes: tuple[Class, ...]

    def loads(self) -> list[float]:
        result = [0.0] * len(self.stations)
        for rate, routes in self.classes:
            for share, visits in routes:
                for place, mean, _ in visits:
                    discipline, servers = self.stations[place]
                    result[place] += 0.0 if discipline == "delay" else rate * share * mean / servers
        return result

    def loaded(self, load: float) -> System:
        """With so high a load of the bottleneck."""
        largest = max(self.loads())
        if not largest:
            return self
        return self._replace(classes=tuple(item._replace(rate=item.rate * load / largest) for item in self.classes))

    def network(self) -> RoutedNetwork:
        stations = tuple(
            Station(f"{place}", discipline == "delay", servers, "fcfs" if discipline == "delay" else discipline,
                    (Group(f"{place}", 1, 1.0),))
            for place, (discipline, servers) in enumerate(self.stations)
        )  # fmt: skip
        classes = tuple(
            OpenClass(f"{kind}", rate, tuple(
                Route(f"{kind} by {way}", share, tuple(self._hold(*visit, kind) for visit in visits))
                for way, (share, visits) in enumerate(routes)
            ))
            for kind, (rate, routes) in enumerate(self.classes)
        )  # fmt: skip
        return RoutedNetwork(stations, classes)

    def _hold(self, place: int, mean: float, scv: float, kind: int) -> Hold:
        ordered = self.stations[place][0] in ("priority", "preemptive")
        return Hold(f"{place}", (Time(mean, scv),), priority=len(self.classes) - kind if ordered else 0)

    @property
    def key(self) -> str:
        """By numbers of so many digits that no machine rounds them otherwise."""
        short = json.loads(json.dumps(self), parse_float=lambda number: f"{float(number):.6g}")
        return hashlib.sha256(json.dumps(short).encode()).hexdigest()[:12]

    def simulated(self) -> list[list[float]]:
        """By class: the mean response, and its percentiles of `SHARES`."""
        words: list[Any] = [len(self.stations)]
        for discipline, servers in self.stations:
            words += [_KINDS.index(discipline), servers]
        words.append(len(self.classes))
        for kind, (rate, routes) in enumerate(self.classes):
            words += [rate, len(self.classes) - kind, len(routes)]
            for share, visits in routes:
                words += [share, len(visits), *(word for visit in visits for word in visit)]
        arrivals = min(int(_ARRIVALS / (1 - max(self.loads())) ** 2) + 100_000, _MOST)
        words += [arrivals, int(self.key, 16) % 1_000_000 + 1]
        told = " ".join(map(repr, words))
        answer = subprocess.run([_program()], input=told, capture_output=True, text=True, check=True).stdout
        rows = [[float(f"{float(word):.6g}") for word in line.split()] for line in answer.splitlines()]
        return [[row[0], *row[2:5]] for row in rows]


@cache
def _program() -> str:
    folder = tempfile.mkdtemp()
    program = str(Path(folder) / "simulation")
    subprocess.run(["cc", "-O2", "-o", program, str(_PROGRAM), "-lm"], check=True)
    return program


def _log(draw: Draw, low: float, high: float) -> float:
    return exp(draw.uniform(log(low), log(high)))


def _path(draw: Draw, count: int, share: float) -> list[int]:
    return [place for place in range(count) if draw.random() < share] or [0]


def routed(draw: Draw) -> System:
    """Two to four stations of one to eight servers, exponential times, up to three classes with up to three routes."""
    count = int(draw.integers(2, 5))
    servers = [int(draw.choice([1, 1, 2, 3, 8])) for _ in range(count)]
    means = [_log(draw, 0.1, 1.0) * number for number in servers]
    classes: list[Class] = []
    for _ in range(int(draw.integers(1, 4))):
        shares = draw.dirichlet([1.0] * int(draw.integers(1, 4))).tolist()
        routes = tuple((share, tuple((place, means[place], 1.0) for place in _path(draw, count, 0.7)))
                       for share in shares)  # fmt: skip
        classes.append(Class(float(draw.uniform(0.3, 1)), routes))
    return System(tuple(("fcfs", number) for number in servers), tuple(classes))


_AGAIN = ((0, 0), (0, 1, 0), (0, 1, 1), (0, 1, 0, 1), (0, 1, 2, 0), (0, 1, 2, 1, 0), (0, 1, 0, 1, 0), (0, 1, 0, 2, 0),
          (0, 1, 1, 1, 1, 0), (0, 1, 2, 1, 2, 1, 0))  # fmt: skip


def again(draw: Draw) -> System:
    """One to three stations, of which each passage visits some two to four times; shared, in order, or delays."""
    path = _AGAIN[int(draw.integers(len(_AGAIN)))]
    stations: list[tuple[str, int]] = []
    for place in range(max(path) + 1):
        discipline = str(draw.choice(["fcfs", "fcfs", "ps", "delay"] if place else ["fcfs", "ps"]))
        stations.append((discipline, int(draw.choice([1, 1, 1, 2, 4, 8])) if discipline == "fcfs" else 1))
    means = [_log(draw, 0.1, 1.0) * servers for _, servers in stations]
    return System(tuple(stations), (Class(1.0, ((1.0, tuple((place, means[place], 1.0) for place in path)),)),))


def sharing(draw: Draw) -> System:
    """One to three stations, shared or some in order of arrival; up to three classes, times up to 25 apart."""
    count = int(draw.integers(1, 4))
    kinds = ["ps", *(str(draw.choice(["ps", "ps", "fcfs"])) for _ in range(count - 1))]
    means = [_log(draw, 0.1, 1.0) for _ in kinds]
    classes = tuple(
        Class(float(draw.uniform(0.3, 1)), ((1.0, tuple(
            (place, means[place] * (_log(draw, 0.2, 5.0) if kinds[place] == "ps" else 1.0), 1.0)
            for place in _path(draw, count, 0.8)
        )),))
        for _ in range(int(draw.integers(1, 4)))
    )  # fmt: skip
    return System(tuple((kind, 1) for kind in kinds), classes)


def varying(draw: Draw) -> System:
    """One to three single servers in order of arrival, an scv of 0 to 2 at each, and maybe a delay, of 0 to 10."""
    count = int(draw.integers(1, 4))
    means = [_log(draw, 0.1, 1.0) for _ in range(count)]
    scvs = [float(draw.choice([0.0, 0.1, 0.25, 0.5, 1.0, 2.0])) for _ in range(count)]
    late = [(count, _log(draw, 0.1, 3.0), float(draw.choice([0.0, 0.25, 1.0, 2.0, 4.0, 10.0])))]
    classes = tuple(
        Class(float(draw.uniform(0.3, 1)), ((1.0, (
            *((place, means[place], scvs[place]) for place in _path(draw, count, 0.8)),
            *(late if draw.random() < 0.4 else []),
        )),))
        for _ in range(int(draw.integers(1, 3)))
    )  # fmt: skip
    return System((*(("fcfs", 1) for _ in range(count)), ("delay", 1)), classes)


def ranked(draw: Draw) -> System:
    """One station of two to six servers, two or three priorities, scv from 0 to 4, times up to 20 apart."""
    discipline, span = str(draw.choice(["priority", "preemptive"])), float(draw.choice([1.0, 3.0, 10.0, 20.0]))
    count, same = int(draw.choice([2, 2, 3])), float(draw.choice([0.0, 0.25, 0.5, 2.0, 4.0]))
    several = draw.random() < 0.6
    classes: list[Class] = []
    for _ in range(count):
        mean, scv = _log(draw, 1.0, span), float(draw.choice([0.0, 0.25, 1.0, 2.0, 4.0])) if several else same
        classes.append(Class(float(draw.uniform(0.3, 1)) / mean, ((1.0, ((0, mean, scv),)),)))
    return System(((discipline, int(draw.choice([2, 2, 3, 4, 6]))),), tuple(classes))


def followed(draw: Draw) -> System:
    """Two or three single servers, some with priorities; two or three classes with routes and times of their own."""
    kinds = [str(draw.choice(["fcfs", "fcfs", "priority", "preemptive"])) for _ in range(int(draw.choice([2, 2, 3])))]
    span, scvs = (
        float(draw.choice([1.0, 3.0, 10.0])),
        [float(draw.choice([0.0, 0.25, 0.5, 1.0, 2.0, 4.0])) for _ in kinds],
    )
    classes: list[Class] = []
    for _ in range(int(draw.choice([2, 2, 3]))):
        path, longer = _path(draw, len(kinds), 0.8), _log(draw, 1.0, span)
        path = path[::-1] if draw.random() < 0.3 else path
        visits = tuple((place, longer * _log(draw, 0.3, 1.0), scvs[place] if draw.random() < 0.7 else 1.0)
                       for place in path)  # fmt: skip
        classes.append(Class(float(draw.uniform(0.3, 1)) / longer, ((1.0, visits),)))
    return System(tuple((kind, 1) for kind in kinds), tuple(classes))


PERCENTILES: dict[str, Callable[[Draw], System]] = {
    "percentiles: open, several servers and routes": routed,
    "percentiles: open, visited again": again,
    "percentiles: open, shared service": sharing,
    "percentiles: open, times that vary": varying,
}
MEANS: dict[str, Callable[[Draw], System]] = {
    "priorities: open, several servers, times that vary": ranked,
    "service times in open networks: classes and priorities": followed,
}
ROWS = PERCENTILES | MEANS


def percentiles(system: System) -> list[list[float]] | None:
    """By class, those of `SHARES`; None where they are exact, or warned of."""
    network = system.network()
    solution = solve(network)
    assert solution.passages
    warned = any(isinstance(reason, Beyond) for reason in solution.reasons)
    if warned or beyond(network, FLOATS, SHARES, admitting(solution.passages)) or exact(network, FLOATS) is not False:
        return None
    kinds = range(len(system.classes))
    return [[float(response_percentile(solution, share, f"{kind}")) for share in SHARES] for kind in kinds]


def means(system: System) -> list[list[float]] | None:
    """By class, the mean response; None where it is exact, or warned of."""
    solution = solve(system.network())
    if not solution.reasons or any(isinstance(reason, Beyond) for reason in solution.reasons):
        return None
    return [[float(item.response)] for item in solution.classes]


def measured(row: str, count: int = FEWEST) -> Iterator[tuple[System, list[list[float]]]]:
    """Systems with loads of up to 0.9, and the figures of their classes."""
    draw, number = np.random.default_rng([729, list(ROWS).index(row)]), 0
    while number < count:
        system = ROWS[row](draw).loaded(float(draw.uniform(0.1, 0.9)))
        answer = (percentiles if row in PERCENTILES else means)(system)
        if answer is not None:
            number += 1
            yield system, answer


def error(row: str, answer: list[list[float]], simulated: list[list[float]]) -> float:
    """The largest of all classes."""
    first = slice(1, None) if row in PERCENTILES else slice(1)
    return max(
        abs(one / other - 1)
        for told, found in zip(answer, simulated, strict=True)
        for one, other in zip(told, found[first], strict=True)
    )


def main(rows: list[str]) -> None:
    for row in rows or list(ROWS):
        kept: Kept = json.loads(SIMULATED.read_text()) if SIMULATED.exists() else {}
        known = kept.get(row, {})
        figures = {system.key: known.get(system.key) or system.simulated() for system, _ in measured(row)}
        kept[row] = figures
        parts = [
            f"{json.dumps(name)}: {{\n"
            + ",\n".join(f'"{key}": {json.dumps(found)}' for key, found in systems.items()) + "\n}"
            for name, systems in kept.items()
        ]  # fmt: skip
        SIMULATED.write_text("{\n" + ",\n".join(parts) + "\n}\n")
        found = sorted((error(row, answer, figures[system.key]), system) for system, answer in measured(row))
        print(row, float(np.median([size for size, _ in found])), *found[-3:], sep="\n", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
