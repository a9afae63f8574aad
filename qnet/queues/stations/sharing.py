"""M/G/1-PS: Poisson arrivals, processor sharing at one server."""

from __future__ import annotations

import math

from qnet.expression import Value
from qnet.queues.stations.answer import StationAnswer, answer
from qnet.queues.stations.m_h_1 import balanced, waits
from qnet.queues.stations.numbers import is_array, is_symbol, over_floats, require_stable
from qnet.queues.stations.phases import phases_at_arrival

_SOURCE = "@kleinrock1976, section 4.4"
_MOST_PHASES = 500
"""The most phases of an Erlang service time for which variances are computed; a choice that bounds time."""


def m_g_1_ps(arrival_rate: Value, service_time: Value, scv_service: Value = None) -> StationAnswer:
    """Poisson arrivals, any service time distribution, one server shared equally by all customers present.

    Applies       floats, fractions, arrays and symbols; with an scv other than 1 floats and arrays.
    arrival_rate  per second, at least 0.
    service_time  mean, in seconds, above 0.
    scv_service   variance / mean^2 of the service time, or None. Means and p(n) do not depend on it. The variance of
                  the response does, and on the distribution: constant for 0, Erlang of k phases for 1 / k (k up to
                  500), exponential for 1, hyperexponential with balanced means above; for others it is None.
    Returns       means and p(n), the variance of the number, and with an scv that of the response. A customer with
                  service time x has a mean response of x / (1 - rho). `wait` is the response less the service time, and
                  `number_waiting` the number present less the busy server. Percentiles are not known in closed form.
    Raises        NoAnswer (QN401) for a load of at least 1.
    Method        Insensitive: the number present is that of M/M/1. Given its service time x, a response has the
                  variance 2 / (1 - rho)^2 int_0^x (x - u) P(W > u) du, W the wait of the same station first come first
                  served. So Var R = (Var S + 2 int_0^inf E[max(S - u, 0)] P(W > u) du) / (1 - rho)^2; for exponential
                  service S^2 (2 + rho) / ((2 - rho) (1 - rho)^2).
    Source        Means: @kleinrock1976, section 4.4. Variance: @coffman1970; @ott1984; @yashkov1987.

    >>> m_g_1_ps(5.0, 0.1).response
    0.2
    """
    require_stable("M/G/1-PS", arrival_rate, service_time, 1)
    load = arrival_rate * service_time

    def state(count: int) -> Value:
        return (1 - load) * load**count

    variance = None
    if scv_service is not None and not is_symbol(scv_service):
        if not is_array(scv_service) and scv_service == 1:
            variance = (2 + load) / (2 - load)
        elif all(map(_known, scv_service.flat if is_array(scv_service) else (scv_service,))) and not is_symbol(load):
            variance = over_floats(_share_of_square, load, scv_service)
    return answer(
        "M/G/1-PS", _SOURCE, throughput=arrival_rate, service_time=service_time, servers=1,
        wait=service_time * load / (1 - load), state_probability=state,
        variance_of_response=None if variance is None else variance * (service_time / (1 - load)) ** 2,
        variance_of_queue_length=load / (1 - load) ** 2,
    )  # fmt: skip


def _known(scv: float) -> bool:
    """Whether an scv determines a distribution."""
    return scv >= 1 or scv == 0 or (1 / scv < _MOST_PHASES + 0.5 and abs(1 / scv - round(1 / scv)) < 1e-9)


def _share_of_square(load: float, scv: float) -> float:
    """Var R (1 - rho)^2 / S^2."""
    if scv == 0:
        return _constant(load)
    if scv < 1:
        return _erlang(load, round(1 / scv))
    # E[max(S - u, 0)] = sum p e^(-r u) / r, P(W > u) = sum w e^(-t u).
    p1, p2, r1, r2 = balanced(1.0, scv)
    return scv + 2 * sum(
        weight * chance / (rate * (rate + theta))
        for weight, theta in waits(load, 1.0, scv)
        for chance, rate in ((p1, r1), (p2, r2))
    )


def _constant(load: float) -> float:
    """1 - 2 (1 - rho) (e^rho - 1 - rho) / rho^2, as a series: P(W <= u) = (1 - rho) e^(rate u) up to one service."""
    return math.fsum(2 * (n + 1) * load**n / math.factorial(n + 2) for n in range(1, 25))


def _erlang(load: float, phases: int) -> float:
    """A sum of positive terms, over the phases i present on arrival and the phases j of the customer completed at u.

    int_0^inf P(Poisson(k u) = i) P(Poisson(k u) = j) du = binomial(i + j, j) / 2^(i + j + 1) / k.
    """
    at_arrival = phases_at_arrival(load, phases)
    total = 0.0
    for each in range(phases):
        # A negative binomial probability: the (i+1)-th head of a fair coin after `each` tails.
        chance, index, summed = 0.5 ** (each + 1), 0, 0.0
        while True:
            term = chance * at_arrival.at(index)
            summed += term
            index += 1
            chance *= (index + each) / (2 * index)
            if index > each and term <= 1e-18 * summed:
                break
        total += (phases - each) * summed
    return (1 + 2 * load * total / phases) / phases
