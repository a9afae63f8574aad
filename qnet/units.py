"""Quantities with strict units: "10 ms", "4 KiB", "17 MB/s", "600/s", "70 %".

A dimension is the pair of exponents of second and byte. `kB` is 1000 bytes and `KiB` 1024; spellings that people read
in two ways (`KB`, `K`, a bare `m`) are refused with a suggestion. Values are held in base units: seconds and bytes.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from qnet.lazy import lazy
from qnet.record import Record

if TYPE_CHECKING:
    import difflib
else:
    difflib = lazy("difflib")


class Dimension(Record):
    """Exponents of the base units: `Dimension(time=-1)` is a rate, `Dimension(time=-1, data=1)` a data rate."""

    time: float = 0
    data: float = 0

    def times(self, other: Dimension, power: float = 1) -> Dimension:
        """The dimension of `self * other ** power`."""
        return Dimension(self.time + power * other.time, self.data + power * other.data)

    @property
    def readable(self) -> bool:
        """Whether `unit` can read the text of `base_unit`: exponents of moderate size with few decimals."""
        return all(abs(exponent) <= MAX_EXPONENT and round(exponent, 4) == exponent for exponent in self)

    def describe(self) -> str:
        """The dimension in words with its article, for error messages."""
        named = _DIMENSION_NAMES.get(self)
        if named:
            return named
        return f"a quantity in {base_unit(self)}"


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


class Unit(Record):
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
    "KB": "kB KiB", "K": "kB KiB", "Kb": "kbit kB KiB", "kb": "kbit kB KiB", "k": "kB KiB", "m": "ms min",
    "M": "MB MiB", "mb": "MB MiB Mbit", "Mb": "MB MiB Mbit", "G": "GB GiB", "gb": "GB GiB Gbit", "Gb": "Gbit GB GiB",
    "b": "B bit", "T": "TB TiB", "tb": "TB TiB", "Tb": "TB TiB", "sec": "s", "secs": "s", "second": "s",
    "seconds": "s", "S": "s", "msec": "ms", "msecs": "ms", "usec": "us", "usecs": "us", "MS": "ms", "Ms": "ms",
    "mins": "min", "minute": "min", "minutes": "min", "hour": "h", "hours": "h", "hr": "h", "hrs": "h", "day": "d",
    "days": "d", "byte": "B", "bytes": "B", "bits": "bit", "kib": "KiB", "mib": "MiB", "gib": "GiB", "tib": "TiB",
    "percent": "%", "KBps": "kB/s KiB/s", "kBps": "kB/s", "MBps": "MB/s", "GBps": "GB/s", "bps": "bit/s",
    "kbps": "kbit/s", "Mbps": "Mbit/s", "Gbps": "Gbit/s", "tps": "/s", "rps": "/s", "qps": "/s", "iops": "/s",
    "IOPS": "/s", "millis": "ms", "millisecond": "ms", "milliseconds": "ms", "micros": "us", "microsecond": "us",
    "microseconds": "us", "nanosecond": "ns", "nanoseconds": "ns", "mbps": "Mbit/s MB/s", "gbps": "Gbit/s GB/s",
}  # fmt: skip
"""Names that are refused, each with the units that may be meant."""

_COUNTED = (
    "call calls command commands connection connections customer customers event events frame frames hit hits io ios "
    "IO IOs job jobs message messages msg msgs op ops order orders packet packets page pages pkt pkts queries query "
    "req reqs request requests session sessions transaction transactions txn txns user users visit visits"
)
"""Words for what is counted, which has no unit."""

_MEANINGS = {
    "KB": {"kB": "1000 bytes", "KiB": "1024"}, "K": {"kB": "1000 bytes", "KiB": "1024"}, "b": {"B": "bytes"},
    "m": {"ms": "milliseconds", "min": "minutes"}, "M": {"MB": "10^6 bytes", "MiB": "2^20"},
}  # fmt: skip
"""Refused name -> unit -> its meaning."""

_NAMES = "s ms us ns min h d, B kB MB GB TB KiB MiB GiB TiB, bit kbit Mbit Gbit, %, Hz, rpm"

_LETTERS, _SIMILARITY = 5, 0.82
"""The least letters of a word for a unit that may be misspelt, and the least similarity of a misspelling: choices."""

UNIT_NAMES = frozenset(_ATOMS) - {"%"}
"""Names that mean a unit after a number, and so cannot name a parameter."""

_DIGITS = r"[0-9]+(?:_[0-9]+)*"
NUMBER_PATTERN = rf"(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?"
ATOM_PATTERN = r"(?:[A-Za-zµμ]+(?:\^[0-9]+(?:\.[0-9]+)?)?|%)"
"""One name of a unit, possibly with a power: `s`, `s^2`."""
# Spaces are kept once matched (++): shared between two neighbours, a long run of them would be tried in every split.
_UNIT_PATTERN = rf"(?:{ATOM_PATTERN}|/\s*+{ATOM_PATTERN})(?:\s*[/*]\s*+{ATOM_PATTERN})*"
_QUANTITY_PATTERN = rf"\s*+([+-]?{NUMBER_PATTERN})\s*+({_UNIT_PATTERN})?\s*+"
_FACTORS = r"([/*])"
_EXPONENT = r"[0-9]{1,2}(?:\.[0-9]+)?"

MAX_EXPONENT = 20
"""The largest power of a second or byte that a dimension may have."""


class UnitError(ValueError):
    """A text is not a quantity; `help` is the advice, `meant` the units that may be meant."""

    def __init__(self, message: str, help: str = "", meant: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.help, self.meant = help, meant


def unit(text: str) -> Unit:
    """The unit that a text names: `ms`, `MB/s`, `/s`, `/s/GB`, `B*s`, `s^2`; a `/` divides by the one name after it.

    Raises `UnitError` with what to write for an unknown or ambiguous unit.
    """
    if not text.strip():
        return Unit(1, NUMBER)
    first, *others = re.split(_FACTORS, text) if "/" in text or "*" in text else [text]
    inverse = not first.strip() and others[:1] == ["/"]
    result = Unit(1, NUMBER) if inverse else _atom(first.strip())
    for operator, name in zip(others[::2], others[1::2], strict=True):
        factor, dimension = _atom(name.strip())
        if operator == "*":
            result = Unit(scale(result.factor, factor), result.dimension.times(dimension))
        else:
            result = Unit(scale(result.factor, _reciprocal(factor)), result.dimension.times(dimension, -1))
        if not (1e-300 < result.factor < 1e300 and result.dimension.readable):
            raise UnitError("the unit is beyond any quantity", "write a unit with fewer parts")
    return result


def named_unit(text: str) -> Unit | None:
    """The unit that is one name, or `/` and one name, without spaces; None for any other text."""
    return unit(text) if text.removeprefix("/") in _ATOMS else None


def _atom(text: str) -> Unit:
    """A single unit, possibly with a power."""
    name, caret, exponent = text.partition("^")
    result = _ATOMS.get(name)
    if result is None:
        raise _unknown_unit(name)
    if not caret:
        return result
    if not re.fullmatch(_EXPONENT, exponent) or float(exponent) > MAX_EXPONENT:
        raise UnitError(f'the unit "{text}" has no readable power', 'write a small number after ^, such as "s^2"')
    power = float(exponent)
    factor = 1 / _reciprocal(result.factor) ** power if result.factor < 1 else result.factor**power
    return Unit(factor, NUMBER.times(result.dimension, power))


def _unknown_unit(atom: str) -> UnitError:
    if not atom or not atom[0].isalpha():
        return UnitError(f'"{atom}" is not a unit', f"units are {_NAMES}")
    if atom in _REFUSED:
        return _refused(atom)
    if atom in _COUNTED.split():
        return UnitError(f'unknown unit "{atom}"', f'leave out "{atom}": what is counted has no unit, as in "50/s"')
    if atom == "per":
        return UnitError('unknown unit "per"', 'write / for per, such as "50/s"')
    nearest = {name.lower(): name for name in _ATOMS}.get(atom.lower())
    if nearest:
        return UnitError(f'unknown unit "{atom}"', f'did you mean "{nearest}"?', (nearest,))
    meant = _misspelt(atom)
    if meant:
        return UnitError(f'unknown unit "{atom}"', meant.help, meant.meant)
    return UnitError(f'unknown unit "{atom}"', f"units are {_NAMES}")


def meant_unit(name: str) -> str:
    """What to write instead of a word for a unit that is read as a name, such as `minute`, or a misspelling of one;
    empty for other names."""
    if name in _REFUSED and len(name) > 2:
        return _refused(name).help
    meant = _misspelt(name)
    return meant.help if meant else ""


def _misspelt(name: str) -> UnitError | None:
    """The refusal of the word for a unit that is most like a name; None where no long one is."""
    if not _LETTERS <= len(name) <= 3 * _LETTERS:
        return None
    words = [word for word in _REFUSED if len(word) >= _LETTERS]
    near = difflib.get_close_matches(name, words, 1, _SIMILARITY)
    return _refused(near[0]) if near else None


def _refused(atom: str) -> UnitError:
    meant, uses = tuple(_REFUSED[atom].split()), _MEANINGS.get(atom, {})
    *most, last = [f'"{name}" for {uses[name]}' if name in uses else f'"{name}"' for name in meant]
    help = f"write {', '.join(most)} or {last}" if most else f"write {last}"
    return UnitError(f'the unit "{atom}" is ambiguous or unknown', help, meant)


def quantity(text: str, written: str = 'a number and a unit, such as "8.5 ms"') -> tuple[float, Dimension]:
    """The value in base units and the dimension of one quantity, such as `"8.5 ms"`; a bare number is dimensionless.

    written  the expected form, for the message.
    Raises   `UnitError` for any other text.
    """
    match = re.fullmatch(_QUANTITY_PATTERN, text)
    if match is None:
        raise UnitError(f'"{text}" is not a quantity', f"write {written}")
    result = unit(match[2] or "")
    value = scale(float(match[1]), result.factor)
    if not math.isfinite(value):
        raise UnitError(f'"{text}" is too large a number', "write a finite number")
    return value, result.dimension


def unit_text(text: str) -> str:
    """The unit of a quantity as it is written: `ms` of `"8.5 ms"`; empty for a bare number, and for other texts.

    text  any text.
    """
    match = re.fullmatch(_QUANTITY_PATTERN, text)
    return (match[2] or "").strip() if match else ""


def scale(number: float, factor: float) -> float:
    """`number * factor`, rounded once where the factor is the reciprocal of an integer, so that `10 ms` is 0.01."""
    if factor < 1:
        divisor = _reciprocal(factor)
        if divisor == math.floor(divisor):
            return number / divisor
    return number * factor


def _reciprocal(factor: float) -> float:
    """`1 / factor`, without the rounding error of a factor such as 1e-9 where the answer is an integer."""
    reciprocal = 1 / factor
    if reciprocal < 1 or not math.isfinite(reciprocal):
        return reciprocal
    integer = round(reciprocal)
    return float(integer) if abs(reciprocal - integer) < 1e-6 * reciprocal else reciprocal


_LADDERS: dict[Dimension, tuple[tuple[float, str], ...]] = {
    TIME: ((1e-9, "ns"), (1e-6, "us"), (1e-3, "ms"), (1, "s")),
    DATA: ((1, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB"), (1e12, "TB")),
    DATA_RATE: ((1, "B/s"), (1e3, "kB/s"), (1e6, "MB/s"), (1e9, "GB/s"), (1e12, "TB/s")),
}


def format_number(value: float, digits: int = 4) -> str:
    """A number with `digits` significant digits, without a trailing zero or exponent where it reads well.

    value   finite or not.
    digits  at least 1.
    """
    if value == 0:
        return "0"
    text = f"{value:.{digits}g}"
    if "e" in text and 1e-5 <= abs(value) < 1e15:
        decimals = digits - 1 - math.floor(math.log10(abs(value)))
        text = f"{float(text):.{max(0, decimals)}f}"
        if "." in text:
            text = text.rstrip("0").rstrip(".")
    return text


def format_quantity(value: float, unit_text: str = "", digits: int = 4) -> str:
    """A value given in `unit_text`, as people read it: `format_quantity(0.01, "s")` is `10 ms`.

    digits  significant ones, at least 1.

    Times, data and data rates take the prefix that leaves a number of at least one; other units are kept as given.
    Raises `UnitError` for an unknown unit.
    """
    if not unit_text:
        return format_number(value, digits)
    given = unit(unit_text)
    ladder = _LADDERS.get(given.dimension)
    if ladder is None or unit_text.endswith(("iB", "iB/s", "%")):
        separator = "" if unit_text.startswith("/") else " "
        return format_number(value, digits) + separator + unit_text
    base = scale(value, given.factor)
    factor, name = _rung(ladder, base, digits)
    return f"{format_number(scale(base, _reciprocal(factor)), digits)} {name}"


def _rung(ladder: tuple[tuple[float, str], ...], base: float, digits: int) -> tuple[float, str]:
    """The largest prefix that leaves a number of at least one when it is rounded to be shown."""
    if base == 0:
        return next(step for step in ladder if step[0] == 1)
    for step in reversed(ladder):
        if abs(float(f"{base / step[0]:.{digits}g}")) >= 1:
            return step
    return ladder[0]


def base_unit(dimension: Dimension) -> str:
    """The unit text of a dimension in base units: `s`, `/s`, `B/s`, `B*s^2`, empty for a plain number.

    `unit` reads the text again where the dimension is `readable`, as that of every checked expression is.
    """
    data, time = ("B", dimension.data), ("s", dimension.time)
    top = "*".join(_power(name, exponent) for name, exponent in (data, time) if exponent > 0)
    bottom = "".join("/" + _power(name, -exponent) for name, exponent in (time, data) if exponent < 0)
    return top + bottom


def _power(name: str, exponent: float) -> str:
    return name if exponent == 1 else f"{name}^{exponent:g}"


def is_base_unit(text: str) -> bool:
    """Whether a unit is that of numbers in base units: `s`, `/s`, `B/s`; false for what is no unit.

    text  the unit as it is written.
    """
    try:
        return bool(text) and base_unit(unit(text).dimension) == text
    except UnitError:
        return False


def column_suffix(unit_text: str) -> str:
    """The unit as the end of a column name: `s` is `_s`, `/s` is `_per_s`, `B/s` is `_B_per_s`.

    unit_text  the unit, as `qnet help units` lists them.
    """
    if not unit_text:
        return ""
    text = unit_text.replace(" ", "").replace("%", "percent").replace("^", "").replace(".", "_").replace("*", "_")
    parts = text.split("/")
    return "".join(["_" + parts[0] if parts[0] else ""] + [f"_per_{part}" for part in parts[1:]])


def in_unit(value: float, shown: str) -> float:
    """A value in base units, in the unit it is shown in."""
    return value if not shown else scale(value, 1 / unit(shown).factor)
