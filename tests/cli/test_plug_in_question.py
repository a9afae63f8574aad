"""A question is one file and one row: a toy is a command and a method, with help, completion and JSON Schema, without a
change anywhere else."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
import pytest
from json_validator import faults

import qnet
import qnet.questions
from qnet.budget import OPERATIONS
from qnet.errors import UsageError
from qnet.signatures import Questions, question

if TYPE_CHECKING:
    from qnet.arguments import Texts
    from qnet.model.model import Model
    from qnet.reports.report import Report

FILE = '''
"""Stations that are busier than a share."""

from qnet.question import Command, Option
from qnet.questions.points.points import solve_points
from qnet.questions.presentation.assertions import broken, conditions
from qnet.reports.content import Column
from qnet.reports.report import Report

COLUMNS = (Column("station", "station"), Column("utilization", "utilization"))
COMMAND = Command(
    options=(
        Option("above", "SHARE", "Only stations above this utilization (default: 0).", range=(0, 1)),
        Option("only", "NAME", "Only this station. May be repeated."),
        Option("percent", help="Utilization in per cent.", needs="above"),
        Option("order", "NAME", "Order: name or load (default: name).", choices=("name", "load")),
        Option("than", "SYSTEM", "Also the utilization in another model."),
    ),
    excluding=(("only", "above"),),
    text="Utilization is the fraction of busy servers (Little 1961).\\n\\n\\b\\nExample:\\n  qnet busy one-queue",
)


def ask(model, above=0.0, only=(), percent=False, order="name", than=None, wanted=None, asserted=()):
    """The report."""
    claimed = conditions(asserted, model)
    solved = solve_points(model, asked=wanted)
    scale = 100 if percent else 1
    rows = [(item.name, scale * float(item.utilization)) for item in solved.parts[0].solution.stations]
    rows = [row for row in rows if row[1] > above and (not only or row[0] in only)]
    rows.sort(key=lambda row: row[1] if order == "load" else row[0])
    title = f"{model.title}: busy stations" + (f", and {than.title}" if than else "")
    return Report(
        schema="qnet/busy/1", title=title, columns=COLUMNS, rows=rows, broken=broken(solved, claimed),
    )
'''


def busy(
    self: Questions,
    above: float = 0.0,
    only: Texts = (),
    percent: bool = False,
    order: str = "name",
    than: Model | None = None,
    method: str = "auto",
    operations: float = OPERATIONS,
) -> Report:
    """Stations by their utilization, as `qnet busy`."""
    raise NotImplementedError


MADE = ("commands", "schema", "group")
"""The modules of `qnet.cli` that read the table when they are loaded."""


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> click.Group:
    """The command qnet with the toy; all is as before after the test."""
    (tmp_path / "busy.py").write_text(FILE)
    monkeypatch.setattr(qnet.questions, "__path__", [*qnet.questions.__path__, str(tmp_path)])
    monkeypatch.delitem(sys.modules, "qnet.questions.busy", raising=False)
    row = question("busy:ask", "List stations by their utilization.")
    monkeypatch.setattr(Questions, "busy", row(busy), raising=False)
    package = import_module("qnet.cli")
    for name in MADE:
        monkeypatch.setattr(package, name, import_module(f"qnet.cli.{name}"))
        monkeypatch.delitem(sys.modules, f"qnet.cli.{name}")
    return import_module("qnet.cli.group").qnet


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(toy: click.Group, capsys: pytest.CaptureFixture[str]) -> Run:
    """A run of the command: its exit code, and both streams."""

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            toy(list(arguments), prog_name="qnet")
        streams = capsys.readouterr()
        return int(end.value.code or 0), streams.out, streams.err

    return run


def test_it_is_listed_and_has_help(run: Run):
    assert "  busy         List stations by their utilization.\n" in run("--help")[1]
    assert "  busy          List stations by their utilization.\n" in run("help")[1]
    code, out, _ = run("busy", "--help")
    assert code == 0 and out.startswith("Usage: qnet busy [OPTIONS] [SYSTEM]\n")
    for option in ("--above SHARE ", "--only NAME ", "--than SYSTEM ", "--than-parameter NAME=VALUE", "--method NAME ",
                   "--assert CONDITION", "--population NUMBER", "-f, --format FORMAT"):  # fmt: skip
        assert option in out
    assert out.index("qnet busy one-queue") < out.index("Little 1961") < out.index("--above") < out.index("--method")
    assert "Utilization is the fraction" in run("help", "busy")[1]


def test_it_answers_in_every_format(run: Run):
    code, out, err = run("busy", "one-queue")
    assert (code, err) == (0, "") and "busy stations" in out and "server" in out
    assert run("busy", "one-queue", "--csv") == (0, "station,utilization\nserver,0.8\n", "")
    assert json.loads(run("busy", "one-queue", "--json")[1])["rows"][0]["utilization"] == pytest.approx(0.8)
    assert "| server  |" in run("busy", "one-queue", "--md")[1]


def test_its_options_are_what_the_signature_says(run: Run):
    row = (
        "busy",
        "--station",
        "a=30ms",
        "--station",
        "b=10ms",
        "--station",
        "c=50ms",
        "--arrival-rate",
        "10/s",
        "--csv",
    )
    assert run("busy", *row[1:])[1].split() == ["station,utilization", "a,0.3", "b,0.1", "c,0.5"]
    assert run(*row, "--order", "load")[1].split()[1:] == ["b,0.1", "a,0.3", "c,0.5"]
    assert run(*row, "--above", "0.4")[1].split()[1:] == ["c,0.5"]
    assert run(*row, "--above", "0.4", "--percent")[1].split()[1:] == ["a,30.0", "b,10.0", "c,50.0"]
    assert run("busy", "one-queue", "-p", "rate=20/s", "--csv")[1].split()[1:] == ["server,0.2"]
    assert "and Web" in run("busy", "one-queue", "--than", "web-tier", "--than-parameter", "rate=100/s")[1]


def test_it_refuses_what_it_does_not_take(run: Run):
    for words, text in (
        (("--abov", "1"), 'unknown option "--abov"'),
        (("--above", "2"), "--above: 2.0 is not in the range 0<=x<=1"),
        (("--above", "x"), "--above: 'x' is not a valid float"),
        (("--order", "size"), "--order: 'size' is not one of 'name', 'load'"),
        (("--percent",), "--percent needs --above"),
        (("--only", "server", "--above", "0"), "--only and --above exclude each other"),
        (("--only", ""), "--only: the text is empty"),
        (("--than-parameter", "rate=1/s"), "--than-parameter needs --than"),
        (("--method", "none"), 'unknown method "none"'),
    ):
        code, out, err = run("busy", "one-queue", *words)
        assert (code, out) == (2, "") and err.startswith(f"qnet: {text}"), err
    assert run("busy")[2].startswith("qnet: there is nothing to solve")


def test_it_judges_assertions(run: Run):
    code, _, err = run("busy", "one-queue", "--assert", "response < 1 ms")
    assert code == 6 and "asserted response < 1 ms" in err


def test_it_is_completed(run: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("_QNET_COMPLETE", "zsh_complete")
    for words, offered in (("qnet bu", "busy"), ("qnet busy --ab", "--above"), ("qnet busy --order l", "load"),
                           ("qnet busy one-queue --than web-t", "web-tier")):  # fmt: skip
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(words.count(" ")))
        assert offered in run()[1].splitlines()[1::3], words


def test_its_answer_satisfies_its_schema(run: Run):
    assert "busy        results of qnet busy\n" in run("schema")[1]
    schema = json.loads(run("schema", "busy")[1])
    answer = json.loads(run("busy", "one-queue", "--json")[1])
    assert schema["title"] == answer["schema"] == "qnet/busy/1"
    assert list(faults(answer, schema)) == []
    answer["rows"][0]["station"] = ["no text"]
    assert list(faults(answer, schema)) != []


def test_it_is_a_method_of_a_system(toy: click.Group):
    system = cast("Any", qnet.load("one-queue"))
    assert system.busy().records() == [{"station": "server", "utilization": pytest.approx(0.8)}]
    assert system.busy(only="other").records() == []
    assert system.busy(than=system.set(rate="1/s")).title.endswith("busy stations, and One queue")
    assert list(inspect.signature(system.busy).parameters)[:3] == ["above", "only", "percent"]
    for wrong in ({"above": "much"}, {"percent": 3}, {"only": [1]}, {"operations": 0}):
        with pytest.raises(UsageError):
            system.busy(**wrong)


def test_it_is_gone_afterwards():
    assert not hasattr(qnet.System, "busy")
