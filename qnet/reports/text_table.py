"""Tables as plain text: aligned with spaces and of any width, or on a terminal with rules and colour by rich.

Where the width is limited, cells are folded first; a table that is still too wide continues below itself, with its
leading columns repeated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import takewhile, zip_longest
from typing import TYPE_CHECKING

from qnet.lazy import lazy
from qnet.record import Record
from qnet.reports.cells import Table, aligned
from qnet.reports.content import Content, Style
from qnet.reports.layout import command_of, last_line, note_lines, tables
from qnet.reports.text import clean, fold, pad, prose, width

if TYPE_CHECKING:
    from rich import box, console, padding
    from rich import table as rich_table
    from rich import text as rich_text
    from rich.console import RenderableType
else:
    box = lazy("rich.box")
    console = lazy("rich.console")
    padding = lazy("rich.padding")
    rich_table = lazy("rich.table")
    rich_text = lazy("rich.text")


UNLIMITED = 1_000_000
"""Columns of a screen of unlimited width."""
_LONGEST_WORD = 20
"""A longer word may be broken where the screen is narrow."""
_SHORT = 12
"""Texts up to that length are not folded, such as `users = 10`."""
_UNIT = "unit"
_NAME = 0.75
"""A name that takes at most this share of the screen is not broken."""

_GAP = 2
"""Spaces between columns."""
_RULE = 3
"""A space, a rule and a space between columns."""


class ColumnLayout(Record):
    """One column of a table and its width in characters."""

    title: str
    cells: list[str]
    numeric: bool
    natural: int
    """The width without folding."""
    least: int
    """The width to which it may be folded."""


def fields(table: Table) -> list[ColumnLayout]:
    """The columns of a table with their natural and least widths."""
    fields: list[ColumnLayout] = []
    for index, (title, numeric) in enumerate(zip(table.titles, table.numeric, strict=True)):
        texts = [row[index] for row in table.rows]
        cells = aligned(texts) if numeric else texts
        digits = max(map(len, cells), default=0) if numeric else 0
        words = [word for text in (title, *([] if numeric else texts)) for word in text.split()]
        longest = max(map(width, words), default=1)
        natural = max(map(width, (title, *cells)))
        room = max(map(width, cells), default=0)
        longest = room if not numeric and longest < room <= _SHORT else longest
        fields.append(ColumnLayout(title, cells, numeric, natural, max(digits, min(longest, _LONGEST_WORD))))
    return fields


def bands(fields: Sequence[ColumnLayout], screen: int, gap: int, leading: int = 0) -> list[list[ColumnLayout]]:
    """The columns in groups that fit side by side, each with the leading columns, which identify a row.

    screen    the width to fill, in characters.
    gap       characters between columns.
    leading   the number of leading columns that identify a row; 0: those of text.
    """
    enough = list(fields[: _distinguishing(fields)])
    texts = list(takewhile(lambda field: not field.numeric, fields))
    wanted = (fields[:leading] or max(texts, enough, key=len), enough)
    narrow = (list(each) for each in wanted if total([item.least for item in each], gap) <= screen / 2)
    keys = next(narrow, list(fields[:1]))
    if total([field.natural for field in keys], gap) <= screen / 2:
        keys = [field.replace(least=field.natural) for field in keys]  # a name is not broken
    elif keys[0].natural <= _NAME * screen:
        keys = [keys[0].replace(least=keys[0].natural), *keys[1:]]
    bands = [keys]
    rest = list(fields[len(keys) :])
    before = list(takewhile(lambda field: field.title != _UNIT, rest))
    if len(before) < len(rest) and total([field.least for field in (*keys, *rest[: len(before) + 1])], gap) > screen:
        rest.insert(0, rest.pop(len(before)))  # numbers are not separated from their unit
    for field in rest:
        if len(bands[-1]) > len(keys) and total([field.least for field in (*bands[-1], field)], gap) > screen:
            bands.append(keys)
        bands[-1] = [*bands[-1], field]
    return [bands[0], *(_without_empty(band, len(keys)) for band in bands[1:])]


def _distinguishing(fields: Sequence[ColumnLayout]) -> int:
    """The number of leading columns that distinguish the rows; 1 where all together do not."""
    for count in range(1, len(fields) + 1):
        rows = list(zip(*(field.cells for field in fields[:count]), strict=True))
        if len(set(rows)) == len(rows):
            return count
    return 1


def _without_empty(band: list[ColumnLayout], keys: int) -> list[ColumnLayout]:
    """A further band without the rows that are empty after their leading columns."""
    rows = [index for index in range(len(band[0].cells)) if any(field.cells[index].strip() for field in band[keys:])]
    return [field.replace(cells=[field.cells[index] for index in rows]) for field in band]


def total(widths: Sequence[int], gap: int) -> int:
    """The width of columns side by side, in characters."""
    return sum(widths) + gap * (len(widths) - 1)


def fitted(band: Sequence[ColumnLayout], screen: int, gap: int) -> list[int]:
    """The widths of columns: natural ones, of which the widest are reduced as far as needed and possible."""
    widths = [field.natural for field in band]
    while total(widths, gap) > screen:
        spare = [index for index, field in enumerate(band) if widths[index] > field.least]
        if not spare:
            break
        widths[max(spare, key=widths.__getitem__)] -= 1
    return widths


def render(report: Content, style: Style) -> str:
    """Title, blocks, notes, command and last line, separated by empty lines; a terminal gets rules and colour."""
    if style.terminal:
        return on_terminal(report, style)
    screen = style.width or UNLIMITED
    notes = [prose(line, screen) for note in report.notes for line in note_lines(note, style.ascii)]
    parts = [
        prose(clean(report.title, style.ascii), screen),
        *(_block(table, screen) for table in tables(report, style)),
        "\n".join(notes),
        command_of(report.meta),
        prose(last_line(report.meta, style.ascii), screen),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _block(table: Table, screen: int) -> str:
    drawn: list[str] = []
    if table.pairs:
        room = max(width(title) for title, _ in table.rows)
        drawn = [f"{pad(title, room)}{' ' * _GAP}{value}" for title, value in table.rows]
    elif table.titles:
        parts = ["\n".join(_lines(band, screen)) for band in bands(fields(table), screen, _GAP, table.keys)]
        drawn = ["\n\n".join(parts)]
    head = [prose(text, screen) for text in (table.heading, *table.prose) if text]
    between = [""] if drawn and table.prose else []
    ending = ["(no rows)"] if table.empty else []
    return "\n".join([*head, *between, *drawn, *ending, *(prose(text, screen) for text in table.legend)])


def _lines(band: list[ColumnLayout], screen: int) -> list[str]:
    """Headings, dashes and rows of columns side by side; a folded text takes several lines."""
    rooms = fitted(band, screen, _GAP)

    def row(cells: tuple[str, ...], titles: bool = False) -> list[str]:
        folded = [
            [cell] if width(cell) <= room or (field.numeric and not titles) else fold(cell, room)
            for cell, field, room in zip(cells, band, rooms, strict=True)
        ]
        padded = (
            [pad(cell, room, right=field.numeric) for cell, field, room in zip(cells, band, rooms, strict=True)]
            for cells in zip_longest(*folded, fillvalue="")
        )
        return [(" " * _GAP).join(cells).rstrip() for cells in padded]

    dashes = (" " * _GAP).join("-" * room for room in rooms)
    rows = zip(*(field.cells for field in band), strict=True)
    return [
        *row(tuple(field.title for field in band), titles=True),
        dashes,
        *(line for cells in rows for line in row(cells)),
    ]


def on_terminal(report: Content, style: Style) -> str:
    """The parts of the plain text in the same order, with rules and colours."""
    notes = [
        _prose(line, "yellow" if note.severity == "warning" else "", style)
        for note in report.notes
        for line in note_lines(note, style.ascii)
    ]
    parts = [
        _prose(clean(report.title, style.ascii), "bold", style),
        *(part for table in tables(report, style) for part in _terminal_block(table, style)),
        "\n".join(notes),
        command_of(report.meta),
        _prose(last_line(report.meta, style.ascii), "dim", style),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _terminal_block(table: Table, style: Style) -> Iterator[str]:
    heading = _prose(table.heading, "bold cyan", style)
    if table.prose:
        yield "\n".join(part for part in (heading, *(_prose(text, "", style) for text in table.prose)) if part)
        heading = ""
    if table.pairs:
        room = max(width(title) for title, _ in table.rows)
        lines = [_prose(f"{pad(title, room)}  {value}", "", style) for title, value in table.rows]
        yield "\n".join([*([heading] if heading else []), *lines])
        return
    ending = "(no rows)" if table.empty else ""
    for band in bands(fields(table), style.width or UNLIMITED, _RULE, table.keys):
        yield "\n".join(part for part in (heading, _drawn(band, style), ending) if part)
        heading = ""
    if table.legend:
        yield "\n".join(_prose(line, "", style) for line in table.legend)


def _drawn(band: Sequence[ColumnLayout], style: Style) -> str:
    if not band:
        return ""
    drawing = rich_table.Table(box=box.ASCII if style.ascii else box.SQUARE, show_edge=False, padding=0)
    widths = fitted(band, style.width or UNLIMITED, _RULE)
    columns: list[list[padding.Padding]] = []
    for index, (field, room) in enumerate(zip(band, widths, strict=True)):
        left, right = int(index > 0), int(index < len(band) - 1)  # rich 13 and 15 pad the edges of a table differently
        title = rich_text.Text(field.title, justify="right" if field.numeric else "left", overflow="fold")
        texts = [pad(cell, room, right=True) for cell in field.cells] if field.numeric else field.cells
        drawing.add_column(padding.Padding(title, (0, right, 0, left)), width=left + room + right)
        columns.append([padding.Padding(rich_text.Text(text, overflow="fold"), (0, right, 0, left)) for text in texts])
    for row in zip(*columns, strict=True):
        drawing.add_row(*row)
    return _shown(drawing, total(widths, _RULE), style)


def _prose(text: str, look: str, style: Style) -> str:
    if not text:
        return ""
    return _shown(rich_text.Text(text, look, overflow="fold"), style.width or UNLIMITED, style)


def _shown(drawing: RenderableType, room: int, style: Style) -> str:
    terminal = console.Console(
        file=(screen := StringIO()),
        width=room,
        height=25,  # with both sizes given, rich asks neither the terminal nor the environment for them
        color_system="standard" if style.color else None,
        no_color=not style.color,
        force_jupyter=False,
        legacy_windows=False,
    )
    terminal.print(drawing)
    return "\n".join(line.rstrip() for line in screen.getvalue().splitlines())
