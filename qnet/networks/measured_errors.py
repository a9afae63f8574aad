"""How far approximations beyond product form were found from the exact answer: one row for each feature.

Every row is measured by a test of the same name in `tests/errors`, against the Markov chain of all states of small
random systems, and fails when it tells other numbers.
"""

from __future__ import annotations

from qnet.record import Record


class Measured(Record):
    """The measured error of one method for one feature."""

    name: str
    """`feature`, or `feature: region` where it is measured in several."""
    method: str
    systems: int
    """Random systems that were solved both ways."""
    figure: str
    """Which figure the error is of."""
    median: float
    worst: float
    """Relative errors, two digits."""
    trusted: str
    """The region in which the method is trusted; all systems of the row are inside."""
    code: str
    """Of the warning outside that region; empty where there is no outside."""
    source: str


_ROWS: tuple[Measured, ...] = (
    Measured(
        "capacity: loss behind loss", "M/M/c/K each, reduced load", 200, "throughput", 0.0083, 0.038,
        "exponential times, alike for all visits of a station with a capacity", "QN657",
        "Kelly, Advances in Applied Probability 18 (1986) 473-505; M/M/c/K: Kleinrock, Queueing Systems I, 1975",
    ),
    Measured(
        "buffer: lost, drained beside other work", "line with the spread of its drain", 200, "throughput", 0.0055, 0.18,
        "at least four places; one copy drains them; most places wait to be drained", "QN658",
        "own, for M/M/c/K: Kleinrock, Queueing Systems I, 1975, section 3.6",
    ),
    Measured(
        "buffer: wait, filled on the way", "M/M/c of which K are inside", 200, "occupancy", 0.00091, 0.011,
        "at least four places; one copy drains them; most places wait to be drained", "QN658",
        "own, for M/M/c: Kleinrock, Queueing Systems I, 1975, section 3.5",
    ),
)  # fmt: skip

MEASURED: dict[str, Measured] = {row.name: row for row in _ROWS}
"""By name."""
