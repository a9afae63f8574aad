"""The driver of approximate mean value analysis: core solutions, estimated changes, relaxation, proof.

A core solution is the fixed point of the residence equations at given changes of the queues on arrival; the changes are
estimated from core solutions with one customer less of each class (@chandy1982), in turns. Bard-Schweitzer, Linearizer,
AQL (`approximate_methods`), layers (`layers.core`), first come first served and priorities provide their equations.
There are two strategies for a core solution: accelerated successive substitution (`networks.fixed_point`) for any
equations (`Substitution`), and Newton's method with queues eliminated (`newton_core`) for the equations of product
form, which are linear in the queues: with as many unknowns as classes, some ten steps suffice at any population,
several times as fast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np

from qnet.errors import NotComputed
from qnet.lazy import Array, Flags, Indices
from qnet.networks.fixed_point import BatchMap, fixed_points, not_converged
from qnet.record import Record

TOLERANCE = 1e-10
"""Largest residual of an answer: change of a residence by one further round, in cycle times of its class."""
MOST_TURNS = 100
"""Core solutions after which changes that do not converge are given up."""


_FEW = 8
"""The most unknowns of a point whose slopes are kept, so that they take little more memory than solutions."""
_CELLS = 200_000
"""Numbers of an array of changes up to which the networks without a customer of each class are one batch."""


class FixedPoints(Record):
    """Proven fixed points of a batch, the result of every method of the driver, which may add fields."""

    throughput: Array
    """(P, R) customers per second."""
    residence: Array
    """(P, K, R) seconds per passage at the queueing stations."""


class Batch(Protocol):
    """Anything that holds one entry per point."""

    def part(self, chosen: Any) -> Self:
        """Some of the points."""
        ...


C = TypeVar("C")
"""Changes of the queues on arrival."""
A = TypeVar("A", bound=Batch)
"""Core solutions, with the changes at which they were solved."""


class Method(Protocol[C, A]):
    """The equations of a method for a batch of P points."""

    def core(self, changes: C, start: A | None) -> A:
        """The core solutions at given changes."""
        ...

    def estimate(self, answer: A, turn: int) -> C:
        """The changes, from core solutions with one customer less of each class."""
        ...


class Relaxable(Method[C, A], Protocol[C, A]):
    """A method that may leave the feasible region, to which smaller changes lead back."""

    @property
    def stages(self) -> Sequence[tuple[float, float]]:
        """Arguments of `relaxed` for points that are not proven, with decreasing changes."""
        ...

    def proven(self, answer: A) -> Flags:
        """(P,) whether a point has a residual within the tolerance and is feasible, or must not be relaxed."""
        ...

    def relaxed(self, answer: A, chosen: Indices, stage: tuple[float, float]) -> tuple[Relaxable[C, A], C]:
        """The method for some points, and the share of their changes that a stage keeps."""
        ...

    def joined(self, answer: A, chosen: Indices, other: A) -> A:
        """The answer, with that of the `chosen` points replaced by another."""
        ...


def core_solutions(
    method: Method[C, A],
    changes: C,
    start: A | None,
    solutions: int | None = 3,
    repeats: Callable[[A, A], bool] | None = None,
) -> A:
    """The last of several core solutions.

    method     the equations of the approximation.
    changes    the changes of the first core solution, all 0.
    start      the start of the first core solution.
    solutions  how many core solutions at the full population: 1 is the assumption of Bard and Schweitzer that there are
               no changes, 3 the published Linearizer, None at most 100.
    repeats    whether a core solution (second argument) repeats the one before it, and so is the last; None: never.
    """
    answer = method.core(changes, start)
    for turn in range(1, int(solutions or MOST_TURNS)):
        before, answer = answer, method.core(method.estimate(answer, turn), answer)
        if repeats is not None and repeats(before, answer):
            break
    return answer


def relaxed(method: Relaxable[C, A], answer: A) -> tuple[A, Indices]:
    """The answer, with smaller changes where it is not proven; and the points that are not proven at any stage."""
    estimated = answer
    rest: Indices = np.flatnonzero(~method.proven(answer))
    for stage in method.stages:
        if not rest.size:
            break
        part, less = method.relaxed(estimated, rest, stage)
        other = part.core(less, answer.part(rest))
        answer = method.joined(answer, rest, other)
        rest = rest[~part.proven(other)]
    return answer, rest


def unproven(name: str, rest: Indices, points: int, help: str = "") -> NotComputed:
    """The refusal of an answer by the `name` of its method, with the points that are not proven, of `points` in all."""
    error = not_converged(name, f"a residual of {TOLERANCE:.0e}", help, int(rest[0]) if points > 1 else None)
    error.at = np.isin(np.arange(points), rest)
    return error


class ShareChanges(Record):
    """The changes of the shares of all classes, by the class of which a customer is removed."""

    queue: Array
    """(P, K, R, R) queue length per customer."""
    busy: Array
    """(P, K, R, R) utilization per customer."""
    relaxation: Array
    """(P,) the relaxation of the equations besides smaller changes; 0 for none."""

    def part(self, chosen: Any) -> ShareChanges:
        """The changes of some points."""
        return ShareChanges(*(value[chosen] for value in self))


class Equations(Protocol):
    """The residence equations of P points with K stations and R classes; the unknowns (P, ...) are residences, and
    others of the method."""

    @property
    def demands(self) -> Array:
        """(P, K, R) seconds."""
        ...

    @property
    def population(self) -> Array:
        """(P, R) customers; infinite for open classes."""
        ...

    @property
    def patience(self) -> int:
        """The rounds without progress after which a point is given up."""
        ...

    def part(self, chosen: Any) -> Self:
        """The equations of some points."""
        ...

    def replace(self, **fields: Any) -> Self:
        """The equations with another population."""
        ...

    def to_iterate(self, values: Array) -> Array:
        """The unknowns in the form in which they are iterated, >= 0."""
        ...

    def from_iterate(self, values: Array) -> Array:
        """The inverse of `to_iterate`."""
        ...

    def image(self, changes: ShareChanges, values: Array) -> tuple[Array, Array]:
        """The unknowns after one round, and (P,) the largest change, in cycle times of the class."""
        ...

    def shares(self, values: Array) -> tuple[Array, Array]:
        """(P, K, R) queue length and utilization per customer of the class; in total for open classes."""
        ...

    def feasible(self, values: Array) -> Flags:
        """(P,) whether no station exceeds its capacity."""
        ...

    def overloaded(self, changes: ShareChanges, values: Array) -> Flags:
        """(P,) whether open classes have no steady state, which no relaxation would change."""
        ...


E = TypeVar("E", bound=Equations)


def _in_turn(classes: Sequence[int], cells: int) -> list[list[int]]:
    """The classes in groups of which customers are removed at once, with arrays of `cells` numbers per class."""
    count = max(1, _CELLS // max(cells, 1))
    return [list(classes[first : first + count]) for first in range(0, len(classes), count)]


class CoreSolutions(Record):
    """Core solutions of equations."""

    values: Array
    """(P, ...) the unknowns."""
    changes: ShareChanges

    def part(self, chosen: Any) -> CoreSolutions:
        """The core solutions of some points."""
        return CoreSolutions(self.values[chosen], self.changes.part(chosen))


class Substitution(Generic[E]):
    """Linearizer for equations that are solved by successive substitution.

    equations  of the batch.
    stages     shares of the changes that are kept, each with a relaxation of the equations.
    starts     the unknowns of all core solutions of a nearby batch, then the inverse slopes of all, as for
               `fixed_points`; None or not-a-number: unknown.
    """

    def __init__(
        self, equations: E, stages: Sequence[tuple[float, float]], starts: Sequence[Array] | None = None
    ) -> None:
        self.equations, self.stages, self.starts = equations, stages, starts
        self.solved: list[Array] = []
        """The unknowns of the core solutions so far."""
        self.slopes: list[Array] = []
        """Their inverse slopes, if these are few."""

    def solve(self, start: Array) -> tuple[CoreSolutions, Indices, tuple[Array, ...]]:
        """The answer, the points where it is not proven, and the `starts` for a nearby batch.

        start   unknowns to begin with.
        """
        shape = (*self.equations.demands.shape, self.equations.demands.shape[-1])
        none = ShareChanges(np.zeros(shape), np.zeros(shape), np.zeros(len(start)))
        answer, rest = relaxed(self, core_solutions(self, none, CoreSolutions(start, none)))
        return answer, rest, (*self.solved[:-1], answer.values, *self.slopes)

    def core(self, changes: ShareChanges, start: CoreSolutions | None) -> CoreSolutions:
        """The unknowns at the fixed points."""
        assert start is not None
        return CoreSolutions(self.fixed(self.equations, changes, start.values), changes)

    def fixed(self, equations: E, changes: ShareChanges, start: Array) -> Array:
        """The unknowns at the fixed points of the batch, or of one with a customer less; noted in `solved`."""
        few = bool(len(start)) and start[0].size <= _FEW
        size = start[0].size if few else 1
        slopes: Array = np.full((len(start), size, size), np.nan)
        if self.starts is not None:
            known, steep = self.starts[len(self.solved) :: len(self.starts) // 2]
            start = np.where(np.isnan(known), start, known)
            slopes = steep.copy()

        def maps(chosen: Indices) -> BatchMap:
            part, kept = equations, changes
            if len(chosen) != len(start) or (np.diff(chosen) != 1).any():
                part, kept = equations.part(chosen), changes.part(chosen)

            def image(values: Array) -> tuple[Array, Array]:
                after, residual = part.image(kept, part.from_iterate(values))
                return part.to_iterate(after), residual

            return image

        values = fixed_points(maps, equations.to_iterate(start), equations.patience, slopes=slopes if few else None)
        self.slopes.append(slopes)
        self.solved.append(equations.from_iterate(values))
        return self.solved[-1]

    def estimate(self, answer: CoreSolutions, turn: int) -> ShareChanges:
        """The changes of the shares of all classes where a customer of a class is removed."""
        equations, before = self.equations, answer.changes
        queue, busy = np.zeros(before.queue.shape), np.zeros(before.busy.shape)
        queues, utilizations = equations.shares(answer.values)
        closed: list[int] = np.flatnonzero(np.isfinite(equations.population).any(axis=0)).tolist()
        points = np.arange(len(queue))
        for removed in _in_turn(closed, queue.size):
            # The networks without a customer of several classes are solved as one batch.
            again = np.tile(points, len(removed))
            classes = np.repeat(removed, len(points))
            fewer = equations.part(again)
            population = fewer.population.copy()
            rows = np.arange(len(again))
            population[rows, classes] = np.maximum(population[rows, classes] - 1.0, 0.0)
            fewer = fewer.replace(population=population)
            less_queue, less_busy = fewer.shares(self.fixed(fewer, before.part(again), answer.values[again]))
            present = (population > 0)[:, None, :]
            less_queue = np.where(present, less_queue - queues[again], 0.0)
            less_busy = np.where(present, less_busy - utilizations[again], 0.0)
            for number, class_index in enumerate(removed):
                part = slice(number * len(points), (number + 1) * len(points))
                queue[:, :, class_index, :], busy[:, :, class_index, :] = less_queue[part], less_busy[part]
        return ShareChanges(queue, busy, before.relaxation)

    def proven(self, answer: CoreSolutions) -> Flags:
        """(P,) whether the residual is within the tolerance at a feasible point, or open classes have no steady
        state."""
        equations, (values, changes) = self.equations, answer
        sound = (equations.image(changes, values)[1] <= TOLERANCE) & equations.feasible(values)
        return np.asarray(sound | equations.overloaded(changes, values), bool)

    def relaxed(
        self, answer: CoreSolutions, chosen: Indices, stage: tuple[float, float]
    ) -> tuple[Substitution[E], ShareChanges]:
        """The method for some points, and a share of their changes with a relaxation."""
        share, relaxation = stage
        changes, kept = answer.changes.part(chosen), np.full(len(chosen), relaxation)
        return Substitution(self.equations.part(chosen), self.stages), ShareChanges(
            share * changes.queue, share * changes.busy, kept
        )

    def joined(self, answer: CoreSolutions, chosen: Indices, other: CoreSolutions) -> CoreSolutions:
        """The answer, with that of the `chosen` points replaced by another."""
        values, changes = answer.values.copy(), ShareChanges(*(value.copy() for value in answer.changes))
        values[chosen] = other.values
        for value, new in zip(changes, other.changes, strict=True):
            value[chosen] = new
        return CoreSolutions(values, changes)
