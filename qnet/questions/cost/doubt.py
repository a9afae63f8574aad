"""The intervals of costs by the calibration of parameters, beside their values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from qnet.errors import QnetError
from qnet.lazy import np
from qnet.questions.cost.cost import Costs, costs
from qnet.questions.uncertainty.carried import Doubts, moved_model
from qnet.questions.uncertainty.carried_beside import Slopes, beside, slopes_of
from qnet.reports.report import Cell, Note

Told = Callable[[Costs], Sequence[float | None]]
"""The values of the rows of a report, by the costs that they are of."""


def doubted(found: Costs, told: Told) -> tuple[list[tuple[Cell, ...]], list[Note]]:
    """Both ends of the value of every row, and notes on what they rest on."""
    slopes, notes = _slopes(found, told)
    carried = slopes.carried()
    return _cells(carried.low, carried.high), notes


def doubted_beside(found: Costs, against: Costs, told: Told) -> tuple[list[tuple[Cell, ...]], list[Note]]:
    """As `doubted`, of the values of two models and of their difference."""
    ours, notes = _slopes(found, told)
    theirs, more = _slopes(against, told)
    both = beside(theirs, ours)
    ends = (both.value.low, both.value.high, both.base.low, both.base.high, both.low, both.high)
    return _cells(*ends), [*notes, *(note for note in more if note not in notes)]


def _slopes(found: Costs, told: Told) -> tuple[Slopes, list[Note]]:
    """How the values of rows move, and notes."""

    def column(values: Sequence[float | None]) -> Any:
        return np.array([[float("nan") if value is None else value] for value in values], dtype=float)

    here = column(told(found))
    if found.model.calibration is None:
        return slopes_of(None, here, lambda steps: here), []
    doubts = Doubts(found.model, [grid.name for grid in found.over])
    asked = list({item.cost.name: item.cost for item in found.found}.values())

    def moved(steps: list[tuple[int, float]]) -> Any:
        result: list[Any] = []
        for place, value in steps:
            try:
                other = costs(moved_model(found.model, doubts.names[place], value), asked, found.over)
                result.append(column(told(other)))
            except QnetError:
                result.append(np.full(here.shape, np.nan))
        return np.array(result)

    slopes = slopes_of(doubts, here, moved)
    return slopes, doubts.notes(slopes.lame, [item.per for item in asked])


def _cells(*ends: Any) -> list[tuple[Cell, ...]]:
    rows = zip(*(values[:, 0].tolist() for values in ends), strict=True)
    return [tuple(value if abs(value) < float("inf") else None for value in row) for row in rows]
