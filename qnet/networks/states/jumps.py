"""The stationary probabilities of chains with wide levels: GMRES on the embedded jump chain.

A few jumps are the preconditioner (@saad1986; for Markov chains: @stewart1994, chapter 4).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qnet import budget

_BASIS, _JUMPS, _ROUNDS = 40, 4, 8
"""Parameters of GMRES: vectors between restarts, jumps of the preconditioner, restarts."""
_CLOSE = 1e-14
"""The residual of GMRES, relative to that of equal probabilities."""

WHAT = "the states of a Markov chain"


def iterated(size: int, sources: Any, targets: Any, rates: Any) -> Any:
    """The probabilities of a chain by GMRES; None where that does not converge fast enough, or not accurately.

    size                     the number of states.
    sources, targets, rates  of the transitions.
    """
    leaving = np.bincount(sources, rates, size)
    order = np.argsort(targets, kind="stable")
    sources, targets = sources[order], targets[order]
    chances = rates[order] / leaving[sources]

    def jumped(values: Any) -> Any:
        return np.bincount(targets, chances * values[sources], size)

    def ahead(values: Any) -> Any:
        overall = values.copy()
        for _ in range(_JUMPS):
            values = jumped(values)
            overall += values
        return overall

    result = np.full(size, 1.0 / size)
    rest = jumped(result) - result
    wanted = _CLOSE * float(np.linalg.norm(rest)) or 1e-300
    for _ in range(_ROUNDS):
        size_of_rest = float(np.linalg.norm(rest))
        if size_of_rest <= wanted:
            break
        budget.spend(_BASIS * (_BASIS * 4.0 * size + (_JUMPS + 2) * 10.0 * len(sources)), WHAT)
        basis, directions = np.zeros((_BASIS + 1, size)), np.zeros((_BASIS, size))
        table = np.zeros((_BASIS + 1, _BASIS))
        basis[0] = rest / size_of_rest
        count, length = 0, 1.0
        while count < _BASIS and length > 1e-14:
            directions[count] = ahead(basis[count])
            new = directions[count] - jumped(directions[count])
            for _ in range(2):
                parts = basis[: count + 1] @ new
                new -= parts @ basis[: count + 1]
                table[: count + 1, count] += parts
            length = float(np.linalg.norm(new))
            count += 1
            table[count, count - 1] = length
            basis[count] = new / max(length, 1e-300)
        goal = np.zeros(count + 1)
        goal[0] = size_of_rest
        if not np.isfinite(table).all():
            return None
        weights = np.linalg.lstsq(table[: count + 1, :count], goal, rcond=None)[0]
        result = result + weights @ directions[:count]
        rest = jumped(result) - result
    # Shares of jumps become shares of time.
    shares = result / leaving
    shares = shares / shares.sum()
    if not np.isfinite(shares).all() or shares.min() < -1e-13 * shares.max():
        return None
    shares = np.maximum(shares, 0.0)
    shares = shares / shares.sum()
    return shares if balanced(shares, sources, targets, rates[order]) else None


def balanced(shares: Any, sources: Any, targets: Any, rates: Any) -> bool:
    """Whether the flow into every state equals the flow out of it.

    shares                   the probabilities of the states.
    sources, targets, rates  of the transitions.
    """
    size = len(shares)
    leaving = np.bincount(sources, rates * shares[sources], size)
    entering = np.bincount(targets, rates * shares[sources], size)
    return bool(np.abs(leaving - entering).max() <= 1e-12 * leaving.max())
