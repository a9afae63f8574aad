"""Selects columns of a report by the names that CSV gives them or by their keys."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from qnet.errors import Problem, UsageError, suggest
from qnet.reports.columns import column_names
from qnet.reports.content import Cell
from qnet.reports.report import Report


def selected(report: Report, wanted: Sequence[str]) -> Report:
    """The report with some of its columns in the order of `wanted`, after those by which its blocks are grouped.

    Rows that are empty in all of these columns but `name` are left out. Figures and summary are still made of the
    report with all columns, which remains as `full`.

    wanted   keys of columns, or their names in CSV.
    Raises   `UsageError` QN016 for a column that the report does not have.
    """
    names = column_names(report.columns)
    known = {name: index for index, column in enumerate(report.columns) for name in (column.key, names[index])}
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise UsageError(*(_unknown(name, list(known), names) for name in unknown))
    chosen = [known[name] for name in wanted]
    grouping = [index for index, column in enumerate(report.columns) if column.key in (report.group, report.prose)]
    indices = list(dict.fromkeys([*grouping, *chosen]))
    figures = [index for index in chosen if report.columns[index].key != "name"] or chosen

    def narrowed(rows: Iterable[tuple[Cell, ...]]) -> list[tuple[Cell, ...]]:
        kept = (row for row in rows if any(row[index] not in (None, "") for index in figures))
        return [tuple(row[index] for index in indices) for row in kept]

    return report.replace(
        columns=tuple(report.columns[index] for index in indices),
        rows=narrowed(report.rows),
        readable=None if report.readable is None else narrowed(report.readable),
        wide=None,
        matrix=None,
        screen=None,
        full=report,
    )


def _unknown(name: str, known: Sequence[str], names: Sequence[str]) -> Problem:
    """The problem of an unknown column, with the nearest names, or else with all."""
    near = suggest(name, known)
    if near.startswith("did"):
        return Problem("QN016", f'unknown column "{name}"', help=near)
    return Problem("QN016", f'unknown column "{name}"', ", ".join(names))
