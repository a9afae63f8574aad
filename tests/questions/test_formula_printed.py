"""How formulas are printed, and in which names."""

import importlib
from typing import Any

import pytest
from formulas import CLOSED, EXAMPLES, MIXED, SHARED, SINGLE, SPLIT, formulas, model, used
from full import long_but

import qnet
from qnet.expression import evaluate, parse, symbols
from qnet.model.settings import with_settings
from qnet.questions.cost.cost import cost
from qnet.questions.formula.algebra import evaluated, irreducible
from qnet.questions.formula.formula import formula
from qnet.questions.formula.text import latex_of, text_of

sympy: Any = importlib.import_module("sympy")


@pytest.mark.parametrize("text", long_but([SINGLE, SHARED, SPLIT, CLOSED, MIXED], SINGLE, CLOSED, MIXED))
def test_printed_formulas_are_expressions_of_the_language(text):
    system = model(text)
    answer = formulas(system, ())
    numbers = {name: item.value for name, item in answer.definitions.items()}
    for item in answer.formulas:
        printed = text_of(item.expression)
        if "erlang_c" not in printed and item.value is not None:
            assert evaluate(parse(printed).root, numbers) == pytest.approx(item.value, rel=1e-12)


def test_expanding_and_keeping_change_the_names_and_no_value():
    system = model(SHARED)
    whole, expanded = formula(system, "demand"), formula(system, "demand", expand=True)
    kept = formula(system, "demand", keep=["hit"])
    assert "slow" in whole.definitions
    assert "slow" not in expanded.definitions
    assert {name for item in kept.formulas for name in map(str, item.expression.free_symbols)} <= {
        "hit",
        "slow",
        "disks",
    }
    for other in (expanded, kept):
        assert [item.value for item in other.formulas] == pytest.approx([item.value for item in whole.formulas])


SYMPY_NAMES = ("I", "E", "N", "S", "Q", "O", "C", "beta", "gamma", "zeta", "pi", "oo", "symbols", "Symbol", "diff")


def test_names_that_mean_something_elsewhere_are_parameters():
    lines = "\n".join(f"{name} = {number + 2}" for number, name in enumerate(SYMPY_NAMES))
    system = model(
        f"[parameters]\n{lines}\n[stations]\ncpu = {{}}\n[classes.job]\narrival_rate = '1/s'\n"
        f"steps = [ {{ station = 'cpu', time = '0.0001 s * ({' + '.join(SYMPY_NAMES)})' }} ]\n"
    )
    answer = formula(system, "demand")
    assert {str(item) for item in answer.formulas[0].expression.free_symbols} == set(SYMPY_NAMES)
    assert answer.formulas[0].value == pytest.approx(0.0001 * sum(range(2, 2 + len(SYMPY_NAMES))))


def test_a_cost_is_the_one_that_qnet_cost_computes():
    system = qnet.load(str(EXAMPLES / "paging-users.toml"))
    for users in (200.0, 400.0):
        changed = with_settings(system, {"users": repr(users)})
        for name in system.costs:
            answer = formulas(system, name)
            expected = cost(changed, [name]).points[0].value
            if expected is not None:
                found = answer.at(answer.of("cost", name), used(answer, {"users": users}))
                assert found == pytest.approx(expected, rel=1e-12)


def test_a_way_that_nobody_goes_is_not_dropped_in_silence():
    system = with_settings(qnet.load(str(EXAMPLES / "web-shop.toml")), {"buy": "0"})
    answer = formula(system, "demand")
    assert answer.fixed == {"buy": 0.0}
    assert "buy" not in answer.definitions


@pytest.mark.long
def test_latex_has_matching_braces():
    for text in (SINGLE, SHARED, CLOSED, MIXED):
        for item in formulas(model(text), ()).formulas:
            latex = latex_of(item.expression)
            assert latex.count("{") == latex.count("}")
            assert latex.count(r"\left") == latex.count(r"\right")
            assert r"\_" not in latex


X, Y, Z, W = sympy.symbols("x y z w")


@pytest.mark.parametrize(
    "total",
    [
        X * Y + Z,
        2 * X * Y * Z + X * W - X * Y**2,
        X * Y + X * Z + W,
        X + Y / 2 + sympy.Rational(3, 7),
        Y**3 - Y + X * Z,
        X**2 * Y + X**2 * Z - X**2,
    ],
)
def test_sums_that_are_plainly_no_product_are_none(total):
    assert irreducible(total)
    _, factors = sympy.factor_list(total)
    assert [power for factor, power in factors if factor.is_Add] == [1]


@pytest.mark.parametrize(
    "total",
    [
        X**2 - Y**2,
        X * Y + X * Z + W * Y + W * Z,
        X**2 + 2 * X + 1,
        1 / X + 1 / X**2 - Y**2,
        1 / X + Y,
        sympy.exp(X) + Y,
        X + 0.5,
    ],
)
def test_other_sums_are_left_to_be_factored(total):
    assert not irreducible(sympy.expand(total))


def test_few_sums_are_factored(monkeypatch):
    factored = []
    sympy = symbols().sympy
    factor = sympy.factor

    def counted(total):
        factored.append(total)
        return factor(total)

    monkeypatch.setattr(sympy, "factor", counted)
    formula(qnet.load("p390"))
    assert 0 < len(factored) < 100


def test_a_root_of_an_enormous_number_is_taken_with_digits():
    """As an exact fraction its power is a root of degree 2^52, of which sympy seeks the factors for minutes."""
    base, power = sympy.Symbol("base"), sympy.Symbol("power")
    numbers = {"base": 1234567.891, "power": 0.0445}
    assert evaluated(base**power - base ** sympy.Rational(42599, 957401), numbers) == pytest.approx(
        1234567.891**0.0445 - 1234567.891 ** (42599 / 957401), rel=1e-9
    )
    assert evaluated(sympy.sqrt(base) * sympy.sqrt(base), numbers) == 1234567.891
    nested = (base**power + 1) ** power
    assert evaluated(nested, numbers) == pytest.approx((1234567.891**0.0445 + 1) ** 0.0445, rel=1e-14)
