"""Random networks whose customers wait in line, one to 25 of a class, and their simulated figures.

A Markov chain of so many customers who are told apart in line has too many states; so each network was simulated for
some million events, and throughputs and responses are kept, with standard errors of some tenths of a per cent.
`python tests/errors/line_systems.py NAME ...` draws the networks, simulates them by `line_simulation.c`, and writes the
file again.
"""

from __future__ import annotations

import json
import math
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from simulating import output, rounded

SIMULATED = Path(__file__).with_name("line_simulated.json")
_PROGRAM = Path(__file__).with_name("line_simulation.c")
_TYPES = ("fcfs", "ps", "priority", "preemptive")
_MANY = (1, 1, 2, 3, 4, 6, 10, 16, 25)
_SCV = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0)


class Line(NamedTuple):
    """Stations that all classes pass in order, visiting each so many times in a row; the first class goes first."""

    disciplines: list[str]
    servers: list[int]
    times: list[list[float]]
    """Mean service time by station and class."""
    scv: list[list[float]]
    visits: list[list[int]]
    population: list[int | None]
    think: list[float]
    rate: list[float | None]


class Family(NamedTuple):
    """What networks of a row have in common."""

    seed: int
    count: int
    first: Sequence[str] = ("fcfs",)
    """Disciplines of the first station."""
    servers: Sequence[int] = (1, 1, 2, 3, 5)
    mixed: Sequence[bool] = (False,)
    factor: float = 3.0
    """How far mean times of classes at a station are apart at most."""
    scv: float = 4.0
    """The largest."""
    loads: tuple[float, float] = (0.05, 0.95)
    """What open classes ask of the station that they load most."""
    events: int = 2_000_000
    """That each network is simulated for."""
    noise: float = 0.01
    """The largest standard error of a figure that is measured against, relative."""


_RANKED, _FEWER = ("priority", "preemptive"), (1, 1, 1, 2, 3)
FAMILIES = {
    "first come first served: up to 25 customers": Family(1, 200),
    "first come first served: mixed": Family(2, 280, mixed=(True,)),
    "first come first served: mixed, heavy open load": Family(
        5, 235, mixed=(True,), loads=(0.8, 0.95), events=5_000_000, noise=0.02
    ),
    "first come first served: up to 25 customers, times far apart": Family(
        3, 240, mixed=(False, True), factor=20.0, scv=10.0
    ),
    "priorities: up to 25 customers": Family(4, 340, _RANKED, _FEWER),
}


def spread(dice: random.Random, least: float, most: float) -> float:
    """A number whose logarithm is uniform."""
    return math.exp(dice.uniform(math.log(least), math.log(most)))


def drawn(family: Family) -> list[Line]:
    """The networks of a family."""
    dice = random.Random(family.seed)
    return [_drawn(dice, family) for _ in range(family.count)]


def _drawn(dice: random.Random, family: Family) -> Line:
    ranked = family.first != ("fcfs",)
    stations, mixed = dice.choice((1, 2, 2, 3)), dice.choice(family.mixed)
    kinds = range(dice.choice((2, 2, 3) if mixed or ranked else (1, 2, 2, 3)))
    disciplines = [dice.choice(family.first), *(dice.choice(("fcfs", "ps")) for _ in range(stations - 1))]
    servers = [dice.choice(family.servers) for _ in disciplines]
    times: list[list[float]] = []
    scv: list[list[float]] = []
    visits: list[list[int]] = []
    for discipline, count in zip(disciplines, servers, strict=True):
        one, identical = spread(dice, 0.1, 1.0) * count, dice.random() < 0.15
        half = family.factor**0.5
        times.append([one if identical else one * spread(dice, 1 / half, half) for _ in kinds])
        plain = discipline == "ps" or dice.random() < 0.3
        scv.append([1.0 if plain else dice.choice([value for value in _SCV if value <= family.scv]) for _ in kinds])
        visits.append([1 if dice.random() < 0.8 else dice.choice((2, 3)) for _ in kinds])
    population: list[int | None] = [dice.choice(_MANY) if dice.random() < 0.7 else dice.randint(1, 25) for _ in kinds]
    think = [0.0 if dice.random() < 0.1 else spread(dice, 0.3, 30.0) for _ in kinds]
    rate: list[float | None] = [None for _ in kinds]
    if mixed:
        opened = dice.sample(list(kinds), dice.randint(1, len(kinds) - 1))
        shares = [dice.random() for _ in opened]
        load = dice.uniform(*family.loads)
        most = max(
            sum(
                times[station][kind] * visits[station][kind] * share for kind, share in zip(opened, shares, strict=True)
            )
            / servers[station]
            for station in range(stations)
        )
        for kind, share in zip(opened, shares, strict=True):
            population[kind], think[kind], rate[kind] = None, 0.0, load * share / most
    return Line(disciplines, servers, times, scv, visits, population, think, rate)


def _values(number: int, line: Line, events: int) -> Iterator[Any]:
    """A network as the program reads it."""
    kinds = range(len(line.think))
    yield from (number, events, len(line.servers), len(kinds))
    for station, discipline in enumerate(line.disciplines):
        yield from (_TYPES.index(discipline), line.servers[station])
        for kind in kinds:
            yield from (line.times[station][kind], line.scv[station][kind], line.visits[station][kind], -kind)
    for kind in kinds:
        rate = line.rate[kind]
        yield from (line.population[kind] or 0, line.think[kind], -1 if rate is None else rate)


def simulated(lines: Sequence[Line], events: int) -> list[list[list[float]] | None]:
    """By network, throughputs, responses, and their standard errors; None where too many were there to be counted."""
    result: list[list[list[float]] | None] = [None] * len(lines)
    values = (value for number, line in enumerate(lines) for value in _values(number, line, events))
    for number, *figures in output(_PROGRAM, values):
        result[int(number)] = [rounded(figures[first::4], 5) for first in (0, 2, 1, 3)]
    return result


if __name__ == "__main__":
    kept = json.loads(SIMULATED.read_text()) if SIMULATED.exists() else {}
    for name in sys.argv[1:] or FAMILIES:
        kept[name] = simulated(drawn(FAMILIES[name]), FAMILIES[name].events)
        parts = [f'"{one}": [\n' + ",\n".join(json.dumps(row) for row in rows) + "\n]" for one, rows in kept.items()]
        SIMULATED.write_text("{\n" + ",\n".join(parts) + "\n}\n")
