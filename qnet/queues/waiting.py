"""The wait at one station: general service, several servers, priorities, and holders that are few."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from qnet.expression import Operations, Value
from qnet.queues.erlang import erlang_c
from qnet.queues.finite_source import waiting_probability


class Load(NamedTuple):
    """What one stream asks of one copy of a station."""

    rate: Value
    """Requests per second."""
    first: Value
    """Mean holding time up to the response, in seconds."""
    second: Value
    """Mean holding time after it."""
    square: Value
    """Second moment of the whole holding time."""
    second_square: Value
    """Second moment of the part after the response."""
    priority: int
    holders: int
    """How many can ask at once; 0 where the stream is open."""

    @property
    def offered(self) -> Value:
        """Erlangs of both phases."""
        return self.rate * (self.first + self.second)


class Queue(NamedTuple):
    """What arrivals meet at a station, apart from their own priority."""

    offered: Value
    """Erlangs of all streams."""
    residual: Value
    """Mean time until a busy server is free, had it only one customer: E[S^2] / 2E[S] as open arrivals see it."""
    busy: Value
    """Probability that an open arrival finds all servers busy."""
    holder_residual: Value
    holder_busy: Value
    """The same two as a holder sees them, who never meets the first phase of its own request."""
    holders: int
    """How many holders can ask at once, of all kinds; 0 for none."""


def queue(servers: int, loads: Sequence[Load], holders: int, operations: Operations) -> Queue:
    """What arrivals meet at one copy of a first-come-first-served station with `servers` servers.

    Applies   Poisson streams and finite-source streams (`holders` above 0) of any service time distribution;
              offered load below `servers`, which the caller must see to.
    Method    All-busy probability: Erlang's C for open arrivals; for holders the finite-source chain. Residual
              time: E[S^2] / 2E[S] of the mixture (Pollaczek-Khinchine; over several servers the Allen-Cunneen
              factor). A holder never meets the first phase of its own request, and its own second phase, a share
              1/N of those of all holders, as an independent open stream.
    Source    Pollaczek-Khinchine: Kleinrock, Queueing Systems I, 1975, section 5.6. Allen-Cunneen: Allen,
              Probability, Statistics, and Queueing Theory, 2nd ed. 1990, section 5.3.
    """
    offered = _total(load.offered for load in loads)
    residual = _ratio(_total(load.rate * load.square for load in loads), 2 * offered, operations)
    busy = erlang_c(servers, offered)
    if not holders:
        return Queue(offered, residual, busy, residual, busy, 0)
    held = [load for load in loads if load.holders]
    others = [load for load in loads if not load.holders]
    held_offered, open_offered = _total(load.offered for load in held), _total(load.offered for load in others)
    met, own = 1 - 1 / holders, 1 / holders
    own_second = own * _total(load.rate * load.second for load in held)
    closed = held_offered - own_second
    first = _ratio(_total(load.rate * load.first for load in held), closed, operations)
    holder_busy = _finite(holders, servers, closed, first, open_offered + own_second)
    seen = met * held_offered + own_second + open_offered
    squares = (
        met * _total(load.rate * load.square for load in held)
        + own * _total(load.rate * load.second_square for load in held)
        + _total(load.rate * load.square for load in others)
    )
    return Queue(offered, residual, busy, _ratio(squares, 2 * seen, operations), holder_busy, holders)


def open_wait(queue: Queue, servers: int, loads: Sequence[Load], priority: int) -> tuple[Value, Value]:
    """Mean and variance of the wait of an open arrival of a priority, non-preemptive, the highest first.

    Method    W = C r / (c (1 - s1)(1 - s2)): C the all-busy probability, r the residual time, s1 the utilization by
              higher priorities, s2 by those and its own. The wait, if any, is taken as exponential.
    Exact     mean: M/M/c with one priority; M/G/1 with any number; M/M/c with equal means. Approximate otherwise.
    Source    Cobham, Operations Research 2 (1954) 70-76; Kleinrock, Queueing Systems II, 1976, section 3.6.
    """
    above = _total(load.offered for load in loads if load.priority > priority) / servers
    through = _total(load.offered for load in loads if load.priority >= priority) / servers
    return _with_variance(queue.busy, queue.busy * queue.residual / servers / ((1 - above) * (1 - through)))


def holder_wait(
    queue: Queue, servers: int, loads: Sequence[Load], priority: int, busy_holders: Value, operations: Operations
) -> tuple[Value, Value]:
    """Mean and variance of the wait of a holder, one of `queue.holders` that can ask at once.

    busy_holders  utilization of the holders apart from this wait, in [0, 1].
    Method        A mean value equation. A request finds all servers busy with probability C and then waits for the
                  requests that others left in the queue: W = (r/c) (C + L - own), L the mean number of holders
                  waiting, own = L/N + g C^2 u the part of it that cannot be met by oneself; u = `busy_holders`, g the
                  share of others' requests in the load met. Solved for W with L = rate x W.
    Limits        N = 1: only the open stream is met. N large: Erlang's C. Saturation: N requests share c servers, so
                  W = N S / c less the time a holder spends elsewhere: the wait stays finite, and the station's own
                  capacity limits the system.
    Known error   within 10 % of simulated waits for eight holders or more; up to 35 % for two or three.
    Source        Arrival theorem: Reiser and Lavenberg, J. ACM 27 (1980) 313-322; the weight of `own`: this tool.
    """
    others = 1 - 1 / queue.holders
    above = _total(load.offered for load in loads if load.priority > priority) / servers
    through = [load for load in loads if load.priority >= priority]
    held = [load for load in through if load.holders]
    open_offered = _total(load.offered for load in through if not load.holders)
    free = 1 - (others * _total(load.offered for load in held) + open_offered) / servers
    met = others * _total(load.offered for load in loads if load.holders)
    share = _ratio(met, met + _total(load.offered for load in loads if not load.holders), operations)
    chance = queue.holder_busy
    correction = 1 - share * chance * operations.minimum([busy_holders, 1.0])
    return _with_variance(chance, chance * queue.holder_residual / servers * correction / ((1 - above) * free))


def _with_variance(busy: Value, wait: Value) -> tuple[Value, Value]:
    """A wait that is 0 with probability 1 - busy and exponential otherwise."""
    safe = busy + (busy == 0)
    return wait, wait * wait * (2 / safe - 1)


def _finite(holders: int, servers: int, held: Value, share: Value, open_offered: Value) -> Value:
    if holders == 1:
        return erlang_c(servers, open_offered)  # Nobody else asks: only the open stream is met.
    import numpy as np

    scalar = isinstance(held, float) and isinstance(share, float) and isinstance(open_offered, float)
    loads, shares, opens = np.broadcast_arrays(np.atleast_1d(held), np.atleast_1d(share), np.atleast_1d(open_offered))
    result = np.zeros(loads.shape)
    asked = loads > 0
    if asked.any():
        result[asked] = waiting_probability(holders, servers, loads[asked], shares[asked], opens[asked])
    return float(result[0]) if scalar else result


def _total(values: object) -> Value:
    return sum(values, 0.0)  # type: ignore[call-overload]


def _ratio(top: Value, bottom: Value, operations: Operations) -> Value:
    """top / bottom, 0 where both vanish."""
    return top / operations.where(operations.compare(">", bottom, 0.0), bottom, 1.0)
