"""CSV by RFC 4180 with LF: units in the header, numbers that read back as the same float, missing is empty."""

from __future__ import annotations

import re
from collections.abc import Iterable

from qnet.reports.content import Cell, Content, Style
from qnet.reports.records import checked_rows, column_names

_QUOTED = re.compile(r'[,"\x00-\x1f\x7f]')


def render(report: Content, style: Style) -> str:
    """The rows under one line of names. Raises `ValueError` naming the column of NaN or infinity."""
    lines = [line(column_names(report.columns)), *map(line, checked_rows(report))]
    return "\n".join(lines) + "\n"


def line(cells: Iterable[Cell]) -> str:
    """One line, without its end."""
    return ",".join(map(_field, cells)) or '""'  # readers skip an empty line, and would lose the row


def _field(cell: Cell) -> str:
    # Written out, because the csv module of each Python version has its own idea of what needs a quote.
    if cell is None:
        return ""
    if isinstance(cell, str):
        return '"' + cell.replace('"', '""') + '"' if _QUOTED.search(cell) else cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return float.__repr__(cell) if isinstance(cell, float) else str(cell)
