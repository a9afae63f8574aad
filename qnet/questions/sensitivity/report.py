"""Sensitivities as a report: one block per metric, one row per parameter, the strongest first."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.questions.presentation.assertions import broken, conditions
from qnet.questions.presentation.effects import effect_notes
from qnet.questions.presentation.labels import all_exact, label
from qnet.questions.presentation.provenance import Basis
from qnet.questions.presentation.trust import approximate_notes, percentile_notes
from qnet.questions.sensitivity.sensitivity import ABOVE, BELOW, Effect, Sensitivity
from qnet.questions.solve.solve import in_unit
from qnet.reports.report import Bars, Cell, Column, Note, Report
from qnet.units import base_unit

COLUMNS = (
    Column("metric", "metric"),
    Column("parameter", "parameter"),
    Column("value", "value"),
    Column("unit", "unit"),
    Column("elasticity", "elasticity"),
    Column("derivative", "derivative"),
    Column("derivative_unit", "derivative in"),
    Column("error", "error"),
    Column("by", "by"),
    Column("status", "status"),
    Column("stated", "stated", footed=True),
    Column("stated_unit", "stated in", footed=True),
    Column("method", "method", footed=True),
    Column("exactness", "exactness", footed=True),
)
"""`value` and `derivative` are in base units; `stated` is the metric as the model stands, in its own unit.

`error` is how far the elasticity may be off, as a share of it or of 1, whichever is more: a power of ten, 1e-9 where it
is no more than that, and 0 of whole numbers.
"""

_LEAST = 1e-9
"""Errors below are those of rounding, and differ between machines."""


def sensitivity_report(found: Sensitivity, asserted: Sequence[str] = ()) -> Report:
    """Tell the effects of parameters on metrics.

    asserted  conditions that the stated point must meet; those that are false stand in `broken` of the report.
    """
    model = found.model
    claimed = conditions(asserted, model)
    claims = [item.metric for item in claimed]
    shown = [*(item.metric.expression for item in found.effects), *claims]
    guessed = percentile_notes(model, shown, found.parts)
    methods = ", ".join(found.methods)
    rows = [(*_row(found, item), methods, label(item.exact)) for item in found.effects]
    exact = all(item.exact for item in found.effects) and all_exact(model, claims, found.stated.parts)
    notes = [*approximate_notes(found.reasons), *guessed]
    notes += effect_notes(model, [*model.settings, *(item.input.name for item in found.effects)], shown)
    sides = {(item.metric.source, item.input.name, item.by) for item in found.effects if item.derivative is not None}
    bent = dict.fromkeys(name for metric, name, by in sorted(sides) if by == BELOW and (metric, name, ABOVE) in sides)
    if bent:
        text = f"at its stated value the derivative jumps: {', '.join(bent)}; both sides are told"
        notes.append(Note("QN629", text))
    missing = sum(item.derivative is None for item in found.effects)
    if missing:
        text = f"{missing} of {len(found.effects)} rows have no derivative; their status says why"
        notes.append(Note("QN632", text, "warning"))
    return Report(
        "qnet/sensitivity/1",
        f"{model.title}: sensitivity to its parameters",
        COLUMNS,
        rows,
        tuple(notes),
        Basis(model, methods, exact),
        group="metric",
        plot=Bars("parameter", ("elasticity",), "metric"),
        broken=tuple(broken(found.stated, claimed)),
    )


def _row(found: Sensitivity, item: Effect) -> tuple[Cell, ...]:
    parameter, metric = found.model.parameters[item.input.name], item.metric
    unit, shown = base_unit(parameter.dimension), metric.unit
    per = base_unit(metric.dimension.times(parameter.dimension, -1))
    stated = in_unit(float(found.stated.metric(metric.expression)), shown)
    doubt = None if item.derivative is None else _magnitude(item.doubt)
    return (
        metric.source, item.input.name, item.input.value, unit or None, item.elasticity, item.derivative, per or None,
        doubt, item.by or None, item.status, stated, shown or None,
    )  # fmt: skip


def _magnitude(doubt: float) -> float:
    """The next power of ten: digits of an error mean nothing, and least of all those of rounding."""
    from math import ceil, log10

    return float(f"1e{ceil(log10(max(doubt, _LEAST)))}") if doubt else 0.0
