"""`--columns` with every command that prints rows: the columns asked for and no other, in every format.

Figures and the sentences of a page are those of the report with all its columns.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_process import Answer, Run

from qnet.reports.content import Style
from qnet.reports.render import render
from qnet.reports.report import Report
from qnet.reports.selection import selected
from qnet.system import System, load

COMMANDS = {
    "bottleneck": ("bottleneck", "web-pool"),
    "catalog": ("catalog", "list"),
    "compare": ("compare", "web-pool", "web-tier"),
    "cost": ("cost", "zvm-paging"),
    "envelope": ("envelope", "one-queue", "--limit", "response <= 50 ms"),
    "envelope along a grid": (
        "envelope", "one-queue", "--limit", "response <= 50 ms", "--over", "service_time=1ms,2ms,4ms",
    ),
    "formula": ("formula", "one-queue"),
    "knee": ("knee", "web-pool", "--limit", "response <= 80 ms"),
    "methods": ("methods",),
    "queue": ("queue", "M/M/1", "--arrival-rate", "50/s", "--service-time", "10ms"),
    "sensitivity": ("sensitivity", "web-pool"),
    "solve": ("solve", "web-pool"),
    "study": ("study", "paging"),
    "sweep": ("sweep", "web-pool", "--over", "workers=5:8", "--over", "connections=4:6"),
    "sweep of one metric": ("sweep", "web-pool", "--over", "workers=5:8", "--metric", "response"),
    "validate": ("validate", "paging"),
    "why": ("why", "web-pool"),
    "why of a saturated system": ("why", "web-pool", "-p", "rate=900/s"),
}  # fmt: skip
"""Each answered some twenty times: of systems that are solved at once."""
DRAWN = ("envelope", "knee", "sensitivity", "sweep")
"""Commands with `--plot`."""


@pytest.fixture(scope="module")
def answers() -> dict[tuple[str, ...], Answer]:
    return {}


@pytest.fixture
def said(qnet: Run, answers: dict[tuple[str, ...], Answer]) -> Run:
    """What a command that writes no file says, once for all tests."""

    def run(*words: str) -> Answer:
        if words not in answers:
            answers[words] = qnet(*words)
        return answers[words]

    return run


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_report_is_narrowed_to_what_is_asked_for(words: tuple[str, ...], said: Run) -> None:
    names = header(said, words)
    asked = [names[-1], names[1]]
    shown = {
        ending: said(*words, "--columns", ",".join(asked), f"--{ending}")
        for ending in ("csv", "json", "md", "format=table")
    }
    assert {answer.code for answer in shown.values()} == {0}
    columns = next(csv.reader(shown["csv"].out.splitlines()))
    assert set(asked) <= set(columns)  # and those that name blocks and paragraphs
    assert len(columns) <= 4
    assert {key for row in json.loads(shown["json"].out)["rows"] for key in row} == set(columns)


@pytest.mark.parametrize("asked", [
    lambda system: system.set(rate="900/s").why(),
    lambda system: system.solve(percentile=[95]),
    lambda system: system.sensitivity(),
], ids=["why", "solve", "sensitivity"])  # fmt: skip
def test_every_column_can_stand_alone_in_a_table(asked: Callable[[System], Report]) -> None:
    report = asked(load("web-pool"))
    for name in report.columns.keys():  # noqa: SIM118
        try:
            text = render(selected(report, [name]), "table", Style(width=100))
        except Exception as error:
            error.add_note(name)
            raise
        assert len(text.splitlines()) > 2, name


@pytest.mark.parametrize("column", [0, -1])
@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_page_has_the_figures_and_sentences_of_all_columns(words: tuple[str, ...], column: int, said: Run) -> None:
    asked = ("--columns", header(said, words)[column])
    pages = [said(*words, *more, "--html") for more in ((), asked)]
    assert {page.code for page in pages} == {0}
    for pattern in (
        "<figure>.*</figure>",
        '<section class="question">.*?</section>',
        '<section class="answer">.*?<h2>',
    ):
        first, second = (re.findall(pattern, page.out, re.DOTALL) for page in pages)
        assert first == second


@pytest.mark.parametrize("column", [0, -1])
@pytest.mark.parametrize("name", [name for name, (command, *_) in COMMANDS.items() if command in DRAWN])
def test_a_chart_is_that_of_all_columns(name: str, column: int, said: Run, qnet: Run, tmp_path: Path) -> None:
    words = COMMANDS[name]
    asked = ("--columns", header(said, words)[column])
    assert {said(*words, *more, "--plot").code for more in ((), asked)} == {0}
    first, second = (drawing(said(*words, *more, "--plot", "--md").out) for more in ((), asked))
    assert first == second
    files = [qnet(*words, *more, "--plot", f"{number}.svg") for number, more in enumerate(((), asked))]
    assert files[0].code == files[1].code
    written = [tmp_path / f"{number}.svg" for number in range(2)]
    assert len({path.read_text() if path.exists() else "" for path in written}) == 1


def header(said: Run, words: tuple[str, ...]) -> list[str]:
    return next(csv.reader(said(*words, "--csv").out.splitlines()))


def drawing(text: str) -> list[str]:
    """The charts of an answer in Markdown."""
    return re.findall("```text\n.*?```", text, re.DOTALL)
