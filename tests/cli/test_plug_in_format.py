"""A format is one file and one row: a toy is offered, taken, and written without a change anywhere else."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

import qnet
from qnet import formats
from qnet.cli import commands
from qnet.cli.group import qnet as command
from qnet.cli.topics import topic_text
from qnet.errors import UsageError

TOY = '''
"""A line per row, its cells behind each other."""


def render(report, style):
    return "".join(f"{'|'.join(str(cell) for cell in row)}\\n" for row in report.rows)


def fenced(drawing):
    return f"[{drawing.count(chr(10)) + 1} lines]"
'''
ROW = formats.OutputFormat("qnet_toy_format", "toys", (".toy", ".toys"), "a line per row", use="to play with")
ANSWER = "station|M/M/1|"
QUEUE = ("queue", "M/M/1", "--arrival-rate", "50/s", "--service-time", "10ms")
SWEEP = ("sweep", "one-queue", "--over", "rate=10/s,20/s", "--metric", "response")


@pytest.fixture(autouse=True)
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The module and the row, before the modules of commands are loaded, whose options follow from the table."""
    (tmp_path / "qnet_toy_format.py").write_text(TOY)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    insert(monkeypatch, ROW)
    monkeypatch.delitem(sys.modules, "qnet_toy_format", raising=False)


def insert(monkeypatch: pytest.MonkeyPatch, row: formats.OutputFormat) -> None:
    """Put in a row, and load commands anew when they are used; all is as before after the test."""
    monkeypatch.setitem(formats.FORMATS, "toy", row)
    for module, _ in commands.COMMANDS.values():
        package, _, name = module.rpartition(".")
        monkeypatch.setattr(sys.modules[package], name, import_module(module))
        monkeypatch.delitem(sys.modules, module)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """The exit code, and both streams."""
    with pytest.raises(SystemExit) as end:
        command(list(arguments), prog_name="qnet")
    told = capsys.readouterr()
    return int(end.value.code or 0), told.out, told.err


def offered(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: str) -> dict[str, str]:
    """What zsh is offered for the last word of a line, and the note of each."""
    monkeypatch.setenv("_QNET_COMPLETE", "zsh_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(words.count(" ")))
    lines = run(capsys)[1].splitlines()
    return dict(zip(lines[1::3], lines[2::3], strict=True))


def test_it_is_offered_by_help(capsys: pytest.CaptureFixture[str]):
    help = " ".join(run(capsys, "solve", "--help")[1].split())
    assert "short: --csv, --json, --jsonl, --md, --html, --toy." in help


def test_it_is_offered_by_the_topic_of_formats():
    assert "\ntoy     a line per row\n" in topic_text("formats", command)


def test_it_is_offered_by_completion(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    assert offered(capsys, monkeypatch, "qnet solve -f t").keys() == {"table", "toy"}
    assert offered(capsys, monkeypatch, "qnet solve --to") == {"--toy": "Short for --format toy, to play with."}


@pytest.mark.parametrize("words", [("-f", "toy"), ("--format=toy",), ("--toy",)])
def test_it_is_taken_by_name(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]):
    code, out, _ = run(capsys, *QUEUE, *words)
    assert code == 0 and out.startswith(ANSWER) and out.count("\n") == 1


@pytest.mark.parametrize("file", ["x.toy", "X.TOYS"])
def test_it_is_taken_by_suffix(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(capsys, *QUEUE, "-o", file)[:2] == (0, "")
    assert (tmp_path / file).read_text().startswith(ANSWER)


def test_it_is_taken_from_python():
    report = qnet.load("one-queue").solve()
    assert report.text("toy").count("|") == len(report.rows) * (len(report.columns) - 1)
    with pytest.raises(UsageError, match="html, toy"):
        report.text("play")


def test_other_suffixes_are_refused_with_it(capsys: pytest.CaptureFixture[str]):
    code, _, err = run(capsys, *QUEUE, "-o", "x.play")
    assert code == 2 and ".html, .toy or .txt" in err


def test_what_it_has_not_is_printed_beside_it(capsys: pytest.CaptureFixture[str]):
    _, out, err = run(capsys, *SWEEP, "--toy", "--plot", "--safe-csv")
    assert out.count("\n") == 2
    assert "--plot applies to tables, Markdown and HTML, not to toy [QN606]" in err
    assert "--safe-csv applies to CSV, not to toy [QN606]" in err


def test_what_its_row_says_is_done(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    insert(monkeypatch, ROW.replace(drawing=formats.FENCED, spreadsheet=True))
    _, out, err = run(capsys, *SWEEP, "--toy", "--plot", "--safe-csv")
    assert out.endswith(" lines]\n") and "QN606" not in err
    assert (
        "--plot applies to tables, Markdown, HTML and toys, not to json" in run(capsys, *SWEEP, "--json", "--plot")[2]
    )
