"""The story of a study: question, answers, limits, picture; and what is wrong with one."""

from __future__ import annotations

from pathlib import Path

import pytest
from studies import FAST, HEAD, WINDOW, claim

from qnet.errors import InvalidInput, UsageError
from qnet.questions.study.report import studies_report, study_report

CLAIM = claim("x", role="predicted", metric="mean response", stated="2.1 s", tolerance=0.1, figure="response")
RATE = claim("most", role="given", metric="rate", stated="0.8 /s")
STORY = '[story]\nquestion = "How long do clients stay?"\nanswer = "For {x}, printed as [x]."\n'
SOURCES = '[book]\nauthor = "A. Clerk"\ntitle = "Windows"\ndate = "1970"\n'
COST = '[costs.work]\nof = "window"\n'


@pytest.fixture
def tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A function from the lines of a story to the records of its report."""
    monkeypatch.setenv("QNET_CATALOG", str(tmp_path))

    def told(more: str = "", story: str = STORY, drawn: bool = False, claims: str = ""):
        files = {"CATALOG.toml": 'schema = 1\ntitle = "test"\n', "sources.toml": SOURCES}
        files |= {"systems/window.toml": WINDOW + COST, "systems/fast.toml": FAST + COST}
        files["studies/s.toml"] = HEAD + story + more + "\n" + RATE + CLAIM + claims
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return study_report("s", drawn)

    return told


def section(report, name: str) -> list[dict]:
    return [row for row in report.records() if row["section"] == name]


def test_a_story_tells_question_answer_and_predictions(tell):
    report = tell()
    assert section(report, "question")[0]["text"] == "How long do clients stay?"
    assert section(report, "answer")[0]["text"] == "For 2 s, printed as 2.1 s."
    assert section(report, "stations")[0]["text"] == "window; class client (open)"
    (answer,) = section(report, "predictions")
    assert (answer["stated"], answer["modelled"], answer["unit"]) == (2.1, pytest.approx(2.0), "s")
    assert answer["error_percent"] == pytest.approx(100 * (2 / 2.05 - 1))
    assert section(report, "picture") == []


GIVEN = claim("fixed", role="given", metric="time", stated="1 s", figure="time")
MISSED = claim(
    "late", role="predicted", null="none: made up", metric="response when busy", stated="9 s", tolerance=0.1,
    figure="response", set={"rate": "0.8/s"}, miss="the clerk slows down",
)  # fmt: skip
FAILED = claim(
    "worse", role="failed assumption", metric="response at night", stated="7 s", tolerance=0.1, figure="response",
    set={"rate": "0.75/s"}, miss="the clerk was taken to stay awake",
)  # fmt: skip


def test_failed_assumptions_and_misses_stand_first_and_what_is_given_or_fitted_nowhere(tell):
    report = tell(claims=GIVEN + MISSED + FAILED)
    rows = section(report, "predictions")
    assert [(row["claim"], row["role"]) for row in rows] == [
        ("worse", "failed assumption"), ("late", "predicted"), ("x", "predicted")
    ]  # fmt: skip
    assert [row["remark"] for row in rows[:2]] == ["the clerk was taken to stay awake", "the clerk slows down"]
    lines = report.text().splitlines()
    failed, missed = (next(line for line in lines if line.startswith(word)) for word in ("failed", "missed"))
    assert "response at night" in failed
    assert "response when busy" in missed
    assert any("the clerk was taken to stay awake" in line for line in lines)


def test_a_what_if_tells_both_figures(tell):
    keys = 'against = "window", against_set = { rate = "0.8/s" }, metric = "response", text = "more clients"'
    report = tell(f'what_ifs = [{{ compare = "window", {keys} }}]')
    (row,) = section(report, "what if")
    assert row["text"] == "more clients: response from 2 s to 5 s (+150 %)"
    assert row["command"] == "qnet compare window --metric response --with rate=0.8/s"


@pytest.mark.parametrize(
    "sides",
    [
        'set = { rate = "0.6/s" }, against = "window", against_set = { time = "0.5 s" }',
        'against = "fast", against_set = { rate = "0.8/s" }',
        'set = { rate = "0.6/s" }, against = "fast"',
    ],
)
def test_a_what_if_is_one_command(tell, sides: str):
    with pytest.raises(InvalidInput) as raised:
        tell(f'what_ifs = [{{ compare = "window", {sides}, metric = "response" }}]')
    (problem,) = raised.value.problems
    assert (problem.code, problem.path) == ("QN320", ("story", "what_ifs", 0, "against_set"))


def test_measured_points_are_drawn_in_the_picture(tell):
    """2.1 s at 0.5/s, which the claim is asked at."""
    picture = 'picture = { sweep = "window", over = "rate=0.1/s:0.9/s:0.1/s", metric = "response", measured = "x" }'
    report = tell(picture, drawn=True)
    assert report.plot.points == ((pytest.approx(0.5), pytest.approx(2.1)),)
    assert "O measured" in report.text()


def test_a_search_without_a_limit_is_no_point_of_a_picture(tell):
    picture = 'picture = { sweep = "window", over = "rate=0.1/s:0.9/s:0.1/s", metric = "response", measured = "end" }'
    end = claim("end", role="disputed", stated="1 /s", largest="rate")
    with pytest.raises(InvalidInput) as raised:
        tell(picture, claims=GIVEN + end)
    (problem,) = raised.value.problems
    assert (problem.code, problem.path) == ("QN320", ("story", "picture", "measured"))


def test_what_it_cannot_tell_and_its_terms_stand_below(tell):
    more = 'cannot_tell = "Nights."\nglossary = { clerk = "who serves" }'
    lines = tell(more).text().splitlines()
    assert lines[-2:] == ["not shown Nights.", "terms     clerk: who serves"]


def test_a_story_fits_a_screen_however_much_there_is_to_say(tell):
    """Thirty misses with long remarks, long texts, and a picture: the claims without room are counted in a line."""
    claims = "".join(
        MISSED.replace('"late"', f'"late {number}"')
        .replace('"0.8/s"', f'"0.8{number:02}/s"')
        .replace("slows", "slow " * 60)
        for number in range(30)
    )
    text = '"' + "many words " * 60 + '"'
    picture = 'picture = { sweep = "window", over = "rate=0.1/s:0.9/s:0.1/s", metric = "response" }'
    lines = tell(f"{picture}\nmachine = {text}\ncannot_tell = {text}", claims=claims).text().splitlines()
    assert len(lines) <= 40
    assert max(len(line) for line in lines) <= 100
    assert any("more, each within" in line for line in lines)


def test_a_knee_is_a_picture(tell):
    """2 s = 1 / (1 - rate) at 0.5/s."""
    keys = 'limit = "response <= 2 s", definition = "service_level"'
    report = tell(f'picture = {{ knee = "window", {keys} }}')
    command, knee = section(report, "picture")
    assert command["text"] == "qnet knee window --limit 'response <= 2 s' --definition service_level"
    assert knee["rate_per_s"] == pytest.approx(0.5)
    assert len(report.plot.rows) > 10


def test_points_of_a_curve_are_left_to_the_drawing(tell):
    picture = 'picture = { sweep = "window", over = "rate=0.1/s:0.9/s:0.1/s", metric = "response" }'
    assert len(section(tell(picture), "picture")) == 1 + 9
    drawn = tell(picture, drawn=True)
    assert len(section(drawn, "picture")) == 1
    assert len(drawn.plot.rows) == 9


def test_an_envelope_is_a_picture(tell):
    """The largest rate within 2 s at a time of 1 s is 0.5/s, and of 0.5 s is 1.5/s."""
    keys = 'vary = "rate", limit = "response <= 2 s", over = "time = 0.5 s, 1 s"'
    _, *points = section(tell(f'picture = {{ envelope = "window", {keys} }}'), "picture")
    assert [row["rate_per_s"] for row in points] == pytest.approx([1.5, 0.5])


def test_a_cost_is_held_against_another_system(tell):
    command, row, *_ = section(tell('picture = { cost = "window", against = "fast" }'), "picture")
    assert command["text"] == "qnet cost window --against fast"
    assert (row["cost"], row["value"], row["against"]) == ("work", 1.0, 0.5)


def test_settings_are_compared(tell):
    picture = (
        'picture = { compare = "window", against = "window", against_set = { rate = "0.8/s" }, metric = "response" }'
    )
    command, row = section(tell(picture), "picture")
    assert command["text"] == "qnet compare window --metric response --with rate=0.8/s"
    assert (row["base"], row["value"]) == (pytest.approx(2.0), pytest.approx(5.0))


@pytest.mark.parametrize(
    ("more", "path", "code"),
    [
        ("answers = 1", ("answers",), "QN320"),
        ("machine = 1", ("machine",), "QN320"),
        ("glossary = { a = 1 }", ("glossary",), "QN320"),
        ('picture = { sweep = "window", over = "rate=1/s:2/s:1/s", measured = ["y"] }', ("picture", "measured", 0),
         "QN320"),
        ('what_ifs = [{ compare = "window" }]', ("what_ifs", 0), "QN320"),
        ('what_ifs = [{ compare = "nobody", against = "window" }]', ("what_ifs", 0), "QN301"),
        ('picture = { plot = "window" }', ("picture",), "QN320"),
        ('picture = { knee = "window", limits = "x" }', ("picture", "limits"), "QN320"),
        ('picture = { sweep = "window" }', ("picture",), "QN320"),
        ('picture = { compare = "window" }', ("picture",), "QN320"),
        ('picture = { knee = "window", limit = "response <= [y]" }', ("picture", "limit"), "QN322"),
        ('picture = { knee = "nobody" }', ("picture",), "QN301"),
        ('picture = { knee = "window", set = { speed = 1 } }', ("picture",), "QN004"),
        ('picture = { knee = "window", limit = "respons <= 1 s" }', ("picture",), "QN112"),
    ],
)  # fmt: skip
def test_a_fault_names_its_place(tell, more: str, path: tuple[str, ...], code: str):
    with pytest.raises(InvalidInput) as raised:
        tell(more)
    (problem,) = raised.value.problems
    assert (problem.code, problem.path) == (code, ("story", *path))
    assert problem.file.endswith("s.toml")
    assert problem.line


@pytest.mark.parametrize(("figure", "code"), [("{y}", "QN320"), ("{most}", "QN320"), ("[y]", "QN322")])
def test_figures_of_the_answer_are_those_of_claims(tell, figure: str, code: str):
    with pytest.raises(InvalidInput) as raised:
        tell(story=STORY.replace("{x}", figure))
    (problem,) = raised.value.problems
    assert (problem.code, problem.path) == (code, ("story", "answer"))


def test_a_study_without_a_story_is_refused(tell):
    with pytest.raises(UsageError, match="has no story"):
        tell(story="")


def test_studies_are_listed_with_their_questions(tell):
    tell()
    (row,) = studies_report().records()
    assert (row["study"], row["claims"], row["question"]) == ("s", 2, "How long do clients stay?")


@pytest.mark.parametrize("form", ["table", "csv", "json", "jsonl", "md"])
def test_a_story_is_told_in_every_form(tell, form: str):
    assert "How long do clients stay?" in tell('picture = { cost = "window" }').text(form)
