"""How far open networks with holds are from exact Markov chains, inside the region where they are trusted."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Protocol

import numpy as np
import pytest
from even_hold_systems import EXACT, Span, staged, trusted
from hold_systems import Held, by_open, copies, held, shared
from kept_chains import kept
from measuring import FEWEST, assert_told

from qnet.networks.exactness import Beyond
from qnet.networks.measured_errors import MEASURED
from qnet.networks.open.hold_warnings import CODE, LARGEST
from qnet.networks.routed import RoutedNetwork
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve

pytestmark = pytest.mark.sliced


class System(Protocol):
    def network(self) -> RoutedNetwork: ...
    def exact(self) -> list[float]: ...


Draw = Callable[[np.random.Generator], System]

ROWS: dict[str, tuple[int, Draw]] = {
    "holds: open, around an inner station": (1, held),
    "holds: open, second phases": (2, lambda draw: held(draw, late=True)),
    "holds: open, inner station asked from outside as well": (3, shared),
    "holds: open, copies around one station": (4, copies),
}
"""By name of the row in the table of errors: a seed, and how a system is drawn."""
EVEN = "holds: open, times more even than exponential"
KEPT: list[list[float]] = json.loads(EXACT.read_text())


def warned(solution: RoutedSolution) -> bool:
    return any(isinstance(reason, Beyond) and reason.code == CODE for reason in solution.reasons)


def errors(seed: int, system: Draw) -> list[float]:
    """Of systems inside the trusted region: the error of the response of the class where it is worst."""
    draw = np.random.default_rng([716, seed])
    found: list[float] = []
    while len(found) < FEWEST:
        drawn = system(draw)
        solution = by_open(drawn.network())
        # What is solved as a limited subnetwork has rows of its own.
        if solution is None or not solution.stable or warned(solution):
            continue
        found.append(error(solution, kept("open holds", drawn, drawn.exact)))
    return found


def error(solution: RoutedSolution, exact: list[float]) -> float:
    """That of the response of the class where it is worst."""
    return max(abs(item.response / value - 1) for item, value in zip(solution.classes, exact, strict=True))


@pytest.mark.long
@pytest.mark.parametrize("name", ROWS)
def test_the_errors_are_those_that_are_told(name: str):
    assert_told(name, errors(*ROWS[name]))


def test_the_errors_of_even_times_are_those_that_are_told():
    assert_told(EVEN, [error(found, exact) for (_, found), exact in zip(trusted(FEWEST), KEPT, strict=True)])


@pytest.mark.long
def test_what_is_kept_of_even_times_is_what_the_chain_says():
    """Of the smallest systems, and of some others."""
    systems = [item for item, _ in trusted(FEWEST)]
    by_size = sorted(range(FEWEST), key=lambda place: systems[place].size)
    for place in [*by_size[:60:6], *by_size[60:150:15]]:
        assert systems[place].exact() == pytest.approx(KEPT[place], rel=1e-7)


@pytest.mark.parametrize("kind", range(4))
def test_even_times_of_one_stage_are_exponential(kind: int):
    """The two chains agree where one class, or one server, makes who asks first no matter."""
    draw = np.random.default_rng(5)
    for _ in range(5):
        system = [held(draw), held(draw, late=True), copies(draw), shared(draw)][kind]
        identical = not isinstance(system, Held) or system.outer == 1 or len(system.rates) == 1
        if identical and solve(system.network()).stable:
            assert staged(system, lambda mean: Span(mean, 1)).exact() == pytest.approx(system.exact(), rel=1e-9)


@pytest.mark.parametrize("name", [*ROWS, EVEN])
def test_the_row_says_what_is_trusted(name: str):
    row = MEASURED[name]
    assert row.code == CODE
    assert f"{10 * LARGEST:g} %" in row.region
