"""Where limits cease to hold near a known answer: what a small change of a model does to an envelope."""

from __future__ import annotations

from typing import Any

from qnet.errors import QnetError
from qnet.lazy import Array, Flags, np
from qnet.questions.points.domain import outside
from qnet.questions.points.saturation import JUST_BELOW
from qnet.questions.points.trial import Trial
from qnet.questions.search.continuous import capacity, sign_change
from qnet.record import Record

_REACHES = (1.012, 1.06, 1.3)
"""How far, as factors, an answer is searched on either side of the known one: most move as far as what moves them."""
_BEFORE = 0.999
"""The share of a capacity at which a search begins, where the known answer is beyond it."""


class Near(Record):
    """Answers near known ones, as arrays with one element per point."""

    answered: Flags
    """Where there is one; all others are to be searched from the start."""
    value: Array
    """Up to which the limits hold: where one is crossed, or the steady state ends."""
    shown: Array
    """Where the figures there are read: there is a steady state."""


def near(trial: Trial, known: Array) -> Near:
    """The largest value up to which limits hold, near a known answer, for each point.

    trial    the model, the parameter that is varied and the limits, at the points of the batch.
    known    the known answers, nan where there is none.
    Returns  nothing for a point at which the limits hold at no value tried on the lower side, or at all of them on the
             upper one, or that the model refuses.
    Raises   the errors of the model other than those for numbers outside their domain.
    Method   Where a station that holds no waits saturates near the known answer, and the limits hold just before it,
             that is the answer. Else from the known answer away from it, until the limits change; and between the last
             two values.
    Limits   Of several crossings between the values it is one of them.
    """
    nowhere = Near(np.zeros(trial.size, dtype=bool), known, known)
    here = np.flatnonzero(np.isfinite(known) & (known > 0))
    if not len(here) or trial.uncertain or trial.domain.integer(trial.size):
        return nowhere
    try:
        result = _beside(trial.at(here), known[here])
    except QnetError as error:
        if not outside(error):
            raise
        return nowhere
    all_of: Any = (np.zeros(trial.size, dtype=bool), known.copy(), known.copy())
    for each, part in zip(all_of, (result.answered, result.value, result.shown), strict=True):
        each[here] = part
    return Near(*all_of)


def _beside(trial: Trial, known: Array) -> Near:
    """As `near`, where all answers are known."""
    low, high = known / _REACHES[-1], known * _REACHES[-1]
    at_low, at_high = trial.certain(low), trial.certain(high)
    full = (at_low < 0) & (at_high >= 0)
    top = np.where(full, high, np.inf)
    answered, end = np.zeros(trial.size, dtype=bool), top.copy()
    excess, load = np.ones(trial.size), np.ones(trial.size)
    if full.any():
        lanes = np.flatnonzero(full)
        part = trial.at(lanes)
        top[lanes] = capacity(part, low[lanes], high[lanes], at_low[lanes], at_high[lanes], full[lanes])
        end = top * JUST_BELOW
        solved = part.solve(end[lanes])
        excess[lanes], load[lanes] = part.excess(solved), part.overload(solved)
        answered[lanes] = solved.stable & (excess[lanes] <= 0)
    rest = np.flatnonzero(~answered)
    value, shown = top.copy(), end.copy()
    if len(rest):
        result = _crossed(trial.at(rest), known[rest], top[rest], end[rest], excess[rest], load[rest])
        answered[rest], value[rest], shown[rest] = result.answered, result.value, result.shown
    return Near(answered, value, shown)


class _Brackets:
    """Between which two values limits cease to hold, for each point: not-a-number where a side is not known."""

    def __init__(self, trial: Trial, first: Array, end: Array, at_end: Array, load_end: Array) -> None:
        """Begin at `first`; the limits do not hold at `end`, above it, where that is finite."""
        solved = trial.solve(first)
        excess, load = trial.excess(solved), trial.overload(solved)
        self.trial = trial
        self.up: Flags = excess <= 0
        known = np.isfinite(end)
        self.low, self.high = np.where(self.up, first, np.nan), np.where(self.up, np.where(known, end, np.nan), first)
        self.at_low, self.at_high = np.where(self.up, excess, np.nan), np.where(self.up, at_end, excess)
        self.load_low, self.load_high = load.copy(), np.where(self.up, load_end, load)

    def try_at(self, value: Array) -> None:
        """Look at other values, where they are inside of what is known; nowhere for a point that has both sides."""
        here = np.flatnonzero(np.where(self.up, ~(value >= self.high), np.isnan(self.low)) & ~np.isnan(value))
        if not len(here):
            return
        part = self.trial.at(here)
        solved = part.solve(value[here])
        excess, load = part.excess(solved), part.overload(solved)
        holds = excess <= 0
        low, high = here[holds], here[~holds]
        self.low[low], self.at_low[low], self.load_low[low] = value[low], excess[holds], load[holds]
        self.high[high], self.at_high[high], self.load_high[high] = value[high], excess[~holds], load[~holds]


def _crossed(trial: Trial, known: Array, top: Array, end: Array, at_end: Array, load_end: Array) -> Near:
    """Where limits are crossed, or waits fill a station, near a known answer.

    top      where a station that holds no waits saturates, or infinite.
    end      a value just below that, where the limits do not hold: `at_end` is their excess there, and `load_end` the
             largest load less one.
    """
    # Just below a capacity figures say little of where the limits were met.
    first = np.where(known < end, known, _BEFORE * end)
    found = _Brackets(trial, first, end, at_end, load_end)
    done = np.zeros(trial.size, dtype=bool)
    for reach in _REACHES:
        found.try_at(np.where(done, np.nan, np.where(found.up, first * reach, first / reach)))
        done = np.where(found.up, found.low < first * reach, ~np.isnan(found.low))
    held = np.isfinite(found.low) & np.isfinite(found.high)
    value = np.where(held, found.high, known)
    shown = value.copy()
    top = np.minimum(top, 2 * value)
    saturated = held & (found.load_high >= 0)
    full = np.flatnonzero(saturated)
    if len(full):
        part, ends = trial.at(full), (saturated[full], found.load_low[full], found.load_high[full])
        top[full] = sign_change(part, Trial.overload, found.low[full], found.high[full], top[full], ends, True)
        shown[full] = top[full] * JUST_BELOW
        found.at_high[full] = part.excess(part.solve(shown[full]))
        value[full] = top[full]
    crossed = np.flatnonzero(held & (found.at_high > 0))
    if len(crossed):
        low, high, limit = found.low[crossed], shown[crossed], top[crossed]
        ends = crossed == crossed, np.minimum(found.at_low[crossed], -1e-300), found.at_high[crossed]
        value[crossed] = shown[crossed] = sign_change(trial.at(crossed), Trial.excess, low, high, limit, ends)
    return Near(held, value, shown)
