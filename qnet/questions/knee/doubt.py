"""The intervals of knees by the calibration of parameters: where they are, and what happens at their stated places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from qnet.errors import QnetError
from qnet.lazy import np
from qnet.model.model import Model
from qnet.questions.knee.found import Knee, Knees
from qnet.questions.knee.knee import answered_knees
from qnet.questions.knee.mix import rate_and_time
from qnet.questions.uncertainty.carried import Doubts, moved_model
from qnet.reports.report import Cell, Note


def doubted(
    model: Model, found: Sequence[Knees], again: Callable[[Model], list[Knees]]
) -> tuple[list[tuple[Cell, ...]], list[Note]]:
    """Both ends of the customers, or the rate, of every knee, and of throughput and response at its stated place.

    again    finds the knees of the model with another value of a parameter.
    Returns  for every knee of every axis the cells of `knee_report.DOUBT`, and notes on what they rest on.
    """
    known: dict[tuple[str, float], dict[str, Knees]] = {}

    def with_value(name: str, value: float) -> dict[str, Knees]:
        if (name, value) not in known:
            try:
                known[name, value] = {item.axis.name: item for item in again(moved_model(model, name, value))}
            except QnetError:
                known[name, value] = {}
        return known[name, value]

    rows: list[tuple[Cell, ...]] = []
    notes: dict[Note, None] = {}
    for item in found:
        doubts = Doubts(model, [name for name, _ in item.axis.shown])
        ends, lame = _ends(item, doubts, with_value)
        rows += ends
        notes.update(dict.fromkeys(doubts.notes(lame)))
    return rows, list(notes)


def _ends(
    found: Knees, doubts: Doubts, with_value: Callable[[str, float], dict[str, Knees]]
) -> tuple[list[tuple[Cell, ...]], bool]:
    """The cells of an axis, and whether some step had no answer."""

    def moved(steps: list[tuple[int, float]]) -> Any:
        names = [(doubts.names[place], value) for place, value in steps]
        return np.array([_figures(found, with_value(*one).get(found.axis.name)) for one in names])

    carried = doubts.carried(np.array(_figures(found, found)), moved)
    ends = np.stack([carried.low, carried.high], axis=1)
    rows: list[tuple[Cell, ...]] = []
    for place in range(len(found.knees)):
        where, *others = [[_cell(value) for value in pair] for pair in ends[:, :, place]]
        empty: list[Cell] = [None, None]
        both = [*where, *empty] if found.axis.closed else [*empty, *where]
        rows.append((*both, *(cell for pair in others for cell in pair)))
    return rows, carried.lame


def _figures(stated: Knees, found: Knees | None) -> list[list[float]]:
    """By knee of the stated model: where it is in the other, and throughput and response there at its stated place."""

    nothing = float("nan")
    figures = [[nothing] * len(stated.knees) for _ in range(3)]
    if found is None:
        return figures
    others = {(item.definition, item.about): item for item in found.knees}
    for place, item in enumerate(stated.knees):
        other = others.get((item.definition, item.about))
        figures[0][place] = nothing if other is None or item.status != "ok" else _where(other)
    answered = answered_knees(stated)
    if answered:
        there = found.curve.answers(np.array([item.value for item in answered], dtype=float))
        rates, times = rate_and_time(there, lambda part: part.solution.throughput, lambda part: part.solution.response)
        for number, item in enumerate(answered):
            if there.answered[number]:
                place = next(place for place, one in enumerate(stated.knees) if one is item)
                figures[1][place], figures[2][place] = float(rates[number]), float(times[number])
    return figures


def _where(item: Knee) -> float:
    """Customers between whole numbers, or the rate."""

    place = item.real if item.axis.closed else item.value
    if item.status != "ok" or place is None:
        return float("nan")
    return float(item.axis.customers(np.array([place])).sum()) if item.axis.closed else place


def _cell(value: Any) -> Cell:
    return float(value) if abs(value) < float("inf") else None
