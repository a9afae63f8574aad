"""How many rounds knees of networks with priorities take, and where they begin."""

from __future__ import annotations

from typing import Any

import pytest

import qnet
from qnet.networks.closed import priorities


@pytest.fixture
def rounds(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """By round of the residence equations, the points that it is for."""
    result: list[int] = []
    image: Any = getattr(priorities, "_image")  # noqa: B009

    def counted(ranked: Any, *others: Any) -> Any:
        result.append(len(ranked.population))
        return image(ranked, *others)

    monkeypatch.setattr(priorities, "_image", counted)
    return result


def test_a_knee_takes_few_rounds(rounds: list[int]) -> None:
    """842 of them, where every core solution began from no queues, and points with a class that is nearly starved,
    whose slopes are steep, were taken for points with several answers."""
    qnet.load("priority-batch").knee()
    assert len(rounds) <= 360


def test_loads_begin_between_those_that_are_known(rounds: list[int]) -> None:
    """Customers of the one class, or of the other, between numbers of them that were solved before."""
    qnet.load("priority-batch").knee(vary="users")
    near = len(rounds)
    assert near <= 170
