"""A sweep: every metric of a model along grids of its parameters, all points solved as arrays.

A sweep as a report: one row per point, or one per point and metric.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from qnet.errors import Problem, UsageError, short
from qnet.lazy import lazy, np
from qnet.model.grids import Grid, grid, refuse_twice
from qnet.model.metrics import Metric, every_metric
from qnet.model.metrics import metrics as parse_metrics
from qnet.model.model import Model
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.points.answers import OK, Answers, solve_table
from qnet.questions.presentation.assertions import broken, conditions
from qnet.questions.presentation.columns import Columns, effect_notes, metric_cells, parameter_cells
from qnet.questions.presentation.labels import all_exact, labels
from qnet.questions.presentation.provenance import Basis
from qnet.questions.presentation.trust import approximate_notes, percentile_notes
from qnet.record import Record
from qnet.reports.content import Cell, Column, Matrix, Note, Plot
from qnet.reports.report import Report

if TYPE_CHECKING:
    from qnet.questions.uncertainty import carried as uncertainty
else:
    uncertainty = lazy("qnet.questions.uncertainty.carried")

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
        schema="qnet/sweep/1",
        title=f"{model.title}: {', '.join(item.name.replace('_', ' ') for item in grids)} varied",
        columns=(*along, *told, *trust),
        rows=list(zip(*cells, strict=True)),
        notes=(*answer_notes(answers), *guessed, *doubted, *effect_notes(model, changed, asked)),
        meta=Basis(model, ", ".join(answers.methods), all_exact(model, asked, answers.parts)),
        group=slow,
        matrix=matrix,
        plot=_plot(found, along, told, chosen),
        broken=tuple(broken(answers, claimed)),
    )


def _doubt(found: Sweep, make: Columns, told: list[Column], cells: list[list[Cell]]) -> list[Note]:
    """Add the intervals that a calibration leaves, behind the metrics; and say what they rest on."""

    doubts = uncertainty.Doubts(found.model, [item.name for axis in found.axes for item in axis])
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


MAX_POINTS = 200_000
PAIR = "&"
"""Between grids that go in step."""


class Sweep(Record):
    """A model solved at every point of a grid."""

    model: Model
    axes: tuple[tuple[Grid, ...], ...]
    """The slowest first; the grids of one axis go in step."""
    columns: Mapping[str, Any]
    """Parameter -> its value at every point, in base units; options of a choice as indices."""
    metrics: tuple[Metric, ...]
    answers: Answers
    wanted: Wanted = AUTO


def sweep(
    model: Model,
    vary: Sequence[str],
    metrics: Sequence[str] = (),
    wanted: Wanted = AUTO,
    progress: Callable[[int, int], None] | None = None,
) -> Sweep:
    """Solve a model at every point of some grids.

    vary      texts such as `users=1:300`. Several make the product, the first varies slowest; grids of the same
              length joined by `&`, such as `users=100,200 & memory=64 MiB,128 MiB`, go in step.
    metrics   texts such as `response` or `utilization('cpu')`; none: `every_metric`.
    wanted    the method and its budget, where there is a choice.
    progress  is told from time to time how many points are done, and of how many.
    Returns   `Sweep`; points without an answer say why in the status of its `answers`.
    Raises    `UsageError` for a grid or metric that the model does not have, and for more than `MAX_POINTS` points.
    """
    asked = parse_metrics(metrics, model) if metrics else every_metric(model)
    axes = tuple(_axis(text, model) for text in vary)
    grids = [item for axis in axes for item in axis]
    refuse_twice(model, grids, "--vary")
    size = 1
    for axis in axes:
        size *= len(axis[0].values)
    if size > MAX_POINTS:
        help = "use fewer values, or give the points to qnet map as rows"
        raise UsageError(Problem("QN010", f"the grid has {size} points", f"at most {MAX_POINTS}", help=help))
    origins = {item.name: f"--vary {short(text)}" for text, axis in zip(vary, axes, strict=True) for item in axis}
    changed = model.replace(origins={**model.origins, **origins})
    columns = _product(axes, size)

    def told(done: int) -> None:
        if progress:
            progress(done, size)

    return Sweep(changed, axes, columns, asked, solve_table(changed, columns, size, wanted, told), wanted)


def _axis(text: str, model: Model) -> tuple[Grid, ...]:
    """Grids that go in step; raises `UsageError` where they are not of one length."""
    grids = tuple(grid(part, model) for part in text.split(PAIR))
    counts = [len(item.values) for item in grids]
    if len(set(counts)) > 1:
        found = " and ".join(f'"{item.name}" has {count}' for item, count in zip(grids, counts, strict=True))
        help = f"every combination is asked for with one --vary for each; {PAIR} pairs the first with the first"
        raise UsageError(Problem("QN014", f"the grids go in step: {found}", "as many values each", help=help))
    return grids


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
