"""Other ways of stating the load of a station: service rate, offered erlangs, utilization; fitted service times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import exp, expm1
from typing import TYPE_CHECKING, Any

from qnet.errors import Problem, UsageError
from qnet.lazy import lazy
from qnet.queues.stations.table import BY_CLASS, CONVERTED, STATIONS

if TYPE_CHECKING:
    from qnet.queues import percentile_fit
else:
    percentile_fit = lazy("qnet.queues.percentile_fit")

_LOSSLESS = ("M/M/1", "M/M/c", "Erlang C", "M/D/1", "M/D/c", "M/G/1", "M/G/1-PS", "M/Ek/1", "M/H2/1", "GI/M/1",
             "GI/G/1", "GI/G/c")  # fmt: skip
"""Stations without loss, batches, classes or finite sources: utilization = arrival rate x service time / servers."""


def converted(station: str, stated: Mapping[str, Any], unknown: str = "") -> dict[str, Any]:
    """The parameters with `service_rate`, `offered` and `utilization` replaced by service time and arrival rate.

    station   its name, such as "M/M/c".
    stated    the parameters as they were given, in base units.
    unknown   a parameter that is not given because it is solved for.
    Raises    `UsageError` (QN749) where two of them state the same quantity, or where one cannot be converted.
    """
    values = dict(stated)
    if "service" in values:
        _fit(station, values, unknown)
    if not any(name in values for name in CONVERTED):
        return values
    if station in BY_CLASS:
        name = next(name for name in CONVERTED if name in values)
        raise _refused(f"{name} of {station}", "arrival_rate and service_time of each class")
    if "service_rate" in values:
        _alone(values, "service_rate", "service_time", unknown)
        values["service_time"] = 1 / _positive("service_rate", values.pop("service_rate"))
    if "offered" in values and "utilization" in values:
        raise _refused("both offered and utilization are given", "one of the two")
    for name in ("offered", "utilization"):
        if name not in values:
            continue
        _alone(values, name, "arrival_rate", unknown)
        if "service_time" not in values:
            raise _refused(f"{name} without a service time", "service_time or service_rate as well")
        load = values.pop(name)
        if name == "utilization":
            if station not in _LOSSLESS:
                raise _refused(f"utilization of {station} is not proportional to its arrival rate", "arrival_rate")
            load = load * _servers(station, values, unknown)
        if "source_rate" in STATIONS[station][3]:
            raise _refused(f"{name} of {station}, whose sources are finite", "source_rate or arrival_rate")
        values["arrival_rate"] = load / _positive("service_time", values["service_time"])
    return values


def _fit(station: str, values: dict[str, Any], unknown: str) -> None:
    """Replace `service` by the mean, the scv and the skewness of the lognormal time that it states."""
    needed, optional = STATIONS[station][2:]
    if station in BY_CLASS or "scv_service" not in (*needed, *optional):
        raise _refused(f"service percentiles of {station}", "a station with scv_service, such as M/G/1 or GI/G/c")
    for name in ("service_time", "service_rate", "scv_service", "skewness_service"):
        _alone(values, "service", name, unknown)
    fitted = percentile_fit.lognormal(values.pop("service"))
    values |= {"service_time": fitted[0], "scv_service": fitted[1]}
    if "skewness_service" in optional:
        values["skewness_service"] = fitted[2]


def _servers(station: str, values: Mapping[str, Any], unknown: str) -> Any:
    if "servers" not in STATIONS[station][2]:
        return 1
    if unknown == "servers" or "servers" not in values:
        raise _refused("utilization without the number of servers", "offered, or arrival_rate")
    return values["servers"]


def _alone(values: Mapping[str, Any], name: str, replaces: str, unknown: str) -> None:
    if replaces in values:
        raise _refused(f"both {name} and {replaces} are given", "one of the two")
    if replaces == unknown:
        raise _refused(f"{name} is given and {replaces} is solved for", "one of the two")


def _positive(name: str, value: Any) -> Any:
    try:
        fits = bool(value > 0) if not hasattr(value, "all") else bool((value > 0).all())
    except TypeError:
        return value  # a symbol, or a value that `read_parameters` refuses
    if not fits:
        raise UsageError(Problem("QN050", f"{name} is {value}", "above 0", path=(name,)))
    return value


def _refused(found: str, expected: str) -> UsageError:
    return UsageError(Problem("QN749", found, expected))


def service_level(percentile: Callable[[Any], Any], time: float) -> float:
    """The probability that a time does not exceed `time`, from its percentiles q(p), a non-decreasing function.

    Method   Bisection over -log(1 - p), which keeps the digits of small tails.
    """
    if time < 0:
        return 0.0
    low, high = 0.0, 36.0
    if float(percentile(0.0)) > time:
        return 0.0
    if float(percentile(-expm1(-high))) <= time:
        return 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if float(percentile(-expm1(-middle))) <= time:
            low = middle
        else:
            high = middle
    return 1 - exp(-low)
