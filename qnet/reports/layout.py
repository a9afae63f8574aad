"""A report as people read it, whatever the format: blocks, headings with one unit per column, notes and a last line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeGuard

from qnet.lazy import lazy
from qnet.record import Record
from qnet.reports.content import Cell, Column, Content, Note
from qnet.reports.records import checked_rows
from qnet.reports.text import clean
from qnet.units import UnitError, format_number, format_quantity, scale, unit

if TYPE_CHECKING:
    from qnet.reports import matrix as crossed
else:
    crossed = lazy("qnet.reports.matrix")


class Table(Record):
    """One block of a report: clean texts, not yet aligned."""

    heading: str
    titles: tuple[str, ...]
    numeric: tuple[bool, ...]
    """Which columns hold nothing but numbers."""
    rows: list[tuple[str, ...]]
    prose: tuple[str, ...] = ()
    """Paragraphs above the table."""
    math: tuple[str, ...] = ()
    """Formulas in LaTeX below it."""
    legend: tuple[str, ...] = ()
    """Lines below it that explain what stands in it."""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to tell below the heading."""
        return not self.rows and not self.prose


class Scale(Record):
    """The one unit in which the numbers of a column are shown, so that their digits compare."""

    given: float
    shown: float
    unit: str
    """The name of the unit that is shown."""

    def value(self, number: float) -> float:
        """A number of the column in the unit that is shown; left alone where that is the unit it is in."""
        return number if self.given == self.shown else scale(number, self.given) / self.shown

    def heading(self, title: str) -> str:
        """A title with the unit that is shown: `response (ms)`."""
        return f"{title} ({self.unit})" if self.unit else title


def common_scale(cells: Iterable[Cell], unit_text: str) -> Scale:
    """The unit that suits the largest number of a column; a unit without prefixes stays as it is."""
    try:
        given = unit(unit_text) if unit_text else None
    except UnitError:  # s^2 and the like have a name and no prefixes
        given = None
    if given is None:
        return Scale(1, 1, unit_text)
    largest = max((abs(cell) for cell in cells if is_number(cell)), default=0)
    name = format_quantity(largest, unit_text).partition(" ")[2] or unit_text
    return Scale(given.factor, unit(name).factor, name)


def is_number(cell: Cell) -> TypeGuard[float]:
    """Whether a cell is a number; a truth value is none."""
    return isinstance(cell, int | float) and not isinstance(cell, bool)


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


def common_text(block: Sequence[tuple[Cell, ...]], index: int) -> bool:
    """Whether all of several rows say the same in words: told once, in the heading of the block."""
    first = block[0][index]
    return len(block) > 1 and isinstance(first, str) and all(row[index] == first for row in block)


def title_of(column: Column) -> str:
    """What a column is called; its key where nobody gave it a title."""
    return column.title or column.key


def column_index(report: Content, key: str) -> int:
    """Where a column is. Raises `ValueError` where there is none of that key."""
    return [column.key for column in report.columns].index(key)


def label(column: Column, value: Cell, ascii: bool) -> str:
    """A value where no heading stands above it: a text speaks for itself, anything else needs its title."""
    if value is None or isinstance(value, str):
        return clean(value or "", ascii)
    common = common_scale([value], column.unit)
    number = cell_text(common.value(value) if is_number(value) else value)
    space = " " if common.unit and not common.unit.startswith("/") else ""
    return clean(f"{title_of(column)} {number}{space}{common.unit}", ascii)


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


def cell_text(cell: Cell) -> str:
    """A cell as people read it: integers in full, other numbers with four significant digits."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return format_number(cell) if isinstance(cell, float) else str(cell)


def aligned(cells: Sequence[str]) -> list[str]:
    """Numbers with their decimal points below each other: spaces stand for digits and marks of others."""
    numbers = [cell.partition(" ")[0] for cell in cells]
    wholes = [number.find(".") if "." in number else len(number.partition("e")[0]) for number in numbers]
    tails = [len(cell) - whole for cell, whole in zip(cells, wholes, strict=True)]
    longest = max(tails, default=0)
    padded = [cell + " " * (longest - tail) for cell, tail in zip(cells, tails, strict=True)]
    room = max(map(len, padded), default=0)
    return [cell.rjust(room) for cell in padded]


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
