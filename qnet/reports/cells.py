"""Cells as people read them: one unit for a column, four significant digits, decimal points aligned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeGuard

from qnet.record import Record
from qnet.reports.content import Cell, Column, Content, Style
from qnet.reports.text import clean
from qnet.units import UnitError, format_number, format_quantity, scale, unit

_LEAST = 1e-15
"""Numbers below that, in the unit shown, are shown as 0."""
_NEXT_TO_LARGEST = 1e-9
"""So are quantities below that share of the largest in their column."""


class Table(Record):
    """One block of a report: clean texts, not yet aligned."""

    heading: str
    titles: tuple[str, ...]
    numeric: tuple[bool, ...]
    """Whether each column has numbers only."""
    rows: list[tuple[str, ...]]
    prose: tuple[str, ...] = ()
    """Paragraphs above the table."""
    math: tuple[str, ...] = ()
    """Formulas in LaTeX below the table."""
    legend: tuple[str, ...] = ()
    """Lines below the table that explain the marks in it."""
    keys: int = 0
    """The number of leading columns that identify a row; 0: all leading columns of text."""
    pairs: bool = False
    """Whether the table is a single row, shown as a list of titles and values."""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to show below the heading."""
        return not self.rows and not self.prose


class Scale(Record):
    """The one unit in which the numbers of a column are shown, so that their digits compare."""

    given: float
    """Base units in the unit of the column."""
    shown: float
    """Base units in the unit shown."""
    unit: str
    """The name of the unit shown."""
    least: float = 0.0
    """Numbers below that, in the unit shown, become 0."""

    def value(self, number: float) -> float:
        """A number of the column in the unit shown."""
        return number if self.given == self.shown else scale(number, self.given) / self.shown

    def displayed(self, cell: Cell) -> Cell:
        """A cell in the unit shown: a negligible number as 0, a text unchanged."""
        if not is_number(cell):
            return cell
        number = self.value(cell)
        return 0.0 if 0 < abs(number) < self.least else number

    def heading(self, title: str) -> str:
        """A title with the unit shown: `response (ms)`."""
        return f"{title} ({self.unit})" if self.unit else title


def common_scale(cells: Iterable[Cell], unit_text: str, wanted: Sequence[str] = ()) -> Scale:
    """The unit in which to show a column: one that is wanted, or the one that suits its largest number.

    A unit without prefixes is kept. A quantity is negligible next to one that is 1e9 times as large, and any number
    below 1e-15 of its unit.

    cells      of the column; those that are no numbers are ignored.
    unit_text  the unit of the numbers; empty for plain numbers.
    wanted     preferred units; the first of the same dimension is taken.
    """
    try:
        given = unit(unit_text) if unit_text else None
    except UnitError:  # s^2 and the like have a name and no prefixes
        given = None
    if given is None:
        return Scale(1, 1, unit_text, _LEAST)
    largest = max((abs(cell) for cell in cells if is_number(cell)), default=0)
    same = (name for name in wanted if unit(name).dimension == given.dimension)
    name = next(same, "") or format_quantity(largest, unit_text).partition(" ")[2] or unit_text
    scaled = Scale(given.factor, unit(name).factor, name)
    return scaled.replace(least=max(_LEAST, _NEXT_TO_LARGEST * scaled.value(largest)))


def is_number(cell: Cell) -> TypeGuard[float]:
    """Whether a cell is a number and no truth value."""
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def common_text(block: Sequence[tuple[Cell, ...]], index: int) -> bool:
    """Whether a column has the same text in all of several rows; the heading of the block shows it once."""
    first = block[0][index]
    return len(block) > 1 and isinstance(first, str) and all(row[index] == first for row in block)


def title_of(column: Column) -> str:
    """The title of a column, or its key where it has none."""
    return column.title or column.key


def column_index(report: Content, key: str) -> int:
    """The index of the column with a key. Raises `ValueError` where there is none."""
    return [column.key for column in report.columns].index(key)


def label(column: Column, value: Cell, style: Style) -> str:
    """A value without a heading above it: a text alone, anything else with the title of its column."""
    if value is None or isinstance(value, str):
        return clean(value or "", style.ascii)
    return clean(f"{title_of(column)} {with_unit(column, value, style)}", style.ascii)


def with_unit(column: Column, value: Cell, style: Style) -> str:
    """A cell with its unit: `45.77 ms`, `310/s`."""
    common = common_scale([value], column.unit, style.units)
    number = cell_text(common.displayed(value), style.digits)
    space = " " if common.unit and not common.unit.startswith("/") else ""
    return f"{number}{space}{common.unit}"


def cell_text(cell: Cell, digits: int = 4) -> str:
    """A cell as people read it: integers in full, floats with a number of significant digits."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return format_number(cell, digits) if isinstance(cell, float) else str(cell)


def aligned(cells: Sequence[str]) -> list[str]:
    """Numbers padded with spaces so that their decimal points align."""
    numbers = [cell.partition(" ")[0] for cell in cells]
    heads = [number.find(".") if "." in number else len(number.partition("e")[0]) for number in numbers]
    tails = [len(cell) - head for cell, head in zip(cells, heads, strict=True)]
    longest = max(tails, default=0)
    padded = [cell + " " * (longest - tail) for cell, tail in zip(cells, tails, strict=True)]
    room = max(map(len, padded), default=0)
    return [cell.rjust(room) for cell in padded]
