"""Safe arithmetic over names with units: parsed, checked for dimensions, evaluated over floats, arrays or symbols."""

from qnet.expression.dimension import Choices, check
from qnet.expression.evaluate import evaluate
from qnet.expression.nodes import ExpressionError, expression_problem
from qnet.expression.operations import FLOATS, Operations, Value, arrays, operations_for, symbols
from qnet.expression.parse import Expression, parse, solution_name

__all__ = [
    "FLOATS", "Choices", "Expression", "ExpressionError", "Operations", "Value", "arrays", "check", "evaluate",
    "expression_problem", "operations_for", "parse", "solution_name", "symbols",
]  # fmt: skip
