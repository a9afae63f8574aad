"""The table of measured errors is whole, and `qnet methods` takes the errors of methods from it."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from measuring import FEWEST, printed

from qnet.explanations import EXPLANATIONS
from qnet.networks.measured_errors import MEASURED, TABLE, MeasuredError, error_of
from qnet.networks.solvers.table import TABLE as METHODS
from qnet.questions.tables.methods_report import errors_report, methods_report

NAMES = sorted({row.name for row in METHODS if row.trust == "approximate"})
HERE = Path(__file__).parent


@pytest.mark.parametrize("name", NAMES)
def test_no_row_of_a_trusted_region_is_worse_than_what_is_told(name: str):
    told = error_of(name)
    for row in MEASURED.values():
        if row.method == name and row.trusted:
            kind = row.quantity if row.quantity in ("throughput", "response") else "other figures"
            (part,) = [part for part in told.split("; ") if part.startswith(kind)]
            median, worst = (float(text.partition(" %")[0].split()[-1]) / 100 for text in part.split(","))
            assert row.median <= median * (1 + 1e-9) and row.worst <= worst * (1 + 1e-9)


def test_outside_of_trusted_regions_nothing_counts():
    assert MEASURED["first come first served: times far apart"].worst == 0.46
    assert "46 %" not in error_of("residual-service")


def test_every_method_tells_its_error():
    report = methods_report()
    place = [column.key for column in report.columns].index("error")
    told = {row[1]: row[place] for row in report.rows}
    assert {row.name for row in METHODS} <= set(told) and all(told.values())
    assert {name: told[name] for name in NAMES} == {name: error_of(name) for name in NAMES}
    assert all(error_of(name) for name in NAMES)


def test_every_row_of_the_file_is_reported_once():
    with open(TABLE, newline="") as file:
        names = [cells["name"] for cells in csv.DictReader(file)]
    assert names == list(MEASURED) == [row[0] for row in errors_report().rows]


def complete(row: MeasuredError) -> bool:
    return bool(
        row.systems >= FEWEST
        and 0 < row.median <= row.worst
        and (row.median, row.worst) == (printed(row.median), printed(row.worst))
        and row.source
        and row.region
        and all(code in EXPLANATIONS for code in row.code.split(", ") if row.code)
    )


def test_a_row_has_what_it_needs():
    assert [name for name, row in MEASURED.items() if not complete(row)] == []


def measured_in(file: str) -> str:
    """The text of a test, and of the modules beside it that it imports: there are the names of its rows."""
    text = (HERE / file).read_text()
    beside = re.findall(r"^from (\w+) import", text, re.MULTILINE)
    return text + "".join((HERE / f"{name}.py").read_text() for name in beside if (HERE / f"{name}.py").exists())


def is_measured(row: MeasuredError) -> bool:
    """Whether the test that a row names measures it."""
    if row.test == "test_error_product_form.py":
        from product_form_systems import ROWS as drawn

        return row.name in drawn
    text = measured_in(row.test)
    # Families measured by several figures have names of two parts.
    return "assert_told" in text and (f'"{row.name}"' in text or f'"{row.name.rpartition(", ")[0]}' in text)


def test_a_row_names_the_test_that_measures_it():
    assert [name for name, row in MEASURED.items() if not is_measured(row)] == []
