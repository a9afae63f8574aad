"""Sign changes of functions of solutions along a parameter: limits that cease to hold, stations that saturate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qnet.lazy import Array, Flags, Indices, np
from qnet.questions.points.points import Solved
from qnet.questions.points.saturation import JUST_BELOW
from qnet.questions.points.trial import Trial
from qnet.queues.crossings import Function, crossings
from qnet.queues.roots import NEARNESS, root

_NARROW, _JUMP = 1e-5, 1e-3
"""The relative width of a bracket at which a function that changes by more than this jumps there."""
_LESS = 1 - 2.0**-53
"""The largest float below 1."""


def sign_change(
    trial: Trial, function: Callable[[Trial, Solved, Indices], Array], inside: Array, beyond: Array, edge: Array,
    ends: tuple[Flags, Array, Array], value_alone: Flags | None = None, nearness: float = 0.0,
) -> Array:  # fmt: skip
    """The last value at which a function of the solution is negative, on the way from `inside` to `beyond`.

    function     of a part of the trial, its solution, and the indices of its points in `trial`.
    edge         a value above both, where figures may grow without bound.
    ends         whether a root is wanted, by point, and the values of the function at `inside` and at `beyond`.
    value_alone  points at which only the value must be accurate, and not its distance from the edge.
    nearness     the relative distance from the root, on either side, that is near enough; 0: as in other searches.
    Method       The search runs over u = -log(1 - value / edge): close to saturation figures grow like
                 1 / (edge - value), and over u they are smooth.
    """
    wanted, at_inside, at_beyond = ends
    top = np.maximum(edge, np.maximum(inside, beyond) / JUST_BELOW)

    def at(indices: Indices, u: Array) -> Array:
        lanes = trial.at(indices)
        return function(lanes, lanes.solve(unscaled(u, top[indices])), indices)

    def near(indices: Indices, u: Array) -> Array:
        alone: Any = np.zeros(trial.size, bool) if value_alone is None else value_alone
        return np.where(alone[indices], max(NEARNESS, nearness), nearness) * np.expm1(u)

    signs = np.where(wanted, at_inside, -1.0), np.where(wanted, at_beyond, -1.0)
    bracket = scaled(inside, top), scaled(beyond, top)
    about = near if nearness or value_alone is not None else None
    result = find_root(trial, at, *bracket, *signs, about, foretold=nearness > 0)
    return unscaled(result, top)


def overloaded(trial: Trial, solved: Solved, indices: Indices) -> Array:
    """The excess of the largest load over its capacity: a function for `sign_change`."""
    return trial.overload(solved)


def filled(trial: Trial, solved: Solved, indices: Indices) -> Array:
    """The excess of the loads that include waits inside holds, where no other station is saturated."""
    return trial.filled(solved)


def exceeded(trial: Trial, solved: Solved, indices: Indices) -> Array:
    """The largest excess over the limits: a function for `sign_change`."""
    return smooth(trial.excess(solved))


def smooth(excess: Array) -> Array:
    """An excess, which is relative to the larger of metric and bound, as the logarithm of their ratio.

    It has the same sign, and no kink at 0, so that interpolation across it converges faster. Where the ratio is 0 or
    infinite, the excess remains as it is.
    """
    share = np.abs(excess)
    return np.where(share < 1, -np.sign(excess) * np.log1p(-np.minimum(share, _LESS)), excess)


def find_root(
    trial: Trial, function: Function, low: Array, high: Array, at_low: Array, at_high: Array,
    near: Function | None = None, foretold: bool = False,
) -> Array:  # fmt: skip
    """The values at which a function of solutions changes sign, as `crossings`.

    Where the method of solution depends on the number of points, every round solves all of them.
    """
    if trial.uncertain:
        every: Indices = np.arange(trial.size)
        jumps = _Jumps(lambda x: function(every, x), low, high, at_low, at_high)
        return root(jumps, low, high, at_low, at_high, trial.operations)
    return crossings(function, low, high, at_low, at_high, near, foretold)


class _Jumps:
    """A function of values whose sign changes are searched for; where it jumps, a line takes its part.

    Approximations of some networks end before their equations do, at a jump of the loads: to halve the bracket around
    it down to the last digit would take as many solutions as all the rest of a search. The line changes sign at the
    lower end of the bracket.
    """

    def __init__(
        self, function: Callable[[Array], Array], low: Array, high: Array, at_low: Array, at_high: Array
    ) -> None:
        self.function = function
        self.low, self.high, self.at_low, self.at_high = low, high, at_low, at_high

    def __call__(self, value: Array) -> Array:
        """The function, or the line, at a value for each point."""
        width: Array = np.abs(self.high - self.low)
        narrow = width <= _NARROW * np.maximum(np.abs(self.high), np.abs(self.low))
        jumps: Flags = narrow & (self.at_high - self.at_low > _JUMP)
        line: Array = np.abs(value - self.low) - 1e-9 * width
        if jumps.all():
            return line
        result = np.where(jumps, line, self.function(value))
        below, above = ~jumps & (result < 0), ~jumps & (result >= 0)
        self.low, self.at_low = np.where(below, value, self.low), np.where(below, result, self.at_low)
        self.high, self.at_high = np.where(above, value, self.high), np.where(above, result, self.at_high)
        return result


def scaled(value: Array, top: Array) -> Array:
    """Values below a top on the scale of `sign_change`."""
    return -np.log1p(-value / top)


def unscaled(u: Array, top: Array) -> Array:
    """Values from that scale."""
    return -top * np.expm1(-u)
