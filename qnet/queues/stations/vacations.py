"""M/G/1 with server vacations whenever the station is empty."""

from __future__ import annotations

from qnet.expression import Value
from qnet.queues.stations.answer import StationAnswer, answer
from qnet.queues.stations.m_g_1 import by_moments, number_variance, residual_variance, third_moment

_SOURCE = "@fuhrmann1985"


def vacations(
    arrival_rate: Value, service_time: Value, scv_service: Value, vacation_time: Value, scv_vacation: Value = None,
    skewness_service: Value = None, skewness_vacation: Value = None,
) -> StationAnswer:  # fmt: skip
    """Poisson arrivals, any service time, one server that takes repeated vacations while it has no customers.

    Applies        floats, fractions, arrays and symbols; to polling, maintenance or background work, for instance.
    arrival_rate   per second, at least 0.
    service_time   mean, in seconds, above 0.
    scv_service    variance / mean^2, at least 0.
    vacation_time  mean of one vacation V, in seconds, above 0.
    scv_vacation   variance / mean^2 of it, at least 0; exponential where not given.
    skewness_service, skewness_vacation
                   third standardized moments, or None: then the third moments are known only for constant times, and
                   for vacations without an scv (exponential).
    Returns        means; variances where both third moments are known. Every customer waits: the server is busy or on
                   vacation. `utilization` excludes vacations.
    Raises         NoAnswer (QN401) for a load of at least 1.
    Method         The wait is that of M/G/1 and, independent of it, the residual of a vacation observed at random:
                   W = W of M/G/1 + E[V^2] / 2E[V], Var W = Var W of M/G/1 + E[V^3] / 3E[V] - (E[V^2] / 2E[V])^2: the
                   decomposition of Fuhrmann and Cooper.
    Source         @fuhrmann1985.

    >>> round(vacations(5.0, 0.1, 1.0, vacation_time=0.1, scv_vacation=0.0).wait, 9)
    0.15
    """
    third = third_moment(service_time, scv_service, skewness_service, "service time above 0")
    if scv_vacation is None:
        scv_vacation, skewness_vacation = 1, 2
    left = third_moment(vacation_time, scv_vacation, skewness_vacation, "vacation above 0")
    plain = by_moments("M/G/1-vacations", arrival_rate, service_time, scv_service, third)
    wait = plain.wait + vacation_time * (1 + scv_vacation) / 2
    variance = of_response = None
    if plain.variance_of_wait is not None and left is not None:
        variance = plain.variance_of_wait + residual_variance(vacation_time, scv_vacation, left)
        of_response = variance + scv_service * service_time**2
    return answer(
        "M/G/1-vacations", _SOURCE, throughput=arrival_rate, service_time=service_time, servers=1, wait=wait,
        probability_of_waiting=1 + 0 * arrival_rate, variance_of_wait=variance, variance_of_response=of_response,
        variance_of_queue_length=number_variance(arrival_rate, wait + service_time, of_response),
    )  # fmt: skip
