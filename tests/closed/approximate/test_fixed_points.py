"""Fixed points of a batch: found where rounds alone lead away, the same whatever rounds begin with."""

import importlib
from math import sin
from typing import Any

import pytest

from qnet.networks.closed.first_come import FirstComeBatch, solve
from qnet.networks.fixed_point import BatchMap, Memory, early_point, falling_points, fixed_points

np: Any = importlib.import_module("numpy")


def _straight(slopes: Any, fixed: Any) -> Any:
    """Maps with a slope and a fixed point for each point, over a table of values."""

    def images(chosen: Any) -> BatchMap:
        def image(values: Any) -> tuple[Any, Any]:
            after = fixed[chosen] + slopes[chosen, None, None] * (values - fixed[chosen])
            return after, np.abs(after - values).max((1, 2))

        return image

    return images


@pytest.mark.parametrize("size", [1, 4, 30])
def test_maps_that_rounds_follow(size: int) -> None:
    fixed = np.linspace(1.0, 2.0, 3 * size).reshape(3, size, 1)
    found = fixed_points(_straight(np.array([0.5, -0.9, 0.99]), fixed), np.ones((3, size, 1)))
    assert found == pytest.approx(fixed, rel=1e-9)


def test_a_map_that_leads_away_from_where_it_stays() -> None:
    fixed = np.linspace(1.0, 2.0, 8).reshape(2, 4, 1)
    found = fixed_points(_straight(np.array([3.0, -5.0]), fixed), 1.1 * fixed)
    assert found == pytest.approx(fixed, rel=1e-9)


@pytest.mark.parametrize("power", [-3.0, -1.5, 2.0, 3.0, 5.0])
def test_few_values_are_found_by_slopes_where_rounds_of_a_curved_map_lead_away(power: float) -> None:
    """Each value is a power of a mean of all; all ones stay where they are, and Newton's method sees it at once."""
    rounds = 0
    means = np.eye(3) / 2 + np.array([[0.1, 0.2, 0.2], [0.3, 0.1, 0.1], [0.0, 0.1, 0.4]])

    def images(chosen: Any) -> BatchMap:
        def image(values: Any) -> tuple[Any, Any]:
            nonlocal rounds
            rounds += 1
            after = (means @ values) ** power
            return after, np.abs(after - values).max((1, 2))

        return image

    found = fixed_points(images, np.array([[[2.0], [2.5], [3.0]]]))
    assert found == pytest.approx(np.ones((1, 3, 1)), rel=1e-9)
    assert rounds < 40


def test_what_nothing_makes_converge_is_left_after_rounds_that_are_half_of_each_move() -> None:
    """A map that always leads upwards, by 0.5 to 2.5: the last way that is tried has no memory of earlier rounds."""
    asked: list[float] = []

    def moved(value: float) -> float:
        return 1.5 + sin(5 * value)

    def images(chosen: Any) -> BatchMap:
        def image(values: Any) -> tuple[Any, Any]:
            asked.append(float(values[0, 0, 0]))
            return values + moved(asked[-1]), np.full(len(values), moved(asked[-1]))

        return image

    fixed_points(images, np.ones((1, 1, 1)), patience=30)
    last = asked[len(asked) - 1 - asked[::-1].index(1.0) :]
    assert len(last) > 10
    assert last[1:] == pytest.approx([value + moved(value) / 2 for value in last[:-1]], rel=1e-12)


def test_values_that_vanish() -> None:
    fixed = np.zeros((1, 3, 1))
    assert fixed_points(_straight(np.array([0.5]), fixed), np.ones((1, 3, 1))).max() < 1e-10


def test_no_point_changes_another() -> None:
    fixed = np.linspace(1.0, 2.0, 12).reshape(3, 4, 1)
    slopes = np.array([0.5, -0.9, 0.99])
    together = fixed_points(_straight(slopes, fixed), np.ones((3, 4, 1)))
    alone = [fixed_points(_straight(slopes[[place]], fixed[[place]]), np.ones((1, 4, 1)))[0] for place in range(3)]
    assert together == pytest.approx(np.array(alone), rel=1e-12)


def test_a_memory_of_one_round_solves_a_straight_map_at_once() -> None:
    slopes, fixed = np.array([0.5, -0.9, 0.2]), np.linspace(1.0, 2.0, 3).reshape(3, 1, 1)
    image = _straight(slopes, fixed)(np.arange(3))
    values, done = early_point(image, np.zeros((3, 1, 1)), 4, 1e-10)
    assert done and values == pytest.approx(fixed, rel=1e-9)


def test_early_rounds_say_that_they_are_not_enough() -> None:
    image = _straight(np.array([3.0]), np.ones((1, 1, 1)))(np.arange(1))
    values, done = early_point(image, np.full((1, 1, 1), 1.5), 3, 1e-10)
    assert not done and values.shape == (1, 1, 1)


def test_a_memory_follows_the_points_that_go_on_and_forgets_those_led_astray() -> None:
    fixed = np.array([[1.0], [2.0], [3.0]])
    memory, values = Memory(2), np.zeros((3, 1))
    values = memory.following(values, 0.5 * (fixed - values))
    memory.keep(np.array([False, True, True]))
    values, fixed = values[1:], fixed[1:]
    moves = 0.5 * (fixed - values)
    values = memory.following(values, moves, np.array([False, True]))
    assert values[0] == pytest.approx(fixed[0], rel=1e-9)
    assert values[1] == pytest.approx(fixed[1] - moves[1], rel=1e-9)


def _lines(population: float) -> FirstComeBatch:
    demands = np.array([[[0.05, 0.02], [0.03, 0.04], [0.01, 0.09]]])
    visits, none = np.ones(demands.shape), np.zeros((1, 3))
    people, away = np.array([[population, 2 * population]]), np.array([[5.0, 2.0]])
    return FirstComeBatch(demands, visits, demands, visits, demands / 2, 1.5 * demands, none, none, people, away)


@pytest.mark.parametrize("population", [1.0, 20.0, 300.0])
def test_what_rounds_begin_with_does_not_matter(population: float) -> None:
    # Of few customers and of many: from what was found of a network nearby, and from nothing.
    near, afresh = solve(_lines(1.1 * population + 1.0)), solve(_lines(population))
    again = solve(_lines(population), near.starts)
    assert again.throughput == pytest.approx(afresh.throughput, rel=1e-10)
    assert again.residence == pytest.approx(afresh.residence, rel=1e-8)


def test_a_map_that_overflows_is_left_without_a_word() -> None:
    """Warnings of numpy end the test; values that are not finite are never taken."""

    def images(chosen: Any) -> BatchMap:
        def image(values: Any) -> tuple[Any, Any]:
            after = np.where(values == 1.0, 1.0 + 1e-4, 1e300 * np.sign(values - 1.0) * values**8)
            return after, np.abs(after - values).max((1, 2))

        return image

    assert np.isfinite(fixed_points(images, np.ones((2, 4, 1)))).all()


@pytest.mark.parametrize("limit", [None, 1e-4, 1e-5])
def test_a_map_that_falls_steeply_just_below_a_limit(limit: float | None) -> None:
    """Images fall by 1e5 times what values rise by; a limit that is below its image is no limit."""
    rounds = 0

    def image(values: Any) -> tuple[Any, Any]:
        nonlocal rounds
        rounds += 1
        after = np.maximum(10.0 - 1e5 * values, 5e-5)
        return after, np.abs(after - values).max((1, 2)) / np.maximum(values, after).max()

    nearer = None if limit is None else lambda _: np.full((1, 1, 1), limit)
    values = falling_points(image, np.zeros((1, 1, 1)), 1e-9, nearer)
    assert values[0, 0, 0] == pytest.approx(10.0 / (1e5 + 1.0), rel=1e-9)
    assert rounds < 12 if limit == 1e-4 else rounds < 103


@pytest.mark.parametrize("height", [1e-3, 0.3, 1.0, 1e3])
def test_the_crossing_of_a_falling_curve_takes_few_rounds_whatever_its_unit(height: float) -> None:
    """A share e^-x of a height is a share x of it at x = 0.567..., where both are equal: Lambert's W of 1."""
    rounds = 0

    def image(values: Any) -> tuple[Any, Any]:
        nonlocal rounds
        rounds += 1
        after = height * np.exp(-values / height)
        return after, np.abs(after - values).max((1, 2)) / height

    values = falling_points(image, np.zeros((1, 1, 1)), 1e-12)
    assert values[0, 0, 0] == pytest.approx(0.567143290409783873 * height, rel=1e-11)
    assert rounds < 12
