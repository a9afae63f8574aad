"""Where limits cease to hold near a known answer: what a small change of a model does to an envelope."""

from __future__ import annotations

from typing import Any

from qnet.errors import QnetError
from qnet.lazy import Array, Flags, np
from qnet.questions.points.domain import outside
from qnet.questions.points.saturation import JUST_BELOW
from qnet.questions.points.trial import Trial
from qnet.questions.search.continuous import edge, sign_change
from qnet.record import Record

_REACH = 1.06
"""How far, as a factor, an answer is searched on either side of the known one."""


class Near(Record):
    """Answers near known ones, as arrays with one element per point."""

    answered: Flags
    """Where there is one; all others are to be searched from the start."""
    value: Array
    """Up to which the limits hold: where one is crossed, or the steady state ends."""
    shown: Array
    """Where the figures there are read: there is a steady state."""


def near(trial: Trial, known: Array) -> Near:
    """The largest value up to which limits hold, between two values on either side of a known answer, for each point.

    trial    the model, the parameter that is varied and the limits, at the points of a batch.
    known    the known answers, nan where there is none.
    Returns  nothing for a point at which the limits do not hold at the lower value, or still hold at the upper one, or
             that the model refuses.
    Raises   the errors of the model other than those for numbers outside their domain.
    Limits   Of several crossings between the two values it is one of them.
    """
    nowhere = Near(np.zeros(trial.size, dtype=bool), known, known)
    here = np.flatnonzero(np.isfinite(known) & (known > 0))
    if not len(here) or trial.uncertain or trial.domain.integer(trial.size):
        return nowhere
    try:
        result = _between(trial.at(here), known[here] / _REACH, known[here] * _REACH)
    except QnetError as error:
        if not outside(error):
            raise
        return nowhere
    all_of: Any = (np.zeros(trial.size, dtype=bool), known.copy(), known.copy())
    for each, part in zip(all_of, (result.answered, result.value, result.shown), strict=True):
        each[here] = part
    return Near(*all_of)


def _between(trial: Trial, low: Array, high: Array) -> Near:
    below, above = trial.solve(low), trial.solve(high)
    begins = trial.excess(below)
    held = below.stable & (begins <= 0)
    saturated = held & ~above.stable
    top, end, ends = 2 * high, high.copy(), trial.excess(above)
    full = np.flatnonzero(saturated)
    if len(full):
        part = trial.at(full)
        top[full] = edge(part, low[full], high[full], below.certain_load[full] - 1, saturated[full])
        end[full] = top[full] * JUST_BELOW
        ends[full] = part.excess(part.solve(end[full]))
    crossed = held & (ends > 0)
    limit = sign_change(trial, Trial.excess, low, end, top, (crossed, np.minimum(begins, -1e-300), ends))
    return Near(crossed | saturated, np.where(crossed, limit, top), np.where(crossed, limit, end))
