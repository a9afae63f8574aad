"""A station whose rate depends on the number present, with a finite number of places: Poisson arrivals."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.record import Record

_LARGE = 1e100
"""Where weights are divided by the largest so far."""


class RatedLine(Record):
    """The figures of a station with loss when all places are taken."""

    kept: float
    """The share of arrivals that is admitted."""
    number: float
    """The mean number present."""


def rated_loss(offered: float, rates: Sequence[float], places: int) -> RatedLine:
    """The share of arrivals that is admitted, and the mean number present.

    offered  arrivals per mean service time at rate 1, lost ones included.
    rates    relative capacity with 1, 2, ... customers present, above 0; the last repeats.
    places   K, those in service included: arrivals that find K are lost.
    Exact    for exponential times; for any times where the rate is shared by all, or the latest arrival preempts.
    Method   The birth-death process of the number present, p(n) = p(n - 1) offered / rates(n) up to n = K: a sum of
             positive terms.
    Source   @kleinrock1975, section 3.1; insensitivity with a limit of the number: @kelly1979,
             section 3.3.

    >>> rated_loss(1.0, (1.0, 2.0), places=2)
    RatedLine(kept=0.8, number=0.8)
    """
    last = len(rates) - 1
    weight, fewer, number = 1.0, 0.0, 0.0
    for present in range(1, places + 1):
        fewer += weight
        weight *= offered / rates[min(present - 1, last)]
        number += present * weight
        every = fewer + weight
        if every > _LARGE:
            weight, fewer, number = weight / every, fewer / every, number / every
    return RatedLine(fewer / (fewer + weight), number / (fewer + weight))
