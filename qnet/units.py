"""Quantities with strict units: "10 ms", "4 KiB", "17 MB/s", "600/s", "70 %".

A dimension is the pair of exponents of second and byte. `kB` is 1000 bytes and `KiB` 1024; spellings that people read
in two ways (`KB`, `K`, a bare `m`) are refused with a suggestion. Values are held in base units: seconds and bytes.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple


class Dimension(NamedTuple):
    """Exponents of the base units: `Dimension(time=-1)` is a rate, `Dimension(time=-1, data=1)` a data rate."""

    time: float = 0
    data: float = 0

    def times(self, other: Dimension, power: float = 1) -> Dimension:
        """The dimension of `self * other ** power`."""
        return Dimension(self.time + power * other.time, self.data + power * other.data)

    def describe(self) -> str:
        """The dimension in words with its article, for error messages."""
        named = _DIMENSION_NAMES.get(self)
        if named:
            return named
        return "a quantity in " + "*".join(f"{unit}^{exponent:g}" for unit, exponent in zip("sB", self, strict=True) if exponent)


NUMBER = Dimension()
TIME = Dimension(time=1)
RATE = Dimension(time=-1)
DATA = Dimension(data=1)
DATA_RATE = Dimension(time=-1, data=1)

_DIMENSION_NAMES = {
    NUMBER: "a plain number",
    TIME: "a time (such as 10 ms)",
    RATE: "a rate (such as 600/s)",
    DATA: "an amount of data (such as 4 KiB)",
    DATA_RATE: "a data rate (such as 17 MB/s)",
    Dimension(time=1, data=-1): "a time per byte",
    Dimension(time=-1, data=-1): "a rate per byte (such as 3 /s/GB)",
    Dimension(time=2): "a squared time",
}


class Unit(NamedTuple):
    """A unit: how many base units it is, and its dimension."""

    factor: float
    dimension: Dimension


_ATOMS: dict[str, Unit] = {
    "s": Unit(1, TIME), "ms": Unit(1e-3, TIME), "us": Unit(1e-6, TIME), "µs": Unit(1e-6, TIME), "μs": Unit(1e-6, TIME),
    "ns": Unit(1e-9, TIME), "min": Unit(60, TIME), "h": Unit(3600, TIME), "d": Unit(86400, TIME),
    "B": Unit(1, DATA), "kB": Unit(1e3, DATA), "MB": Unit(1e6, DATA), "GB": Unit(1e9, DATA), "TB": Unit(1e12, DATA),
    "KiB": Unit(2**10, DATA), "MiB": Unit(2**20, DATA), "GiB": Unit(2**30, DATA), "TiB": Unit(2**40, DATA),
    "bit": Unit(1 / 8, DATA), "kbit": Unit(125, DATA), "Mbit": Unit(125e3, DATA), "Gbit": Unit(125e6, DATA),
    "%": Unit(0.01, NUMBER), "Hz": Unit(1, RATE), "rpm": Unit(1 / 60, RATE),
}  # fmt: skip

_REFUSED = {
    "KB": 'write "kB" for 1000 bytes or "KiB" for 1024', "K": 'write "kB" for 1000 bytes or "KiB" for 1024',
    "Kb": 'write "kbit", "kB" or "KiB"', "kb": 'write "kbit", "kB" or "KiB"', "k": 'write "kB" or "KiB"',
    "m": 'write "ms" for milliseconds or "min" for minutes', "M": 'write "MB" for 10^6 bytes or "MiB" for 2^20',
    "mb": 'write "MB", "MiB" or "Mbit"', "Mb": 'write "MB", "MiB" or "Mbit"', "G": 'write "GB" or "GiB"',
    "gb": 'write "GB" or "GiB"', "Gb": 'write "Gbit", "GB" or "GiB"', "b": 'write "B" for bytes or "bit"',
    "sec": 'write "s"', "secs": 'write "s"', "second": 'write "s"', "seconds": 'write "s"', "S": 'write "s"',
    "msec": 'write "ms"', "usec": 'write "us"', "minutes": 'write "min"', "minute": 'write "min"',
    "hour": 'write "h"', "hours": 'write "h"', "hr": 'write "h"', "day": 'write "d"', "days": 'write "d"',
    "bytes": 'write "B"', "byte": 'write "B"', "kib": 'write "KiB"', "mib": 'write "MiB"', "percent": 'write "%"',
    "MBps": 'write "MB/s"', "kBps": 'write "kB/s"', "MS": 'write "ms"', "Ms": 'write "ms"', "tps": 'write "/s"',
}  # fmt: skip

UNIT_NAMES = frozenset(_ATOMS) - {"%"}
"""Names that mean a unit after a number, and so cannot name a parameter."""

NUMBER_PATTERN = r"(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_UNIT_ATOM = r"(?:[A-Za-zµμ]+|%)"
UNIT_PATTERN = rf"(?:{_UNIT_ATOM}(?:\s*/\s*{_UNIT_ATOM})*|(?:/\s*{_UNIT_ATOM})(?:\s*/\s*{_UNIT_ATOM})*)"
_QUANTITY = re.compile(rf"\s*([+-]?{NUMBER_PATTERN})\s*({UNIT_PATTERN})?\s*")


class UnitError(ValueError):
    """Text that is not a quantity; `help` says what to write."""

    def __init__(self, message: str, help: str = "") -> None:
        super().__init__(message)
        self.help = help


def unit(text: str) -> Unit:
    """The unit that a text names: `ms`, `MB/s`, `/s`, `/s/GB`.

    Raises `UnitError` with what to write for an unknown or ambiguous unit.
    """
    factor, dimension = 1.0, NUMBER
    for position, atom in enumerate(part.strip() for part in text.split("/")):
        if not atom and position == 0:
            continue
        found = _ATOMS.get(atom)
        if found is None:
            raise _unknown_unit(atom)
        power = -1 if position else 1
        factor *= found.factor**power
        dimension = dimension.times(found.dimension, power)
    return Unit(factor, dimension)


def _unknown_unit(atom: str) -> UnitError:
    if atom in _REFUSED:
        return UnitError(f'the unit "{atom}" is ambiguous or unknown', _REFUSED[atom])
    nearest = {name.lower(): name for name in _ATOMS}.get(atom.lower())
    if nearest:
        return UnitError(f'unknown unit "{atom}"', f'did you mean "{nearest}"?')
    return UnitError(f'unknown unit "{atom}"', "units are s ms us ns min h d, B kB MB GB KiB MiB GiB, bit kbit Mbit, %, Hz")


def quantity(text: str) -> tuple[float, Dimension]:
    """The value in base units and the dimension of one quantity, such as `"8.5 ms"`; a bare number is dimensionless.

    Raises `UnitError` where the text is anything else.
    """
    match = _QUANTITY.fullmatch(text)
    if match is None:
        raise UnitError(f'"{text}" is not a quantity', 'write a number and a unit, such as "8.5 ms"')
    number = float(match[1])
    if not math.isfinite(number):
        raise UnitError(f'"{text}" is too large a number', "write a finite number")
    if match[2] is None:
        return number, NUMBER
    found = unit(match[2])
    return scale(number, found.factor), found.dimension


def scale(number: float, factor: float) -> float:
    """`number * factor`, rounded once where the factor is the reciprocal of a whole number, so that `10 ms` is 0.01."""
    reciprocal = 1 / factor
    whole = round(reciprocal)
    if factor < 1 and abs(reciprocal - whole) < 1e-6 * reciprocal:
        return number / whole
    return number * factor


_LADDERS: dict[Dimension, tuple[tuple[float, str], ...]] = {
    TIME: ((1e-9, "ns"), (1e-6, "us"), (1e-3, "ms"), (1, "s")),
    DATA: ((1, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB"), (1e12, "TB")),
    DATA_RATE: ((1, "B/s"), (1e3, "kB/s"), (1e6, "MB/s"), (1e9, "GB/s"), (1e12, "TB/s")),
}


def format_number(value: float, digits: int = 4) -> str:
    """A number with so many significant digits, without a trailing zero or exponent where it reads well."""
    if value == 0:
        return "0"
    text = f"{value:.{digits}g}"
    if "e" in text and 1e-5 <= abs(value) < 1e15:
        text = f"{float(text):.{max(0, digits - 1 - math.floor(math.log10(abs(value))))}f}"
    return text


def format_quantity(value: float, unit_text: str = "", digits: int = 4) -> str:
    """A value given in `unit_text`, as people read it: `format_quantity(0.01, "s")` is `10 ms`.

    Times, data and data rates take the prefix that leaves a number of at least one; other units are kept as given.
    """
    if not unit_text:
        return format_number(value, digits)
    given = unit(unit_text)
    ladder = _LADDERS.get(given.dimension)
    if ladder is None or unit_text.endswith(("iB", "iB/s", "%")):
        separator = "" if unit_text.startswith("/") else " "
        return format_number(value, digits) + separator + unit_text
    base = scale(value, given.factor)
    rung = ladder[-1] if base else next((step for step in ladder if step[0] == 1), ladder[0])
    for step in reversed(ladder):
        if base and abs(float(f"{base / step[0]:.{digits}g}")) >= 1:
            rung = step
            break
    else:
        rung = ladder[0] if base else rung
    return f"{format_number(base / rung[0], digits)} {rung[1]}"


def base_unit(dimension: Dimension) -> str:
    """The unit text of a dimension in base units: `s`, `/s`, `B/s`, empty for a plain number."""
    top = "*".join(_power(name, exponent) for name, exponent in (("B", dimension.data), ("s", dimension.time)) if exponent > 0)
    bottom = "".join(
        "/" + _power(name, -exponent) for name, exponent in (("s", dimension.time), ("B", dimension.data)) if exponent < 0
    )
    return top + bottom


def _power(name: str, exponent: float) -> str:
    return name if exponent == 1 else f"{name}^{exponent:g}"


def column_suffix(unit_text: str) -> str:
    """The unit as the end of a column name: `s` is `_s`, `/s` is `_per_s`, `B/s` is `_B_per_s`."""
    if not unit_text:
        return ""
    text = unit_text.replace("%", "percent").replace("^", "").replace("*", "_")
    parts = text.split("/")
    return "".join(["_" + parts[0] if parts[0] else ""] + [f"_per_{part}" for part in parts[1:]])
