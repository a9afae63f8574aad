"""The front door of single stations: a name, its parameters, an answer that has been looked at."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from qnet.errors import NotComputed, Problem, UsageError, suggest
from qnet.lazy import np
from qnet.queues.stations.answer import StationAnswer
from qnet.queues.stations.numbers import is_array, is_symbol
from qnet.queues.stations.table import BY_CLASS, PARAMETERS, STATIONS, WHOLE

_ALIASES = {"mmccn": "Engset", "mmcn": "M/M/c/K/N", "mginfinity": "M/M/inf", "mminfinity": "M/M/inf", "mm∞": "M/M/inf"}
_ROUNDING = 1e-12


def queue(
    name: str, *, arrival_rate: Any = None, service_time: Any = None, servers: Any = None, capacity: Any = None,
    sources: Any = None, source_rate: Any = None, phases: Any = None, scv_arrival: Any = None, scv_service: Any = None,
    skewness_service: Any = None, vacation_time: Any = None, scv_vacation: Any = None, skewness_vacation: Any = None,
    batch_size: Any = None, scv_batch: Any = None, skewness_batch: Any = None, approximation: str | None = None,
    **unknown: Any,
) -> StationAnswer:  # fmt: skip
    """The steady state of one station, such as `queue("M/M/c", arrival_rate=80, service_time=0.02, servers=2)`.

    name              one of `table.STATIONS`; case, blanks, - and _ do not matter.
    arrival_rate      per second, of customers, the total of all sources. One value per class for priorities.
    service_time      mean, in seconds, above 0. One value per class for priorities.
    servers           at least 1.
    capacity          room for so many in all, those in service included.
    sources           customers that exist (finite sources).
    source_rate       per second, of one idle source: 1 / think time (finite sources).
    phases            of Erlang service.
    scv_arrival       variance / mean^2 of the gaps between arrivals.
    scv_service       variance / mean^2 of the service time.
    skewness_service  of the service time, for variances. One value per class for priorities.
    vacation_time     mean, in seconds.
    scv_vacation      variance / mean^2 of it.
    skewness_vacation of it, for variances.
    batch_size        mean customers of a batch.
    scv_batch         variance / mean^2 of it.
    skewness_batch    of it, for variances.
    approximation     of GI/G/1 and GI/G/c.
    Values            numbers, fractions, sequences and arrays (a batch of points, broadcast), sympy symbols where the
                      station has a closed form; counts are whole numbers, the same for all but for arrays of them.
    Returns           a `StationAnswer`.
    Raises            UsageError (QN050) for an unknown name or parameter, a missing one, a value outside its domain;
                      NoAnswer (QN401) without a steady state; NotComputed (QN502) where numbers are too large.

    >>> queue("M/M/1", arrival_rate=5.0, service_time=0.1).response
    0.2
    """
    given = {
        "arrival_rate": arrival_rate, "service_time": service_time, "servers": servers, "capacity": capacity,
        "sources": sources, "source_rate": source_rate, "phases": phases, "scv_arrival": scv_arrival,
        "scv_service": scv_service, "skewness_service": skewness_service, "vacation_time": vacation_time,
        "scv_vacation": scv_vacation, "skewness_vacation": skewness_vacation, "batch_size": batch_size,
        "scv_batch": scv_batch, "skewness_batch": skewness_batch, "approximation": approximation,
    }  # fmt: skip
    station = station_name(name)
    stated = {key: value for key, value in given.items() if value is not None} | unknown
    return evaluate_station(station, read_parameters(station, stated))


def station_name(name: str) -> str:
    """The name in the table that is meant; raises `UsageError` with the nearest ones.

    >>> station_name("m/m/c")
    'M/M/c'
    """
    key = _key(name)
    known = {_key(station): station for station in STATIONS} | _ALIASES
    if key in known:
        return known[key]
    raise UsageError(Problem("QN050", f'unknown station "{name}"', help=suggest(name, list(STATIONS))))


def _key(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum() or letter == "∞")


def read_parameters(station: str, stated: Mapping[str, Any], but: str = "") -> dict[str, Any]:
    """The parameters of a station, each in its domain; `but` names one that is not given yet.

    Raises `UsageError` for one that the station does not have, lacks, or that is outside its domain.
    """
    _, _, needed, optional = STATIONS[station]
    for name in [*stated, *([but] if but else [])]:
        if name not in (*needed, *optional):
            found = f'{station} has no parameter "{name}"'
            if name not in PARAMETERS:
                raise UsageError(Problem("QN050", found, help=suggest(name, [*needed, *optional])))
            raise UsageError(Problem("QN050", found, help=f"{station} takes {', '.join([*needed, *optional])}"))
    for name in needed:
        if name not in stated and name != but:
            raise UsageError(
                Problem("QN050", f"{station} lacks {name}", f"{PARAMETERS[name][2]}; {PARAMETERS[name][1]}")
            )
    return {name: _read(station, name, value) for name, value in stated.items()}


def _read(station: str, name: str, value: Any) -> Any:
    if name == "approximation":
        return str(value)
    if isinstance(value, str):
        raise UsageError(Problem("QN050", f'{name} is the text "{value}"', "a number", path=(name,)))
    if station in BY_CLASS and (isinstance(value, Sequence) or is_array(value)):
        items: list[Any] = list(value)  # pyright: ignore[reportUnknownArgumentType]
        return [_in_domain(station, name, item) for item in items]
    given: Any = value
    if isinstance(value, Sequence):
        value = np.array(given)
    return _in_domain(station, name, value)


def _in_domain(station: str, name: str, value: Any) -> Any:
    """A value as its family takes it."""
    if is_symbol(value) and not getattr(value, "is_number", False):
        if name in WHOLE:
            raise _outside(name, value)
        return value
    if is_array(value):
        if value.dtype == object:
            return value
        for item in value.flat:
            _check(station, name, item.item())
        return value.astype(int) if name in WHOLE else value.astype(float)
    if hasattr(value, "item"):
        value = value.item()
    _check(station, name, value)
    return int(value) if name in WHOLE else value


def _check(station: str, name: str, value: Any) -> None:
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise _outside(name, value)
    try:
        number = float(value)
    except (TypeError, OverflowError):
        raise _outside(name, value) from None
    if not math.isfinite(number):
        raise _outside(name, value)
    if name in WHOLE and (number != math.floor(number) or number < 1):
        raise _outside(name, value)
    domain = PARAMETERS[name][1]
    if name == "arrival_rate" and (station.startswith("GI/") or station in ("Engset", "M/M/c/K/N")):
        domain = "above 0"
    least = {"above 0": 0.0, "at least 0": 0.0, "at least 1": 1.0}.get(domain)
    if least is not None and (number < least or (domain == "above 0" and number == 0)):
        raise _outside(name, value, domain)


def _outside(name: str, value: Any, domain: str = "") -> UsageError:
    return UsageError(Problem("QN050", f"{name} is {value}", domain or PARAMETERS[name][1], path=(name,)))


def evaluate_station(station: str, parameters: Mapping[str, Any]) -> StationAnswer:
    """The answer of a station to parameters that have been read."""
    module, _, function = STATIONS[station][0].partition(".")
    family: Any = getattr(import_module(f"qnet.queues.stations.{module}"), function)
    try:
        return _looked_at(family(**parameters))
    except (OverflowError, ZeroDivisionError):
        raise _too_large(station) from None


_SHARES = ("utilization", "probability_of_waiting", "blocking", "time_congestion")
_FIGURES = (
    "arrival_rate", "throughput", "offered", "busy_servers", "utilization", "queue_length", "number_waiting",
    "response", "wait", "probability_of_waiting", "blocking", "time_congestion", "variance_of_wait",
    "variance_of_response", "variance_of_queue_length",
)  # fmt: skip


def _looked_at(found: StationAnswer) -> StationAnswer:
    """The answer, if every figure is one: finite, not negative, shares not above 1 by more than rounding."""
    changes: dict[str, Any] = {}
    for name in _FIGURES:
        value = getattr(found, name)
        if value is None or is_symbol(value):
            continue
        flat = value.flat if is_array(value) else (value,)
        top = 1 + _ROUNDING if name in _SHARES else math.inf
        if not all(0 <= item < math.inf and item <= top for item in flat):
            raise _too_large(found.station)
        if name in _SHARES:
            changes[name] = value.clip(max=1.0) if is_array(value) else min(value, type(value)(1))
    return found.replace(**changes)


def _too_large(station: str) -> NotComputed:
    found = f"the figures of {station} exceed the floating-point range"
    return NotComputed(Problem("QN502", found, "numbers between 1e-300 and 1e300"))
