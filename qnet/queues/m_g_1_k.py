"""M/G/1/K: Poisson arrivals, one server first come first served, any service time, a finite number of places."""

from __future__ import annotations

import math
from collections.abc import Sequence

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS
from qnet.queues.arithmetic import SATURATED
from qnet.queues.balanced_means import shares
from qnet.record import Record

MOST_PLACES = 5000
"""Above this the states would take seconds."""
_CERTAIN = 1e-40
"""Probabilities of numbers of arrivals below this are left out."""
_HEAVY = 300.0
"""Arrivals per service above which the server is never idle, to all digits."""
_LONGEST = 100_000
"""The most probabilities of one distribution; a choice that bounds memory."""


class ServiceTime(Record):
    """A service time distribution: mixed Erlang below an scv of 1, hyperexponential with balanced means above."""

    share: float
    """The share of the customers that have it."""
    mean: float
    """Seconds."""
    scv: float


class LossFigures(Record):
    """The figures of a station with loss when all places are taken."""

    blocked: float
    """Share of the arrivals that is lost."""
    kept: float
    """Share of the arrivals that is admitted, to all digits."""
    number: float
    """Mean number present."""


def m_g_1_k(rate: float, times: tuple[ServiceTime, ...], places: int) -> LossFigures:
    """The share of arrivals that is lost, and the mean number present.

    rate    arrivals per second, lost ones included.
    times   the mixture of service time distributions.
    places  K >= 1, including service.
    Raises  `NotComputed` QN587 for more than 5000 places.
    Exact   yes, at any load.
    Method  The numbers in system just after departures are a Markov chain; the flows up and down across each number are
            equal, which are sums of positive terms. With x(j) its shares, the time shares are
            p(j) = x(j) / (x(0) + rho) for j < K.
    Source  @keilson1966; @cooper1981, section 5.9

    >>> round(m_g_1_k(1.0, (ServiceTime(share=1.0, mean=1.0, scv=1.0),), places=2).blocked, 9)
    0.333333333
    """
    if places > MOST_PLACES:
        text = f"a station with {places} places, and service times that are not identical exponentials"
        help = 'use fewer places (a number that is hardly ever reached suffices), scv = 1, or discipline = "ps"'
        raise NotComputed(Problem("QN587", text, f"at most {MOST_PLACES} places", help=help))
    load = rate * sum(time.share * time.mean for time in times)
    if load == 0:
        return LossFigures(0.0, 1.0, 0.0)
    above, excess = _arrivals(rate, times, places)
    left = _left(above, load, places)
    if not left:
        return LossFigures(1.0 - 1.0 / load, 1.0 / load, max(places - 1.0 / load, 0.0))
    overall = math.fsum(left)
    # The weight of all places taken, rho + x(0) - 1, without a difference.
    over = left[0] * _at(excess, places - 2, load)
    over += math.fsum(left[before] * _at(excess, places - 1 - before, load) for before in range(1, places))
    idle, over = left[0] / overall, over / overall
    scale = 1.0 / (idle + load)
    blocked = over * scale
    number = math.fsum(index * share for index, share in enumerate(left)) / overall * scale + places * blocked
    return LossFigures(blocked, scale, number)


def _left(above: Sequence[float], load: float, places: int) -> list[float]:
    """Relative probabilities of 0, 1, ..., K - 1 in system just after departures; empty if the server is never idle."""
    none = 1.0 - above[0] if load < _HEAVY else 0.0
    if none <= 1e-30:
        return []
    left = [1.0]
    for number in range(places - 1):
        up = left[0] * above[number] if number < len(above) else 0.0
        first = max(1, number + 2 - len(above))
        up += math.fsum(left[before] * above[number - before + 1] for before in range(first, number + 1))
        left.append(up / none)
        if left[-1] > 1e200:
            left = [share * 1e-200 for share in left]
    return left


class BlockingFigures(Record):
    """The figures of a station whose customers wait outside when all places are taken."""

    full: float
    """Share of the arrivals that find all places taken."""
    number: float
    """Mean number of places taken."""
    late: float
    """Mean wait in seconds for a place of arrivals that find none."""


def m_g_1_outside(rate: float, times: tuple[ServiceTime, ...], places: int) -> BlockingFigures:
    """An M/G/1 with at most K customers inside; the others wait outside in order of arrival.

    rate    arrivals per second; at a load of 1 or more the figures are those of a load just below.
    times   the mixture of service time distributions.
    places  K >= 1.
    Raises  `NotComputed` QN587 as `m_g_1_k`.
    Exact   yes.
    Method  P(N >= K) = B / (1 - rho + rho B), B the share that an M/G/1/K loses: their states below K are in the same
            proportions. The mean number is that of Pollaczek and Khinchine.
    Source  @keilson1966; @kleinrock1975, section 5.6
    """
    load = rate * sum(time.share * time.mean for time in times)
    if load >= SATURATED:
        return m_g_1_outside(rate * SATURATED * (1 - 1e-12) / load, times, places)
    blocked = m_g_1_k(rate, times, places).blocked
    full = blocked / (1.0 - load + load * blocked)
    if load == 0:
        return BlockingFigures(0.0, 0.0, sum(time.share * time.mean for time in times))
    left = _left(_arrivals(rate, times, places)[0], load, places)
    fewer, inside = 0.0, 0.0
    for share in left:
        fewer += (1.0 - load) * share / left[0]
        inside += max(1.0 - fewer, full)
    square = sum(time.share * time.mean**2 * (1.0 + time.scv) for time in times)
    late = load / rate / (1.0 - load)
    outside = load + rate**2 * square / (2.0 * (1.0 - load)) - inside
    if full > 1e-9:
        late = max(outside, 0.0) / (rate * full)
    return BlockingFigures(full, inside, late)


def _at(excess: Sequence[float], more: int, load: float) -> float:
    """The mean number of arrivals in a service beyond the first `more` + 1, from `excess`; all of them for -1."""
    if more < 0:
        return load
    return excess[more] if more < len(excess) else 0.0


def _arrivals(rate: float, times: Sequence[ServiceTime], places: int) -> tuple[list[float], list[float]]:
    """P(more than j arrivals in a service), and the mean number beyond the first j + 1, for j = 0, 1, ... < places."""
    above, excess = [0.0] * places, [0.0] * places
    for time in times:
        for share, stages, mean in _stages(time):
            load = rate * mean
            if stages == 1:
                # Geometric: the tails have a closed form.
                more = load / (1.0 + load)
                for number in range(places):
                    tail = share * more ** (number + 1)
                    above[number] += tail
                    excess[number] += tail * load
                continue
            beyond = exceeding = 0.0
            chances = _chances(load, stages)
            for number in range(len(chances) - 2, -1, -1):
                exceeding += beyond
                beyond += chances[number + 1]
                if number < places:
                    above[number] += share * beyond
                    excess[number] += share * exceeding
    return above, excess


def _stages(time: ServiceTime) -> list[tuple[float, int, float]]:
    """The Erlang distributions of a mixture: the probability of each, its stages (0: a constant) and its mean."""
    if time.mean == 0 or time.scv <= 1e-9:
        return [(time.share, 0, time.mean)]
    if abs(time.scv - 1) <= 1e-12:
        return [(time.share, 1, time.mean)]
    if time.scv > 1:
        return [(time.share * each, 1, time.mean / (2 * each)) for each in shares(time.scv, FLOATS)]
    count = math.ceil(1 / time.scv - 1e-9)
    fewer = count * time.scv - math.sqrt(max(count * (1 + time.scv) - count**2 * time.scv, 0.0))
    fewer = min(max(fewer / (1 + time.scv), 0.0), 1.0)
    stage = time.mean / (count - fewer)
    result = [(time.share * fewer, count - 1, (count - 1) * stage), (time.share * (1 - fewer), count, count * stage)]
    return [item for item in result if item[0] > 0]


def _chances(load: float, stages: int) -> list[float]:
    """P(j arrivals) in an Erlang time, a negative binomial distribution; for a constant time, 0 stages, Poisson."""
    if load == 0:
        return [1.0]
    if load >= _HEAVY:
        # Far more arrivals than places: only the mean counts.
        part = load - int(load)
        return [*(0.0,) * min(int(load), _LONGEST), 1.0 - part, part]
    more = load / (stages + load) if stages else 0.0
    chance = (stages / (stages + load)) ** stages if stages else math.exp(-load)
    result = [chance]
    for number in range(1, _LONGEST):
        chance *= more * (stages + number - 1) / number if stages else load / number
        result.append(chance)
        if number > load and chance < _CERTAIN:
            break
    return result
