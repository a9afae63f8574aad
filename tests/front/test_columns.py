"""Columns of a report by name: as arrays, and as tables of packages that may be missing."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import qnet
from qnet.reports.columns import as_array
from qnet.reports.content import Column
from qnet.reports.report import Report

ROWS = ((1, 0.5, "a", True, None, 1), (2, None, None, False, None, 2.5))
COLUMNS = (Column("users", "users"), Column("response", "response", "s"), Column("name", "name"),
           Column("holds", "holds"), Column("nothing", "nothing"), Column("limit", "limit"))  # fmt: skip
REPORT = Report("test/1", "a test", COLUMNS, ROWS)


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch):
    """Packages whose tables are what they are given."""
    for name in ("pandas", "polars"):
        stand_in: Any = ModuleType(name)
        stand_in.DataFrame = lambda data, package=name: SimpleNamespace(package=package, data=data)
        monkeypatch.setitem(sys.modules, name, stand_in)


def test_a_column_is_an_array_by_the_name_of_csv_or_without_its_unit():
    response = REPORT.columns["response_s"]
    assert response[0] == 0.5 and np.isnan(response[1])
    assert np.array_equal(REPORT.columns["response"], response, equal_nan=True)


@pytest.mark.parametrize(
    ("name", "kind", "values"),
    [("users", "i", [1, 2]), ("name", "O", ["a", None]), ("holds", "b", [True, False]), ("limit", "f", [1.0, 2.5])],
)
def test_the_type_of_an_array_is_that_of_its_cells(name: str, kind: str, values: list[Any]):
    array = REPORT.columns[name]
    assert (array.dtype.kind, array.tolist()) == (kind, values)


def test_a_column_without_values_is_of_nan():
    assert np.isnan(REPORT.columns["nothing"]).all()


def test_integers_beyond_an_array_are_floats():
    assert as_array([2**63, 1]).tolist() == [2.0**63, 1.0]


def test_a_column_by_its_index_is_what_it_was():
    assert REPORT.columns[1] == COLUMNS[1]
    assert REPORT.columns[-2:] == COLUMNS[-2:]
    assert tuple(REPORT.columns) == COLUMNS
    assert Report("test/1", "a test", COLUMNS, ROWS) == REPORT and REPORT.replace(title="b").columns == COLUMNS


def test_names_and_arrays_together_are_a_mapping():
    assert list(dict(REPORT.columns)) == ["users", "response_s", "name", "holds", "nothing", "limit"]
    assert "response_s" in REPORT.columns and "respons_s" not in REPORT.columns and COLUMNS[0] in REPORT.columns


def test_an_unknown_column_is_refused_with_the_nearest():
    with pytest.raises(qnet.UsageError, match=r'no column "respons_s" \[QN765\]\n.*did you mean "response_s"'):
        REPORT.columns["respons_s"]


def test_arrays_have_the_numbers_of_the_records():
    report = qnet.load("one-queue").sweep("rate=10/s:90/s:10/s")
    assert report.columns["response_s"].tolist() == [row["response_s"] for row in report.records()]
    # Of M/M/1 with 10 ms.
    assert report.columns["response"] == pytest.approx(1 / (100 - report.columns["rate"]), rel=1e-12)


def test_a_frame_of_pandas_has_the_arrays(packages: None):
    frame = REPORT.to_pandas()
    assert frame.package == "pandas" and list(frame.data) == REPORT.columns.keys()
    for name, array in frame.data.items():
        assert array.dtype == REPORT.columns[name].dtype


def test_a_frame_of_polars_has_cells_of_one_type_and_null(packages: None):
    frame = REPORT.to_polars()
    assert frame.package == "polars"
    assert frame.data == {"users": [1, 2], "response_s": [0.5, None], "name": ["a", None], "holds": [True, False],
                          "nothing": [None, None], "limit": [1.0, 2.5]}  # fmt: skip
    mixed = Report("test/1", "", (Column("value", "value"),), ((1.5,), ("large",), (None,)))
    assert mixed.to_polars().data == {"value": ["1.5", "large", None]}


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_a_missing_package_is_named_with_what_needs_none(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(qnet.UsageError, match=rf"needs {name}, which is not installed \[QN764\]\n.*pip install {name}"):
        getattr(REPORT, f"to_{name}")()
