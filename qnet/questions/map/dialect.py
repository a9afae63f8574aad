"""How tables are written: what separates their cells, which lines are comments, and the sign before decimals."""

from __future__ import annotations

import re
from collections.abc import Sequence

SEPARATORS = (",", ";", "\t")
"""The first of these outside quotation marks in the header separates cells."""
COMMENT = "#"

_QUOTED = re.compile(r'"[^"]*+"')
_DECIMAL_COMMA = re.compile(r"\s*+[+-]?\d++,\d++(?![\d.,])", re.ASCII)
_DECIMAL_POINT = re.compile(r"\s*+[+-]?\d++\.\d", re.ASCII)


def separator(header: str) -> str:
    """What separates the cells of a table, by its header."""
    bare = _QUOTED.sub("", header)
    return next((sign for sign in SEPARATORS if sign in bare), ",")


def is_comment(text: str) -> bool:
    """Whether a line begins with `#`; a title `#` alone, before a separator, is a column of numbers of rows."""
    return text.startswith(COMMENT) and text[1:].lstrip(" ")[:1] not in SEPARATORS


def are_numbers(cells: Sequence[str]) -> bool:
    """Whether cells are numbers throughout, so that they are no header."""
    try:
        return bool([float(decimal_point(cell)) for cell in cells])
    except ValueError:
        return False


def decimal_point(cell: str) -> str:
    """A cell with a point where it has a decimal comma: `1,5 ms` is `1.5 ms`."""
    return cell.replace(",", ".", 1) if has_comma(cell) else cell


def has_comma(cell: str) -> bool:
    """Whether a cell is a number, or a quantity, with one comma among its digits and no point."""
    return "," in cell and _DECIMAL_COMMA.match(cell) is not None


def has_point(cell: str) -> bool:
    """Whether a cell is a number, or a quantity, with a decimal point."""
    return _DECIMAL_POINT.match(cell) is not None
