"""CSV by RFC 4180 with LF: units in the header, numbers that read back as the same float, missing is empty."""

from __future__ import annotations

import re
from collections.abc import Iterable

from qnet.reports.columns import checked_rows, column_names
from qnet.reports.content import Cell, Content, Style

_FORMULA = r"\A(?:[\s\x00-\x1f]*+[=+\-@＝＋－＠]|[\t\r\n])"
"""How text begins that spreadsheets compute (OWASP, CSV Injection): white space and control characters are skipped."""
_NUMBER = r"\A\s*+[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?\s*+\Z"
_QUOTED = r'[,"\x00-\x1f\x7f]'
_MARKED = r'["\x00-\x1f\x7f]'


def render(report: Content, style: Style) -> str:
    """The rows under one line of names. Raises `ValueError` naming the column of NaN or infinity."""
    rows: Iterable[Iterable[Cell]] = (column_names(report.columns), *checked_rows(report))
    return "".join(line(row, style.safe_csv) + "\n" for row in rows)


def line(cells: Iterable[Cell], safe: bool = False) -> str:
    """One line of CSV by RFC 4180, without its end: numbers with all digits, texts quoted where they need it.

    cells  of the row; None is empty.
    safe   whether text that a spreadsheet would compute as a formula gets an apostrophe before it; numbers do not.
    """
    cells = map(_inert, cells) if safe else cells
    return ",".join(map(_field, cells)) or '""'  # readers skip an empty line, and would lose the row


def needs_marks(text: str) -> bool:
    """Whether `text`, a line of plain cells, has a quotation mark or a character that must stand inside a pair."""
    return re.search(_MARKED, text) is not None


def _inert(cell: Cell) -> Cell:
    if isinstance(cell, str) and re.match(_FORMULA, cell) and not re.match(_NUMBER, cell, re.ASCII):
        return f"'{cell}"
    return cell


def _field(cell: Cell) -> str:
    # Written out, because the csv module of Python versions differ in what they quote.
    if isinstance(cell, float):
        return float.__repr__(cell)
    if cell is None:
        return ""
    if isinstance(cell, str):
        # Compiling the pattern takes longer than a small answer in CSV: most texts do without.
        plain = cell.isascii() and cell.isprintable() and "," not in cell and '"' not in cell
        return cell if plain or not re.search(_QUOTED, cell) else '"' + cell.replace('"', '""') + '"'
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return str(cell)
