"""Grids of values: `0:0.5:0.1`, `1:300`, `log(1, 1000, 10)`, `1 ms, 2 ms, 5 ms`, or words of a choice."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from qnet.errors import Problem, UsageError, short, suggest
from qnet.expression import Expression, ExpressionError, check, evaluate, expression_problem, parse
from qnet.expression.nodes import Number
from qnet.model.model import Model, Parameter
from qnet.record import Record
from qnet.units import NUMBER, Dimension, base_unit

_NO_PARAMETERS = 'the model has no parameters: state the number under [parameters], such as rate = "3/s"'
MAX_VALUES = 1_000_000
"""Most values of a grid; a choice that bounds memory."""
MAX_LENGTH = 20_000
"""Most characters of a grid; a choice far above what is written by hand."""

_LOG = re.compile(r"\s*log\s*\((.*)\)\s*", re.DOTALL)


class Grid(Record):
    """The values of one parameter, in base units; options of a choice as indices."""

    name: str
    values: tuple[float, ...]
    in_step: bool = False
    """Whether it is varied together with the grid before it, value by value, and so does not multiply the points."""


PAIR = "&"
"""The sign between grids that are varied together."""


def joined_grids(text: str, model: Model) -> tuple[Grid, ...]:
    """Grids that are varied together, joined by `&`: `users = 100, 200 & memory = 64 MiB, 128 MiB`; or a single one.

    text   one or more grids, all with the same number of values.
    model  the model whose parameters are varied.

    Raises `UsageError` as `grid` does, and QN014 where the numbers of values differ.
    """
    grids = tuple(grid(part, model).replace(in_step=index > 0) for index, part in enumerate(text.split(PAIR)))
    counts = [len(item.values) for item in grids]
    if len(set(counts)) > 1:
        sentence = " and ".join(f'"{item.name}" has {count}' for item, count in zip(grids, counts, strict=True))
        help = f"for every combination, give each grid in a separate option; {PAIR} pairs values in order"
        raise UsageError(Problem("QN014", f"the grids cannot be paired: {sentence}", "as many values each", help=help))
    return grids


def combinations(grids: Iterable[Grid], most: int) -> list[tuple[float, ...]]:
    """The values of all grids at every point, the first grid slowest; raises `UsageError` for more than `most`."""
    result: list[tuple[float, ...]] = [()]
    for item in grids:
        if item.in_step:
            count = len(item.values)
            result = [(*point, item.values[index % count]) for index, point in enumerate(result)]
            continue
        result = [(*point, value) for point in result for value in item.values]
        if len(result) > most:
            raise UsageError(Problem("QN010", f"the grid has more than {most} points", help="use fewer values"))
    return result


def grid(text: str, model: Model) -> Grid:
    """Parse `name = values` for a parameter of a model.

    text   the values as `first:last:step`, `first:last`, `log(first, last, count)`, or a list with commas.
    model  the model whose parameter is varied.

    Raises `UsageError` for an unknown parameter, a value of the wrong dimension or an impossible step.
    """
    name, separator, values = text.partition("=")
    name = name.strip()
    if not separator:
        expected = "name=values, such as write_fraction=0:0.5:0.1"
        raise UsageError(Problem("QN010", f'"{short(text)}" is not a grid', expected))
    if len(text) > MAX_LENGTH:
        expected = f"at most {MAX_LENGTH}, or first:last:step"
        raise UsageError(Problem("QN010", f"the grid has {len(text)} characters", expected))
    return Grid(name, _Parser(parameter(model, name), text).values(values.strip()))


def values(name: str, dimension: Dimension, text: str) -> tuple[float, ...]:
    """The values of a grid without a model, such as `1:20` or `10/s:100/s:10/s`.

    name       what is varied, for messages.
    dimension  the dimension of the values.
    text       the values, as `grid` reads them after the `=`.
    Returns    the values in base units, in the order of the text.

    Raises `UsageError` for a value of another dimension or an impossible step.
    """
    return _Parser(Parameter(name, Expression("0", Number(0.0, NUMBER), ()), dimension=dimension), text).values(
        text.strip()
    )


def parameter(model: Model, name: str) -> Parameter:
    """The parameter of `model` called `name`; raises `UsageError` QN004, with the nearest names, for others."""
    if name not in model.parameters:
        help = suggest(name, list(model.parameters)) or _NO_PARAMETERS
        raise UsageError(Problem("QN004", f'unknown parameter "{name}"', help=help))
    return model.parameters[name]


def refuse_twice(model: Model, grids: Iterable[Grid], option: str) -> None:
    """Refuse a parameter that is in two grids, or both set and in a grid.

    model   the model with its settings.
    grids   the grids of all options.
    option  the name of the option of the grids, for the message.
    Raises  `UsageError` QN010 for the first such parameter.
    """
    visited: set[str] = set()
    for item in grids:
        if item.name in model.settings:
            text = f'"{item.name}" is both set with -p and part of the grid'
            raise UsageError(Problem("QN010", text, help=f"leave out -p, or give another {option}"))
        if item.name in visited:
            text = f'"{item.name}" is in the grid twice'
            raise UsageError(Problem("QN010", text, f"one {option} with all its values"))
        visited.add(item.name)


def varied(model: Model, name: str) -> Parameter:
    """The parameter of `model` called `name`, as the unknown of a search.

    Raises `UsageError` QN004 where there is none, or where it is a choice of words, which has no largest value.
    """
    result = parameter(model, name)
    if result.options:
        expected = "a number to vary"
        help = f"to list every choice: --over {name}={','.join(result.options)}"
        raise UsageError(Problem("QN004", f'"{name}" is a choice and has no largest value', expected, help=help))
    return result


class _Parser:
    def __init__(self, parameter: Parameter, text: str) -> None:
        self.parameter = parameter
        self.text = text

    def values(self, text: str) -> tuple[float, ...]:
        """The values of a list, a range or a geometric grid."""
        if match := _LOG.fullmatch(text):
            return self.geometric(match[1])
        if ".." in text:
            raise self.fault("a range is written first:last:step")
        if "," in text:
            return tuple(self.value(item) for item in text.split(","))
        if ":" in text:
            return self.linear(text.split(":"))
        return (self.value(text),)

    def linear(self, parts: list[str]) -> tuple[float, ...]:
        """The values of `first:last:step`, computed from their indices, so that the last one is reached."""
        if len(parts) > 3:
            raise self.fault("a range has first:last or first:last:step")
        if self.parameter.options:
            raise self.fault("a choice has no range; list its words with commas")
        first, last = self.value(parts[0]), self.value(parts[1])
        step = self.value(parts[2]) if len(parts) == 3 else self.step_of_one()
        steps = (last - first) / step if step else -1.0
        if not steps >= 0:
            raise self.fault("the step does not lead from the first value to the last")
        self.limit(steps + 1)
        count = math.floor(steps + 1e-9) + 1
        return tuple(_tidy(first, last, step, index) for index in range(count))

    def step_of_one(self) -> float:
        """The step of `first:last`, which only plain numbers have."""
        if self.parameter.dimension != NUMBER:
            raise self.fault("a range of a quantity needs a step: first:last:step")
        return 1.0

    def geometric(self, text: str) -> tuple[float, ...]:
        """The values of `log(first, last, count)`, which have a constant ratio."""
        parts = text.split(",")
        if len(parts) != 3:
            raise self.fault("a geometric grid is log(first, last, count)")
        if self.parameter.options:
            raise self.fault("a choice has no geometric grid; list its words with commas")
        first, last = self.value(parts[0]), self.value(parts[1])
        count = self.number(parts[2], NUMBER)
        if first <= 0 or last <= 0 or count < 2 or count != math.floor(count):
            raise self.fault("a geometric grid needs positive ends and an integer count of at least 2")
        self.limit(count)
        start, width = math.log(first), math.log(last) - math.log(first)
        inner = [math.exp(start + width * (index / (count - 1))) for index in range(1, int(count) - 1)]
        return (first, *(float(f"{value:.13g}") for value in inner), last)

    def limit(self, count: float) -> None:
        """Refuse a grid that is too large."""
        if count > MAX_VALUES:
            raise self.fault(f"the grid has {count:.6g} values, more than {MAX_VALUES}")

    def value(self, text: str) -> float:
        """A quantity, or the index of an option."""
        if not self.parameter.options:
            return self.number(text, self.parameter.dimension)
        word = text.strip().strip("'\"")
        if word not in self.parameter.options:
            help = suggest(word, self.parameter.options)
            raise UsageError(Problem("QN010", f'"{word}" is not an option of "{self.parameter.name}"', help=help))
        return float(self.parameter.options.index(word))

    def number(self, text: str, dimension: Dimension) -> float:
        """The value of a constant expression of a dimension."""
        try:
            parsed = parse(text)
            result = check(parsed.root, {}, {})
            if result is not None and result != dimension:
                words = (
                    f'"{text.strip()}" is {result.describe()}, and "{self.parameter.name}" is {dimension.describe()}'
                )
                unit = base_unit(dimension)
                help = f'add the unit to every number, such as "{text.strip()}{unit}"' if result == NUMBER else ""
                raise ExpressionError(words, 0, help)
            value = float(evaluate(parsed.root, {}))
            if not abs(value) < 1e300:
                raise ExpressionError("the value is too large or not a number", 0)
            return value
        except ExpressionError as error:
            problem = expression_problem(error, text, before=f'in the grid "{short(self.text)}": ')
            raise UsageError(problem.replace(code="QN010")) from None

    def fault(self, message: str) -> UsageError:
        """The error for a fault of the grid as a unit."""
        return UsageError(Problem("QN010", f'in the grid "{short(self.text)}": {message}'))


def _tidy(first: float, last: float, step: float, index: int) -> float:
    """The value at an index of a range, without the rounding noise of the product: 0.3, not 0.30000000000000004."""
    value = first + index * step
    if index == 0 or abs(value - last) < 1e-9 * abs(step):
        return first if index == 0 else last
    largest = max(abs(first), abs(last))
    digits = max(14 - math.floor(math.log10(largest)), 3 - math.floor(math.log10(abs(step))))
    return round(value, digits) if digits < 300 else value
