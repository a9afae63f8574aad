"""The stationary probabilities of chains with wide levels: GMRES on the chain of jumps.

A few jumps are the preconditioner (@saad1986; for Markov chains:
@stewart1994, chapter 4).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qnet import budget

_BASIS, _JUMPS, _ROUNDS = 40, 4, 8
"""Of GMRES: vectors between restarts, jumps of the preconditioner, restarts."""
_CLOSE = 1e-14
"""The residual of GMRES, as a share of that at equal probabilities."""

WHAT = "the states of a Markov chain"


def iterated(size: int, sources: Any, targets: Any, rates: Any) -> Any:
    """The probabilities of a chain by GMRES; None where that does not converge soon, or not well enough.

    size                    how many states there are.
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
    """Whether as much comes to every state as leaves it; arguments as of `iterated`, and the probabilities."""
    size = len(shares)
    leaving = np.bincount(sources, rates * shares[sources], size)
    coming = np.bincount(targets, rates * shares[sources], size)
    return bool(np.abs(leaving - coming).max() <= 1e-12 * leaving.max())
