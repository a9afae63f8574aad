"""The loss system M/M/c/c, on which stations with a queue are based: blocking, its complement, its states."""

from __future__ import annotations

import math
from typing import Any

from qnet.expression import Value
from qnet.queues.erlang import erlang_b
from qnet.queues.stations.distributions import log_poisson
from qnet.queues.stations.numbers import elementwise, is_array, is_symbol


def erlang_pair(servers: Value, offered: Value) -> tuple[Value, Value]:
    """Erlang's B(c, a) and 1 - B(c, a), each to full relative accuracy.

    servers   c >= 1, an integer or, for plain numbers, any number above 0; an array of such numbers.
    offered   erlangs, at least 0: a float, an array, a fraction or a symbol.
    Method    B(c) = a B(c-1) / (c + a B(c-1)), 1 - B(c) = c / (c + a B(c-1)), with B(c-1) from `erlang_b` or, for
              fractional servers, from the continuous extension.
    Source    Continuous extension 1/B = a int_0^inf e^(-a t) (1 + t)^c dt: @jagerman1974.

    >>> erlang_pair(1, 1.0)
    (0.5, 0.5)
    """
    if is_array(servers):
        return elementwise(_blocked, servers, offered), elementwise(_idle, servers, offered)
    return _pair(servers, offered)


def _blocked(servers: Value, offered: Value) -> Value:
    return _pair(servers, offered)[0]


def _idle(servers: Value, offered: Value) -> Value:
    return _pair(servers, offered)[1]


def _pair(servers: Value, offered: Value) -> tuple[Value, Value]:
    integer = int(servers)
    before = erlang_b(integer - 1, offered) if integer == servers else _fractional(servers - 1, float(offered))
    lost = offered * before
    return lost / (servers + lost), servers / (servers + lost)


def _fractional(servers: float, offered: float) -> float:
    """B(x, a) for real x > -1: upwards by the recursion from 0 <= x < 1, or one step downwards for a negative x."""
    if offered == 0:
        return 1.0 if servers <= 0 else 0.0
    if servers < 0:
        above = _fractional(servers + 1, offered)
        return (servers + 1) * above / (offered * (1 - above))
    fraction = servers % 1
    blocked = offered**fraction * math.exp(-offered) / _upper_gamma(1 + fraction, offered) if offered < 500 else 1.0
    if offered >= 500:  # The recursion forgets its start where the offered load is large.
        blocked = 1 - fraction / offered
    index = fraction
    while index < servers - 0.5:
        index += 1
        lost = offered * blocked
        blocked = lost / (index + lost)
    return blocked


def _upper_gamma(order: float, start: float) -> float:
    """The upper incomplete gamma function, 1 <= order < 2: a series below 1.5, above a continued fraction (Lentz)."""
    if start < 1.5:
        term = total = 1 / order
        for index in range(1, 200):
            term *= -start / index * (order + index - 1) / (order + index)
            total += term
            if abs(term) < 1e-18:
                break
        return math.gamma(order) - start**order * total
    below = start + 1 - order
    scaled, ratio = 1e300, 1 / below
    result = ratio
    for index in range(1, 1000):
        step = -index * (index - order)
        below += 2
        ratio = 1 / (step * ratio + below)
        scaled = below + step / scaled
        change = scaled * ratio
        result *= change
        if abs(change - 1) < 1e-16:
            break
    return math.exp(-start) * start**order * result


def loss_state(count: int, servers: Value, offered: Value) -> Value:
    """p(n) of M/M/c/c, 0 <= n <= c: floats by logarithms, else by B (c! / n!) a^(n-c), which is exact.

    >>> round(loss_state(0, 1, 1.0), 9)
    0.5
    """
    blocked, _ = erlang_pair(servers, offered)
    if is_symbol(offered) or not isinstance(offered, (int, float)):
        ratio: Any = blocked
        for index in range(count + 1, servers + 1):
            ratio = ratio * index / offered
        return ratio
    if offered == 0:
        return 1.0 if count == 0 else 0.0
    state, full = log_poisson(count, offered), log_poisson(int(servers), offered)
    if blocked == 0:
        return math.exp(state)
    return math.exp(state - full + math.log(blocked))
