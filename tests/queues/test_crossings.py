"""Changes of sign of many functions at once: the end that holds, and how few rounds they take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from many import many

from qnet.errors import NotComputed
from qnet.lazy import np
from qnet.queues import crossings as module
from qnet.queues.crossings import crossings, enclosures


def kink(x: Any, root: Any) -> Any:
    """A line that becomes a thousand times steeper at the root."""
    return np.maximum(1e-3 * (x - root), x - root)


FUNCTIONS: dict[str, tuple[Callable[[Any, Any], Any], int, int]] = {
    "a line": (lambda x, root: x - root, 3, 4),
    "an exponential": (lambda x, root: np.exp(3 * x) - np.exp(3 * root), 4, 9),
    "a pole": (lambda x, root: 1 / (1.02 - x) - 1 / (1.02 - root), 4, 9),
    "a kink": (kink, 3, 11),
    "a curved kink": (lambda x, root: np.where(x < root, 1e-3 * (x**3 - root**3), x * x - root * root), 7, 20),
    "a step": (lambda x, root: np.where(x < root, -1.0, 1.0), 12, 40),
    "flat at the root": (lambda x, root: (x - root) ** 5, 13, 60),
    "steep at the root": (lambda x, root: np.cbrt(x - root), 5, 20),
}
"""Of a place and the root, and the most rounds for a few roots and for many."""


class Counted:
    """A function of many roots, and how often it is asked."""

    def __init__(self, name: str, count: int) -> None:
        self.of = FUNCTIONS[name][0]
        self.roots: Any = np.linspace(0.2, 0.7, count)
        self.rounds = 0

    def __call__(self, index: Any, x: Any) -> Any:
        self.rounds += 1
        return self.of(x, self.roots[index])

    def found(self, low: float, high: float, sign: float = 1.0) -> Any:
        """The roots between two ends."""
        ends: Any = [np.full(len(self.roots), end) for end in (low, high)]
        return crossings(
            lambda index, x: sign * self(index, x), *ends, *(sign * self.of(end, self.roots) for end in ends)
        )


@pytest.mark.parametrize("count", [1, 12, 1000])
@many("name", FUNCTIONS)
def test_roots_are_found_on_the_side_that_holds(name: str, count: int) -> None:
    asked = Counted(name, count)
    found = asked.found(0.0, 1.0)
    assert found == pytest.approx(asked.roots, rel=1e-12)
    assert (asked.of(found, asked.roots) < 0).all()
    _, few, many = FUNCTIONS[name]
    assert asked.rounds <= (few if count <= 12 else many)


def test_the_way_may_lead_downwards() -> None:
    asked = Counted("an exponential", 12)
    assert asked.found(1.0, 0.0, -1.0) == pytest.approx(asked.roots, rel=1e-12)


def test_where_there_is_no_change_of_sign_the_answer_is_the_upper_end_and_nothing_is_asked() -> None:
    asked = Counted("a line", 3)
    assert list(asked.found(0.8, 1.0)) == [1.0] * 3
    assert not asked.rounds


def test_a_few_roots_that_are_left_are_looked_for_at_many_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """One step among many lines: as soon as it is alone, its bracket is divided by 25 in a round."""
    kinds = np.arange(500) == 7
    sizes: list[int] = []

    def function(index: Any, x: Any) -> Any:
        sizes.append(len(x))
        return np.where(kinds[index], np.where(x < 0.3, -1.0, 1.0), x - 0.4)

    every = np.zeros(500)
    found = crossings(function, every, every + 1, every - 0.4, every + 0.6)
    assert found == pytest.approx(np.where(kinds, 0.3, 0.4), rel=1e-12)
    assert sizes[:3] == [1000, 1000, 1000]
    assert len(sizes) <= 16 and sizes[-1] == 24


def test_a_search_ends_where_it_is_near_enough() -> None:
    """Of one of two steps a wide bracket is enough."""
    ends = np.zeros(2)
    sizes: list[int] = []

    def function(index: Any, x: Any) -> Any:
        sizes.append(len(x))
        return np.where(x < 0.3, -1.0, 1.0)

    found = crossings(function, ends, ends + 1, ends - 1, ends + 1, lambda index, x: np.where(index == 0, 0.01, 0.0))
    assert 0.28 <= found[0] < 0.3
    assert found[1] == pytest.approx(0.3, rel=1e-12) and found[1] < 0.3
    assert sizes[:3] == [32, 32, 16]


def test_many_roots_that_are_foretold_take_three_places() -> None:
    """Where interpolation says, until the function is next to nothing there; else four are tried and more."""
    roots = np.linspace(0.2, 0.3, 1000)
    low, high = roots - 1e-3, roots + 1e-4
    sizes: list[int] = []

    def function(index: Any, x: Any) -> Any:
        sizes.append(len(x))
        return np.exp(3 * x) - np.exp(3 * roots[index])

    every = np.arange(1000)
    ends = function(every, low), function(every, high)
    sizes.clear()
    answer = crossings(function, low, high, *ends, lambda index, x: 1e-10 * x, foretold=True)
    np.testing.assert_allclose(answer, roots, rtol=1e-10)
    assert sum(sizes) <= 3000
    sizes.clear()
    crossings(function, low, high, *ends, lambda index, x: 1e-10 * x)
    assert sum(sizes) >= 4000


def test_a_kink_is_not_foretold() -> None:
    """A slope that falls to a hundredth just before the root."""
    roots = np.linspace(0.2, 0.3, 1000)

    def function(index: Any, x: Any) -> Any:
        return np.where(x < roots[index] - 1e-5, x - roots[index] + 0.99e-5, (x - roots[index]) / 100)

    every = np.arange(1000)
    low, high = roots - 1e-3, roots + 1e-4
    ends = function(every, low), function(every, high)
    answer = crossings(function, low, high, *ends, lambda index, x: 1e-10 * x, foretold=True)
    np.testing.assert_allclose(answer, roots, rtol=1e-9)


def test_a_root_may_be_enclosed_roughly() -> None:
    roots = np.array([0.25, 0.5])
    zeros = np.zeros(2)
    low, high, at_low, at_high = enclosures(
        lambda index, x: x - roots[index], zeros, zeros + 1, -roots, 1 - roots, lambda index, x: np.full(len(x), 0.01)
    )
    assert (low <= roots).all() and (roots <= high).all() and (high - low <= 0.02).all()
    np.testing.assert_allclose([at_low, at_high], [low - roots, high - roots], atol=1e-15)


def test_a_root_at_an_end_takes_one_round() -> None:
    asked = Counted("a line", 3)
    end = asked.roots
    found = crossings(asked, end - 0.1, end, np.full(3, -0.1), np.zeros(3))
    assert (found < end).all() and found == pytest.approx(end, rel=1e-12)
    assert asked.rounds <= 3


def test_what_does_not_converge_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_ROUNDS", 3)
    with pytest.raises(NotComputed, match="QN512"):
        Counted("a step", 12).found(0.0, 1.0)
