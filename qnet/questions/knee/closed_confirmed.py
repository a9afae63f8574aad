"""Knees along a number of customers by the method that `solve` takes at each, if that is the Markov chain of states."""

from __future__ import annotations

from collections.abc import Callable

from qnet.errors import QnetError
from qnet.networks.solvers.table import TABLE
from qnet.questions.knee.curve import Curve, CurvePoint, power, top
from qnet.questions.knee.knees import Knee
from qnet.questions.search.confirmed import Unconfirmed, integer_end_near

_EXACT = {row.name for row in TABLE if row.trust == "exact"} | {None}
"""The methods of points that need no other one."""
_DEAR = 3e8
"""The operations of a chain, about a third of a second, above which a knee is not confirmed: that takes several."""
_CLIMB = 50
"""The most steps of one customer to the largest power."""


def confirmed(curve: Curve, knee: Knee, first: float) -> Knee:
    """A knee with the figures that `solve` has there, where it takes the chain instead of the method of the curve.

    A service level and the largest power move to where they are by that method; other definitions are those of a curve
    of one method.

    first    the least number of customers.
    """
    value = knee.value
    if curve.axis.mix or knee.status != "ok" or value is None or knee.also:
        return knee

    def at(number: float) -> CurvePoint:
        point = curve.by_chain(number)
        if point is None or not point.answered or number < first:
            raise Unconfirmed
        return point

    known = curve.known.get(value)
    try:
        if known is not None and known.method in _EXACT:
            return knee
        if not curve.has_chain(value, _DEAR):
            return knee
        if knee.definition == "service_level":
            knee = _level(curve, knee, at)
        elif knee.definition == "power":
            knee = _largest(knee, at, first)
        if knee.value is not None:
            at(knee.value + 1)
            curve.confirmed |= {knee.value, knee.value + 1}
    except (Unconfirmed, QnetError):
        pass
    return knee


def _level(curve: Curve, knee: Knee, at: Callable[[float], CurvePoint]) -> Knee:
    """The knee of a service level; `at` gives the curve at a number, and raises `Unconfirmed`."""
    index = next(number for number, limit in enumerate(curve.limits) if limit.source == knee.about)

    def excess(number: float) -> float:
        return at(number).excess[index]

    value = float(knee.value or 0.0)
    end = integer_end_near(excess, value, excess(value), curve.limits[index].upper)
    low = min(end.value, end.beyond)
    before, after = excess(low), excess(low + 1)
    return knee.replace(value=end.value, real=low - before / (after - before))


def _largest(knee: Knee, at: Callable[[float], CurvePoint], first: float) -> Knee:
    """The knee of the largest power, by steps of one customer; arguments as of `_level`."""

    def of(number: float) -> float:
        return power(at(number)) if number >= first else 0.0

    value = float(knee.value or 0.0)
    for _ in range(_CLIMB):
        left, middle, right = (of(number) for number in (value - 1, value, value + 1))
        if middle >= max(left, right):
            return knee.replace(value=value, real=value + (top(left, middle, right) if value > first else 0.0))
        value += 1 if right > left else -1
    raise Unconfirmed
