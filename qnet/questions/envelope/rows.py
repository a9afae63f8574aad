"""Envelopes for every row of a table: its cells set parameters, and precede its answer in the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

from qnet.errors import InvalidInput, Problem, short, suggest
from qnet.model.grids import Grid, refuse_twice
from qnet.model.model import Model
from qnet.questions.envelope.envelope import envelope
from qnet.questions.envelope.question import Question, refuse_varied
from qnet.questions.envelope.report import envelope_report
from qnet.questions.map.parameter_cells import Fault, parameter_columns, parameter_value
from qnet.questions.map.tables import DataTable, Rows, read_table
from qnet.reports.columns import column_names
from qnet.reports.content import Cell, Column, Note
from qnet.reports.report import Report

_FIRST = 2
"""The number of columns of a report of envelopes before those of its grid."""


def envelope_of_rows(
    model: Model, asked: Sequence[Question], rows: Rows, asserted: Sequence[str] = ()
) -> Report:  # fmt: skip
    """The report of envelopes with a row for each row of a table, and for each envelope.

    model     with the parameters that were set.
    asked     the questions, without grids, that are answered at every row.
    rows      the table. Columns named like parameters, with or without a unit, set these; all columns are kept with
              their cells. A row that cannot be read, or that has no answer, has the reason as its status.
    asserted  conditions that every row with an answer must meet.
    Raises    `InvalidInput` QN240 if no column is a parameter, or no row can be read; `UsageError` if a column is the
              parameter that is varied, or one that is set already; and as `envelope` where no row has an answer.
    """
    table = read_table(rows)
    named = parameter_columns(table.header, model)
    if not named:
        known = [name for name, parameter in model.parameters.items() if not parameter.part]
        raise InvalidInput(Problem("QN240", "no column is named like a parameter", "a header", help=suggest("", known)))
    values, faults = _values(model, table, named)
    if not values:
        raise InvalidInput(table.fault(next(iter(faults)), "", next(iter(faults.values()))))
    indices = [index for index in range(len(table.rows)) if index not in faults]
    grids = tuple(
        Grid(name, tuple(row[number] for row in values), in_step=number > 0)
        for number, name in enumerate(named.values())
    )
    refuse_twice(model, grids, "--rows")
    for item in asked:
        refuse_varied(item.vary, grids)
    origins = {name: f"the column {short(column.strip())}" for column, name in named.items()}
    questions = [
        item.replace(over=grids, by_row=True, model=item.model.replace(origins={**item.model.origins, **origins}))
        for item in asked
    ]
    report = envelope_report(model, [envelope(item) for item in questions], asserted)
    return _with_columns(report, table, indices, faults, len(grids), len(questions))


def _values(
    model: Model, table: DataTable, named: Mapping[str, str]
) -> tuple[list[tuple[float, ...]], dict[int, Fault]]:  # fmt: skip
    """The values of the parameters of each row that can be read, and the faults of the others by their index."""
    columns = [(table.header.index(column), column, name) for column, name in named.items()]
    values: list[tuple[float, ...]] = []
    faults: dict[int, Fault] = {}
    for index, row in enumerate(table.rows):
        try:
            values.append(
                tuple(parameter_value(model, name, row[position], column) for position, column, name in columns)
            )
        except Fault as fault:
            faults[index] = fault
    return values, faults


def _with_columns(
    report: Report, table: DataTable, indices: Sequence[int], faults: Mapping[int, Fault], count: int, blocks: int
) -> Report:
    """The report with the columns of a table before the answers, and its rows in the order of the file.

    indices  the rows of the table that have answers, in the order of the report.
    faults   of the rows that could not be read, which have their fault as status.
    count    the number of parameters, whose columns in the report are dropped.
    blocks   the number of envelopes, each with a row for every row of the table.
    """
    columns = _columns_of(table)
    kept = [index for index in range(len(report.columns)) if not _FIRST <= index < _FIRST + count]
    taken = set(column_names(columns))
    answers = [_renamed(report.columns[index], taken) for index in kept]
    status = next(index for index, position in enumerate(kept) if report.columns[position].key == "status")
    rows: list[tuple[Cell, ...]] = []
    for block in range(blocks):
        lines: list[tuple[int, tuple[Cell, ...]]] = []
        for number, position in enumerate(indices):
            row: Sequence[Cell] = tuple(report.rows[block * len(indices) + number])
            lines.append((table.numbers[position], (*_cells(table, position), *(row[index] for index in kept))))
        if not block:
            empty: list[Cell] = [None] * len(kept)
            for position, fault in faults.items():
                cells = [*empty[:status], str(fault), *empty[status + 1 :]]
                lines.append((table.numbers[position], (*_cells(table, position), *cells)))
            for item in table.unread:
                cells = [*empty[:status], item.problem.found, *empty[status + 1 :]]
                lines.append((item.number, (item.text, *(None,) * (len(columns) - 1), *cells)))
        rows += [line for _, line in sorted(lines, key=lambda item: item[0])]
    return report.replace(
        columns=(*columns, *answers),
        rows=rows,
        notes=(*report.notes, *table.remarks, *_unread_notes(len(faults) + len(table.unread), table)),
        matrix=None,
        plot=None,
        summary=None,
        group="",
    )


def _columns_of(table: DataTable) -> list[Column]:
    """The columns of the table with their titles, `column N` for an empty one."""
    titles = [column.strip() or f"column {index + 1}" for index, column in enumerate(table.header)]
    return [Column(title, title) for title in titles]


def _cells(table: DataTable, position: int) -> tuple[Cell, ...]:
    """The cells of a row; those that are no text, integer, finite number or None become texts."""
    return tuple(
        cell if isinstance(cell, str | int | None) or (isinstance(cell, float) and abs(cell) < inf) else str(cell)
        for cell in table.rows[position]
    )


def _renamed(column: Column, taken: set[str]) -> Column:
    """A column of the answer, as `envelope_NAME` where its name is taken; its name is added to `taken`."""
    while column_names([column])[0] in taken:
        column = column.replace(key=f"envelope_{column.key}")
    taken.add(column_names([column])[0])
    return column


def _unread_notes(count: int, table: DataTable) -> list[Note]:
    """A note on the rows that cannot be read, if their number `count` is not 0."""
    if not count:
        return []
    text = f"{count} of {len(table.rows) + len(table.unread)} rows cannot be read; their status says why"
    return [Note("QN737", text, "warning", "correct them")]
