"""Sums and ratios over values of any kind: floats, arrays, symbols, fractions."""

from __future__ import annotations

from collections.abc import Iterable

from qnet.expression import Value


def total(values: Iterable[Value]) -> Value:
    """The sum, without a temporary for the zero it would start from; 0.0 of nothing.

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
