"""Two reports that every format is tried on: one in blocks with hostile texts, one sweep with a curve and a gap."""

from __future__ import annotations

import pytest

from qnet.reports.content import Column, Note, Plot
from qnet.reports.report import Report

HOSTILE = 'a [red]long[/red] | \x1b[31mname\x1b[0m\x1b]0;owned\x07, *bold* "quoted"\r\nand broken'


@pytest.fixture
def blocks() -> Report:
    return Report(
        schema="qnet/solution/1",
        title=f"Disk µ {HOSTILE}",
        columns=(
            Column("scope", "scope"),
            Column("station", "station"),
            Column("throughput", "throughput", "/s"),
            Column("response", "response time", "s"),
            Column("utilization", "utilization"),
            Column("servers", "servers"),
            Column("limit", "limits", ""),
        ),
        rows=[
            ("system", None, 600.0, 0.012142857142857144, None, None, None),
            ("stations", "front_end", 420.0, 0.00012, 0.7, 4, False),
            ("stations", HOSTILE, 0.1 + 0.2, 0.0265, 0.0712345, 12345, True),
            ("stations", "µ-disk", 1e22, 1.2345, 1 / 3, None, False),
        ],
        notes=(
            Note("QN601", f"approximate {HOSTILE}", "warning", "use --method mva"),
            Note("QN001", "nothing else"),
        ),
        meta={"model": {"title": f"µ {HOSTILE}", "digest": "12ab34"}, "method": "mva", "exactness": "approximate"},
        group="scope",
    )


@pytest.fixture
def sweep() -> Report:
    def response(rate: float, writes: float) -> float | None:
        return None if rate == 300 else (0.004 + 0.008 * writes) / (1 - rate / (1000 - 600 * writes))

    return Report(
        schema="qnet/sweep/1",
        title="A sweep",
        columns=(
            Column("writes", "share of writes"),
            Column("rate", "rate", "/s"),
            Column("response", "response", "s"),
            Column("utilization", "utilization"),
        ),
        rows=[
            (writes, float(rate), response(rate, writes), rate / 1000)
            for writes in (0.0, 0.2, 0.5)
            for rate in range(50, int(1000 - 600 * writes), 50)
        ],
        plot=Plot("rate", ("response", "utilization"), ("writes",)),
    )


@pytest.fixture
def prose() -> Report:
    return Report(
        schema="qnet/why/1",
        title="Why",
        columns=(
            Column("section", "section"),
            Column("text", "text"),
            Column("value", "value"),
            Column("number", "number"),
        ),
        rows=[
            ("first", "It *is* so.", 1.5, None),
            ("first", None, None, 2),
            ("second", "Two sentences.", None, None),
            ("second", "And a paragraph.", None, None),
        ],
        meta={"command": "qnet why 'a  b'"},
        group="section",
        prose="text",
    )
