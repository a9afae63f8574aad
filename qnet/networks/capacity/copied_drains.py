"""Places that several copies free: while one copy has a queue others may be idle, even if all places are taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qnet.expression import Value
from qnet.lazy import Array, np
from qnet.record import Record

_LEVELS = 2000
"""The largest number of taken places that is solved; the rates of greater numbers are extrapolated."""
_HIGHEST = 600.0
"""The largest exponent of e, below the overflow of floats."""


class CopiedDrain(Record):
    """Copies of a station that free places, each with its queue."""

    copies: int
    servers: int
    """Servers of each copy."""
    work: Value
    """Server seconds at one copy per place, averaged over all places, wherever they are freed."""
    other: Value = 0.0
    """Utilization of a copy by other work."""
    scv: Value = 1.0
    """Squared coefficient of variation of the service times."""


class PlacesInCopies(Record):
    """The figures of places that several copies free."""

    rate: Value
    """Places that are freed per second where all are taken."""
    full: Value
    """Probability that an arrival finds all places taken."""
    late: Value
    """Mean wait of an arrival that does, in seconds; 0 where it is lost."""
    taken: Value
    """Mean number of places that are taken."""
    at_copies: tuple[Value, ...]
    """By drain: mean number of places whose work waits or is in service at one copy."""


def places_in_copies(
    offered: Value, places: Value, drains: Sequence[CopiedDrain], elsewhere: Value, loses: bool
) -> PlacesInCopies:
    """The places of a buffer as the customers of a closed network of the copies that free them.

    offered    requests for a place per second.
    places     K, a number or one per point; a fraction is interpolated between integers.
    drains     the copies; a place is freed by one of them, chosen at random.
    elsewhere  seconds for which a place is taken before it is at a copy.
    loses      whether arrivals that find no place are lost; else they wait outside, in order of arrival.
    Returns    the figures; where arrivals wait and are as many as can be freed, those without any wait.
    Method     The rate at which n places are freed is the throughput of n customers (mean value analysis); the number
               of taken places is a birth-death chain with these rates. The wait outside is (1 + I) / 2 times as long,
               I the index of dispersion of the departures with all places taken: of C balanced copies without other
               work I = 1 + 2 (C - 1) (K - 1) / ((C + 1) (C + K - 1)); a share p of other work adds 2 p / (1 - p).
    Exact      the rate: for exponential services of one mean, first come first served, with one server at each copy.
               All figures: if arrivals are lost too, and `elsewhere` is 0.
    Source     Mean value analysis: @reiser1980. Flow-equivalent rates: @chandy1975. The dispersion: this tool.
    """
    given = (offered, places, elsewhere, *(x for item in drains for x in (item.work, item.other, item.scv)))
    plain = all(isinstance(value, (int, float)) for value in given)
    rates, wanted, before, *parts = np.broadcast_arrays(*(np.atleast_1d(np.asarray(value, float)) for value in given))
    columns = [
        item.replace(work=work / (1.0 - other), other=other, scv=scv)
        for item, work, other, scv in zip(drains, parts[::3], parts[1::3], parts[2::3], strict=True)
    ]
    most = max(int(min(np.ceil(wanted.max()), _LEVELS)), 1)
    freed, lines = _closed(most, columns, before)
    low = np.clip(np.floor(wanted + 1e-9), 1, None)
    part = np.clip(wanted - low, 0.0, 1.0)
    ends = [
        _line(rates, count, freed, lines, None if loses else _dispersion(count, columns))
        for count in (low, np.ceil(np.maximum(wanted - 1e-9, 1)))
    ]
    mixed = [(1 - part) * first + part * second for first, second in zip(*ends, strict=True)]
    values = [float(column[0]) if plain else column for column in mixed]
    return PlacesInCopies(values[0], values[1], values[2], values[3], tuple(values[4:]))


def _dispersion(places: Array, drains: Sequence[CopiedDrain]) -> Array:
    """(points,) the index of dispersion of the departures from all copies with all places taken.

    Copies that are not balanced count as the balanced ones that have the same sum of squared shares of the work.
    """
    every = sum(item.copies * item.work for item in drains)
    squares = sum(item.copies * item.work**2 for item in drains)
    single = sum(item.copies * item.work * (item.scv + 2 * item.other / (1 - item.other)) for item in drains) / every
    copies = every**2 / squares
    return single + 2 * (copies - 1) * (places - 1) / ((copies + 1) * (copies + places - 1))


def _closed(most: int, drains: Sequence[CopiedDrain], elsewhere: Array) -> tuple[Array, Array]:
    """(points, most + 1) places freed per second where 0, 1, ... are taken; (drains, points, most + 1) at one copy."""
    points = len(elsewhere)
    freed, lines = np.zeros((points, most + 1)), np.zeros((len(drains), points, most + 1))
    for number in range(1, most + 1):
        # Several servers are one that is as fast as all of them together, and a delay for the rest of the service.
        queues = [x.work / x.servers * (1 + lines[i, :, number - 1]) for i, x in enumerate(drains)]
        apart = [x.work * (x.servers - 1) / x.servers for x in drains]
        time = elsewhere + sum(x.copies * (queue + rest) for x, queue, rest in zip(drains, queues, apart, strict=True))
        freed[:, number] = number / np.maximum(time, 1e-300)
        for index, queue in enumerate(queues):
            lines[index, :, number] = freed[:, number] * queue
    for index, item in enumerate(drains):
        lines[index] += freed * (item.work * (item.servers - 1) / item.servers)[:, None]
    return freed, lines


def _line(offered: Array, places: Array, freed: Array, lines: Array, dispersion: Array | None) -> list[Array]:
    """The fields of `PlacesInCopies`, those at copies last.

    places      integers, one per point.
    dispersion  of the departures with all places taken; None where arrivals are lost.
    """
    most = len(freed[0]) - 1
    last = np.minimum(places, most).astype(int)[:, None]
    at_last = np.take_along_axis(freed, last, axis=1)[:, 0]
    # Above the last number that is solved the rate grows towards its limit.
    able = at_last * _growth(freed, last, places)
    load = offered / able
    numbers = np.arange(most + 1)
    with np.errstate(divide="ignore"):
        steps = np.log(offered)[:, None] - np.log(freed[:, 1:])
    logs = np.concatenate([np.zeros((len(offered), 1)), np.cumsum(steps, axis=1)], axis=1)
    logs = np.where(numbers <= last, logs, -np.inf)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    edge = np.take_along_axis(weights, last, axis=1)[:, 0]
    more = places - last[:, 0]
    steady = load < 1
    ratio = np.where(steady, load, 0.5)
    # The numbers between what is solved and the last place, and those that wait outside.
    power = np.exp(np.minimum(more * np.log(np.maximum(load, 1e-300)), _HIGHEST))
    shown = np.where(load == 1, more, load * (1 - power) / np.where(load == 1, 1.0, 1 - load))
    weighted = np.array([_weighted_sum(float(x), int(n)) for x, n in zip(load, more, strict=True)])
    full = edge * power
    outside = np.zeros_like(full) if dispersion is None else np.where(steady, full * ratio / (1 - ratio), 0.0)
    mass = weights.sum(axis=1) + edge * shown + outside
    taken = (weights * numbers).sum(axis=1) + edge * (last[:, 0] * shown + weighted) + outside * places
    waiting = (full + outside) / mass
    late = 0.0 * full
    if dispersion is not None:
        late = np.where(steady, 1.0, 0.0) * (1.0 + dispersion) / (2.0 * able * (1 - ratio))
    at_copies = [
        ((weights * line).sum(axis=1) + np.take_along_axis(line, last, axis=1)[:, 0] * (edge * shown + outside)) / mass
        for line in lines
    ]
    if dispersion is not None:
        waiting = np.where(steady, waiting, 1.0)
    filled: Array = taken / mass if dispersion is None else np.where(steady, taken / mass, places)
    return [able, waiting, late, filled, *at_copies]


def _growth(freed: Array, last: Any, places: Array) -> Array:
    """(points,) the rate with all places taken, divided by the rate at the last number that is solved."""
    half: Any = np.maximum(last // 2, 1)
    here, before = (np.take_along_axis(freed, index, axis=1)[:, 0] for index in (last, half))
    # 1 / X(n) falls to its limit as 1 / n.
    slope = (1 / before - 1 / here) / np.where(last[:, 0] > half[:, 0], 1 / half[:, 0] - 1 / last[:, 0], 1.0)
    return 1 / (1 - here * slope * (1 / last[:, 0] - 1 / places))


def _weighted_sum(ratio: float, count: int) -> float:
    """The sum of j ratio^j over 1 <= j <= count."""
    if not count:
        return 0.0
    if abs(ratio - 1) < 1e-9:
        return count * (count + 1) / 2
    last = ratio**count
    return ratio * (1 - (count + 1) * last + count * last * ratio) / (1 - ratio) ** 2
