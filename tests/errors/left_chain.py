"""The exact answer for customers who leave work behind: the Markov chain of all lines, for a batch of systems.

Every customer thinks, visits his stations in turn and leaves one piece of work behind at one of them. Stations serve
first come first served, or share their servers among all who are there. All times are exponential.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from chain import MAX_STATES

from qnet.record import Record

Token = tuple[int, int]
"""A class, and the step that it is at: that after the last is the work which is left behind."""
State = tuple[tuple[int, ...], tuple[tuple[Token, ...], ...]]
"""How many of each class think, and who is at each station: in order where that counts."""


class Leaving(Record):
    """Systems of one structure, as a batch."""

    population: tuple[int, ...]
    think: Any
    """(C, P) seconds."""
    ways: tuple[tuple[int, ...], ...]
    """The stations that a customer of each class visits in turn; the last is where the work is left."""
    times: Sequence[Sequence[Any]]
    """The same with (P,) seconds."""
    servers: tuple[int, ...]
    shared: bool
    longest: int = 0
    """How many pieces of work are told apart at a station that shares its servers."""


def throughputs(system: Leaving) -> tuple[Any, Any]:
    """(C, P) passages per second of every class, and (P,) the share of time with as much work as is told apart."""
    states, moves = _walk(system)
    size = system.think.shape[1]
    balance = np.zeros((size, len(states), len(states)))
    for source, target, rate in moves:
        balance[:, target, source] += rate
        balance[:, source, source] -= rate
    balance[:, 0] = 1.0
    shares = np.linalg.solve(balance, np.eye(len(states))[:, :1])[..., 0]
    thinking = np.array([state[0] for state in states])
    full = np.array([any(_left(system, line) == system.longest > 0 for line in state[1]) for state in states])
    return (shares @ thinking).T / system.think, shares @ full


def _left(system: Leaving, line: tuple[Token, ...]) -> int:
    return sum(step == len(system.ways[kind]) - 1 for kind, step in line)


def _walk(system: Leaving) -> tuple[list[State], list[tuple[int, int, Any]]]:
    first: State = (system.population, tuple(() for _ in system.servers))
    places, states = {first: 0}, [first]
    moves: list[tuple[int, int, Any]] = []
    for state in states:
        for rate, after in _moves(system, state):
            if after not in places:
                assert len(states) < MAX_STATES
                places[after] = len(states)
                states.append(after)
            moves.append((places[state], places[after], rate))
    return states, moves


def _moves(system: Leaving, state: State) -> Iterator[tuple[Any, State]]:
    thinking, lines = state
    for kind, count in enumerate(thinking):
        if count:
            fewer = tuple(here - (place == kind) for place, here in enumerate(thinking))
            yield count / system.think[kind], (fewer, _joined(system, lines, (kind, 0)))
    for station, line in enumerate(lines):
        share = min(system.servers[station], len(line)) / max(len(line), 1) if system.shared else 1.0
        for place, (kind, step) in enumerate(line if system.shared else line[: system.servers[station]]):
            rest = (*lines[:station], (*line[:place], *line[place + 1 :]), *lines[station + 1 :])
            here, last = thinking, len(system.ways[kind]) - 1
            if step < last:
                rest = _joined(system, rest, (kind, step + 1))
            if step == last - 1:
                here = tuple(count + (index == kind) for index, count in enumerate(thinking))
            yield share / system.times[kind][step], (here, rest)


def _joined(system: Leaving, lines: tuple[tuple[Token, ...], ...], token: Token) -> tuple[tuple[Token, ...], ...]:
    kind, step = token
    station = system.ways[kind][step]
    line = lines[station]
    if system.shared and step == len(system.ways[kind]) - 1 and _left(system, line) == system.longest:
        return lines
    line = (*line, token)
    return (*lines[:station], tuple(sorted(line)) if system.shared else line, *lines[station + 1 :])
