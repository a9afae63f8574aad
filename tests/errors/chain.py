"""The exact answer for small systems: the Markov chain of all their states, found by walking from one of them.

Nothing of qnet is used. A system is told by a first state, and by a function from a state to its transitions.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, TypeVar

import numpy as np

State = TypeVar("State", bound=Hashable)
MAX_STATES = 1500
"""Beyond this a chain is too slow to be solved for hundreds of systems in a test."""


def stationary(first: State, moves: Callable[[State], Iterable[tuple[float, State]]]) -> Mapping[State, float]:
    """The long-run share of time in every state that can be reached.

    moves   from a state to its transitions: rate per second, and the state after it. Transitions to the same state
            may be told several times; those of rate 0 are left out.
    """
    places: dict[State, int] = {first: 0}
    states = [first]
    found: list[tuple[int, int, float]] = []
    for state in states:
        for rate, after in moves(state):
            if rate <= 0 or after == state:
                continue
            if after not in places:
                if len(states) >= MAX_STATES:
                    raise ValueError(f"more than {MAX_STATES} states")
                places[after] = len(states)
                states.append(after)
            found.append((places[state], places[after], rate))
    size = len(states)
    balance: Any = np.zeros((size, size))
    for source, target, rate in found:
        balance[target, source] += rate
        balance[source, source] -= rate
    balance[0] = 1
    shares = np.linalg.solve(balance, np.eye(size)[0])
    return dict(zip(states, shares.tolist(), strict=True))


def mean(shares: Mapping[State, float], figure: Callable[[State], float]) -> float:
    """The mean of a figure of the states."""
    return sum(share * figure(state) for state, share in shares.items())
