"""Service demands as a report: the demands, each regression as a whole, and every row."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from qnet.lazy import np
from qnet.questions.calibrate.calibrate import SHARE
from qnet.questions.calibrate.demands import BACKGROUND, Demands, Station
from qnet.questions.calibrate.determined import entangled
from qnet.questions.calibrate.report import FITTED, HELD_OUT
from qnet.questions.presentation.provenance import Basis
from qnet.questions.uncertainty.student import half_width
from qnet.reports.content import Cell, Column, Note
from qnet.reports.report import Report

COLUMNS = (
    Column("scope", "scope"),
    Column("station", "station"),
    Column("class", "class"),
    Column("row", "row"),
    Column("use", "use"),
    Column("name", "name"),
    Column("value", "value"),
    Column("standard_error", "standard error"),
    Column("low", "low"),
    Column("high", "high"),
    Column("measured", "measured"),
    Column("modelled", "modelled"),
    Column("residual", "residual"),
    Column("unit", "unit"),
    Column("status", "status"),
)
"""`scope` is `demand`, `summary` or `row`. Demands are in seconds per passage, all servers of a station together, with
the ends of their 95 % interval; rows tell utilizations, `residual` is modelled less measured."""

_NOTHING = (None,) * 3


def demands_report(found: Demands) -> Report:
    """Tell service demands."""
    rows: list[tuple[Cell, ...]] = []
    for tell in (_demands, _summary, _rows):
        for station in found.stations:
            rows += tell(found, station)
    data = {
        "name": found.table.name,
        "digest": found.table.digest or None,
        "rows": len(found.table.rows),
    }
    meta: Mapping[str, Any] = {"method": "non-negative least squares", "measured": data}
    if found.model is not None:
        meta = Basis(found.model, **meta)
    title = f"service demands from {found.table.name}"
    return Report(
        schema="qnet/demands/1",
        title=title,
        columns=COLUMNS,
        rows=rows,
        notes=tuple(_notes(found)),
        meta=meta,
        group="scope",
    )


def _demands(found: Demands, station: Station) -> Iterator[tuple[Cell, ...]]:
    result = station.found
    times = half_width(SHARE, result.freedom) if result.freedom > 0 else math.nan
    for place, name in enumerate(found.classes):
        # What is measured as busy is a share of all servers; what is found is their time.
        size = 1.0 / station.servers if name == BACKGROUND else 1.0
        value, error = float(result.values[place]) * size, float(result.errors[place]) * size
        unit = None if name == BACKGROUND else "s"
        told: tuple[Cell, ...] = (value, None, None, None)
        status = "ok"
        if math.isinf(result.inflation[place]):
            told, status = (None, None, None, None), "cannot be separated"
        elif not value:
            status = "at 0"
        elif math.isfinite(error):
            told = (value, error, max(value - times * error, 0.0), value + times * error)
        else:
            status = "no standard error"
        yield ("demand", station.name, name or None, None, None, None, *told, *_NOTHING, unit, status)


def _summary(found: Demands, station: Station) -> Iterator[tuple[Cell, ...]]:
    known = np.isfinite(station.measured) & np.isfinite(station.modelled)
    for use, chosen in ((FITTED, station.used), (HELD_OUT, known & found.held_out)):
        if not chosen.any():
            continue
        residuals = (station.modelled - station.measured)[chosen]
        spread = station.measured[chosen] - station.measured[chosen].mean()
        squares, total = float(residuals @ residuals), float(spread @ spread)
        told = {
            "rows": int(chosen.sum()),
            "root mean square error": math.sqrt(squares / len(residuals)),
            "R squared": 1 - squares / total if total > 0 else None,
        }
        for name, value in told.items():
            status = "ok" if value is not None else "no value"
            yield ("summary", station.name, None, None, use, name, value, *_NOTHING, *_NOTHING, None, status)


def _rows(found: Demands, station: Station) -> Iterator[tuple[Cell, ...]]:
    for row, (measured, modelled) in enumerate(zip(station.measured, station.modelled, strict=True)):
        if not np.isfinite(measured) or not np.isfinite(modelled):
            continue
        use = HELD_OUT if found.held_out[row] else FITTED
        figures = (float(measured), float(modelled), float(modelled - measured))
        yield ("row", station.name, None, row + 1, use, "utilization", None, *_NOTHING, *figures, None, "ok")


def _notes(found: Demands) -> Iterator[Note]:
    text = "errors of utilizations are taken as the same in all rows, throughputs as exact"
    yield Note("QN633", f"{text}; intervals hold {100 * SHARE:g} % of Student's t")
    together: dict[tuple[str, str], list[str]] = {}
    for station in found.stations:
        names, doubt = _inseparable(found, station)
        if names:
            together.setdefault((" and ".join(names), doubt), []).append(station.name)
    for (names, doubt), stations in together.items():
        text = f"throughputs that move together: {names}; their demands at {', '.join(stations)} {doubt} be separated"
        yield Note("QN634", text, "warning", "measure intervals with another mix of classes")
    at_zero = [
        f"{name} at {station.name}"
        for station in found.stations
        for name, value in zip(found.classes, station.found.values.tolist(), strict=True)
        if not value
    ]
    if at_zero:
        text = f"demands that ended at 0: {', '.join(at_zero)}; a regression without sign would make them negative"
        yield Note("QN635", text, "warning", "measure more intervals, or check the utilizations")
    if found.ignored:
        yield Note("QN637", f"columns that were not used: {', '.join(found.ignored)}")


def _inseparable(found: Demands, station: Station) -> tuple[list[str], str]:
    """The classes whose demands at a station cannot be distinguished, or hardly."""
    names = [name or "all" for name in found.classes]
    tied = [name for name, value in zip(names, station.found.inflation.tolist(), strict=True) if math.isinf(value)]
    if tied:
        return tied, "cannot"
    return [names[place] for place in entangled(station.found.inflation, station.found.correlation)], "can hardly"
