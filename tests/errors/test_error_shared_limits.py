"""The error where several classes share a limited subnetwork, against the chain of all states."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from kept_chains import kept
from measuring import FEWEST, assert_told
from shared_limit_systems import APPROXIMATE, System, answered, arriving, closed, loaded

from qnet.networks.exactness import Beyond
from qnet.networks.solve import solve

pytestmark = pytest.mark.sliced

DRAWN = {"memory: several closed classes": 700, "memory: several open classes": 450}
"""By name of the row in the table of errors: systems, of which some are warned of."""
_MEASURED = {"memory: several closed classes": 400, "memory: several open classes": FEWEST}
"""Of those without a warning, the first so many: more where large errors are rare."""
_EVERY = 25
"""Of which one is solved alone as well, with the same answer."""
_NEAR = 1e-3
"""Layers have two fixed points for a few systems, so far from each other at most, except for the next."""
_APART = {("memory: several closed classes", 100): 5e-3}
Told = list[float] | None
"""The responses by class of a system; None where the answer is warned of."""


def drawn(name: str) -> list[System]:
    if name == "memory: several closed classes":
        draw = np.random.default_rng([645, 1])
        return [closed(draw) for _ in range(DRAWN[name])]
    draw = np.random.default_rng([645, 2])
    return loaded([arriving(draw) for _ in range(DRAWN[name])])


def alone(system: System) -> Told:
    """The answer for one system."""
    solution = solve(system.network(), APPROXIMATE)
    assert solution.method == "flow-equivalent"
    if any(isinstance(reason, Beyond) for reason in solution.reasons):
        return None
    return [float(item.response) for item in solution.classes]


def told(systems: Sequence[System]) -> list[Told]:
    """The answers for systems, those of one structure as a batch."""
    result: list[Told] = [None] * len(systems)
    for numbers, solution in answered(systems):
        assert solution.method == "flow-equivalent"
        assert solution.warned is not None
        assert solution.warned.any() == any(isinstance(reason, Beyond) for reason in solution.reasons)
        for point in np.flatnonzero(~solution.warned).tolist():
            order = systems[numbers[point]].order
            result[numbers[point]] = [float(solution.classes[order.index(k)].response[point]) for k in sorted(order)]
    return result


@pytest.mark.long
@pytest.mark.parametrize("name", DRAWN)
def test_the_errors_are_those_that_are_told(name: str) -> None:
    """Of the response of the class where it is worst, of answers that are not warned of."""
    systems = drawn(name)
    answers = told(systems)
    trusted = [number for number, answer in enumerate(answers) if answer is not None][: _MEASURED[name]]
    found: list[float] = []
    for number in trusted:
        exact = kept("shared limits", systems[number], systems[number].exact)
        found.append(max(abs(one / other - 1) for one, other in zip(answers[number] or (), exact, strict=True)))
    assert_told(name, found)
    for number in range(0, len(systems), _EVERY):
        answer = answers[number]
        near = _APART.get((name, number), _NEAR)
        assert alone(systems[number]) == (answer and pytest.approx(answer, rel=near))
