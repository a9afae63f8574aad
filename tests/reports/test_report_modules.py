"""What rendering loads, seen from a fresh interpreter.

A failure here means that a module-level import crept in, often only for an annotation. Start-up is a feature: import
heavy modules in the function that needs them, and under `TYPE_CHECKING` for types.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import sys
from qnet.reports.render import render
from qnet.reports.content import Style
from qnet.reports.content import Column, Plot
from qnet.reports.report import Report
columns = Column("a", "a"), Column("rate", "rate", "/s"), Column("response", "response", "s")
rows = [("x", 1.0, 0.5), ("x", 2.0, None), ("y", 3.0, 0.25)]
report = Report("qnet/x/1", "title", columns, rows, meta={"method": "mva"}, group="a", plot=Plot("rate", ("response",)))
FORMAT, STYLE, PLOT = sys.argv[1:]
render(report, FORMAT, Style(terminal=STYLE == "terminal"), plot=PLOT == "plot")
print("\\n".join(sorted(sys.modules)))
"""


def loaded(format: str, style: str = "pipe", plot: str = "") -> set[str]:
    command = [sys.executable, "-c", SCRIPT, format, style, plot]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())


HEAVY = {"rich", "numpy", "sympy", "dataclasses", "inspect", "importlib.resources", "importlib.metadata", "csv"}


@pytest.mark.parametrize("plot", ["", "plot"])
@pytest.mark.parametrize("format", ["csv", "json", "jsonl", "md", "table"])
def test_a_pipe_loads_nothing_heavy(format: str, plot: str) -> None:
    assert not loaded(format, plot=plot) & HEAVY


@pytest.mark.parametrize("format", ["csv", "md", "table"])
def test_only_json_loads_json(format: str) -> None:
    assert "json" not in loaded(format)


def test_a_format_loads_no_other_format() -> None:
    others = {"json_", "jsonl", "markdown", "text_table", "chart", "layout", "schema"}
    assert not loaded("csv") & {f"qnet.reports.{name}" for name in others}


def test_a_terminal_loads_rich_and_no_arrays() -> None:
    pytest.importorskip("rich")
    modules = loaded("table", "terminal")
    assert "rich.table" in modules
    assert not modules & {"numpy", "sympy"}
