"""Algebra of formulas: their values, equations solved for a parameter, and the number of terms over one denominator."""

from __future__ import annotations

from collections.abc import Mapping
from math import comb
from typing import Any

from qnet import budget
from qnet.errors import NotComputed, Problem
from qnet.expression import symbols
from qnet.queues.erlang import erlang_c
from qnet.record import Record

_MOST = 10**9
"""The bound on the count of terms."""
_TERM = 4e5
"""Operations to expand and factor a term."""

_Denominators = dict[Any, int]
"""The powers of denominators, by base."""


MOST_FACTORED = 600
"""Most operations of an equation that is factored."""
MOST_SOLVED = 2000
"""Most operations of an equation that is solved."""
MOST_TERMS = 6000
"""Most terms, over one denominator, of an equation that is solved."""
FEW_SERVERS = 2
"""Most servers for which Erlang's C is written out where an equation is solved."""
MOST_ROOT = 100
"""The largest denominator of an exponent for which a power is computed exactly."""
_DIGITS = 50
"""Decimal digits of other exponents: far more than a float has, so that none is lost."""
_ROUNDED = ("floor", "ceiling")


def terms(formula: Any) -> int:
    """An upper bound on the terms of the expanded numerator, without expanding it."""
    count, below = _parts(formula, {})
    return max(count, _expanded(below, {}))


def affordable(formula: Any, most: int) -> bool:
    """Whether a formula has at most `most` terms over one denominator; if so, their cost is charged to the budget."""
    count = terms(formula)
    if count <= most:
        budget.spend(_TERM * count, "algebra")
    return count <= most


def _parts(formula: Any, known: dict[Any, tuple[int, _Denominators]]) -> tuple[int, _Denominators]:
    """The terms of the numerator, and the denominators; equal ones count once."""
    if formula.is_Atom or not (formula.is_Add or formula.is_Mul or formula.is_Pow):
        return 1, {}
    if formula not in known:
        known[formula] = _sum(formula, known) if formula.is_Add else _product(formula, known)
    return known[formula]


def _sum(formula: Any, known: dict[Any, tuple[int, _Denominators]]) -> tuple[int, _Denominators]:
    pairs = [_parts(item, known) for item in formula.args]
    below: _Denominators = {}
    for _, denominators in pairs:
        for base, power in denominators.items():
            below[base] = max(power, below.get(base, 0))
    count = 0
    for above, denominators in pairs:
        missing = {base: power - denominators.get(base, 0) for base, power in below.items()}
        count += above * _expanded(missing, known)
    return min(count, _MOST), below


def _product(formula: Any, known: dict[Any, tuple[int, _Denominators]]) -> tuple[int, _Denominators]:
    count = 1
    below: _Denominators = {}
    for item in formula.args if formula.is_Mul else (formula,):
        base, exponent = item.as_base_exp()
        if not exponent.is_Integer:
            continue
        above, under = _parts(base, known)
        power = abs(int(exponent))
        if exponent < 0 and not base.is_Number:
            below[base] = below.get(base, 0) + power
            above, under = _expanded(under, known), {}
        count *= _power(above, power)
        for denominators, times in under.items():
            below[denominators] = below.get(denominators, 0) + times * power
    return min(count, _MOST), below


def _expanded(below: _Denominators, known: dict[Any, tuple[int, _Denominators]]) -> int:
    """The terms of a product of denominators."""
    count = 1
    for base, power in below.items():
        count = min(count * _power(_parts(base, known)[0], power), _MOST)
    return count


def _power(count: int, power: int) -> int:
    """The number of terms of a power of a sum with `count` terms, expanded."""
    if count == 1 or power == 0:
        return 1
    if power > 64 or count > 10**4:
        return min(count ** min(power, 3), _MOST)
    return min(comb(count + power - 1, power), _MOST)


def evaluated(formula: Any, numbers: Mapping[str, float]) -> float | None:
    """The value of a formula with numbers for all its symbols; None where it has none.

    Computed in fractions and rounded once at the end; roots, exponentials and logarithms with 30 digits. Powers whose
    exponent is no simple fraction have 50 digits, because exact ones are roots of enormous numbers, which take minutes.
    """
    sympy: Any = symbols().sympy
    values: dict[Any, Any] = {symbol: sympy.Rational(numbers[symbol.name]) for symbol in formula.free_symbols}
    powers = (power for power in formula.atoms(sympy.Pow) if not power.exp.is_Integer)
    for power in sorted(powers, key=sympy.count_ops):
        exponent = power.exp.xreplace(values)
        if exponent.is_Rational and exponent.q > MOST_ROOT:
            values[power] = sympy.Pow(power.base.xreplace(values), sympy.Float(exponent, _DIGITS))
    result = formula.xreplace(values)
    result = result.replace(_is_erlang, _erlang_value)
    result = result.doit().evalf(30)
    return float(result) if result.is_Number and result.is_finite else None


def irreducible(total: Any) -> bool:
    """Whether a sum of products is certainly not a product of sums; False where that is not evident.

    If it is linear in a symbol, a x + b, its factors are common divisors of a and b, which are single terms where a or
    b is one.
    """
    powers: list[dict[Any, int]] = []
    for term in total.args:
        number, rest = term.as_coeff_Mul()
        factors = {base: power for base, power in rest.as_powers_dict().items() if base != 1}
        plain = all(base.is_Symbol and power.is_Integer and power > 0 for base, power in factors.items())
        if not number.is_Rational or not plain:
            return False
        powers.append(factors)
    for symbol in total.free_symbols:
        degrees = [factors.get(symbol, 0) for factors in powers]
        least = min(degrees)
        linear = sum(degree == least + 1 for degree in degrees)
        absent = degrees.count(least)
        if linear + absent == len(degrees) and min(linear, absent) == 1:
            return True
    return False


def _is_erlang(item: Any) -> bool:
    return getattr(getattr(item, "func", None), "__name__", "") == "erlang_c"


def _erlang_value(item: Any) -> Any:
    sympy: Any = symbols().sympy
    servers, offered = item.args
    count = int(servers.doit())
    load = offered.doit()
    return erlang_c(count, load) if count <= 40 and load.is_Rational else sympy.Float(erlang_c(count, float(load)), 30)


class SolvedFormula(Record):
    """A parameter as a formula of the others."""

    formula: Any
    assumed: tuple[str, ...]
    """The branches of Min, Max and where that were chosen as at the numbers."""


def solved(equation: Any, wanted: Any, numbers: Mapping[str, float], about: str) -> SolvedFormula:
    """The parameter at which an expression is 0, as a formula.

    Applies   to expressions that are rational in the parameter, of degree 2 at most after factoring; for minima, maxima
              and wheres of the parameter, the branch at the numbers; Erlang's C with at most two servers.
    equation  the expression that is to be 0, and is 0 at the numbers.
    wanted    the symbol of the parameter.
    numbers   the values of all symbols, which decide the branch of the answer.
    about     the subject of messages.
    Returns   the formula, and its assumptions.
    Raises    `NotComputed` QN522 with the reason where algebra has no answer.
    """
    sympy: Any = symbols().sympy
    assumed: list[str] = []
    flat = _branches(_small_erlang(equation, wanted), wanted, numbers, assumed, sympy)
    if not flat.has(wanted):
        raise _refused(about, f'it does not depend on "{wanted.name}"')
    for item in sorted(flat.atoms(sympy.Function), key=str):
        if item.has(wanted):
            raise _refused(about, _why(item, wanted))
    if sympy.count_ops(flat) > MOST_SOLVED:
        raise _refused(about, f"the equation has more than {MOST_SOLVED} operations")
    slope = flat.diff(wanted)
    if not slope.has(wanted):
        return SolvedFormula(-flat.subs(wanted, 0) / slope, tuple(assumed))
    if not affordable(flat, MOST_TERMS):
        raise _refused(about, f"the equation has more than {MOST_TERMS} terms over one denominator")
    top, _ = sympy.fraction(sympy.together(flat))
    try:
        polynomial = sympy.Poly(top, wanted)
    except sympy.PolynomialError:
        raise _refused(about, f'"{wanted.name}" is in an exponent or under a root') from None
    factors = [polynomial] if polynomial.degree() <= 1 else _factors(polynomial, wanted, sympy)
    return SolvedFormula(_root(factors, wanted, numbers, about, sympy), tuple(assumed))


def _factors(polynomial: Any, wanted: Any, sympy: Any) -> list[Any]:
    expression = polynomial.as_expr()
    if sympy.count_ops(expression) > MOST_FACTORED:
        return [polynomial]
    _, result = sympy.factor_list(expression)
    return [sympy.Poly(factor, wanted) for factor, _ in result if factor.has(wanted)]


def _root(factors: list[Any], wanted: Any, numbers: Mapping[str, float], about: str, sympy: Any) -> Any:
    """The root that is the value of the parameter at the numbers."""
    value, nearest, best = numbers[wanted.name], float("inf"), None
    for factor in factors:
        for root in _roots(factor, sympy):
            result = evaluated(root, numbers)
            if result is not None and abs(result - value) < nearest:
                nearest, best = abs(result - value), root
    if best is None or nearest > 1e-6 * max(abs(value), 1e-300):
        degree = max(factor.degree() for factor in factors)
        if degree > 2:
            raise _refused(about, f'the equation is of degree {degree} in "{wanted.name}"')
        raise _refused(about, f'no branch of the solution is the value of "{wanted.name}" in the model')
    return best


def _roots(factor: Any, sympy: Any) -> list[Any]:
    if factor.degree() == 1:
        slope, constant = factor.all_coeffs()
        return [-constant / slope]
    if factor.degree() != 2:
        return []
    square, slope, constant = factor.all_coeffs()
    spread = sympy.sqrt(sympy.factor_terms(slope**2 - 4 * square * constant))
    return [(-slope + spread) / (2 * square), (-slope - spread) / (2 * square)]


def _small_erlang(formula: Any, wanted: Any) -> Any:
    """The formula with Erlang's C of few servers written out, where it depends on the parameter."""

    def small(item: Any) -> bool:
        return _is_erlang(item) and item.has(wanted) and item.args[0].is_Integer and item.args[0] <= FEW_SERVERS

    return formula.replace(small, _written_out)


def _written_out(item: Any) -> Any:
    return erlang_c(int(item.args[0]), item.args[1])


def _branches(formula: Any, wanted: Any, numbers: Mapping[str, float], assumed: list[str], sympy: Any) -> Any:
    """The formula with every Min, Max and where that depends on the parameter replaced by its branch at the numbers."""

    def pick(item: Any) -> Any:
        if isinstance(item, sympy.Piecewise):
            for value, condition in item.args:
                decided = condition.subs({mark: sympy.Rational(numbers[mark.name]) for mark in condition.free_symbols})
                if decided == sympy.true:
                    chosen = value
                    break
            else:
                return item
        else:
            values = [(evaluated(value, numbers), value) for value in item.args]
            known = [(number, value) for number, value in values if number is not None]
            if not known:
                return item
            choose = min if isinstance(item, sympy.Min) else max
            chosen = choose(known, key=lambda pair: pair[0])[1]
        assumed.append(f"{item} is {chosen}")
        return chosen

    kinds = (sympy.Min, sympy.Max, sympy.Piecewise)

    def depends(item: Any) -> bool:
        return isinstance(item, kinds) and bool(item.has(wanted))

    return formula.replace(depends, pick)


def _why(item: Any, wanted: Any) -> str:
    name = item.func.__name__
    if name == "erlang_c":
        return f'"{wanted.name}" is in Erlang\'s C with more than {FEW_SERVERS} servers, or a symbolic number of them'
    if name in _ROUNDED:
        return f'"{wanted.name}" is rounded to integers ({name})'
    return f'"{wanted.name}" is in a transcendental function ({name})'


def _refused(about: str, reason: str) -> NotComputed:
    help = "qnet envelope finds it numerically: --vary the parameter, --limit the metric"
    return NotComputed(Problem("QN522", f"{about}: {reason}", "an equation with a closed solution", help=help))
