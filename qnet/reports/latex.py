"""Formulas as LaTeX, ready to be included: an `align*` environment, which needs the package amsmath."""

from __future__ import annotations

from qnet.reports.cells import Table
from qnet.reports.content import Content, Style
from qnet.reports.layout import last_line, note_lines, tables
from qnet.reports.text import clean


def render(report: Content, style: Style) -> str:
    """The formulas of a report, aligned at their equals signs; title, notes and the other tables as comments.

    style     digits and units of numbers; characters beyond ASCII are kept.
    Returns   text that ends with one newline.
    """
    lines = [f"% {clean(text)}" for text in (report.title, last_line(report.meta, ascii=False)) if text]
    lines += [f"% {line.strip()}" for note in report.notes for line in note_lines(note, ascii=False)]
    blocks = [block for block in tables(report, style.replace(ascii=False)) if block.math]
    for block in blocks:
        lines += [f"% {block.heading or 'formulas'}", *_aligned(block)]
    for block in tables(report, style.replace(ascii=False)):
        if not block.math:
            lines += [f"% {block.heading}: {'; '.join(block.titles)}", *(f"%   {'; '.join(row)}" for row in block.rows)]
    return "\n".join(lines) + "\n"


def _aligned(block: Table) -> list[str]:
    rows = [clean(formula).replace(" = ", " &= ", 1) for formula in block.math]
    ends = [r" \\"] * (len(rows) - 1) + [""]
    return [r"\begin{align*}", *(f"  {row}{end}" for row, end in zip(rows, ends, strict=True)), r"\end{align*}"]
