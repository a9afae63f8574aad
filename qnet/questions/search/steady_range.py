"""The largest value of one parameter at which a model still has a steady state, for a batch of points at once."""

from __future__ import annotations

from typing import Any

from qnet.errors import QnetError
from qnet.lazy import Array, Flags, Indices, np
from qnet.questions.points.domain import outside
from qnet.questions.points.points import needs_solution
from qnet.questions.points.saturation import JUST_BELOW
from qnet.questions.points.trial import Trial
from qnet.questions.search.sign_changes import filled, find_root, overloaded, scaled, sign_change, unscaled
from qnet.queues.crossings import enclosures
from qnet.queues.roots import NEARNESS
from qnet.record import Record

START = 1e-9
"""The share of the largest value that counts as no load."""
_DOUBLINGS, _FAST = 20, 128.0
"""Doublings of an upward search, and the factor of its steps after them."""
_MORE = 9
"""Fast steps after the doublings; 2^20 x 128^9 is about 1e25 times the first value, beyond which nothing bounds the
value. A choice."""
_AHEAD, _TOGETHER = 4, 100
"""Values of an upward search whose loads are computed in one batch, and the most points of such a batch."""
_RISES = 1.5
"""The least factor by which a load rises as a value is doubled, for the capacity to be searched before any waits."""
_ASIDE, _HALF = (1e-3, 1e-6, 1e-9, 0.75 * NEARNESS), 0.5
"""Relative distances on either side of a predicted capacity at which loads are computed, the least so that a root is
found; and the share of a capacity from which the end of the steady state is searched."""
_MOST = 1500
"""The most loads of such a prediction that are computed at once; more take longer than the rounds of a search."""
_ROUGH = 0.01
"""The relative distance from the end of the steady state at which a rough search stops."""
_DESCENT, _DESCENTS = 1e-6, 60
"""The factor of each step down from a value that is far too large, and the most steps."""


class Bracket(Record):
    """Two values between which loads reach a capacity, and the loads there less one; arrays with one element per
    point."""

    low: Array
    high: Array
    at_low: Array
    at_high: Array


class SteadyRange(Record):
    """The range of a parameter with a steady state; arrays with one element per point."""

    largest: Array
    """The largest value with a steady state; else the end of the range of the parameter or of the search; where no
    steady state was reached, a value without one."""
    bounded: Flags
    """Whether the steady state ends at `largest`."""
    greatest: Array
    """The end of the range; infinite where there is none."""
    rough: Ending | None = None
    """The points at which `largest` is only near the end of the steady state; None for no points."""


class Ending(Record):
    """Brackets of the end of the steady state, for some points, where waits inside holds saturate a station."""

    point: Indices
    low: Array
    high: Array
    at_low: Array
    """The excess of the loads that include waits inside holds over the capacity."""
    at_high: Array
    top: Array
    """A value above both, where figures may grow without bound."""

    @property
    def estimate(self) -> Array:
        """The value at which the loads reach the capacity, by linear interpolation."""
        return self.low + (self.high - self.low) * self.at_low / (self.at_low - self.at_high)

    def at(self, indices: Any) -> Ending:
        """The brackets of some points."""
        return Ending(*(column[indices] for column in self))

    def joined(self, other: Ending) -> Ending:
        """These brackets, and after them other ones."""
        return Ending(*(np.concatenate(pair) for pair in zip(self, other, strict=True)))


def largest_steady(trial: Trial, rough: bool = False) -> SteadyRange:
    """The end of the steady state as a parameter grows from its least value.

    rough    whether an estimate is enough where waits inside holds saturate a station before its capacity.
    Method   Doubling up to a value without a steady state; then the root of the load of a station without waits inside
             holds, or, where an outer station saturates before that, the root of the largest load.
    Domain   The search ends where values begin that the model refuses.
    Limits   There must be a steady state at the least value, and values beyond the first end are not tried. Without
             open classes, a steady state at the last value of the doublings is taken for one at those before it.
    """
    greatest: Array = np.full(trial.size, trial.greatest)
    low: Array = np.full(trial.size, max(trial.least, 0.0))
    lowest = low
    high: Array = np.minimum(max(trial.stated, trial.least * 2, 1e-12), greatest)
    at_low: Array = np.full(trial.size, -1.0)
    overload: Array = np.full(trial.size, np.nan)
    at_high = certain = end = at_low
    if trial.closed and (last := _steady_at_last(trial, high, greatest)) is not None:
        return last
    if (known := _overloaded(trial, low, high, greatest)) is not None:
        every: Flags = low == low
        ends, left = edge(trial, *known, every, overload, rough)
        return SteadyRange(ends, every, greatest, left)
    ahead: list[tuple[Array, Array, Array]] = []
    inside: Flags = low == low
    for step in range(_DOUBLINGS + _MORE):
        ahead = ahead or _loads_ahead(trial, low, high, greatest, step)
        # Points whose search has ended remain unchanged.
        columns = zip(ahead.pop(0), (end, at_high, certain), strict=True)
        end, at_high, certain = (np.where(inside, new, old) for new, old in columns)
        greatest, high = np.where(end < high, end, greatest), end
        inside = (at_high < 0) & (high < greatest)
        if not inside.any():
            break
        low, at_low = np.where(inside, high, low), np.where(inside, certain, at_low)
        overload = np.where(inside, at_high, overload)
        high = np.where(inside, _doubled(high, greatest, step), high)
    reached = low
    left: Ending | None = None
    bounded = at_high >= 0
    if bounded.any():
        low, high, at_low = _descended(trial, low, high, at_low, bounded & (low == lowest))
        bounded = bounded & (low > lowest)
    if bounded.any():
        certain = certain if (high == end).all() else trial.certain(high)
        overload = np.where(low == reached, overload, np.nan)
        ends, left = edge(trial, low, Bracket(low, high, at_low, certain), bounded, overload, rough)
        high = np.where(bounded, ends, high)
    return SteadyRange(high, bounded, greatest, left)


def _overloaded(trial: Trial, low: Array, high: Array, greatest: Array) -> tuple[Array, Bracket] | None:
    """The bracket of the values at which stations without waits inside holds reach their capacity.

    low, high  the least value, and the first to try.
    Returns    values below it from which the end of the steady state is to be searched, and the bracket; None where a
               load does not rise with the value at some point, or depends on waits.
    """
    if _needs_waits(trial):
        return None
    at_low: Array = np.full(trial.size, np.nan)
    try:
        at_high = trial.certain(high)
        if (bracket := _proportional(trial, low, high, at_high, greatest)) is not None:
            return np.maximum(low, _HALF * bracket.low), bracket
        for step in range(_DOUBLINGS):
            going = at_high < 0
            if not going.any():
                break
            if (going & (high >= greatest)).any():
                return None
            low, at_low = np.where(going, high, low), np.where(going, at_high, at_low)
            high = np.where(going, _doubled(high, greatest, step), high)
            at_high = np.where(going, trial.certain(high), at_high)
            if (going & (at_high + 1 < _RISES * (at_low + 1))).any():
                return None
        begins = np.isnan(at_low)
        if begins.any():
            low = np.where(begins, np.maximum(high * _DESCENT, low), low)
            at_low = np.where(begins, trial.certain(low), at_low)
    except QnetError as error:
        if not outside(error):
            raise
        return None
    return (low, Bracket(low, high, at_low, at_high)) if (at_low < 0).all() and (at_high >= 0).all() else None


def _proportional(trial: Trial, least: Array, value: Array, load: Array, greatest: Array) -> Bracket | None:
    """The bracket of the values at which loads reach the capacity, if they are proportional to the value.

    value, load      a value, and the loads there less one.
    least, greatest  the range of the values.
    Returns          None where a load at some point is not proportional, or the values are outside the range.
    """
    count = min(len(_ASIDE), _MOST // (2 * trial.size))
    if not count:
        return None
    shares = 1.0 + np.array([*(-aside for aside in _ASIDE[:count]), *_ASIDE[:count][::-1]])
    if not (load > -1.0).all():
        return None
    tried = (value / (1.0 + load))[:, None] * shares
    if not ((tried >= least[:, None]) & (tried <= greatest[:, None])).all():
        return None
    loads = trial.at(np.repeat(np.arange(trial.size), len(shares))).certain(tried.reshape(-1)).reshape(tried.shape)
    if not ((loads[:, 0] < 0) & (loads[:, -1] >= 0)).all():
        return None
    every, first = np.arange(trial.size), (loads >= 0).argmax(axis=1)
    return Bracket(*(table[every, index] for table in (tried, loads) for index in (first - 1, first)))


def _needs_waits(trial: Trial) -> bool:
    """Whether loads depend on waits: with times that depend on the solution, and with closed classes."""
    return needs_solution(trial.model) or any(item.population is not None for item in trial.model.customers)


def _loads(trial: Trial, inside: Array, value: Array) -> tuple[Array, Array, Array]:
    """The loads at some values, only as many as decide whether there is a steady state.

    inside   values inside the domain.
    Returns  the values, or the ends of the domain towards them; the largest load less one, negative with a steady
             state; and the largest load of stations without waits inside holds, less one.
    """
    if _needs_waits(trial):
        value, solved = trial.within(inside, value)
        return value, trial.overload(solved), solved.certain_load - 1
    try:
        certain = trial.certain(value)
    except QnetError as error:
        if not outside(error):
            raise
        value, solved = trial.within(inside, value)
        return value, trial.overload(solved), solved.certain_load - 1
    result = np.maximum(certain, 0.0)
    unsure = np.flatnonzero(certain < 0)
    if len(unsure):
        part = trial if len(unsure) == trial.size else trial.at(unsure)
        result[unsure] = part.overload(part.solve(value[unsure]))
    return value, result, certain


def _loads_ahead(
    trial: Trial, inside: Array, value: Array, greatest: Array, step: int
) -> list[tuple[Array, Array, Array]]:  # fmt: skip
    """The loads at some values, as `_loads`, and at the next values of an upward search, where these cost little more.

    greatest, step   as for `_doubled`.
    """
    if trial.uncertain or trial.size * _AHEAD > _TOGETHER:
        return [_loads(trial, inside, value)]
    values = [value]
    for more in range(_AHEAD - 1):
        values.append(_doubled(values[-1], greatest, step + more))
    lanes = trial.at(np.tile(np.arange(trial.size), _AHEAD))
    every = np.concatenate(values)
    try:
        end, load, certain = _loads(lanes, np.tile(inside, _AHEAD), every)
    except QnetError as error:
        if not outside(error):
            raise
        return [_loads(trial, inside, value)]
    if not (end == every).all():
        return [_loads(trial, inside, value)]
    return list(zip(*(np.split(column, _AHEAD) for column in (end, load, certain)), strict=True))


def _doubled(value: Array, greatest: Array, step: int) -> Array:
    """The next values of an upward search, after a number of steps."""
    return np.minimum(value * (2 if step < _DOUBLINGS else _FAST), greatest)


def _steady_at_last(trial: Trial, high: Array, greatest: Array) -> SteadyRange | None:
    """The range up to the last value that doublings try, or to the end of the domain before it; None where there is no
    steady state at some point there."""
    first = high
    for step in range(_DOUBLINGS + _MORE):
        high = _doubled(high, greatest, step)
    try:
        end, solved = trial.within(first, high)
    except QnetError:
        return None
    greatest = np.where(end < high, end, greatest)
    return SteadyRange(end, np.zeros(trial.size, bool), greatest) if np.all(solved.stable) else None


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
        result = wanted & solved.stable
        low, at_low = np.where(result, below, low), np.where(result, solved.certain_load - 1, at_low)
        wanted = wanted & ~result
        high = np.where(wanted, below, high)
    return low, np.where(wanted, top, high), at_low


def capacity(trial: Trial, bracket: Bracket, bounded: Flags, foretold: bool = False) -> Array:
    """The values at which stations without waits inside holds saturate: roots of their loads.

    bracket   values, and the largest loads of such stations, less one.
    bounded   the points at which the bracket encloses a root; results at others are meaningless.
    foretold  as `crossings` takes it.
    """
    low, high, at_low, at_high = bracket
    ends = np.where(bounded, at_low, -1.0), np.where(bounded, at_high, -1.0)
    return find_root(trial, lambda indices, x: trial.at(indices).certain(x), low, high, *ends, foretold=foretold)


def edge(
    trial: Trial, low: Array, bracket: Bracket, bounded: Flags, overload: Array, rough: bool = False
) -> tuple[Array, Ending | None]:
    """The end of the steady state: at the capacity of an inner station, or before it if waits saturate an outer one.

    low       values with a steady state at the points that are `bounded`, as far as is known.
    bracket   values around the capacities of stations without waits inside holds, where `at_high` is not negative; and
              elsewhere values with and without a steady state.
    overload  the largest load less one at `low`; NaN where it is not known.
    rough     as for `largest_steady`.
    """
    high = bracket.high
    by_capacity = bounded & (bracket.at_high >= 0)
    top = np.where(by_capacity, high, high / JUST_BELOW)
    if by_capacity.any():
        top = np.where(by_capacity, capacity(trial, bracket, by_capacity), top)
    least = np.maximum(top * START, trial.least)
    start, end = np.maximum(low, least), top * JUST_BELOW
    at_start = np.where(start == low, overload, np.nan)
    if trial.uncertain:
        at_end = trial.overload(trial.solve(end))
        at_start = _overloads(trial, start, at_start, bounded & (at_end >= 0))
    else:
        # Both in one batch, though the start is not needed where the steady state continues to the end.
        unknown = np.flatnonzero(bounded & np.isnan(at_start))
        lanes = trial.at(np.concatenate([np.arange(trial.size), unknown]))
        loads = lanes.filled(lanes.solve(np.concatenate([end, start[unknown]])))
        at_end, at_start[unknown] = loads[: trial.size], loads[trial.size :]
    earlier = bounded & (at_end >= 0)
    if not earlier.any():
        return top, None
    lower = earlier & (at_start >= 0) & (start > least)
    if lower.any():
        end, at_end = np.where(lower, start, end), np.where(lower, at_start, at_end)
        start = np.where(lower, least, start)
        at_start = _overloads(trial, start, np.where(lower, np.nan, at_start), lower)
    hopeless = at_start >= 0
    wanted = earlier & ~hopeless
    left = None
    if rough and not trial.uncertain:
        here = np.flatnonzero(wanted)
        begun = Ending(here, start[here], end[here], at_start[here], at_end[here], top[here])
        left = _nearer(trial, begun)
        result = start.copy()
        result[here] = left.low
    else:
        function = overloaded if trial.uncertain else filled
        result = sign_change(trial, function, start, end, top, (wanted, at_start, at_end), wanted)
    return np.where(earlier, np.where(hopeless, start, result), top), left


def _nearer(trial: Trial, ending: Ending) -> Ending:
    """The brackets of the ends of the steady state, narrowed."""
    lanes, top = trial.at(ending.point), ending.top

    def waiting(indices: Indices, u: Array) -> Array:
        some = lanes.at(indices)
        return some.filled(some.solve(unscaled(u, top[indices])))

    ends = enclosures(
        waiting, scaled(ending.low, top), scaled(ending.high, top), ending.at_low, ending.at_high,
        lambda _, u: _ROUGH * np.expm1(u),
    )  # fmt: skip
    return Ending(ending.point, unscaled(ends[0], top), unscaled(ends[1], top), ends[2], ends[3], top)


def _overloads(trial: Trial, value: Array, known: Array, wanted: Flags) -> Array:
    """The largest loads less one at some values: those `known`, and those of the `wanted` points."""
    here = np.flatnonzero(wanted & np.isnan(known))
    if not len(here):
        return known
    if trial.uncertain:
        here = np.arange(trial.size)
    part = trial.at(here)
    result = known.copy()
    result[here] = part.overload(part.solve(value[here]))
    return result
