"""Line charts in a terminal: braille dots, or letters where only ASCII will do. No dependency, no need of colour."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from string import ascii_letters
from typing import TypeGuard

from qnet.record import Record
from qnet.reports.cells import Scale, column_index, common_scale, is_number, label, title_of
from qnet.reports.content import Cell, Content, Plot, Style
from qnet.reports.records import checked_rows
from qnet.reports.text import clean, fold, pad
from qnet.units import format_number

Point = tuple[float | None, float | None]
"""A place on a line; with None in it, a gap."""
_Place = tuple[int, int]
"""Column and row from the top left, of a dot or of a character."""
_Marks = dict[_Place, tuple[str, int | None]]
"""The characters of a drawing, each with the number of the line it belongs to."""

_ROWS = 16
_NARROWEST, _WIDEST = 40, 80
_FEWEST_TICKS, _COLUMNS_PER_TICK = 5, 12
_LARGEST = 1e300
"""Numbers beyond cannot be subtracted safely, and are drawn as a gap."""
_BRAILLE = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each dot in a braille character, by row and column."""
_MEETING = "*"
_MEASURED = "O"
_COLORS = (36, 33, 35, 32, 34, 31)


class _Axis(Record):
    """A range of values and its ticks."""

    low: float
    high: float
    ticks: tuple[float, ...]
    labels: tuple[str, ...]

    def place(self, value: float, places: int) -> int:
        """Which of so many places stands for a value, counted from the low end."""
        return round((value - self.low) / (self.high - self.low) * (places - 1))


class _Plane(Record):
    """Both axes and the characters between them, each of which holds `across` times `down` dots."""

    x: _Axis
    y: _Axis
    columns: int
    across: int
    down: int
    rows: int = _ROWS

    def dot(self, x: float, y: float) -> _Place:
        """The dot that stands for a point."""
        rows = self.rows * self.down
        return self.x.place(x, self.columns * self.across), rows - 1 - self.y.place(y, rows)

    def cell(self, dot: _Place) -> _Place:
        """The character that holds a dot."""
        return dot[0] // self.across, dot[1] // self.down

    def column(self, x: float) -> int:
        """The column of characters at a value."""
        return self.cell(self.dot(x, self.y.low))[0]

    def row(self, y: float) -> int:
        """The row of characters at a value, from the top."""
        return self.cell(self.dot(self.x.low, y))[1]


def plot_of(report: Content, style: Style, rows_of_chart: int = _ROWS) -> str:
    """A report drawn as its `plot` says: a line per value of the `by` columns and y column, a chart per unit of y.

    Its `points` are drawn as `O` in the first chart, each a value of the x column and one of the first y column.
    """
    if not isinstance(report.plot, Plot):
        return "nothing to draw: this answer has no curve"
    drawn = report.replace(rows=[*report.plot.rows, *report.rows]) if report.plot.rows else report
    columns, rows = report.columns, list(checked_rows(drawn))
    x, *by = (column_index(report, key) for key in (report.plot.x, *report.plot.by))
    ys = [column_index(report, key) for key in report.plot.y]
    x_scale = common_scale((row[x] for row in rows), columns[x].unit)
    lines: dict[tuple[Cell, ...], list[tuple[Cell, ...]]] = {}
    for row in rows:
        lines.setdefault(tuple(row[index] for index in by), []).append(row)
    charts: list[str] = []
    for unit in dict.fromkeys(columns[y].unit for y in ys):
        alike = [y for y in ys if columns[y].unit == unit]
        y_scale = common_scale((row[y] for row in rows for y in alike), unit)
        series: list[tuple[str, list[Point]]] = []
        for values, members in lines.items():
            names = [label(columns[index], value, style.ascii) for index, value in zip(by, values, strict=True)]
            names = [name for name in names if name]
            for y in alike:
                points = [(_coordinate(row[x], x_scale), _coordinate(row[y], y_scale)) for row in members]
                series.append((", ".join([*names, title_of(columns[y])]), points))
        y_title = y_scale.heading(", ".join(title_of(columns[y]) for y in alike))
        scaled = [(_coordinate(at, x_scale), _coordinate(value, y_scale)) for at, value in report.plot.points]
        measured = [point for point in scaled if _drawable(point)] if not charts else []
        heading = x_scale.heading(title_of(columns[x]))
        charts.append(chart(series, heading, y_title, style, rows_of_chart, measured))
    return "\n\n".join(charts)


def _coordinate(cell: Cell, scale: Scale) -> float | None:
    return scale.value(cell) if is_number(cell) else None


def chart(
    series: Sequence[tuple[str, Sequence[Point]]], x_title: str, y_title: str, style: Style, rows: int = _ROWS,
    measured: Sequence[tuple[float, float]] = (),
) -> str:  # fmt: skip
    """Named lines over one pair of axes, in at most 80 columns; a sentence where there is no point to draw.

    Measured points are drawn as `O`, over the lines.

    In braille the letter of a line stands at its last point; in ASCII it draws the line, and `*` is where lines meet.
    """
    x_title, y_title = clean(x_title, style.ascii), clean(y_title, style.ascii)
    room = max(_NARROWEST, min(_WIDEST, style.width or _WIDEST))
    present = [(clean(name, style.ascii), line) for name, line in series if any(map(_drawable, line))]
    if not present:
        return "\n".join(fold(f"nothing to draw: no row has a number for both {x_title} and {y_title}", room))
    shown = present[: len(ascii_letters)]
    points = [point for _, line in shown for point in line if _drawable(point)]
    plane = _plane([*points, *measured], room, style, rows)
    trails = [list(_trail(line, plane)) for _, line in shown]
    marks = _letters(trails) if style.ascii else _braille(trails, plane)
    marks |= {plane.cell(plane.dot(*point)): (_MEASURED, None) for point in measured}
    lines = [*fold(y_title, room), *_frame(plane, marks, style)]
    lines += [pad(line, room, right=True) for line in fold(x_title, room)]
    for index, (name, _) in enumerate(shown):
        first, *rest = fold(name, room - 2)
        lines += [f"{_colored(ascii_letters[index], index, style)} {first}", *(f"  {line}" for line in rest)]
    if measured:
        lines.append(f"{_MEASURED} measured")
    if any(character == _MEETING for character, _ in marks.values()):
        lines.append(f"{_MEETING} lines meet")
    if len(present) > len(shown):
        lines.append(f"and {len(present) - len(shown)} more lines, not drawn")
    return "\n".join(line.rstrip() for line in lines)


def _drawable(point: Point) -> TypeGuard[tuple[float, float]]:
    return all(value is not None and abs(value) < _LARGEST for value in point)  # false for NaN as well


def _plane(points: Sequence[tuple[float, float]], room: int, style: Style, rows: int) -> _Plane:
    y = _axis([y for _, y in points], min(_FEWEST_TICKS, max(2, rows // 2)), whole_ticks=True)
    columns = room - max(map(len, y.labels)) - 2
    x = _axis([x for x, _ in points], max(_FEWEST_TICKS, columns // _COLUMNS_PER_TICK), whole_ticks=False)
    return _Plane(x, y, columns, *((1, 1) if style.ascii else (2, 4)), rows)


def _axis(values: Sequence[float], count: int, whole_ticks: bool) -> _Axis:
    """About so many ticks in steps of 1, 2 or 5; with `whole_ticks` the range begins and ends with one."""
    low, high = min(values), max(values)
    if high - low <= max(1e-12 * max(abs(low), abs(high)), 1 / _LARGEST):
        reach = max(abs(low), abs(high)) / 2
        reach = reach if reach > 1 / _LARGEST else 1
        low, high = low - reach, high + reach
    step = _step((high - low) / count)
    outward, inward = math.floor, math.ceil
    first, last = (outward, inward) if whole_ticks else (inward, outward)
    slack = 1e-9 if whole_ticks else -1e-9
    ticks = [k * step for k in range(first(low / step + slack), last(high / step - slack) + 1)]
    digits = math.floor(math.log10(max(map(abs, ticks)))) - math.floor(math.log10(step)) + 1
    labels = tuple(format_number(tick, min(max(digits, 4), 15)) for tick in ticks)
    return _Axis(ticks[0] if whole_ticks else low, ticks[-1] if whole_ticks else high, tuple(ticks), labels)


def _step(least: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is not below a number."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))


def _trail(line: Iterable[Point], plane: _Plane) -> Iterator[_Place]:
    """The dots of a line in the order of its points."""
    places = [plane.dot(*point) if _drawable(point) else None for point in line]
    yield from (place for place in places[:1] if place)
    for start, end in pairwise(places):
        if end:
            yield from _segment(start or end, end)


def _segment(start: _Place, end: _Place) -> Iterator[_Place]:
    """The dots from one to another, without the first; the dot itself where they are the same."""
    (x, y), (to_x, to_y) = start, end
    steps = max(abs(to_x - x), abs(to_y - y), 1)
    for step in range(1, steps + 1):
        yield x + round((to_x - x) * step / steps), y + round((to_y - y) * step / steps)


def _letters(trails: Sequence[Sequence[_Place]]) -> _Marks:
    marks: _Marks = {}
    for index, trail in enumerate(trails):
        for cell in trail:
            known = marks.get(cell, ("", index))[1] == index
            marks[cell] = (ascii_letters[index], index) if known else (_MEETING, None)
    return marks


def _braille(trails: Sequence[Sequence[_Place]], plane: _Plane) -> _Marks:
    dots: dict[_Place, int] = {}
    owners: dict[_Place, int] = {}
    for index, trail in enumerate(trails):
        for x, y in trail:
            cell = plane.cell((x, y))
            dots[cell] = dots.get(cell, 0) | _BRAILLE[y % plane.down][x % plane.across]
            owners[cell] = index
    marks: _Marks = {cell: (chr(0x2800 + bits), owners[cell]) for cell, bits in dots.items()}
    named: set[_Place] = set()
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
    """A text in the colour of a line; its letter says the same to those who see no colour."""
    if index is None or not style.color:
        return text
    return f"\x1b[{_COLORS[index % len(_COLORS)]}m{text}\x1b[0m"
