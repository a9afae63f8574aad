"""Faults of expressions as problems of whatever held them: what is wrong, and a caret under the place."""

from __future__ import annotations

from qnet.errors import Problem, caret
from qnet.expression.nodes import ExpressionError

__all__ = ["caret", "expression_problem"]


def expression_problem(
    error: ExpressionError, source: str, path: tuple[str | int, ...] = (), before: str = "", after: str = ""
) -> Problem:
    """The problem for an expression that cannot be read, checked or evaluated.

    source   the text of the expression
    path     the key that holds it
    before   words before what is wrong, such as `in "rate=2x": `; `after` follows it
    """
    found = f"{before}{error}{after}"
    return Problem(error.code, found, path=path, help=error.help, excerpt=caret(source, error.column))
