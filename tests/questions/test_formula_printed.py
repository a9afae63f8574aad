"""How formulas are printed, and in which names."""

import pytest
from formulas import CLOSED, EXAMPLES, MIXED, SHARED, SINGLE, SPLIT, formulas, model, used

import qnet
from qnet.expression import evaluate, parse
from qnet.model.settings import with_settings
from qnet.questions.cost.cost import cost
from qnet.questions.formula.formula import formula
from qnet.questions.formula.text import latex_of, text_of


@pytest.mark.parametrize("text", [SINGLE, SHARED, SPLIT, CLOSED, MIXED])
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
            expected = cost(changed, [name]).found[0].value
            if expected is not None:
                found = answer.at(answer.of("cost", name), used(answer, {"users": users}))
                assert found == pytest.approx(expected, rel=1e-12)


def test_a_way_that_nobody_goes_is_not_dropped_in_silence():
    system = with_settings(qnet.load(str(EXAMPLES / "web-shop.toml")), {"buy": "0"})
    answer = formula(system, "demand")
    assert answer.fixed == {"buy": 0.0}
    assert "buy" not in answer.definitions


def test_latex_has_matching_braces():
    for text in (SINGLE, SHARED, CLOSED, MIXED):
        for item in formulas(model(text), ()).formulas:
            latex = latex_of(item.expression)
            assert latex.count("{") == latex.count("}")
            assert latex.count(r"\left") == latex.count(r"\right")
            assert r"\_" not in latex
