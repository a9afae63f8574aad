"""Columns that are wanted, the digits and units of tables, and tables of one row."""

from __future__ import annotations

import pytest

from qnet.errors import UsageError
from qnet.reports.content import Column, Style
from qnet.reports.render import render
from qnet.reports.report import Report
from qnet.reports.selection import selected

COLUMNS = (Column("scope", ""), Column("name", "name"), Column("response", "response", "s"), Column("users", "users"))
ROWS = [("class", "a", 0.0123456, 5), ("class", "b", 0.2, None), ("station", "cpu", None, None)]
REPORT = Report("qnet/x/1", "title", COLUMNS, ROWS, group="scope")


def test_columns_come_in_the_order_in_which_they_are_named() -> None:
    report = selected(REPORT, ["users", "name"])
    assert [column.key for column in report.columns] == ["scope", "users", "name"]
    assert list(report.rows) == [("class", 5, "a")]


def test_columns_go_by_the_names_of_csv_as_well() -> None:
    report = selected(REPORT, ["response_s"])
    assert [row[1] for row in report.rows] == [0.0123456, 0.2]


def test_an_unknown_column_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageError, match="QN016") as caught:
        selected(REPORT, ["respons"])
    assert "response" in caught.value.problems[0].help


@pytest.mark.parametrize(
    "style, shown",
    [
        (Style(), "12.35"),
        (Style(digits=2), "12 "),
        (Style(units=("us",)), "12350"),
        (Style(units=("s", "us")), "0.01235"),
    ],
)
def test_digits_and_units_are_those_that_are_wanted(style: Style, shown: str) -> None:
    assert shown in render(REPORT.replace(rows=ROWS[:1] * 2), "table", style)


def test_a_row_of_many_columns_is_shown_down_the_page() -> None:
    columns = (*COLUMNS[1:], Column("share", "share"))
    text = render(Report("qnet/x/1", "", columns, [("a", 0.0123456, 5, 0.5)]), "table", Style())
    assert text.splitlines() == ["name      a", "response  12.35 ms", "users     5", "share     0.5"]


def test_a_status_that_is_ok_everywhere_is_not_shown() -> None:
    columns = (Column("name", "name"), Column("status", "status"))
    rows = [("a", "ok"), ("b", "ok")]
    assert "ok" not in render(Report("qnet/x/1", "", columns, rows), "table", Style())
    assert "ok" in render(Report("qnet/x/1", "", columns, [*rows, ("c", "no steady state")]), "table", Style())
    assert "ok" in render(Report("qnet/x/1", "", columns, rows), "csv", Style())


@pytest.mark.parametrize("response, blocks", [(0.1, 1), (0.1 * (1 + 1e-15), 1), (0.2, 2)])
def test_what_is_said_twice_is_shown_once(response: float, blocks: int) -> None:
    columns = (*COLUMNS[:3], Column("population", "population"))
    rows = [("system", None, 0.1, None), ("class", "a", response, 5)]
    text = render(Report("qnet/x/1", "", columns, rows, group="scope", once=("system", "class")), "table", Style())
    assert text.count("response") == blocks and text.count("population") == 1


def test_selected_columns_are_shown_once_as_well() -> None:
    rows = [("system", None, 0.1, None), ("class", "a", 0.1, 5)]
    report = Report("qnet/x/1", "", COLUMNS, rows, group="scope", once=("system", "class"))
    for wanted in (["name", "response"], ["response"]):
        assert render(selected(report, wanted), "table", Style()).count("100") == 1


@pytest.mark.parametrize(("high", "shown"), [(0.1, False), (0.2, True)])
def test_an_interval_without_width_is_not_shown(high: float, shown: bool) -> None:
    columns = (*COLUMNS[1:3], Column("response_high", "response high", "s"))
    report = Report("qnet/x/1", "", columns, [("a", 0.1, 0.1), ("b", 0.1, high)])
    assert ("high" in render(report, "table", Style())) is shown
    assert "response_high_s" in render(report, "csv", Style())
