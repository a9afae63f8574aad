"""Sums of powers with small polynomial weights: positive terms only, in log2(m) steps, for numbers of any kind."""

from __future__ import annotations

from typing import Any

from qnet.expression import Value

Sums = tuple[Value, Value, Value, Value]
"""r^m, and the sums over 0 <= j < m of r^j, j r^j, j^2 r^j."""


def power_sums(base: Value, count: int) -> Sums:
    """The sums of `base`^j over 0 <= j < `count`, weighted by 1, j and j^2.

    base    r >= 0; a number, an array, a fraction or a symbol.
    Method  Two stretches are joined: sum_(m+n) = sum_m + r^m sum_n, with the weights shifted. Stretches of doubled
            length are joined by the binary digits of the count. Nothing is subtracted, so r may be near 1.
    """
    joined: Sums = (base * 0 + 1, base * 0, base * 0, base * 0)
    length = 0
    stretch: Sums = (base, base * 0 + 1, base * 0, base * 0)
    size = 1
    while count:
        if count & 1:
            joined = _join(joined, length, stretch)
            length += size
        count >>= 1
        if count:
            stretch = _join(stretch, size, stretch)
            size *= 2
    return joined


def _join(first: Sums, length: int, second: Sums) -> Sums:
    power, zero, one, two = first
    more, zeros, ones, twos = second
    shift: Any = length
    return (
        power * more,
        zero + power * zeros,
        one + power * (ones + shift * zeros),
        two + power * (twos + 2 * shift * ones + shift * shift * zeros),
    )
