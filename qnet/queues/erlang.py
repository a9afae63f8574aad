"""Erlang's formulas for servers that share one queue, written once for floats, arrays and symbols."""

from __future__ import annotations

import math

from qnet.expression import Value

_FEW = 300
"""Number of servers up to which the full recursion is cheap enough."""


def erlang_b(servers: int, offered: Value) -> Value:
    """Probability that all servers are busy where arrivals that find them busy are lost (M/G/c/c).

    Applies   Poisson arrivals, any service time distribution, `servers` identical servers, no waiting room.
    servers   c >= 0, an integer.
    offered   a = arrival rate x mean service time, in erlangs, a >= 0: a float, an array, a fraction or a symbol.
    Returns   B(c, a) in [0, 1], of the shape of `offered`; exact for fractions.
    Method    B(0) = 1, B(k) = a B(k-1) / (k + a B(k-1)): positive terms only, nothing overflows. For more than 300
              servers and numbers it starts 10 standard deviations below min(a, c), where any start is forgotten to
              the last digit, and is 0 where B is below the smallest float: about 50 sqrt(a) steps, a million servers
              in milliseconds.
    Fails     with more than 300 servers, symbols take time and memory in proportion.
    Source    @kleinrock1975, chapter 3 (birth-death systems in equilibrium). The recursion
              follows from p(k) = p(k-1) a / k.

    >>> erlang_b(1, 1.0)
    0.5
    """
    if servers > _FEW and isinstance(offered, (int, float)):
        return _among_many(servers, float(offered))
    if servers > _FEW and hasattr(offered, "flat"):
        blocked: Value = offered * 0.0
        for index in range(offered.size):
            blocked.flat[index] = _among_many(servers, float(offered.flat[index]))
        return blocked
    blocked = offered * 0 + 1
    for busy in range(1, servers + 1):
        lost = offered * blocked
        blocked = lost / (busy + lost)
    return blocked


def _among_many(servers: int, offered: float) -> float:
    """Erlang's B from where the recursion has forgotten its start."""
    if servers > offered + 40 * math.sqrt(offered) + 1000:
        return 0.0
    near = min(offered, servers)
    start = max(0, int(near - 10 * math.sqrt(near) - 50))
    blocked = 1.0
    for busy in range(start + 1, servers + 1):
        lost = offered * blocked
        blocked = lost / (busy + lost)
    return blocked


def erlang_c(servers: int, offered: Value) -> Value:
    """Probability that an arrival waits in M/M/c.

    Applies   Poisson arrivals, exponential service, c identical servers, one unbounded queue, a < c.
    servers   c >= 1, an integer.
    offered   a = arrival rate x mean service time, in erlangs, 0 <= a < c: a float, an array, a fraction or a symbol.
    Returns   C(c, a) in [0, 1), of the shape of `offered`; exact for fractions. For a = c the formula gives 1.
    Method    C = B / (1 - (a / c)(1 - B)) with Erlang's B. In formulas of traced numbers it appears as
              `erlang_c(c, a)`, except for one server, where it is a.
    Fails     a > c has no steady state; the caller must have refused it.
    Source    @kleinrock1975, chapter 3 (birth-death systems in equilibrium).

    >>> erlang_c(1, 0.5)
    0.5
    """
    applied = getattr(servers, "applied", None) or getattr(offered, "applied", None)
    if applied is not None:
        return offered if servers == 1 else applied("erlang_c", erlang_c, servers, offered)
    blocked = erlang_b(servers, offered)
    return blocked / (1 - offered / servers * (1 - blocked))
