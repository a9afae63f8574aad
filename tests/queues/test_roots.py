"""Roots of one variable: the end that holds, the last digits, and places where there is nothing to interpolate."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable

import pytest

from qnet.errors import NotComputed
from qnet.expression import FLOATS, arrays
from qnet.queues.roots import bracket, neighbours, root

FALLING: list[tuple[str, Callable[[float], float], float, float, float]] = [
    ("a line", lambda x: 3 - x, 0.0, 8.0, 3.0),
    ("a power", lambda x: 2 - x**9, 0.0, 50.0, 2 ** (1 / 9)),
    ("a pole", lambda x: 5 - 1 / (1 - x), 0.0, 1 - 1e-12, 0.8),
    ("a step", lambda x: 1.0 if x < 0.3 else -1.0, 0.0, 1.0, 0.3),
    ("a cliff", lambda x: 1.0 if x < 0.3 else -math.inf, 0.0, 1.0, 0.3),
    ("far below the bracket", lambda x: 1e-20 - x, 0.0, 1.0, 1e-20),
    ("flat at the root", lambda x: (1 - x) ** 3, 0.0, 3.0, 1.0),
    ("huge", lambda x: 1e290 - x, 0.0, 1e300, 1e290),
]


@pytest.mark.parametrize(
    ("function", "low", "high", "answer"), [case[1:] for case in FALLING], ids=[c[0] for c in FALLING]
)
def test_neighbours_hold_the_root_to_the_last_digits(
    function: Callable[[float], float], low: float, high: float, answer: float
):
    below, above = neighbours(function, low, high)
    assert below < above <= below + 2e-15 * above
    assert function(below) > 0 >= function(above)
    assert answer == pytest.approx((below + above) / 2, rel=1e-5 if answer == 1 else 1e-14)


def test_a_root_at_the_upper_end_is_found():
    assert neighbours(lambda x: 4 - x, 1.0, 4.0)[1] == 4.0


def test_a_bracket_of_one_point_is_that_point():
    assert neighbours(lambda x: 0.0, 2.0, 2.0) == (2.0, 2.0)


def test_the_answer_of_a_search_is_the_side_that_holds():
    found = root(lambda x: x * x - 2, 0.0, 2.0, -2.0, 2.0, FLOATS)
    assert found * found <= 2
    assert found == pytest.approx(math.sqrt(2), rel=1e-12)


def test_a_batch_is_its_points():
    np = importlib.import_module("numpy")
    goals = np.array([1e-9, 0.5, 7.0, 99.0, 200.0])
    low, high = np.zeros(5), np.full(5, 100.0)
    found = root(lambda x: x - goals, low, high, low - goals, high - goals, arrays())
    assert found[:4] == pytest.approx(goals[:4], rel=1e-12)
    assert found[4] == 100.0, "no change of sign"


def test_what_does_not_settle_is_refused():
    with pytest.raises(NotComputed, match="QN512"):
        bracket(lambda x: x - 0.3, 0.0, 1.0, -0.3, 0.7, FLOATS, nearness=1e-18)


def _rounds(function: Callable[[float], float]) -> int:
    """How often a function is asked for until its root between 0 and 1 is known."""
    asked: list[float] = []

    def counted(x: float) -> float:
        asked.append(x)
        return function(x)

    answer = root(counted, 0.0, 1.0, function(0.0), function(1.0), FLOATS)
    assert function(answer) < 0
    assert answer == pytest.approx(ROOT, rel=1e-12)
    return len(asked)


ROOT = 0.318


@pytest.mark.parametrize("below", [1e-6, 1.0, 1e3])
@pytest.mark.parametrize("above", [1e-6, 1.0, 1e3])
def test_a_kink_at_the_root_takes_few_rounds(below: float, above: float):
    assert _rounds(lambda x: (below if x < ROOT else above) * (x - ROOT)) <= 30


@pytest.mark.parametrize("power", [1 / 9, 1 / 3, 1, 3, 5, 9])
def test_the_rounds_of_any_root_are_bounded(power: float):
    assert _rounds(lambda x: math.copysign(abs(x - ROOT) ** power, x - ROOT)) <= 100
