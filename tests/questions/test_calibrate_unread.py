"""Rows of measurements that cannot be read: kept with their text and a reason, and left out of the fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import qnet
from qnet.errors import InvalidInput
from qnet.questions.map.tables import read_table

MODEL = """qnet = 1
title = "delay"
[parameters]
load = "1/s"
pause = "100 ms"
[stations]
cpu = {}
[classes.a]
arrival_rate = "load"
steps = [ { delay = "pause" }, { station = "cpu", time = "1 us" } ]
"""
GOOD = "load,response_s,note\n1/s,0.11,a\n2/s,0.12,b\n3/s,0.13,c\n"
BAD = 'load,response_s,note\n1/s,0.11,a\nmany,0.2,"x, y"\n2/s,0.12,b\n2/s,0.5\n2/s,0.4,c,d\n3/s,0.13,c\n9/s,"0.1,z\n'
"""The same rows, and a condition, too few cells, too many, and a quotation mark that is never closed."""


@pytest.fixture
def system(tmp_path: Path) -> qnet.System:
    (tmp_path / "m.toml").write_text(MODEL)
    return qnet.load(str(tmp_path / "m.toml"))


def rows_of(system: qnet.System, folder: Path, text: str, **more: Any) -> list[dict[str, Any]]:
    path = folder / "rows.csv"
    path.write_bytes(text.encode())
    return system.calibrate(str(path), "pause", **more).records()


def test_the_others_are_fitted_as_if_they_stood_alone(system: qnet.System, tmp_path: Path):
    alone, beside = (rows_of(system, tmp_path, text) for text in (GOOD, BAD))
    assert [row for row in beside if row["scope"] != "row"] == [row for row in alone if row["scope"] != "row"]


def test_they_keep_their_text_their_number_and_a_reason(system: qnet.System, tmp_path: Path):
    unread = [row for row in rows_of(system, tmp_path, BAD) if row["use"] == "not read"]
    assert [(row["row"], row["at"]) for row in unread] == [
        (2, 'many,0.2,"x, y"'),
        (4, "2/s,0.5"),
        (5, "2/s,0.4,c,d"),
        (7, '9/s,"0.1,z'),
    ]
    assert [row["status"] for row in unread] == [
        'load: "many" is not a quantity',
        "the row has 2 cells for 3 columns",
        "the row has 4 cells for 3 columns",
        "the row cannot be read: a quotation mark is opened and never closed",
    ]


def test_other_rows_keep_their_numbers(system: qnet.System, tmp_path: Path):
    fitted = [row["row"] for row in rows_of(system, tmp_path, BAD) if row["use"] == "fitted" and row["scope"] == "row"]
    assert fitted == [1, 3, 6]


def test_a_warning_counts_them(system: qnet.System, tmp_path: Path):
    rows_of(system, tmp_path, BAD)
    (note,) = [note for note in system.calibrate(str(tmp_path / "rows.csv"), "pause").notes if note.code == "QN737"]
    assert note.text.startswith("4 of 7 rows cannot be read")


def test_strict_refuses_the_first(system: qnet.System, tmp_path: Path):
    with pytest.raises(InvalidInput, match=r"rows.csv:3: .*QN251") as caught:
        rows_of(system, tmp_path, BAD, strict=True)
    assert len(caught.value.problems) == 1
    assert rows_of(system, tmp_path, GOOD, strict=True)


def test_where_too_few_are_left_the_reasons_are_listed(system: qnet.System, tmp_path: Path):
    with pytest.raises(InvalidInput) as caught:
        rows_of(system, tmp_path, "load,response_s,hold_out\nmany,1,\n2/s,,\n")
    assert [problem.code for problem in caught.value.problems] == ["QN252", "QN251"]


def test_where_none_is_left_every_reason_is_listed(system: qnet.System, tmp_path: Path):
    with pytest.raises(InvalidInput) as caught:
        rows_of(system, tmp_path, "load,response_s\nmany,1\n2/s\n")
    assert [(problem.code, problem.line) for problem in caught.value.problems] == [("QN251", 2), ("QN251", 3)]


def test_mappings_have_their_values_as_text(system: qnet.System):
    rows: list[dict[str, Any]] = [{"load": "1/s", "response_s": 0.11}, {"load": "many", "response_s": 0.2}]
    (unread,) = [row for row in system.calibrate(rows, "pause").records() if row["use"] == "not read"]
    assert (unread["row"], unread["at"]) == (2, "many,0.2")


def test_a_regression_of_demands_lists_them_too(system: qnet.System, tmp_path: Path):
    good = [{"throughput": rate, "utilization_cpu": 0.1 * rate} for rate in (1, 2, 3)]
    rows = [*good[:1], {"throughput": 2, "utilization_cpu": 37}, *good[1:]]
    records = system.demands(rows).records()
    (unread,) = [row for row in records if row["use"] == "not read"]
    assert (unread["row"], unread["name"]) == (2, "2,37")
    assert records[0]["value"] == pytest.approx(0.1, rel=1e-12)


def test_candidates_are_fitted_on_the_rows_that_all_of_them_can_read(tmp_path: Path):
    from qnet.questions.calibrate.candidates import candidates

    for name, change in (("one", ""), ("other", "extra = 1\n")):
        text = MODEL.replace("pause =", f"{change}pause =")
        (tmp_path / f"{name}.toml").write_text(text)
    path = tmp_path / "rows.csv"
    path.write_text("load,response_s,extra\n1/s,0.11,1\n2/s,0.12,soon\n3/s,0.13,1\n4/s,0.14,1\n")
    models = [qnet.load(str(tmp_path / f"{name}.toml")) for name in ("one", "other")]
    fitted = candidates(models, str(path), ["pause"])
    assert [item.fit and item.fit.measured.table.numbers for item in fitted] == [(1, 3, 4)] * 2


def test_lines_are_those_of_the_file_where_cells_have_several(tmp_path: Path):
    path = tmp_path / "rows.csv"
    path.write_bytes(b'a,b\r\n1,"x\r\ny"\r\n\r\n2,z\r\n3\r\n')
    table = read_table(str(path))
    assert (table.lines, table.unread[0].problem.line) == ((2, 5), 6)
    assert table.texts == ('1,"x\r\ny"', "2,z")


def test_a_utilization_in_percent_without_its_sign_is_not_read():
    """37 for 37 % would be fitted as if 37 servers of one were busy."""
    system = qnet.loads(
        'qnet = 1\ntitle = "one"\n[parameters]\nrate = "20/s"\nservice = "10 ms"\n[stations]\ndb = {}\n'
        '[classes.c]\narrival_rate = "rate"\nsteps = [ { station = "db", time = "service" } ]'
    )
    rows = [{"rate": f"{rate}/s", "utilization_db": text} for rate, text in ((20, "20%"), (40, "0.4"), (60, "60"))]
    report = system.calibrate(rows, fit=["service"])
    unread = [row["status"] for row in report.records() if row["scope"] == "row" and row["use"] == "not read"]
    assert len(unread) == 1 and "a utilization of 60; expected 0 to 1, or a percentage" in unread[0]
