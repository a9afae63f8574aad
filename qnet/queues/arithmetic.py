"""Sums and ratios over values of any kind: floats, arrays, symbols, fractions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from qnet.expression import Operations, Value
from qnet.lazy import np

SATURATED = 1 - 1e-13
"""The load above which a station counts as saturated: the rest, and so every wait, is known to a thousandth there."""
_FEW = 6
"""The longest rows whose numbers are added one after the other."""


def total(values: Iterable[Value]) -> Value:
    """The sum, without adding the first value to zero; 0.0 if there are none.

    values  numbers, arrays of one shape, or symbols.

    >>> total([1, 2, 3])
    6
    """
    iterator = iter(values)
    first = next(iterator, 0.0)
    return sum(iterator, first)


def ratio(top: Value, bottom: Value) -> Value:
    """`top / bottom` for a bottom that is 0 only where the top is 0 as well; 0 there.

    >>> ratio(0.0, 0.0)
    0.0
    """
    return top / (bottom + (bottom == 0))


def close(value: Value, other: Value, operations: Operations) -> bool:
    """Whether two values differ by at most 1e-12 of the second, at all points.

    value, other  what is compared, of one unit.
    operations    of floats, arrays or symbols.

    >>> from qnet.expression import FLOATS
    >>> close(0.1 + 0.2, 0.3, FLOATS)
    True
    """
    near = 1e-12 * operations.absolute(other)
    return operations.all(operations.compare("<=", operations.absolute(value - other), near))


def summed(values: Any, axis: int = -1) -> Any:
    """The sum of an array over one axis, possibly a view of the array; for short rows several times as fast as numpy.

    values   numbers of any shape.
    axis     the last, or 1.
    """
    count = values.shape[axis]
    if not 0 < count <= _FEW:
        return values.sum(axis)
    columns = (values[..., index] if axis == -1 else values[:, index] for index in range(count))
    result = next(columns)
    if count > 1:
        result = result + next(columns)
        for column in columns:
            result += column
    return result


def largest(values: Any) -> Any:
    """The maximum of an array over its last axis, 0 if that is empty; as fast as `summed`.

    values   numbers of at least 0.
    """
    count = values.shape[-1]
    if not 0 < count <= _FEW:
        return values.max(-1, initial=0.0)
    result = values[..., 0]
    for index in range(1, count):
        result = np.maximum(result, values[..., index])
    return result


def distinct(values: Any) -> Any:
    """The distinct numbers in ascending order, without the import of masked arrays that `np.unique` makes.

    values  an array of any shape, without NaN.
    """
    ordered: Any = np.sort(values, axis=None)
    first = np.ones(len(ordered), dtype=bool)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first]
