"""Random pools of several open classes, and their simulated responses: means and percentiles.

Each is simulated for the longer the nearer it is to saturation. `python tests/errors/pool_simulated_systems.py`
simulates those that are not in the file by `pool_simulation.c`, and writes it again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from itertools import islice
from math import exp, log
from pathlib import Path
from typing import NamedTuple

import numpy as np
from measuring import FEWEST
from simulating import output, rounded, written

from qnet.expression import FLOATS
from qnet.networks.exactness import Beyond
from qnet.networks.percentiles.responses import response_percentile
from qnet.networks.percentiles.trust import admitting, beyond
from qnet.networks.routed import Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve

SIMULATED = Path(__file__).with_name("pool_simulated.json")
_PROGRAM = Path(__file__).with_name("pool_simulation.c")
_DISCIPLINES = ("fcfs", "ps", "delay")
_ARRIVALS, _MOST = 20_000, 4_000_000
SHARES = (0.5, 0.9, 0.95, 0.99, 0.999)
Dice = np.random.Generator
Figures = list[list[float]]
"""By class: the mean, and the percentiles of `SHARES`."""
Kept = dict[str, dict[str, Figures]]
"""By row and key of the system."""


class Pool(NamedTuple):
    """Classes whose customers hold one of some places while they make visits, each an exponential time."""

    limit: int
    stations: tuple[tuple[str, int], ...]
    """Disciplines and servers."""
    classes: tuple[tuple[float, tuple[tuple[int, float], ...]], ...]
    """The arrival rate, and the station and the mean time of each visit."""

    def network(self) -> RoutedNetwork:
        """The same as qnet is given it."""
        stations = [Station("pool", False, self.limit, "fcfs", (Group("pool", 1, 1.0),))]
        for number, (kind, servers) in enumerate(self.stations):
            name, delay = f"{number}", kind == "delay"
            stations.append(Station(name, delay, servers, "fcfs" if delay else kind, (Group(name, 1, 1.0),)))
        classes = tuple(
            OpenClass(f"{index}", rate, (Route(f"way {index}", 1.0, (
                Hold("pool", tuple(Hold(f"{place}", (Time(mean),)) for place, mean in visits)),
            )),))
            for index, (rate, visits) in enumerate(self.classes)
        )  # fmt: skip
        return RoutedNetwork(tuple(stations), classes)

    def times(self, factor: float) -> Pool:
        """With arrivals so many times as often."""
        return self._replace(classes=tuple((rate * factor, visits) for rate, visits in self.classes))

    def load(self) -> float:
        """The arrival rate as a share of the saturation throughput of the pool."""
        return next(float(item.load) for item in solve(self.network()).loads if item.name == "pool")

    @property
    def key(self) -> str:
        """By numbers of so many digits that no machine rounds them otherwise."""
        short = json.loads(json.dumps(self), parse_float=lambda number: f"{float(number):.6g}")
        return hashlib.sha256(json.dumps(short).encode()).hexdigest()[:12]

    def simulated(self, seed: int | None = None, most: int = _MOST) -> Figures:
        """The figures of each class; the key makes the seed if none is given."""
        arrivals = min(int(_ARRIVALS / (1 - self.load()) ** 2) + 300_000, most)
        seed = int(self.key, 16) % 1_000_000 + 1 if seed is None else seed
        values: list[float] = [self.limit, len(self.stations)]
        for kind, servers in self.stations:
            values += [_DISCIPLINES.index(kind), servers]
        values.append(len(self.classes))
        for rate, visits in self.classes:
            values += [rate, len(visits), *(value for visit in visits for value in visit)]
        return [rounded(line, 6) for line in output(_PROGRAM, (*values, arrivals, seed))]


def _spread(dice: Dice, low: float, high: float) -> float:
    """A number whose logarithm is uniform."""
    return exp(dice.uniform(log(low), log(high)))


def drawn(dice: Dice) -> Pool:
    """Two or three classes, two to six places around one to three stations: shared, in order of arrival, delays. Times
    are up to a factor of 10 apart, except in order of arrival; loads from 0.1 to 0.95."""
    kinds = [str(dice.choice(["fcfs", "ps", "ps", "delay"])) for _ in range(int(dice.integers(1, 4)))]
    stations = tuple((kind, int(dice.choice([1, 1, 2, 4])) if kind == "fcfs" else 1) for kind in kinds)
    means = [_spread(dice, 0.2, 2.0) for _ in stations]
    limit, span = int(dice.integers(2, 7)), float(dice.choice([1, 2, 3, 5, 10]))
    classes: list[tuple[float, tuple[tuple[int, float], ...]]] = []
    for _ in range(int(dice.integers(2, 4))):
        longer = _spread(dice, 1.0, span)
        places = [place for place in range(len(stations)) if dice.random() < 0.75] or [0]
        places += places[:1] * int(dice.random() < 0.25)
        visits = tuple((place, means[place] * (1.0 if kinds[place] == "fcfs" else longer)) for place in places)
        classes.append((float(dice.uniform(0.2, 1)) / longer, visits))
    rare = Pool(limit, stations, tuple(classes)).times(1e-6)
    return rare.times(float(dice.uniform(0.1, 0.95)) / rare.load())


def answered(pool: Pool, solution: RoutedSolution) -> Figures:
    """What is answered in place of the simulated figures."""
    numbers = range(len(pool.classes))
    percentiles = [[float(response_percentile(solution, share, f"{index}")) for share in SHARES] for index in numbers]
    return [[float(solution.classes[index].response), *percentiles[index]] for index in numbers]


def warned(solution: RoutedSolution) -> bool:
    """Whether the percentiles are warned of, or the means."""
    assert solution.passages
    network = solution.passages.network
    means = any(isinstance(reason, Beyond) for reason in solution.reasons)
    return means or bool(beyond(network, FLOATS, SHARES, admitting(solution.passages)))


def error(answer: Figures, figures: Figures, columns: slice = slice(2, 5)) -> float:
    """The largest of all classes, of the 90th, the 95th and the 99th percentile."""
    pairs = zip(answer, figures, strict=True)
    return max(
        abs(one / other - 1) for line, known in pairs for one, other in zip(line[columns], known[columns], strict=True)
    )


ROWS: dict[str, Callable[[RoutedSolution], bool]] = {
    "percentiles: limited subnetworks, several classes": lambda solution: not warned(solution),
    "percentiles: limited subnetworks, warned of": warned,
}
"""By name of the row in the table of errors: which systems it has."""


def measured(name: str, count: int = FEWEST) -> Iterator[tuple[Pool, Figures]]:
    """Systems of a row, and what is answered for their classes."""
    return islice(_answered(ROWS[name], np.random.default_rng([730, list(ROWS).index(name)])), count)


def _answered(wanted: Callable[[RoutedSolution], bool], dice: Dice) -> Iterator[tuple[Pool, Figures]]:
    while True:
        pool = drawn(dice)
        solution = solve(pool.network())
        if wanted(solution):
            yield pool, answered(pool, solution)


def main() -> None:
    kept: Kept = json.loads(SIMULATED.read_text()) if SIMULATED.exists() else {}
    for name in ROWS:
        known, answers = kept.get(name, {}), list(measured(name))
        kept[name] = {pool.key: known.get(pool.key) or pool.simulated() for pool, _ in answers}
        SIMULATED.write_text(written(kept))
        found = sorted((error(answer, kept[name][pool.key]), pool) for pool, answer in answers)
        print(name, float(np.median([size for size, _ in found])), *found[-4:], sep="\n", flush=True)


if __name__ == "__main__":
    main()
