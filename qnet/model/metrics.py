"""Metrics such as `response`, `utilization('cpu')` or `response('web') / response`."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.errors import Problem, UsageError, short
from qnet.expression import Expression, ExpressionError, check, expression_problem, parse, solution_name
from qnet.expression.nodes import Name
from qnet.model.column_names import by_column_names, column_key
from qnet.model.fields import LOST, RESERVED
from qnet.model.model import Model
from qnet.model.scope import all_figures, refuse_inside
from qnet.record import Record
from qnet.units import NUMBER, Dimension, base_unit


class Metric(Record):
    """An expression over figures of the solution, outputs and parameters, with its unit and title."""

    source: str
    expression: Expression
    dimension: Dimension
    unit: str
    """The unit in which it is shown: that of an output, else the base unit."""

    @property
    def key(self) -> str:
        """The name of its column, such as `response_read_miss` or `utilization_cpu`; `metric` for an expression."""
        root = self.expression.root
        return column_key(root.name) if isinstance(root, Name) else "metric"

    @property
    def title(self) -> str:
        """Its name in reports."""
        root = self.expression.root
        return self.key.replace("_", " ") if isinstance(root, Name) else self.source


def metric(text: str, model: Model) -> Metric:
    """Parse and check a metric over the figures, outputs and parameters of a model.

    The name of a column denotes its figure: `utilization_cpu`, `response_web_s`.
    Raises `UsageError`, with the position in the text and the nearest names, where it uses an unknown name, mixes
    dimensions, or is a comparison.
    """
    text = text.strip()
    outputs = {name: output.dimension for name, output in model.outputs.items()}
    try:
        parsed = parse(text)
        known = model.dimensions | all_figures(model, parsed.names) | outputs
        parsed = by_column_names(parsed, model, {**known, **model.choices})
        refuse_inside(model, parsed)
        dimension = check(parsed.root, known | all_figures(model, parsed.names), model.choices)
    except ExpressionError as error:
        raise UsageError(expression_problem(error, text, before=f'in the metric "{short(text)}": ')) from None
    output = model.outputs.get(text)
    result = dimension or NUMBER
    return Metric(text, parsed, result, (output.unit if output else "") or base_unit(result))


def every_metric(model: Model) -> tuple[Metric, ...]:
    """The metrics of `model` that are reported by default.

    Throughput and response of the system, and of every class where there are several; utilization and queue length of
    every station (queue length alone of a delay); losses and buffers where there are any; and the outputs.
    """
    figures = all_figures(model)
    names: list[str] = [*RESERVED]
    if len(model.customers) > 1:
        names += [solution_name(figure, item.name) for item in model.customers for figure in RESERVED]
    for station in model.stations:
        shown = ("queue_length",) if station.delay else ("utilization", "queue_length")
        names += [solution_name(figure, station.name) for figure in shown]
    names += LOST if model.loses else ()
    names += [solution_name(figure, item.name) for item in model.buffers for figure in ("occupancy", "found_full")]
    result = [
        Metric(name, Expression(name, Name(name), (name,)), figures[name], base_unit(figures[name])) for name in names
    ]
    return (*result, *(metric(name, model) for name in model.outputs))


def _listed(text: str) -> list[str]:
    """The parts of a text between commas outside of parentheses and quotes."""
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote or character in "'\"":
            quote = "" if character == quote else quote or character
        else:
            depth += (character == "(") - (character == ")")
        if character == "," and not quote and depth <= 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def metrics(texts: Sequence[str], model: Model) -> tuple[Metric, ...]:
    """Parse and check texts as metrics of a model; each may list several, separated by commas.

    Raises `UsageError` with the problems of all of them.
    """
    result: list[Metric] = []
    problems: list[Problem] = []
    for text in (part for each in texts for part in _listed(each)):
        try:
            result.append(metric(text, model))
        except UsageError as error:
            problems += error.problems
    if problems:
        raise UsageError(*problems)
    return tuple(result)
