"""Drawings as SVG: lines, limits and knees over axes, and bars.

`document` makes a file of several drawings, `drawing` an element for a page. There are no scripts, links or style
sheets; colours have sufficient contrast on white, and lines also differ by their dashes and the letters at their ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from string import ascii_letters

from qnet.reports.figure import MOST_LINES, Axis, Bar, BarFigure, Figure, Rule, axis, drawable
from qnet.reports.text import width
from qnet.units import format_number

COLORS = ("#0b5394", "#b34700", "#1b6b33", "#7b2d8b", "#7a5c00", "#a61c3c")
DASHES = ("", "7 3", "2 3", "9 3 2 3", "12 4", "4 2 1 2")
MARKED = "#595959"
_INK, _GRID, _FONT = "#222222", "#dddddd", "sans-serif"
_HALO = 'stroke="#ffffff" stroke-width="3" paint-order="stroke"'
"""White around letters that stand over lines."""
_SIZE, _GLYPH = 12, 6.7
"""Height of letters and largest mean width of one, in pixels."""
_WIDE, _HIGH, _ROW = 720, 300, 17
"""Width of a drawing, height of its axes and of a line of its legend; pixels, a choice of layout."""
_RIGHT, _TICK_X, _TICK_Y = 24, 7, 6
"""The right margin in pixels, and the numbers of ticks of the axes; a choice of layout."""
_EDGE = 12
"""The margin of a file, in pixels."""
_BAR, _GAP, _LONGEST = 14, 6, 30
"""Pixels of a bar and of the space to the next, and characters of a label; a choice of layout."""

Scaled = Callable[[float], float]
"""From a value to its position on the page."""


def drawing(figure: Figure | BarFigure, attributes: str = "") -> str:
    """One drawing as an `svg` element.

    attributes  further attributes of the element, such as `class="wide"`.
    """
    body, height = _bars(figure) if isinstance(figure, BarFigure) else _lines(figure)
    title = figure.title or ("drawing" if isinstance(figure, BarFigure) else f"{figure.y_title}, {figure.x_title}")
    space = f" {attributes}" if attributes else ""
    opening = f'<svg{space} viewBox="0 0 {_WIDE} {height:g}" role="img" font-family="{_FONT}" font-size="{_SIZE}"'
    return "\n".join([f'{opening} fill="{_INK}">', f"<title>{escaped(title)}</title>", *body, "</svg>"])


def document(figures: Sequence[Figure | BarFigure]) -> str:
    """All drawings below each other as an SVG file."""
    heights = [(_bars(item) if isinstance(item, BarFigure) else _lines(item))[1] for item in figures]
    wide, high = _WIDE + 2 * _EDGE, sum(heights) + 2 * _EDGE
    size, corner = f'width="{wide:g}" height="{high:g}"', f"-{_EDGE} -{_EDGE}"
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="{corner} {wide:g} {high:g}">',
        f'<rect x="-{_EDGE}" y="-{_EDGE}" {size} fill="#ffffff"/>',
    ]
    top = 0.0
    for item, height in zip(figures, heights, strict=True):
        lines.append(drawing(item, f'y="{top:g}" width="{_WIDE}" height="{height:g}"'))
        top += height
    return "\n".join([*lines, "</svg>"]) + "\n"


def escaped(text: str) -> str:
    """A text for XML and HTML, between tags or inside quotes."""
    marks = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;"))
    for character, entity in marks:
        text = text.replace(character, entity)
    return "".join(item if item.isprintable() else "\ufffd" for item in text)


def _text(x: float, y: float, text: str, anchor: str = "start", more: str = "") -> str:
    space = f" {more}" if more else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{space}>{escaped(text)}</text>'


def _line(x: float, y: float, to_x: float, to_y: float, color: str, more: str = "") -> str:
    space = f" {more}" if more else ""
    return f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" stroke="{color}"{space}/>'


def _room(text: str) -> float:
    """An upper estimate of the width of a text, in pixels."""
    return _GLYPH * width(text)


def _cut(text: str, room: float) -> str:
    """A text, shortened where it is wider than `room` pixels."""
    if _room(text) <= room:
        return text
    while text and _room(text) > room - _room("..."):
        text = text[:-1]
    return text + "..."


def _heading(title: str) -> tuple[list[str], float]:
    """The title of a drawing, and the height in pixels that it takes."""
    if not title:
        return [], 8.0
    return [_text(0, 16, _cut(title, _WIDE), more='font-weight="bold" font-size="13"')], 26.0


def _lines(figure: Figure) -> tuple[list[str], float]:
    """The elements of a drawing of lines, and its height."""
    body, top = _heading(figure.title)
    if figure.nothing:
        return [*body, _text(0, top + 16, _cut(figure.nothing, _WIDE))], top + 24
    points = [point for line in figure.series for point in line.points if drawable(point)] + [*figure.measured]
    y = axis(
        [*(point[1] for point in points), *(rule.value for rule in figure.level)], _TICK_Y, True, "y" in figure.log
    )
    x = axis(
        [*(point[0] for point in points), *(rule.value for rule in figure.upright)], _TICK_X, False, "x" in figure.log
    )
    body.append(_text(0, top + 12, _cut(figure.y_title, _WIDE)))
    top += 28
    left = max(map(_room, y.labels)) + 12
    labels, lanes = _lanes(figure.upright, x, left)
    top += _ROW * lanes
    foot = top + _HIGH
    wide = _WIDE - left - _RIGHT

    def across(value: float) -> float:
        return left + wide * x.share(value)

    def up(value: float) -> float:
        return foot - _HIGH * y.share(value)

    body += _axes(x, y, left, top, across, up)
    body.append(_text(left + wide, foot + 36, _cut(figure.x_title, wide), "end"))
    for rule in figure.level:
        body.append(_line(left, up(rule.value), left + wide, up(rule.value), MARKED, 'stroke-dasharray="6 4"'))
    for rule, lane, _ in labels:
        at, row = across(rule.value), top - 5 - _ROW * lane
        body.append(_line(at, row - 9, at, foot, MARKED, 'stroke-dasharray="6 4"'))
    for rule, lane, anchor in labels:
        at, row = across(rule.value) + (4 if anchor == "start" else -4), top - 5 - _ROW * lane
        body.append(_text(at, row, rule.label, anchor, f'fill="{MARKED}" {_HALO}'))
    ends: list[tuple[float, float]] = []
    for index, series in enumerate(figure.series[:MOST_LINES]):
        color, dash = COLORS[index % len(COLORS)], DASHES[index % len(DASHES)]
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        for there, run in groupby(series.points, key=drawable):
            pixels = [(across(point[0]), up(point[1])) for point in run if drawable(point)] if there else []
            if len(pixels) > 1:
                path = " ".join(f"{at:.1f},{height:.1f}" for at, height in pixels)
                body.append(
                    f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"'
                    f' stroke-linejoin="round"{dashed}/>'
                )
            elif pixels:
                body.append(f'<circle cx="{pixels[0][0]:.1f}" cy="{pixels[0][1]:.1f}" r="3.5" fill="{color}"/>')
        if len(figure.series) > 1:
            body.append(_letter(series.points, index, across, up, ends, color))
    for at, height in figure.measured:
        body.append(f'<circle cx="{across(at):.1f}" cy="{up(height):.1f}" r="4" fill="#ffffff" stroke="{_INK}"/>')
    for rule in figure.level:
        body.append(_level_label(rule, figure, across, up, left, wide, top))
    legend, height = _legend(figure, foot + 50)
    return [*body, *legend], height


def _axes(x: Axis, y: Axis, left: float, top: float, across: Scaled, up: Scaled) -> Iterator[str]:
    foot, right = top + _HIGH, _WIDE - _RIGHT
    for tick, text in zip(y.ticks, y.labels, strict=True):
        yield _line(left, up(tick), right, up(tick), _GRID)
        yield _text(left - 7, up(tick) + 4, text, "end")
    last = 0.0
    for tick, text in zip(x.ticks, x.labels, strict=True):
        yield _line(across(tick), foot, across(tick), foot + 5, _INK)
        if across(tick) - _room(text) / 2 > last:
            yield _text(across(tick), foot + 19, text, "middle")
            last = across(tick) + _room(text) / 2 + 4
    yield _line(left, foot, right, foot, _INK)
    yield _line(left, top, left, foot, _INK)


def _lanes(rules: Sequence[Rule], x: Axis, left: float) -> tuple[list[tuple[Rule, int, str]], int]:
    """The labels of vertical lines above the drawing: each in the lowest lane where it touches no other label or line.

    Returns   each line with its lane and the anchor of its label, and the number of lanes.
    """
    result: list[tuple[Rule, int, str]] = []
    lanes: list[list[tuple[float, float]]] = []
    wide = _WIDE - left - _RIGHT

    def ended(rule: Rule) -> bool:
        return left + wide * x.share(rule.value) + _room(rule.label) + 10 > _WIDE

    # From the right, so that the lines to labels in higher lanes pass at the left of lower labels. Labels without
    # room at the right of their lines are anchored at their ends, above all labels that they extend over.
    for rule in sorted(rules, key=lambda rule: (ended(rule), rule.value if ended(rule) else -rule.value)):
        at, size = left + wide * x.share(rule.value), _room(rule.label) + 10
        anchor = "end" if ended(rule) else "start"
        span = (at - 2, at + size) if anchor == "start" else (at - size, at + 2)
        lane = 0
        while any(
            start < span[1] and span[0] < end
            for number, each in enumerate(lanes)
            for start, end in each
            if number >= lane
        ):
            lane += 1
        lanes += [[] for _ in range(lane + 1 - len(lanes))]
        lanes[lane].append(span)
        result.append((rule, lane, anchor))
    return result, len(lanes)


def _letter(
    points: Sequence[tuple[float | None, float | None]], index: int, across: Scaled, up: Scaled,
    ends: list[tuple[float, float]], color: str,
) -> str:  # fmt: skip
    """The letter of a line at its last point, or further back along it where another letter is close."""
    pixels = [(across(point[0]), up(point[1])) for point in points if drawable(point)]
    free = (point for point in reversed(pixels) if all(abs(point[0] - at) + abs(point[1] - y) > 16 for at, y in ends))
    point = next(free, pixels[-1])
    ends.append(point)
    more = f'font-weight="bold" fill="{color}" {_HALO}'
    return _text(point[0] + 5, point[1] - 5, ascii_letters[index % len(ascii_letters)], more=more)


def _level_label(
    rule: Rule, figure: Figure, across: Scaled, up: Scaled, left: float, wide: float, top: float
) -> str:  # fmt: skip
    """The label of a horizontal line, at the end further from the curves; below the line at the top of a drawing."""
    row = up(rule.value)
    size = _room(rule.label) + 12

    def nearest(low: float, high: float) -> float:
        pixels = [
            (across(point[0]), up(point[1])) for series in figure.series for point in series.points if drawable(point)
        ]
        return min((abs(height - (row - 8)) for at, height in pixels if low <= at <= high), default=1e9)

    at_left = nearest(left, left + size) >= nearest(left + wide - size, left + wide)
    at, anchor = (left + 6, "start") if at_left else (left + wide - 6, "end")
    return _text(at, row - 5 if row - _ROW > top else row + _ROW - 2, rule.label, anchor, f'fill="{MARKED}" {_HALO}')


def _legend(figure: Figure, top: float) -> tuple[list[str], float]:
    """The legend with remarks on what is not drawn, and the height in pixels at which the drawing ends."""
    result: list[str] = []
    row = top
    several = len(figure.series) > 1
    for index, series in enumerate(figure.series[:MOST_LINES]):
        color, dash = COLORS[index % len(COLORS)], DASHES[index % len(DASHES)]
        more = 'stroke-width="2"' + (f' stroke-dasharray="{dash}"' if dash else "")
        row += _ROW
        result.append(_line(0, row - 4, 34, row - 4, color, more))
        letter = f"{ascii_letters[index % len(ascii_letters)]} " if several else ""
        result.append(_text(42, row, _cut(letter + series.name, _WIDE - 42)))
    if figure.measured:
        row += _ROW
        result.append(f'<circle cx="17" cy="{row - 4:.1f}" r="4" fill="#ffffff" stroke="{_INK}"/>')
        result.append(_text(42, row, "measured"))
    for remark in figure.remarks:
        row += _ROW
        result.append(_text(42, row, _cut(remark, _WIDE - 42)))
    return result, row + 10


def _bars(figure: BarFigure) -> tuple[list[str], float]:
    """The elements of a drawing of bars, and its height."""
    body, top = _heading(figure.title)
    title = figure.names[-1] if len(figure.names) == 1 else ""
    if title:
        body.append(_text(0, top + 12, _cut(title, _WIDE)))
        top += 20
    else:
        for index, name in enumerate(figure.names):
            body.append(f'<rect x="0" y="{top + 3:.1f}" width="28" height="10" fill="{_fill(index, True)}"/>')
            body.append(_text(36, top + 12, _cut(name, _WIDE - 36)))
            top += _ROW
        top += 6
    ends = [figure.base, *(value for bar in figure.bars for value in (bar.low, bar.high))]
    if figure.mark:
        ends.append(figure.mark.value)
        top += _ROW
    low, high = min(ends), max(ends)
    if high - low <= 0:
        high = low + 1.0
    scale = axis([low, high], _TICK_X, outward=True)
    left = max(_room(_cut(bar.name, _GLYPH * _LONGEST)) for bar in figure.bars) + 12
    values = [_value(bar, figure) for bar in figure.bars]
    wide = _WIDE - left - max(map(_room, values)) - 14

    def across(value: float) -> float:
        return left + wide * scale.share(value)

    foot = top + len(figure.bars) * (_BAR + _GAP) + _GAP
    for tick, text in zip(scale.ticks, scale.labels, strict=True):
        body.append(_line(across(tick), top, across(tick), foot, _GRID))
        body.append(_text(across(tick), foot + 16, text, "middle"))
    for index, (bar, text) in enumerate(zip(figure.bars, values, strict=True)):
        row = top + _GAP + index * (_BAR + _GAP)
        paired = len(figure.names) > 1
        sides = ((bar.low, 0), (bar.high, 1)) if paired else ((bar.high, 0),)
        for value, side in sorted(sides, key=lambda item: (-abs(item[0] - figure.base), -item[1])):  # shorter on top
            start, end = sorted((across(figure.base), across(value)))
            body.append(
                f'<rect x="{start:.1f}" y="{row:.1f}" width="{end - start:.1f}" height="{_BAR}"'
                f' fill="{_fill(side, paired)}"/>'
            )
        body.append(_text(left - 8, row + 11, _cut(bar.name, _GLYPH * _LONGEST), "end"))
        reach = max(across(value) for value in (figure.base, bar.low, bar.high))
        body.append(_text(reach + 5, row + 11, text))
    body.append(_line(across(figure.base), top, across(figure.base), foot, _INK))
    if figure.mark:
        at = across(figure.mark.value)
        body.append(_line(at, top - 4, at, foot, MARKED))
        body.append(_text(at, top - 6, _cut(figure.mark.label, _WIDE / 2), "middle"))
    if figure.left_out:
        foot += _ROW
        body.append(_text(left, foot + 20, f"and {figure.left_out} more, not drawn"))
    return body, foot + 26


def _fill(side: int, paired: bool) -> str:
    """The colour of an end of bars: the first dark, the second lighter."""
    return COLORS[0] if not paired or side == 0 else "#e69138"


def _value(bar: Bar, figure: BarFigure) -> str:
    if len(figure.names) > 1 and bar.low != bar.high:
        second = bar.high - bar.low if figure.stacked else bar.high
        return f"{format_number(bar.low)}, {format_number(second)}"
    return format_number(bar.high)
