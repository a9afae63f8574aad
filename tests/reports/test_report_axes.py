"""Axes: round ticks in order, inside their range, on both scales."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from many import many

from qnet.reports.figure import axis

RANGES = [(1.0, 1000.0), (0.414, 9.6), (3e-9, 8e12), (200.0, 300.0), (5.0, 5.0), (1e-300, 1e299), (99.0, 101.0)]


@many("values", RANGES)
@pytest.mark.parametrize("whole", [False, True])
def test_ticks_of_a_logarithmic_axis_are_few_ascending_and_inside(values: tuple[float, float], whole: bool) -> None:
    scale = axis(values, 6, whole, log=True)
    assert 2 <= len(scale.ticks) <= 12
    assert all(low < high for low, high in pairwise(scale.ticks))
    assert scale.low <= scale.ticks[0] and scale.ticks[-1] <= scale.high
    assert scale.low <= values[0] and values[1] <= scale.high


def test_decades_are_ticks_and_equally_far_apart() -> None:
    scale = axis([1.0, 1e6], 8, outward=True, log=True)
    assert scale.labels == ("1", "10", "100", "1000", "10000", "100000", "1000000")
    assert [scale.position(tick, 61) for tick in scale.ticks] == [0, 10, 20, 30, 40, 50, 60]


def test_a_decade_and_a_half_has_ticks_at_1_2_5() -> None:
    assert axis([0.4, 9.0], 6, outward=True, log=True).ticks == pytest.approx((0.2, 0.5, 1, 2, 5, 10))


@pytest.mark.parametrize("value", [2.0, 17.3, 400.0])
def test_the_place_on_a_logarithmic_axis_is_that_of_the_logarithm(value: float) -> None:
    scale = axis([1.0, 1000.0], 6, outward=True, log=True)
    assert scale.share(value) == pytest.approx(math.log10(value) / 3)


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-3.0, 7.0), (1e6, 1e6 + 0.5), (0.0, 0.0)])
def test_a_linear_axis_ends_at_ticks_around_its_values(low: float, high: float) -> None:
    scale = axis([low, high], 5, outward=True)
    assert (scale.low, scale.high) == (scale.ticks[0], scale.ticks[-1])
    assert scale.low <= low and high <= scale.high
    assert len(set(scale.labels)) == len(scale.labels)
