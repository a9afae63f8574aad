"""Visits per passage of customers that change state by probabilities, at one point or at a batch of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qnet.expression import Value
from qnet.lazy import np
from qnet.networks.state_reduction import closed_sets, reached, reduced


class StrandedCustomers(Exception):
    """Customers that start at the reference reach states from which they never return to it.

    states   where they remain.
    beside   another set of states, each with a part of the reference, where others remain; empty where there is none.
    point    the first point of the batch where it is so; None for a single point.
    """

    def __init__(self, states: Sequence[int], beside: Sequence[int] = (), point: int | None = None) -> None:
        super().__init__("customers are stranded")
        self.states = tuple(states)
        self.beside = tuple(beside)
        self.point = point


def visits_per_passage(
    rows: Sequence[Mapping[int, Value]], reference: Sequence[int], size: int | None = None
) -> tuple[Value, ...]:
    """Visits to every state for each visit to a reference, which may be several states together.

    Applies    closed chains, and open ones with the outside as a state and as the reference.
    rows       of S states: the probabilities to go on, by state, >= 0, that sum to one by the caller; floats, or arrays
               of `size` points.
    reference  the states whose visits together are the passages; customers start there.
    size       points of the batch; None for one point in floats.
    Returns    (S,) visits, floats or arrays; 0 at states that are never reached.
    Raises     `StrandedCustomers` where customers never return to the reference, or change no more between parts of it;
               `NotComputed` QN502 for visits near the largest float.
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
    """The visits where the same probabilities are positive at all points."""
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
