"""Grids of values and conditions."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from language_models import SOUND, model_of

from qnet.errors import UsageError
from qnet.model.conditions import condition
from qnet.model.grids import grid
from qnet.model.model import Model
from qnet.units import DATA_RATE, NUMBER, TIME


@pytest.fixture(scope="module")
def model() -> Model:
    return model_of(SOUND)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("hit=0:0.5:0.1", (0, 0.1, 0.2, 0.3, 0.4, 0.5)),
        ("hit = 0.5 : 0 : -0.1", (0.5, 0.4, 0.3, 0.2, 0.1, 0)),
        ("hit=0:1:0.3", (0, 0.3, 0.6, 0.9)),
        ("hit=-0.3:0.3:0.1", (-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3)),
        ("disks=1:5", (1, 2, 3, 4, 5)),
        ("disks=3:3", (3,)),
        ("hit=0.1234567890123:1:0.5", (0.1234567890123, 0.6234567890123)),
        ("hit=0:0.8765432109876543:0.8765432109876543", (0, 0.8765432109876543)),
        ("hit=0.5, 1/4, 0", (0.5, 0.25, 0)),
        ("hit=0.5", (0.5,)),
        ("rate=10/s:30/s:10/s", (10, 20, 30)),
        ("work=1 ms, 2 ms, 5 ms", (0.001, 0.002, 0.005)),
        ("work=1 ms:2 ms:0.5 ms", (0.001, 0.0015, 0.002)),
        ("rate=log(1/s, 1000/s, 4)", (1, 10, 100, 1000)),
        ("hit=log(1, 0.01, 3)", (1, 0.1, 0.01)),
        ("mode=fast, slow", (0, 1)),
        ("mode='slow'", (1,)),
    ],
)
def test_a_grid_has_exactly_its_values(model: Model, text: str, values: tuple[float, ...]):
    found = grid(text, model)
    assert found.name == text.partition("=")[0].strip()
    assert found.values == values


def test_the_ends_of_a_geometric_grid_are_exact(model: Model):
    values = grid("hit=log(0.1, 0.7, 7)", model).values
    assert (values[0], values[-1], len(values)) == (0.1, 0.7, 7)
    ratios = [after / before for before, after in pairwise(values)]
    assert ratios == pytest.approx([7 ** (1 / 6)] * 6)


def test_a_geometric_grid_may_span_all_floats(model: Model):
    values = grid("hit=log(1e-299, 1e299, 3)", model).values
    assert values == (1e-299, pytest.approx(1), 1e299)


@pytest.mark.parametrize("first", ["1e-300", "0.1", "0", "-7", "1e15"])
@pytest.mark.parametrize("step", ["1e-3", "0.1", "3", "1/7"])
def test_a_grid_is_as_near_to_its_steps_as_floats_allow(model: Model, first: str, step: str):
    begin, width = float(first), eval_fraction(step)
    values = grid(f"hit={first}:{begin + 5 * width!r}:{step}", model).values
    assert values[0] == begin
    for index, value in enumerate(values):
        assert math.isclose(value, begin + index * width, rel_tol=1e-13, abs_tol=1e-13 * width)


def eval_fraction(text: str) -> float:
    top, _, bottom = text.partition("/")
    return float(top) / float(bottom or 1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hit", '"hit" is not a grid; expected name=values, such as write_fraction=0:0.5:0.1'),
        ("hits=1", 'unknown parameter "hits"'),
        ("hit=", "the expression is empty"),
        ("hit=1,,2", "the expression is empty"),
        ("hit=0:1:0", "the step does not lead from the first value to the last"),
        ("hit=0:1:-1", "the step does not lead from the first value to the last"),
        ("hit=1:0:1", "the step does not lead from the first value to the last"),
        ("hit=0:1:1e-300", "the grid has 1e+300 values, more than 1000000"),
        ("hit=0:1:1e-320", "the grid has inf values, more than 1000000"),
        ("hit=0:1e300:1e-300", "the value is too large or not a number"),
        ("hit=1e200*1e200", "the value is too large or not a number"),
        ("hit=0:1:1:1", "a range has first:last or first:last:step"),
        ("rate=1/s:5/s", "a range of a quantity needs a step"),
        ("rate=1:5:1", '"1" is a plain number, and "rate" is a rate (such as 600/s)'),
        ("hit=1 ms", '"1 ms" is a time (such as 10 ms), and "hit" is a plain number'),
        ("hit=disks", 'unknown name "disks"'),
        ("hit=1/0", "division by zero"),
        ("hit=log(1, 2)", "a geometric grid is log(first, last, count)"),
        ("hit=log(0, 1, 5)", "a geometric grid needs positive ends and an integer count of at least 2"),
        ("hit=log(1, 2, 2.5)", "a geometric grid needs positive ends and an integer count of at least 2"),
        ("hit=log(1, 2, 1e9)", "the grid has 1e+09 values, more than 1000000"),
        ("mode=fast:slow", "a choice has no range; list its words with commas"),
        ("mode=log(fast, slow, 2)", "a choice has no geometric grid; list its words with commas"),
        ("mode=fats", '"fats" is not an option of "mode"'),
        ("hit=" + "1," * 20_000, "the grid has 40004 characters"),
    ],
)
def test_a_grid_that_is_none_is_told(model: Model, text: str, words: str):
    with pytest.raises(UsageError) as caught:
        grid(text, model)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("text", "operator", "dimension"),
    [
        ("response <= 10 ms", "<=", TIME),
        ("  response < 2 * work ", "<", TIME),
        ("utilization('disk') <= 70 %", "<=", NUMBER),
        ("data_rate >= 1 MiB/s", ">=", DATA_RATE),
        ("response('miss') - response('hit') <= work", "<=", TIME),
        ("0 <= response", ">=", TIME),  # the figure first: response >= 0
    ],
)
def test_a_condition_compares_two_quantities(model: Model, text: str, operator: str, dimension: object):
    found = condition(text, model)
    assert (found.operator, found.dimension, found.source) == (operator, dimension, text.strip())


def test_space_around_a_condition_does_not_matter(model: Model):
    assert condition("  response <= 10 ms ", model).metric.root == condition("response <= 10 ms", model).metric.root


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("response", "this is not a condition"),
        ("response == 10 ms", "this is not a condition"),
        ("1 ms < response < 2 ms", "comparisons cannot be chained"),
        ("response <= 10", "a time (such as 10 ms) is compared with a plain number"),
        ("response <= 10 KB", 'the unit "KB" is ambiguous or unknown'),
        ("respose <= 10 ms", 'unknown name "respose"'),
        ("utilization('dsk') <= 1", "unknown name \"utilization('dsk')\""),
        ("response <= mode", '"mode" is a choice and not a number'),
        ("", "the expression is empty"),
    ],
)
def test_a_condition_that_is_none_is_told(model: Model, text: str, words: str):
    with pytest.raises(UsageError) as caught:
        condition(text, model)
    assert words in str(caught.value)


@pytest.mark.parametrize(("operator", "kept"), [("<", "b"), ("<=", "be"), (">", "a"), (">=", "ae")])
def test_a_condition_holds_below_at_or_above_its_bound_as_it_says(model: Model, operator: str, kept: str):
    asked = condition(f"response {operator} 10 ms", model)
    found = [asked.holds(value, 2.0) for value in (1.0, 2.0, 3.0, math.nan)]
    assert found == [*(side in kept for side in "bea"), False]
