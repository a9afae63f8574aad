"""HTML in one file, to be sent: question, answer, figures, tables, notes, models and the command that made it.

There is no script, no outside link, and nothing that a browser would load; a content security policy forbids it as
well. Every text is escaped. The page is laid out for screens, telephones and paper.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from qnet.reports import svg
from qnet.reports.cells import Table, aligned
from qnet.reports.content import Content, Grounds, Note, Statement, Style, Summary
from qnet.reports.figure import bar_figures_of, figures_of
from qnet.reports.layout import clean_command, command_of, last_line, tables
from qnet.reports.svg import escaped
from qnet.reports.text import clean, width
from qnet.units import UNIT_NAMES
from qnet.version import __version__

_QUESTION, _ANSWER = "question", "answer"
"""Headings of the first blocks of reports whose rows contain question and answer."""

_PAGE = 108
"""Characters of a table that fit across a sheet of paper, spaces between columns included."""
_WIDEST, _LONG = 24, 24
"""Characters of the widest column of texts on one line, and of the longest word that is not broken."""

_SHORT = ' class="short"'
_QUANTITY = re.compile(
    rf"(?<![\d.])\d[\d.]*+ (?:%|(?:{'|'.join(sorted(UNIT_NAMES, key=len, reverse=True))})(?:/s)?(?!\w))"
)
"""A number and its unit, or `%`."""

_STYLE = """
:root { color-scheme: light dark; }
body { margin: 0; background: #ffffff; color: #222222; font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1.25rem 3rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 2rem 0 .5rem; padding-bottom: .2rem;
  border-bottom: 1px solid #c8c8c8; }
h3 { font-size: 1rem; margin: 1.25rem 0 .4rem; }
h1, h2, h3, p, li, caption { overflow-wrap: anywhere; }
h2::first-letter { text-transform: uppercase; }
p { margin: .5rem 0; max-width: 46rem; }
.basis, footer { color: #555555; font-size: .9rem; }
.question p { font-style: italic; }
.answer p:first-of-type { font-size: 1.1rem; font-weight: 600; }
.wide { overflow-x: auto; margin: .75rem 0; }
table { border-collapse: collapse; font-size: .875rem; }
th, td { padding: .3rem .75rem .3rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid #dddddd; }
th { border-bottom: 2px solid #888888; vertical-align: bottom; }
td { max-width: 24rem; }
td.short, .together { white-space: nowrap; }
td.long { overflow-wrap: anywhere; min-width: 12rem; }
.number { text-align: right; }
td.number { font-family: ui-monospace, "DejaVu Sans Mono", monospace; white-space: pre; }
tbody tr:nth-child(even) { background: #f6f6f6; }
figure { margin: 1.25rem 0; max-width: 45rem; overflow-x: auto; }
svg { display: block; width: 100%; min-width: 38rem; height: auto; margin-bottom: 1rem; }
pre { background: #f4f4f4; border: 1px solid #d5d5d5; padding: .6rem .8rem; font-size: .8rem; line-height: 1.4;
  font-family: ui-monospace, "DejaVu Sans Mono", monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
ul.notes { list-style: none; padding: 0; }
ul.notes li { border-left: 4px solid #8a8a8a; padding: .1rem 0 .1rem .7rem; margin: .5rem 0; max-width: 46rem; }
ul.notes li.warning { border-color: #b34700; }
code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .9em; }
@media screen and (max-width: 44rem) {
  svg { min-width: 30rem; }
  .wide, figure { --page: #ffffff; --shade: #00000038;
    background: linear-gradient(to right, var(--page) 1.5rem, transparent 3rem) 0 0 / 100% 100% no-repeat local,
      linear-gradient(to left, var(--page) 1.5rem, transparent 3rem) 0 0 / 100% 100% no-repeat local,
      linear-gradient(to right, var(--shade), transparent .7rem) 0 0 / 100% 100% no-repeat scroll,
      linear-gradient(to left, var(--shade), transparent .7rem) 0 0 / 100% 100% no-repeat scroll; }
  tbody tr:nth-child(even) { background: #7f7f7f14; }
}
@media screen and (prefers-color-scheme: dark) {
  .wide, figure { --page: #1b1b1d; --shade: #ffffff40; }
  body { background: #1b1b1d; color: #e6e6e6; }
  .basis, footer { color: #b4b4b4; }
  h2, th, td { border-color: #55555a; }
  tbody tr:nth-child(even) { background: #252528; }
  pre { background: #252528; border-color: #45454a; }
  svg { background: #ffffff; box-sizing: border-box; padding: .6rem; border-radius: .3rem; }
  ul.notes li.warning { border-color: #f08c3a; }
}
@media print {
  @page { margin: 16mm 14mm; }
  body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  h2, h3 { break-after: avoid; }
  figure, tr, li { break-inside: avoid; }
  thead { display: table-header-group; }
  .wide, figure { overflow: visible; }
  svg { min-width: 0; }
  table { font-size: 7.5pt; max-width: 100%; }
  th, td { padding-right: .4rem; }
  td.long { min-width: 0; }
  tbody tr:nth-child(even), pre { background: none; }
}
""".strip()


def render(report: Content, style: Style) -> str:
    """The page. Raises `ValueError` naming the column of NaN or infinity."""
    summary = report.summary(report.source) if report.summary else None
    heading = clean(report.title)
    title = escaped(heading)
    body = "\n".join(part for part in _parts(report, heading, summary, style) if part)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="qnet {escaped(__version__)}">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
{_STYLE}
</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


def fragment(report: Content, style: Style) -> str:
    """The tables and notes as a part of a page, which notebooks show."""
    blocks = tables(report, style.replace(ascii=False))
    parts = [f"<h3>{escaped(clean(report.title))}</h3>", *map(_block, blocks), _notes(report.notes)]
    return "\n".join(["<div>", *(part for part in parts if part), "</div>"])


def _parts(report: Content, heading: str, summary: Summary | None, style: Style) -> Iterator[str]:
    basis = last_line(report.meta, ascii=False)
    yield f"<header>\n<h1>{escaped(heading)}</h1>{_paragraph(basis, 'basis')}\n</header>"
    blocks = tables(report, style.replace(ascii=False))
    if summary is not None:
        yield from _summary(summary)
    else:
        stated = blocks if report.full is None else tables(report.full, style.replace(ascii=False))
        first = [block for block in stated if _is_question_or_answer(block)]
        blocks = [block for block in blocks if not _is_question_or_answer(block)]
        yield from (_section(block.heading, [_block(block, heading=False)], block.heading) for block in first)
    yield _figures(report.source)
    if report.group and any(block.prose for block in blocks):
        yield from (_section(block.heading or "results", [_block(block, heading=False)]) for block in blocks)
    elif blocks:
        yield _section("results", [_block(block) for block in blocks])
    yield _notes(report.notes)
    statements = report.meta.statements if isinstance(report.meta, Grounds) else ()
    yield _models(statements)
    if not any(column.key == "grade" for column in report.columns):
        yield _inputs(report.meta)
    command = clean_command(report.command) or command_of(report.meta)
    yield _section("command", [f"<pre>{escaped(command)}</pre>"], "command") if command else ""
    yield f"<footer>\n<p>{escaped(f'qnet {__version__}')}, {escaped(report.schema)}</p>\n</footer>"


def _is_question_or_answer(block: Table) -> bool:
    """Whether a block is the question or the answer of a report whose rows contain them."""
    return block.heading.partition(":")[0] in (_QUESTION, _ANSWER)


def _section(heading: str, parts: Sequence[str], kind: str = "") -> str:
    name = f' class="{kind}"' if kind in (_QUESTION, _ANSWER, "command") else ""
    body = "\n".join(part for part in parts if part)
    return f"<section{name}>\n<h2>{escaped(heading)}</h2>\n{body}\n</section>"


def _paragraph(text: str, kind: str = "") -> str:
    name = f' class="{kind}"' if kind else ""
    return f"\n<p{name}>{_flowing(text)}</p>" if text else ""


def _flowing(text: str) -> str:
    """A text that browsers do not break between a number and its unit; copying it yields the original text."""
    return _QUANTITY.sub(r'<span class="together">\g<0></span>', escaped(text))


def _summary(summary: Summary) -> Iterator[str]:
    yield _section(_QUESTION, [_paragraph(clean(summary.question)).strip()], _QUESTION)
    yield _section(_ANSWER, [_paragraph(clean(text)).strip() for text in summary.answer], _ANSWER)


def _figures(report: Content) -> str:
    lines = [item for item in figures_of(report) if not item.nothing]
    drawn = [svg.drawing(item) for item in (*lines, *(item for item in bar_figures_of(report) if item.bars))]
    return "\n".join(["<figure>", *drawn, "</figure>"]) if drawn else ""


def _block(table: Table, heading: bool = True) -> str:
    """Heading, paragraphs, table, legend and formulas of one block."""
    parts = [f"<h3>{escaped(table.heading)}</h3>" if heading and table.heading else ""]
    parts += [_paragraph(text).strip() for text in table.prose]
    parts.append("\n".join(map(_table, _bands(table))))
    parts += [_paragraph(text, "basis").strip() for text in table.legend]
    parts += [f"<pre>{escaped(clean(formula))}</pre>" for formula in table.math]
    return "\n".join(part for part in parts if part)


def _table(table: Table) -> str:
    if not table.rows:
        return "" if table.prose else "<p>(no rows)</p>"
    columns = [
        aligned([row[index] for row in table.rows]) if numeric else [row[index] for row in table.rows]
        for index, numeric in enumerate(table.numeric)
    ]
    kinds = [_kind(numeric, cells) for numeric, cells in zip(table.numeric, columns, strict=True)]
    head = "".join(
        f'<th scope="col"{kind}>{_breakable(title)}</th>' for kind, title in zip(kinds, table.titles, strict=True)
    )
    titled = [] if table.pairs else [f"<thead><tr>{head}</tr></thead>"]
    lines = ['<div class="wide">', "<table>", *titled, "<tbody>"]
    for cells in zip(*columns, strict=True):
        row = "".join(
            f"<td{kind}>{escaped(cell) if kind == _SHORT else _breakable(cell)}</td>"
            for kind, cell in zip(kinds, cells, strict=True)
        )
        lines.append(f"<tr>{row}</tr>")
    return "\n".join([*lines, "</tbody>", "</table>", "</div>"])


def _kind(numeric: bool, cells: Sequence[str]) -> str:
    """The class attribute of a column: short texts remain on one line, long words are broken."""
    if numeric:
        return ' class="number"'
    if max(map(width, cells)) <= _WIDEST:
        return _SHORT
    return ' class="long"' if _longest(cells) > _LONG else ""


def _bands(table: Table) -> Iterator[Table]:
    """A table that is too wide for a page as several tables, each with the leading columns, which identify a row.

    Those after the first leave out rows that are empty in their other columns.
    """
    if not table.rows:
        yield table
        return
    widths = [
        2 + max([*map(width, re.split(r"[\s_]", title)), min(_WIDEST, max(map(width, cells), default=0))])
        for title, cells in zip(table.titles, _columns(table), strict=True)
    ]
    keys = list(takewhile(lambda index: not table.numeric[index], range(len(widths)))) or [0]
    keys = keys if sum(widths[index] for index in keys) <= _PAGE / 2 else keys[:1]
    bands = [list(keys)]
    for index in range(len(keys), len(widths)):
        if len(bands[-1]) > len(keys) and sum(widths[other] for other in (*bands[-1], index)) > _PAGE:
            bands.append(list(keys))
        bands[-1].append(index)
    for band in bands:
        cells = [tuple(row[index] for index in band) for row in table.rows]
        yield table.replace(
            titles=tuple(table.titles[index] for index in band),
            numeric=tuple(table.numeric[index] for index in band),
            rows=[row for row in cells if band == bands[0] or any(row[len(keys) :])],
        )


def _columns(table: Table) -> list[list[str]]:
    return [[row[index] for row in table.rows] for index in range(len(table.titles))]


def _longest(cells: Sequence[str]) -> int:
    """The length of the longest word that no browser breaks."""
    return max((len(word) for cell in cells for word in re.split(r"[\s_]", cell)), default=0)


def _breakable(text: str) -> str:
    """A text of a table, which may be broken after an underscore."""
    return _flowing(text).replace("_", "_<wbr>")


def _notes(notes: Sequence[Note]) -> str:
    if not notes:
        return ""
    lines = ['<ul class="notes">']
    for note in notes:
        text = f"{escaped(note.severity)} <code>{escaped(note.code)}</code>: {_flowing(clean(note.brief or note.text))}"
        after = f"<br>Next: {_flowing(clean(note.next))}" if note.next else ""
        lines.append(f'<li class="{escaped(note.severity)}">{text}{after}</li>')
    return _section("notes", [*lines, "</ul>"])


def _models(statements: Sequence[Statement]) -> str:
    """The text of each model once, with every digest and the parameters that were set."""
    parts: list[str] = []
    for text in dict.fromkeys(item.text for item in statements):
        for item in statements:
            if item.text == text:
                settings = ", ".join(f"{name} = {value}" for name, value in item.settings.items())
                words = f"{item.name}: {item.title}" if item.title else item.name
                parts.append(
                    f"<p>{escaped(clean(words))}; digest <code>{escaped(item.digest)}</code>"
                    f"{escaped(clean(f'; set: {settings}' if settings else ''))}</p>"
                )
        lines = "\n".join(escaped(line.replace("\t", "    ")) for line in text.rstrip().split("\n"))
        parts.append(f"<pre>{lines}</pre>")
    return _section("model" if len(statements) == 1 else "models", parts) if parts else ""


def _inputs(meta: Mapping[str, Any]) -> str:
    """The table of the inputs that have a source."""
    listed: list[dict[str, Any]] = meta.get("inputs") or []
    if not listed:
        return ""
    rows = [
        tuple(
            clean(text)
            for text in (
                str(item["name"]),
                str(item["value"]),
                str(item["grade"]),
                ", ".join(map(str, item["sources"])),
            )
        )
        for item in listed
    ]
    titles = ("name", "value", "grade", "source")
    return _section("provenance", [_table(Table(heading="", titles=titles, numeric=(False,) * 4, rows=rows))])
