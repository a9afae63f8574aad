"""The exact answer for an unlimited line before a small system: a Markov chain whose levels repeat.

Nothing of qnet is used. A state is a level, the number of customers, and a phase: anything that can be counted.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple

import numpy as np

Phase = Hashable
Moves = Callable[[int, Any], Iterable[tuple[float, int, Any]]]


class Levels(NamedTuple):
    """The long-run shares of time."""

    level: float
    """Mean number of customers."""
    shares: dict[tuple[int, Any], float]
    """Of every level below the first that repeats and phase, and of that level and all above together."""

    def mean(self, figure: Callable[[Any], float]) -> float:
        """The mean of a figure of the phase."""
        return sum(share * figure(phase) for (_, phase), share in self.shares.items())


def solve(moves: Moves, phase: Any, first: int) -> Levels:
    """The steady state of a chain that starts empty in a phase.

    moves   from a level and a phase to transitions: rate, level and phase; levels change by one at most, and from
            `first` on all are alike.
    Method  Latouche, Ramaswami, J. Appl. Prob. 30 (1993) 650-674 (logarithmic reduction).
    """
    places: dict[tuple[int, Any], int] = {}
    states: list[tuple[int, Any]] = []
    found: list[tuple[float, int, Any, int, Any]] = []

    def place(level: int, at: Any) -> None:
        if (level, at) not in places:
            places[level, at] = len(states)
            states.append((level, at))

    place(0, phase)
    for level, at in states:
        for rate, to, after in moves(level, at):
            if rate > 0 and (to, after) != (level, at):
                found.append((rate, level, at, to, after))
                place(min(to, first), after)
    repeated = [at for level, at in states if level == first]
    number = {at: index for index, at in enumerate(repeated)}
    size = len(repeated)
    up, stay, down = (np.zeros((size, size)) for _ in range(3))
    for at in repeated:
        for rate, to, after in moves(first + 1, at):
            if rate > 0 and (to, after) != (first + 1, at):
                (up, stay, down)[first + 2 - to][number[at], number[after]] += rate
                stay[number[at], number[at]] -= rate
    ratio = _ratio(up, stay, down)
    inverse = np.linalg.inv(np.eye(size) - ratio)
    whole = len(states)
    balance = np.zeros((whole, whole))
    for rate, level, at, to, after in found:
        source = places[level, at]
        balance[source, source] -= rate
        if to <= first:
            balance[source, places[to, after]] += rate
    last = [places[first, at] for at in repeated]
    balance[np.ix_(last, last)] += ratio @ down
    weight = np.ones(whole)
    weight[last] = inverse.sum(1)
    balance[:, 0] = weight
    shares = np.linalg.solve(balance.T, np.eye(whole)[0])
    top = shares[last] @ inverse
    mean = sum(level * share for (level, _), share in zip(states, shares, strict=True) if level < first)
    mean += first * top.sum() + float((shares[last] @ ratio @ inverse @ inverse).sum())
    kept = {state: float(share) for state, share in zip(states, shares, strict=True) if state[0] < first}
    return Levels(float(mean), kept | {(first, at): float(top[number[at]]) for at in repeated})


def _ratio(up: Any, stay: Any, down: Any) -> Any:
    """The matrix by which the shares of a level follow from those of the level below."""
    one = np.eye(len(up))
    rising, falling = np.linalg.solve(-stay, up), np.linalg.solve(-stay, down)
    fall, product = falling.copy(), rising.copy()
    for _ in range(60):
        ways = one - rising @ falling - falling @ rising
        rising, falling = np.linalg.solve(ways, rising @ rising), np.linalg.solve(ways, falling @ falling)
        fall, product = fall + product @ falling, product @ rising
        if product.max() < 1e-14:
            break
    return np.linalg.solve(-(stay + up @ fall).T, up.T).T
