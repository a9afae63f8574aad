"""Horizontal bars in a terminal: how far each of several things reaches to either side of a common value."""

from __future__ import annotations

from qnet.reports.content import Content, Style
from qnet.reports.figure import BarFigure, bar_figures_of
from qnet.reports.text import fold, pad, width
from qnet.units import format_number

_NARROWEST, _WIDEST = 40, 80
"""Columns of a drawing: readable at least, and those of a plain terminal at most."""
_LONGEST_LABEL = 28
"""Columns of a name; a choice of layout: a third of a plain terminal."""
_MOST = 19
"""Bars of one block, with which it fits a terminal of 24 lines; the rest is counted."""


def bars_of(report: Content, style: Style) -> str:
    """A report drawn as bars: a block for every value of the `by` column, a bar for every row with numbers.

    Where a row has one value the bar runs from the base to it; where it has two, `░` (`-` in ASCII) leads to the
    first and `█` (`#`) to the second, and both begin at the base.
    """
    return "\n\n".join("\n".join(_lines(figure, style)) for figure in bar_figures_of(report, style.ascii))


def _lines(figure: BarFigure, style: Style) -> list[str]:
    """A block: what is drawn, its bars and their axis."""
    room = max(_NARROWEST, min(_WIDEST, style.width or _WIDEST))
    if not figure.bars:
        return [f"{figure.title}: nothing to draw"]
    paired = len(figure.names) > 1
    marks = ("- ", "# ") if style.ascii else ("░ ", "█ ")
    names = [mark * paired + name for mark, name in zip(marks, figure.names, strict=False)]
    lines = fold(f"{figure.title}: {', '.join(names)}", room)
    lines += _block(figure, paired, room, style)
    missing = len(figure.bars[_MOST:]) + figure.left_out
    if missing:
        lines.append(f"and {missing} more, not drawn")
    return [line.rstrip() for line in lines]


def _block(figure: BarFigure, paired: bool, room: int, style: Style) -> list[str]:
    """The bars over one axis, and the axis."""
    bars, base = figure.bars[:_MOST], figure.base
    marked = [figure.mark.value] if figure.mark else []
    light, heavy, line, left, right, floor = "-#|+++" if style.ascii else "░█│└┘─"
    if style.ascii:
        floor = "-"
    names = [bar.name if width(bar.name) <= _LONGEST_LABEL else bar.name[: _LONGEST_LABEL - 3] + "..." for bar in bars]
    margin = max(map(width, names))
    columns = room - margin - 4
    low = min(base, *marked, *(min(bar.low, bar.high) for bar in bars))
    high = max(base, *marked, *(max(bar.low, bar.high) for bar in bars))
    span = high - low or 1.0

    def position(value: float) -> int:
        return round((value - low) / span * (columns - 1))

    zero = position(base)
    drawn: list[str] = []
    for bar, name in zip(bars, names, strict=True):
        cells = [" "] * columns
        for value, mark in ((bar.low, light), (bar.high, heavy)) if paired else ((bar.high, heavy),):
            first, last = sorted((zero, position(value)))
            cells[first : last + 1] = [mark] * (last + 1 - first)
        for value in (base, *marked):
            cells[position(value)] = line
        drawn.append(f"{pad(name, margin)}  {''.join(cells)}")
    drawn.append(" " * (margin + 2) + left + floor * (columns - 2) + right)
    ticks = [" "] * columns
    for value in dict.fromkeys((low, high, base, *marked)):
        text = format_number(value)
        start = max(0, min(position(value) - len(text) // 2, columns - len(text)))
        if all(cell == " " for cell in ticks[max(0, start - 1) : start + len(text) + 1]):
            ticks[start : start + len(text)] = text
    return [*drawn, " " * (margin + 2) + "".join(ticks)]
