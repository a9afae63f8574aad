"""The catalog as reports: its entries, and the values of an entry with their sources."""

from __future__ import annotations

from qnet.catalog.find import EXAMPLE, entries, examples
from qnet.catalog.parts import load_part
from qnet.catalog.sources import describe, sources
from qnet.errors import Problem, UsageError, suggest
from qnet.model.load import load
from qnet.model.model import Model, Parameter
from qnet.model.values import Values
from qnet.reports.content import Cell, Column, Note
from qnet.reports.report import Report
from qnet.units import base_unit, format_quantity

LISTED = (Column("kind", "kind"), Column("id", "id"), Column("title", "title"))
SHOWN = (
    Column("parameter", "parameter"),
    Column("value", "value"),
    Column("amount", "amount"),
    Column("grade", "grade"),
    Column("low", "low"),
    Column("high", "high"),
)
WHY = (
    Column("source", "source"),
    Column("place", "place"),
    Column("fitted_on", "fitted on"),
    Column("note", "note"),
)


def list_report(kind: str = "") -> Report:
    """Every entry of the catalog, or those of one kind: `part`, `system`, `study`."""
    rows = [(entry.kind, entry.id, entry.title) for entry in entries() if not kind or entry.kind == kind]
    return Report(schema="qnet/catalog/1", title="qnet catalog", columns=LISTED, rows=rows, group="kind")


def show_report(name: str, why: bool) -> Report:
    """The parameters of a part, a system or an example; with `why`, the source of each value.

    Raises `UsageError` QN301 for any other name.
    """
    kinds = {entry.id: entry.kind for entry in entries() if entry.kind in ("part", "system")}
    kinds |= {entry.id: "system" for entry in examples() if entry.kind == EXAMPLE}
    if name not in kinds:
        raise UsageError(Problem("QN301", f'"{name}" is neither a part nor a system', help=suggest(name, list(kinds))))
    columns = (*SHOWN, *(WHY if why else ()))
    if kinds[name] == "system":
        return _system(load(name), columns, why)
    part = load_part(name)
    rows: list[tuple[Cell, ...]] = []
    for item in part.parameters.values():
        row: tuple[Cell, ...] = (
            item.name,
            item.expression.source,
            format_quantity(item.amount, base_unit(item.dimension), 6),
            item.grade,
            item.low.source if item.low else None,
            item.high.source if item.high else None,
        )
        if why:
            row += (", ".join(item.sources), item.place or None, ", ".join(item.fitted_on) or None, item.note or None)
        rows.append(row)
    meta = {"part": part.id, "digest": part.digest}
    used = [source for item in part.parameters.values() for source in item.sources]
    return Report(
        schema="qnet/part/1", title=part.title, columns=columns, rows=rows, notes=_sources(why, used), meta=meta
    )


def _system(model: Model, columns: tuple[Column, ...], why: bool) -> Report:
    known = Values(model, {}, None).known
    rows = [_system_row(item, known.get(item.name), why) for item in model.parameters.values()]
    meta = {"model": {"name": model.name, "title": model.title, "digest": model.digest}, "parts": dict(model.parts)}
    sources = [source for item in model.parameters.values() for source in item.sources]
    return Report(
        schema="qnet/system/1", title=model.title, columns=columns, rows=rows, notes=_sources(why, sources), meta=meta
    )


def _system_row(item: Parameter, value: float | None, why: bool) -> tuple[Cell, ...]:
    options = item.options
    source = options[int(value)] if options and value is not None else item.expression.source
    amount = None if value is None else format_quantity(value, base_unit(item.dimension), 6)
    low, high = (bound.source if bound else None for bound in (item.low, item.high))
    row: tuple[Cell, ...] = (item.name, source, " | ".join(options) or amount, item.grade or None, low, high)
    if why:
        claims = ", ".join(item.fitted_on)
        row += (", ".join(item.sources) or None, item.place or None, claims or None, item.note or None)
    return row


def _sources(why: bool, used: list[str]) -> tuple[Note, ...]:
    """The bibliographic records of the keys."""
    if not why:
        return ()
    known = sources()
    return tuple(Note("QN605", f"{key}: {describe(known[key])}") for key in dict.fromkeys(used) if key in known)
