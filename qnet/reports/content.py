"""What renderers see: rows under columns with units, notes, what the answer rests on, and the screen it goes to."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from qnet.errors import Problem
from qnet.note import Note
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
    unit_in: str = ""
    """The column with the unit of the number in the same row, for columns whose rows have several."""


def percent_of(value: float, base: float) -> float | None:
    """A value in percent of the size of a base; None of a base of 0, and where it is beyond the largest number.

    value, base   finite, of either sign.

    >>> percent_of(-1.0, 4.0)
    -25.0
    """
    result = 100 * value / abs(base) if base else math.inf
    return result if math.isfinite(result) else None


def row_maker(columns: Sequence[Column]) -> Callable[..., tuple[Cell, ...]]:
    """A function from cells, named by their columns, to a row with nothing in all other columns.

    A key that Python has a meaning for, such as `class`, is written with a trailing underscore.
    """
    indices = {column.key: index for index, column in enumerate(columns)}

    def row(**cells: Cell) -> tuple[Cell, ...]:
        result: list[Cell] = [None] * len(indices)
        for key, value in cells.items():
            result[indices[key.rstrip("_")]] = value
        return tuple(result)

    return row


class Mark(Record):
    """A limit or a knee: a straight line across a drawing, with its label."""

    column: str
    """The key of the column that the value is of: the line is vertical where that runs along, else horizontal."""
    value: float
    """In the unit of the column."""
    label: str


class Plot(Record):
    """How a report can be drawn: which column runs along, which are drawn, and which columns distinguish the lines."""

    x: str
    y: tuple[str, ...]
    by: tuple[str, ...] = ()
    rows: Sequence[tuple[Cell, ...]] = ()
    """What is drawn besides the rows of the report: curves, of which it shows single points."""
    points: Sequence[tuple[float, float]] = ()
    """Measured points: values of x and of the first of y, in the units of their columns."""
    title: str = ""
    """In which `{figures}` is replaced by the titles of what is drawn: a report may need a drawing per unit."""
    marks: tuple[Mark, ...] = ()
    """Limits and knees."""
    curves: bool = False
    """Whether `rows` alone are drawn: the rows of the report are single points of them."""
    log: str = ""
    """The axes with a logarithmic scale: `x`, `y` or `xy`."""


class Bars(Record):
    """How a report can be drawn as bars: the column of names, those of the ends, that of the common beginning."""

    name: str
    ends: tuple[str, ...]
    """One column, or two: the first and the second end. All in one unit."""
    by: str
    """The column that distinguishes blocks."""
    base: str = ""
    """The column of the value that bars begin at; empty for 0."""
    only: tuple[str, ...] = ()
    """Values of `by` that are drawn; empty for all."""
    unit: str = ""
    """The column with the unit of the ends of its row; empty where it is that of their columns."""
    names: tuple[str, ...] = ()
    """What the ends are called in the legend; empty for the titles of their columns."""
    changed: bool = False
    """Whether bars of no length are left out."""
    stacked: bool = False
    """Whether the name of the second end is that of what lies between the two."""
    mark: Mark | None = None
    """A value that is marked across all bars, such as a capacity."""


class Matrix(Record):
    """How rows along two grids can be shown as a matrix: which columns run down, run across, and stand in the cells."""

    rows: str
    columns: str
    cells: str
    words: tuple[str, ...] = ()
    """Columns of texts that are shown as marks in the cells, which are explained below."""
    usual: tuple[str, ...] = ()
    """Texts of these columns that need no mark."""


class Summary(Record):
    """A question and its answer in sentences."""

    question: str
    answer: tuple[str, ...]


class Statement(Record):
    """A model that an answer is about, as it is stated."""

    name: str
    title: str
    digest: str
    text: str
    """The model file."""
    settings: Mapping[str, str]
    """Parameters that were set from outside."""


class Grounds(Mapping[str, Any]):
    """A `meta` that also knows the text of the models that an answer is about."""

    @property
    def statements(self) -> tuple[Statement, ...]:
        """The models, each once."""
        raise NotImplementedError


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
    once: tuple[str, ...] = ()
    """Values of `group` whose blocks are shown as one where each has one row, and the numbers of those agree."""
    prose: str = ""
    """A column of texts that tables and Markdown show as paragraphs, above the table of the rows that have none."""
    wide: Content | None = None
    """What tables, Markdown and HTML show instead of the rows; other formats keep the rows."""
    matrix: Matrix | None = None
    """How tables and Markdown show the rows, where they fill it; other formats keep the rows."""
    plot: Plot | Bars | None = None
    broken: tuple[Problem, ...] = ()
    """What was asserted of the answer and is false."""
    screen: Callable[[Style, Sequence[Note]], str] | None = None
    """How the format `table` shows it instead, drawing included; other formats keep the rows."""
    summary: Callable[[Content], Summary] | None = None
    """The question and the answer in sentences, of reports whose rows do not have them; computed when it is needed."""
    readable: Sequence[tuple[Cell, ...]] | None = None
    """The rows in other units, as tables and Markdown show them; other formats keep `rows`."""
    command: str = ""
    """The command line that made the report; empty where there was none."""
    full: Content | None = None
    """The report before columns were selected: what figures, question and answer are made of; None: this one."""

    @property
    def source(self) -> Content:
        """The report with all its columns, which figures and sentences read."""
        return self.full or self

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
    safe_csv: bool = False
    """Whether CSV keeps spreadsheets from computing text: an apostrophe goes before what they take for a formula."""
    terminal: bool = False
    digits: int = 4
    """Significant digits of numbers that people read."""
    units: tuple[str, ...] = ()
    """Units that people want to read; others are chosen by the largest number of a column."""
