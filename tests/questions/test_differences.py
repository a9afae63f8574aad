"""Derivatives from differences: of functions whose derivative is known, at smooth places and at others."""

import math

import pytest

from qnet.questions.sensitivity.differences import slopes, steps


def measured(function, at, size=1.0, attempt=0, sides=(1, -1)):
    lengths = steps(size, attempt)
    above = [function(at + length) for length in lengths] if 1 in sides else None
    below = [function(at - length) for length in lengths] if -1 in sides else None
    return slopes(function(at), above, below, lengths)


@pytest.mark.parametrize(
    ("function", "at", "derivative"),
    [(math.exp, 1.0, math.e), (math.sin, 0.3, math.cos(0.3)), (lambda x: 1 / (1 - x), 0.5, 4.0),
     (lambda x: 3 * x - 1, 2.0, 3.0), (lambda x: 7.0, 2.0, 0.0)],
)  # fmt: skip
def test_smooth_functions(function, at, derivative):
    found = measured(function, at).both
    assert found.derivative == pytest.approx(derivative, rel=1e-9, abs=1e-12)
    assert abs(found.derivative - derivative) <= max(found.error, 1e-12)


@pytest.mark.parametrize("side", [1, -1])
def test_one_side_alone(side):
    found = measured(math.exp, 1.0, sides=(side,))
    slope = found.above if side == 1 else found.below
    assert found.both is None
    assert slope.derivative == pytest.approx(math.e, rel=1e-7)


def test_a_kink_has_two_sides():
    found = measured(lambda x: max(2 * x, x * x), 2.0)
    assert found.both is None
    assert found.below.derivative == pytest.approx(2, rel=1e-9)
    assert found.above.derivative == pytest.approx(4, rel=1e-9)


def test_a_curve_that_turns_is_no_kink():
    assert measured(lambda x: (x - 1) ** 2, 1.0).both.derivative == pytest.approx(0, abs=1e-12)


def test_noise_is_no_kink():
    def noisy(x):
        return 1.0 + 1e-13 * math.sin(1e9 * x)

    assert measured(noisy, 1.0).both is not None


def test_a_jump_tells_itself_by_its_error():
    found = measured(lambda x: math.floor(x), 2.0)
    assert found.above.derivative == 0
    assert found.below.error > 1


def test_shorter_steps_see_less_of_a_near_pole():
    errors = [measured(lambda x: 1 / (1.1 - x), 1.0, attempt=attempt).both.error for attempt in (0, 1)]
    assert errors[1] < errors[0] / 1000
