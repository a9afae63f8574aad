"""The chart: it fits, its extremes stand where the axes say, and no line needs colour to be told apart."""

from __future__ import annotations

import math
import re
from itertools import pairwise

import pytest
from many import many

from qnet.reports.chart import Point, chart, drawn, plot_of
from qnet.reports.content import Column, Plot, Style
from qnet.reports.figure import made
from qnet.reports.render import render
from qnet.reports.report import Report

BRAILLE, ASCII = Style(), Style(ascii=True)
STYLES = [BRAILLE, ASCII]
COLOR = re.compile(r"\x1b\[[0-9;]*m")
LINE: list[Point] = [(float(x), 100.0 * x * x) for x in range(11)]


def rows(text: str) -> list[tuple[str, str]]:
    """The rows of the drawing: the label at the left and what is drawn."""
    above = re.split(r"^ *(?:└─|\+-|\+\+|└┬)", text, flags=re.MULTILINE)[0]
    found = re.findall(r"^( *\S*) [┤│+|](.*)$", above, re.MULTILINE)
    return [(label.strip(), drawn) for label, drawn in found]


def extent(text: str) -> list[int]:
    """The rows in which anything is drawn."""
    return [index for index, (_, drawn) in enumerate(rows(text)) if drawn.strip()]


@many("style", STYLES)
@pytest.mark.parametrize("width", [None, 200, 80, 60, 40, 10])
def test_it_fits_and_is_at_least_40_columns(style: Style, width: int | None, sweep: Report) -> None:
    longest = max(map(len, plot_of(sweep, style.replace(width=width)).splitlines()))
    assert 30 < longest <= max(40, min(80, width or 80))


@many("style", STYLES)
def test_it_is_about_twenty_rows_high(style: Style) -> None:
    assert 15 <= len(chart([("line", LINE)], "x", "y", style).splitlines()) <= 24


@many("style", STYLES)
def test_largest_and_smallest_stand_at_the_rows_of_their_labels(style: Style) -> None:
    text = chart([("line", LINE)], "x", "y", style)
    labels = {label: row for row, (label, _) in enumerate(rows(text)) if label}
    assert (extent(text)[0], extent(text)[-1]) == (labels["10000"], labels["0"])


@many("style", STYLES)
def test_first_and_last_stand_at_the_ends(style: Style) -> None:
    drawn = [line for _, line in rows(chart([("line", LINE)], "x", "y", style))]
    assert drawn[-1][0] != " "
    assert len(drawn[0]) == max(map(len, drawn))


@many("style", STYLES)
def test_a_line_goes_up_from_left_to_right(style: Style) -> None:
    drawn = [line for _, line in rows(chart([("line", [(0.0, 0.0), (1.0, 1.0)])], "x", "y", style))]
    starts = [len(line) - len(line.lstrip()) for line in drawn]
    assert starts == sorted(starts, reverse=True)


@many("style", STYLES)
@pytest.mark.parametrize("factor", [1e-12, 0.003, 1.0, 7.0, 1e9, 1e200])
def test_ticks_go_in_steps_of_1_2_5(style: Style, factor: float) -> None:
    text = chart([("line", [(x, y * factor) for x, y in LINE if x is not None and y is not None])], "x", "y", style)
    labels = [float(label) for label, _ in rows(text) if label]
    steps = {f"{high - low:.2e}" for high, low in pairwise(labels)}
    assert 2 <= len(labels) <= 12
    assert len(steps) == 1
    assert float(steps.pop().partition("e")[0]) in (1, 2, 5)


@pytest.mark.parametrize("low", [0.0, -3.0, 1e6])
def test_labels_below_tell_where_the_ticks_are(low: float) -> None:
    lines = chart([("line", [(low, 0.0), (low + 10, 1.0)])], "x", "y", ASCII).splitlines()
    axis = next(index for index, line in enumerate(lines) if line.strip().startswith(("+-", "++")))
    origin, *ticks = (match.start() for match in re.finditer(r"\+", lines[axis]))
    labels = {float(match[0]): range(match.start(), match.end()) for match in re.finditer(r"\S+", lines[axis + 1])}
    columns = len(lines[axis]) - origin - 1
    places = {value: origin + 1 + round((value - low) / 10 * (columns - 1)) for value in labels}
    assert len(labels) >= 2
    assert all(place in ticks and place in labels[value] for value, place in places.items())


@many("style", STYLES)
def test_labels_tell_large_numbers_with_a_small_range_apart(style: Style) -> None:
    text = chart([("line", [(0.0, 1_000_000.0), (1.0, 1_000_000.5)])], "x", "y", style)
    labels = [label for label, _ in rows(text) if label]
    assert len(labels) == len(set(labels))


@many("style", STYLES)
@pytest.mark.parametrize(
    "points",
    [
        [(1.0, 5.0)],
        [(1.0, 0.0)],
        [(0.0, 7.0), (1.0, 7.0), (2.0, 7.0)],
        [(3.0, 1.0), (3.0, 2.0)],
        [(0.0, 1e-320), (1.0, 0.0)],
        [(0.0, -1e299), (1.0, 1e299)],
        [(0.0, 1e9), (1.0, 1e9 * (1 + 1e-15))],
        [(float(x), math.sin(x)) for x in range(5000)],
    ],
    ids=["point", "zero", "constant", "upright", "tiny", "huge", "nearly constant", "many"],
)
def test_odd_lines_are_drawn(style: Style, points: list[Point]) -> None:
    text = chart([("line", points)], "x", "y", style)
    assert extent(text)
    assert max(map(len, text.splitlines())) <= 80


@many("style", STYLES)
def test_a_gap_is_not_drawn(style: Style) -> None:
    ends: list[Point] = [(0.0, 0.0), (1.0, 0.0), (5.0, None), (9.0, 1.0), (10.0, 1.0)]
    drawn = [line for _, line in rows(chart([("line", ends)], "x", "y", style))]
    assert all(line[20:60].strip() == "" for line in drawn)


@pytest.mark.parametrize("missing", [None, math.nan, math.inf, -math.inf, 1e305])
def test_what_is_no_number_is_a_gap(missing: float | None) -> None:
    text = chart([("line", [(0.0, 0.0), (5.0, missing), (10.0, 1.0)])], "x", "y", BRAILLE)
    assert text == chart([("line", [(0.0, 0.0), (5.0, None), (10.0, 1.0)])], "x", "y", BRAILLE)


@pytest.mark.parametrize("series", [[], [("line", [])], [("line", [(None, 1.0), (1.0, None)])]])
def test_without_points_it_says_so(series: list[tuple[str, list[Point]]]) -> None:
    assert (
        chart(series, "rate", "response", BRAILLE) == "nothing to draw: no row has a number for both rate and response"
    )


@many("style", STYLES)
def test_a_line_without_points_is_named_below_the_legend(style: Style) -> None:
    lines = chart([("line", LINE), ("empty", [(1.0, None), (2.0, math.inf)])], "x", "y", style).splitlines()
    assert lines[-2:] == ["a line", "no points to draw: empty"]


@many("style", STYLES)
def test_a_point_between_interruptions_is_the_letter_of_its_line(style: Style) -> None:
    points: list[Point] = [(0.0, 0.0), (1.0, 1.0), (2.0, math.inf), (3.0, 5.0), (4.0, math.nan), (5.0, 2.0)]
    drawn = [line for _, line in rows(chart([("line", points)], "x", "y", style))]
    assert drawn[0].strip() == "a"  # (3, 5), the highest
    assert [line.rstrip()[-1] for line in drawn if len(line.rstrip()) == max(map(len, drawn))] == ["a"]  # (5, 2)


ODD: dict[str, list[Point]] = {
    "one": [(3.0, 4.0)],
    "zero": [(0.0, 0.0)],
    "equal": [(x, 0.0123456789) for x in (1.0, 2.0, 3.0)],
    "upright": [(2.0, y) for y in (1.0, 2.0, 3.0)],
    "wide": [(10.0**k, 10.0**-k) for k in range(-12, 13)],
    "far": [(x, 1e12 + x) for x in (1.0, 2.0, 3.0)],
    "unstable": [(1.0, 1.0), (2.0, 2.0), (3.0, math.inf), (4.0, None), (5.0, math.nan)],
    "negative": [(-5.0, -1e9), (5.0, 3.0)],
}


@many("style", STYLES)
@pytest.mark.parametrize("log", ["", "xy"])
@many("odd", ODD)
def test_odd_points_are_drawn_in_24_lines_of_80_columns_with_an_axis_that_can_be_read(
    odd: str, log: str, style: Style
) -> None:
    text = drawn(made([("line", ODD[odd])], "rate (/s)", "response (ms)", style.ascii, "title", log=log), style)
    if text.startswith("nothing to draw"):
        assert odd == "zero" and log
        return
    assert len(text.splitlines()) < 24
    assert max(map(len, text.splitlines())) <= 80
    labels = [label for label, _ in rows(text) if label]
    assert 2 <= len(set(labels)) == len(labels)
    assert "e+" not in text
    below = next(line for line in reversed(text.splitlines()) if re.fullmatch(r"[-+.e\d ]+", line))
    numbers = [float(word) for word in below.split()]
    assert len(numbers) >= 2 and numbers == sorted(set(numbers))


def test_every_tick_of_a_wide_axis_has_a_label() -> None:
    lines = chart([("line", ODD["wide"])], "x", "y", BRAILLE).splitlines()
    (floor,) = [index for index, line in enumerate(lines) if "└" in line]
    assert lines[floor].count("┬") == len(lines[floor + 1].split()) >= 4
    assert "2e11" in lines[floor + 1]


@many("style", STYLES)
def test_a_legend_that_does_not_fit_takes_columns(style: Style) -> None:
    series = [(f"write fraction {index / 10}", [(0.0, 0.0), (1.0, float(index))]) for index in range(12)]
    lines = chart(series, "x", "y", style, rows=None).splitlines()
    assert len(lines) < 24 and max(map(len, lines)) <= 80
    legend = " ".join(line for line in lines if "write fraction" in line)
    found = re.findall(r"([a-l]) write fraction (\S+)", legend)
    assert sorted(found) == [(letter, str(index / 10)) for index, letter in enumerate("abcdefghijkl")]


def test_blank_cells_are_spaces(sweep: Report) -> None:
    assert "\u2800" not in plot_of(sweep, BRAILLE)


def test_braille_lines_bear_the_letter_of_the_legend_at_their_end() -> None:
    text = chart([("low", [(0.0, 0.0), (10.0, 0.0)]), ("high", [(0.0, 1.0), (10.0, 1.0)])], "x", "y", BRAILLE)
    drawn = [line for _, line in rows(text) if line.strip()]
    assert (drawn[0][-1], drawn[-1][-1]) == ("b", "a")
    assert text.splitlines()[-2:] == ["a low", "b high"]


def test_braille_lines_that_end_together_all_keep_their_letters() -> None:
    text = chart([(str(slope), [(0.0, slope), (10.0, 0.0)]) for slope in (1.0, 2.0, 3.0)], "x", "y", BRAILLE)
    assert all(letter in "".join(line for _, line in rows(text)) for letter in "abc")


def test_ascii_lines_are_drawn_in_their_letters() -> None:
    text = chart([("low", [(0.0, 0.0), (10.0, 0.0)]), ("high", [(0.0, 1.0), (10.0, 1.0)])], "x", "y", ASCII)
    drawn = [set(line) for _, line in rows(text) if line.strip()]
    assert drawn == [{"b"}, {"a"}]


@many("style", STYLES)
def test_points_that_meet_are_a_star_and_the_legend_says_so(style: Style) -> None:
    text = chart([("one", [(1.0, 1.0)]), ("two", [(1.0, 1.0)])], "x", "y", style)
    assert [drawn.strip() for _, drawn in rows(text) if drawn.strip()] == ["*"]
    assert text.splitlines()[-1] == "* lines meet"


@many("style", STYLES)
def test_more_lines_than_letters_are_owned_up_to(style: Style) -> None:
    text = chart([(f"line {n}", [(0.0, n), (1.0, n)]) for n in range(60)], "x", "y", style)
    assert text.splitlines()[-1] == "and 8 more lines, not drawn"


@many("style", STYLES)
def test_colour_changes_nothing_but_colour(style: Style, sweep: Report) -> None:
    colored = plot_of(sweep, style.replace(color=True))
    assert COLOR.sub("", colored) == plot_of(sweep, style)
    assert len(set(COLOR.findall(colored))) == 4  # three lines and the end of a colour


@many("style", STYLES)
def test_long_and_hostile_names_stay_in_the_frame(style: Style) -> None:
    name = "\x1b[31mred\nname " * 20
    text = chart([(name, LINE)], name, name, style)
    assert max(map(len, text.splitlines())) <= 80
    assert all(character == "\n" or character.isprintable() for character in text)


def test_plot_has_a_chart_per_unit_and_a_line_per_group(sweep: Report) -> None:
    first, second = plot_of(sweep, BRAILLE).split("\n\n")
    assert first.startswith("response (ms)\n")
    assert second.startswith("utilization\n")
    assert first.splitlines()[-3:] == ["a share of writes 0", "b share of writes 0.2", "c share of writes 0.5"]


def test_columns_of_one_unit_share_a_chart() -> None:
    columns = (Column("n", "n"), Column("r", "response", "s"), Column("w", "wait", "s"))
    report = Report("qnet/x/1", "", columns, [(1, 0.002, 0.001), (2, 0.02, 0.01)], plot=Plot("n", ("r", "w")))
    lines = plot_of(report, BRAILLE).splitlines()
    assert (lines[0], lines[-2], lines[-1]) == ("response, wait (ms)", "a response", "b wait")


def test_a_report_without_plot_says_so(blocks: Report) -> None:
    assert plot_of(blocks, BRAILLE) == "nothing to draw: this answer has no curve"


def test_text_along_x_cannot_be_drawn() -> None:
    columns = (Column("name", "system"), Column("r", "response", "s"))
    report = Report("qnet/x/1", "", columns, [("a", 1.0)], plot=Plot("name", ("r",)))
    assert plot_of(report, BRAILLE).startswith("nothing to draw")


def test_table_has_the_chart_below_an_empty_line(sweep: Report) -> None:
    text = render(sweep, "table", BRAILLE, plot=True)
    assert text == render(sweep, "table", BRAILLE) + "\n" + plot_of(sweep, BRAILLE) + "\n"
