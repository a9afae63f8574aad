"""One evaluator for floats, numpy arrays and sympy symbols."""

from __future__ import annotations

import math
from collections.abc import Mapping
from importlib import import_module

from qnet.expression.dimension import Choices
from qnet.expression.names import FUNCTIONS
from qnet.expression.nodes import Binary, Call, Comparison, ExpressionError, Name, Node, Number, Text, Unary
from qnet.expression.operations import FLOATS, Operations, Value


def evaluate(
    node: Node, values: Mapping[str, Value], operations: Operations = FLOATS, choices: Choices | None = None
) -> Value:
    """The value of a checked expression.

    node        the tree, for which `dimension.check` has passed.
    values      those of all names; that of a choice parameter is the index of its option.
    operations  those of floats, arrays or symbols, as the values are.
    choices     the options of choice parameters.
    Raises      `ExpressionError` where arithmetic fails over floats: division by zero, overflow, the root or logarithm
                of a negative number. Over arrays such elements become infinite or NaN, which the caller must refuse.

    Over floats only the branch of a `where` that holds is evaluated; over arrays and symbols both are.
    """
    return _Evaluator(values, operations, choices or {}).evaluate(node)


class _Evaluator:
    def __init__(self, values: Mapping[str, Value], operations: Operations, choices: Choices) -> None:
        self.values = values
        self.operations = operations
        self.choices = choices

    def evaluate(self, node: Node) -> Value:
        """The value of a node; errors have its column."""
        try:
            return self._evaluate(node)
        except ExpressionError:
            raise
        except (ZeroDivisionError, OverflowError, ValueError) as error:
            if self.operations.elementwise:
                # A part that is constant over the points may belong to a branch that is not taken.
                return math.nan
            text = "the function is not defined for this argument"
            if isinstance(error, ZeroDivisionError):
                text = "division by zero"
            elif isinstance(error, OverflowError):
                text = "the value is too large"
            elif isinstance(node, Binary):
                text = "a negative number has no such power"
            raise ExpressionError(text, node.column, code="QN130") from None

    def _evaluate(self, node: Node) -> Value:
        match node:
            case Number(value=value):
                return self.operations.number(value)
            case Name(name=name):
                return self.values[name]
            case Unary(operator=operator, operand=operand):
                value = self.evaluate(operand)
                return -value if operator == "-" else value
            case Binary():
                return self.binary(node)
            case Comparison():
                return self.comparison(node)
            case Call():
                return self.call(node)
            case Text(value=text, column=column):
                raise ExpressionError(f"{text!r} has no value", column, code="QN121")

    def binary(self, node: Binary) -> Value:
        """The value of an operation on two numbers."""
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        match node.operator:
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                return left * right
            case "/":
                return left / right
            case "//":
                return self.operations.floor(left / right)
            case _:
                return self.operations.power(left, right)

    def comparison(self, node: Comparison) -> Value:
        """Whether a comparison holds, or where."""
        left, right = node.left, node.right
        if isinstance(left, Text):
            left, right = right, left
        if isinstance(right, Text) and isinstance(left, Name):
            index = self.operations.number(float(self.choices[left.name].index(right.value)))
            return self.operations.compare(node.operator, self.values[left.name], index)
        return self.operations.compare(node.operator, self.evaluate(left), self.evaluate(right))

    def call(self, node: Call) -> Value:
        """The value of a function."""
        operations, arguments = self.operations, node.arguments
        if node.function == "where":
            condition = self.evaluate(arguments[0])
            if isinstance(condition, bool):
                return self.evaluate(arguments[1] if condition else arguments[2])
            return operations.where(condition, self.evaluate(arguments[1]), self.evaluate(arguments[2]))
        values = [self.evaluate(argument) for argument in arguments]
        match node.function:
            case "min":
                return operations.minimum(values)
            case "max":
                return operations.maximum(values)
            case "abs":
                return operations.absolute(values[0])
            case "round":
                # Doubling and halving are exact, adding a half is not.
                return operations.ceil(operations.floor(2 * values[0]) / 2)
            case "interp":
                return interpolate(values[0], values[1::2], values[2::2], operations, node.column)
            case name if FUNCTIONS[name].module:
                return getattr(import_module(f"qnet.expression.{FUNCTIONS[name].module}"), name)(values, operations)
            case name:
                return getattr(operations, name)(values[0])


def interpolate(x: Value, points: list[Value], heights: list[Value], operations: Operations, column: int = 0) -> Value:
    """The value at `x` of straight lines between points with heights, constant outside.

    column   that of the function, for messages.
    Raises   `ExpressionError` where the points do not rise; over arrays the value is NaN at such elements, and symbols
             are assumed to rise.
    """
    result = heights[0]
    for left, right, low, high in zip(points, points[1:], heights, heights[1:], strict=False):
        rises = operations.compare("<", left, right)
        decided = not operations.elementwise and not getattr(rises, "free_symbols", ())
        if decided and not operations.all(rises):
            raise ExpressionError("the points of interp do not rise", column, code="QN130")
        share = (x - left) / (right - left)
        share = operations.minimum([operations.maximum([share, operations.number(0.0)]), operations.number(1.0)])
        if operations.elementwise:
            share = operations.where(rises, share, math.nan)
        result = result + share * (high - low)
    return result
