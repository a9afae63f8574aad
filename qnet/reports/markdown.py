"""Markdown as GitHub shows it: the tables, notes and last line of the plain text, with markup in them escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable

from qnet.reports.cells import Table
from qnet.reports.content import Content, Note, Style
from qnet.reports.layout import clean_command, command_of, last_line, note_lines, tables
from qnet.reports.text import clean, pad, width

_MARKUP = re.compile(r"[\\`*\[\]<>|~#$&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
"""Characters that are markup inside a line on GitHub; an underscore inside a word is not."""
_LIVE = re.compile(r"@(?=\w)|#(?=\d)|\bGH(?=-\d)|\bwww(?=\.)|:(?=//)", re.IGNORECASE)
"""The beginnings of mentions, references to issues, links and addresses, which GitHub links even when escaped."""
_BREAK = "<!-- -->"
"""An invisible comment, which keeps the two parts of a text from becoming a link."""


def render(report: Content, style: Style) -> str:
    """A heading, a table per block, the notes as a list, and the last line in italics."""
    title, origin = escaped(clean(report.title, style.ascii)), escaped(last_line(report.meta, style.ascii))
    command = command_of(report.meta) or clean_command(report.command)
    parts = [
        f"## {title}" if title else "",
        *map(_block, tables(report, style)),
        "\n".join(_item(note, style.ascii) for note in report.notes),
        fenced(command, "sh") if command else "",
        f"*{origin}*" if origin else "",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def escaped(text: str) -> str:
    """One line of text that Markdown shows literally: without markup, mentions and links."""
    return _LIVE.sub(rf"\g<0>{_BREAK}", _MARKUP.sub(r"\\\g<0>", text))


def fenced(drawing: str, kind: str = "text") -> str:
    """A block of code, between fences that are longer than any it contains.

    drawing   the text of the block.
    kind      its language, which stands after the opening fence.
    """
    longest = max(map(len, re.findall("`+", drawing)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{kind}\n{drawing}\n{fence}"


def _item(note: Note, ascii: bool) -> str:
    first, *rest = (escaped(line.strip()) for line in note_lines(note, ascii))
    return "\n".join([f"- {first}", *(f"  - {line}" for line in rest)])


def _block(table: Table) -> str:
    heading = f"### {escaped(table.heading)}" if table.heading else ""
    columns = [
        _column(title, numeric, [row[index] for row in table.rows])
        for index, (title, numeric) in enumerate(zip(table.titles, table.numeric, strict=True))
    ]
    drawn = "\n".join(map(_line, zip(*columns, strict=True)))
    formulas = (f"$$\n{clean(formula, ascii=True)}\n$$" for formula in table.math)
    legend = map(escaped, table.legend)
    parts = (heading, *map(escaped, table.prose), drawn, *legend, "(no rows)" if table.empty else "", *formulas)
    return "\n\n".join(part for part in parts if part)


def _column(title: str, numeric: bool, cells: Iterable[str]) -> list[str]:
    """Heading, rule and cells of one column, padded to the same width, so that the source reads as a table as well."""
    texts = [escaped(text) for text in (title, *cells)]
    room = max(3, *map(width, texts))
    heading, *body = (pad(text, room, right=numeric) for text in texts)
    return [heading, "-" * (room - 1) + (":" if numeric else "-"), *body]


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
