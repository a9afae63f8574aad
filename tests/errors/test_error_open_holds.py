"""How far open networks with holds are from exact Markov chains, inside the region where they are trusted."""

from __future__ import annotations

import json
from collections.abc import Callable
from statistics import median
from typing import Protocol

import numpy as np
import pytest
from even_hold_systems import EXACT, Span, staged, trusted
from hold_systems import Held, Shared, by_open, copies, held, lone_holder, shared
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

ROWS: dict[str, tuple[int, Draw, int]] = {
    "holds: open, around an inner station": (1, held, FEWEST),
    "holds: open, second phases": (2, lambda draw: held(draw, late=True), FEWEST),
    "holds: open, inner station asked from outside as well": (6, lone_holder, 2 * FEWEST),
    "holds: open, copies around one station": (4, copies, FEWEST),
}
"""By name of the row in the table of errors: a seed, how a system is drawn, and how many."""
EVEN = "holds: open, times more even than exponential"
KEPT: list[list[float]] = json.loads(EXACT.read_text())


def warned(solution: RoutedSolution) -> bool:
    return any(isinstance(reason, Beyond) and reason.code == CODE for reason in solution.reasons)


def errors(seed: int, system: Draw, count: int = FEWEST) -> list[float]:
    """Of systems inside the trusted region: the error of the response of the class where it is worst."""
    draw = np.random.default_rng([716, seed])
    found: list[float] = []
    while len(found) < count:
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


@pytest.mark.long
def test_customers_from_outside_of_similar_times_have_smaller_errors():
    """The median and the largest error of what the row was measured on before: times up to a factor of 4.5 apart."""
    found = errors(3, shared)
    assert median(found) < 0.0015
    assert max(found) < 0.07


def test_arrivals_while_the_holder_was_served_are_found():
    """Short services from outside: the response of the holder was 13 % too short, without a warning."""
    system = Shared((0.3, 9.0), 1, 1.0, (0.7, 0.05), 0)
    solution = by_open(system.network())
    assert solution is not None
    assert error(solution, system.exact()) < 0.06


@pytest.mark.parametrize("times", [(0.5, 0.5), (0.3, 0.6), (0.9, 0.3)])
def test_the_queue_of_a_holder_is_that_of_the_chain(times: tuple[float, float]):
    """Of the levels with room for as many from outside as ever come."""
    system = Shared((0.3, 0.3 / times[1]), 1, 0.8, times, 20)
    assert system._replace(room=0).exact() == pytest.approx(system.exact(), rel=1e-5)


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
