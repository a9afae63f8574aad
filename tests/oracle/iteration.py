"""The stationary distribution of chains whose states are near to each other: GMRES with symmetric Gauss-Seidel sweeps.

Saad and Schultz (1986); for Markov chains Stewart (1994), Introduction to the Numerical Solution of Markov Chains.
"""

from __future__ import annotations

from time import thread_time
from typing import Any

import numpy as np

RESTART = 60
ROUNDS = 40
RESIDUAL = 1e-14


class _Sweeps:
    """z = P z for the flows z out of all states, by level; transitions reach neighbouring levels only."""

    def __init__(self, level: Any, sources: Any, targets: Any, rates: Any) -> None:
        size = level.size
        self.outflow = np.bincount(sources, rates, size)
        order = np.lexsort((np.arange(size), level))
        position = np.empty(size, dtype=int)
        position[order] = np.arange(size)
        self.order = order
        self.size = size
        self.edges = np.concatenate(([0], np.cumsum(np.bincount(level))))
        self.rows, self.columns = position[targets], position[sources]
        self.weights = rates / self.outflow[sources]
        rank = level[targets] - level[sources]
        self.up = self.parts(level[targets], rank == 1)
        self.down = self.parts(level[targets], rank == -1)

    def parts(self, row_level: Any, chosen: Any) -> list[Any]:
        """What comes into each level of the transitions chosen."""
        numbers = np.flatnonzero(chosen)
        numbers = numbers[np.argsort(row_level[numbers], kind="stable")]
        bounds = np.searchsorted(row_level[numbers], np.arange(len(self.edges)))
        found: list[Any] = []
        for here in range(len(self.edges) - 1):
            own = numbers[bounds[here] : bounds[here + 1]]
            rows = self.rows[own] - self.edges[here]
            found.append((rows, self.columns[own], self.weights[own], int(self.edges[here + 1] - self.edges[here])))
        return found

    def apply(self, flows: Any) -> Any:
        """(I - P) z."""
        return flows - np.bincount(self.rows, self.weights * flows[self.columns], self.size)

    def precondition(self, right: Any) -> Any:
        """One sweep up and one down."""
        found = right.copy()
        edges = self.edges
        for here in range(1, len(edges) - 1):
            rows, columns, weights, count = self.up[here]
            found[edges[here] : edges[here + 1]] += np.bincount(rows, weights * found[columns], count)
        for here in range(len(edges) - 3, -1, -1):
            rows, columns, weights, count = self.down[here]
            found[edges[here] : edges[here + 1]] += np.bincount(rows, weights * found[columns], count)
        return found


def by_iteration(level: Any, sources: Any, targets: Any, rates: Any, until: float) -> Any:
    """Probabilities of all states, or None where the iteration does not get there."""
    sweeps = _Sweeps(level, sources, targets, rates)
    size = sweeps.size
    flows = np.ones(size) / size
    for _ in range(20):
        flows = 0.5 * flows + 0.5 * (flows - sweeps.apply(flows))
    flows /= flows.sum()
    before = np.inf
    for _ in range(ROUNDS):
        right = -sweeps.apply(flows)
        wrong = float(np.abs(right).max() / np.abs(flows).max())
        if wrong < RESIDUAL * 100 and (wrong < RESIDUAL or wrong > before / 4):
            break
        if wrong > before * 0.9 or thread_time() > until:
            return None
        before = wrong
        flows = flows + correction(sweeps, right, until)
        flows /= flows.sum()
    else:
        return None
    found = np.empty(size)
    found[sweeps.order] = flows
    found /= sweeps.outflow
    return found / found.sum()


def correction(sweeps: Any, right: Any, until: float) -> Any:
    """One cycle of GMRES, preconditioned from the right: nearly what `sweeps` turns into `right`."""
    size = min(RESTART, right.size)
    basis = np.empty((size + 1, right.size))
    matrix = np.zeros((size + 1, size))
    norm = float(np.linalg.norm(right))
    basis[0] = right / norm
    count = 0
    turns: list[tuple[float, float]] = []
    target = np.zeros(size + 1)
    target[0] = norm
    for step in range(size):
        fresh = sweeps.apply(sweeps.precondition(basis[step]))
        for _ in range(2):
            shares = basis[: step + 1] @ fresh
            fresh -= shares @ basis[: step + 1]
            matrix[: step + 1, step] += shares
        length = float(np.linalg.norm(fresh))
        column = matrix[:, step]
        for row, (cosine, sine) in enumerate(turns):
            one, two = column[row], column[row + 1]
            column[row], column[row + 1] = cosine * one + sine * two, cosine * two - sine * one
        whole = float(np.hypot(column[step], length))
        if whole == 0.0:
            break
        turns.append((column[step] / whole, length / whole))
        column[step] = whole
        target[step + 1] = -turns[-1][1] * target[step]
        target[step] *= turns[-1][0]
        count = step + 1
        if abs(target[step + 1]) < 1e-14 * norm or length < 1e-14 or (not step % 8 and thread_time() > until):
            break
        basis[step + 1] = fresh / length
    weights = np.linalg.solve(matrix[:count, :count], target[:count])
    return sweeps.precondition(weights @ basis[:count])
