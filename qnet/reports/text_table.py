"""Tables as plain text: full width, aligned with spaces, fit for a pipe, a ticket and an old terminal."""

from __future__ import annotations

from qnet.reports import terminal_table
from qnet.reports.cells import Table, aligned
from qnet.reports.content import Content, Style
from qnet.reports.layout import command_of, last_line, note_lines, tables
from qnet.reports.text import clean, pad, width


def render(report: Content, style: Style) -> str:
    """Title, blocks, notes and the last line, with an empty line between; a terminal gets boxes and colour."""
    if style.terminal:
        return terminal_table.render(report, style)
    notes = [line for note in report.notes for line in note_lines(note, style.ascii)]
    parts = [
        clean(report.title, style.ascii),
        *map(_block, tables(report, style.ascii)),
        "\n".join(notes),
        command_of(report.meta),
        last_line(report.meta, style.ascii),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _block(table: Table) -> str:
    columns = [
        _column(title, numeric, [row[index] for row in table.rows])
        for index, (title, numeric) in enumerate(zip(table.titles, table.numeric, strict=True))
    ]
    lines = ["  ".join(cells).rstrip() for cells in zip(*columns, strict=True)]
    heading = [table.heading] if table.heading else []
    drawn = ["", *lines] if lines and table.prose else lines
    return "\n".join([*heading, *table.prose, *drawn, *(["(no rows)"] if table.empty else []), *table.legend])


def _column(title: str, numeric: bool, cells: list[str]) -> list[str]:
    """Heading, dashes and cells of one column, all of the same width."""
    texts = [title, *(aligned(cells) if numeric else cells)]
    room = max(map(width, texts))
    heading, *body = (pad(text, room, right=numeric) for text in texts)
    return [heading, "-" * room, *body]
