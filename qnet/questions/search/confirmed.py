"""Ends of intervals by the method that `qnet solve` takes at a single point, near those that a search found.

A search solves thousands of points by the method that is fast for batches. Where `solve` would rather take the Markov
chain of all states, because that method is outside of what was measured, the end moves to where the limits hold by the
chain.
"""

from __future__ import annotations

from collections.abc import Callable

from qnet import budget
from qnet.errors import QnetError
from qnet.expression import FLOATS
from qnet.lazy import Array, Indices, np
from qnet.networks.exactness import STATES
from qnet.questions.points.points import Solved
from qnet.questions.points.trial import Trial
from qnet.questions.search.scan import LIMIT
from qnet.queues.roots import bracket
from qnet.record import Record

_MOST_POINTS = 16
"""The most points whose ends are confirmed: each takes about ten chains."""
_MOST_WORK = 3e9
"""The operations after which no more points are confirmed, some seconds."""
_NEAR = 1e-12
"""Half the relative width of the bracket around an end."""
_STEPS = 12
"""The steps, each twice as long as the one before, in which the limits must change."""
_LEAST_STEP, _LARGEST_STEP = 1e-4, 0.25
"""The length of the first step, and the most of any step, relative to the end."""

Excess = Callable[[float], float]
"""The excess over the limits at a value; not above 0 where they hold."""


class ConfirmedEnd(Record):
    """An end of one interval at one point."""

    value: float
    """The last value at which the limits hold."""
    beyond: float
    """The nearest value at which they do not."""


class _Unconfirmed(Exception):
    """The chain does not show where the limits cease to hold."""


def confirmed(
    trial: Trial, value: list[float], cause: list[int], upper: bool
) -> tuple[dict[int, ConfirmedEnd], Solved] | None:
    """The ends of intervals by the method of a single point, and the solutions there.

    trial    the model, the parameter that is varied and the limits, at the points of a batch.
    value    the end at each point, by the method of the search, or the value at which the figures are read.
    cause    what ends the interval at each point, as in `scan`; only ends by a limit are moved.
    upper    whether these are upper ends, beyond which limits fail for larger values.
    Returns  the ends that moved, by point, and the solutions: at these points by the chain, at all others by the method
             of the search. None where no end moves: the method is the same, or chains would take too long.
    """
    limited = np.flatnonzero(np.array(cause) == LIMIT)
    if not trial.wanted.better or trial.size > _MOST_POINTS or not len(limited):
        return None
    values = np.array(value)
    try:
        ends = _moved(trial, values, limited, upper)
        if not ends:
            return None
        moved, others = np.array(list(ends)), np.setdiff1d(np.arange(trial.size), list(ends))
        solved = [(moved, trial.at(moved).alone(np.array([end.value for end in ends.values()])))]
        solved += [(others, trial.at(others).answer(values[others]))] if len(others) else []
    except QnetError:
        return None
    parts = [part.replace(points=points[part.points]) for points, item in solved for part in item.parts]
    return ends, solved[0][1].replace(size=trial.size, parts=tuple(parts))


def _moved(trial: Trial, value: Array, limited: Indices, upper: bool) -> dict[int, ConfirmedEnd]:
    """The ends by the chain at those of the points `limited` where it is the method of a single point."""
    before = budget.spent()
    candidates, ends = trial.at(limited), dict[int, ConfirmedEnd]()
    there = candidates.alone(value[limited])
    by_chain = there.gather(lambda part: np.full(len(part.points), part.solution.method == STATES))
    excess, counts = candidates.excess(there).tolist(), candidates.domain.integers(candidates.size)
    for index in np.flatnonzero(by_chain).tolist():
        if budget.spent() - before > _MOST_WORK:
            break
        point, search = int(limited[index]), _neighbours if counts[index] else _root
        try:
            ends[point] = search(_chain_excess(trial, point), float(value[point]), excess[index], upper)
        except (_Unconfirmed, QnetError):
            # The end of the search remains, with the warning of its method.
            continue
    return ends


def _chain_excess(trial: Trial, point: int) -> Excess:
    """The excess at one point, by the chain; raises `_Unconfirmed` where the chain is too large."""
    alone = trial.at(np.array([point]))

    def excess(value: float) -> float:
        if not alone.least <= value <= alone.greatest:
            raise _Unconfirmed
        solved = alone.alone(np.array([value]))
        solution = solved.parts[0].solution
        if solution.method != STATES and bool(np.all(solution.stable)):
            raise _Unconfirmed
        return float(alone.excess(solved)[0])

    return excess


def _root(excess: Excess, value: float, here: float, upper: bool) -> ConfirmedEnd:
    """The end of an interval of real numbers near `value`, where the excess is `here`."""
    outwards = (here <= 0) == upper
    last, step = value, min(max(2 * abs(here), _LEAST_STEP), _LARGEST_STEP)
    for _ in range(_STEPS):
        next_value = last * (1 + step if outwards else 1 - step)
        after = excess(next_value)
        if (after <= 0) != (here <= 0):
            break
        last, here, step = next_value, after, min(2 * step, _LARGEST_STEP)
    else:
        raise _Unconfirmed
    (inside, at_inside), (outside, at_outside) = sorted(((last, here), (next_value, after)), key=lambda end: end[1])
    if at_inside == 0:
        return ConfirmedEnd(inside, inside)
    return ConfirmedEnd(*bracket(excess, inside, outside, at_inside, at_outside, FLOATS, _NEAR))


def _neighbours(excess: Excess, value: float, here: float, upper: bool) -> ConfirmedEnd:
    """The end of an interval of integers near `value`, where the excess is `here`."""
    outwards = 1 if (here <= 0) == upper else -1
    last, step = value, 1
    for _ in range(_STEPS):
        next_value = last + outwards * step
        if (excess(next_value) <= 0) != (here <= 0):
            break
        last, step = next_value, 2 * step
    else:
        raise _Unconfirmed
    inside, outside = (last, next_value) if here <= 0 else (next_value, last)
    while abs(inside - outside) > 1:
        middle = float(int((inside + outside) / 2))
        inside, outside = (middle, outside) if excess(middle) <= 0 else (inside, middle)
    return ConfirmedEnd(inside, outside)
