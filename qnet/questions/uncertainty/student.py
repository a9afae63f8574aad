"""Student's t distribution, for intervals of what was fitted."""

from __future__ import annotations

import math

from qnet.expression import FLOATS
from qnet.queues.roots import root

_NORMAL = 100_000
"""Degrees of freedom from which on the difference to the normal distribution is negligible."""


def within(angle: float, freedom: int) -> float:
    """The probability that |T| < sqrt(freedom) tan(angle), for an integer number of degrees of freedom.

    Source   @abramowitz1964, 26.7.3 and 26.7.4.
    """
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2
    term = cosine if odd else 1.0
    total = term if freedom > 1 else 0.0
    for step in range(3 if odd else 2, freedom - 1, 2):
        term *= cosine * cosine * (step - 1) / step
        total += term
    return 2 / math.pi * (angle + sine * total) if odd else sine * total


def half_width(share: float, freedom: int) -> float:
    """How many standard errors to each side hold a share of Student's t with `freedom` degrees of freedom, at least 1.

    half_width(0.95, 10) is 2.228.
    """
    freedom = min(freedom, _NORMAL)
    right = math.pi / 2
    angle = root(lambda x: within(float(x), freedom) - share, 0.0, right, -share, 1.0 - share, FLOATS)
    return math.sqrt(freedom) * math.tan(float(angle))
