"""Erlang's formulas for servers that share one queue, written once for floats, arrays and symbols."""

from __future__ import annotations

from qnet.expression import Value


def erlang_b(servers: int, offered: Value) -> Value:
    """Probability that all servers are busy where arrivals that find them busy are lost (M/G/c/c).

    Applies   Poisson arrivals, any service time distribution, `servers` identical servers, no waiting room.
    servers   c >= 0, an integer.
    offered   a = arrival rate x mean service time, in erlangs, a >= 0: a float, an array or a symbol.
    Returns   B(c, a) in [0, 1], of the shape of `offered`.
    Method    B(0) = 1, B(k) = a B(k-1) / (k + a B(k-1)): positive terms only, safe for a million servers.
    Source    Kleinrock, Queueing Systems I, 1975, section 3.6; the recursion: Bolch et al., Queueing Networks and
              Markov Chains, 2006, section 6.5.
    """
    blocked: Value = offered * 0 + 1.0
    for busy in range(1, servers + 1):
        blocked = offered * blocked / (busy + offered * blocked)
    return blocked


def erlang_c(servers: int, offered: Value) -> Value:
    """Probability that an arrival waits in M/M/c.

    Applies   Poisson arrivals, exponential service, c identical servers, one unbounded queue, a < c.
    servers   c >= 1, an integer.
    offered   a = arrival rate x mean service time, in erlangs, 0 <= a < c: a float, an array or a symbol.
    Returns   C(c, a) in [0, 1), of the shape of `offered`. For a = c the formula gives 1.
    Fails     a > c has no steady state; the caller must have refused it.
    Method    C = B / (1 - (a / c)(1 - B)) with Erlang's B.
    Source    Kleinrock, Queueing Systems I, 1975, section 3.5.
    """
    blocked = erlang_b(servers, offered)
    return blocked / (1 - offered / servers * (1 - blocked))
