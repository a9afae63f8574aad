"""JSON lines: one compact object per row under the names of the CSV, and nothing else."""

from __future__ import annotations

from qnet.reports.columns import checked_rows, column_names
from qnet.reports.content import Content, Style
from qnet.reports.json_ import dumps


def render(report: Content, style: Style) -> str:
    """One line per row; the empty text for a report without rows, because an empty line is no JSON."""
    names = column_names(report.columns)
    return "".join(dumps(dict(zip(names, row, strict=True))) + "\n" for row in checked_rows(report))
