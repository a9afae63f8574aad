"""Assertions: conditions that an answer must meet, for pipelines that stop where it does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from qnet.errors import Problem, UsageError
from qnet.expression import Expression
from qnet.model.conditions import Condition, condition
from qnet.model.model import Model
from qnet.questions.points.points import Solved
from qnet.units import Dimension, base_unit, format_quantity


class Answered(Protocol):
    """An answer at several points, some of which may have none."""

    @property
    def answered(self) -> Any:
        """Which points have an answer, an array of truth values."""
        ...

    def of(self, expression: Expression) -> Any:
        """The value of an expression per point."""
        ...


def conditions(
    texts: Sequence[str], model: Model | None, more: Mapping[str, Dimension] | None = None
) -> tuple[Condition, ...]:
    """Parse and check assertions, as `condition` does; raises `UsageError` with what is wrong with any of them."""
    found: list[Condition] = []
    problems: list[Problem] = []
    for text in texts:
        try:
            found.append(condition(text, model, more))
        except UsageError as error:
            problems += error.problems
    if problems:
        raise UsageError(*problems)
    return tuple(found)


def broken(solved: Solved | Answered, asserted: Sequence[Condition]) -> list[Problem]:
    """The assertions that are false, each told with the first value that breaks it; a point without answer breaks all,
    and so does an answer without any point.

    solved   a model at one point or at several.
    """
    return [problem for item in asserted if (problem := _broken(solved, item))]


def _broken(solved: Solved | Answered, asserted: Condition) -> Problem | None:
    if isinstance(solved, Solved) and solved.size is None:
        metric, bound = float(solved.metric(asserted.metric)), float(solved.metric(asserted.bound))
        if solved.stable and asserted.holds(metric, bound):
            return None
        return told(asserted, metric if solved.stable else None, "")
    fails, metric = failing(solved, asserted)
    if not len(fails):
        return told(asserted, None, " at any point")
    count = int(fails.sum())
    if not count:
        return None
    first = int(fails.argmax())
    answered = solved.stable if isinstance(solved, Solved) else solved.answered
    rows = f" at {count} of {len(fails)} points, first at point {first + 1}" if len(fails) > 1 else ""
    return told(asserted, float(metric[first]) if answered[first] else None, rows)


def failing(solved: Solved | Answered, asserted: Condition) -> tuple[Any, Any]:
    """Where an assertion is false of several points, and the value that it is about, as arrays."""
    of = solved.metric if isinstance(solved, Solved) else solved.of
    answered = solved.stable if isinstance(solved, Solved) else solved.answered
    metric = of(asserted.metric)
    return ~(answered & asserted.holds(metric, of(asserted.bound))), metric


def told(asserted: Condition, metric: float | None, where: str) -> Problem:
    """That an assertion is false; `metric` is None where there is no answer."""
    found = "there is no answer"
    if metric is not None:
        found = f"found {format_quantity(metric, base_unit(asserted.dimension), 6)}"
    return Problem("QN608", f"asserted {asserted.source}, {found}{where}")
