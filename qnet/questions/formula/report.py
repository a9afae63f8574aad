"""Formulas as a report: one row per formula, then the names in them, each with its definition and value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qnet.questions.formula.formula import Formula, Formulas
from qnet.questions.formula.text import latex_name, latex_of, text_of
from qnet.questions.presentation.provenance import Basis
from qnet.questions.presentation.trust import approximate_notes
from qnet.reports.report import Cell, Column, Note, Report
from qnet.units import base_unit

if TYPE_CHECKING:
    from qnet.questions.presentation.told import Claims

COLUMNS = (
    Column("scope", "scope"),
    Column("metric", "metric"),
    Column("about", "about"),
    Column("class", "class"),
    Column("binds", "binds"),
    Column("value", "value"),
    Column("unit", "unit"),
    Column("formula", "formula"),
    Column("latex", "LaTeX", math=True),
)
"""`scope` is formula, or what a name in the formulas is: definition (over others), or parameter.

`binds` says of a formula that is one of several whether it is the smallest, or largest, in the model; the metric is
that. Formulas and values are in seconds and bytes."""


def formula_report(answer: Formulas, asserted: Sequence[str] = ()) -> Report:
    """Tell formulas with their values in the model, and every name that they use.

    asserted   conditions that must hold at the model's numbers: over a metric that has one formula, or one that binds,
               by its name, such as max_rate, and over parameters and figures of the model. False ones stand in
               `broken` of the report.
    """
    claimed = _claimed(answer, asserted)
    known = [item for item in (answer.exact, claimed.exact) if item is not None]
    exact = all(known) if known else None
    rows = [_row("formula", item) for item in answer.formulas]
    free = {name for name, item in answer.definitions.items() if item.expression.is_Symbol}
    rows += [_row("definition", item) for name, item in answer.definitions.items() if name not in free]
    rows += [_row("parameter", item) for name, item in answer.definitions.items() if name in free]
    notes = approximate_notes(answer.reasons, "the formulas are")
    notes += [note for note in claimed.notes if note.code != "QN601" or not notes]
    notes += [Note("QN610", text) for text in answer.notes]
    if answer.fixed:
        told = ", ".join(f"{name} = {value:g}" for name, value in answer.fixed.items())
        notes.append(Note("QN611", f"numbers, because the structure of the network rests on them: {told}"))
    if any("erlang_c(" in str(item.expression) for item in answer.formulas):
        notes.append(Note("QN611", "erlang_c(c, a) is Erlang's C: the probability to wait for c servers at a erlangs"))
    return Report(
        "qnet/formula/1",
        f"{answer.model.title}: formulas",
        COLUMNS,
        rows,
        tuple(notes),
        Basis(answer.model, "closed form", exact),
        group="scope",
        broken=claimed.broken,
    )


def _claimed(answer: Formulas, asserted: Sequence[str]) -> Claims:
    from collections import Counter

    from qnet.questions.presentation.told import Claims, Told, claims_of

    if not asserted:
        return Claims()
    times = Counter(item.metric for item in answer.formulas)
    whole = [item for item in answer.formulas if item.binds or times[item.metric] == 1]
    values = {item.metric: [float("nan") if item.value is None else item.value] for item in whole}
    dimensions = {item.metric: item.dimension for item in whole}
    return claims_of(Told(values, dimensions), asserted, answer.model)


def _row(scope: str, item: Formula) -> tuple[Cell, ...]:
    binds: Cell = ("yes" if item.binds else "no") if item.combined else None
    parameter = scope == "parameter"
    text = None if parameter else text_of(item.expression)
    index = ",~".join(latex_name(name) for name in (item.about, item.class_name) if name and "=" not in name)
    latex = f"{latex_name(item.metric)}{f'_{{{index}}}' if index else ''} = {latex_of(item.expression)}"
    unit = base_unit(item.dimension) or None
    told = None if parameter else latex
    return scope, item.metric, item.about or None, item.class_name or None, binds, item.value, unit, text, told
