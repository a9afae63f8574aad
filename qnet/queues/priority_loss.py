"""Priorities at a station with a finite number of places: Poisson arrivals, exponential times by level, a chain of its
states."""

from __future__ import annotations

import math
from collections.abc import Iterator

from qnet.errors import NotComputed, Problem
from qnet.lazy import Array, np
from qnet.record import Record

MOST_STATES = 1500
"""Of the chain, which is one dense solution, cubic in them; a choice that bounds time."""
_State = tuple[tuple[int, ...], tuple[int, ...]]
"""By level, the highest first: the number waiting, and the number in service."""


class Levels(Record):
    """The figures of a station with loss when all places are taken."""

    kept: float
    """Share of the arrivals that is admitted, of every level."""
    numbers: tuple[float, ...]
    """By level: the mean number present."""


def priority_loss(
    rates: tuple[float, ...], times: tuple[float, ...], servers: int, places: int, interrupting: bool
) -> Levels:
    """The share of arrivals that is admitted, and the mean numbers present.

    rates         by level, the highest first: arrivals per second, lost ones included.
    times         by level: mean service time in seconds, above 0.
    places        K >= servers, those in service included: arrivals that find K are lost, whatever their level.
    interrupting  whether an arrival interrupts a lower level, to be resumed later.
    Raises        `NotComputed` QN588 where there are more than 1500 states.
    Exact         yes, at any load.
    Method        The Markov chain of the numbers of every level that wait and are served.

    >>> round(priority_loss((0.5, 0.5), (1.0, 1.0), servers=1, places=1, interrupting=False).kept, 9)
    0.5
    """
    count = len(rates)
    size = math.comb(places + count, count) if interrupting else 0
    if not interrupting:
        size = math.comb(servers - 1 + count, count)
        size += math.comb(servers + count - 1, count - 1) * math.comb(places - servers + count, count)
    if size > MOST_STATES:
        text = f"a station with {places} places and {count} priorities has {size} states"
        help = "use fewer places, or fewer priorities; or omit a capacity that is hardly ever reached"
        raise NotComputed(Problem("QN588", text, f"at most {MOST_STATES} states", help=help))
    first: _State = ((0,) * count, (0,) * count)
    known, states = {first: 0}, [first]
    moves: list[tuple[int, int, float]] = []
    for state in states:
        for rate, after in _moves(state, rates, times, servers, places, interrupting):
            if rate == 0:
                continue
            if after not in known:
                known[after] = len(states)
                states.append(after)
            moves.append((known[state], known[after], rate))
    balance = np.zeros((len(states), len(states)))
    for source, target, rate in moves:
        balance[target, source] += rate
        balance[source, source] -= rate
    balance[0] = 1.0
    total: Array = np.eye(len(states))[0]
    shares = np.asarray(np.linalg.solve(balance, total), np.float64)
    present = np.array([[wait + busy for wait, busy in zip(*state, strict=True)] for state in states], float)
    blocked = float(shares[present.sum(axis=1) == places].sum())
    kept = 1.0 - blocked
    if blocked > 0.5:
        # What is admitted is what leaves: one less a share near one has no digits.
        leaving = np.array([sum(busy / time for busy, time in zip(state[1], times, strict=True)) for state in states])
        kept = float(shares @ leaving) / sum(rates)
    return Levels(kept, tuple((shares @ present).tolist()))


def _moves(
    state: _State, rates: tuple[float, ...], times: tuple[float, ...], servers: int, places: int, interrupting: bool
) -> Iterator[tuple[float, _State]]:
    waiting, served = state
    if sum(waiting) + sum(served) < places:
        for level, rate in enumerate(rates):
            yield rate, _served(_plus(waiting, level, 1), served, servers, interrupting)
    for level, busy in enumerate(served):
        if busy:
            yield busy / times[level], _served(waiting, _plus(served, level, -1), servers, interrupting)


def _served(waiting: tuple[int, ...], served: tuple[int, ...], servers: int, interrupting: bool) -> _State:
    """The state after servers have chosen: free ones the highest level, all of them where it interrupts."""
    if interrupting:
        waiting = tuple(wait + busy for wait, busy in zip(waiting, served, strict=True))
        served = (0,) * len(served)
    free = servers - sum(served)
    for level, wait in enumerate(waiting):
        taken = min(wait, free)
        waiting, served, free = _plus(waiting, level, -taken), _plus(served, level, taken), free - taken
    return waiting, served


def _plus(numbers: tuple[int, ...], level: int, more: int) -> tuple[int, ...]:
    return (*numbers[:level], numbers[level] + more, *numbers[level + 1 :])
