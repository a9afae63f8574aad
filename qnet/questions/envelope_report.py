"""Envelopes as a report: one row per point, one block per envelope."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.errors import Problem, UsageError
from qnet.expression.nodes import Name
from qnet.model.model import Model
from qnet.questions.envelope import Envelope, Point, Question
from qnet.questions.points import solve_points
from qnet.questions.provenance import basis
from qnet.questions.solve import in_unit
from qnet.reports.report import Cell, Column, Note, Plot, Report
from qnet.units import base_unit


def envelope_report(model: Model, envelopes: Sequence[Envelope]) -> Report:
    """Tell envelopes of one model; raises `UsageError` where they vary different parameters."""
    first = envelopes[0].question
    if any(item.question.vary != first.vary for item in envelopes):
        raise UsageError(Problem("QN011", "the envelopes vary different parameters", "--envelope NAME for one of them"))
    over = list(dict.fromkeys(grid.name for item in envelopes for grid in item.question.over))
    metrics = {_metric_name(item.question) for item in envelopes}
    metric = metrics.pop() if len(metrics) == 1 else "metric"
    dimensions = {item.question.condition.dimension for item in envelopes}
    metric_unit = base_unit(dimensions.pop()) if len(dimensions) == 1 else ""
    columns = [Column("envelope", "envelope"), Column("about", "about")]
    columns += [*(_parameter_column(first.model, name) for name in over), Column("limit", "limit")]
    columns += _found_columns(first, metric, metric_unit)
    columns += [Column(name, name.replace("_", " "), _shown(model, name)) for name in model.outputs]
    columns.append(Column("status", "status"))
    rows = [_row(item.question, point, over) for item in envelopes for point in item.points]
    sample = solve_points(first.model).parts[0].solution
    notes = [Note("QN601", f"the answer is approximate: {'; '.join(sample.reasons)}")] if sample.reasons else []
    notes += [Note("QN602", f"{count} of {len(rows)} points have no answer; their status says why", "warning")
              for count in [sum(row[-1] != "ok" for row in rows)] if count]  # fmt: skip
    plot = Plot(over[0], (first.vary, f"maximum_{first.vary}"), ("envelope", *over[1:])) if over else None
    return Report(
        "qnet/envelope/1", f"{model.title}: largest {first.vary} within a limit", tuple(columns), rows, tuple(notes),
        basis(model, sample.method, sample.exact), group="envelope", plot=plot,
    )  # fmt: skip


def _found_columns(question: Question, metric: str, metric_unit: str) -> list[Column]:
    unit = base_unit(question.model.parameters[question.vary].dimension)
    return [
        Column(question.vary, question.vary.replace("_", " "), unit),
        Column(f"maximum_{question.vary}", f"maximum {question.vary.replace('_', ' ')}", unit),
        Column("binds", "what binds"),
        Column(metric, metric.replace("_", " "), metric_unit),
        Column("busiest_station", "busiest station"),
        Column("utilization" if metric != "utilization" else "utilization_there", "utilization"),
    ]


def _metric_name(question: Question) -> str:
    """A column name for the limited metric: `response`, `response_read_miss`, `utilization_cpu`."""
    root = question.condition.metric.root
    if not isinstance(root, Name):
        return "metric"
    return "".join(character if character.isalnum() else "_" for character in root.name.replace("('", "_").replace("')", ""))


def _parameter_column(model: Model, name: str) -> Column:
    parameter = model.parameters[name]
    return Column(name, name.replace("_", " "), "" if parameter.options else base_unit(parameter.dimension))


def _shown(model: Model, name: str) -> str:
    output = model.outputs[name]
    return output.unit or base_unit(output.dimension)


def _row(question: Question, point: Point, over: Sequence[str]) -> tuple[Cell, ...]:
    places = {grid.name: value for grid, value in zip(question.over, point.coordinates, strict=True)}
    model = question.model
    cells: list[Cell] = [question.name, question.title if question.title != question.name else None]
    for name in over:
        options = model.parameters[name].options
        value = places.get(name)
        cells.append(options[int(value)] if options and value is not None else value)
    cells += [question.condition.source, point.value, point.maximum, point.binds or None, point.metric, point.busiest or None, point.utilization]
    for name, value in zip(model.outputs, point.outputs, strict=True):
        cells.append(None if value is None else in_unit(value, _shown(model, name)))
    return (*cells, point.status)
