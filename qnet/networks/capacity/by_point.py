"""Functions of plain numbers over the points of a batch."""

from __future__ import annotations

from collections.abc import Callable

from qnet.expression import Value
from qnet.lazy import np


def by_point(figures: Callable[..., tuple[float, ...]], *values: Value) -> tuple[Value, ...]:
    """A function of plain numbers that gives several, taken point by point where there are arrays."""
    if not any(hasattr(value, "shape") for value in values):
        return figures(*map(float, values))

    spread = np.broadcast_arrays(*values)
    points = [figures(*map(float, point)) for point in zip(*(item.flat for item in spread), strict=True)]
    return tuple(np.array(column).reshape(spread[0].shape) for column in zip(*points, strict=True))
