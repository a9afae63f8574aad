"""A batch from the solutions of its points, where these are found one by one."""

from __future__ import annotations

from typing import Any

from qnet.lazy import np
from qnet.networks.product.demands import Demands
from qnet.networks.product.figures import Figures
from qnet.networks.product.solution import Solution


def stacked(network: Demands, points: list[Solution]) -> Solution:
    """The solutions of the points of a batch as one."""
    values: list[Any] = []
    for name in Figures.fields():
        column = [getattr(point.figures, name) for point in points]
        if name == "states":
            values.append(None if any(item is None for item in column) else _padded(column))
        else:
            values.append(None if any(item is None for item in column) else np.array(column, float))
    methods = dict.fromkeys(point.method for point in points)
    told = dict.fromkeys(reason for point in points for reason in point.reasons)
    why = dict.fromkeys(point.why for point in points)
    return Solution(network, Figures(*values), ", ".join(methods), tuple(told), "; ".join(why))


def _padded(rows: list[Any]) -> Any:
    """State probabilities of different lengths, filled up with zeros: (B, K, longest)."""
    longest = max(len(row) for states in rows for row in states)
    found = np.zeros((len(rows), len(rows[0]), longest))
    for point, states in enumerate(rows):
        for station, row in enumerate(states):
            found[point, station, : len(row)] = row
    return found
