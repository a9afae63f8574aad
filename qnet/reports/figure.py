"""Figures, whatever the format: lines, measured points, limits and knees over axes, or bars, in the units shown.

An axis is a range of values, linear or logarithmic, with ticks at round numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TypeGuard

from qnet.record import Record
from qnet.reports.cells import Scale, column_index, common_scale, is_number, label, title_of
from qnet.reports.columns import checked_rows
from qnet.reports.content import Bars, Cell, Content, Plot, Style
from qnet.reports.text import clean
from qnet.units import format_number

LARGEST = 1e300
"""Larger numbers cannot be subtracted safely, and interrupt the line."""
_MOST_DIGITS = 15
"""The decimal digits that every float has."""
_LONGEST_LABEL = 7
"""Characters of the longest label that is never shortened by an exponent."""


class Axis(Record):
    """A range of values and its ticks."""

    low: float
    high: float
    ticks: tuple[float, ...]
    labels: tuple[str, ...]
    log: bool = False

    def share(self, value: float) -> float:
        """How far along the axis a value is: 0 at its low end, 1 at its high end."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def position(self, value: float, count: int) -> int:
        """Which of `count` cells represents a value, numbered from the low end."""
        return round(self.share(value) * (count - 1))


def axis(values: Sequence[float], count: int, outward: bool, log: bool = False) -> Axis:
    """An axis over some values with about `count` ticks.

    outward  whether the range is extended to begin and end with a tick.
    log      whether the scale is logarithmic; all values are positive then.
    """
    return _logarithmic(values, count, outward) if log else _linear(values, count, outward)


def _linear(values: Sequence[float], count: int, outward: bool) -> Axis:
    """Ticks in steps of 1, 2 or 5 times a power of ten."""
    low, high = min(values), max(values)
    if high - low <= max(1e-12 * max(abs(low), abs(high)), 1 / LARGEST):
        reach = max(abs(low), abs(high)) / 2
        reach = reach if reach > 1 / LARGEST else 1
        low, high = low - reach, high + reach
    ticks = _steps(low, high, count, outward)
    labels = _labels(ticks)
    return Axis(ticks[0] if outward else low, ticks[-1] if outward else high, tuple(ticks), labels)


def _steps(low: float, high: float, count: int, outward: bool) -> list[float]:
    """The multiples of a step in a range; `outward`: up to those just outside."""
    step = _step((high - low) / count)
    first, last = (math.floor, math.ceil) if outward else (math.ceil, math.floor)
    slack = 1e-9 if outward else -1e-9
    return [k * step for k in range(first(low / step + slack), last(high / step - slack) + 1)]


def _step(least: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is not below a number."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))


def _labels(ticks: Sequence[float]) -> tuple[str, ...]:
    """The labels of ticks, with the digits that distinguish them; with exponents where that shortens long labels."""
    step = min((abs(second - first) for first, second in pairwise(ticks)), default=abs(ticks[0]))
    digits = math.floor(math.log10(max(map(abs, ticks)))) - math.floor(math.log10(step)) + 1
    digits = min(max(digits, 4), _MOST_DIGITS)
    plain = tuple(_without_plus(format_number(tick, digits)) for tick in ticks)
    short = tuple(_with_exponent(tick, digits) for tick in ticks)
    longest = max(map(len, plain))
    return short if longest > _LONGEST_LABEL and max(map(len, short)) < longest else plain


def _logarithmic_label(tick: float) -> str:
    """The label of a tick, with an exponent where the plain number is long."""
    plain = _without_plus(format_number(tick))
    return plain if len(plain) <= _LONGEST_LABEL else _with_exponent(tick, 4)


def _with_exponent(tick: float, digits: int) -> str:
    """A number such as `2.5e9`."""
    mantissa, _, exponent = f"{tick:.{digits - 1}e}".partition("e")
    mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}e{int(exponent)}" if tick else "0"


def _without_plus(text: str) -> str:
    """`1e20` for `1e+20`."""
    mantissa, mark, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if mark else text


def _logarithmic(values: Sequence[float], count: int, outward: bool) -> Axis:
    """Ticks at powers of ten, at 1, 2 and 5 times them, or in even steps, whichever suits the range."""
    low, high = min(values), max(values)
    if high <= low * (1 + 1e-9):
        low, high = low / 2, high * 2
    best: list[float] = []
    for factors, every in (
        ((1, 2, 5), 1),
        ((1, 5), 1),
        *(((1,), every) for every in (1, 2, 3, 4, 5, 6, 8, 10, 20, 50, 100)),
    ):
        best = _powers(low, high, factors, every, outward)
        if len(best) <= count + 1:
            break
    if len(best) < 3:  # a short range: even steps are the round numbers in it
        best = [tick for tick in _steps(low, high, count, outward) if tick > 0]
        if outward and best and best[0] > low:
            best = [low, *best]
    if not best:
        best = [low, high]
    low, high = (best[0], best[-1]) if outward else (low, high)
    return Axis(low, high, tuple(best), tuple(map(_logarithmic_label, best)), log=True)


def _powers(low: float, high: float, factors: Sequence[int], every: int, outward: bool) -> list[float]:
    """Some factors times every n-th power of ten in a range, n = `every`; `outward`: up to those just outside."""
    first, last = math.floor(math.log10(low)) - every, math.ceil(math.log10(high)) + every
    powers = [power for power in range(first, last + 1) if power % every == 0]
    grid = [factor * 10.0**power for power in powers for factor in factors if -308 < power < 308]
    slack = 1e-9
    inside = [tick for tick in grid if low * (1 - slack) <= tick <= high * (1 + slack)]
    if not outward:
        return inside
    below = [tick for tick in grid if tick < low * (1 - slack)]
    above = [tick for tick in grid if tick > high * (1 + slack)]
    starts = [] if inside and inside[0] <= low * (1 + slack) else below[-1:] or [low]
    ends = [] if inside and inside[-1] >= high * (1 - slack) else above[:1] or [high]
    return [*starts, *inside, *ends]


Point = tuple[float | None, float | None]
"""A point of a line; with None in it, an interruption."""


MOST_BARS = 40
"""Bars of one figure; a choice of layout."""
MOST_LINES = 52
"""Lines drawn in one figure, as many as there are letters for them; the rest is counted."""


class Series(Record):
    """A named line."""

    name: str
    points: Sequence[Point]


class Rule(Record):
    """A straight line across a drawing, with its label: a limit or a knee."""

    value: float
    label: str


class Figure(Record):
    """One pair of axes and what is drawn over it; all texts are clean."""

    title: str
    x_title: str
    y_title: str
    series: tuple[Series, ...]
    """The lines that have a point."""
    measured: tuple[tuple[float, float], ...] = ()
    upright: tuple[Rule, ...] = ()
    """Vertical lines at values of x."""
    level: tuple[Rule, ...] = ()
    """Horizontal lines at values of y."""
    log: str = ""
    """The axes with a logarithmic scale: `x`, `y` or `xy`."""
    left_out: int = 0
    """The number of points that a logarithmic axis cannot show."""
    empty: tuple[str, ...] = ()
    """The names of lines that have values of x, but no point."""
    outside: tuple[str, ...] = ()
    """The labels of marks that are too far from the lines to be drawn."""

    @property
    def remarks(self) -> list[str]:
        """Lines of the legend that name what is not drawn."""
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
        """The text instead of a drawing without any point; empty where there is one."""
        if self.series:
            return ""
        positive = " above 0" if self.log else ""
        return f"nothing to draw: no row has a number{positive} for both {self.x_title} and {self.y_title}"


class Bar(Record):
    """One bar and its two ends, which are equal where it has one."""

    name: str
    low: float
    high: float


class BarFigure(Record):
    """A block of bars that begin at a common value."""

    title: str
    names: tuple[str, ...]
    """The names of the ends of a bar, one or two."""
    bars: tuple[Bar, ...]
    base: float = 0.0
    left_out: int = 0
    """The number of bars for which there is no room."""
    mark: Rule | None = None
    """A value marked across all bars."""
    stacked: bool = False
    """Whether the second name is that of the part between the two ends."""


def drawable(point: Point) -> TypeGuard[tuple[float, float]]:
    """Whether a point can be drawn."""
    return all(value is not None and abs(value) < LARGEST for value in point)  # false for NaN as well


def fits(point: Point, log: str) -> TypeGuard[tuple[float, float]]:
    """Whether a point can be drawn over axes of which those in `log` are logarithmic."""
    return drawable(point) and not ("x" in log and point[0] <= 0) and not ("y" in log and point[1] <= 0)


def made(
    series: Sequence[tuple[str, Sequence[Point]]], x_title: str, y_title: str, ascii: bool = False, title: str = "",
    measured: Sequence[tuple[float, float]] = (), upright: Sequence[Rule] = (), level: Sequence[Rule] = (),
    log: str = "",
) -> Figure:  # fmt: skip
    """A figure of clean texts; lines are interrupted at points that a logarithmic axis cannot show.

    Limits and knees further from the values than these are from each other are not drawn, but named.
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
    """Whether a mark is in the range of some values, or at most as far outside as the range is wide."""
    if not values or (log and rule.value <= 0):
        return False
    low, high = min(values), max(values)
    reach = (high - low) or abs(high) or 1.0
    return low - reach <= rule.value <= high + reach


def figures_of(report: Content, ascii: bool = False) -> list[Figure]:
    """The figures of a report as its `plot` says: one per unit of y, measured points in the first.

    Each has a line per y column and combination of values of the `by` columns. Empty where the plot has no lines.
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
        of_unit = [y for y in ys if columns[y].unit == unit]
        y_scale = common_scale((row[y] for row in rows for y in of_unit), unit)
        series: list[tuple[str, list[Point]]] = []
        for values, members in lines.items():
            labels = [label(columns[index], value, Style(ascii=ascii)) for index, value in zip(by, values, strict=True)]
            labels = [text for text in labels if text]
            for y in of_unit:
                points = [(_coordinate(row[x], x_scale), _coordinate(row[y], y_scale)) for row in members]
                named = labels if labels and len(of_unit) == 1 else [*labels, title_of(columns[y])]
                series.append((", ".join(named), points))
        scaled = [(_coordinate(at, x_scale), _coordinate(value, y_scale)) for at, value in plot.points]
        keys = [columns[y].key for y in of_unit]
        names = ", ".join(title_of(columns[y]) for y in of_unit)
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
    """The bars of a report as its `plot` says: one block per value of the `by` column, each in the unit that suits it.

    A block without numbers has no bars. Empty where the plot has no bars.
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
