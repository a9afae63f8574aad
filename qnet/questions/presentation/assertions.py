"""Assertions: conditions that an answer must meet, so that pipelines can stop where it does not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from qnet.errors import Problem, UsageError
from qnet.expression import Expression
from qnet.lazy import np
from qnet.model.conditions import Condition, condition
from qnet.model.model import Model
from qnet.questions.points.expression_values import expression_value, undefined_problems
from qnet.questions.points.points import Solved
from qnet.units import Dimension, base_unit, format_quantity


class Answered(Protocol):
    """An answer at several points, some of which may have none."""

    @property
    def answered(self) -> Any:
        """Whether each point has an answer, as an array."""
        ...

    @property
    def solved(self) -> Iterable[Solved]:
        """The solutions, in pieces."""
        ...

    def of(self, expression: Expression) -> Any:
        """The value of an expression at every point, as an array."""
        ...


def conditions(
    texts: Sequence[str], model: Model | None, more: Mapping[str, Dimension] | None = None
) -> tuple[Condition, ...]:
    """Parse and check assertions, as `condition` does.

    texts    conditions such as `response <= 10 ms`.
    model    the model whose parameters, outputs and figures they may name; None where there is none.
    more     other names that they may use, with their dimensions.
    Raises   `UsageError` with the problems of all of them.
    """
    result: list[Condition] = []
    problems: list[Problem] = []
    for text in texts:
        try:
            result.append(condition(text, model, more))
        except UsageError as error:
            problems += error.problems
    if problems:
        raise UsageError(*problems)
    return tuple(result)


def broken(solved: Solved | Answered, asserted: Sequence[Condition]) -> list[Problem]:
    """A problem for each assertion that is false, with the first value that breaks it.

    A point without an answer breaks every assertion, and so does an answer without points.

    solved    a model at one point or at several.
    asserted  conditions over its parameters, outputs and figures.
    """
    return [problem for item in asserted if (problem := _broken(solved, item))]


def _broken(solved: Solved | Answered, asserted: Condition) -> Problem | None:
    if isinstance(solved, Solved) and solved.size is None:
        metric = float(expression_value(solved, asserted.metric))
        bound = float(expression_value(solved, asserted.bound))
        if solved.stable and not (math.isfinite(metric) and math.isfinite(bound)):
            return failure(asserted, metric, "", _undefined(solved, asserted))
        if solved.stable and asserted.holds(metric, bound):
            return None
        return failure(asserted, metric if solved.stable else None, "")
    fails, metric = failing(solved, asserted)
    if not len(fails):
        return failure(asserted, None, " at any point")
    count = int(fails.sum())
    if not count:
        return None
    first = int(fails.argmax())
    answered = solved.stable if isinstance(solved, Solved) else solved.answered
    rows = f" at {count} of {len(fails)} points, first at point {first + 1}" if len(fails) > 1 else ""
    reason = "" if not answered[first] or np.isfinite(metric[first]) else _undefined(solved, asserted)
    return failure(asserted, float(metric[first]) if answered[first] else None, rows, reason)


def _undefined(solved: Solved | Answered, asserted: Condition) -> str:
    """The reason why one side of an assertion has no finite value."""
    every = (solved,) if isinstance(solved, Solved) else solved.solved
    problems = undefined_problems(every, (asserted.metric, asserted.bound))
    return problems[0].found if problems else "the figure has no finite value"


def failing(solved: Solved | Answered, asserted: Condition) -> tuple[Any, Any]:
    """Whether an assertion is false at each of several points, and the value of its metric there, as arrays.

    solved    a model at a batch of points; an assertion is false at points without an answer or a finite value.
    asserted  one condition over its parameters, outputs and figures.
    """

    def of(expression: Expression) -> Any:
        return expression_value(solved, expression) if isinstance(solved, Solved) else solved.of(expression)

    answered = solved.stable if isinstance(solved, Solved) else solved.answered
    metric, bound = of(asserted.metric), of(asserted.bound)
    return ~(answered & np.isfinite(metric) & np.isfinite(bound) & asserted.holds(metric, bound)), metric


def failure(asserted: Condition, metric: float | None, where: str, reason: str = "") -> Problem:
    """The problem QN608 for a false assertion.

    asserted  the condition.
    metric    the value that breaks it, in base units; None where there is no answer.
    where     the end of the message, such as ` at any point`; empty where there is only one point.
    reason    the reason why there is no value; empty where there is one.
    """
    text = "but there is no answer"
    if reason:
        text = reason
    elif metric is not None and not math.isfinite(metric):
        text = "the figure is infinite" if abs(metric) > 0 else "the figure is undefined"
    elif metric is not None:
        text = f"found {format_quantity(metric, base_unit(asserted.dimension), 6)}"
    return Problem("QN608", f"asserted {asserted.source}, {text}{where}")
