"""A traced number is its formula at the values of the parameters, and is compared as the number that it is."""

from collections.abc import Callable
from typing import Any

import pytest

from qnet.expression.traced import TRACING, Traced, exact


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


def test_a_float_is_the_simplest_fraction_that_it_is_nearest_to() -> None:
    import sympy

    assert exact(1 / 3) == sympy.Rational(1, 3)
    assert exact(0.53) == sympy.Rational(53, 100)
    with pytest.raises(ValueError, match="finite"):
        exact(float("inf"))


def test_a_digit_that_rounding_has_spoiled_is_mended() -> None:
    assert exact(9.59626 * 1e-3 - 2e-18) == exact(0.00959626)
    assert exact(0.123456789012) != exact(0.123456789013)


def test_a_plain_condition_takes_a_branch_and_a_traced_one_keeps_both() -> None:
    import sympy

    first, second = sympy.symbols("x y", positive=True)
    then, otherwise = Traced(3.0, first), Traced(5.0, second)
    assert TRACING.where(True, then, otherwise) is then
    assert TRACING.where(False, then, otherwise) is otherwise
    both = TRACING.where(TRACING.compare("<", then, otherwise), then, otherwise)
    assert both.value == 3.0 and both.formula.free_symbols == {first, second}
    assert both.formula.subs({first: 7, second: 5}) == 5
    other = TRACING.where(TRACING.compare(">", then, otherwise), then, otherwise)
    assert other.value == 5.0


def test_nothing_is_divided_by_zero_and_a_parameter_that_is_zero_is_kept() -> None:
    import sympy

    name = sympy.Symbol("x", positive=True)
    with pytest.raises(ZeroDivisionError):
        Traced(3.0, name) / 0.0
    assert (1.0 / Traced(0.0, name)).formula == 1 / name
