"""Bard-Schweitzer, Linearizer and AQL as sequences of fixed points: each takes a core and gives its answer.

They differ in what they assume of the queues that are left when one customer is removed: the same proportions, changes
of proportions that are estimated by class, or changes of the total queues.
"""

from __future__ import annotations

from typing import Any

from qnet.lazy import Places, np
from qnet.networks.closed.approximate_core import CoreAnswer, solve_core
from qnet.networks.closed.approximate_state import Core

SETTLED = 1e-9
"""Largest change of a queue length by a further turn, in units of the total population."""

_MOST_TURNS = 100
_MANY = 1e5
_PARTS = (0.98, 0.95, 0.9, 0.8, 0.6, 0.3, 0.0)


def bard_schweitzer(core: Core) -> CoreAnswer:
    """Proportional estimation: removing a customer of class r leaves all proportions as they are.

    Applies   every core without shifts.
    core      a batch of fixed points.
    Returns   `CoreAnswer`.
    Method    seen(k, r) = Q(k) - Q(k, r) / N(r).
    Fails     never raises; the caller looks at `converged` and `feasible`.
    Source    Bard, in Arato et al. (eds), Performance of Computer Systems, 1979, 51-62; Schweitzer, in Proc. Int.
              Conf. Stochastic Control and Optimization, Amsterdam, 1979.
    """
    return solve_core(core)


def linearizer(core: Core, solutions: int | None) -> CoreAnswer:
    """Linearizer: the changes of all proportions when a customer is removed are estimated, and taken as constant.

    Applies    every core without shifts.
    core       a batch of fixed points.
    solutions  how many core solutions at the full population; None: until the queue lengths settle.
    Returns    `CoreAnswer`; infinite residuals where the queue lengths do not settle.
    Method     The cores at N and at N less one customer of each class share the differences
               D(k, s, j) = F(k, s | N - 1(j)) - F(k, s | N) of the fractions F = Q / N; their sum over classes is kept
               instead of the single terms, so that a core costs K R numbers. All cores of a batch are one Newton.
    Fails      never raises; the caller looks at `converged` and `feasible`.
    Source     Chandy and Neuse, Comm. ACM 25 (1982) 126-134; de Souza e Silva and Muntz, IEEE Trans. Computers 39
               (1990) 840-842; the relaxation: this tool.
    """
    answer, every = solve_core(core), _every(core)
    reduced = _spread(answer, every, core.population)
    moved = np.full(len(core.population), np.inf)
    for turn in range(1, solutions or _MOST_TURNS):
        reduced = solve_core(every, reduced)
        sound = reduced.converged.reshape(len(moved), -1).all(-1)
        shifts = _linear_shifts(reduced, every.population, core.population)
        shifts = _damped(shifts, every.shift, turn)
        every = every.replace(shift=shifts.reshape(every.demands.shape))
        before, shifted = answer, core.replace(shift=shifts[:, 0])
        answer = solve_core(shifted, before)
        if turn + 1 == solutions:
            answer = _relaxed(shifted, answer)
            return answer.replace(residual=np.where(sound, answer.residual, np.inf))
        moved = _moved(answer.queue_length, before.queue_length, core.population)
        if solutions is None and (moved <= _settled(core.population)).all():
            return _relaxed(shifted, answer)
        if not (sound.all() and answer.converged.all()):
            break
    return answer if solutions == 1 else answer.replace(residual=np.full(len(moved), np.inf))


def aql(core: Core) -> CoreAnswer:
    """Aggregate queue length: Linearizer's idea applied to the total queue of each station.

    Applies   every core without shifts.
    core      a batch of fixed points.
    Returns   `CoreAnswer`; infinite residuals where the queue lengths do not settle.
    Method    seen(k, r) = (n - 1)(Q(k) / n - g(k, r)), n the total population and g(k, r) the change of Q(k) / n when
              a customer of class r is removed, from the cores at N and N less one customer, until the queues settle.
    Fails     never raises; the caller looks at `converged` and `feasible`.
    Source    Zahorjan, Eager and Sweillam, Performance Evaluation 8 (1988) 255-270; the relaxation: this tool.
    """
    every = _every(core)
    size: int
    classes: int
    size, classes = core.population.shape
    total = every.population.sum(-1)
    others = np.maximum(total - 1.0, 0.0)
    every = every.replace(weight=others / np.where(total > 0, total, 1.0), own=np.zeros(every.own.shape))
    whole = total.reshape(size, classes + 1)
    first: Places = np.arange(size) * (classes + 1)
    reduced = solve_core(every)
    moved = np.full(size, np.inf)
    for turn in range(_MOST_TURNS):
        aggregate = reduced.queue_length.sum(-1).reshape(size, classes + 1, -1)
        share = aggregate / np.where(whole > 0, whole, 1.0)[:, :, None]
        change = np.where((whole[:, 1:] > 0)[:, :, None], share[:, 1:] - share[:, :1], 0.0)
        change = change / _removed(core.population)[:, :, None]
        shift = others.reshape(size, classes + 1)[:, :, None, None] * np.swapaxes(change, 1, 2)[:, None]
        every = every.replace(shift=_damped(shift, every.shift, turn).reshape(every.demands.shape))
        before = reduced
        reduced = solve_core(every, before)
        moved = _moved(reduced.queue_length[first], before.queue_length[first], core.population)
        if (moved <= _settled(core.population)).all() or not reduced.converged.all():
            break
    sound = reduced.converged.reshape(size, -1).all(-1) & (moved <= _settled(core.population))
    answer = _relaxed(every.part(first), CoreAnswer(*(value[first] for value in reduced)))
    return answer.replace(residual=np.where(sound, answer.residual, np.inf))


def _every(core: Core) -> Core:
    """The cores at N and at N less one customer of each class: (R + 1) fixed points per point of the batch, N first."""
    classes = core.population.shape[1]
    less = np.concatenate([np.zeros((1, classes)), np.eye(classes)]) * _removed(core.population)[:, None, :]
    population = np.maximum(core.population[:, None, :] - less, 0.0).reshape(-1, classes)
    every = core.part(np.repeat(np.arange(len(core.population)), classes + 1))
    own = 1.0 / np.maximum(population, 1.0)
    return every.replace(population=population, own=own, absent=own)


def _removed(population: Any) -> Any:
    """How many customers are removed to see how proportions change: one, and more where rounding would hide that."""
    return np.maximum(1.0, (population / _MANY) ** 1.5)


def _spread(answer: CoreAnswer, every: Core, population: Any) -> CoreAnswer:
    """The answer at N as a first guess of those at N less one customer of each class."""
    times = population.shape[-1] + 1
    ratio = every.population / np.repeat(np.where(population > 0, population, 1.0), times, axis=0)
    repeated = CoreAnswer(*(np.repeat(value, times, axis=0) for value in answer))
    return repeated.replace(
        throughput=repeated.throughput * ratio, queue_length=repeated.queue_length * ratio[:, None, :]
    )


def _linear_shifts(reduced: CoreAnswer, population: Any, whole: Any) -> Any:
    """(B, R + 1, K, R): what the changes of all proportions add to the queue seen, at N and at N less one customer.

    shift(k, r | n) = sum over s != r of n(s) D(k, s, r) + max(n(r) - 1, 0) D(k, r, r)
    """
    size, classes = whole.shape
    queues = reduced.queue_length.reshape(size, classes + 1, -1, classes)
    counts = population.reshape(size, classes + 1, classes)
    shares = queues / np.where(counts > 0, counts, 1.0)[:, :, None, :]
    change = (shares[:, 1:] - shares[:, :1]) / _removed(whole)[:, :, None, None]
    """(B, j, K, s): per customer of class j that is removed"""
    change = np.where((counts[:, 1:] > 0)[:, :, None, :], change, 0.0)
    owned = np.einsum("bjkj->bkj", change)
    summed = np.swapaxes(np.einsum("bps,bjks->bpjk", counts, change, optimize=True), 2, 3)
    return summed - np.minimum(counts, 1.0)[:, :, None, :] * owned[:, None]


def _relaxed(core: Core, answer: CoreAnswer) -> CoreAnswer:
    """The answer; where it did not converge or is not feasible, with as much of the changes as possible."""
    values = [value.copy() for value in answer]
    for part in _PARTS:
        wrong = np.flatnonzero(~(CoreAnswer(*values).converged & values[-1]))
        if not wrong.size:
            break
        less = core.part(wrong)
        less = less.replace(shift=less.shift * part)
        if not part:
            less = less.replace(weight=np.ones(wrong.size), own=less.absent)
        better = solve_core(less)
        for value, other in zip(values, better, strict=True):
            value[wrong] = other
    return CoreAnswer(*values)


def _damped(shift: Any, before: Any, turn: int) -> Any:
    """The new estimate of changes, averaged with the one before where many turns have not settled it."""
    new = 1.0 if turn < 20 else 0.5 if turn < 80 else 0.2
    return new * shift + (1.0 - new) * before.reshape(shift.shape)


def _settled(population: Any) -> Any:
    """The change of queue lengths, in units of the total population, that is lost in rounding."""
    return np.maximum(SETTLED, 1e-13 * population.sum(-1))


def _moved(queues: Any, before: Any, population: Any) -> Any:
    """(B,) largest change of a queue length, in units of the total population."""
    return np.abs(queues - before).max((1, 2), initial=0.0) / np.maximum(population.sum(-1), 1e-300)
