"""Horizontal bars in a terminal: how far each of several things reaches to either side of a common value."""

from __future__ import annotations

from itertools import groupby

from qnet.record import Record
from qnet.reports.cells import is_number, label, title_of
from qnet.reports.content import Bars, Cell, Content, Style
from qnet.reports.records import checked_rows
from qnet.reports.text import clean, fold, pad, width
from qnet.units import format_number

_NARROWEST, _WIDEST = 40, 80
_LONGEST_LABEL = 28
_MOST = 40
"""Bars that are drawn in one block; the rest is counted."""


class _Bar(Record):
    """One bar: from a value to another, or to both sides of the base."""

    name: str
    low: float
    high: float


def bars_of(report: Content, bars: Bars, style: Style) -> str:
    """A report drawn as bars: a block for every value of the `by` column, a bar for every row with numbers.

    Where a row has one value the bar runs from the base to it; where it has two, `░` (`-` in ASCII) leads to the
    first and `█` (`#`) to the second, and both begin at the base.
    """
    keys = [column.key for column in report.columns]
    named, by = keys.index(bars.name), keys.index(bars.by)
    ends = [keys.index(key) for key in bars.ends]
    base = keys.index(bars.base) if bars.base else None
    room = max(_NARROWEST, min(_WIDEST, style.width or _WIDEST))
    blocks: list[str] = []
    for value, run in groupby(checked_rows(report), key=lambda row: row[by]):
        rows = [row for row in run if all(is_number(row[end]) for end in ends)]
        heading = label(report.columns[by], value, style)
        if not rows:
            blocks.append(f"{heading}: nothing to draw")
            continue
        middle = _number(rows[0][base]) if base is not None else 0.0
        drawn = [_bar(row, named, ends, style) for row in rows[:_MOST]]
        titles = [title_of(report.columns[end]) for end in ends]
        if len(ends) > 1:
            titles = [f"{mark} {title}" for mark, title in zip("-#" if style.ascii else "░█", titles, strict=True)]
        title = ", ".join(titles)
        lines = [*fold(f"{heading}: {title}", room), *_block(drawn, middle, len(ends) > 1, room, style)]
        if len(rows) > _MOST:
            lines.append(f"and {len(rows) - _MOST} more, not drawn")
        blocks.append("\n".join(line.rstrip() for line in lines))
    return "\n\n".join(blocks)


def _number(cell: Cell) -> float:
    return float(cell) if is_number(cell) else 0.0


def _bar(row: tuple[Cell, ...], named: int, ends: list[int], style: Style) -> _Bar:
    values = [_number(row[end]) for end in ends]
    return _Bar(clean(str(row[named]), style.ascii), values[0], values[-1])


def _block(bars: list[_Bar], base: float, paired: bool, room: int, style: Style) -> list[str]:
    """The bars over one axis, and the axis."""
    light, heavy, line, left, right, floor = "-#|+++" if style.ascii else "░█│└┘─"
    if style.ascii:
        floor = "-"
    names = [bar.name if width(bar.name) <= _LONGEST_LABEL else bar.name[: _LONGEST_LABEL - 3] + "..." for bar in bars]
    margin = max(map(width, names))
    places = room - margin - 4
    low = min(base, *(min(bar.low, bar.high) for bar in bars))
    high = max(base, *(max(bar.low, bar.high) for bar in bars))
    span = high - low or 1.0

    def place(value: float) -> int:
        return round((value - low) / span * (places - 1))

    zero = place(base)
    drawn: list[str] = []
    for bar, name in zip(bars, names, strict=True):
        cells = [" "] * places
        for value, mark in ((bar.low, light), (bar.high, heavy)) if paired else ((bar.high, heavy),):
            first, last = sorted((zero, place(value)))
            cells[first : last + 1] = [mark] * (last + 1 - first)
        cells[zero] = line
        drawn.append(f"{pad(name, margin)}  {''.join(cells)}")
    drawn.append(" " * (margin + 2) + left + floor * (places - 2) + right)
    ticks = [" "] * places
    for value in dict.fromkeys((low, high, base)):
        text = format_number(value)
        start = max(0, min(place(value) - len(text) // 2, places - len(text)))
        if all(cell == " " for cell in ticks[max(0, start - 1) : start + len(text) + 1]):
            ticks[start : start + len(text)] = text
    return [*drawn, " " * (margin + 2) + "".join(ticks)]
