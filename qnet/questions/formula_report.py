"""Formulas as a report: one row per formula, then the names in them, each with its definition and value."""

from __future__ import annotations

from qnet.questions.formula import Formula, Formulas
from qnet.questions.formula_text import latex_name, latex_of, text_of
from qnet.questions.provenance import Basis
from qnet.reports.report import Cell, Column, Note, Report
from qnet.units import base_unit

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


def formula_report(answer: Formulas) -> Report:
    """Tell formulas with their values in the model, and every name that they use."""
    rows = [_row("formula", item) for item in answer.formulas]
    free = {name for name, item in answer.definitions.items() if item.expression.is_Symbol}
    rows += [_row("definition", item) for name, item in answer.definitions.items() if name not in free]
    rows += [_row("parameter", item) for name, item in answer.definitions.items() if name in free]
    notes = [Note("QN601", f"the formulas are approximate: {'; '.join(answer.reasons)}")] if answer.reasons else []
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
        Basis(answer.model, "closed form", answer.exact),
        group="scope",
    )


def _row(scope: str, item: Formula) -> tuple[Cell, ...]:
    binds: Cell = ("yes" if item.binds else "no") if item.combined else None
    parameter = scope == "parameter"
    text = None if parameter else text_of(item.expression)
    index = ",~".join(latex_name(name) for name in (item.about, item.class_name) if name)
    latex = f"{latex_name(item.metric)}{f'_{{{index}}}' if index else ''} = {latex_of(item.expression)}"
    unit = base_unit(item.dimension) or None
    told = None if parameter else latex
    return scope, item.metric, item.about or None, item.class_name or None, binds, item.value, unit, text, told
