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


_FORK_JOIN = "independent branches, less what they wait in common"
_FLATTO = "Flatto, Hahn, SIAM J. Appl. Math. 44 (1984) 1041-1053; its use for unlike branches: this tool"

MEASURED: dict[str, Measured] = {
    row.name: row
    for row in (
        Measured(
            "fork-join: two branches, open",
            _FORK_JOIN,
            200,
            "response",
            0.003,
            0.011,
            "up to 10 branches with stations or copies of their own and exponential service times",
            "QN660",
            _FLATTO,
        ),
        Measured(
            "fork-join: closed classes",
            f"residual-service, {_FORK_JOIN}",
            200,
            "response",
            0.0039,
            0.012,
            "up to 10 branches with stations or copies of their own and exponential service times",
            "QN660",
            f"Heidelberger, Trivedi, IEEE Trans. Computers 32 (1983) 73-82, for the problem; {_FLATTO}",
        ),
        Measured(
            "work left behind: closed classes",
            "a stream at the rate of the passages",
            200,
            "response",
            0.02,
            0.083,
            "two customers and more, and at most 0.6 of the station for the work left behind",
            "QN662",
            "Heidelberger, Trivedi, IEEE Trans. Computers 31 (1982) 1099-1109, for the problem; this tool",
        ),
    )
}
"""By name."""
