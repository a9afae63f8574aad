"""Bard-Schweitzer, Linearizer and AQL, as methods of the driver of approximate mean value analysis.

They differ in the assumption on the queues without one customer: unchanged proportions, changes of proportions that are
estimated by class, or changes of the total queues.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qnet.lazy import Array, Flags, Indices
from qnet.networks.closed.approximate_mva import core_solutions, relaxed
from qnet.networks.closed.newton_core import Core, CoreAnswer, solve_core
from qnet.record import Record

CONVERGED = 1e-9
"""Largest change of a queue length by a further turn, in units of the total population."""

_MANY = 1e5
"""The population above which rounding would hide the effect of one customer; only its order of magnitude matters."""
_STAGES = tuple((share, 0.0) for share in (0.98, 0.95, 0.9, 0.8, 0.6, 0.3, 0.0))
"""Shares of the estimated changes that are kept where an answer leaves the feasible region."""


def bard_schweitzer(core: Core) -> CoreAnswer:
    """Proportional estimation: removing a customer of class r leaves all proportions as they are.

    Applies   every core without shifts.
    core      a batch of fixed points.
    Returns   `CoreAnswer`.
    Method    queue on arrival(k, r) = Q(k) - Q(k, r) / N(r).
    Fails     never raises; the caller checks `converged` and `feasible`.
    Source    @bard1979; @schweitzer1979.
    """
    return solve_core(core)


def linearizer(core: Core, solutions: int | None) -> CoreAnswer:
    """Linearizer: the changes of all proportions when a customer is removed are estimated, and taken as constant.

    Applies    every core without shifts.
    core       a batch of fixed points.
    solutions  how many core solutions at the full population; None: until the queue lengths converge.
    Returns    `CoreAnswer`; infinite residuals where the queue lengths do not converge.
    Method     The cores at N and at N less one customer of each class share the differences
               D(k, s, j) = F(k, s | N - 1(j)) - F(k, s | N) of the fractions F = Q / N; their sum over classes is kept
               instead of the single terms, so that a core costs K R numbers. All cores of a batch are solved by one
               Newton iteration.
    Fails      never raises; the caller checks `converged` and `feasible`.
    Source     @chandy1982; @desouza1990; the relaxation: this tool.
    """
    method = _Linearizer(core)
    repeats = method.repeats if solutions is None else None
    answer = core_solutions(method, np.zeros((0,)), None, solutions, repeats)
    if solutions == 1:
        return answer.core
    return method.judged(relaxed(method, answer)[0].core, solutions is None)


def aql(core: Core) -> CoreAnswer:
    """Aggregate queue length: Linearizer's idea applied to the total queue of each station.

    Applies   every core without shifts.
    core      a batch of fixed points.
    Returns   `CoreAnswer`; infinite residuals where the queue lengths do not converge.
    Method    queue on arrival(k, r) = (n - 1)(Q(k) / n - g(k, r)), n the total population and g(k, r) the change of
              Q(k) / n when a customer of class r is removed, from the cores at N and N less one customer, until the
              queues converge.
    Fails     never raises; the caller checks `converged` and `feasible`.
    Source    @zahorjan1988; the relaxation: this tool.
    """
    method = _Aql(core)
    answer = core_solutions(method, np.zeros((0,)), None, None, method.repeats)
    first: Indices = np.arange(len(core.population)) * (core.population.shape[1] + 1)
    full = _Linearizer(method.every.part(first))
    shifts = answer.changes[:, :1]
    return method.judged(relaxed(full, _Answer(answer.core.part(first), shifts))[0].core, True)


class _Answer(Record):
    """Core solutions, and the shifts at which they were solved."""

    core: CoreAnswer
    changes: Array
    """(P, R + 1, K, R), at N and at N less one customer of each class; of any size for no shifts."""

    def part(self, chosen: Any) -> _Answer:
        """The core solutions of some points."""
        return _Answer(self.core.part(chosen), self.changes[chosen])


class _Linearizer:
    """Linearizer of a batch of P points; its changes are the shifts of cores."""

    stages = _STAGES

    def __init__(self, core: Core, from_scratch: bool = False) -> None:
        self.full = core
        self.from_scratch = from_scratch
        """Whether core solutions never start from earlier ones, as with relaxation."""
        self.every = core
        """The cores at N and at N less one customer."""
        self.reduced: CoreAnswer | None = None
        """Their solutions."""
        self.sound = np.ones(len(core.population), bool)
        """(P,) whether all core solutions at N less one customer converged."""
        self.change = np.full(len(core.population), np.inf)
        """(P,) largest change of a queue length by the last turn, in units of the total population."""

    def core(self, changes: Array, start: _Answer | None) -> _Answer:
        """The core solutions at N."""
        core = self.full.replace(shift=changes[:, 0]) if changes.size else self.full
        begin = None if start is None or self.from_scratch else start.core
        return _Answer(solve_core(core, begin), changes)

    def estimate(self, answer: _Answer, turn: int) -> Array:
        """The shifts, from the cores at N less one customer of each class."""
        population = self.full.population
        if self.reduced is None:
            self.every = _every(self.full)
            self.reduced = _spread(answer.core, self.every, population)
        else:
            self.sound &= answer.core.converged
        self.reduced = solve_core(self.every, self.reduced)
        self.sound &= self.reduced.converged.reshape(len(self.sound), -1).all(-1)
        shifts = _linear_shifts(self.reduced, self.every.population, population)
        shifts = _averaged(shifts, self.every.shift, turn)
        self.every = self.every.replace(shift=shifts.reshape(self.every.demands.shape))
        return shifts

    def repeats(self, before: _Answer, answer: _Answer) -> bool:
        """Whether no queue length changes any more, or a core solution failed."""
        population = self.full.population
        self.change = _change(answer.core.queue_length, before.core.queue_length, population)
        small = (self.change <= _rounding(population)).all()
        return bool(small or not (self.sound.all() and answer.core.converged.all()))

    def proven(self, answer: _Answer) -> Flags:
        """(P,) whether the solution at N converged and is feasible."""
        return answer.core.converged & answer.core.feasible

    def relaxed(self, answer: _Answer, chosen: Indices, stage: tuple[float, float]) -> tuple[_Linearizer, Array]:
        """The method for some points, and a share of their shifts; Bard-Schweitzer for a share of 0."""
        core, share = self.full.part(chosen), stage[0]
        if not share:
            core = core.replace(weight=np.ones(len(chosen)), one_of_all=core.absent)
        return _Linearizer(core, from_scratch=True), share * answer.changes[chosen]

    def joined(self, answer: _Answer, chosen: Indices, other: _Answer) -> _Answer:
        """The answer, with that of the `chosen` points replaced by another."""
        values, changes = [value.copy() for value in answer.core], answer.changes.copy()
        for value, new in zip((*values, changes), (*other.core, other.changes), strict=True):
            value[chosen] = new
        return _Answer(CoreAnswer(*values), changes)

    def judged(self, answer: CoreAnswer, repeating: bool) -> CoreAnswer:
        """The answer, with infinite residuals where it does not rest on converged core solutions.

        repeating   whether iteration went on until the queue lengths no longer changed.
        """
        sound = self.sound & (self.change <= _rounding(self.full.population)) if repeating else self.sound
        return answer.replace(residual=np.where(sound, answer.residual, np.inf))


class _Aql(_Linearizer):
    """AQL of a batch: its core solutions are those at N and at N less one customer together."""

    def __init__(self, core: Core, from_scratch: bool = False) -> None:
        super().__init__(core, from_scratch)
        every = _every(core)
        self.total = every.population.sum(-1)
        self.others = np.maximum(self.total - 1.0, 0.0)
        weight = self.others / np.where(self.total > 0, self.total, 1.0)
        self.every = every.replace(weight=weight, one_of_all=np.zeros(every.one_of_all.shape))

    def core(self, changes: Array, start: _Answer | None) -> _Answer:
        """The core solutions at N and at N less one customer."""
        if changes.size:
            self.every = self.every.replace(shift=changes.reshape(self.every.demands.shape))
        return _Answer(solve_core(self.every, None if start is None else start.core), changes)

    def estimate(self, answer: _Answer, turn: int) -> Array:
        """The shifts, from the total queues."""
        size: int
        classes: int
        size, classes = self.full.population.shape
        total, others = self.total.reshape(size, classes + 1), self.others.reshape(size, classes + 1)
        aggregate = answer.core.queue_length.sum(-1).reshape(size, classes + 1, -1)
        share = aggregate / np.where(total > 0, total, 1.0)[:, :, None]
        change = np.where((total[:, 1:] > 0)[:, :, None], share[:, 1:] - share[:, :1], 0.0)
        change = change / _removed(self.full.population)[:, :, None]
        shifts = others[:, :, None, None] * np.swapaxes(change, 1, 2)[:, None]
        return _averaged(shifts, self.every.shift, turn - 1)

    def repeats(self, before: _Answer, answer: _Answer) -> bool:
        """Whether no queue length at N changes any more, or a core solution failed."""
        size: int
        classes: int
        size, classes = self.full.population.shape
        first: Indices = np.arange(size) * (classes + 1)
        queues = answer.core.queue_length[first], before.core.queue_length[first]
        self.change = _change(*queues, self.full.population)
        self.sound = answer.core.converged.reshape(size, -1).all(-1)
        return bool((self.change <= _rounding(self.full.population)).all() or not self.sound.all())


def _every(core: Core) -> Core:
    """The cores at N and at N less one customer of each class: (R + 1) fixed points per point of the batch, N first."""
    classes = core.population.shape[1]
    less = np.concatenate([np.zeros((1, classes)), np.eye(classes)]) * _removed(core.population)[:, None, :]
    population = np.maximum(core.population[:, None, :] - less, 0.0).reshape(-1, classes)
    every = core.part(np.repeat(np.arange(len(core.population)), classes + 1))
    one_of_all = 1.0 / np.maximum(population, 1.0)
    return every.replace(population=population, one_of_all=one_of_all, absent=one_of_all)


def _removed(population: Any) -> Any:
    """The number of customers removed to estimate changes of proportions: one, or more where rounding would hide it."""
    return np.maximum(1.0, (population / _MANY) ** 1.5)


def _spread(answer: CoreAnswer, every: Core, population: Any) -> CoreAnswer:
    """The first guess of the core solutions at N and at N less one customer of each class, from that at N."""
    times = population.shape[-1] + 1
    ratio = every.population / np.repeat(np.where(population > 0, population, 1.0), times, axis=0)
    repeated = CoreAnswer(*(np.repeat(value, times, axis=0) for value in answer))
    return repeated.replace(
        throughput=repeated.throughput * ratio, queue_length=repeated.queue_length * ratio[:, None, :]
    )


def _linear_shifts(reduced: CoreAnswer, population: Any, full: Any) -> Any:
    """(B, R + 1, K, R): the contribution of the changes of all proportions to the queue on arrival, at N and at N less
    one customer.

    shift(k, r | n) = sum over s != r of n(s) D(k, s, r) + max(n(r) - 1, 0) D(k, r, r)
    """
    size, classes = full.shape
    queues = reduced.queue_length.reshape(size, classes + 1, -1, classes)
    counts = population.reshape(size, classes + 1, classes)
    shares = queues / np.where(counts > 0, counts, 1.0)[:, :, None, :]
    change = (shares[:, 1:] - shares[:, :1]) / _removed(full)[:, :, None, None]
    """(B, j, K, s): per customer of class j that is removed"""
    change = np.where((counts[:, 1:] > 0)[:, :, None, :], change, 0.0)
    same = np.einsum("bjkj->bkj", change)
    summed = np.swapaxes(np.einsum("bps,bjks->bpjk", counts, change, optimize=True), 2, 3)
    return summed - np.minimum(counts, 1.0)[:, :, None, :] * same[:, None]


def _averaged(shift: Any, before: Any, turn: int) -> Any:
    """The new estimate of changes, averaged with the one before after many turns without convergence."""
    new = 1.0 if turn < 20 else 0.5 if turn < 80 else 0.2
    return new * shift + (1.0 - new) * before.reshape(shift.shape)


def _rounding(population: Any) -> Any:
    """The change of queue lengths, in units of the total population, at which they count as converged."""
    return np.maximum(CONVERGED, 1e-13 * population.sum(-1))


def _change(queues: Any, before: Any, population: Any) -> Any:
    """(B,) largest change of a queue length, in units of the total population."""
    return np.abs(queues - before).max((1, 2), initial=0.0) / np.maximum(population.sum(-1), 1e-300)
