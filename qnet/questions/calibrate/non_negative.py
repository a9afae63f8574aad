"""Linear least squares with coefficients that are not negative, and their errors."""

from __future__ import annotations

from typing import Any

from qnet.errors import NotComputed, Problem
from qnet.lazy import np
from qnet.record import Record

RANK = 1e-9
"""Singular values below this share of the largest are rounding."""
_DESCENDS = 1e-10


class Coefficients(Record):
    """What a regression finds."""

    values: Any
    """(n,): at least 0."""
    errors: Any
    """(n,): standard errors; not-a-number of those at 0, of those that are not determined, and without freedom."""
    correlation: Any
    inflation: Any
    """(n,): how many times larger the variance is than if the coefficient were alone; infinite where it is not
    determined."""
    freedom: int
    """Rows less coefficients above 0."""
    deviation: float
    """Of the residuals; not-a-number without freedom."""


def regress(design: Any, target: Any) -> Coefficients:
    """The x >= 0 that makes |A x - b| least, with standard errors of those above 0.

    design   A, (m, n), no column of which is 0 throughout.
    target   b, (m,).
    Method   The active sets of C. L. Lawson and R. J. Hanson, Solving Least Squares Problems (1974), algorithm NNLS,
             chapter 23; errors as of the plain regression on the columns above 0.
    Raises   `NotComputed` where it does not end, which only rounding can cause.
    Limits   Errors of coefficients beside others at 0 are those with the others known to be 0.
    """

    norms = np.linalg.norm(design, axis=0)
    scaled = design / norms
    count = scaled.shape[1]
    values = np.zeros(count)
    positive = np.zeros(count, dtype=bool)
    least = _DESCENDS * float(np.linalg.norm(target))
    for _ in range(30 * count + 30):
        gradient = scaled.T @ (target - scaled @ values)
        waiting = ~positive & (gradient > least)
        if not waiting.any():
            return _told(scaled, norms, target, values, positive)
        positive[int(np.where(waiting, gradient, -np.inf).argmax())] = True
        trial = _solved(scaled, target, positive)
        while positive.any() and trial[positive].min() <= 0:
            falling = positive & (trial <= 0)
            step = float((values[falling] / (values[falling] - trial[falling] + 1e-300)).min())
            values += step * (trial - values)
            positive &= values > 1e-14 * float(np.abs(values).max(initial=0.0))
            values[~positive] = 0.0
            trial = _solved(scaled, target, positive)
        values = trial
    raise NotComputed(Problem("QN535", "the regression does not end", "rows that tell the classes apart"))


def _solved(design: Any, target: Any, positive: Any) -> Any:
    values = np.zeros(design.shape[1])
    if positive.any():
        values[positive] = np.linalg.lstsq(design[:, positive], target, rcond=RANK)[0]
    return values


def _told(design: Any, norms: Any, target: Any, values: Any, positive: Any) -> Coefficients:
    """The coefficients in their own units, with their errors."""

    count = design.shape[1]
    errors, inflation = np.full(count, np.nan), np.ones(count)
    correlation = np.full((count, count), np.nan)
    used = np.flatnonzero(positive)
    freedom = len(target) - len(used)
    residual = target - design @ values
    deviation = float(residual @ residual / freedom) ** 0.5 if freedom > 0 else float("nan")
    # What is not determined is so by all columns, also by those that ended at 0.
    _, singular, right = np.linalg.svd(design, full_matrices=True)
    singular = np.concatenate([singular, np.zeros(count - len(singular))])
    tied: Any = (np.abs(right[singular <= RANK * singular[0]]) > 1e-6).any(axis=0)
    if len(used) and not tied[used].all():
        free = used[~tied[used]]
        inverse = _inverse(design[:, used].T @ design[:, used])
        diagonal = inverse.diagonal()
        places = np.searchsorted(used, free)
        errors[free] = deviation * np.sqrt(diagonal[places]) / norms[free]
        inflation[used] = diagonal
        correlation[np.ix_(used, used)] = inverse / np.sqrt(np.outer(diagonal, diagonal))
    inflation[tied] = np.inf
    return Coefficients(values / norms, errors, correlation, inflation, freedom, deviation)


def _inverse(gram: Any) -> Any:
    """The inverse of a matrix of products of columns, in the directions that are determined."""

    return np.linalg.pinv(gram, rcond=RANK**2, hermitian=True)  # pyright: ignore[reportUnknownVariableType]
