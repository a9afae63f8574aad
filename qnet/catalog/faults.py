"""Faults of expressions as problems of a file: what is wrong, and a caret under the place."""

from __future__ import annotations

from qnet.errors import Problem
from qnet.expression import ExpressionError

_WIDTH = 100


def expression_problem(error: ExpressionError, source: str, path: tuple[str | int, ...]) -> Problem:
    """The problem for an expression that cannot be read, checked or evaluated.

    `source` is the text of the expression and `path` the key that holds it; the excerpt is cut to the part of a long
    expression around the fault.
    """
    column = max(0, min(error.column, len(source)))
    start = max(0, column - _WIDTH + 20)
    shown = "".join(character if character.isprintable() else " " for character in source[start : start + _WIDTH])
    return Problem(error.code, str(error), path=path, help=error.help, excerpt=f"{shown}\n{' ' * (column - start)}^")
