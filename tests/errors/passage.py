"""The exact distribution of a passage through small systems: a Markov chain that follows one customer to the end.

Nothing of qnet is used. Systems of one structure are solved together: rates are arrays of one element per system.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from math import lgamma
from typing import Any

import numpy as np
from chain import MAX_STATES

DONE: Hashable = "done"
OVER: Hashable = "over"
"""Where more come than the chain tells apart."""
_STEPS, _ENOUGH = 20_000, 1e-5


def percentiles(
    first: Mapping[Hashable, Any],
    moves: Callable[[Any], Iterable[tuple[Any, Hashable]]],
    shares: Sequence[float],
    most: float = 0.0,
    room: int = MAX_STATES,
) -> Any:
    """(shares, P) the times within which shares of the passages end.

    first    (P,) probabilities of the states in which a passage begins; what they lack to 1 is `OVER`.
    moves    from a state to its transitions: (P,) rates per second, and the state after it, `DONE` at the end.
    most     how far apart, relatively, the times may be that follow when all who get `OVER` are done at once, and when
             they never are: the true ones are in between. Asserted; the mean of both is returned.
    room     the most states.
    Method   Uniformization: the passage lasts for a Poisson number of steps of a chain, and the probability to need
             more than k of them follows backwards for all states (Jensen, Skand. Aktuarietidskr. 36 (1953) 87-91).
    """
    points = len(np.atleast_1d(next(iter(first.values()))))
    states, targets, rates = _walked(list(first), moves, points, room)
    known, size, kinds = {state: place for place, state in enumerate(states)}, len(states), len(rates)
    pace = rates.sum(0).max(0)
    rates /= pace
    stay = 1.0 - rates.sum(0)
    start = np.zeros((size, points))
    for state, share in first.items():
        start[known[state]] = share
    lacking = 1.0 - start.sum(0)
    assert lacking.min() > -1e-9
    bounds: list[Any] = []
    for over in (0.0, 1.0) if most else (0.0,):
        later = np.ones((size + 2, points))
        later[size], later[size + 1] = 0.0, over
        left: list[Any] = []
        steps = len(bounds[0]) if bounds else _STEPS
        while len(left) < steps and (over or not left or left[-1].max() > _ENOUGH):
            left.append((start * later[:size]).sum(0) + over * lacking)
            after = stay * later[:size]
            for kind in range(kinds):
                after += rates[kind] * later[targets[kind]]
            later[:size] = after
        assert len(left) < _STEPS
        bounds.append(np.array(left))
    times = [np.array([_within(left, share) for share in shares]) / pace for left in bounds]
    if most:
        assert (times[1] <= times[0] * (1 + most)).all(), (times[1] / times[0]).max() - 1
    return np.array(times).mean(0)


def long_run(
    first: Hashable, moves: Callable[[Any], Iterable[tuple[Any, Hashable]]], points: int
) -> dict[Hashable, Any]:
    """(P,) the long-run share of time in every state that can be reached; states and moves as above."""
    states, targets, rates = _walked([first], moves, points)
    size = len(states)
    balance = np.zeros((points, size, size))
    source = np.arange(size)
    for target, rate in zip(targets, rates, strict=True):
        kept = target < size
        balance[:, target[kept], source[kept]] += rate[kept].T
    balance[:, source, source] -= rates.sum(0).T
    balance[:, 0] = 1
    shares = np.linalg.solve(balance, np.eye(size)[:, :1])[..., 0]
    return dict(zip(states, shares.T, strict=True))


def _walked(
    states: list[Hashable],
    moves: Callable[[Any], Iterable[tuple[Any, Hashable]]],
    points: int,
    room: int = MAX_STATES,
) -> tuple[list[Hashable], Any, Any]:
    """All states that can be reached; (moves, S) the places after each of their moves, and (moves, S, P) its rates."""
    known = {state: place for place, state in enumerate(states)}
    found: list[list[tuple[Any, Hashable]]] = []
    for state in states:
        own = [(np.broadcast_to(rate, points), after) for rate, after in moves(state) if after != state]
        found.append(own)
        for _, after in own:
            if after not in known and after not in (DONE, OVER):
                if len(states) >= room:
                    raise ValueError(f"more than {room} states")
                known[after] = len(states)
                states.append(after)
    size, kinds = len(states), max(map(len, found))
    places = {**known, DONE: size, OVER: size + 1}
    targets = np.full((kinds, size), size)
    rates = np.zeros((kinds, size, points))
    for row, own in enumerate(found):
        for kind, (rate, after) in enumerate(own):
            targets[kind, row], rates[kind, row] = places[after], rate
    return states, targets, rates


def _within(left: Any, share: float) -> Any:
    """(P,) how many steps are made in the time within which a share is done, given the probabilities to need more."""
    number = np.arange(len(left)).reshape(-1, 1)
    factorials = np.array([lgamma(k + 1.0) for k in range(len(left))]).reshape(-1, 1)
    low, high = np.zeros(left.shape[1]), np.full(left.shape[1], 2.0 * len(left) + 50.0)
    for _ in range(40):
        middle = (low + high) / 2
        poisson = np.exp(number * np.log(middle) - middle - factorials)
        # Hardly any passage needs more steps than were made; those that never end do.
        more = (poisson * (left - left[-1])).sum(0) + left[-1]
        low, high = np.where(more > 1 - share, middle, low), np.where(more > 1 - share, high, middle)
    return (low + high) / 2
