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


_LAYERS = "servers of a station are held for times that differ by a factor of up to 3, with an scv up to 4"
MEASURED: dict[str, Measured] = {
    row.name: row
    for row in (
        Measured("layers: two deep", "layers", 200, "response", 0.0023, 0.25,
                 _LAYERS, "QN640", "Rolia, Sevcik, IEEE TSE 21 (1995)"),
        Measured("layers: three deep", "layers", 200, "response", 0.0053, 0.16,
                 _LAYERS, "QN640", "Rolia, Sevcik, IEEE TSE 21 (1995)"),
        Measured("layers: second phases", "layers", 200, "response", 0.015, 0.08,
                 _LAYERS, "QN640", "Rolia, Sevcik, IEEE TSE 21 (1995)"),
    )
}  # fmt: skip
"""By name."""
