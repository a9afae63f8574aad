"""The measured errors of all approximations: one row of `measured_errors.csv` for each method, feature and region.

Every row is measured against exact answers of random systems (Markov chains, simulations, exact product form) by the
test that it names in `tests/errors`, which fails when the row states other numbers. The table is read when this module
is imported, so import it lazily. `qnet methods`, the choice of `auto` and the notes take their
figures from here.
"""

from __future__ import annotations

import csv
import os
from typing import Any

from qnet.record import Record

TABLE = os.path.join(os.path.dirname(__file__), "measured_errors.csv")


class MeasuredError(Record):
    """The measured error of one method for one feature."""

    name: str
    """`feature`, or `feature: region` where it is measured in several."""
    method: str
    figure: str
    """Which figure the error is of, in words."""
    quantity: str
    """The figure in one word or two: throughput, response, residence, queue length, occupancy, offered rate or
    percentile."""
    systems: int
    """Random systems that were solved both ways."""
    median: float
    worst: float
    """Relative errors, two digits."""
    trusted: bool
    """Whether the method is trusted in the region of the systems; where it is not, it warns, or is not chosen."""
    code: str
    """Codes of the warnings outside of the trusted region; empty where there are none."""
    test: str
    """The file in `tests/errors` that measures the row again."""
    source: str
    region: str
    """The systems that were drawn."""


def _row(cells: list[str]) -> MeasuredError:
    values: dict[str, Any] = dict(zip(MeasuredError.fields(), cells, strict=True))
    values |= {"systems": int(values["systems"]), "trusted": values["trusted"] == "yes"}
    values |= {name: float(values[name]) for name in ("median", "worst")}
    return MeasuredError(**values)


def _read() -> dict[str, MeasuredError]:
    with open(TABLE, encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        assert tuple(next(rows)) == MeasuredError.fields()
        return {cells[0]: _row(cells) for cells in rows}


MEASURED: dict[str, MeasuredError] = _read()
"""By name, in the order of the file."""


def trusted_rows(method: str) -> list[MeasuredError]:
    """The rows of a method in the regions in which it is trusted."""
    return [row for row in MEASURED.values() if row.method == method and row.trusted]


def error_of(method: str) -> str:
    """The errors of a method in short, over all regions in which it is trusted; empty where none was measured.

    >>> error_of("qna")
    'response: median up to 2.3 %, worst 16 %; other figures: median up to 2.9 %, worst 41 %'
    """
    kinds: dict[str, list[MeasuredError]] = {"throughput": [], "response": [], "other figures": []}
    for row in trusted_rows(method):
        kinds.get(row.quantity, kinds["other figures"]).append(row)
    return "; ".join(
        f"{kind}: median up to {percent(max(row.median for row in rows))}, "
        f"worst {percent(max(row.worst for row in rows))}"
        for kind, rows in kinds.items()
        if rows
    )


def percent(share: float) -> str:
    """A relative error as texts quote it: two digits.

    >>> percent(0.0044)
    '0.44 %'
    """
    return f"{100 * share:.2g} %"
