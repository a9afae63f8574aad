"""Axes of drawings: a range of values, linear or logarithmic, with ticks at round numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from qnet.record import Record
from qnet.units import format_number

LARGEST = 1e300
"""Numbers beyond cannot be subtracted safely, and interrupt the line."""
_MOST_DIGITS = 15
"""The decimal digits that every float has."""
_LONGEST_LABEL = 7
"""Characters of a label that is not shortened by an exponent."""


class Axis(Record):
    """A range of values and its ticks."""

    low: float
    high: float
    ticks: tuple[float, ...]
    labels: tuple[str, ...]
    log: bool = False

    def share(self, value: float) -> float:
        """How far along the axis a value is: 0 at its low end, 1 at its high end."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def position(self, value: float, count: int) -> int:
        """Which of `count` cells represents a value, numbered from the low end."""
        return round(self.share(value) * (count - 1))


def axis(values: Sequence[float], count: int, integer_ticks: bool, log: bool = False) -> Axis:
    """An axis over some values with about a number of ticks.

    integer_ticks  whether the range begins and ends with a tick.
    log          a logarithmic scale; all values are positive then.
    """
    return _logarithmic(values, count, integer_ticks) if log else _linear(values, count, integer_ticks)


def _linear(values: Sequence[float], count: int, integer_ticks: bool) -> Axis:
    """Ticks in steps of 1, 2 or 5 times a power of ten."""
    low, high = min(values), max(values)
    if high - low <= max(1e-12 * max(abs(low), abs(high)), 1 / LARGEST):
        reach = max(abs(low), abs(high)) / 2
        reach = reach if reach > 1 / LARGEST else 1
        low, high = low - reach, high + reach
    ticks = _steps(low, high, count, integer_ticks)
    labels = _labels(ticks)
    return Axis(ticks[0] if integer_ticks else low, ticks[-1] if integer_ticks else high, tuple(ticks), labels)


def _steps(low: float, high: float, count: int, outward: bool) -> list[float]:
    """The multiples of a step in a range; `outward`: up to those just outside."""
    step = _step((high - low) / count)
    first, last = (math.floor, math.ceil) if outward else (math.ceil, math.floor)
    slack = 1e-9 if outward else -1e-9
    return [k * step for k in range(first(low / step + slack), last(high / step - slack) + 1)]


def _step(least: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is not below a number."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))


def _labels(ticks: Sequence[float]) -> tuple[str, ...]:
    """Ticks with the digits that distinguish them; with exponents where that makes long labels shorter."""
    step = min((abs(second - first) for first, second in pairwise(ticks)), default=abs(ticks[0]))
    digits = math.floor(math.log10(max(map(abs, ticks)))) - math.floor(math.log10(step)) + 1
    digits = min(max(digits, 4), _MOST_DIGITS)
    plain = tuple(_without_plus(format_number(tick, digits)) for tick in ticks)
    short = tuple(_with_exponent(tick, digits) for tick in ticks)
    longest = max(map(len, plain))
    return short if longest > _LONGEST_LABEL and max(map(len, short)) < longest else plain


def _logarithmic_label(tick: float) -> str:
    """A tick as it is read, or with an exponent where that is shorter."""
    plain = _without_plus(format_number(tick))
    return plain if len(plain) <= _LONGEST_LABEL else _with_exponent(tick, 4)


def _with_exponent(tick: float, digits: int) -> str:
    """`2.5e9`."""
    mantissa, _, exponent = f"{tick:.{digits - 1}e}".partition("e")
    mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}e{int(exponent)}" if tick else "0"


def _without_plus(text: str) -> str:
    """`1e20` for `1e+20`."""
    mantissa, mark, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if mark else text


def _logarithmic(values: Sequence[float], count: int, integer_ticks: bool) -> Axis:
    """Ticks at powers of ten, at 1, 2 and 5 times them, or in even steps, as many as suit the range."""
    low, high = min(values), max(values)
    if high <= low * (1 + 1e-9):
        low, high = low / 2, high * 2
    best: list[float] = []
    for factors, every in (
        ((1, 2, 5), 1),
        ((1, 5), 1),
        *(((1,), every) for every in (1, 2, 3, 4, 5, 6, 8, 10, 20, 50, 100)),
    ):
        best = _powers(low, high, factors, every, integer_ticks)
        if len(best) <= count + 1:
            break
    if len(best) < 3:  # a short range: even steps are the round numbers in it
        best = [tick for tick in _steps(low, high, count, integer_ticks) if tick > 0]
        if integer_ticks and best and best[0] > low:
            best = [low, *best]
    if not best:
        best = [low, high]
    low, high = (best[0], best[-1]) if integer_ticks else (low, high)
    return Axis(low, high, tuple(best), tuple(map(_logarithmic_label, best)), log=True)


def _powers(low: float, high: float, factors: Sequence[int], every: int, outward: bool) -> list[float]:
    """Some factors times every so manieth power of ten in a range; `outward`: up to those just outside."""
    first, last = math.floor(math.log10(low)) - every, math.ceil(math.log10(high)) + every
    powers = [power for power in range(first, last + 1) if power % every == 0]
    grid = [factor * 10.0**power for power in powers for factor in factors if -308 < power < 308]
    slack = 1e-9
    inside = [tick for tick in grid if low * (1 - slack) <= tick <= high * (1 + slack)]
    if not outward:
        return inside
    below = [tick for tick in grid if tick < low * (1 - slack)]
    above = [tick for tick in grid if tick > high * (1 + slack)]
    starts = [] if inside and inside[0] <= low * (1 + slack) else below[-1:] or [low]
    ends = [] if inside and inside[-1] >= high * (1 - slack) else above[:1] or [high]
    return [*starts, *inside, *ends]
