"""Percentiles of the wait at one station of a network, where theory knows the distribution of the number found."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Value
from qnet.networks.exactness import ranked, reasons_for, station_reason
from qnet.networks.routed import ClosedClass, RoutedNetwork, Station, at_point
from qnet.networks.solution import Passages, RoutedSolution
from qnet.networks.solve import solve
from qnet.networks.streams import Stream, Streams
from qnet.networks.wanted import AUTO
from qnet.queues.erlang import erlang_c
from qnet.queues.roots import root
from qnet.record import Record


class _Wait(Record):
    """The wait of some of the visits: a random number of exponential stages, one after the other."""

    visits: float
    """Per second."""
    rate: float
    """Rate of each stage, per second."""
    beyond: Sequence[float]
    """The probabilities of more than 0, 1, ... stages."""

    def longer(self, time: float) -> float:
        """The probability of a longer wait than `time`, by the number of stages that a Poisson process completes."""
        mean = self.rate * time
        if len(self.beyond) == 1 or mean == 0:
            return self.beyond[0] * math.exp(-mean)
        spread = 13 * math.sqrt(mean) + 60
        first, last = max(0, int(mean - spread)), int(mean + spread)
        steps = np.log(mean / np.arange(first + 1, last + 1))
        logarithms = np.concatenate(([0.0], np.cumsum(steps)))
        ended = np.exp(logarithms - logarithms.max())
        known = np.asarray(self.beyond[first : last + 1])
        return float(ended[: len(known)] @ known / ended.sum())


def wait_percentile(solution: RoutedSolution, share: float, name: str) -> Value:
    """The wait that a share of the visits to a station does not exceed, per point.

    solution  a network of product form, with open or closed classes or both.
    share     in (0, 1).
    name      a station, first come first served; over the visits to all its copies.
    Returns   seconds; 0 where at least that share does not wait; meaningless where there is no steady state.
    Raises    `NotComputed` QN554 with the reason why the distribution is unknown.
    Method    Arrivals of an open class find what an outside observer sees, those of a closed class what one sees with
              one customer less of it (@lavenberg1980; @sevcik1981). They wait for one exponential stage of rate
              servers / service time for each customer present beyond the free servers. With open classes alone that is
              the wait of M/M/c; at a single server open classes stretch the stages of closed customers by
              1 / (1 - load), and add one more with the probability of their load.
    """
    if solution.passages is None:
        raise _refusal(name, "the method gives no distribution of the number found on arrival")
    size = solution.passages.network.size
    if size is None:
        return _at_point(solution.passages, share, name)
    steady = np.broadcast_to(solution.stable, (size,))
    points = (_one(solution.passages, index) if steady[index] else None for index in range(size))
    return np.array([math.nan if point is None else _at_point(point, share, name) for point in points])


def _one(passages: Passages, index: int) -> Passages:
    """One point of a batch."""
    return passages.replace(
        network=passages.network.point(index),
        compiled=at_point(passages.compiled, index),
        throughputs=at_point(passages.throughputs, index),
    )


def _at_point(passages: Passages, share: float, name: str) -> float:
    network, compiled = passages.network, passages.compiled
    (station,) = (item for item in network.stations if item.name == name)
    if station.delay:
        return 0.0
    requests = [item for item in compiled.streams if item.station == name and item.rate * item.holding.mean > 0]
    if reason := _unknown(network, compiled, station, requests):
        raise _refusal(name, reason)
    waits = list(_waits(passages, station, requests))
    visits = sum(item.visits for item in waits)
    wanted = (1 - share) * visits

    def excess(time: float) -> float:
        return wanted - sum(item.visits * item.longer(time) for item in waits)

    at_once = excess(0.0)
    if at_once >= 0:
        return 0.0
    if len(waits) == 1 and len(waits[0].beyond) == 1:
        return math.log(waits[0].beyond[0] / (1 - share)) / waits[0].rate
    high = 1 / min(item.rate for item in waits)
    while excess(high) < 0:
        high *= 2
    return float(root(excess, 0.0, high, at_once, excess(high), FLOATS))


def _unknown(network: RoutedNetwork, compiled: Streams, station: Station, requests: Sequence[Stream]) -> str:
    """Why the distribution of the wait is not known; empty where it is."""
    if not station.in_line or station.rates is not None:
        return "customers there are not served in order of arrival at a constant rate"
    if ranked(station, requests):
        return "some customers are served before others"
    if station_reason(station, list(requests), False, FLOATS):
        return "service times there are not exponential with one mean"
    if network.limited or network.profiles:
        return "the network has finite capacities, or times that depend on the number inside"
    if reasons := reasons_for(network, compiled, FLOATS):
        return f"the network has no product form: {reasons[0]}"
    if any(item.population % 1 for item in network.closed):
        return "a population is not an integer"
    mixed = len({isinstance(network.classes[item.class_index], ClosedClass) for item in requests}) > 1
    if mixed and station.servers > 1:
        return "open and closed classes share its servers"
    return ""


def _refusal(name: str, reason: str) -> NotComputed:
    help = f"wait('{name}') is the mean; qnet queue has percentiles of single stations of many kinds"
    return NotComputed(Problem("QN554", f'percentiles of the wait at "{name}" are not known: {reason}', help=help))


def _waits(passages: Passages, station: Station, requests: Sequence[Stream]) -> Iterator[_Wait]:
    """The waits at every group of copies, those of all open classes together and those of each closed class."""
    network = passages.network
    closed = {index for index, item in enumerate(network.classes) if isinstance(item, ClosedClass)}
    for number, group in enumerate(station.groups):
        streams = [stream for stream in requests if stream.group == number]
        arriving = [stream for stream in streams if stream.class_index not in closed]
        visits = sum(stream.rate for stream in arriving)
        load = sum(stream.rate * stream.holding.mean for stream in arriving)
        if streams and not any(stream.class_index in closed for stream in streams):
            rate = (station.servers - load) / streams[0].holding.mean
            yield _Wait(visits * group.copies, rate, [erlang_c(station.servers, load)])
            continue
        at_arrival: dict[int | None, Any] = {}
        for stream in streams:
            class_index = stream.class_index if stream.class_index in closed else None
            if class_index not in at_arrival:
                at_arrival[class_index] = _at_arrival(passages, class_index, group.label)
            tail = np.append(np.cumsum(at_arrival[class_index][::-1])[::-1], 0.0)
            waiting = load * tail[:-1] + (1 - load) * tail[1:] if load else tail[station.servers :]
            rate = (station.servers - load) / stream.holding.mean
            yield _Wait(stream.rate * group.copies, rate, waiting.tolist() or [0.0])


def _at_arrival(passages: Passages, class_index: int | None, label: str) -> Any:
    """The probabilities that an arriving customer finds 0, 1, ... customers of closed classes at a copy.

    class_index  its closed class; None for an open class.
    """
    classes = list(passages.network.classes)
    if class_index is not None:
        customers = classes[class_index]
        if isinstance(customers, ClosedClass):
            classes[class_index] = customers.replace(population=customers.population - 1.0)
    if not any(isinstance(item, ClosedClass) and item.population > 0 for item in classes):
        return np.ones(1)
    wanted = (passages.wanted or AUTO).replace(states=True, bounds="", announce=None, each=False)
    states = solve(passages.network.replace(classes=tuple(classes)), wanted).states or {}
    return np.asarray(states[label]) if label in states else np.ones(1)
