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
from station_systems import (
    FED,
    FED_APART,
    constant,
    fed_apart_systems,
    fed_systems,
    ranked,
    ranked_apart,
    several,
    several_apart,
)

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
    "service times and arrivals: several servers, times far apart": (4, several_apart),
    "priorities: open, several servers, times far apart": (5, ranked_apart),
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


FED_ROWS = {
    "priorities: open, in networks": (FED, fed_systems),
    "priorities: open, in networks, times far apart": (FED_APART, fed_apart_systems),
}


@pytest.mark.parametrize("name", FED_ROWS)
def test_priorities_behind_another_station(name: str):
    path, drawn = FED_ROWS[name]
    kept: list[list[float]] = json.loads(path.read_text())
    errors = [error(system, exact) for system, exact in zip(drawn(), kept, strict=True)]
    assert_told(name, [value for value in errors if value is not None])


@pytest.mark.long
@pytest.mark.parametrize("name", FED_ROWS)
def test_what_is_kept_is_what_the_chain_says(name: str):
    path, drawn = FED_ROWS[name]
    kept: list[list[float]] = json.loads(path.read_text())
    systems = drawn()
    for place in sorted(range(len(systems)), key=lambda place: systems[place].size)[:50:10]:
        assert systems[place].exact() == pytest.approx(kept[place], rel=1e-6)
