"""Roots of one variable inside a bracket, for one point or for a batch of points at once."""

from __future__ import annotations

from collections.abc import Callable

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value
from qnet.lazy import Array, np

_MAX_ROUNDS = 300
"""Any number above what converges works: the bracket shrinks in every round."""
NEARNESS = 2e-13
"""How near to a root searches go: half the width of the last bracket, relative."""
_SLOW = 0.249
"""What two rounds leave of the bracket where they are slow, as two bisections do."""
_PACE = 0.7
"""What a round must leave of the bracket, at most and on average, for more than bisection to be tried: chosen among
0.6 to 0.75 by the rounds that envelopes take. No root takes more than 100 rounds."""
_LAST_DIGITS = 1e-15
"""A few units in the last place: as near as floats allow."""
_EVEN, _CLOSER = 32, 16
"""Of points that are evaluated together: parts that are evenly spaced, and those on either side of a line's zero."""
NEGLIGIBLE = 1e-60
"""A root below this share of the bracket that is searched is as good as its lower end."""


def root(
    function: Callable[[Value], Value], low: Value, high: Value, at_low: Value, at_high: Value, operations: Operations
) -> Value:
    """The place in [low, high] where a function that is negative at `low`, and not at `high`, changes sign.

    Elementwise. The answer is the end of the last bracket at which the function is negative: what holds there holds.
    The bracket is at most 4e-13 wide, relative to its ends. Elements without a change of sign answer `high`; mask them.

    at_low, at_high  the values of the function at both ends: below 0, and at least 0.
    operations  of floats or of arrays.
    Raises   as `bracket`.
    """
    return bracket(function, low, high, at_low, at_high, operations)[0]


def first_of_many(function: Callable[[Array], Array], low: float, high: float, at_low: float, at_high: float) -> float:
    """The place in [low, high] where a function that is negative at `low`, and not at `high`, first changes sign.

    function  of many points at once, in hardly more time than of one.
    at_low, at_high  its values at both ends.
    Returns   as `root`: the end of a bracket at most 4e-13 wide, relative to its ends, where the function is negative.
    Raises    `NotComputed` where the bracket does not shrink that far.
    Method    The next bracket is between two of 63 points: evenly spaced ones, of which a jump leaves a thirtieth, and
              others closer and closer to where the line through both ends is zero, of which a smooth function leaves
              about the square.

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
    """The last two places in [low, high], to the last digits, between which a function of floats changes sign.

    function   positive at `low`, not at `high`; infinite where there is nothing to interpolate. So at the answers.
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

    at_low, at_high  the values of the function at both ends.
    operations  of floats or of arrays.
    nearness   half its width, relative to its ends.
    first      where to look first; half-way where that is not between the ends, and for None.
    Returns    the end at which the function is negative and the other one, elementwise; `high` twice where there is no
               change of sign.
    Raises     `NotComputed` where a bracket does not shrink that far.
    Method     Inverse quadratic interpolation where it is safe, else bisection. Where two rounds have not made the
               bracket more than four times narrower, the next looks where the line through the last two places on one
               side is zero, since a function with a kink at its root is smooth there, and the one after it just beyond;
               as long as the bracket is not much wider than bisection alone would have made it.
    Source     @chandrupatla1997; the line on one side: this tool.
    """
    where, absolute = operations.where, operations.absolute
    x1, f1, x2, f2, x3, f3 = high, at_high, low, at_low, low, at_low
    hopeless = ((f1 > 0) & (f2 > 0)) | ((f1 < 0) & (f2 < 0))
    least_width = NEGLIGIBLE * absolute(high) + 1e-300
    share: Value = 0.5
    if first is not None:
        begun = (first - x1) / where(x1 == x2, 1.0, x2 - x1)
        share = where((begun > 0) & (begun < 1), begun, 0.5)
    before = last = 0 * x2
    slow = hopeless != hopeless
    ahead = absolute(x2 - x1)
    for _ in range(_MAX_ROUNDS):
        width = operations.maximum([nearness * operations.maximum([absolute(x1), absolute(x2)]), least_width])
        done = hopeless | (absolute(x2 - x1) <= 2 * width)
        if operations.all(done):
            return where(hopeless, high, where(f1 < 0, x1, x2)), where(hopeless, high, where(f1 < 0, x2, x1))
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
    """How far from x1 towards x2 to look next."""
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
    """How far from x1 towards x2 the line through x1 and x3, which are on one side of the root, is zero; else half."""
    where = operations.where
    falls = (x1 != x2) & (operations.absolute(f1) < operations.absolute(f3))
    step = f1 / where(falls, f3 - f1, 1.0) * (x1 - x3) / where(falls, x2 - x1, 1.0)
    return where(falls & (step < 1), step, 0.5)
