"""GI/M/1: any interarrival times, exponential service."""

from __future__ import annotations

import math

from qnet.queues.roots import neighbours
from qnet.queues.stations.answer import StationAnswer, answer
from qnet.queues.stations.distributions import check_share
from qnet.queues.stations.m_h_1 import balanced
from qnet.queues.stations.numbers import pointwise, require_stable

_SOURCE = "@kleinrock1975, section 6.4"
_LIGHT = 0.9
"""The share of arrivals that find the station empty above which 1 minus it has lost digits."""
_LEAST = 1e-40
"""The share of arrivals that find the station busy below which it equals E[exp(-A / S)] to the last digit."""


@pointwise
def gi_m_1(arrival_rate: float, service_time: float, scv_arrival: float) -> StationAnswer:
    """Independent interarrival times, exponential service, one server, first come first served.

    Applies       floats and arrays. Interarrival times have a gamma distribution for scv <= 1 (0 constant: D/M/1; 1/k
                  Erlang: Ek/M/1; 1: M/M/1) and a hyperexponential one with balanced means above (H2/M/1). Exact for
                  these; other distributions with the same scv have other answers.
    arrival_rate  per second, above 0.
    service_time  mean, in seconds, above 0.
    scv_arrival   variance / mean^2 of the interarrival times, at least 0.
    Returns       all figures; p(n) at any time, not as arrivals see it.
    Raises        NoAnswer (QN401) for a load of at least 1.
    Method        An arrival finds n with probability (1 - s) s^n, s the root of s = E[exp(-(1 - s) A / S)] below 1, by
                  bracketing over d = 1 - s, with expm1 so that no digit of a small d is lost; over s at light load.
    Source        @kleinrock1975, section 6.4.

    >>> round(gi_m_1(arrival_rate=5.0, service_time=0.1, scv_arrival=1.0).response, 9)
    0.2
    """
    require_stable("GI/M/1", arrival_rate, service_time, 1)
    load = float(arrival_rate * service_time)
    root = _root(load, float(scv_arrival)) if load > 0 else 1.0
    busy = 1 - root if root < _LIGHT else _busy(load, float(scv_arrival))
    response = service_time / root

    def state(count: int) -> float:
        return 1 - load if count == 0 else load * root * busy ** (count - 1)

    def wait(share: float) -> float:
        check_share(share)
        return response * math.log(busy / (1 - share)) if busy > 1 - share else 0.0

    def time_percentile(share: float) -> float:
        check_share(share)
        return -response * math.log(1 - share)

    return answer(
        "GI/M/1", _SOURCE, throughput=arrival_rate, service_time=service_time, servers=1, wait=busy * response,
        probability_of_waiting=busy, variance_of_wait=busy * (2 - busy) * response**2, variance_of_response=response**2,
        variance_of_queue_length=load * (1 - load + busy) / root**2,
        state_probability=state, wait_percentile=wait, response_percentile=time_percentile,
    )  # fmt: skip


def _root(load: float, scv: float) -> float:
    """d = 1 - s: the share of arrivals that find the station empty."""
    mean = 1 / load  # of the interarrival time, in service times

    def passed(at: float) -> float:
        """1 - E[exp(-at A)]."""
        if scv == 0:
            return -math.expm1(-at * mean)
        if scv <= 1:
            return -math.expm1(-math.log1p(scv * at * mean) / scv)
        p1, p2, r1, r2 = balanced(mean, scv)
        return p1 * at / (r1 + at) + p2 * at / (r2 + at)

    low = (1 - load) * 1e-3 / (1 + scv)
    # passed(d) - d is concave, 0 at 0 and negative at 1: positive up to the root.
    return neighbours(lambda at: passed(at) / at - 1, low, 1.0)[1]


def _busy(load: float, scv: float) -> float:
    """s: the share of arrivals that find the station busy, small at a light load."""
    mean = 1 / load

    def left(busy: float) -> float:
        """E[exp(-(1 - busy) A)]."""
        at = 1 - busy
        if scv == 0:
            return math.exp(-at * mean)
        if scv <= 1:
            return math.exp(-math.log1p(scv * at * mean) / scv)
        p1, p2, r1, r2 = balanced(mean, scv)
        return p1 * r1 / (r1 + at) + p2 * r2 / (r2 + at)

    least = left(0.0)
    # left(s) - s is convex, 0 at 1 and not negative at left(0): positive up to the root.
    if least < _LEAST or left(least) <= least:
        return least
    return neighbours(lambda busy: left(busy) / busy - 1, least, 0.5)[1]
