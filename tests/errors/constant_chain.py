"""The exact answer for closed customers of a station with constant service times: the chain seen as services begin.

Customers think, are served first come first served for a time of their class that never varies, and then share a second
station whose times are exponential. While a service lasts, all else is a Markov chain of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

State = tuple[tuple[int, ...], tuple[int, ...]]
"""The classes in line, in order, the first in service; and how many of each class share the second station."""


class Constant(NamedTuple):
    """One system; entries by class."""

    population: tuple[int, ...]
    think: tuple[float, ...]
    times: tuple[float, ...]
    shared: tuple[float, ...]


def throughputs(system: Constant) -> list[float]:
    """Passages per second of every class."""
    kinds = range(len(system.population))
    states: list[State] = [((), tuple(0 for _ in kinds))]
    places = {states[0]: 0}

    def place(state: State) -> int:
        if state not in places:
            places[state] = len(states)
            states.append(state)
        return places[state]

    moves: list[tuple[int, int, float]] = []
    after: dict[int, int] = {}
    for number, state in enumerate(states):
        moves += [(number, place(later), rate) for rate, later in _moves(system, state)]
        if state[0]:
            kind = state[0][0]
            shared = tuple(count + (kind == own) for own, count in enumerate(state[1]))
            after[number] = place((state[0][1:], shared))
    size = len(states)
    flow = np.zeros((size, size))
    for source, target, rate in moves:
        flow[source, target] += rate
        flow[source, source] -= rate
    # From the beginning of a service, or from a moment without any, to the next such moment.
    step, lasting = np.zeros((size, size)), np.zeros(size)
    whole = [_exponential(flow * time) for time in system.times]
    for number, state in enumerate(states):
        if state[0]:
            lasting[number] = system.times[state[0][0]]
            for target, share in enumerate(whole[state[0][0]][number]):
                step[number, after.get(target, target)] += share
        else:
            lasting[number] = -1 / flow[number, number]
            step[number] = flow[number] * lasting[number]
            step[number, number] = 0.0
    balance = step.T - np.eye(size)
    balance[0] = 1.0
    seen = np.linalg.solve(balance, np.eye(size)[0])
    cycle = float(seen @ lasting)
    return [sum(seen[number] for number in after if states[number][0][0] == kind) / cycle for kind in kinds]


def _moves(system: Constant, state: State) -> Iterator[tuple[float, State]]:
    """All but the ends of constant services."""
    line, shared = state
    for kind, people in enumerate(system.population):
        away = people - line.count(kind) - shared[kind]
        if away:
            yield away / system.think[kind], ((*line, kind), shared)
        if shared[kind]:
            fewer = tuple(count - (kind == own) for own, count in enumerate(shared))
            yield shared[kind] / sum(shared) / system.shared[kind], (line, fewer)


def _exponential(table: Any) -> Any:
    """The exponential of a matrix: of a small part of it by its series, and squared as often as that takes."""
    halvings = max(0, int(np.ceil(np.log2(np.abs(table).max() + 1e-300))) + 5)
    part = table / 2**halvings
    result = term = np.eye(len(table))
    for number in range(1, 12):
        term = term @ part / number
        result = result + term
    for _ in range(halvings):
        result = result @ result
    return result
