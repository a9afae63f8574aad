"""Inverse questions about stations with classes: one parameter of all of them, in the proportions that are stated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qnet.errors import Problem, UsageError
from qnet.queues.stations.front import read_parameters


def proportions(station: str, parameter: str, stated: Mapping[str, Any]) -> tuple[dict[str, Any], list[float], float]:
    """The parameters of a station with classes, the share of each class in the one asked for, and what would saturate.

    The shares of arrival rates sum to one; service times are shares of their mean over all customers.
    """
    if parameter not in ("arrival_rate", "service_time"):
        text = f"{parameter} of {station} cannot be solved for"
        raise UsageError(Problem("QN050", text, "arrival_rate or service_time"))
    if parameter not in stated:
        expected = f"a {parameter.replace('_', ' ')} for each class, for their proportions"
        raise UsageError(Problem("QN050", f"{station} lacks {parameter}", expected))
    fixed = read_parameters(station, stated)
    rates, times = _numbers(fixed["arrival_rate"]), _numbers(fixed["service_time"])
    length = max(len(rates), len(times))
    rates, times = (values * length if len(values) == 1 else values for values in (rates, times))
    if len(rates) != len(times) or not sum(rates) > 0:
        raise UsageError(Problem("QN050", "the classes have no arrivals, or other numbers of values", "one for each"))
    mean = sum(rate * time for rate, time in zip(rates, times, strict=True)) / sum(rates)
    if parameter == "arrival_rate":
        return fixed, [rate / sum(rates) for rate in rates], 1.0 / mean
    return fixed, [time / mean for time in times], 1.0 / sum(rates)


def _numbers(value: Any) -> list[float]:
    """One number, or one per class."""
    return [float(item) for item in value] if isinstance(value, (list, tuple)) else [float(value)]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
