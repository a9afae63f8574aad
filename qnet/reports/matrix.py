"""Rows that run along two grids as people read them: a matrix for each block, with remarks on its cells."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from qnet.reports.cells import Table, cell_text, column_index, common_scale, common_text, is_number, title_of
from qnet.reports.content import Cell, Column, Content, Matrix, Style
from qnet.reports.text import clean
from qnet.units import format_quantity

_NOTHING = "-"
"""The mark of a cell without a value."""

_Row = tuple[Cell, ...]


def is_matrix(report: Content, rows: Sequence[_Row]) -> bool:
    """Whether the rows of a report fill a matrix: it asks for one, and no two rows of a block meet in one cell."""
    if report.matrix is None or not rows:
        return False
    keys = [key for key in (report.group, report.matrix.rows, report.matrix.columns) if key]
    coordinates = [tuple(row[column_index(report, key)] for key in keys) for row in rows]
    return len(set(coordinates)) == len(coordinates) and not any(None in index for index in coordinates)


def matrices(report: Content, asked: Matrix, rows: Sequence[_Row], style: Style) -> list[Table]:
    """One matrix for each run of values in the column that `group` names; the last mentions what machine-readable
    formats add.

    report  one that `is_matrix`, whose rows these are.
    """
    group = column_index(report, report.group) if report.group else None
    runs = groupby(rows, key=lambda row: None if group is None else row[group])
    result = [_Matrix(report, asked, list(run)) for _, run in runs]
    tables = [block.table(group, style) for block in result]
    more = [
        title_of(column)
        for index, column in enumerate(report.columns)
        if index != group and any(block.silent(index) for block in result)
    ]
    if more:
        reported = clean(f"csv, json and jsonl also contain for every point: {', '.join(more)}", style.ascii)
        tables[-1] = tables[-1].replace(legend=(*tables[-1].legend, reported))
    return tables


class _Matrix:
    """One block."""

    def __init__(self, report: Content, asked: Matrix, rows: list[_Row]) -> None:
        self.columns = report.columns
        self.asked = asked
        self.block = rows
        keys = (asked.rows, asked.columns, asked.cells)
        self.down, self.across, self.value = (column_index(report, key) for key in keys)
        indices = [index for index in range(len(report.columns)) if not report.columns[index].footed]
        self.common = [index for index in indices if common_text(rows, index)]
        words = [column_index(report, key) for key in asked.words]
        self.words = [index for index in words if index not in self.common]

    def table(self, group: int | None, style: Style) -> Table:
        """The matrix under its heading: what stands in it, and what all its cells share."""
        rows, columns = self.along(self.down), self.along(self.across)
        scale = common_scale((row[self.value] for row in self.block), self.columns[self.value].unit, style.units)
        marks: dict[str, str] = {}
        cells: dict[tuple[Cell, Cell], str] = {}
        for row in self.block:
            value = row[self.value]
            shown = cell_text(scale.displayed(value), style.digits) or _NOTHING
            words = "; ".join(str(row[index]) for index in self.words if row[index] not in (None, *self.asked.usual))
            if words:
                shown += f" {marks.setdefault(words, _letter(len(marks)))}"
            cells[row[self.down], row[self.across]] = shown
        first, second = (title_of(self.columns[index]) for index in (self.down, self.across))
        named = f"{scale.heading(title_of(self.columns[self.value]))} by {first} and {second}"
        fine = {index for index in self.common if (self.columns[index].key, self.block[0][index]) == ("status", "ok")}
        silent = {group, *fine}
        listed = [
            f"{title_of(self.columns[index])} {self.block[0][index]}" for index in self.common if index not in silent
        ]
        name = f"{self.block[0][group]}: " if group is not None else ""
        particular = common_scale(rows, self.columns[self.down].unit, style.units)
        titles = [particular.heading(first), *(_heading(self.columns[self.across], value) for value in columns)]
        lines = [
            [
                cell_text(particular.displayed(value)),
                *(cells.get((value, other), "") for other in columns),
            ]
            for value in rows
        ]
        return Table(
            heading=clean(name + "; ".join([named, *listed]), style.ascii),
            titles=tuple(clean(title, style.ascii) for title in titles),
            numeric=(all(map(is_number, rows)), *(True for _ in columns)),
            rows=[tuple(clean(text, style.ascii) for text in line) for line in lines],
            legend=tuple(clean(f"{mark}: {words}", style.ascii) for words, mark in marks.items()),
        )

    def along(self, index: int) -> list[Cell]:
        """The values of a grid, in their order."""
        return list(dict.fromkeys(row[index] for row in self.block))

    def silent(self, index: int) -> bool:
        """Whether a column contains something that the matrix does not show."""
        shown = (self.down, self.across, self.value, *self.common, *self.words)
        column = self.columns[index]
        return not column.footed and index not in shown and any(row[index] not in (None, "") for row in self.block)


def _heading(column: Column, value: Cell) -> str:
    """A value of the grid that runs across, under its title: `skew 2`, `block 4 KiB`, `staging track`."""
    shown = format_quantity(value, column.unit) if is_number(value) and column.unit else cell_text(value)
    return f"{title_of(column)} {shown}"


def _letter(number: int) -> str:
    """a, b, ..., z, aa, ab, ..."""
    ahead = _letter(number // 26 - 1) if number >= 26 else ""
    return ahead + chr(ord("a") + number % 26)
