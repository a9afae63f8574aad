"""Parsing text to a tree: `ast.parse` for the grammar, a whitelist of node types for safety. Nothing is executed."""

from __future__ import annotations

import ast
import math
import re
from functools import lru_cache
from keyword import iskeyword
from typing import TYPE_CHECKING

from qnet.expression.names import FUNCTIONS, SOLUTION_FUNCTIONS, canonical, percentile
from qnet.expression.nodes import Binary, Call, Comparison, ExpressionError, Name, Node, Number, Text, Unary, walk
from qnet.lazy import lazy
from qnet.record import Record
from qnet.units import ATOM_PATTERN, NUMBER, NUMBER_PATTERN, Unit, UnitError, named_unit, scale, unit

if TYPE_CHECKING:
    from qnet import errors
else:
    errors = lazy("qnet.errors")


MAX_LENGTH = 4000
"""Characters of an expression; like the two limits below, a choice far above hand-written ones."""
MAX_TOKENS = 600
"""Names, numbers and signs of an expression."""
MAX_DEPTH = 60
"""Parentheses inside parentheses: the parser calls itself for each, far below Python's limit of recursion."""

_SHORT = 30
"""The most characters of an expression that is tried as a number or a name alone: such a number is finite."""
_NAME = r"[A-Za-z_][A-Za-z_0-9]*(?:\.[A-Za-z_][A-Za-z_0-9]*)*"
_OPERATOR = r"\*\*|//|<=|>=|==|!=|[-+*/(),<>]"
_STRING = r"'[^'\\\n]*'|\"[^\"\\\n]*\""
_PLAIN = Unit(1, NUMBER)


MAX_TREE_DEPTH = 150
"""Operations inside operations: evaluation calls itself once for each, far below Python's limit of recursion."""
_NOT_LANGUAGE = "this is not part of the expression language"
_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Pow: "**",
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


class Folded(Record):
    """A text of the same length with every unit blanked out, and the value and unit of the literal at each column."""

    text: str
    literals: dict[int, tuple[float, Unit]]


def fold(text: str) -> Folded:
    """Check the size and the characters of an expression, and fold units into numbers; columns remain.

    Raises `ExpressionError` for a text that is too long or too deeply nested, an unknown character or an unknown unit.
    """
    if len(text) > MAX_LENGTH:
        help = f"at most {MAX_LENGTH} are read; split it into parameters"
        raise ExpressionError(f"the expression has {len(text)} characters", 0, help, "QN111")
    characters = [" " if character.isspace() else character for character in text]
    literals: dict[int, tuple[float, Unit]] = {}
    position, count, depth = 0, 0, 0
    while (position := _after_space(text, position)) < len(text):
        count += 1
        if count > MAX_TOKENS:
            help = "split it into parameters"
            raise ExpressionError(f"the expression has more than {MAX_TOKENS} parts", position, help, "QN111")
        if number := _match(NUMBER_PATTERN, text, position):
            end, result = _unit_after(text, number.end())
            literals[position] = (_literal(number[0], result, position), result)
            characters[number.end() : end] = " " * (end - number.end())
            position = end
            _alone(text, position, "_.'\"")
        elif match := _match(_NAME, text, position):
            position = match.end()
            _alone(text, position, "'\"")
        elif match := _match(_STRING, text, position):
            position = match.end()
        elif match := _match(_OPERATOR, text, position):
            depth += {"(": 1, ")": -1}.get(match[0], 0)
            if depth > MAX_DEPTH:
                help = "split the expression into parameters"
                raise ExpressionError(f"parentheses nest more than {MAX_DEPTH} deep", position, help, "QN111")
            position = match.end()
        else:
            raise _unexpected(text, position)
    if not count:
        raise ExpressionError("the expression is empty", 0, "write a number, a quantity or an expression")
    return Folded("".join(characters), literals)


@lru_cache(maxsize=8)
def _compiled(pattern: str) -> re.Pattern[str]:
    """A pattern, compiled where it is first needed: most expressions are one quantity."""
    return re.compile(pattern)


def _match(pattern: str, text: str, position: int) -> re.Match[str] | None:
    return _compiled(pattern).match(text, position)


def _after_space(text: str, position: int) -> int:
    while text[position : position + 1].isspace():
        position += 1
    return position


def _literal(digits: str, result: Unit, position: int) -> float:
    value = scale(float(digits.replace("_", "")), result.factor)
    if not math.isfinite(value):
        raise ExpressionError("the number is too large", position, "write a number below 1e300", "QN110")
    return value


def _alone(text: str, position: int, others: str) -> None:
    """Refuse a character that Python would read as one token with the text before it: `1_`, `1.5.2`, `f'...'`."""
    if text[position : position + 1] and text[position] in others:
        raise _unexpected(text, position)


def _unit_after(text: str, position: int) -> tuple[int, Unit]:
    """The unit after a number that ends at `position`, with the position of its end; plain numbers have none."""
    start = _after_space(text, position)
    atom = _match(ATOM_PATTERN, text, start)
    end = atom.end() if atom else position
    while (joint := _after_space(text, end)) < len(text) and text[joint] in ("/", "*" if end > position else "/"):
        further = _match(ATOM_PATTERN, text, _after_space(text, joint + 1))
        if further is None or not _is_unit(text, further):
            break
        end = further.end()
    if end == position:
        return position, _PLAIN
    try:
        return end, unit(text[position:end].strip())
    except UnitError as error:
        raise ExpressionError(str(error), start, error.help, "QN101") from None


def _is_unit(text: str, atom: re.Match[str]) -> bool:
    """Whether a word after `/` or `*` is a unit, and neither the start of a longer name nor a function."""
    after = text[atom.end() : atom.end() + 1]
    if after.isalnum() or after in ("_", ".") or text.startswith("(", _after_space(text, atom.end())):
        return False
    try:
        unit(atom[0])
    except UnitError:
        return False
    return True


def _unexpected(text: str, position: int) -> ExpressionError:
    hints = {
        "^": "powers are written **",
        "[": "lists are not part of an expression",
        "=": "compare with ==",
        "%": "% follows a number, such as 70 %",
    }
    all = "expressions have numbers with units, names, + - * / // **, comparisons and functions"
    return ExpressionError(f"unexpected character {text[position]!r}", position, hints.get(text[position], all))


class Expression(Record):
    """A parsed expression: its text, its tree, and the names it uses in order of appearance."""

    source: str
    root: Node
    names: tuple[str, ...]


def parse(source: str | float) -> Expression:
    """Parse an expression.

    source  a text of the language, or a finite number, which is dimensionless.
    Raises  `ExpressionError` with the column of the fault for anything outside the language.
    """
    if not isinstance(source, str):
        return Expression(repr(source), Number(float(source), NUMBER), ())
    if plain := _plain(source):
        return Expression(source, plain, (plain.name,) if isinstance(plain, Name) else ())
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


def _plain(source: str) -> Number | Name | None:
    """The number or the name that a text is alone: digits, perhaps with one unit of one name; or words with dots.

    Returns   None for any other text. Most expressions are plain: no patterns are compiled for them, and no tree made.
    """
    text = source.strip()
    column = len(source) - len(source.lstrip())
    if len(text) > _SHORT or not text.isascii():
        return None
    if not text[:1].isdigit():
        words = text.split(".")
        return Name(text, column) if all(word.isidentifier() and not iskeyword(word) for word in words) else None
    digits = text[: len(text) - len(text.lstrip("0123456789."))]
    name = text[len(digits) :].strip()
    result = named_unit(name) if name else _PLAIN
    if result is None or digits.count(".") > 1 or (digits[0] == "0" and digits[1:2].isdigit()):
        return None
    return Number(scale(float(digits), result.factor), result.dimension, column)


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
        """The node of the expression language for a node of Python."""
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
        """A call of a function of the language, or the name of a figure of the solution."""
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
