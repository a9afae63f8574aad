"""A report as people read it, whatever the format: blocks, headings with one unit per column, notes and a last line.

Rows along two grids become a matrix per block, with a legend of the marks in its cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from math import isclose
from typing import Any

from qnet.reports.cells import (
    Table,
    cell_text,
    column_index,
    common_scale,
    common_text,
    is_number,
    label,
    title_of,
    with_unit,
)
from qnet.reports.columns import checked_rows
from qnet.reports.content import Cell, Column, Content, Matrix, Note, Style
from qnet.reports.text import clean
from qnet.units import format_quantity, is_base_unit

_NOTHING = "-"
"""The mark of a cell without a value."""

_Row = tuple[Cell, ...]

_OK = "ok"
_ROUNDING = 1e-12
"""The relative difference up to which two figures, computed in different ways, are the same."""
_ABOUT = ("name", "parameter", "metric")
"""Columns that state the subject of a row."""
_NUMBERED = (["rank", "name"], ["name", "row"])
"""Leading columns that identify a row together, though one of them is a number."""
_MANY = 4
"""A table of one row with at least that many columns is shown as a list of titles and values."""


def is_matrix(report: Content, rows: Sequence[_Row]) -> bool:
    """Whether a report asks for a matrix, and no two of its rows would share a cell."""
    if report.matrix is None or not rows:
        return False
    keys = [key for key in (report.group, report.matrix.rows, report.matrix.columns) if key]
    coordinates = [tuple(row[column_index(report, key)] for key in keys) for row in rows]
    return len(set(coordinates)) == len(coordinates) and not any(None in cell for cell in coordinates)


def matrices(report: Content, matrix: Matrix, rows: Sequence[_Row], style: Style) -> list[Table]:
    """One matrix for each run of values in the column `group`; the last names the columns that only CSV and JSON have.

    report  one for which `is_matrix` holds with these rows.
    """
    group = column_index(report, report.group) if report.group else None
    runs = groupby(rows, key=lambda row: None if group is None else row[group])
    blocks = [_Matrix(report, matrix, list(run)) for _, run in runs]
    tables = [block.table(group, style) for block in blocks]
    more = [
        title_of(column)
        for index, column in enumerate(report.columns)
        if index != group and any(block.leaves_out(index) for block in blocks)
    ]
    if more:
        reported = clean(f"csv, json and jsonl also contain for every point: {', '.join(more)}", style.ascii)
        tables[-1] = tables[-1].replace(legend=(*tables[-1].legend, reported))
    return tables


class _Matrix:
    """The matrix of one block."""

    def __init__(self, report: Content, matrix: Matrix, rows: list[_Row]) -> None:
        self.columns = report.columns
        self.usual = matrix.usual
        self.block = rows
        keys = (matrix.rows, matrix.columns, matrix.cells)
        self.down, self.across, self.value = (column_index(report, key) for key in keys)
        indices = [index for index in range(len(report.columns)) if not report.columns[index].footed]
        self.common = [index for index in indices if common_text(rows, index)]
        words = [column_index(report, key) for key in matrix.words]
        self.words = [index for index in words if index not in self.common]

    def table(self, group: int | None, style: Style) -> Table:
        """The matrix under a heading that names its cells and the texts that they have in common."""
        rows, columns = self._grid(self.down), self._grid(self.across)
        scale = common_scale((row[self.value] for row in self.block), self.columns[self.value].unit, style.units)
        marks: dict[str, str] = {}
        cells: dict[tuple[Cell, Cell], str] = {}
        for row in self.block:
            value = row[self.value]
            shown = cell_text(scale.displayed(value), style.digits) or _NOTHING
            words = "; ".join(str(row[index]) for index in self.words if row[index] not in (None, *self.usual))
            if words:
                shown += f" {marks.setdefault(words, _letter(len(marks)))}"
            cells[row[self.down], row[self.across]] = shown
        first, second = (title_of(self.columns[index]) for index in (self.down, self.across))
        named = f"{scale.heading(title_of(self.columns[self.value]))} by {first} and {second}"
        common = [
            f"{title_of(self.columns[index])} {self.block[0][index]}"
            for index in self.common
            if index != group and (self.columns[index].key, self.block[0][index]) != ("status", _OK)
        ]
        name = f"{self.block[0][group]}: " if group is not None else ""
        row_scale = common_scale(rows, self.columns[self.down].unit, style.units)
        titles = [row_scale.heading(first), *(_heading(self.columns[self.across], value) for value in columns)]
        lines = [
            [
                cell_text(row_scale.displayed(value)),
                *(cells.get((value, other), "") for other in columns),
            ]
            for value in rows
        ]
        return Table(
            heading=clean(name + "; ".join([named, *common]), style.ascii),
            titles=tuple(clean(title, style.ascii) for title in titles),
            numeric=(all(map(is_number, rows)), *(True for _ in columns)),
            rows=[tuple(clean(text, style.ascii) for text in line) for line in lines],
            legend=tuple(clean(f"{mark}: {words}", style.ascii) for words, mark in marks.items()),
        )

    def _grid(self, index: int) -> list[Cell]:
        """The different values of a column, in their order."""
        return list(dict.fromkeys(row[index] for row in self.block))

    def leaves_out(self, index: int) -> bool:
        """Whether a column has cells that the matrix does not show."""
        shown = (self.down, self.across, self.value, *self.common, *self.words)
        column = self.columns[index]
        return not column.footed and index not in shown and any(row[index] not in (None, "") for row in self.block)


def _heading(column: Column, value: Cell) -> str:
    """The heading of a column of a matrix: `skew 2`, `block 4 KiB`, `staging track`."""
    shown = format_quantity(value, column.unit) if is_number(value) and column.unit else cell_text(value)
    return f"{title_of(column)} {shown}"


def _letter(number: int) -> str:
    """a, b, ..., z, aa, ab, ..."""
    ahead = _letter(number // 26 - 1) if number >= 26 else ""
    return ahead + chr(ord("a") + number % 26)


def tables(report: Content, style: Style) -> list[Table]:
    """The blocks of a report: one, or one per run of values in the column `group`.

    A block leaves out columns that are empty, and a status that is always `ok`; its heading has the texts that all its
    rows share. A single row of many columns is a list of titles and values. Rows with a text in the column `prose` are
    paragraphs. `wide` replaces the rows, and those along two grids become a `matrix`.
    """
    if report.wide:
        return tables(report.wide, style)
    rows = list(checked_rows(report if report.readable is None else report.replace(rows=report.readable)))
    rows = _in_suitable_units(report, rows, style)
    if report.matrix and is_matrix(report, rows):
        return matrices(report, report.matrix, rows, style)
    if not report.group or not rows:
        shown = [
            index
            for index, column in enumerate(report.columns)
            if not column.footed and not column.math and not _all_ok(column, index, rows)
            if not _is_exact_bound(report, index, rows)
        ]
        columns = [report.columns[index] for index in shown]
        overall = _table("", columns, [tuple(row[index] for index in shown) for row in rows], style)
        return [overall.replace(math=_math(report, rows))]
    group = column_index(report, report.group)
    prose = column_index(report, report.prose) if report.prose else None
    blocks: list[Table] = []
    for value, run in groupby(_merged(report, rows, group), key=lambda row: row[group]):
        block = list(run)
        texts: list[str] = []
        if prose is not None:
            texts = [clean(str(row[prose]), style.ascii) for row in block if row[prose]]
            block = [row for row in block if not row[prose]]
        kept = [
            index
            for index in range(len(report.columns))
            if index != group
            and not report.columns[index].footed
            and not report.columns[index].math
            and not _all_ok(report.columns[index], index, block)
            and not _is_exact_bound(report, index, block)
            and any(row[index] not in (None, "") for row in block)
        ]
        common = [index for index in kept if common_text(block, index)]
        text = "; ".join(f"{title_of(report.columns[index])} {block[0][index]}" for index in common)
        heading = label(report.columns[group], value, style)
        columns = [report.columns[index] for index in kept if index not in common]
        cells = [tuple(row[index] for index in kept if index not in common) for row in block]
        title = ": ".join(part for part in (heading, clean(text, style.ascii)) if part)
        blocks.append(_table(title, columns, cells, style).replace(prose=tuple(texts), math=_math(report, block)))
    return blocks


def _in_suitable_units(report: Content, rows: list[tuple[Cell, ...]], style: Style) -> list[tuple[Cell, ...]]:
    """The rows, with numbers whose unit is in the same row converted to a unit that suits them.

    Rows with the same subject get the same unit. A unit that is no base unit was chosen by the user, and is kept.
    """
    columns = [column.key for column in report.columns]
    measured: dict[str, list[int]] = {}
    for index, column in enumerate(report.columns):
        if column.unit_in in columns:  # it may be absent where columns were selected
            measured.setdefault(column.unit_in, []).append(index)
    if not measured:
        return rows
    about = [columns.index(key) for key in (report.group, *_ABOUT) if key in columns]
    result = [list(row) for row in rows]
    for key, numbers in measured.items():
        unit_column = columns.index(key)
        blocks: dict[tuple[Cell, ...], list[list[Cell]]] = {}
        for row in result:
            if isinstance(row[unit_column], str):
                blocks.setdefault((row[unit_column], *(row[index] for index in about)), []).append(row)
        for (text, *_), block in blocks.items():
            given = str(text)
            if is_base_unit(given) or style.units:
                common = common_scale((row[index] for row in block for index in numbers), given, style.units)
                for row in block:
                    row[unit_column] = common.unit
                    for index in numbers:
                        row[index] = common.displayed(row[index])
    return [tuple(row) for row in result]


def _all_ok(column: Column, index: int, rows: Sequence[tuple[Cell, ...]]) -> bool:
    """Whether a column is the status, and reports no problem in any row."""
    return column.key == "status" and all(row[index] in (_OK, "", None) for row in rows)


def _is_exact_bound(report: Content, index: int, rows: Sequence[tuple[Cell, ...]]) -> bool:
    """Whether a column is a bound of an interval, and equals the figure itself wherever it is given."""
    key, _, end = report.columns[index].key.rpartition("_")
    position = next((position for position, column in enumerate(report.columns) if column.key == key), None)
    if end not in ("low", "high") or position is None:
        return False
    pairs = [(row[index], row[position]) for row in rows if row[index] is not None]
    return bool(pairs) and all(bound == figure for bound, figure in pairs)


def _merged(report: Content, rows: list[tuple[Cell, ...]], group: int) -> list[tuple[Cell, ...]]:
    """The rows, with those of the blocks `once` merged where each block has a single row and their numbers agree."""
    indices = [[number for number, row in enumerate(rows) if row[group] == value] for value in report.once]
    if len(indices) < 2 or any(len(each) != 1 for each in indices):
        return rows
    first, *rest = (rows[each[0]] for each in indices)
    named = next((index for index, column in enumerate(report.columns) if column.key == "name"), None)
    for row in rest:
        known = [(one, other) for one, other in zip(first, row, strict=True) if is_number(one) and is_number(other)]
        if not known or not all(isclose(one, other, rel_tol=_ROUNDING) for one, other in known):
            return rows
        cells = enumerate(zip(first, row, strict=True))
        first = tuple(one if one not in (None, "") or number == named else other for number, (one, other) in cells)
    left = {each[0] for each in indices[1:]}
    return [first if number == indices[0][0] else row for number, row in enumerate(rows) if number not in left]


def _math(report: Content, rows: Sequence[tuple[Cell, ...]]) -> tuple[str, ...]:
    """The formulas of some rows, in their order."""
    indices = [index for index, column in enumerate(report.columns) if column.math]
    return tuple(str(row[index]) for row in rows for index in indices if row[index])


def _table(heading: str, columns: Sequence[Column], rows: list[tuple[Cell, ...]], style: Style) -> Table:
    if len(rows) == 1 and len(columns) >= _MANY and not any(column.key == "unit" for column in columns):
        lines = [
            (clean(title_of(column), style.ascii), clean(with_unit(column, cell, style), style.ascii))
            for column, cell in zip(columns, rows[0], strict=True)
            if cell not in (None, "")
        ]
        return Table(heading=heading, titles=("", ""), numeric=(False, False), rows=lines, pairs=True)
    by_column = [[row[index] for row in rows] for index in range(len(columns))]
    scales = [common_scale(cells, column.unit, style.units) for cells, column in zip(by_column, columns, strict=True)]
    shown = [
        [clean(cell_text(common.displayed(cell), style.digits), style.ascii) for cell in cells]
        for cells, common in zip(by_column, scales, strict=True)
    ]
    return Table(
        heading=heading,
        titles=tuple(
            clean(common.heading(title_of(column)), style.ascii) for common, column in zip(scales, columns, strict=True)
        ),
        numeric=tuple(_numeric(cells) for cells in by_column),
        rows=list(zip(*shown, strict=True)),
        keys=2 if [column.key for column in columns[:2]] in _NUMBERED else 0,
    )


def _numeric(cells: Sequence[Cell]) -> bool:
    present = [cell for cell in cells if cell is not None]
    return bool(present) and all(map(is_number, present))


def note_lines(note: Note, ascii: bool) -> list[str]:
    """A note as lines: `warning [QN601]: text`, and on a second line what to do about it, if anything.

    ascii   whether characters beyond ASCII are replaced by their nearest spelling.
    """
    lines = [clean(f"{note.severity} [{note.code}]: {note.brief or note.text}", ascii)]
    return [*lines, "  next: " + clean(note.next, ascii)] if note.next else lines


def clean_command(command: str) -> str:
    """A command as one line without control characters, with every space it has."""
    return " ".join(map(clean, command.split(" ")))


def command_of(meta: Mapping[str, Any]) -> str:
    """The command that reproduces an answer, on one line without control characters; empty where it is not known.

    meta   that of the report.
    """
    return clean_command(meta.get("command") or "")


def last_line(meta: Mapping[str, Any], ascii: bool) -> str:
    """The last line of a report: `model TITLE, digest ABC; method NAME (exact)`, as far as these are known."""
    model: Mapping[str, Any] = meta.get("model") or {}
    origin = [f"{word} {model[key]}" for word, key in (("model", "title"), ("digest", "digest")) if model.get(key)]
    sides: list[Mapping[str, Any]] = meta.get("sides") or []
    if sides:
        digests = ", ".join(f"{side['side']} {side['digest']}" for side in sides)
        origin = [f"digests {digests}"]
    method = f"method {meta['method']}" if meta.get("method") else ""
    if method and meta.get("exactness"):
        means = meta.get("means")
        method += f" (means {means}; percentiles {meta['exactness']})" if means else f" ({meta['exactness']})"
    return clean("; ".join(part for part in (", ".join(origin), method) if part), ascii)
