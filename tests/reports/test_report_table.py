"""The plain table: what it says, where it stands, and that no line is ever cut."""

from __future__ import annotations

import re

import pytest

from qnet.reports.cells import aligned, common_scale
from qnet.reports.content import Cell, Column, Note, Style
from qnet.reports.render import render
from qnet.reports.report import Report


def table(*columns: Column, rows: list[tuple[Cell, ...]]) -> list[str]:
    """The lines of a table below its title: heading, dashes, cells."""
    return render(Report("qnet/x/1", "title", columns, rows), "table", Style()).splitlines()[2:]


def parts(report: Report) -> list[str]:
    return render(report, "table", Style()).split("\n\n")


def test_parts_stand_in_their_order(blocks: Report) -> None:
    title, system, stations, notes, last = parts(blocks)
    assert title.startswith("Disk µ a [red]long[/red] | name")
    assert system.startswith("system\n")
    assert stations.startswith("stations\n")
    assert notes.startswith("warning [QN601]: approximate")
    assert last.endswith("digest 12ab34; method mva (approximate)\n")


def test_heading_is_underlined_column_by_column() -> None:
    heading, dashes, *_ = table(Column("a", "name"), Column("b", "response time", "s"), rows=[("disk", 1.0)])
    assert heading == "name  response time (s)"
    assert dashes == "----  -----------------"


def test_a_column_without_title_shows_its_key() -> None:
    assert table(Column("population", ""), rows=[(1,)])[0] == "population"


def test_numbers_are_right_aligned_and_text_left() -> None:
    lines = table(Column("a", "station"), Column("b", "servers"), rows=[("x", 1), ("yy", 12345)])
    assert lines[2:] == ["x              1", "yy         12345"]


def test_decimal_points_stand_below_each_other() -> None:
    lines = table(Column("a", "a"), rows=[(1.5,), (1000.0,), (0.001234,), (None,)])
    assert [line.find(".") for line in (lines[2], lines[4])] == [4, 4]
    assert lines[3] == "1000"


def test_aligned_cells_are_equally_wide() -> None:
    assert {len(cell) for cell in aligned(["1", "22.5", "-0.125", "1.2e-07", ""])} == {len("-0.2e-07")}


def test_one_unit_in_a_column_by_its_largest_number() -> None:
    lines = table(Column("r", "response", "s"), rows=[(0.0125,), (-0.4,), (0.0001,)])
    assert lines[0] == "response (ms)"
    assert [line.strip() for line in lines[2:]] == ["12.5", "-400", "0.1"]


@pytest.mark.parametrize(
    ("cells", "unit", "shown", "first"),
    [
        ([0.0085, 0.00012], "s", "ms", 8.5),
        ([26.0, 0.001], "s", "s", 26.0),
        ([120.0], "ms", "ms", 120.0),
        ([1200.0], "ms", "s", 1.2),
        ([17e6], "B/s", "MB/s", 17.0),
        ([4.0], "KiB", "KiB", 4.0),
        ([600.0], "/s", "/s", 600.0),
        ([3.0], "/s/GB", "/s/GB", 3.0),
        ([70.0], "%", "%", 70.0),
        ([0.5], "", "", 0.5),
        ([0.0], "s", "s", 0.0),
        ([0.25], "s^2", "s^2", 0.25),
        ([None, 0.002], "s", "ms", None),
        ([], "s", "s", None),
    ],
)
def test_common_scale(cells: list[Cell], unit: str, shown: str, first: float | None) -> None:
    scale = common_scale(cells, unit)
    assert scale.unit == shown
    if first is not None and isinstance(cells[0], float):
        assert scale.value(cells[0]) == pytest.approx(first, rel=1e-12)


def test_integers_are_shown_in_full() -> None:
    assert table(Column("n", "n"), rows=[(1234567,)])[2] == "1234567"


def test_floats_are_shown_with_four_digits() -> None:
    assert table(Column("n", "n"), rows=[(0.123456,)])[2] == "0.1235"


def test_truth_values_are_words() -> None:
    assert table(Column("ok", "ok"), rows=[(True,), (False,)])[2:] == ["yes", "no"]


def test_each_run_of_the_group_is_a_block() -> None:
    rows: list[tuple[Cell, ...]] = [("a", 1), ("a", 2), ("b", 3), ("a", 4)]
    report = Report("qnet/x/1", "title", (Column("g", "g"), Column("n", "n")), rows, group="g")
    assert [part.split("\n")[0] for part in parts(report)[1:]] == ["a", "b", "a"]


def test_a_block_leaves_out_its_group_and_its_empty_columns(blocks: Report) -> None:
    assert parts(blocks)[1].splitlines()[1] == "throughput (/s)  response time (ms)"


def test_a_block_of_a_number_is_headed_by_title_and_unit() -> None:
    columns = (Column("rate", "rate", "/s"), Column("n", "n"))
    report = Report("qnet/x/1", "title", columns, [(600.0, 1)], group="rate")
    assert parts(report)[1].splitlines()[0] == "rate 600/s"


def test_without_group_an_empty_column_stays() -> None:
    assert table(Column("a", "a"), Column("b", "b"), rows=[(1, None)])[0] == "a  b"


def test_without_rows_it_says_so() -> None:
    assert table(Column("a", "a"), rows=[]) == ["a", "-", "(no rows)"]


def test_no_line_is_cut() -> None:
    name = "station" * 40
    columns = tuple(Column(f"c{index}", f"column {index}") for index in range(40))
    lines = render(Report("qnet/x/1", "title", columns, [(name,) * 40] * 2), "table", Style()).splitlines()
    assert lines[-1].split("  ") == [name] * 40


def test_a_width_that_is_asked_for_parts_a_table_and_loses_no_cell() -> None:
    columns = (Column("name", "name"), *(Column(f"c{index}", f"column {index}") for index in range(9)))
    rows: list[tuple[Cell, ...]] = [
        (name, *(float(100 * row + index) for index in range(9))) for row, name in ((1, "front end"), (2, "disk"))
    ]
    text = render(Report("qnet/x/1", "title", columns, rows), "table", Style(width=30))
    bands = text.split("\n\n")[1:]
    assert max(map(len, text.splitlines())) <= 30
    assert len(bands) > 1
    assert all(
        line.split("  ")[0].strip() in ("front end", "disk") for band in bands for line in band.splitlines()[-2:]
    )
    shown = [cell for band in bands for line in band.splitlines()[-2:] for cell in line.split("  ") if cell.strip()]
    assert {float(cell) for cell in shown if cell.strip()[0].isdigit()} == {cell for row in rows for cell in row[1:]}


def test_no_space_at_the_end_of_a_line(blocks: Report) -> None:
    lines = render(blocks, "table", Style()).splitlines()
    assert lines == [line.rstrip() for line in lines]


def test_hostile_cell_is_one_harmless_line(blocks: Report) -> None:
    name = 'a [red]long[/red] | name, *bold* "quoted" and broken'
    assert len(re.findall("^" + re.escape(name), render(blocks, "table", Style()), re.MULTILINE)) == 1


def test_columns_start_at_the_same_place_in_every_line() -> None:
    lines = table(Column("a", "name"), Column("b", "limits"), rows=[("日本", "x"), ("µ", "x"), ("ab", "x")])
    assert [line.index("x") for line in lines[2:]] == [4, 6, 6]  # two wide characters take the room of four


@pytest.mark.parametrize(
    ("note", "text"),
    [
        (Note("QN1", "fine"), "note [QN1]: fine"),
        (Note("QN2", "poor", "warning", "do this"), "warning [QN2]: poor\n  next: do this"),
    ],
)
def test_note(note: Note, text: str) -> None:
    report = Report("qnet/x/1", "title", (Column("a", "a"),), [(1,)], (note,))
    assert parts(report)[-1] == text + "\n"


@pytest.mark.parametrize(
    ("meta", "line"),
    [
        ({"model": {"title": "T", "digest": "ab"}, "method": "mva", "exactness": "exact"},
         "model T, digest ab; method mva (exact)"),
        ({"model": {"title": "T"}, "method": "mva"}, "model T; method mva"),
        ({"model": {"digest": "ab"}}, "digest ab"),
        ({"method": "mva", "exactness": "bound"}, "method mva (bound)"),
        ({"exactness": "exact"}, None),
        ({}, None),
    ],
)  # fmt: skip
def test_last_line(meta: dict[str, object], line: str | None) -> None:
    found = parts(Report("qnet/x/1", "title", (Column("a", "a"),), [(1,)], meta=meta))
    assert found[2:] == ([line + "\n"] if line else [])


def test_texts_are_lines_above_the_table_of_their_block(prose):
    assert render(prose, "table", Style()) == (
        "Why\n\nfirst\nIt *is* so.\n\nnumber\n------\n     2\n\nsecond\nTwo sentences.\nAnd a paragraph.\n\n"
        "qnet why 'a  b'\n"
    )


def test_a_status_that_is_ok_or_empty_everywhere_is_not_shown() -> None:
    rows: list[tuple[Cell, ...]] = [("disk", 1.0, "ok"), ("tape", 2.0, None), ("drum", 3.0, "")]
    heading, *_ = table(Column("a", "name"), Column("b", "time", "s"), Column("status", "status"), rows=rows)
    assert heading.split() == ["name", "time", "(s)"]


def test_a_negligible_number_is_shown_as_0() -> None:
    rows: list[tuple[Cell, ...]] = [("disk", 1e-2, 1e-26), ("tape", 1e-13, 1e-9)]
    *_, first, second = table(Column("a", "name"), Column("b", "time", "s"), Column("c", "loss"), rows=rows)
    assert first.split() == ["disk", "10", "0"]
    assert second.split() == ["tape", "0", "1e-09"]


def test_a_small_number_among_its_like_keeps_its_digits() -> None:
    rows: list[tuple[Cell, ...]] = [("disk", 2e-13), ("tape", 1e-13)]
    assert table(Column("a", "name"), Column("b", "time", "s"), rows=rows)[2].split() == ["disk", "0.0002"]


def test_files_keep_negligible_numbers() -> None:
    rows: list[tuple[Cell, ...]] = [(1e-2,), (1e-26,)]
    report = Report("qnet/x/1", "title", (Column("b", "time", "s"),), rows)
    assert render(report, "csv", Style()) == "b_s\n0.01\n1e-26\n"


def test_a_further_panel_repeats_the_number_of_a_row_and_leaves_units_with_the_first() -> None:
    columns = [
        Column("name", "name"),
        Column("row", "row"),
        *(Column(f"c{index}", f"column {index}") for index in "abc"),
    ]
    columns.append(Column("unit", "unit"))
    rows: list[tuple[Cell, ...]] = [("response", row, 1000.0, 2000.0, 3000.0, "s") for row in (1, 2)]
    text = render(Report("qnet/x/1", "title", tuple(columns), rows), "table", Style(width=34))
    first, second = text.split("\n\n")[1:]
    assert first.splitlines()[0].split()[:3] == ["name", "row", "unit"]
    assert second.splitlines()[0].split()[:2] == ["name", "row"]
    assert "unit" not in second
