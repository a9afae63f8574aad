"""What the values of a part amount to: in which order they follow from each other, their dimensions, their numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from qnet.errors import Problem, suggest
from qnet.expression import Expression, ExpressionError, check, evaluate, expression_problem
from qnet.expression.nodes import Name, walk
from qnet.lazy import lazy
from qnet.record import Record
from qnet.units import NUMBER, Dimension

if TYPE_CHECKING:
    import graphlib
else:
    graphlib = lazy("graphlib")


class Derivation(Record):
    """The values of a part worked out, in dependency order; names with a fault, or that rest on one, are left out."""

    dimensions: dict[str, Dimension]
    amounts: dict[str, float]
    """Values in base units: seconds and bytes."""
    problems: list[Problem]


def derive(expressions: Mapping[str, Expression | None]) -> Derivation:
    """Work out the values of a part from its expressions, each over the other names.

    An expression that could not be read is given as None. A name that rests on a fault is left out without a problem
    for it, so that one mistake is reported once.
    """
    order, problems = _order(expressions)
    derivation = Derivation({}, {}, problems)
    for name in order:
        expression = expressions[name]
        if expression is None:
            continue
        unknown = _unknown_names(expression, list(expressions))
        if not unknown and any(operand not in derivation.amounts for operand in expression.names):
            continue
        try:
            if not unknown:
                derivation.dimensions[name], derivation.amounts[name] = amount(
                    expression, derivation.dimensions, derivation.amounts
                )
        except ExpressionError as error:
            unknown = [error]
        problems += [expression_problem(error, expression.source, ("parameters", name, "value")) for error in unknown]
    return derivation


def amount(
    expression: Expression, dimensions: Mapping[str, Dimension], amounts: Mapping[str, float]
) -> tuple[Dimension, float]:
    """The dimension of an expression and its value in base units, over names of known dimension and amount.

    Raises `ExpressionError` for an unknown name, a sum of different dimensions, or a value that is not a finite number.
    """
    dimension = check(expression.root, dimensions, {}) or NUMBER
    value = float(evaluate(expression.root, amounts))
    if not math.isfinite(value):
        raise ExpressionError("the value is not a finite number", code="QN130")
    return dimension, value


def _unknown_names(expression: Expression, known: list[str]) -> list[ExpressionError]:
    return [
        ExpressionError(f'unknown name "{node.name}"', node.column, suggest(node.name, known), "QN112")
        for node in walk(expression.root)
        if isinstance(node, Name) and node.name not in known
    ]


def _order(expressions: Mapping[str, Expression | None]) -> tuple[list[str], list[Problem]]:
    """The names so that each comes after those it uses, and a problem for each circle, whose names are left out."""
    uses = {
        name: [used for used in expression.names if used in expressions] if expression else []
        for name, expression in expressions.items()
    }
    problems: list[Problem] = []
    while True:
        try:
            return [name for name in graphlib.TopologicalSorter(uses).static_order() if name in uses], problems
        except graphlib.CycleError as error:
            circle: list[str] = list(reversed(error.args[1]))
            text = f"the value depends on itself: {' uses '.join(circle)}"
            path = ("parameters", circle[0], "value")
            problems.append(
                Problem(code="QN308", found=text, expected="an expression over independent values", path=path)
            )
            for name in circle[1:]:
                uses.pop(name)
