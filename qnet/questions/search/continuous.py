"""Where limits hold along a parameter that may take any value between two ends.

The largest value of one parameter at which a model still has a steady state, for a batch of points at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qnet.errors import QnetError
from qnet.lazy import Array, Flags, Indices, np
from qnet.questions.points.domain import outside
from qnet.questions.points.points import Solved, needs_solution
from qnet.questions.points.saturation import JUST_BELOW
from qnet.questions.points.trial import Trial
from qnet.questions.search.regions import ENDLESS, LIMIT, RANGE, SATURATION, Ends, Regions, best, intervals
from qnet.questions.search.scan import Scan
from qnet.queues.crossings import Function, crossings
from qnet.queues.roots import NEARNESS, root
from qnet.record import Record

START = 1e-9
"""Share of the largest value at which "no load" is read."""
_DOUBLINGS, _FAST = 20, 128.0
"""After this many doublings a search goes up faster; where it ends, nothing bounds the value."""
_MORE = 9
_AHEAD, _TOGETHER = 4, 100
"""Values of a search that goes up of which the loads are asked for at once, and points up to which they are."""
_RISES = 1.5
"""By what factor a load rises at least as a value is doubled, where its capacity is searched before any waits."""
_DESCENT, _DESCENTS = 1e-6, 60
"""How far a search goes down at once from a value that is far too large, and how often."""


class SteadyRange(Record):
    """Arrays with one element per point."""

    largest: Array
    """The largest value with a steady state; else the end of the range of the parameter or of the search; where no
    steady state was reached, a value without one."""
    bounded: Flags
    """Whether the steady state ends at `largest`."""
    greatest: Array
    """The end of the range; infinite where there is none."""


def largest_steady(trial: Trial) -> SteadyRange:
    """Where the steady state ends as a parameter grows from its least value.

    Method   Up by doubling to a value without a steady state. The capacity of a station that holds no waits is a root
             of its load; where waits fill an outer station before that, a root of the largest load.
    Domain   Values that the model refuses are never left as an answer: the search ends where they begin.
    Limits   There must be a steady state at the least value; and values beyond the first end are not tried. Where no
             load is open, a steady state at the last value of the doublings is one at those before it.
    """
    greatest: Array = np.full(trial.size, trial.greatest)
    low: Array = np.full(trial.size, max(trial.least, 0.0))
    lowest = low
    high: Array = np.minimum(max(trial.stated, trial.least * 2, 1e-12), greatest)
    at_low: Array = np.full(trial.size, -1.0)
    overload: Array = np.full(trial.size, np.nan)
    at_high = certain = end = at_low
    if trial.closed and _steady_at_last(trial, high, greatest):
        for step in range(_DOUBLINGS + _MORE):
            high = _doubled(high, greatest, step)
        return SteadyRange(high, np.zeros(trial.size, bool), greatest)
    if (bracket := _overloaded(trial, low, high, greatest)) is not None:
        every: Flags = low == low
        return SteadyRange(edge(trial, *bracket, every, overload), every, greatest)
    ahead: list[tuple[Array, Array, Array]] = []
    inside: Flags = low == low
    for step in range(_DOUBLINGS + _MORE):
        ahead = ahead or _loads_ahead(trial, low, high, greatest, step)
        # Points that have come to an end remain there.
        known = zip(ahead.pop(0), (end, at_high, certain), strict=True)
        end, at_high, certain = (np.where(inside, new, old) for new, old in known)
        greatest, high = np.where(end < high, end, greatest), end
        inside = (at_high < 0) & (high < greatest)
        if not inside.any():
            break
        low, at_low = np.where(inside, high, low), np.where(inside, certain, at_low)
        overload = np.where(inside, at_high, overload)
        high = np.where(inside, _doubled(high, greatest, step), high)
    reached = low
    bounded = at_high >= 0
    if bounded.any():
        low, high, at_low = _descended(trial, low, high, at_low, bounded & (low == lowest))
        bounded = bounded & (low > lowest)
    if bounded.any():
        certain = certain if (high == end).all() else trial.certain(high)
        overload = np.where(low == reached, overload, np.nan)
        high = np.where(bounded, edge(trial, low, high, at_low, certain, bounded, overload), high)
    return SteadyRange(high, bounded, greatest)


def _overloaded(trial: Trial, low: Array, high: Array, greatest: Array) -> tuple[Array, Array, Array, Array] | None:
    """Two values between which stations that hold no waits reach their capacity, and their loads less one there.

    low, high  the least value, and one to begin with.
    Returns    None where a load does not rise with the value at some point, or is not known before the waits.
    """
    if _needs_waits(trial):
        return None
    at_low: Array = np.full(trial.size, np.nan)
    try:
        at_high = trial.certain(high)
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
    return (low, high, at_low, at_high) if (at_low < 0).all() and (at_high >= 0).all() else None


def _needs_waits(trial: Trial) -> bool:
    """Whether no load is known before the waits: where times rest on the solution, and of closed classes."""
    return needs_solution(trial.model) or any(item.population is not None for item in trial.model.customers)


def _loads(trial: Trial, inside: Array, value: Array) -> tuple[Array, Array, Array]:
    """The loads at some values, no more of them than say whether there is a steady state.

    Returns  the values, or the ends of the domain between those `inside` it and them; the largest load less one,
             negative with a steady state; and the largest of the stations that hold no waits.
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
    """The loads at some values, as `_loads`, and at those that a search goes up to next, where these cost little more.

    greatest, step   as `_doubled` takes them.
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
    """The next values of a search that goes up, after a number of steps."""
    return np.minimum(value * (2 if step < _DOUBLINGS else _FAST), greatest)


def _steady_at_last(trial: Trial, high: Array, greatest: Array) -> bool:
    """Whether there is a steady state at the last value that doublings try, at every point."""
    for step in range(_DOUBLINGS + _MORE - 1):
        high = _doubled(high, greatest, step)
    try:
        return bool(np.all(trial.solve(high).stable))
    except QnetError:
        return False


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


def capacity(trial: Trial, low: Array, high: Array, at_low: Array, at_high: Array, bounded: Flags) -> Array:
    """Where stations that hold no waits saturate: a root of their load, where it is `bounded` by two values.

    at_low, at_high  the largest load of such stations, less one, at both values.
    Returns          nothing that counts where it is not bounded.
    """
    ends = np.where(bounded, at_low, -1.0), np.where(bounded, at_high, -1.0)
    return _root(trial, lambda indices, x: trial.at(indices).certain(x), low, high, *ends)


def edge(
    trial: Trial, low: Array, high: Array, at_low: Array, at_high: Array, bounded: Flags, overload: Array
) -> Array:
    """Where the steady state ends: at the capacity of an inner station, or before it if waits fill an outer one.

    low, high        values with and without a steady state, where it is `bounded` by them.
    at_low, at_high  the load of stations that hold no waits, less one, there.
    overload         the largest load less one at `low`; nan where it is not known.
    """
    by_capacity = bounded & (at_high >= 0)
    top = np.where(by_capacity, high, high / JUST_BELOW)
    if by_capacity.any():
        top = np.where(by_capacity, capacity(trial, low, high, at_low, at_high, by_capacity), top)
    least = np.maximum(top * START, trial.least)
    start, end = np.maximum(low, least), top * JUST_BELOW
    at_start = np.where(start == low, overload, np.nan)
    if trial.uncertain:
        at_end = trial.overload(trial.solve(end))
        at_start = _overloads(trial, start, at_start, bounded & (at_end >= 0))
    else:
        # Both in one batch, though the start is not needed where the steady state goes on to the end.
        unknown = np.flatnonzero(bounded & np.isnan(at_start))
        lanes = trial.at(np.concatenate([np.arange(trial.size), unknown]))
        loads = lanes.filled(lanes.solve(np.concatenate([end, start[unknown]])))
        at_end, at_start[unknown] = loads[: trial.size], loads[trial.size :]
    earlier = bounded & (at_end >= 0)
    if not earlier.any():
        return top
    lower = earlier & (at_start >= 0) & (start > least)
    if lower.any():
        end, at_end = np.where(lower, start, end), np.where(lower, at_start, at_end)
        start = np.where(lower, least, start)
        at_start = _overloads(trial, start, np.where(lower, np.nan, at_start), lower)
    hopeless = at_start >= 0
    wanted = earlier & ~hopeless
    function = overloaded if trial.uncertain else _filled
    result = sign_change(trial, function, start, end, top, (wanted, at_start, at_end), wanted)
    return np.where(earlier, np.where(hopeless, start, result), top)


def _overloads(trial: Trial, value: Array, known: Array, wanted: Flags) -> Array:
    """The largest loads less one at some values, those `known` and those that are wanted besides."""
    here = np.flatnonzero(wanted & np.isnan(known))
    if not len(here):
        return known
    if trial.uncertain:
        here = np.arange(trial.size)
    part = trial.at(here)
    result = known.copy()
    result[here] = part.overload(part.solve(value[here]))
    return result


def sign_change(
    trial: Trial, function: Callable[[Trial, Solved, Indices], Array], inside: Array, beyond: Array, edge: Array,
    ends: tuple[Flags, Array, Array], value_alone: Flags | None = None, nearness: float = 0.0,
) -> Array:  # fmt: skip
    """The last value at which a function of the solution is negative, on the way from `inside` to `beyond`.

    function of a trial and its solution, and of the indices of its points in the trial given.
    edge     a value above both, where figures may grow without bound.
    ends     where a root is wanted, and the function at `inside` and at `beyond`.
    value_alone  where what is left up to the edge may be less exact than the value, however close the two are.
    nearness     how near to the root, relative to it, is near enough, on either side; 0: as near as other searches.
    Method   The search runs over u = -log(1 - value / edge): close to saturation figures grow like 1 / (edge - value),
             and over u they are smooth.
    """
    wanted, at_inside, at_beyond = ends
    top = np.maximum(edge, np.maximum(inside, beyond) / JUST_BELOW)

    def at(indices: Indices, u: Array) -> Array:
        lanes = trial.at(indices)
        return function(lanes, lanes.solve(-top[indices] * np.expm1(-u)), indices)

    def near(indices: Indices, u: Array) -> Array:
        alone: Any = np.zeros(trial.size, bool) if value_alone is None else value_alone
        return np.where(alone[indices], max(NEARNESS, nearness), nearness) * np.expm1(u)

    signs = np.where(wanted, at_inside, -1.0), np.where(wanted, at_beyond, -1.0)
    bracket = -np.log1p(-inside / top), -np.log1p(-beyond / top)
    about = near if nearness or value_alone is not None else None
    result = _root(trial, at, *bracket, *signs, about, foretold=nearness > 0)
    return -top * np.expm1(-result)


def overloaded(trial: Trial, solved: Solved, indices: Indices) -> Array:
    """How far the largest load exceeds a capacity: a function for `sign_change`."""
    return trial.overload(solved)


def _filled(trial: Trial, solved: Solved, indices: Indices) -> Array:
    """The same of stations that hold waits, where no others are full."""
    return trial.filled(solved)


def exceeded(trial: Trial, solved: Solved, indices: Indices) -> Array:
    """How far the limits are exceeded: a function for `sign_change`."""
    return smooth(trial.excess(solved))


def smooth(excess: Array) -> Array:
    """An excess, which is a share of the metric or of the bound, whichever is larger, as the logarithm of their ratio.

    It has the same sign, and no bend where a limit begins to be exceeded: interpolation across that is exact to a
    higher order. Where a ratio is 0 or unlimited, it is taken as it is.
    """
    share = np.abs(excess)
    return np.where(share < 1, -np.sign(excess) * np.log1p(-np.minimum(share, _LESS)), excess)


def _root(
    trial: Trial, function: Function, low: Array, high: Array, at_low: Array, at_high: Array,
    near: Function | None = None, foretold: bool = False,
) -> Array:  # fmt: skip
    """Where a function of solutions changes sign, as `crossings`.

    Where the method of solution depends on the number of points, all of them are always solved, once in a round.
    """
    if trial.uncertain:
        every: Indices = np.arange(trial.size)
        return root(lambda x: function(every, x), low, high, at_low, at_high, trial.operations)
    return crossings(function, low, high, at_low, at_high, near, foretold)


_LESS = 1 - 2.0**-53
_NEAR = tuple(2.0**-power for power in (5, 7, 9, 12, 16, 22))
_SHARES = (1e-6, 1e-4, 1e-3, 0.01, 0.03, *(part / 16 for part in range(1, 16)), *(1 - share for share in _NEAR), 1.0)
"""The values tried in a finite range, as shares of it: evenly spaced, and denser at its ends."""
_AROUND = tuple(10 ** (part / 8) for part in range(-8, 9))
"""The values tried in every range besides, as multiples of the stated value."""
_FACTORS = (*(10.0 ** (part / 2) for part in (*range(-16, -2), *range(3, 17))), float("inf"))
"""The values tried in a range without an end instead of shares of it, as multiples of the stated value."""
_FAR = 1e9
"""How many times the stated value a search goes up where there is no steady state at low values."""


def continuous(trial: Trial) -> Regions:
    """Find every interval in which there is a steady state and the limits hold.

    Method   The end of the steady state first, upwards from the least value; then both are evaluated along the entire
             range, with more values where the excess turns near zero, and every change of sign is searched for its
             root. Where there is no steady state at the least value, it is searched for along the entire range.
    Limits   What happens only between two neighbouring values tried is missed.
    """
    steady = largest_steady(trial)
    scan, moved = _loaded(trial, steady)
    hopeless = ~scan.stable[np.searchsorted(scan.point, np.arange(trial.size))]
    inner = np.full(trial.size, np.inf)
    inner[~hopeless] = np.where(steady.bounded, steady.largest, np.inf)[~hopeless]
    if hopeless.any():
        _unloaded(trial, scan, np.flatnonzero(hopeless))
    scan.closer(lambda low, high: low + (high - low) / 2)
    scan.settle()
    return _regions(trial, scan, steady, inner, moved, hopeless)


def _loaded(trial: Trial, steady: SteadyRange) -> tuple[Scan, Flags]:
    """The scan from no load to the end of the steady state, and whether the domain moved its start."""
    size = trial.size
    end = np.where(steady.bounded, steady.largest * JUST_BELOW, steady.largest)
    # A parameter that nothing bounds says little of where there is no load.
    asked = np.where(steady.bounded, steady.largest, np.minimum(steady.largest, trial.stated))
    asked = np.maximum(asked * START, trial.least)
    scan = Scan(trial)
    indices = np.arange(size)
    finite = steady.bounded | np.isfinite(steady.greatest)
    if not trial.uncertain and _begun(trial, scan, asked, end, finite):
        return scan, np.zeros(size, dtype=bool)
    start, lowest = trial.within(end, asked)
    scan.keep(indices, start, trial.excess(lowest), lowest.stable)
    here = indices[lowest.stable & (end > start)]
    table = _values(trial, here, start, end, finite)
    scan.look(np.repeat(here, table.shape[1]), table.reshape(-1), brief=True)
    return scan, start != asked


def _begun(trial: Trial, scan: Scan, start: Array, end: Array, finite: Flags) -> bool:
    """Scan from no load, at `start`, to an end at once; whether no value was refused by the model."""
    here = np.flatnonzero(end > start)
    table = _values(trial, here, start, end, finite)
    index = np.concatenate([np.arange(trial.size), np.repeat(here, table.shape[1])])
    value = np.concatenate([start, table.reshape(-1)])
    lanes = trial.at(index)
    try:
        solved = lanes.solve(value)
    except QnetError as error:
        if not outside(error):
            raise
        return False
    stable = np.asarray(solved.stable)
    # Of a point without a steady state at the start all values are scanned, not only these.
    used = stable[: trial.size][index]
    used[: trial.size] = True
    scan.keep(index[used], value[used], lanes.excess(solved)[used], stable[used])
    return True


def _values(trial: Trial, here: Indices, start: Array, end: Array, finite: Flags) -> Array:
    """Values between two ends, the upper one included, as rows for some points."""
    low, high = start[here, None], end[here, None]
    around = np.clip(trial.stated * np.array(_AROUND), low, high)
    if finite[here].all():
        return np.concatenate([low + (high - low) * np.array(_SHARES), around], axis=1)
    factors = np.clip(abs(trial.stated) * np.array(_FACTORS), low, high)
    shares = np.array([*_SHARES, *[1.0] * (len(_FACTORS) - len(_SHARES))])
    wide = np.where(finite[here, None], low + (high - low) * shares, factors)
    return np.concatenate([wide, around], axis=1)


def _unloaded(trial: Trial, scan: Scan, here: Indices) -> None:
    """Scan the entire range of points without a steady state at the least value."""
    sub = trial.at(here)
    far = abs(trial.stated) * _FAR
    inside = np.full(len(here), trial.stated)
    top, _ = sub.within(inside, np.full(len(here), min(trial.greatest, far)))
    low = np.full(trial.size, trial.least)
    high = np.zeros(trial.size)
    high[here] = top
    table = _values(trial, here, low, high, high < far)
    known = np.repeat(here, table.shape[1])
    scan.look(known, table.reshape(-1), brief=True)
    inner, outer = scan.changes(scan.stable)
    mine = np.isin(scan.point[inner], here)
    inner, outer = inner[mine], outer[mine]
    if len(inner):
        lanes = trial.at(scan.point[inner])
        inside, beyond = scan.value[inner], scan.value[outer]
        ends = (inside == inside, lanes.overload(lanes.solve(inside)), lanes.overload(lanes.solve(beyond)))
        edges = sign_change(lanes, overloaded, inside, beyond, 2 * np.maximum(inside, beyond), ends, ends[0])
        scan.look(scan.point[inner], edges)


def _regions(trial: Trial, scan: Scan, steady: SteadyRange, edge: Array, moved: Flags, hopeless: Flags) -> Regions:
    size = trial.size
    first, last = intervals(scan)
    low, low_cause = _ends(scan, first, -1)
    high, high_cause = _ends(scan, last, 1)
    index = scan.point[first]
    value = [low, high]
    shown = [low, high]
    # The ends of what was tried: of the range, or of the steady state.
    at_start = low_cause == RANGE
    limit = np.where(moved[index] | (not trial.bounded_below), low, np.minimum(low, trial.least))
    value[0] = np.where(at_start & ~hopeless[index], limit, low)
    low_cause = np.where(at_start & ~moved[index] & (not trial.bounded_below), ENDLESS, low_cause)
    at_end = high_cause == RANGE
    bounded = at_end & np.isfinite(edge[index])
    value[1] = np.where(bounded, edge[index], high)
    high_cause = np.where(bounded, SATURATION, high_cause)
    high_cause = np.where(at_end & ~bounded & np.isinf(steady.greatest[index]), ENDLESS, high_cause)
    value, shown = _crossed(trial, scan, (first, last), (low_cause, high_cause), edge, (value, shown))
    ends = [
        Ends(limit, read, cause, read) for limit, read, cause in zip(value, shown, (low_cause, high_cause), strict=True)
    ]
    steady_least, steady_greatest = np.full(size, np.nan), np.where(np.isfinite(edge), edge, np.nan)
    inner, outer = scan.changes(scan.stable)
    below = scan.value[inner] > scan.value[outer]
    steady_least[scan.point[inner][below][::-1]] = scan.value[inner][below][::-1]
    steady_greatest[scan.point[inner][~below][::-1]] = scan.value[inner][~below][::-1]
    never = np.ones(size, dtype=bool)
    never[scan.point[scan.stable]] = False
    return Regions(
        point=index,
        low=ends[0],
        high=ends[1],
        scan=scan,
        hopeless=never,
        steady_least=steady_least,
        steady_greatest=steady_greatest,
        best=best(scan, size),
    )


def _ends(scan: Scan, index: Any, step: int) -> tuple[Array, Any]:
    """The values at some ends of runs, and what ends them, as far as the scan knows."""
    other = np.clip(index + step, 0, len(scan.point) - 1)
    same = (scan.point[other] == scan.point[index]) & (other != index)
    return scan.value[index], np.where(same, np.where(scan.stable[other], LIMIT, SATURATION), RANGE)


def _crossed(
    trial: Trial, scan: Scan, runs: tuple[Any, Any], causes: tuple[Any, Any], edge: Any, result: tuple[Any, Any]
) -> tuple[list[Any], list[Any]]:
    """The ends at which a limit is crossed, all of them as one batch of roots."""
    value, shown = result
    lanes = [np.flatnonzero(cause == LIMIT) for cause in causes]
    inner = np.concatenate([run[lane] for run, lane in zip(runs, lanes, strict=True)])
    if not len(inner):
        return value, shown
    steps = np.repeat([-1, 1], [len(lane) for lane in lanes])
    batch = trial.at(scan.point[inner])
    inside, beyond = scan.value[inner], scan.value[inner + steps]
    top = np.minimum(edge[scan.point[inner]], 2 * np.maximum(inside, beyond))
    below, above = smooth(scan.excess[inner]), smooth(scan.excess[inner + steps])
    ends = (inside == inside, np.minimum(below, -1e-300), above)
    crossing = sign_change(batch, exceeded, inside, beyond, top, ends)
    cut = len(lanes[0])
    for number, (lane, part) in enumerate(zip(lanes, (crossing[:cut], crossing[cut:]), strict=True)):
        value[number], shown[number] = value[number].copy(), shown[number].copy()
        value[number][lane] = shown[number][lane] = part
    return value, shown
