"""How far priorities are solved from the exact answer, on random small systems within the trusted region."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import chain
from typing import Any

import pytest
from kept_chains import kept
from measuring import assert_told
from priority_chain import System, exact

import qnet
from qnet.networks import exactness
from qnet.networks.exactness import ALONE, HIGHER, LONG_ABSENCE
from qnet.networks.product.solve import solve

pytestmark = pytest.mark.sliced

_DRAWN = 6
"""So many times as many systems are drawn as are measured: those beyond the trusted region are left out."""


def spread(dice: random.Random, least: float, most: float) -> float:
    """A number whose logarithm is uniform."""
    return math.exp(dice.uniform(math.log(least), math.log(most)))


def drawn(
    dice: random.Random,
    disciplines: Sequence[str],
    servers: int,
    spans: Sequence[tuple[int, int]],
    rate: float = 0,
) -> System:
    """A system of closed classes, and of one open class in a random place where it has a load."""
    counts = [dice.randint(*span) for span in spans]
    opened = [False] * len(counts)
    demands = [[spread(dice, 0.1, 1.0) for _ in counts] for _ in disciplines]
    away = [spread(dice, 0.5, 10.0) for _ in counts]
    if rate:
        place = dice.randrange(len(counts))
        opened[place], counts[place] = True, 40
        away[place] = max(row[place] for row in demands) / (rate * dice.uniform(0.2, 1.0))
    several = tuple(servers if name != "ps" else 1 for name in disciplines)
    return System(tuple(map(tuple, demands)), tuple(disciplines), several, tuple(counts), tuple(away), tuple(opened))


def solved(systems: Sequence[System]) -> Any:
    """The answers of systems of one shape, as a batch; the place of an open class is the same in all."""
    first = systems[0]
    opened = first.opened
    network = qnet.Network(
        [system.demands for system in systems],
        disciplines=first.disciplines,
        servers=first.servers,
        population=[None if out else [item.population[kind] for item in systems] for kind, out in enumerate(opened)],
        think_time=[0.0 if out else [item.away[kind] for item in systems] for kind, out in enumerate(opened)],
        arrival_rate=[[1 / item.away[kind] for item in systems] if out else None for kind, out in enumerate(opened)],
        priority=range(len(opened), 0, -1),
    )
    # As by itself; the front door refuses a batch with a class that starves.
    return solve(network)


def errors(systems: Sequence[System], wanted: int, responses: bool = False) -> list[float]:
    """Of each of the first systems inside the trusted region, the largest error of a class.

    It is that of the throughput of a closed class, of the response of an open one; or of the response of any.
    """
    found: list[float] = []
    answer = solved(systems)
    used = answer.utilization
    for place, system in enumerate(systems):
        ranked = [station for station, name in enumerate(system.disciplines) if name != "ps"]
        if len(found) == wanted or max(sum(used[place, station, :-1]) for station in ranked) > HIGHER:
            continue
        if not inside(system):
            continue
        known = kept("priorities", system, lambda system=system: [*chain.from_iterable(exact(system))])
        rates, times = known[: len(system.away)], known[len(system.away) :]
        told = [
            answer.response[place, kind] / times[kind]
            if out or responses
            else answer.throughput[place, kind] / rates[kind]
            for kind, out in enumerate(system.opened)
        ]
        found.append(max(abs(value - 1) for value in told))
    assert len(found) == wanted
    return found


def inside(system: System) -> bool:
    """Whether a system is in the trusted region, but for the load of higher classes in its answer."""
    higher = range(len(system.away) - 1)
    ranked = [station for station, name in enumerate(system.disciplines) if name != "ps"]
    return (
        all(_away(system, kind) >= LONG_ABSENCE for kind in higher)
        and all(_similar(system, station) for station in ranked)
        and all(
            sum(_alone(system, station, kind) for kind in higher) <= ALONE * system.servers[station]
            for station in ranked
            if system.disciplines[station] == "priority"
        )
    )


def _similar(system: System, station: int) -> bool:
    """Whether the times of no two classes at a station are too far apart."""
    times, most = system.demands[station], exactness.LONGER_LOWER
    if system.disciplines[station] == "priority":
        several = system.servers[station] > 1 or system.disciplines.count("priority") > 1
        most = exactness.LONGER_SEVERAL if several else exactness.LONGER_BEHIND
    return all(
        first <= exactness.LONGER_HIGHER * later and later <= most * first
        for kind, first in enumerate(times)
        for later in times[kind + 1 :]
    )


def _alone(system: System, station: int, kind: int) -> float:
    """The servers that a class keeps busy if it never waits."""
    if system.opened[kind]:
        return system.demands[station][kind] / system.away[kind]
    cycle = system.away[kind] + sum(row[kind] for row in system.demands)
    return system.population[kind] * system.demands[station][kind] / cycle


def _away(system: System, kind: int) -> float:
    """The share of its time without waits that a class spends thinking; of an open class all."""
    return (
        1.0
        if system.opened[kind]
        else system.away[kind] / (system.away[kind] + sum(row[kind] for row in system.demands))
    )


def closed(discipline: str, seed: int, each: int = 50, servers: int = 1) -> list[float]:
    """Errors of systems of closed classes: two at one station and at two, three at one."""
    dice = random.Random(seed)
    shapes: tuple[tuple[tuple[str, ...], tuple[tuple[int, int], ...]], ...] = (
        ((discipline,), ((1, 4), (1, 4))),
        ((discipline, "ps"), ((1, 3), (1, 3))),
        ((discipline, discipline), ((1, 3), (1, 3))),
        ((discipline,), ((1, 2), (1, 2), (1, 2))),
    )
    return [
        error
        for disciplines, population in shapes
        for error in errors([drawn(dice, disciplines, servers, population) for _ in range(each * _DRAWN)], each)
    ]


@pytest.mark.parametrize(
    "name, discipline, seed",
    [("priorities: closed", "priority", 1), ("priorities: closed, preemptive-resume", "preemptive", 2)],
)
def test_closed_classes(name: str, discipline: str, seed: int):
    assert_told(name, closed(discipline, seed))


@pytest.mark.long
def test_closed_classes_at_several_servers():
    found = [error for seed, discipline in ((3, "priority"), (4, "preemptive")) for error in
             closed(discipline, seed, 25, 2)]  # fmt: skip
    assert_told("priorities: closed, several servers", found)


@pytest.mark.long
def test_three_classes_at_three_servers():
    found: list[float] = []
    for seed, discipline in ((9, "priority"), (10, "preemptive")):
        dice = random.Random(seed)
        systems = [drawn(dice, (discipline,), 3, ((1, 3),) * 3) for _ in range(100 * _DRAWN)]
        found += errors(systems, 100)
    assert_told("priorities: closed, three levels at three servers", found)


@pytest.mark.long
@pytest.mark.parametrize("name, responses", [("priorities: mixed", False), ("priorities: mixed, response", True)])
def test_open_classes_beside_closed_ones(name: str, responses: bool):
    """One closed class and one open one; which of them is served first is drawn."""
    found: list[float] = []
    for seed, discipline in ((105, "priority"), (106, "preemptive")):
        dice = random.Random(seed)
        systems = [drawn(dice, (discipline,), 1, ((1, 8), (1, 8)), 0.5) for _ in range(200 * _DRAWN)]
        for first in (True, False):
            found += errors([item for item in systems if item.opened[0] == first and _calm(item)], 100, responses)
    assert_told(name, found)


def _calm(system: System) -> bool:
    """Whether an open class has room enough, so that the chain lets nearly all in."""
    kind = system.opened.index(True)
    other = 1 - kind
    most = system.population[other] * system.demands[0][other] / (system.away[other] + system.demands[0][other])
    return system.demands[0][kind] / system.away[kind] + (most if kind else 0.0) < 0.75
