"""Derivatives as differences, extrapolated to step zero, with an error estimated from their disagreement."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from qnet.record import Record

LEVELS = 4
"""The number of steps, each half of the one before."""
_KINK = 0.5
"""The share of the difference between the slopes of both sides that remains at the last step of a kink; a smooth
function keeps an eighth."""
_ROUNDING = 2.0**-50
"""The relative rounding error of values."""
_NOISE = 1e-8
"""The relative difference between the two sides below which there is no kink."""


class Slope(Record):
    """A derivative and its error."""

    derivative: float
    error: float


class Derivatives(Record):
    """The derivative at a point: a central one, or one for each side where they differ or only one is defined."""

    both: Slope | None
    below: Slope | None = None
    above: Slope | None = None


def steps(size: float, attempt: int) -> list[float]:
    """The steps of an attempt, the longest first: from 1/64 of `size`, and 64 times less at each next attempt."""
    first = abs(size) * 2.0 ** (-6 - 6 * attempt)
    return [first * 2.0**-level for level in range(LEVELS)]


def slopes(
    here: float, above: Sequence[float] | None, below: Sequence[float] | None, lengths: Sequence[float]
) -> Derivatives:
    """The derivative of a function from its value and those at some steps above and below.

    here     the value at the point.
    above    the values at point + step, as many as `lengths`; None where the function is not defined there.
    below    the values at point - step.
    lengths  the steps, each half of the one before.
    Method   Central differences, extrapolated in powers of step^2; one-sided ones in powers of the step (L. F.
             Richardson, The deferred approach to the limit, Phil. Trans. R. Soc. A 226 (1927) 299-349). The error is
             the smallest disagreement of neighbours in the table of extrapolations (C. J. F. Ridders, Accurate
             computation of F'(x) and F'(x)F''(x), Adv. Eng. Software 4 (1982) 75-76), and at least that of rounding at
             the shortest step. Estimates that move more at shorter steps are not extrapolated.
    Limits   A jump or a kink nearer than the smallest step but not at the point is missed; a jump at the point makes
             the values disagree, which the error shows.
    """
    rounding = _ROUNDING * max(abs(value) for value in (here, *(above or ()), *(below or ()))) / lengths[-1]
    right = _one_sided([value - here for value in above], lengths, rounding) if above else None
    left = _one_sided([here - value for value in below], lengths, rounding) if below else None
    if not above or not below:
        return Derivatives(None, left, right)
    bends = [abs(up + down - 2 * here) for up, down in zip(above, below, strict=True)]
    size = max(abs(here), *(abs(value) for value in (*above, *below)))
    first, last = bends[0] / lengths[0], bends[-1] / lengths[-1]
    if bends[-1] > _NOISE * size and last > _KINK * first:
        return Derivatives(None, left, right)
    pairs = zip(above, below, lengths, strict=True)
    return Derivatives(_extrapolated([(up - down) / (2 * length) for up, down, length in pairs], 2, rounding))


def _one_sided(rises: Sequence[float], lengths: Sequence[float], rounding: float) -> Slope:
    return _extrapolated([rise / length for rise, length in zip(rises, lengths, strict=True)], 1, rounding)


def _extrapolated(estimates: Sequence[float], order: int, rounding: float) -> Slope:
    """The best of all extrapolations of estimates whose error is a series in step^order, and at least `rounding`."""
    moves = [abs(fine - coarse) for coarse, fine in pairwise(estimates)]
    if any(fine > coarse + rounding for coarse, fine in pairwise(moves)):
        # No series does that: a step has crossed a kink, and neighbours that agree do so by chance.
        return Slope(estimates[-1], max(*moves, rounding))
    best = Slope(estimates[-1], float("inf"))
    row = list(estimates)
    for depth in range(1, len(estimates)):
        factor = 2.0 ** (order * depth)
        new = [(factor * fine - coarse) / (factor - 1) for coarse, fine in pairwise(row)]
        for value, (coarse, fine) in zip(new, pairwise(row), strict=True):
            error = max(abs(value - coarse), abs(value - fine), rounding)
            if error < best.error:
                best = Slope(value, error)
        row = new
    return best
