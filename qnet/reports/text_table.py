"""Tables as plain text, aligned with spaces, fit for a pipe, a ticket and an old terminal: as wide as they are.

A width that is asked for folds words and parts tables as a terminal does.
"""

from __future__ import annotations

from itertools import zip_longest

from qnet.reports import terminal_table
from qnet.reports.bands import UNLIMITED, ColumnLayout, bands, fields, fitted
from qnet.reports.cells import Table
from qnet.reports.content import Content, Style
from qnet.reports.layout import command_of, last_line, note_lines, tables
from qnet.reports.text import clean, fold, pad, prose, width

_GAP = 2
"""Spaces between columns."""


def render(report: Content, style: Style) -> str:
    """Title, blocks, notes and the last line, with an empty line between; a terminal gets boxes and colour."""
    if style.terminal:
        return terminal_table.render(report, style)
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
    """Headings, dashes and rows of columns side by side; a text that is folded takes more lines."""
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
