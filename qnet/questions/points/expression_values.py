"""Evaluate expressions over parameters, outputs and figures at solved points, and explain where they are undefined."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from qnet.errors import Problem, short
from qnet.expression import Expression, ExpressionError, Value, evaluate
from qnet.expression.names import MAX_THROUGHPUT, percentile_share
from qnet.lazy import lazy, np
from qnet.model.model import Model
from qnet.model.scope import about, all_figures
from qnet.networks.wanted import Wanted
from qnet.questions.points.points import Part, Solved
from qnet.units import NUMBER, base_unit, format_quantity

if TYPE_CHECKING:
    from qnet.networks.percentiles import responses as percentiles
    from qnet.networks.percentiles import waits as wait_percentiles
    from qnet.questions.points import saturation
else:
    percentiles = lazy("qnet.networks.percentiles.responses")
    wait_percentiles = lazy("qnet.networks.percentiles.waits")
    saturation = lazy("qnet.questions.points.saturation")

CODE = "QN735"
_MOST = 6
"""The most values that an explanation lists."""


def patient(model: Model, wanted: Wanted, asked: Iterable[Expression]) -> Wanted:
    """`wanted` with the Markov chain of all states in place of a method that warns, where its figures suffice.

    model   a calibrated one keeps the method, because the intervals by the calibration are of many solutions.
    asked   the expressions that are read besides the outputs; the chain does not always have percentiles.
    """
    listed = (*asked, *(item.expression for item in model.outputs.values()))
    percentile = any(percentile_share(name) for item in listed for name in item.names)
    return wanted if percentile or model.calibration is not None else wanted.replace(better=True)


def expression_value(solved: Solved, expression: Expression) -> Value:
    """The value of an expression over parameters, outputs and figures, per point, in base units.

    solved   a model at one point or at a batch.
    Returns  a float, or an array with an element for each point. NaN or infinite where arithmetic fails, such as a
             division by zero, or where a figure is not finite: `undefined` explains why.
    Raises   `NotComputed` where the method does not give a percentile that the expression uses.
    """
    return solved.gather(lambda part: _part_value(solved, part, expression))


def _part_value(solved: Solved, part: Part, expression: Expression) -> Value:
    """`expression_value` at the points of one part."""
    names = _names(solved, part, expression)
    for name, output in solved.model.outputs.items():
        if name in expression.names:
            names[name] = _evaluate(output.expression, names, part)
    return _evaluate(expression, names, part)


def _names(solved: Solved, part: Part, expression: Expression) -> dict[str, Value]:
    """The values of the parameters and figures that an expression uses, directly or through its outputs."""
    model = solved.model
    outputs = [output.expression for name, output in model.outputs.items() if name in expression.names]
    names: dict[str, Value] = {}
    for name in dict.fromkeys(name for item in (expression, *outputs) for name in item.names):
        for known in (part.values.known, part.figures):
            if name in known:
                names[name] = known[name]
        share = percentile_share(name)
        if share:
            names[name] = _percentile(part, name, share)
        if name == MAX_THROUGHPUT and name not in {*model.parameters, *model.outputs}:
            names[name] = saturation.max_throughput(model, part, solved.asked)
    return names


def _percentile(part: Part, name: str, share: float) -> Value:
    """A percentile of response or wait at the points of one part, computed once."""
    if name not in part.percentiles:
        waits = percentile_share(name, "wait")
        percentile = wait_percentiles.wait_percentile if waits else percentiles.response_percentile
        part.percentiles[name] = percentile(part.solution, share, about(name))
    return part.percentiles[name]


def _evaluate(expression: Expression, names: Mapping[str, Value], part: Part) -> Value:
    """The value of an expression over named values, per point of a part; NaN where arithmetic fails."""
    operations = part.values.operations
    if part.values.size is None:
        try:
            return evaluate(expression.root, names, operations, part.values.choices)
        except ExpressionError:
            return math.nan

    with np.errstate(all="ignore"):
        return evaluate(expression.root, names, operations, part.values.choices) + np.zeros(part.values.size)


def undefined(solved: Solved, expression: Expression) -> Problem | None:
    """Why an expression over parameters, outputs and figures has no finite value in spite of a steady state.

    solved    a model at one point or at a batch.
    Returns   a problem QN735 that explains it at the first such point; None if there is none.
    """
    for part in solved.parts:
        point = _first(part, _part_value(solved, part, expression))
        if point is not None:
            return _reason(solved.model, part, _names(solved, part, expression), expression, point)
    return None


def undefined_problems(parts: Iterable[Solved], expressions: Iterable[Expression]) -> list[Problem]:
    """The distinct problems of expressions that have no finite value somewhere in spite of a steady state.

    parts        the model at points or batches, examined in this order.
    expressions  each is explained at the first point where it is undefined.
    """
    every = list(parts)
    reasons = (next(filter(None, (undefined(solved, item) for solved in every)), None) for item in expressions)
    return list(dict.fromkeys(item for item in reasons if item is not None))


def _first(part: Part, value: Value) -> int | None:
    """The index of the first point with a steady state and without a finite value, 0 for a single point; else None."""
    if part.points is None:
        return 0 if part.solution.stable and not math.isfinite(value) else None
    size = len(part.points)
    wrong = np.broadcast_to(part.solution.stable, (size,)) & ~np.isfinite(np.broadcast_to(value, (size,)))
    return int(wrong.argmax()) if wrong.any() else None


def _reason(model: Model, part: Part, names: Mapping[str, Value], expression: Expression, point: int) -> Problem:
    """Why an expression is undefined at a point: because of the first of its outputs that is, or by itself."""
    choices = part.values.choices
    outputs = [item for name, item in model.outputs.items() if name in expression.names]
    expressions = [item.expression for item in outputs] + [expression]
    used = dict.fromkeys(name for item in expressions for name in item.names if name in names)
    here: dict[str, Value] = {name: _at(names[name], point) for name in used}
    for name, item in [*((item.name, item.expression) for item in outputs), (expression.source, expression)]:
        try:
            value = float(evaluate(item.root, here, choices=choices))
            reason = "the value is too large"
        except ExpressionError as error:
            value, reason = math.nan, str(error)
        if not math.isfinite(value):
            return _problem(model, here, name, item, reason)
        here[name] = value
    # Rounding of arrays differs from that of single numbers, so that the value may be finite here.
    return _problem(model, here, expression.source, expression, "the value is not finite")


def _problem(model: Model, here: Mapping[str, Value], name: str, expression: Expression, reason: str) -> Problem:
    """The problem of an undefined expression, with the values at the point that it uses."""
    dimensions = model.dimensions | all_figures(model, expression.names)
    wrong = [item for item in expression.names if item in here and not math.isfinite(here[item])]
    if wrong:
        reason = " and ".join(f"{item} is {'infinite' if here[item] > 0 else 'undefined'}" for item in wrong)
    values: list[str] = []
    for item in expression.names:
        if item not in here or item in wrong or len(values) == _MOST:
            continue
        parameter = model.parameters.get(item)
        if parameter is not None and parameter.options:
            values.append(f"{item} = {parameter.options[int(here[item])]}")
        else:
            unit = base_unit(dimensions.get(item, NUMBER))
            values.append(f"{item} = {format_quantity(here[item], unit, 6)}")
    source = f' in "{short(expression.source)}"' if expression.source != name else ""
    at = f" where {', '.join(values)}" if values else ""
    return Problem(CODE, f'"{short(name)}" is undefined: {reason}{source}{at}', "a finite value")


def _at(value: Any, point: int) -> float:
    """The element of a value at one point; a value that all points share has one element or no axis."""
    shape = getattr(value, "shape", ())
    return float(value[point if shape[0] > 1 else 0]) if shape else float(value)
