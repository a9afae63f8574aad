"""The values at which limits cease to hold near known answers: the effect of a small change of a model."""

from __future__ import annotations

from typing import Any

from qnet.errors import QnetError
from qnet.lazy import Array, Flags, Indices, np
from qnet.questions.points.domain import outside
from qnet.questions.points.points import Solved
from qnet.questions.points.saturation import JUST_BELOW
from qnet.questions.points.trial import Trial
from qnet.questions.search.sign_changes import exceeded, scaled, sign_change, smooth, unscaled
from qnet.questions.search.steady_range import Bracket, capacity
from qnet.record import Record

_REACHES = (1.012, 1.06, 1.3)
"""Factors up to which an answer is searched on either side of the known one: most move as much as the parameter."""
_FULL = 1.02
"""The factor above a known answer up to which a capacity is computed before any limit."""
_ASIDE = 0.003
"""The relative distance over which slopes are taken."""
_FARTHER, _LEAST = 1.1, 1.5
"""The factor on a predicted distance that is tried, and the least distance as a multiple of the accuracy."""
_FLAT = 0.5
"""The excess just below a capacity, as a logarithm, up to which the capacity is ignored."""
_NEARNESS = 1e-10
"""The relative accuracy of an answer: the effect of a change by a hundredth is known to a part in ten million."""
_BEFORE = 0.999
"""The share of a capacity at which a search begins, where the known answer is beyond it."""


_CONTENDS = 0.97
"""The share of the largest known answer from which on another may become the largest: as many as rarely more do. Of
those below it that is disproved."""


class Near(Record):
    """Answers near known ones, as arrays with one element per point."""

    answered: Flags
    """Whether there is one; all other points must be searched from the start."""
    value: Array
    """The value up to which the limits hold: where one is crossed, or the steady state ends."""
    shown: Array
    """The value with a steady state at which the figures are read."""


def near(trial: Trial, known: Array, sets: Indices | None = None) -> Near:
    """The largest value up to which limits hold, near a known answer, for each point.

    trial    the model, the parameter that is varied and the limits, at the points of the batch.
    known    the known answers, NaN where there is none.
    sets     as `near_largest` takes them: of an answer that is smaller than another one of its set, any value at which
             the limits hold is returned; None where all answers are asked for.
    Returns  no answer for a point at which the limits hold at no lower value tried, or at all upper ones, or which the
             model refuses.
    Raises   the errors of the model other than those for numbers outside their domain.
    Method   Of a parameter that counts something, the known answer where the limits hold there, and not at the next
             integer; no other is tried. Of all others, where a station without waits inside holds saturates near the
             known answer, and the limits hold just before it, that is the answer. Otherwise values ever farther from
             the known answer are tried until the limits change, and then values between the last two.
    Limits   Of several crossings between the values, one is returned.
    """
    nowhere = Near(np.zeros(trial.size, dtype=bool), known, known)
    here = np.flatnonzero(np.isfinite(known) & (known > 0))
    if not len(here):
        return nowhere
    counts = trial.domain.integers(trial.size)[here]
    if (trial.uncertain and not counts.all()) or counts.any() != counts.all():
        return nowhere
    try:
        part, of_set = trial.at(here), np.full(len(here), -1) if sets is None else sets[here]
        result = _counted(part, known[here]) if counts.all() else _around(part, known[here], of_set)
    except QnetError as error:
        if not outside(error):
            raise
        return nowhere
    columns: Any = (np.zeros(trial.size, dtype=bool), known.copy(), known.copy())
    for column, part in zip(columns, (result.answered, result.value, result.shown), strict=True):
        column[here] = part
    return Near(*columns)


def near_largest(trial: Trial, known: Array, sets: Indices) -> Near:
    """As `near`, where of some sets of points only the largest answer is asked for.

    trial, known   as `near` takes them.
    sets     by point, the number of the set that it belongs to; -1 for points whose answers are all asked for.
    Returns  of a point whose answer is smaller than the largest of its set, a value of at most that largest: the known
             answer, that largest, or any value at which the limits hold.
    """
    of_set = sets >= 0
    best = np.full(sets.max(initial=-1) + 2, -np.inf)
    np.fmax.at(best, sets[of_set], known[of_set])
    contends: Flags = ~of_set | ~(known < _CONTENDS * best[sets])
    if contends.all():
        return near(trial, known, sets)
    answered, value, shown = np.zeros(trial.size, dtype=bool), known.copy(), known.copy()

    def answer(here: Indices) -> None:
        result = near(trial.at(here), known[here], sets[here])
        answered[here], value[here], shown[here] = result.answered, result.value, result.shown

    answer(np.flatnonzero(contends))
    best[:] = np.inf
    np.minimum.at(best, sets[contends], np.where(answered, np.inf, -np.inf)[contends])
    top = np.full(len(best), -np.inf)
    np.fmax.at(top, sets[contends], value[contends])
    rest = np.flatnonzero(~contends)
    top = np.minimum(top, best)[sets[rest]]
    below = _fails(trial.at(rest), top)
    answered[rest], value[rest], shown[rest] = below, np.minimum(known[rest], top), np.minimum(known[rest], top)
    if not below.all():
        answer(rest[~below])
    return Near(answered, value, shown)


def _fails(trial: Trial, value: Array) -> Flags:
    """Whether the limits do not hold at some values; false for those that are not finite, or that the model refuses."""
    result = np.zeros(trial.size, dtype=bool)
    here = np.flatnonzero(np.isfinite(value))
    if len(here):
        part = trial.at(here)
        try:
            result[here] = part.excess(part.solve(value[here])) > 0
        except QnetError as error:
            if not outside(error):
                raise
    return result


def _counted(trial: Trial, known: Array) -> Near:
    """As `near`, where all answers are known numbers of something."""
    lanes = trial.at(np.tile(np.arange(trial.size), 2))
    excess = lanes.excess(lanes.solve(np.concatenate([known, known + 1])))
    here, beyond = np.split(excess, 2)
    return Near((known == np.floor(known)) & (here <= 0) & (beyond > 0), known, known)


def _around(trial: Trial, known: Array, sets: Indices) -> Near:
    """As `near`, where all answers are known; -1 in `sets` for points whose answers are all asked for."""
    top = _capacities(trial, known)
    end = top * JUST_BELOW
    beyond = known >= end
    first = np.where(beyond, end, known)
    edge = np.minimum(top, 2 * first)
    lower, group = _lower(known, ~beyond)
    here, other = _tried(trial, first, lower)
    brackets = _Brackets(trial, known, here, end)
    brackets.learn(other)
    foretold = brackets.foretold(edge, _slopes(here, other, edge)[group])
    (before,) = _tried(trial, np.where(beyond, np.where(brackets.up, np.nan, _BEFORE * end), foretold))
    brackets.learn(before)
    for reach in _REACHES:
        brackets.widen(reach)
    low = brackets.low["value"]
    answered: Flags = np.isfinite(end) & (low == end)
    value, shown = top.copy(), end.copy()
    smaller = _smaller(brackets, sets)
    answered[smaller], value[smaller], shown[smaller] = True, low[smaller], low[smaller]
    rest = np.flatnonzero(~answered)
    if len(rest):
        result = _crossed(trial.at(rest), top[rest], brackets, rest)
        answered[rest], value[rest], shown[rest] = result.answered, result.value, result.shown
    return Near(answered, value, shown)


def _capacities(trial: Trial, known: Array) -> Array:
    """The value at which a station without waits inside holds saturates, if near the known answer; else infinite."""
    low, high = known / _REACHES[-1], known * _FULL
    at_low, at_high = np.split(trial.at(np.tile(np.arange(trial.size), 2)).certain(np.concatenate([low, high])), 2)
    top = np.full(trial.size, np.inf)
    full = np.flatnonzero((at_low < 0) & (at_high >= 0))
    if len(full):
        ends = Bracket(low[full], high[full], at_low[full], at_high[full])
        top[full] = capacity(trial.at(full), ends, np.ones(len(full), bool), foretold=True)
    return top


def _lower(known: Array, wanted: Flags) -> tuple[Array, Indices]:
    """A value a little below each known answer, at one of the points that share it and NaN at others, and for each
    point the index of that one."""
    result, points = np.full(len(known), np.nan), np.zeros(len(known), dtype=int)
    group = np.unique(known, return_inverse=True)[1].reshape(-1)
    points[group[wanted]] = np.flatnonzero(wanted)
    first = np.unique(points[group[wanted]])
    result[first] = known[first] * (1.0 - _ASIDE)
    return result, points[group]


def _slopes(here: _Look, lower: _Look, edge: Array) -> Array:
    """The slope of the excess over the limits on the scale of `sign_change`; NaN where unknown."""
    result = (smooth(here.excess) - smooth(lower.excess)) / (scaled(here.value, edge) - scaled(lower.value, edge))
    return np.where((here.load < 0) & (lower.load < 0) & (result > 0), result, np.nan)


class _Look(Record):
    """The results at a value for each point; NaN where none was tried."""

    value: Array
    excess: Array
    """The excess over the limits."""
    load: Array
    """The largest load less one."""
    waits: Array
    """The largest load that includes waits inside holds, less one."""


def _tried(trial: Trial, *values: Array) -> list[_Look]:
    """Solve at some values for each point, all in one batch; NaN is left out."""
    here = [np.flatnonzero(~np.isnan(value)) for value in values]
    lanes = np.concatenate(here)
    result = [_Look(value, *(np.full(trial.size, np.nan) for _ in range(3))) for value in values]
    if not len(lanes):
        return result
    part = trial.at(lanes)
    solved = part.solve(np.concatenate([value[some] for value, some in zip(values, here, strict=True)]))
    ends = np.cumsum([len(some) for some in here])[:-1]
    columns = [np.split(column, ends) for column in (part.excess(solved), part.overload(solved), part.filled(solved))]
    for look, some, *parts in zip(result, here, *columns, strict=True):
        for column, new in zip(look[1:], parts, strict=True):
            column[some] = new
    return result


class _Brackets:
    """Brackets of the value at which limits cease to hold, for each point: NaN where a side is not known.

    first   the results at the known answer, or below it.
    end     the largest value to try.
    """

    def __init__(self, trial: Trial, known: Array, first: _Look, end: Array) -> None:
        self.trial, self.known = trial, known
        self.end = end
        self.first = first.value
        self.excess = smooth(first.excess)
        self.up: Flags = first.excess <= 0
        self.low: dict[str, Array] = {key: value.copy() for key, value in first.as_dict().items()}
        self.high: dict[str, Array] = {key: value.copy() for key, value in first.as_dict().items()}
        for low, high in zip(self.low.values(), self.high.values(), strict=True):
            low[~self.up] = np.nan
            high[self.up] = np.nan

    def foretold(self, edge: Array, slope: Array) -> Array:
        """A value just beyond the crossing that a slope predicts; NaN where none is needed.

        edge   the edge of the scale of `sign_change`.
        slope  from `_slopes`, of a point with the same known answer, which hardly differs.
        """
        step = np.maximum(_FARTHER * np.abs(self.excess / slope), _LEAST * _NEARNESS * self.first / (edge - self.first))
        step = np.minimum(step, _REACHES[-1])
        value = unscaled(scaled(self.first, edge) + np.where(self.up, step, -step), edge)
        value = np.where(self.up, np.minimum(value, self.end), value)
        open_: Flags = np.isnan(self.high["value"]) | np.isnan(self.low["value"])
        near: Flags = np.abs(value / self.first - 1.0) < _REACHES[1] - 1.0
        return np.where(open_ & near, value, np.nan)

    def learn(self, look: _Look) -> None:
        """Narrow the brackets by the results at other values."""
        inside: Flags = np.where(self.up, ~(look.value >= self.high["value"]), np.isnan(self.low["value"]))
        new = inside & ~np.isnan(look.excess)
        holds = look.excess <= 0
        for key, result in look.as_dict().items():
            self.low[key] = np.where(new & holds, result, self.low[key])
            self.high[key] = np.where(new & ~holds, result, self.high[key])

    def widen(self, reach: float) -> None:
        """Try a value farther from the first, where the limits have not changed so far."""
        low, high = self.low["value"], self.high["value"]
        value = np.where(self.up, np.minimum(self.first * reach, self.end), self.first / reach)
        open_: Flags = np.where(self.up, np.isnan(high) & ~(low >= value), np.isnan(low))
        (look,) = _tried(self.trial, np.where(open_, value, np.nan))
        self.learn(look)


def _smaller(brackets: _Brackets, sets: Indices) -> Flags:
    """The points whose answers are smaller than that of another point of their set, as brackets show."""
    low, high = brackets.low["value"], brackets.high["value"]
    of_set = sets >= 0
    best = np.full(sets.max(initial=-1) + 2, -np.inf)
    np.fmax.at(best, sets[of_set], low[of_set])
    return of_set & (low <= high) & (high < best[sets])


def _crossed(trial: Trial, top: Array, brackets: _Brackets, here: Indices) -> Near:
    """The crossings of limits, or of capacities by loads with waits inside holds, near known answers.

    top       the value at which a station without waits inside holds saturates, or infinite.
    brackets  the brackets of all points, of which those of the trial are at `here`.
    """
    low, high = ({key: value[here] for key, value in side.items()} for side in (brackets.low, brackets.high))
    held = ~np.isnan(low["value"]) & ~np.isnan(high["value"])
    value = np.where(held, high["value"], brackets.first[here])
    shown, edge = value.copy(), np.minimum(top, 2 * value)
    # The end of a steady state and the crossing of a limit are both changes of sign: one batch of roots.
    saturated = held & (high["load"] >= 0)
    waiting: Flags = (value <= brackets.end[here]) & (value <= brackets.known[here] * _FULL)
    loads = (np.where(waiting, side["waits"], side["load"]) for side in (low, high))
    at_low, at_high = (
        np.where(saturated, load, smooth(side["excess"])) for load, side in zip(loads, (low, high), strict=True)
    )
    changes: Flags = held & (at_high >= 0)
    # A limit that is hardly exceeded just below a capacity does not grow towards it, so the scale is linear.
    flat = (high["value"] == brackets.end[here]) & (at_high < _FLAT)
    edge = np.where(flat, 2 * value, edge)
    ends = changes, np.minimum(at_low, -1e-300), at_high

    def function(lanes: Trial, solved: Solved, indices: Indices) -> Array:
        loads = np.where(waiting[indices], lanes.filled(solved), lanes.overload(solved))
        return np.where(saturated[indices], loads, smooth(lanes.excess(solved)))

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
