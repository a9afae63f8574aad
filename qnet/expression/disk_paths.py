"""The time lost by disks that share paths without buffers: a disk that finds no path free tries again a revolution
later."""

from __future__ import annotations

from qnet.expression.operations import Operations, Value

_SURELY = 1 - 1e-9
"""Paths that are always busy let a disk in after this many misses at last: more than any system can have."""


def missed_revolutions(values: list[Value], operations: Operations) -> Value:
    """How many revolutions a disk loses on average before it gets a path: p / (1 - p).

    values  the paths that are busy on average b, all paths m, and the disks d that share them evenly; plain numbers.
    Method  A disk that does not transfer finds one path busy with the others with the probability (b - b / d) / m over
            1 - b / d, and all paths with its power m, as if they were busy independently; a free one is taken, and
            every attempt finds the same. For one path this is (U - U / d) / (1 - U).
    Returns 0 where every disk has a separate path.
    Limits  Disks loaded evenly, transfers short compared with a revolution. The station of the paths must not be waited
            for: a delay, whose `busy_servers` are the first argument.
    Source  @lazowska1984: algorithm 10.2 for one path, section 10.5.3 for several with dynamic reconnection.
    """
    busy, paths, disks = values
    idle = operations.maximum([1 - busy / disks, operations.number(1 - _SURELY)])
    one = operations.minimum([busy * (1 - 1 / disks) / paths / idle, operations.number(1.0)])
    every = operations.minimum([operations.power(one, paths), operations.number(_SURELY)])
    shared = operations.compare(">", disks, paths)
    return operations.where(shared, every / (1 - every), operations.number(0.0))
