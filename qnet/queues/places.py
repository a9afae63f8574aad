"""Stations with a finite number of places: one class, priorities, and a rate that depends on the number present.

The places of a single class may differ by point and need not be an integer. Priorities are a Markov chain with Poisson
arrivals and exponential times by priority.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from qnet.errors import NotComputed, Problem
from qnet.expression import Operations, Value
from qnet.lazy import Array, np
from qnet.queues.stations.loss import erlang_pair
from qnet.record import Record

_NEAR = 0.02
"""The exponent above which e^y - 1 is computed as a series."""
_MOST = 700.0
"""The largest exponent of e, below the overflow of floats."""
_TINY = 1e-300
"""Keeps a quotient finite at no load: any number near the smallest float works."""


MOST_STATES = 1500
"""The most states of the chain, whose dense solution is cubic in them; a choice that bounds time."""
_State = tuple[tuple[int, ...], tuple[int, ...]]
"""By priority, the highest first: the number waiting, and the number in service."""
_LARGE = 1e100
"""Weights above this are normalized."""


class Servers(Record):
    """The servers that free places, with their other work."""

    number: int
    """c >= 1."""
    load: Value
    """Arrivals per second over the places per second that the servers can free: x."""
    other: Value = 0.0
    """Utilization of the servers by other work, below 1."""
    spread: Value = 1.0
    """The mean queue length over that of exponential services without other work: k."""

    @property
    def blocked(self) -> tuple[Value, Value]:
        """Erlang's B for the total load, and 1 - B."""
        return erlang_pair(self.number, self.number * (self.other + (1 - self.other) * self.load))

    @property
    def slack(self) -> Value:
        """1 - x + k x."""
        return 1 + self.beyond * self.load

    @property
    def beyond(self) -> Value:
        """k - 1, at least -1/2, which constant services have."""
        return self.spread - 1

    def log_ratio(self, operations: Operations) -> Value:
        """Logarithm of the ratio r of a state to the one before: r / (1 - r) = k x / (1 - x), mirrored above x = 1."""
        load = operations.maximum([self.load, _TINY + 0.0 * self.load])
        below = operations.minimum([load, 1 / load])
        logs = operations.log(below * (1 + self.beyond) / (1 + self.beyond * below))
        return operations.where(load > 1, -logs, logs)


class FiniteLine(Record):
    """A queue with K places, those in service included."""

    full: Value
    """Probability that an arrival finds all places taken."""
    free: Value
    """Probability that it finds one."""
    waiting: Value
    """Mean number of taken places that wait for a server."""


def with_loss(servers: Servers, places: Value, operations: Operations) -> FiniteLine:
    """Poisson arrivals; those that find K places taken are lost.

    Applies     any load, above 1 as well; K >= c.
    servers     the servers of the places.
    places      K, a number or one per point; it need not be an integer.
    operations  of the numbers.
    Exact       M/M/c/K: no other work, exponential service.
    Method      The states up to c are those of the loss system, those above fall or rise geometrically; sums from the
                larger end, without differences of almost equal numbers. With other work the ratio is the one for which
                the unlimited queue has the right mean.
    Source      M/M/c/K: @kleinrock1975, sections 3.6 and 3.7. Other work: this tool.
    """
    where, exp = operations.where, operations.exp
    room = operations.maximum([places - servers.number, 0.0 * places])
    (blocked, idle), slope = servers.blocked, servers.log_ratio(operations)
    steep, falls = operations.absolute(slope), slope <= 0
    # All weights are relative to the largest of the states from c on.
    shrunk = exp(-steep * room)
    low, top = where(falls, 1.0, shrunk), where(falls, shrunk, 1.0)
    below = where(falls, 1.0, exp(-steep)) * geometric_sum(steep, room, operations)
    sum_ = geometric_sum(steep, room + 1, operations)
    # With other work the last state has more than its geometric weight.
    more = servers.beyond * top
    free = idle * (1 - servers.other) * servers.slack * low + blocked * below
    overall = free + blocked * (top + more)
    ahead = (room + 1) * _level((room + 1) * slope, operations) - _level(slope, operations)
    waiting = blocked * (sum_ * operations.maximum([ahead, 0.0 * ahead]) + more * room) / overall
    # No more can be admitted than is served.
    served = 1 / operations.maximum([servers.load, 1.0 + 0.0 * servers.load])
    full = operations.maximum([blocked * (top + more) / overall, 1 - served])
    return FiniteLine(full, operations.minimum([free / overall, served]), waiting)


def with_wait(servers: Servers, places: Value, operations: Operations) -> FiniteLine:
    """Poisson arrivals; those that find K places taken wait for one outside, in order of arrival.

    servers     their number, load and other work.
    places      K, the number of places.
    operations  of floats or of arrays.
    Applies     as `with_loss`, with a load below 1: else there is no steady state.
    Exact       no other work, exponential service.
    Method      All customers, inside and outside, are those of an M/M/c: min(N, K) of N customers are inside.
    Source      M/M/c: @kleinrock1975, section 3.5. Other work: this tool.
    """
    (blocked, idle), load = servers.blocked, servers.load
    busy = blocked / (idle * (1 - servers.other) * (1 - load) + blocked)
    room = operations.maximum([places - servers.number, 0.0 * places])
    power = room * servers.log_ratio(operations)
    # Points without a steady state have no figures, but must not overflow.
    full = busy * operations.exp(operations.minimum([power, _MOST + 0.0 * power]))
    return FiniteLine(full, 1 - full, (busy - full) * (1 + servers.beyond) * load / (1 - load + (load == 1)))


def geometric_sum(steep: Value, count: Value, operations: Operations) -> Value:
    """The sum of e^(-steep j) over 0 <= j < count; `count` for a decay of 0.

    steep       the decay per step, of either sign.
    count       the number of terms, at least 0; fractions are allowed.
    operations  of floats or of arrays.
    """
    still = steep == 0
    below = operations.where(still, 1.0, _grown(-steep, operations))
    return operations.where(still, count, _grown(-steep * count, operations) / below)


def _grown(power: Value, operations: Operations) -> Value:
    """e^y - 1 for y <= 0."""
    near = operations.maximum([power, -_NEAR + 0.0 * power])
    series = near * (1 + near / 2 * (1 + near / 3 * (1 + near / 4 * (1 + near / 5 * (1 + near / 6)))))
    return operations.where(power > -_NEAR, series, operations.exp(power) - 1)


def _level(slope: Value, operations: Operations) -> Value:
    """1 / (1 - e^-x) - 1 / x, which is 1/2 at 0; for the mean of a truncated geometric distribution."""
    near = operations.absolute(slope) < 0.1
    x = operations.where(near, slope, 0.0)
    series = 0.5 + x / 12 * (1 - x**2 / 60 * (1 - x**2 / 42 * (1 - x**2 / 40)))
    far = operations.where(near, 1.0, slope)
    below = operations.exp(-operations.absolute(far))
    direct = operations.where(far > 0, 1 / (1 - below), -below / (1 - below)) - 1 / far
    return operations.where(near, series, direct)


class Levels(Record):
    """The figures of a station with priorities and loss when all places are taken."""

    kept: float
    """Share of the arrivals that is admitted, equal for every priority."""
    numbers: tuple[float, ...]
    """By priority: the mean number present."""


def priority_loss(
    rates: tuple[float, ...], times: tuple[float, ...], servers: int, places: int, interrupting: bool
) -> Levels:
    """The share of arrivals that is admitted, and the mean numbers present.

    rates         by priority, the highest first: arrivals per second, lost ones included.
    times         by priority: mean service time in seconds, above 0.
    servers       c >= 1.
    places        K >= servers, those in service included: arrivals that find K are lost, whatever their priority.
    interrupting  whether an arrival preempts a lower priority, which resumes later.
    Raises        `NotComputed` QN588 where there are more than 1500 states.
    Exact         yes, at any load.
    Method        The Markov chain of the numbers of every priority that wait and are served.

    >>> round(priority_loss((0.5, 0.5), (1.0, 1.0), servers=1, places=1, interrupting=False).kept, 9)
    0.5
    """
    count = len(rates)
    size = math.comb(places + count, count) if interrupting else 0
    if not interrupting:
        size = math.comb(servers - 1 + count, count)
        size += math.comb(servers + count - 1, count - 1) * math.comb(places - servers + count, count)
    if size > MOST_STATES:
        text = f"a station with {places} places and {count} priorities has {size} states"
        help = "use fewer places, or fewer priorities; or omit a capacity that is hardly ever reached"
        raise NotComputed(Problem("QN588", text, f"at most {MOST_STATES} states", help=help))
    first: _State = ((0,) * count, (0,) * count)
    known, states = {first: 0}, [first]
    moves: list[tuple[int, int, float]] = []
    for state in states:
        for rate, after in _moves(state, rates, times, servers, places, interrupting):
            if rate == 0:
                continue
            if after not in known:
                known[after] = len(states)
                states.append(after)
            moves.append((known[state], known[after], rate))
    balance = np.zeros((len(states), len(states)))
    for source, target, rate in moves:
        balance[target, source] += rate
        balance[source, source] -= rate
    balance[0] = 1.0
    total: Array = np.eye(len(states))[0]
    shares = np.asarray(np.linalg.solve(balance, total), np.float64)
    present = np.array([[wait + busy for wait, busy in zip(*state, strict=True)] for state in states], float)
    blocked = float(shares[present.sum(axis=1) == places].sum())
    kept = 1.0 - blocked
    if blocked > 0.5:
        # Admissions equal departures: 1 less a share near 1 would lose all digits.
        leaving = np.array([sum(busy / time for busy, time in zip(state[1], times, strict=True)) for state in states])
        kept = float(shares @ leaving) / sum(rates)
    return Levels(kept, tuple((shares @ present).tolist()))


def _moves(
    state: _State, rates: tuple[float, ...], times: tuple[float, ...], servers: int, places: int, interrupting: bool
) -> Iterator[tuple[float, _State]]:
    waiting, served = state
    if sum(waiting) + sum(served) < places:
        for level, rate in enumerate(rates):
            yield rate, _served(_plus(waiting, level, 1), served, servers, interrupting)
    for level, busy in enumerate(served):
        if busy:
            yield busy / times[level], _served(waiting, _plus(served, level, -1), servers, interrupting)


def _served(waiting: tuple[int, ...], served: tuple[int, ...], servers: int, interrupting: bool) -> _State:
    """The state after free servers, or with preemption all servers, have taken the highest priorities."""
    if interrupting:
        waiting = tuple(wait + busy for wait, busy in zip(waiting, served, strict=True))
        served = (0,) * len(served)
    free = servers - sum(served)
    for level, wait in enumerate(waiting):
        taken = min(wait, free)
        waiting, served, free = _plus(waiting, level, -taken), _plus(served, level, taken), free - taken
    return waiting, served


def _plus(numbers: tuple[int, ...], level: int, more: int) -> tuple[int, ...]:
    return (*numbers[:level], numbers[level] + more, *numbers[level + 1 :])


class RatedLine(Record):
    """The figures of a station with loss when all places are taken."""

    kept: float
    """The share of arrivals that is admitted."""
    number: float
    """The mean number present."""


def rated_loss(offered: float, rates: Sequence[float], places: int) -> RatedLine:
    """The share of arrivals that is admitted, and the mean number present.

    offered  arrivals per mean service time at rate 1, lost ones included.
    rates    relative service rate with 1, 2, ... customers present, above 0; the last repeats.
    places   K, those in service included: arrivals that find K are lost.
    Exact    for exponential times; for any times with processor sharing or last come first served preemptive resume.
    Method   The birth-death process of the number present, p(n) = p(n - 1) offered / rates(n) up to n = K: a sum of
             positive terms.
    Source   @kleinrock1975, section 3.1; insensitivity with a limit of the number: @kelly1979,
             section 3.3.

    >>> rated_loss(1.0, (1.0, 2.0), places=2)
    RatedLine(kept=0.8, number=0.8)
    """
    last = len(rates) - 1
    weight, fewer, number = 1.0, 0.0, 0.0
    for present in range(1, places + 1):
        fewer += weight
        weight *= offered / rates[min(present - 1, last)]
        number += present * weight
        every = fewer + weight
        if every > _LARGE:
            weight, fewer, number = weight / every, fewer / every, number / every
    return RatedLine(fewer / (fewer + weight), number / (fewer + weight))
