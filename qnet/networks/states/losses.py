"""Losses in a solved chain: the visits that are made, the shares that find a place, and the passages that end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from qnet.expression import Operations, Value
from qnet.networks.capacity.closed_network import as_open
from qnet.networks.capacity.flows import Losses, flows_with_losses
from qnet.networks.routed import ClosedClass, Hold, OpenClass, Route, RoutedNetwork
from qnet.networks.states.program import Program
from qnet.networks.streams import Key, Streams
from qnet.queues.arithmetic import ratio, total


def carried(network: RoutedNetwork, compiled: Streams, often: Mapping[int, Value]) -> Streams:
    """The streams at the rates of the visits that are made, where some passages end early.

    network   with all its visits.
    compiled  its streams.
    often     by stream: visits per second, to all copies.
    """
    number = copies(network)
    return compiled.replace(
        streams=tuple(
            stream.replace(rate=often[index] / number[stream.station, stream.group]) if index in often else stream
            for index, stream in enumerate(compiled.streams)
        )
    )


def copies(network: RoutedNetwork) -> dict[Key, int]:
    """The number of copies in every group.

    network   any.
    """
    return {
        (station.name, index): group.copies
        for station in network.stations
        for index, group in enumerate(station.groups)
    }


def kept_shares(
    network: RoutedNetwork, made: Program, compiled: Streams, passing: Callable[[int], Value]
) -> dict[Key, Value]:
    """The shares of the visits that find a place, by group of copies of a station with a capacity.

    network   with all its visits.
    made      its program.
    compiled  its streams, at the rates of the visits that are made.
    passing   customers per second that pass a mark.
    """
    number = copies(network)
    kept: dict[Key, Value] = {}
    for key, mark in made.losing.items():
        there = total(item.rate for item in compiled.streams if (item.station, item.group) == key) * number[key]
        offered = there + passing(mark)
        kept[key] = ratio(there + (offered == 0), offered + (offered == 0))
    return kept


def lost(network: RoutedNetwork, made: Program) -> Iterator[int]:
    """The marks that count lost customers, at stations and at buffers.

    network   with all its visits.
    made      its program.
    """
    yield from made.losing.values()
    losing = {buffer.name for buffer in network.buffers if buffer.loses}
    for store in made.stores:
        if store.name in losing:
            yield from store.refused.values()


def completing(
    network: RoutedNetwork,
    made: Program,
    compiled: Streams,
    kept: Mapping[Key, Value],
    begun: Sequence[Value],
    throughputs: Sequence[Value],
    passing: Callable[[int], Value],
    operations: Operations,
) -> RoutedNetwork:
    """The network with the visits and the shares of routes of the passages that end; chains as they are.

    network      with all its visits.
    made         its program.
    compiled     its streams, at the rates of the visits that are made.
    kept         of `kept_shares`.
    begun        passages per second of every class that begin.
    throughputs  those that end.
    passing      customers per second that pass a mark.
    operations   of the numbers.
    Method   The shares of routes are counted in the chain, and so are the visits where customers are lost before they
             have spent any time: then all visits are of passages that end. Otherwise each loss is taken as independent
             of all others.
    """
    buffers: dict[str, Value] = {}
    for store in made.stores:
        asked = total(amount * passing(mark) for amount, mark in store.asked.items()) + 0.0
        refused = total(amount * passing(mark) for amount, mark in store.refused.items()) + 0.0
        buffers[store.name] = 1.0 - ratio(refused, asked)
    nothing = dict.fromkeys(buffers, (0.0, 1.0))
    positive: dict[Key, Value] = {
        (item.name, index): 1.0
        for item in network.stations
        if item.capacity is not None
        for index in range(len(item.groups))
    }
    positive |= {key: share + (share == 0) for key, share in kept.items()}
    flows = flows_with_losses(as_open(network, begun), Losses(positive, buffers, nothing), operations)
    classes: list[OpenClass | ClosedClass] = []
    for index, (item, ended) in enumerate(zip(network.classes, flows.completing.classes, strict=True)):
        routes: list[Route] = []
        for number, (stated, route) in enumerate(zip(item.routes, ended.routes, strict=True)):
            throughput = throughputs[index]
            if len(item.routes) > 1 and not item.chain:
                throughput = passing(made.routes[index, number])
                share = ratio(throughput, throughputs[index])
                # Without passages the shares are those stated.
                route = route.replace(probability=share + (throughputs[index] == 0) * stated.probability)
            if made.early:
                route = _counted(network, compiled, index, route, throughput)
            routes.append(route)
        classes.append(item if item.chain else item.replace(routes=tuple(routes)))
    return network.replace(stations=flows.completing.stations, classes=tuple(classes))


def _counted(network: RoutedNetwork, compiled: Streams, class_index: int, route: Route, ended: Value) -> Route:
    """A route with the visits to a station with a capacity that its passages make, all of which end.

    ended   passages per second.
    """
    limited = {item.name for item in network.stations if item.capacity is not None}
    number = copies(network)
    steps = list(route.steps)
    for index, step in enumerate(steps):
        if isinstance(step, Hold) and step.station in limited:
            visits = total(
                item.rate * number[item.station, item.group]
                for item in compiled.streams
                if (item.class_index, item.route, item.station) == (class_index, route.name, step.station)
            )
            steps[index] = step.replace(visits=ratio(visits, ended) + (ended == 0) * step.visits)
    return route.replace(steps=tuple(steps))
