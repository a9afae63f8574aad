"""The Markov chain of stations that serve first come first served, with class-dependent times made of phases.

A state is who is served, in which phase of the service, and who waits, in order of arrival; nothing of theory is used.
Customers think, then go to the first station or the second, from each to the other or back to think. The squared
coefficient of variation of a service is 1 (exponential), 1/n (Erlang) or above 1 (two branches of equal load).
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

_Served = tuple[tuple[int, int], ...]
_State = tuple[tuple[_Served, tuple[int, ...]], ...]
"""For each station: class and phase of those served, and the classes of those who wait."""


class Small(NamedTuple):
    """Two stations, some classes."""

    times: list[list[float]]
    """Mean service time by station and class."""
    scv: list[list[float]]
    servers: list[int]
    think: list[float]
    population: list[int]
    first: list[float]
    """By class: the chance to go to the first station after thinking."""
    onward: list[list[float]]
    """By station and class: the chance to go to the other station after service."""

    @property
    def visits(self) -> Any:
        """(2, R) visits per passage, from the traffic equations."""
        found = np.zeros((2, len(self.think)))
        for kind, share in enumerate(self.first):
            forth, back = self.onward[0][kind], self.onward[1][kind]
            found[:, kind] = np.linalg.solve([[1.0, -back], [-forth, 1.0]], [share, 1.0 - share])
        return found

    @property
    def demands(self) -> Any:
        """(2, R) seconds per passage."""
        return self.visits * np.array(self.times)


def _phases(mean: float, scv: float) -> tuple[list[float], list[float], bool]:
    """Chances to begin in each phase, rates of the phases, and whether one follows the other."""
    if scv == 1:
        return [1.0], [1.0 / mean], False
    if scv < 1:
        count = round(1 / scv)
        return [1.0] + [0.0] * (count - 1), [count / mean] * count, True
    share = 0.5 * (1.0 + sqrt((scv - 1.0) / (scv + 1.0)))
    return [share, 1.0 - share], [2.0 * share / mean, 2.0 * (1.0 - share) / mean], False


class _Chain:
    def __init__(self, small: Small) -> None:
        self.small = small
        self.table = [
            [_phases(mean, scv) for mean, scv in zip(*row, strict=True)]
            for row in zip(small.times, small.scv, strict=True)
        ]

    def joined(self, state: _State, place: int, kind: int) -> list[tuple[float, _State]]:
        """The states after an arrival, each with its chance."""
        served, waiting = state[place]
        if len(served) == self.small.servers[place]:
            return [(1.0, _put(state, place, served, (*waiting, kind)))]
        return self.begun(state, place, served, waiting, kind)

    def begun(
        self, state: _State, place: int, served: _Served, waiting: tuple[int, ...], kind: int
    ) -> list[tuple[float, _State]]:
        begin = self.table[place][kind][0]
        return [
            (share, _put(state, place, tuple(sorted((*served, (kind, phase)))), waiting))
            for phase, share in enumerate(begin)
            if share
        ]

    def moves(self, state: _State) -> list[tuple[float, _State]]:
        found: list[tuple[float, _State]] = []
        for kind, count in enumerate(self.small.population):
            away = count - sum(
                [item[0] for item in served].count(kind) + waiting.count(kind) for served, waiting in state
            )
            if away:
                for place, share in enumerate((self.small.first[kind], 1.0 - self.small.first[kind])):
                    rate = away / self.small.think[kind] * share
                    found += [(rate * chance, after) for chance, after in self.joined(state, place, kind)]
        for place, (served, waiting) in enumerate(state):
            for slot, (kind, phase) in enumerate(served):
                _, rates, chained = self.table[place][kind]
                others = served[:slot] + served[slot + 1 :]
                if chained and phase + 1 < len(rates):
                    later = tuple(sorted((*others, (kind, phase + 1))))
                    found.append((rates[phase], _put(state, place, later, waiting)))
                    continue
                left = [(1.0, _put(state, place, others, waiting))]
                if waiting:
                    left = self.begun(state, place, others, waiting[1:], waiting[0])
                onward = self.small.onward[place][kind]
                for chance, after in left:
                    found.append((rates[phase] * chance * (1.0 - onward), after))
                    for more, joined in self.joined(after, 1 - place, kind):
                        found.append((rates[phase] * chance * onward * more, joined))
        return found


def _put(state: _State, place: int, served: _Served, waiting: tuple[int, ...]) -> _State:
    return (*state[:place], (served, waiting), *state[place + 1 :])


def exact_queues(small: Small) -> Any:
    """(2, R) mean numbers at the stations, those in service included."""
    chain = _Chain(small)
    start: _State = (((), ()), ((), ()))
    index, todo = {start: 0}, [start]
    flows: list[tuple[int, float, _State]] = []
    while todo:
        state = todo.pop()
        for rate, after in chain.moves(state):
            if after not in index:
                index[after] = len(index)
                todo.append(after)
            flows.append((index[state], rate, after))
    system = np.zeros((len(index), len(index)))
    for number, rate, after in flows:
        system[index[after], number] += rate
        system[number, number] -= rate
    system[0] = 1.0
    chances = np.linalg.solve(system, np.eye(len(index))[0])
    found = np.zeros((2, len(small.population)))
    for state, number in index.items():
        for place, (served, waiting) in enumerate(state):
            for kind in [*(item[0] for item in served), *waiting]:
                found[place, kind] += chances[number]
    return found


def exact_figures(small: Small) -> tuple[Any, Any]:
    """Throughput (R,) and residence (2, R) per passage."""
    queue = exact_queues(small)
    away = np.array(small.population) - queue.sum(0)
    throughput = away / np.array(small.think)
    return throughput, queue / throughput
