"""A number at the top of a module says what it is and how it was chosen: on its line, above, or below."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator

from source import modules, text_of, tree_of

PLAIN = (-1, 0, 1, 2)
"""Numbers that need no reason."""

EXCEPTIONS: dict[tuple[str, str], str] = {}
"""Constants that say nothing, by module and name, and why; none so far."""


def numbers(node: ast.expr) -> list[float] | None:
    """The numbers of a constant, of a calculation with constants, or of a tuple of them; None for anything else."""
    if isinstance(node, ast.Tuple):
        parts = [numbers(item) for item in node.elts]
        return None if None in parts or not parts else [value for part in parts for value in part or ()]
    arithmetic = (ast.BinOp, ast.UnaryOp, ast.Constant, ast.operator, ast.unaryop)
    if not all(isinstance(inner, arithmetic) for inner in ast.walk(node)):
        return None
    value = eval(compile(ast.Expression(node), "", "eval"), {})
    return [value] if isinstance(value, int | float) and not isinstance(value, bool) else None


def commented(text: str) -> set[int]:
    """The lines that have a comment or are one."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {token.start[0] for token in tokens if token.type == tokenize.COMMENT}


def unexplained(text: str, tree: ast.Module) -> Iterator[str]:
    """The names of numbers at the top of a module about which nothing is said."""
    lines: set[int] | None = None
    for index, node in enumerate(tree.body):
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        values = numbers(node.value)
        if values is None or all(value in PLAIN for value in values):
            continue
        below = tree.body[index + 1] if index + 1 < len(tree.body) else None
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str):
            continue
        if lines is None:
            lines = commented(text) if "#" in text else set()
        if not lines & {node.lineno - 1, node.lineno, node.end_lineno}:
            yield ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)


def test_numbers_at_the_top_of_a_module_are_explained():
    without = {
        (module, name) for module, path in modules().items() for name in unexplained(text_of(path), tree_of(path))
    }
    assert without == EXCEPTIONS.keys()


def test_what_is_unexplained_is_noticed():
    text = '''A = 3
B = 4  # why
# why
C: int = 5
D = 1 << 20
"""Why."""
E, F = 2, 7
G = -1
H = 2.0**-52
I = (1, 2)
J = True
K = f(3)
'''
    assert list(unexplained(text, ast.parse(text))) == ["A", "(E, F)", "H"]
