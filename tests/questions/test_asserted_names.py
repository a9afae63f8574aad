"""`--assert` of answers that tell distinct names: costs, formulas, and how a study fares."""

from pathlib import Path

import pytest

import qnet
import qnet.errors
from qnet.model.model import Model
from qnet.questions.cost.cost import cost
from qnet.questions.cost.report import cost_report
from qnet.questions.formula.formula import formula, formula_report

ONE = """
qnet = 1
title = "one"
[parameters]
rate = "10/s"
pages = 4
[stations]
cpu = {}
[classes.job]
arrival_rate = "rate"
steps = [ { station = "cpu", time = "40 ms" } ]
[outputs]
double = { value = "2 * response", unit = "ms" }
[costs.per_page]
of = "cpu"
per = "pages"
"""
"""A page costs 10 ms, the response is 40 ms / (1 - 0.4), the largest rate 25/s."""


@pytest.fixture
def one(tmp_path: Path) -> Model:
    path = tmp_path / "one.toml"
    path.write_text(ONE)
    return qnet.load(str(path))


@pytest.mark.parametrize(
    ("text", "true"),
    [
        ("per_page <= 10.001 ms", True),
        ("per_page < 9.999 ms", False),
        ("9.999 ms > per_page", False),
        ("pages * per_page < 40.001 ms", True),
        ("pages < 4", False),
        ("response < 67 ms", True),
        ("response < 66 ms", False),
        ("double < 134 ms", True),
        ("per_page < response / 7", False),
    ],
)
def test_costs_are_asserted_by_their_names(one: Model, text: str, true: bool):
    assert bool(cost_report(cost(one), asserted=[text]).broken) is not true


def test_a_cost_that_is_asked_for_is_named_cost(one: Model):
    (problem,) = cost_report(cost(one, of=["cpu"], per="2"), asserted=["cost < 19 ms"]).broken
    assert (problem.code, problem.found) == ("QN608", "asserted cost < 19 ms, found 20 ms")


def test_a_cost_is_asserted_at_every_point_of_the_grid(one: Model):
    found = cost(one, over=["pages=8,4,2,1"])
    (problem,) = cost_report(found, asserted=["per_page < 15 ms"]).broken
    assert problem.found == "asserted per_page < 15 ms, found 20 ms at 2 of 4 points, first at point 3"


def test_a_cost_needs_no_steady_state_and_a_figure_does(one: Model):
    found = cost(one, over=["rate=10/s,30/s"])
    assert not cost_report(found, asserted=["per_page < 11 ms"]).broken
    (problem,) = cost_report(found, asserted=["response < 1 s"]).broken
    assert problem.found == "asserted response < 1 s, but there is no answer at 1 of 2 points, first at point 2"


def test_a_point_without_a_cost_breaks_what_is_asserted_of_it(one: Model):
    (problem,) = cost_report(cost(one, over=["pages=0,4"]), asserted=["per_page > 0 s"]).broken
    assert "there is no answer at 1 of 2 points, first at point 1" in problem.found


def test_what_is_asserted_of_a_cost_is_checked(one: Model):
    with pytest.raises(qnet.errors.UsageError) as caught:
        cost_report(cost(one), asserted=["per_pag < 1 ms", "per_page < 3"])
    assert len(caught.value.problems) == 2


@pytest.mark.parametrize(
    ("of", "text", "true"),
    [
        ("max_rate", "max_rate >= 24.9/s", True),
        ("max_rate", "max_rate > 25.1/s", False),
        ("max_rate", "max_rate / rate > 2.4", True),
        ("response", "response < 66 ms", False),
        ("max_rate", "response < 67 ms", True),
    ],
)
def test_formulas_are_asserted_by_their_names_at_the_numbers_of_the_model(one: Model, of: str, text: str, true: bool):
    assert bool(formula_report(formula(one, of), [text]).broken) is not true


def test_a_parameter_that_is_solved_for_is_asserted_with_the_value_found(one: Model):
    """40 ms / (1 - rate 40 ms) = 80 ms at 12.5/s."""
    found = formula(one, "response", "rate", "80 ms")
    assert not formula_report(found, ["rate >= 12.49/s"]).broken
    assert formula_report(found, ["rate >= 12.51/s"]).broken
