"""The error where several classes share a limited subnetwork, against the chain of all states."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np  # noqa: TID253
import pytest
from kept_chains import kept
from measuring import FEWEST, assert_told
from shared_limit_systems import APPROXIMATE, System, arriving, closed, together

from qnet.networks.exactness import Beyond
from qnet.networks.solve import solve

DRAWN = 250
"""Closed systems, of which some are warned of."""
_EVERY = 25
"""Of which one is solved alone as well, with the same answer."""
_NEAR = 1e-3
"""Layers have two fixed points for a few systems, so far from each other at most."""
Told = list[float] | None
"""The responses by class of a system; None where the answer is warned of."""


def alone(system: System) -> Told:
    """The answer for one system."""
    solution = solve(system.network(), APPROXIMATE)
    assert solution.method == "flow-equivalent"
    if any(isinstance(reason, Beyond) for reason in solution.reasons):
        return None
    return [float(item.response) for item in solution.classes]


def all_told(systems: Sequence[System]) -> list[Told]:
    """The answers for closed systems, those of one structure as a batch."""
    result: list[Told] = [None] * len(systems)
    structures: dict[str, list[int]] = {}
    for number, system in enumerate(systems):
        structures.setdefault(repr(system.structure), []).append(number)
    for numbers in structures.values():
        solution = solve(together([systems[number] for number in numbers]), APPROXIMATE)
        assert solution.method == "flow-equivalent"
        assert solution.warned is not None
        assert solution.warned.any() == any(isinstance(reason, Beyond) for reason in solution.reasons)
        for point in np.flatnonzero(~solution.warned).tolist():
            order = systems[numbers[point]].order
            result[numbers[point]] = [
                float(solution.classes[order.index(kind)].response[point]) for kind in sorted(order)
            ]
    return result


def error(system: System, told: Sequence[float]) -> float:
    """That of the response of the class where it is worst."""
    exact = kept("shared limits", system, system.exact)
    return max(abs(one / other - 1) for one, other in zip(told, exact, strict=True))


def test_the_errors_of_closed_classes_are_those_that_are_told() -> None:
    draw = np.random.default_rng([645, 1])
    systems = [closed(draw) for _ in range(DRAWN)]
    pairs = list(zip(systems, all_told(systems), strict=True))
    trusted = [(system, told) for system, told in pairs if told is not None][:FEWEST]
    assert_told("memory: several closed classes", [error(system, told) for system, told in trusted])
    for system, told in pairs[::_EVERY]:
        assert alone(system) == (told and pytest.approx(told, rel=_NEAR))


def test_the_errors_of_arrivals_are_those_that_are_told() -> None:
    draw = np.random.default_rng([645, 2])
    found: list[float] = []
    while len(found) < FEWEST:
        system = arriving(draw)
        if told := alone(system):
            found.append(error(system, told))
    assert_told("memory: several open classes", found)
