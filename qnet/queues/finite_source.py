"""Probability of waiting where only so many holders can ask: finite sources beside an open stream, at c servers."""

from __future__ import annotations

import math
from typing import Any

from qnet.errors import NotComputed, Problem

MAX_SOURCES = 2000
"""Beyond so many sources the requests are as good as a Poisson stream, and callers treat them so."""

_TOLERANCE = 1e-12
_MAX_ROUNDS = 200


def waiting_probability(sources: int, servers: int, offered: Any, first_share: Any, open_offered: Any) -> Any:
    """Probability that a request of one of `sources` holders finds all `servers` busy, at a given throughput.

    Applies      A holder asks for a server, is kept until the first phase of its service ends, and asks again after a
                 while; the server stays busy for a second phase. Besides, an open Poisson stream loads the servers.
    sources      N >= 1 holders, at most `MAX_SOURCES`.
    servers      c >= 1.
    offered      a, erlangs of the holders' requests, both phases, a > 0, shape (B,).
    first_share  p, the share of the first phase in them, in [0, 1], shape (B,).
    open_offered b, erlangs of the open stream, shape (B,), a + b < c.
    Returns      the probability, shape (B,). It is 0 where no request can ever meet another: N <= c, p = 1, b = 0.
    Raises       NotComputed where the request rate of an idle holder is not found to 1e-12.
    Method       Both kinds in one product-form chain. With n holders' requests present, N - h(n) holders are free to
                 ask, h(n) = max(n - f, 0) + p min(n, f), f = c - b being the servers left to them on average. Summed
                 over the open stream in closed form, the weight of n is
                     prod_{k<n} z (N - h(k)) x [ (c^n / n!) sum_{i<c-n} b^i / i!  +  (c^c / c!) t(n) / (1-x)^(n+1) ] / c^n,
                 x = b / c, t(n) the probability that a binomial (c, 1-x) variable is at most n; the second term is
                 the part with all servers busy. Positive terms only. The rate z of a free holder is the root of
                 throughput = a, by Newton steps on log z kept inside a bracket.
    Exact        for p = 1 (M/M/c//N beside a Poisson stream of the same exponential service: a mixed product-form
                 network), for b = 0 and c = N = 1, and as N grows (Erlang's C). Otherwise an aggregation.
    Source       Mixed product form: Baskett, Chandy, Muntz, Palacios, J. ACM 22 (1975); M/M/c//N: Kleinrock, Queueing
                 Systems I, 1975, section 3.8; throughput as the given: this tool.
    """
    import numpy as np

    offered = np.atleast_1d(np.asarray(offered, dtype=float))
    count, logs, busy = _weights(sources, servers, first_share, open_offered, np)
    free = _free_holders(sources, servers, first_share, open_offered, np)
    rate = np.log(offered / sources)
    low, high = rate.copy(), np.full_like(rate, 50.0)
    for _ in range(_MAX_ROUNDS):
        weights = np.exp(_normalised(logs + count * rate[:, None], np))
        weights /= weights.sum(axis=1, keepdims=True)
        mean_free = (weights * free).sum(axis=1)
        excess = rate + np.log(mean_free / offered)
        if np.all(np.abs(excess) <= _TOLERANCE):
            seen = weights * free
            return (seen * busy).sum(axis=1) / seen.sum(axis=1)
        low, high = np.where(excess < 0, rate, low), np.where(excess > 0, rate, high)
        slope = 1 + (((weights * count * free).sum(axis=1)) - (weights * count).sum(axis=1) * mean_free) / mean_free
        step = rate - excess / np.maximum(slope, 1e-12)
        # A bracket narrower than rounding cannot be improved: the root is as good as found.
        if np.all((np.abs(excess) <= _TOLERANCE) | (high - low <= 4e-15 * np.maximum(1.0, np.abs(rate)))):
            excess = np.zeros_like(excess)
            seen = weights * free
            return (seen * busy).sum(axis=1) / seen.sum(axis=1)
        rate = np.where((step > low) & (step < high), step, (low + high) / 2)
    raise NotComputed(Problem("QN510", "the finite-source wait did not converge", help="report the model: this should not happen"))


def _free_holders(sources: int, servers: int, first_share: Any, open_offered: Any, np: Any) -> Any:
    """N - h(n) for n = 0 .. N + c, at least 0, shape (B, N + c + 1)."""
    count = np.arange(0, sources + servers + 1)[None, :]
    share = np.atleast_1d(np.asarray(first_share, dtype=float))[:, None]
    left = servers - np.atleast_1d(np.asarray(open_offered, dtype=float))[:, None]
    held = np.maximum(count - left, 0) + share * np.minimum(count, left)
    return np.maximum(sources - held, 0.0)


def _weights(sources: int, servers: int, first_share: Any, open_offered: Any, np: Any) -> tuple[Any, Any, Any]:
    """n, the logarithm of its weight without z^n, and the share of the weight with all servers busy."""
    count = np.arange(0, sources + servers + 1)[None, :]
    free = _free_holders(sources, servers, first_share, open_offered, np)
    erlangs = np.atleast_1d(np.asarray(open_offered, dtype=float))[:, None]
    left = 1 - erlangs / servers
    log_factorial = np.array([math.lgamma(k + 1) for k in range(servers + 1)])
    log_erlangs = np.log(np.where(erlangs > 0, erlangs, 1.0))
    present = np.where(erlangs > 0, 1.0, 0.0)

    few = np.arange(0, servers)
    terms = np.exp(few * log_erlangs - log_factorial[:servers]) * np.where(few == 0, 1.0, present)
    some_idle = np.zeros_like(free + left)
    head = np.exp(few * math.log(servers) - log_factorial[:servers] - (servers * math.log(servers) - log_factorial[-1]))
    some_idle[:, :servers] = head * np.cumsum(terms, axis=1)[:, ::-1] * left ** (few + 1)

    all_few = np.arange(0, servers + 1)
    log_binomial = log_factorial[-1] - log_factorial - log_factorial[::-1]
    open_busy = servers - all_few
    chance = np.exp(log_binomial + all_few * np.log(left) + open_busy * (log_erlangs - math.log(servers)))
    chance *= np.where(open_busy == 0, 1.0, present)
    all_busy = np.ones_like(some_idle)
    all_busy[:, : servers + 1] = np.minimum(np.cumsum(chance, axis=1), 1.0)

    with np.errstate(divide="ignore"):
        births = np.cumsum(np.log(free[:, :-1]), axis=1)
    births = np.concatenate([np.zeros_like(births[:, :1]), births], axis=1)
    logs = births + np.log(some_idle + all_busy) - count * np.log(servers * left)
    return count, logs, all_busy / (some_idle + all_busy)


def _normalised(logs: Any, np: Any) -> Any:
    return logs - logs.max(axis=1, keepdims=True)
