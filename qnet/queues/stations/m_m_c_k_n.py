"""Engset and M/M/c/K/N: finite sources, which make no further request while one waits or is served."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from qnet import budget
from qnet.errors import NoAnswer, Problem, UsageError
from qnet.expression import Value
from qnet.queues.roots import neighbours
from qnet.queues.stations.answer import StationAnswer, answer
from qnet.queues.stations.distributions import poisson_sum, quantile
from qnet.queues.stations.numbers import is_symbol, pointwise
from qnet.record import Record

_ENGSET = "Engset: @kleinrock1975, section 3.10"
_FINITE = "@kleinrock1975, sections 3.8 to 3.10"
_SMALLEST = 1e-300
"""A weight near the smallest float, below which terms are neglected; all of them together change no digit."""
_STATE, _STATE_BYTES, _AT_ONCE = 7 * budget.STEP, 250.0, 1 << 14
"""Operations and bytes of one state, and states that are charged together."""


def engset(
    service_time: Value, servers: int, sources: int, source_rate: Value = None, arrival_rate: Value = None
) -> StationAnswer:
    """M/M/c/c/N: N sources, c servers, no waiting room; a source whose request is refused becomes idle again.

    Applies       any distribution of service and of idle times (insensitive); floats, fractions, arrays and symbols.
    As            `m_m_c_k_n` with capacity = servers.
    Source        @kleinrock1975, section 3.10 (finite population, loss).

    >>> round(engset(1.0, 1, 2, source_rate=1.0).blocking, 9)
    0.5
    """
    result = m_m_c_k_n(service_time=service_time, servers=servers, sources=sources, source_rate=source_rate,
                      arrival_rate=arrival_rate, capacity=servers)  # fmt: skip
    return result.replace(station="Engset", cites=_ENGSET)


@pointwise
def m_m_c_k_n(
    service_time: Value, servers: int, sources: int, source_rate: Value = None, arrival_rate: Value = None,
    capacity: int | None = None,
) -> StationAnswer:  # fmt: skip
    """N sources that make a request, wait, are served and become idle again; requests that find K are refused.

    Applies       exponential service and idle times (without a waiting room: any). Floats, fractions, arrays, symbols.
    service_time  mean, in seconds, above 0.
    servers       c >= 1.
    sources       N >= 1.
    source_rate   requests per second of ONE source while it is idle, above 0: 1 / think time. Not the total.
    arrival_rate  instead of it: requests per second of ALL sources together, refused ones included; the rate of an idle
                  source is then computed by bracketing.
    capacity      K >= c, the largest number in system, default N; above N the same as N.
    Returns       `arrival_rate`, `offered`: the total of all sources, refused requests included; `throughput`,
                  `busy_servers`: admitted requests. `time_congestion`: the share of time in which the station is full;
                  `blocking`: call congestion, the share of requests that find it full, which is smaller, since the
                  sources inside make none. Waits are those of admitted requests.
    Raises        UsageError for K < c, or unless one of the two rates is given; NoAnswer (QN402) for a total that N
                  sources cannot reach.
    Method        p(n+1) / p(n) = (N - n) g S / min(n+1, c), g the source rate; weights from the mode outwards down to
                  1e-300, a positive recursion of about 40 standard deviations. A request sees n with probability
                  (N - n) p(n) / sum.
    Source        @kleinrock1975, sections 3.8 to 3.10.

    >>> round(m_m_c_k_n(service_time=1.0, servers=1, sources=2, source_rate=1.0).throughput, 9)
    0.8
    """
    if (source_rate is None) == (arrival_rate is None):
        text = "the rate of the sources is missing" if source_rate is None else "the rate of the sources is given twice"
        raise UsageError(Problem("QN050", text, "source_rate (of one idle source) or arrival_rate (the total)"))
    room = sources if capacity is None else min(capacity, sources)
    if capacity is not None and capacity < servers:
        text = f"capacity {capacity} is below the {servers} servers"
        raise UsageError(Problem("QN050", text, "a capacity of at least the servers", path=("capacity",)))
    if source_rate is None:
        source_rate = _rate_of_total(arrival_rate, service_time, servers, sources, room)
    chain = _Chain.of(source_rate * service_time, servers, sources, room)
    asked = chain.idle / chain.mass
    accepted = (chain.idle - chain.idle_when_full) / chain.mass
    throughput = chain.busy / chain.mass / service_time
    wait = service_time * chain.waiting / chain.busy
    observed = _at_arrival(chain, servers, sources, room)
    variance = (service_time / servers) ** 2 * observed.squares / (accepted * chain.mass) - wait**2
    plain = not is_symbol(wait)
    if plain:  # It may round below 0 where the wait is nearly constant.
        variance = max(variance, 0 * variance)
    return answer(
        "M/M/c/K/N", _FINITE, throughput=throughput, arrival_rate=source_rate * asked, service_time=service_time,
        servers=servers, wait=wait, probability_of_waiting=observed.waiting / (accepted * chain.mass),
        blocking=chain.idle_when_full / chain.idle, time_congestion=chain.full / chain.mass,
        variance_of_wait=variance, variance_of_response=variance + service_time**2,
        variance_of_queue_length=chain.variance(),
        state_probability=chain.state,
        wait_percentile=_wait(observed, float(service_time) / servers) if plain else None,
        response_percentile=_response(observed, float(service_time), servers) if plain else None,
    )  # fmt: skip


class _Chain(Record):
    """Unnormalized weights of the states first, first + 1, ... and sums over them."""

    first: int
    weights: Sequence[Value]
    mass: Value
    idle: Value
    """sum of (N - n) w(n)."""
    busy: Value
    """sum of min(n, c) w(n)."""
    waiting: Value
    """sum of max(n - c, 0) w(n)."""
    full: Value
    idle_when_full: Value

    @staticmethod
    def of(asking: Value, servers: int, sources: int, room: int) -> _Chain:
        """The chain of sources that each offer `asking` erlangs while idle."""
        if isinstance(asking, (int, float)):
            first, weights = _outwards(asking, servers, sources, room)
        else:
            first, weights = 0, [asking * 0 + 1]
            for n in range(room):
                budget.spend(100 * _STATE, "the states of a finite source")
                weights.append(weights[-1] * (sources - n) * asking / min(n + 1, servers))
        pairs = list(enumerate(weights, first))
        full = weights[-1] if first + len(weights) == room + 1 else 0.0
        return _Chain(
            first=first,
            weights=weights,
            mass=sum(weights),
            idle=sum((sources - n) * w for n, w in pairs),
            busy=sum(min(n, servers) * w for n, w in pairs),
            waiting=sum(max(n - servers, 0) * w for n, w in pairs),
            full=full,
            idle_when_full=(sources - room) * full,
        )

    def variance(self) -> Value:
        """The variance of the number present."""
        pairs = list(enumerate(self.weights, self.first))
        mean = sum(n * w for n, w in pairs) / self.mass
        return sum((n - mean) ** 2 * w for n, w in pairs) / self.mass

    def state(self, count: int) -> Value:
        """p(n)."""
        index = count - self.first
        return self.weights[index] / self.mass if 0 <= index < len(self.weights) else 0 * self.mass


def _outwards(asking: float, servers: int, sources: int, last: int) -> tuple[int, list[float]]:
    """The first state and the weights from it on, the largest 1, without those below 1e-300; their ratios decrease."""

    def ratio(n: int) -> float:
        return (sources - n) * asking / min(n + 1, servers)

    low, high = 0, last
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if ratio(middle) > 1 else (low, middle)
    mode = low
    above, weight = [1.0], 1.0
    for n in range(mode, last):
        weight *= ratio(n)
        if weight < _SMALLEST:
            break
        above.append(weight)
        if not len(above) % _AT_ONCE:
            _charge(len(above))
    below: list[float] = []
    weight = 1.0
    for n in range(mode - 1, -1, -1):
        weight /= ratio(n)
        if weight < _SMALLEST:
            break
        below.append(weight)
        if not len(below) % _AT_ONCE:
            _charge(len(below))
    return mode - len(below), below[::-1] + above


def _charge(states: int) -> None:
    """Charge a further `_AT_ONCE` states; `states` are on this side of the mode so far."""
    budget.spend(_STATE * _AT_ONCE, "the states of a finite source")
    budget.reserve(_STATE_BYTES * states, "the states of a finite source")


class _AtArrival(Record):
    """Unnormalized weights of the states that admitted requests find."""

    waiting: Value
    """The weight of finding all servers busy."""
    squares: Value
    """sum of (j + 1)(j + 2) times the weight of finding c + j."""
    free: Value
    """The weight of finding a free server."""
    first: int
    """The least j >= 0 of a weight that is not negligible."""
    line: Sequence[Value]
    """The weight of finding c + j, for j from the first on."""


class _From(Sequence[float]):
    """Values from an index on, and one value at all indices before it, of which there may be very many."""

    def __init__(self, before: float, first: int, values: list[float]) -> None:
        self.before, self.first, self.values = before, first, values

    def __len__(self) -> int:
        return self.first + len(self.values)

    def __getitem__(self, index: Any) -> Any:
        value: float = self.before if index < self.first else self.values[int(index) - self.first]
        return value


def _at_arrival(chain: _Chain, servers: int, sources: int, room: int) -> _AtArrival:
    free: Value = 0
    first = max(0, min(chain.first, room) - servers)
    line: list[Value] = []
    for n, weight in enumerate(chain.weights, chain.first):
        if n < min(servers, room):
            free = free + (sources - n) * weight
        elif n < room:
            line.append((sources - n) * weight)
    squares = sum((j + 1) * (j + 2) * weight for j, weight in enumerate(line, first))
    return _AtArrival(sum(line), squares, free, first, line)


def _rate_of_total(total: Value, service_time: Value, servers: int, sources: int, room: int) -> float:
    """The rate of an idle source at which all sources together make `total` requests per second."""
    if not isinstance(total, (int, float, Fraction)) or is_symbol(service_time):
        raise UsageError(Problem("QN050", "arrival_rate of a finite source is a symbol", "source_rate, or a number"))
    goal = float(total * service_time)

    def offered(asking: float) -> float:
        chain = _Chain.of(asking, servers, sources, room)
        return asking * chain.idle / chain.mass

    low = high = goal / sources
    while offered(high) < goal:
        low, high = high, high * 2
        if high > 1e15 * (1 + goal):
            text = f"{sources} sources cannot make {float(total):.6g} requests per second"
            limit = min(servers, sources) / float(service_time)
            raise NoAnswer(
                Problem("QN402", text, f"less than {limit:.6g}/s", help="use a lower rate, or give source_rate")
            )
    return neighbours(lambda asking: goal - offered(asking), low, high)[1] / float(service_time)


def _wait(observed: _AtArrival, step: float) -> Any:
    """Percentiles of the wait: j + 1 phases with the mean `step` for arrivals that find c + j."""
    tails = _tails(observed)
    return quantile(lambda time: _phases_tail(tails, time / step), step)


def _tails(observed: _AtArrival) -> _From:
    """log P(at least i + 1 phases ahead), i = 0, 1, ...; -inf at the end."""
    overall = float(observed.waiting + observed.free)
    sums: list[float] = []
    total = 0.0
    for weight in reversed(observed.line):
        total += float(weight)
        sums.append(math.log(total / overall) if total else -math.inf)
    return _From(sums[-1] if sums else -math.inf, observed.first, sums[::-1])


def _phases_tail(tails: _From, mean: float) -> float:
    if not tails or tails[0] == -math.inf:
        return 0.0
    # The largest term is left of the mean of the Poisson probabilities, since tails decrease.
    return poisson_sum(mean, tails.__getitem__, 0, len(tails) - 1, _top(tails, mean))


def _top(tails: _From, mean: float) -> int:
    """The index of the largest term P(Poisson = i) tail(i), by bisection over the log-concave terms."""
    low, high = 0, max(0, min(int(mean) + 1, len(tails) - 1))
    while low < high:
        middle = (low + high) // 2
        here, there = tails[middle], tails[middle + 1]
        grows = there > -math.inf and mean > 0 and math.log(mean / (middle + 1)) + there - here > 0
        low, high = (middle + 1, high) if grows else (low, middle)
    return low


def _response(observed: _AtArrival, service_time: float, servers: int) -> Any:
    """Percentiles of the response: the wait plus an independent exponential service time."""
    overall = float(observed.waiting + observed.free)
    free, rate = float(observed.free) / overall, 1 / service_time
    line = [float(weight) / overall for weight in observed.line]
    if servers == 1:
        # Requests that find the server free have one phase: a state before those of the queue.
        first, ahead = (observed.first + 1, []) if observed.first else (0, [observed.free])
        tails = _tails(_AtArrival(observed.waiting + observed.free, 0, 0, first, [*ahead, *observed.line]))
        return quantile(lambda time: _phases_tail(tails, rate * time), service_time)
    tails = _tails(observed)
    sums = _grown_sums(line, observed.first, math.log(servers / (servers - 1)))

    def tail(time: float) -> float:
        mean = (servers - 1) * rate * time
        served = free * math.exp(-rate * time)
        begun = 0.0
        if sums:
            ends = len(sums) - 1
            begun = poisson_sum(
                mean, lambda i: sums[min(i - 1, ends)] - rate * time, 1, None, _start(sums, mean),
            )  # fmt: skip
        return _phases_tail(tails, servers * rate * time) + served + begun

    return quantile(tail, service_time)


def _grown_sums(line: list[float], first: int, log_ratio: float) -> _From:
    """log of sum over j <= i of line[j - first] ratio^(j + 1)."""
    sums: list[float] = []
    total = -math.inf
    for j, weight in enumerate(line, first):
        term = math.log(weight) + (j + 1) * log_ratio if weight else -math.inf
        top = max(total, term)
        if top > -math.inf:
            total = top + math.log(math.exp(total - top) + math.exp(term - top))
        sums.append(total)
    return _From(-math.inf, first, sums) if total > -math.inf else _From(-math.inf, 0, [])


def _start(sums: _From, mean: float) -> int:
    """An index near the largest term, by bisection after the states that never occur."""
    low = sums.first + 1
    while low < len(sums) and sums[low - 1] == -math.inf:
        low += 1
    high = max(low, len(sums))
    if mean >= high:
        return int(mean)
    while low < high:
        middle = (low + high) // 2
        grows = mean > 0 and math.log(mean / (middle + 1)) + sums[middle] - sums[middle - 1] > 0
        low, high = (middle + 1, high) if grows else (low, middle)
    return low
