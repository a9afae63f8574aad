"""Formulas of figures against the numeric solver: what they tell at random parameters is what it computes there."""

import pytest
from formulas import MIXED, NESTED, SHARED, SINGLE, SPLIT, formulas, model, some_numbers, used
from full import long_but
from many import many

import qnet
from qnet.errors import NotComputed
from qnet.questions.points.points import figures, solve_points
from qnet.questions.points.saturation import saturation


@pytest.mark.parametrize(
    "asked, reason",
    [("1/0", "division by zero"), ("response / (2 - 2)", "division by zero"), ("log(0)", "not defined")],
)
def test_a_metric_without_a_value_is_refused_with_the_reason(asked, reason):
    with pytest.raises(NotComputed) as refused:
        formulas(model(SINGLE), asked)
    (problem,) = refused.value.problems
    assert problem.code == "QN130" and reason in problem.found


@many("seed", range(5))
@pytest.mark.parametrize("text", long_but([SINGLE, SHARED, SPLIT], SINGLE), ids=["single", "shared", "split"])
def test_open_figures_are_those_of_the_solver(text, seed):
    system = model(text)
    numbers = some_numbers(system, seed)
    solved = figures(solve_points(system, numbers).parts[0].solution)
    answer = formulas(system, tuple(solved))
    for item in answer.formulas:
        if item.class_name or item.about:
            continue
        assert answer.at(item, used(answer, numbers)) == pytest.approx(solved[item.metric], rel=1e-12, abs=1e-300)


@many("seed", range(4))
@pytest.mark.parametrize("text", [SINGLE, SHARED, SPLIT, NESTED], ids=["single", "shared", "split", "nested"])
def test_utilization_by_station_group_is_that_of_the_solver(text, seed):
    system = model(text)
    numbers = some_numbers(system, seed)
    stations = {item.label: item for item in solve_points(system, numbers).parts[0].solution.stations}
    answer = formulas(system, "utilization")
    assert answer.formulas
    for item in answer.formulas:
        if item.about in stations:
            expected = stations[item.about].utilization
            assert answer.at(item, used(answer, numbers)) == pytest.approx(expected, rel=1e-12)


@many("seed", range(4))
def test_a_wait_inside_a_hold_of_one_server_is_a_formula(seed):
    system = model(NESTED)
    numbers = some_numbers(system, seed)
    solved = solve_points(system, numbers).parts[0].solution
    answer = formulas(system, "response")
    assert answer.at(answer.of("response"), used(answer, numbers)) == pytest.approx(solved.response, rel=1e-12)
    assert answer.reasons


@many("seed", range(5))
@pytest.mark.parametrize("text", [SINGLE, SHARED, SPLIT, MIXED], ids=["single", "shared", "split", "mixed"])
def test_the_largest_rate_is_where_the_steady_state_ends(text, seed):
    system = model(text)
    numbers = {**some_numbers(system, seed), "users": 0.0, "jobs": 0.0}
    numbers = {name: value for name, value in numbers.items() if name in system.parameters}
    answer = formulas(system, "max_rate")
    largest = min(answer.at(item, used(answer, numbers)) for item in answer.formulas)
    assert solve_points(system, {**numbers, "rate": largest * (1 - 1e-9)}).stable
    assert not solve_points(system, {**numbers, "rate": largest * (1 + 1e-9)}).stable


@pytest.mark.parametrize("text", [SINGLE, SPLIT], ids=["single", "split"])
def test_the_largest_rate_is_that_of_saturation(text):
    system = model(text)
    numbers = some_numbers(system, 5)
    answer = formulas(system, "max_rate")
    factor = saturation(system, solve_points(system, numbers), numbers).factor
    largest = min(answer.at(item, used(answer, numbers)) for item in answer.formulas)
    assert largest == pytest.approx(numbers["rate"] * factor, rel=1e-12)


def test_the_largest_rate_of_the_3990_6_is_a_formula_of_its_parts():
    system = qnet.load("ibm-3990-6")
    answer = formulas(system, "max_rate")
    names_used = set(answer.definitions)
    assert {"write_fraction", "read_hit", "block", "cu.destage_overhead", "cu.stage_overhead"} <= names_used
    assert answer.of("max_rate").about == "back_end"


@pytest.mark.parametrize("write_fraction", [0.0, 0.1, 0.2, 0.3, 0.5, 1.0])
def test_the_largest_rate_of_the_3990_6_is_the_numeric_one(write_fraction):
    system = qnet.load("ibm-3990-6")
    varied = {"write_fraction": write_fraction}
    solved = solve_points(system, varied)
    edge = saturation(system, solved, varied)
    answer = formulas(system, "max_rate")
    found = min((answer.at(item, varied), item.about) for item in answer.formulas if item.value is not None)
    assert found[0] == pytest.approx(600 * edge.factor, rel=1e-9)
    assert found[1] == edge.cause
