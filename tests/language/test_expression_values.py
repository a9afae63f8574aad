"""One evaluator for floats, arrays and symbols: the same values, and faults where there are none."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from many import many

from qnet.expression import ExpressionError, arrays, evaluate, parse, symbols


def random_expression(seed: random.Random, depth: int = 0) -> str:
    """An expression over a, b and c whose arithmetic is defined for positive values."""
    if depth > 3 or seed.random() < 0.2:
        return seed.choice(["a", "b", "c", "2", "0.5", "1.25", "3"])

    def inner() -> str:
        return random_expression(seed, depth + 1)

    form = seed.randrange(8)
    if form < 3:
        return f"({inner()} {seed.choice('+-*')} {inner()})"
    if form == 3:
        return f"({inner()} / (1 + abs({inner()})))"
    if form == 4:
        return f"({seed.choice(['abs', 'floor', 'ceil'])}({inner()}) // 1.5)"
    if form == 5:
        return f"{seed.choice(['min', 'max'])}({inner()}, {inner()}, {inner()})"
    if form == 6:
        return seed.choice(
            [f"sqrt(abs({inner()}))", f"log(1 + abs({inner()}))", f"exp(-abs({inner()}))", f"abs({inner()}) ** 2"]
        )
    return f"where({inner()} {seed.choice(['<', '<=', '>', '>='])} {inner()}, {inner()}, {inner()})"


@many("number", range(60))
def test_arrays_give_what_floats_give(number: int):
    seed = random.Random(number)
    text = random_expression(seed)
    root = parse(text).root
    points = [{name: seed.uniform(0.1, 5) for name in "abc"} for _ in range(5)]
    batch = {name: np.array([point[name] for point in points]) for name in "abc"}
    found = np.broadcast_to(evaluate(root, batch, arrays()), (5,))
    for index, point in enumerate(points):
        assert found[index] == pytest.approx(evaluate(root, point), rel=1e-12, abs=1e-12), text


@many("number", range(25))
def test_symbols_give_what_floats_give(number: int):
    import sympy

    seed = random.Random(1000 + number)
    text = random_expression(seed, depth=1)
    root = parse(text).root
    # Eighths are exact in both, so that no comparison or floor falls to different sides.
    point = {name: seed.randint(1, 40) / 8 for name in "abc"}
    names = {name: sympy.Symbol(name, positive=True) for name in "abc"}
    formula = evaluate(root, names, symbols())
    exact = {names[name]: sympy.Rational(point[name]) for name in "abc"}
    assert float(formula.subs(exact)) == pytest.approx(evaluate(root, point), rel=1e-12, abs=1e-12), text


def test_a_formula_keeps_numbers_as_they_were_written():
    import sympy

    formula = evaluate(parse("0.1 * x + 10 ms").root, {"x": sympy.Symbol("x")}, symbols())
    assert str(formula) == "x/10 + 1/100"


@pytest.mark.parametrize("text", ["9**9**9", "1.0000001**1000000", "(1/3)**9999999"])
def test_an_exact_power_that_fills_the_memory_is_refused(text: str):
    with pytest.raises(ExpressionError, match="too large"):
        evaluate(parse(text).root, {}, symbols())


def test_an_exact_power_of_a_thousand_digits_is_not():
    assert evaluate(parse("10**1000").root, {}, symbols()) == 10**1000


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 / a", "division by zero"),
        ("1 // a", "division by zero"),
        ("a ** -1", "division by zero"),
        ("sqrt(a - 1)", "the function is not defined for this argument"),
        ("log(a)", "the function is not defined for this argument"),
        ("(a - 8) ** 0.5", "a negative number has no such power"),
        ("exp(1000 + a)", "the value is too large"),
        ("interp(1, a, 2, a, 3)", "the points of interp do not rise"),
    ],
)
def test_arithmetic_without_a_value_is_told(text: str, words: str):
    with pytest.raises(ExpressionError, match=words) as caught:
        evaluate(parse(text).root, {"a": 0.0})
    assert caught.value.code == "QN130"


def test_the_column_is_that_of_the_part_that_fails():
    with pytest.raises(ExpressionError) as caught:
        evaluate(parse("1 + 2 * log(a)").root, {"a": 0.0})
    assert caught.value.column == 8


def test_over_floats_only_the_branch_that_holds_is_computed():
    assert evaluate(parse("where(a > 0, 1 / a, 7)").root, {"a": 0.0}) == 7


@pytest.mark.parametrize(
    "text", ["where(b > 0, b / a, 7)", "where(b > 0, (a - 8) ** 0.5, 7)", "where(b > 0, 10 ** (400 + a), 7)"]
)
def test_over_arrays_a_part_that_fails_counts_only_where_it_is_chosen(text: str):
    with np.errstate(all="ignore"):
        found = evaluate(parse(text).root, {"a": 0.0, "b": np.array([-1.0, 1.0])}, arrays())
    assert found[0] == 7
    assert not np.isfinite(found[1])


def test_interpolation_over_arrays_refuses_points_that_do_not_rise():
    found = evaluate(parse("interp(1, 0, 1, a, 2)").root, {"a": np.array([2.0, -1.0])}, arrays())
    assert found[0] == 1.5
    assert math.isnan(found[1])


def test_a_choice_is_compared_by_its_word():
    root = parse("where(mode == 'slow', 2, 1)").root
    choices = {"mode": ("fast", "slow")}
    assert [evaluate(root, {"mode": index}, choices=choices) for index in (0.0, 1.0)] == [1, 2]


def test_a_choice_is_compared_at_every_point_of_a_batch():
    root = parse("where('fast' != mode, 2, 1)").root
    found = evaluate(root, {"mode": np.array([0.0, 1.0, 0.0])}, arrays(), {"mode": ("fast", "slow")})
    assert found.tolist() == [1, 2, 1]
