"""The kinds of numbers that formulas take, and formulas for plain numbers applied point by point."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

from qnet.errors import NoAnswer, Problem
from qnet.expression import FLOATS, Operations, Value, arrays, symbols
from qnet.lazy import np
from qnet.queues.stations.answer import StationAnswer, stacked


def is_array(value: Value) -> bool:
    """Whether a value is a numpy array with at least one axis.

    >>> is_array(1.0)
    False
    """
    return bool(getattr(value, "shape", ()))


def is_symbol(value: Value) -> bool:
    """Whether a value is a sympy expression.

    >>> is_symbol(1.0)
    False
    """
    return hasattr(value, "free_symbols")


def operations_of(*values: Value) -> Operations:
    """The operations of the values: symbols before arrays before floats (and fractions)."""
    if any(map(is_symbol, values)):
        return symbols()
    return arrays() if any(map(is_array, values)) else FLOATS


def elementwise(function: Callable[..., Value], *values: Value) -> Value:
    """A function of plain numbers over values of any kind; arrays are broadcast and evaluated point by point.

    function  of as many numbers as there are values.
    values    numbers, arrays or symbols.
    """
    if not any(map(is_array, values)):
        return function(*values)

    spread = np.broadcast_arrays(*values)
    flat = [function(*(_plain(item) for item in point)) for point in zip(*(item.flat for item in spread), strict=True)]
    return np.array(flat, dtype=float).reshape(spread[0].shape)


def over_floats(function: Callable[..., float], *values: Value) -> Value:
    """`elementwise`, with each value converted to a float.

    function  of as many floats as there are values.
    values    numbers or arrays.
    """

    def plain(*point: Any) -> float:
        return function(*map(float, point))

    return elementwise(plain, *values)


def pointwise(family: Callable[..., StationAnswer]) -> Callable[..., StationAnswer]:
    """A decorator of a station formula for plain numbers that makes it accept arrays, point by point."""

    @wraps(family)
    def spread(**given: Any) -> StationAnswer:
        if not any(map(is_array, given.values())):
            return family(**given)

        values: Any = np.broadcast_arrays(*given.values())
        points = zip(*(value.flat for value in values), strict=True)
        named = [dict(zip(given, map(_plain, point), strict=True)) for point in points]
        return stacked([family(**point) for point in named], values[0].shape)

    return spread


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def require_stable(station: str, arrival_rate: Value, service_time: Value, servers: Value) -> None:
    """Raise `NoAnswer` (QN401) for a load of at least 1, with the least servers and the saturation throughput.

    Symbols pass: their reader ensures a steady state.
    """
    load = arrival_rate * service_time / servers
    if is_symbol(load):
        return
    if is_array(load):
        worst = int(load.argmax())
        rate, time, count = (_at(item, worst, load) for item in (arrival_rate, service_time, servers))
        require_stable(station, rate, time, count)
        return
    if load < 1:
        return
    if load != load:
        raise ZeroDivisionError  # As of single numbers: 0 / 0.
    least = math.floor(arrival_rate * service_time) + 1
    text = f"no steady state: {station} would be {100 * float(load):.6g} % utilized with {_counted(servers)}"
    rate = f"an arrival rate below {float(servers / service_time):.6g}/s"
    servers_needed = f"at least {least} servers" if least > 1 else "at least 1 server"
    raise NoAnswer(Problem("QN401", text, "a utilization below 100 %", help=f"{servers_needed}, or {rate}"))


def _at(value: Value, index: int, shape_of: Value) -> Value:
    return _plain(np.broadcast_to(value, shape_of.shape).flat[index])


def _counted(servers: Value) -> str:
    return "one server" if servers == 1 else f"{servers} servers"
