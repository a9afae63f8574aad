"""Formulas made short to read, with the structure of the model kept where that is not much longer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qnet.expression import symbols
from qnet.questions.formula.algebra import evaluated
from qnet.questions.formula.text import text_of

MOST_OPERATIONS = 100
"""Operations of a formula up to which it is put over one denominator, and a fraction factored."""
FEW_OPERATIONS = 60
"""Operations of a sum inside a formula up to which it is expanded and factored."""

_MUCH_SHORTER, _NEAR = 1.2, 1.5
_MOST_COLLECTED = 8
_MANY_TERMS, _MOST_TERMS = 3, 16
_SLOW = 3


class Simplifier:
    """Finds the shortest of several forms of formulas: as they are, over one denominator, factored.

    numbers   the values of all symbols, by which the factors of a fraction get a sign that is positive there.
    """

    def __init__(self, numbers: Mapping[str, float]) -> None:
        self.sympy: Any = symbols().sympy
        self.numbers = dict(numbers)
        self.masks: dict[Any, Any] = {}
        """Functions, by the symbols that stand for them while sums and products are rearranged."""
        self.found: dict[Any, Any] = {}
        self.lengths: dict[Any, int] = {}

    def simplified(self, formula: Any) -> Any:
        """The shortest form of a formula."""
        best = self.shrunk(self.masked(formula))
        best = min(best, self.sympy.factor_terms(best, clear=False), key=self.length)
        size = self.sympy.count_ops(best)
        if size <= MOST_OPERATIONS:
            # The structure of the model is easier to recognize than a single fraction, unless that is much shorter.
            whole = self.sympy.together(best)
            forms = [whole, self.sympy.factor(whole)]
            near = [self.shrunk(form) for form in forms if self.sympy.count_ops(form) <= _NEAR * size]
            shortest = min(near, key=self.length, default=best)
            best = shortest if self.length(shortest) * _MUCH_SHORTER < self.length(best) else best
        return self.unmasked(best)

    def length(self, formula: Any) -> int:
        """How long it takes to read a formula: its characters, and more for fractions inside it."""
        if formula not in self.lengths:
            text = text_of(formula)
            self.lengths[formula] = len(text) + _SLOW * text.count("/")
        return self.lengths[formula]

    def masked(self, formula: Any) -> Any:
        """A formula with a symbol in place of every function, whose arguments are simplified."""
        sympy = self.sympy
        if formula.is_Atom:
            return formula
        extreme = isinstance(formula, (sympy.Min, sympy.Max))
        if not extreme and not isinstance(formula, (sympy.Function, sympy.Piecewise)):
            return formula.func(*map(self.masked, formula.args))
        inner = [self.simplified(item) if isinstance(item, sympy.Expr) else item for item in formula.args]
        # Minima and maxima are left as they stand: sympy would compare all their terms for all numbers.
        item = formula.func(*inner, evaluate=False) if extreme else formula.func(*inner)
        mark = symbols().symbol(text_of(item))
        self.masks[mark] = item
        self.numbers[mark.name] = evaluated(item, self.numbers) or 0.0
        return mark

    def unmasked(self, formula: Any) -> Any:
        """The formula with its functions again, and otherwise as it was found."""
        if formula in self.masks:
            return self.masks[formula]
        if formula.is_Atom or self.masks.keys().isdisjoint(formula.free_symbols):
            return formula
        inner = map(self.unmasked, formula.args)
        return formula.func(*inner, evaluate=False) if formula.is_Mul else formula.func(*inner)

    def shrunk(self, formula: Any) -> Any:
        """A formula with every sum inside it in its shortest form: rate and not rate p + rate (1 - p)."""
        if formula.is_Atom:
            return formula
        if formula not in self.found:
            changed = formula.func(*map(self.shrunk, formula.args))
            self.found[formula] = self.summed(changed) if changed.is_Add else self.positive(self.monic(changed))
        return self.found[formula]

    def summed(self, formula: Any) -> Any:
        """The shortest form of a sum."""
        sympy = self.sympy
        if not 2 < sympy.count_ops(formula) <= FEW_OPERATIONS or not formula.is_polynomial():
            return self.monic(formula)
        flat = sympy.expand(formula)
        forms = [formula, flat, sympy.factor_terms(flat), sympy.factor(flat)]
        if all(form.is_Add for form in forms) and _MANY_TERMS < len(flat.args) <= _MOST_TERMS:
            some = sorted(flat.free_symbols, key=str)[:_MOST_COLLECTED]
            forms += [sympy.collect(flat, symbol, sympy.factor) for symbol in some]
        forms = [self.monic(form) for form in forms]
        return min(
            (sympy.Add(*map(self.positive, form.args)) if form.is_Add else self.positive(form) for form in forms),
            key=self.length,
        )

    def monic(self, formula: Any) -> Any:
        """The sums of a product scaled to read best: (think + 0.281) / 0.135, not 200 think / 27 + 281 / 135."""
        sympy = self.sympy
        factors: list[Any] = [sympy.Integer(1), *sympy.Mul.make_args(formula)]
        for place, factor in enumerate(factors):
            base, exponent = factor.as_base_exp()
            if not base.is_Add or not exponent.is_Integer:
                continue
            forms = [factors]
            for size in dict.fromkeys(abs(term.as_coeff_Mul()[0]) for term in base.args):
                if size.is_Rational and size != 1:
                    scaled = sympy.Add(*(term / size for term in base.args)) ** exponent
                    forms.append([factors[0] * size**exponent, *factors[1:place], scaled, *factors[place + 1 :]])
            factors = min(forms, key=lambda form: self.length(self.product(form)))
        return formula if factors[0] == 1 else self.product(factors)

    def positive(self, formula: Any) -> Any:
        """A fraction whose factors are positive at the numbers: 1 / (1 - a b) and not -1 / (a b - 1)."""
        sign = 1
        factors: list[Any] = []
        for factor in self.sympy.Mul.make_args(formula):
            base, exponent = factor.as_base_exp()
            value = evaluated(base, self.numbers) if base.is_Add and exponent.is_Integer else None
            turned = value is not None and value < 0
            sign *= (-1) ** int(exponent) if turned else 1
            factors.append((-base) ** exponent if turned else factor)
        if factors == list(self.sympy.Mul.make_args(formula)):
            return formula
        return self.product([self.sympy.Integer(sign), *factors])

    def product(self, factors: list[Any]) -> Any:
        """A product whose number is not multiplied into its sums."""
        number = self.sympy.Mul(*(factor for factor in factors if factor.is_Rational))
        others = [factor for factor in factors if not factor.is_Rational]
        return self.sympy.Mul(*([] if number == 1 else [number]), *others, evaluate=False) if others else number
