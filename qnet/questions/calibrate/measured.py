"""Measurements of a system: the columns of conditions, the columns of measured metrics, and their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from qnet.errors import InvalidInput, Problem, UsageError, short, suggest
from qnet.expression import Expression
from qnet.expression.nodes import Name
from qnet.lazy import Array, Flags, np
from qnet.model.column_names import column_key, figures_of_column
from qnet.model.metrics import Metric, metric, metrics
from qnet.model.model import Model
from qnet.model.scope import all_figures
from qnet.model.values import Values
from qnet.questions.calibrate.errors import half_digit, relative, stated_errors
from qnet.questions.calibrate.held_out import Scope, held_out
from qnet.questions.map.parameter_cells import Fault, parameter_columns, parameter_value, with_units
from qnet.questions.map.tables import DataTable, number, truth, weight
from qnet.questions.presentation.columns import parameter_cells, parameter_unit
from qnet.record import Record
from qnet.units import UnitError, base_unit, format_quantity, quantity, scale, unit

WEIGHT, HOLD_OUT, ERROR = "weight", "hold_out", "_error"
_MOST_UTILIZED = 1.5
"""The largest utilization that an error of measurement explains; a choice, far below one in percent."""


class Measurements(Record):
    """Measurements, row by row, in base units."""

    table: DataTable
    conditions: dict[str, Any]
    """The values of parameters, one for every row, by name."""
    metrics: tuple[Metric, ...]
    """The measured metrics to fit."""
    values: Array
    """(rows, metrics): NaN where nothing was measured."""
    weights: Array
    held_out: Flags
    """(rows,): whether a row only tests the fit."""
    ignored: tuple[str, ...]
    """The columns that are not used."""
    errors: Array
    """(rows, metrics): standard errors as stated; NaN where none is."""
    printed: Array
    """(rows, metrics): half of the last printed digit; NaN where a cell is not a text."""


class Cells:
    """Reads columns of a table as numbers, and keeps the problems of cells."""

    def __init__(self, table: DataTable) -> None:
        self.table = table
        self.problems: dict[int, list[Problem]] = {}
        """Problems by row."""

    def column(self, column: str, read: Callable[[object], float | None], titled: bool = True) -> Array:
        """(rows,): the cells of a column; NaN where `read` gives None, or raises a `Fault`.

        titled   whether the problem of a cell names the column; not needed where the fault does.
        """
        index = self.table.header.index(column)
        result = np.full(len(self.table.rows), np.nan)
        for row, cell in enumerate(self.table.rows):
            try:
                value = read(cell[index])
                result[row] = np.nan if value is None else value
            except Fault as fault:
                self.problems.setdefault(row, []).append(self.table.fault(row, column if titled else "", fault))
        return result

    def roles(self, named: Mapping[str, str]) -> tuple[Array, Flags]:
        """(rows,) each: the weights, 1 without a column of them, and whether a column holds out the row.

        named   columns of the table by their title.
        """
        count = len(self.table.rows)
        weights = self.column(named[WEIGHT], weight) if WEIGHT in named else np.ones(count)
        held = self.column(named[HOLD_OUT], truth) if HOLD_OUT in named else np.zeros(count)
        return weights, held > 0

    def readable(self) -> tuple[DataTable, list[int]]:
        """The table without the rows that have problems, as `DataTable.without`, and the indices of its rows."""
        kept = [row for row in range(len(self.table.rows)) if row not in self.problems]
        return self.table.without(self.problems), kept


def measured(
    model: Model,
    table: DataTable,
    fitted: Sequence[str],
    asked: Sequence[str],
    hold_out: str,
    error: Sequence[str] = (),
) -> Measurements:
    """Read a table of measurements. A row with a cell that cannot be read is left out, and listed in its `unread`.

    fitted    the parameters to be fitted, which therefore cannot be conditions.
    asked     the metrics to fit; none: every column that is named like a figure or an output.
    hold_out  a number of rows at the end, or a condition over parameters and measured figures, in addition to the
              column; empty for none.
    error     texts such as `1%` or `response=2 ms`: standard errors; cells of a column of errors take precedence.
    Raises    `InvalidInput` for faulty columns, or where no row can be read; `UsageError` for faulty arguments.
    """
    named = parameter_columns(table.header, model)
    _refuse_stated(table, named, fitted)
    titled = {column: item for column in table.header if column not in named and (item := _figure(column, model))}
    figures = {column: item.metric for column, item in titled.items()}
    factors = {column: item.factor for column, item in titled.items()}
    error_columns = _error_columns(table.header, named, titled)
    chosen = _chosen(model, table, figures, asked)
    cells = Cells(table)
    conditions = {
        name: cells.column(column, partial(parameter_value, model, name, column=column), titled=False)
        for column, name in named.items()
    }
    numbers = _Numbers(cells, chosen, factors, error_columns)
    taken = {*named, *figures, *(item.column for item in error_columns.values())}
    special = {name.strip(): name for name in table.header if name not in taken}
    weights, held = cells.roles(special)
    table, kept = cells.readable()
    conditions = {name: column[kept] for name, column in conditions.items()}
    ignored = tuple(name for name in special if name not in (WEIGHT, HOLD_OUT, ""))
    metrics = tuple(item for _, item in chosen)
    reported, sizes = numbers.values[kept], numbers.errors[kept]
    if error:
        sizes = np.where(np.isfinite(sizes), sizes, stated_errors(model, error, metrics, reported))
    results = Measurements(
        table=table,
        conditions=conditions,
        metrics=metrics,
        values=reported,
        weights=weights[kept],
        held_out=held[kept],
        ignored=ignored,
        errors=sizes,
        printed=numbers.printed[kept],
    )
    if not hold_out:
        return results
    others = [name for name in table.header if name not in taken]
    more = held_out(hold_out, len(table.rows), _scope(model, results, figures, named, others))
    return results.replace(held_out=results.held_out | more)


def _refuse_stated(table: DataTable, named: Mapping[str, str], fitted: Sequence[str]) -> None:
    """Raise `UsageError` QN027 where a column states a parameter that is to be fitted."""
    clash = next((column for column, name in named.items() if name in fitted), None)
    if clash is not None:
        results = f'"{short(clash.strip())}" is a parameter to be fitted and a column of the measurements'
        raise UsageError(Problem("QN027", results, "a parameter that no row states", file=table.name))


class _Numbers:
    """Measured values, their standard errors, and half of their last printed digits, as arrays (rows, metrics)."""

    def __init__(
        self, cells: Cells, chosen: Sequence[tuple[str, Metric]], factors: Mapping[str, float],
        error_columns: Mapping[str, _Titled],
    ) -> None:  # fmt: skip
        values = [cells.column(column, partial(_measurement, item, factors[column])) for column, item in chosen]
        printed = [cells.column(column, partial(_printed, item, factors[column])) for column, item in chosen]
        errors = [
            cells.column(stated.column, partial(_error, item, stated.factor))
            if (stated := error_columns.get(column))
            else np.full(len(cells.table.rows), np.nan)
            for column, item in chosen
        ]
        self.values, self.printed, sizes = np.array(values).T, np.array(printed).T, np.array(errors).T
        # Negative errors are shares of the measurement.
        self.errors = np.where(sizes < 0, np.abs(sizes * self.values), sizes)


def described(model: Model, result: Measurements, row: int) -> str:
    """The conditions of a row, for messages: `rate = 600/s, users = 20`."""
    listed: list[str] = []
    for name, values in result.conditions.items():
        (cell,) = parameter_cells(model, name, values[row : row + 1])
        shown = format_quantity(cell, parameter_unit(model, name), 6) if isinstance(cell, float) else cell
        listed.append(f"{name} = {shown}")
    return ", ".join(listed)


class _Titled(Record):
    """A column by its title: its metric, and the factor from its numbers to base units."""

    column: str
    metric: Metric
    factor: float


def _error_columns(
    header: Sequence[str], named: Mapping[str, str], figures: Mapping[str, _Titled]
) -> dict[str, _Titled]:
    """The columns of errors by the column of the figure: the same name, or that of the figure, with `_error`."""
    titles = {name.strip(): name for name in header if name not in named and name not in figures}
    result: dict[str, _Titled] = {}
    for column, item in figures.items():
        asked = item.metric
        shown = _Titled("", asked, unit(asked.unit).factor)
        names = {asked.key + ERROR: shown, column.strip() + ERROR: item}
        for title, real in titles.items():
            behind = with_units(title)
            units = [each for name, each in behind if name == asked.key + ERROR and each.dimension == asked.dimension]
            if title in names or units:
                result[column] = names.get(title, shown).replace(column=real)
                if title not in names:
                    result[column] = result[column].replace(factor=units[0].factor)
                break
    return result


def _error(item: Metric, factor: float, cell: object) -> float:
    """A standard error in base units; the negative of a share of the measurement; NaN for none."""
    share = relative(cell)
    value = _measurement(item, factor, cell) if share is None else -share
    if not (value != value or (value > 0 if share is None else value < 0)):
        raise Fault("an error must be above 0; leave the cell empty where none is known")
    return value


def _printed(item: Metric, factor: float, cell: object) -> float:
    """Half of the last printed digit, in base units; NaN for cells that are not printed numbers."""
    half = half_digit(cell)
    try:
        return _measurement(item, factor, half) if half else float("nan")
    except Fault:
        return float("nan")


def _figure(column: str, model: Model) -> _Titled | None:
    """The figure or output that a title denotes, such as `response`, `response_ms`, `response [ms]` or
    `utilization_cpu %`; None for none."""
    title = column.strip()
    plain = _named(title, model)
    result = [_Titled(column, item, unit(item.unit).factor) for item in plain]
    if not result:
        # The longest name first: `throughput_web_per_s` is not `throughput_web_per` in seconds.
        for name, shown in with_units(title):
            result = [
                _Titled(column, item, shown.factor) for item in _named(name, model) if item.dimension == shown.dimension
            ]
            if result:
                break
    if len(result) > 1:
        names = " and ".join(item.metric.source for item in result)
        raise InvalidInput(Problem("QN250", f'the column "{short(title)}" may be {names}', "distinct names"))
    return result[0] if result else None


def _named(name: str, model: Model) -> list[Metric]:
    """The figures, percentiles and outputs that a name without a unit denotes."""
    result = [
        Metric(each, Expression(each, Name(each), (each,)), dimension, base_unit(dimension))
        for each, dimension in figures_of_column(name, model).items()
    ]
    return result + [item for output in model.outputs if (item := metric(output, model)).key == name]


def _chosen(
    model: Model, table: DataTable, figures: dict[str, Metric], asked: Sequence[str]
) -> list[tuple[str, Metric]]:
    """The columns to fit, with their metrics."""
    if not figures:
        known = sorted({column_key(name) for name in all_figures(model) if "queue" not in name})
        help = suggest("", ["response_s", "throughput_per_s", *known])
        help += "; rename columns with --column 'TITLE=METRIC'"
        problem = Problem("QN250", "no column is named like a figure or an output", "a metric", help=help)
        raise InvalidInput(problem.replace(file=table.name))
    if not asked:
        return list(figures.items())
    result: list[tuple[str, Metric]] = []
    for wanted in metrics(asked, model):
        match = [(column, item) for column, item in figures.items() if item.key == wanted.key]
        if not match:
            words = f'no column measures "{wanted.source}"'
            help = f"there are {', '.join(short(name.strip()) for name in figures)}"
            raise UsageError(Problem("QN027", words, "a metric that is a column", help=help, file=table.name))
        result += match
    return result


def _measurement(item: Metric, factor: float, cell: object) -> float:
    """The value in a cell of a metric, in base units; NaN for an empty one. `factor` converts plain numbers."""
    try:
        value = number(cell)
    except Fault:
        try:
            result, dimension = quantity(str(cell))
        except UnitError as error:
            raise Fault(short(str(error))) from None
        if dimension != item.dimension:
            raise Fault(
                f'"{short(str(cell))}" is {dimension.describe()}; expected {item.dimension.describe()}'
            ) from None
        return result
    if value is None:
        return float("nan")
    value = scale(value, factor)
    if item.source.startswith("utilization") and value > _MOST_UTILIZED:
        raise no_utilization(value)
    return value


def no_utilization(value: float) -> Fault:
    """The fault of a cell with a utilization above 1."""
    return Fault(f"a utilization of {value:g}; expected 0 to 1, or a percentage such as 37 %")


def _scope(
    model: Model, result: Measurements, titles: Mapping[str, Metric], named: Mapping[str, str], others: Sequence[str]
) -> Scope:
    """The names in conditions over rows: parameters and figures, by name or column title, and other columns."""
    figures = {item.source: result.values[:, index] for index, item in enumerate(result.metrics)}
    values = Values(model, result.conditions, len(result.table.rows), figures)
    dimensions = model.dimensions | all_figures(model, figures)
    dimensions |= {name: output.dimension for name, output in model.outputs.items()}
    known = {**values.known, **figures}
    indices = {item.key: index for index, item in enumerate(result.metrics)}
    for column, item in titles.items():
        title = column.strip()
        if item.key in indices and title not in dimensions and title not in model.choices:
            dimensions[title], known[title] = item.dimension, result.values[:, indices[item.key]]
    for column, name in named.items():
        title = column.strip()
        if name in dimensions and title not in dimensions and title not in model.choices:
            dimensions[title], known[title] = dimensions[name], result.conditions[name]
    scope = Scope(dimensions, model.choices, known, model).with_columns(result.table, others)
    return scope.with_plain(result.table, [*titles, *named])
