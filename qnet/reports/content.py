"""What renderers see: rows under columns with units, notes, what the answer rests on, and the screen it goes to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from qnet.errors import Problem
from qnet.record import Record

Cell = float | int | str | bool | None
"""A number in the unit of its column, a text, or None where there is nothing to say."""


class Column(Record):
    """One column: its key in CSV and JSON, its heading in tables, the unit its numbers are in."""

    key: str
    title: str
    unit: str = ""
    """A unit that `qnet.units.unit` knows, such as `s`, `/s`, `/s/GB`; empty for plain numbers and text."""
    footed: bool = False
    """Whether tables leave it to the last line of the report; forms for machines have it in its column."""
    math: bool = False
    """Whether its texts are LaTeX: Markdown shows them as formulas below the table, plain tables leave them out."""


def row_maker(columns: Sequence[Column]) -> Callable[..., tuple[Cell, ...]]:
    """A function from cells, named by their columns, to a row with nothing in all other columns.

    A key that Python has a meaning for, such as `class`, is written with an underscore behind it.
    """
    places = {column.key: place for place, column in enumerate(columns)}

    def row(**cells: Cell) -> tuple[Cell, ...]:
        found: list[Cell] = [None] * len(places)
        for key, value in cells.items():
            found[places[key.rstrip("_")]] = value
        return tuple(found)

    return row


class Note(Record):
    """Something the reader should know: `note` informs, `warning` limits the trust in the answer."""

    code: str
    text: str
    severity: str = "note"
    next: str = ""
    """What to do about it."""


class Plot(Record):
    """How a report can be drawn: which column runs along, which are drawn, and which columns tell the lines apart."""

    x: str
    y: tuple[str, ...]
    by: tuple[str, ...] = ()
    rows: Sequence[tuple[Cell, ...]] = ()
    """What is drawn beside the rows of the report: curves, of which it tells single points."""
    points: Sequence[tuple[float, float]] = ()
    """Measured points: values of x and of the first of y, in the units of their columns."""


class Bars(Record):
    """How a report can be drawn as bars: the column of names, those of the ends, that of the common beginning."""

    name: str
    ends: tuple[str, ...]
    """One column, or two: the first and the second end. All in one unit."""
    by: str
    """The column that tells blocks apart."""
    base: str = ""
    """The column of the value that bars begin at; empty for 0."""


class Matrix(Record):
    """How rows along two grids can be told as a matrix: which columns run down, run across, and stand in the cells."""

    rows: str
    columns: str
    cells: str
    words: tuple[str, ...] = ()
    """Columns of texts that are told by marks in the cells, which are explained below."""
    usual: tuple[str, ...] = ()
    """Texts of these columns that need no mark."""


class Content(Record):
    """One answer, ready to be rendered; a `Report` renders itself.

    `rows` are rectangular. Where `group` names a column, tables and Markdown print one block per run of its values,
    without the columns that are empty throughout the block; CSV and JSON keep the rectangle.
    """

    schema: str
    """Name and version of what the rows mean, such as `qnet/solution/1`."""
    title: str
    columns: tuple[Column, ...]
    rows: Sequence[tuple[Cell, ...]]
    notes: tuple[Note, ...] = ()
    meta: Mapping[str, Any] = {}
    """What the answer rests on: model title and digest, method, exactness, parameters, provenance. JSON values only."""
    group: str = ""
    prose: str = ""
    """A column of texts that tables and Markdown tell as paragraphs, above the table of the rows that have none."""
    matrix: Matrix | None = None
    """How tables and Markdown tell the rows, where they fill it; other formats keep the rows."""
    plot: Plot | Bars | None = None
    broken: tuple[Problem, ...] = ()
    """What was asserted of the answer and is false."""
    screen: Callable[[Style], str] | None = None
    """How the format `table` tells it instead, drawing included; other formats keep the rows."""

    @property
    def warnings(self) -> tuple[Note, ...]:
        """The notes that limit the trust in the answer, each with a code of `qnet explain`; empty where none does."""
        return tuple(note for note in self.notes if note.severity == "warning")


class Style(Record):
    """What the reader's screen can do. The default is a pipe: no colour, no limit of width, no box drawing."""

    color: bool = False
    width: int | None = None
    """Columns of the screen; None is unlimited."""
    ascii: bool = False
    terminal: bool = False
