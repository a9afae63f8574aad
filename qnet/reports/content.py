"""The input of renderers: rows under columns with units, notes, provenance, how to draw them, and the screen."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from qnet.errors import Problem
from qnet.note import Note
from qnet.record import Record

Cell = float | int | str | bool | None
"""A number in the unit of its column, a text, a truth value, or None where there is no value."""


class Column(Record):
    """One column: its key in CSV and JSON, its heading in tables, the unit its numbers are in."""

    key: str
    title: str
    unit: str = ""
    """A unit that `qnet.units.unit` knows, such as `s`, `/s`, `/s/GB`; empty for plain numbers and text."""
    footed: bool = False
    """Whether tables leave it out, because the last line of the report states it; CSV and JSON keep it."""
    math: bool = False
    """Whether its texts are LaTeX: Markdown shows them as formulas below the table, plain tables leave them out."""
    unit_in: str = ""
    """The column that has the unit of each row, where the rows have different units."""


def percent_of(value: float, base: float) -> float | None:
    """A value in percent of the size of a base; None for a base of 0, and where the result overflows.

    value, base   finite, of either sign.

    >>> percent_of(-1.0, 4.0)
    -25.0
    """
    result = 100 * value / abs(base) if base else math.inf
    return result if math.isfinite(result) else None


def row_maker(columns: Sequence[Column]) -> Callable[..., tuple[Cell, ...]]:
    """A function that makes a row of cells given by the keys of their columns; all other cells are None.

    A key that is a keyword of Python, such as `class`, is written with a trailing underscore.
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
    """The key of the column of the value: the line is vertical for the x column, else horizontal."""
    value: float
    """In the unit of the column."""
    label: str


class Plot(Record):
    """How a report is drawn as lines: the column of x, those of y, and those that distinguish the lines."""

    x: str
    y: tuple[str, ...]
    by: tuple[str, ...] = ()
    rows: Sequence[tuple[Cell, ...]] = ()
    """Further rows to draw: curves of which the rows of the report are single points."""
    points: Sequence[tuple[float, float]] = ()
    """Measured points: values of x and of the first y column, in the units of their columns."""
    title: str = ""
    """The title, in which `{figures}` is replaced by the titles of the y columns drawn: one drawing per unit."""
    marks: tuple[Mark, ...] = ()
    """Limits and knees."""
    curves: bool = False
    """Whether only `rows` are drawn, and not the rows of the report."""
    log: str = ""
    """The axes with a logarithmic scale: `x`, `y` or `xy`."""


class Bars(Record):
    """How a report is drawn as bars: the columns of their names, their ends and their common beginning."""

    name: str
    ends: tuple[str, ...]
    """One or two columns, in one unit: where the bars end."""
    by: str
    """The column that distinguishes blocks."""
    base: str = ""
    """The column of the value at which bars begin; empty for 0."""
    only: tuple[str, ...] = ()
    """Values of `by` that are drawn; empty for all."""
    unit: str = ""
    """The column that has the unit of each row; empty for the unit of the columns of the ends."""
    names: tuple[str, ...] = ()
    """Names of the ends in the legend; empty for the titles of their columns."""
    changed: bool = False
    """Whether bars whose ends are all 0 are left out."""
    stacked: bool = False
    """Whether the second name is that of the part between the two ends."""
    mark: Mark | None = None
    """A value marked across all bars, such as a capacity."""


class Matrix(Record):
    """How rows along two grids are shown as a matrix: the columns whose values label its rows, columns and cells."""

    rows: str
    columns: str
    cells: str
    words: tuple[str, ...] = ()
    """Columns of texts, shown as letters in the cells and explained below the matrix."""
    usual: tuple[str, ...] = ()
    """Texts of these columns that need no letter."""


class Summary(Record):
    """A question and its answer in sentences."""

    question: str
    answer: tuple[str, ...]


class Statement(Record):
    """A model that an answer is about."""

    name: str
    title: str
    digest: str
    text: str
    """The model file."""
    settings: Mapping[str, str]
    """Parameters set by the user, with their values."""


class Grounds(Mapping[str, Any]):
    """A `meta` that also has the text of the models."""

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
    """Name and version of the layout of the rows, such as `qnet/solution/1`."""
    title: str
    columns: tuple[Column, ...]
    rows: Sequence[tuple[Cell, ...]]
    notes: tuple[Note, ...] = ()
    meta: Mapping[str, Any] = {}
    """Title and digest of the model, method, exactness, parameters, provenance. JSON values only."""
    group: str = ""
    once: tuple[str, ...] = ()
    """Values of `group` whose blocks become one where each has a single row and their numbers agree."""
    prose: str = ""
    """A column of texts that tables and Markdown show as paragraphs, above the table of the rows without one."""
    wide: Content | None = None
    """The report that tables, Markdown and HTML show instead; CSV and JSON keep these rows."""
    matrix: Matrix | None = None
    """How tables and Markdown show rows along two grids; CSV and JSON keep the rows."""
    plot: Plot | Bars | None = None
    broken: tuple[Problem, ...] = ()
    """Assertions that do not hold."""
    screen: Callable[[Style, Sequence[Note]], str] | None = None
    """Renders the format `table` instead of the table of rows, drawing included."""
    summary: Callable[[Content], Summary] | None = None
    """Makes question and answer in sentences, for reports whose rows do not have them; called when needed."""
    readable: Sequence[tuple[Cell, ...]] | None = None
    """The rows in other units for tables and Markdown; CSV and JSON keep `rows`."""
    command: str = ""
    """The command line that made the report; empty where there was none."""
    full: Content | None = None
    """The report before columns were selected, of which figures and summary are made; None: this one."""

    @property
    def source(self) -> Content:
        """The report with all its columns, which figures and sentences read."""
        return self.full or self

    @property
    def warnings(self) -> tuple[Note, ...]:
        """The notes of severity `warning`, each with a code of `qnet explain`."""
        return tuple(note for note in self.notes if note.severity == "warning")


class Style(Record):
    """What the screen can show. The default is a pipe: no colour, no limit of width, no box drawing."""

    color: bool = False
    width: int | None = None
    """Columns of the screen; None: unlimited."""
    ascii: bool = False
    safe_csv: bool = False
    """Whether CSV puts an apostrophe before texts that spreadsheets would take for formulas."""
    terminal: bool = False
    digits: int = 4
    """Significant digits in tables, Markdown and HTML."""
    units: tuple[str, ...] = ()
    """Preferred units; where none fits, the largest number of a column decides."""
