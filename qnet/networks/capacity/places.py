"""What one copy of a station with a capacity loses, and what its visits wait."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.expression import Operations, Value
from qnet.networks.capacity.by_point import by_point
from qnet.networks.capacity.forms import GENERAL, LEVELS
from qnet.networks.duration import Wait
from qnet.networks.routed import Station
from qnet.queues.arithmetic import ratio, total
from qnet.queues.m_g_1_k import Time, m_g_1_k
from qnet.queues.priority_loss import priority_loss
from qnet.queues.stations.m_m_c_k import m_m_c_k
from qnet.record import Record


class Visit(Record):
    """The visits of one stream to a copy."""

    rate: Value
    """Visits per second that are let in."""
    time: Value
    """Mean seconds."""
    scv: Value
    priority: int


class Found(Record):
    """A copy of a station as it was solved."""

    kept: Value
    """The share of those who come that is let in."""
    waits: tuple[Wait, ...]
    """By stream."""


def solved(
    station: Station, form: str, visits: Sequence[Visit], entries: Value, kept: Value, operations: Operations
) -> Found:
    """What a copy loses and what its visits wait, given what is let in.

    station  with a capacity.
    form     how it is solved, of `forms`.
    visits   by stream.
    entries  how many per second come in; some of them make several visits before they leave.
    kept     the share of those who come that is let in, as it was assumed: `entries` over it is what comes.
    Method   Who leaves to come again at once finds the place free that he has left, and is not lost: all his visits
             are one stay. With exponential times that are alike this is the product form of a network of one station
             whose arrivals stop at K (Jackson, Management Science 10 (1963) 131-142).
    """
    every = total(item.rate for item in visits)
    nobody = every == 0
    # Where nobody comes the figures are those of the first who does.
    rates = [item.rate + nobody for item in visits]
    every = total(rates)
    work = total(rate * item.time for rate, item in zip(rates, visits, strict=True))
    idle = work == 0
    inside = entries + nobody * (every - entries)
    offered = operations.where(idle | nobody, 0.0 * every, inside / kept)
    places = station.capacity or station.servers
    if form == LEVELS:
        return _levels(station, visits, offered, inside, every, places)
    stay = ratio(work, inside) + idle
    if form == GENERAL:
        times = [part for rate, item in zip(rates, visits, strict=True) for part in (rate, item.time, item.scv)]

        def figures(offered: float, longer: float, *times: float) -> tuple[float, ...]:
            whole = sum(times[::3])
            sorts = zip(times[::3], times[1::3], times[2::3], strict=True)
            found = m_g_1_k(offered, tuple(Time(rate / whole, longer * mean, scv) for rate, mean, scv in sorts), places)
            return found.kept, found.number

        let_in, number = by_point(figures, offered, ratio(every, inside), *times)
        waiting = number - offered * let_in * stay
    else:
        found = m_m_c_k(offered, stay, station.servers, places)
        let_in = ratio(found.throughput, offered) + (offered == 0)
        waiting = offered * let_in * found.wait
    mean = ratio(waiting * inside, every * offered * let_in + (offered == 0))
    mean = operations.maximum([mean, 0.0 * mean])
    # First come first served all wait alike; else in proportion to the own service.
    alike = station.in_line
    waits = [mean if alike else mean * ratio(item.time * every, work) for item in visits]
    return Found(operations.minimum([let_in, 1.0 + 0.0 * let_in]), tuple(Wait(wait, wait**2) for wait in waits))


def _levels(
    station: Station, visits: Sequence[Visit], offered: Value, inside: Value, every: Value, places: int
) -> Found:
    """The same with priorities."""
    order = sorted({item.priority for item in visits}, reverse=True)
    own = [[item for item in visits if item.priority == level] for level in order]
    rates = [total(item.rate for item in items) for items in own]
    work = [total(item.rate * item.time for item in items) for items in own]
    never = [rate == 0 for rate in rates]
    times = [ratio(busy, rate) + none * own[place][0].time for place, (busy, rate, none) in enumerate(zip(
        work, rates, never, strict=True
    ))]  # fmt: skip
    # Who comes again is taken to stay for all his visits.
    scale, longer = ratio(offered, every), ratio(every, inside)
    interrupting = station.discipline == "preemptive"
    count = len(order)

    def figures(*point: float) -> tuple[float, ...]:
        rates, times = point[:count], tuple(max(time, 1e-300) for time in point[count:])
        found = priority_loss(rates, times, station.servers, places, interrupting)
        kept = 1.0 - found.blocked
        # Of a level that nobody has: what a first one would wait is not told.
        waits = (
            max(number / (rate * kept) - time, 0.0) if rate * kept > 0 else 0.0
            for number, rate, time in zip(found.numbers, rates, times, strict=True)
        )
        return kept, *waits

    kept, *waits = by_point(figures, *(rate * scale for rate in rates), *(time * longer for time in times))
    by_level = {level: wait / longer for level, wait in zip(order, waits, strict=True)}
    return Found(kept, tuple(Wait(by_level[item.priority], by_level[item.priority] ** 2) for item in visits))
