"""Rows along two grids as a matrix: where each value stands, what its marks mean, and what only machines are told."""

from __future__ import annotations

import pytest

from qnet.formats import FORMATS
from qnet.reports.cells import Table
from qnet.reports.content import Cell, Column, Matrix, Style
from qnet.reports.layout import tables
from qnet.reports.markdown import render as markdown
from qnet.reports.render import render
from qnet.reports.report import Report

COLUMNS = (
    Column("case", "case"),
    Column("size", "size", "B"),
    Column("kind", "kind"),
    Column("limit", "limit"),
    Column("rate", "largest rate", "/s"),
    Column("binds", "what binds"),
    Column("response", "response", "s"),
    Column("status", "status"),
)
ROWS: list[tuple[Cell, ...]] = [
    ("first", 1000.0, "track", "R <= 1", 10.5, "limit", 0.25, "ok"),
    ("first", 1000.0, "record", "R <= 1", 1234.0, "saturation of disk", 0.5, "ok"),
    ("first", 3000.0, "track", "R <= 1", None, None, None, "no steady state"),
    ("first", 3000.0, "record", "R <= 1", 7.25, "saturation of disk", 0.125, "ok"),
    ("second", 3000.0, "track", "R <= 2", 0.5, "limit", 1.0, "ok"),
    ("second", 3000.0, "record", "R <= 2", 0.25, "limit", 1.0, "ok"),
]
MATRIX = Matrix("size", "kind", "rate", ("binds", "status"), ("limit", "ok"))


def report(rows: list[tuple[Cell, ...]] = ROWS, matrix: Matrix | None = MATRIX, group: str = "case") -> Report:
    return Report("qnet/envelope/1", "title", COLUMNS, rows, group=group, matrix=matrix)


def blocks(*rows: tuple[Cell, ...], group: str = "case") -> list[Table]:
    return tables(report(list(rows) or ROWS, group=group), Style())


def test_each_value_stands_in_the_row_of_the_first_grid_and_the_column_of_the_second() -> None:
    first, second = blocks()
    assert first.titles == ("size (kB)", "kind track", "kind record")
    assert first.rows == [("1", "10.5", "1234 a"), ("3", "- b", "7.25 a")]
    assert (second.titles, second.rows) == (first.titles, [("3", "0.5", "0.25")])


def test_marks_are_explained_below_their_own_block() -> None:
    first, second = blocks()
    assert first.legend == ("a: saturation of disk", "b: no steady state")
    assert not any("saturation" in line for line in second.legend)


def test_the_heading_says_what_stands_in_the_cells_and_what_they_share() -> None:
    first, second = blocks()
    assert first.heading == "first: largest rate (/s) by size and kind; limit R <= 1"
    assert second.heading == "second: largest rate (/s) by size and kind; limit R <= 2; what binds limit"


def test_words_that_all_cells_share_are_told_once_and_not_marked() -> None:
    (block,) = blocks(*[(*row[:5], "saturation of disk", *row[6:]) for row in ROWS[4:]])
    assert block.heading.endswith("what binds saturation of disk")
    assert block.rows == [("3", "0.5", "0.25")]


def test_two_things_to_say_of_one_cell_are_one_mark() -> None:
    odd = ("second", 1000.0, "track", "R <= 2", None, "range of rate", None, "no answer")
    (block,) = blocks(*ROWS[4:], odd)
    assert block.rows[1] == ("1", "- a", "")
    assert block.legend[0] == "a: range of rate; no answer"


def test_the_last_block_says_what_only_machines_are_told() -> None:
    first, second = blocks()
    assert second.legend == ("csv, json and jsonl also contain for every point: response",)
    assert not any("csv" in line for line in first.legend)


def test_nothing_is_said_to_be_left_out_where_nothing_is() -> None:
    rows = [row[:6] + row[7:] for row in ROWS[4:]]
    columns = COLUMNS[:6] + COLUMNS[7:]
    (block,) = tables(Report("qnet/envelope/1", "", columns, rows, group="case", matrix=MATRIX), Style())
    assert block.legend == ()


def test_marks_do_not_move_decimal_points() -> None:
    whole, part = render(report(ROWS[:4]), "table", Style()).splitlines()[5:7]
    assert whole.index("1234 a") + len("1234") == part.index("7.25 a") + len("7")


def test_without_a_group_there_is_one_matrix() -> None:
    (block,) = blocks(*ROWS[:4], group="")
    assert block.heading == "largest rate (/s) by size and kind; case first; limit R <= 1"
    assert len(block.rows) == 2


def test_more_marks_than_letters() -> None:
    rows: list[tuple[Cell, ...]] = [("x", float(n), "k", "l", 1.0, f"word {n}", None, "ok") for n in range(28)]
    (block,) = blocks(*rows)
    assert [line.partition(":")[0] for line in block.legend[25:28]] == ["z", "aa", "ab"]


@pytest.mark.parametrize("format", ["csv", "json", "jsonl"])
def test_machines_get_the_rows(format: str) -> None:
    assert render(report(), format, Style()) == render(report(matrix=None), format, Style())


@pytest.mark.parametrize("rows", [[*ROWS, ROWS[-1]], [("first", None, *ROWS[0][2:])], []])
def test_rows_that_do_not_fill_a_matrix_are_told_as_rows(rows: list[tuple[Cell, ...]]) -> None:
    for format in FORMATS:
        assert render(report(rows), format, Style()) == render(report(rows, None), format, Style())


def test_markdown_explains_marks_in_paragraphs_of_their_own() -> None:
    parts = markdown(report(), Style()).split("\n\n")
    assert parts[3:5] == ["a: saturation of disk", "b: no steady state"]


def test_a_terminal_explains_marks_below_the_table() -> None:
    lines = render(report(), "table", Style(terminal=True, width=60)).splitlines()
    assert lines.index("a: saturation of disk") > max(n for n, line in enumerate(lines) if "7.25 a" in line)
