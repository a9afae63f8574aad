"""Envelopes as a report: one row per point, one block per envelope."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.errors import Problem, UsageError
from qnet.expression.nodes import Name
from qnet.model.metrics import column_key
from qnet.model.model import Model
from qnet.questions.columns import Columns
from qnet.questions.envelope import Envelope, Point, Question
from qnet.questions.points import solve_points
from qnet.questions.provenance import Basis
from qnet.questions.solve import in_unit
from qnet.reports.report import Cell, Column, Note, Plot, Report
from qnet.units import base_unit

KEYS = ("envelope", "about", "limit", "binds", "busiest_station", "utilization", "status", "method", "exactness")
"""The columns that every envelope has."""


def envelope_report(model: Model, envelopes: Sequence[Envelope]) -> Report:
    """Tell envelopes of one model; raises `UsageError` where they vary different parameters."""
    first = envelopes[0].question
    if any(item.question.vary != first.vary for item in envelopes):
        raise UsageError(Problem("QN011", "the envelopes vary different parameters", "--envelope NAME for one of them"))
    over = list(dict.fromkeys(grid.name for item in envelopes for grid in item.question.over))
    metrics = {_metric_name(item.question) for item in envelopes}
    metric = metrics.pop() if len(metrics) == 1 else "metric"
    limited = metric if metric in model.outputs else ""
    dimensions = {item.question.condition.dimension for item in envelopes}
    metric_unit = _shown(model, limited) if limited else base_unit(dimensions.pop()) if len(dimensions) == 1 else ""
    make = Columns(KEYS)
    columns = [Column("envelope", "envelope"), Column("about", "about")]
    columns += [*(make.parameter(first.model, name) for name in over), Column("limit", "limit")]
    columns += _found_columns(first, metric, metric_unit, make)
    outputs = [name for name in model.outputs if name != limited]
    columns += [make.column(name, "output", name.replace("_", " "), _shown(model, name)) for name in outputs]
    columns.append(Column("status", "status"))
    columns += [Column(key, key, footed=True) for key in ("method", "exactness")]
    sample = solve_points(first.model).parts[0].solution
    trust = (sample.method, "exact" if sample.exact else "approximate")
    rows = [(*_row(item.question, point, over, limited), *trust) for item in envelopes for point in item.points]
    notes = [Note("QN601", f"the answer is approximate: {'; '.join(sample.reasons)}")] if sample.reasons else []
    notes += [
        Note("QN602", f"{count} of {len(rows)} points have no answer; their status says why", "warning")
        for count in [sum(point.status != "ok" for item in envelopes for point in item.points)]
        if count
    ]
    told = [column.key for column in columns]
    along, drawn = told[2 : 2 + len(over)], told[3 + len(over) : 5 + len(over)]
    plot = Plot(along[0], tuple(drawn), ("envelope", *along[1:])) if over else None
    return Report(
        "qnet/envelope/1",
        f"{model.title}: largest {first.vary} within a limit",
        tuple(columns),
        rows,
        tuple(notes),
        Basis(model, sample.method, sample.exact),
        group="envelope",
        plot=plot,
    )


def _found_columns(question: Question, metric: str, metric_unit: str, make: Columns) -> list[Column]:
    unit, words = base_unit(question.model.parameters[question.vary].dimension), question.vary.replace("_", " ")
    return [
        make.column(question.vary, "parameter", words, unit),
        make.column(f"maximum_{question.vary}", "parameter", f"maximum {words}", unit),
        Column("binds", "what binds"),
        make.column(metric, "metric", metric.replace("_", " "), metric_unit),
        Column("busiest_station", "busiest station"),
        Column("utilization", "utilization"),
    ]


def _metric_name(question: Question) -> str:
    """A column name for the limited metric: `response`, `response_read_miss`, `utilization_cpu`."""
    root = question.condition.metric.root
    return column_key(root.name) if isinstance(root, Name) else "metric"


def _shown(model: Model, name: str) -> str:
    output = model.outputs[name]
    return output.unit or base_unit(output.dimension)


def _row(question: Question, point: Point, over: Sequence[str], limited: str) -> tuple[Cell, ...]:
    """The cells of a point; `limited` is the output that the limit is on, which is told once and in its own unit."""
    places = {grid.name: value for grid, value in zip(question.over, point.coordinates, strict=True)}
    model = question.model
    cells: list[Cell] = [question.name, question.title if question.title != question.name else None]
    for name in over:
        options = model.parameters[name].options
        value = places.get(name)
        cells.append(options[int(value)] if options and value is not None else value)
    metric = in_unit(point.metric, _shown(model, limited)) if limited and point.metric is not None else point.metric
    cells += [question.condition.source, point.value, point.maximum, point.binds or None]
    cells += [metric, point.busiest or None, point.utilization]
    for name, value in zip(model.outputs, point.outputs, strict=True):
        if name != limited:
            cells.append(None if value is None else in_unit(value, _shown(model, name)))
    return (*cells, point.status)
