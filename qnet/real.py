"""Which objects of Python are numbers: int, float, numpy's, `Decimal`, `Fraction`, numbers of sympy.

Never a truth value, a complex number, a date, a masked element or an array with axes. This is asked of every argument
and every cell of data, wherever it comes from; domains are up to who asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast


def real(value: Any) -> float | None:
    """The value of a number as a float, infinite where it is too large; None for what is no number.

    >>> real(True), real("1"), real(10**400)
    (None, None, inf)
    """
    if type(value) is float:
        return value
    if isinstance(value, bool) or not hasattr(value, "__float__") or is_masked(value):
        return None
    # Truth values of numpy become floats, and complex numbers and dates of numpy do by losing a part.
    if getattr(value, "shape", ()) or getattr(getattr(value, "dtype", None), "kind", "") in ("b", "c", "m", "M"):
        return None
    try:
        return float(value)
    except OverflowError:
        return _infinite(value)
    except (TypeError, ValueError):
        return None


def is_masked(value: Any) -> bool:
    """Whether a value is, or has, an element that is masked by `numpy.ma`: its number is not known."""
    if isinstance(value, (list, tuple)):
        return any(map(is_masked, cast("Sequence[Any]", value)))
    mask: Any = getattr(value, "mask", None)
    return getattr(getattr(mask, "dtype", None), "kind", "") == "b" and bool(mask.any())


def truth(value: Any) -> bool | None:
    """A truth value, of Python or of numpy; None for anything else.

    >>> truth(True), truth(1)
    (True, None)
    """
    if isinstance(value, bool):
        return value
    fits = type(value).__name__ in ("bool", "bool_") and not getattr(value, "shape", ())
    return bool(value) if fits else None


def _infinite(value: Any) -> float | None:
    """The infinity for a number that is too large for a float, with its sign."""
    try:
        return float("inf") if value > 0 else float("-inf")
    except TypeError:
        return None
