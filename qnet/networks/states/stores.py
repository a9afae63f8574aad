"""The figures of buffers, by a solved chain."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from qnet.expression import Operations, Value
from qnet.networks.capacity.flows import drain_rate
from qnet.networks.duration import Wait
from qnet.networks.routed import RoutedNetwork
from qnet.networks.solution import BufferFigures
from qnet.networks.states.figures import SolvedChain
from qnet.networks.streams import Streams
from qnet.queues.arithmetic import ratio


def buffers(
    network: RoutedNetwork,
    compiled: Streams,
    waits: Sequence[Wait],
    result: Sequence[SolvedChain],
    column: Callable[[Sequence[float]], Value],
    operations: Operations,
) -> tuple[BufferFigures, ...]:
    """The figures of all buffers.

    compiled  the streams at the rates of the visits that are made, with their waits.
    result    the solved chain of every point.
    column    makes a number, or an array, of those of the points.
    Laws      The mean wait for places is the mean number of waiting customers over how many a second have to
              (Little). The places are filled as fast as they are requested while the buffer is empty.
    """
    listed: list[BufferFigures] = []
    for number, buffer in enumerate(network.buffers):
        full = [item.full[number] for item in result]
        offered = column([item.offered for item in full])
        refused = column([item.refused for item in full])
        carried = offered - refused if buffer.loses else offered
        late = 0.0 * offered
        if not buffer.loses:
            late = ratio(column([item.waiting for item in full]), column([item.late for item in full]))
        rate, label = drain_rate(buffer, network, compiled, waits, carried, operations)
        growing = column([item.coming for item in full]) - rate
        grows = (growing > 0) & (rate > 0)
        fill = operations.where(grows, buffer.places / operations.where(grows, growing, 1.0), float("inf"))
        occupancy = column([item.occupancy for item in full])
        listed.append(
            BufferFigures(
                name=buffer.name,
                places=buffer.places,
                offered=offered,
                throughput=carried,
                occupancy=occupancy,
                found_full=ratio(refused, offered),
                delay_when_full=late,
                drain_rate=rate,
                time_to_fill=fill,
                drained_by=label,
            )
        )
    return tuple(listed)
