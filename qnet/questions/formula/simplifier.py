"""Formulas made short to read, with the structure of the model kept where that is not much longer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from qnet.expression import symbols
from qnet.questions.formula.algebra import affordable, evaluated, irreducible
from qnet.questions.formula.text import TextLengths, text_of

MOST_OPERATIONS = 100
"""Most operations of a formula that is put over one denominator, and of a fraction that is factored."""
MOST_TERMS = 6000
"""Most terms over one denominator."""
FEW_OPERATIONS = 60
"""Most operations of a sum inside a formula that is expanded and factored."""

_MUCH_SHORTER, _NEAR = 1.2, 1.5
"""The factor by which another form must be shorter, and by which it may have more operations; choices of style."""
_MOST_COLLECTED = 8
"""Most symbols by which terms are collected; a choice that bounds time."""
_MANY_TERMS, _MOST_TERMS = 3, 16
"""Sums of more terms than the first are collected, and of at most the second; choices that bound time."""
_SLOW = 3
"""The extra length of a fraction inside a formula, in characters; a choice of style."""


class Simplifier:
    """Finds the shortest of several forms of formulas: as they are, over one denominator, factored.

    numbers   the values of all symbols, by which the factors of a fraction get a sign that is positive there.
    """

    def __init__(self, numbers: Mapping[str, float]) -> None:
        self.sympy: Any = symbols().sympy
        self.numbers = dict(numbers)
        self.masks: dict[Any, Any] = {}
        """Functions, by the symbols that replace them while sums and products are rearranged."""
        self.shortest: dict[Any, Any] = {}
        self.rearranged: dict[Any, Any] = {}
        """The shortest forms of sums, by their expanded forms."""
        self.factors: dict[Any, Any] = {}
        self.common: dict[Any, Any] = {}
        """Sums with the common factors of their terms in front; in `fractions`, sums over one denominator."""
        self.fractions: dict[Any, Any] = {}
        self.lengths: dict[Any, int] = {}
        self.texts = TextLengths()

    def simplified(self, formula: Any) -> Any:
        """The shortest form of a formula."""
        best = self.shrunk(self.masked(formula))
        best = min(best, self.by_sums(best, self.common, self.with_common), key=self.length)
        size = self.sympy.count_ops(best)
        if size <= MOST_OPERATIONS and affordable(best, MOST_TERMS):
            # The structure of the model is easier to recognize than a single fraction, unless that is much shorter.
            fraction = self.by_sums(best, self.fractions, self.sympy.together)
            forms = [fraction, self.factored_each(fraction)]
            near = [self.shrunk(form) for form in forms if self.sympy.count_ops(form) <= _NEAR * size]
            shortest = min(near, key=self.length, default=best)
            best = shortest if self.length(shortest) * _MUCH_SHORTER < self.length(best) else best
        return self.unmasked(best)

    def length(self, formula: Any) -> int:
        """The length of a formula for a reader: its characters, and an extra for each fraction."""
        if formula not in self.lengths:
            characters, fractions = self.texts.of(formula)
            self.lengths[formula] = characters + _SLOW * fractions
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
        # Minima and maxima are not evaluated: sympy would compare all their terms.
        item = formula.func(*inner, evaluate=False) if extreme else formula.func(*inner)
        mark = symbols().symbol(text_of(item))
        self.masks[mark] = item
        self.numbers[mark.name] = evaluated(item, self.numbers) or 0.0
        return mark

    def unmasked(self, formula: Any) -> Any:
        """The formula with its functions restored, and otherwise unchanged."""
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
        if formula not in self.shortest:
            changed = formula.func(*map(self.shrunk, formula.args))
            self.shortest[formula] = self.summed(changed) if changed.is_Add else self.positive(self.monic(changed))
        return self.shortest[formula]

    def summed(self, formula: Any) -> Any:
        """The shortest form of a sum."""
        sympy = self.sympy
        if not 2 < sympy.count_ops(formula) <= FEW_OPERATIONS or not formula.is_polynomial():
            return self.monic(formula)
        flat = sympy.expand(formula)
        if flat not in self.rearranged:
            self.rearranged[flat] = self.shortest_of(flat)
        return min(self.tidy(formula), self.rearranged[flat], key=self.length)

    def shortest_of(self, flat: Any) -> Any:
        """The shortest form of an expanded sum: as it is, factored, or collected by one of its symbols."""
        sympy = self.sympy
        forms = [flat, sympy.factor_terms(flat), self.factored(flat)]
        if all(form.is_Add for form in forms) and _MANY_TERMS < len(flat.args) <= _MOST_TERMS:
            some = sorted(flat.free_symbols, key=str)[:_MOST_COLLECTED]
            forms += [self.collected(flat, symbol) for symbol in some]
        return min(map(self.tidy, forms), key=self.length)

    def collected(self, flat: Any, symbol: Any) -> Any:
        """An expanded sum as a polynomial in one symbol, its coefficients factored."""
        sympy = self.sympy
        coefficients: dict[Any, list[Any]] = {}
        for term in flat.args:
            rest, power = term.as_independent(symbol, as_Add=False)
            coefficients.setdefault(power, []).append(rest)
        return sympy.Add(*(power * self.factored(sympy.Add(*rest)) for power, rest in coefficients.items()))

    def tidy(self, formula: Any) -> Any:
        """A form with its sums scaled, and its fractions with factors that are positive."""
        form = self.monic(formula)
        return self.sympy.Add(*map(self.positive, form.args)) if form.is_Add else self.positive(form)

    def factored(self, formula: Any) -> Any:
        """The formula as a product, if it is one."""
        if formula not in self.factors:
            sums = formula.is_Add and irreducible(formula)
            self.factors[formula] = self.sympy.factor_terms(formula, clear=True) if sums else self.sympy.factor(formula)
        return self.factors[formula]

    def with_common(self, formula: Any) -> Any:
        """The formula with the common factors of the terms of each sum in front."""
        return self.sympy.factor_terms(formula, clear=False)

    def by_sums(self, formula: Any, known: dict[Any, Any], rearranged: Callable[[Any], Any]) -> Any:
        """The formula rearranged; in a product, each of its sums, most of which the metrics of a model share.

        known        a cache of rearranged sums.
        rearranged   the function that rearranges.
        """
        factors = [factor.as_base_exp() for factor in self.sympy.Mul.make_args(formula)]
        sums = [base for base, exponent in factors if base.is_Add and exponent.is_Integer]
        plain = all(base.is_Symbol or base in sums for base, exponent in factors if exponent.is_Integer)
        if not plain or not all(exponent.is_Integer for _, exponent in factors) or not all(map(self.primitive, sums)):
            return rearranged(formula)
        for item in sums:
            if item not in known:
                known[item] = rearranged(item)
        return self.sympy.Mul(*(known.get(base, base) ** exponent for base, exponent in factors))

    def primitive(self, total: Any) -> bool:
        """Whether the terms of a sum have no common numerical factor."""
        return total.as_content_primitive(clear=False)[0] == 1

    def factored_each(self, formula: Any) -> Any:
        """The fraction with each of its sums factored; metrics of a model share most of their sums."""
        sympy = self.sympy
        parts: list[Any] = []
        for factor in sympy.Mul.make_args(formula):
            base, exponent = factor.as_base_exp()
            if not base.is_Add or not exponent.is_Integer or not base.is_polynomial():
                if base.is_Add or not (base.is_Symbol or base.is_Rational) or not exponent.is_Integer:
                    return sympy.factor(formula)
                parts.append(factor)
                continue
            inner = sympy.Mul.make_args(self.factored(sympy.expand(base)))
            parts += [part**exponent for part in inner]
        number = sympy.Mul(*(part for part in parts if part.is_Rational))
        rest = sympy.Mul(*(part for part in parts if not part.is_Rational))
        return rest if number == 1 else sympy.Mul(number, *sympy.Mul.make_args(rest), evaluate=False)

    def monic(self, formula: Any) -> Any:
        """The sums of a product scaled to read best: (think + 0.281) / 0.135, not 200 think / 27 + 281 / 135."""
        sympy = self.sympy
        factors: list[Any] = [sympy.Integer(1), *sympy.Mul.make_args(formula)]
        for index, factor in enumerate(factors):
            base, exponent = factor.as_base_exp()
            if not base.is_Add or not exponent.is_Integer:
                continue
            forms = [factors]
            for size in dict.fromkeys(abs(term.as_coeff_Mul()[0]) for term in base.args):
                if size.is_Rational and size != 1:
                    scaled = sympy.Add(*(term / size for term in base.args)) ** exponent
                    forms.append([factors[0] * size**exponent, *factors[1:index], scaled, *factors[index + 1 :]])
            if len(forms) > 1:
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
