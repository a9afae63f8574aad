"""A calibration as a report: the parameters, how they hang together, the fit as a whole, and every row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from qnet.questions.assertions import broken, conditions
from qnet.questions.calibrate import SHARE, Calibration, Found, fitted_point
from qnet.questions.columns import parameter_cells, parameter_unit
from qnet.questions.determined import doubts
from qnet.questions.points import solve_points
from qnet.questions.provenance import Basis
from qnet.questions.solve import in_unit
from qnet.questions.trust import approximate_notes, percentile_notes
from qnet.reports.report import Cell, Column, Note, Report
from qnet.units import format_quantity

COLUMNS = (
    Column("scope", "scope"),
    Column("name", "name"),
    Column("row", "row"),
    Column("at", "at"),
    Column("use", "use"),
    Column("stated", "stated"),
    Column("value", "value"),
    Column("standard_error", "standard error"),
    Column("low", "low"),
    Column("high", "high"),
    Column("measured", "measured"),
    Column("modelled", "modelled"),
    Column("residual", "residual"),
    Column("relative", "relative"),
    Column("unit", "unit"),
    Column("status", "status"),
    Column("method", "method", footed=True),
    Column("exactness", "exactness", footed=True),
)
"""`scope` is `parameter`, `correlation`, `summary` or `row`. `row` counts the rows of data from 1. `stated` is what the
model states; `low` and `high` are the ends of the 95 % interval. `residual` is modelled less measured, `relative` that
over measured. Parameters are in base units, metrics in the unit that they are shown in."""

FITTED, HELD_OUT = "fitted", "held out"
_MOST_NAMED = 4


def calibration_report(found: Calibration, asserted: Sequence[str] = (), more: Sequence[Note] = ()) -> Report:
    """Tell a calibration.

    asserted  conditions that the model must meet with the fitted values, everything else as stated; those that are
              false stand in `broken` of the report.
    more      notes besides.
    """
    model, answers = found.model, found.answers
    claimed = conditions(asserted, model)
    point = fitted_point(found)
    trust = (", ".join(answers.methods), "exact" if answers.exact else "approximate")
    rows = [*map(_parameter, found.parameters), *_correlations(found), *_summary(found), *_rows(found)]
    failing = tuple(broken(solve_points(model, point), claimed)) if claimed else ()
    return Report(
        "qnet/calibration/1",
        f"{model.title}: {', '.join(point)} from {found.measured.table.name}",
        COLUMNS,
        [(*row, *trust) for row in rows],
        (*_notes(found), *more),
        Basis(model, trust[0], answers.exact, measured=_data(found), fitted=point),
        group="scope",
        broken=failing,
    )


def _data(found: Calibration) -> dict[str, Any]:
    """What the calibration rests on beside the model."""
    table = found.measured.table
    return {"name": table.name, "digest": table.digest or None, "rows": len(table.rows)}


def fitted_on(found: Calibration) -> str:
    """What the parameters were fitted on, in one line."""
    table = found.measured.table
    used = int(found.used.any(axis=1).sum())
    name = table.name.rpartition("/")[2]
    metrics = ", ".join(item.source for item in found.measured.metrics)
    told = f"{name}: {metrics} in {used} of {len(table.rows)} rows"
    return f"{told}, sha256 {table.digest}" if table.digest else told


def _parameter(item: Found) -> tuple[Cell, ...]:
    unknown = item.unknown
    status = "ok"
    if item.side:
        status = "at its lower end" if item.side < 0 else "at its upper end"
    elif item.idle:
        status = "no effect"
    elif item.error is None:
        status = "no standard error"
    return (
        "parameter", unknown.name, None, None, None, unknown.start, item.value, item.error, item.low, item.high,
        None, None, None, None, unknown.unit or None, status,
    )  # fmt: skip


def _plain(scope: str, name: str, use: str | None, value: float | None, at: str | None = None) -> tuple[Cell, ...]:
    told = value if value is not None and abs(value) < float("inf") else None
    return (scope, name, None, at, use, None, told, *(None,) * 7, None, "ok" if told is not None else "no value")


def _correlations(found: Calibration) -> Iterator[tuple[Cell, ...]]:
    names = [item.unknown.name for item in found.parameters]
    for one, first in enumerate(names):
        for other in range(one + 1, len(names)):
            yield _plain("correlation", f"{first}, {names[other]}", None, float(found.spread.correlation[one, other]))


def _summary(found: Calibration) -> Iterator[tuple[Cell, ...]]:
    """How far off the model is as a whole, on what it was fitted on and on what was held out."""
    import numpy as np

    kind = "of the mean" if found.absolute else "relative"
    there = np.isfinite(found.measured.values)
    for use, chosen in ((FITTED, found.used), (HELD_OUT, there & found.measured.held_out[:, None])):
        count = int(chosen.sum())
        if not count:
            continue
        known = chosen & np.isfinite(found.residuals)
        complete = count == int(known.sum())
        yield _plain("summary", "measurements", use, count)
        squares = float((found.residuals[known] ** 2).sum())
        error = (squares / count) ** 0.5 if complete else None
        yield _plain("summary", "root mean square error", use, error, kind)
        spread = _total(found, chosen)
        yield _plain("summary", "R squared", use, 1 - squares / spread if spread > 0 and complete else None)
    yield _plain("summary", "degrees of freedom", FITTED, found.spread.freedom)
    yield _plain("summary", "condition number", FITTED, found.spread.condition)


def _total(found: Calibration, chosen: Any) -> float:
    """The sum of squares around the mean of every metric, scaled and weighted as the residuals are."""
    import numpy as np

    total = 0.0
    for place, values in enumerate(found.measured.values.T):
        mask = chosen[:, place]
        if not mask.any():
            continue
        size = np.abs(values[np.isfinite(values)]).mean() or 1.0
        scaled = values[mask] / size if found.absolute else np.log(values[mask])
        weights = found.measured.weights[mask]
        total += float((weights * (scaled - np.average(scaled, weights=weights)) ** 2).sum())
    return total


def _rows(found: Calibration) -> Iterator[tuple[Cell, ...]]:
    import numpy as np

    measured, model = found.measured, found.model
    columns = {name: parameter_cells(model, name, values) for name, values in measured.conditions.items()}
    for row in range(len(measured.table.rows)):
        at = ", ".join(_told(found, name, cells[row]) for name, cells in columns.items())
        use = HELD_OUT if measured.held_out[row] else FITTED
        for place, item in enumerate(measured.metrics):
            stated = float(measured.values[row, place])
            if not np.isfinite(stated):
                continue
            modelled = float(found.modelled[row, place])
            value = modelled if np.isfinite(modelled) else None
            difference = None if value is None else in_unit(value - stated, item.unit)
            relative = None if value is None or not stated else value / stated - 1
            yield (
                "row", item.source, row + 1, at or None, use, None, None, None, None, None, in_unit(stated, item.unit),
                None if value is None else in_unit(value, item.unit), difference, relative, item.unit or None,
                found.answers.status[row],
            )  # fmt: skip


def _told(found: Calibration, name: str, cell: Cell) -> str:
    """`rate = 600/s`."""
    if isinstance(cell, float):
        return f"{name} = {format_quantity(cell, parameter_unit(found.model, name), 6)}"
    return f"{name} = {cell}"


def _notes(found: Calibration) -> Iterator[Note]:
    answers, table = found.answers, found.measured.table
    yield from approximate_notes(answers.reasons)
    yield from percentile_notes(found.model, [item.expression for item in found.measured.metrics], answers.parts)
    error = "the same at every row, of a metric" if found.absolute else "proportional to the measurement"
    text = (
        f"errors are taken as {error}; intervals hold {100 * SHARE:g} % of Student's t, {found.spread.freedom} degrees"
    )
    if found.spread.freedom > 0:
        yield Note("QN633", f"{text} of freedom")
    else:
        text = "as many measurements as parameters: nothing is left to tell errors from"
        yield Note("QN633", text, "warning", "measure more rows")
    yield from doubts(found)
    if found.others:
        shown = "; ".join(_minimum(found, values) for values in found.others[:_MOST_NAMED])
        text = f"minima beside this one, with residuals at most twice as large: {shown}"
        yield Note("QN636", text, "warning", "narrow the ranges with --between")
    missing = int((~answers.answered).sum())
    if missing:
        yield Note("QN602", f"{missing} of {len(table.rows)} rows have no answer; their status says why", "warning")
    if found.measured.ignored:
        names = ", ".join(name.strip() for name in found.measured.ignored)
        yield Note("QN637", f"columns that were not used: {names}")


def _minimum(found: Calibration, values: Sequence[float]) -> str:
    pairs = zip(found.parameters, values, strict=True)
    return ", ".join(f"{item.unknown.name} = {format_quantity(value, item.unknown.unit)}" for item, value in pairs)
