"""A sweep as a report: one row per point, or one per point and metric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qnet.lazy import np
from qnet.questions.points.answers import OK, Answers
from qnet.questions.presentation.assertions import broken, conditions
from qnet.questions.presentation.columns import Columns, metric_cells, parameter_cells
from qnet.questions.presentation.effects import effect_notes
from qnet.questions.presentation.labels import all_exact, labels
from qnet.questions.presentation.provenance import Basis
from qnet.questions.presentation.trust import approximate_notes, percentile_notes
from qnet.questions.sweep.sweep import Sweep
from qnet.reports.report import Cell, Column, Matrix, Note, Plot, Report

KEYS = ("method", "exactness", "status")
"""The columns that every sweep has."""
_DRAWN = ("throughput", "response")
"""What is drawn where nobody chose metrics."""


def sweep_report(found: Sweep, asserted: Sequence[str] = (), chosen: bool = False) -> Report:
    """Tell a sweep.

    asserted  conditions that every point must meet; those that are false stand in `broken` of the report.
    chosen    whether the metrics were chosen, so that all of them are worth drawing.
    Raises    `NoAnswer` or `NotComputed` where no point has an answer.
    """
    model, answers = found.model, found.answers
    claimed = conditions(asserted, model)
    answers.refuse_all_failed()
    make = Columns(KEYS)
    grids = [item for axis in found.axes for item in axis]
    along = [make.parameter(model, item.name) for item in grids]
    told = [make.metric(item) for item in found.metrics]
    cells = [parameter_cells(model, item.name, found.columns[item.name]) for item in grids]
    cells += [metric_cells(item, answers.of(item.expression)) for item in found.metrics]
    asked = [*(item.expression for item in found.metrics), *(item.metric for item in claimed)]
    guessed = percentile_notes(model, asked, answers.parts)
    doubted: list[Note] = []
    if model.calibration is not None:
        doubted = _doubt(found, make, told, cells)
    changed = [*model.settings, *(item.name for item in grids)]
    cells += [list(answers.method), labels(answers, asked), list(answers.status)]
    # A status that says nothing needs no room on a screen.
    trust = [Column(key, key, footed=key != "status" or bool(answers.answered.all())) for key in KEYS]
    slow = along[0].key if len(found.axes) > 1 else ""
    matrix = None
    if [len(axis) for axis in found.axes] == [1, 1] and len(told) == 1:
        slow, matrix = "", Matrix(along[0].key, along[1].key, told[0].key, ("status",), (OK,))
    return Report(
        "qnet/sweep/1",
        f"{model.title}: {', '.join(item.name.replace('_', ' ') for item in grids)} varied",
        (*along, *told, *trust),
        list(zip(*cells, strict=True)),
        (*answer_notes(answers), *guessed, *doubted, *effect_notes(model, changed, asked)),
        Basis(model, ", ".join(answers.methods), all_exact(model, asked, answers.parts)),
        group=slow,
        matrix=matrix,
        plot=_plot(found, along, told, chosen),
        broken=tuple(broken(answers, claimed)),
    )


def _doubt(found: Sweep, make: Columns, told: list[Column], cells: list[list[Cell]]) -> list[Note]:
    """Add the intervals that a calibration leaves, behind the metrics; and say what they rest on."""

    from qnet.questions.uncertainty.carried import Doubts

    doubts = Doubts(found.model, [item.name for axis in found.axes for item in axis])
    asked = [item.expression for item in found.metrics]
    here = np.array([found.answers.of(item) for item in asked], dtype=float)
    carried = doubts.at(found.columns, found.answers.size, asked, here, found.wanted)
    for place, item in enumerate(found.metrics):
        for word, values in (("low", carried.low[place]), ("high", carried.high[place])):
            told.append(make.end(item, word))
            cells.append(metric_cells(item, values))
    return doubts.notes(carried.lame, asked)


def answer_notes(answers: Answers) -> Iterator[Note]:
    """Why some answers are approximate, and how many there are none of."""
    some = "some answers are" if len({part.solution.exact for part in answers.parts}) > 1 else "the answer is"
    yield from approximate_notes(answers.reasons, some)
    missing = int((~answers.answered).sum())
    if missing:
        text = f"{missing} of {answers.size} points have no answer; their status says why"
        yield Note("QN602", text, "warning")


def _plot(found: Sweep, along: Sequence[Column], told: Sequence[Column], chosen: bool) -> Plot:
    """The first axis runs along; every value of the others is a line."""
    first = len(found.axes[0])
    firsts = [sum(len(axis) for axis in found.axes[:place]) for place in range(len(found.axes))]
    ends = ("_low", "_high") if found.model.calibration is not None else ()
    drawn = tuple(column.key for column in told if (chosen and not column.key.endswith(ends)) or column.key in _DRAWN)
    by = tuple(along[place].key for place in firsts if place >= first)
    return Plot(along[0].key, drawn, by)
