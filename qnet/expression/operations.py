"""The operations of the three kinds of values over which expressions and formulas are evaluated.

`FLOATS` needs no package, `arrays()` is numpy (a batch of points at once), `symbols()` is sympy (the formula itself).
Formulas of qnet are written once, with this interface.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from qnet.lazy import Array, lazy, np

_sympy: Any = lazy("sympy")

Value = Any
"""A float, a numpy array of floats, or a sympy expression, as the operations in use take."""

MAX_DIGITS = 1000
"""The most digits of an exact power over symbols."""


class Operations(Protocol):
    """The functions that formulas need beyond `+ - * /`."""

    @property
    def elementwise(self) -> bool: ...
    def number(self, value: float) -> Value: ...
    def minimum(self, values: Sequence[Value]) -> Value: ...
    def maximum(self, values: Sequence[Value]) -> Value: ...
    def absolute(self, value: Value) -> Value: ...
    def ceil(self, value: Value) -> Value: ...
    def floor(self, value: Value) -> Value: ...
    def sqrt(self, value: Value) -> Value: ...
    def exp(self, value: Value) -> Value: ...
    def log(self, value: Value) -> Value: ...
    def power(self, base: Value, exponent: Value) -> Value: ...
    def compare(self, relation: str, left: Value, right: Value) -> Value: ...
    def where(self, condition: Value, then: Value, otherwise: Value) -> Value: ...
    def all(self, condition: Value) -> bool: ...


def _undefined(values: Sequence[float]) -> float:
    """NaN where a value is NaN, as for arrays; otherwise 0.0: Python's `min` and `max` would hide it."""
    for value in values:
        if value != value:
            return math.nan
    return 0.0


class Floats:
    """Plain floats: one point, no imports."""

    elementwise = False

    def number(self, value: float) -> float:
        return value

    def minimum(self, values: Sequence[float]) -> float:
        return _undefined(values) or min(values)

    def maximum(self, values: Sequence[float]) -> float:
        return _undefined(values) or max(values)

    def absolute(self, value: float) -> float:
        return abs(value)

    def ceil(self, value: float) -> float:
        return float(math.ceil(value))

    def floor(self, value: float) -> float:
        return float(math.floor(value))

    def sqrt(self, value: float) -> float:
        return math.sqrt(value)

    def exp(self, value: float) -> float:
        return math.exp(value)

    def log(self, value: float) -> float:
        return math.log(value)

    def power(self, base: float, exponent: float) -> float:
        result = float(base) ** exponent
        if isinstance(result, complex):
            raise ValueError("a negative number has no such power")
        return result

    def compare(self, relation: str, left: float, right: float) -> bool:
        return bool(_COMPARISONS[relation](left, right))

    def where(self, condition: bool, then: float, otherwise: float) -> float:
        return then if condition else otherwise

    def all(self, condition: bool) -> bool:
        return bool(condition)


class Arrays:
    """Numpy arrays: a batch of points, elementwise."""

    elementwise = True

    def number(self, value: float) -> Value:
        return value

    def minimum(self, values: Sequence[Value]) -> Value:
        return self._fold(np.minimum, values)

    def maximum(self, values: Sequence[Value]) -> Value:
        return self._fold(np.maximum, values)

    def absolute(self, value: Value) -> Value:
        return np.abs(value)

    def ceil(self, value: Value) -> Value:
        return np.ceil(value)

    def floor(self, value: Value) -> Value:
        return np.floor(value)

    def sqrt(self, value: Value) -> Value:
        return np.sqrt(value)

    def exp(self, value: Value) -> Value:
        return np.exp(value)

    def log(self, value: Value) -> Value:
        return np.log(value)

    def power(self, base: Value, exponent: Value) -> Value:
        return np.float_power(base, exponent)

    def compare(self, relation: str, left: Value, right: Value) -> Value:
        return _COMPARISONS[relation](left, right)

    def where(self, condition: Value, then: Value, otherwise: Value) -> Value:
        other: float | Array = otherwise
        return np.where(condition, then, other)

    def all(self, condition: Value) -> bool:
        flags: Array = condition
        # For small batches, counting is faster than the method `all` of arrays.
        return bool(np.count_nonzero(flags) == flags.size if isinstance(condition, np.ndarray) else condition)

    def _fold(self, function: Any, values: Sequence[Value]) -> Value:
        result = values[0]
        for value in values[1:]:
            result = function(result, value)
        return result


class Symbols:
    """Sympy expressions: numbers become exact rationals, so that a formula is printed as it was written."""

    elementwise = False
    sympy = _sympy

    def number(self, value: float) -> Value:
        return _sympy.Rational(repr(value))

    def minimum(self, values: Sequence[Value]) -> Value:
        return _sympy.Min(*values)

    def maximum(self, values: Sequence[Value]) -> Value:
        return _sympy.Max(*values)

    def absolute(self, value: Value) -> Value:
        return _sympy.Abs(value)

    def ceil(self, value: Value) -> Value:
        return _sympy.ceiling(value)

    def floor(self, value: Value) -> Value:
        return _sympy.floor(value)

    def sqrt(self, value: Value) -> Value:
        return _sympy.sqrt(value)

    def exp(self, value: Value) -> Value:
        return _sympy.exp(value)

    def log(self, value: Value) -> Value:
        return _sympy.log(value)

    def power(self, base: Value, exponent: Value) -> Value:
        if base.is_Rational and exponent.is_Rational:
            # An exact power can have more digits than fit into memory.
            digits = abs(float(exponent)) * math.log10(max(abs(base.p), base.q))
            if digits > MAX_DIGITS:
                raise OverflowError
        return base**exponent

    def compare(self, relation: str, left: Value, right: Value) -> Value:
        name = {"<": "Lt", "<=": "Le", ">": "Gt", ">=": "Ge", "==": "Eq", "!=": "Ne"}[relation]
        return getattr(_sympy, name)(left, right)

    def where(self, condition: Value, then: Value, otherwise: Value) -> Value:
        return _sympy.Piecewise((then, condition), (otherwise, True))

    def all(self, condition: Value) -> bool:
        return condition == _sympy.true

    def fraction(self, top: int, bottom: int) -> Value:
        return _sympy.Rational(top, bottom)

    def symbol(self, name: str, least: float | None = None) -> Value:
        """A real symbol; `least` is its smallest value, None where that is unknown."""
        known = {} if least is None or least < 0 else {"positive": True} if least > 0 else {"nonnegative": True}
        return _sympy.Symbol(name, **(known or {"real": True}))

    def extreme(self, name: str, values: Sequence[Value]) -> Value:
        """`Min` or `Max` of values, unevaluated where a value has symbols."""
        if len(values) == 1:
            return values[0]
        return getattr(_sympy, name)(*values, evaluate=not any(value.free_symbols for value in values))

    def function(self, name: str, arguments: Sequence[Value]) -> Value:
        """An undefined function of that name."""
        return _sympy.Function(name)(*arguments)


_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


FLOATS: Operations = Floats()
_ARRAYS: Operations = Arrays()
_SYMBOLS = Symbols()


def arrays() -> Operations:
    """The operations over numpy arrays, which load numpy when first used."""
    return _ARRAYS


def symbols() -> Symbols:
    """The operations over sympy expressions, which load sympy when first used."""
    return _SYMBOLS


def operations_for(*values: Value) -> Operations:
    """`FLOATS` for plain numbers, the `operations` of the first value that has them, else `arrays()`.

    values  numbers, arrays and traced numbers.
    """
    if all(isinstance(value, (int, float)) for value in values):
        return FLOATS
    of_values = (getattr(value, "operations", None) for value in values)
    return next((operations for operations in of_values if operations is not None), None) or arrays()
