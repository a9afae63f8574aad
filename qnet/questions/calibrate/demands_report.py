"""The report on service demands: the demands, a summary of each regression, and every row."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from qnet.model.model import Model
from qnet.questions.calibrate.calibrate import SHARE
from qnet.questions.calibrate.demands import BACKGROUND, FittedDemands, StationRegression, demands_of
from qnet.questions.calibrate.errors import half_width
from qnet.questions.calibrate.report import FITTED, HELD_OUT, NOT_READ, entangled
from qnet.questions.calibrate.shape import read_shaped
from qnet.questions.map.tables import Rows
from qnet.questions.presentation.provenance import Basis
from qnet.reports.content import Cell, Column, Note
from qnet.reports.report import Report

COLUMNS = (
    Column("scope", "scope"),
    Column("station", "station"),
    Column("class", "class"),
    Column("row", "row"),
    Column("use", "use"),
    Column("name", "name"),
    Column("value", "value", unit_in="unit"),
    Column("standard_error", "standard error", unit_in="unit"),
    Column("low", "low", unit_in="unit"),
    Column("high", "high", unit_in="unit"),
    Column("measured", "measured", unit_in="unit"),
    Column("modelled", "modelled", unit_in="unit"),
    Column("residual", "residual", unit_in="unit"),
    Column("unit", "unit"),
    Column("status", "status"),
)
"""`scope` is `demand`, `summary` or `row`. Demands are in seconds per passage, all servers of a station together, with
the ends of their 95 % interval; rows have utilizations, and `residual` is modelled less measured. A row that cannot be
read has its text at `name`, and the reason at `status`."""

_NOTHING = (None,) * 3


def ask_demands(
    model: Model, measured: Rows, column: Sequence[str], melt: Sequence[str], **asked: Any
) -> Report:  # fmt: skip
    """The report of service demands from measurements; arguments as of `System.demands`.

    asked  the arguments of `demands_of`.
    """
    return demands_report(demands_of(read_shaped(measured, column, melt, model), model, **asked))


def demands_report(result: FittedDemands, more: Sequence[Note] = ()) -> Report:
    """The report of service demands: a row for each demand, summary, row of measurements, and row that cannot be read.

    result  demands in seconds per passage, by station and class, as `demands_of` estimates them.
    more    notes of the caller, after those on the regressions.
    """
    rows: list[tuple[Cell, ...]] = []
    for report in (_demands, _summary, _rows):
        for station in result.stations:
            rows += report(result, station)
    for item in result.table.unread:
        rows.append(("row", None, None, item.number, NOT_READ, item.text, *(None,) * 8, item.problem.found))
    data = {
        "name": result.table.name,
        "digest": result.table.digest or None,
        "rows": len(result.table.rows),
    }
    meta: Mapping[str, Any] = {"method": "non-negative least squares", "measured": data}
    if result.model is not None:
        meta = Basis(result.model, **meta)
    title = f"service demands from {result.table.name}"
    return Report(
        schema="qnet/demands/1",
        title=title,
        columns=COLUMNS,
        rows=rows,
        notes=(*_notes(result), *more),
        meta=meta,
        group="scope",
    )


def _demands(results: FittedDemands, station: StationRegression) -> Iterator[tuple[Cell, ...]]:
    result = station.coefficients
    times = half_width(SHARE, result.freedom) if result.freedom > 0 else math.nan
    for index, name in enumerate(results.classes):
        # A measured utilization is a share of all servers; a fitted demand is their total time.
        size = 1.0 / station.servers if name == BACKGROUND else 1.0
        value, error = float(result.values[index]) * size, float(result.errors[index]) * size
        unit = None if name == BACKGROUND else "s"
        reported: tuple[Cell, ...] = (value, None, None, None)
        status = "ok"
        if math.isinf(result.inflation[index]):
            reported, status = (None, None, None, None), "cannot be separated"
        elif not value:
            status = "at 0"
        elif math.isfinite(error):
            reported = (value, error, max(value - times * error, 0.0), value + times * error)
        else:
            status = "no standard error"
        yield ("demand", station.name, name or None, None, None, None, *reported, *_NOTHING, unit, status)


def _summary(result: FittedDemands, station: StationRegression) -> Iterator[tuple[Cell, ...]]:
    known = np.isfinite(station.measured) & np.isfinite(station.modelled)
    for use, chosen in ((FITTED, station.used), (HELD_OUT, known & result.held_out)):
        if not chosen.any():
            continue
        residuals = (station.modelled - station.measured)[chosen]
        spread = station.measured[chosen] - station.measured[chosen].mean()
        squares, total = float(residuals @ residuals), float(spread @ spread)
        details = {
            "rows": int(chosen.sum()),
            "root mean square error": math.sqrt(squares / len(residuals)),
            "R squared": 1 - squares / total if total > 0 else None,
        }
        for name, value in details.items():
            status = "ok" if value is not None else "no value"
            yield ("summary", station.name, None, None, use, name, value, *_NOTHING, *_NOTHING, None, status)


def _rows(result: FittedDemands, station: StationRegression) -> Iterator[tuple[Cell, ...]]:
    for row, (measured, modelled) in enumerate(zip(station.measured, station.modelled, strict=True)):
        if not np.isfinite(measured) or not np.isfinite(modelled):
            continue
        use = HELD_OUT if result.held_out[row] else FITTED
        figures = (float(measured), float(modelled), float(modelled - measured))
        yield (
            "row",
            station.name,
            None,
            result.table.numbers[row],
            use,
            "utilization",
            None,
            *_NOTHING,
            *figures,
            None,
            "ok",
        )


def _notes(result: FittedDemands) -> Iterator[Note]:
    text = "errors of utilizations are assumed to be the same in all rows, and throughputs to be exact"
    yield Note("QN633", f"{text}; intervals hold {100 * SHARE:g} % of Student's t")
    together: dict[tuple[str, str], list[str]] = {}
    for station in result.stations:
        names, verb = _inseparable(result, station)
        if names:
            together.setdefault((" and ".join(names), verb), []).append(station.name)
    for (names, verb), stations in together.items():
        text = f"throughputs that vary together: {names}; their demands at {', '.join(stations)} {verb} be separated"
        yield Note("QN634", text, "warning", "measure intervals with another mix of classes")
    at_zero = [
        f"{name} at {station.name}"
        for station in result.stations
        for name, value in zip(result.classes, station.coefficients.values.tolist(), strict=True)
        if not value
    ]
    if at_zero:
        text = f"demands at 0: {', '.join(at_zero)}; an unconstrained regression would make them negative"
        yield Note("QN635", text, "warning", "measure more intervals, or check the utilizations")
    yield from result.table.notes()
    if result.ignored:
        yield Note("QN637", f"columns that were not used: {', '.join(result.ignored)}")


def _inseparable(result: FittedDemands, station: StationRegression) -> tuple[list[str], str]:
    """The classes whose demands at a station cannot, or can hardly, be separated, with that verb."""
    names = [name or "all" for name in result.classes]
    tied = [
        name for name, value in zip(names, station.coefficients.inflation.tolist(), strict=True) if math.isinf(value)
    ]
    if tied:
        return tied, "cannot"
    return [
        names[index] for index in entangled(station.coefficients.inflation, station.coefficients.correlation)
    ], "can hardly"
