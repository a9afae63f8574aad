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


_CHANDY = "Chandy, Herzog, Woo, IBM J. Res. Dev. 19 (1975) 36-42"
_COURTOIS = "Courtois, Decomposability, 1977"
_SHORT = "no visit inside longer than a passage of the subnetwork on average; one class inside"

MEASURED: dict[str, Measured] = {
    row.name: row
    for row in (
        Measured("memory: throughput of a closed class", "flow-equivalent", 200, "throughput", 0.002, 0.051,
                 _SHORT, "QN644", _CHANDY),
        Measured("memory: time there of a closed class", "flow-equivalent", 200, "wait and time inside", 0.0028, 0.085,
                 _SHORT, "QN644", _CHANDY),
        Measured("memory: response of an open class", "flow-equivalent", 200, "response", 0.0048, 0.2,
                 _SHORT + "; up to 70 % of the capacity", "QN644, QN645", _CHANDY),
        Measured("memory: throughput with paging", "flow-equivalent", 200, "throughput", 0.00015, 0.01,
                 "times that depend on the number inside", "", _COURTOIS),
        Measured("memory: response with paging", "flow-equivalent", 200, "response", 0.00072, 0.019,
                 "times that depend on the number inside", "", _COURTOIS),
    )
}  # fmt: skip
"""By name."""
