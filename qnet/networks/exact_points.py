"""The points of a batch at which theory makes the closed-form answer exact."""

from __future__ import annotations

import numpy as np

from qnet.expression import Value
from qnet.expression.operations import Arrays
from qnet.lazy import Flags
from qnet.networks.exactness import reasons_for
from qnet.networks.routed import RoutedNetwork, at_points
from qnet.networks.streams import streams
from qnet.networks.wanted import Divided


class _Agreeing(Arrays):
    """Arrays, for decisions that are the same at all points; raises `Divided` for a condition that is true at some."""

    def all(self, condition: Value) -> bool:
        flags = np.asarray(condition, dtype=bool)
        if flags.any() and not flags.all():
            raise Divided(flags)
        return bool(flags.all())


def exact_points(network: RoutedNetwork) -> Flags:
    """Whether the closed-form answer is exact, at each point of a batch as for the point alone.

    network  a batch of P points with open classes.
    Returns  (P,) true where `reasons_for` has no reason.
    Method   The points are judged together. Those that differ in a condition are judged apart from then on, so that
             the work grows with the number of different cases and not of points.
    """
    operations = _Agreeing()
    exact = np.zeros(network.size or 0, dtype=bool)
    waiting = [np.arange(len(exact))]
    while waiting:
        rows = waiting.pop()
        part = at_points(network.replace(profiles=()), rows).replace(size=len(rows))
        try:
            exact[rows] = not reasons_for(part, streams(part, operations), operations)
        except Divided as divided:
            waiting += [rows[divided.first], rows[~divided.first]]
    return exact
