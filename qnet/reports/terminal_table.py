"""Tables on a terminal: rules and colour by rich, no wider than the screen where that costs no digit.

Words are folded first; a table that is still too wide continues below itself, with its leading columns repeated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import takewhile
from typing import TYPE_CHECKING

from qnet.record import Record
from qnet.reports.cells import Table, aligned
from qnet.reports.content import Content, Style
from qnet.reports.layout import command_of, last_line, note_lines, tables
from qnet.reports.text import clean, pad, width

if TYPE_CHECKING:
    from rich.console import RenderableType

_GAP = 3
"""A space, a rule and a space between columns."""
_LONGEST_WORD = 12
"""A longer word may be broken where the screen is narrow."""
_UNLIMITED = 10_000


class _Field(Record):
    """One column of a table and the room it takes."""

    title: str
    cells: list[str]
    numeric: bool
    natural: int
    least: int


def render(report: Content, style: Style) -> str:
    """The parts of the plain table, in the same order, as a terminal of this style shows them."""
    notes = [
        _prose(line, "yellow" if note.severity == "warning" else "", style)
        for note in report.notes
        for line in note_lines(note, style.ascii)
    ]
    parts = [
        _prose(clean(report.title, style.ascii), "bold", style),
        *(part for table in tables(report, style.ascii) for part in _block(table, style)),
        "\n".join(notes),
        command_of(report.meta),
        _prose(last_line(report.meta, style.ascii), "dim", style),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _block(table: Table, style: Style) -> Iterator[str]:
    heading = _prose(table.heading, "bold cyan", style)
    if table.prose:
        yield "\n".join(part for part in (heading, *(_prose(text, "", style) for text in table.prose)) if part)
        heading = ""
    ending = "(no rows)" if table.empty else ""
    for band in _bands(_fields(table), style.width or _UNLIMITED):
        yield "\n".join(part for part in (heading, _drawn(band, style), ending) if part)
        heading = ""
    if table.legend:
        yield "\n".join(_prose(line, "", style) for line in table.legend)


def _fields(table: Table) -> list[_Field]:
    fields: list[_Field] = []
    for index, (title, numeric) in enumerate(zip(table.titles, table.numeric, strict=True)):
        texts = [row[index] for row in table.rows]
        cells = aligned(texts) if numeric else texts
        digits = max(map(len, cells), default=0) if numeric else 0
        words = [word for text in (title, *([] if numeric else texts)) for word in text.split()]
        longest = max(map(width, words), default=1)
        natural = max(map(width, (title, *cells)))
        fields.append(_Field(title, cells, numeric, natural, max(digits, min(longest, _LONGEST_WORD))))
    return fields


def _bands(fields: Sequence[_Field], screen: int) -> list[list[_Field]]:
    """The columns that stand side by side: all, or as many as fit after the leading texts, which say what a row is."""
    keys = list(takewhile(lambda field: not field.numeric, fields))
    if not keys or _total([field.least for field in keys]) > screen / 2:
        keys = list(fields[:1])
    bands = [keys]
    for field in fields[len(keys) :]:
        if len(bands[-1]) > len(keys) and _total([field.least for field in (*bands[-1], field)]) > screen:
            bands.append(keys)
        bands[-1] = [*bands[-1], field]
    return bands


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _fitted(band: Sequence[_Field], screen: int) -> list[int]:
    """Natural widths, taken from the widest columns as long as the screen is too narrow and something can be taken."""
    widths = [field.natural for field in band]
    while _total(widths) > screen:
        spare = [index for index, field in enumerate(band) if widths[index] > field.least]
        if not spare:
            break
        widths[max(spare, key=widths.__getitem__)] -= 1
    return widths


def _drawn(band: Sequence[_Field], style: Style) -> str:
    if not band:
        return ""
    from rich import box
    from rich.padding import Padding
    from rich.table import Table as RichTable
    from rich.text import Text

    drawing = RichTable(box=box.ASCII if style.ascii else box.SQUARE, show_edge=False, padding=0)
    widths = _fitted(band, style.width or _UNLIMITED)
    columns: list[list[Padding]] = []
    for index, (field, room) in enumerate(zip(band, widths, strict=True)):
        left, right = int(index > 0), int(index < len(band) - 1)  # rich 13 and 15 pad the edges of a table differently
        title = Text(field.title, justify="right" if field.numeric else "left", overflow="fold")
        texts = [pad(cell, room, right=True) for cell in field.cells] if field.numeric else field.cells
        drawing.add_column(Padding(title, (0, right, 0, left)), width=left + room + right)
        columns.append([Padding(Text(text, overflow="fold"), (0, right, 0, left)) for text in texts])
    for row in zip(*columns, strict=True):
        drawing.add_row(*row)
    return _shown(drawing, _total(widths), style)


def _prose(text: str, look: str, style: Style) -> str:
    if not text:
        return ""
    from rich.text import Text

    return _shown(Text(text, look, overflow="fold"), style.width or _UNLIMITED, style)


def _shown(drawing: RenderableType, room: int, style: Style) -> str:
    from rich.console import Console

    console = Console(
        file=(screen := StringIO()),
        width=room,
        height=25,  # with both sizes given, rich asks neither the terminal nor the environment for them
        color_system="standard" if style.color else None,
        no_color=not style.color,
        force_jupyter=False,
        legacy_windows=False,
    )
    console.print(drawing)
    return "\n".join(line.rstrip() for line in screen.getvalue().splitlines())
