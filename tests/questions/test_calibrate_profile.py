"""Profiles, rows left out and predictions against closed forms."""

import numpy as np
import pytest
from many import many

from qnet.questions.calibrate.least_squares import minimise, spread
from qnet.questions.calibrate.profile import Lane, bent, profiles, refit

FAR = 50.0
T = 2.5


def fitted(residuals, start, low=-FAR, high=FAR):
    count = len(start)
    found = minimise(residuals, np.array(start, dtype=float), np.full(count, low), np.full(count, high))
    assert found is not None and found.converged
    return found


def ends(residuals, best, low=-FAR, high=FAR, threshold=None):
    """Both ends of every coordinate by profile."""
    count = len(best.point)
    variance = best.cost / (len(best.residuals) - count) if threshold is None else threshold / T**2
    sides = [(place, sign) for place in range(count) for sign in (-1, 1)]
    found = profiles(
        residuals, best, sides, np.full(count, np.nan), np.full(count, low), np.full(count, high), T**2 * variance, 9999
    )
    assert found.better is None
    return [(one, other) for one, other in zip(found.ends[::2], found.ends[1::2], strict=True)]


def line(seed, rows=12, columns=3):
    numbers = np.random.default_rng(seed)
    return numbers.normal(size=(rows, columns)), numbers.normal(size=rows)


@many("seed", range(5))
def test_the_profile_of_a_linear_model_is_its_linear_interval(seed):
    """b_j plus and minus t s sqrt((X'X)^-1_jj), by the normal equations."""
    design, target = line(seed)
    inverse = np.linalg.inv(design.T @ design)
    plain = inverse @ design.T @ target
    variance = ((target - design @ plain) ** 2).sum() / 9
    half = T * np.sqrt(variance * np.diag(inverse))

    def residuals(points):
        return points @ design.T - target

    best = fitted(residuals, [0.0] * 3)
    for (low, high), middle, width in zip(ends(residuals, best), plain, half, strict=True):
        assert low.closed and high.closed
        assert (low.coordinate, high.coordinate) == pytest.approx((middle - width, middle + width), abs=0.01 * width)
    assert not bent(residuals, best, spread(best).covariance, T, np.full(3, -FAR), np.full(3, FAR)).any()


def test_a_profile_does_not_depend_on_the_coordinate_but_a_linear_interval_does():
    """The mean of y as exp(x): the profile ends are the logarithms of mean -+ t s / sqrt(n), one being open below 0."""
    for values in ([1.0, 2.0, 6.0], [0.2, 0.5, 2.3]):
        y = np.array(values)
        half = T * y.std(ddof=1) / len(y) ** 0.5

        def residuals(points, y=y):
            return np.exp(points) - y

        best = fitted(residuals, [0.0])
        ((low, high),) = ends(residuals, best)
        assert high.coordinate == pytest.approx(np.log(y.mean() + half), abs=0.01)
        assert not low.closed if half > y.mean() else low.coordinate == pytest.approx(np.log(y.mean() - half), abs=0.01)
        assert bent(residuals, best, spread(best).covariance, T, [-FAR], [FAR]).all()


def test_a_step_has_its_ends_where_it_steps():
    """floor(1000 x / 7): all x from 0.35 to 0.357 fit alike, and no derivative tells it."""

    def residuals(points):
        return np.floor(1000 * points / 7) - 50 + np.array([0.0, 0.01, -0.01])

    best = fitted(residuals, [0.353], 0.0, 1.0)
    ((low, high),) = ends(residuals, best, 0.0, 1.0)
    assert (low.coordinate, high.coordinate) == pytest.approx((0.350, 0.357), abs=1e-5)
    assert low.closed and high.closed


def test_a_ridge_is_open_and_a_range_ends_where_it_ends():
    """Only x + y is known, to 1 +- t: each alone may be anything in its range."""

    def residuals(points):
        return np.concatenate([points.sum(axis=1, keepdims=True) - 1, 1e-9 * points], axis=1)

    best = fitted(residuals, [0.2, 0.2])
    for low, high in ends(residuals, best, threshold=T**2):
        assert (low.closed, high.closed) == (False, False)
    # In a narrow range x is held by y, which is at most 3: x + 3 - 1 >= -0.5.
    for low, high in ends(residuals, best, -3.0, 3.0, threshold=0.25):
        assert low.coordinate == pytest.approx(1 - 0.5 - 3, abs=0.01) and low.closed
        assert high.coordinate == 3.0 and not high.closed


def test_what_has_no_answer_ends_a_profile():
    def residuals(points):
        return np.where(points < 0.3, points * np.array([1.0, 1.0]) - 0.1, np.nan)

    best = fitted(residuals, [0.0])
    ((low, high),) = ends(residuals, best, threshold=T**2)
    assert high.coordinate == pytest.approx(0.3, abs=1e-3) and high.closed
    assert low.coordinate == pytest.approx(0.1 - T / 2**0.5, abs=0.02)


def test_a_profile_that_meets_something_better_says_so():
    """(x^2 - 1)^2 + (x + 3)^2 / 25 has a valley near 1, and a deeper one near -1."""

    def residuals(points):
        return np.concatenate([points**2 - 1, 0.2 * (points + 3)], axis=1)

    best = fitted(residuals, [0.8], -2.0, 2.0)
    assert best.point[0] > 0
    found = profiles(residuals, best, [(0, -1)], np.array([1.9]), np.array([-2.0]), np.array([2.0]), 0.5, 999)
    assert found.better is not None and found.better[0] < -0.5


@many("seed", range(5))
def test_rows_left_out_side_by_side_are_the_prediction_residuals_of_regression(seed):
    """e_i / (1 - h_i), with h the diagonal of X (X'X)^-1 X' (D. M. Allen, Technometrics 16 (1974) 125-127)."""
    design, target = line(seed)
    hat = design @ np.linalg.inv(design.T @ design) @ design.T
    expected = (target - hat @ target) / (1 - np.diag(hat))

    def residuals(points):
        return target - points @ design.T

    best = fitted(residuals, [0.0] * 3)
    lanes = [
        Lane(best.point, best.residuals, best.jacobian, np.full(3, True), (np.arange(12) != row).astype(float))
        for row in range(12)
    ]
    refit(residuals, lanes, np.full(3, -FAR), np.full(3, FAR), 1e-12)
    assert [lane.values[row] for row, lane in enumerate(lanes)] == pytest.approx(expected, rel=1e-5)


@many("seed", range(5))
def test_fits_side_by_side_end_where_each_would_alone(seed):
    """y = a exp(-b x), with one row left out of each fit."""
    numbers = np.random.default_rng(seed)
    x = np.linspace(0.1, 3, 9)
    y = 2 * np.exp(-0.7 * x) + 0.05 * numbers.normal(size=9)

    def residuals(points):
        return np.exp(points[:, :1]) * np.exp(-np.exp(points[:, 1:]) * x) - y

    best = fitted(residuals, [0.0, 0.0])
    kept = [(np.arange(9) != row).astype(float) for row in range(9)]
    lanes = [Lane(best.point, best.residuals, best.jacobian, np.full(2, True), each) for each in kept]
    refit(residuals, lanes, np.full(2, -FAR), np.full(2, FAR), 1e-12)
    for lane, each in zip(lanes, kept, strict=True):
        alone = fitted(lambda points, each=each: residuals(points) * each, [0.0, 0.0])
        assert lane.cost == pytest.approx(alone.cost, rel=1e-4)
        assert lane.point == pytest.approx(alone.point, abs=2e-3)
