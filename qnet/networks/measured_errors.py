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


_FIRST = "customers served before others keep no server more than 60 % busy"
_PRIORITY_MVA = "Bryant, Krzesinski, Lakshmi, Chandy, ACM Trans. Computer Systems 2 (1984) 335-359; corrected here"
_BY_CLASS = "throughput of the class where it is worst"
MEASURED: dict[str, Measured] = {
    row.name: row
    for row in (
        Measured("priorities: closed", "priority-mva", 200, _BY_CLASS, 0.0029, 0.061, _FIRST + "; none interrupted",
                 "QN646", _PRIORITY_MVA),
        Measured("priorities: closed, interrupting", "priority-mva", 200, _BY_CLASS, 0.002, 0.12, _FIRST, "QN646",
                 _PRIORITY_MVA),
        Measured("priorities: closed, several servers", "priority-mva", 200, _BY_CLASS, 0.0029, 0.043,
                 _FIRST + "; two servers, interrupting or not", "QN646", _PRIORITY_MVA),
        Measured("priorities: mixed", "priority-mva", 200, "throughput of closed or response of open class", 0.0035,
                 0.21, _FIRST + "; interrupting or not", "QN646", _PRIORITY_MVA),
        Measured("priorities: open, several servers", "open", 200, "response of the class where it is worst", 0.0013,
                 0.061, "one station of exponential times that differ; interrupting or not", "",
                 "Cobham, Operations Research 2 (1954) 70-76; Bondi, Buzen, ACM SIGMETRICS 1984"),
    )
}  # fmt: skip
"""By name."""
