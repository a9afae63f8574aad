"""CSV: what is read back is what was written."""

from __future__ import annotations

import csv
import importlib
import io
import random
import struct

import pytest

from qnet.reports.content import Cell, Column, Style
from qnet.reports.render import render
from qnet.reports.report import Report


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


def one_column(*cells: Cell, unit: str = "") -> Report:
    return Report("qnet/x/1", "title", (Column("x", "X", unit),), [(cell,) for cell in cells])


def test_header_names_the_units(blocks: Report) -> None:
    header = ["scope", "station", "throughput_per_s", "response_s", "utilization", "servers", "limit"]
    assert read(render(blocks, "csv", Style()))[0] == header


def test_a_unit_that_is_not_base_is_named_and_kept() -> None:
    assert render(one_column(8.5, unit="MB/s"), "csv", Style()) == "x_MB_per_s\n8.5\n"


def test_every_row_is_as_long_as_the_header(blocks: Report) -> None:
    assert {len(row) for row in read(render(blocks, "csv", Style()))} == {len(blocks.columns)}


def test_texts_read_back_as_they_were(blocks: Report) -> None:
    stations = [row[1] for row in read(render(blocks, "csv", Style()))[1:]]
    assert stations == [row[1] or "" for row in blocks.rows]


def test_floats_read_back_bit_for_bit() -> None:
    draw = random.Random(7)
    words = (struct.unpack("<d", draw.randbytes(8))[0] for _ in range(3000))
    numbers = [word for word in words if abs(word) < float("inf")]
    text = render(one_column(*numbers, unit="s"), "csv", Style())
    assert [float(row[0]).hex() for row in read(text)[1:]] == [number.hex() for number in numbers]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (640.0, "640.0"), (640, "640"), (0.1, "0.1"), (1e22, "1e+22"), (10**20, "1" + "0" * 20), (-0.0, "-0.0"),
        (True, "true"), (False, "false"), ("plain text", "plain text"), ("it's", "it's"), ("[red]", "[red]"),
        ("a,b", '"a,b"'), ('say "a"', '"say ""a"""'), ("a\nb", '"a\nb"'), ("a\rb", '"a\rb"'),
        ("\x1b[31m", '"\x1b[31m"'),
    ],
)  # fmt: skip
def test_one_cell(cell: Cell, text: str) -> None:
    assert render(one_column(cell), "csv", Style()) == f"x\n{text}\n"


def test_floats_of_numpy_are_written_as_floats() -> None:
    numpy = importlib.import_module("numpy")
    assert render(one_column(numpy.float64(0.1)), "csv", Style()) == "x\n0.1\n"


def test_missing_is_empty() -> None:
    report = Report("qnet/x/1", "", (Column("a", ""), Column("b", "", "s")), [(None, 1.0), ("t", None)])
    assert render(report, "csv", Style()) == "a,b_s\n,1.0\nt,\n"


def test_a_row_with_nothing_in_its_only_column_is_still_a_row() -> None:
    assert read(render(one_column(None, 1.0), "csv", Style())) == [["x"], [""], ["1.0"]]


def test_lines_end_with_lf_alone(sweep: Report) -> None:
    assert "\r" not in render(sweep, "csv", Style())


def test_without_rows_the_header_remains() -> None:
    assert render(one_column(), "csv", Style()) == "x\n"


def test_texts_are_cells(prose):
    assert render(prose, "csv", Style()).splitlines()[1:3] == ["first,It *is* so.,1.5,", "first,,,2"]


@pytest.mark.parametrize("text", ["=1+1", "+A1", "-A1", "@A1", "\t=1", "\r=1", " =1", "\x00=1", "＝1", "-1;=2", "--1"])
def test_a_formula_gets_an_apostrophe_where_asked(text: str) -> None:
    assert read(render(one_column(text), "csv", Style(safe_csv=True)))[1:] == [[f"'{text}"]]
    assert read(render(one_column(text), "csv", Style()))[1:] == [[text]]


@pytest.mark.parametrize("cell", ["-1", "+2.5e-3", "-.5", "cpu", "a=b", "'=1", "", -1.5, -3, None])
def test_numbers_and_other_texts_stay_as_they_are(cell: Cell) -> None:
    assert render(one_column(cell), "csv", Style(safe_csv=True)) == render(one_column(cell), "csv", Style())


def test_a_formula_as_the_name_of_a_column_gets_an_apostrophe() -> None:
    report = Report("qnet/x/1", "title", (Column("=x", "X", ""),), [])
    assert render(report, "csv", Style(safe_csv=True)) == "'=x\n"


def test_python_has_the_option_too() -> None:
    assert one_column("=1").text("csv", safe_csv=True) == "x\n'=1\n"
