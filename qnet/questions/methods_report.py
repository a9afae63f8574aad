"""The table of methods as a report."""

from __future__ import annotations

from qnet.networks.product.methods import METHODS
from qnet.reports.report import Column, Report

COLUMNS = (
    Column("trust", "trust"),
    Column("name", "name"),
    Column("classes", "classes"),
    Column("applies", "applies to"),
    Column("cost", "cost"),
    Column("error", "error"),
    Column("source", "source"),
)


def methods_report() -> Report:
    """Every method for networks: applicability, cost, trust, measured error and source."""
    rows = [
        (row.trust, row.name, row.classes, row.applies, row.cost, row.error, row.source) for row in METHODS.values()
    ]
    return Report("qnet/methods/1", "qnet methods", COLUMNS, rows, group="trust")
