"""What requests wait at a station, from the time that their class spends there in a passage."""

from __future__ import annotations

from qnet.expression import Operations, Value
from qnet.networks.duration import Wait
from qnet.networks.streams import Stream

LONGEST = 1e150
"""Seconds, of waits whose square is a number; those of points without a steady state may be longer."""


def stream_wait(
    stream: Stream, spent: Value, demand: Value, visits: Value, ordered: bool, faster: bool, operations: Operations
) -> Wait:
    """The wait of one request.

    stream      the requests.
    spent       seconds that the class spends there in a passage, and `demand` of it being served.
    visits      how often it comes there in a passage.
    ordered     whether all visits of a class have the same wait, as where the order of arrival was taken into account;
                else each in proportion to its service.
    faster      whether more customers are served faster, so that a wait may be negative.
    operations  those of the numbers.
    Returns     seconds, and square seconds: those that make the time there as variable as an exponential one, where
                service is.
    """
    idle = (spent == 0) | (demand == 0)
    mean = stream.holding.mean
    if ordered:
        wait = operations.maximum([spent - demand, 0.0 * spent]) / (visits + (visits == 0))
    else:
        longer = spent / (demand + idle) - 1.0 + idle
        if not faster:
            longer = operations.maximum([longer, 0.0 * longer])
        wait = mean * longer
    known = operations.minimum([wait, LONGEST + 0.0 * wait])
    return Wait(wait, known * (known + 2.0 * mean))
