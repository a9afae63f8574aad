"""`round` in expressions: to the nearest integer, halves up, alike over floats, arrays and symbols."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from many import many

from qnet.expression import arrays, evaluate, parse, symbols
from qnet.lazy import np

VALUES = (0.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.4, 0.49999999999999994, 2.0**52 + 1, 2.0**53 + 2, 7.499)
ROUND = parse("round(x)").root


def nearest(value: float) -> int:
    return math.floor(Fraction(value) + Fraction(1, 2))


@many("value", VALUES)
def test_a_number_is_rounded_to_the_nearest_integer(value: float) -> None:
    assert evaluate(ROUND, {"x": value}) == nearest(value)


def test_arrays_are_rounded_by_element() -> None:
    assert list(evaluate(ROUND, {"x": np.array(VALUES)}, arrays())) == [nearest(value) for value in VALUES]


@pytest.mark.parametrize(("top", "bottom"), [(5, 2), (-5, 2), (7, 3)])
def test_symbols_are_rounded(top: int, bottom: int) -> None:
    import sympy

    x = sympy.Symbol("x", real=True)
    result = evaluate(ROUND, {"x": x}, symbols()).subs(x, sympy.Rational(top, bottom))
    assert result == math.floor(Fraction(top, bottom) + Fraction(1, 2))
