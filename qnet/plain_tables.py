"""Small tables as text and as Markdown, for the display of answers in a session or a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qnet.units import format_number


def plain_table(headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table as text with aligned columns.

    headings  a heading for each column.
    rows      the cells of each row, as many as headings: texts, numbers, arrays or None, formatted by `as_text`.
    """
    cells = [list(headings), *([as_text(value) for value in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table in Markdown.

    headings, rows  as for `plain_table`; `|` in cells is escaped.
    """
    cells = [headings, ["---"] * len(headings), *([as_text(value) for value in row] for row in rows)]
    return "\n".join(f"| {' | '.join(text.replace('|', chr(92) + '|') for text in row)} |" for row in cells)


def as_text(value: Any) -> str:
    """The text of a cell.

    value   a number, shown with four digits, an array, shown by its minimum and maximum, None, shown empty, or any
            other value, shown by `str`.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return format_number(value)
    if not hasattr(value, "shape"):
        return str(value)
    if not value.size:
        return "none"
    low, high = format_number(float(value.min())), format_number(float(value.max()))
    return low if low == high else f"{low} to {high}"
