"""The fixed points of a solved network, from which those of a nearby network converge sooner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qnet.lazy import Array, np
from qnet.record import Record


class Nearby(Record):
    """The values of all fixed points of a solution, of a point or a batch."""

    method: str
    """The method of these fixed points: other methods have no use for the values."""
    size: int | None
    """The number of points P of the batch; None for a point."""
    shape: tuple[int, ...]
    """Stations and classes of a network of demands; or streams, and the ways to leave out a customer."""
    rates: Any
    """Passages per second by class, (R,) of a point and (P, R) of a batch; None where no rates are searched for."""
    values: tuple[Array, ...] | None
    """The values of each fixed point in turn; one over n P networks has those of the batch n times, one after the
    other. None where there are no fixed points."""

    @property
    def kind(self) -> tuple[Any, ...]:
        """Equal for those that can be joined."""
        return self.method, self.shape, self.rates is None, self.values and len(self.values)

    def like(self, size: int | None, shape: tuple[int, ...]) -> bool:
        """Whether it has this number of points and this shape."""
        return (self.size, self.shape) == (size, shape)

    def rows(self, chosen: Sequence[int]) -> Nearby:
        """The fixed points at some points of the batch."""
        values = self.values and tuple(self._each(value)[:, chosen] for value in self.values)
        return self.replace(
            size=len(chosen),
            rates=None if self.rates is None else self.rates[chosen],
            values=values and tuple(value.reshape(-1, *value.shape[2:]) for value in values),
        )

    @staticmethod
    def joined(parts: Sequence[Nearby]) -> Nearby:
        """The fixed points of several batches of equal `kind`, joined one after the other."""
        if len(parts) == 1:
            return parts[0]
        first, sizes = parts[0], [part.size or 1 for part in parts]
        values: tuple[Array, ...] | None = first.values and tuple(
            np.concatenate([part._each(value) for part, value in zip(parts, each, strict=True)], axis=1)
            for each in zip(*(part.values or () for part in parts), strict=True)
        )
        return first.replace(
            size=sum(sizes),
            rates=None if first.rates is None else np.concatenate([part.rates for part in parts]),
            values=values and tuple(value.reshape(-1, *value.shape[2:]) for value in values),
        )

    def _each(self, value: Array) -> Array:
        """(n, P, ...) the values of a fixed point, by network and point."""
        size = self.size or 1
        return value.reshape(-1, size, *value.shape[1:])
