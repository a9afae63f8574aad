"""Checking an expression before it is evaluated: unknown names, and operands of different dimensions."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from qnet.errors import Names, suggest
from qnet.expression.names import FUNCTIONS, MAX_THROUGHPUT, canonical, percentile_share
from qnet.expression.nodes import Binary, Call, Comparison, ExpressionError, Name, Node, Number, Text, Unary
from qnet.units import NUMBER, Dimension, meant_unit

Choices = Mapping[str, tuple[str, ...]]


def check(node: Node, dimensions: Mapping[str, Dimension], choices: Choices) -> Dimension | None:
    """The dimension of an expression; None for a literal zero, which fits every dimension.

    node        the tree of the expression.
    dimensions  those of all names that may be used.
    choices     the options of choice parameters, which may only be compared.
    Raises      `ExpressionError` for an unknown name, operands of different dimensions and unsuitable arguments.
    """
    return _Checker(dimensions, choices).check(node)


class _Checker:
    def __init__(self, dimensions: Mapping[str, Dimension], choices: Choices) -> None:
        self.dimensions = dimensions
        self.choices = choices

    def check(self, node: Node) -> Dimension | None:
        match node:
            case Number(value=value, dimension=dimension):
                return None if value == 0 and dimension == NUMBER else dimension
            case Text(column=column):
                raise ExpressionError(
                    "a quoted word may only be compared with a choice parameter", column, code="QN121"
                )
            case Name(name=name, column=column):
                return self.name(name, column)
            case Unary(operand=operand):
                return self.check(operand)
            case Binary():
                return self.binary(node)
            case Comparison():
                text = "a comparison may only stand in where() or in a limit"
                raise ExpressionError(text, node.column, "write where(comparison, a, b)")
            case Call():
                return self.call(node)

    def name(self, name: str, column: int) -> Dimension:
        """The dimension of a parameter or figure."""
        if name in self.choices:
            options = " or ".join(repr(option) for option in self.choices[name])
            raise ExpressionError(
                f'"{name}" is a choice and not a number', column, f"compare it: {name} == {options}", "QN121"
            )
        if name not in self.dimensions:
            raise ExpressionError(f'unknown name "{name}"', column, self.help(name), "QN112")
        return self.dimensions[name]

    def help(self, name: str) -> str:
        """The advice for an unknown name."""
        if canonical(name) == MAX_THROUGHPUT:
            return "the saturation throughput is a figure for outputs, limits and metrics"
        function, _, argument = name.partition("(")
        waits = [known for known in self.dimensions if known.startswith("wait('")]
        if percentile_share(function, "wait") and waits:
            percentiles = [known.replace("wait", function, 1) for known in waits]
            return suggest(name, percentiles) if argument else f"write {percentiles[0]}"
        near = suggest(name, [*self.dimensions, *self.choices])
        return meant_unit(name) or near if isinstance(near, Names) or not near else near

    def binary(self, node: Binary) -> Dimension | None:
        """The dimension of a sum, product, quotient or power."""
        left, right = self.check(node.left), self.check(node.right)
        if node.operator in "+-":
            return self.same((node.left, node.right), f"adds or subtracts ({node.operator})", (left, right))
        if node.operator == "**":
            return self.power(node, left or NUMBER, right or NUMBER)
        power = 1 if node.operator == "*" else -1
        result = (left or NUMBER).times(right or NUMBER, power)
        if node.operator == "//" and result != NUMBER:
            raise ExpressionError("// needs two quantities of one dimension", node.column, "use / instead", "QN120")
        return _readable(result, node)

    def power(self, node: Binary, base: Dimension, exponent: Dimension) -> Dimension:
        """The dimension of a power: the exponent of a quantity must be a literal."""
        column = node.right.column
        if exponent != NUMBER:
            text = f"the exponent is {exponent.describe()}"
            raise ExpressionError(text, column, "an exponent is a plain number", "QN120")
        if base == NUMBER:
            return NUMBER
        sign, power = 1.0, node.right
        if isinstance(power, Unary):
            sign, power = (-1.0 if power.operator == "-" else 1.0), power.operand
        if not isinstance(power, Number) or abs(power.value) > 4:
            text = f"{base.describe()} is raised to a power that is not a small literal number"
            raise ExpressionError(text, column, "divide by a quantity of the same kind first", "QN120")
        return _readable(NUMBER.times(base, sign * power.value), node)

    def call(self, node: Call) -> Dimension | None:
        """The dimension of a function, by its rule."""
        rule = FUNCTIONS[node.function].rule
        arguments = node.arguments
        if rule == "where":
            self.condition(arguments[0])
            return self.same(arguments[1:], "chooses between")
        dimensions = [self.check(argument) for argument in arguments]
        if rule == "interp":
            self.same(arguments[1::2] + arguments[:1], "interpolates over", tuple(dimensions[1::2] + dimensions[:1]))
            _check_rising(arguments[1::2])
            return self.same(arguments[2::2], "interpolates between", tuple(dimensions[2::2]))
        if rule == "known":
            self.same(arguments[:2], "takes a power of the ratio of", tuple(dimensions[:2]))
            for argument, dimension in zip(arguments[3:], dimensions[3:], strict=True):
                if (dimension or NUMBER) != NUMBER:
                    text = f"the exponent is {(dimension or NUMBER).describe()}"
                    raise ExpressionError(text, argument.column, "an exponent is a plain number", "QN120")
            return dimensions[2]
        if rule == "plain":
            for dimension in dimensions:
                if (dimension or NUMBER) != NUMBER:
                    text = f"{node.function} is applied to {(dimension or NUMBER).describe()}"
                    raise ExpressionError(text, node.column, "divide by a quantity of the same kind first", "QN120")
        if rule == "root":
            base = dimensions[0] or NUMBER
            return _readable(Dimension(base.time / 2, base.data / 2), node)
        if rule == "same":
            return self.same(arguments, f"compares ({node.function})", tuple(dimensions))
        return dimensions[0]

    def condition(self, node: Node) -> None:
        """Check a comparison: two quantities of one dimension, or a choice against one of its options."""
        if not isinstance(node, Comparison):
            raise ExpressionError("where() starts with a comparison", node.column, "write where(a < b, c, d)")
        if isinstance(node.right, Text):
            self.option(node.left, node.right, node)
        elif isinstance(node.left, Text):
            self.option(node.right, node.left, node)
        else:
            self.same((node.left, node.right), "compares")

    def option(self, name: Node, text: Text, node: Comparison) -> None:
        """Check that a quoted word is an option of the choice parameter it is compared with."""
        if not isinstance(name, Name) or name.name not in self.choices:
            sentence = f"{text.value!r} is compared with something that is not a choice parameter"
            raise ExpressionError(sentence, text.column, code="QN121")
        if node.operator not in ("==", "!="):
            raise ExpressionError("options are compared with == or != only", node.column, code="QN121")
        options = self.choices[name.name]
        if text.value not in options:
            sentence = f'"{text.value}" is not an option of "{name.name}"'
            raise ExpressionError(sentence, text.column, suggest(text.value, options), "QN121")

    def same(
        self, nodes: tuple[Node, ...], verb: str, dimensions: tuple[Dimension | None, ...] = ()
    ) -> Dimension | None:
        """The common dimension of several operands, which literal zeros fit; None where all are zeros."""
        dimensions = dimensions or tuple(self.check(node) for node in nodes)
        first: Dimension | None = None
        for node, dimension in zip(nodes, dimensions, strict=True):
            if dimension is None:
                continue
            if first is not None and dimension != first:
                text = f"the expression {verb} {first.describe()} and {dimension.describe()}"
                raise ExpressionError(text, node.column, "both sides need the same unit", "QN120")
            first = dimension
        return first


def _readable(dimension: Dimension, node: Node) -> Dimension:
    if not dimension.readable:
        text = f"the expression is {dimension.describe()}, which has no meaning"
        raise ExpressionError(text, node.column, "use smaller powers", "QN120")
    return dimension


def _check_rising(points: tuple[Node, ...]) -> None:
    """Refuse interpolation points that are literals and do not rise; others are checked when they are evaluated."""
    for left, right in pairwise(points):
        if isinstance(left, Number) and isinstance(right, Number) and not left.value < right.value:
            raise ExpressionError("the points of interp do not rise", right.column, FUNCTIONS["interp"].help, "QN120")
