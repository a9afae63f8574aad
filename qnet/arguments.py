"""Check arguments of the Python interface by their annotations, so that a wrong type raises an error of qnet."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from inspect import unwrap
from types import FunctionType
from typing import Any, TypeVar, cast

from qnet.errors import Problem, UsageError, short
from qnet.real import real, truth

Texts = str | Sequence[str]
"""One text or several; an empty text means none. `checked` passes a tuple."""

Numbers = float | Sequence[float]
"""One number or several. `checked` passes a tuple."""

Source = str | os.PathLike[str]
"""A text, or the path of a file."""

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Class = TypeVar("_Class", bound=type)

_REFUSED_BELOW = {"core_solutions"}
"""Integer arguments of which the function itself refuses fractions, with their domain in the message."""

_VARARGS, _VARKEYWORDS = 0x04, 0x08
"""Bits of `co_flags` of CPython, as in `inspect`, which is slow to load."""


def checked(function: _Function) -> _Function:
    """A decorator of functions: raise `UsageError` QN753 for an argument whose type does not match its annotation.

    `str`, `float`, `int`, `bool`, `Texts`, `Numbers`, `Source`, `Rows`, `None` and unions of them are checked; other
    annotations accept any value. Real numbers of any type, such as those of numpy, `Decimal` and `Fraction`, become
    `int` or `float`, paths become texts, and rows are checked as they are read. The function itself checks domains, NaN
    included.
    """
    plain = cast("FunctionType", unwrap(function))
    code, annotations = plain.__code__, plain.__annotations__
    count = code.co_argcount
    names, next_name = code.co_varnames[:count], count + code.co_kwonlyargcount
    varargs = code.co_varnames[next_name] if code.co_flags & _VARARGS else ""
    keywords = code.co_varnames[next_name + bool(varargs)] if code.co_flags & _VARKEYWORDS else ""

    def read(name: str, value: Any, annotated: str) -> Any:
        return argument(name, value, str(annotations.get(annotated, "Any")))

    @wraps(function)
    def wrapper(*given: Any, **named: Any) -> Any:
        first = [read(name, value, name) for name, value in zip(names, given, strict=False)]
        rest = [read(varargs, value, varargs) if varargs else value for value in given[count:]]
        stated = {
            key: argument(key, value, "Texts")
            if key == varargs and annotations[varargs] == "str"
            else read(key, value, key if key in annotations else keywords)
            for key, value in named.items()
        }
        return function(*first, *rest, **stated)

    return cast("_Function", wrapper)


def checked_methods(inside: Callable[[Any], Any]) -> Callable[[_Class], _Class]:
    """A decorator of classes that makes their public methods `checked`.

    inside   a decorator applied to each method before, which receives the checked arguments.
    """

    def decorated(decorated_class: _Class) -> _Class:
        for name, item in list(vars(decorated_class).items()):
            if isinstance(item, FunctionType) and not name.startswith("_"):
                setattr(decorated_class, name, checked(inside(item)))
        return decorated_class

    return decorated


def argument(name: str, value: Any, annotation: str) -> Any:
    """The value of an argument, converted to the type of its annotation.

    name        the name of the argument, for the message.
    value       the value given.
    annotation  as in the source, such as "float | None"; types other than those of `checked` accept any value.
    Raises      `UsageError` QN753 for a value of another type.

    >>> argument("faster", 2, "float | None")
    2
    """
    types = annotation.split(" | ")
    if any(item not in _READ for item in types):
        return value
    for item in types:
        read = _finite if item == "int" and name in _REFUSED_BELOW else _READ[item]
        fits, result = read(value)
        if fits:
            return result
    expected = " or ".join(_EXPECTED[item] for item in types)
    raise UsageError(Problem("QN753", f"{name} is {_shown(value)}", expected, help="see help() of the function"))


def _shown(value: Any) -> str:
    """A value in a message, shortened."""
    try:
        return short(repr(value))
    except ValueError:
        return "an integer of thousands of digits"


def _text(value: Any) -> tuple[bool, Any]:
    return isinstance(value, str), value


def _none(value: Any) -> tuple[bool, Any]:
    return value is None, value


def _flag(value: Any) -> tuple[bool, Any]:
    flag = truth(value)
    return flag is not None, value if flag is None else flag


def _real(value: Any) -> tuple[bool, Any]:
    number = real(value)
    # A number beyond the range of floats is refused here; the function itself refuses infinity where it is not valid.
    if number is None or (math.isinf(number) and value != number):
        return False, value
    return True, value if isinstance(value, int) else number


def _integer(value: Any) -> tuple[bool, Any]:
    fits, number = _real(value)
    fits = fits and math.isfinite(number) and number == math.floor(number)
    return fits, int(number) if fits else value


def _is_iterable(value: Any) -> bool:
    """Whether a value is an iterable other than bytes, a mapping or an array without axes."""
    if isinstance(value, (bytes, bytearray, Mapping)) or getattr(value, "shape", None) == ():
        return False
    return isinstance(value, Iterable)


def _finite(value: Any) -> tuple[bool, Any]:
    fits, number = _real(value)
    return fits and math.isfinite(number), number


def _texts(value: Any) -> tuple[bool, Any]:
    if isinstance(value, str):
        return True, (value,) if value.strip() else ()
    if not _is_iterable(value):
        return False, value
    items = tuple(cast("Iterable[Any]", value))
    return all(isinstance(item, str) for item in items), tuple(map(str, items))


def _numbers(value: Any) -> tuple[bool, Any]:
    one, number = _real(value)
    if one:
        return True, (number,)
    if isinstance(value, str) or not _is_iterable(value):
        return False, value
    items = [_real(item) for item in cast("Iterable[Any]", value)]
    return all(fits for fits, _ in items), tuple(number for _, number in items)


def _source(value: Any) -> tuple[bool, Any]:
    if isinstance(value, str):
        return True, value
    text: Any = os.fspath(cast("os.PathLike[Any]", value)) if isinstance(value, os.PathLike) else None
    if not isinstance(text, str):
        return False, cast("Any", value)
    # A path names a file, never an entry of the catalog.
    return True, text if "/" in text else f"./{text}"


def _rows(value: Any) -> tuple[bool, Any]:
    if isinstance(value, (str, os.PathLike)):
        return _source(value)
    if not _is_iterable(value):
        return False, value
    return True, _each_row(cast("Iterable[Any]", value))


def _each_row(rows: Iterable[Any]) -> Iterator[Any]:
    """The rows, each checked when it is reached: raises `UsageError` QN753 for one that is no mapping from texts."""
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise UsageError(Problem("QN753", f"row {number} is {_shown(row)}", "a mapping of columns to values"))
        for name in cast("Mapping[Any, Any]", row):
            if not isinstance(name, str):
                raise UsageError(Problem("QN753", f"row {number} has the column {_shown(name)}", "a text"))
        yield cast("Mapping[str, Any]", row)


# Annotation -> a function that returns whether a value is of that type, and the value converted to it.
_READ: dict[str, Callable[[Any], tuple[bool, Any]]] = {
    "str": _text, "float": _real, "int": _integer, "bool": _flag, "Texts": _texts, "Numbers": _numbers,
    "Rows": _rows, "Source": _source, "None": _none,
}  # fmt: skip
_EXPECTED = {
    "str": "a text", "float": "a number", "int": "an integer", "bool": "True or False",
    "Texts": "a text, or a sequence of texts", "Numbers": "a number, or a sequence of numbers",
    "Rows": "a file, or an iterable of mappings", "Source": "a text, or a path", "None": "None",
}  # fmt: skip
