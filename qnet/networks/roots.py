"""Roots of one variable inside a bracket, for one point or for a batch of points at once."""

from __future__ import annotations

from collections.abc import Callable

from qnet.errors import NotComputed, Problem
from qnet.expression import Operations, Value

_MAX_ROUNDS = 150


def root(
    function: Callable[[Value], Value], low: Value, high: Value, at_low: Value, at_high: Value, operations: Operations
) -> Value:
    """The place in [low, high] where a function that is negative at `low`, and not at `high`, changes sign.

    Elementwise. The answer is the end of the last bracket at which the function is negative: what holds there holds.
    The bracket is at most 4e-13 of `high` wide. Elements without a change of sign answer `high`; mask them.

    Raises   as `bracket` does.
    """
    negative, other = bracket(function, low, high, at_low, at_high, 4e-13 * operations.absolute(high), operations)
    return operations.where(at_low * at_high > 0, other, negative)


def bracket(
    function: Callable[[Value], Value],
    low: Value,
    high: Value,
    at_low: Value,
    at_high: Value,
    width: Value,
    operations: Operations,
    relative: float = 0.0,
) -> tuple[Value, Value]:
    """Two places between which a function changes sign; it is negative at the first.

    They are not further apart than `width`, or than `relative` of the larger.

    Elementwise. Elements without a change of sign between `low` and `high` answer these two.

    Raises   `NotComputed` where a bracket does not shrink that far.
    Method   Inverse quadratic interpolation where it is safe, else bisection.
    Source   Chandrupatla, Advances in Engineering Software 28 (1997) 145-149.
    """
    where, absolute = operations.where, operations.absolute
    x1, f1, x2, f2, x3, f3 = high, at_high, low, at_low, low, at_low
    hopeless = f1 * f2 > 0
    width = least_width = width / 2 + 1e-300
    share: Value = 0.5
    for _ in range(_MAX_ROUNDS):
        if relative:
            width = operations.maximum([least_width, relative / 2 * absolute(x1), relative / 2 * absolute(x2)])
        done = hopeless | (absolute(x2 - x1) <= 2 * width)
        if operations.all(done):
            first = f1 < 0
            return where(hopeless, low, where(first, x1, x2)), where(hopeless, high, where(first, x2, x1))
        x = where(done, x1, x1 + share * (x2 - x1))
        f = where(done, f1, function(x))
        same = (f < 0) == (f1 < 0)
        moved = x != x1
        x3, f3 = where(moved, where(same, x1, x2), x3), where(moved, where(same, f1, f2), f3)
        x2, f2 = where(moved & (same == False), x1, x2), where(moved & (same == False), f1, f2)  # noqa: E712
        x1, f1 = x, f
        share = _share(x1, x2, x3, f1, f2, f3, operations)
        least = operations.minimum([width / where(x1 == x2, 1.0, absolute(x2 - x1)), 0.5 + 0 * width])
        share = operations.maximum([operations.minimum([share, 1 - least]), least])
    raise NotComputed(
        Problem("QN512", f"no root was found in {_MAX_ROUNDS} rounds", help="report the model: this should not happen")
    )


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
    return where(safe, first - second, 0.5 + 0 * phi)
