"""Changing parameters from outside."""

from __future__ import annotations

import pytest
from language_models import SOUND, model_of, spoilt

from qnet.errors import Problem, UsageError
from qnet.model.load import load
from qnet.model.settings import parse_settings, with_settings
from qnet.model.values import Values


def value_of(name: str, *texts: str, model: str = SOUND) -> float:
    return Values(with_settings(model_of(model), parse_settings(texts)), {}, None).known[name]


def refused(*texts: str, model: str = SOUND) -> list[Problem]:
    with pytest.raises(UsageError) as caught:
        with_settings(model_of(model), parse_settings(texts))
    return list(caught.value.problems)


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("rate=30/s", "rate", 30),
        (" rate = 30 /s ", "rate", 30),
        ("rate=2 * 10/s", "rate", 20),
        ("rate=disks * 10/s", "rate", 20),
        ("rate=0", "rate", 0),
        ("mode=slow", "work", 0.02),
        ("mode='slow'", "work", 0.02),
        ("work=7 ms", "work", 0.007),
        ("disks=where(mode == 'fast', 3, 4)", "disks", 3),
    ],
)
def test_a_parameter_is_set(text: str, name: str, value: float):
    assert value_of(name, text) == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rate", '"rate" does not set a parameter; expected name=value, such as rate=600/s [QN003]'),
        ("=5", '"=5" does not set a parameter; expected name=value, such as rate=600/s [QN003]'),
        ("rate=", '"rate=" does not set a parameter; expected name=value, such as rate=600/s [QN003]'),
        ("rte=5/s", 'unknown parameter "rte" [QN004]'),
        ("rate=5", '"5" is a plain number; expected "rate" as a rate (such as 600/s) [QN122]'),
        ("rate=5 ms", '"5 ms" is a time (such as 10 ms); expected "rate" as a rate (such as 600/s) [QN122]'),
        ("rate=5 KB", 'in "rate=5 KB": the unit "KB" is ambiguous or unknown [QN101]'),
        ("rate=rte", 'in "rate=rte": unknown name "rte" [QN112]'),
        ("rate=(5/s", 'in "rate=(5/s": the expression is not complete or not well formed [QN110]'),
        ("mode=fats", '"fats" is not an option of "mode" [QN003]'),
        ("hit=mode", 'in "hit=mode": "mode" is a choice and not a number [QN121]'),
        ("rate=2*rate", "the parameters are circular: rate -> rate [QN210]"),
        ("disks=1\x1b[31m", "in \"disks=1\\x1b[31m\": unexpected character '\\x1b' [QN110]"),
        ("rate=" + "9" * 400 + "/s", "the number is too large [QN110]"),
    ],
)
def test_what_cannot_be_set_is_told(text: str, words: str):
    (problem,) = refused(text)
    assert problem.render().splitlines()[0].endswith(words)


def test_of_two_values_of_a_parameter_none_is_lost():
    with pytest.raises(UsageError, match=r'"rate" is set twice; expected one value for each parameter \[QN003\]'):
        parse_settings(["rate=30/s", "rate=40/s"])


def test_the_help_of_a_missing_unit_can_be_typed():
    (problem,) = refused("rate=5")
    assert problem.help == 'add the unit, such as "rate=5/s"'


def test_the_help_of_an_unusual_unit_can_be_typed():
    model = spoilt("disks = 2", 'disks = 2\nvariance = "3 s^2"\nwork_done = "4 kB * 1 s"')
    for text, value in (("variance=5", 5), ("work_done=6", 6)):
        (problem,) = refused(text, model=model)
        advice = problem.help.split('"')[1]
        assert value_of(text.partition("=")[0], advice, model=model) == value


def test_the_nearest_parameter_is_offered():
    (problem,) = refused("rte=5/s")
    assert problem.help == 'did you mean "rate"?'


def test_every_wrong_setting_is_told():
    assert [problem.code for problem in refused("rte=1", "rate=5", "mode=x")] == ["QN004", "QN122", "QN003"]


def test_every_text_that_sets_nothing_is_told():
    assert len(refused("rate", "=", "hit")) == 3


def test_settings_may_make_no_circle_through_each_other():
    (problem,) = refused("rate=1/work", "work=1/rate")
    assert problem.found in (
        "the parameters are circular: rate -> work -> rate",
        "the parameters are circular: work -> rate -> work",
    )


def test_a_long_chain_of_settings_is_no_failure():
    chain = "\n".join(f'p{number} = "p{number + 1}"' for number in range(1500))
    model = spoilt("disks = 2", f"disks = 2\n{chain}\np1500 = 1")
    assert value_of("p0", "p1500=5", model=model) == 5


def test_servers_must_not_come_to_depend_on_the_solution():
    (problem,) = refused("disks=1 + utilization('server')")
    assert problem.code == "QN123"


def test_times_may_depend_on_the_solution():
    model = with_settings(model_of(SOUND), {"work": "10 ms * (1 + utilization('server'))"})
    assert "work" not in Values(model, {}, None).known


def test_parameters_of_parts_can_be_set():
    model = with_settings(load("ibm-3990-6"), {"disk.latency": "5 ms", "cu.back_end_paths": "2"})
    known = Values(model, {}, None).known
    assert (known["disk.latency"], known["disk.rotation"], known["cu.back_end_paths"]) == (0.005, 0.01, 2)


def test_what_is_set_is_an_assumption():
    parameter = with_settings(load("ibm-3990-6"), {"disk.latency": "5 ms"}).parameters["disk.latency"]
    assert (parameter.grade, parameter.sources, parameter.note) == ("assumed", (), "set for this run")


def test_settings_are_kept_and_change_the_digest():
    model = model_of(SOUND)
    changed = with_settings(model, {"rate": "30/s"})
    assert changed.settings == {"rate": "30/s"}
    assert changed.digest != model.digest
    assert with_settings(model, {}).digest == model.digest
    assert with_settings(model, {"rate": "30/s"}).digest == changed.digest


@pytest.mark.parametrize(
    ("text", "help"),
    [
        ("rate=fast", 'write a number, such as "rate=20/s", or an expression over other parameters'),
        ("rate=rte", 'did you mean "rate"?'),
    ],
)
def test_a_word_that_is_no_name_is_answered_with_a_value_of_the_parameter(text: str, help: str):
    (problem,) = refused(text)
    assert problem.help == help
