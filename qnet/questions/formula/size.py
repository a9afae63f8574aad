"""How many terms an expression would have over one denominator: what putting it there, and factoring it, would cost."""

from __future__ import annotations

from math import comb
from typing import Any

from qnet import budget

_MOST = 10**9
"""More terms are not counted."""
_TERM = 4e5
"""Operations of a term that is expanded and factored."""

_Denominators = dict[Any, int]
"""By the base of a denominator its power."""


def terms(formula: Any) -> int:
    """The terms of the numerator, expanded, at most; nothing is computed of the expression itself."""
    count, below = _parts(formula, {})
    return max(count, _expanded(below, {}))


def affordable(formula: Any, most: int) -> bool:
    """Whether an expression has at most a number of terms over one denominator; charged to the account, if it has."""
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
    """The terms of a sum of a number of terms, multiplied out."""
    if count == 1 or power == 0:
        return 1
    if power > 64 or count > 10**4:
        return min(count ** min(power, 3), _MOST)
    return min(comb(count + power - 1, power), _MOST)
