"""Numbers with their formulas: whatever is computed from them has a formula as well.

A `Traced` number is a float with a sympy expression. Two of them are ordered as their floats, so that code written for
numbers runs unchanged; they are equal only if their formulas are, so that a parameter that happens to be 0 or 1 is not
taken for the constant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from qnet.expression.operations import FLOATS, Operations, Value, symbols
from qnet.lazy import lazy

if TYPE_CHECKING:
    import fractions
else:
    fractions = lazy("fractions")

_LARGEST_DENOMINATOR = 1_000_000
"""The largest denominator of a fraction that replaces a float of the same value: 6 decimal digits, a choice."""
_ROUNDING = 4.5e-16
"""Twice 2^-52, rounded up: two units in the last place of a float."""


class Traced:
    """A number and its formula. Conversions such as `float()`, which would lose the formula, fail."""

    __slots__ = ("formula", "value")

    def __init__(self, value: float, formula: Any) -> None:
        self.value = value
        self.formula = formula

    @property
    def operations(self) -> Operations:
        """The operations over such numbers."""
        return TRACING

    def __add__(self, other: Value) -> Traced:
        return Traced(self.value + number_of(other), self.formula + formula_of(other))

    def __sub__(self, other: Value) -> Traced:
        return Traced(self.value - number_of(other), self.formula - formula_of(other))

    def __rsub__(self, other: Value) -> Traced:
        return Traced(number_of(other) - self.value, formula_of(other) - self.formula)

    def __mul__(self, other: Value) -> Traced:
        return Traced(self.value * number_of(other), self.formula * formula_of(other))

    def __truediv__(self, other: Value) -> Traced:
        return _divided(self, other)

    def __rtruediv__(self, other: Value) -> Traced:
        return _divided(other, self)

    def __pow__(self, other: Value) -> Traced:
        exponent = number_of(other)
        return Traced(FLOATS.power(self.value, exponent), self.formula ** formula_of(other))

    def __neg__(self) -> Traced:
        return Traced(-self.value, -self.formula)

    def __abs__(self) -> Traced:
        return Traced(abs(self.value), symbols().absolute(self.formula))

    __radd__, __rmul__ = __add__, __mul__

    def __lt__(self, other: Value) -> bool:
        return self.value < number_of(other)

    def __le__(self, other: Value) -> bool:
        return self.value <= number_of(other)

    def __gt__(self, other: Value) -> bool:
        return self.value > number_of(other)

    def __ge__(self, other: Value) -> bool:
        return self.value >= number_of(other)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (Traced, int, float)):
            return bool(self.formula == formula_of(other))
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.formula)

    def __bool__(self) -> bool:
        return self != 0

    def __str__(self) -> str:
        return f"{self.value:g}"

    def __repr__(self) -> str:
        return f"Traced({self.value!r}, {self.formula})"

    def applied(self, name: str, function: Callable[..., float], *arguments: Value) -> Traced:
        """The value of a function at the arguments, with the function by its name in the formula."""
        value = function(*map(number_of, arguments))
        return Traced(value, symbols().function(name, [formula_of(item) for item in arguments]))


class TracedCondition:
    """A comparison whose truth depends on the values of parameters."""

    def __init__(self, value: bool, formula: Any) -> None:
        self.value = value
        self.formula = formula

    @property
    def free_symbols(self) -> Any:
        """The symbols on which it depends."""
        return self.formula.free_symbols


def number_of(value: Value) -> float:
    """The number of a traced value, or the number itself."""
    return value.value if isinstance(value, Traced) else value


def formula_of(value: Value) -> Any:
    """The formula of a traced value; for a plain number that of `exact`."""
    return value.formula if isinstance(value, Traced) else exact(value)


@lru_cache(maxsize=256)
def exact(value: float) -> Any:
    """The simplest fraction that rounds to a float, such as 53/100 for 0.53, or else its decimal digits.

    Fourteen digits are used where these are within two units in the last place of the float.

    Raises `ValueError` for a number that is not finite.
    """
    if not math.isfinite(value):
        raise ValueError("a formula has finite numbers only")
    simple = fractions.Fraction(value).limit_denominator(_LARGEST_DENOMINATOR)
    if float(simple) == value:
        return symbols().fraction(simple.numerator, simple.denominator)
    # 9.59626 ms is 0.009596259999999999 s, one rounding from the digits that were written.
    meant = float(f"{value:.14g}")
    near = abs(meant - value) <= _ROUNDING * abs(value)
    return symbols().number(meant if near else float(value))


def _divided(top: Value, bottom: Value) -> Traced:
    divisor = formula_of(bottom)
    if divisor == 0:
        raise ZeroDivisionError
    below = number_of(bottom)
    # Where a parameter happens to be 0 the formula remains valid, but the number does not.
    return Traced(number_of(top) / below if below else math.inf, formula_of(top) / divisor)


class _Tracing:
    """The operations over traced numbers."""

    elementwise = False

    def number(self, value: float) -> Traced:
        return Traced(value, exact(value))

    def minimum(self, values: Sequence[Value]) -> Value:
        return self._extreme(values, FLOATS.minimum, "Min")

    def maximum(self, values: Sequence[Value]) -> Value:
        return self._extreme(values, FLOATS.maximum, "Max")

    def _extreme(self, values: Sequence[Value], function: Callable[..., float], name: str) -> Value:
        formulas = list(dict.fromkeys(map(formula_of, values)))
        # Unevaluated, because sympy would spend long on deciding which value is the extreme one.
        named = symbols().extreme(name, formulas)
        return Traced(function([number_of(value) for value in values]), named)

    def absolute(self, value: Value) -> Value:
        return abs(value)

    def ceil(self, value: Value) -> Value:
        return self._mapped("ceil", value)

    def floor(self, value: Value) -> Value:
        return self._mapped("floor", value)

    def sqrt(self, value: Value) -> Value:
        return self._mapped("sqrt", value)

    def exp(self, value: Value) -> Value:
        return self._mapped("exp", value)

    def log(self, value: Value) -> Value:
        return self._mapped("log", value)

    def _mapped(self, name: str, value: Value) -> Traced:
        return Traced(getattr(FLOATS, name)(number_of(value)), getattr(symbols(), name)(formula_of(value)))

    def power(self, base: Value, exponent: Value) -> Value:
        formula = symbols().power(formula_of(base), formula_of(exponent))
        return Traced(FLOATS.power(number_of(base), number_of(exponent)), formula)

    def compare(self, relation: str, left: Value, right: Value) -> Any:
        formula = symbols().compare(relation, formula_of(left), formula_of(right))
        value = FLOATS.compare(relation, number_of(left), number_of(right))
        return value if not formula.free_symbols else TracedCondition(value, formula)

    def where(self, condition: Any, then: Value, otherwise: Value) -> Value:
        if not isinstance(condition, TracedCondition):
            return then if condition else otherwise
        value = number_of(then if condition.value else otherwise)
        return Traced(value, symbols().where(condition.formula, formula_of(then), formula_of(otherwise)))

    def all(self, condition: Any) -> bool:
        return symbols().all(condition.formula) if isinstance(condition, TracedCondition) else bool(condition)


TRACING: Operations = _Tracing()
"""The operations over traced numbers."""
