"""M/G/1: Poisson arrivals, any service time, one server; in order of arrival or shared."""

from __future__ import annotations

from collections.abc import Callable

from qnet.errors import Problem, UsageError
from qnet.expression import Value
from qnet.queues.stations.answer import StationAnswer, answer
from qnet.queues.stations.numbers import is_array, is_symbol, require_stable

_SOURCE = "Pollaczek-Khinchine: Kleinrock, Queueing Systems, Volume I: Theory, 1975, chapter 5"
_SHARED = "Kleinrock, Queueing Systems, Volume II: Computer Applications, 1976, section 4.4"


def m_g_1(
    arrival_rate: Value, service_time: Value, scv_service: Value, skewness_service: Value = None
) -> StationAnswer:
    """Poisson arrivals, any service time distribution, one server, first come first served.

    Applies           floats, fractions, arrays and symbols (with a skewness: no fractions).
    arrival_rate      per second, at least 0.
    service_time      mean, in seconds, above 0.
    scv_service       variance / mean^2 of the service time, at least 0.
    skewness_service  its third standardized moment, or None; a positive time has at least sigma/mean - mean/sigma.
    Returns           means; variances where the skewness is given.
    Raises            NoAnswer (QN401) for a load of at least 1; UsageError for moments that no positive time has.
    Method            W = rate E[S^2] / 2(1 - rho); Var W = W^2 + rate E[S^3] / 3(1 - rho).
    Source            Kleinrock, Queueing Systems, Volume I: Theory, 1975, chapter 5 (Pollaczek-Khinchine).
    """
    third = None
    if skewness_service is not None:
        # The cube of the standard deviation as a power: one spelling for floats, arrays and symbols.
        third = service_time**3 * (skewness_service * scv_service**1.5 + 3 * scv_service + 1)
        if not is_symbol(third):
            short = third * service_time < (service_time**2 * (1 + scv_service)) ** 2 * (1 - 1e-12)
            if short.any() if is_array(short) else short:
                found = f"no service time above 0 has the skewness {skewness_service} and the scv {scv_service}"
                raise UsageError(Problem("QN050", found, "a skewness of at least scv^(1/2) - scv^(-1/2)"))
    return by_moments("M/G/1", arrival_rate, service_time, scv_service, third)


def by_moments(
    station: str, arrival_rate: Value, service_time: Value, scv: Value, third: Value, source: str = _SOURCE
) -> StationAnswer:
    """The Pollaczek-Khinchine figures; `third` is E[S^3] in s^3, or None."""
    require_stable(station, arrival_rate, service_time, 1)
    idle = 1 - arrival_rate * service_time
    wait = arrival_rate * service_time**2 * (1 + scv) / (2 * idle)
    variance = None if third is None else wait**2 + arrival_rate * third / (3 * idle)
    return answer(
        station, source, throughput=arrival_rate, service_time=service_time, servers=1, wait=wait,
        probability_of_waiting=arrival_rate * service_time, variance_of_wait=variance,
        variance_of_response=None if variance is None else variance + scv * service_time**2,
    )  # fmt: skip


def m_g_1_ps(arrival_rate: Value, service_time: Value) -> StationAnswer:
    """Poisson arrivals, any service time distribution, one server that all present share equally.

    Applies       floats, fractions, arrays and symbols.
    arrival_rate  per second, at least 0.
    service_time  mean, in seconds, above 0.
    Returns       means and p(n). A customer with service time x stays x / (1 - rho) on average. `wait` is what sharing
                  adds to the service time, and `number_waiting` the number present less the busy server.
    Raises        NoAnswer (QN401) for a load of at least 1.
    Method        Insensitive: the number present is that of M/M/1.
    Source        Kleinrock, Queueing Systems, Volume II: Computer Applications, 1976, section 4.4.
    """
    require_stable("M/G/1-PS", arrival_rate, service_time, 1)
    load = arrival_rate * service_time

    def state(count: int) -> Value:
        return (1 - load) * load**count

    return answer(
        "M/G/1-PS", _SHARED, throughput=arrival_rate, service_time=service_time, servers=1,
        wait=service_time * load / (1 - load), state_probability=state,
    )  # fmt: skip


def number_present(load: float, none: float, more: Callable[[int], float], last: int) -> list[float]:
    """p(0 .. last) of M/G/1.

    none     the probability that nobody arrives during a service.
    more     that more than so many do.
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
