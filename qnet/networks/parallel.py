"""Parallel steps: branches that start together, and the time until enough of them have finished.

Branches are taken as independent, each with the mean that the waits at its stations give it, and with what of its
variance is its own: as far as they wait behind work of the same passages they find long queues in all branches or in
none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from qnet.errors import NotComputed, Problem
from qnet.expression import Operations, Value
from qnet.lazy import lazy
from qnet.networks.duration import Duration, Wait
from qnet.networks.routed import ClosedClass, RoutedNetwork
from qnet.queues.arithmetic import ratio, total
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.networks.streams import Stream, Streams
    from qnet.queues import joins
else:
    joins = lazy("qnet.queues.joins")

Waits = Sequence[Wait]
Key = tuple[str, int]
_CLOSED = 0.5
"""What closed classes have of the dependence of open ones, measured on small systems of 1 to 12 customers."""


class BranchTime(Record):
    """One kind of branch: what it is made of, apart from waits that are still to be found."""

    name: str
    copies: int
    first: Duration
    """Without inner parallel steps."""
    spent: Mapping[Key, Duration]
    """The same, by the station that each part is spent at."""
    forks: tuple[Parallel, ...]
    """Inner parallel steps."""
    asked: tuple[int, ...]
    """The streams that it starts."""
    single: bool
    """Whether it is one visit, or one delay."""


class Parallel(Record):
    """A parallel step."""

    branches: tuple[BranchTime, ...]
    needed: int
    """How many branches must have finished."""
    count: Value = 1.0
    """How often it is made in a passage."""

    @property
    def width(self) -> int:
        """How many branches there are."""
        return sum(branch.copies for branch in self.branches)


class Finished(Record):
    """What comes of a parallel step."""

    mean: Value
    """Seconds from the start of the branches until enough have finished."""
    variance: Value
    upper: Value
    """The mean if branches were independent."""
    means: tuple[Value, ...]
    """By branch: its own mean time."""
    variances: tuple[Value, ...]
    """By branch: what is its own, and not in common with others."""


def times(forks: tuple[Parallel, ...], count: Value) -> tuple[Parallel, ...]:
    """The same parallel steps, made so many times as often."""
    return tuple(fork.replace(count=fork.count * count) for fork in forks)


def refuse_held(enclosing: Sequence[str]) -> None:
    """Raise where branches would start while a station is held."""
    if enclosing:
        found = f'a parallel step while "{enclosing[-1]}" is held'
        help = "put the hold inside the branches, or before the parallel step"
        raise NotComputed(Problem("QN552", found, "parallel steps outside of holds", help=help))


def finished(fork: Parallel, waits: Waits, alike: Sequence[Value], operations: Operations) -> Finished:
    """When enough branches of a parallel step have finished, given what is waited at the stations.

    fork        the step.
    waits       by stream.
    alike       by stream: the share of those met there that started together with work of other branches.
    operations  those of the numbers.
    Returns     seconds; once, whatever the count of the step.
    Method      The order statistic of independent times by their moments (`queues.joins`), of which each has its mean
                and (1 + 2 q - q^2) / (1 + q)^2 of its variance, q = (c + sqrt(c (c + 8))) / 4: what branches have in
                common does not part them. c is the share of the time of a branch that is waiting behind work which
                started together; of n branches that at rank min(k + 1, n - 1), the smallest first.
    Exact       means of two like branches of one exponential server each, of open classes alone there: with c the
                utilization the time is (12 - c) / 8 of a branch; branches of one exponential or constant delay each.
    Limits      Branches that meet at one station wait for each other, which is left out.
    Source      Flatto, Hahn, SIAM J. Appl. Math. 44 (1984) 1041-1053, and Nelson, Tantawi, IEEE Trans. Computers 37
                (1988) 739-743, for two like branches; the use of their result for the variance of others: this tool.
    """
    known = _Branches(fork, waits, alike, operations)
    if fork.width == 1:
        return Finished(known.means[0], known.variances[0], known.means[0], known.means, known.variances)
    upper, variance = joins.joined(known.branches(known.variances), fork.needed)
    return Finished(known.lasting(), variance, upper, known.means, known.own)


def lasting(fork: Parallel, waits: Waits, alike: Sequence[Value], operations: Operations) -> Value:
    """The mean of `finished` alone, which takes half as long to find."""
    return _Branches(fork, waits, alike, operations).lasting()


class _Branches:
    """The branches of a parallel step, given what is waited."""

    def __init__(self, fork: Parallel, waits: Waits, alike: Sequence[Value], operations: Operations) -> None:
        self.fork = fork
        parts = [_moments(branch, waits, alike, operations) for branch in fork.branches]
        self.means, self.variances, shares = (tuple(column) for column in zip(*parts, strict=True))
        self.own = self.variances
        """What of the variances branches have not in common."""
        if fork.width == 1:
            return
        counts = [branch.copies for branch in fork.branches]
        shared = joins.ranked(shares, counts, min(fork.needed + 1, fork.width - 1))
        if not operations.all(shared == 0):
            apart = _apart(shared, operations)
            self.own = tuple(variance * apart for variance in self.variances)

    def branches(self, variances: Sequence[Value]) -> list[joins.Branch]:
        """The branches as independent times."""
        known = zip(self.fork.branches, self.means, variances, strict=True)
        return [joins.Branch(mean, variance, item.copies) for item, mean, variance in known]

    def lasting(self) -> Value:
        """The mean time until enough have finished."""
        if self.fork.width == 1:
            return self.means[0]
        return joins.joined(self.branches(self.own), self.fork.needed)[0]


def _moments(
    branch: BranchTime, waits: Waits, alike: Sequence[Value], operations: Operations
) -> tuple[Value, Value, Value]:
    """Mean and variance of a branch, and the share of it that is waiting behind what started together with others."""
    mean, variance = branch.first.mean_with(waits), branch.first.variance_with(waits)
    for fork in branch.forks:
        inner = finished(fork, waits, alike, operations)
        mean, variance = mean + fork.count * inner.mean, variance + fork.count * inner.variance
    together = total(count * waits[index].mean * alike[index] for index, count in branch.first.waits.items())
    return mean, variance, ratio(together, mean)


def _apart(shared: Value, operations: Operations) -> Value:
    """The share of the variance that branches do not have in common."""
    root = (shared + operations.sqrt(shared * (shared + 8.0))) / 4.0
    return (1.0 + 2.0 * root - root**2) / (1.0 + root) ** 2


class Step(Record):
    """A parallel step as it is told."""

    fork: Parallel
    whole: Finished
    awaited: tuple[Value, ...]
    """By branch: the probability that the step waits for it, one of its copies."""
    parts: Mapping[Key, Value]
    """Seconds by the station that they are spent at, whatever the count of the step; they sum to its mean."""
    served: Mapping[Key, Value]
    """Of these, those that are no wait."""


def told(fork: Parallel, waits: Waits, alike: Sequence[Value], operations: Operations) -> Step:
    """A parallel step with its time split by branch and by station; arguments as of `finished`.

    A branch counts with the probability that the step waits for it, and is split as its own mean time is.
    """
    whole = finished(fork, waits, alike, operations)
    shares = _awaited(fork, whole)
    spent: dict[Key, Value] = {}
    served: dict[Key, Value] = {}
    for branch, mean, share in zip(fork.branches, whole.means, shares, strict=True):
        weight = whole.mean * ratio(share, mean)
        parts = [(key, duration.mean_with(waits), duration.mean) for key, duration in branch.spent.items()]
        for inner in branch.forks:
            step = told(inner, waits, alike, operations)
            parts += [(key, inner.count * step.parts[key], inner.count * step.served[key]) for key in step.parts]
        for key, part, own in parts:
            spent[key] = spent.get(key, 0.0) + weight * part
            served[key] = served.get(key, 0.0) + weight * own
    return Step(fork, whole, shares, spent, served)


def _awaited(fork: Parallel, whole: Finished) -> tuple[Value, ...]:
    if len(fork.branches) == 1:
        return (1.0,)
    return joins.decisive(
        [
            joins.Branch(mean, variance, item.copies)
            for item, mean, variance in zip(fork.branches, whole.means, whole.variances, strict=True)
        ],
        fork.needed,
    )


def start_together(network: RoutedNetwork, compiled: Streams, operations: Operations) -> tuple[Value, ...]:
    """By stream: the share of what it meets at its station that started together with work of other branches.

    That is the share of the load there that its own route forks, times the chance that a step which comes to one copy
    of a station comes to another as well; half of it in closed classes, whose customers wait for each other less.
    """
    loads = [stream.rate * stream.holding.mean for stream in compiled.streams]
    found: list[Value] = [0.0] * len(loads)
    for members in compiled.members().values():
        own = [index for index in members if compiled.streams[index].started is not None]
        whole = total(loads[index] for index in members)
        for index in own:
            stream = compiled.streams[index]
            alike = total(loads[other] for other in own if _route(compiled.streams[other]) == _route(stream))
            met = operations.minimum([ratio(stream.rate, stream.started), 1.0])
            closed = isinstance(network.classes[stream.class_index], ClosedClass)
            found[index] = met * ratio(alike, whole) * (_CLOSED if closed else 1.0)
    return tuple(found)


def _route(stream: Stream) -> tuple[int, str]:
    return stream.class_index, stream.route
