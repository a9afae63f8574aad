"""What every table of errors has in common: systems of a feature, the measured error, and what is said of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from qnet.networks.measured_errors import MEASURED

FEWEST = 200
"""Systems that a table of errors rests on at least."""


def printed(value: float) -> float:
    """A share as it is told: two digits."""
    if value == 0:
        return 0.0
    return round(value, 1 - math.floor(math.log10(abs(value))))


def assert_told(name: str, errors: Sequence[float]) -> None:
    """Assert that the row of a name in the table of errors tells these: relative errors, by absolute value."""
    row = MEASURED[name]
    sizes = [abs(error) for error in errors]
    assert len(sizes) >= FEWEST
    assert row.systems == len(sizes)
    assert (row.median, row.worst) == (printed(median(sizes)), printed(max(sizes)))
