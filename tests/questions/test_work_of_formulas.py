"""What formulas take of algebra, by counts: metrics of one model share most of their sums, each rearranged once."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import sympy  # noqa: TID253
from full import long_but

from qnet.expression import symbols
from qnet.model.load import load
from qnet.questions.formula.formula import formula
from qnet.questions.formula.simplifier import Simplifier


@pytest.fixture
def rearranged(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, Any]]:
    """How often sympy rearranged each formula, by the name of what it did."""
    counts: Counter[tuple[str, Any]] = Counter()

    def count(name: str) -> None:
        function = getattr(module, name)

        def counted(item: Any, *more: Any, **named: Any) -> Any:
            counts[name, item] += 1
            return function(item, *more, **named)

        monkeypatch.setattr(module, name, counted)

    module = symbols().sympy
    for name in ("factor", "together", "collect"):
        count(name)
    return counts


@pytest.mark.parametrize(("system", "most"), long_but([("p390", 0), ("ibm-3990-6", 14)], ("p390", 0)))
def test_a_sum_that_metrics_share_is_factored_once(
    system: str, most: int, rearranged: Counter[tuple[str, Any]]
) -> None:
    """Not at all where it is plain that a sum is no product."""
    formula(load(system))
    factored = [count for (name, item), count in rearranged.items() if name == "factor" and item.is_Add]
    assert len(factored) <= most
    assert all(count == 1 for count in factored)
    assert not any(name == "collect" for name, _ in rearranged)


@pytest.mark.long
def test_fractions_are_put_over_one_denominator_sum_by_sum(rearranged: Counter[tuple[str, Any]]) -> None:
    formula(load("ibm-3990-6"))
    together = {item: count for (name, item), count in rearranged.items() if name == "together"}
    assert max(count for item, count in together.items() if item.is_Add) == 1
    assert sum(together.values()) <= 20


def test_a_form_is_measured_only_against_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    simplifier = Simplifier({"a": 2.0, "b": 3.0, "c": 5.0})
    a, b, c = sympy.symbols("a b c")
    monkeypatch.setattr(Simplifier, "length", lambda *_: pytest.fail("there is no other form"))
    assert simplifier.monic(c * (a + b)) == c * (a + b)


A, B, C, X = sympy.symbols("a b c x")


@pytest.mark.parametrize(
    "item",
    [
        A * X + B * X + C,
        2 * A * X / 3 + 4 * B * X / 3,
        (A * X + B * X) / (C * A + C * B),
        X * (A * B + A * C) ** 2 / (6 * B + 4 * X),
        (A**2 - B**2) / (A * X + B * X),
        -A * X - B * X,
        sympy.Rational(2, 3) * (A + B) * X,
    ],
)
def test_sums_factored_one_by_one_are_what_they_are_factored_together(item: Any) -> None:
    simplifier = Simplifier({"a": 2.0, "b": 3.0, "c": 5.0, "x": 7.0})
    assert simplifier.factored_each(item).equals(item)
    assert sympy.expand(simplifier.factored_each(item) - sympy.factor(item)) == 0
    assert simplifier.by_sums(item, {}, sympy.together).equals(item)
    assert simplifier.by_sums(item, {}, simplifier.with_common).equals(item)


@pytest.mark.parametrize("symbol", [A, B, C, X])
def test_a_sum_is_collected_as_sympy_does(symbol: Any) -> None:
    flat = sympy.expand((A + B * X) * (C + X**2) + A * B * C + 2 * X)
    simplifier = Simplifier({"a": 2.0, "b": 3.0, "c": 5.0, "x": 7.0})
    assert simplifier.collected(flat, symbol) == sympy.collect(flat, symbol, simplifier.factored)
