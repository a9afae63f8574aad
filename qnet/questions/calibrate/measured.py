"""Measurements of a system: which columns state the conditions of a row, and which were measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from qnet.errors import InvalidInput, Problem, UsageError, short, suggest
from qnet.expression import Expression, evaluate
from qnet.expression.functions import percentile_share
from qnet.expression.nodes import Name
from qnet.lazy import Array, Flags, np
from qnet.model.conditions import condition
from qnet.model.metrics import Metric, column_key, metric, metrics
from qnet.model.model import Model
from qnet.model.scope import all_figures
from qnet.model.values import Values
from qnet.questions.calibrate.errors import half_digit, relative, stated_errors
from qnet.questions.map.parameter_cells import Fault, parameter_columns, parameter_value
from qnet.questions.map.tables import Table, number, refuse, truth, weight
from qnet.questions.presentation.columns import parameter_cells, parameter_unit
from qnet.record import Record
from qnet.units import UnitError, base_unit, column_suffix, format_quantity, quantity, scale, unit

WEIGHT, HOLD_OUT, ERROR = "weight", "hold_out", "_error"


class Measured(Record):
    """What was measured, row by row, in base units."""

    table: Table
    conditions: dict[str, Any]
    """Parameter -> its value in every row."""
    metrics: tuple[Metric, ...]
    """What was measured and counts."""
    values: Array
    """(rows, metrics): not-a-number where nothing was measured."""
    weights: Array
    held_out: Flags
    """(rows,): which rows only test the fit."""
    ignored: tuple[str, ...]
    """Columns that are neither."""
    errors: Array
    """(rows, metrics): standard errors as stated; not-a-number where none is."""
    printed: Array
    """(rows, metrics): half of the last printed digit; not-a-number where a cell is no text."""


def measured(
    model: Model, table: Table, fitted: Sequence[str], asked: Sequence[str], hold_out: str, error: Sequence[str] = ()
) -> Measured:
    """Read a table of measurements.

    fitted    parameters that are to be found, and so cannot be conditions.
    asked     the metrics that count; none: every column that is named like a figure or an output.
    hold_out  a number of rows at the end, or a condition over parameters and measured figures; empty for none but
              those of the column.
    error     texts such as `1%` or `response=2 ms`: standard errors; cells of a column of errors go before them.
    Raises    `InvalidInput` with what is wrong with columns and cells, `UsageError` with what is wrong with the rest.
    """
    named = parameter_columns(table.header, model)
    clash = next((column for column, name in named.items() if name in fitted), None)
    if clash is not None:
        found = f'"{short(clash.strip())}" is a parameter to be fitted and a column of the measurements'
        raise UsageError(Problem("QN027", found, "a parameter that no row states", file=table.name))
    figures = {
        column: item for column in table.header if column not in named and (item := _figure(column.strip(), model))
    }
    beside = _error_columns(table.header, named, figures)
    chosen = _chosen(model, table, figures, asked)
    problems: list[Problem] = []

    def cells(column: str, read: Callable[[object], float], nothing: float) -> Any:
        place = table.header.index(column)
        result = np.full(len(table.rows), nothing)
        for row, cell in enumerate(table.rows):
            try:
                result[row] = read(cell[place])
            except Fault as fault:
                problems.append(table.fault(row, "" if column in named else column, fault))
        return result

    conditions = {
        name: cells(column, partial(parameter_value, model, name, column=column), np.nan)
        for column, name in named.items()
    }
    values = [cells(column, partial(_measurement, item), np.nan) for column, item in chosen]
    printed = [cells(column, partial(_printed, item), np.nan) for column, item in chosen]
    errors = [
        cells(beside[column], partial(_error, item), np.nan) if column in beside else np.full(len(table.rows), np.nan)
        for column, item in chosen
    ]
    taken = {*named, *figures, *beside.values()}
    special = {name.strip(): name for name in table.header if name not in taken}
    ones, none = np.ones(len(table.rows)), np.zeros(len(table.rows))
    weights = cells(special[WEIGHT], weight, 1.0) if WEIGHT in special else ones
    held = cells(special[HOLD_OUT], truth, 0.0) if HOLD_OUT in special else none
    refuse(problems)
    ignored = tuple(name for name in special if name not in (WEIGHT, HOLD_OUT, ""))
    figures_told, told, sizes = tuple(item for _, item in chosen), np.array(values).T, np.array(errors).T
    # Shares are kept below 0 until the measurement is known that they are shares of.
    sizes = np.where(sizes < 0, np.abs(sizes * told), sizes)
    if error:
        sizes = np.where(np.isfinite(sizes), sizes, stated_errors(model, error, figures_told, told))
    found = Measured(
        table=table,
        conditions=conditions,
        metrics=figures_told,
        values=told,
        weights=weights,
        held_out=held > 0,
        ignored=ignored,
        errors=sizes,
        printed=np.array(printed).T,
    )
    return found.replace(held_out=found.held_out | _held_out(model, found, hold_out)) if hold_out else found


def described(model: Model, found: Measured, row: int) -> str:
    """The conditions of a row, for messages: `rate = 600/s, users = 20`."""
    told: list[str] = []
    for name, values in found.conditions.items():
        (cell,) = parameter_cells(model, name, values[row : row + 1])
        shown = format_quantity(cell, parameter_unit(model, name), 6) if isinstance(cell, float) else cell
        told.append(f"{name} = {shown}")
    return ", ".join(told)


def _error_columns(header: Sequence[str], named: Mapping[str, str], figures: Mapping[str, Metric]) -> dict[str, str]:
    """Column of a figure -> column of its errors: the same name, or that of the figure, with `_error` behind it."""
    titles = {name.strip(): name for name in header if name not in named and name not in figures}
    found: dict[str, str] = {}
    for column, item in figures.items():
        suffix = column_suffix(base_unit(item.dimension))
        names = (column.strip() + ERROR, item.key + ERROR, item.key + ERROR + suffix)
        own = next((titles[name] for name in names if name in titles), None)
        if own is not None:
            found[column] = own
    return found


def _error(item: Metric, cell: object) -> float:
    """A standard error in base units; a share of the measurement as a number below 0; not-a-number for none."""
    share = relative(cell)
    value = _measurement(item, cell) if share is None else -share
    if not (value != value or (value > 0 if share is None else value < 0)):
        raise Fault("an error is above 0; leave the cell empty where none is known")
    return value


def _printed(item: Metric, cell: object) -> float:
    """Half of the last printed digit, in base units; not-a-number for what is not printed."""
    half = half_digit(cell)
    try:
        return _measurement(item, half) if half else float("nan")
    except Fault:
        return float("nan")


def _figure(title: str, model: Model) -> Metric | None:
    """The figure or output that a column is named like: `response`, `response_s`, `utilization_cpu`."""
    found: list[Metric] = []
    for name, dimension in all_figures(model).items():
        if title in (column_key(name), column_key(name) + column_suffix(base_unit(dimension))):
            found.append(Metric(name, Expression(name, Name(name), (name,)), dimension, base_unit(dimension)))
    for name in model.outputs:
        item = metric(name, model)
        if title in (item.key, item.key + column_suffix(item.unit)):
            found.append(item)
    if len(found) > 1:
        names = " and ".join(item.source for item in found)
        raise InvalidInput(Problem("QN250", f'the column "{short(title)}" may be {names}', "distinct names"))
    return found[0] if found else _percentile(title, model)


def _percentile(title: str, model: Model) -> Metric | None:
    """The percentile that a column is named like: `response_p95_s`, `response_p95_web_s`."""
    text = title.removesuffix("_s")
    about = ["", *(name[10:-2] for name in all_figures(model) if name.startswith("response('"))]
    for name in about:
        tail = f"_{column_key(name)}" if name else ""
        head = text.removesuffix(tail)
        if text.endswith(tail) and percentile_share(head):
            return metric(f"{head}('{name}')" if name else head, model)
    return None


def _chosen(model: Model, table: Table, figures: dict[str, Metric], asked: Sequence[str]) -> list[tuple[str, Metric]]:
    """The columns that count, with what they measure."""
    if not figures:
        known = sorted({column_key(name) for name in all_figures(model) if "queue" not in name})
        help = suggest("", ["response_s", "throughput_per_s", *known])
        problem = Problem("QN250", "no column is named like a figure or an output", "a metric", help=help)
        raise InvalidInput(problem.replace(file=table.name))
    if not asked:
        return list(figures.items())
    found: list[tuple[str, Metric]] = []
    for wanted in metrics(asked, model):
        match = [(column, item) for column, item in figures.items() if item.key == wanted.key]
        if not match:
            words = f'no column measures "{wanted.source}"'
            help = f"there are {', '.join(short(name.strip()) for name in figures)}"
            raise UsageError(Problem("QN027", words, "a metric that is a column", help=help, file=table.name))
        found += match
    return found


def _measurement(item: Metric, cell: object) -> float:
    """What a cell says of a metric, in base units; not-a-number for an empty one."""
    try:
        value = number(cell)
    except Fault:
        try:
            found, dimension = quantity(str(cell))
        except UnitError as error:
            raise Fault(short(str(error))) from None
        if dimension != item.dimension:
            raise Fault(
                f'"{short(str(cell))}" is {dimension.describe()}; expected {item.dimension.describe()}'
            ) from None
        return found
    return float("nan") if value is None else scale(value, unit(item.unit).factor)


def _held_out(model: Model, found: Measured, text: str) -> Any:
    """Which rows a number, or a condition, holds out."""
    size = len(found.table.rows)
    if text.strip().isdigit():
        count = int(text)
        if not 0 < count < size:
            raise UsageError(Problem("QN029", f"--hold-out {count} of {size} rows", "fewer rows than there are, or 1"))
        return np.arange(size) >= size - count
    asked = condition(text, model)
    figures = {item.source: found.values[:, place] for place, item in enumerate(found.metrics)}
    values = Values(model, found.conditions, size, figures)
    missing = [
        name for side in (asked.metric, asked.bound) for name in side.names if name not in {*values.known, *figures}
    ]
    if missing:
        words = f'"{short(text)}" rests on {missing[0]}, which is neither measured nor known'
        raise UsageError(Problem("QN029", words, "a condition over parameters and measured figures"))
    with np.errstate(all="ignore"):
        sides = [
            np.zeros(size) + _value(side, values) for side in (asked.metric, asked.bound)
        ]  # fmt: skip
    return np.asarray(asked.holds(*sides))


def _value(side: Expression, values: Values) -> Any:
    return evaluate(side.root, values.known, values.operations, values.choices)
