"""Uncertain answers as reports: a tornado with a row per parameter, or figures with a row per metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qnet.expression import Expression
from qnet.model.metrics import Metric
from qnet.model.model import Model
from qnet.networks.reasons import approximate_notes
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.presentation.assertions import broken, conditions
from qnet.questions.presentation.labels import all_exact, label, means_beside, percentile_notes
from qnet.questions.presentation.provenance import Basis
from qnet.questions.sensitivity.ranges import SPREAD, Range
from qnet.questions.sensitivity.uncertainty import MetricDistribution, Reach, Uncertainty, corners, sampled, tornado
from qnet.reports.content import Bars, Cell, Column, Note
from qnet.reports.report import Report
from qnet.units import base_unit, format_quantity, in_unit

_TRUST = (
    Column("status", "status"),
    Column("method", "method", footed=True),
    Column("exactness", "exactness", footed=True),
)
TORNADO = (
    Column("metric", "metric"),
    Column("parameter", "parameter"),
    Column("low", "low", unit_in="unit"),
    Column("high", "high", unit_in="unit"),
    Column("unit", "unit"),
    Column("range", "range"),
    Column("at_low", "metric at low", unit_in="metric_unit"),
    Column("stated", "as stated", unit_in="metric_unit"),
    Column("at_high", "metric at high", unit_in="metric_unit"),
    Column("width", "width", unit_in="metric_unit"),
    Column("width_percent", "width (%)"),
    Column("metric_unit", "metric in"),
    *_TRUST,
)
"""`low` and `high` of the parameter are in base units; `range` says where they are from."""

UNCERTAINTY = (
    Column("metric", "metric"),
    Column("unit", "unit"),
    Column("stated", "as stated", unit_in="unit"),
    Column("mean", "mean", unit_in="unit"),
    Column("standard_deviation", "standard deviation", unit_in="unit"),
    Column("least", "least", unit_in="unit"),
    Column("percentile_5", "5th percentile", unit_in="unit"),
    Column("percentile_50", "median", unit_in="unit"),
    Column("percentile_95", "95th percentile", unit_in="unit"),
    Column("most", "most", unit_in="unit"),
    Column("at_least", "least at"),
    Column("at_most", "most at"),
    Column("answered", "answered"),
    Column("points", "points"),
    *_TRUST,
)
"""Percentiles are between neighbours in proportion; `answered` of `points` have an answer and are counted."""


def ask_tornado(
    model: Model, metric: Sequence[str], by: Sequence[str], range: Sequence[str], within: str, wanted: Wanted = AUTO,
    asserted: Sequence[str] = (),
) -> Report:  # fmt: skip
    """The report of every parameter at both ends of its range; arguments as of `System.tornado`."""
    conditions(asserted, model)
    return tornado_report(tornado(model, metric, by, range, within, wanted), asserted)


def ask_corners(
    model: Model, metric: Sequence[str], by: Sequence[str], range: Sequence[str], within: str, wanted: Wanted = AUTO,
    asserted: Sequence[str] = (),
) -> Report:  # fmt: skip
    """The report of all combinations of the ends of ranges; arguments as of `System.corners`."""
    conditions(asserted, model)
    return uncertainty_report(corners(model, metric, by, range, within, wanted), asserted)


def ask_uncertainty(
    model: Model, sample: int, seed: int, metric: Sequence[str], by: Sequence[str], range: Sequence[str], within: str,
    spread: Sequence[str], shape: str, wanted: Wanted = AUTO, asserted: Sequence[str] = (),
) -> Report:  # fmt: skip
    """The report of random values of all parameters; arguments as of `System.uncertainty`."""
    conditions(asserted, model)
    result = sampled(model, sample, seed, metric, by, range, within, spread, shape, wanted)
    return uncertainty_report(result, asserted, seed=seed, shape=shape)


def tornado_report(result: Uncertainty, asserted: Sequence[str] = ()) -> Report:
    """The report of how far every parameter alone moves every metric, the widest first.

    asserted  conditions that the stated point must meet; those that are false stand in `broken` of the report.
    """
    rows = [(*_reach(result, item), *_trust(result, item.metric)) for item in result.reaches]
    missing = sum(item.width is None for item in result.reaches)
    notes = [*_approximate(result, asserted)]
    if missing:
        notes.append(
            Note("QN602", f"{missing} of {len(rows)} rows have no answer at an end; their status says why", "warning")
        )
    plot = Bars("parameter", ("at_low", "at_high"), by="metric", base="stated", unit="metric_unit")
    return _report(result, "qnet/tornado/1", "what every range alone does", TORNADO, rows, notes, plot, asserted)


def uncertainty_report(result: Uncertainty, asserted: Sequence[str] = (), **how: Any) -> Report:
    """The report of what all ranges together do to every metric.

    asserted  as of `tornado_report`.
    how       what the points were drawn by, for the meta data: seed, shape.
    """
    rows: list[tuple[Cell, ...]] = []
    for item in result.figures:
        missing = result.points - item.answered
        cause = f": {result.status[0]}" if result.status else ""
        status = f"{missing} of {result.points} points have no answer{cause}" if missing else "ok"
        rows.append((*_figures(item, result.points), status, *_trust(result, item.metric)))
    notes = [
        *_approximate(result, asserted),
        Note("QN631", "uncertain: " + "; ".join(_reported(result, item) for item in result.ranges)),
    ]
    missing = max(result.points - item.answered for item in result.figures)
    if missing:
        text = f"{missing} of {result.points} points have no answer and are not in the figures"
        notes.append(Note("QN602", text, "warning"))
    for item in result.figures:
        if item.mixed:
            names = ", ".join(item.mixed)
            text = f"{item.metric.source} is not monotone in {names}: it may go beyond its corners"
            notes.append(Note("QN630", text, "warning"))
    return _report(
        result, "qnet/uncertainty/1", "what all ranges do together", UNCERTAINTY, rows, notes, None, asserted, **how
    )


def _report(
    result: Uncertainty,
    schema: str,
    title: str,
    columns: tuple[Column, ...],
    rows: list[tuple[Cell, ...]],
    notes: list[Note],
    plot: Bars | None,
    asserted: Sequence[str],
    **how: Any,
) -> Report:
    model = result.model
    ranges = [
        {"parameter": item.input.name, "low": item.low, "high": item.high, "range": item.origin}
        for item in result.ranges
    ]
    asked = _asked(result, asserted)
    meta = Basis(
        model, ", ".join(result.methods), all_exact(model, asked, result.parts),
        means=means_beside(model, asked, result.parts), ranges=ranges, **how,
    )  # fmt: skip
    text = f"{model.title}: {title}"
    false = tuple(broken(result.stated, conditions(asserted, model)))
    return Report(
        schema=schema,
        title=text,
        columns=columns,
        rows=rows,
        notes=tuple(notes),
        meta=meta,
        group="metric",
        plot=plot,
        broken=false,
    )


def _approximate(result: Uncertainty, asserted: Sequence[str]) -> list[Note]:
    notes = approximate_notes(result.reasons)
    return [*notes, *percentile_notes(result.model, _asked(result, asserted), result.parts)]


def _asked(result: Uncertainty, asserted: Sequence[str]) -> list[Expression]:
    """What is reported, and what is asserted."""
    claims = (item.metric for item in conditions(asserted, result.model))
    return [*(item.metric.expression for item in (*result.reaches, *result.figures)), *claims]


def _trust(result: Uncertainty, metric: Metric) -> tuple[Cell, Cell]:
    return ", ".join(result.methods), label(all_exact(result.model, [metric.expression], result.parts))


def _reach(result: Uncertainty, item: Reach) -> tuple[Cell, ...]:
    metric, range, here = item.metric, item.range, item.stated
    unit = base_unit(result.model.parameters[range.input.name].dimension)
    width = item.width
    percent = 100 * width / abs(here) if width is not None and here else None
    return (
        metric.source, range.input.name, range.low, range.high, unit or None, range.origin, _shown(metric, item.at_low),
        _shown(metric, here), _shown(metric, item.at_high), _shown(metric, width), percent, metric.unit or None,
        item.status,
    )  # fmt: skip


def _figures(item: MetricDistribution, points: int) -> tuple[Cell, ...]:
    metric = item.metric
    numbers = (item.stated, item.mean, item.deviation, item.least, *item.percentiles, item.most)
    shown = [_shown(metric, number) for number in numbers]
    if item.at_least:  # corners are no sample
        shown[1:3] = [None, None]
        shown[4:7] = [None, None, None]
    return (
        metric.source, metric.unit or None, *shown, item.at_least or None, item.at_most or None, item.answered, points
    )  # fmt: skip


def _shown(metric: Metric, value: float | None) -> float | None:
    return None if value is None else in_unit(value, metric.unit)


def _reported(result: Uncertainty, item: Range) -> str:
    unit = base_unit(result.model.parameters[item.input.name].dimension)
    if item.origin == SPREAD:
        return f"{item.input.name} {format_quantity(item.input.value, unit)} with a spread of {item.variation:.4g}"
    low, high = format_quantity(item.low, unit), format_quantity(item.high, unit)
    return f"{item.input.name} {low} to {high} ({item.origin})"
