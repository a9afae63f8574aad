"""The front door of the renderers: one answer, one format, one text. Each format is loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from qnet.lazy import lazy
from qnet.reports.content import Bars, Content, Style

if TYPE_CHECKING:
    from qnet.reports import bars, chart, markdown
else:
    markdown = lazy("qnet.reports.markdown")
    chart = lazy("qnet.reports.chart")
    bars = lazy("qnet.reports.bars")

FORMATS = {
    "table": "qnet.reports.text_table",
    "csv": "qnet.reports.csv_",
    "json": "qnet.reports.json_",
    "jsonl": "qnet.reports.jsonl",
    "md": "qnet.reports.markdown",
    "html": "qnet.reports.html_",
}
"""The formats by name, and the module of each: it has `render(report, style) -> str`."""

_SUFFIXES = {
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".md": "md",
    ".html": "html",
    ".htm": "html",
    ".txt": "table",
}


def render(report: Content, format: str, style: Style, plot: bool = False) -> str:
    """The report as text that ends with one newline; only JSON lines without a row are empty.

    format   one of `FORMATS`.
    style    width, colours and units of the screen, which formats for machines leave unused.
    plot     draw the report below its table; formats for machines have no room for a drawing and leave it out, and HTML
             always has it.
    """
    if format == "table" and report.screen:
        return report.screen(style, report.notes)
    text: str = import_module(FORMATS[format]).render(report, style)
    if not plot or format not in ("table", "md"):
        return text
    if format == "table":
        return f"{text}\n{_drawn(report, style)}\n"

    return f"{text}\n{markdown.fenced(_drawn(report, style.replace(ascii=True, color=False)))}\n"


def _drawn(report: Content, style: Style) -> str:
    """A report as bars or as lines, as its `plot` says."""
    if isinstance(report.plot, Bars):
        return bars.bars_of(report.source, style)

    return chart.plot_of(report.source, style)


def format_of_path(path: str) -> str | None:
    """The format that the suffix of `path` denotes, in either case of letters; None where it denotes none."""
    _, dot, suffix = path.lower().rpartition(".")
    return _SUFFIXES.get(dot + suffix)
