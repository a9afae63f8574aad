"""Limits and knees in text charts: lines with their labels beside them, within 80 columns and 24 lines."""

from __future__ import annotations

import pytest
from many import many

from qnet.reports.chart import drawn, plot_of
from qnet.reports.content import Column, Mark, Plot, Style
from qnet.reports.figure import Point, Rule, figures_of, made
from qnet.reports.report import Report

BRAILLE, ASCII = Style(), Style(ascii=True)
STYLES = [BRAILLE, ASCII]
CURVE: list[Point] = [(float(x), 1 / (1 - x / 100)) for x in range(0, 100, 2)]
KNEES = [Rule(50.0, "power 50"), Rule(90.0, "saturation 90"), Rule(52.0, "curvature 52"), Rule(97.0, "last one 97")]


def text(style: Style, upright: list[Rule] | None = None, level: list[Rule] | None = None, **more: str) -> str:
    figure = made([("response", CURVE)], "rate", "response", style.ascii, more.get("title", ""),
                  upright=upright or [], level=level or [], log=more.get("log", ""))  # fmt: skip
    return drawn(figure, style)


@many("style", STYLES)
@pytest.mark.parametrize("log", ["", "x", "y", "xy"])
def test_a_chart_with_title_knees_and_limit_fits_a_screen(style: Style, log: str) -> None:
    lines = text(style, KNEES, [Rule(10.0, "response <= 10 s")], title="response and knees", log=log).splitlines()
    assert len(lines) <= 23
    assert max(map(len, lines)) <= 80
    assert lines[0] == "response and knees"


@many("style", STYLES)
def test_every_label_stands_at_its_line(style: Style) -> None:
    sign = ":" if style.ascii else "┆"
    shown = text(style, KNEES)
    assert all(f"{sign}{rule.label}" in shown or f"{rule.label}{sign}" in shown for rule in KNEES)


@many("style", STYLES)
def test_a_limit_is_a_horizontal_line_with_its_label_on_it(style: Style) -> None:
    sign = "-" if style.ascii else "┄"
    line = next(line for line in text(style, level=[Rule(10.0, "response <= 10 s")]).splitlines() if "<= 10" in line)
    assert f"{sign}response <= 10 s{sign}" in line
    assert line.count(sign) > 40


@many("style", STYLES)
def test_marks_cover_no_point_of_a_curve(style: Style) -> None:
    curve = "a" if style.ascii else "⠀"

    def points(shown: str) -> int:
        rows = [
            line.partition("|" if style.ascii else "│")[2] for line in shown.splitlines() if "|" in line or "│" in line
        ]
        return sum(character == curve if style.ascii else character > "⠀" for row in rows for character in row)

    inside = [Rule(50.0, "power 50"), Rule(70.0, "other 70")]
    assert points(text(style, inside)) == points(text(style))


def test_a_label_without_room_stands_in_the_legend() -> None:
    long = Rule(50.0, "a limit with a name " * 6)
    assert text(ASCII, [long]).splitlines()[-1].startswith(": a limit with")


def test_a_mark_far_outside_does_not_flatten_the_curve() -> None:
    assert text(ASCII, level=[Rule(1e9, "far")]) == f"{text(ASCII)}\noutside the drawing: far"


def test_points_without_a_place_on_a_logarithmic_axis_are_counted() -> None:
    assert text(ASCII, log="x").splitlines()[-1] == "and 1 points that are not above 0, not drawn"


def test_nothing_above_0_on_a_logarithmic_axis_is_a_sentence() -> None:
    figure = made([("response", [(0.0, 1.0), (-1.0, 2.0)])], "rate", "response", log="x")
    assert drawn(figure, ASCII) == "nothing to draw: no row has a number above 0 for both rate and response"


def test_marks_take_the_unit_of_their_axis() -> None:
    columns = (Column("rate", "rate", "/s"), Column("response", "response", "s"))
    marks = (Mark("response", 0.02, "20 ms"), Mark("rate", 150.0, "knee"), Mark("other", 1.0, "not drawn"))
    plot = Plot("rate", ("response",), title="{figures} along rate", marks=marks)
    report = Report("qnet/x/1", "x", columns, [(100.0, 0.01), (200.0, 0.03)], plot=plot)
    (figure,) = figures_of(report)
    assert (figure.level, figure.upright) == ((Rule(20.0, "20 ms"),), (Rule(150.0, "knee"),))
    assert plot_of(report, ASCII).splitlines()[:2] == ["response along rate", "response (ms)"]


def test_curves_alone_leave_out_the_rows_of_the_report() -> None:
    columns = (Column("n", "n"), Column("x", "x"))
    plot = Plot("n", ("x",), rows=[(1, 1.0), (2, 2.0)], curves=True)
    (figure,) = figures_of(Report("qnet/x/1", "x", columns, [(9, 9.0)], plot=plot))
    assert figure.series[0].points == [(1, 1.0), (2, 2.0)]
