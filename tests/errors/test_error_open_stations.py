"""How far open stations and networks beyond product form are from exact chains and laws, where they are trusted."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Protocol

import numpy as np
import pytest
from full import long_but
from kept_chains import kept
from measuring import FEWEST, assert_told
from station_systems import FED, constant, fed_systems, ranked, several

from qnet.networks.exactness import Beyond
from qnet.networks.routed import RoutedNetwork
from qnet.networks.solve import solve

pytestmark = pytest.mark.sliced


class System(Protocol):
    def network(self) -> RoutedNetwork: ...
    def exact(self) -> list[float]: ...


ROWS: dict[str, tuple[int, Callable[[np.random.Generator], System]]] = {
    "service times in open networks: constant times": (1, constant),
    "service times and arrivals: several servers": (2, several),
    "priorities: open, several servers": (3, ranked),
}
"""By name of the row in the table of errors: a seed, and how a system is drawn."""


def error(system: System, exact: list[float]) -> float | None:
    """The error of the response of the class where it is worst; None where the answer is warned of."""
    solution = solve(system.network())
    if any(isinstance(reason, Beyond) for reason in solution.reasons):
        return None
    return max(abs(item.response / value - 1) for item, value in zip(solution.classes, exact, strict=True))


@pytest.mark.parametrize("name", long_but(ROWS, "priorities: open, several servers"))
def test_the_errors_are_those_that_are_told(name: str):
    seed, drawn = ROWS[name]
    draw = np.random.default_rng([717, seed])
    found: list[float] = []
    while len(found) < FEWEST:
        system = drawn(draw)
        value = error(system, kept("open stations", system, system.exact))
        found += [] if value is None else [value]
    assert_told(name, found)


@pytest.mark.long
def test_queue_lengths_behind_constant_times():
    draw = np.random.default_rng([717, ROWS["service times in open networks: constant times"][0]])
    found: list[float] = []
    while len(found) < FEWEST:
        system = constant(draw)
        solution = solve(system.network())
        if not any(isinstance(reason, Beyond) for reason in solution.reasons):
            exact = system.queue_lengths()
            found.append(
                max(abs(item.queue_length / value - 1) for item, value in zip(solution.stations, exact, strict=True))
            )
    assert_told("service times in open networks: constant times, queue lengths", found)


def test_priorities_behind_another_station():
    kept: list[list[float]] = json.loads(FED.read_text())
    errors = [error(system, exact) for system, exact in zip(fed_systems(), kept, strict=True)]
    assert_told("priorities: open, in networks", [value for value in errors if value is not None])


@pytest.mark.long
def test_what_is_kept_is_what_the_chain_says():
    kept: list[list[float]] = json.loads(FED.read_text())
    systems = fed_systems()
    for place in sorted(range(len(systems)), key=lambda place: systems[place].size)[:50:10]:
        assert systems[place].exact() == pytest.approx(kept[place], rel=1e-6)
