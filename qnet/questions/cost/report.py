"""The report on costs: split by station, class and route, compared with another model, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from qnet.errors import Problem, QnetError, UsageError
from qnet.lazy import lazy, np
from qnet.model.model import Model, require_models
from qnet.networks.reasons import approximate_notes
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.cost.cost import OK, Cost, CostPart, Costs, cost, costs
from qnet.questions.presentation.columns import effect_notes
from qnet.questions.presentation.labels import label
from qnet.questions.presentation.provenance import Basis
from qnet.questions.uncertainty import Doubts, SideSlopes, differences, moved_model, slopes_of
from qnet.reports.content import Cell, Column, Note
from qnet.reports.report import Report
from qnet.units import Dimension, base_unit, in_unit

if TYPE_CHECKING:
    from qnet import units
    from qnet.questions.presentation import named_values
else:
    named_values = lazy("qnet.questions.presentation.named_values")
    units = lazy("qnet.units")

RowValues = Callable[[Costs], Sequence[float | None]]
"""A function from costs to the values of the rows of a report."""


def _intervals(result: Costs, reported: RowValues) -> tuple[list[tuple[Cell, ...]], list[Note]]:
    """Low and high of the value of every row, and notes on them."""
    slopes, notes = _slopes(result, reported)
    carried = slopes.carried()
    return _cells(carried.low, carried.high), notes


def _difference_intervals(
    result: Costs, against: Costs, reported: RowValues
) -> tuple[list[tuple[Cell, ...]], list[Note]]:
    """Low and high of the values of both models and of their difference in every row, and notes on them."""
    ours, notes = _slopes(result, reported)
    theirs, more = _slopes(against, reported)
    both = differences(theirs, ours)
    ends = (both.value.low, both.value.high, both.base.low, both.base.high, both.low, both.high)
    return _cells(*ends), [*notes, *(note for note in more if note not in notes)]


def _slopes(results: Costs, reported: RowValues) -> tuple[SideSlopes, list[Note]]:
    """The slopes of the values of rows along calibrated parameters, and notes."""

    def column(values: Sequence[float | None]) -> Any:
        return np.array([[float("nan") if value is None else value] for value in values], dtype=float)

    here = column(reported(results))
    if results.model.calibration is None:
        return slopes_of(None, here, lambda steps: here), []
    doubts = Doubts(results.model, [grid.name for grid in results.over])
    asked = list({item.cost.name: item.cost for item in results.points}.values())

    def moved(steps: list[tuple[int, float]]) -> Any:
        result: list[Any] = []
        for index, value in steps:
            try:
                other = costs(
                    moved_model(results.model, doubts.names[index], value), asked, results.over, results.wanted
                )
                result.append(column(reported(other)))
            except QnetError:
                result.append(np.full(here.shape, np.nan))
        return np.array(result)

    slopes = slopes_of(doubts, here, moved)
    return slopes, doubts.notes(slopes.lame, [item.per for item in asked])


def _cells(*ends: Any) -> list[tuple[Cell, ...]]:
    rows = zip(*(values[:, 0].tolist() for values in ends), strict=True)
    return [tuple(value if abs(value) < float("inf") else None for value in row) for row in rows]


COLUMNS = (
    Column("cost", "cost"),
    Column("scope", "scope"),
    Column("station", "station"),
    Column("class", "class"),
    Column("route", "route"),
    Column("passages", "passages"),
    Column("demand", "demand", "s"),
    Column("value", "value"),
    Column("share", "share"),
    Column("unit", "unit"),
    Column("status", "status"),
    Column("method", "method", footed=True),
    Column("exactness", "exactness", footed=True),
)
"""`passages` is the share of the passages that count, `demand` server time per passage of the row's class and
route, and `value` what the row contributes: passages x demand / units per passage; `share` is that over the total."""

COMPARED = (
    Column("against", "against"),
    Column("difference", "difference"),
    Column("ratio", "ratio"),
    Column("change_percent", "change (%)"),
)
"""The value of the other model, and the difference, ratio and change of the first from it."""

DOUBT = (Column("value_low", "value low"), Column("value_high", "value high"))
"""The interval from the uncertainty of calibrated parameters, where a model states it."""
DOUBT_COMPARED = (
    Column("against_low", "against low"),
    Column("against_high", "against high"),
    Column("difference_low", "difference low"),
    Column("difference_high", "difference high"),
)
"""The intervals of a comparison. Parameters that both models share move both, so that the difference is often known
better than either."""
OPTIONAL = (*COMPARED, *DOUBT, *DOUBT_COMPARED)


def ask_cost(
    model: Model, *, against: Model | None = None, wanted: Wanted = AUTO, asserted: Sequence[str] = (), **asked: Any
) -> Report:
    """The report of the costs of a model; arguments as of `System.cost`.

    asked   the arguments of `cost`.
    Raises  as `cost`, of the model and of the one to compare with, and as `cost_report`.
    """
    require_models([] if against is None else [against])
    return cost_report(
        cost(model, **asked, wanted=wanted), cost(against, **asked, wanted=wanted) if against else None, asserted
    )


def cost_report(result: Costs, against: Costs | None = None, asserted: Sequence[str] = ()) -> Report:
    """The report of the costs of a model, compared with those of another one if there is one.

    result     the costs of the model.
    against    the costs of the other model; None: no comparison.
    asserted   conditions that the first model must meet at every point, over its parameters, its figures, and the
               costs by their names, or `cost` for one that the model does not state. False ones stand in `broken`.
    Raises     `UsageError` QN024 where a cost has different dimensions in the two models.
    """
    model = result.model
    claimed = _claimed(result, asserted)
    exact = result.exact and claimed.exact is not False
    rows = _rows(result, result.exact)
    means = result.exact and claimed.means
    notes = approximate_notes(result.reasons, [result.method])
    notes += [note for note in claimed.notes if note.code != "QN601" or not notes]
    changed = [*model.settings, *(grid.name for grid in result.over)]
    notes += effect_notes(model, changed, [item.cost.per for item in result.points])
    missing = sum(item.status != OK for item in result.points)
    if missing:
        text = f"{missing} of {len(result.points)} points have no answer; their status says why"
        notes.append(Note("QN602", text, "warning"))
    over = tuple(_over(result))
    columns = (COLUMNS[0], *over, *COLUMNS[1:])
    title = f"{model.title}: server time per unit"
    meta = Basis(model, result.method, exact, means=means)
    if against is not None:
        _check_dimensions(result, against)
        both = result.exact and against.exact
        rows, more = _joined(_rows(result, both), _rows(against, both), len(over))
        notes += more
        columns = (*columns[:-3], *COMPARED, *columns[-3:])
        title = f"{title}, against {against.model.title}"
        other = against.model
        details = {"name": other.name, "title": other.title, "digest": other.digest}
        meta = Basis(model, result.method, exact and both, means=means and both, against=details)
    if any(item is not None and item.model.calibration is not None for item in (result, against)):
        rows, more = _with_intervals(result, against, rows, len(over))
        notes += more
        columns = (*columns, *DOUBT, *(DOUBT_COMPARED if against else ()))
    return Report(
        schema="qnet/cost/1",
        title=title,
        columns=columns,
        rows=rows,
        notes=tuple(notes),
        meta=meta,
        group="cost",
        broken=claimed.broken,
    )


def _claimed(result: Costs, asserted: Sequence[str]) -> named_values.AssertionOutcome:
    if not asserted:
        return named_values.AssertionOutcome()
    values: dict[str, list[float]] = {}
    dimensions: dict[str, Dimension] = {}
    coordinates: dict[tuple[float, ...], None] = {}
    for item in result.points:
        name = item.cost.name if item.cost.name in result.model.costs else "cost"
        values.setdefault(name, []).append(float("nan") if item.value is None else item.value)
        dimensions[name] = item.cost.dimension
        coordinates[item.coordinates] = None
    columns = {grid.name: np.array([point[axis] for point in coordinates]) for axis, grid in enumerate(result.over)}
    named = named_values.NamedValues(values, dimensions, columns, len(coordinates))
    return named_values.claims_of(named, asserted, result.model, result.wanted)


def _over(result: Costs) -> Iterable[Column]:
    taken = {column.key for column in (*COLUMNS, *COMPARED)}
    for item in result.over:
        parameter = result.model.parameters[item.name]
        key = item.name if item.name not in taken else f"parameter_{item.name}"
        yield Column(key, item.name.replace("_", " "), "" if parameter.options else base_unit(parameter.dimension))


def _rows(result: Costs, exact: bool) -> list[tuple[Cell, ...]]:
    trust = (result.method, label(exact))
    return [(*row, *trust) for item in result.points for row in _cost_rows(result, item)]


def _cost_rows(result: Costs, item: Cost) -> Iterable[tuple[Cell, ...]]:
    """The rows of one cost at one point: its total, then its parts by station, class, route, and the finest."""
    cost = item.cost
    shown = cost.unit or base_unit(cost.dimension)
    cells = [_point_cell(result, grid.name, value) for grid, value in zip(result.over, item.coordinates, strict=True)]
    if item.status != OK:
        yield (cost.name, *cells, "total", *([None] * 7), shown, item.status)
        return
    for scope, station, class_name, route, parts in _scopes(item.parts):
        contributed = sum(part.passages * part.demand for part in parts)
        passages = _passages(parts)
        value = in_unit(contributed / item.per, shown)
        yield (
            cost.name, *cells, scope, station, class_name, route, passages,
            contributed / passages if passages else _demand_without_passages(parts), value,
            contributed / item.demand if item.demand else None, shown, OK,
        )  # fmt: skip


def _passages(parts: Sequence[CostPart]) -> float:
    """The share of passages that contain some parts, with each route and each chain counted once."""
    shares = {part.taken: part.passages for part in parts}
    return min(sum(shares.values()), 1.0)


def _demand_without_passages(parts: Sequence[CostPart]) -> float | None:
    """The demand of a route of probability 0; None for several routes."""
    return sum(part.demand for part in parts) if len({part.taken for part in parts}) == 1 else None


_Scope = tuple[str, str | None, str | None, str | None, list[CostPart]]


def _scopes(parts: Sequence[CostPart]) -> Iterable[_Scope]:
    yield "total", None, None, None, list(parts)
    stations, classes = (_by(parts, lambda part: part.station), _by(parts, lambda part: part.class_name))
    routes = {
        (name, route): each
        for name, members in classes.items()
        for route, each in _by(members, lambda part: part.route).items()
    }
    if len(stations) > 1:
        for name, each in stations.items():
            yield "station", name, None, None, each
    if len(classes) > 1:
        for name, each in classes.items():
            yield "class", None, name, None, each
    if len(routes) > len(classes):
        for (name, route), each in routes.items():
            yield "route", None, name, route, each
    if len(stations) > 1 and len(routes) > 1:
        finest = "route at station" if len(routes) > len(classes) else "class at station"
        for part in parts:
            if part.demand:
                yield finest, part.station, part.class_name, part.route or None, [part]


def _by(parts: Iterable[CostPart], key: Callable[[CostPart], str]) -> dict[str, list[CostPart]]:
    groups: dict[str, list[CostPart]] = {}
    for part in parts:
        groups.setdefault(key(part), []).append(part)
    return groups


def _point_cell(result: Costs, name: str, value: float) -> Cell:
    options = result.model.parameters[name].options
    return options[int(value)] if options else value


def _check_dimensions(result: Costs, against: Costs) -> None:
    """Raise `UsageError` QN024 for a cost with different dimensions in the two models."""
    ours = {item.cost.name: item.cost.dimension for item in result.points}
    theirs = {item.cost.name: item.cost.dimension for item in against.points}
    for name in ours.keys() & theirs.keys():
        if ours[name] != theirs[name]:
            text = f'"{name}" is {ours[name].describe()} in one model and {theirs[name].describe()} in the other'
            raise UsageError(Problem("QN024", text, "costs of one dimension"))


def _with_intervals(
    results: Costs, against: Costs | None, rows: Sequence[tuple[Cell, ...]], over: int
) -> tuple[list[tuple[Cell, ...]], list[Note]]:
    """The rows with their intervals, in the unit of each row, and notes on them."""
    value, width = 7 + over, 5 + over
    factors = [units.unit(str(row[value + 2])).factor for row in rows]

    def values(costs: Costs) -> list[float | None]:
        moved = {row[:width]: row for row in _rows(costs, True)}
        result: list[float | None] = []
        for row, factor in zip(rows, factors, strict=True):
            other = moved.get(row[:width])
            number = other[value] if other else None
            other_factor = units.unit(str(other[value + 2])).factor if other else factor
            result.append(number * other_factor / factor if isinstance(number, float) else None)
        return result

    ends, notes = _intervals(results, values) if against is None else _difference_intervals(results, against, values)
    return [(*row, *more) for row, more in zip(rows, ends, strict=True)], notes


def _joined(
    rows: Sequence[tuple[Cell, ...]], others: Sequence[tuple[Cell, ...]], over: int
) -> tuple[list[tuple[Cell, ...]], list[Note]]:
    """The rows of one model with the values of the other; within each cost, rows of the other model alone are last."""
    value, unit = 7 + over, 9 + over
    width = 5 + over
    theirs = {row[:width]: row for row in others}
    ours = {row[:width] for row in rows}
    joined: list[tuple[Cell, ...]] = []
    costs = dict.fromkeys(row[0] for row in (*rows, *others))
    for name in costs:
        for row in (item for item in rows if item[0] == name):
            other = theirs.get(row[:width])
            joined.append((*row[:-3], *_compared(row, other, value, unit), *row[-3:]))
        for row in (item for item in others if item[0] == name and item[:width] not in ours):
            empty: tuple[Cell, ...] = (*row[:width], None, None, None, None, *row[unit:])
            joined.append((*empty[:-3], row[value], None, None, None, *empty[-3:]))
    alone = sum(row[:width] not in theirs for row in rows) + sum(row[:width] not in ours for row in others)
    if not alone:
        return joined, []
    return joined, [Note("QN628", f"{alone} of {len(joined)} rows exist in only one of the two models")]


def _compared(row: tuple[Cell, ...], other: tuple[Cell, ...] | None, value: int, unit: int) -> tuple[Cell, ...]:
    """The other value in the unit of this one, the difference, the ratio, and the change in percent."""
    ours, theirs = row[value], other[value] if other else None
    if not isinstance(theirs, float) or other is None:
        return None, None, None, None
    theirs = theirs * units.unit(str(other[unit])).factor / units.unit(str(row[unit])).factor
    if not isinstance(ours, float):
        return theirs, None, None, None
    if not theirs:
        return theirs, ours - theirs, None, None
    return theirs, ours - theirs, ours / theirs, 100 * (ours / theirs - 1)
