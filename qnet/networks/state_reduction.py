"""Graphs of the states of customers: transitions, absorbing sets, and mean numbers of visits per passage.

A row holds the positive transition probabilities from one state, by the next state, at one point or at those of a
batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum, isfinite
from typing import Any

from qnet.errors import NotComputed, Problem
from qnet.expression import Value
from qnet.lazy import np

_LEAST = 1e-290
"""The least probability whose reciprocal is not too large."""

Row = Mapping[int, Value]


def reduced(rows: Sequence[Row], reference: int, states: Iterable[int]) -> dict[int, Value]:
    """Mean numbers of visits to states between two visits to the reference.

    Applies    states that all lead to each other and nowhere else.
    rows       transition probabilities; that of remaining in a state is one minus the others. Floats, or arrays over
               the points of a batch that are positive at all of its points.
    reference  one of the states.
    states     those to be visited.
    Returns    the visits by state, 1 at the reference.
    Method     State reduction: a state is eliminated by dividing the transitions into it by the probability to leave
               it, a sum over other states, so that nothing is subtracted from one. States with few neighbours go
               first, which keeps the rows sparse.
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
    """The closed communicating sets of states, in the order of their first states.

    rows  by state: the states that it leads to.
    out   states from which customers leave the network, or that do not count.
    """
    behind = turned(rows)
    leading = reached(behind, out)
    result: list[list[int]] = []
    for start in range(len(rows)):
        if start in leading:
            continue
        state = start
        while True:
            # A state that does not lead back is nearer to a closed set.
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
    pending = list(result)
    while pending:
        for onward in rows[pending.pop()]:
            if onward not in result:
                result.add(onward)
                pending.append(onward)
    return result


def turned(rows: Sequence[Iterable[int]]) -> list[list[int]]:
    """For every state, the states that lead to it.

    rows  by state, the states to which it leads, numbered from 0.
    """
    behind: list[list[int]] = [[] for _ in rows]
    for state, row in enumerate(rows):
        for onward in row:
            behind[onward].append(state)
    return behind


def _sum(values: Iterable[Value]) -> Value:
    """The sum of positive numbers; floats are rounded once."""
    numbers = list(values)
    return fsum(numbers) if all(isinstance(value, (int, float)) for value in numbers) else sum(numbers)


def _all(condition: bool | Value) -> bool:
    return condition if isinstance(condition, bool) else bool(condition.all())


def _finite(value: Value) -> bool:
    return isfinite(value) if isinstance(value, (int, float)) else _all(abs(value) < float("inf"))


def _too_large() -> NotComputed:
    return NotComputed(Problem("QN502", "a customer leaves some states so rarely that its visits are too many"))


class StrandedCustomers(Exception):
    """Customers that start at the reference reach states from which they never return to it.

    states   where they remain.
    beside   another closed set where others remain, if each has a part of the reference; empty where there is none.
    point    the first such point of the batch; None for a single point.
    """

    def __init__(self, states: Sequence[int], beside: Sequence[int] = (), point: int | None = None) -> None:
        super().__init__("customers are stranded")
        self.states = tuple(states)
        self.beside = tuple(beside)
        self.point = point


def visits_per_passage(
    rows: Sequence[Mapping[int, Value]], reference: Sequence[int], size: int | None = None
) -> tuple[Value, ...]:
    """Mean numbers of visits to every state per visit to a reference, which may be several states together.

    Applies    closed chains, and open ones with the outside as a state and as the reference.
    rows       by state, S of them: transition probabilities >= 0 by next state, that sum to one (not checked); floats,
               or arrays of `size` points.
    reference  the states whose visits together are the passages; customers start there.
    size       points of the batch; None for one point in floats.
    Returns    (S,) visits, floats or arrays; 0 at states that are never reached.
    Raises     `StrandedCustomers` where customers never return to the reference, or no longer change between parts of
               it; `NotComputed` QN502 for visits near the largest float.
    Method     State reduction of all points at once that have the same positive probabilities.
    Source     @grassmann1985
    """
    varying = [value for row in rows for value in row.values() if getattr(value, "ndim", 0)]
    if size is None or not varying:
        return _visits(rows, reference)

    positive = np.stack(varying) > 0
    changing = positive[positive.any(axis=1) & ~positive.all(axis=1)]
    members = np.zeros(size, dtype=int)
    if len(changing):
        members = np.unique(changing, axis=1, return_inverse=True)[1].reshape(-1)
    table = np.zeros((len(rows), size))
    for number in range(int(members.max()) + 1):
        points = np.flatnonzero(members == number)
        selected = [{to: _taken(value, points) for to, value in row.items()} for row in rows]
        try:
            with np.errstate(all="ignore"):
                result = _visits(selected, reference)
        except StrandedCustomers as error:
            raise StrandedCustomers(error.states, error.beside, int(points[0])) from None
        for state, value in enumerate(result):
            table[state, points] = value
    return tuple(table)


def _taken(value: Value, points: Any) -> Value:
    return value[points] if getattr(value, "ndim", 0) else value


def _visits(rows: Sequence[Mapping[int, Value]], reference: Sequence[int]) -> tuple[Value, ...]:
    """The visits, where the same probabilities are positive at all points."""
    positive = [{to: value for to, value in row.items() if _first(value) > 0} for row in rows]
    around = reached(positive, reference)
    kept = closed_sets(positive, [state for state in range(len(rows)) if state not in around])
    for states in kept:
        if not set(states) & set(reference):
            raise StrandedCustomers(states)
    if len(kept) > 1:
        raise StrandedCustomers(kept[0], kept[1])
    counted = [state for state in reference if state in set(kept[0])]
    result = reduced(positive, counted[0], kept[0])
    if len(counted) > 1:
        passages = sum(result[state] for state in counted)
        result = {state: value / passages for state, value in result.items()}
    return tuple(result.get(state, 0.0) for state in range(len(rows)))


def _first(value: Value) -> Value:
    return value.flat[0] if getattr(value, "ndim", 0) else value
