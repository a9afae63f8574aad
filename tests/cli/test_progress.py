"""Progress: told to a terminal after a while, on a line that is gone before anything else is written."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import qnet.cli.progress
from qnet.cli.progress import progress, watched
from qnet.model.load import load
from qnet.model.model import Model
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.bottleneck.report import bottleneck_report
from qnet.questions.envelope.envelope import envelope
from qnet.questions.envelope.question import questions
from qnet.questions.knee.report import knee_report
from qnet.questions.sensitivity.sensitivity import sensitivity
from qnet.questions.why.why import why_report

WEB = str(Path(__file__).parents[2] / "examples" / "one-queue.toml")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Standard error as a terminal, before somebody without patience."""
    shown = Terminal()
    monkeypatch.setattr(qnet.cli.progress, "sys", SimpleNamespace(stderr=shown))
    monkeypatch.setattr(qnet.cli.progress, "_PATIENCE", 0.0)
    monkeypatch.setattr(qnet.cli.progress, "_OFTEN", 0.0)
    return shown


def test_points_are_counted_and_gone_in_the_end(screen: Terminal):
    with watched(AUTO) as wanted:
        assert wanted.solved
        wanted.solved(7)
        wanted.solved(5)
    assert screen.getvalue() == "\rqnet: points solved: 7\rqnet: points solved: 12\r" + " " * 23 + "\r"


def test_what_is_announced_has_a_line_of_its_own(screen: Terminal):
    with watched(AUTO.replace(announce=lambda text: print(text, file=screen))) as wanted:
        assert wanted.solved
        assert wanted.announce
        wanted.solved(1)
        wanted.announce("soon")
    assert screen.getvalue() == "\rqnet: points solved: 1\r" + " " * 22 + "\rsoon\n"


def test_somebody_with_patience_sees_nothing(screen: Terminal, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(qnet.cli.progress, "_PATIENCE", 0.5)
    with progress("studies") as told:
        assert told
        told(1, 5)
    assert screen.getvalue() == ""


def test_nobody_is_told_where_no_terminal_listens(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(qnet.cli.progress, "sys", SimpleNamespace(stderr=io.StringIO()))
    with watched(AUTO) as wanted, progress("studies") as told:
        assert (wanted, told) == (AUTO, None)


ASKED: dict[str, Callable[[Model, Wanted], Any]] = {
    "envelope": lambda model, wanted: envelope(questions(model, (), "rate", "response <= 50 ms", wanted=wanted)[0]),
    "knee": lambda model, wanted: knee_report(model, wanted=wanted),
    "sensitivity": lambda model, wanted: sensitivity(model, asked=wanted),
    "bottleneck": lambda model, wanted: bottleneck_report(model, 2.0, wanted),
    "why": lambda model, wanted: why_report(model, 2.0, wanted, (), ()),
}


@pytest.mark.parametrize("name", ASKED)
def test_every_question_tells_the_points_that_it_solves(name: str):
    told: list[int] = []
    ASKED[name](load(WEB), AUTO.replace(solved=told.append))
    assert len(told) >= 2
    assert all(count >= 1 for count in told)
