"""The intervals of a comparison by the calibration of parameters, beside its figures."""

from __future__ import annotations

from typing import Any

from qnet.lazy import np
from qnet.questions.compare.compare import Comparison, Figure, Side
from qnet.questions.solve.solve import in_unit
from qnet.questions.uncertainty.carried import Doubts
from qnet.questions.uncertainty.carried_beside import Slopes, beside, slopes_of
from qnet.reports.report import Cell, Note


def doubted(found: Comparison) -> tuple[dict[tuple[int, int], tuple[Cell, ...]], list[Note]]:
    """By place of a side and of a figure, both ends of the figure of A, of the side, and of their difference.

    Cells are in the unit of the figure. Also notes on what the intervals rest on.
    """
    notes: dict[Note, list[str]] = {}
    """By what is said, of which sides."""
    sides = [_slopes(found, place, side, notes) for place, side in enumerate(found.sides)]
    cells: dict[tuple[int, int], tuple[Cell, ...]] = {}
    for place, side in enumerate(sides[1:], start=1):
        both = beside(sides[0], side)
        ends = (both.base.low, both.base.high, both.value.low, both.value.high, both.low, both.high)
        for number, figure in enumerate(found.figures):
            cells[place, number] = tuple(_cell(figure, values[number, 0]) for values in ends)
    return cells, [note.replace(text=f"{', '.join(letters)}: {note.text}") for note, letters in notes.items()]


def _slopes(found: Comparison, place: int, side: Side, notes: dict[Note, list[str]]) -> Slopes:
    told = [figure.values[place] for figure in found.figures]
    here = np.array([[float("nan") if value is None else value] for value in told], dtype=float)
    asked = [figure.metric.expression for figure, value in zip(found.figures, told, strict=True) if value is not None]
    if side.model.calibration is None or not asked:
        return slopes_of(None, here, lambda steps: here)
    doubts = Doubts(side.model)
    solver = doubts.solver({}, 1, asked, found.wanted)

    def moved(steps: list[tuple[int, float]]) -> Any:
        whole = np.full((len(steps), *here.shape), np.nan)
        whole[:, np.isfinite(here[:, 0])] = solver(steps)
        return whole

    slopes = slopes_of(doubts, here, moved)
    for note in doubts.notes(slopes.lame, asked):
        notes.setdefault(note, []).append(side.letter)
    return slopes


def _cell(figure: Figure, value: Any) -> Cell:
    return in_unit(float(value), figure.metric.unit) if abs(value) < float("inf") else None
