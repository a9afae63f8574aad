"""From text to a tree: `ast.parse` for the grammar, a whitelist of node types for safety. Nothing is ever executed."""

from __future__ import annotations

import ast
from typing import NamedTuple

from qnet.expression.functions import FUNCTIONS, SOLUTION_FUNCTIONS
from qnet.expression.nodes import Binary, Call, Comparison, ExpressionError, Name, Node, Number, Text, Unary, walk
from qnet.expression.tokens import Folded, fold
from qnet.units import NUMBER

MAX_TREE_DEPTH = 150

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Pow: "**",
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


class Expression(NamedTuple):
    """A parsed expression: its text, its tree, and the names it uses in order of appearance."""

    source: str
    root: Node
    names: tuple[str, ...]


def parse(source: str | float) -> Expression:
    """Parse an expression, or take a number as a plain one.

    Raises `ExpressionError` with the column of the fault for anything outside the language.
    """
    if not isinstance(source, str):
        return Expression(repr(source), Number(float(source), NUMBER), ())
    folded = fold(source)
    stripped = folded.text.lstrip()
    shift = len(folded.text) - len(stripped)
    try:
        tree = ast.parse(stripped.rstrip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        column = (getattr(error, "offset", None) or 1) - 1 + shift
        raise ExpressionError("the expression is not complete or not well formed", min(column, len(source)), _syntax_help(source)) from None
    root = _Converter(folded, shift).convert(tree.body, 0)
    names = dict.fromkeys(node.name for node in walk(root) if isinstance(node, Name))
    return Expression(source, root, tuple(names))


def solution_name(function: str, argument: str) -> str:
    """The name under which a figure of the solution is looked up: `utilization('cpu')`."""
    return f"{function}('{argument}')"


def _syntax_help(source: str) -> str:
    if source.count("(") != source.count(")"):
        return "the parentheses do not match"
    return "check for a missing operator or operand"


class _Converter:
    def __init__(self, folded: Folded, shift: int) -> None:
        self.literals = folded.literals
        self.shift = shift

    def convert(self, node: ast.AST, depth: int) -> Node:
        column = getattr(node, "col_offset", 0) + self.shift
        if depth > MAX_TREE_DEPTH:
            raise ExpressionError("the expression nests too deeply", column, "split it into parameters", "QN111")
        below = depth + 1
        match node:
            case ast.Constant(value=bool()):
                raise ExpressionError("True and False are not values here", column, "write 1 or 0, or a comparison in where()")
            case ast.Constant(value=int() | float()):
                value, unit = self.literals[column]
                return Number(value, unit.dimension, column)
            case ast.Constant(value=str(text)):
                return Text(text, column)
            case ast.Name(id=name):
                return Name(name, column)
            case ast.Attribute():
                return Name(_dotted(node, column), column)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as operator, operand=operand):
                return Unary("-" if isinstance(operator, ast.USub) else "+", self.convert(operand, below), column)
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _BINARY:
                return Binary(_BINARY[type(operator)], self.convert(left, below), self.convert(right, below), column)
            case ast.Compare(left=left, ops=[operator], comparators=[right]) if type(operator) in _COMPARE:
                return Comparison(_COMPARE[type(operator)], self.convert(left, below), self.convert(right, below), column)
            case ast.Compare():
                raise ExpressionError("only one comparison may stand in a row", column, "split it with where()")
            case ast.Call(func=ast.Name(id=function), args=arguments, keywords=[]):
                return self.call(function, arguments, column, below)
            case _:
                raise ExpressionError("this is not part of the expression language", column, "use numbers, names, + - * / // **, one comparison and functions")

    def call(self, function: str, arguments: list[ast.expr], column: int, depth: int) -> Node:
        converted = tuple(self.convert(argument, depth) for argument in arguments)
        if function in SOLUTION_FUNCTIONS:
            if len(converted) != 1 or not isinstance(converted[0], Text):
                raise ExpressionError(f"{function} takes one quoted name", column, f"write {function}('name')")
            return Name(solution_name(function, converted[0].value), column)
        known = FUNCTIONS.get(function)
        if known is None:
            from qnet.errors import suggest

            raise ExpressionError(f'unknown function "{function}"', column, suggest(function, [*FUNCTIONS, *SOLUTION_FUNCTIONS]), "QN112")
        odd = function != "interp" or len(converted) % 2 == 1
        if not (known.least <= len(converted) <= known.most and odd):
            wanted = str(known.least) if known.least == known.most else f"{known.least} or more"
            raise ExpressionError(f"{function} takes {wanted} arguments, not {len(converted)}", column, known.help)
        return Call(function, converted, column)


def _dotted(node: ast.Attribute, column: int) -> str:
    parts = [node.attr]
    inner: ast.expr = node.value
    while isinstance(inner, ast.Attribute):
        parts.append(inner.attr)
        inner = inner.value
    if not isinstance(inner, ast.Name):
        raise ExpressionError("this is not part of the expression language", column, "a dot joins a part and its parameter, such as disk.seek")
    return ".".join([inner.id, *reversed(parts)])
