"""Stations with a capacity in an open network: the formula for each, its losses, and its waits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from qnet.errors import NotComputed, Problem
from qnet.expression import Operations, Value
from qnet.lazy import np
from qnet.networks.capacity.flows import Losses
from qnet.networks.duration import Wait
from qnet.networks.open.centres import Centre
from qnet.networks.open.solve import OpenSolver
from qnet.networks.routed import RoutedNetwork, Station
from qnet.networks.streams import Key, Stream, Streams, exponential
from qnet.queues.arithmetic import close, ratio, total
from qnet.queues.m_g_1_k import ServiceTime, m_g_1_k
from qnet.queues.places import priority_loss, rated_loss
from qnet.queues.stations.m_m_c_k import m_m_c_k
from qnet.record import Record

INSENSITIVE = "insensitive"
"""M/M/c/K, or its birth-death chain with rates that depend on the number present, for any distribution of service:
there is no waiting, or all customers are served at once."""
EXPONENTIAL = "exponential"
"""M/M/c/K, or its birth-death chain with such rates, with the same exponential service of all visits."""
GENERAL = "general"
"""M/G/1/K, with a distribution for each stream."""
PRIORITIES = "priorities"
"""The Markov chain of the numbers of customers by priority, with one exponential service for each."""

_JUST_BELOW = 1 - 1e-12
"""The load at which queues without limit are evaluated where the stated load is larger; any number below 1 works."""
LEAST = 1e-200
"""The smallest share that is admitted."""


def form_of(station: Station, streams: Sequence[Stream], operations: Operations) -> str:
    """The formula for a station with a capacity, given the streams that visit one copy of it."""
    streams = [stream for stream in streams if not operations.all(stream.rate == 0)]
    shared = station.discipline == "ps" or (station.discipline == "lcfs-pr" and station.servers == 1)
    if station.capacity == station.servers or shared or not streams:
        return INSENSITIVE
    if station.in_line and len({stream.priority for stream in streams}) > 1:
        return PRIORITIES
    several = station.servers > 1 or station.rates is not None
    if one_exponential(streams, operations) or several or station.discipline == "lcfs-pr":
        return EXPONENTIAL
    return GENERAL


def one_exponential(streams: Sequence[Stream], operations: Operations) -> bool:
    """Whether all streams have the same mean holding time, with the variance of exponential times."""
    mean = streams[0].holding.mean
    return all(exponential(stream, operations) and close(stream.holding.mean, mean, operations) for stream in streams)


class StreamVisits(Record):
    """The visits of one stream to a copy."""

    rate: Value
    """Visits per second that are admitted."""
    time: Value
    """Mean holding time in seconds."""
    scv: Value
    priority: int


class CopyFigures(Record):
    """The losses and waits of a copy of a station."""

    kept: Value
    """The share of arrivals that is admitted."""
    waits: tuple[Wait, ...]
    """By stream."""


def by_point(figures: Callable[..., tuple[float, ...]], *values: Value) -> tuple[Value, ...]:
    """A function of plain numbers that returns several, applied point by point where there are arrays."""
    if not any(hasattr(value, "shape") for value in values):
        return figures(*map(float, values))

    spread = np.broadcast_arrays(*values)
    points = [figures(*map(float, point)) for point in zip(*(item.flat for item in spread), strict=True)]
    return tuple(np.array(column).reshape(spread[0].shape) for column in zip(*points, strict=True))


def solve_copy(
    station: Station, form: str, visits: Sequence[StreamVisits], entries: Value, kept: Value, operations: Operations
) -> CopyFigures:
    """The losses of a copy of a station and the waits of its visits, given the visits that are admitted.

    station     with a capacity.
    form        as `form_of` returns it.
    visits      by stream.
    entries     customers admitted per second, each of which may make several visits before it leaves.
    kept        the share of arrivals that is admitted, as assumed: the arrival rate is `entries` / `kept`.
    operations  of the numbers of the network.
    Raises   `NotComputed` QN551 for priorities where the rate depends on the number present.
    Method   A customer that returns at once takes the place that it has just left, and is not lost: all its visits
             count as one. With exponential times of the same mean this is the product form of a network of one station
             whose arrivals stop at K (@jackson1963).
    """
    every = total(item.rate for item in visits)
    unused = every == 0
    # Without any arrivals the figures are those that a first customer would find.
    rates = [item.rate + unused for item in visits]
    every = total(rates)
    work = total(rate * item.time for rate, item in zip(rates, visits, strict=True))
    idle = work == 0
    inside = entries + unused * (every - entries)
    offered = operations.where(idle | unused, 0.0 * every, inside / kept)
    places = station.capacity or station.servers
    if form == PRIORITIES:
        if station.rates is not None:
            text = f'"{station.name}" has a capacity, rates that depend on the number present, and priorities'
            raise NotComputed(Problem("QN551", text, "one priority there, or servers instead of rates"))
        return _with_priorities(station, visits, offered, inside, every, places)
    service = ratio(work, inside) + idle
    if form == GENERAL:
        times = [part for rate, item in zip(rates, visits, strict=True) for part in (rate, item.time, item.scv)]

        def figures(offered: float, longer: float, *times: float) -> tuple[float, ...]:
            every = sum(times[::3])
            parts = zip(times[::3], times[1::3], times[2::3], strict=True)
            line = m_g_1_k(
                offered, tuple(ServiceTime(rate / every, longer * mean, scv) for rate, mean, scv in parts), places
            )
            return line.kept, line.number

        let_in, number = by_point(figures, offered, ratio(every, inside), *times)
        waiting = number - offered * let_in * service
    elif station.rates is not None:
        rates_present = station.rates

        def with_rates(load: float) -> tuple[float, ...]:
            line = rated_loss(load, rates_present, places)
            return line.kept, line.number

        let_in, number = by_point(with_rates, offered * service)
        waiting = number - offered * let_in * service
    else:
        line = m_m_c_k(offered, service, station.servers, places)
        let_in = ratio(line.throughput, offered) + (offered == 0)
        waiting = offered * let_in * line.wait
    mean = ratio(waiting * inside, every * offered * let_in + (offered == 0))
    if station.rates is None:
        mean = operations.maximum([mean, 0.0 * mean])
    # First come first served, all streams wait equally; otherwise in proportion to their service times.
    waits = [mean if station.in_line else mean * ratio(item.time * every, work) for item in visits]
    return CopyFigures(operations.minimum([let_in, 1.0 + 0.0 * let_in]), tuple(Wait(wait, wait**2) for wait in waits))


def _with_priorities(
    station: Station, visits: Sequence[StreamVisits], offered: Value, inside: Value, every: Value, places: int
) -> CopyFigures:
    """The losses and waits of a copy with priorities.

    inside  customers admitted per second.
    every   visits admitted per second.
    """
    order = sorted({item.priority for item in visits}, reverse=True)
    levels = [[item for item in visits if item.priority == level] for level in order]
    rates = [total(item.rate for item in items) for items in levels]
    work = [total(item.rate * item.time for item in items) for items in levels]
    never = [rate == 0 for rate in rates]
    times = [
        ratio(busy, rate) + none * items[0].time
        for items, busy, rate, none in zip(levels, work, rates, never, strict=True)
    ]
    # A customer that returns at once counts as one with one long visit.
    scale, longer = ratio(offered, every), ratio(every, inside)
    preemptive = station.discipline == "preemptive"
    count = len(order)

    def figures(*point: float) -> tuple[float, ...]:
        rates, times = point[:count], tuple(max(time, 1e-300) for time in point[count:])
        loss = priority_loss(rates, times, station.servers, places, preemptive)
        kept = loss.kept
        # The numbers give no wait for a priority without customers.
        waits = (
            max(number / (rate * kept) - time, 0.0) if rate * kept > 0 else 0.0
            for number, rate, time in zip(loss.numbers, rates, times, strict=True)
        )
        return kept, *waits

    kept, *waits = by_point(figures, *(rate * scale for rate in rates), *(time * longer for time in times))
    by_level = {level: wait / longer for level, wait in zip(order, waits, strict=True)}
    return CopyFigures(kept, tuple(Wait(by_level[item.priority], by_level[item.priority] ** 2) for item in visits))


class OpenSolverWithLosses(OpenSolver):
    """The waits of an open network in which some stations lose the customers that arrive when they are full."""

    def __init__(
        self,
        network: RoutedNetwork,
        compiled: Streams,
        operations: Operations,
        losses: Losses,
        full: frozenset[Key],
        bounded: Mapping[int, Wait],
        entries: Mapping[str, Value],
    ) -> None:
        self.losses = losses
        self.entries = entries
        """By station with a capacity and one copy: customers admitted per second, for one visit or several."""
        self.full = full
        """The stations that drain a buffer which loses: its places limit their work, so that they never saturate."""
        self.bounded = bounded
        """The waits of streams of such work, as last computed."""
        self.kept: dict[Key, Value] = {}
        """The share of the arrivals at a copy that is admitted, as last computed."""
        super().__init__(network, compiled, operations)

    def visit(self, centre: Centre, busy: Value = None) -> None:
        """Compute the waits of the streams of one station group."""
        if centre.station.capacity is None:
            super().visit(centre, busy)
            for index in centre.indices:
                if index in self.bounded:
                    self.waits[index] = self.bounded[index]
            return
        station = centre.station
        streams = [self.all[index] for index in centre.indices]
        visits = [StreamVisits(item.rate, self.holding(index), self.scv(index), item.priority)
                  for index, item in zip(centre.indices, streams, strict=True)]  # fmt: skip
        entries = self.entries.get(station.name)
        if entries is None:
            entries = total(item.rate for item in visits)
        form = form_of(station, streams, self.operations)
        copy = solve_copy(station, form, visits, entries, self.losses.stations[centre.key], self.operations)
        self.kept[centre.key] = self.operations.maximum([copy.kept, LEAST + 0.0 * copy.kept])
        for index, wait in zip(centre.indices, copy.waits, strict=True):
            self.waits[index] = wait

    def scv(self, index: int) -> Value:
        """The squared coefficient of variation of the holding time of a stream."""
        stream = self.all[index]
        if stream.scv is not None:
            return stream.scv
        mean = self.holding(index)
        return stream.holding.variance_with(self.waits) / (mean**2 + (mean == 0))

    def rho(self, centre: Centre) -> Value:
        """Load per server, kept below 1 where capacity limits the arrivals."""
        load = super().rho(centre)
        if centre.station.capacity is None and centre.key not in self.full:
            return load
        limited = self.operations.minimum([load, _JUST_BELOW + 0.0 * load])
        other = self.other(centre)
        return self.operations.where(other >= 1, other, limited)

    def other(self, centre: Centre) -> Value:
        """Load per server by work that no buffer limits, at a station that also drains a buffer which loses; else 0."""
        if centre.key not in self.full:
            return 0.0
        others = (index for index in centre.indices if not self.all[index].drains)
        return total(self.all[index].rate * self.holding(index) for index in others) / centre.station.servers
