"""Graphs of states that customers go between: transitions, absorbing states, and mean numbers of visits.

A row holds the positive probabilities to go on from one state, by the state they lead to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum, isfinite

from qnet.errors import NotComputed, Problem
from qnet.expression import Value

_LEAST = 1e-290
"""Below this a probability has too few digits left for its reciprocal."""

Row = Mapping[int, Value]


def reduced(rows: Sequence[Row], reference: int, states: Iterable[int]) -> dict[int, Value]:
    """Visits between two visits to the reference.

    Applies    states that all lead to each other and nowhere else.
    rows       probabilities; the one of remaining is what the others leave of one. Floats, or arrays over the points of
               a batch that are positive at all of its points.
    reference  one of the states.
    states     those to be visited.
    Returns    the visits by state, 1 at the reference.
    Method     State reduction: a state that is taken out divides its entries by the probability to leave it, which is a
               sum over other states: nothing is ever subtracted from one. States with few neighbours go first, which
               keeps most zeros.
    Fails      `NotComputed` QN502 for visits near the largest float.
    Source     @grassmann1985
    """
    ahead = {state: {to: value for to, value in rows[state].items() if to != state} for state in sorted(states)}
    behind: dict[int, dict[int, None]] = {state: {} for state in ahead}
    for state, row in ahead.items():
        for to in row:
            behind[to][state] = None
    order = sorted(ahead, key=lambda state: len(ahead[state]) * len(behind[state]))
    order.remove(reference)
    entered: list[tuple[int, dict[int, Value]]] = []
    for state in order:
        onward = ahead.pop(state)
        leaving = _sum(onward.values())
        if not _all(leaving >= _LEAST):
            raise _too_large()
        for to in onward:
            del behind[to][state]
        sources: dict[int, Value] = {}
        for source in behind.pop(state):
            row = ahead[source]
            sources[source] = weight = row.pop(state) / leaving
            for to, value in onward.items():
                if to in row:
                    row[to] = row[to] + weight * value
                elif to != source:
                    row[to] = weight * value
                    behind[to][source] = None
        entered.append((state, sources))
    visits: dict[int, Value] = {reference: 1.0}
    for state, sources in reversed(entered):
        visits[state] = sum(visits[source] * weight for source, weight in sources.items())
    if not all(_finite(value) for value in visits.values()):
        raise _too_large()
    return visits


def closed_sets(rows: Sequence[Iterable[int]], out: Iterable[int]) -> list[list[int]]:
    """The sets of states that lead to each other and nowhere else, by their first states.

    rows  by state: the states that it leads to.
    out   states that customers leave the network from, or that do not count.
    """
    behind = turned(rows)
    leading = reached(behind, out)
    result: list[list[int]] = []
    for start in range(len(rows)):
        if start in leading:
            continue
        state = start
        while True:
            # A state that does not lead back is one step nearer to where customers remain.
            group = reached(rows, [state])
            lost = group - reached(behind, [state])
            if not lost:
                break
            state = min(lost)
        result.append(sorted(group))
        leading |= reached(behind, [state])
    return result


def reached(rows: Sequence[Iterable[int]], starts: Iterable[int]) -> set[int]:
    """The states that can be reached, the starts included.

    rows    by state, the states to which it leads.
    starts  the states to begin from.
    """
    result = set(starts)
    waiting = list(result)
    while waiting:
        for onward in rows[waiting.pop()]:
            if onward not in result:
                result.add(onward)
                waiting.append(onward)
    return result


def turned(rows: Sequence[Iterable[int]]) -> list[list[int]]:
    """For every state those that lead to it.

    rows  by state, the states to which it leads, numbered from 0.
    """
    behind: list[list[int]] = [[] for _ in rows]
    for state, row in enumerate(rows):
        for onward in row:
            behind[onward].append(state)
    return behind


def _sum(values: Iterable[Value]) -> Value:
    """The sum of positive numbers, of floats rounded once."""
    numbers = list(values)
    return fsum(numbers) if all(isinstance(value, (int, float)) for value in numbers) else sum(numbers)


def _all(condition: bool | Value) -> bool:
    return condition if isinstance(condition, bool) else bool(condition.all())


def _finite(value: Value) -> bool:
    return isfinite(value) if isinstance(value, (int, float)) else _all(abs(value) < float("inf"))


def _too_large() -> NotComputed:
    return NotComputed(Problem("QN502", "a customer leaves some states so rarely that its visits are too many"))
