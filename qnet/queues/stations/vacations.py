"""M/G/1 whose server leaves whenever it finds nobody waiting."""

from __future__ import annotations

from qnet.expression import Value
from qnet.queues.stations.answer import StationAnswer, answer
from qnet.queues.stations.m_g_1 import by_moments


def vacations(
    arrival_rate: Value, service_time: Value, scv_service: Value, vacation_time: Value, scv_vacation: Value = 1
) -> StationAnswer:
    """Poisson arrivals, any service time, one server that takes one vacation after the other while nobody is there.

    Applies        floats, fractions, arrays and symbols. Polling, maintenance, a processor's background work.
    arrival_rate   per second, at least 0.
    service_time   mean, in seconds, above 0.
    scv_service    variance / mean^2, at least 0.
    vacation_time  mean of one vacation V, in seconds, above 0.
    scv_vacation   variance / mean^2 of it, at least 0; exponential where not given.
    Returns        means. Everybody waits: the server is at work or away. `utilization` is time at work.
    Raises         NoAnswer (QN401) for a load of at least 1.
    Method         W = W of M/G/1 + E[V^2] / 2E[V]: the decomposition of Fuhrmann and Cooper.
    Source         Fuhrmann and Cooper, Stochastic Decompositions in the M/G/1 Queue with Generalized Vacations,
                   Operations Research 33 (1985).
    """
    plain = by_moments("M/G/1-vacations", arrival_rate, service_time, scv_service, None)
    source = "Fuhrmann and Cooper, Stochastic Decompositions in the M/G/1 Queue with Generalized Vacations, 1985"
    return answer(
        "M/G/1-vacations", source, throughput=arrival_rate, service_time=service_time, servers=1,
        wait=plain.wait + vacation_time * (1 + scv_vacation) / 2, probability_of_waiting=1 + 0 * arrival_rate,
    )  # fmt: skip
