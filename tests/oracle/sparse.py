"""The stationary distribution of a continuous-time Markov chain given by its transitions, on numpy alone."""

from __future__ import annotations

from math import inf
from time import thread_time
from typing import Any

import numpy as np

from .phases import Unsupported

DENSE = 700
"""States up to which the chain is solved as one dense system."""
WITHOUT_SUBTRACTION = 1000
"""States up to which it is solved without subtraction: every probability to rounding, however rare its state."""
CHEAP = 2e10
"""Multiplications up to which a solution by blocks is taken at once."""
WORK = 1e11
"""The most that it may take."""


class TooLarge(Exception):
    """The chain has more states, or needs more work, than asked for."""


def stationary(size: int, sources: Any, targets: Any, rates: Any, until: float = inf) -> Any:
    """Probabilities of `size` states, from 0, with transitions between them, each pair of states once.

    until    when to give up, of `thread_time`.
    Raises   `Unsupported` where the chain may end in several sets of states, `TooLarge`, `ArithmeticError`.
    """
    away = sources != targets
    sources, targets, rates = sources[away], targets[away], rates[away]
    inside = recurrent(size, sources, targets)
    if inside.all():
        return _solve(size, sources, targets, rates, until)
    index = np.cumsum(inside) - 1
    chosen = inside[sources]
    count = int(inside.sum())
    found = np.zeros(size)
    found[inside] = _solve(count, index[sources[chosen]], index[targets[chosen]], rates[chosen], until)
    return found


def recurrent(size: int, sources: Any, targets: Any) -> Any:
    """Which states the chain stays in in the end; all states are reachable from the first."""
    forward, backward = _lists(size, sources, targets), _lists(size, targets, sources)
    start = 0
    region = np.ones(size, dtype=bool)
    while True:
        back = _levels(size, *backward, start) >= 0
        left = region & ~back
        if not left.any():
            break
        start = int(np.flatnonzero(left)[-1])
        region = _levels(size, *forward, start) >= 0
    if not (_levels(size, *backward, start) >= 0).all():
        raise Unsupported("where it ends depends on how it begins: a deadlock, or separate sets of states")
    return region


def _lists(size: int, sources: Any, targets: Any) -> tuple[Any, Any]:
    order = np.argsort(sources, kind="stable")
    return np.searchsorted(sources[order], np.arange(size + 1)), targets[order]


def _levels(size: int, starts: Any, targets: Any, first: int) -> Any:
    """Steps from a state to every other; -1 for those that are not reached."""
    level = np.full(size, -1)
    level[first] = 0
    front, depth = np.array([first]), 0
    while front.size:
        depth += 1
        counts = starts[front + 1] - starts[front]
        total = int(counts.sum())
        if not total:
            break
        offsets = np.repeat(starts[front] - np.concatenate(([0], np.cumsum(counts)[:-1])), counts)
        reached = targets[offsets + np.arange(total)]
        front = np.unique(reached[level[reached] < 0])
        level[front] = depth
    return level


def _solve(size: int, sources: Any, targets: Any, rates: Any, until: float) -> Any:
    """The same for a chain in which every state comes again."""
    if size == 1:
        return np.ones(1)
    parts = (size, sources, targets, rates)
    if size <= min(DENSE, WITHOUT_SUBTRACTION):
        found = _without_subtraction(*parts)
    else:
        found = _dense(*parts) if size <= DENSE else _sparse(*parts, until)
    outflow = np.bincount(sources, rates, size)
    inflow = np.bincount(targets, found[sources] * rates, size)
    flow = found * outflow
    wrong = np.abs(inflow - flow).max() / flow.max()
    if not np.isfinite(wrong) or wrong > 1e-10 or found.min() < -1e-12:
        raise ArithmeticError(f"the chain of {size} states was not solved: residual {wrong:.1e}")
    found = np.maximum(found, 0.0)
    return found / found.sum()


def _without_subtraction(size: int, sources: Any, targets: Any, rates: Any) -> Any:
    """Elimination of one state after the other: Grassmann, Taksar and Heyman (1985), Operations Research 33, 1107."""
    matrix = np.zeros((size, size))
    matrix[sources, targets] = rates
    for last in range(size - 1, 0, -1):
        matrix[:last, last] /= matrix[last, :last].sum()
        into = np.flatnonzero(matrix[:last, last])
        out = np.flatnonzero(matrix[last, :last])
        matrix[np.ix_(into, out)] += np.outer(matrix[into, last], matrix[last, out])
    found = np.ones(size)
    for state in range(1, size):
        found[state] = found[:state] @ matrix[:state, state]
    return found / found.sum()


def _dense(size: int, sources: Any, targets: Any, rates: Any) -> Any:
    balance = np.zeros((size, size))
    balance[targets, sources] = rates
    balance[np.arange(size), np.arange(size)] -= np.bincount(sources, rates, size)
    scale = np.abs(np.diagonal(balance)).copy()
    balance /= scale
    balance[0] = 1.0 / scale
    wanted = np.zeros(size)
    wanted[0] = 1.0
    found = np.linalg.solve(balance, wanted) / scale
    return found / found.sum()


def _sparse(size: int, sources: Any, targets: Any, rates: Any, until: float) -> Any:
    """By blocks where levels are narrow, else by steps that come nearer."""
    both = np.concatenate((sources, targets)), np.concatenate((targets, sources))
    starts, lists = _lists(size, *both)
    level = _levels(size, starts, lists, 0)
    far = int(np.flatnonzero(level == level.max())[0])
    other = _levels(size, starts, lists, far)
    level = min((level, other), key=_work)
    if _work(level) > CHEAP:
        from .iteration import by_iteration

        found = by_iteration(level, sources, targets, rates, until)
        if found is not None:
            return found
    if _work(level) > WORK:
        raise TooLarge(f"{size} states in levels of up to {np.bincount(level).max()}")
    return _by_levels(size, sources, targets, rates, level, until)


def _work(level: Any) -> float:
    """Multiplications of a solution by blocks."""
    return float((np.bincount(level).astype(float) ** 3).sum()) * 4


def _by_levels(size: int, sources: Any, targets: Any, rates: Any, level: Any, until: float) -> Any:
    """Block elimination of the levels of states: transitions reach neighbouring levels only."""
    counts = np.bincount(level)
    order = np.lexsort((np.arange(size), level))
    position = np.empty(size, dtype=int)
    position[order] = np.arange(size)
    edges = np.concatenate(([0], np.cumsum(counts)))
    outflow = np.bincount(sources, rates, size)
    scaled = rates / outflow[sources]
    rows, columns = position[targets], position[sources]
    row_level, column_level = level[targets], level[sources]
    groups = np.lexsort((column_level, row_level))
    rows, columns, scaled = rows[groups], columns[groups], scaled[groups]
    keys = (row_level * 3 + (column_level - row_level + 1))[groups]
    bounds = np.searchsorted(keys, np.arange(3 * len(counts) + 1))

    def block(row: int, column: int) -> Any:
        key = row * 3 + column - row + 1
        part = slice(bounds[key], bounds[key + 1])
        matrix = np.zeros((counts[row], counts[column]))
        matrix[rows[part] - edges[row], columns[part] - edges[column]] = scaled[part]
        return matrix

    # With z = outflow * probability: z[l] = sum of blocks[l, m] z[m]; each level is a multiple of the one before it,
    # seen from the level of a state that is often visited.
    root = _typical(size, sources, targets, rates)
    middle, last = int(level[root]), len(counts) - 1
    passed: list[Any] = [None] * (last + 1)
    for step, end in ((-1, last), (1, 0)):
        beyond: Any = None
        for here in range(end, middle, step):
            if thread_time() > until:
                raise TooLarge(f"{size} states take too long")
            own = np.eye(counts[here]) - block(here, here)
            if beyond is not None:
                own -= block(here, here - step) @ beyond
            beyond = passed[here] = np.linalg.solve(own, block(here, here + step))
    own = block(middle, middle) - np.eye(counts[middle])
    if middle < last:
        own += block(middle, middle + 1) @ passed[middle + 1]
    if middle:
        own += block(middle, middle - 1) @ passed[middle - 1]
    wanted = np.zeros(counts[middle])
    at = int(position[root]) - int(edges[middle])
    own[at], wanted[at] = 0.0, 1.0
    own[at, at] = 1.0
    parts: list[Any] = [None] * (last + 1)
    parts[middle] = np.linalg.solve(own, wanted)
    for here in range(middle + 1, last + 1):
        parts[here] = passed[here] @ parts[here - 1]
    for here in range(middle - 1, -1, -1):
        parts[here] = passed[here] @ parts[here + 1]
    found = np.empty(size)
    found[order] = np.concatenate(parts)
    found /= outflow
    return found / found.sum()


def _typical(size: int, sources: Any, targets: Any, rates: Any) -> int:
    """A state that is often visited: of a short random walk the one with the most time."""
    order = np.argsort(sources, kind="stable")
    starts = np.searchsorted(sources[order], np.arange(size + 1))
    sums = np.concatenate(([0.0], np.cumsum(rates[order])))
    onward = targets[order]
    outflow = np.bincount(sources, rates, size)
    chances = np.random.default_rng(1).random(12_000)
    at, spent = 0, dict[int, float]()
    for number, chance in enumerate(chances):
        low, high = sums[starts[at]], sums[starts[at + 1]]
        edge = int(np.searchsorted(sums, low + chance * (high - low), side="right")) - 1
        at = int(onward[min(max(edge, starts[at]), starts[at + 1] - 1)])
        if number > 4000:
            spent[at] = spent.get(at, 0.0) + 1 / outflow[at]
    return max(spent, key=lambda state: spent[state])
