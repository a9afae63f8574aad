"""M/M/1 and M/M/c: Poisson arrivals, exponential service, one unbounded queue."""

from __future__ import annotations

import math
from functools import partial

from qnet.errors import NotComputed, Problem
from qnet.expression import Value
from qnet.queues.erlang import erlang_c
from qnet.queues.stations.answer import Function, StationAnswer, answer
from qnet.queues.stations.distributions import check_share, quantile, two_phases_tail
from qnet.queues.stations.loss import erlang_pair, loss_state
from qnet.queues.stations.numbers import elementwise, is_array, is_symbol, operations_of, over_floats, require_stable

_SOURCE = "@kleinrock1975, sections 3.2 and 3.5"


def m_m_1(arrival_rate: Value, service_time: Value) -> StationAnswer:
    """M/M/1: M/M/c with one server.

    >>> m_m_1(5.0, 0.1).response
    0.2
    """
    return m_m_c(arrival_rate, service_time, 1, "M/M/1")


def erlang_c_station(arrival_rate: Value, service_time: Value, servers: Value) -> StationAnswer:
    """M/M/c under the name of its formula.

    >>> erlang_c_station(0.5, 1.0, 1).probability_of_waiting
    0.5
    """
    return m_m_c(arrival_rate, service_time, servers, "Erlang C")


def m_m_c(arrival_rate: Value, service_time: Value, servers: Value, station: str = "M/M/c") -> StationAnswer:
    """Poisson arrivals, exponential service, identical servers, one queue, first come first served.

    Applies       floats, fractions, arrays and symbols. The means hold for every order of service that does not depend
                  on service times; variances and percentiles for first come first served.
    arrival_rate  per second, at least 0.
    service_time  mean, in seconds, above 0.
    servers       c >= 1, an integer; fractional servers by the continuous extension of Erlang's B.
    Returns       all figures; p(n); percentiles of wait and response.
    Raises        NoAnswer (QN401) where arrival_rate x service_time >= servers.
    Method        The wait is 0 with probability 1 - C and otherwise exponential with rate c/S - arrival rate, C by
                  Erlang's formula; the response is the wait plus an independent exponential service time.
    Source        @kleinrock1975, sections 3.2 and 3.5.

    >>> round(m_m_c(1.0, 1.0, 2).probability_of_waiting, 9)
    0.333333333
    """
    require_stable(station, arrival_rate, service_time, servers)
    offered = arrival_rate * service_time
    chance = waiting_probability(servers, offered)
    drain = servers / service_time - arrival_rate
    wait = chance / drain
    variance = chance * (2 - chance) / drain**2
    return answer(
        station, _SOURCE, throughput=arrival_rate, service_time=service_time, servers=servers, wait=wait,
        probability_of_waiting=chance, variance_of_wait=variance, variance_of_response=variance + service_time**2,
        variance_of_queue_length=_number_variance(arrival_rate, servers, offered, wait, variance),
        state_probability=_states(servers, offered), wait_percentile=_wait_percentile(chance, drain),
        response_percentile=_response_percentile(servers, chance, drain, service_time),
    )  # fmt: skip


def _number_variance(rate: Value, servers: Value, offered: Value, wait: Value, variance: Value) -> Value:
    """The variance of the number in the system: a + (c - a) Lq + Var Lq.

    Waiting customers leave the queue in order of arrival: Var Lq = Lq + rate^2 Var W. The variance of the number
    served, and the covariance, follow from a E[g(N + 1)] = E[g(N) min(N, c)], with g(n) = n.
    """
    waiting = rate * wait
    return offered + (servers - offered) * waiting + waiting + rate**2 * variance


def waiting_probability(servers: Value, offered: Value) -> Value:
    """Erlang's C: for one server without a recursion, for fractional servers by the continuous extension of B.

    servers  c >= 1.
    offered  a in erlangs, below c.

    >>> waiting_probability(1, 0.5)
    0.5
    """
    if not is_array(servers):
        if servers == 1:
            return offered
        if servers == int(servers):
            return erlang_c(int(servers), offered)
    return elementwise(_real_erlang_c, servers, offered)


def _real_erlang_c(servers: float, offered: float) -> float:
    if servers == int(servers):
        return float(erlang_c(int(servers), float(offered)))
    blocked, _ = erlang_pair(servers, offered)
    return blocked / (1 - offered / servers * (1 - blocked))


def _states(servers: Value, offered: Value) -> Function:
    def one(count: int, servers: Value, offered: Value) -> Value:
        blocked, idle = erlang_pair(servers, offered)
        load = offered / servers
        # The states with a queue are added to those of the loss system: B (load + load^2 + ...).
        mass = idle + blocked / (1 - load)
        if count >= servers:
            return blocked * load ** (count - servers) / mass
        return loss_state(count, servers, offered) / mass

    return lambda count: elementwise(partial(one, count), servers, offered)


def _wait_percentile(chance: Value, drain: Value) -> Function:
    def at(share: float) -> Value:
        def one(chance: float, drain: float) -> float:
            return math.log(chance / (1 - share)) / drain if chance > 1 - share else 0.0

        check_share(share)
        if is_symbol(chance) or is_symbol(drain):
            operations = operations_of(chance, drain)
            return operations.maximum([operations.log(chance / operations.number(1 - share)) / drain, 0])
        return over_floats(one, chance, drain)

    return at


def _response_percentile(servers: Value, chance: Value, drain: Value, service_time: Value) -> Function:
    def one(share: float, chance: float, drain: float, service_time: float) -> float:
        rate = 1 / service_time

        def tail(time: float) -> float:
            return (1 - chance) * math.exp(-rate * time) + chance * two_phases_tail(time, rate, drain)

        return quantile(tail, service_time)(share)

    def at(share: float) -> Value:
        check_share(share)
        if is_symbol(chance) or is_symbol(service_time):
            operations = operations_of(chance, service_time)
            if servers == 1:  # M/M/1: exponential
                return -operations.log(operations.number(1 - share)) / drain
            text = "the response percentile of M/M/c has no closed form in symbols"
            raise NotComputed(Problem("QN550", text, "numbers"))
        return over_floats(partial(one, share), chance, drain, service_time)

    return at
