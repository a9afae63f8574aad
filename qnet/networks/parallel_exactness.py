"""When the answer for parallel steps is exact, and the reasons when it is not."""

from __future__ import annotations

from collections.abc import Iterator

from qnet.expression import Operations, Value
from qnet.networks.beyond import Beyond, close, exponential
from qnet.networks.joined_classes import left_running
from qnet.networks.parallel import BranchTime, Parallel
from qnet.networks.routed import Group, RoutedNetwork, Station
from qnet.networks.streams import Key, Stream, Streams
from qnet.queues.arithmetic import ratio, total

_WIDEST = 10
"""The most branches of a step that is trusted."""
_REASON = "parallel branches are joined as independent times, less what they wait in common"


def parallel_reasons(network: RoutedNetwork, compiled: Streams, operations: Operations) -> Iterator[str]:
    """Why the response of parallel steps is an approximation; nothing where it is exact, or where there are none.

    Exact are branches of one exponential or constant delay each, whatever else there is; and two like branches of one
    exponential server each, in an open network whose only queues they are.

    Source   Flatto, Hahn, SIAM J. Appl. Math. 44 (1984) 1041-1053; Nelson, Tantawi, IEEE Trans. Computers 37 (1988)
             739-743.
    """
    forks = [fork for route in compiled.routes for fork in route.forks if fork.width > 1]
    if not forks:
        return
    if all(_of_delays(fork, network, compiled, operations) for fork in forks):
        return
    if _two_alike(network, compiled, forks, operations):
        return
    found = _outside(network, compiled, forks, operations)
    yield Beyond(_REASON, "QN660", "; ".join(found)) if found else _REASON


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


def _two_alike(network: RoutedNetwork, compiled: Streams, forks: list[Parallel], operations: Operations) -> bool:
    """Whether the only queues are two exponential servers that are asked together."""
    groups: list[tuple[Key, Station, Group]] = [
        ((station.name, place), station, group)
        for station in network.stations
        if not station.delay
        for place, group in enumerate(station.groups)
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


def _outside(network: RoutedNetwork, compiled: Streams, forks: list[Parallel], operations: Operations) -> list[str]:
    """What is beyond the region in which errors were measured as small, in words."""
    found: list[str] = []
    crowded = [name for fork in forks for name in _crowded(fork, network, compiled, operations)]
    if crowded:
        found.append(f"branches that start together meet at {' and '.join(dict.fromkeys(crowded))}, which is left out")
    if left_running(network, compiled):
        found.append("closed customers go on before all branches have finished, and meet what they have left")
    if any(fork.width > _WIDEST for fork in forks):
        found.append(f"a parallel step has more than {_WIDEST} branches")
    asked = {index for fork in forks for branch in fork.branches for index in branch.asked}
    delays = {station.name for station in network.stations if station.delay}
    own = {(item.class_index, item.station, item.group) for item in map(compiled.streams.__getitem__, sorted(asked))}
    again = [stream.station for index, stream in enumerate(compiled.streams)
             if index not in asked and (stream.class_index, stream.station, stream.group) in own
             and stream.station not in delays and not operations.all(stream.rate == 0)]  # fmt: skip
    if again:
        names = " and ".join(dict.fromkeys(again))
        found.append(f"customers of parallel branches come to {names} before or after them as well")
    odd = [stream.station for index, stream in enumerate(compiled.streams) if index in asked
           if stream.station not in delays and not exponential(stream, operations)]  # fmt: skip
    orders = {station.name: station.in_line for station in network.stations}
    shared = [compiled.streams[index].station for fork in forks if fork.needed < fork.width
              for branch in fork.branches for index in branch.asked]  # fmt: skip
    shared = [name for name in shared if name not in delays and not orders[name]]
    if shared:
        names = " and ".join(dict.fromkeys(shared))
        found.append(f"not all branches are waited for, and service is shared at {names}")
    if odd:
        found.append(f"service times in parallel branches are not exponential at {' and '.join(dict.fromkeys(odd))}")
    return found


def _crowded(fork: Parallel, network: RoutedNetwork, compiled: Streams, operations: Operations) -> Iterator[str]:
    """The queueing stations at one copy of which several branches of a step meet."""
    for station in network.stations:
        for place, group in enumerate(station.groups if not station.delay else ()):
            met: Value = 0.0
            for branch in fork.branches:
                met = met + operations.minimum([_visits(branch, (station.name, place), group, compiled), 1.0]) * (
                    branch.copies / group.copies
                )
            if not operations.all(operations.compare("<=", met, 1.0 + 1e-9)):
                yield station.name


def _visits(branch: BranchTime, key: Key, group: Group, compiled: Streams) -> Value:
    """How often one copy of a branch comes to a group of copies."""
    streams = [compiled.streams[index] for index in branch.asked]
    own: list[Stream] = [stream for stream in streams if (stream.station, stream.group) == key]
    visits = [ratio(stream.rate, stream.started) for stream in own]
    return total(visits) * group.copies / branch.copies
