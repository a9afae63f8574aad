"""From text to a tree: `ast.parse` for the grammar, a whitelist of node types for safety. Nothing is ever executed."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from qnet.expression.aliases import canonical
from qnet.expression.functions import FUNCTIONS, SOLUTION_FUNCTIONS, percentile
from qnet.expression.nodes import Binary, Call, Comparison, ExpressionError, Name, Node, Number, Text, Unary, walk
from qnet.expression.tokens import fold
from qnet.lazy import lazy
from qnet.record import Record
from qnet.units import NUMBER, Unit

if TYPE_CHECKING:
    from qnet import errors
else:
    errors = lazy("qnet.errors")

MAX_TREE_DEPTH = 150
"""Operations inside operations: evaluation calls itself once for each, far below Python's limit of recursion."""

_NOT_LANGUAGE = "this is not part of the expression language"

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Pow: "**",
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


class Expression(Record):
    """A parsed expression: its text, its tree, and the names it uses in order of appearance."""

    source: str
    root: Node
    names: tuple[str, ...]


def parse(source: str | float) -> Expression:
    """Parse an expression, or take a number as a plain one.

    source  a text of the language, or a finite number.

    Raises `ExpressionError` with the column of the fault for anything outside the language.
    """
    if not isinstance(source, str):
        return Expression(repr(source), Number(float(source), NUMBER), ())
    folded = fold(source)
    stripped = folded.text.lstrip()
    shift = len(folded.text) - len(stripped)
    stripped = stripped.rstrip()
    try:
        tree = ast.parse(stripped, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        column = max(0, (getattr(error, "offset", None) or 1) - 1) + shift
        text = "the expression is not complete or not well formed"
        raise ExpressionError(text, min(column, len(source)), _syntax_help(source)) from None
    root = _Converter(stripped, folded.literals, shift).convert(tree.body, 0)
    names = dict.fromkeys(node.name for node in walk(root) if isinstance(node, Name))
    return Expression(source, root, tuple(names))


def solution_name(function: str, argument: str) -> str:
    """The name under which a figure of the solution is looked up: `utilization('cpu')`.

    function  such as `utilization`.
    argument  the name of a station, class or route.
    """
    return f"{function}('{argument}')"


def _syntax_help(source: str) -> str:
    if source.count("(") != source.count(")"):
        return "the parentheses do not match"
    return "check for a missing operator or operand"


class _Converter:
    def __init__(self, text: str, literals: dict[int, tuple[float, Unit]], shift: int) -> None:
        self.literals = literals
        self.shift = shift
        # `ast` counts bytes of UTF-8, and quoted names may hold any character.
        self.encoded = b"" if text.isascii() else text.encode()

    def column(self, node: ast.AST) -> int:
        """The column of a node in the source."""
        offset: int = getattr(node, "col_offset", 0)
        if self.encoded:
            offset = len(self.encoded[:offset].decode())
        return offset + self.shift

    def convert(self, node: ast.AST, depth: int) -> Node:
        """The node of the expression language that a Python one corresponds to."""
        column = self.column(node)
        if depth > MAX_TREE_DEPTH:
            sentence = f"more than {MAX_TREE_DEPTH} operations in a row"
            raise ExpressionError(sentence, column, "split the expression into parameters", "QN111")
        below = depth + 1
        match node:
            case ast.Constant(value=bool()):
                raise ExpressionError(
                    "True and False are not values here", column, "write 1 or 0, or a comparison in where()"
                )
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
                symbol = _COMPARE[type(operator)]
                return Comparison(symbol, self.convert(left, below), self.convert(right, below), column)
            case ast.Compare(ops=[_, _, *_]):
                raise ExpressionError("comparisons cannot be chained", column, "split it with where()")
            case ast.Call(func=ast.Name(id=function), args=arguments, keywords=[]):
                return self.call(function, arguments, column, below)
            case _:
                raise ExpressionError(
                    _NOT_LANGUAGE, column, "use numbers, names, + - * / // **, comparisons and functions"
                )

    def call(self, function: str, arguments: list[ast.expr], column: int, depth: int) -> Node:
        """A call of one of the functions of the language, or a figure of the solution."""
        converted = tuple(self.convert(argument, depth) for argument in arguments)
        function = function if function in FUNCTIONS else canonical(function)
        if function in SOLUTION_FUNCTIONS or percentile(function):
            if len(converted) != 1 or not isinstance(converted[0], Text):
                raise ExpressionError(f"{function} takes one quoted name", column, f"write {function}('name')")
            return Name(solution_name(function, converted[0].value), column)
        known = FUNCTIONS.get(function)
        if known is None:
            help = errors.suggest(function, [*FUNCTIONS, *SOLUTION_FUNCTIONS])
            raise ExpressionError(f'unknown function "{function}"', column, help, "QN112")
        odd = function != "interp" or len(converted) % 2 == 1
        if not (known.least <= len(converted) <= known.most and odd):
            wanted = "an odd number of " if function == "interp" else ""
            wanted += str(known.least) if known.least == known.most else f"{known.least} to {known.most}"
            raise ExpressionError(f"{function} takes {wanted} arguments, not {len(converted)}", column, known.help)
        return Call(function, converted, column)


def _dotted(node: ast.Attribute, column: int) -> str:
    parts = [node.attr]
    inner: ast.expr = node.value
    while isinstance(inner, ast.Attribute):
        parts.append(inner.attr)
        inner = inner.value
    if not isinstance(inner, ast.Name):
        raise ExpressionError(_NOT_LANGUAGE, column, "a dot joins a part and its parameter, such as disk.seek")
    return ".".join([inner.id, *reversed(parts)])
