"""A traced number is its formula at the values of the parameters, and is compared as the number that it is."""

from collections.abc import Callable
from typing import Any

import pytest

from qnet.expression.traced import Traced


@pytest.mark.parametrize(
    "of",
    [
        lambda x, y: x + y,
        lambda x, y: x - y,
        lambda x, y: 7.0 - y,
        lambda x, y: x * y,
        lambda x, y: x / y,
        lambda x, y: 7.0 / y,
        lambda x, y: x**y,
        lambda x, y: -x,
        lambda x, y: abs(-x),
    ],
)
def test_the_number_is_the_formula_at_the_parameters(of: Callable[[Any, Any], Any]) -> None:
    import sympy

    first, second = sympy.symbols("x y", positive=True)
    result = of(Traced(3.0, first), Traced(5.0, second))
    assert result.value == float(result.formula.subs({first: 3, second: 5})) == of(3.0, 5.0)


def test_equal_numbers_are_not_less() -> None:
    import sympy

    first, second = sympy.symbols("x y", positive=True)
    assert not Traced(3.0, first) < Traced(3.0, second)
    assert Traced(3.0, first) <= Traced(3.0, second)
    assert Traced(3.0, first) < Traced(5.0, second)
