"""A report as records, for the formats that machines read: named columns, and rows that were checked."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from qnet.reports.content import Cell, Column, Content
from qnet.units import column_suffix


def column_names(columns: Sequence[Column]) -> list[str]:
    """Keys with their units: `response` in `s` is `response_s`. Raises `ValueError` where two columns share a name."""
    names = [column.key + column_suffix(column.unit) for column in columns]
    for position, name in enumerate(names):
        if name in names[:position]:
            raise ValueError(f'two columns are named "{name}"')
    return names


def checked_rows(report: Content) -> Iterator[tuple[Cell, ...]]:
    """The rows of a report, as they are.

    Raises `ValueError` for a row that is not as long as the columns are many, and for a cell that no format can show:
    NaN, infinity, text under a unit, a type that is not a `Cell`. The message names the column.
    """
    names = column_names(report.columns)
    for number, row in enumerate(report.rows, start=1):
        if len(row) != len(names):
            raise ValueError(f"row {number} of {report.schema} has {len(row)} cells for {len(names)} columns")
        for name, column, cell in zip(names, report.columns, row, strict=True):
            fault = _fault(cell, column.unit)
            if fault:
                raise ValueError(f'row {number} of {report.schema}: column "{name}" holds {fault}')
        yield row


def _fault(cell: Any, unit: str) -> str:
    """What is wrong with a cell, if anything. The cell is `Any` because this is what guards the type."""
    if cell is None:
        return ""
    if isinstance(cell, bool | str):
        return f"{cell!r} under the unit {unit}" if unit else ""
    if isinstance(cell, int | float):
        return "" if math.isfinite(cell) else repr(float(cell))
    return f"a {type(cell).__module__}.{type(cell).__qualname__}"
