"""The largest or the smallest value of one parameter at which limits hold, for a batch of points at once."""

from __future__ import annotations

from typing import Any

from qnet.lazy import Places, np
from qnet.questions.points.points import Solved
from qnet.questions.points.saturation import limiting
from qnet.questions.points.trial import Trial
from qnet.questions.search.continuous import continuous
from qnet.questions.search.regions import ENDLESS, LIMIT, SATURATION, Ends, Regions
from qnet.questions.search.whole import whole
from qnet.record import Record


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
