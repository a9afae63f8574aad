"""One evaluator for floats, numpy arrays and sympy symbols."""

from __future__ import annotations

from collections.abc import Mapping

from qnet.expression.dimension import Choices
from qnet.expression.nodes import Binary, Call, Comparison, ExpressionError, Name, Node, Number, Text, Unary
from qnet.expression.operations import FLOATS, Operations, Value


def evaluate(node: Node, values: Mapping[str, Value], operations: Operations = FLOATS, choices: Choices | None = None) -> Value:
    """The value of a checked expression.

    `values` holds every name; a choice parameter is the index of its option in `choices`. Over floats only the branch
    of a `where` that holds is evaluated; over arrays and symbols both are.

    Raises `ExpressionError` where arithmetic fails over floats: division by zero, overflow, the root or logarithm of
    a negative number. Over arrays such elements become infinite or not-a-number, which the caller must refuse.
    """
    return _Evaluator(values, operations, choices or {}).evaluate(node)


class _Evaluator:
    def __init__(self, values: Mapping[str, Value], operations: Operations, choices: Choices) -> None:
        self.values = values
        self.operations = operations
        self.choices = choices

    def evaluate(self, node: Node) -> Value:
        try:
            return self._evaluate(node)
        except ZeroDivisionError:
            raise ExpressionError("division by zero", node.column, code="QN130") from None
        except OverflowError:
            raise ExpressionError("the value is too large", node.column, code="QN130") from None
        except ValueError as error:
            if isinstance(error, ExpressionError):
                raise
            raise ExpressionError("the function is not defined for this argument", node.column, code="QN130") from None

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
                result = left**right
                if isinstance(result, complex):
                    raise ExpressionError("a negative number has no such power", node.column, code="QN130")
                return result

    def comparison(self, node: Comparison) -> Value:
        left, right = node.left, node.right
        if isinstance(left, Text):
            left, right = right, left
        if isinstance(right, Text) and isinstance(left, Name):
            index = self.operations.number(float(self.choices[left.name].index(right.value)))
            return self.operations.compare(node.operator, self.values[left.name], index)
        return self.operations.compare(node.operator, self.evaluate(left), self.evaluate(right))

    def call(self, node: Call) -> Value:
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
            case "interp":
                return interpolate(values[0], values[1::2], values[2::2], operations)
            case name:
                return getattr(operations, name)(values[0])


def interpolate(x: Value, xs: list[Value], ys: list[Value], operations: Operations) -> Value:
    """Straight lines between the points (xs, ys), level outside them; `xs` must increase."""
    result = ys[0]
    for left, right, low, high in zip(xs, xs[1:], ys, ys[1:], strict=False):
        share = operations.minimum([operations.maximum([(x - left) / (right - left), operations.number(0.0)]), operations.number(1.0)])
        result = result + share * (high - low)
    return result
