"""M[X]/M/1 and M[X]/G/1: customers that arrive in batches."""

from __future__ import annotations

import math
from functools import cache, partial
from typing import Any

from qnet.errors import Problem, UsageError
from qnet.expression import Value
from qnet.queues.stations.answer import StationAnswer, answer
from qnet.queues.stations.distributions import check_share, quantile
from qnet.queues.stations.m_g_1 import by_moments, third_moment
from qnet.queues.stations.numbers import is_array, is_symbol, operations_of, over_floats
from qnet.queues.stations.phases import Phases, phases_at_arrival, phases_tail

_SOURCE = "@gross2008, section 3.1"


def m_x_m_1(
    arrival_rate: Value, service_time: Value, batch_size: Value, scv_batch: Value = None, skewness_batch: Value = None
) -> StationAnswer:
    """M[X]/M/1: `m_x_g_1` with exponential service.

    Returns   also p(n) and percentiles where no scv_batch is given: batch sizes are the integers next to the mean.
    Method    `phases_at_arrival`: a customer waits for all before it, also in its batch, each for one service time.

    >>> m_x_m_1(5.0, 0.1, batch_size=1.0).response
    0.2
    """
    result = m_x_g_1(arrival_rate, service_time, 1, batch_size, scv_batch, 2, skewness_batch).replace(
        station="M[X]/M/1"
    )
    if scv_batch is not None or is_symbol(result.wait) or is_symbol(batch_size):
        return result
    offered = arrival_rate * service_time

    @cache  # Held by this answer, whose states and percentiles need the same phases.
    def at_arrival(load: float, size: float) -> Phases:
        return phases_at_arrival(load, math.floor(size), size - math.floor(size))

    def state(count: int) -> Value:
        def one(load: float, size: float) -> float:
            return load * at_arrival(load, size).between(count - 1, count) if count else 1 - load

        return over_floats(one, offered, batch_size)

    def percentile(share: float, more: int) -> Value:
        check_share(share)

        def one(load: float, time: float, size: float) -> float:
            phases = at_arrival(load, size)
            return quantile(lambda at: phases_tail(phases, more, 1.0, at / time), time)(share)

        return over_floats(one, offered, service_time, batch_size)

    return result.replace(
        state_probability=state, wait_percentile=partial(percentile, more=-1),
        response_percentile=partial(percentile, more=0),
    )  # fmt: skip


def m_x_g_1(
    arrival_rate: Value, service_time: Value, scv_service: Value, batch_size: Value, scv_batch: Value = None,
    skewness_service: Value = None, skewness_batch: Value = None,
) -> StationAnswer:  # fmt: skip
    """Poisson arrivals of batches, independent services, one server, batches in order of arrival.

    Applies       floats, fractions, arrays and symbols.
    arrival_rate  of CUSTOMERS per second, at least 0; batches arrive at arrival_rate / batch_size.
    service_time  mean of one customer, in seconds, above 0.
    scv_service   variance / mean^2 of it, at least 0.
    batch_size    mean number of customers of a batch, at least 1.
    scv_batch     variance / mean^2 of that number; default: the least that integers with this mean have, 0 for an
                  integer mean.
    skewness_service, skewness_batch
                  third standardized moments, or None: then the third moments are known only for constant times, and for
                  batches without an scv_batch.
    Returns       means over customers; variances where both third moments are known.
    Raises        NoAnswer (QN401) for a load of at least 1; UsageError for an scv_batch that no integers have.
    Method        W = W of M/G/1 + (E[X^2]/E[X] - 1) S / 2(1 - rho): the batch is one customer of M/G/1, and within it a
                  customer waits for those before it. Only the first of a batch that finds the station empty is served
                  at once. Variances: the two parts of the wait are independent; the number in the system is, by its
                  generating function (1 - rho) (1 - z) A(z) / (A(z) - z), that of M/G/1 with A the arrivals during a
                  service.
    Source        @gross2008, section 3.1 (bulk input).

    >>> round(m_x_g_1(5.0, 0.1, scv_service=0.0, batch_size=1.0).wait, 9)
    0.05
    """
    operations = operations_of(batch_size)
    integer = operations.floor(batch_size)
    part = batch_size - integer
    least = part * (1 - part) / batch_size**2
    exactly = scv_batch is None
    if scv_batch is None:
        scv_batch = least
    elif not is_symbol(least) and not is_symbol(scv_batch):
        short = scv_batch < least * (1 - 1e-9)
        if short.any() if is_array(short) else short:
            text = f"no integer distribution has the mean {batch_size} and the scv {scv_batch}"
            raise UsageError(Problem("QN050", text, f"scv_batch of at least {least}"))
    plain = by_moments("M[X]/G/1", arrival_rate, service_time, scv_service, None)
    load = arrival_rate * service_time
    excess = batch_size * (1 + scv_batch) - 1
    wait = plain.wait + excess * service_time / (2 * (1 - load))
    third = third_moment(service_time, scv_service, skewness_service, "service time above 0")
    cube = _cube(batch_size, integer) if exactly else third_moment(batch_size, scv_batch, skewness_batch, "batch size")
    spreads: dict[str, Value] = {}
    if third is not None and cube is not None:
        spreads = _variances(arrival_rate, service_time, scv_service, third, batch_size, scv_batch, cube)
    return answer(
        "M[X]/G/1", _SOURCE, throughput=arrival_rate, service_time=service_time, servers=1, wait=wait,
        probability_of_waiting=1 - (1 - load) / batch_size, **spreads,
    )  # fmt: skip


def _cube(size: Value, integer: Value) -> Value:
    """E[X^3] of the two integers next to a mean."""
    part = size - integer
    return (1 - part) * integer**3 + part * (integer + 1) ** 3


def _variances(rate: Value, time: Value, scv: Value, third: Value, size: Value, scv_batch: Value, cube: Value) -> Any:
    """The variances of wait, response and number; `third` is E[S^3], `cube` E[X^3]."""
    idle = 1 - rate * time
    batches, square = rate / size, time**2 * (1 + scv)
    # E[X] and E[X ].
    pairs = size**2 * (1 + scv_batch) - size
    triples = cube - 3 * pairs - size
    # The work of a batch: E[Y^2], E[Y^3]. The wait of its first one is that of M/G/1.
    work, works = size * square + pairs * time**2, size * third + 3 * pairs * square * time + triples * time**3
    first = (batches * work / (2 * idle)) ** 2 + batches * works / (3 * idle)
    # J customers of its batch before a random one: E[J] = E[X(X-1)] / 2E[X], E[J(J-1)] = E[X(X-1)(X-2)] / 3E[X].
    before = pairs / (2 * size)
    spread = triples / (3 * size) + before - before**2
    wait = first + before * scv * time**2 + spread * time**2
    # Arrivals during a service: E[A ], E[A ].
    two = batches * pairs * time + rate**2 * square
    three = batches * triples * time + 3 * rate * batches * pairs * square + rate**3 * third
    waiting = two / (2 * idle)
    number = two + rate * time - (rate * time) ** 2 + three / (3 * idle) + waiting + waiting**2
    return {
        "variance_of_wait": wait, "variance_of_response": wait + scv * time**2, "variance_of_queue_length": number,
    }  # fmt: skip
