"""The names of the expression language: its functions in one table, and aliases of metrics.

In a model that has a parameter or an output of such a name, the name denotes that.
"""

from __future__ import annotations

import re

from qnet.record import Record

_PERCENTILE = r"(response|wait)_p(\d{1,2})(?:_(\d{1,6}))?"
"""A percentile: `response_p95` of all passages, `response_p99_9('web')` of a class or a route, `wait_p80('agent')` of
the visits to a station."""
MAX_THROUGHPUT = "max_throughput"
"""The saturation throughput, which is not a figure of the solution at one load."""
ALIASES = {
    "maximum_throughput": MAX_THROUGHPUT,
    "max_rate": MAX_THROUGHPUT,
    "maximum_rate": MAX_THROUGHPUT,
    "saturation_throughput": MAX_THROUGHPUT,
    "capacity": MAX_THROUGHPUT,
    "response_time": "response",
    "latency": "response",
    "residence_time": "residence",
    "wait_time": "wait",
    "waiting_time": "wait",
    "number": "queue_length",
    "loss_probability": "loss",
    "blocking_probability": "found_full",
    "number_inside": "busy_servers",
}


class Function(Record):
    """One function: its least and largest number of arguments, the rule for dimensions, and a line of help.

    `rule` is `same` (all arguments of one dimension, which is the result), `plain` (plain numbers only), `keep`
    (one argument, same dimension), `root` (half the exponents), `where`, `interp`, or `known` (two quantities of one
    dimension, then the figure at the second, whose dimension is the result, then plain exponents).
    """

    least: int
    most: int
    rule: str
    help: str
    module: str = ""
    """The module of `qnet.expression` that computes it; empty for a single operation."""


FUNCTIONS: dict[str, Function] = {
    "min": Function(2, 20, "same", "the smallest argument"),
    "max": Function(2, 20, "same", "the largest argument"),
    "abs": Function(1, 1, "keep", "the absolute value"),
    "ceil": Function(1, 1, "plain", "rounded up to an integer"),
    "floor": Function(1, 1, "plain", "rounded down to an integer"),
    "round": Function(1, 1, "plain", "rounded to the nearest integer, halves up"),
    "sqrt": Function(1, 1, "root", "the square root"),
    "exp": Function(1, 1, "plain", "e to the power of a plain number"),
    "log": Function(1, 1, "plain", "the natural logarithm of a plain number"),
    "where": Function(3, 3, "where", "where(comparison, a, b): a where it holds, else b"),
    "cache_miss": Function(
        4, 4, "known", "cache_miss(size, known_size, known_miss, theta): McNutt's power law", "locality"
    ),
    "residency_miss": Function(
        4, 4, "known", "residency_miss(time, known_time, known_miss, theta): the same by time", "locality"
    ),
    "lifetime": Function(
        4, 4, "known", "lifetime(memory, known_memory, known_lifetime, k): a power, Belady and Kuehner", "locality"
    ),
    "lifetime_s": Function(3, 3, "known", "lifetime_s(memory, half_memory, half_lifetime): Chamberlin's S", "locality"),
    "missed_revolutions": Function(
        3, 3, "plain", "missed_revolutions(busy, paths, disks): lost by a disk until a path is free", "disk_paths"
    ),
    "interp": Function(5, 41, "interp", "interp(x, x1, y1, x2, y2, ...): straight lines between points, level outside"),
}

INSIDE = "inside"
"""The number of customers that hold a station, for the steps inside the hold: `inside('memory')`."""
SOLUTION_FUNCTIONS = (
    "wait", "residence", "utilization", "queue_length", "busy_servers", "response", "throughput", "offered", "loss",
    "occupancy", "found_full", "delay_when_full", "time_to_fill", "drain_rate", INSIDE,
)  # fmt: skip
"""Figures of the solution, such as `utilization('cpu')`: of a station (the first five), of a class or route (the next
two), of a station, class, route or buffer that may lose customers (the next two), of a buffer (the others); and
`INSIDE`."""


def percentile(name: str) -> re.Match[str] | None:
    """The parts of the name of a percentile without its argument: the figure, the digits before and after the point."""
    # Compiling the pattern takes longer than all else here: names that end otherwise do without.
    return re.fullmatch(_PERCENTILE, name) if name[-1:].isdecimal() else None


def percentile_share(name: str, of: str = "") -> float | None:
    """The probability of a percentile, 0.999 for `response_p99_9('web')`; None for other names.

    name  that of a metric.
    of    `response` or `wait`; empty: either.
    """
    match = percentile(name.partition("(")[0])
    share = float(f"{match[2]}.{match[3] or 0}") / 100 if match and of in ("", match[1]) else 0.0
    return share or None


_OTHER_PERCENTILE = r"(?:([a-z_]+)_)?(p\d{1,2}(?:_\d{1,6})?)"


def canonical(name: str) -> str:
    """The name of a metric in the tables for an alias: `response` for `latency`; other names are unchanged.

    name   without an argument in parentheses.

    >>> canonical("max_rate"), canonical("latency_p95"), canonical("p99"), canonical("utilization")
    ('max_throughput', 'response_p95', 'response_p99', 'utilization')
    """
    if name in ALIASES:
        return ALIASES[name]
    # Compiling the pattern takes longer than all else here: names that end otherwise do without.
    if name[-1:].isdecimal() and (match := re.fullmatch(_OTHER_PERCENTILE, name)):
        mean = ALIASES.get(match[1], match[1]) if match[1] else "response"
        return f"{mean}_{match[2]}"
    return name
