"""Figures as a source prints them: a quantity, and what it was rounded to."""

from __future__ import annotations

import re

from qnet.record import Record
from qnet.units import NUMBER_PATTERN, Dimension, base_unit, quantity, scale, unit

_NUMBER = re.compile(rf"\s*[+-]?({NUMBER_PATTERN})")
_SLACK = 1e-9
"""How much of the last printed digit the arithmetic of a computer may add."""


class Printed(Record):
    """A printed quantity, in base units."""

    value: float
    dimension: Dimension
    half: float
    """Half of the unit of the last printed digit: what the rounding may have hidden."""
    unit: str
    """As it is printed, empty for a plain number."""

    def agrees(self, value: float) -> bool:
        """Whether a value rounds to the printed digits; a tie may be rounded either way."""
        return abs(value - self.value) <= self.half * (1 + _SLACK)

    def error(self, value: float) -> float | None:
        """How far a value is off, relative to the nearest figure that is printed so: 0 where it rounds to the digits.

        None where zero is printed.
        """
        if not self.value:
            return None
        if self.agrees(value):
            return 0.0
        end = self.value + self.half if value > self.value else self.value - self.half
        return value / end - 1 if end * self.value > 0 else (value - end) / abs(self.value)

    def moved(self, halves: float) -> str:
        """The quantity as an expression, moved by a number of halves of its last printed digit."""
        return f"({self.value + halves * self.half!r} {base_unit(self.dimension)})"


def printed(text: str) -> Printed:
    """Read a printed quantity such as `17.93 us` (its last digit is worth 0.01 us), `41 %` or `7`.

    Zeros before the decimal point count as printed: 1500 is rounded to units.
    Raises `UnitError` for what is no quantity.
    """
    value, dimension = quantity(text)
    match = _NUMBER.match(text)
    assert match is not None
    digits, _, exponent = match[1].lower().partition("e")
    decimals = len(digits.replace("_", "").partition(".")[2])
    shown = text[match.end() :].strip()
    last = 10.0 ** (int(exponent or 0) - decimals)
    return Printed(value, dimension, scale(last / 2, unit(shown).factor), shown)
