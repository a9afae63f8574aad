"""Where limits cease to hold near a known answer: what a small change of a model does to an envelope."""

from __future__ import annotations

from typing import Any

from qnet.errors import QnetError
from qnet.lazy import Array, Flags, Indices, np
from qnet.questions.points.domain import outside
from qnet.questions.points.points import Solved
from qnet.questions.points.saturation import JUST_BELOW
from qnet.questions.points.trial import Trial
from qnet.questions.search.continuous import capacity, exceeded, sign_change, smooth
from qnet.record import Record

_REACHES = (1.012, 1.06, 1.3)
"""How far, as factors, an answer is searched on either side of the known one: most move as far as what moves them."""
_FEW = 150
"""Points at which all values around the known answer are tried in one batch, whether they are needed or not."""
_NEARNESS = 1e-10
"""How near to its root an answer is, relative to it: a change of a model by a hundredth shows to a part in ten
million."""
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
             that is the answer. Else values farther and farther from the known answer, until the limits change; and
             between the last two values.
    Limits   Of several crossings between the values it is one of them.
    """
    nowhere = Near(np.zeros(trial.size, dtype=bool), known, known)
    here = np.flatnonzero(np.isfinite(known) & (known > 0))
    if not len(here) or trial.uncertain or trial.domain.integer(trial.size):
        return nowhere
    try:
        result = _around(trial.at(here), known[here])
    except QnetError as error:
        if not outside(error):
            raise
        return nowhere
    all_of: Any = (np.zeros(trial.size, dtype=bool), known.copy(), known.copy())
    for each, part in zip(all_of, (result.answered, result.value, result.shown), strict=True):
        each[here] = part
    return Near(*all_of)


def _around(trial: Trial, known: Array) -> Near:
    """As `near`, where all answers are known."""
    every = np.arange(trial.size)
    low, high = known / _REACHES[-1], known * _REACHES[-1]
    at_low, at_high = np.split(trial.at(np.tile(every, 2)).certain(np.concatenate([low, high])), 2)
    full = (at_low < 0) & (at_high >= 0)
    end = top = np.full(trial.size, np.inf)
    if full.any():
        lanes = np.flatnonzero(full)
        ends = low[lanes], high[lanes], at_low[lanes], at_high[lanes]
        top[lanes] = capacity(trial.at(lanes), *ends, full[lanes])
        end = top * JUST_BELOW
    # Just below a capacity figures say little of where the limits hold.
    first = np.where(known < end, known, _BEFORE * end)
    at_end = np.where(full, end, np.nan)
    if trial.size > _FEW:
        (before,) = _tried(trial, at_end)
        rest = np.flatnonzero(~(before.excess <= 0))
        looks = _tried(trial.at(rest), first[rest]) if len(rest) else []
    else:
        near, far = first * _REACHES[0], first / _REACHES[0]
        before, *looks = _tried(trial, at_end, first, np.where(near < end, near, np.nan), far)
        rest = np.flatnonzero(~(before.excess <= 0))
        looks = [look.at(rest) for look in looks]
    answered, value, shown = before.excess <= 0, top.copy(), end.copy()
    if len(rest):
        result = _crossed(trial.at(rest), top[rest], before.at(rest), looks)
        answered[rest], value[rest], shown[rest] = result.answered, result.value, result.shown
    return Near(answered, value, shown)


class _Look(Record):
    """What is known at a value for each point; not-a-number where it was not tried."""

    value: Array
    excess: Array
    """How far limits are exceeded."""
    load: Array
    """The largest load less one."""

    def at(self, indices: Any) -> _Look:
        """The same of some points."""
        return _Look(self.value[indices], self.excess[indices], self.load[indices])


def _tried(trial: Trial, *values: Array) -> list[_Look]:
    """Solve at some values for each point, all in one batch; those that are not-a-number are left out."""
    here = [np.flatnonzero(~np.isnan(value)) for value in values]
    lanes = np.concatenate(here)
    result = [_Look(value, np.full(trial.size, np.nan), np.full(trial.size, np.nan)) for value in values]
    if not len(lanes):
        return result
    part = trial.at(lanes)
    solved = part.solve(np.concatenate([value[some] for value, some in zip(values, here, strict=True)]))
    ends = np.cumsum([len(some) for some in here])[:-1]
    parts = np.split(part.excess(solved), ends), np.split(part.overload(solved), ends)
    for look, some, excess, load in zip(result, here, *parts, strict=True):
        look.excess[some], look.load[some] = excess, load
    return result


class _Brackets:
    """Between which two values limits cease to hold, for each point: not-a-number where a side is not known."""

    def __init__(self, trial: Trial, first: _Look, end: _Look) -> None:
        """Begin at a first value; the limits do not hold at the end, above it, where there is one."""
        self.trial = trial
        self.first = first.value
        self.up: Flags = first.excess <= 0
        self.low: dict[str, Array] = {key: value.copy() for key, value in first.as_dict().items()}
        self.high: dict[str, Array] = {key: value.copy() for key, value in first.as_dict().items()}
        for key, value in end.as_dict().items():
            self.low[key][~self.up] = np.nan
            self.high[key][self.up] = value[self.up]

    def learn(self, look: _Look) -> None:
        """Take the results at other values, where they are inside of what is known."""
        inside: Flags = np.where(self.up, ~(look.value >= self.high["value"]), np.isnan(self.low["value"]))
        new = inside & ~np.isnan(look.excess)
        holds = look.excess <= 0
        for key, result in look.as_dict().items():
            self.low[key] = np.where(new & holds, result, self.low[key])
            self.high[key] = np.where(new & ~holds, result, self.high[key])

    def widen(self, reach: float) -> None:
        """Try a value farther from the first where the limits have not changed on the way so far."""
        low, high = self.low["value"], self.high["value"]
        value = np.where(self.up, self.first * reach, self.first / reach)
        open_: Flags = np.where(self.up, ~(value >= high) & ~(low >= value), np.isnan(low))
        (look,) = _tried(self.trial, np.where(open_, value, np.nan))
        self.learn(look)


def _crossed(trial: Trial, top: Array, end: _Look, looks: list[_Look]) -> Near:
    """Where limits are crossed, or waits fill a station, near a known answer.

    top      where a station that holds no waits saturates, or infinite.
    end      a value just below that, where there is one: the limits do not hold there.
    looks    at the value to begin with, and others around it.
    """
    brackets = _Brackets(trial, looks[0], end)
    for look in looks[1:]:
        brackets.learn(look)
    for reach in _REACHES:
        brackets.widen(reach)
    low, high = brackets.low, brackets.high
    held = ~np.isnan(low["value"]) & ~np.isnan(high["value"])
    value = np.where(held, high["value"], brackets.first)
    shown, edge = value.copy(), np.minimum(top, 2 * value)
    # The end of a steady state and the crossing of a limit are both changes of sign: one batch of roots.
    saturated = held & (high["load"] >= 0)
    at_low: Array = np.where(saturated, low["load"], smooth(low["excess"]))
    at_high: Array = np.where(saturated, high["load"], smooth(high["excess"]))
    changes: Flags = held & (at_high >= 0)
    ends = changes, np.minimum(at_low, -1e-300), at_high

    def function(lanes: Trial, solved: Solved, indices: Indices) -> Array:
        return np.where(saturated[indices], lanes.overload(solved), smooth(lanes.excess(solved)))

    if changes.any():
        roots = sign_change(trial, function, np.where(held, low["value"], 0.0), value, edge, ends, saturated, _NEARNESS)
        value = np.where(changes, roots, value)
        shown = np.where(saturated, value * JUST_BELOW, value)
    full = np.flatnonzero(saturated)
    if len(full):
        part = trial.at(full)
        excess = part.excess(part.solve(shown[full]))
        ends = excess > 0, np.minimum(smooth(low["excess"][full]), -1e-300), smooth(excess)
        if ends[0].any():
            limit = sign_change(part, exceeded, low["value"][full], shown[full], value[full], ends, nearness=_NEARNESS)
            for each in (value, shown):
                each[full] = np.where(ends[0], limit, each[full])
    return Near(held, value, shown)
