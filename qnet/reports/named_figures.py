"""The figures of a solution by name: those of the system, those by station, and outputs."""

from __future__ import annotations

from typing import Any

from qnet.errors import suggest
from qnet.reports.content import Cell, Content

_VALUES = ("output", "metric", "assertion")


def figure(report: Content, name: str) -> Any:
    """A figure of the system; else a dict of the figures of the stations; else an output, a metric or an assertion.

    Raises `AttributeError` with the nearest names for any other name.
    """
    known = _figures(report)
    if name not in known:
        raise AttributeError(f"the report has no figure {name!r}; {suggest(name, list(known))}")
    return known[name]


def names(report: Content) -> list[str]:
    """The names of the figures that are Python identifiers."""
    return [name for name in _figures(report) if name.isidentifier()]


def _figures(report: Content) -> dict[str, Any]:
    keys = [column.key for column in report.columns]
    rows = [dict(zip(keys, row, strict=True)) for row in report.rows]
    result: dict[str, Any] = {str(row["name"]): row["value"] for row in rows if row["scope"] in _VALUES}
    stations = [row for row in rows if row["scope"] == "station"]
    for key in keys:
        cells: dict[str, Cell] = {str(row["name"]): row[key] for row in stations if row[key] is not None}
        if cells and key not in ("scope", "name"):
            result[key] = cells
    for row in rows:
        if row["scope"] == "system":
            result |= {key: cell for key, cell in row.items() if cell is not None and key != "scope"}
    return result
