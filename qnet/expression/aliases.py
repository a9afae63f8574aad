"""Other names of metrics, as people type them: one table, which no list of metrics shows.

A parameter or an output of a model with such a name is what the name denotes there.
"""

from __future__ import annotations

import re

MAX_THROUGHPUT = "max_throughput"
"""The saturation throughput, which no single solution has."""

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
_PERCENTILE = r"(?:([a-z_]+)_)?(p\d{1,2}(?:_\d{1,6})?)"


def canonical(name: str) -> str:
    """The name of a metric in the tables, for a name that people may type: `response` for `latency`.

    name   without what it is of in parentheses; one that is no alias is returned as it is.

    >>> canonical("max_rate"), canonical("latency_p95"), canonical("p99"), canonical("utilization")
    ('max_throughput', 'response_p95', 'response_p99', 'utilization')
    """
    if name in ALIASES:
        return ALIASES[name]
    # Compiling the pattern takes longer than all else here: names that end otherwise do without.
    if name[-1:].isdecimal() and (match := re.fullmatch(_PERCENTILE, name)):
        mean = ALIASES.get(match[1], match[1]) if match[1] else "response"
        return f"{mean}_{match[2]}"
    return name
