"""Roots of functions of many points at once, and sums of a few numbers."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import qnet
from qnet.questions.knee.closed import Asymptotes
from qnet.queues.arithmetic import largest, summed
from qnet.queues.roots import first_of_many

np: Any = importlib.import_module("numpy")


def _root(function: Any, low: float, high: float) -> tuple[float, int]:
    """The root, and how often the function was asked."""
    asked: list[int] = []

    def counted(points: Any) -> Any:
        asked.append(len(points))
        return function(points)

    ends = function(np.array([low, high]))
    return first_of_many(counted, low, high, float(ends[0]), float(ends[1])), len(asked)


@pytest.mark.parametrize(
    ("function", "expected", "most"),
    [
        (lambda x: x**3 - 2.0, 2.0 ** (1 / 3), 4),
        (lambda x: 3.0 * x - 4.0, 4.0 / 3.0, 2),
        (lambda x: np.where(x < 1.7, x - 3.0, 5.0), 1.7, 10),
        (lambda x: np.where(x < 1.3, 1e-3 * (x - 1.3), x - 1.3), 1.3, 10),
        (lambda x: -np.sin(20.0 * x), 7 * np.pi / 20, 6),
    ],
)
def test_few_calls_find_the_first_change_of_sign(function: Any, expected: float, most: int) -> None:
    end, calls = _root(function, 1.0, 1.5 if expected < 1.1 else 2.0)
    assert end == pytest.approx(expected, rel=1e-12)
    assert calls <= most
    assert float(function(np.array([end]))[0]) < 0


def test_asymptotes_that_jump_meet_after_few_solutions(monkeypatch: pytest.MonkeyPatch) -> None:
    """By halving it took 46 of them."""
    solved: list[int] = []
    solve: Any = getattr(Asymptotes, "_solved")  # noqa: B009
    monkeypatch.setattr(Asymptotes, "_solved", lambda *arguments: solved.append(1) or solve(*arguments))
    qnet.load("aix-lpar-file-server").knee()
    assert len(solved) <= 14


@pytest.mark.parametrize("count", [0, 1, 2, 5, 6, 7, 40])
def test_sums_and_maxima_of_few_numbers_are_those_of_numpy(count: int) -> None:
    values = np.random.default_rng(count).random((3, count, 2, count))
    assert summed(values) == pytest.approx(values.sum(-1), rel=1e-14)
    assert summed(values, 1) == pytest.approx(values.sum(1), rel=1e-14)
    assert np.array_equal(largest(values), values.max(-1, initial=0.0))


def test_sums_leave_what_is_added_as_it_is() -> None:
    values = np.ones((2, 3))
    summed(values)
    summed(values, 1)
    assert (values == 1).all()
