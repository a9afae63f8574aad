"""The entry to single stations: from a name and its parameters to an answer that has been checked."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from decimal import Decimal
from importlib import import_module
from typing import Any, cast

from qnet.errors import NotComputed, Problem, UsageError, short, suggest
from qnet.lazy import np
from qnet.queues.stations.answer import StationAnswer
from qnet.queues.stations.numbers import is_array, is_symbol
from qnet.queues.stations.table import BY_CLASS, INTEGER, PARAMETERS, STATIONS
from qnet.real import is_masked, real

_ALIASES = {"mmccn": "Engset", "mmcn": "M/M/c/K/N", "mginfinity": "M/M/inf", "mminfinity": "M/M/inf", "mm∞": "M/M/inf"}
_NUMBERED = re.compile(r"([A-Za-z]+/[A-Za-z]+[0-9]?)/([0-9]+)(?:/([0-9]+))?")
"""A name with numbers where the table has letters, such as `M/M/8/12`."""
_ROUNDING = 1e-12
"""The most by which a share may exceed 1; any small number above rounding works."""
_LARGEST = 2.0**62
"""The largest integer of an array."""


def station_name(name: str) -> str:
    """The name in the table of a station; raises `UsageError` with the nearest names for an unknown one.

    >>> station_name("m/m/c")
    'M/M/c'
    """
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UsageError(Problem("QN050", f"the station is {short(repr(name))}", "a name in quotes, such as 'M/M/c'"))
    key = _key(name)
    known = {_key(station): station for station in STATIONS} | _ALIASES
    if key in known:
        return known[key]
    help = _numbered(name, known) or suggest(name, list(STATIONS))
    raise UsageError(Problem("QN050", f'unknown station "{short(name)}"', help=help))


def _numbered(name: str, known: Mapping[str, str]) -> str:
    """The advice for a name with numbers where the table has letters, such as `M/M/2`; empty for others."""
    match = _NUMBERED.fullmatch(name.strip())
    if not match:
        return ""
    times, servers, capacity = match.groups()
    letters = "/c/K" if capacity else "/c"
    station = next((known[key] for each in (times, "GI/G") if (key := _key(each + letters)) in known), "")
    counts = f"servers {servers} and capacity {capacity}" if capacity else f"servers {servers}"
    return f'write "{station}", with {counts}' if station else ""


def _key(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum() or letter == "∞")


def read_parameters(station: str, stated: Mapping[str, Any], but: str = "") -> dict[str, Any]:
    """The parameters of a station, each in its domain.

    station  its name in the table.
    stated   values by name: numbers in base units, or sequences of them for classes.
    but      a parameter that is not given yet, since it is solved for.
    Raises   `UsageError` for a parameter that the station does not have, for a missing one, and for a value outside its
             domain.
    """
    _, _, needed, optional = STATIONS[station]
    for name in [*stated, *([but] if but else [])]:
        if name not in (*needed, *optional):
            text = f'{station} has no parameter "{name}"'
            if name not in PARAMETERS:
                raise UsageError(Problem("QN050", text, help=suggest(name, [*needed, *optional])))
            raise UsageError(Problem("QN050", text, help=f"{station} takes {', '.join([*needed, *optional])}"))
    for name in needed:
        if name not in stated and name != but:
            raise UsageError(
                Problem(
                    "QN050",
                    f"{station} lacks {name}",
                    f"{PARAMETERS[name][2]}; {PARAMETERS[name][1]}",
                    help=f"the option is --{name.replace('_', '-')}",
                )
            )
    read = {name: _read(station, name, value) for name, value in stated.items()}
    _require_one_shape(read)
    return read


def _by_class(value: Any) -> list[Any]:
    """The values of a parameter: one, or one for each class."""
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def _require_one_shape(values: Mapping[str, Any]) -> None:
    """Raise `UsageError` for arrays of points that do not broadcast."""
    shapes: dict[str, tuple[int, ...]] = {}
    for name, value in values.items():
        for item in _by_class(value):
            if is_array(item):
                shapes[name] = item.shape
    if len(set(shapes.values())) < 2:
        return
    try:
        np.broadcast_shapes(*shapes.values())
    except ValueError:
        listed = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise UsageError(Problem("QN050", f"the arrays have shapes {listed}", "shapes that broadcast")) from None


def _read(station: str, name: str, value: Any) -> Any:
    if name == "approximation":
        return str(value)
    if isinstance(value, str):
        raise UsageError(Problem("QN050", f'{name} is the text "{short(value)}"', "a number", path=(name,)))
    if isinstance(value, (bytes, bytearray)):
        raise _outside(name, value)
    if _is_sequence(value) or is_array(value):
        items: list[Any] = list(value)
        if not items:
            raise _outside(name, "empty")
        if station in BY_CLASS:
            return [_in_domain(station, name, item) for item in items]
    return _in_domain(station, name, value)


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray))


def _array(name: str, value: Sequence[Any]) -> Any:
    """Nested sequences of one length as an array."""
    try:
        return np.array(value)
    except (ValueError, OverflowError):
        raise _outside(name, value, "a number, or rows of numbers of one length") from None


def _in_domain(station: str, name: str, value: Any) -> Any:
    """A value converted for the formula of a family; raises outside its domain."""
    if is_masked(value):
        raise _outside(name, "masked")
    if _is_sequence(value):
        value = _array(name, value)
    if is_symbol(value) and not getattr(value, "is_number", False):
        if name in INTEGER:
            raise _outside(name, value)
        return value
    if is_array(value):
        if not value.size:
            raise _outside(name, "empty")
        items: list[Any] = [_in_domain(station, name, item) for item in value.flat]
        if value.dtype == object:
            # Fractions and symbols remain what they are.
            value = np.array([*items, None], dtype=object)[:-1].reshape(value.shape)
            return value if any(not isinstance(item, (int, float)) for item in items) else value.astype(float)
        if name in INTEGER and (value > _LARGEST).any():
            raise _too_large(station)
        return value.astype(int) if name in INTEGER else value.astype(float)
    if hasattr(value, "item"):
        value = value.item()
    _check(station, name, value)
    if name in INTEGER:
        return int(value)
    # Decimal numbers do not add to floats.
    return float(value) if isinstance(value, Decimal) else value


def _check(station: str, name: str, value: Any) -> None:
    number = real(value)
    if number is None or not math.isfinite(number):
        raise _outside(name, value)
    if name in INTEGER and (number != math.floor(number) or number < 1):
        raise _outside(name, value)
    domain = PARAMETERS[name][1]
    if name == "arrival_rate" and (station.startswith("GI/") or station in ("Engset", "M/M/c/K/N")):
        domain = "above 0"
    least = {"above 0": 0.0, "at least 0": 0.0, "at least 1": 1.0}.get(domain)
    if least is not None and (number < least or (domain == "above 0" and number == 0)):
        raise _outside(name, value, domain)


def _outside(name: str, value: Any, domain: str = "") -> UsageError:
    try:
        shown = short(str(value))
    except ValueError:
        shown = "an integer of thousands of digits"
    return UsageError(Problem("QN050", f"{name} is {shown}", domain or PARAMETERS[name][1], path=(name,)))


def evaluate_station(station: str, parameters: Mapping[str, Any]) -> StationAnswer:
    """The answer of a station to parameters that have been read.

    station     its name, such as "M/M/c".
    parameters  as `read_parameters` gives them.
    Raises      `NotComputed` QN502 where a figure exceeds the range of floats; as the formula of the station.
    """
    module, _, function = STATIONS[station][0].partition(".")
    family: Any = getattr(import_module(f"qnet.queues.stations.{module}"), function)
    values = [item for value in parameters.values() for item in _by_class(value)]
    arrays = any(map(is_array, values))
    try:
        # Overflows are refused by the check of the figures.
        with np.errstate(all="ignore") if arrays else nullcontext():
            return _checked(family(**parameters))
    except (OverflowError, ZeroDivisionError):
        raise _too_large(station) from None


_SHARES = ("utilization", "probability_of_waiting", "blocking", "time_congestion")
_FIGURES = (
    "arrival_rate", "throughput", "offered", "busy_servers", "utilization", "queue_length", "number_waiting",
    "response", "wait", "probability_of_waiting", "blocking", "time_congestion", "variance_of_wait",
    "variance_of_response", "variance_of_queue_length",
)  # fmt: skip


def _checked(result: StationAnswer) -> StationAnswer:
    """The answer, after a check of its figures: finite, not negative, shares not above 1 by more than rounding."""
    changes: dict[str, Any] = {}
    for name in _FIGURES:
        value = getattr(result, name)
        if value is None or is_symbol(value):
            continue
        flat = value.flat if is_array(value) else (value,)
        top = 1 + _ROUNDING if name in _SHARES else math.inf
        if not all(0 <= item < math.inf and item <= top for item in flat):
            raise _too_large(result.station)
        if name in _SHARES:
            changes[name] = value.clip(max=1.0) if is_array(value) else min(value, type(value)(1))
    return result.replace(**changes)


def _too_large(station: str) -> NotComputed:
    text = f"the figures of {station} exceed the floating-point range"
    return NotComputed(Problem("QN502", text, "numbers between 1e-300 and 1e300"))
