"""Rotational position sensing misses: a disk without a buffer that finds no path free retries a revolution later."""

from __future__ import annotations

from qnet.expression.operations import Operations, Value

_SURELY = 1 - 1e-9
"""The largest miss probability: 1e9 revolutions lost, more than any real system can have."""


def missed_revolutions(values: list[Value], operations: Operations) -> Value:
    """The mean number of revolutions that a disk loses before it gets a path: p / (1 - p).

    values  the mean number b of busy paths, the number m of paths, and the number d of disks that share them evenly.
    Method  A disk that does not transfer finds one path busy with the others with the probability (b - b / d) / m over
            1 - b / d, and all paths with its power m, as if they were busy independently; a free one is taken, and
            every attempt finds the same. For one path this is (U - U / d) / (1 - U).
    Returns 0 where every disk has a separate path.
    Limits  Disks loaded evenly, transfers short compared with a revolution. The station of the paths must not have a
            queue: a delay, whose `busy_servers` are the first argument.
    Source  @lazowska1984: algorithm 10.2 for one path, section 10.5.3 for several with dynamic reconnection.
    """
    busy, paths, disks = values
    idle = operations.maximum([1 - busy / disks, operations.number(1 - _SURELY)])
    path_busy = operations.minimum([busy * (1 - 1 / disks) / paths / idle, operations.number(1.0)])
    all_busy = operations.minimum([operations.power(path_busy, paths), operations.number(_SURELY)])
    shared = operations.compare(">", disks, paths)
    return operations.where(shared, all_busy / (1 - all_busy), operations.number(0.0))
