"""Two systems side by side with the uncertainty of calibrated parameters, which they may share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from qnet.lazy import np
from qnet.model.calibration import correlation_matrix
from qnet.questions.uncertainty.carried import NOTHING, Carried, Doubts
from qnet.record import Record


class Sides(Record):
    """Intervals of two values of the same figures, and of their difference."""

    base: Carried
    value: Carried
    low: Any
    """Of value - base, as all others (figures, points)."""
    high: Any


class SideSlopes(Record):
    """Figures of one of two sides, with how they move with what is uncertain there."""

    here: Any
    """(figures, points)"""
    doubts: Doubts | None
    """None of a model without a calibration."""
    slopes: Any
    """(parameters, figures, points), as `Doubts.slopes`."""
    lame: bool

    def carried(self) -> Carried:
        """The intervals of the side alone."""
        if self.doubts is None or not self.doubts.names:
            nothing = np.full(self.here.shape, np.nan)
            return Carried(nothing, nothing, False)
        return self.doubts.intervals(self.here, self.slopes, self.lame)


def slopes_of(doubts: Doubts | None, here: Any, moved: Callable[[list[tuple[int, float]]], Any]) -> SideSlopes:
    """How figures move with what is uncertain, which may be nothing; arguments as `Doubts.carried`."""
    if doubts is None or not doubts.names:
        return SideSlopes(here, doubts, np.zeros((0, *here.shape)), False)
    return SideSlopes(here, doubts, *doubts.slopes(here, moved))


def differences(base: SideSlopes, value: SideSlopes) -> Sides:
    """The intervals of the figures of two sides, and of the differences between them.

    Sides with the same calibration have the same parameters: what moves both equally leaves their difference unchanged.
    Those of different calibrations are independent.

    base, value   the same figures at the same points, arrays of (figures, points), with their slopes.
    """
    one, other = base.doubts, value.doubts
    difference = value.here - base.here
    nothing = np.full(difference.shape, np.nan)
    low, high = nothing, nothing
    doubted = [item for item in (one, other) if item and item.names]
    if doubted:
        variance = np.zeros(difference.shape)
        times = max(item.times for item in doubted)
        with np.errstate(all="ignore"):
            ours, theirs = (side.slopes * np.where(side.here > 0, side.here, 1.0) for side in (base, value))
        if one and other and one.model.calibration == other.model.calibration:
            names = list(dict.fromkeys([*one.names, *other.names]))
            moved = np.zeros((len(names), *difference.shape))
            for side, sign, slopes in ((one, -1.0, ours), (other, 1.0, theirs)):
                indices = [names.index(name) for name in side.names]
                moved[indices] += sign * slopes
            variance = np.einsum("ifp,ij,jfp->fp", moved, _correlations(one, names), moved)
        else:
            for side, slopes in ((one, ours), (other, theirs)):
                if side:
                    variance = variance + np.einsum("ifp,ij,jfp->fp", slopes, side.correlation, slopes)
        half = times * np.sqrt(np.maximum(variance, 0.0))
        size = np.maximum(np.abs(base.here), np.abs(value.here))
        half = np.where(half > NOTHING * size, half, 0.0 * half)
        low, high = difference - half, difference + half
    return Sides(base.carried(), value.carried(), low, high)


def _correlations(doubts: Doubts, names: Sequence[str]) -> Any:
    """Those of some parameters of a calibration, free or not."""
    stated = doubts.model.calibration
    assert stated is not None
    indices = [stated.parameters.index(name) for name in names]
    return np.array(correlation_matrix(stated))[np.ix_(indices, indices)]
