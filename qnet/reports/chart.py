"""Drawings in a terminal: lines and bars, in braille and block characters or in ASCII, readable without colour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from string import ascii_letters

from qnet.record import Record
from qnet.reports.content import Content, Plot, Style
from qnet.reports.figure import (
    MOST_LINES,
    Axis,
    BarFigure,
    Figure,
    Point,
    Rule,
    Series,
    axis,
    bar_figures_of,
    drawable,
    figures_of,
    made,
)
from qnet.reports.text import fold, pad, width
from qnet.units import format_number

_Dot = tuple[int, int]
"""Column and row from the top left, of a dot or of a character."""
_Marks = dict[_Dot, tuple[str, int | None]]
"""The characters of a drawing, each with the number of its line; None: of no line, or of several."""

_ROWS = 16
"""Rows of a drawing without its axes; a choice of layout."""
_FEWEST_ROWS = 8
"""Fewer rows make lines unreadable; a choice."""
_SCREEN = 23
"""Lines of a drawing that fits a terminal of 24 below a prompt."""
_NARROWEST, _WIDEST = 40, 80
"""Columns of a drawing: the fewest that are readable, and those of a plain terminal."""
_FEWEST_TICKS, _COLUMNS_PER_TICK = 5, 12
"""Ticks of an axis, and columns from one tick to the next; choices of layout."""
_BETWEEN = 3
"""Spaces between the columns of a legend."""
_BRAILLE = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each dot in a braille character, by row and column."""
_MEETING = "*"
_MEASURED = "O"
_COLORS = (36, 33, 35, 32, 34, 31)
"""Foreground colors of terminals (ECMA-48), the most distinct first."""


class _Plane(Record):
    """Both axes and the characters between them, each of `across` times `down` dots."""

    x: Axis
    y: Axis
    columns: int
    across: int
    down: int
    rows: int = _ROWS

    def dot(self, x: float, y: float) -> _Dot:
        """The dot that represents a point."""
        rows = self.rows * self.down
        return self.x.position(x, self.columns * self.across), rows - 1 - self.y.position(y, rows)

    def cell(self, dot: _Dot) -> _Dot:
        """The character that holds a dot."""
        return dot[0] // self.across, dot[1] // self.down

    def column(self, x: float) -> int:
        """The column of characters at a value."""
        return self.cell(self.dot(x, self.y.low))[0]

    def row(self, y: float) -> int:
        """The row of characters at a value, from the top."""
        return self.cell(self.dot(self.x.low, y))[1]


def plot_of(report: Content, style: Style, rows_of_chart: int | None = None) -> str:
    """A report drawn as its `plot` says: a chart per unit of y, a line per y column and combination of `by` values.

    Its `points`, measured values of x and of the first y column, are drawn as `O` in the first chart.

    style          width of the screen, colours, and whether to draw in ASCII.
    rows_of_chart  rows of the drawing without its axes; None: as many as fit a screen of 24 lines, up to 16.
    Returns        lines without a newline at the end; a sentence where the report has no curve.
    """
    if not isinstance(report.plot, Plot):
        return "nothing to draw: this answer has no curve"
    return "\n\n".join(drawn(figure, style, rows_of_chart) for figure in figures_of(report, style.ascii))


def chart(
    series: Sequence[tuple[str, Sequence[Point]]], x_title: str, y_title: str, style: Style, rows: int | None = _ROWS,
    measured: Sequence[tuple[float, float]] = (),
) -> str:  # fmt: skip
    """Named lines over one pair of axes, in at most 80 columns; a sentence where there is no point to draw.

    Measured points are drawn as `O`, over the lines. In braille, the letter of a line stands at its last point; in
    ASCII, lines are drawn with their letters, and with `*` where they meet.
    """
    return drawn(made(series, x_title, y_title, style.ascii, measured=measured), style, rows)


def drawn(figure: Figure, style: Style, rows: int | None = None) -> str:
    """A figure as text, with limits and knees as labelled dashed lines; see `chart`."""
    room = max(_NARROWEST, min(_WIDEST, style.width or _WIDEST))
    if figure.nothing:
        return "\n".join(fold(figure.nothing, room))
    shown = figure.series[:MOST_LINES]
    above = [line for title in (figure.title, figure.y_title) for line in fold(title, room) if title]
    below = [pad(line, room, right=True) for line in fold(figure.x_title, room)]
    around = len(above) + len(below) + 2
    legend = list(_legend(figure, room, style, packed=around + _ROWS + len(shown) > _SCREEN))
    fitting = rows is None
    if rows is None:
        rows = max(_FEWEST_ROWS, min(_ROWS, _SCREEN - around - len(legend)))
    plane = _plane(figure, room, style, rows)
    trails = [list(_trail(line.points, plane)) for line in shown]
    marks = _letters(trails) if style.ascii else _braille(trails, _alone(shown, plane), plane)
    marks |= {plane.cell(plane.dot(*point)): (_MEASURED, None) for point in figure.measured}
    if any(character == _MEETING for character, _ in marks.values()):
        legend.append(f"{_MEETING} lines meet")
    legend += _ruled(marks, figure, plane, style)
    legend += (line for remark in figure.remarks for line in fold(remark, room))
    lines = [*above, *_frame(plane, marks, style), *below, *legend]
    if fitting and len(lines) > _SCREEN and rows > _FEWEST_ROWS:  # for labels that have no room next to their lines
        return drawn(figure, style, max(_FEWEST_ROWS, rows - (len(lines) - _SCREEN)))
    return "\n".join(line.rstrip() for line in lines)


def _legend(figure: Figure, room: int, style: Style, packed: bool) -> Iterator[str]:
    """The letters of the lines with their names; `packed`: in as many columns as fit."""
    names: list[tuple[str, str, int | None]] = [
        (ascii_letters[index], line.name, index) for index, line in enumerate(figure.series[:MOST_LINES])
    ]
    if figure.measured:
        names.append((_MEASURED, "measured", None))
    size = max(width(name) for _, name, _ in names) + 2
    across = (room + _BETWEEN) // (size + _BETWEEN) if packed else 1
    if across < 2:
        for letter, name, owner in names:
            first, *rest = fold(name, room - 2)
            yield from (f"{_colored(letter, owner, style)} {first}", *(f"  {part}" for part in rest))
        return
    down = -(-len(names) // across)
    for row in range(down):
        cells = [f"{_colored(letter, owner, style)} {pad(name, size - 2)}" for letter, name, owner in names[row::down]]
        yield (" " * _BETWEEN).join(cells)


def _plane(figure: Figure, room: int, style: Style, rows: int) -> _Plane:
    points = [point for line in figure.series for point in line.points if drawable(point)] + [*figure.measured]
    ys = [*(y for _, y in points), *(rule.value for rule in figure.level)]
    xs = [*(x for x, _ in points), *(rule.value for rule in figure.upright)]
    y = axis(ys, min(_FEWEST_TICKS, max(2, rows // 2)), outward=True, log="y" in figure.log)
    columns = room - max(map(len, y.labels)) - 2
    ticks = max(_FEWEST_TICKS, columns // _COLUMNS_PER_TICK)
    x = axis(xs, ticks, outward=False, log="x" in figure.log)
    while ticks > 2 and sum(len(text) + 2 for text in x.labels) > columns:  # labels that do not fit would be left out
        ticks -= 1
        x = axis(xs, ticks, outward=False, log="x" in figure.log)
    return _Plane(x, y, columns, *((1, 1) if style.ascii else (2, 4)), rows)


def _ruled(marks: _Marks, figure: Figure, plane: _Plane, style: Style) -> list[str]:
    """Draw limits and knees around what is drawn already, each with its label next to it.

    Returns   lines for the legend: labels for which there is no room in the drawing.
    """
    upright, level = ":-" if style.ascii else "┆┄"
    taken = set(marks)
    for rule in figure.level:
        for column in range(plane.columns):
            marks.setdefault((column, plane.row(rule.value)), (level, None))
    for rule in figure.upright:
        for row in range(plane.rows):
            marks.setdefault((plane.column(rule.value), row), (upright, None))
    homeless: list[str] = []
    for rule in figure.level:
        homeless += _written(rule.label, _beside_level(rule, plane, taken), marks, taken, level)
    columns = {plane.column(rule.value) for rule in figure.upright}
    levels = {plane.row(rule.value) for rule in figure.level}
    for rule in figure.upright:
        homeless += _written(rule.label, _beside_upright(rule, plane, taken, columns, levels), marks, taken, upright)
    return homeless


def _written(label: str, start: _Dot | None, marks: _Marks, taken: set[_Dot], sign: str) -> list[str]:
    """Write a label into a drawing; a line for the legend where there is no room."""
    if start is None or width(label) != len(label):
        return [f"{sign} {label}"]
    column, row = start
    for index, character in enumerate(label):
        marks[column + index, row] = (character, None)
        taken.add((column + index, row))
    return []


def _beside_level(rule: Rule, plane: _Plane, taken: set[_Dot]) -> _Dot | None:
    """Where the label of a horizontal line begins: on the line, as far left as it touches no curve."""
    row = plane.row(rule.value)
    for column in range(1, plane.columns - len(rule.label)):
        if not any((column + index, row) in taken for index in range(-1, len(rule.label) + 1)):
            return column, row
    return None


def _beside_upright(rule: Rule, plane: _Plane, taken: set[_Dot], columns: set[int], levels: set[int]) -> _Dot | None:
    """Where the label of a vertical line begins: at its right or left, as high as it touches nothing that is drawn.

    A label may cover other vertical lines where there is no room between them.
    """
    at, size = plane.column(rule.value), len(rule.label)
    for covering in (False, True):
        for row in range(plane.rows):
            for start in (at + 1, at - size):
                cells = range(start, start + size)
                free = not any((column, row) in taken for column in range(start - 1, start + size + 1))
                clear = covering or not any(column in columns for column in cells)
                if row not in levels and cells[0] >= 0 and cells[-1] < plane.columns and free and clear:
                    return start, row
    return None


def _trail(line: Iterable[Point], plane: _Plane) -> Iterator[_Dot]:
    """The dots of a line in the order of its points."""
    dots = [plane.dot(*point) if drawable(point) else None for point in line]
    yield from (dot for dot in dots[:1] if dot)
    for start, end in pairwise(dots):
        if end:
            yield from _segment(start or end, end)


def _alone(lines: Iterable[Series], plane: _Plane) -> Iterator[tuple[int, _Dot]]:
    """Points without a neighbour that can be drawn, each with the number of its line."""
    for index, line in enumerate(lines):
        for _, run in groupby(line.points, key=drawable):
            dots = [plane.dot(*point) for point in run if drawable(point)]
            if len(dots) == 1:
                yield index, dots[0]


def _segment(start: _Dot, end: _Dot) -> Iterator[_Dot]:
    """The dots from one to another, without the first; the dot itself where they are the same."""
    (x, y), (to_x, to_y) = start, end
    steps = max(abs(to_x - x), abs(to_y - y), 1)
    for step in range(1, steps + 1):
        yield x + round((to_x - x) * step / steps), y + round((to_y - y) * step / steps)


def _letters(trails: Sequence[Sequence[_Dot]]) -> _Marks:
    marks: _Marks = {}
    for index, trail in enumerate(trails):
        for cell in trail:
            known = marks.get(cell, ("", index))[1] == index
            marks[cell] = (ascii_letters[index], index) if known else (_MEETING, None)
    return marks


def _braille(trails: Sequence[Sequence[_Dot]], alone: Iterable[tuple[int, _Dot]], plane: _Plane) -> _Marks:
    """Dots, with letters at the ends of lines and at isolated points, where a dot is easily overlooked."""
    dots: dict[_Dot, int] = {}
    owners: dict[_Dot, int] = {}
    for index, trail in enumerate(trails):
        for x, y in trail:
            cell = plane.cell((x, y))
            dots[cell] = dots.get(cell, 0) | _BRAILLE[y % plane.down][x % plane.across]
            owners[cell] = index
    marks: _Marks = {cell: (chr(0x2800 + bits), owners[cell]) for cell, bits in dots.items()}
    marks |= {plane.cell(dot): (ascii_letters[index], index) for index, dot in alone}
    named: set[_Dot] = set()
    for index, trail in enumerate(trails):
        cells = [plane.cell(dot) for dot in reversed(trail)]
        free = next((cell for cell in cells if cell not in named), None)  # lines that end together: step back along it
        if free is None:
            marks[cells[0]] = (_MEETING, None)
        else:
            marks[free] = (ascii_letters[index], index)
            named.add(free)
    return marks


def _frame(plane: _Plane, marks: _Marks, style: Style) -> Iterator[str]:
    """The drawing with its axes: y labels on the left, x labels below."""
    side, tick, corner, floor, foot = "|++-+" if style.ascii else "│┤└─┬"
    margin = max(map(len, plane.y.labels))
    beside = {plane.row(y): text for y, text in zip(plane.y.ticks, plane.y.labels, strict=True)}
    for row in range(plane.rows):
        cells = [marks.get((column, row), (" ", None)) for column in range(plane.columns)]
        drawn = "".join(
            _colored("".join(character for character, _ in run), owner, style)
            for owner, run in groupby(cells, key=lambda mark: mark[1])
        )
        yield f"{beside.get(row, ''):>{margin}} {tick if row in beside else side}{drawn}"
    below = [plane.column(x) for x in plane.x.ticks]
    yield " " * (margin + 1) + corner + "".join(foot if column in below else floor for column in range(plane.columns))
    line = ""
    for column, text in zip(below, plane.x.labels, strict=True):
        start = margin + 2 + min(column - len(text) // 2, plane.columns - len(text))
        if start > len(line):
            line = line.ljust(start) + text
    yield line


def _colored(text: str, index: int | None, style: Style) -> str:
    """A text in the colour of a line; its letter identifies the line without colour."""
    if index is None or not style.color:
        return text
    return f"\x1b[{_COLORS[index % len(_COLORS)]}m{text}\x1b[0m"


_LONGEST_LABEL = 28
"""Columns of a name: a third of a plain terminal; a choice of layout."""
_MOST_BARS = 19
"""Bars of one block that fit a terminal of 24 lines; the rest is counted."""


def bars_of(report: Content, style: Style) -> str:
    """A report drawn as bars: a block for every value of the `by` column, a bar for every row with numbers.

    Where a row has one value the bar runs from the base to it; where it has two, `░` (`-` in ASCII) leads to the
    first and `█` (`#`) to the second, and both begin at the base.
    """
    return "\n\n".join("\n".join(_lines(figure, style)) for figure in bar_figures_of(report, style.ascii))


def _lines(figure: BarFigure, style: Style) -> list[str]:
    """A block: its title and legend, bars and axis."""
    room = max(_NARROWEST, min(_WIDEST, style.width or _WIDEST))
    if not figure.bars:
        return [f"{figure.title}: nothing to draw"]
    paired = len(figure.names) > 1
    marks = ("- ", "# ") if style.ascii else ("░ ", "█ ")
    names = [mark * paired + name for mark, name in zip(marks, figure.names, strict=False)]
    lines = fold(f"{figure.title}: {', '.join(names)}", room)
    lines += _block(figure, paired, room, style)
    missing = len(figure.bars[_MOST_BARS:]) + figure.left_out
    if missing:
        lines.append(f"and {missing} more, not drawn")
    return [line.rstrip() for line in lines]


def _block(figure: BarFigure, paired: bool, room: int, style: Style) -> list[str]:
    """The bars over one axis, and the axis."""
    bars, base = figure.bars[:_MOST_BARS], figure.base
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
