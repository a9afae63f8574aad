"""The error where several classes share a limited subnetwork, against the chain of all states."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np  # noqa: TID253
import pytest
from kept_chains import kept
from measuring import FEWEST, assert_told
from shared_limit_systems import APPROXIMATE, System, arriving, closed

from qnet.networks.exactness import Beyond
from qnet.networks.solve import solve

ROWS: dict[str, tuple[int, Callable[[np.random.Generator], System]]] = {
    "memory: several closed classes": (1, closed),
    "memory: several open classes": (2, arriving),
}
"""By name of the row in the table of errors: a seed, and how a system is drawn."""


@pytest.mark.parametrize("name", ROWS)
def test_the_errors_are_those_that_are_told(name: str) -> None:
    """Of the response of the class where it is worst, of answers that are not warned of."""
    seed, drawn = ROWS[name]
    draw = np.random.default_rng([645, seed])
    found: list[float] = []
    while len(found) < FEWEST:
        system = drawn(draw)
        solution = solve(system.network(), APPROXIMATE)
        assert solution.method == "flow-equivalent"
        if any(isinstance(reason, Beyond) for reason in solution.reasons):
            continue
        exact = kept("shared limits", system, system.exact)
        found.append(
            max(abs(item.response / value - 1) for item, value in zip(solution.classes, exact, strict=True))
        )  # fmt: skip
    assert_told(name, found)
