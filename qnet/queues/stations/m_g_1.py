"""M/G/1: Poisson arrivals, any service time, one server, in order of arrival."""

from __future__ import annotations

from collections.abc import Callable

from qnet.errors import Problem, UsageError
from qnet.expression import Value
from qnet.queues.stations.answer import StationAnswer, answer
from qnet.queues.stations.numbers import is_array, is_symbol, require_stable

_SOURCE = "Pollaczek-Khinchine: @kleinrock1975, chapter 5"
_NOTHING = 1e-18
"""The share of a sum below which a term and all after it change no digit."""


def third_moment(mean: Value, scv: Value, skewness: Value, what: str) -> Value:
    """E[X^3] of a non-negative quantity, from its mean, scv and skewness.

    skewness  the third standardized moment; None where it is unknown: then the third moment is that of a constant for
              an scv of 0, and otherwise None.
    what      the word for the quantity, for the message.
    Raises    `UsageError` (QN050) for a skewness that no such quantity with this scv has: E[X] E[X^3] >= E[X^2]^2.
    """
    if skewness is None:
        return mean**3 if not is_array(scv) and not is_symbol(scv) and scv == 0 else None
    # The cube of the standard deviation as a power: one spelling for floats, arrays and symbols.
    third = mean**3 * (skewness * scv**1.5 + 3 * scv + 1)
    if not is_symbol(third):
        short = third * mean < (mean**2 * (1 + scv)) ** 2 * (1 - 1e-12)
        if short.any() if is_array(short) else short:
            text = f"no {what} has the skewness {skewness} and the scv {scv}"
            raise UsageError(Problem("QN050", text, "a skewness of at least scv^(1/2) - scv^(-1/2)"))
    return third


def number_variance(rate: Value, response: Value, variance: Value) -> Value:
    """The variance of the number in the system, from the mean and the variance of the response.

    Applies  where customers (of a class) arrive in a Poisson stream and leave one at a time, in order of arrival, and
             none delays those before it: the number present is then that of Poisson arrivals in a response.
    Source   The distributional form of Little's law: @keilson1988.

    >>> number_variance(0.5, 2.0, 4.0)
    2.0
    """
    return None if variance is None else rate * response + rate**2 * variance


def residual_variance(mean: Value, scv: Value, third: Value) -> Value:
    """The variance of the residual of a time observed at random: E[X^3] / 3E[X] - (E[X^2] / 2E[X])^2; or None.

    >>> residual_variance(mean=1.0, scv=1.0, third=6.0)
    1.0
    """
    return None if third is None else third / (3 * mean) - (mean * (1 + scv) / 2) ** 2


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

    load     rho, below 1.
    none     the probability of no arrival during a service.
    more     from a number to the probability of more arrivals during a service.
    last     the largest number in the system.
    Method   Flows across each level at departures balance: p(n+1) none = p(0) more(n) + sum over 1 <= i <= n of
             p(i) more(n - i + 1). Positive terms only.
    """
    exceeded = [more(0)]
    states = [1 - load]
    falls = 1.0  # The least ratio of a state to the one before it.
    for n in range(last):
        # Where state probabilities fall fast, even rare numbers of arrivals matter.
        while len(exceeded) <= n + 1 and exceeded[-1] > _NOTHING * exceeded[0] * falls ** len(exceeded):
            exceeded.append(more(len(exceeded)))
        up = states[0] * exceeded[n] if n < len(exceeded) else 0.0
        for i in range(max(1, n + 2 - len(exceeded)), n + 1):
            up += states[i] * exceeded[n - i + 1]
        states.append(up / none)
        falls = min(falls, states[-1] / states[-2]) if states[-2] else 0.0
    return states
