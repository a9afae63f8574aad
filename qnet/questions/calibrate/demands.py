"""Service demands from utilizations and throughputs, by the utilization law over many intervals.

The regression is linear least squares with non-negative coefficients, and their errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from qnet.errors import InvalidInput, NotComputed, Problem, UsageError, short, suggest
from qnet.lazy import Array
from qnet.model.column_names import column_key
from qnet.model.fields import TABLES
from qnet.model.model import Model
from qnet.model.values import Values
from qnet.questions.calibrate.held_out import Scope, held_out
from qnet.questions.calibrate.measured import HOLD_OUT, WEIGHT, Cells, no_utilization
from qnet.questions.map.parameter_cells import Fault, with_units
from qnet.questions.map.tables import DataTable, Rows, number, read_table
from qnet.record import Record
from qnet.units import NUMBER, RATE, Dimension, Unit, UnitError, quantity, scale

RANK = 1e-9
"""The share of the largest singular value below which others are rounding."""
_DESCENDS = 1e-10
"""The slope, relative to the measurements, below which it is rounding."""


class Coefficients(Record):
    """The result of a regression."""

    values: Any
    """(n,): at least 0."""
    errors: Any
    """(n,): standard errors; NaN for coefficients that are 0 or not determined, and without degrees of freedom."""
    correlation: Any
    inflation: Any
    """(n,): variance inflation, the ratio of the variance to that of the coefficient alone; infinite where it is not
    determined."""
    freedom: int
    """Degrees of freedom: rows less coefficients above 0."""
    deviation: float
    """The standard deviation of the residuals; NaN without degrees of freedom."""


def regress(design: Any, target: Any) -> Coefficients:
    """The x >= 0 that minimizes |A x - b|, with standard errors of its elements above 0.

    design   A, (m, n), with no column of zeros.
    target   b, (m,).
    Method   The active sets of C. L. Lawson and R. J. Hanson, Solving Least Squares Problems (1974), algorithm NNLS,
             chapter 23; errors are those of the plain regression on the columns with coefficients above 0.
    Raises   `NotComputed` where it does not end, which only rounding can cause.
    Limits   The errors assume that coefficients at 0 are known to be 0.
    """
    norms = np.linalg.norm(design, axis=0)
    scaled = design / norms
    count = scaled.shape[1]
    values = np.zeros(count)
    positive = np.zeros(count, dtype=bool)
    least = _DESCENDS * float(np.linalg.norm(target))
    for _ in range(30 * count + 30):
        gradient = scaled.T @ (target - scaled @ values)
        descending = ~positive & (gradient > least)
        if not descending.any():
            return _coefficients(scaled, norms, target, values, positive)
        positive[int(np.where(descending, gradient, -np.inf).argmax())] = True
        trial = _solved(scaled, target, positive)
        while positive.any() and trial[positive].min() <= 0:
            falling = positive & (trial <= 0)
            step = float((values[falling] / (values[falling] - trial[falling] + 1e-300)).min())
            values += step * (trial - values)
            positive &= values > 1e-14 * float(np.abs(values).max(initial=0.0))
            values[~positive] = 0.0
            trial = _solved(scaled, target, positive)
        values = trial
    raise NotComputed(Problem("QN535", "the regression does not end", "rows in which the mix of classes varies"))


def _solved(design: Any, target: Any, positive: Any) -> Any:
    values = np.zeros(design.shape[1])
    if positive.any():
        values[positive] = np.linalg.lstsq(design[:, positive], target, rcond=RANK)[0]
    return values


def _coefficients(design: Any, norms: Any, target: Any, values: Any, positive: Any) -> Coefficients:
    """The coefficients in the units of the data, with their errors."""
    count = design.shape[1]
    errors, inflation = np.full(count, np.nan), np.ones(count)
    correlation = np.full((count, count), np.nan)
    used = np.flatnonzero(positive)
    freedom = len(target) - len(used)
    residual = target - design @ values
    deviation = float(residual @ residual / freedom) ** 0.5 if freedom > 0 else float("nan")
    # Whether a coefficient is determined depends on all columns, also on those with coefficient 0.
    _, singular, right = np.linalg.svd(design, full_matrices=True)
    singular = np.concatenate([singular, np.zeros(count - len(singular))])
    tied: Any = (np.abs(right[singular <= RANK * singular[0]]) > 1e-6).any(axis=0)
    if len(used) and not tied[used].all():
        free = used[~tied[used]]
        inverse = _inverse(design[:, used].T @ design[:, used])
        diagonal = inverse.diagonal()
        indices = np.searchsorted(used, free)
        errors[free] = deviation * np.sqrt(diagonal[indices]) / norms[free]
        inflation[used] = diagonal
        correlation[np.ix_(used, used)] = inverse / np.sqrt(np.outer(diagonal, diagonal))
    inflation[tied] = np.inf
    return Coefficients(values / norms, errors, correlation, inflation, freedom, deviation)


def _inverse(gram: Any) -> Any:
    """The pseudoinverse of a Gram matrix: the inverse in the directions that are determined."""
    return np.linalg.pinv(gram, rcond=RANK**2, hermitian=True)  # pyright: ignore[reportUnknownVariableType]


BACKGROUND = "background"
"""The pseudo-class of the utilization without throughput."""
_UTILIZATION, _THROUGHPUT, _PER_S = "utilization_", "throughput", "_per_s"
_RATES = ("_per_", " ", "[", "(")
_ALL = "*"
"""All classes together."""


class StationRegression(Record):
    """The regression of one station."""

    name: str
    servers: float
    measured: Any
    """(rows,): utilization; NaN where a row does not state it."""
    modelled: Any
    """(rows,): utilization by the fitted demands."""
    used: Any
    """(rows,): whether a row was fitted."""
    coefficients: Coefficients


class FittedDemands(Record):
    """Service demands of stations by class."""

    table: DataTable
    model: Model | None
    classes: tuple[str, ...]
    """Names, empty for all passages together; the background is last, if it is fitted."""
    stations: tuple[StationRegression, ...]
    held_out: Any
    ignored: tuple[str, ...]
    design: Any
    """(rows, classes): throughputs per second; 1 for the background."""
    background: bool


def demands_of(
    source: Rows | DataTable,
    model: Model | None = None,
    servers: Sequence[str] = (),
    background: bool = False,
    hold_out: str = "",
    strict: bool = False,
) -> FittedDemands:
    """Service demands D_kr in seconds per passage, from U_k c_k = sum over classes of X_r D_kr, for every station.

    source      a CSV file, or rows, with `utilization_STATION` (a share, such as 0.37 or 37 %), and `throughput` or
                `throughput_CLASS` for each class, per second; `weight` and `hold_out` are optional.
    model       the model with the stations, their servers, and the classes; other columns are left out.
    servers     `NAME=NUMBER` texts; default: those of the model, or 1.
    background  whether to fit a utilization without throughput too.
    hold_out    a number of rows at the end that only test the regression, or a condition over columns.
    strict      whether to refuse the rows at the first unreadable one; otherwise such rows are left out, and listed.
    Raises      `InvalidInput` for columns and cells that cannot be used, or too few rows; `UsageError` for the rest.

    Method      `regress` for each station. Source of the law: P. J. Denning and J. P. Buzen, The
                operational analysis of queueing network models, ACM Computing Surveys 10 (1978) 225-261, section 3; of
                the regression: Y. Bard and M. Shatzoff, Statistical methods in computer performance analysis, in
                Current Trends in Programming Methodology III (1978) 1-51; J. Rolia and V. Vetland, Parameter estimation
                for performance models of distributed application systems, CASCON 1995; Q. Zhang, L. Cherkasova and
                E. Smirni, A regression-based analytic model for dynamic resource provisioning of multi-tier
                applications, ICAC 2007.
    Limits      Classes whose throughputs are collinear cannot be separated. Errors are assumed to be the same in all
                intervals, and throughputs to be exact.
    """
    table = source if isinstance(source, DataTable) else read_table(source)
    columns = _Columns(table, model)
    stations, classes, ignored = columns.sort()
    given = _servers(servers, list(stations))
    cells, factors = Cells(table), columns.factors
    busy = {name: cells.column(column, partial(_share, factors[column])) for name, column in stations.items()}
    rates = {name: cells.column(column, partial(_rate, factors[column])) for name, column in classes.items()}
    weights, held = cells.roles(columns.special)
    table, kept = cells.readable()
    if strict:
        table.refuse_unread()
    busy, rates = ({name: values[kept] for name, values in item.items()} for item in (busy, rates))
    weights, held = weights[kept], held[kept]
    if hold_out:
        held = held | held_out(hold_out, len(table.rows), _scope(table, columns, busy, rates))
    names = (*rates, *((BACKGROUND,) if background else ()))
    design = np.array([*rates.values(), *([np.ones(len(table.rows))] if background else [])]).T
    results: list[StationRegression] = []
    for name, values in busy.items():
        count = given.get(name) or _servers_of(model, name)
        used = np.isfinite(values) & np.isfinite(design).all(axis=1) & ~held
        _refuse_too_few(name, names, design[used], table)
        roots = np.sqrt(weights[used])
        result = regress(design[used] * roots[:, None], values[used] * count * roots)
        results.append(StationRegression(name, count, values, design @ result.values / count, used, result))
    return FittedDemands(
        table=table, model=model, classes=names, stations=tuple(results), held_out=held, ignored=ignored,
        design=design, background=background,
    )  # fmt: skip


def _refuse_too_few(station: str, classes: Sequence[str], design: Array, table: DataTable) -> None:
    """Raise `InvalidInput` QN252 where the rows of a station do not determine the demands of all classes."""
    rows, busy = len(design), (design > 0).any(axis=0)
    if rows >= len(classes) and busy.all():
        return
    words = f'"{station}": {rows} rows for {len(classes)} demands'
    if rows >= len(classes):
        words = f'"{station}": no row with any throughput of {classes[int(busy.argmin())] or "the system"}'
    problem = Problem("QN252", words, "rows in which every class varies", file=table.name)
    raise InvalidInput(problem, *table.reasons())


class _Columns:
    """Sorts columns into utilizations, throughputs and others."""

    def __init__(self, table: DataTable, model: Model | None) -> None:
        self.table = table
        self.titles = {name.strip(): name for name in table.header if name.strip()}
        self.special = {name: self.titles[name] for name in (WEIGHT, HOLD_OUT) if name in self.titles}
        self.factors: dict[str, float] = {}
        """The factor from plain numbers to base units, by column."""
        self.stations: dict[str, str] | None = None
        self.classes: dict[str, str] | None = None
        if model is not None:
            self.stations = {column_key(item.name): item.name for item in model.stations if not item.delay}
            self.classes = {column_key(item.name): item.name for item in model.customers}

    def sort(self) -> tuple[dict[str, str], dict[str, str], tuple[str, ...]]:
        """The columns by station and by class (empty for all passages), and the titles of the other columns."""
        stations: dict[str, str] = {}
        classes: dict[str, str] = {}
        total = ""
        for title, column in self.titles.items():
            name = self._utilized(title, column)
            if name:
                stations[name] = column
                continue
            name = self._flowing(title, column)
            if name == _ALL:
                total = column
            elif name:
                classes[name] = column
        if total and not classes:
            classes[""] = total
        if not stations or not classes:
            missing = "utilization_STATION" if not stations else "throughput or throughput_CLASS"
            help = suggest("", [short(title) for title in self.titles], called="the columns are:")
            raise InvalidInput(
                Problem("QN250", f"there is no column {missing}", "one", help=help, file=self.table.name)
            )
        used = {*stations.values(), *classes.values(), *self.special.values()}
        return stations, classes, tuple(title for title, column in self.titles.items() if column not in used)

    def _utilized(self, title: str, column: str) -> str:
        """The station whose utilization a column is; empty for none."""
        for text, factor in ((title, 1.0), *((head, each.factor) for head, each in _in_unit(title, NUMBER))):
            if text.startswith(_UTILIZATION) and text != _UTILIZATION:
                name = self._named(text.removeprefix(_UTILIZATION), self.stations)
                if name and (self.stations is not None or not _in_unit(text, NUMBER)):
                    self.factors[column] = factor
                    return name
        return ""

    def _flowing(self, title: str, column: str) -> str:
        """The class whose throughput a column is, `_ALL` for all of them; empty for none."""
        units = [(head, each.factor) for head, each in _in_unit(title, RATE)]
        plain = title.removesuffix(_PER_S)
        for text, factor in ((plain, 1.0), *units):
            if text == _THROUGHPUT:
                name = _ALL
            elif text.startswith(f"{_THROUGHPUT}_") and (self.classes is not None or text != title or not units):
                name = self._named(text.removeprefix(f"{_THROUGHPUT}_"), self.classes)
            else:
                continue
            if name:
                self.factors[column] = factor
                return name
        return ""

    def _named(self, text: str, known: dict[str, str] | None) -> str:
        return text if known is None else known.get(text, "")


def _in_unit(title: str, dimension: Dimension) -> list[tuple[str, Unit]]:
    """The splits of a title into a name and a unit of a dimension; a rate after an underscore begins with `_per_`."""
    units = [(head, each) for head, each in with_units(title) if each.dimension == dimension]
    return [(head, each) for head, each in units if dimension != RATE or title[len(head) :].startswith(_RATES)]


def _share(factor: float, cell: object) -> float | None:
    value = _in(cell, NUMBER, factor)
    if value is not None and not 0 <= value <= 1 + 1e-9:
        raise no_utilization(value)
    return value


def _rate(factor: float, cell: object) -> float | None:
    value = _in(cell, RATE, factor)
    if value is not None and value < 0:
        raise Fault("a throughput below 0")
    return value


def _in(cell: object, dimension: Dimension, factor: float) -> float | None:
    """A number in the unit of its column, or a quantity; None for an empty cell."""
    try:
        plain = number(cell)
        return None if plain is None else scale(plain, factor)
    except Fault:
        try:
            value, result = quantity(str(cell))
        except UnitError as error:
            raise Fault(short(str(error))) from None
        if result != dimension:
            raise Fault(f'"{short(str(cell))}" is {result.describe()}; expected {dimension.describe()}') from None
        return value


def _servers(texts: Sequence[str], stations: Sequence[str]) -> dict[str, float]:
    result: dict[str, float] = {}
    for text in texts:
        name, _, count = (part.strip() for part in text.partition("="))
        if name not in stations:
            words, help = f'no column measures the utilization of "{short(name)}"', suggest(name, stations)
            raise UsageError(Problem("QN029", words, "--servers NAME=NUMBER", help=help))
        if not count.isdigit() or int(count) < 1:
            raise UsageError(Problem("QN029", f'"{short(text)}" is not a number of servers', "NAME=NUMBER, 1 or more"))
        result[name] = float(int(count))
    return result


def _servers_of(model: Model | None, name: str) -> float:
    """The servers of all copies of a station, which share the work evenly; 1 without a model."""
    if model is None:
        return 1.0
    counts = servers_and_copies(model, name)
    if counts is None:
        station = next(item for item in model.stations if item.name == name)
        what = "an unequal split" if station.split.kind != "even" else "rates"
        words = f'"{name}" has {what}, so that its utilization is not that of all servers'
        raise UsageError(Problem("QN029", words, f"--servers {name}=NUMBER"))
    return float(counts[0] * counts[1])


def servers_and_copies(model: Model, name: str) -> tuple[int, int] | None:
    """The servers and copies of the station `name` of `model`.

    None where its copies do not share the work evenly, or its rate depends on the number present.
    """
    station = next(item for item in model.stations if item.name == name)
    if station.split.kind != "even" or station.rates:
        return None
    values, fields = Values(model, {}, None), TABLES["station"]
    servers, copies = (
        values.integer(expression, fields[key], (*station.path, key))
        for key, expression in (("servers", station.servers), ("copies", station.copies))
    )
    return servers, copies


def _scope(table: DataTable, columns: _Columns, busy: dict[str, Any], rates: dict[str, Any]) -> Scope:
    """The names in conditions over intervals: figures, also by the title of their column, and other columns."""
    dimensions: dict[str, Dimension] = {}
    known: dict[str, Any] = {}
    stations, classes, _ = columns.sort()
    for begin, titles, figures, dimension in (
        (_UTILIZATION, stations, busy, NUMBER),
        (f"{_THROUGHPUT}_", classes, rates, RATE),
    ):
        for name, values in figures.items():
            for title in (begin + column_key(name) if name else _THROUGHPUT, titles[name].strip()):
                dimensions[title], known[title] = dimension, values
    return Scope(dimensions, {}, known).with_columns(table, list(columns.titles.values()))
