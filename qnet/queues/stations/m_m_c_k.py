"""M/M/1/K, M/M/c/K, M/M/c/c and Erlang B: Poisson arrivals, exponential service, a finite capacity."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from qnet.errors import Problem, UsageError
from qnet.expression import Value
from qnet.queues.stations.answer import Function, StationAnswer, answer
from qnet.queues.stations.distributions import check_share, poisson_sum, quantile
from qnet.queues.stations.loss import erlang_pair, loss_state
from qnet.queues.stations.numbers import elementwise, is_array, is_symbol, operations_of, over_floats, pointwise
from qnet.record import Record

Sums = tuple[Value, Value, Value, Value]
"""r^m, and the sums over 0 <= j < m of r^j, j r^j, j^2 r^j."""


_SOURCE = "@kleinrock1975, sections 3.6 and 3.7"
_ERLANG = "@kleinrock1975, section 3.7"


def power_sums(base: Value, count: int) -> Sums:
    """The sums of `base`^j over 0 <= j < `count`, weighted by 1, j and j^2.

    base    r >= 0; a number, an array, a fraction or a symbol.
    count   the number of terms, at least 0.
    Method  Two sums are joined: sum_(m+n) = sum_m + r^m sum_n, with the weights shifted. Sums of doubled length are
            joined by the binary digits of the count. Nothing is subtracted, so r may be near 1.
    """
    joined: Sums = (base * 0 + 1, base * 0, base * 0, base * 0)
    length = 0
    stretch: Sums = (base, base * 0 + 1, base * 0, base * 0)
    size = 1
    while count:
        if count & 1:
            joined = _join(joined, length, stretch)
            length += size
        count >>= 1
        if count:
            stretch = _join(stretch, size, stretch)
            size *= 2
    return joined


def _join(first: Sums, length: int, second: Sums) -> Sums:
    power, zero, one, two = first
    more, zeros, ones, twos = second
    shift: Any = length
    return (
        power * more,
        zero + power * zeros,
        one + power * (ones + shift * zeros),
        two + power * (twos + 2 * shift * ones + shift * shift * zeros),
    )


def m_m_1_k(arrival_rate: Value, service_time: Value, capacity: int) -> StationAnswer:
    """M/M/1/K: M/M/c/K with one server.

    >>> m_m_1_k(1.0, 1.0, 1).blocking
    0.5
    """
    return m_m_c_k(arrival_rate, service_time, 1, capacity, "M/M/1/K", _SOURCE)


def m_m_c_c(arrival_rate: Value, service_time: Value, servers: int) -> StationAnswer:
    """M/M/c/c: M/M/c/K without a waiting room; blocking is Erlang's B.

    >>> m_m_c_c(1.0, 1.0, 2).blocking
    0.2
    """
    return m_m_c_k(arrival_rate, service_time, servers, servers, "M/M/c/c", _ERLANG)


def erlang_b_station(arrival_rate: Value, service_time: Value, servers: int) -> StationAnswer:
    """M/G/c/c: the figures of M/M/c/c that hold for every service time distribution.

    >>> erlang_b_station(1.0, 1.0, 2).blocking
    0.2
    """
    result = m_m_c_k(arrival_rate, service_time, servers, servers, "Erlang B", _ERLANG)
    return result.replace(variance_of_response=None, response_percentile=None)


def m_m_c_k(
    arrival_rate: Value,
    service_time: Value,
    servers: int,
    capacity: int,
    station: str = "M/M/c/K",
    cites: str = _SOURCE,
) -> StationAnswer:
    """Poisson arrivals, exponential service, one queue; arrivals that find `capacity` customers are lost.

    station, cites  the name and the source that the answer states, for variants of this station.
    Applies       floats, fractions, arrays (of rates and times) and symbols; any load, above 1 as well.
    arrival_rate  offered, per second, at least 0.
    service_time  mean, in seconds, above 0.
    servers       c >= 1.
    capacity      K >= c: the largest number in system, those in service included.
    Returns       figures of admitted customers; `blocking` = `time_congestion` (arrivals see time averages).
    Raises        UsageError where capacity < servers.
    Method        The states up to c are those of the loss system, the states above fall (or grow) geometrically; sums
                  of positive terms, from the larger end, so that neither a million servers nor a load above 1 costs a
                  digit. The wait of an arrival that finds c + j is Erlang of j + 1 phases of rate c / S.
    Source        @kleinrock1975, sections 3.6 (c = 1) and 3.7 (c = K).

    >>> m_m_c_k(1.0, 1.0, 1, 1).throughput
    0.5
    """
    if is_array(servers) or is_array(capacity):
        return pointwise(m_m_c_k)(
            arrival_rate=arrival_rate, service_time=service_time, servers=servers, capacity=capacity, station=station,
            cites=cites,
        )  # fmt: skip
    if capacity < servers:
        text = f"capacity {capacity} is below the {servers} servers"
        raise UsageError(Problem("QN050", text, "a capacity of at least the servers", path=("capacity",)))
    offered = arrival_rate * service_time
    room = capacity - servers
    line = _Line.of(servers, room, offered)
    accepted = line.idle + line.entering
    throughput = (offered * line.idle + servers * line.waiting) / service_time
    step = service_time / servers
    wait = step * line.phases / accepted
    variance = step**2 * line.squared_phases / accepted - wait**2
    # A sum of almost equal squares may round below 0 where the wait is constant.
    if not is_symbol(variance):
        operations = operations_of(variance)
        variance = operations.maximum([variance, 0 * variance])
    chance = line.entering / accepted
    return answer(
        station, cites, throughput=throughput, arrival_rate=arrival_rate, service_time=service_time, servers=servers,
        wait=wait, probability_of_waiting=chance, blocking=line.blocked, time_congestion=line.blocked,
        variance_of_wait=variance, variance_of_response=variance + service_time**2,
        variance_of_queue_length=_number_variance(servers, offered, line, throughput * wait),
        state_probability=_states(servers, capacity, offered),
        wait_percentile=_wait_percentile(servers, room, offered, step, chance),
        response_percentile=_response_percentile(servers, room, offered, service_time, chance),
    )  # fmt: skip


def _number_variance(servers: int, offered: Value, line: _Line, waiting: Value) -> Value:
    """The variance of the number in the system, as that of the waiting customers minus the idle servers, one of which
    is always 0.

    Loss system: E[idle] by the recursion of `erlang_b`, E(c) = (1 - B(c)) (1 + E(c - 1)); its variance from
    a E[g(N + 1); N < c] = E[g(N) N] with g(n) = n.
    """
    blocked, idle = erlang_pair(servers, offered)
    before = servers - 1 - offered * erlang_pair(servers - 1, offered)[1] if servers > 1 else 0
    least = idle * (1 + before)
    spread = line.unit * (offered * idle * (idle - blocked * before) + line.waiting * least**2)
    return spread + line.variance + 2 * line.unit * least * waiting


class _Line(Record):
    """Probabilities and sums of a queue with a waiting room of m = K - c."""

    idle: Value
    """Probability of a free server."""
    waiting: Value
    """Probability that customers wait."""
    entering: Value
    """Probability that all servers are busy and there is waiting room."""
    blocked: Value
    """Probability that all K places are taken."""
    phases: Value
    """sum over entering states of (j + 1) p(c + j)."""
    squared_phases: Value
    """sum over entering states of (j + 1)(j + 2) p(c + j)."""
    variance: Value
    """Variance of the number waiting."""
    unit: Value
    """The factor of the probabilities of the loss system: p(n) = unit x loss_state(n) up to n = c."""

    @staticmethod
    def of(servers: int, room: int, offered: Value) -> _Line:
        """The sums, from the side where the weights are largest; for symbols from below."""
        load = offered / servers
        if is_symbol(load):
            return _rising(servers, room, offered, load)
        if not is_array(load):
            return _falling(servers, room, offered, 1 / load) if load > 1 else _rising(servers, room, offered, load)
        operations = operations_of(load)
        one = 1 + 0 * load
        below = _rising(servers, room, offered, operations.minimum([load, one]))
        above = _falling(servers, room, offered, 1 / operations.maximum([load, one]))
        return _Line(*(operations.where(load > 1, high, low) for high, low in zip(above, below, strict=True)))


def _rising(servers: int, room: int, offered: Value, load: Value) -> _Line:
    """Weights B load^j of c + j, for loads up to 1."""
    full, idle = erlang_pair(servers, offered)
    last, zero, one, two = power_sums(load, room)
    unit = 1 / (idle + full * (zero + last))
    every = full * unit
    squares = two + 3 * one + 2 * zero
    waiting = every * load * (one + zero)
    variance = every * load * (two + 2 * one + zero) - waiting**2
    return _Line(
        idle=idle * unit,
        waiting=every * load * zero,
        entering=every * zero,
        blocked=every * last,
        phases=every * (one + zero),
        squared_phases=every * squares,
        variance=variance,
        unit=unit,
    )


def _falling(servers: int, room: int, offered: Value, inverse: Value) -> _Line:
    """Weights B inverse^(m - j) of c + j, for loads above 1."""
    full, idle = erlang_pair(servers, offered)
    last, zero, one, two = power_sums(inverse, room)
    entering = inverse * zero
    mass = idle * last + full * (entering + 1)
    every, unit = full / mass, last / mass
    # The entering state j = m - 1 - i has weight inverse^(i + 1), j + 1 = m - i, j + 2 = m + 1 - i.
    phases = inverse * (room * zero - one)
    squares = inverse * (room * (room + 1) * zero - (2 * room + 1) * one + two)
    # Free waiting places, m - j; all m if no customer waits.
    empty = idle * unit + every * last
    left = every * one + room * empty
    variance = every * two + room * room * empty - left**2
    return _Line(
        idle=idle * unit,
        waiting=every * zero,
        entering=every * entering,
        blocked=every,
        phases=every * phases,
        squared_phases=every * squares,
        variance=variance,
        unit=unit,
    )


def _states(servers: int, capacity: int, offered: Value) -> Function:
    def one(count: int, offered: Value) -> Value:
        if count > capacity:
            return 0 * offered
        line = _Line.of(servers, capacity - servers, offered)
        if count <= servers:
            return line.unit * loss_state(count, servers, offered)
        load = offered / servers
        if not is_symbol(load) and load > 1:
            return line.blocked * (1 / load) ** (capacity - count)
        return line.unit * erlang_pair(servers, offered)[0] * load ** (count - servers)

    return lambda count: elementwise(partial(one, count), offered)


def _log_powers(log_base: float, count: int) -> float:
    """Logarithm of the sum of base^j over 0 <= j < count."""
    if log_base == 0:
        return math.log(count)
    grown = log_base * count
    shrunk = math.log(math.expm1(-abs(grown)) / math.expm1(-abs(log_base)))
    return shrunk + max(0.0, grown - log_base)


def geometric_wait_tail(load: float, room: int, chance: float, mean: float) -> float:
    """P(a Poisson variable is below the number of phases ahead), where j + 1 phases have the weight load^j, j < room.

    load     per server.
    room     the largest number of phases.
    chance   the probability that there is any phase.
    mean     of the Poisson variable.
    """
    if room == 0 or chance == 0:
        return 0.0
    logs = math.log(load)
    overall = math.log(chance) - _log_powers(logs, room)

    def weight(index: int) -> float:
        return overall + logs * index + _log_powers(logs, room - index)

    return poisson_sum(mean, weight, 0, room - 1, int(mean * min(load, 1.0)))


def _wait_percentile(servers: int, room: int, offered: Value, step: Value, chance: Value) -> Function:
    def one(share: float, offered: float, step: float, chance: float) -> float:
        load = offered / servers
        return quantile(lambda time: geometric_wait_tail(load, room, chance, time / step), step)(share)

    def at(share: float) -> Value:
        check_share(share)
        return over_floats(partial(one, share), offered, step, chance)

    return at


def _response_percentile(servers: int, room: int, offered: Value, service_time: Value, chance: Value) -> Function:
    def one(share: float, offered: float, service_time: float, chance: float) -> float:
        load, rate = offered / servers, 1 / service_time
        if offered == 0:
            return quantile(lambda time: math.exp(-rate * time), service_time)(share)
        if servers == 1:
            return quantile(lambda time: geometric_wait_tail(load, room + 1, 1.0, rate * time), service_time)(share)
        ratio = servers / (servers - 1)
        logs, grown = math.log(load), math.log(load * ratio)
        overall = -math.inf if chance == 0 or room == 0 else math.log(chance * ratio) - _log_powers(logs, room)

        def tail(time: float) -> float:
            waits = geometric_wait_tail(load, room, chance, servers * rate * time)
            served = (1 - chance) * math.exp(-rate * time)
            if overall == -math.inf:
                return waits + served
            mean = (servers - 1) * rate * time
            begun = poisson_sum(
                mean, lambda index: overall + _log_powers(grown, min(index, room)) - rate * time, 1, None,
                int(mean if mean > room else min(room, mean * max(1.0, load * ratio))),
            )  # fmt: skip
            return waits + served + begun

        return quantile(tail, service_time)(share)

    def at(share: float) -> Value:
        check_share(share)
        return over_floats(partial(one, share), offered, service_time, chance)

    return at
