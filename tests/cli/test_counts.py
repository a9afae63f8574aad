"""Counts in CSV: integers, so that what reads a file needs no rounding."""

from __future__ import annotations

import csv
import io

import pytest
from warm_process import answer_of


@pytest.mark.parametrize(
    ("arguments", "column"),
    [
        (["sweep", "interactive-users", "--over", "users=1:3"], "users"),
        (["sweep", "web-pool", "--over", "workers=5,6"], "workers"),
        (["envelope", "interactive-users", "--vary", "users", "--limit", "utilization_cpu <= 0.9"], "users"),
        (["envelope", "web-pool", "--envelope", "pool"], "connections"),
        (["solve", "interactive-users"], "population"),
    ],
)
def test_a_csv_writes_counts_without_a_point(arguments: list[str], column: str) -> None:
    result = answer_of(*arguments, "--csv")
    cells = [row[column] for row in csv.DictReader(io.StringIO(result.out)) if row[column]]
    assert cells
    assert all(cell.isdecimal() for cell in cells)
