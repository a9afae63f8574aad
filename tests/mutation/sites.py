"""Where one token of a file may be changed so that a test ought to notice."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple


class Site(NamedTuple):
    """One change of one place."""

    line: int
    begin: int
    """Offset in the text, in characters."""
    end: int
    new: str
    kind: str
    function: tuple[int, str]
    """First line and name of the innermost function around it: what a profile of calls calls it."""


_COMPARISONS = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "=="}
_SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_ARITHMETIC = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.Pow: ("**", "*"),
}
_NAMES = {"min": "max", "max": "min", "all": "any", "any": "all"}
_QUIET = {"raise", "assert", "Problem", "short", "budget", "Field", "Note"}
"""Words are for readers, and what is counted for budgets is judged by time: not mutated."""


def sites(text: str) -> Iterator[Site]:
    """All changes of a file, in the order of its text; words, annotations and what no function does are left out."""
    yield from _Sites(text).all()


class _Sites:
    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0]
        for line in text.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.lines = text.splitlines()

    def all(self) -> Iterator[Site]:
        for node in ast.walk(ast.parse(self.text)):
            if isinstance(node, ast.FunctionDef) and not any(_overload(item) for item in node.decorator_list):
                first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
                for item in node.body:
                    yield from self.within(item, (first, node.name))

    def within(self, node: ast.AST, function: tuple[int, str]) -> Iterator[Site]:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Raise, ast.Assert, ast.Import, ast.ImportFrom)):
            return
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[0] in _QUIET:
            return
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return
        for new, kind, begin, end in self.here(node):
            yield Site(getattr(node, "lineno", 0), begin, end, new, kind, function)
        for name, value in ast.iter_fields(node):
            if name == "annotation":
                continue
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, ast.AST):
                    yield from self.within(item, function)

    def here(self, node: ast.AST) -> Iterator[tuple[str, str, int, int]]:
        """The changes of a node itself: the new text, the kind, and where."""
        whole = self.span(node) if isinstance(node, (ast.expr, ast.stmt)) else (0, 0)
        if isinstance(node, ast.Constant):
            if isinstance(node.value, bool):
                yield str(not node.value), "constant", *whole
            elif isinstance(node.value, (int, float)):
                yield f"({node.value!r} + 1)", "constant", *whole
        elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARISONS:
            kind = type(node.ops[0])
            place = self.between(node.left, node.comparators[0], _SIGNS[kind])
            yield _COMPARISONS[kind], "comparison", *place
        elif isinstance(node, (ast.BinOp)) and type(node.op) in _ARITHMETIC:
            old, new = _ARITHMETIC[type(node.op)]
            if not any(_is_text(item) for item in (node.left, node.right)):
                yield new, "arithmetic", *self.between(node.left, node.right, old)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
            inner = self.span(node.operand)
            yield f"({self.text[slice(*inner)]})", "drop not" if isinstance(node.op, ast.Not) else "drop minus", *whole
        elif isinstance(node, ast.BoolOp):
            old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            yield new, "and/or", *self.between(node.values[0], node.values[1], old)
        elif isinstance(node, ast.If):
            begin, end = self.span(node.test)
            yield f"(False and ({self.text[begin:end]}))", "drop if", begin, end
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield "pass", "drop call", *whole
        elif isinstance(node, ast.AugAssign):
            yield "pass", "drop assignment", *whole
        elif isinstance(node, ast.Name) and node.id in _NAMES:
            yield _NAMES[node.id], "min/max", *whole
        elif isinstance(node, ast.Attribute) and node.attr in _NAMES:
            yield _NAMES[node.attr], "min/max", whole[1] - len(node.attr), whole[1]

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.place(node.lineno, node.col_offset), self.place(node.end_lineno, node.end_col_offset)

    def place(self, line: int, column: int) -> int:
        """A character of the text, from a line and its bytes before."""
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def between(self, left: ast.expr, right: ast.expr, sign: str) -> tuple[int, int]:
        """Where the sign between two operands stands, beside brackets."""
        begin, end = self.span(left)[1], self.span(right)[0]
        found = self.text.rindex(sign, begin, end)
        return found, found + len(sign)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _overload(node: ast.expr) -> bool:
    return ast.unparse(node).endswith("overload")
