"""Report envelopes: a block for each envelope, with a row for each point of the grid, or for each interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qnet.errors import Problem, UsageError
from qnet.expression import parse
from qnet.expression.nodes import Name, without_columns
from qnet.lazy import lazy
from qnet.model.column_names import column_key
from qnet.model.conditions import Condition
from qnet.model.model import Model
from qnet.networks.reasons import Beyond, approximate_notes
from qnet.questions.envelope.envelope import OK, Envelope, EnvelopePoint, Interval, crossings
from qnet.questions.envelope.question import Question
from qnet.questions.presentation.assertions import broken, conditions
from qnet.questions.presentation.columns import effect_notes, parameter_cells
from qnet.questions.presentation.labels import (
    all_exact,
    label,
    means_exact,
    method_list,
    percentile_notes,
    pool_notes,
    undefined_notes,
)
from qnet.questions.presentation.provenance import Basis
from qnet.reports.content import Cell, Column, Matrix, Note, Plot
from qnet.reports.report import Report
from qnet.units import base_unit, format_quantity, in_unit

if TYPE_CHECKING:
    from qnet.questions import uncertainty
    from qnet.questions.presentation import summaries
else:
    summaries = lazy("qnet.questions.presentation.summaries")
    uncertainty = lazy("qnet.questions.uncertainty")

KEYS = ("envelope", "about", "limit", "binds", "busiest_station", "utilization", "status", "method", "exactness")
"""The columns that every report of envelopes has."""
_NAMELESS = "metric"
"""The name of the column of a metric that is an expression."""
_REPORTED = 3
"""The most other intervals that a note lists."""


def envelope_report(
    model: Model, envelopes: Sequence[Envelope], asserted: Sequence[str] = (), every: bool = False
) -> Report:
    """The report of envelopes of one model.

    model      the model, with the parameters that were set.
    envelopes  the answers, at least one.
    asserted   conditions that every point must meet; false ones are listed in `broken` of the report.
    every      whether to list every interval in which the limits hold, with both ends, instead of the answers alone.
    Raises     `UsageError` QN011 if the envelopes vary different parameters, QN019 if some are about largest and some
               about smallest values; and for an invalid assertion.
    """
    _refuse_incompatible(envelopes)
    claimed = conditions(asserted, model)
    metric_notes = _metric_notes(envelopes, claimed)
    asked = [*(shown for item in envelopes for shown in item.question.shown), *(item.metric for item in claimed)]
    parts = [part for item in envelopes for piece in item.pieces for part in piece.end.there.parts]
    sure = all_exact(model, [item.metric for item in claimed], parts) if claimed else True
    layout = _Layout(model, envelopes, every)
    rows: list[tuple[Cell, ...]] = []
    for item in envelopes:
        intervals = crossings(item) if every else [Interval(0, None, "", point) for point in item.points]
        rows += [layout.row(item.question, interval) for interval in intervals]
    rows = layout.integers(rows)
    uncertain: list[Note] = []
    if model.calibration is not None and not every:
        uncertain = _add_uncertainty(envelopes, layout, rows)
    points = [point for item in envelopes for point in item.points]
    answered = [point for point in points if point.method]
    exact = sure and all(point.exact for point in answered)
    columns = layout.columns
    listed = [column.key for column in columns]
    along = listed[2 : 2 + len(layout.over)]
    drawn = [layout.value_key, listed[listed.index(layout.value_key) + 1]]
    matrix = None
    crossed = all(len(item.question.over) == 2 and not item.question.over[1].in_step for item in envelopes)
    if len(along) == 2 and crossed and not every:
        down, across = along
        matrix = Matrix(down, across, layout.value_key, ("binds", "status"), ("limit", OK))
    plot = _plot(envelopes, along, drawn) if along and not every else None
    return Report(
        schema="qnet/envelope/1",
        title=f"{model.title}: {'every' if every else layout.extreme} {envelopes[0].question.vary} within a limit",
        columns=tuple(columns),
        rows=rows,
        notes=(*_notes(envelopes, points, every, metric_notes), *uncertain),
        meta=Basis(
            model,
            method_list(point.method for point in answered),
            exact,
            means=means_exact(model, asked, parts),
        ),
        group="envelope",
        matrix=matrix,
        plot=plot,
        broken=tuple(problem for item in envelopes for problem in broken(item, claimed)),
        summary=lambda report: summaries.of_envelopes(report, layout.value_key, "" if every else layout.extreme, along),
    )


def _plot(envelopes: Sequence[Envelope], along: Sequence[str], drawn: Sequence[str]) -> Plot:
    """The plot along the first grid: a line for each envelope and point of the other grids, the limits in the title."""
    limits = "; ".join(dict.fromkeys(item.question.stated for item in envelopes))
    words = envelopes[0].question.vary.replace("_", " ")
    return Plot(along[0], tuple(drawn), by=("envelope", *along[1:]), title=f"{words} with {limits}")


def _add_uncertainty(envelopes: Sequence[Envelope], layout: _Layout, rows: list[tuple[Cell, ...]]) -> list[Note]:
    """Add the columns of the uncertainty from a calibration to `layout` and `rows`; return the notes on it."""
    notes: dict[Note, None] = {}
    ends: list[tuple[Cell, ...]] = []
    for item in envelopes:
        carried, doubts = uncertainty.carried_envelope(item.question, item.points)
        notes.update(dict.fromkeys(doubts.notes(carried.lame)))
        for low, high in zip(carried.low[0].tolist(), carried.high[0].tolist(), strict=True):
            ends.append(tuple(value if abs(value) < float("inf") else None for value in (low, high)))
    column = next(item for item in layout.columns if item.key == layout.value_key)
    for word in ("low", "high"):
        layout.columns.append(Column(f"{column.key}_{word}", f"{column.title} {word}", column.unit))
    rows[:] = [(*row, *more) for row, more in zip(rows, ends, strict=True)]
    return list(notes)


def _refuse_incompatible(envelopes: Sequence[Envelope]) -> None:
    """Refuse envelopes that cannot share columns."""
    if len({item.question.vary for item in envelopes}) > 1:
        raise UsageError(Problem("QN011", "the envelopes vary different parameters", "--envelope NAME for one of them"))
    if len({item.smallest for item in envelopes}) > 1:
        text = "some of the envelopes are about the largest value and some about the smallest"
        raise UsageError(Problem("QN019", text, "--envelope NAME for one of them, or --largest, or --smallest"))


class _Layout:
    """The columns of a report, and their cells."""

    def __init__(self, model: Model, envelopes: Sequence[Envelope], every: bool) -> None:
        """The columns of envelopes with a row for every interval, if `every` is true, or else for every point."""
        first = envelopes[0]
        self.model = model
        self.every = every
        self.extreme = "smallest" if first.smallest else "largest"
        self.over = list(dict.fromkeys(grid.name for item in envelopes for grid in item.question.over))
        self.names = _metric_names(envelopes)
        self.limited = {name for name in self.names if name in model.outputs}
        self.outputs = [name for name in model.outputs if name not in self.limited]
        taken: set[str] = set(KEYS)

        def key(name: str, prefix: str) -> str:
            """The name if it is free, else with the prefix `parameter_`, `metric_` or `output_`."""
            while name in taken:
                name = f"{prefix}_{name}"
            taken.add(name)
            return name

        question = first.question
        vary = question.vary
        self.parameters: dict[str, str] = {}
        """Key of a column of numeric parameter values -> the parameter."""
        unit, words = base_unit(question.model.parameters[vary].dimension), vary.replace("_", " ")
        columns = [Column("envelope", "envelope"), Column("about", "about")]
        for name in self.over:
            parameter = question.model.parameters[name]
            shown = "" if parameter.options else base_unit(parameter.dimension)
            columns.append(Column(key(name, "parameter"), name.replace("_", " "), shown))
            if not parameter.options:
                self.parameters[columns[-1].key] = name
        columns.append(Column("limit", "limit"))
        if every:
            columns.append(Column(key("interval", "parameter"), "interval"))
            columns.append(Column(key(f"least_{vary}", "parameter"), f"from {words}", unit))
            self.parameters[columns[-1].key] = vary
            columns.append(Column(key("binds_below", "parameter"), "binding constraint below"))
        self.value_key = key(vary, "parameter")
        side = "minimum" if first.smallest and not every else "maximum"
        columns += [
            Column(self.value_key, f"to {words}" if every else words, unit),
            Column(key(f"{side}_{vary}", "parameter"), f"{side} {words}", unit),
        ]
        self.parameters |= {column.key: vary for column in columns[-2:]}
        columns.append(Column("binds", "binding constraint"))
        for index, name in enumerate(self.names):
            columns.append(Column(key(name, "metric"), name.replace("_", " "), self.metric_unit(envelopes, index)))
        columns += [Column("busiest_station", "busiest station"), Column("utilization", "utilization")]
        columns += [Column(key(name, "output"), name.replace("_", " "), self.shown(name)) for name in self.outputs]
        columns.append(Column("status", "status"))
        self.columns = columns + [Column(key, key, footed=True) for key in ("method", "exactness")]

    def integers(self, rows: Sequence[tuple[Cell, ...]]) -> list[tuple[Cell, ...]]:
        """The rows with integers in the columns of integer parameters, such as servers."""
        columns = [list(cells) for cells in zip(*rows, strict=True)]
        for cells, column in zip(columns, self.columns, strict=False):
            if column.key in self.parameters:
                values = [float(cell) if isinstance(cell, int | float) else None for cell in cells]
                cells[:] = parameter_cells(self.model, self.parameters[column.key], values)
        return list(zip(*columns, strict=True))

    def shown(self, name: str) -> str:
        """The unit in which the output `name` is shown."""
        output = self.model.outputs[name]
        return output.unit or base_unit(output.dimension)

    def metric_unit(self, envelopes: Sequence[Envelope], position: int) -> str:
        """The unit of the metric column `position`: that of an output, else the base unit if it is always the same."""
        if self.names[position] in self.limited:
            return self.shown(self.names[position])
        dimensions = {
            item.question.limits[index].dimension
            for item in envelopes
            for column, index in self.limits(item.question)
            if column == position
        }
        return base_unit(dimensions.pop()) if len(dimensions) == 1 else ""

    def limits(self, question: Question) -> list[tuple[int, int]]:
        """Pairs of the position of a metric column and the index of the limit of an envelope whose metric it shows."""
        distinct = _distinct(question)
        names = [_metric_name(question, index) for index in distinct]
        by_name = len(set(names)) == len(names) and all(name in self.names for name in names)
        return list(zip(map(self.names.index, names) if by_name else range(len(names)), distinct, strict=True))

    def row(self, question: Question, interval: Interval) -> tuple[Cell, ...]:
        """The cells of a point, or of one interval of it; a limited output has one column only, that of the metric."""
        point = interval.upper
        coordinates = {grid.name: value for grid, value in zip(question.over, point.coordinates, strict=True)}
        cells: list[Cell] = [question.name, question.title if question.title != question.name else None]
        for name in self.over:
            options = question.model.parameters[name].options
            value = coordinates.get(name)
            cells.append(options[int(value)] if options and value is not None else value)
        cells.append(question.stated)
        if self.every:
            cells += [interval.number or None, interval.least, interval.binds or None]
        cells += [point.value, point.extreme, point.binds or None, *self.metrics(question, point)]
        cells += [point.busiest or None, point.utilization]
        for name, value in zip(self.model.outputs, point.outputs, strict=True):
            if name not in self.limited:
                cells.append(None if value is None else in_unit(value, self.shown(name)))
        exactness = label(point.exact) if point.method else None
        return (*cells, point.status, point.method or None, exactness)

    def metrics(self, question: Question, point: EnvelopePoint) -> list[Cell]:
        """The cells of the metric columns at a point."""
        result: list[Cell] = [None] * len(self.names)
        for position, index in self.limits(question):
            value, name = point.metrics[index], self.names[position]
            result[position] = in_unit(value, self.shown(name)) if value is not None and name in self.limited else value
        return result


def _distinct(question: Question) -> list[int]:
    """The indices of the limits with a metric that no earlier limit has."""
    roots = [without_columns(item.metric.root) for item in question.limits]
    return [index for index, root in enumerate(roots) if root not in roots[:index]]


def _metric_names(envelopes: Sequence[Envelope]) -> list[str]:
    """The names of the metric columns, such as `response` and `utilization_cpu`; all `metric` where the metrics of
    envelopes differ, and some are expressions without a name."""
    result = [[_metric_name(item.question, index) for index in _distinct(item.question)] for item in envelopes]
    if all(names == result[0] for names in result):
        return result[0]
    if not any(_NAMELESS in names for names in result):
        return list(dict.fromkeys(name for names in result for name in names))
    return [_NAMELESS] * max(map(len, result))


def _metric_name(question: Question, index: int) -> str:
    """The name of the column of the metric of a limit; `metric` for an expression."""
    root = question.limits[index].metric.root
    return column_key(root.name) if isinstance(root, Name) else _NAMELESS


def _metric_notes(envelopes: Sequence[Envelope], claimed: Sequence[Condition]) -> list[Note]:
    """Notes on undefined outputs, held servers, approximate percentiles, and parameters without effect."""
    asked = [expression for item in envelopes for expression in item.question.shown]
    asked += [item.metric for item in claimed]
    parts = [part for item in envelopes for piece in item.pieces for part in piece.end.there.parts]
    model = envelopes[0].question.model
    outputs = [parse(name) for name in model.outputs]
    undefined = undefined_notes((piece.end.there for item in envelopes for piece in item.pieces), outputs)
    changed = [*model.settings, *(grid.name for item in envelopes for grid in item.question.over)]
    return [
        *undefined,
        *pool_notes(model),
        *percentile_notes(model, asked, parts),
        *effect_notes(model, changed, asked),
    ]


def _notes(
    envelopes: Sequence[Envelope], points: Sequence[EnvelopePoint], every: bool, metric_notes: list[Note]
) -> list[Note]:
    """All notes: approximations, `metric_notes`, points without an answer, and further intervals."""
    notes = [*approximate_notes(_reasons(envelopes), [point.method for point in points if point.method]), *metric_notes]
    missing = sum(point.status != OK for point in points)
    if missing:
        text = f"{missing} of {len(points)} points have no answer; their status says why"
        notes.append(Note("QN602", text, "warning"))
    again = [_again(item) for item in envelopes if any(len(point.intervals) > 1 for point in item.points)]
    if not every:
        notes += [Note("QN619", text, "warning", "--crossings lists every interval") for text in again]
    if every or again:
        coarse = [item for item in envelopes if not item.complete]
        notes += [Note("QN620", text) for text in dict.fromkeys(map(_resolution, coarse))]
    return notes


def _reasons(envelopes: Sequence[Envelope]) -> list[str]:
    """Why answers are approximate; a warning that holds for some of the envelopes only begins with their names."""
    warned: dict[tuple[str, str], list[str]] = {}
    for item in envelopes:
        for reason in item.reasons:
            key = (reason, reason.warning if isinstance(reason, Beyond) else "")
            warned.setdefault(key, []).append(item.question.name)
    result: list[str] = []
    for item in envelopes:
        for reason in item.reasons:
            if isinstance(reason, Beyond) and len(names := warned[reason, reason.warning]) < len(envelopes):
                result.append(reason.warned(f"{', '.join(names)}: {reason.warning}"))
            else:
                result.append(reason)
    return result


def _again(answer: Envelope) -> str:
    """The text of the note that the limits hold again at other values, with the first of these intervals."""
    vary = answer.question.vary
    unit = base_unit(answer.question.model.parameters[vary].dimension)
    listed = [
        f"{format_quantity(low, unit)} to {format_quantity(high, unit)}"
        for point in answer.points
        for low, high in (point.intervals[:-1] if answer.smallest else point.intervals[1:])
    ]
    more = f" and {len(listed) - _REPORTED} more" if len(listed) > _REPORTED else ""
    side = "lower" if answer.smallest else "higher"
    words = "limits hold" if len(answer.question.limits) > 1 else "limit holds"
    several = sum(len(point.intervals) > 1 for point in answer.points)
    where = f" at {several} of {len(answer.points)} points" if len(answer.points) > 1 else ""
    return f"the {words} again at {side} {vary}{where}: {', '.join(listed[:_REPORTED])}{more}"


def _resolution(answer: Envelope) -> str:
    """The text of the note on how densely the parameter was sampled."""
    count, low, high = answer.sampled
    vary = answer.question.vary
    unit = base_unit(answer.question.model.parameters[vary].dimension)
    ends = f"{format_quantity(low, unit)} to {format_quantity(high, unit)}"
    return (
        f"{vary} was sampled from {ends}, at up to {count} values, more densely where the answer may turn: "
        "narrower intervals may be missed"
    )
