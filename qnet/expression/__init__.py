"""Safe arithmetic over names with units: parsed, checked for dimensions, evaluated over floats, arrays or symbols.

Begin at `parse.parse`, which makes a tree of `nodes` from text; `dimension.check` checks its names and dimensions, and
`evaluate.evaluate` computes its value with the `operations` of floats, arrays or symbols. A function of the language is
one row in `names`. May import no other folder: models, networks and questions all build on it.
"""

from qnet.expression.dimension import Choices, check
from qnet.expression.evaluate import evaluate
from qnet.expression.nodes import ExpressionError, expression_problem
from qnet.expression.operations import FLOATS, Operations, Value, arrays, operations_for, symbols
from qnet.expression.parse import Expression, parse, solution_name

__all__ = [
    "FLOATS", "Choices", "Expression", "ExpressionError", "Operations", "Value", "arrays", "check", "evaluate",
    "expression_problem", "operations_for", "parse", "solution_name", "symbols",
]  # fmt: skip
