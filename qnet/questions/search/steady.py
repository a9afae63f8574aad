"""The largest value of one parameter at which a model still has a steady state, for a batch of points at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qnet.errors import QnetError
from qnet.lazy import Array, Flags, np
from qnet.questions.points.domain import outside
from qnet.questions.points.points import Solved
from qnet.questions.points.saturation import JUST_BELOW
from qnet.questions.points.trial import Trial
from qnet.queues.roots import root
from qnet.record import Record

START = 1e-9
"""Share of the largest value at which "no load" is read."""
_DOUBLINGS, _FAST = 20, 128.0
"""After so many doublings a search goes up faster; where it ends is a value that nothing bounds."""
_MORE = 9
_DESCENT, _DESCENTS = 1e-6, 60
"""How far a search goes down at once from a value that is far too large, and how often."""


class Steady(Record):
    """Arrays with one element per point."""

    largest: Array
    """The largest value with a steady state; else the end of the range of the parameter, or of patience; where no
    steady state was found, a value without one."""
    bounded: Flags
    """Whether the steady state ends at `largest`."""
    greatest: Array
    """The end of the range; infinite where there is none."""


def largest_steady(trial: Trial) -> Steady:
    """Where the steady state ends as a parameter grows from its least value.

    Method   Up by doubling to a value without a steady state. The capacity of a station that holds no waits is a root
             of its load; where waits fill an outer station before that, a root of the largest load.
    Domain   Values that the model refuses are never left as an answer: the search ends where they begin.
    Limits   There must be a steady state at the least value; and values beyond the first end are not looked at.
    """
    greatest: Array = np.full(trial.size, trial.greatest)
    lowest: Array = np.full(trial.size, max(trial.least, 0.0))
    low: Array = lowest
    high: Array = np.minimum(max(trial.stated, trial.least * 2, 1e-12), greatest)
    at_low: Array = np.full(trial.size, -1.0)
    at_high: Array = at_low
    for step in range(_DOUBLINGS + _MORE):
        end, solved = trial.within(low, high)
        greatest, high = np.where(end < high, end, greatest), end
        at_high = np.where(solved.stable, np.minimum(solved.load - 1, -1e-16), np.maximum(solved.load - 1, 0.0))
        inside = solved.stable & (high < greatest)
        if not inside.any():
            break
        low, at_low = np.where(inside, high, low), np.where(inside, solved.certain_load - 1, at_low)
        high = np.where(inside, np.minimum(high * (2 if step < _DOUBLINGS else _FAST), greatest), high)
    bounded: Flags = at_high >= 0
    if bounded.any():
        low, high, at_low = _descended(trial, low, high, at_low, bounded & (low == lowest))
        bounded = bounded & (low > lowest)
    if bounded.any():
        high = np.where(bounded, _edge(trial, low, high, at_low, bounded), high)
    return Steady(high, bounded, greatest)


def _descended(trial: Trial, low: Array, high: Array, at_low: Array, wanted: Flags) -> tuple[Array, Array, Array]:
    """A bracket of the end of the steady state, where the first guess was far beyond it."""
    top = high
    for _ in range(_DESCENTS):
        below = np.maximum(high * _DESCENT, low)
        wanted = wanted & (below > low)
        if not wanted.any():
            break
        try:
            solved = trial.solve(np.where(wanted, below, high))
        except QnetError as error:
            if not outside(error):
                raise
            break
        found = wanted & solved.stable
        low, at_low = np.where(found, below, low), np.where(found, solved.certain_load - 1, at_low)
        wanted = wanted & ~found
        high = np.where(wanted, below, high)
    return low, np.where(wanted, top, high), at_low


def _edge(trial: Trial, low: Array, high: Array, at_low: Array, bounded: Flags) -> Array:
    """Where the steady state ends: at the capacity of an inner station, or before it if waits fill an outer one."""

    def certain(solved: Solved) -> Any:
        return solved.certain_load - 1

    at_high = certain(trial.solve(high))
    by_capacity = bounded & (at_high >= 0)
    edge = np.where(by_capacity, high, high / JUST_BELOW)
    if by_capacity.any():
        found = root(
            _anew(trial, lambda lanes, x: certain(lanes.solve(x))),
            low,
            high,
            np.where(by_capacity, at_low, -1.0),
            np.where(by_capacity, at_high, -1.0),
            trial.operations,
        )
        edge = np.where(by_capacity, found, edge)
    end = edge * JUST_BELOW
    at_end = trial.overload(trial.solve(end))
    earlier = bounded & (at_end >= 0)
    if not earlier.any():
        return edge
    start = np.maximum(low, edge * START)
    at_start = trial.overload(trial.solve(start))
    hopeless = at_start >= 0
    wanted = earlier & ~hopeless
    found = sign_change(trial, Trial.overload, start, end, edge, (wanted, at_start, at_end))
    return np.where(earlier, np.where(hopeless, start, found), edge)


def sign_change(
    trial: Trial, function: Callable[[Trial, Solved], Any], inside: Any, beyond: Any, edge: Any,
    ends: tuple[Any, Any, Any],
) -> Any:  # fmt: skip
    """The last value at which a function of the solution is negative, on the way from `inside` to `beyond`.

    function of a trial and its solution: a method of trials.
    edge     a value above both, where figures may grow without bound.
    ends     where a root is wanted, and the function at `inside` and at `beyond`.
    Method   The search runs over u = -log(1 - value / edge): close to saturation figures grow like 1 / (edge - value),
             and over u they are smooth.
    """
    wanted, at_inside, at_beyond = ends
    top = np.maximum(edge, np.maximum(inside, beyond) / JUST_BELOW)
    found = root(
        _anew(trial, lambda lanes, x: function(lanes, lanes.solve(x)), lambda u: -top * np.expm1(-u)),
        -np.log1p(-inside / top),
        -np.log1p(-beyond / top),
        np.where(wanted, at_inside, -1.0),
        np.where(wanted, at_beyond, -1.0),
        trial.operations,
    )
    return -top * np.expm1(-found)


def _anew(
    trial: Trial, function: Callable[[Trial, Any], Any], value: Callable[[Any], Any] = lambda x: x
) -> Callable[[Any], Any]:
    """A function of values that is computed anew only for the points at which these have moved since it was last asked.

    Most roots of a batch are found long before the last one. Where the method of solution depends on the number of
    points, all of them are always solved.
    """
    asked: Any = np.full(trial.size, np.nan)
    found: Any = np.full(trial.size, np.nan)

    def at(x: Any) -> Any:
        nonlocal asked, found
        moved = np.flatnonzero(x != asked)
        if len(moved) == trial.size or trial.uncertain:
            asked, found = x, function(trial, value(x))
        elif len(moved):
            found = found.copy()
            found[moved] = function(trial.at(moved), value(x)[moved])
            asked = x
        return found

    return at
