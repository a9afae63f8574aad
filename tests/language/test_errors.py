"""How problems are told: places, carets, and texts that nobody vouches for."""

from __future__ import annotations

import pytest
from many import many

from qnet.errors import NO_ANSWER, InvalidInput, Problem, caret, printable, render_path, suggest
from qnet.explanations import EXPLANATIONS


def test_a_problem_says_where_what_and_what_to_do():
    problem = Problem("QN101", "found x", "y", ("a", 2, "b"), "write y", "m.toml", 7, "x\n^")
    assert problem.render() == "m.toml:7: a[2].b: found x; expected y [QN101]\n    x\n    ^\n  help: write y"


def test_a_problem_without_a_place_is_one_sentence():
    assert Problem("QN003", "nothing is set").render() == "nothing is set [QN003]"


@pytest.mark.parametrize("part", ["found", "expected", "help", "file"])
def test_control_characters_are_escaped(part: str):
    hostile = "a\x1b[31mb\rc\nd\u202ee\x85\udc80"
    text = Problem("QN204", "found").__class__(**{"code": "QN204", "found": "x", part: hostile}).render()
    assert "a\\x1b[31mb\\rc\\nd\\u202ee\\x85\\udc80" in text


def test_control_characters_of_an_excerpt_leave_the_caret_in_place():
    text = Problem("QN110", "found", excerpt=caret("a\x1b\u2028b + ?", 6)).render()
    assert text.splitlines()[1:] == ["    a  b + ?", "          ^"]


def test_a_hostile_key_is_quoted_and_escaped():
    assert render_path(("stations", 'a."b\x1b', 0, "plain-key_1")) == 'stations."a."b\\x1b"[0].plain-key_1'


def test_long_texts_are_cut():
    text = Problem("QN202", "x" * 10_000, "y" * 10_000, ("k" * 10_000,)).render()
    assert len(text) < 1000


def test_a_long_text_keeps_its_head_and_its_tail():
    told = printable("where it begins " + "x" * 10_000 + " and where it ends", 60)
    assert len(told) == 60
    assert told.startswith("where it begins xxx")
    assert " ... " in told
    assert told.endswith("and where it ends")


@pytest.mark.parametrize("length", [59, 60])
def test_a_text_that_fits_is_left_alone(length: int):
    assert printable("x" * length, 60) == "x" * length


def test_a_caret_stands_under_its_column():
    assert caret("1 + ?", 4) == "1 + ?\n    ^"


def test_a_caret_in_a_long_text_shows_what_is_around_it():
    window, mark = caret("a" * 500 + "?" + "b" * 500, 500).split("\n")
    assert window[len(mark) - 1] == "?"
    assert len(window) <= 110


@pytest.mark.parametrize("column", [-5, 99])
def test_a_column_outside_the_text_is_no_failure(column: int):
    assert caret("abc", column).startswith("abc\n")


def test_a_failure_tells_all_its_problems():
    failure = InvalidInput(Problem("QN201", "one"), Problem("QN202", "two"))
    assert str(failure) == "one [QN201]\ntwo [QN202]"


def test_the_nearest_names_are_offered():
    assert suggest("rte", ["rate", "route", "block"]) == 'did you mean "rate" or "route"?'


def test_names_are_listed_where_none_is_near():
    assert suggest("zzz", ["wait('a')", "rate", "block"]) == "known names: block, rate, wait('a')"


def test_nothing_is_offered_where_there_is_nothing():
    assert suggest("rate", []) == ""


def test_names_of_a_huge_model_are_compared_in_bounded_time():
    names = [f"parameter_{number}" for number in range(100_000)]
    assert suggest("parameter_12_", names).startswith("did you mean")


@many("code", [code for code in EXPLANATIONS if code.startswith(NO_ANSWER)])
def test_a_missing_answer_never_goes_without_a_way_out(code: str):
    told = Problem(code, "no answer").render()
    assert told == f"no answer [{code}]\n  help: {EXPLANATIONS[code].action}"


def test_what_is_known_at_the_place_comes_before_what_the_code_says():
    assert Problem("QN401", "full", help="at most 3/s").render() == "full [QN401]\n  help: at most 3/s"


def test_an_error_reads_as_its_problems():
    first, second = Problem("QN202", "a"), Problem("QN203", "b")
    assert str(InvalidInput(first, second)) == f"{first.render()}\n{second.render()}"
