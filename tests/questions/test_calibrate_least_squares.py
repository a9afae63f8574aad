"""Least squares against certified values, normal equations and printed tables."""

import numpy as np
import pytest
from many import many

from qnet.questions.calibrate.demands import regress
from qnet.questions.calibrate.errors import half_width
from qnet.questions.calibrate.least_squares import differences, minimise, spread

INFINITE = np.inf

# NIST Statistical Reference Datasets, nonlinear regression, Misra1a: y = b1 (1 - exp(-b2 x)).
MISRA = np.array([
    [10.07, 77.6], [14.73, 114.9], [17.94, 141.1], [23.93, 190.8], [29.61, 239.9], [35.18, 289.0], [40.02, 332.8],
    [44.82, 378.4], [50.76, 434.8], [55.05, 477.3], [61.01, 536.8], [66.40, 593.1], [75.47, 689.1], [81.78, 760.0],
])  # fmt: skip


def misra(points):
    y, x = MISRA.T
    return np.exp(points[:, :1]) * (1 - np.exp(-np.exp(points[:, 1:]) * x)) - y


@pytest.mark.parametrize("start", [(500, 1e-4), (250, 5e-4), (30, 1e-2)])
def test_the_certified_values_of_misra1a_are_found(start):
    found = minimise(misra, np.log(start), [-INFINITE] * 2, [INFINITE] * 2)
    assert found is not None and found.converged
    values = np.exp(found.point)
    errors = values * np.sqrt(np.diag(spread(found).covariance))
    assert values == pytest.approx([2.3894212918e2, 5.5015643181e-4], rel=1e-7)
    assert errors == pytest.approx([2.7070075241, 7.2668688436e-6], rel=1e-6)
    assert found.cost == pytest.approx(1.2455138894e-1, rel=1e-9)


def linear(design, target):
    return lambda points: points @ design.T - target


def case(seed, rows=12, columns=3):
    numbers = np.random.default_rng(seed)
    return numbers.normal(size=(rows, columns)), numbers.normal(size=rows)


@many("seed", range(5))
def test_a_linear_problem_has_the_covariance_of_the_normal_equations(seed):
    design, target = case(seed)
    found = minimise(linear(design, target), np.zeros(3), [-INFINITE] * 3, [INFINITE] * 3)
    known = spread(found)
    inverse = np.linalg.inv(design.T @ design)
    residual = target - design @ inverse @ design.T @ target
    assert found.point == pytest.approx(inverse @ design.T @ target, abs=1e-6)
    assert known.covariance == pytest.approx(inverse * (residual @ residual) / 9, rel=1e-6)
    assert known.freedom == 9
    scaled = design / np.linalg.norm(design, axis=0)
    assert known.condition == pytest.approx(np.linalg.cond(scaled), rel=1e-6)
    assert known.inflation == pytest.approx(np.diag(np.linalg.inv(scaled.T @ scaled)), rel=1e-6)


@many("seed", range(10))
def test_bounds_leave_no_direction_in_which_residuals_fall(seed):
    design, target = case(seed)
    low, high = np.array([-0.1, 0.0, -INFINITE]), np.array([0.1, INFINITE, 0.05])
    found = minimise(linear(design, target), np.zeros(3), low, high)
    slope = design.T @ (design @ found.point - target)
    assert (found.point >= low).all() and (found.point <= high).all()
    assert (np.abs(slope[found.side == 0]) < 1e-5).all()
    assert (slope[found.side < 0] > 0).all() and (slope[found.side > 0] < 0).all()


def test_an_answer_that_is_nowhere_else_keeps_steps_short():
    def pole(points):
        """A sum of squares that is least just before the edge of what is defined."""
        values = np.where(points < 1, 1 / (1 - np.minimum(points, 0.999999)), np.nan)
        return np.concatenate([values - 100.0, 0.01 * values], axis=1)

    found = minimise(pole, [0.0], [-INFINITE], [INFINITE])
    assert found.converged and 1 / (1 - found.point[0]) == pytest.approx(100 / 1.0001, rel=1e-6)


def test_without_an_answer_at_the_start_there_is_none():
    assert minimise(lambda points: points * np.nan, [0.0], [-1.0], [1.0]) is None


def test_a_jump_is_no_minimum():
    def step(points):
        return np.where(points > 0.3, 2.0, 1.0) - 0.5 * points + np.array([0.0, 0.1])

    found = minimise(step, [0.0], [-INFINITE], [1.0])
    assert not found.converged and "jump" in found.reason


def test_derivatives_at_a_bound_are_one_sided_and_of_the_second_order():
    def curve(points):
        return np.concatenate([np.exp(points), points**2], axis=1)

    here = np.array([1.0])
    (found,) = differences(curve, [(here, curve(here[None])[0])], np.array([1.0]), np.array([INFINITE]))
    assert found[:, 0] == pytest.approx([np.e, 2.0], rel=1e-7)


def test_columns_that_are_multiples_are_tied():
    design, target = case(1, columns=2)
    doubled = np.column_stack([design[:, 0], 2 * design[:, 0], design[:, 1]])
    known = spread(minimise(linear(doubled, target), np.zeros(3), [-INFINITE] * 3, [INFINITE] * 3))
    assert np.abs(known.tied[0]) == pytest.approx([0.5**0.5, 0.5**0.5, 0.0], abs=1e-6)
    assert np.isnan(np.diag(known.covariance)).tolist() == [True, True, False]
    assert known.freedom == 10


@pytest.mark.parametrize(
    ("freedom", "half"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (7, 2.365), (10, 2.228), (29, 2.045), (120, 1.980), (10**9, 1.960)],
)
def test_student_s_t_is_that_of_printed_tables(freedom, half):
    assert half_width(0.95, freedom) == pytest.approx(half, abs=5.1e-4)


@many("seed", range(30))
def test_a_non_negative_regression_meets_its_conditions(seed):
    """Karush, Kuhn and Tucker: no slope where a coefficient is above 0, none that would raise one at 0."""
    design, target = case(seed, rows=15, columns=5)
    design = np.abs(design)
    found = regress(design, target).values
    slope = design.T @ (target - design @ found)
    assert (found >= 0).all()
    assert slope[found > 0] == pytest.approx(0.0, abs=1e-9)
    assert (slope[found == 0] <= 1e-9).all()


def test_a_regression_with_all_above_zero_is_the_plain_one():
    numbers = np.random.default_rng(3)
    design = numbers.uniform(1, 2, (20, 2))
    target = design @ [0.3, 0.7] + 0.01 * numbers.normal(size=20)
    found = regress(design, target)
    inverse = np.linalg.inv(design.T @ design)
    plain = inverse @ design.T @ target
    residual = target - design @ plain
    assert found.values == pytest.approx(plain, rel=1e-9)
    assert found.errors == pytest.approx(np.sqrt(np.diag(inverse) * (residual @ residual) / 18), rel=1e-9)


def test_proportional_columns_are_not_determined():
    design = np.array([[1.0, 2.0, 1.0], [2.0, 4.0, 0.0], [3.0, 6.0, 5.0], [4.0, 8.0, 1.0]])
    found = regress(design, design @ [0.1, 0.1, 0.3])
    assert np.isinf(found.inflation).tolist() == [True, True, False]
    assert found.values[2] == pytest.approx(0.3)
