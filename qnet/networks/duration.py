"""A random time: the sum of known parts and of waits that are not known yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qnet.expression import Operations, Value
from qnet.record import Record


class Wait(Record):
    """The wait of one stream at its station: mean and variance."""

    mean: Value
    variance: Value


class _Fraction(Record):
    """A part that happens floor(v) or floor(v) + 1 times: `weight` is f (1 - f) for the fractional part f of v."""

    weight: Value
    mean: Value
    waits: Mapping[int, Value]


_NO_WAITS: Mapping[int, Value] = {}


class Duration(Record):
    """Mean and variance of a time, linear in the waits of streams: `mean + sum(count * wait)`.

    Parts are independent, and a part repeated `v` times on average happens floor(v) or floor(v) + 1 times.
    """

    mean: Value = 0.0
    """Seconds, without the waits."""
    variance: Value = 0.0
    waits: Mapping[int, Value] = _NO_WAITS
    """By stream: the mean number of waits for it."""
    fractions: tuple[_Fraction, ...] = ()

    def plus(self, other: Duration) -> Duration:
        """The sum of two independent durations."""
        if other is NOTHING:
            return self
        if self is NOTHING:
            return other
        waits = self.waits or other.waits
        if self.waits and other.waits:
            waits = dict(self.waits)
            for stream, count in other.waits.items():
                waits[stream] = waits.get(stream, 0.0) + count
        return Duration(self.mean + other.mean, self.variance + other.variance, waits, self.fractions + other.fractions)

    def repeated(self, visits: Value, operations: Operations) -> Duration:
        """The duration of several repetitions, `visits` on average."""
        if self is NOTHING or (isinstance(visits, float) and visits == 1.0):
            return self
        part = visits - operations.floor(visits)
        weight = part * (1 - part)
        kept = tuple(_Fraction(item.weight * visits, item.mean, item.waits) for item in self.fractions)
        if not operations.all(weight == 0):
            kept += (_Fraction(weight, self.mean, self.waits),)
        waits = {stream: count * visits for stream, count in self.waits.items()}
        return Duration(self.mean * visits, self.variance * visits, waits, kept)

    def weighted(self, probability: Value) -> Duration:
        """The contribution to a mixture, of which the variance of the means of its branches is left out."""
        if self is NOTHING or (isinstance(probability, float) and probability == 1.0):
            return self
        waits = {stream: count * probability for stream, count in self.waits.items()}
        kept = tuple(_Fraction(item.weight * probability, item.mean, item.waits) for item in self.fractions)
        return Duration(self.mean * probability, self.variance * probability, waits, kept)

    def mean_with(self, waits: Mapping[int, Wait] | Sequence[Wait]) -> Value:
        """The mean, given the waits of the streams."""
        return _mean(self.mean, self.waits, waits)

    def variance_with(self, waits: Mapping[int, Wait] | Sequence[Wait]) -> Value:
        """The variance, given the waits of the streams."""
        total = self.variance
        for stream, count in self.waits.items():
            total = total + count * waits[stream].variance
        for item in self.fractions:
            total = total + item.weight * _mean(item.mean, item.waits, waits) ** 2
        return total


def _mean(mean: Value, counts: Mapping[int, Value], waits: Mapping[int, Wait] | Sequence[Wait]) -> Value:
    total = mean
    for stream, count in counts.items():
        total = total + count * waits[stream].mean
    return total


NOTHING = Duration()
"""No time at all."""
