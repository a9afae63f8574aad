"""The stationary probabilities of a sparse Markov chain.

Chains with wide levels are solved by GMRES on the chain of jumps, with a few jumps as preconditioner (Saad and
Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856-869; for Markov chains: Stewart, Introduction to the Numerical Solution
of Markov Chains, 1994, chapter 4), and the balance of every state is checked.

Others, and those that GMRES is slow for, are solved by elimination. The states are sorted into levels by their
distance from one of them, so that transitions join neighbouring levels only; the levels are eliminated from the last
to the first, each by one dense solution. The diagonal of what is left is the sum of its other rates (Grassmann,
Taksar, Heyman, Operations Research 33 (1985) 1107-1116), so that nothing cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from qnet.lazy import np
from qnet.record import Record

State = TypeVar("State", bound=Hashable)


_LITTLE = 2e9
"""Operations of an elimination that is used at once."""
_BASIS, _JUMPS, _ROUNDS = 40, 4, 8
"""Of GMRES: vectors between restarts, jumps of the preconditioner, restarts."""
_CLOSE = 1e-14
"""The residual of GMRES, as a share of that at equal probabilities."""


class TooLarge(Exception):
    """There are more states, or more work, than the budget allows."""


class Walk(Record):
    """The states that can be reached, and their transitions."""

    states: list[Any]
    sources: list[int]
    targets: list[int]
    rates: list[float]
    ended: dict[int, dict[int, float]]
    """By mark: by state the rate of the transitions that have it, each as often as it has."""


def walk(first: State, moves: Callable[[State], list[tuple[float, State, tuple[int, ...]]]], most: int) -> Walk:
    """Find every state that can be reached from one.

    moves    from a state to its transitions: rate, state after it, and marks.
    Raises   `TooLarge` beyond `most` states.
    """
    places = {first: 0}
    states: list[Any] = [first]
    sources: list[int] = []
    targets: list[int] = []
    rates: list[float] = []
    ended: dict[int, dict[int, float]] = {}
    for number, state in enumerate(states):
        for rate, after, marks in moves(state):
            for mark in marks:
                table = ended.setdefault(mark, {})
                table[number] = table.get(number, 0.0) + rate
            place = places.get(after)
            if place is None:
                place = places[after] = len(states)
                states.append(after)
                if place >= most:
                    raise TooLarge
            if place != number:
                sources.append(number)
                targets.append(place)
                rates.append(rate)
    return Walk(states, sources, targets, rates, ended)


def stationary(found: Walk, operations: float) -> Any:
    """The long-run share of time in every state: an array that sums to 1.

    operations  how many the elimination may take.
    Raises      `TooLarge` beyond them; `ArithmeticError` where the states do not all reach each other, or where the
                balance of some state is off by more than rounding.
    """
    size = len(found.states)
    sources, targets = np.array(found.sources, dtype=np.int64), np.array(found.targets, dtype=np.int64)
    rates = np.array(found.rates, dtype=float)
    if size == 1:
        return np.ones(1)
    graph = _Graph(np, size, np.concatenate([sources, targets]), np.concatenate([targets, sources]))
    levels, begin = graph.levels(0), 0
    for _ in range(2):
        root = int(levels.argmax())
        tried = graph.levels(root)
        if tried.max() <= levels.max():
            break
        levels, begin = tried, root
    if not _reached(np, size, sources, targets, begin) or not _reached(np, size, targets, sources, begin):
        raise ArithmeticError("some states are never left or never reached again")
    widths = np.bincount(levels)
    work = 3.0 * float((widths.astype(float) ** 3).sum())
    if work > _LITTLE:
        shares = _iterated(np, size, sources, targets, rates)
        if shares is not None:
            return shares
        if work > operations:
            raise TooLarge
    shares = _eliminated(np, levels, widths, sources, targets, rates)
    _check(np, shares, sources, targets, rates)
    return shares


class _Graph:
    """The neighbours of every state."""

    def __init__(self, np: Any, size: int, sources: Any, targets: Any) -> None:
        self.size = size
        order = np.argsort(sources, kind="stable")
        self.targets = targets[order]
        self.begins = np.concatenate([[0], np.cumsum(np.bincount(sources, minlength=size))])

    def levels(self, root: int) -> Any:
        """The distance of every state from one; -1 where there is no way."""
        level = np.full(self.size, -1)
        level[root] = 0
        front, distance = np.array([root]), 0
        while len(front):
            distance += 1
            counts = self.begins[front + 1] - self.begins[front]
            starts = np.repeat(self.begins[front] - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
            near = self.targets[starts + np.arange(counts.sum())]
            front = np.unique(near[level[near] < 0])
            level[front] = distance
        return level


def _reached(np: Any, size: int, sources: Any, targets: Any, root: int) -> bool:
    """Whether all states are reached from one."""
    return bool((_Graph(np, size, sources, targets).levels(root) >= 0).all())


def _eliminated(np: Any, levels: Any, widths: Any, sources: Any, targets: Any, rates: Any) -> Any:
    """Eliminate level by level, then go back."""
    size, count = len(levels), len(widths)
    order = np.argsort(levels, kind="stable")
    begins = np.concatenate([[0], np.cumsum(widths)])
    index = np.empty(size, dtype=np.int64)
    index[order] = np.arange(size)
    index -= begins[levels]
    grouped = np.argsort(levels[sources], kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(levels[sources], minlength=count))])

    def block(level: int, other: int) -> Any:
        own = grouped[ends[level] : ends[level + 1]]
        own = own[levels[targets[own]] == other]
        found = np.zeros((widths[level], widths[other]))
        np.add.at(found, (index[sources[own]], index[targets[own]]), rates[own])
        return found

    ways: list[Any] = [None] * count
    more = None
    for level in range(count - 1, 0, -1):
        own, back, here = block(level, level), block(level, level - 1), block(level - 1, level)
        if more is not None:
            own = own + more
        np.fill_diagonal(own, 0.0)
        leaving = own.sum(1) + back.sum(1)
        own = -own
        np.fill_diagonal(own, leaving)
        try:
            ways[level] = np.linalg.solve(own.T, here.T).T
        except np.linalg.LinAlgError:
            raise ArithmeticError("some states are hardly ever left") from None
        more = ways[level] @ back
    shares = [np.ones(1)]
    logs = [0.0]
    for level in range(1, count):
        row = shares[-1] @ ways[level]
        largest = float(row.max())
        if not largest > 0.0:
            raise ArithmeticError("some probabilities are too small to be distinguished from 0")
        shares.append(row / largest)
        logs.append(logs[-1] + float(np.log(largest)))
    top = max(logs)
    whole = np.empty(size)
    whole[order] = np.concatenate([row * np.exp(log - top) for row, log in zip(shares, logs, strict=True)])
    return whole / whole.sum()


def _iterated(np: Any, size: int, sources: Any, targets: Any, rates: Any) -> Any:
    """The probabilities by GMRES; None where they are not found soon, or not good enough."""
    leaving = np.bincount(sources, rates, size)
    order = np.argsort(targets, kind="stable")
    sources, targets = sources[order], targets[order]
    chances = rates[order] / leaving[sources]

    def jumped(values: Any) -> Any:
        return np.bincount(targets, chances * values[sources], size)

    def ahead(values: Any) -> Any:
        whole = values.copy()
        for _ in range(_JUMPS):
            values = jumped(values)
            whole += values
        return whole

    found = np.full(size, 1.0 / size)
    rest = jumped(found) - found
    wanted = _CLOSE * float(np.linalg.norm(rest)) or 1e-300
    for _ in range(_ROUNDS):
        size_of_rest = float(np.linalg.norm(rest))
        if size_of_rest <= wanted:
            break
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
        weights = np.linalg.lstsq(table[: count + 1, :count], goal, rcond=None)[0]
        found = found + weights @ directions[:count]
        rest = jumped(found) - found
    # Shares of jumps become shares of time.
    shares = found / leaving
    shares = shares / shares.sum()
    if not np.isfinite(shares).all() or shares.min() < -1e-13 * shares.max():
        return None
    shares = np.maximum(shares, 0.0)
    shares = shares / shares.sum()
    return shares if _balanced(np, shares, sources, targets, rates[order]) else None


def _check(np: Any, shares: Any, sources: Any, targets: Any, rates: Any) -> None:
    """Raise where the shares are no probabilities, or what comes to a state is not what leaves it."""
    if not np.isfinite(shares).all() or shares.min() < 0 or not _balanced(np, shares, sources, targets, rates):
        raise ArithmeticError("the probabilities of the states are not in balance")


def _balanced(np: Any, shares: Any, sources: Any, targets: Any, rates: Any) -> bool:
    """Whether as much comes to every state as leaves it."""
    size = len(shares)
    leaving = np.bincount(sources, rates * shares[sources], size)
    coming = np.bincount(targets, rates * shares[sources], size)
    return bool(np.abs(leaving - coming).max() <= 1e-12 * leaving.max())
