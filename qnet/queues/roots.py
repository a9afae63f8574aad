"""Roots of one variable inside a bracket, for one point or for a batch of points at once."""

from __future__ import annotations

from collections.abc import Callable

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value
from qnet.lazy import Array, np

_MAX_ROUNDS = 300
"""Any number above what converges works: the bracket shrinks in every round."""
NEARNESS = 2e-13
"""Half the relative width of the last bracket of a search."""
_SLOW = 0.249
"""The share of a bracket that two rounds leave, above which they count as slow; two bisections leave a quarter."""
_PACE = 0.7
"""The largest mean share of a bracket that a round may leave for other steps than bisection to be tried: chosen among
0.6 to 0.75 by the rounds that envelopes take. No root takes more than 100 rounds."""
_LAST_DIGITS = 1e-15
"""A few units in the last place: as near as floats allow."""
_EVEN, _CLOSER = 32, 16
"""Points evaluated together: parts of the bracket between equidistant ones, and points on either side of the zero of
the secant."""
NEGLIGIBLE = 1e-60
"""A root below this share of the upper end of the bracket counts as its lower end."""


def root(
    function: Callable[[Value], Value], low: Value, high: Value, at_low: Value, at_high: Value, operations: Operations
) -> Value:
    """The point in [low, high] where a function that is negative at `low`, and not at `high`, changes sign.

    Elementwise. The answer is the end of the last bracket at which the function is negative. The bracket is at most
    4e-13 wide, relative to its ends. Elements without a change of sign answer `high`; the caller masks them.

    function    of a value or an array of them.
    low, high   the ends of the bracket.
    at_low, at_high  the values of the function at both ends: below 0, and at least 0.
    operations  of floats or of arrays.
    Raises   as `bracket`.
    """
    return bracket(function, low, high, at_low, at_high, operations)[0]


def first_of_many(function: Callable[[Array], Array], low: float, high: float, at_low: float, at_high: float) -> float:
    """The point in [low, high] where a function that is negative at `low`, and not at `high`, first changes sign.

    function  of many points at once, in hardly more time than of one.
    low, high  the ends of the bracket.
    at_low, at_high  its values at both ends.
    Returns   as `root`: the end of a bracket at most 4e-13 wide, relative to its ends, where the function is negative.
    Raises    `NotComputed` where the bracket does not shrink that far.
    Method    The next bracket is between two of about 64 points: equidistant ones, which narrow it around a jump to
              1/32, and others closer and closer to the zero of the secant, which square the width for a smooth
              function.

    >>> round(first_of_many(lambda x: x * x - 2, 1.0, 2.0, -1.0, 2.0), 9)
    1.414213562
    """
    even = np.arange(1, _EVEN) / _EVEN
    apart = np.geomspace(1e-1, 1e-15, _CLOSER)
    for _ in range(_MAX_ROUNDS):
        if high - low <= 2 * NEARNESS * max(abs(low), abs(high)) + 1e-300:
            return low
        share = at_low / (at_low - at_high)
        points = low + (high - low) * np.concatenate([even, share - apart, [share], share + apart])
        points = np.unique(points[(points > low) & (points < high)])
        if not points.size:
            return low
        values = function(points)
        first = int(np.argmin(values < 0)) if not (values < 0).all() else len(points)
        if first < len(points):
            high, at_high = float(points[first]), float(values[first])
        if first:
            low, at_low = float(points[first - 1]), float(values[first - 1])
    raise _not_converged()


def neighbours(function: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """The two points in [low, high], equal up to the last digits, between which a function of floats changes sign.

    function   positive at `low` and at the first answer, not at `high` and at the second; it may be infinite.
    low, high  the ends of the bracket.
    Raises     as `bracket`.

    >>> [round(end, 9) for end in neighbours(lambda x: 2 - x * x, 1.0, 2.0)]
    [1.414213562, 1.414213562]
    """
    return bracket(lambda x: -function(x), low, high, -function(low), -function(high), FLOATS, _LAST_DIGITS)


def bracket(
    function: Callable[[Value], Value], low: Value, high: Value, at_low: Value, at_high: Value, operations: Operations,
    nearness: Value = NEARNESS, first: Value | None = None,
) -> tuple[Value, Value]:  # fmt: skip
    """The last bracket around the change of sign of a function that is negative at `low` and not at `high`.

    function   of a value or an array of them.
    low, high  the ends of the first bracket.
    at_low, at_high  the values of the function at both ends.
    operations  of floats or of arrays.
    nearness   half the width of the last bracket, relative to its ends.
    first      the first point to try; the middle if that is None or not between the ends.
    Returns    the end at which the function is negative and the other one, elementwise; `high` twice where there is no
               change of sign.
    Raises     `NotComputed` QN512 where a bracket does not shrink that far.
    Method     Inverse quadratic interpolation where it is safe, else bisection. After two rounds that have not made the
               bracket more than four times narrower, the next tries the zero of the secant through the last two points
               on one side, where a function with a kink at its root is smooth, and the one after it a point just
               beyond; as long as the bracket is not much wider than bisection alone would have made it.
    Source     @chandrupatla1997; the secant on one side: this tool.
    """
    where, absolute = operations.where, operations.absolute
    x1, f1, x2, f2, x3, f3 = high, at_high, low, at_low, low, at_low
    rootless = ((f1 > 0) & (f2 > 0)) | ((f1 < 0) & (f2 < 0))
    least_width = NEGLIGIBLE * absolute(high) + 1e-300
    share: Value = 0.5
    if first is not None:
        begun = (first - x1) / where(x1 == x2, 1.0, x2 - x1)
        share = where((begun > 0) & (begun < 1), begun, 0.5)
    before = last = 0 * x2
    slow = rootless != rootless
    ahead = absolute(x2 - x1)
    for _ in range(_MAX_ROUNDS):
        width = operations.maximum([nearness * operations.maximum([absolute(x1), absolute(x2)]), least_width])
        done = rootless | (absolute(x2 - x1) <= 2 * width)
        if operations.all(done):
            return where(rootless, high, where(f1 < 0, x1, x2)), where(rootless, high, where(f1 < 0, x2, x1))
        least = operations.minimum([width / where(x1 == x2, 1.0, absolute(x2 - x1)), 0.5 + 0 * width])
        share = operations.maximum([operations.minimum([share, 1 - least]), least])
        x = where(done, x1, x1 + share * (x2 - x1))
        f = where(done, f1, function(x))
        same = (f < 0) == (f1 < 0)
        moved = x != x1
        x3, f3 = where(moved, where(same, x1, x2), x3), where(moved, where(same, f1, f2), f3)
        x2, f2 = where(moved & (same == False), x1, x2), where(moved & (same == False), f1, f2)  # noqa: E712
        x1, f1 = x, f
        now, beyond = absolute(x2 - x1), slow & (absolute(f1) < absolute(f2))
        ahead = ahead * _PACE
        slow = (before > 0) & (now > _SLOW * before) & (now < ahead)
        share = where(slow, _line(x1, x2, x3, f1, f3, operations), _share(x1, x2, x3, f1, f2, f3, operations))
        share = where(beyond, (width / where(done, 1.0, now)) ** 0.5, share)
        before, last = where(slow, 0.0, last), now
    raise _not_converged()


def _not_converged() -> NotComputed:
    text = f"no root converged in {_MAX_ROUNDS} rounds"
    return NotComputed(Problem("QN512", text, help="report the model: this should not happen"))


def _share(x1: Value, x2: Value, x3: Value, f1: Value, f2: Value, f3: Value, operations: Operations) -> Value:
    """The next point by inverse quadratic interpolation, as a share of the way from x1 to x2; 1/2 where unsafe."""
    where = operations.where
    apart = (x3 != x2) & (x1 != x2) & (f1 != f2) & (f3 != f2) & (f3 != f1)
    xi = (x1 - x2) / where(apart, x3 - x2, 1.0)
    phi = (f1 - f2) / where(apart, f3 - f2, 1.0)
    safe = apart & (phi * phi < xi) & ((1 - phi) * (1 - phi) < 1 - xi)
    alpha = (x3 - x1) / where(apart, x2 - x1, 1.0)
    first = f1 / where(apart, f1 - f2, 1.0) * f3 / where(apart, f3 - f2, 1.0)
    second = alpha * f1 / where(apart, f3 - f1, 1.0) * f2 / where(apart, f2 - f3, 1.0)
    return where(safe, first - second, 0.5 + 0 * xi)


def _line(x1: Value, x2: Value, x3: Value, f1: Value, f3: Value, operations: Operations) -> Value:
    """The zero of the secant through x1 and x3, on one side of the root, as a share of the way to x2; or 1/2."""
    where = operations.where
    falls = (x1 != x2) & (operations.absolute(f1) < operations.absolute(f3))
    step = f1 / where(falls, f3 - f1, 1.0) * (x1 - x3) / where(falls, x2 - x1, 1.0)
    return where(falls & (step < 1), step, 0.5)
