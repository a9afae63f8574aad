"""M/M/inf: a server for every customer."""

from __future__ import annotations

import math

from qnet.expression import Value
from qnet.queues.stations.answer import StationAnswer, answer
from qnet.queues.stations.distributions import check_share, log_poisson
from qnet.queues.stations.numbers import is_symbol, operations_of, over_floats


def m_m_inf(arrival_rate: Value, service_time: Value) -> StationAnswer:
    """Poisson arrivals, exponential service, as many servers as customers.

    Applies       floats, fractions, arrays and symbols. Means and p(n) hold for every service time distribution.
    arrival_rate  per second, at least 0.
    service_time  mean, in seconds, above 0.
    Returns       all figures; no utilization, which needs a number of servers; `busy_servers` is the mean number.
    Method        The number present is Poisson with mean arrival_rate x service_time.
    Source        @kleinrock1975, section 3.4.

    >>> m_m_inf(5.0, 0.2).queue_length
    1.0
    """
    offered = arrival_rate * service_time
    none = 0 * offered

    def state(count: int) -> Value:
        def one(mean: float) -> float:
            return math.exp(log_poisson(count, mean))

        if is_symbol(offered):
            operations = operations_of(offered)
            return operations.exp(-offered) * offered**count / math.factorial(count)
        return over_floats(one, offered)

    def wait(share: float) -> Value:
        check_share(share)
        return none

    def response(share: float) -> Value:
        check_share(share)
        operations = operations_of(service_time)
        return -operations.log(operations.number(1 - share)) * service_time + none

    return answer(
        "M/M/inf", "@kleinrock1975, section 3.4", throughput=arrival_rate,
        service_time=service_time, servers=None, wait=none, probability_of_waiting=none, variance_of_wait=none,
        variance_of_response=service_time**2, variance_of_queue_length=offered, state_probability=state,
        wait_percentile=wait, response_percentile=response,
    )  # fmt: skip
