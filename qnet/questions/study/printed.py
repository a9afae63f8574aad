"""Figures as a source prints them: a quantity and the precision of its last digit."""

from __future__ import annotations

import re

from qnet.record import Record
from qnet.units import NUMBER_PATTERN, Dimension, base_unit, quantity, scale, unit

_NUMBER = re.compile(rf"\s*[+-]?({NUMBER_PATTERN})")
_SLACK = 1e-9
"""The relative allowance on half a digit for rounding errors of floating point."""


class Printed(Record):
    """A printed quantity."""

    value: float
    """In base units."""
    dimension: Dimension
    half: float
    """Half of the value of the last printed digit, in base units: the largest error of rounding."""
    unit: str
    """The unit as printed; empty for a plain number."""

    def agrees(self, value: float) -> bool:
        """Whether a value in base units rounds to the printed digits; a tie may be rounded either way."""
        return abs(value - self.value) <= self.half * (1 + _SLACK)

    def error(self, value: float) -> float | None:
        """The signed relative error of a value in base units to the nearest value that rounds to the printed digits.

        Returns 0 if the value itself rounds to them, None if zero is printed. If the nearest end of the rounding
        interval has the opposite sign or is zero, the distance to it is divided by the printed value.
        """
        if not self.value:
            return None
        if self.agrees(value):
            return 0.0
        end = self.value + self.half if value > self.value else self.value - self.half
        return value / end - 1 if end * self.value > 0 else (value - end) / abs(self.value)

    def moved(self, halves: float) -> str:
        """The quantity as an expression in base units, increased by `halves` times half of its last printed digit."""
        return f"({self.value + halves * self.half!r} {base_unit(self.dimension)})"


def printed(text: str) -> Printed:
    """Read a printed quantity such as `17.93 us` (its last digit is worth 0.01 us), `41 %` or `7`.

    Trailing zeros before the decimal point count as digits: 1500 is taken as rounded to units.
    Raises `UnitError` if the text is no quantity.
    """
    value, dimension = quantity(text)
    match = _NUMBER.match(text)
    assert match is not None
    digits, _, exponent = match[1].lower().partition("e")
    decimals = len(digits.replace("_", "").partition(".")[2])
    shown = text[match.end() :].strip()
    last = 10.0 ** (int(exponent or 0) - decimals)
    return Printed(value, dimension, scale(last / 2, unit(shown).factor), shown)
