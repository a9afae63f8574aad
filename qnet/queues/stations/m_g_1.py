"""M/G/1: Poisson arrivals, any service time, one server, in order of arrival."""

from __future__ import annotations

from collections.abc import Callable

from qnet.expression import Value
from qnet.queues.stations.answer import StationAnswer, answer
from qnet.queues.stations.moments import number_variance, third_moment
from qnet.queues.stations.numbers import require_stable

_SOURCE = "Pollaczek-Khinchine: @kleinrock1975, chapter 5"


def m_g_1(
    arrival_rate: Value, service_time: Value, scv_service: Value, skewness_service: Value = None
) -> StationAnswer:
    """Poisson arrivals, any service time distribution, one server, first come first served.

    Applies           floats, fractions, arrays and symbols (with a skewness: no fractions).
    arrival_rate      per second, at least 0.
    service_time      mean, in seconds, above 0.
    scv_service       variance / mean^2 of the service time, at least 0.
    skewness_service  its third standardized moment, or None; a positive time has at least sigma/mean - mean/sigma.
    Returns           means; variances where the skewness is given, or the scv is 0.
    Raises            NoAnswer (QN401) for a load of at least 1; UsageError for moments that no positive time has.
    Method            W = rate E[S^2] / 2(1 - rho); Var W = W^2 + rate E[S^3] / 3(1 - rho).
    Source            @kleinrock1975, chapter 5 (Pollaczek-Khinchine).

    >>> round(m_g_1(5.0, 0.1, scv_service=0.0).wait, 9)
    0.05
    """
    third = third_moment(service_time, scv_service, skewness_service, "service time above 0")
    return by_moments("M/G/1", arrival_rate, service_time, scv_service, third)


def by_moments(
    station: str, arrival_rate: Value, service_time: Value, scv: Value, third: Value, cites: str = _SOURCE
) -> StationAnswer:
    """The Pollaczek-Khinchine figures; `third` is E[S^3] in s^3, or None."""
    require_stable(station, arrival_rate, service_time, 1)
    idle = 1 - arrival_rate * service_time
    wait = arrival_rate * service_time**2 * (1 + scv) / (2 * idle)
    variance = None if third is None else wait**2 + arrival_rate * third / (3 * idle)
    of_response = None if third is None else variance + scv * service_time**2
    return answer(
        station, cites, throughput=arrival_rate, service_time=service_time, servers=1, wait=wait,
        probability_of_waiting=arrival_rate * service_time, variance_of_wait=variance,
        variance_of_response=of_response,
        variance_of_queue_length=number_variance(arrival_rate, wait + service_time, of_response),
    )  # fmt: skip


def number_present(load: float, none: float, more: Callable[[int], float], last: int) -> list[float]:
    """p(0 .. last) of M/G/1.

    none     the probability of no arrival during a service.
    more     that more than a number arrive.
    Method   Crossings of a level at departures balance: p(n+1) none = p(0) more(n) + sum over 1 <= i <= n of
             p(i) more(n - i + 1). Positive terms only.
    """
    exceeded = [more(0)]
    while len(exceeded) <= last + 1 and exceeded[-1] > 1e-18:
        exceeded.append(more(len(exceeded)))
    states = [1 - load]
    for n in range(last):
        up = states[0] * exceeded[n] if n < len(exceeded) else 0.0
        for i in range(max(1, n + 2 - len(exceeded)), n + 1):
            up += states[i] * exceeded[n - i + 1]
        states.append(up / none)
    return states
