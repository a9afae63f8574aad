"""Random closed product-form networks, in groups of one shape, and the errors of approximate MVA on them.

`python tests/errors/product_form_systems.py` prints the row of every method, and the group where it is worst.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "closed" / "approximate"))

from approximate_cases import METHODS, beside_open, exact_figures, servers

from qnet.errors import NotComputed
from qnet.networks.closed.approximate import CORRECTIONS, DEFAULT_CORRECTION, solve
from qnet.networks.closed.problem import ClosedNetwork, closed_network

GROUPS, POINTS = 100, 20
COMBINATIONS = 60
"""How many populations a network has at most, those of fewer customers included."""
REGIONS = ("one server", "2 to 16 servers", "2 to 16 servers, open classes")


class Group(NamedTuple):
    """Networks with the same stations and the same number of classes."""

    networks: ClosedNetwork
    open_load: Any
    """(points, stations) in erlangs; None without open classes."""
    throughput: Any
    """(points, classes), exactly."""


class Row(NamedTuple):
    """What a row of the table is measured on."""

    region: str
    method: str
    correction: str = DEFAULT_CORRECTION


ROWS: dict[str, Row] = {}
"""By name in the table of measured errors: what it is measured on."""
for _region in REGIONS:
    for _method in METHODS:
        ROWS[f"product form: {_region}, {_method}"] = Row(_region, _method)
        if _region != REGIONS[0]:
            for _correction in list(CORRECTIONS)[1:]:
                ROWS[f"product form: {_region}, {_method}, {_correction}"] = Row(_region, _method, _correction)


WORST = (12, 26, 39, 41, 57, 60, 78, 84, 96)
"""The groups in which the worst errors of some rows are."""


@cache
def group(region: str, number: int) -> Group:
    """Two to five stations, a tenth of them delays, and one to three classes, half of them without think time.

    number   of the group, from 0 to `GROUPS`.
    """
    draw = np.random.default_rng([701, REGIONS.index(region), number])
    stations, classes = int(draw.integers(2, 6)), int(draw.integers(1, 4))
    delay = [bool(value) for value in draw.random(stations) < 0.1]
    delay[0] = False
    shape = (POINTS, stations, classes)
    demands = np.exp(draw.normal(0.0, 1.0, shape)) * (draw.random(shape) >= 0.1)
    demands[:, 0] = np.maximum(demands[:, 0], np.maximum(1e-3 * demands.max((1, 2)), 1e-3)[:, None])
    rates: list[Any] = [None] * stations
    for station in range(stations):
        if region != REGIONS[0] and not delay[station] and (station == 0 or draw.random() < 0.6):
            rates[station] = servers(int(draw.integers(2, 17)))
            demands[:, station] *= len(rates[station]) * draw.uniform(0.3, 1.3, (POINTS, 1))
    population = draw.integers(1, int(COMBINATIONS ** (1 / classes)) + 1, (POINTS, classes))
    population[:, 0] += population.sum(1) == 1
    scale = demands.sum(1) * 10.0 ** draw.uniform(-1.0, 1.5, (POINTS, classes))
    think = np.where(draw.random((POINTS, classes)) < 0.5, 0.0, scale)
    networks = closed_network(demands, population, think, delay, rates)
    load = None
    if region == REGIONS[2]:
        capacity = [0.0 if away else networks.peak(station) for station, away in enumerate(delay)]
        load = draw.choice([0.0, 0.2, 0.5, 0.8], (POINTS, stations)) * capacity
    exact = [exact_figures(_point(networks, load, point)).throughput for point in range(POINTS)]
    return Group(networks, load, np.array(exact))


def _point(networks: ClosedNetwork, load: Any, point: int) -> ClosedNetwork:
    """One network, with what open classes leave of its stations."""
    alone = networks.point(point)
    return alone if load is None else beside_open(alone, load[point])


def errors(name: str, numbers: Iterable[int]) -> list[float]:
    """Of every network that has an answer, the relative error of the throughput of the class where it is largest."""
    found: list[float] = []
    for number in numbers:
        drawn = group(ROWS[name].region, number)
        try:
            rates = _throughput(ROWS[name], drawn.networks, drawn.open_load)
            found += np.abs(rates / drawn.throughput - 1.0).max(-1).tolist()
        except NotComputed:
            found += _one_by_one(ROWS[name], drawn)
    return found


def _one_by_one(row: Row, drawn: Group) -> list[float]:
    """The same where some networks of a group have no answer."""
    found: list[float] = []
    for point in range(POINTS):
        load = None if drawn.open_load is None else drawn.open_load[point]
        with suppress(NotComputed):
            rates = _throughput(row, drawn.networks.point(point), load)
            found.append(float(np.abs(rates / drawn.throughput[point] - 1.0).max()))
    return found


def _throughput(row: Row, networks: ClosedNetwork, load: Any) -> Any:
    return np.asarray(solve(networks, row.method, row.correction, open_load=load).throughput)


if __name__ == "__main__":
    for name in ROWS:
        sizes = [errors(name, [number]) for number in range(GROUPS)]
        every = [size for part in sizes for size in part]
        worst = max(range(GROUPS), key=lambda number: max(sizes[number], default=0.0))
        print(f"{name}: {len(every)} systems, median {np.median(every):.2g}, worst {max(every):.2g}, group {worst}")
