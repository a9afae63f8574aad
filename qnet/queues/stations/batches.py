"""M[X]/M/1 and M[X]/G/1: customers that arrive in batches."""

from __future__ import annotations

from qnet.errors import Problem, UsageError
from qnet.expression import Value
from qnet.queues.stations.answer import StationAnswer, answer
from qnet.queues.stations.m_g_1 import by_moments
from qnet.queues.stations.numbers import is_array, is_symbol, operations_of

_SOURCE = "Gross, Shortle, Thompson and Harris, Fundamentals of Queueing Theory, 4th ed. 2008, section 3.1"


def m_x_m_1(arrival_rate: Value, service_time: Value, batch_size: Value, scv_batch: Value = None) -> StationAnswer:
    """M[X]/M/1: `m_x_g_1` with exponential service."""
    return m_x_g_1(arrival_rate, service_time, 1, batch_size, scv_batch).replace(station="M[X]/M/1")


def m_x_g_1(
    arrival_rate: Value, service_time: Value, scv_service: Value, batch_size: Value, scv_batch: Value = None
) -> StationAnswer:
    """Poisson batches, independent services, one server, batch after batch.

    Applies       floats, fractions, arrays and symbols.
    arrival_rate  of CUSTOMERS per second, at least 0; batches come at arrival_rate / batch_size.
    service_time  mean of one customer, in seconds, above 0.
    scv_service   variance / mean^2 of it, at least 0.
    batch_size    mean number of customers of a batch, at least 1.
    scv_batch     variance / mean^2 of that number; where not given the least that whole numbers of this mean have,
                  0 for a whole mean.
    Returns       means over customers.
    Raises        NoAnswer (QN401) for a load of at least 1; UsageError for a spread that no whole numbers have.
    Method        W = W of M/G/1 + (E[X^2]/E[X] - 1) S / 2(1 - rho): the batch is one customer of M/G/1, and within it
                  one waits for those before. Not served at once: all but the first of a batch that finds nobody.
    Source        Gross, Shortle, Thompson and Harris, Fundamentals of Queueing Theory, 4th ed. 2008, section 3.1
                  (bulk input).
    """
    operations = operations_of(batch_size)
    part = batch_size - operations.floor(batch_size)
    least = part * (1 - part) / batch_size**2
    if scv_batch is None:
        scv_batch = least
    elif not is_symbol(least) and not is_symbol(scv_batch):
        short = scv_batch < least * (1 - 1e-9)
        if short.any() if is_array(short) else short:
            found = f"no whole numbers have the mean {batch_size} and the scv {scv_batch}"
            raise UsageError(Problem("QN050", found, f"scv_batch of at least {least}"))
    plain = by_moments("M[X]/G/1", arrival_rate, service_time, scv_service, None)
    load = arrival_rate * service_time
    beside = batch_size * (1 + scv_batch) - 1
    return answer(
        "M[X]/G/1", _SOURCE, throughput=arrival_rate, service_time=service_time, servers=1,
        wait=plain.wait + beside * service_time / (2 * (1 - load)),
        probability_of_waiting=1 - (1 - load) / batch_size,
    )  # fmt: skip
