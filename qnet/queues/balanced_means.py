"""The hyperexponential distribution of two phases with balanced means, of a given mean and scv."""

from __future__ import annotations

from qnet.expression import Operations, Value


def shares(scv: Value, operations: Operations) -> tuple[Value, Value]:
    """The probabilities p of the two phases of a hyperexponential time, the more frequent and shorter one first.

    The mean of a phase is the mean of the time over 2 p, so that both phases have half of it.

    scv         at least 1.
    operations  of floats, arrays or symbols, as the scv is.
    Source      @tijms2003, appendix B

    >>> from qnet.expression import FLOATS
    >>> shares(1.0, FLOATS)
    (0.5, 0.5)
    """
    lean = operations.sqrt((scv - 1) / (scv + 1))
    # 1 - lean would lose the digits of a rare phase.
    return (1 + lean) / 2, 2 / (scv + 1) / (2 * (1 + lean))
