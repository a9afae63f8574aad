"""Parallel steps: branches that start together, and the time until enough of them have finished.

Branches are independent, each with the mean that the waits at its stations give it, and with the part of its variance
that it does not share: where branches wait for work of the same passages, their queues are long at the same times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from qnet.errors import NotComputed, Problem
from qnet.expression import Operations, Value
from qnet.lazy import lazy
from qnet.networks.duration import Duration, Wait
from qnet.queues.arithmetic import ratio, total
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.queues import joins
else:
    joins = lazy("qnet.queues.joins")

Waits = Sequence[Wait]
Key = tuple[str, int]


class BranchTime(Record):
    """A branch and its copies: the parts of its time, without the waits, which are not known yet."""

    name: str
    copies: int
    first: Duration
    """Its time without inner parallel steps."""
    spent: Mapping[Key, Duration]
    """The same by the station at which each part is spent."""
    forks: tuple[Parallel, ...]
    """Inner parallel steps."""
    asked: tuple[int, ...]
    """The streams that it starts."""
    single: bool
    """Whether it is a single visit or delay."""


class Parallel(Record):
    """A parallel step."""

    branches: tuple[BranchTime, ...]
    needed: int
    """How many branches must have finished."""
    count: Value = 1.0
    """Executions per passage."""

    @property
    def width(self) -> int:
        """The number of branches, copies included."""
        return sum(branch.copies for branch in self.branches)


class JoinTime(Record):
    """The time of a parallel step."""

    mean: Value
    """Seconds from the start of the branches until enough have finished."""
    variance: Value
    """Square seconds."""
    upper: Value
    """The mean in seconds if branches were independent."""
    means: tuple[Value, ...]
    """By branch: the mean time of the branch."""
    variances: tuple[Value, ...]
    """By branch: the variance that it does not share with others."""


def times(forks: tuple[Parallel, ...], count: Value) -> tuple[Parallel, ...]:
    """The same parallel steps, executed `count` times as often.

    forks    the parallel steps of a route.
    count    executions per execution of what encloses them, at least 0.
    Returns  the steps in the same order.
    """
    return tuple(fork.replace(count=fork.count * count) for fork in forks)


def refuse_held(enclosing: Sequence[str]) -> None:
    """Raise where branches would start while a station is held.

    enclosing  the names of the stations held, the innermost last.
    Raises     `NotComputed` QN552.
    """
    if enclosing:
        text = f'a parallel step while "{enclosing[-1]}" is held'
        help = "put the hold inside the branches, or before the parallel step"
        raise NotComputed(Problem("QN552", text, "parallel steps outside of holds", help=help))


def join_time(fork: Parallel, waits: Waits, together: Sequence[Value], operations: Operations) -> JoinTime:
    """The time until enough branches of a parallel step have finished, given the waits at the stations.

    fork        the step.
    waits       by stream.
    together    by stream: the share of the work at its station that started together with work of other branches.
    operations  of the numbers.
    Returns     the time of one execution in seconds, whatever the count of the step.
    Method      The order statistic of independent times by their moments (`queues.joins`), each with its mean and
                (1 + 2 q - q^2) / (1 + q)^2 of its variance, q = (c + sqrt(c (c + 8))) / 4: the variance that branches
                share does not separate them. c is the share of the time of a branch in which it waits for work that
                started together; of n branches the value at rank min(k + 1, n - 1), in ascending order.
    Exact       the mean for two identical branches with one exponential server each, used by open classes for nothing
                else: with utilization c the time is (12 - c) / 8 times that of a branch; branches of one exponential or
                constant delay each.
    Limits      Branches that use the same station wait for each other, which is neglected.
    Source      @flatto1984 and @nelson1988 for two identical branches; the use of their result for the variance of
                others: this tool.
    """
    known = _Branches(fork, waits, together, operations)
    if fork.width == 1:
        return JoinTime(known.means[0], known.variances[0], known.means[0], known.means, known.variances)
    upper, variance = joins.joined(known.branches(known.variances), fork.needed)
    return JoinTime(known.mean(), variance, upper, known.means, known.separate)


def mean_join_time(fork: Parallel, waits: Waits, together: Sequence[Value], operations: Operations) -> Value:
    """The mean of `join_time` alone, which takes half the work; arguments as there.

    fork        the step.
    waits       by stream.
    together    by stream.
    operations  of the numbers.
    """
    return _Branches(fork, waits, together, operations).mean()


class _Branches:
    """The branches of a parallel step, given the waits."""

    def __init__(self, fork: Parallel, waits: Waits, together: Sequence[Value], operations: Operations) -> None:
        self.fork = fork
        parts = [_moments(branch, waits, together, operations) for branch in fork.branches]
        self.means, self.variances, shares = (tuple(column) for column in zip(*parts, strict=True))
        self.separate = self.variances
        """The part of the variances that branches do not share."""
        if fork.width == 1:
            return
        counts = [branch.copies for branch in fork.branches]
        shared = joins.ranked(shares, counts, min(fork.needed + 1, fork.width - 1))
        if not operations.all(shared == 0):
            part = _not_shared(shared, operations)
            self.separate = tuple(variance * part for variance in self.variances)

    def branches(self, variances: Sequence[Value]) -> list[joins.BranchTimes]:
        """The branches as independent times."""
        known = zip(self.fork.branches, self.means, variances, strict=True)
        return [joins.BranchTimes(mean, variance, item.copies) for item, mean, variance in known]

    def mean(self) -> Value:
        """The mean time until enough have finished."""
        if self.fork.width == 1:
            return self.means[0]
        return joins.mean_joined(self.branches(self.separate), self.fork.needed)


def _moments(
    branch: BranchTime, waits: Waits, together: Sequence[Value], operations: Operations
) -> tuple[Value, Value, Value]:
    """Mean and variance of a branch, and the share of its time in which it waits for work that started together."""
    mean, variance = branch.first.mean_with(waits), branch.first.variance_with(waits)
    for fork in branch.forks:
        inner = join_time(fork, waits, together, operations)
        mean, variance = mean + fork.count * inner.mean, variance + fork.count * inner.variance
    behind = total(count * waits[index].mean * together[index] for index, count in branch.first.waits.items())
    return mean, variance, ratio(behind, mean)


def _not_shared(shared: Value, operations: Operations) -> Value:
    """The share of the variance that branches do not have in common."""
    if not getattr(shared, "free_symbols", ()):
        # The wait at a station whose rate grows with the number present may be negative.
        shared = operations.maximum([shared, 0.0 * shared])
    root = (shared + operations.sqrt(shared * (shared + 8.0))) / 4.0
    return (1.0 + 2.0 * root - root**2) / (1.0 + root) ** 2


class Breakdown(Record):
    """The time of a parallel step by branch and by station."""

    fork: Parallel
    joined: JoinTime
    awaited: tuple[Value, ...]
    """By branch: the probability that one of its copies is the last that the step waits for."""
    parts: Mapping[Key, Value]
    """Seconds of one execution, by the station at which they are spent; they sum to its mean."""
    served: Mapping[Key, Value]
    """The part of these that is not waiting."""


def breakdown(fork: Parallel, waits: Waits, together: Sequence[Value], operations: Operations) -> Breakdown:
    """A parallel step with its time divided by branch and by station; arguments as of `join_time`.

    A branch counts with the probability that the step waits for it, and is divided in proportion to its mean time.

    fork        the parallel step.
    waits       by stream.
    together    by stream.
    operations  of floats or of arrays.
    """
    joined = join_time(fork, waits, together, operations)
    shares = _awaited(fork, joined)
    spent: dict[Key, Value] = {}
    served: dict[Key, Value] = {}
    for branch, mean, share in zip(fork.branches, joined.means, shares, strict=True):
        weight = joined.mean * ratio(share, mean)
        parts = [(key, duration.mean_with(waits), duration.mean) for key, duration in branch.spent.items()]
        for inner in branch.forks:
            step = breakdown(inner, waits, together, operations)
            parts += [(key, inner.count * step.parts[key], inner.count * step.served[key]) for key in step.parts]
        for key, part, service in parts:
            spent[key] = spent.get(key, 0.0) + weight * part
            served[key] = served.get(key, 0.0) + weight * service
    return Breakdown(fork, joined, shares, spent, served)


def _awaited(fork: Parallel, joined: JoinTime) -> tuple[Value, ...]:
    if len(fork.branches) == 1:
        return (1.0,)
    return joins.decisive(
        [
            joins.BranchTimes(mean, variance, item.copies)
            for item, mean, variance in zip(fork.branches, joined.means, joined.variances, strict=True)
        ],
        fork.needed,
    )
