"""Whether the answer for parallel steps is exact, and the reasons why not."""

from __future__ import annotations

from collections.abc import Iterator

from qnet.expression import Operations, Value
from qnet.networks.parallel.branches import BranchTime, Parallel
from qnet.networks.parallel.closed import left_running
from qnet.networks.reasons import Beyond, Inexact, Reason
from qnet.networks.routed import ClosedClass, Group, RoutedNetwork, Station
from qnet.networks.streams import Key, Stream, Streams, exponential
from qnet.queues.arithmetic import close, ratio, total

_WIDEST = 10
"""The largest number of branches for which errors were measured."""


def parallel_reasons(network: RoutedNetwork, compiled: Streams, operations: Operations) -> Iterator[Inexact]:
    """Why the response of parallel steps is an approximation; nothing where it is exact, or where there are none.

    Exact are branches of one exponential or constant delay each, whatever else there is; and two identical branches of
    one exponential server each, in an open network without other queues.

    network     the network.
    compiled    its streams.
    operations  of the numbers.
    Returns     at most one reason, with the uses for which errors were not measured, if any.
    Source      @flatto1984; @nelson1988.
    """
    forks = [fork for route in compiled.routes for fork in route.forks if fork.width > 1]
    if not forks:
        return
    if all(_of_delays(fork, network, compiled, operations) for fork in forks):
        return
    if _two_identical(network, compiled, forks, operations):
        return
    causes = _not_measured(network, compiled, forks, operations)
    reason = Reason("joined branches")
    yield Beyond(reason, "QN660", "; ".join(causes)) if causes else Inexact(reason)


def _of_delays(fork: Parallel, network: RoutedNetwork, compiled: Streams, operations: Operations) -> bool:
    """Whether every branch is one delay of a known distribution."""
    delays = {station.name for station in network.stations if station.delay}
    return all(
        not branch.forks
        and branch.single
        and all(compiled.streams[index].station in delays for index in branch.asked)
        and (
            operations.all(branch.first.variance == 0) or close(branch.first.variance, branch.first.mean**2, operations)
        )
        for branch in fork.branches
    )


def _two_identical(network: RoutedNetwork, compiled: Streams, forks: list[Parallel], operations: Operations) -> bool:
    """Whether the only queues are two exponential servers that are used in parallel."""
    groups: list[tuple[Key, Station, Group]] = [
        ((station.name, index), station, group)
        for station in network.stations
        if not station.delay
        for index, group in enumerate(station.groups)
    ]
    members = compiled.members()
    used = [(members[key], station, group) for key, station, group in groups if members[key]]
    if network.closed or len(forks) != 1 or forks[0].width != 2 or sum(group.copies for _, _, group in used) != 2:
        return False
    streams = [compiled.streams[index] for indices, _, _ in used for index in indices]
    return (
        len(streams) == len(used)
        and sum(len(branch.asked) for branch in forks[0].branches) == len(streams)
        and all(branch.single and not branch.forks for branch in forks[0].branches)
        and all(
            station.servers == 1 and station.rates is None and station.discipline == "fcfs" for _, station, _ in used
        )
        and all(exponential(stream, operations) and stream.first.waits == {} for stream in streams)
        and all(close(stream.holding.mean, streams[0].holding.mean, operations) for stream in streams)
        and all(close(stream.rate, stream.started, operations) for stream in streams)
    )


def _not_measured(
    network: RoutedNetwork, compiled: Streams, forks: list[Parallel], operations: Operations
) -> list[str]:
    """The uses of parallel steps for which errors were not measured as small, in words."""
    causes: list[str] = []
    crowded = [name for fork in forks for name in _crowded(fork, network, compiled, operations)]
    if crowded:
        names = " and ".join(dict.fromkeys(crowded))
        causes.append(f"branches that start together queue behind each other at {names}, which is neglected")
    if left_running(network, compiled):
        causes.append("closed customers continue before all branches have finished, and queue behind the rest of them")
    if any(fork.width > _WIDEST for fork in forks):
        causes.append(f"a parallel step has more than {_WIDEST} branches")
    started = {index for fork in forks for branch in fork.branches for index in branch.asked}
    delays = {station.name for station in network.stations if station.delay}
    used = {(item.class_index, item.station, item.group) for item in map(compiled.streams.__getitem__, sorted(started))}
    again = [stream.station for index, stream in enumerate(compiled.streams)
             if index not in started and (stream.class_index, stream.station, stream.group) in used
             and stream.station not in delays and not operations.all(stream.rate == 0)]  # fmt: skip
    if again:
        names = " and ".join(dict.fromkeys(again))
        causes.append(f"customers of parallel branches also visit {names} before or after them")
    several = {station.name for station in network.stations if station.servers > 1} - delays
    served = [name for key in sorted(used) if (name := key[1]) in several
              and isinstance(network.classes[key[0]], ClosedClass)]  # fmt: skip
    if served:
        names = " and ".join(dict.fromkeys(served))
        causes.append(f"closed customers have branches at several servers, {names}, where they seem to wait too long")
    in_order = {station.name: station.in_line for station in network.stations}
    shared = [compiled.streams[index].station for fork in forks if fork.needed < fork.width
              for branch in fork.branches for index in branch.asked]  # fmt: skip
    shared = [name for name in shared if name not in delays and not in_order[name]]
    if shared:
        names = " and ".join(dict.fromkeys(shared))
        causes.append(f"not all branches are waited for, and service is shared at {names}")
    other = [stream.station for index, stream in enumerate(compiled.streams) if index in started
             if stream.station not in delays and not exponential(stream, operations)]  # fmt: skip
    if other:
        names = " and ".join(dict.fromkeys(other))
        causes.append(f"service times in parallel branches are not exponential at {names}")
    return causes


def _crowded(fork: Parallel, network: RoutedNetwork, compiled: Streams, operations: Operations) -> Iterator[str]:
    """The queueing stations at one copy of which several branches of a step may meet."""
    for station in network.stations:
        for index, group in enumerate(station.groups if not station.delay else ()):
            branches: Value = 0.0
            for branch in fork.branches:
                visits = operations.minimum([_visits(branch, (station.name, index), group, compiled), 1.0])
                branches = branches + visits * (branch.copies / group.copies)
            if not operations.all(operations.compare("<=", branches, 1.0 + 1e-9)):
                yield station.name


def _visits(branch: BranchTime, key: Key, group: Group, compiled: Streams) -> Value:
    """Visits of one copy of a branch to a group of copies."""
    streams = [compiled.streams[index] for index in branch.asked]
    there: list[Stream] = [stream for stream in streams if (stream.station, stream.group) == key]
    return total([ratio(stream.rate, stream.started) for stream in there]) * group.copies / branch.copies
