"""Formulas as text: one line in the language of the models, and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

from qnet.expression import symbols
from qnet.lazy import lazy

_MOST_DIGITS = 12
"""Most digits of a decimal number that replaces a fraction; a choice: longer ones are no easier to read."""
_SMALL = 99
"""The largest numerator and denominator that remain a fraction: two digits, a choice."""
_LATEX_FUNCTIONS = {"erlang_c": "C"}
_PLAIN = {"Min": "min", "Max": "max", "ceiling": "ceil", "Abs": "abs"}
"""Functions of sympy by their names in the language of the models."""


def text_of(formula: Any) -> str:
    """A formula in the language of the models, which can be copied into a model."""
    return _printers()[0].doprint(_with_decimals(formula))


class TextLengths:
    """The lengths of formulas as text, and the numbers of their fractions; common parts are printed once."""

    def __init__(self) -> None:
        self.printer = _printers()[2]()
        self.shown: dict[Any, Any] = {}
        """Fractions, in a readable form."""

    def of(self, formula: Any) -> tuple[int, int]:
        """The number of characters of a formula as text, and of the fraction bars among them."""
        sympy: Any = symbols().sympy
        fractions = [number for number in formula.atoms(sympy.Rational) if _is_shown(number)]
        for number in fractions:
            if number not in self.shown:
                self.shown[number] = _shown(number)
        shown = {number: self.shown[number] for number in fractions}
        text = self.printer.doprint(formula.xreplace(shown) if shown else formula)
        return len(text), text.count("/")


def latex_of(formula: Any) -> str:
    """A formula in LaTeX for mathematics mode: names upright and as words."""
    return _printers()[1].doprint(_with_decimals(formula))


def latex_name(name: str) -> str:
    """A name in LaTeX, upright and as words: `cu.path_rate` is `\\mathrm{cu.path~rate}`, `k` remains `k`."""
    if name[0].isdigit() or len(name) == 1:
        return name
    plain = name.replace("('", "~").replace("')", "")
    return f"\\mathrm{{{''.join(item if item.isalnum() or item in '.-' else '~' for item in plain)}}}"


def _with_decimals(formula: Any) -> Any:
    """The formula with readable fractions: 0.53, 1/0.135, 0.0304/6; fractions of small integers are kept."""
    sympy: Any = symbols().sympy
    shown = {number: _shown(number) for number in formula.atoms(sympy.Rational) if _is_shown(number)}
    return formula.xreplace(shown) if shown else formula


def _is_shown(number: Any) -> bool:
    """Whether a number is a fraction other than a half."""
    return number.q > 1 and 2 * abs(number) != 1


@lru_cache(maxsize=256)
def _shown(number: Any) -> Any:
    """A fraction written with decimals, which are symbols for sympy."""
    sign, size = (-1, -number) if number < 0 else (1, number)
    decimal = _decimal(size)
    if decimal:
        return sign * symbols().symbol(decimal)
    if size.q <= _SMALL and size.p <= _SMALL:
        return number
    inverse = _decimal(1 / size)
    if inverse:
        return sign / symbols().symbol(inverse)
    for divisor in range(2, _SMALL):
        decimal = _decimal(size * divisor)
        if decimal:
            return sign * symbols().symbol(decimal) / divisor
    return number


def _decimal(number: Any) -> str:
    """The digits of a fraction that ends as a decimal within `_MOST_DIGITS`; else empty."""
    if any(factor not in (2, 5) for factor in _factors(number.q)):
        return ""
    for digits in range(30):
        overall = number * 10**digits
        if overall.q == 1:
            return f"{Decimal(int(overall)).scaleb(-digits):f}" if overall < 10**_MOST_DIGITS else ""
    return ""


def _factors(number: int) -> list[int]:
    """The factors 2 and 5 of a number, with repetitions, and the rest."""
    result: list[int] = []
    for prime in (2, 5):
        while number % prime == 0:
            result.append(prime)
            number //= prime
    return result if number == 1 else [*result, number]


def _ordered(terms: Sequence[Any]) -> list[Any]:
    """The terms of a sum, those with a minus sign last: 1 - a b."""
    return sorted(terms, key=lambda term: bool(term.could_extract_minus_sign()))


@lru_cache(maxsize=1)
def _printers() -> tuple[Any, Any, Any]:
    text_base: Any = lazy("sympy.printing.str").StrPrinter
    latex_base: Any = lazy("sympy.printing.latex").LatexPrinter

    class Text(text_base):
        """The language of the models."""

        def _as_ordered_terms(self, expr: Any, order: Any = None) -> list[Any]:
            return _ordered(text_base._as_ordered_terms(self, expr, order))

        def _print_Function(self, expr: Any) -> str:
            name = _PLAIN.get(expr.func.__name__, expr.func.__name__)
            return f"{name}({', '.join(map(self._print, expr.args))})"

        def _print_LatticeOp(self, expr: Any) -> str:
            name = _PLAIN.get(expr.func.__name__, expr.func.__name__)
            texts: list[str] = [self._print(item) for item in expr.args]
            return f"{name}({', '.join(sorted(texts, key=lambda text: (len(text), text)))})"

        _print_Min = _print_Max = _print_LatticeOp

        def _print_Relational(self, expr: Any) -> str:
            return f"{self._print(expr.lhs)} {expr.rel_op} {self._print(expr.rhs)}"

        def _print_Piecewise(self, expr: Any) -> str:
            (value, condition), *others = expr.args
            if condition == True or not others:  # noqa: E712
                return self._print(value)
            rest = self._print(expr.func(*others)) if others else "0"
            return f"where({self._print(condition)}, {self._print(value)}, {rest})"

    class Kept(Text):
        """The language of the models, with a cache of the text of every sum."""

        def __init__(self) -> None:
            text_base.__init__(self, {"full_prec": False})
            self.sums: dict[Any, str] = {}

        def _print_Add(self, expr: Any, order: Any = None) -> str:
            if expr not in self.sums:
                self.sums[expr] = text_base._print_Add(self, expr, order)
            return self.sums[expr]

    class Latex(latex_base):
        """LaTeX with the names of the model."""

        def _as_ordered_terms(self, expr: Any, order: Any = None) -> list[Any]:
            return _ordered(latex_base._as_ordered_terms(self, expr, order))

        def _print_Symbol(self, expr: Any, style: str = "plain") -> str:
            return latex_name(expr.name)

        def _print_Function(self, expr: Any, exp: Any = None) -> str:
            name = expr.func.__name__
            if name not in _LATEX_FUNCTIONS:
                return latex_base._print_Function(self, expr, exp)
            shown = f"{_LATEX_FUNCTIONS[name]}\\left({', '.join(map(self._print, expr.args))}\\right)"
            return shown if exp is None else f"{{{shown}}}^{{{exp}}}"

    return Text({"full_prec": False}), Latex({"full_prec": False, "mul_symbol": "dot"}), Kept
