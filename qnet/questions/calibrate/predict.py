"""Predictions for measurements that were not fitted: prediction intervals, and leave-one-out errors."""

from __future__ import annotations

from typing import Any

from qnet.lazy import Array, Indices, np
from qnet.questions.calibrate.errors import PRINTED, STATED, Scatter
from qnet.questions.calibrate.least_squares import STEP, Minimum
from qnet.questions.calibrate.profile import Lane, refit
from qnet.questions.calibrate.search import Target

MOST_LEFT_OUT = 100
"""Most fits of a leave-one-out error; of more rows, several are left out at a time."""
_FEWEST = 10
"""The least number of groups of a cross-validation: the usual one."""
_ROWS = 100_000
"""Rows in all fits of a cross-validation, above which it has fewer groups."""
_UNKNOWN = 1e-3
"""The share of the change of a prediction along undetermined directions above which it has no interval."""
_CONVERGED = 1e-6
"""The change of a sum of squares, as a share of that per row, that ends a refit: far below the errors it measures."""


def predictions(target: Target, best: Minimum, scatter: Scatter, modelled: Any) -> tuple[Any, Any]:
    """The ends (rows, metrics), in base units, of the prediction intervals of held-out rows.

    modelled   the figures of all rows at the minimum.
    Returns    NaN for the fitted rows, and where there is no interval.
    Method     Variance g' C g of the model by the covariance C of the parameters, and that of the measurement itself,
               in the measure of the residuals (G. A. F. Seber and C. J. Wild, Nonlinear Regression, 1989, section 5.1).
    Limits     Linear: they ignore steps and bends that profiles show.
    """
    low, high = np.full(modelled.shape, np.nan), np.full(modelled.shape, np.nan)
    held: Any = np.flatnonzero(target.rows.held_out)
    if not len(held) or not scatter.known:
        return low, high
    slopes = _slopes(target, best, held)
    variance = _of_the_model(best, scatter, slopes.reshape(-1, len(best.point))).reshape(slopes.shape[:2])
    half = scatter.times * np.sqrt(variance + _of_a_measurement(target, scatter, held))
    half = np.where(np.isfinite(half), half, np.nan)
    predicted = modelled[held]
    if target.absolute:
        low[held], high[held] = predicted - half * target.scale, predicted + half * target.scale
    else:
        with np.errstate(all="ignore"):
            low[held], high[held] = predicted * np.exp(-half), predicted * np.exp(half)
    return low, high


def _slopes(target: Target, best: Minimum, indices: Any) -> Any:
    """The derivatives (rows, metrics, n) of plain residuals of some rows; NaN where there is no answer."""
    count = len(best.point)
    moves = np.concatenate([np.eye(count), -np.eye(count)]) * STEP
    points = np.clip(best.point + moves, target.low, target.high)
    values = target.every(points, indices)
    lengths = np.diag(points[:count] - points[count:])
    with np.errstate(all="ignore"):
        return np.moveaxis((values[:count] - values[count:]) / lengths[:, None, None], 0, -1)


def _of_the_model(best: Minimum, scatter: Scatter, slopes: Any) -> Any:
    """The variance of predictions with derivatives `slopes` (E, n); infinite where they are not determined."""
    free = best.side == 0
    jacobian = best.jacobian[:, free]
    norms = np.linalg.norm(jacobian, axis=0)
    counted = norms > 1e-7 * norms.max(initial=0.0)
    if not counted.any():
        return np.where(np.abs(slopes).max(axis=1, initial=0.0) > 0, np.inf, 0.0)
    scale = np.where(counted, norms, 1.0)
    _, singular, right = np.linalg.svd(np.where(counted, jacobian / scale, 0.0), full_matrices=True)
    singular = np.concatenate([singular, np.zeros(len(scale) - len(singular))])
    along = (slopes[:, free] / scale) @ right.T
    kept = singular > 1e-6 * singular[0]
    with np.errstate(all="ignore"):
        known = ((along[:, kept] / singular[kept]) ** 2).sum(axis=1)
        lost = np.abs(along[:, ~kept]).max(axis=1, initial=0.0) > _UNKNOWN * np.abs(along).max(axis=1, initial=0.0)
    return np.where(lost, np.inf, known * scatter.variance)


def _of_a_measurement(target: Target, scatter: Scatter, indices: Indices) -> Array:
    """The variance of single measurements, (rows, metrics), in the measure of the plain residuals."""
    weights = target.rows.weights[indices][:, None]
    digits = target.digits[indices] ** 2
    if scatter.kind == STATED:
        return target.errors[indices] ** 2 / weights * scatter.variance
    if scatter.kind == PRINTED:
        return digits
    return scatter.common**2 / weights + (digits if scatter.digits else 0.0)


def leave_one_out(target: Target, best: Minimum) -> Any:
    """Plain residuals (rows, metrics), weights included, of every fitted row by a fit without it; None for too few.

    Method   One fit for each row, all side by side from the minimum, without other starts. Of more than
             `MOST_LEFT_OUT` rows, several, evenly spaced, are left out at a time (M. Stone, J. Roy. Statist. Soc. B 36
             (1974) 111-147).
    Returns  NaN where the model has no answer at a row that is left out.
    """
    within: Any = np.nonzero(target.used[target.used_rows])[0]
    count = len(target.used_rows)
    groups = min(count, MOST_LEFT_OUT, max(_FEWEST, _ROWS // count))
    lanes: list[Lane] = []
    for group in range(groups):
        counted = (within % groups != group).astype(float)
        if counted.sum() < len(best.point):
            return None
        lanes.append(Lane(best.point, best.residuals, best.jacobian, best.point == best.point, counted))
    refit(target, lanes, target.low, target.high, _CONVERGED * best.cost / max(len(within), 1), proven=True)
    result: Any = np.full(target.rows.values.shape, np.nan)
    roots = np.sqrt(target.rows.weights)[:, None]
    for group, lane in enumerate(lanes):
        rows = target.used_rows[np.arange(len(target.used_rows)) % groups == group]
        plain = target.every(lane.point[None], rows)[0] * roots[rows]
        result[rows] = np.where(target.used[rows], plain, np.nan)
    return result
