"""What reasons for approximate answers are made of: those beyond a measured region, and comparisons of numbers."""

from __future__ import annotations

from qnet.expression import Operations, Value
from qnet.networks.streams import Stream


class Beyond(str):
    """A reason for an approximate answer that is used beyond the region in which its error was measured as small."""

    code: str
    """Of the warning."""
    warning: str
    """The text that the reader gets."""

    def __new__(cls, reason: str, code: str, warning: str) -> Beyond:
        self = super().__new__(cls, reason)
        self.code, self.warning = code, warning
        return self


def close(value: Value, other: Value, operations: Operations) -> bool:
    """Whether two values are the same at all points, rounding apart."""
    near = 1e-12 * operations.absolute(other)
    return operations.all(operations.compare("<=", operations.absolute(value - other), near))


def exponential(stream: Stream, operations: Operations) -> bool:
    """Whether what a stream asks of its server has the variance of an exponential time."""
    if stream.scv is not None:
        return close(stream.scv, stream.scv * 0 + 1.0, operations)
    square = (stream.first.mean + stream.second.mean) ** 2
    return close(stream.first.variance + stream.second.variance, square, operations)
