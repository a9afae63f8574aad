"""When the answer for an open network is exact, and the reasons when it is not."""

from __future__ import annotations

from qnet.expression import Operations, Value
from qnet.networks.network import Network, Station
from qnet.networks.streams import Stream, Streams


def reasons_for(network: Network, compiled: Streams, operations: Operations) -> tuple[str, ...]:
    """Why the closed-form answer is an approximation; empty where theory makes it exact.

    Exact are product-form networks: every queueing station is processor sharing, last come first served preemptive
    resume with one server, or first come first served with one exponential service time for all its visits; and a
    single M/G/1 station that is visited at most once.
    """
    reasons: list[str] = []
    if any(stream.holder for stream in compiled.streams):
        reasons.append("a station is held while another is waited for")
    if compiled.deferred:
        reasons.append("work left after the response is taken as an independent stream")
    if any(stream.priority for stream in compiled.streams):
        reasons.append("priorities")
    queues = [station for station in network.stations if not station.delay]
    alone = len(queues) == 1 and _visited_once(compiled)
    for station in queues:
        own = [stream for stream in compiled.streams if stream.station == station.name]
        reason = _station_reason(station, own, alone, operations)
        if reason:
            reasons.append(f"{station.name}: {reason}")
    return tuple(dict.fromkeys(reasons))


def _visited_once(compiled: Streams) -> bool:
    return len(compiled.streams) == len({(stream.class_index, stream.group) for stream in compiled.streams})


def _station_reason(station: Station, own: list[Stream], alone: bool, operations: Operations) -> str:
    if station.discipline == "ps" or not own:
        return ""
    if station.discipline == "lcfs-pr":
        return "last come first served with several servers" if station.servers > 1 else ""
    if alone and station.servers == 1:
        return ""
    means = [stream.first.mean + stream.second.mean for stream in own]
    if not all(_close(mean, means[0], operations) for mean in means):
        return "service times differ between its visits"
    if not all(_exponential(stream, operations) for stream in own):
        return "service times are not exponential"
    return ""


def _close(value: Value, other: Value, operations: Operations) -> bool:
    return operations.all(operations.compare("<=", operations.absolute(value - other), 1e-12 * operations.absolute(other)))


def _exponential(stream: Stream, operations: Operations) -> bool:
    if stream.scv is not None:
        return _close(stream.scv, stream.scv * 0 + 1.0, operations)
    square = (stream.first.mean + stream.second.mean) ** 2
    return _close(stream.first.variance + stream.second.variance, square, operations)
