"""Conditions such as `response <= 10 ms`: the limits of searches, and assertions."""

from __future__ import annotations

from collections.abc import Container, Mapping

from qnet.errors import UsageError, short
from qnet.expression import Expression, ExpressionError, Value, check, expression_problem, parse
from qnet.expression.nodes import Comparison, Name, Node, walk
from qnet.model.column_names import by_column_names
from qnet.model.model import Model
from qnet.model.scope import all_figures, refuse_inside
from qnet.record import Record
from qnet.units import NUMBER, Dimension

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""The operator when the sides change: 10 ms >= response is response <= 10 ms."""


class Condition(Record):
    """`metric operator bound`, both sides of one dimension."""

    source: str
    metric: Expression
    operator: str
    bound: Expression
    dimension: Dimension

    @property
    def sides(self) -> tuple[str, str]:
        """The texts of the metric and of the bound, in whichever order `source` states them."""
        bound_first = _start(self.bound.root) < _start(self.metric.root)
        left, _, right = self.source.partition(_TURNED[self.operator] if bound_first else self.operator)
        return (right.strip(), left.strip()) if bound_first else (left.strip(), right.strip())

    @property
    def upper(self) -> bool:
        """Whether the bound is an upper one."""
        return self.operator in ("<", "<=")

    def holds(self, metric: Value, bound: Value) -> Value:
        """Whether the condition holds for values of its two sides, elementwise; false for NaN."""
        match self.operator:
            case "<":
                return metric < bound
            case "<=":
                return metric <= bound
            case ">":
                return metric > bound
            case _:
                return metric >= bound


def _start(node: Node) -> int:
    """The first column of a tree."""
    return min(item.column for item in walk(node))


def condition(text: str, model: Model | None, more: Mapping[str, Dimension] | None = None) -> Condition:
    """Parse and check a condition over the figures, outputs and parameters of a model.

    text    one comparison of a metric with a bound, such as `response <= 10 ms`; either side may be the metric.
    model   None: only names of `more` are known.
    more    further names with their dimensions, which take precedence over those of the model.
    Raises  `UsageError` where it is not one comparison, uses an unknown name, or compares different dimensions.
    """
    text = text.strip()
    try:
        parsed = parse(text)
        figures: dict[str, Dimension] = {}
        if model is not None:
            outputs = {name: output.dimension for name, output in model.outputs.items()}
            named = {*model.dimensions, *model.choices, *outputs, *all_figures(model, parsed.names), *(more or ())}
            parsed = by_column_names(parsed, model, named)
            refuse_inside(model, parsed)
            figures = all_figures(model, parsed.names) | outputs
        figures |= more or {}
        choices = model.choices if model is not None else {}
        names = (model.dimensions if model is not None else {}) | figures
        root = parsed.root
        if not isinstance(root, Comparison) or root.operator in ("==", "!="):
            help = "write a metric, <= or >=, and a bound: response <= 10 ms"
            raise ExpressionError("this is not a condition", 0, help)
        left, right = check(root.left, names, choices), check(root.right, names, choices)
        if left is not None and right is not None and left != right:
            sentence = f"{left.describe()} is compared with {right.describe()}"
            raise ExpressionError(sentence, root.right.column, "both sides need the same unit", "QN120")
        if not _mentions(root, names) and not _mentions(root, choices):
            help = "name a metric, such as response, throughput or utilization('cpu')"
            raise ExpressionError("this does not depend on the load", 0, help)
    except ExpressionError as error:
        raise UsageError(expression_problem(error, text, before=f'in the condition "{short(text)}": ')) from None
    metric, bound = (Expression(text, side, parsed.names) for side in (root.left, root.right))
    operator = root.operator
    if not _mentions(root.left, figures) and _mentions(root.right, figures):
        metric, operator, bound = bound, _TURNED[operator], metric
    return Condition(text, metric, operator, bound, left or right or NUMBER)


def _mentions(node: Node, names: Container[str]) -> bool:
    """Whether an expression uses any of some names."""
    return any(isinstance(item, Name) and item.name in names for item in walk(node))
