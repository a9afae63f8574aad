"""What holds for every format: one newline at the end, the same bytes each time, no cell that cannot be shown."""

from __future__ import annotations

import pytest
from many import many

from qnet.formats import FORMATS, format_of_path
from qnet.reports.content import Column, Style
from qnet.reports.render import render
from qnet.reports.report import Report

STYLES = [Style(), Style(ascii=True), Style(terminal=True, width=60), Style(terminal=True, width=60, color=True)]


@many("format", FORMATS)
@many("style", STYLES)
@pytest.mark.parametrize("plot", [False, True])
def test_text_ends_with_one_newline(format: str, style: Style, plot: bool, sweep: Report) -> None:
    text = render(sweep, format, style, plot)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


@many("format", FORMATS)
@many("style", STYLES)
def test_rendering_again_gives_the_same_text(format: str, style: Style, blocks: Report) -> None:
    assert render(blocks, format, style, plot=True) == render(blocks, format, style, plot=True)


@pytest.mark.parametrize("format", ["csv", "json", "jsonl"])
@many("style", STYLES)
def test_formats_for_machines_ignore_style_and_plot(format: str, style: Style, sweep: Report) -> None:
    assert render(sweep, format, style, plot=True) == render(sweep, format, Style())


@pytest.mark.parametrize("format", ["table", "md"])
@many("style", STYLES)
def test_no_escape_sequence_without_colour(format: str, style: Style, blocks: Report) -> None:
    text = render(blocks, format, style.replace(color=False), plot=True)
    assert all(character == "\n" or character.isprintable() for character in text)


@pytest.mark.parametrize("format", ["table", "md"])
@pytest.mark.parametrize("terminal", [False, True])
def test_ascii_style_is_ascii(format: str, terminal: bool, blocks: Report, sweep: Report) -> None:
    style = Style(ascii=True, terminal=terminal, width=70)
    for report in (blocks, sweep):
        assert render(report, format, style, plot=True).isascii()


@many("format", FORMATS)
@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_is_none_is_refused_by_column(format: str, value: float) -> None:
    report = Report("qnet/x/1", "", (Column("name", "name"), Column("response", "response", "s")), [("a", value)])
    with pytest.raises(ValueError, match="response_s"):
        render(report, format, Style())


@many("format", FORMATS)
@pytest.mark.parametrize("row", [("a",), ("a", 1.0, 2.0)])
def test_a_ragged_row_is_refused(format: str, row: tuple[object, ...]) -> None:
    report = Report("qnet/x/1", "", (Column("name", "name"), Column("response", "response", "s")), [row])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="2 columns"):
        render(report, format, Style())


@many("format", FORMATS)
@pytest.mark.parametrize("cell", ["saturated", True])
def test_text_under_a_unit_is_refused(format: str, cell: str | bool) -> None:
    report = Report("qnet/x/1", "", (Column("response", "response", "s"),), [(cell,)])
    with pytest.raises(ValueError, match="response_s"):
        render(report, format, Style())


@many("format", FORMATS)
def test_a_type_that_is_no_cell_is_refused(format: str) -> None:
    report = Report("qnet/x/1", "", (Column("response", "response", "s"),), [(1j,)])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"builtins\.complex"):
        render(report, format, Style())


@many("format", FORMATS)
def test_two_columns_of_one_name_are_refused(format: str) -> None:
    report = Report("qnet/x/1", "", (Column("response", "", "s"), Column("response_s", "")), [])
    with pytest.raises(ValueError, match="response_s"):
        render(report, format, Style())


@pytest.mark.parametrize(
    ("path", "format"),
    [
        ("x.csv", "csv"),
        ("a.b/x.json", "json"),
        ("x.csv.jsonl", "jsonl"),
        ("X.MD", "md"),
        ("x.txt", "table"),
        ("x.svg", None),
        ("csv", None),
        ("dir.csv/x", None),
        ("-", None),
        ("", None),
    ],
)
def test_format_of_path(path: str, format: str | None) -> None:
    assert format_of_path(path) == format
