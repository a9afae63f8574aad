"""Everything that can be wrong with a model: one fault in a sound one, and what is said about it."""

from __future__ import annotations

import pytest
import question_faults
import structure_faults
import text_faults
from language_models import SOUND, make_catalog, model_of, problems_of, spoilt, told
from many import many

from qnet.model import load, routes
from qnet.model.reader import MAX_NAME, MAX_PROBLEMS, describe

FAULTS = {**text_faults.FAULTS, **structure_faults.FAULTS, **question_faults.FAULTS}


def test_the_sound_model_is_sound():
    assert model_of(SOUND).title == "A server and its disks"


@many("name", FAULTS)
def test_one_fault_is_one_problem(name: str):
    old, new, words = FAULTS[name]
    assert told(spoilt(old, new)) == [words]


@pytest.mark.parametrize(
    ("name", "help"),
    [
        ("an unknown key", 'did you mean "servers"?'),
        ("an unknown section", 'did you mean "limits"?'),
        ("a missing unit of a literal", 'add the unit, such as "5 ms"'),
        ("an ambiguous unit", 'write "kB" for 1000 bytes or "KiB" for 1024'),
        ("an unknown name", 'did you mean "rate"?'),
        ("an unknown option", 'did you mean "fast"?'),
        ("a value that is no option", 'did you mean "fast"?'),
        ("an unknown part", 'did you mean "dasd/ibm-3390-3"'),
        ("an unknown station", 'did you mean "disk"?'),
        ("an output over an unknown route", "did you mean \"throughput('hit')\""),
        ("an envelope that varies nothing known", 'did you mean "rate"?'),
        ("an envelope that sets an unknown parameter", 'did you mean "hit"?'),
        ("an envelope of an unknown route", 'did you mean "hit"?'),
        ("another version", "write qnet = 1"),
    ],
)
def test_a_fault_comes_with_what_to_do(name: str, help: str):
    old, new, _ = FAULTS[name]
    (problem,) = problems_of(spoilt(old, new))
    assert problem.help.startswith(help)


def test_an_expression_has_a_caret_under_the_place():
    (problem,) = problems_of(spoilt("'fast', 10 ms, 20 ms", "'fast', 10 ms, 20 KB"))
    assert problem.render().splitlines()[1:3] == ["    where(mode == 'fast', 10 ms, 20 KB)", " " * 36 + "^"]


def test_all_problems_of_a_file_are_told_at_once_in_its_order():
    text = SOUND
    for name in (
        "an unknown key",
        "a missing unit",
        "an unknown station",
        "a limit of two dimensions",
        "an envelope of an unknown route",
    ):
        old, new, _ = FAULTS[name]
        text = text.replace(old, new)
    assert [problem.line for problem in problems_of(text)] == [12, 17, 30, 41, 49]


def test_a_broken_parameter_is_blamed_once():
    text = spoilt('rate = "20/s"', 'rate = "20 KB/s"')
    assert [problem.path for problem in problems_of(text)] == [("parameters", "rate")]


def test_a_broken_choice_is_blamed_once():
    text = spoilt('value = "fast"', "value = 5")
    assert [problem.path for problem in problems_of(text)] == [("parameters", "mode", "value")]


def test_a_broken_output_is_blamed_once():
    text = spoilt('"throughput * 4 KiB"', '"throughput * "').replace("response <= 10 ms", "data_rate <= 1 MiB/s")
    assert [problem.path for problem in problems_of(text)] == [("outputs", "data_rate", "value")]


def test_a_circle_is_told_once_however_long_it_is():
    chain = "\n".join(f'p{number} = "p{number + 1}"' for number in range(1000))
    (problem,) = problems_of(spoilt("disks = 2", f'disks = 2\n{chain}\np1000 = "p0"'))
    assert problem.found.startswith("the parameters are circular: p0 -> p1 -> p2")


def test_parameters_may_stand_in_any_order():
    chain = "\n".join(f'p{number} = "p{number + 1}"' for number in range(1000))
    model = model_of(spoilt("disks = 2", f'disks = 2\n{chain}\np1000 = "1 ms"'))
    names = list(model.parameters)
    assert names.index("p1000") < names.index("p999") < names.index("p0")


def test_the_first_problems_of_a_hopeless_file_are_enough():
    keys = "\n".join(f"key_{number} = 1" for number in range(20_000))
    problems = problems_of(SOUND.replace("[parameters]", f"[parameters]\nbad = {{}}\n[bad]\n{keys}\n[other]"))
    assert len(problems) <= MAX_PROBLEMS + 1


def test_more_problems_than_are_shown_are_mentioned():
    keys = "\n".join(f"key_{number} = 1" for number in range(20_000))
    problems = problems_of(spoilt("path = {}", f"path = {{}}\n[stations.other]\n{keys}"))
    assert problems[-1].found == f"there are {MAX_PROBLEMS} problems or more; the rest is not shown"
    assert len(problems) == MAX_PROBLEMS + 1


@pytest.mark.parametrize("section", ["parameters", "stations"])
def test_a_model_with_too_many_entries_is_refused(section: str):
    entry = "1" if section == "parameters" else "{}"
    entries = "\n".join(f"x{number} = {entry}" for number in range(3000))
    problems = problems_of(SOUND.replace(f"[{section}]", f"[{section}]\n{entries}"))
    assert problems[0].found.endswith(f" {section}")
    assert problems[0].code == "QN206"


def test_a_number_inside_is_refused_where_a_parameter_of_a_parameter_has_it():
    """Wherever `work` is used, which depends on it through `full`."""
    text = spoilt("disks = 2", "disks = 2\nfull = \"inside('disk')\"").replace("20 ms)", "20 ms) / (1 + full)")
    problems = problems_of(text)
    assert [(problem.code, problem.line) for problem in problems] == [("QN123", 23), ("QN123", 30)]


@pytest.mark.parametrize(
    "correlations",
    [(0.9, 0.0, 0.3), (0.9, 0.0, 0.6), (0.0, 0.8, 0.7), (1.0, 0.5, 0.5), (1.0, 0.5, -0.5), (-0.5, -0.5, -0.5),
     (-0.6, -0.6, -0.6), (0.6, 0.6, 0.6)],
)  # fmt: skip
def test_three_correlations_are_possible_where_their_determinant_is_not_negative(
    correlations: tuple[float, float, float],
):
    one, two, three = correlations
    table = (
        '[calibration]\nparameters = ["rate", "hit", "disks"]\nstandard_errors = ["1/s", 0.1, 1]\n'
        f"correlations = {list(correlations)}\n"
    )
    text = spoilt("[envelopes.ten_ms]", table + "[envelopes.ten_ms]")
    if 1 + 2 * one * two * three - one**2 - two**2 - three**2 > -1e-9:
        assert model_of(text).calibration is not None
    else:
        assert [problem.found for problem in problems_of(text)] == ["the correlations are inconsistent"]


@pytest.mark.parametrize("raw", [10**39, 10**40, 10**80, "x" * 40, "x" * 41, -(10**38), -(10**39)])
def test_a_value_is_described_by_forty_characters_at_most(raw: int | str):
    """Those of a text, and the quotes around it."""
    whole = repr(raw)
    quotes = 2 * isinstance(raw, str)
    assert (describe(raw) == whole) == (len(whole) - quotes <= 40) and len(describe(raw)) <= 40 + quotes


def test_places_are_freed_once_on_a_route():
    drain = '{ phase = 2, drains = "log", station = "server", time = "1 ms" }'
    text = spoilt('{ delay = "1 ms" }', '{ fill = "log" }').replace("] },\n]", f"] }},\n  {drain},\n  {drain},\n]")
    problems = problems_of(text + "[buffers.log]\nplaces = 4\n")
    assert [problem.found for problem in problems] == ['this route drains "log" twice']


def test_a_step_of_no_known_form_hides_no_sum_of_probabilities():
    text = spoilt('steps = [ { station = "server", time = "work" } ]', "steps = [ { visits = 2 } ]")
    text = text.replace('probability = "hit"', 'probability = "hit / 2"')
    assert [problem.code for problem in problems_of(text)] == ["QN221", "QN209"]


@pytest.mark.parametrize(
    "step", ['{ statoin = "server", time = "work" }', '{ station = "server", tiem = "work" }', '{ dealy = "work" }']
)
def test_a_misspelt_key_is_not_also_missed_as_the_form_of_its_step(step: str):
    problems = problems_of(spoilt('{ delay = "1 ms" }', step))
    assert [problem.code for problem in problems] == ["QN202"]


@pytest.mark.parametrize("station", ['discipline = "ps"', 'discipline = "lcfs-pr"', "delay = true"])
def test_a_step_has_no_priority_where_nobody_waits_in_order(station: str):
    text = spoilt("path = {}", f"path = {{ {station} }}").replace('hold = "path"', 'hold = "path", priority = 1')
    assert [problem.code for problem in problems_of(text)] == ["QN217"]


def test_entries_that_are_too_many_are_not_read():
    """No other problem is told than that of their number: none of them has its keys."""
    entries = "\n".join(f"x{number} = {{}}" for number in range(load.MAX_ENVELOPES + 1))
    problems = problems_of(spoilt("[envelopes.ten_ms]", f"[envelopes]\n{entries}\n[envelopes.ten_ms]"))
    assert [problem.code for problem in problems] == ["QN206"]


def test_a_part_with_a_fault_is_told_with_its_own_file_and_line(tmp_path, monkeypatch):
    make_catalog(tmp_path, "4 KB")
    monkeypatch.setenv("QNET_CATALOG", str(tmp_path))
    text = spoilt("[parameters]", '[uses]\ndrive = "drive"\n[parameters]').replace('"5 ms"', '"drive.seek"')
    problems = problems_of(text)
    assert {(problem.file.rpartition("/")[2], problem.line) for problem in problems} == {("drive.toml", 5)}


def test_a_hostile_name_cannot_reach_the_terminal():
    text = spoilt("path = {}", 'path = {}\n"\\u001b[2J" = { "\\u0007" = "\\u009b" }')
    with pytest.raises(Exception) as caught:
        model_of(text)
    assert all(line.isprintable() for line in str(caught.value).split("\n"))


def test_a_limit_of_length_is_the_largest_that_is_accepted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(load, "MAX_RATES", 3)
    assert len(model_of(spoilt("path = {}", "path = { rates = [1, 2, 3] }")).stations[-1].rates) == 3
    assert "found a list" in told(spoilt("path = {}", "path = { rates = [1, 2, 3, 4] }"))[0]
    assert model_of(spoilt("path = {}", f"path = {{}}\n{'x' * MAX_NAME} = {{}}"))
    assert "cannot be a name" in told(spoilt("path = {}", f"path = {{}}\n{'x' * (MAX_NAME + 1)} = {{}}"))[0]


def test_steps_are_counted_one_by_one(monkeypatch: pytest.MonkeyPatch):
    text = 'qnet = 1\ntitle = "t"\n[stations]\ns = {}\n[classes.a]\narrival_rate = "1/s"\nsteps = [STEPS]\n'
    step = '{ station = "s", time = "1 ms" },'
    monkeypatch.setattr(routes, "MAX_STEPS", 3)
    assert model_of(text.replace("STEPS", 3 * step))
    assert ["more than 3 steps" in words for words in told(text.replace("STEPS", 4 * step))] == [True]
