"""Formulas that are solved for a parameter, and what has none."""

import pytest
from formulas import CLOSED, MIXED, NESTED, SHARED, SINGLE, SPLIT, formulas, model

import qnet
from qnet.errors import NotComputed, UsageError
from qnet.questions.formula.formula import formula
from qnet.questions.formula.metrics import METRICS, names
from qnet.questions.formula.text import text_of


def taking(time):
    return SINGLE.replace('time = "service"', f'time = "{time}"')


@pytest.mark.parametrize(
    ("text", "metric", "name"),
    [
        (SINGLE, "response", "rate"), (SINGLE, "response", "service"), (SINGLE, "response", "variation"),
        (SINGLE, "utilization", "rate"), (SINGLE, "queue_length", "rate"),
        pytest.param(SHARED, "max_rate", "hit", marks=pytest.mark.long), (SHARED, "max_rate", "base"),
        (SPLIT, "max_rate", "skew"), (NESTED, "response", "outer"),
        (CLOSED, "n_star", "think"), (CLOSED, "throughput_upper", "think"), (CLOSED, "response_upper", "users"),
        pytest.param(CLOSED, "balanced_throughput_lower", "disk_time", marks=pytest.mark.long),
    ],
)  # fmt: skip
def test_a_solved_formula_gives_the_parameter_back(text, metric, name):
    system = model(text)
    straight = formulas(system, metric)
    item = straight.of(metric)
    changed = straight.definitions[name].value * 1.01
    target = straight.at(item, {name: changed})
    inverse = formula(system, metric, solve_for=name, value=repr(target) + unit_of(item))
    assert inverse.formulas[0].value == pytest.approx(changed, rel=1e-9)


def unit_of(item):
    return {(1, 0): " s", (-1, 0): "/s", (0, 0): ""}[tuple(item.dimension)]


def test_of_one_queue_the_rate_at_a_response_is_known():
    system = model(SINGLE.replace("variation = 2.5", "variation = 1"))
    inverse = formula(system, "response", solve_for="rate", value="60 ms", keep=["service", "rate"])
    assert text_of(inverse.formulas[0].expression) == "(response - service)/(response*service)"
    assert inverse.formulas[0].value == pytest.approx(1 / 0.03 - 1 / 0.06)


@pytest.mark.parametrize(
    ("text", "metric", "name", "reason"),
    [
        pytest.param(SHARED, "response", "rate", "Erlang's C", marks=pytest.mark.long),
        (SINGLE, "max_rate", "variation", "does not depend"),
        (SHARED, "demand", "slow", "is computed from others"),
        (taking("floor(1000 * variation) * 1 us"), "demand", "variation", "rounded"),
        (taking("exp(-variation) * 1 ms"), "demand", "variation", "transcendental"),
        (taking("(variation**3 + variation) * 1 us"), "demand", "variation", "degree"),
    ],
)  # fmt: skip
def test_what_algebra_cannot_solve_is_refused_with_the_reason(text, metric, name, reason):
    with pytest.raises(NotComputed, match=reason):
        formula(model(text), metric, solve_for=name)


# Refusals


def test_a_figure_of_the_solution_in_a_time_is_refused_by_name():
    text = SINGLE.replace('"service"', "\"service + 0.1 * wait('cpu')\"")
    with pytest.raises(NotComputed, match=r"wait\('cpu'\)"):
        formula(model(text))


@pytest.mark.parametrize(
    ("text", "metric", "reason"),
    [
        (CLOSED, "response", "is closed"),
        (SINGLE, "n_star", "no closed class"),
        (MIXED.replace('{ discipline = "ps" }\ndisk', '{ servers = 2, discipline = "ps" }\ndisk'), "n_star", "shares"),
        (CLOSED, "max_users", "no capacity"),
    ],
)
def test_what_has_no_closed_form_says_why(text, metric, reason):
    with pytest.raises(NotComputed, match=reason):
        formula(model(text), metric)


@pytest.mark.parametrize(
    ("metric", "nearest"),
    [("respnse", "response"), ("max_rat", "max_rate"), ("demand('cpi')", "cpu"), ("utilisation", "utilization")],
)
def test_an_unknown_metric_is_told_the_nearest(metric, nearest):
    with pytest.raises(UsageError, match=nearest):
        formula(model(SINGLE), metric)


def test_without_a_steady_state_demands_and_capacities_are_told():
    answer = formula(model(SINGLE.replace("20/s", "40/s")))
    assert answer.of("max_rate").value == pytest.approx(1 / 0.03)
    assert answer.of("utilization").value is None
    assert any("no steady state" in note for note in answer.notes)


def test_every_metric_is_known_by_name():
    assert {*METRICS, "max_rate", "work"} <= set(names(model(SINGLE)))


def test_the_response_of_the_3990_6_is_refused():
    with pytest.raises(NotComputed, match="fixed point"):
        formula(qnet.load("ibm-3990-6"), "response")
