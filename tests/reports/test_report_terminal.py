"""The table on a terminal: it fits, folds words, keeps every digit, and colour adds nothing but colour."""

from __future__ import annotations

import re

import pytest

from qnet.reports.content import Cell, Column, Style
from qnet.reports.render import render
from qnet.reports.report import Report

pytest.importorskip("rich")

COLOR = re.compile(r"\x1b\[[0-9;]*m")


def wide(columns: int = 8, rows: int = 2) -> Report:
    names = tuple(Column(f"c{index}", f"a rather long heading {index}") for index in range(columns))
    cells: list[tuple[Cell, ...]] = [
        (f"station_{row}", *(1000 + 10 * row + index for index in range(columns))) for row in range(rows)
    ]
    return Report("qnet/x/1", "title", (Column("station", "station"), *names), cells)


@pytest.mark.parametrize("width", [30, 40, 60, 80, 120, 300])
def test_no_line_is_wider_than_the_screen(width: int, blocks: Report) -> None:
    for report in (blocks, wide()):
        assert max(map(len, render(report, "table", Style(terminal=True, width=width)).splitlines())) <= width


@pytest.mark.parametrize("width", [10, 20, 40, 80, 300, None])
def test_every_number_is_there_whole(width: int | None) -> None:
    text = render(wide(), "table", Style(terminal=True, width=width))
    expected = {str(1000 + 10 * row + index) for row in range(2) for index in range(8)}
    assert set(re.findall(r"\b1\d{3}\b", text)) == expected


@pytest.mark.parametrize("width", [10, 30, 80])
def test_nothing_is_replaced_by_an_ellipsis(width: int, blocks: Report) -> None:
    text = render(blocks, "table", Style(terminal=True, width=width))
    assert "…" not in text
    assert "..." not in text


def test_each_part_of_a_split_table_names_its_rows() -> None:
    text = render(wide(), "table", Style(terminal=True, width=40))
    parts = text.split("\n\n")[1:]
    assert len(parts) > 1
    assert all("station_0" in part and "station_1" in part for part in parts)


def test_a_long_name_is_folded_between_words() -> None:
    columns = (Column("a", "name"), Column("b", "number"))
    text = render(
        Report("qnet/x/1", "", columns, [("alpha beta gamma", 12345)]), "table", Style(terminal=True, width=20)
    )
    assert [line.split("│")[0].strip() for line in text.splitlines()[2:]] == ["alpha beta", "gamma"]


def test_without_limit_nothing_is_folded(blocks: Report) -> None:
    plain = render(blocks, "table", Style())
    boxed = render(blocks, "table", Style(terminal=True))
    assert boxed.count("\n") == plain.count("\n")


def test_it_says_what_the_plain_table_says(blocks: Report) -> None:
    def words(text: str) -> list[str]:
        return re.sub(r"[─┼│]|-{2,}", " ", text).split()

    assert words(render(blocks, "table", Style(terminal=True))) == words(render(blocks, "table", Style()))


def test_colour_changes_nothing_but_colour(blocks: Report) -> None:
    colored = render(blocks, "table", Style(terminal=True, width=50, color=True))
    bare = render(blocks, "table", Style(terminal=True, width=50))
    assert colored != bare
    assert [line.rstrip() for line in COLOR.sub("", colored).splitlines()] == bare.splitlines()


@pytest.mark.parametrize(
    "variable", ["NO_COLOR=1", "FORCE_COLOR=1", "COLUMNS=20", "TERM=dumb", "TTY_COMPATIBLE=1", "JUPYTER_COLUMNS=20"]
)
def test_the_environment_has_no_say(variable: str, blocks: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    style = Style(terminal=True, width=100, color=True)
    before = render(blocks, "table", style)
    monkeypatch.setenv(*variable.split("="))
    assert render(blocks, "table", style) == before


def test_markup_in_a_name_is_shown_as_written(blocks: Report) -> None:
    assert "[red]long[/red]" in render(blocks, "table", Style(terminal=True, color=True))


def test_decimal_points_stand_below_each_other() -> None:
    report = Report("qnet/x/1", "", (Column("a", "a long heading"),), [(1.5,), (100.25,), (0.001234,)])
    lines = render(report, "table", Style(terminal=True, width=80)).splitlines()[2:]
    assert len({line.index(".") for line in lines}) == 1


def test_texts_are_folded_at_the_width_of_the_screen(prose):
    text = render(prose, "table", Style(terminal=True, width=12, ascii=True))
    assert "second\nTwo\nsentences.\nAnd a\nparagraph.\n" in text
    assert "qnet why 'a  b'" in text, "a command stays on its line"


def test_a_split_table_repeats_as_many_names_as_tell_its_rows_apart() -> None:
    columns = [Column(key, key) for key in ("metric", "about", "formula", "remark", "value")]
    rows: list[tuple[Cell, ...]] = [("demand", name, "f" * 20, "r" * 20, 1.0) for name in ("cpu", "disk")]
    text = render(Report("qnet/x/1", "", columns, rows), "table", Style(terminal=True, width=50))
    *_, last = text.strip().split("\n\n")
    assert [line.replace("│", "").split()[:2] for line in last.splitlines()[-2:]] == [
        ["demand", "cpu"],
        ["demand", "disk"],
    ]


def test_numbers_distinguish_rows_where_names_do_not_and_short_texts_are_not_folded() -> None:
    columns = [Column(key, key) for key in ("name", "row", "at", "measured", "modelled", "residual")]
    rows: list[tuple[Cell, ...]] = [("response", row, f"users = {row}0", 0.123456, 0.1234, 0.25) for row in (1, 2)]
    text = render(Report("qnet/x/1", "", columns, rows), "table", Style(terminal=True, width=50))
    first, last = text.strip().split("\n\n")
    assert "users = 10 │" in first
    assert [line.replace("│", "").split()[:2] for line in last.splitlines()[-2:]] == [
        ["response", "1"],
        ["response", "2"],
    ]
