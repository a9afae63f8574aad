"""Tables answered column by column, for `System.map`: much faster than rows of text.

A table is a mapping of names to columns, or a data frame: one that follows the dataframe interchange protocol (pandas,
Arrow) or that has `columns` (polars). None of their libraries is imported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from qnet.errors import InvalidInput, Problem, UsageError, short
from qnet.lazy import Array
from qnet.model.model import Model
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.map.map import Mapper, no_parameter
from qnet.questions.map.parameter_cells import Fault, parameter_value, unit_behind
from qnet.real import is_masked
from qnet.units import scale

CHUNK = 16_384
"""Rows that are solved together, so that memory does not grow with the table."""
_LARGEST = 1e300
"""The bound on numbers, below the largest float, so that units can be converted."""
_EXPECTED = "a mapping of names to columns, or a data frame"


def map_table(model: Model, table: Any, metric: Sequence[str] = (), wanted: Wanted = AUTO, prefix: str = "") -> Any:
    """A table with its answers as further columns; arguments and columns as for `map.map_rows`.

    table    names and columns of equal length: numbers as arrays, quantities and words as texts.
    Returns  a table of the same kind, rows in their order. Metrics are floats, NaN where a row has none; `method`,
             `exactness` and `status` are texts.
    Raises   `UsageError` QN753 for anything else than a table, and for a metric that the model does not have;
             `InvalidInput` QN240 where no column is a parameter, or it is unclear which one is.
    """
    columns = _columns(table)
    size = len(next(iter(columns.values()), ()))
    mapper = Mapper(model, metric, wanted, prefix=prefix)
    known = mapper.parameters(tuple(columns))
    if not known:
        raise InvalidInput(no_parameter(model))
    faults: dict[int, str] = {}
    values = {name: _values(model, name, columns[title], title, faults) for title, name in known.items()}
    result: dict[str, Array] = {}
    for name in mapper.names:
        text = name in mapper.names[-3:]
        result[name] = np.full(size, None, dtype=object) if text else np.full(size, np.nan)
    for start in range(0, size, CHUNK):
        rows = np.array([row for row in range(start, min(start + CHUNK, size)) if row not in faults], dtype=np.intp)
        if len(rows):
            answers = mapper.columns({name: column[rows] for name, column in values.items()}, len(rows))
            for name, column in zip(mapper.names, answers, strict=True):
                result[name][rows] = column
    for row, text in faults.items():
        result[mapper.names[-1]][row] = text
    return _same_kind(table, {**columns, **result})


def _columns(table: Any) -> dict[str, Array]:
    """The columns of a table by name."""
    given: Any = cast("object", table)
    if isinstance(table, Mapping):
        names: list[Any] = list(given)
    elif hasattr(given, "__dataframe__"):
        names = list(given.__dataframe__().column_names())
    elif hasattr(given, "columns") and hasattr(given, "__getitem__"):
        names = list(given.columns)  # Frames of polars no longer follow the protocol.
    else:
        raise UsageError(Problem("QN753", f"the table is {short(type(given).__name__)}", _EXPECTED))
    columns: dict[str, Array] = {}
    for name in names:
        if not isinstance(name, str):
            raise UsageError(Problem("QN753", f"the name of a column is {short(repr(name))}", "a text"))
        try:
            columns[name] = _column(given[name])
        except (TypeError, ValueError):
            raise UsageError(Problem("QN753", f'the column "{short(name)}" has no values', "an array")) from None
        if columns[name].ndim != 1:
            text = f'the column "{short(name)}" has {columns[name].ndim} dimensions'
            raise UsageError(Problem("QN753", text, "a column of one dimension"))
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f'{length} in "{short(name)}"' for name, length in list(lengths.items())[:3])
        raise UsageError(Problem("QN753", f"the columns differ in length: {listed}", "columns of one length"))
    return columns


def _column(cells: Any) -> Array:
    """The cells as an array; masked ones become None."""
    if isinstance(cells, list | tuple):
        cells = [None if is_masked(cell) else cell for cell in cast("list[Any]", cells)]
    elif is_masked(cells):
        cells = np.where(cells.mask, None, cells.data)
    return np.asarray(cells)


def _values(model: Model, name: str, column: Array, title: str, faults: dict[int, str]) -> Array:
    """The values of a parameter in base units; rows whose cell cannot be used are added to `faults`."""
    parameter, plain = model.parameters[name], column.dtype.kind in "iuf"
    values: Array = np.zeros(len(column))
    if plain and not parameter.options:
        unit = unit_behind(title.strip().removeprefix(name))
        read: Any = column.astype(float)
        scaled: Any = scale(read, 1.0 if unit is None else unit.factor)
        values = scaled
        single: list[int] = np.flatnonzero(~(np.abs(values) < _LARGEST)).tolist()
    else:
        single = list(range(len(column)))
    known: dict[tuple[str, str], float | Fault] = {}
    cells: list[Any] = column.tolist() if single else []
    for row in single:
        cell = cells[row]
        key = type(cell).__name__, str(cell)
        if key not in known:
            try:
                known[key] = parameter_value(model, name, cell, title)
            except Fault as fault:
                known[key] = fault
        value = known[key]
        if isinstance(value, Fault):
            faults.setdefault(row, str(value))
        else:
            values[row] = value
    return values


def _same_kind(table: Any, columns: dict[str, Array]) -> Any:
    """The columns as a table of the same type as `table`, with its row labels if it has any."""
    if isinstance(table, Mapping):
        return columns
    kind: Any = type(cast("object", table))
    if hasattr(kind, "from_pydict"):
        return kind.from_pydict(columns)
    return kind(columns, index=table.index) if hasattr(table, "index") else kind(columns)
