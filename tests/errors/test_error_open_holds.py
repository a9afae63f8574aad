"""How far open networks with holds are from exact Markov chains, inside the region where they are trusted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np  # noqa: TID253
import pytest
from hold_systems import copies, held, shared
from measuring import FEWEST, assert_told

from qnet.networks.exactness import Beyond
from qnet.networks.hold_trust import CODE, LARGEST
from qnet.networks.measured_errors import MEASURED
from qnet.networks.routed import RoutedNetwork
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve


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


def warned(solution: RoutedSolution) -> bool:
    return any(isinstance(reason, Beyond) and reason.code == CODE for reason in solution.reasons)


def errors(seed: int, system: Draw) -> list[float]:
    """Of systems inside the trusted region: the error of the response of the class where it is worst."""
    draw = np.random.default_rng([716, seed])
    found: list[float] = []
    while len(found) < FEWEST:
        drawn = system(draw)
        solution = solve(drawn.network())
        # What is solved as a limited subnetwork has rows of its own.
        if solution.method != "open" or not solution.stable or warned(solution):
            continue
        exact = drawn.exact()
        found.append(max(abs(item.response / value - 1) for item, value in zip(solution.classes, exact, strict=True)))
    return found


@pytest.mark.parametrize("name", ROWS)
def test_the_errors_are_those_that_are_told(name: str):
    assert_told(name, errors(*ROWS[name]))


@pytest.mark.parametrize("name", ROWS)
def test_the_row_says_what_is_trusted(name: str):
    row = MEASURED[name]
    assert row.code == CODE
    assert f"{10 * LARGEST:g} %" in row.trusted
