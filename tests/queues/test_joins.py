"""Order statistics of independent times, against their closed forms."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest

from qnet.queues.joins import BranchTimes, decisive, joined, mean_joined, ranked


def harmonic(first: int, last: int) -> float:
    return sum(1 / number for number in range(first, last + 1))


@pytest.mark.parametrize("count, needed", [(2, 2), (10, 10), (10, 7), (10, 1), (100, 100)])
def test_like_exponential_times(count: int, needed: int):
    """Each next of those left comes after the minimum of them."""
    mean, variance = joined([BranchTimes(2.0, 4.0, count)], needed)
    assert mean == pytest.approx(2 * harmonic(count - needed + 1, count), rel=1e-11)
    spread = sum(4 / number**2 for number in range(count - needed + 1, count + 1))
    assert variance == pytest.approx(spread, rel=1e-9)


def test_unlike_exponential_times():
    """By inclusion and exclusion of minima, also over four orders of magnitude."""
    mean, _ = joined([BranchTimes(1.0, 1.0), BranchTimes(2.0, 4.0), BranchTimes(1e-4, 1e-8)], 3)
    one, two, three = 1.0, 0.5, 1e4
    pairs = 1 / (one + two) + 1 / (one + three) + 1 / (two + three)
    assert mean == pytest.approx(1 + 2 + 1e-4 - pairs + 1 / (one + two + three), rel=1e-11)


def test_a_constant_and_an_exponential_time():
    branches = [BranchTimes(1.0, 0.0), BranchTimes(1.0, 1.0)]
    assert joined(branches, 2)[0] == pytest.approx(1 + exp(-1), rel=1e-11)
    assert decisive(branches, 2) == pytest.approx((1 - exp(-1), exp(-1)), rel=1e-9)


def test_constants_alone():
    branches = [BranchTimes(1.0, 0.0), BranchTimes(3.0, 0.0), BranchTimes(2.0, 0.0)]
    assert [joined(branches, needed)[0] for needed in (1, 2, 3)] == pytest.approx([1, 2, 3], rel=1e-11)
    assert decisive(branches, 2) == pytest.approx((0, 0, 1))


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e6])
def test_a_constant_that_outlasts_all_others(scale: float):
    branches = [BranchTimes(100.0 * scale, 0.0), BranchTimes(0.1, 0.01), BranchTimes(120.0 * scale, 0.0)]
    assert joined(branches, 3) == pytest.approx((120.0 * scale, 0.0), rel=1e-11, abs=1e-6 * scale**2)
    assert joined(branches, 2)[0] == pytest.approx(100.0 * scale, rel=1e-11)
    assert joined(branches[:2], 1)[0] == pytest.approx(0.1, rel=1e-11)
    assert decisive(branches, 3) == pytest.approx((0, 0, 1), abs=1e-12)


@pytest.mark.parametrize("needed, mean, variance", [(1, 0.0, 0.0), (2, 2.0, 4.0)])
def test_a_time_of_zero_has_passed_at_once(needed: int, mean: float, variance: float):
    branches = [BranchTimes(0.0, 0.0), BranchTimes(2.0, 4.0)]
    assert joined(branches, needed) == pytest.approx((mean, variance), rel=1e-11)
    assert decisive(branches, needed) == pytest.approx((2.0 - needed, needed - 1.0))


def test_times_of_zero_take_none():
    assert joined([BranchTimes(0.0, 0.0), BranchTimes(0.0, 0.0)], 2) == (0.0, 0.0)


def test_erlang_times():
    """Two Erlang times of two stages: 1 + the Gini coefficient, 3 / 8."""
    assert joined([BranchTimes(1.0, 0.5, 2)], 2)[0] == pytest.approx(1.375, rel=1e-11)


@pytest.mark.parametrize("scv", [0.0, 1e-4, 0.01, 0.03, 0.3, 1.0, 5.0])
def test_one_time_keeps_its_moments(scv: float):
    mean, variance = joined([BranchTimes(2.0, 4 * scv)], 1)
    assert (mean, variance) == pytest.approx((2.0, 4 * scv), rel=1e-6, abs=1e-9)


def test_order_statistics_of_some_times_sum_to_the_times():
    branches = [BranchTimes(1.0, 0.4), BranchTimes(2.0, 9.0, 2), BranchTimes(3.0, 0.0)]
    assert sum(joined(branches, needed)[0] for needed in range(1, 5)) == pytest.approx(8.0, rel=1e-7)


def test_who_is_waited_for():
    """Of exponential times the last is the slower one with its share of the rates of both."""
    assert decisive([BranchTimes(1.0, 1.0), BranchTimes(2.0, 4.0)], 2) == pytest.approx((1 / 3, 2 / 3), rel=1e-11)
    assert decisive([BranchTimes(1.0, 1.0), BranchTimes(2.0, 4.0)], 1) == pytest.approx((2 / 3, 1 / 3), rel=1e-11)


def test_points_together_are_points_alone():
    means, variances = np.array([1.0, 2.0, 5.0]), np.array([0.2, 4.0, 90.0])
    together = joined([BranchTimes(means, variances), BranchTimes(1.0, 1.0, 2)], 2)
    for point in range(3):
        alone = joined([BranchTimes(float(means[point]), float(variances[point])), BranchTimes(1.0, 1.0, 2)], 2)
        assert [float(value[point]) for value in together] == pytest.approx(alone, rel=1e-9)


def test_ranks_count_copies():
    assert [ranked([3.0, 1.0, 2.0], [1, 2, 1], rank) for rank in (1, 2, 3, 4)] == [1.0, 1.0, 2.0, 3.0]


def test_the_mean_alone_is_that_of_mean_and_variance():
    """Of times that are regular, exponential, odd and constant, at several points."""
    spread = np.array([0.0, 0.01, 0.4, 1.0, 3.0])
    branches = [BranchTimes(1.0 + spread, spread), BranchTimes(2.0, 4.0 * spread[::-1], 2), BranchTimes(0.5, 0.25)]
    for needed in (1, 2, 4):
        assert (mean_joined(branches, needed) == joined(branches, needed)[0]).all()
