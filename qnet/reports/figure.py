"""What is drawn, by any format: lines, measured points and marks over a pair of axes, in the units that are shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from qnet.record import Record
from qnet.reports.axes import LARGEST
from qnet.reports.cells import Scale, column_index, common_scale, is_number, label, title_of
from qnet.reports.columns import checked_rows
from qnet.reports.content import Bars, Cell, Content, Plot, Style
from qnet.reports.text import clean

Point = tuple[float | None, float | None]
"""A place on a line; with None in it, an interruption."""


MOST_BARS = 40
"""Of one figure; a choice of layout."""
MOST_LINES = 52
"""What is drawn in one figure; the rest is counted. There are as many letters for lines."""


class Series(Record):
    """A named line."""

    name: str
    points: Sequence[Point]


class Rule(Record):
    """A straight line across a drawing, with its label: a limit or a knee."""

    value: float
    label: str


class Figure(Record):
    """One pair of axes and what stands over it; all texts are clean."""

    title: str
    x_title: str
    y_title: str
    series: tuple[Series, ...]
    """Those that have a point."""
    measured: tuple[tuple[float, float], ...] = ()
    upright: tuple[Rule, ...] = ()
    """Vertical lines at values of x."""
    level: tuple[Rule, ...] = ()
    """Horizontal lines at values of y."""
    log: str = ""
    """The axes with a logarithmic scale: `x`, `y` or `xy`."""
    left_out: int = 0
    """Points that a logarithmic axis has no place for."""
    empty: tuple[str, ...] = ()
    """The names of lines that have values of x, and no point."""
    outside: tuple[str, ...] = ()
    """The labels of marks that are too far from the lines to be drawn."""

    @property
    def remarks(self) -> list[str]:
        """What is not drawn, as sentences for the legend."""
        result: list[str] = []
        if len(self.series) > MOST_LINES:
            result.append(f"and {len(self.series) - MOST_LINES} more lines, not drawn")
        if self.left_out:
            result.append(f"and {self.left_out} points that are not above 0, not drawn")
        if self.empty:
            more = f" and {len(self.empty) - 3} more" if len(self.empty) > 3 else ""
            result.append(f"no points to draw: {'; '.join(self.empty[:3])}{more}")
        if self.outside:
            result.append(f"outside the drawing: {'; '.join(self.outside)}")
        return result

    @property
    def nothing(self) -> str:
        """What to say where there is no point to draw; empty where there is one."""
        if self.series:
            return ""
        positive = " above 0" if self.log else ""
        return f"nothing to draw: no row has a number{positive} for both {self.x_title} and {self.y_title}"


class Bar(Record):
    """One bar: both its ends, or only the second where there is one."""

    name: str
    low: float
    high: float


class BarFigure(Record):
    """A block of bars that begin at a common value."""

    title: str
    names: tuple[str, ...]
    """What the ends of a bar are: one, or the first and the second."""
    bars: tuple[Bar, ...]
    base: float = 0.0
    left_out: int = 0
    """Bars for which there is no room."""
    mark: Rule | None = None
    """A value that is marked across all bars."""
    stacked: bool = False
    """Whether the second name is that of what lies between the ends."""


def drawable(point: Point) -> TypeGuard[tuple[float, float]]:
    """Whether a point has a place on a drawing."""
    return all(value is not None and abs(value) < LARGEST for value in point)  # false for NaN as well


def fits(point: Point, log: str) -> TypeGuard[tuple[float, float]]:
    """Whether a point has a place on axes of which some have a logarithmic scale."""
    return drawable(point) and not ("x" in log and point[0] <= 0) and not ("y" in log and point[1] <= 0)


def made(
    series: Sequence[tuple[str, Sequence[Point]]], x_title: str, y_title: str, ascii: bool = False, title: str = "",
    measured: Sequence[tuple[float, float]] = (), upright: Sequence[Rule] = (), level: Sequence[Rule] = (),
    log: str = "",
) -> Figure:  # fmt: skip
    """A figure of clean texts, interrupted where a logarithmic axis has no place for a point.

    Marks that would stretch a drawing to more than twice its size are not drawn, but named.
    """
    every = [point for _, line in series for point in line if drawable(point)]
    left_out = sum(not fits(point, log) for point in every)
    kept = [(name, [point if fits(point, log) else (None, None) for point in line]) for name, line in series]
    shown = tuple(Series(clean(name, ascii), line) for name, line in kept if any(map(drawable, line)))
    empty = tuple(
        clean(name, ascii)
        for name, line in series
        if any(x is not None for x, _ in line) and not any(fits(point, log) for point in line)
    )
    points = [point for line in shown for point in line.points if drawable(point)]
    inside = tuple(point for point in measured if fits(point, log))
    xs, ys = ([point[index] for point in (*points, *inside)] for index in (0, 1))
    marks = [
        (rule.replace(label=clean(rule.label, ascii)), _is_near(rule, values, letter in log), letter)
        for rules, values, letter in ((upright, xs, "x"), (level, ys, "y"))
        for rule in rules
    ]
    return Figure(
        title=clean(title, ascii),
        x_title=clean(x_title, ascii),
        y_title=clean(y_title, ascii),
        series=shown,
        measured=inside,
        upright=tuple(rule for rule, near, letter in marks if near and letter == "x"),
        level=tuple(rule for rule, near, letter in marks if near and letter == "y"),
        log=log,
        left_out=left_out,
        empty=empty,
        outside=tuple(rule.label for rule, near, _ in marks if not near),
    )


def _is_near(rule: Rule, values: Sequence[float], log: bool) -> bool:
    """Whether a mark stands in the range of some values, or not far outside."""
    if not values or (log and rule.value <= 0):
        return False
    low, high = min(values), max(values)
    reach = (high - low) or abs(high) or 1.0
    return low - reach <= rule.value <= high + reach


def figures_of(report: Content, ascii: bool = False) -> list[Figure]:
    """The drawings of a report as its `plot` says: a line per value of the `by` columns and y column.

    There is one for every unit of y; measured points stand in the first one.
    """
    plot = report.plot
    if not isinstance(plot, Plot):
        return []
    listed = plot.rows if plot.curves else [*plot.rows, *report.rows]
    columns, rows = report.columns, list(checked_rows(report.replace(rows=listed)))
    x, *by = (column_index(report, key) for key in (plot.x, *plot.by))
    ys = [column_index(report, key) for key in plot.y]
    x_scale = common_scale((row[x] for row in rows), columns[x].unit)
    lines: dict[tuple[Cell, ...], list[tuple[Cell, ...]]] = {}
    for row in rows:
        lines.setdefault(tuple(row[index] for index in by), []).append(row)
    result: list[Figure] = []
    for unit in dict.fromkeys(columns[y].unit for y in ys):
        identical = [y for y in ys if columns[y].unit == unit]
        y_scale = common_scale((row[y] for row in rows for y in identical), unit)
        series: list[tuple[str, list[Point]]] = []
        for values, members in lines.items():
            labels = [label(columns[index], value, Style(ascii=ascii)) for index, value in zip(by, values, strict=True)]
            labels = [text for text in labels if text]
            for y in identical:
                points = [(_coordinate(row[x], x_scale), _coordinate(row[y], y_scale)) for row in members]
                named = labels if labels and len(identical) == 1 else [*labels, title_of(columns[y])]
                series.append((", ".join(named), points))
        scaled = [(_coordinate(at, x_scale), _coordinate(value, y_scale)) for at, value in plot.points]
        keys = [columns[y].key for y in identical]
        names = ", ".join(title_of(columns[y]) for y in identical)
        result.append(
            made(
                series,
                x_scale.heading(title_of(columns[x])),
                y_scale.heading(names),
                ascii,
                plot.title.replace("{figures}", names),
                [point for point in scaled if drawable(point)] if not result else [],
                _rules(plot, [plot.x], x_scale),
                _rules(plot, keys, y_scale),
                plot.log,
            )
        )
    return result


def _rules(plot: Plot, keys: Sequence[str], scale: Scale) -> list[Rule]:
    return [Rule(scale.value(mark.value), mark.label) for mark in plot.marks if mark.column in keys]


def _coordinate(cell: Cell, scale: Scale) -> float | None:
    return scale.value(cell) if is_number(cell) else None


def bar_figures_of(report: Content, ascii: bool = False) -> list[BarFigure]:
    """The blocks of bars of a report as its `plot` says, in the unit that suits them; empty where it has none.

    A block is a value of the `by` column; one without numbers has no bars.
    """
    bars = report.plot
    if not isinstance(bars, Bars):
        return []
    named, by = column_index(report, bars.name), column_index(report, bars.by)
    ends = [column_index(report, key) for key in bars.ends]
    base = column_index(report, bars.base) if bars.base else None
    stated = column_index(report, bars.unit) if bars.unit else None
    blocks: dict[Cell, list[tuple[Cell, ...]]] = {}
    for row in checked_rows(report):
        if not bars.only or row[by] in bars.only:
            block = blocks.setdefault(row[by], [])
            if all(is_number(row[end]) for end in ends) and not (bars.changed and not any(row[end] for end in ends)):
                block.append(row)
    result: list[BarFigure] = []
    for value, rows in blocks.items():
        unit = str(rows[0][stated] or "") if stated is not None and rows else report.columns[ends[0]].unit
        scale = common_scale((row[end] for row in rows for end in ends), unit)
        drawn = [
            Bar(clean(str(row[named] or ""), ascii), *(_shown(row[end], scale) for end in (ends[0], ends[-1])))
            for row in rows[:MOST_BARS]
        ]
        called = bars.names or tuple(title_of(report.columns[end]) for end in ends)
        names = tuple(clean(scale.heading(name), ascii) for name in called)
        mark = Rule(scale.value(bars.mark.value), clean(bars.mark.label, ascii)) if bars.mark else None
        heading = label(report.columns[by], value, Style(ascii=ascii))
        start = _shown(rows[0][base], scale) if base is not None and rows else 0.0
        figure = BarFigure(heading, names, bars=tuple(drawn), base=start, left_out=len(rows) - len(drawn), mark=mark)
        result.append(figure.replace(stacked=bars.stacked))
    return result


def _shown(cell: Cell, scale: Scale) -> float:
    return scale.value(cell) if is_number(cell) else 0.0
