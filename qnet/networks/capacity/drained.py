"""How fast the places of a buffer can be freed, and where."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.expression import Operations, Value
from qnet.networks.duration import Wait
from qnet.networks.routed import RoutedNetwork
from qnet.networks.streams import Streams
from qnet.queues.arithmetic import total


def drain_rate(
    name: str, network: RoutedNetwork, compiled: Streams, waits: Sequence[Wait], carried: Value, operations: Operations
) -> tuple[Value, str]:
    """The places of a buffer per second that can be freed at most, and the station that limits it.

    name      of the buffer.
    waits     by stream.
    carried   places per second that are freed.
    Returns   0 where none are.
    Law       Utilization: what other work leaves of the servers, over what freeing a place asks of them.
    """
    where = operations.where
    rate: Value = None
    label = ""
    for station in network.stations:
        for index, group in enumerate(station.groups):
            own = [item for item in compiled.streams if (item.station, item.group) == (station.name, index)]
            if not any(item.drains == name for item in own):
                continue
            busy, other = (
                total(item.rate * item.holding.mean_with(waits) for item in own if drains == (item.drains == name))
                for drains in (True, False)
            )
            nothing = busy <= 0
            able = where(nothing, 0.0 * carried, carried * (station.peak - other) / where(nothing, 1.0, busy))
            if rate is None or operations.all((able < rate) | (rate == 0)):
                label = group.label
            rate = able if rate is None else where((able > 0) & ((able < rate) | (rate == 0)), able, rate)
    return rate, label
