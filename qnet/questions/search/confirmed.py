"""Ends of intervals by the method that `qnet solve` takes at a single point, near those that a search found.

A search solves thousands of points by the method that is fast for batches. Where `solve` would rather take the Markov
chain of all states, because that method is outside of what was measured, the end moves to where the limits hold by the
chain.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from qnet import budget
from qnet.errors import QnetError
from qnet.expression import FLOATS
from qnet.lazy import Array, Flags, Indices, np
from qnet.model.bind import counted
from qnet.model.model import Model
from qnet.networks.exactness import STATES
from qnet.networks.reasons import named_chain
from qnet.questions.points.points import Part, Solved
from qnet.questions.points.trial import Trial
from qnet.queues.roots import bracket
from qnet.record import Record

_MOST_POINTS = 16
"""The most points whose ends are confirmed: each takes about ten chains."""
_MOST_WORK = 3e9
"""The operations after which no more points are confirmed, some seconds."""
_NEAR = 1e-12
"""Half the relative width of the bracket around an end."""
_STEPS, _LONGER = 12, 8
"""The steps in which the limits must change, and the factor by which each is longer than the one before."""
_LEAST_STEP, _LARGEST_STEP = 1e-9, 0.25
"""The length of the first step, and the most of any step, relative to the end."""
_ENOUGH = 1e-9
"""The excess below 0 from which a value counts as the end itself."""

Excess = Callable[[float], float]
"""The excess over the limits at a value; not above 0 where they hold."""


class ConfirmedEnd(Record):
    """An end of one interval at one point."""

    value: float
    """The last value at which the limits hold."""
    beyond: float
    """The nearest value at which they do not; the same at the end of the range."""
    at_range: bool = False
    """Whether the range ends there, while the limits still hold."""


class Unconfirmed(Exception):
    """The chain does not show where the limits cease to hold, or is too large there."""


def confirmed(
    trial: Trial, value: Array, limited: Indices, upper: bool, beyond: Array | None = None
) -> tuple[dict[int, ConfirmedEnd], Solved]:
    """The ends of intervals by the method of a single point where it is another one, and the solutions at all ends.

    trial    the model, the parameter that is varied and the limits, at the points of a batch.
    value    the end at each point, by the method of the search, or the value at which the figures are read.
    limited  the indices of the points whose interval ends by a limit; only these ends are moved.
    upper    whether these are upper ends, beyond which limits fail for larger values.
    beyond   for integers, the next value of each point, at which limits fail.
    Returns  the ends that moved, by point, and the solutions: at these points by the chain, at all others by the method
             of the search. None move where the method is the same, or chains would take too long; nor where the search
             took the method of every point by itself.
    """
    if trial.wanted.each:
        return {}, trial.alone(value)
    there = trial.answer(value)
    if trial.wanted.better and trial.size <= _MOST_POINTS and len(limited):
        open_alone = not (trial.uncertain or counted(trial.model) or _may_be_full(trial.model))

        def of(part: Part) -> Flags:
            return np.full(len(part.points), _is_doubtful(part, open_alone))

        doubtful = there.gather(of)
        try:
            # The first integer beyond an end may have another method.
            if beyond is not None and not doubtful[limited].all() and trial.domain.integers(trial.size).all():
                doubtful = doubtful | trial.answer(beyond).gather(of)
            if doubtful[limited].any():
                return _confirmed(trial, value, limited[doubtful[limited]], upper, there)
        except QnetError:
            pass  # The method of the search has an answer in any case.
    return {}, there


def _may_be_full(model: Model) -> bool:
    """Whether a station of a model has a finite capacity."""
    return any(item.capacity is not None for item in model.stations)


def _is_doubtful(part: Part, open_alone: bool) -> bool:
    """Whether `solve` may take another method at the points of a part; `open_alone` models where a warning says so."""
    return not part.solution.exact and (not open_alone or named_chain(part.solution.reasons))


def _confirmed(
    trial: Trial, value: Array, limited: Indices, upper: bool, there: Solved
) -> tuple[dict[int, ConfirmedEnd], Solved]:
    """As `confirmed`, at points of which `there` has the solutions by the method of the search."""
    before = budget.spent()
    candidates, ends = trial.at(limited), dict[int, ConfirmedEnd]()
    alone = candidates.alone(value[limited])
    by_chain = alone.gather(
        lambda part: np.full(len(part.points), part.solution.method == STATES or part.solution.exact)
    )
    excess, counts = candidates.excess(alone).tolist(), candidates.domain.integers(candidates.size)
    for index in np.flatnonzero(by_chain).tolist():
        if budget.spent() - before > _MOST_WORK:
            break
        point = int(limited[index])
        near = _chain_excess(trial, point), float(value[point]), excess[index], upper
        try:
            if counts[index]:
                ends[point] = integer_end_near(*near, trial.domain.integer_range(point))
            else:
                ends[point] = end_near(*near)
        except (Unconfirmed, QnetError):
            # The end of the search remains, with the warning of its method.
            continue
    if not ends:
        return {}, there
    moved, others = np.array(list(ends)), np.setdiff1d(np.arange(trial.size), list(ends))
    solved = [(moved, trial.at(moved).alone(np.array([end.value for end in ends.values()])))]
    solved += [(others, trial.at(others).answer(value[others]))] if len(others) else []
    parts = [part.replace(points=points[part.points]) for points, item in solved for part in item.parts]
    return ends, solved[0][1].replace(size=trial.size, parts=tuple(parts))


def _chain_excess(trial: Trial, point: int) -> Excess:
    """The excess at one point, by the chain; raises `Unconfirmed` where the chain is too large."""
    alone = trial.at(np.array([point]))

    def excess(value: float) -> float:
        if not alone.least <= value <= alone.greatest:
            raise Unconfirmed
        solved = alone.alone(np.array([value]))
        solution = solved.parts[0].solution
        if solution.method != STATES and not solution.exact and bool(np.all(solution.stable)):
            raise Unconfirmed
        return float(alone.excess(solved)[0])

    return excess


def end_near(excess: Excess, value: float, here: float, upper: bool) -> ConfirmedEnd:
    """The end of an interval of real numbers near another value.

    excess   the excess over the limits at a value; it may raise `Unconfirmed`.
    value    a value above 0 near the end.
    here     the excess there.
    upper    whether it is the upper end, beyond which limits fail for larger values.
    Raises   `Unconfirmed` where the limits do not change nearby.
    """
    if -_ENOUGH <= here <= 0:
        return ConfirmedEnd(value, value)
    outwards = (here <= 0) == upper
    last, step = value, min(max(2 * abs(here), _LEAST_STEP), _LARGEST_STEP)
    for _ in range(_STEPS):
        next_value = last * (1 + step if outwards else 1 - step)
        after = excess(next_value)
        if (after <= 0) != (here <= 0):
            break
        last, here, step = next_value, after, min(_LONGER * step, _LARGEST_STEP)
    else:
        raise Unconfirmed
    (inside, at_inside), (outside, at_outside) = sorted(((last, here), (next_value, after)), key=lambda end: end[1])
    if at_inside == 0:
        return ConfirmedEnd(inside, inside)
    return ConfirmedEnd(*bracket(excess, inside, outside, at_inside, at_outside, FLOATS, _NEAR))


def integer_end_near(
    excess: Excess, value: float, here: float, upper: bool, ends: tuple[float, float] = (-math.inf, math.inf)
) -> ConfirmedEnd:
    """The end of an interval of integers near another one.

    excess, value, here, upper  as of `end_near`.
    ends                        the ends of the range.
    Raises                      `Unconfirmed` where the limits do not change nearby.
    """
    outwards = 1 if (here <= 0) == upper else -1
    last, step = value, 1
    for _ in range(_STEPS):
        next_value = min(max(last + outwards * step, ends[0]), ends[1])
        if next_value == last and here <= 0:
            return ConfirmedEnd(last, last, at_range=True)
        if next_value == last:
            raise Unconfirmed
        if (excess(next_value) <= 0) != (here <= 0):
            break
        last, step = next_value, 2 * step
    else:
        raise Unconfirmed
    inside, outside = (last, next_value) if here <= 0 else (next_value, last)
    while abs(inside - outside) > 1:
        middle = float(int((inside + outside) / 2))
        inside, outside = (middle, outside) if excess(middle) <= 0 else (inside, middle)
    return ConfirmedEnd(inside, outside)
