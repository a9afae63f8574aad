"""The tree of an expression: immutable nodes, each with the column it starts at."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from qnet.errors import Problem, caret
from qnet.record import Record
from qnet.units import Dimension


class ExpressionError(ValueError):
    """An expression that cannot be read, checked or evaluated; `column` (from 0) is the position of the fault, `help`
    the advice, `code` that of the problem."""

    def __init__(self, message: str, column: int = 0, help: str = "", code: str = "QN110") -> None:
        super().__init__(message)
        self.column = column
        self.help = help
        self.code = code


def expression_problem(
    error: ExpressionError, source: str, path: tuple[str | int, ...] = (), before: str = "", after: str = ""
) -> Problem:
    """The problem of an expression that cannot be read, checked or evaluated, with a caret under the fault.

    error          the error, with its column.
    source         the text of the expression.
    path           the path of its key.
    before, after  text around the message, such as `in "rate=2x": `.
    """
    text = f"{before}{error}{after}"
    return Problem(error.code, text, path=path, help=error.help, excerpt=caret(source, error.column))


class Number(Record):
    """A literal in base units."""

    value: float
    dimension: Dimension
    column: int = 0


class Text(Record):
    """A quoted word: one of the options of a choice parameter."""

    value: str
    column: int = 0


class Name(Record):
    """A parameter (`rate`, `disk.seek`) or a figure of the solution (`utilization('cpu')`)."""

    name: str
    column: int = 0


class Unary(Record):
    """`-operand` or `+operand`."""

    operator: str
    operand: Node
    column: int = 0


class Binary(Record):
    """`left operator right` for `+ - * / // **`."""

    operator: str
    left: Node
    right: Node
    column: int = 0


class Comparison(Record):
    """`left operator right` for `< <= > >= == !=`."""

    operator: str
    left: Node
    right: Node
    column: int = 0


class Call(Record):
    """A function of `qnet.expression.names` applied to arguments."""

    function: str
    arguments: tuple[Node, ...]
    column: int = 0


Node = Number | Text | Name | Unary | Binary | Comparison | Call


def walk(node: Node) -> Iterator[Node]:
    """The node and all nodes below it, operators before their operands, otherwise in the order of the text."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        if isinstance(current, Unary):
            waiting.append(current.operand)
        elif isinstance(current, Binary | Comparison):
            waiting += (current.right, current.left)
        elif isinstance(current, Call):
            waiting += reversed(current.arguments)


def without_columns(node: Node) -> Node:
    """The tree with all columns 0: the same expression at different positions gives equal trees.

    node  the tree.
    """
    match node:
        case Unary():
            return node.replace(operand=without_columns(node.operand), column=0)
        case Binary() | Comparison():
            return node.replace(left=without_columns(node.left), right=without_columns(node.right), column=0)
        case Call():
            return node.replace(arguments=tuple(map(without_columns, node.arguments)), column=0)
        case _:
            return node.replace(column=0)


def rename(node: Node, new: Callable[[Name], Node]) -> Node:
    """The tree with every name replaced.

    node  the tree.
    new   returns the replacement of a name.
    """
    match node:
        case Name():
            return new(node)
        case Unary():
            return node.replace(operand=rename(node.operand, new))
        case Binary() | Comparison():
            return node.replace(left=rename(node.left, new), right=rename(node.right, new))
        case Call():
            return node.replace(arguments=tuple(rename(argument, new) for argument in node.arguments))
        case _:
            return node
