"""A Markov chain of stations that serve in an order: a state is who stands where, so nothing of theory is used."""

from __future__ import annotations

from typing import Any, NamedTuple

State = tuple[tuple[int, ...], ...]
"""For each station the classes of those there, in order of arrival; last the classes of those who think."""


class Line(NamedTuple):
    """A station that serves in an order."""

    discipline: str
    servers: int
    times: list[float]
    """Per visit, by class."""
    visits: list[float]
    """A customer comes straight back until it has made as many visits on average, at least 1."""


def moves(lines: list[Line], think: list[float], state: State) -> list[tuple[float, State]]:
    """What can happen next, and at which rate: everybody goes through all stations in turn, then thinks."""
    found: list[tuple[float, State]] = []
    for place, line in enumerate(lines):
        here = state[place]
        served = range(len(here) - 1, len(here) - 2, -1) if line.discipline == "lcfs-pr" else range(line.servers)
        for slot in served:
            if not 0 <= slot < len(here):
                continue
            kind = here[slot]
            rest = here[:slot] + here[slot + 1 :]
            rate = 1.0 / line.times[kind]
            again = 1.0 - 1.0 / line.visits[kind]
            found.append((rate * again, (*state[:place], (*rest, kind), *state[place + 1 :])))
            after = (*state[place + 1], kind)
            after = tuple(sorted(after)) if place + 1 == len(lines) else after
            found.append((rate * (1.0 - again), (*state[:place], rest, after, *state[place + 2 :])))
    for slot, kind in enumerate(state[-1]):
        rest = state[-1][:slot] + state[-1][slot + 1 :]
        found.append((1.0 / think[kind], ((*state[0], kind), *state[1:-1], rest)))
    return found


def queues(lines: list[Line], think: list[float], population: list[int]) -> Any:
    """Mean numbers, station by class."""
    import numpy as np

    everybody = tuple(kind for kind, count in enumerate(population) for _ in range(count))
    start: State = (*[()] * len(lines), everybody)
    index, waiting = {start: 0}, [start]
    flows: list[tuple[int, float, State]] = []
    while waiting:
        state = waiting.pop()
        for rate, after in moves(lines, think, state):
            if after not in index:
                index[after] = len(index)
                waiting.append(after)
            flows.append((index[state], rate, after))
    generator = np.zeros((len(index), len(index)))
    for number, rate, after in flows:
        generator[number, index[after]] += rate
        generator[number, number] -= rate
    system = generator.T.copy()
    system[0] = 1.0
    chances = np.linalg.solve(system, np.eye(len(index))[0])
    found = np.zeros((len(lines), len(population)))
    for state, number in index.items():
        for place in range(len(lines)):
            for kind in state[place]:
                found[place, kind] += chances[number]
    return found
