"""The columns of a report by name: as arrays of numpy, and as tables of pandas and polars where these are installed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, Self, SupportsIndex, overload

from qnet.errors import Problem, UsageError, short, suggest
from qnet.lazy import np
from qnet.reports.content import Cell, Column, Content
from qnet.units import column_suffix

_INTEGERS = 2**63
"""Arrays of integers hold smaller ones."""


class Columns(tuple[Column, ...]):
    """The columns of a report in order; `columns[name]` is an array of the cells of one.

    Names are those of CSV, such as "response_s", or without the unit, "response". Numbers are in base units, NaN where
    there is none; integers remain integers where every row has one. Texts are an array of objects, None where
    there is none. `dict(report.columns)` has all arrays by name.
    """

    rows: Sequence[tuple[Cell, ...]]

    def __new__(cls, columns: Sequence[Column], rows: Sequence[tuple[Cell, ...]]) -> Self:
        """The columns with their cells."""
        result = super().__new__(cls, columns)
        result.rows = rows
        return result

    def __getnewargs__(self) -> tuple[Any, ...]:
        """The arguments from which `copy` and `pickle` make another."""
        return tuple(self), self.rows

    def keys(self) -> list[str]:
        """The names, as CSV has them."""
        return column_names(self)

    @overload
    def __getitem__(self, key: SupportsIndex) -> Column: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Column, ...]: ...
    @overload
    def __getitem__(self, key: str) -> Any: ...
    def __getitem__(self, key: Any) -> Any:
        """The cells of a column by name as an array; a column by its index.

        Raises   `UsageError` QN765 where there is no column of that name.
        """
        if not isinstance(key, str):
            return super().__getitem__(key)
        return as_array(self.cells(key))

    def __contains__(self, key: object) -> bool:
        return self._index_of(key) is not None if isinstance(key, str) else super().__contains__(key)

    def cells(self, name: str) -> list[Cell]:
        """The cells of a column, as they are; raises `UsageError` QN765 where there is no column of that name."""
        index = self._index_of(name)
        if index is None:
            text = f'the report has no column "{short(name)}"'
            raise UsageError(Problem("QN765", text, help=suggest(name, self.keys())))
        return [row[index] for row in self.rows]

    def _index_of(self, name: str) -> int | None:
        for names in (self.keys(), [column.key for column in self]):
            if name in names:
                return names.index(name)
        return None


def as_array(cells: Sequence[Cell]) -> Any:
    """Cells as an array: of truth values, integers, floats with NaN for None, or of objects where there is a text."""
    kinds = {type(cell) for cell in cells}
    if kinds == {bool}:
        return np.array(cells, bool)
    if kinds == {int} and all(isinstance(cell, int) and abs(cell) < _INTEGERS for cell in cells):
        return np.array(cells, np.int64)
    if kinds <= {int, float, type(None)}:
        return np.array([float("nan") if cell is None else float(cell) for cell in cells])
    result = np.empty(len(cells), object)
    result[:] = cells
    return result


def pandas_frame(report: Content) -> Any:
    """A `DataFrame` of pandas; raises `UsageError` QN764 where pandas is not installed."""
    return _package("pandas").DataFrame(dict(_by_name(report, as_array)))


def polars_frame(report: Content) -> Any:
    """A `DataFrame` of polars, null where there is no value; raises `UsageError` QN764 as `pandas_frame`."""
    return _package("polars").DataFrame(dict(_by_name(report, _of_one_type)))


def _by_name(report: Content, made: Any) -> Iterator[tuple[str, Any]]:
    names, rows = column_names(report.columns), list(checked_rows(report))
    for index, name in enumerate(names):
        yield name, made([row[index] for row in rows])


def _of_one_type(cells: Sequence[Cell]) -> list[Cell]:
    """Cells of one type besides None: integers among floats become floats, cells of other mixtures texts."""
    kinds = {type(cell) for cell in cells if cell is not None}
    if len(kinds) < 2:
        return list(cells)
    convert = float if kinds <= {int, float} else str
    return [None if cell is None else convert(cell) for cell in cells]


def _package(name: str) -> Any:
    """An optional package; raises `UsageError` QN764 where it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        text = f"a table of {name} needs {name}, which is not installed"
        help = f"pip install {name}; report.records() and report.columns need no package"
        raise UsageError(Problem("QN764", text, help=help)) from None


def column_names(columns: Sequence[Column]) -> list[str]:
    """Keys with their units: `response` in `s` is `response_s`. Raises `ValueError` where two columns share a name."""
    names = [column.key + column_suffix(column.unit) for column in columns]
    for position, name in enumerate(names):
        if name in names[:position]:
            raise ValueError(f'two columns are named "{name}"')
    return names


def checked_rows(report: Content) -> Iterator[tuple[Cell, ...]]:
    """The rows of a report, as they are.

    Raises `ValueError` for a row with more or fewer cells than there are columns, and for a cell that no format can
    show: NaN, infinity, text under a unit, a type that is not a `Cell`. The message names the column.
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
