"""Every command that gives a report gives it in every form."""

from __future__ import annotations

import csv
import inspect
import io
import json
import os
import re
import shlex
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from qnet.cli.commands import COMMANDS
from qnet.cli.group import qnet
from qnet.formats import FORMATS

MODEL = """
qnet = 1
title = "one window"
[parameters]
rate = "0.5/s"
service = { value = "1 s", range = ["0.5 s", "1.5 s"] }
[stations]
window = {}
[classes.client]
arrival_rate = "rate"
steps = [ { station = "window", time = "service" } ]
[costs.per_client]
of = "window"
"""

STUDY = """
schema = 1
id = "window"
title = "A study"
system = "window"
source = "book"
[story]
question = "How long is a visit?"
answer = "{half}, not [half]."
picture = { knee = "window", vary = "rate" }
[[claims]]
id = "half"
role = "predicted"
null = "none: made up"
stated = "2 s"
tolerance = 0.1
figure = "response"
"""

PART = """
schema = 1
id = "desk/desk"
title = "A desk"
[parameters.service]
value = "1 s"
grade = "textbook"
source = "book"
"""

FILES = {
    "window.toml": MODEL,
    "measured.csv": "rate_per_s,response_s\n0.5,2.2\n0.6,2.7\n0.7,3.8\n",
    "intervals.csv": "throughput,utilization_window\n0.1/s,0.11\n0.2/s,0.19\n0.3/s,0.31\n",
    "CATALOG.toml": 'schema = 1\ntitle = "test"\n',
    "sources.toml": '[book]\ntitle = "A book"\n',
    "systems/window.toml": MODEL,
    "studies/window.toml": STUDY,
    "parts/desk/desk.toml": PART,
}

REPORTS = [
    "solve ./window.toml",
    "envelope ./window.toml --limit 'response <= 4 s'",
    "envelope ./window.toml --limit 'response <= 4 s' --over service=0.5s,1s",
    "cost ./window.toml",
    "sweep ./window.toml --vary rate=0.1/s,0.2/s",
    "sweep ./window.toml --vary rate=0.1/s,0.2/s --vary service=0.5s,1s --metric response",
    "compare ./window.toml --with rate=0.6/s",
    "knee ./window.toml",
    "formula ./window.toml",
    "bottleneck ./window.toml",
    "why ./window.toml",
    "sensitivity ./window.toml",
    "sensitivity ./window.toml --within 10% --tornado",
    "sensitivity ./window.toml --within 10% --corners",
    "sensitivity ./window.toml --within 10% --sample 20",
    "calibrate ./window.toml measured.csv --fit service",
    "calibrate ./window.toml window measured.csv --fit service",
    "calibrate --demands intervals.csv",
    "queue M/M/1 --arrival-rate 0.5/s --service-time 1s",
    "methods",
    "validate",
    "validate window",
    "study",
    "study window",
    "catalog list",
    "catalog show desk/desk",
    "catalog show window",
]

NO_REPORT = {"map", "check", "completion", "convert", "example", "explain", "help", "measured", "new", "schema"}
"""Rows that pass through, or texts that are the answer."""

APART = {"mix_stderr": False} if "mix_stderr" in inspect.signature(CliRunner).parameters else {}


@pytest.fixture(scope="module", autouse=True)
def place(tmp_path_factory: pytest.TempPathFactory):
    """A folder with the files of the commands, which is the catalog too."""
    folder = tmp_path_factory.mktemp("formats")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    before = Path.cwd()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QNET_CATALOG", str(folder))
        os.chdir(folder)
        yield
    os.chdir(before)


@cache
def run(line: str, format: str) -> Result:
    """The answer of a command in a form, which several tests look at."""
    return CliRunner(**APART).invoke(qnet, [*shlex.split(line), "--format", format])


def test_every_command_with_a_report_is_here() -> None:
    assert {line.split()[0] for line in REPORTS} == set(COMMANDS) - NO_REPORT


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("line", REPORTS)
def test_a_report_is_told_in_every_form(line: str, format: str) -> None:
    result = run(line, format)
    assert result.exit_code == 0, result.stderr
    text = result.stdout
    assert text.strip() and text.endswith("\n") and not text.endswith("\n\n")
    match format:
        case "md":
            assert text.startswith("## ")
        case "json":
            assert json.loads(text)["rows"]
        case "jsonl":
            lines = [json.loads(each) for each in text.splitlines()]
            assert lines and all(isinstance(each, dict) for each in lines)
        case "csv":
            head, *rows = csv.reader(io.StringIO(text))
            assert rows and {len(row) for row in rows} == {len(head)}
        case "html":
            assert text.startswith("<!DOCTYPE html>") and "</html>" in text
        case _:
            assert "---" in text or re.search(r"^\S.*  \S", text, re.MULTILINE)


@pytest.mark.parametrize("line", REPORTS)
def test_forms_for_machines_have_the_same_rows(line: str) -> None:
    names, *rows = csv.reader(io.StringIO(run(line, "csv").stdout))
    told = json.loads(run(line, "json").stdout)["rows"]
    single = [json.loads(each) for each in run(line, "jsonl").stdout.splitlines()]
    assert [row for row in single if set(row) == set(names)] == told
    assert [list(row) for row in told] == [names] * len(rows)
