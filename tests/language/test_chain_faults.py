"""Everything that can be wrong with the chains of a model: one fault in a sound one, and what is said about it."""

from __future__ import annotations

import pytest
from chain_faults import FAULTS, FAULTS_WITHOUT_THINKING, SOUND, WITHOUT_THINKING
from language_models import model_of, problems_of, told
from many import many

from qnet.errors import InvalidInput, UsageError
from qnet.model.bind import bind
from qnet.model.settings import parse_settings, with_settings
from qnet.model.values import Values

CASES = {name: (SOUND, *fault) for name, fault in FAULTS.items()}
CASES |= {name: (WITHOUT_THINKING, *fault) for name, fault in FAULTS_WITHOUT_THINKING.items()}


def spoilt(sound: str, old: str, new: str) -> str:
    assert sound.count(old) == 1, f"{old!r} stands {sound.count(old)} times in the sound model"
    return sound.replace(old, new)


@pytest.mark.parametrize("sound", [SOUND, WITHOUT_THINKING])
def test_the_sound_models_are_sound(sound: str):
    model = model_of(sound)
    assert bind(model, Values(model, {}, None)) is not None


@many("name", CASES)
def test_one_fault_is_one_problem(name: str):
    sound, old, new, words = CASES[name]
    assert told(spoilt(sound, old, new)) == [words]


@pytest.mark.parametrize(
    ("name", "help"),
    [
        ("an unknown key", 'did you mean "think_time"?'),
        ("an unknown station", 'did you mean "post"?'),
        ("an unknown class", 'did you mean "lost"?'),
        ("a probability of an unknown name", 'did you mean "buy"?'),
    ],
)
def test_a_fault_comes_with_what_to_do(name: str, help: str):
    (problem,) = problems_of(spoilt(*CASES[name][:3]))
    assert problem.help.startswith(help)


def test_all_problems_of_a_file_are_told_at_once_in_its_order():
    text = SOUND
    for name in ("a service in bytes", "a probability in seconds", "an unknown class", "an unknown station"):
        text = spoilt(text, *FAULTS[name][:2])
    assert [problem.line for problem in problems_of(text)] == [22, 27, 34, 38]


def bound_problem(text: str, *settings: str) -> str:
    model = with_settings(model_of(text), parse_settings(settings))
    with pytest.raises((InvalidInput, UsageError)) as caught:
        bind(model, Values(model, {}, None))
    (problem,) = caught.value.problems
    return problem.render().splitlines()[0]


def test_every_row_must_sum_to_one():
    text = spoilt(SOUND, "think = 0.75", 'think = "0.7 * buy"')
    assert bound_problem(text) == (
        "model.toml:29: chains.session.routing.paying.web: the probabilities from paying.web sum to 0.39 "
        "where buy = 0.2; expected a sum of 1 [QN221]"
    )


def test_a_probability_is_at_most_one():
    text = spoilt(SOUND, "looking.disk = 0.5, think = 0.5", 'looking.disk = "6 * buy", think = 0')
    assert bound_problem(text) == (
        "model.toml:27: chains.session.routing.looking.web.looking.disk: "
        'the value is 1.2 ("6 * buy") where buy = 0.2; expected at most 1 [QN211]'
    )


def test_an_option_is_blamed_for_what_it_sets():
    text = spoilt(SOUND, "think = 0.5", 'think = "0.3 + buy"')
    text = spoilt(text, "buy = { value = 0.2, range = [0, 1] }", "buy = 0.2")
    assert bound_problem(text, "buy=0.3") == (
        "-p buy=0.3: chains.session.routing.looking.web: the probabilities from looking.web sum to 1.1 "
        "where buy = 0.3; expected a sum of 1 [QN221]"
    )


def test_customers_who_never_leave_at_a_point_are_told_with_its_parameters():
    text = spoilt(
        SOUND, "lost.post = { outside = 1 }", 'lost.post = { lost.post = "5 * buy", outside = "1 - 5 * buy" }'
    )
    assert bound_problem(text) == (
        "model.toml:39: chains.parcel.routing.lost.post: customers in lost.post never leave where buy = 0.2; "
        "expected a route outside with a positive probability [QN231]"
    )


def test_customers_who_stay_on_either_side_are_told():
    text = spoilt(WITHOUT_THINKING, "classes = { a =", 'classes = { b = { service = { cpu = "2 s" } }, a =')
    text = spoilt(text, "a.cpu = { a.cpu = 1 }", "a.cpu = { a.cpu = 1, b.cpu = 0 }, b.cpu = { b.cpu = 1, a.cpu = 0 }")
    assert bound_problem(text) == (
        "model.toml:9: chains.job.routing.b.cpu: customers in b.cpu never come back to a.cpu; "
        "expected a route with a positive probability [QN231]"
    )


def test_a_chain_with_too_many_states_is_refused():
    classes = "\n".join(f'c{number} = {{ service = {{ web = "1 s" }} }}' for number in range(301))
    problems = problems_of(spoilt(SOUND, "[chains.session.classes]", f"[chains.session.classes]\n{classes}"))
    assert [problem.code for problem in problems] == ["QN206"]


def test_hostile_names_cannot_reach_the_terminal():
    text = spoilt(SOUND, "looking.disk = 0.5", '"\\u001b[2J" = 0.5')
    assert all(line.isprintable() for line in "\n".join(told(text)).split("\n"))
