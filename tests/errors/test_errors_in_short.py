"""What `qnet methods` tells of the errors of methods comes from the table of measured errors."""

from __future__ import annotations

import pytest

from qnet.networks.measured_errors import MEASURED, error_of
from qnet.networks.solvers.table import TABLE
from qnet.questions.tables.methods_report import methods_report

NAMES = ["flow-equivalent", "qna", "layers", "priority-mva", "residual-service"]


@pytest.mark.parametrize("name", NAMES)
def test_no_row_of_a_trusted_region_is_worse_than_what_is_told(name: str):
    told = error_of(name)
    for row in MEASURED.values():
        if row.method == name and not row.trusted.startswith("nothing"):
            kind = next((kind for kind in ("throughput", "response") if row.figure.startswith(kind)), "other figures")
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
    assert {row.name for row in TABLE} <= set(told) and all(told.values())
    assert {name: told[name] for name in NAMES} == {name: error_of(name) for name in NAMES}
