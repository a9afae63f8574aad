"""The largest or smallest value of one parameter at which limits hold, for a batch of points; search over integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qnet.lazy import Array, Flags, Indices, np
from qnet.questions.points.points import Solved
from qnet.questions.points.saturation import limiting
from qnet.questions.points.trial import Trial
from qnet.questions.search.confirmed import confirmed
from qnet.questions.search.continuous import continuous
from qnet.questions.search.scan import CLOSE, ENDLESS, LIMIT, RANGE, SATURATION, Ends, Regions, Scan, best, intervals
from qnet.queues.arithmetic import distinct
from qnet.record import Record

_ALL = 40
"""Integers up to which all are tried; of more, about as many at rising distances."""
_FIRST, _BEYOND = 64, 100.0
"""Without an end of the range, numbers of customers are tried up to the first value, or the second times the stated
number, whichever is more."""
_FARTHER = 4
"""The factor by which a scan is extended where the limits still hold at its end."""
_HOPELESS = 16
"""The multiple of the stated number of servers at which a scan without a steady state is given up."""
_AT_ONCE = 4
"""Numbers of customers that are tried together."""


def integers(trial: Trial) -> Regions:
    """Find every interval of integers in which there is a steady state and the limits hold.

    Method   A scan at rising distances (for customers without a range, upwards until the limits fail, and ever farther
             while they hold), with more values where the excess turns near zero; every change is then bisected down to
             two neighbours. The servers of a station that is held while others are visited are tried upwards from
             around the stated number only as far as they change the answer, because each costs a network of as many
             customers.
    Limits   What happens only between two neighbouring values tried is missed.
    """
    size = trial.size
    domain = trial.domain
    customers = trial.vary in domain.customers()
    ends = domain.integer_ranges(size)
    first, last = (np.array(values, dtype=float) for values in zip(*ends, strict=True))
    endless = np.zeros(size, dtype=bool)
    unlimited = customers and trial.vary not in domain.pools() and trial.greatest == float("inf")
    end = last
    if unlimited:
        last = np.minimum(end, max(float(_FIRST), np.floor(_BEYOND * trial.stated)))
    scan = Scan(trial)
    if trial.vary in domain.pools():
        scanned = _outward(trial, scan, first, last)
        endless, last = scanned < last, scanned
    else:
        _look(trial, scan, first, last, customers, unlimited)
    if unlimited:
        last = _farther(scan, last, end)
        endless = np.ones(size, dtype=bool)
    scan.closer(lambda low, high: np.floor(low + (high - low) / 2))
    scan.settle()
    _halve(scan, lambda: scan.stable)
    _halve(scan, lambda: scan.holds)
    return of_neighbours(trial, scan, last, endless)


def _look(trial: Trial, scan: Scan, first: Array, last: Array, customers: bool, unlimited: bool) -> None:
    """Scan the entire ranges, few numbers of customers at once, because the largest determines the cost of all.

    unlimited   whether to stop at a point where the limits have failed after they have held.
    """
    size = trial.size
    least, most = float(first.min()), float(last.max())
    if most - least < _ALL:
        common = np.arange(least, most + 1)
    else:
        common = least + np.round(np.geomspace(1, most - least + 1, _ALL)) - 1
    common = distinct(np.concatenate([common, first, last, [np.floor(trial.stated)]]))
    blocks = [common]
    if customers:
        near = common <= max(2 * trial.stated, _FIRST)
        far = common[~near]
        blocks = [common[near], *np.array_split(far, -(-len(far) // _AT_ONCE))] if len(far) else [common]
    done = np.zeros(size, dtype=bool)
    for block in blocks:
        indices, values = np.repeat(np.arange(size), len(block)), np.tile(block, size)
        wanted = (values >= first[indices]) & (values <= last[indices]) & ~done[indices]
        scan.look(indices[wanted], values[wanted], brief=True)
        if unlimited:
            held, latest = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
            held[scan.point[scan.holds]] = True
            latest[scan.point[scan.holds & (scan.value >= block[0])]] = True
            done = held & ~latest


def _outward(trial: Trial, scan: Scan, first: Array, last: Array) -> Array:
    """Scan upwards from around the stated value, twice as far each time; returns the last value of each point.

    It ends at a point where the limits have changed, where twice as many servers change nothing, or where `_HOPELESS`
    times the stated number gives no steady state.
    """
    size = trial.size
    reach = max(float(_FIRST), 2 * np.floor(trial.stated))
    least = float(first.min())
    block = distinct(np.round(np.geomspace(least, max(reach, least + 1), _ALL)) if least > 0 else np.arange(reach))
    block = distinct(np.concatenate([block, first, [np.floor(trial.stated)]]))
    done = np.zeros(size, dtype=bool)
    scanned = np.minimum(last, reach)
    while True:
        indices, values = np.repeat(np.arange(size), len(block)), np.tile(block, size)
        wanted = (values >= first[indices]) & (values <= last[indices]) & ~done[indices]
        scan.look(indices[wanted], values[wanted], brief=True)
        ends = np.flatnonzero(~done & (scanned == last) & (scanned < block[-1]))
        scan.look(ends, last[ends], brief=True)
        done |= (scanned >= last) | _complete(trial, scan, reach)
        if done.all():
            return scanned
        block = np.array([reach + reach // 2, 2 * reach])
        reach *= 2
        scanned = np.where(done, scanned, np.minimum(last, reach))


def _complete(trial: Trial, scan: Scan, reach: float) -> Flags:
    """Whether, at each point, extending a scan would change nothing."""
    result = np.zeros(trial.size, dtype=bool)
    for index in range(trial.size):
        rows = slice(*np.searchsorted(scan.point, [index, index + 1]))
        holds, stable, excess = scan.holds[rows], scan.stable[rows], scan.excess[rows]
        if not stable.any():
            result[index] = reach >= _HOPELESS * max(trial.stated, _FIRST)
            continue
        flat = len(excess) > 1 and bool(stable[-2:].all()) and abs(excess[-1] - excess[-2]) <= CLOSE
        result[index] = flat or (holds.any() and not holds.all() and holds[-1] == holds[-2])
    return result


def _farther(scan: Scan, last: Array, end: Array) -> Array:
    """Extend the scan at points where the limits still hold at the last number; returns the last number of each."""
    while True:
        held = np.zeros(len(last), dtype=bool)
        latest = np.flatnonzero(np.append(~scan.neighbours(), True))
        held[scan.point[latest]] = scan.holds[latest]
        indices = np.flatnonzero(held & (last < end))
        if not len(indices):
            return last
        last = np.where(held, np.minimum(last * _FARTHER, end), last)
        scan.look(indices, last[indices], brief=True)


def _halve(scan: Scan, flags: Callable[[], Flags]) -> None:
    """Bisect between neighbours of which only one has a flag, until they are consecutive integers."""
    while True:
        inner, outer = scan.changes(flags())
        middle = np.floor((scan.value[inner] + scan.value[outer]) / 2)
        wide = np.abs(scan.value[inner] - scan.value[outer]) > 1
        if not wide.any():
            return
        scan.look(scan.point[inner][wide], middle[wide])


def of_neighbours(trial: Trial, scan: Scan, last: Any, endless: Any) -> Regions:
    """The intervals of values of a scan that has neighbours at every end: the last value inside, and the next one.

    last     the last value tried at each point.
    endless  whether the range goes on beyond it.
    """
    size = trial.size
    ends: list[Ends] = []
    first_run, last_run = intervals(scan)
    index = scan.point[first_run]
    for run, step in ((first_run, -1), (last_run, 1)):
        other = np.clip(run + step, 0, len(scan.point) - 1)
        same = (scan.point[other] == scan.point[run]) & (other != run)
        cause = np.where(same, np.where(scan.stable[other], LIMIT, SATURATION), RANGE)
        if step > 0:
            unevaluated = (cause == RANGE) & (endless[index] | (scan.value[run] < last[index]))
            cause = np.where(unevaluated, ENDLESS, cause)
        value = scan.value[run]
        ends.append(Ends(value, value, cause, np.where(same, scan.value[other], value)))
    inner, outer = scan.changes(scan.stable)
    steady_least, steady_greatest = np.full(size, np.nan), np.full(size, np.nan)
    below = scan.value[inner] > scan.value[outer]
    steady_least[scan.point[inner][below][::-1]] = scan.value[inner][below][::-1]
    steady_greatest[scan.point[inner][~below][::-1]] = scan.value[inner][~below][::-1]
    never = np.ones(size, dtype=bool)
    never[scan.point[scan.stable]] = False
    same = scan.neighbours()
    complete = bool((np.diff(scan.value)[same] <= 1).all()) and not endless.any()
    return Regions(
        point=index,
        low=ends[0],
        high=ends[1],
        scan=scan,
        hopeless=never,
        steady_least=steady_least,
        steady_greatest=steady_greatest,
        best=best(scan, size),
        complete=complete,
    )


class IntervalEnd(Record):
    """One end of one interval at every point, as arrays."""

    held: Any
    """Whether there is an interval at all."""
    value: Any
    """The end of the interval; where there is none, the value at which the limits are exceeded least."""
    cause: Any
    """One of the causes of `scan`, such as `LIMIT`."""
    limit: Any
    """The index of the limit that binds, where one does."""
    station: Any
    """The station that saturates, where the steady state ends."""
    there: Solved
    """The solution from which the figures are read."""


def search(trial: Trial, ends: bool = True) -> Regions:
    """Find all intervals of a parameter in which there is a steady state and limits hold, at every point of a batch.

    A parameter that counts something is searched over integers, at the points at which it does.

    trial   the model, the parameter that is varied and the limits, at the points of the batch.
    ends    whether to search the ends of the steady state also where limits cease to hold before them.
    """
    counts = trial.domain.integers(trial.size)
    if counts.all():
        return integers(trial)
    if not counts.any():
        return continuous(trial, ends)
    apart = np.flatnonzero(counts), np.flatnonzero(~counts)
    parts = integers(trial.at(apart[0])), continuous(trial.at(apart[1]), ends)
    return Regions.joined(trial, list(zip(apart, parts, strict=True)))


def falls(regions: Regions) -> bool | None:
    """Whether limits stop the parameter only at low ends of `regions`, so that its smallest value is wanted.

    False where they stop it at any high end, so that the largest is wanted, as for any load; None where they do not
    stop it at all.
    """
    stops = (LIMIT, SATURATION)
    if any((regions.high.cause == stop).any() for stop in stops):
        return False
    return True if any((regions.low.cause == stop).any() for stop in stops) else None


class Chosen(Record):
    """One end of one interval at every point, as arrays, as far as it is known without another solution."""

    held: Flags
    """Whether there is an interval at all."""
    value: Array
    shown: Array
    """The value at which the figures are read."""
    probe: Array
    """The value that shows which limit or station ends the interval."""
    cause: Indices


def choose(regions: Regions, size: int, smallest: bool = False) -> Chosen:
    """The end of an interval that is the answer at each of `size` points, without another solution.

    regions    the intervals in which the limits hold, from `search`.
    smallest   as for `pick`.
    """
    if smallest:
        return _chosen(regions, np.arange(size), regions.last(size), regions.low)
    return _chosen(regions, np.arange(size), regions.first(size), regions.high)


def pick(trial: Trial, regions: Regions, smallest: bool = False) -> IntervalEnd:
    """The largest value up to which limits hold, at every point: the upper end of the lowest interval.

    trial      the model, the parameter that is varied and the limits, at the points of a batch.
    regions    the intervals in which the limits hold, from `search`.
    smallest   whether it is the smallest value from which they hold instead: the lower end of the highest interval.
    """
    return _ended(trial.at(np.arange(trial.size)), choose(regions, trial.size, smallest), not smallest)


def ends(trial: Trial, regions: Regions, position: Indices, index: Indices, side: Ends) -> IntervalEnd:
    """The answer at one end of some intervals in which limits hold.

    trial     the model, the parameter that is varied and the limits, at the points of a batch.
    regions   the intervals in which the limits hold.
    position  the index of the point of each row.
    index     the index of the interval of each row; -1 for none.
    side      the lower or the upper ends of `regions`.
    Returns   for each row the end, its cause, and the answer there; for a row without an interval, the answer at the
              value at which the limits are exceeded least.
    """
    return _ended(trial.at(position), _chosen(regions, position, index, side), side is regions.high)


def _chosen(regions: Regions, position: Indices, index: Indices, side: Ends) -> Chosen:
    """As `ends`, without the answers."""
    held = index >= 0
    best = regions.best[position]
    if not len(side.value):
        return Chosen(held, best, best, best, np.full(len(position), ENDLESS))
    value, shown, probe = (np.where(held, column[index], best) for column in (side.value, side.shown, side.probe))
    return Chosen(held, value, shown, probe, np.where(held, side.cause[index], ENDLESS))


def _ended(lanes: Trial, chosen: Chosen, upper: bool) -> IntervalEnd:
    """The answer at an end of each point of a batch; `upper` ends are those beyond which limits fail for larger values.

    An end by a limit is that by the method of a single point where this is another one than in the search.
    """
    held, value, shown, probe, cause = chosen
    ends, there = confirmed(lanes, shown, np.flatnonzero(held & (cause == LIMIT)), upper, probe)
    value, shown, probe, cause = value.copy(), shown.copy(), probe.copy(), cause.copy()
    for point, end in ends.items():
        value[point], shown[point], probe[point] = end.value, end.value, end.beyond
        cause[point] = RANGE if end.at_range else cause[point]
    limit, station = np.zeros(lanes.size, dtype=int), np.full(lanes.size, "", dtype=object)
    saturated, several = cause == SATURATION, (cause == LIMIT) & (len(lanes.limits) > 1)
    if saturated.any() or several.any():
        read = lanes.alone if ends or lanes.wanted.each else lanes.read
        probed = there if (probe == shown).all() else read(np.where(saturated | several, probe, shown))
        if several.any():
            limit = np.argmax(lanes.excesses(probed), axis=0)
        if saturated.any():
            station = probed.gather(limiting)
    return IntervalEnd(held, value, cause, limit, station, there)


def largest(trial: Trial) -> IntervalEnd:
    """The largest value up to which the limits of a trial hold, at every point."""
    return pick(trial, search(trial))
