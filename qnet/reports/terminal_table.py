"""Tables on a terminal: rules and colour by rich, no wider than the screen where that costs no digit.

Words are folded first; a table that is still too wide continues below itself, with its leading columns repeated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import StringIO
from typing import TYPE_CHECKING

from qnet.lazy import lazy
from qnet.reports.bands import UNLIMITED, ColumnLayout, bands, fields, fitted, total
from qnet.reports.cells import Table
from qnet.reports.content import Content, Style
from qnet.reports.layout import command_of, last_line, note_lines, tables
from qnet.reports.text import clean, pad, width

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

_RULE = 3
"""A space, a rule and a space between columns."""


def render(report: Content, style: Style) -> str:
    """The parts of the plain table, in the same order, as a terminal of this style shows them."""
    notes = [
        _prose(line, "yellow" if note.severity == "warning" else "", style)
        for note in report.notes
        for line in note_lines(note, style.ascii)
    ]
    parts = [
        _prose(clean(report.title, style.ascii), "bold", style),
        *(part for table in tables(report, style) for part in _block(table, style)),
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
