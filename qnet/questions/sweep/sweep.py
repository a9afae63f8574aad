"""A sweep: every metric of a model along grids of its parameters, all points solved as arrays; and its report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from qnet.errors import Problem, UsageError, short
from qnet.lazy import lazy, np
from qnet.model.conditions import Condition
from qnet.model.grids import Grid, joined_grids, refuse_twice
from qnet.model.metrics import Metric, every_metric
from qnet.model.metrics import metrics as parse_metrics
from qnet.model.model import Model
from qnet.networks.reasons import approximate_notes
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.points.answers import OK, Answers, solve_table
from qnet.questions.points.expression_values import patient
from qnet.questions.presentation.assertions import broken, conditions
from qnet.questions.presentation.columns import ColumnMaker, effect_notes, metric_cells, parameter_cells
from qnet.questions.presentation.labels import (
    all_exact,
    asks_percentile,
    labels,
    means_beside,
    method_list,
    percentile_notes,
    undefined_notes,
)
from qnet.questions.presentation.marks import limit_marks
from qnet.questions.presentation.provenance import Basis
from qnet.questions.solve.selected import with_percentiles
from qnet.record import Record
from qnet.reports.content import Cell, Column, Matrix, Note, Plot
from qnet.reports.report import Report

if TYPE_CHECKING:
    from qnet.questions import uncertainty
    from qnet.questions.presentation import summaries
else:
    summaries = lazy("qnet.questions.presentation.summaries")
    uncertainty = lazy("qnet.questions.uncertainty")

KEYS = ("method", "exactness", "status")
"""The last columns of every sweep."""
_DRAWN = ("throughput", "response")
"""The metrics drawn by default."""


def ask_sweep(
    model: Model,
    over: Sequence[str],
    metric: Sequence[str] = (),
    percentile: Sequence[float] = (),
    wanted: Wanted = AUTO,
) -> Report:
    """The report of a model along grids of its parameters; arguments as of `System.sweep`."""
    metrics = with_percentiles([model], metric, percentile)
    return sweep_report(sweep(model, over, metrics, wanted), chosen=bool(metrics))


def sweep_report(result: Sweep, asserted: Sequence[str] = (), chosen: bool = False) -> Report:
    """The report of a sweep, a row for each point in the order of the grid.

    result    the model solved at every point.
    asserted  conditions that every point must meet; those that are false stand in `broken` of the report.
    chosen    whether the metrics were chosen, so that all of them are worth drawing.
    Raises    `NoAnswer` or `NotComputed` where no point has an answer.
    """
    model, answers = result.model, result.answers
    claimed = conditions(asserted, model)
    answers.refuse_all_failed()
    make = ColumnMaker(KEYS)
    grids = [item for axis in result.axes for item in axis]
    along = [make.parameter(model, item.name) for item in grids]
    listed = [make.metric(item) for item in result.metrics]
    cells = [parameter_cells(model, item.name, result.columns[item.name]) for item in grids]
    cells += [metric_cells(item, answers.of(item.expression)) for item in result.metrics]
    asked = [*(item.expression for item in result.metrics), *(item.metric for item in claimed)]
    undefined = undefined_notes(answers.solved, (item.expression for item in result.metrics))
    about_percentiles = percentile_notes(model, asked, answers.parts)
    about_intervals: list[Note] = []
    if model.calibration is not None:
        about_intervals = _add_intervals(result, make, listed, cells)
    changed = [*model.settings, *(item.name for item in grids)]
    cells += [
        list(answers.method),
        labels(answers, asked[: len(result.metrics)]),
        answers.statuses(result.metrics),
    ]
    # A status of "ok" everywhere goes into the foot of the table.
    trust = [Column(key, key, footed=key != "status" or set(cells[-1]) == {OK}) for key in KEYS]
    slow = along[0].key if len(result.axes) > 1 else ""
    matrix = None
    if [len(axis) for axis in result.axes] == [1, 1] and len(listed) == 1 and not result.interrupted:
        slow, matrix = "", Matrix(along[0].key, along[1].key, listed[0].key, ("status",), (OK,))
    return Report(
        schema="qnet/sweep/1",
        title=f"{model.title}: {', '.join(item.name.replace('_', ' ') for item in grids)} varied",
        columns=(*along, *listed, *trust),
        rows=list(zip(*cells, strict=True)),
        notes=(
            *_interruption(result),
            *answer_notes(answers),
            *undefined,
            *about_percentiles,
            *about_intervals,
            *effect_notes(model, changed, asked),
        ),
        meta=Basis(
            model,
            method_list(answers.methods),
            all_exact(model, asked, answers.parts),
            means=means_beside(model, asked, answers.parts),
        ),
        group=slow,
        matrix=matrix,
        plot=(plot := _plot(result, along, listed, chosen, claimed)),
        broken=tuple(broken(answers, claimed)),
        summary=lambda report: summaries.of_sweep(report, [item.key for item in along], plot.y),
    )


def _interruption(result: Sweep) -> Iterator[Note]:
    """A note on points that an interruption left out."""
    if result.interrupted:
        text = f"interrupted: {result.answers.size} of {result.size} points are finished, the others are left out"
        yield Note("QN734", text, "warning")


def _add_intervals(result: Sweep, make: ColumnMaker, listed: list[Column], cells: list[list[Cell]]) -> list[Note]:
    """Add the intervals by the calibration after the metrics, and return notes on them."""
    doubts = uncertainty.Doubts(result.model, [item.name for axis in result.axes for item in axis])
    asked = [item.expression for item in result.metrics]
    here = np.array([result.answers.of(item) for item in asked], dtype=float)
    carried = doubts.at(result.columns, result.answers.size, asked, here, result.wanted)
    for index, item in enumerate(result.metrics):
        for word, values in (("low", carried.low[index]), ("high", carried.high[index])):
            listed.append(make.end(item, word))
            cells.append(metric_cells(item, values))
    return doubts.notes(carried.lame, asked)


def answer_notes(answers: Answers) -> Iterator[Note]:
    """Notes on why some answers are approximate, and on the number of points without an answer."""
    some = "some answers are" if len({part.solution.exact for part in answers.parts}) > 1 else "the answer is"
    yield from approximate_notes(answers.reasons, answers.methods, some)
    missing = int((~answers.answered).sum())
    if missing:
        text = f"{missing} of {answers.size} points have no answer; their status says why"
        yield Note("QN602", text, "warning")


def _plot(
    result: Sweep, along: Sequence[Column], reported: Sequence[Column], chosen: bool, claimed: Sequence[Condition]
) -> Plot:
    """The plot: the first axis is horizontal, the values of the others are curves, and asserted limits are lines."""
    first = len(result.axes[0])
    firsts = [sum(len(axis) for axis in result.axes[:index]) for index in range(len(result.axes))]
    ends = ("_low", "_high") if result.model.calibration is not None else ()
    drawn = tuple(
        column.key for column in reported if (chosen and not column.key.endswith(ends)) or column.key in _DRAWN
    )
    by = tuple(along[index].key for index in firsts if index >= first)
    shown = [column for column in reported if column.key in drawn]
    names = [item.name for axis in result.axes for item in axis]
    return Plot(
        along[0].key,
        drawn,
        by=by,
        title="{figures} along " + along[0].title,
        marks=limit_marks(result.model, claimed, shown, names),
    )


_AS_SOLVE = 64
"""The most points that may be solved by Markov chains where the method of a batch warns: all by them, or none."""
MAX_POINTS = 200_000
"""Most points of a sweep; a choice that bounds memory."""


class Sweep(Record):
    """A model solved at every point of a grid."""

    model: Model
    axes: tuple[tuple[Grid, ...], ...]
    """The axes, the slowest first; the grids of one axis are varied together."""
    columns: Mapping[str, Any]
    """The values of each parameter at every point, in base units; options of a choice as indices."""
    metrics: tuple[Metric, ...]
    answers: Answers
    """The answers at all points, or at the first ones where the sweep was interrupted."""
    wanted: Wanted = AUTO
    size: int = 0
    """The number of points of the grid."""

    @property
    def interrupted(self) -> bool:
        """Whether the sweep was interrupted before its last point."""
        return self.answers.size < self.size


def sweep(
    model: Model,
    vary: Sequence[str],
    metrics: Sequence[str] = (),
    wanted: Wanted = AUTO,
    progress: Callable[[int, int], None] | None = None,
    keep: bool = False,
) -> Sweep:
    """Solve a model at every point of some grids.

    vary      texts such as `users=1:300`. All combinations are solved, the first varies slowest; grids of the same
              length joined by `&`, such as `users=100,200 & memory=64 MiB,128 MiB`, are varied together.
    metrics   texts such as `response` or `utilization('cpu')`; none: `every_metric`.
    wanted    the method and its budget.
    progress  called from time to time with the number of points done, and the total.
    keep      whether an interruption returns the points that are finished, and raises no `KeyboardInterrupt`.
    Returns   `Sweep`; the status of its `answers` gives the reason where a point has none.
    Raises    `UsageError` for a grid or metric that the model does not have, and for more than `MAX_POINTS` points.
    """
    asked = parse_metrics(metrics, model) if metrics else every_metric(model)
    if not vary:
        raise UsageError(Problem("QN010", "no grid is given", "at least one, such as users=1:300"))
    axes = tuple(joined_grids(text, model) for text in vary)
    grids = [item for axis in axes for item in axis]
    refuse_twice(model, grids, "--over")
    size = 1
    for axis in axes:
        size *= len(axis[0].values)
    if size > MAX_POINTS:
        help = "use fewer values, or give the points to qnet map as rows"
        raise UsageError(Problem("QN010", f"the grid has {size} points", f"at most {MAX_POINTS}", help=help))
    origins = {item.name: f"--over {short(text)}" for text, axis in zip(vary, axes, strict=True) for item in axis}
    changed = model.replace(origins={**model.origins, **origins})
    columns = _product(axes, size)

    def announced(done: int) -> None:
        if progress:
            progress(done, size)

    read = [item.expression for item in asked]
    each = patient(changed, wanted, read) if size <= _AS_SOLVE else wanted
    answers = solve_table(changed, columns, size, each, announced, keep)
    percentiles = [item for item in read if asks_percentile(changed, [item])]
    if percentiles and len(answers.parts) > 1:  # Not every method gives them.
        answers = answers.giving(percentiles)
    columns = {name: values[: answers.size] for name, values in columns.items()}
    return Sweep(model=changed, axes=axes, columns=columns, metrics=asked, answers=answers, wanted=wanted, size=size)


def _product(axes: Sequence[Sequence[Grid]], size: int) -> dict[str, Any]:
    """The values of every parameter at every point, the first axis slowest."""
    columns: dict[str, Any] = {}
    repeats = size
    for axis in axes:
        repeats //= len(axis[0].values)
        for item in axis:
            once = np.repeat(np.array(item.values, dtype=float), repeats)
            columns[item.name] = np.tile(once, size // len(once))
    return columns
