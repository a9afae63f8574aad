"""Profiles of a sum of squares: the range of one coordinate while the others are refitted; arrays only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qnet.lazy import np
from qnet.questions.calibrate.least_squares import Minimum, Residuals, differences
from qnet.record import Record

LINEAR = 0.25
"""The relative difference from the rise of the tangent plane up to which a linear interval is valid."""
_SHORTEST = 1e-5
"""The least step at which a tangent plane is compared."""
_FIRST = 1e-3
"""The least first step of a profile."""
_FLAT = 2e-2
"""The first step of a profile where no standard error is known."""
_NARROW = 1e-3
"""The width of a bracket, as a share of the distance from the minimum, that is narrow enough."""
_FINEST = 1e-7
"""The width of a bracket that counts as 0; any number far below printed digits works."""
_NEAR = 2e-2
"""The relative distance from the root of the threshold from which a straight line is extrapolated."""
_ENOUGH = 3e-3
"""The fall of the sum of squares, as a share of the threshold, that is not worth another round."""
_LONGEST = 3.0
"""The largest factor from one value of a profile to the next."""
_TRIES = 60
"""Most values that are tried for one end."""
_ROUNDS = 10
"""Most rounds of a fit; a choice: a fit that ends before its minimum is still better than its start."""
_FAILURES = 5
"""Steps without descent after which a fit ends; a choice."""


class Lane:
    """One of several fits that are made side by side, with some coordinates fixed and some residuals ignored."""

    def __init__(self, point: Any, values: Any, jacobian: Any, free: Any, counted: Any = 1.0) -> None:
        self.point = point
        self.values = values
        self.jacobian = jacobian
        self.free = free
        self.counted = counted
        """(m,): 1 for residuals that count, 0 for ignored ones."""
        self.damping = 0.0
        self.failures = 0
        self.done = False
        self.proven = False
        """Whether derivatives were computed again at the end of the fit."""

    @property
    def cost(self) -> float:
        """The sum of squares of the residuals that count."""
        return float(((self.values * self.counted) ** 2).sum())

    def update(self, step: Any, values: Any) -> None:
        """The derivatives after a step, by Broyden's rank-one update."""
        length = float(step @ step)
        if length > 0:
            self.jacobian = self.jacobian + np.outer(values - self.values - self.jacobian @ step, step) / length


def _steps(lanes: Sequence[Lane], low: Any, high: Any, longest: float = 2.0) -> Any:
    """(lanes, n): the damped Gauss-Newton step of the free coordinates of each lane; those pressed against a bound do
    not move."""
    points = np.array([lane.point for lane in lanes])
    values = np.array([lane.values * lane.counted for lane in lanes])
    jacobians = np.array([(lane.jacobian.T * lane.counted).T for lane in lanes])
    dampings = np.array([[lane.damping] for lane in lanes])
    free = np.array([lane.free for lane in lanes])
    steps = _damped(np.where(free[:, None], jacobians, 0.0), values, dampings, longest)
    pressed = free & (((points <= low) & (steps < 0)) | ((points >= high) & (steps > 0)))
    again = np.flatnonzero(pressed.any(axis=1))
    if len(again):
        inside = (free & ~pressed)[again, None]
        steps[again] = _damped(np.where(inside, jacobians[again], 0.0), values[again], dampings[again], longest)
    return np.clip(points + steps, low, high) - points


def _damped(jacobians: Any, values: Any, dampings: Any, longest: float) -> Any:
    """(lanes, n): steps without bounds; 0 for a coordinate without effect."""
    norms = np.linalg.norm(jacobians, axis=1)
    norms = np.where(norms > 1e-7 * norms.max(axis=1, initial=1e-300, keepdims=True), norms, np.inf)
    left, singular, right = np.linalg.svd(jacobians / norms[:, None], full_matrices=False)
    kept = singular > 1e-6 * singular.max(axis=1, initial=0.0, keepdims=True)
    shares = np.where(kept, singular / np.where(kept, singular**2 + dampings, 1.0), 0.0)
    along = np.einsum("lmk,lm->lk", left, values)
    return np.clip(-np.einsum("lkn,lk->ln", right, shares * along) / norms, -longest, longest)


def refit(residuals: Residuals, lanes: Sequence[Lane], low: Any, high: Any, enough: float, proven: bool = False) -> int:
    """Fit the free coordinates of some lanes side by side, each from its point; returns the number of points used.

    enough   the fall of a sum of squares that is not worth another round.
    proven   whether to compute derivatives again at the end of a fit, to verify it.
    Method   Gauss-Newton with the derivatives of @broyden1965, which cost no points; where a step does not descend,
             with damping and new differences. The sum of squares of a fit never rises.
    """
    used = 0
    for _ in range(_ROUNDS):
        ended = [lane for lane in lanes if proven and lane.done and not lane.proven]
        used += _renew(residuals, ended, low, high)
        for lane in ended:
            lane.proven, lane.failures, lane.damping = True, 0, 0.0
        active = [lane for lane in lanes if not lane.done]
        steps: list[Any] = []
        moving: list[Lane] = []
        for lane, step in zip(active, _steps(active, low, high) if active else (), strict=True):
            fall = lane.cost - float((((lane.values + lane.jacobian @ step) * lane.counted) ** 2).sum())
            if fall <= enough or not step.any():
                lane.done = True
                continue
            moving.append(lane)
            steps.append(step)
        if not moving:
            if proven and not all(lane.proven for lane in lanes):
                continue
            break
        values = residuals(np.array([lane.point + step for lane, step in zip(moving, steps, strict=True)]))
        used += len(moving)
        failed: list[Lane] = []
        for lane, step, result in zip(moving, steps, values, strict=True):
            answered = bool(np.isfinite(result).all())
            before = lane.cost
            if answered:
                lane.update(step, result)
            cost = float(((result * lane.counted) ** 2).sum()) if answered else float("inf")
            if cost < before:
                lane.point, lane.values = lane.point + step, result
                lane.damping *= 0.1
                lane.done = before - cost <= enough
                continue
            lane.failures += 1
            lane.damping = max(10 * lane.damping, 1e-2)
            lane.done = lane.failures >= _FAILURES
            if lane.failures == 2:
                failed.append(lane)
        used += _renew(residuals, failed, low, high)
    return used


def _renew(residuals: Residuals, lanes: Sequence[Lane], low: Any, high: Any) -> int:
    """Compute the derivatives of some lanes again, and continue those that have them; returns the points used."""
    ends = [(lane.point, lane.values) for lane in lanes]
    for lane, fresh in zip(lanes, differences(residuals, ends, low, high), strict=True):
        if fresh is not None:
            lane.jacobian, lane.done = fresh, False
    return sum(2 * len(lane.point) for lane in lanes)


class End(Record):
    """One end of a profile."""

    coordinate: float
    closed: bool
    """Whether the sum of squares passes the threshold there; otherwise the range ends, or the search was cut short."""


class Profiles(Record):
    """The ends of some profiles, and the best point on the way if it is better than the minimum."""

    ends: tuple[End, ...]
    better: Any
    """Coordinates, or None."""


class _Search:
    """The search for one end of one profile."""

    def __init__(self, best: Minimum, index: int, sign: int, first: float, room: float) -> None:
        self.index, self.sign, self.room = index, sign, room
        self.start = float(best.point[index])
        self.inside = 0.0
        self.rise_inside = 0.0
        self.outside = float("inf")
        self.rise_outside = float("inf")
        self.first = min(first, room)
        self.tries = 0
        self.lane = Lane(best.point, best.residuals, best.jacobian, best.point == best.point)
        self.lane.free[index] = False

    def next(self, threshold: float) -> float | None:
        """The distance to try next; None where the end is known."""
        if self.inside >= self.room or self.tries >= _TRIES or self.near(threshold):
            return None
        root = threshold**0.5
        if self.outside == float("inf"):
            # As far as a straight line leads, and a little more, so that the end is bracketed narrowly.
            reach = root / max(self.rise_inside**0.5, 1e-9 * root)
            return min(max(self.inside * min(max(1.03 * reach, 1.1), _LONGEST), self.first), self.room)
        width = self.outside - self.inside
        if width <= _NARROW * self.outside * 0.1 + _FINEST:
            return None
        share = 0.5
        if self.rise_outside < float("inf") and self.tries % 3:
            low, high = self.rise_inside**0.5, self.rise_outside**0.5
            share = min(max((root - low) / max(high - low, 1e-300), 0.05), 0.95)
        return self.inside + share * width

    def took(self, distance: float, rise: float, lane: Lane | None, threshold: float) -> None:
        """Note the rise of the sum of squares at a distance."""
        self.tries += 1
        if rise <= threshold * (1 + _NEAR) ** 2 and lane is not None:
            self.inside, self.rise_inside, self.lane = distance, max(rise, 0.0), lane
        else:
            self.outside, self.rise_outside = distance, rise

    def near(self, threshold: float) -> bool:
        """Whether the last value inside is near enough to the end for a straight line."""
        root = threshold**0.5
        return abs(self.rise_inside**0.5 - root) <= _NEAR * root

    def end(self, threshold: float) -> End:
        """The end of the profile."""
        near = self.near(threshold)
        distance = self.inside * (threshold / self.rise_inside) ** 0.5 if near else self.inside
        closed = near or self.outside < float("inf")
        return End(self.start + self.sign * min(distance, self.outside, self.room), closed)


def profiles(
    residuals: Residuals, best: Minimum, sides: Sequence[tuple[int, int]], deviations: Any, low: Any, high: Any,
    threshold: float, most: int,
) -> Profiles:  # fmt: skip
    """The coordinates at which the sum of squares, with all others refitted, has risen by a threshold.

    sides        the ends to compute, as pairs of a coordinate and a sign.
    deviations   (n,) their distance by the tangent plane; NaN where it cannot be computed.
    threshold    rise of the sum of squares at the ends of an interval: the square of Student's t times the variance.
    most         the most points for all ends together.
    Returns      `Profiles`; an end is the last coordinate inside, to about a thousandth of its distance.

    Method       Outward in growing steps until the threshold is passed; then between the last value inside and the
                 first outside, by the root of the rise, which is linear in linear models, and by bisection, which finds
                 steps. All ends advance side by side. A point without an answer counts as an infinite rise.
    Source       @bates1988, section 6.1.
    Limits       A sum of squares that falls again beyond its first rise is not noticed.
    """
    searches: list[_Search] = []
    for index, sign in sides:
        here = float(best.point[index])
        room = float(high[index]) - here if sign > 0 else here - float(low[index])
        step = float(deviations[index])
        first = max(step, _FIRST) if np.isfinite(step) and step > 0 else _FLAT
        searches.append(_Search(best, index, sign, first, max(room, 0.0)))
    used, least, better = 0, best.cost - 1e-2 * threshold, None
    while used < most:
        asked = [(each, distance) for each in searches if (distance := each.next(threshold)) is not None]
        if not asked:
            break
        lanes, spent = _placed(residuals, asked, low, high)
        used += spent + refit(residuals, [lane for lane in lanes if lane is not None], low, high, _ENOUGH * threshold)
        for (each, distance), lane in zip(asked, lanes, strict=True):
            rise = float("inf") if lane is None else lane.cost - best.cost
            if lane is not None and lane.cost < least:
                least, better = lane.cost, lane.point
            each.took(distance, rise, lane, threshold)
    return Profiles(tuple(each.end(threshold) for each in searches), better)


def _placed(
    residuals: Residuals, asked: Sequence[tuple[_Search, float]], low: Any, high: Any
) -> tuple[list[Lane | None], int]:
    """Lanes at the values to be tried, with the others by the tangent plane; None where there is no answer."""
    ahead: list[Lane] = []
    for each, distance in asked:
        moved = each.lane.point.copy()
        moved[each.index] = each.start + each.sign * distance
        values = each.lane.values + each.lane.jacobian @ (moved - each.lane.point)
        ahead.append(Lane(moved, values, each.lane.jacobian, each.lane.free))
    alone = np.clip(np.array([lane.point for lane in ahead]), low, high)
    steps = _steps(ahead, low, high, float("inf"))
    points = np.clip([lane.point + step for lane, step in zip(ahead, steps, strict=True)], low, high)
    values = residuals(points)
    used = len(points)
    failed = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(failed):
        # Without an answer there, the others keep their values.
        points[failed] = alone[failed]
        values[failed] = residuals(points[failed])
        used += len(failed)
    result: list[Lane | None] = []
    for (each, _), point, here in zip(asked, points, values, strict=True):
        if not np.isfinite(here).all():
            result.append(None)
            continue
        lane = Lane(each.lane.point, each.lane.values, each.lane.jacobian, each.lane.free)
        lane.update(point - lane.point, here)
        lane.point, lane.values = point, here
        result.append(lane)
    return result, used


def bent(residuals: Residuals, best: Minimum, covariance: Any, times: float, low: Any, high: Any) -> Any:
    """Whether each coordinate (n,) has no linear interval, as residuals at its ends differ from the tangent plane.

    covariance   of the coordinates; those without a variance are left out.
    times        the half width of the interval in standard errors.
    """
    deviations = np.sqrt(np.diag(covariance))
    known = np.flatnonzero(np.isfinite(deviations))
    result = np.zeros(len(best.point), dtype=bool)
    if not len(known):
        return result
    steps: list[Any] = []
    for index in known:
        along = np.nan_to_num(covariance[:, index]) / max(float(covariance[index, index]), 1e-300)
        along[index] = 1.0
        length = max(times * float(deviations[index]), _SHORTEST)
        steps += [length * along, -length * along]
    moves = np.array(steps)
    points = best.point + moves
    inside = ((points >= low) & (points <= high)).all(axis=1)
    values = residuals(np.clip(points, low, high))
    plane = best.residuals + moves @ best.jacobian.T
    rises = (values**2).sum(axis=1) - best.cost
    expected = (plane**2).sum(axis=1) - best.cost
    agree = inside & (np.abs(rises - expected) <= LINEAR * np.abs(expected) + 1e-12 * best.cost)
    for number, index in enumerate(known):
        result[index] = not agree[2 * number : 2 * number + 2].all()
    return result
