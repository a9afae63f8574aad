"""Small tables as text and as Markdown, for answers that show themselves in a session or a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qnet.units import format_number


def plain_table(headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table of aligned columns; numbers have four digits, an array of several points its least and its most.

    headings  one for each column.
    rows      of as many cells: texts, numbers, arrays or None.
    """
    cells = [list(headings), *([as_text(value) for value in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """The same as a table of Markdown.

    headings, rows  as of `plain_table`.
    """
    cells = [headings, ["---"] * len(headings), *([as_text(value) for value in row] for row in rows)]
    return "\n".join(f"| {' | '.join(text.replace('|', chr(92) + '|') for text in row)} |" for row in cells)


def as_text(value: Any) -> str:
    """A value as text, as it stands in a table; nothing for None."""
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
