"""M/H2/1: Poisson arrivals, hyperexponential service."""

from __future__ import annotations

import math
from functools import partial

from qnet.errors import Problem, UsageError
from qnet.expression import Value
from qnet.queues.balanced_means import shares
from qnet.queues.stations.answer import StationAnswer
from qnet.queues.stations.distributions import check_share, quantile, two_phases_tail
from qnet.queues.stations.m_g_1 import by_moments, number_present
from qnet.queues.stations.numbers import is_array, is_symbol, operations_of, over_floats

_SOURCE = "@kleinrock1975, sections 4.7 and 5.7"


def balanced(mean: Value, scv: Value) -> tuple[Value, Value, Value, Value]:
    """p1, p2 and the rates of the two branches of a hyperexponential time with balanced means (p1/rate1 = p2/rate2).

    >>> balanced(1.0, 1.0)
    (0.5, 0.5, 1.0, 1.0)
    """
    if not is_symbol(scv):
        low = scv < 1
        if low.any() if is_array(low) else low:
            text = f"a hyperexponential time has no scv of {scv}"
            raise UsageError(Problem("QN050", text, "at least 1", help="M/Ek/1 or M/G/1 for less"))
    large, small = shares(scv, operations_of(mean, scv))
    return large, small, 2 * large / mean, 2 * small / mean


def m_h_1(arrival_rate: Value, service_time: Value, scv_service: Value) -> StationAnswer:
    """Poisson arrivals, service by one of two exponential branches, one server, first come first served.

    Applies       floats, fractions, arrays and symbols; p(n) and percentiles floats and arrays.
    arrival_rate  per second, at least 0.
    service_time  mean, in seconds, above 0.
    scv_service   variance / mean^2, at least 1. The means are balanced: each branch does half of the work.
    Returns       all figures.
    Raises        NoAnswer (QN401) for a load of at least 1; UsageError for scv < 1.
    Method        Means and variance: Pollaczek-Khinchine. The wait is 0 or one of two exponentials, whose rates are
                  the roots of a quadratic and whose weights follow from the mean.
    Source        @kleinrock1975, sections 4.7 (parallel stages) and 5.7.

    >>> round(m_h_1(5.0, 0.1, scv_service=3.0).wait, 9)
    0.2
    """
    p1, p2, r1, r2 = balanced(service_time, scv_service)
    third = 6 * (p1 / r1**3 + p2 / r2**3)
    result = by_moments("M/H2/1", arrival_rate, service_time, scv_service, third, _SOURCE)
    if is_symbol(result.wait):
        return result

    def state(count: int) -> Value:
        def one(rate: float, time: float, scv: float) -> float:
            a, b, fast, slow = balanced(time, scv)

            def more(n: int) -> float:
                return a * (rate / (rate + fast)) ** (n + 1) + b * (rate / (rate + slow)) ** (n + 1)

            return number_present(rate * time, a * fast / (rate + fast) + b * slow / (rate + slow), more, count)[count]

        return over_floats(one, arrival_rate, service_time, scv_service)

    def percentile(share: float, with_service: bool) -> Value:
        check_share(share)
        return over_floats(partial(_percentile, share, with_service), arrival_rate, service_time, scv_service)

    return result.replace(
        state_probability=state, wait_percentile=partial(percentile, with_service=False),
        response_percentile=partial(percentile, with_service=True),
    )  # fmt: skip


def _percentile(share: float, with_service: bool, rate: float, time: float, scv: float) -> float:
    """The percentile of the wait or, `with_service`, of the response."""
    p1, p2, r1, r2 = balanced(time, scv)
    load = rate * time
    weights = waits(load, time, scv)

    def longer(at: float) -> float:
        return sum(weight * math.exp(-theta * at) for weight, theta in weights)

    def responses(at: float) -> float:
        alone = p1 * math.exp(-r1 * at) + p2 * math.exp(-r2 * at)
        return (1 - load) * alone + sum(
            weight * chance * two_phases_tail(at, theta, service)
            for weight, theta in weights
            for chance, service in ((p1, r1), (p2, r2))
        )

    return quantile(responses if with_service else longer, time)(share)


def waits(load: float, time: float, scv: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """P(W > u) as the weights and the rates of two exponentials.

    load  rho, below 1.
    time  mean service time in seconds.
    scv   of the service time, at least 1.
    """
    _, _, r1, r2 = balanced(time, scv)
    # Each branch does half of the work. Poles of the wait: s^2 - s total + product = 0.
    total = r1 + r2 - load * (r1 + r2) / 2
    product = r1 * r2 * (1 - load)
    fast = (total + math.sqrt(max(0.0, total * total - 4 * product))) / 2
    slow = product / fast
    mean = load * (1 / r1 + 1 / r2) / 2 / (1 - load)
    # c1 + c2 = load, c1 / fast + c2 / slow = mean.
    spread = 1 / slow - 1 / fast
    of_slow = load if spread <= 1e-14 * mean else min(load, max(0.0, (mean - load / fast) / spread))
    return (load - of_slow, fast), (of_slow, slow)
