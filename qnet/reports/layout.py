"""A report as people read it, whatever the format: blocks, headings with one unit per column, notes and a last line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from qnet.reports import matrix as crossed
from qnet.reports.cells import Table, cell_text, column_index, common_scale, common_text, is_number, label, title_of
from qnet.reports.content import Cell, Column, Content, Note
from qnet.reports.records import checked_rows
from qnet.reports.text import clean


def tables(report: Content, ascii: bool) -> list[Table]:
    """The blocks of a report: one, or one per run of values in the column that `group` names.

    A block leaves out columns that are empty in all its rows, and tells words that all its rows share in its heading.
    Rows with a text in the column that `prose` names are paragraphs of their block.
    Rows that fill the `matrix` that a report asks for are told as one.
    """
    rows = list(checked_rows(report))
    if report.matrix and crossed.is_matrix(report, rows):
        return crossed.matrices(report, report.matrix, rows, ascii)
    if not report.group or not rows:
        shown = [index for index, column in enumerate(report.columns) if not column.footed and not column.math]
        columns = [report.columns[index] for index in shown]
        whole = _table("", columns, [tuple(row[index] for index in shown) for row in rows], ascii)
        return [whole.replace(math=_math(report, rows))]
    group = column_index(report, report.group)
    prose = column_index(report, report.prose) if report.prose else None
    blocks: list[Table] = []
    for value, run in groupby(rows, key=lambda row: row[group]):
        block = list(run)
        texts: list[str] = []
        if prose is not None:
            texts = [clean(str(row[prose]), ascii) for row in block if row[prose]]
            block = [row for row in block if not row[prose]]
        kept = [
            index
            for index in range(len(report.columns))
            if index != group
            and not report.columns[index].footed
            and not report.columns[index].math
            and any(row[index] not in (None, "") for row in block)
        ]
        common = [index for index in kept if common_text(block, index)]
        told = "; ".join(f"{title_of(report.columns[index])} {block[0][index]}" for index in common)
        heading = label(report.columns[group], value, ascii)
        columns = [report.columns[index] for index in kept if index not in common]
        cells = [tuple(row[index] for index in kept if index not in common) for row in block]
        title = ": ".join(part for part in (heading, clean(told, ascii)) if part)
        blocks.append(_table(title, columns, cells, ascii).replace(prose=tuple(texts), math=_math(report, block)))
    return blocks


def _math(report: Content, rows: Sequence[tuple[Cell, ...]]) -> tuple[str, ...]:
    """The formulas of some rows, in their order."""
    places = [index for index, column in enumerate(report.columns) if column.math]
    return tuple(str(row[index]) for row in rows for index in places if row[index])


def _table(heading: str, columns: Sequence[Column], rows: list[tuple[Cell, ...]], ascii: bool) -> Table:
    by_column = [[row[index] for row in rows] for index in range(len(columns))]
    scales = [common_scale(cells, column.unit) for cells, column in zip(by_column, columns, strict=True)]
    shown = [
        [clean(cell_text(common.value(cell) if is_number(cell) else cell), ascii) for cell in cells]
        for cells, common in zip(by_column, scales, strict=True)
    ]
    return Table(
        heading=heading,
        titles=tuple(
            clean(common.heading(title_of(column)), ascii) for common, column in zip(scales, columns, strict=True)
        ),
        numeric=tuple(_numeric(cells) for cells in by_column),
        rows=list(zip(*shown, strict=True)),
    )


def _numeric(cells: Sequence[Cell]) -> bool:
    present = [cell for cell in cells if cell is not None]
    return bool(present) and all(map(is_number, present))


def note_lines(note: Note, ascii: bool) -> list[str]:
    """`warning [QN601]: text`, and what to do about it on a line of its own."""
    lines = [clean(f"{note.severity} [{note.code}]: {note.text}", ascii)]
    return [*lines, "  next: " + clean(note.next, ascii)] if note.next else lines


def command_of(meta: Mapping[str, Any]) -> str:
    """The command that gives the answer again, where it is known: fit to print, and with every space it has."""
    return " ".join(map(clean, (meta.get("command") or "").split(" ")))


def last_line(meta: Mapping[str, Any], ascii: bool) -> str:
    """What the answer rests on: `model TITLE, digest ABC; method NAME (exact)`, as far as it is known."""
    model: Mapping[str, Any] = meta.get("model") or {}
    origin = [f"{word} {model[key]}" for word, key in (("model", "title"), ("digest", "digest")) if model.get(key)]
    method = f"method {meta['method']}" if meta.get("method") else ""
    if method and meta.get("exactness"):
        method += f" ({meta['exactness']})"
    return clean("; ".join(part for part in (", ".join(origin), method) if part), ascii)
