"""Renders a report in a format. The module of a format is imported when it is first needed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from qnet.formats import BELOW, DEFAULT, FENCED, FORMATS
from qnet.lazy import lazy
from qnet.reports.content import Bars, Content, Style

if TYPE_CHECKING:
    from qnet.reports import chart
else:
    chart = lazy("qnet.reports.chart")


def render(report: Content, format: str, style: Style, plot: bool = False) -> str:
    """The report as text that ends with one newline; only JSON lines without a row are empty.

    format   a name of `qnet.formats.FORMATS`.
    style    width, colours and units of the screen, which CSV and JSON ignore.
    plot     whether to draw the report below its table; CSV, JSON and LaTeX have no drawing, HTML always has one.
    """
    if format == DEFAULT and report.screen:
        return report.screen(style, report.notes)
    row = FORMATS[format]
    module: Any = import_module(row.module)
    text: str = module.render(report, style)
    if not plot or row.drawing not in (BELOW, FENCED):
        return text
    if row.drawing == BELOW:
        return f"{text}\n{_drawn(report, style)}\n"
    return f"{text}\n{module.fenced(_drawn(report, style.replace(ascii=True, color=False)))}\n"


def _drawn(report: Content, style: Style) -> str:
    """A report as bars or as lines, as its `plot` says."""
    if isinstance(report.plot, Bars):
        return chart.bars_of(report.source, style)
    return chart.plot_of(report.source, style)
