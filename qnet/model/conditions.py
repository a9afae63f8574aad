"""Conditions such as `response <= 10 ms`: what an envelope keeps and an assertion asserts."""

from __future__ import annotations

from qnet.errors import UsageError, short
from qnet.expression import Expression, ExpressionError, check, expression_problem, parse
from qnet.expression.nodes import Comparison
from qnet.model.model import Model
from qnet.model.scope import all_figures
from qnet.record import Record
from qnet.units import NUMBER, Dimension


class Condition(Record):
    """`metric operator bound`, both sides of one dimension."""

    source: str
    metric: Expression
    operator: str
    bound: Expression
    dimension: Dimension


def condition(text: str, model: Model) -> Condition:
    """Parse and check a condition over the figures, outputs and parameters of a model.

    Raises `UsageError` where it is not one comparison, names what the model does not have, or compares unlike things.
    """
    text = text.strip()
    outputs = {name: output.dimension for name, output in model.outputs.items()}
    names = model.dimensions | all_figures(model) | outputs
    try:
        parsed = parse(text)
        root = parsed.root
        if not isinstance(root, Comparison) or root.operator in ("==", "!="):
            help = "write a metric, <= or >=, and a bound: response <= 10 ms"
            raise ExpressionError("this is not a condition", 0, help)
        left, right = check(root.left, names, model.choices), check(root.right, names, model.choices)
        if left is not None and right is not None and left != right:
            found = f"{left.describe()} is compared with {right.describe()}"
            raise ExpressionError(found, root.right.column, "both sides need the same unit", "QN120")
    except ExpressionError as error:
        raise UsageError(expression_problem(error, text, before=f'in the condition "{short(text)}": ')) from None
    metric, bound = (Expression(text, side, parsed.names) for side in (root.left, root.right))
    return Condition(text, metric, root.operator, bound, left or right or NUMBER)
