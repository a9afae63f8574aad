"""The exact minimum of a calibration whose search used approximations.

A search tries many values, at which the Markov chain of all states would take a thousand times as long as an
approximation. Near a minimum the two differ by little, and by much the same everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qnet import budget
from qnet.budget import OverBudget
from qnet.lazy import np
from qnet.questions.calibrate.least_squares import CLOSE, CONVERGED, STEP, Minimum, minimise, spread
from qnet.questions.calibrate.search import Correction, Target, no_minimum
from qnet.questions.points.answers import Answers, joined

_ROUNDS = 8
"""Most searches; a minimum that takes more counts as not proven. A choice."""
TOO_LARGE = "it would take more operations than are left"
_SHARE = 0.4
"""The share of the remaining operations for the exact minimum."""
_EXPENSIVE = 0.3
"""The share of the remaining operations for the first answers by the method asked for; if they take more, that of the
approximation is kept."""


class Polished:
    """A minimum, by the method asked for or by that of the search, and the answers of its rows."""

    def __init__(
        self, target: Target, best: Minimum, indices: Any, left: str = "", sought: Answers | None = None
    ) -> None:
        self.target = target
        self.best = best
        self.indices = indices
        """The rows that the search solves by another method than the one asked for."""
        self.left = left
        """The reason why the minimum is that of the search, where other methods are more exact."""
        self.sought = sought
        """The model at every row at the minimum by the method of the search, if that solves all rows exactly."""

    def answers(self, point: Any) -> Answers:
        """The model at every row at some coordinates, by the methods by which it is fitted."""
        if self.sought and (point == self.best.point).all():
            return self.sought
        target = self.target
        every = np.arange(len(target.rows.table.rows))
        rest = np.setdiff1d(every, self.indices)
        sought = target.solved(point, rest, target.seeking.replace(enclosed=True))
        if not len(self.indices):
            return sought
        exact = target.solved(point, self.indices, target.wanted)
        return joined(target.model, len(every), [(rest, sought), (self.indices, exact)])


def polished(target: Target, best: Minimum, rivals: Sequence[Any] = ()) -> Polished:
    """A minimum of the search, searched again by the method asked for where that is another one and affordable.

    rivals  coordinates of other minima that are nearly as good: one of them may be better by that method.

    Method  Residuals of the search, corrected by the difference of the two methods at the present point and by its
            derivatives there, are minimised again until their minimum is the present point: N. M. Alexandrov and R. M.
            Lewis, An overview of first-order model management, Optimization and Engineering 2 (2001) 413-430. At the
            last point, values and derivatives are those of the method asked for.
    """
    nothing = np.zeros(0, dtype=int)
    every = np.arange(len(target.rows.table.rows))
    if target.seeking.replace(enclosed=True) == target.wanted:
        return Polished(target, best, nothing)
    sought = target.solved(best.point, every, target.seeking.replace(enclosed=True))
    if not sought.answered[target.used_rows].all():
        raise no_minimum(target, best.replace(reason="some rows have no answer there"))
    if sought.exact and target.wanted.method == "auto":
        return Polished(target, best, nothing, sought=sought)
    try:
        with budget.share(_EXPENSIVE):
            stated = target.solved(best.point, every, target.wanted)
    except OverBudget:
        return Polished(target, best, nothing, TOO_LARGE)
    indices = np.flatnonzero([one != other for one, other in zip(stated.method, sought.method, strict=True)])
    if not len(indices):
        return Polished(target, best, nothing)
    try:
        with budget.share(_SHARE):
            result = _again(target, _nearest(target, best, rivals, indices), indices)
    except OverBudget:
        target.correct(None)
        return Polished(target, best, nothing, TOO_LARGE)
    if result is None:
        target.correct(None)
        return Polished(target, best, nothing, f"there is no minimum by {' or '.join(stated.methods)} near this one")
    return Polished(target, result, indices)


def _again(target: Target, best: Minimum, indices: Any) -> Minimum | None:
    """The minimum by the method asked for; None where it is not proven."""
    for _ in range(_ROUNDS):
        correction = _difference(target, best.point, indices)
        if correction is None:
            return None
        target.correct(correction)
        result = minimise(target, best.point, target.low, target.high, target.least)
        if result is None or not result.converged:
            return None
        if np.abs(result.point - best.point).max(initial=0.0) <= _near(target, result):
            return result
        best = result
    return None


def _nearest(target: Target, best: Minimum, rivals: Sequence[Any], indices: Any) -> Minimum:
    """The minimum, or a rival that is better where some rows are solved by the method asked for."""
    if not rivals:
        return best
    points = np.array([best.point, *rivals])
    plain = target.plainly(points, target.used_rows, target.seeking)
    inside = np.isin(target.used_rows, indices)
    plain[:, inside] = target.plainly(points, target.used_rows[inside], target.wanted)
    scaled = (plain * target.factors[target.used_rows])[:, target.used[target.used_rows]]
    costs = np.nan_to_num((scaled**2).sum(axis=1), nan=np.inf)
    return best.replace(point=points[int(costs.argmin())])


def _near(target: Target, result: Minimum) -> float:
    """The distance of a minimum from the point of the derivatives that is near enough: a small share of its errors."""
    errors = np.sqrt(np.diag(spread(result, target.least).covariance))
    known = errors[np.isfinite(errors) & (errors > 0)]
    return max(CLOSE * float(known.min(initial=1.0)), CONVERGED)


def _difference(target: Target, point: Any, indices: Any) -> Correction | None:
    """The difference of the residuals of some rows between the methods, with derivatives; None without an answer.

    All points are one batch, so that the states of a chain are enumerated once.
    """
    count = len(point)
    moves = np.concatenate([np.zeros((1, count)), np.eye(count), -np.eye(count)]) * STEP
    points = np.clip(point + moves, target.low, target.high)
    differences = target.plainly(points, indices, target.wanted) - target.plainly(points, indices, target.seeking)
    used = target.used[indices]
    if not np.isfinite(differences[:, used]).all():
        return None
    differences = np.where(np.isfinite(differences), differences, 0.0)
    lengths = np.diag(points[1 : count + 1] - points[count + 1 :])
    slopes = np.moveaxis((differences[1 : count + 1] - differences[count + 1 :]) / lengths[:, None, None], 0, -1)
    shape = target.rows.values.shape
    shift, slope = np.zeros(shape), np.zeros((*shape, count))
    shift[indices], slope[indices] = differences[0], slopes
    return Correction(point, shift, slope)
