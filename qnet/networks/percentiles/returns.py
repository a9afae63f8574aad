"""Open networks in which a passage visits a station more than once: how much its times there depend on each other.

A customer that finds a long queue finds it long again when it returns soon, so that the sum of its times varies more
than that of independent ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from qnet.expression import Value
from qnet.networks.duration import Wait
from qnet.networks.routed import Hold, RoutedNetwork, Station, Step, Time
from qnet.networks.streams import Key, RouteTime, Stream, Streams
from qnet.queues.arithmetic import total
from qnet.record import Record

_IN_A_ROW = 100
"""The most visits in a row of which the dependence is followed: a choice, far above the most that are trusted."""
_ELSEWHERE: Key = ("", 0)
_LEAST = 1e-12
"""The least idle share of a station; without any, the result means nothing."""


class _Visits(Record):
    """Visits of a passage to a station in a row."""

    key: Key
    """The station and the group of its copies; `_ELSEWHERE` where dependence is not followed, as at delays."""
    number: Any
    time: Any
    """Mean seconds of one, the wait included."""
    copies: int = 1
    """Among which each visit chooses one."""
    covariance: Any = 0.0
    """Of the times of two visits, of which the second begins when the first ends."""
    later: Any = 0.0
    """Mean seconds for which the dependence has faded when the second visit follows the first at once."""
    fades: Any = 1.0
    """The integral of the autocorrelation of the number at the station, in seconds."""

    def faded(self, between: Any) -> Any:
        """The covariance of two visits after a mean time in between."""
        return self.covariance / (1 + (between + self.later) / self.fades)

    def in_a_row(self) -> Any:
        """The sum of the covariances of all pairs."""
        return total(
            np.maximum(self.number - apart, 0.0) * self.faded((apart - 1) * self.time)
            for apart in range(1, self._followed())
        )

    def with_later(self, later: _Visits, between: Any) -> Any:
        """The sum of the covariances of all pairs of one of these and one of later visits in a row.

        between   mean seconds from the last of these to the first of those.
        """
        return total(
            self._share(before) * later._share(after) * self.faded(between + before * self.time + after * later.time)
            for before in range(self._followed())
            for after in range(min(later._followed(), _IN_A_ROW - before - 1))
        )

    def _followed(self) -> int:
        """The most visits of which the dependence is followed."""
        return min(int(np.ceil(np.max(self.number))), _IN_A_ROW)

    def _share(self, before: int) -> Any:
        """The share of one more visit that is made after a number of others, from 0 to 1."""
        return np.clip(self.number - before, 0.0, 1.0)


def dependence(
    network: RoutedNetwork, compiled: Streams, waits: Sequence[Wait], route: RouteTime, steps: Sequence[Step]
) -> dict[Key, Any]:
    """What is added to the variance of the sum of the times of a passage at a station, since it visits that again.

    network   open.
    compiled  its streams.
    waits     by stream, with their variances.
    route     one of its routes.
    steps     the steps of that, as passages make them.
    Returns   square seconds by group of copies, of those that are visited again; none where steps are parallel, in
              holds or in second phases, or have priorities.
    Method    At one server first come first served, those behind a customer when its service ends arrived in its time
              there, T. If it returns at once, it waits for them: the mean of that wait is load x T, so that the
              covariance of both times is load x the variance of T. At several servers the same is taken for waits,
              which fades from the beginning of the service. With processor sharing both visits are taken to share the
              server with the same number of others, whose variance is load / (1 - load)^2. In the limit of heavy
              traffic the queue has not changed at all when a customer returns (@reiman1984). In between, the
              correlation of both is taken to fade like an exponential function, over an exponential time between
              visits: with the integral of the autocorrelation of the number in M/M/1, s (1 + load) / (1 - load)^2 with
              the mean service s, half of the asymptotic variance over the variance (@whitt1989).
    Limits    Arrivals until a customer returns are taken as Poisson. Several servers count as one that is as fast.
              The covariances of waits at several servers, and of times with processor sharing, are those of heavy
              traffic. At low loads the former is too small, but so is its share of the variance; the latter is too
              large: of two visits one after the other it tends to 3/8 of load x the square of s. Percentiles are
              rather too short with it nevertheless, so that it is taken as it is.
    """
    numbers = [
        number
        for number, stream in enumerate(compiled.streams)
        if (stream.class_index, stream.route) == (route.class_index, route.route)
    ]
    holds = [step for step in steps if isinstance(step, Hold)]
    if len(numbers) != len(holds) or not all(_plain(step) for step in steps):
        return {}
    stations = {station.name: station for station in network.stations}
    streams = iter(numbers)
    visits: list[_Visits] = []
    for step in steps:
        if isinstance(step, Hold):
            number = next(streams)
            one = _visits(stations[step.station], step, number, compiled, waits)
            visits.append(one)
        elif isinstance(step, Time):
            visits.append(_Visits(key=_ELSEWHERE, number=step.visits, time=step.mean))
    result: dict[Key, Any] = {}
    for index, first in enumerate(visits):
        if first.key == _ELSEWHERE:
            continue
        added: Any = first.in_a_row()
        between: Any = 0.0
        for later in visits[index + 1 :]:
            if later.key == first.key:
                added = added + first.with_later(later, between)
            between = between + later.number * later.time
        if np.any(added > 0):
            result[first.key] = result.get(first.key, 0.0) + 2 * added / first.copies
    return result


def _plain(step: Step) -> bool:
    """Whether a step is a time, or some times at a station, before the response."""
    if isinstance(step, Time):
        return step.phase == 1
    if not isinstance(step, Hold) or step.phase != 1 or step.priority:
        return False
    return all(isinstance(inner, Time) and inner.phase == 1 for inner in step.steps)


def _visits(station: Station, step: Hold, number: int, compiled: Streams, waits: Sequence[Wait]) -> _Visits:
    """The visits of a step at a station, whose dependence is not known at delays, and with orders of service other
    than those of `dependence`."""
    stream = compiled.streams[number]
    service, wait = stream.first.mean, waits[number]
    time = service + wait.mean
    shared = station.discipline == "ps" and station.servers == 1
    known = station.discipline == "fcfs" or shared
    if station.delay or not known or station.rates is not None or station.capacity is not None:
        return _Visits(key=_ELSEWHERE, number=step.visits, time=time)
    load, mean = _load(station, stream, compiled.streams)
    idle = np.maximum(1 - load, _LEAST)
    later: Any = 0.0
    if shared:
        covariance = load / idle**2 * service**2
    elif station.servers > 1:
        covariance, later = load * wait.variance, service
    else:
        variance = stream.first.variance if stream.scv is None else stream.scv * service**2
        covariance = load * (wait.variance + variance)
    fades = mean / station.servers * (1 + load) / idle**2
    fades = np.where(fades > 0, fades, 1.0)
    return _Visits(
        key=(stream.station, stream.group),
        number=step.visits,
        time=time,
        copies=station.groups[stream.group].copies if step.copy is None else 1,
        covariance=covariance,
        later=later,
        fades=fades,
    )


def _load(station: Station, stream: Stream, streams: Sequence[Stream]) -> tuple[Value, Value]:
    """The load of a copy, and the mean service there."""
    same = [item for item in streams if (item.station, item.group) == (stream.station, stream.group)]
    rate = total(item.rate for item in same)
    busy = total(item.rate * (item.first.mean + item.second.mean) for item in same)
    return np.minimum(busy / station.servers, 1.0), busy / np.where(rate > 0, rate, 1.0)
