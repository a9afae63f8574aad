"""The largest or the smallest value of one parameter at which limits hold, for a batch of points at once.

Where limits hold along a parameter that counts something: servers, copies, customers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qnet.lazy import Array, Flags, Places, np
from qnet.questions.points.points import Solved
from qnet.questions.points.saturation import limiting
from qnet.questions.points.trial import Trial
from qnet.questions.search.continuous import continuous
from qnet.questions.search.regions import ENDLESS, LIMIT, RANGE, SATURATION, Ends, Regions, best, intervals
from qnet.questions.search.scan import Scan
from qnet.record import Record

_ALL = 40
"""So many whole numbers are looked at one by one; of more, about as many at rising distances."""
_FIRST, _BEYOND = 64, 100.0
"""Customers are looked at up to here at least, and to so many times the stated number where the range has no end."""
_FARTHER = 4
"""How many times as far to look where the limits still hold there."""
_AT_ONCE = 4
"""So many numbers of customers are looked at together."""


def whole(trial: Trial) -> Regions:
    """Find every interval of whole numbers in which there is a steady state and the limits hold.

    Method   Values at rising distances, of customers without a range in steps upwards until the limits have failed
             again, and ever farther while they hold; more of them where the excess turns near zero; and every change
             is halved down to two neighbours.
    Limits   What happens between two neighbours that were looked at only is not seen.
    """
    size = trial.size
    domain = trial.domain
    customers = trial.vary in domain.customers()
    ends = [domain.whole_range(place) for place in range(size)]
    first, last = (np.array(values, dtype=float) for values in zip(*ends, strict=True))
    endless = np.zeros(size, dtype=bool)
    unlimited = customers and trial.greatest == float("inf")
    end = last
    if unlimited:
        last = np.minimum(end, max(float(_FIRST), np.floor(_BEYOND * trial.stated)))
    scan = Scan(trial)
    _look(trial, scan, first, last, customers, unlimited)
    if unlimited:
        last = _farther(scan, last, end)
        endless = np.ones(size, dtype=bool)
    scan.closer(lambda low, high: np.floor(low + (high - low) / 2))
    scan.settle()
    _halve(scan, lambda: scan.stable)
    _halve(scan, lambda: scan.holds)
    return _regions(trial, scan, last, endless)


def _look(trial: Trial, scan: Scan, first: Array, last: Array, customers: bool, unlimited: bool) -> None:
    """Look along the whole ranges, at few numbers of customers at once, because the largest decides what all cost.

    unlimited   stop where the limits have failed after they have held.
    """
    size = trial.size
    least, most = float(first.min()), float(last.max())
    if most - least < _ALL:
        common = np.arange(least, most + 1)
    else:
        common = least + np.round(np.geomspace(1, most - least + 1, _ALL)) - 1
    common = np.unique(np.concatenate([common, first, last, [np.floor(trial.stated)]]))
    blocks = [common]
    if customers:
        near = common <= max(2 * trial.stated, _FIRST)
        far = common[~near]
        blocks = [common[near], *np.array_split(far, -(-len(far) // _AT_ONCE))] if len(far) else [common]
    done = np.zeros(size, dtype=bool)
    for block in blocks:
        places, values = np.repeat(np.arange(size), len(block)), np.tile(block, size)
        wanted = (values >= first[places]) & (values <= last[places]) & ~done[places]
        scan.look(places[wanted], values[wanted], brief=True)
        if unlimited:
            held, latest = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
            held[scan.place[scan.holds]] = True
            latest[scan.place[scan.holds & (scan.value >= block[0])]] = True
            done = held & ~latest


def _farther(scan: Scan, last: Array, end: Array) -> Array:
    """How far was looked in the end: ever farther at the points where the limits still hold at the last number."""
    while True:
        held = np.zeros(len(last), dtype=bool)
        latest = np.flatnonzero(np.append(~scan.neighbours(), True))
        held[scan.place[latest]] = scan.holds[latest]
        places = np.flatnonzero(held & (last < end))
        if not len(places):
            return last
        last = np.where(held, np.minimum(last * _FARTHER, end), last)
        scan.look(places, last[places], brief=True)


def _halve(scan: Scan, flags: Callable[[], Flags]) -> None:
    """Look between neighbours of which only one has a flag until they are next to each other."""
    while True:
        inner, outer = scan.changes(flags())
        middle = np.floor((scan.value[inner] + scan.value[outer]) / 2)
        wide = np.abs(scan.value[inner] - scan.value[outer]) > 1
        if not wide.any():
            return
        scan.look(scan.place[inner][wide], middle[wide])


def _regions(trial: Trial, scan: Scan, last: Any, endless: Any) -> Regions:
    size = trial.size
    ends: list[Ends] = []
    first_run, last_run = intervals(scan)
    place = scan.place[first_run]
    for run, step in ((first_run, -1), (last_run, 1)):
        other = np.clip(run + step, 0, len(scan.place) - 1)
        same = (scan.place[other] == scan.place[run]) & (other != run)
        cause = np.where(same, np.where(scan.stable[other], LIMIT, SATURATION), RANGE)
        if step > 0:
            unseen = (cause == RANGE) & (endless[place] | (scan.value[run] < last[place]))
            cause = np.where(unseen, ENDLESS, cause)
        value = scan.value[run]
        ends.append(Ends(value, value, cause, np.where(same, scan.value[other], value)))
    inner, outer = scan.changes(scan.stable)
    steady_least, steady_greatest = np.full(size, np.nan), np.full(size, np.nan)
    below = scan.value[inner] > scan.value[outer]
    steady_least[scan.place[inner][below][::-1]] = scan.value[inner][below][::-1]
    steady_greatest[scan.place[inner][~below][::-1]] = scan.value[inner][~below][::-1]
    never = np.ones(size, dtype=bool)
    never[scan.place[scan.stable]] = False
    same = scan.neighbours()
    complete = bool((np.diff(scan.value)[same] <= 1).all()) and not endless.any()
    return Regions(
        place=place,
        low=ends[0],
        high=ends[1],
        scan=scan,
        hopeless=never,
        steady_least=steady_least,
        steady_greatest=steady_greatest,
        best=best(scan, size),
        complete=complete,
    )


class Found(Record):
    """One end of one interval at every point, as arrays; `held` says where there is an interval at all."""

    held: Any
    value: Any
    """The end of the interval; where there is none, the value at which the limits are exceeded least."""
    cause: Any
    """What ends it: a word of `regions`."""
    limit: Any
    """Which of the limits binds, as an index, where one does."""
    station: Any
    """What saturates, where the steady state ends."""
    there: Solved
    """The solution where the figures are read."""


def search(trial: Trial) -> Regions:
    """Find all intervals of a parameter in which there is a steady state and limits hold, at every point of a batch.

    A parameter that counts something is searched over whole numbers.
    """
    return whole(trial) if trial.domain.whole(trial.size) else continuous(trial)


def falls(regions: Regions) -> bool | None:
    """Whether it is the smallest value that matters: nothing but a low end stops the parameter; None if nothing does.

    Otherwise the largest does, as it is with anything that loads a system.
    """
    stops = (LIMIT, SATURATION)
    if any((regions.high.cause == stop).any() for stop in stops):
        return False
    return True if any((regions.low.cause == stop).any() for stop in stops) else None


def pick(trial: Trial, regions: Regions, smallest: bool = False) -> Found:
    """The largest value up to which limits hold, at every point: the upper end of the lowest interval.

    smallest   the smallest value from which on they hold instead: the lower end of the highest interval.
    """
    size = trial.size
    if smallest:
        return ends(trial, regions, np.arange(size), regions.last(size), regions.low)
    return ends(trial, regions, np.arange(size), regions.first(size), regions.high)


def ends(trial: Trial, regions: Regions, place: Places, index: Places, side: Ends) -> Found:
    """What is to be said of one end of some intervals.

    place   the point of the grid of each row; `index` its interval, -1 for none.
    """
    held = index >= 0
    best = regions.best[place]
    if not len(side.value):
        value = shown = probe = best
        cause = np.full(len(place), ENDLESS)
    else:
        value, shown, probe = (np.where(held, column[index], best) for column in (side.value, side.shown, side.probe))
        cause = np.where(held, side.cause[index], ENDLESS)
    lanes = trial.at(place)
    there = lanes.solve(shown)
    limit, station = np.zeros(len(place), dtype=int), np.full(len(place), "", dtype=object)
    saturated, several = cause == SATURATION, (cause == LIMIT) & (len(trial.limits) > 1)
    if saturated.any() or several.any():
        looked = there if (probe == shown).all() else lanes.solve(np.where(saturated | several, probe, shown))
        if several.any():
            limit = np.argmax(lanes.excesses(looked), axis=0)
        if saturated.any():
            station = looked.gather(limiting)
    return Found(held, value, cause, limit, station, there)


def largest(trial: Trial) -> Found:
    """The largest value up to which the limits of a trial hold, at every point."""
    return pick(trial, search(trial))
