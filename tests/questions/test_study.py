"""The story of a study: question, answers, limits, picture; and what is wrong with one."""

from __future__ import annotations

from pathlib import Path

import pytest
from studies import FAST, HEAD, WINDOW, claim

from qnet.errors import InvalidInput, UsageError
from qnet.questions.study_report import studies_report, study_report

CLAIM = claim("x", role="predicted", metric="mean response", stated="2.1 s", tolerance=0.1, figure="response")
RATE = claim("most", role="given", metric="rate", stated="0.8 /s")
STORY = '[story]\nquestion = "How long do clients stay?"\nanswers = ["x"]\n'
COST = '[costs.work]\nof = "window"\n'


@pytest.fixture
def tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A function from the lines of a story to the records of its report."""
    monkeypatch.setenv("QNET_CATALOG", str(tmp_path))

    def told(more: str = "", story: str = STORY, drawn: bool = False):
        files = {"CATALOG.toml": 'schema = 1\ntitle = "test"\n'}
        files |= {"systems/window.toml": WINDOW + COST, "systems/fast.toml": FAST + COST}
        files["studies/s.toml"] = HEAD + story + more + "\n" + RATE + CLAIM
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return study_report("s", drawn)

    return told


def section(report, name: str) -> list[dict]:
    return [row for row in report.records() if row["section"] == name]


def test_a_story_tells_question_answer_and_limits(tell):
    report = tell()
    assert section(report, "what the authors asked")[0]["text"] == "How long do clients stay?"
    (answer,) = section(report, "measured and modelled")
    assert (answer["stated"], answer["modelled"], answer["unit"]) == (2.1, pytest.approx(2.0), "s")
    assert answer["error_percent"] == pytest.approx(100 * (2 / 2.05 - 1))
    limits = section(report, "what limits it")
    assert any("window is full first, at 1/s" in row["text"] for row in limits)
    assert section(report, "the picture") == []


def test_limits_are_those_of_the_point_that_is_named(tell):
    report = tell('limits = { why = "fast", set = { rate = "[most]" } }')
    full = [row["value"] for row in section(report, "what limits it") if row["quantity"] == "full_at"]
    assert full == [pytest.approx(2.0)]


def test_a_knee_is_a_picture(tell):
    """2 s = 1 / (1 - rate) at 0.5/s."""
    keys = 'limit = "response <= 2 s", definition = "service_level"'
    report = tell(f'picture = {{ knee = "window", {keys} }}')
    command, knee = section(report, "the picture")
    assert command["text"] == "qnet knee window --limit 'response <= 2 s' --definition service_level"
    assert knee["rate_per_s"] == pytest.approx(0.5)
    assert len(report.plot.rows) > 10


def test_points_of_a_curve_are_left_to_the_drawing(tell):
    picture = 'picture = { sweep = "window", over = "rate=0.1/s:0.9/s:0.1/s", metric = "response" }'
    assert len(section(tell(picture), "the picture")) == 1 + 9
    drawn = tell(picture, drawn=True)
    assert len(section(drawn, "the picture")) == 1
    assert len(drawn.plot.rows) == 9


def test_an_envelope_is_a_picture(tell):
    """The largest rate within 2 s at a time of 1 s is 0.5/s, and of 0.5 s is 1.5/s."""
    keys = 'vary = "rate", limit = "response <= 2 s", over = "time = 0.5 s, 1 s"'
    _, *points = section(tell(f'picture = {{ envelope = "window", {keys} }}'), "the picture")
    assert [row["rate_per_s"] for row in points] == pytest.approx([1.5, 0.5])


def test_a_cost_is_held_against_another_system(tell):
    command, row, *_ = section(tell('picture = { cost = "window", against = "fast" }'), "the picture")
    assert command["text"] == "qnet cost window --against fast"
    assert (row["cost"], row["picture_value"], row["against"]) == ("work", 1.0, 0.5)


def test_settings_are_compared(tell):
    picture = (
        'picture = { compare = "window", against = "window", against_set = { rate = "0.8/s" }, metric = "response" }'
    )
    command, row = section(tell(picture), "the picture")
    assert command["text"] == "qnet compare window --metric response --with rate=0.8/s"
    assert (row["base"], row["picture_value"]) == (pytest.approx(2.0), pytest.approx(5.0))


@pytest.mark.parametrize(
    ("more", "path", "code"),
    [
        ("answer = 1", ("answer",), "QN320"),
        ('picture = { plot = "window" }', ("picture",), "QN320"),
        ('picture = { knee = "window", limits = "x" }', ("picture", "limits"), "QN320"),
        ('picture = { sweep = "window" }', ("picture",), "QN320"),
        ('picture = { compare = "window" }', ("picture",), "QN320"),
        ('picture = { knee = "window", limit = "response <= [y]" }', ("picture", "limit"), "QN322"),
        ('picture = { knee = "nobody" }', ("picture",), "QN301"),
        ('picture = { knee = "window", set = { speed = 1 } }', ("picture",), "QN004"),
        ('picture = { knee = "window", limit = "respons <= 1 s" }', ("picture",), "QN112"),
        ('limits = { knee = "window" }', ("limits",), "QN320"),
        ('limits = { why = "nobody" }', ("limits",), "QN301"),
    ],
)  # fmt: skip
def test_a_fault_names_its_place(tell, more: str, path: tuple[str, ...], code: str):
    with pytest.raises(InvalidInput) as raised:
        tell(more)
    (problem,) = raised.value.problems
    assert (problem.code, problem.path) == (code, ("story", *path))
    assert problem.file.endswith("s.toml")
    assert problem.line


def test_answers_are_claims_that_ask_the_model(tell):
    with pytest.raises(InvalidInput) as raised:
        tell(story=STORY.replace('["x"]', '["x", "y", "most"]'))
    assert [problem.path for problem in raised.value.problems] == [("story", "answers", 1), ("story", "answers", 2)]


def test_a_study_without_a_story_is_refused(tell):
    with pytest.raises(UsageError, match="tells no story"):
        tell(story="")


def test_studies_are_listed_with_their_questions(tell):
    tell()
    (row,) = studies_report().records()
    assert (row["study"], row["claims"], row["question"]) == ("s", 2, "How long do clients stay?")


@pytest.mark.parametrize("form", ["table", "csv", "json", "jsonl", "md"])
def test_a_story_is_told_in_every_form(tell, form: str):
    assert "How long do clients stay?" in tell('picture = { cost = "window" }').text(form)
