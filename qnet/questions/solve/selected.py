"""Selected metrics of a solution, percentiles of response, and the margins of assertions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from qnet.errors import NoAnswer, Problem, UsageError
from qnet.model.conditions import Condition
from qnet.model.metrics import Metric, every_metric, metrics
from qnet.model.model import Model
from qnet.questions.points.expression_values import expression_value, undefined
from qnet.questions.points.points import Solved
from qnet.questions.presentation.labels import all_exact, label
from qnet.reports.content import Cell, percent_of
from qnet.units import UnitError, base_unit, in_unit, unit


def selected(model: Model, texts: Sequence[str], percentiles: Sequence[float] = (), shown: str = "") -> list[Metric]:
    """The metrics of some texts and percentiles of the response, of all passages and by class if there are several.

    model         the model that has them.
    texts         metrics such as `response`.
    percentiles   in percent, above 0 and below 100.
    shown         the unit in which all are shown; empty for the unit that each has.
    Raises        `UsageError` for an unknown metric, a number that is no percentile, and a unit that is unknown or of
                  another dimension.
    """
    result = list(metrics([*texts, *_percentile_names(model, percentiles)], model))
    if not shown:
        return result
    try:
        given = unit(shown)
    except UnitError as error:
        raise UsageError(Problem("QN102", f'--unit "{shown}": {error}', help=error.help)) from None
    for item in result:
        if item.dimension != given.dimension:
            text = f'the unit "{shown}" is {given.dimension.describe()}, "{item.source}" is {item.dimension.describe()}'
            raise UsageError(Problem("QN120", text, "a unit of the metric"))
    return [item.replace(unit=shown) for item in result]


def with_percentiles(models: Sequence[Model], texts: Sequence[str], percentiles: Sequence[float]) -> tuple[str, ...]:
    """The names of metrics and of percentiles of the response; percentiles alone are added to all metrics.

    models       the models whose metrics they are.
    texts        the selected metrics.
    percentiles  in percent, above 0 and below 100.
    """
    if not percentiles:
        return tuple(texts)
    known = texts or [item.source for model in models for item in every_metric(model)]
    return tuple(dict.fromkeys([*known, *(name for model in models for name in _percentile_names(model, percentiles))]))


def _percentile_names(model: Model, percentiles: Sequence[float]) -> Iterator[str]:
    customers = [f"('{item.name}')" for item in model.customers] if len(model.customers) > 1 else []
    for percentile in percentiles:
        digits, _, more = f"{percentile:.6f}".rstrip("0").partition(".")
        if not 0 < percentile < 100 or not 0 < float(f"{digits}.{more or 0}") < 100:
            raise UsageError(Problem("QN050", f"the percentile {percentile:g}", "a number above 0 and below 100"))
        name = f"response_p{digits}" + (f"_{more}" if more else "")
        yield from (name + about for about in ("", *customers))


def metric_rows(model: Model, solved: Solved, asked: Sequence[Metric]) -> Iterator[Mapping[str, Cell]]:
    """A row of scope `metric` for each metric, empty where it has no value."""
    for item in asked:
        value = float(expression_value(solved, item.expression))
        yield {
            "scope": "metric",
            "name": item.source,
            "value": in_unit(value, item.unit) if math.isfinite(value) else None,
            "unit": item.unit or None,
            "exactness": label(all_exact(model, [item.expression], solved.parts)),
        }


def defined_value(model: Model, solved: Solved, asked: Metric) -> float:
    """The value of one metric in its unit; raises `NoAnswer` with the reason where it has none."""
    value = float(expression_value(solved, asked.expression))
    if math.isfinite(value):
        return in_unit(value, asked.unit)
    problem = undefined(solved, asked.expression) or Problem("QN402", f"{asked.source} has no finite value")
    raise NoAnswer(problem.replace(file=model.name))


def margin_rows(model: Model, solved: Solved, claimed: Sequence[Condition]) -> Iterator[Mapping[str, Cell]]:
    """A row of scope `assertion` for each condition, with the margin to its limit."""
    for item in claimed:
        shown = base_unit(item.dimension)
        value, bound = float(expression_value(solved, item.metric)), float(expression_value(solved, item.bound))
        exactness = label(all_exact(model, [item.metric, item.bound], solved.parts))
        details = {"scope": "assertion", "name": item.source, "unit": shown or None, "exactness": exactness}
        yield {**details, **margin(item, value, bound)}


def margin(claimed: Condition, value: float, bound: float) -> dict[str, Any]:
    """The cells of an assertion: value, limit, and the margin between them, positive where the condition holds."""
    cells: dict[str, Any] = {
        "value": value if math.isfinite(value) else None,
        "bound": bound if math.isfinite(bound) else None,
        "holds": bool(claimed.holds(value, bound)) and math.isfinite(value) and math.isfinite(bound),
    }
    if math.isfinite(value) and math.isfinite(bound):
        distance = bound - value if claimed.upper else value - bound
        cells["margin"] = distance
        cells["margin_percent"] = percent_of(distance, bound)
    return cells
