"""Bars: their lengths are in proportion, they begin at the base, and ASCII says the same."""

import pytest

from qnet.reports.content import Bars, Column, Style
from qnet.reports.render import render
from qnet.reports.report import Report

COLUMNS = (
    Column("metric", "metric"), Column("name", "name"), Column("low", "at low"), Column("base", "base"),
    Column("high", "at high"),
)  # fmt: skip


def report(rows, *ends, base=""):
    return Report("qnet/x/1", "x", COLUMNS, rows, group="metric", plot=Bars("name", ends, "metric", base))


def drawn(found, **style):
    text = render(found, "table", Style(**style), plot=True)
    return text[text.rindex("\n\n") + 2 :].splitlines()


def bar(lines, name):
    return next(line for line in lines if line.startswith(name))


def test_lengths_are_in_proportion_and_to_both_sides():
    rows = [("r", name, None, None, value) for name, value in (("one", 4.0), ("two", 2.0), ("less", -2.0))]
    lines = drawn(report(rows, "high"))
    one, two, less = (bar(lines, name) for name in ("one", "two", "less"))
    assert one.count("█") == pytest.approx(2 * two.count("█"), abs=1)
    assert two.count("█") == pytest.approx(less.count("█"), abs=1)
    assert less.index("█") < less.index("│") < one.index("█")


def test_two_ends_have_marks_of_their_own_on_both_sides_of_the_base():
    lines = drawn(report([("r", "p", 8.0, 10.0, 14.0)], "low", "high", base="base"))
    line = bar(lines, "p")
    assert line.count("█") == pytest.approx(2 * line.count("░"), abs=1)
    assert line.index("░") < line.index("│") < line.index("█")
    assert [value in lines[-1] for value in ("8", "10", "14")] == [True] * 3


def test_ascii_has_letters_only():
    lines = drawn(report([("r", "p", 8.0, 10.0, 14.0)], "low", "high", base="base"), ascii=True)
    assert "".join(lines).isascii()
    assert "-" in bar(lines, "p")
    assert "#" in bar(lines, "p")


def test_rows_without_numbers_are_left_out():
    lines = drawn(report([("r", "p", None, 10.0, 14.0), ("r", "q", 9.0, 10.0, 14.0)], "low", "high", base="base"))
    assert not [line for line in lines if line.startswith("p")]


def test_nothing_to_draw_is_said():
    assert drawn(report([("r", "p", None, None, None)], "high")) == ["r: nothing to draw"]


def test_equal_values_are_drawn_all_the_same():
    assert bar(drawn(report([("r", "p", None, None, 0.0)], "high")), "p").endswith("│")


@pytest.mark.parametrize("width", [40, 60, 200])
def test_no_line_is_wider_than_the_screen_or_80(width):
    rows = [("r", "a name that is much longer than there is room for here", 8.0, 10.0, 14.0)]
    for line in drawn(report(rows, "low", "high", base="base"), width=width):
        assert len(line) <= min(width, 80)


def test_every_metric_has_a_block_and_markdown_a_fence():
    rows = [("r", "p", 8.0, 10.0, 14.0), ("x", "p", 3.0, 2.0, 1.0)]
    text = render(report(rows, "low", "high", base="base"), "md", Style(), plot=True)
    assert text.count("- at low, # at high") == 2
    assert "```text" in text


def test_the_unit_of_a_block_is_in_its_heading():
    columns = (*COLUMNS, Column("unit", "in"))
    rows = [("r", "p", 0.008, 0.01, 0.014, "s"), ("x", "p", 3.0, 2.0, 1.0, "/s")]
    plot = Bars("name", ("low", "high"), "metric", "base", unit="unit")
    text = render(Report("qnet/x/1", "x", columns, rows, group="metric", plot=plot), "table", Style(), plot=True)
    assert "r: ░ at low (ms), █ at high (ms)" in text
    assert "x: ░ at low (/s), █ at high (/s)" in text


@pytest.mark.parametrize("ascii", [False, True])
def test_a_block_fits_a_terminal_of_24_lines(ascii):
    rows = [("r", f"p{index}", None, None, 30.0 - index) for index in range(30)]
    lines = drawn(report(rows, "high"), ascii=ascii)
    assert len(lines) == 23
    assert lines[-1] == "and 11 more, not drawn"
