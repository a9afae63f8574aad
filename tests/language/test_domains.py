"""Numbers outside their domain: all of a file at once, beside whatever else is wrong with it."""

from __future__ import annotations

import pytest
from language_models import SOUND, model_of, problems_of, spoilt

from qnet.cli.check import checked
from qnet.errors import InvalidInput, QnetError, UsageError
from qnet.model.model import Model
from qnet.model.settings import with_settings
from qnet.questions.points.points import solve_points

WRONG = (
    SOUND.replace("servers = 2", "servers = -2")
    .replace('rate = "20/s"', 'rate = { value = "20/s", range = [0, "15/s"] }')
    .replace('{ delay = "1 ms" }', '{ delay = "-1 ms", visits = -1 }')
    .replace('{ time = "5 ms" }', '{ time = "work - 15 ms" }')
)
"""Sound in names and units."""
PATHS = ["rate", "servers", "visits", "delay", "time"]


def places(error: QnetError) -> list[object]:
    """The last key of every problem."""
    return [problem.path[-1] for problem in error.problems]


def refusal(model: Model) -> QnetError:
    """Why a model has no network, which `check` and `solve` say alike."""
    with pytest.raises(QnetError) as checking:
        checked(model)
    with pytest.raises(QnetError) as solving:
        solve_points(model)
    assert solving.value.problems == checking.value.problems
    return checking.value


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ('"2 ms"', '"2 msx"', "time"),
        ('station = "server", time = "work" } ]\n\n', 'station = "sever", time = "work" } ]\n\n', "station"),
        ('vary = "rate"', 'vary = "rat"', "vary"),
    ],
)
def test_values_are_refused_beside_names_and_units(old: str, new: str, place: str):
    problems = problems_of(WRONG.replace(old, new))
    assert sorted(str(problem.path[-1]) for problem in problems) == sorted([*PATHS, place])
    assert [problem.line for problem in problems] == sorted(problem.line for problem in problems)


def test_all_values_of_a_file_are_refused_at_once_in_its_order():
    error = refusal(model_of(WRONG))
    assert isinstance(error, InvalidInput)
    assert places(error) == PATHS
    assert {problem.code for problem in error.problems} == {"QN211"}


def test_a_value_is_not_blamed_for_what_it_rests_on():
    text = WRONG.replace("10 ms, 20 ms", "10 ms, 20 msx")
    assert places(InvalidInput(*problems_of(text))) == ["rate", "work", "servers", "visits", "delay"]


def test_what_rests_on_a_refused_parameter_is_not_refused_too():
    text = spoilt("value = 0.8, range = [0, 1]", "value = 1.8, range = [0, 1]")
    assert places(refusal(model_of(text))) == ["hit"]


def test_probabilities_are_summed_beside_other_problems_unless_one_of_them_is_wrong():
    text = spoilt('probability = "1 - hit"', "probability = 0.3").replace('"2 ms"', '"2 msx"')
    assert [problem.code for problem in problems_of(text)] == ["QN221", "QN101"]
    text = text.replace("probability = 0.3", "probability = -0.3")
    assert [problem.code for problem in problems_of(text)] == ["QN211", "QN101"]


def test_rows_of_a_chain_are_summed_beside_other_problems():
    text = """\
qnet = 1
title = "Browse and buy"
[stations]
web = {}
[chains.shop]
population = -3
think_time = "5 sx"
[chains.shop.classes.browse]
service = { web = "10 ms" }
[chains.shop.routing]
think = { browse.web = 1 }
browse.web = { browse.web = 0.5, think = 0.4 }
"""
    problems = problems_of(text)
    assert [problem.code for problem in problems] == ["QN211", "QN101", "QN221"]
    assert problems[2].found == "the probabilities from browse.web sum to 0.9"


def test_an_option_may_mend_a_value_of_a_file_that_is_sound_otherwise():
    model = model_of(spoilt("disks = 2", "disks = -2"))
    assert places(refusal(model)) == ["copies"]
    assert checked(with_settings(model, {"disks": "2"})).stations


def test_options_are_blamed_apart_from_the_file():
    model = with_settings(model_of(SOUND), {"disks": "-2", "hit": "1.5"})
    error = refusal(model)
    assert isinstance(error, UsageError)
    assert [problem.file for problem in error.problems] == ["-p hit=1.5", "-p disks=-2"]


def test_figures_of_the_solution_are_not_guessed_before_solving():
    text = spoilt('"2 ms"', '''"1 ms / utilization('disk')"''').replace("servers = 2", "servers = 2.5")
    model = model_of(text)
    with pytest.raises(InvalidInput) as solving:
        solve_points(model)
    assert places(solving.value) == ["servers"]
