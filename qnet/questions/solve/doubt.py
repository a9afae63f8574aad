"""The intervals of a solution by the calibration of its parameters, beside its figures."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.expression import parse, solution_name
from qnet.lazy import np
from qnet.model.model import Model
from qnet.networks.wanted import Wanted
from qnet.questions.points.points import Solved
from qnet.questions.solve.solve import DOUBT, in_unit
from qnet.questions.uncertainty.carried import Doubts
from qnet.reports.report import Cell, Column, Note
from qnet.units import base_unit

_FIGURES = ("throughput", "response")


def doubted(
    model: Model, solved: Solved, columns: Sequence[Column], rows: Sequence[tuple[Cell, ...]], wanted: Wanted
) -> tuple[tuple[Column, ...], list[tuple[Cell, ...]], list[Note]]:
    """The columns and rows of a solution with the intervals of throughputs, responses and outputs, and notes on them.

    solved   the model at its stated point.
    """

    keys = [column.key for column in columns]
    asked: list[str] = []
    places: list[tuple[int, int, str]] = []
    for number, row in enumerate(rows):
        scope, name = row[keys.index("scope")], row[keys.index("name")]
        if scope == "output":
            asked.append(str(name))
            places.append((number, 4, str(name)))
        elif scope in ("system", "class"):
            asked += [figure if scope == "system" else solution_name(figure, str(name)) for figure in _FIGURES]
            places += [(number, 0, ""), (number, 2, "")]
    expressions = [parse(item) for item in asked]
    here = np.array([[float(solved.metric(item))] for item in expressions])
    doubts = Doubts(model)
    carried = doubts.at({}, 1, expressions, here, wanted)
    added: list[list[Cell]] = [[None] * len(DOUBT) for _ in rows]
    for place, (number, first, output) in enumerate(places):
        for side, values in enumerate((carried.low, carried.high)):
            value = float(values[place, 0])
            if abs(value) < float("inf"):
                added[number][first + side] = _shown(model, output, value) if output else value
    told = [(*row, *more) for row, more in zip(rows, added, strict=True)]
    return (*columns, *DOUBT), told, doubts.notes(carried.lame, expressions)


def _shown(model: Model, name: str, value: float) -> float:
    output = model.outputs[name]
    return in_unit(value, output.unit or base_unit(output.dimension))
