"""Parallel steps without others inside them, as arrays: what a round over many points and few branches needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from qnet.expression import Value
from qnet.lazy import Array, lazy, np
from qnet.networks.parallel.branches import Parallel
from qnet.networks.streams import LONGEST, Key, Stream
from qnet.queues.arithmetic import summed
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.queues import joins
else:
    joins = lazy("qnet.queues.joins")


class Request(Record):
    """A request of a closed class for a queueing station in a branch."""

    number: int
    """Of its stream, from 0."""
    stream: Stream
    demand: Value
    """Seconds that its class asks of the station in a passage."""
    visits: Value
    """How often it comes there in a passage."""
    copies: int
    """Of the station."""
    ordered: bool
    """Whether all visits of a class have the same wait."""


class _Requests(Record):
    """Requests, one after the other, as arrays of one row for each point, or one for all."""

    rows: Any
    """(Q,) among the demands; `kinds` their classes."""
    kinds: Any
    ordered: Any
    """(Q,)"""
    demand: Any
    """(p, Q) seconds in a passage."""
    never: Any
    """(p, Q) whether nothing is asked."""
    visits: Any
    """(p, Q) above 0."""
    mean: Any
    """(p, Q) seconds of a visit."""
    times: Any
    """(p, Q) visits per passage, to all copies."""


class _Fork(Record):
    """A parallel step, as arrays of one row for each point, or one for all; of B branches."""

    kind: int
    """The class."""
    copies: tuple[int, ...]
    """By branch."""
    needed: int
    rank: int
    """Of the share that counts."""
    often: Any
    """(p,) executions in a passage."""
    mean: Any
    """(p, B) seconds, and square seconds, without waits."""
    variance: Any
    counts: Any
    """(p, B, Q) how often each request is waited for; `together` times the share that started together."""
    together: Any

    def time(self, waits: Array, variances: Array) -> Any:
        """(P,) seconds that its executions in a passage last, given what requests wait: (P, Q) each."""
        mean = self.mean + summed(self.counts * waits[:, None])
        variance = self.variance + summed(self.counts * variances[:, None])
        behind = summed(self.together * waits[:, None])
        shared = joins.at_rank((behind / (mean + (mean == 0))).T, self.copies, self.rank)
        if shared.any():
            shared = np.maximum(shared, 0.0)
            root = (shared + np.sqrt(shared * (shared + 8.0))) / 4.0
            variance = variance * ((1.0 + 2.0 * root - root**2) / (1.0 + root) ** 2)[:, None]
        return self.often * joins.mean_of(np.stack([mean.T, variance.T], axis=1), self.copies, self.needed)


class Plain(Record):
    """The parallel steps of a network, and the requests in their branches."""

    requests: _Requests
    forks: tuple[_Fork, ...]

    def part(self, chosen: Any) -> Plain:
        """That of some points of the batch."""
        return Plain(_part(self.requests, chosen), tuple(_part(fork, chosen) for fork in self.forks))

    def extra(self, residence: Array) -> Array:
        """(P, R) seconds by class that parallel steps last, less the time that is spent in their branches; of (P, K, R)
        seconds in a passage at every copy."""
        asked = self.requests
        spent = residence[:, asked.rows, asked.kinds]
        idle = (spent == 0) | asked.never
        each: Array = asked.mean * np.maximum(spent / (asked.demand + idle) - 1.0 + idle, 0.0)
        if asked.ordered.any():
            each = np.where(asked.ordered, np.maximum(spent - asked.demand, 0.0) / asked.visits, each)
        known = np.minimum(each, LONGEST)
        variances = known * (known + 2.0 * asked.mean)
        result = np.zeros((len(residence), residence.shape[2]))
        less: Array = asked.times * (asked.mean + each)
        for number, kind in enumerate(asked.kinds.tolist()):
            result[:, kind] -= less[:, number]
        for fork in self.forks:
            result[:, fork.kind] += fork.time(each, variances)
        return result


def plain(
    requests: Sequence[Request],
    forks: Sequence[tuple[int, Value, Parallel]],
    identical: Sequence[Value],
    first_rows: Mapping[Key, int],
    size: int,
) -> Plain | None:
    """The parallel steps of a batch as arrays; None where they have others inside them, repeated parts that happen a
    fraction of a time, or one branch.

    requests    those of closed classes in branches.
    forks       by step: its class, and how often the routes of that class take it.
    identical   by stream: the share of work that started together, as of `branches.join_time`.
    first_rows  of every group of copies: the row of its first copy among the demands.
    size        the points of the batch.
    """
    branches = [branch for _, _, fork in forks for branch in fork.branches]
    if any(branch.forks or branch.first.fractions for branch in branches) or any(fork.width == 1 for *_, fork in forks):
        return None
    column_of = {item.number: column for column, item in enumerate(requests)}

    def column(values: Sequence[Value]) -> Array:
        return _column(values, size)

    asked = _Requests(
        rows=np.array([first_rows[item.stream.station, item.stream.group] for item in requests], int),
        kinds=np.array([item.stream.class_index for item in requests], int),
        ordered=np.array([item.ordered for item in requests], bool),
        demand=column([item.demand for item in requests]),
        never=column([item.demand for item in requests]) == 0,
        visits=column([item.visits + (item.visits == 0) for item in requests]),
        mean=column([item.stream.holding.mean for item in requests]),
        times=column([item.copies * item.stream.rate for item in requests]),
    )
    result: list[_Fork] = []
    for kind, probability, fork in forks:
        waited = [
            [(column_of[index], count, index) for index, count in branch.first.waits.items() if index in column_of]
            for branch in fork.branches
        ]
        zero = [[0.0] * len(requests) for _ in waited]
        counts, together = [list[Value](row) for row in zero], [list[Value](row) for row in zero]
        for number, row in enumerate(waited):
            for index, count, stream in row:
                counts[number][index], together[number][index] = count, count * identical[stream]
        shape = len(fork.branches), len(requests)
        result.append(
            _Fork(
                kind=kind,
                copies=tuple(branch.copies for branch in fork.branches),
                needed=fork.needed,
                rank=min(fork.needed + 1, fork.width - 1),
                often=column([probability * fork.count])[:, 0],
                mean=column([branch.first.mean for branch in fork.branches]),
                variance=column([branch.first.variance for branch in fork.branches]),
                counts=column([item for row in counts for item in row]).reshape(-1, *shape),
                together=column([item for row in together for item in row]).reshape(-1, *shape),
            )
        )
    return Plain(asked, tuple(result))


def _column(values: Sequence[Value], size: int) -> Array:
    """(p, n) numbers, a row for each point of a batch where any differs, else one for all."""
    several = any(getattr(value, "ndim", 0) for value in values)
    shape = (size if several else 1,)
    return np.stack([np.broadcast_to(np.asarray(value, float), shape) for value in values], axis=1)


def _part(record: Any, chosen: Any) -> Any:
    """The rows of some points, of arrays that have one for each."""
    rows: Any = {"demand", "never", "visits", "mean", "times", "often", "variance", "counts", "together"}
    changed = {name: value[chosen] for name, value in record.as_dict().items() if name in rows and len(value) > 1}
    return record.replace(**changed) if changed else record
