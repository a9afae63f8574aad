"""An exact oracle for holds that wait for holds: the Markov chain of a few outer stations around one inner station.

`sources` identical outer single-server stations have Poisson arrivals and a queue cut off at `places` customers. The
customer in front is first busy elsewhere, then asks the inner station, waits there first come first served for one of
its servers, and is served; the outer station is released, and the server stays busy for a second phase. All times are
exponential. States are lumped over the permutations of the outer stations; nothing of qnet is used.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

_ARRIVAL, _ELSEWHERE, _FIRST, _SECOND = range(4)

_State = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], int]
"""Customers at the outer stations that are busy elsewhere (sorted), that wait (in order), that are served (sorted); and
how many servers are in their second phase."""


class Chain(NamedTuple):
    """The states and the transitions of a chain, apart from its rates."""

    states: list[_State]
    source: Any
    target: Any
    kind: Any


class Exact(NamedTuple):
    """What the chain says in its steady state."""

    wait: float
    """Mean wait for an inner server, over all requests."""
    response: float
    """Mean time from arrival to the end of the first phase."""
    utilization: float
    """Share of the time that an outer station is held."""
    lost: float
    """Share of the arrivals that find no place."""


def solve_chain(
    sources: int, servers: int, places: int, rate: float, elsewhere: float, first: float, second: float
) -> Exact:
    """The steady state, for `rate` arrivals per second at each outer station and mean times in seconds."""
    chain = _chain(sources, servers, places, second > 0)
    speeds = np.array([rate, 1 / elsewhere, 1 / first, 1 / second if second > 0 else 0.0])
    shares = stationary(chain.source, chain.target, speeds[chain.kind], len(chain.states))
    held, waiting, customers, blocked = np.array(_counts(chain, places), dtype=float).T
    accepted = rate * (sources - shares @ blocked)
    return Exact(
        wait=shares @ waiting / accepted,
        response=shares @ customers / accepted,
        utilization=shares @ held / sources,
        lost=shares @ blocked / sources,
    )


def stationary(source: Any, target: Any, weights: Any, size: int, tolerance: float = 1e-11) -> Any:
    """The stationary distribution of a chain given as a list of transitions, by restarted Arnoldi steps.

    The jump chain of the uniformized process is applied to a small Krylov space; its eigenvector to the largest
    eigenvalue starts the next space, until one step of the chain moves nothing by more than `tolerance`.
    """
    leaving = np.bincount(source, weights, size)
    speed = 1.05 * leaving.max()
    share = weights / speed
    stay = 1 - leaving / speed

    def step(vector: Any) -> Any:
        return stay * vector + np.bincount(target, share * vector[source], size)

    vector = np.full(size, 1.0 / size)
    width = 40
    for _ in range(400):
        basis = np.zeros((width + 1, size))
        small = np.zeros((width + 1, width))
        basis[0] = vector / np.linalg.norm(vector)
        for column in range(width):
            after = step(basis[column])
            for _ in range(2):
                part = basis[: column + 1] @ after
                after -= part @ basis[: column + 1]
                small[: column + 1, column] += part
            small[column + 1, column] = np.linalg.norm(after)
            basis[column + 1] = after / small[column + 1, column]
        values, vectors = np.linalg.eig(small[:width])
        best = np.argmin(abs(values - 1))
        vector = np.abs(vectors[:, best].real @ basis[:width])
        vector /= vector.sum()
        for _ in range(5):
            vector = step(vector)
        if abs(step(vector) - vector).sum() <= tolerance:
            return vector / vector.sum()
    raise AssertionError("the oracle did not converge")


@cache
def _chain(sources: int, servers: int, places: int, second: bool) -> Chain:
    start: _State = ((), (), (), 0)
    numbers: dict[_State, int] = {start: 0}
    states = [start]
    rows: list[tuple[int, int, int]] = []
    for state in states:
        for kind, after in _moves(state, sources, servers, places, second):
            if after not in numbers:
                numbers[after] = len(states)
                states.append(after)
            rows.append((numbers[state], numbers[after], kind))
    source, target, kind = np.array(rows).T
    return Chain(states, source, target, kind)


def _moves(state: _State, sources: int, servers: int, places: int, second: bool) -> list[tuple[int, _State]]:
    """Every transition out of a state: what happens, and the state after it."""
    away, waiting, served, late = state
    idle = sources - len(away) - len(waiting) - len(served)
    moves: list[tuple[int, _State]] = [(_ARRIVAL, (_with(away, 1), waiting, served, late))] * idle
    for index, customers in enumerate(away):
        left = away[:index] + away[index + 1 :]
        if customers < places:
            moves.append((_ARRIVAL, (_with(left, customers + 1), waiting, served, late)))
        if len(served) + late < servers:
            moves.append((_ELSEWHERE, (left, waiting, _with(served, customers), late)))
        else:
            moves.append((_ELSEWHERE, (left, (*waiting, customers), served, late)))
    for index, customers in enumerate(waiting):
        if customers < places:
            longer = (*waiting[:index], customers + 1, *waiting[index + 1 :])
            moves.append((_ARRIVAL, (away, longer, served, late)))
    for index, customers in enumerate(served):
        left = served[:index] + served[index + 1 :]
        if customers < places:
            moves.append((_ARRIVAL, (away, waiting, _with(left, customers + 1), late)))
        back = _with(away, customers - 1) if customers > 1 else away
        freed = (back, waiting, left, late + 1) if second else _served((back, waiting, left, late))
        moves.append((_FIRST, freed))
    moves += [(_SECOND, _served((away, waiting, served, late - 1)))] * late
    return moves


def _served(state: _State) -> _State:
    """The state after a server became free: the first that waits takes it."""
    away, waiting, served, late = state
    return (away, waiting[1:], _with(served, waiting[0]), late) if waiting else state


def _with(items: tuple[int, ...], item: int) -> tuple[int, ...]:
    return tuple(sorted((*items, item)))


def _counts(chain: Chain, places: int) -> list[tuple[int, int, int, int]]:
    """Of each state: outer stations held, requests waiting, customers present, outer stations without a place."""
    found: list[tuple[int, int, int, int]] = []
    for away, waiting, served, _ in chain.states:
        customers = away + waiting + served
        found.append((len(customers), len(waiting), sum(customers), customers.count(places)))
    return found
