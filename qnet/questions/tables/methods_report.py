"""The table of methods, and the table of their measured errors, as reports."""

from __future__ import annotations

from qnet.networks.measured_errors import MEASURED, error_of
from qnet.networks.solvers import loader, table
from qnet.networks.solvers.bounds import BOUNDS
from qnet.references import cited
from qnet.reports.content import Column
from qnet.reports.report import Report

COLUMNS = (
    Column("trust", "trust"),
    Column("name", "name"),
    Column("classes", "classes"),
    Column("applies", "applies to"),
    Column("cost", "cost"),
    Column("error", "error"),
    Column("source", "source"),
)
ERROR_COLUMNS = (
    Column("name", "name"),
    Column("method", "method"),
    Column("figure", "figure"),
    Column("systems", "systems"),
    Column("median", "median error", "%"),
    Column("worst", "worst error", "%"),
    Column("trusted", "trusted for"),
    Column("code", "code"),
    Column("source", "source"),
)


def methods_report() -> Report:
    """Every method for networks: applicability, cost, trust, measured error and source."""
    result: dict[str, tuple[str, ...]] = {}
    for row in sorted(table.TABLE, key=lambda row: row.trust != "exact"):
        card = loader.solver(row)
        error = "rounding only" if row.trust == "exact" else error_of(row.name) or "not measured"
        result.setdefault(
            row.name, (row.trust, row.name, card.CLASSES, card.APPLIES, card.COST, error, cited(card.SOURCE))
        )
    rows = list(result.values())
    rows += [("bounds", name, *kind.replace(source=cited(kind.source))) for name, kind in BOUNDS.items()]
    return Report(schema="qnet/methods/1", title="qnet methods", columns=COLUMNS, rows=rows, group="trust")


def errors_report() -> Report:
    """Every approximation: its error against the exact answers of random systems."""
    rows = [
        (row.name, row.method, row.figure, row.systems, 100 * row.median, 100 * row.worst,
         row.region if row.trusted else f"nothing: {row.region}", row.code,
         cited(row.source))
        for row in MEASURED.values()
    ]  # fmt: skip
    return Report(
        schema="qnet/errors/1",
        title="qnet methods: measured errors",
        columns=ERROR_COLUMNS,
        rows=rows,
    )
