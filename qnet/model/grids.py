"""Grids of values: `0:0.5:0.1`, `1:300`, `log(1, 1000, 10)`, `1 ms, 2 ms, 5 ms`, or words of a choice."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from qnet.errors import Problem, UsageError, suggest
from qnet.expression import ExpressionError, check, evaluate, parse
from qnet.model.model import Model, Parameter
from qnet.model.reader import caret
from qnet.units import NUMBER, Dimension

MAX_VALUES = 1_000_000

_LOG = re.compile(r"\s*log\s*\((.*)\)\s*", re.DOTALL)


class Grid(NamedTuple):
    """The values of one parameter, in base units; options of a choice as indices."""

    name: str
    values: tuple[float, ...]


def grid(text: str, model: Model) -> Grid:
    """Parse `name = values` for a parameter of a model.

    Raises `UsageError` for an unknown parameter, a value of the wrong dimension or an impossible step.
    """
    name, separator, values = text.partition("=")
    name = name.strip()
    if not separator:
        raise UsageError(Problem("QN010", f'"{text}" is not a grid', "name=values, such as write_fraction=0:0.5:0.1"))
    return Grid(name, _Parser(parameter(model, name), text).values(values.strip()))


def parameter(model: Model, name: str) -> Parameter:
    """The parameter of that name; raises `UsageError` with the nearest names otherwise."""
    if name not in model.parameters:
        raise UsageError(Problem("QN004", f'unknown parameter "{name}"', help=suggest(name, list(model.parameters))))
    return model.parameters[name]


class _Parser:
    def __init__(self, parameter: Parameter, text: str) -> None:
        self.parameter = parameter
        self.text = text

    def values(self, text: str) -> tuple[float, ...]:
        if match := _LOG.fullmatch(text):
            return self.geometric(match[1])
        if "," in text:
            return tuple(self.value(item) for item in text.split(","))
        if ":" in text:
            return self.linear(text.split(":"))
        return (self.value(text),)

    def linear(self, parts: list[str]) -> tuple[float, ...]:
        if len(parts) > 3:
            raise self.fault("a range has first:last or first:last:step")
        if self.parameter.options:
            raise self.fault("a choice has no range; list its words with commas")
        first, last = self.value(parts[0]), self.value(parts[1])
        step = self.value(parts[2]) if len(parts) == 3 else self.step_of_one()
        if step == 0 or (last - first) / step < 0:
            raise self.fault("the step does not lead from the first to the last value")
        count = math.floor((last - first) / step + 1e-9) + 1
        self.limit(count)
        return tuple(_tidy(first + index * step, step) for index in range(count))

    def step_of_one(self) -> float:
        if self.parameter.dimension != NUMBER:
            raise self.fault("a range of a quantity needs a step: first:last:step")
        return 1.0

    def geometric(self, text: str) -> tuple[float, ...]:
        parts = text.split(",")
        if len(parts) != 3:
            raise self.fault("a geometric grid is log(first, last, count)")
        first, last = self.value(parts[0]), self.value(parts[1])
        count = self.number(parts[2], NUMBER)
        if first <= 0 or last <= 0 or count < 2 or count != int(count):
            raise self.fault("a geometric grid needs positive ends and a whole count of at least 2")
        self.limit(int(count))
        inner = [first * (last / first) ** (index / (count - 1)) for index in range(1, int(count) - 1)]
        return (first, *inner, last)

    def limit(self, count: int) -> None:
        if count > MAX_VALUES:
            raise self.fault(f"the grid has {count} values, more than {MAX_VALUES}")

    def value(self, text: str) -> float:
        word = text.strip().strip("'\"")
        if self.parameter.options:
            if word not in self.parameter.options:
                help = suggest(word, self.parameter.options)
                raise UsageError(Problem("QN010", f'"{word}" is not an option of "{self.parameter.name}"', help=help))
            return float(self.parameter.options.index(word))
        return self.number(text, self.parameter.dimension)

    def number(self, text: str, dimension: Dimension) -> float:
        try:
            parsed = parse(text)
            found = check(parsed.root, {}, {})
            if found is not None and found != dimension:
                raise ExpressionError(f'"{text.strip()}" is {found.describe()}, and "{self.parameter.name}" is {dimension.describe()}', 0)
            return float(evaluate(parsed.root, {}))
        except ExpressionError as error:
            raise UsageError(
                Problem("QN010", f'in the grid "{self.text}": {error}', help=error.help, excerpt=caret(text, error.column))
            ) from None

    def fault(self, message: str) -> UsageError:
        return UsageError(Problem("QN010", f'in the grid "{self.text}": {message}'))


def _tidy(value: float, step: float) -> float:
    """The value without the rounding noise of counting steps: 0.30000000000000004 is 0.3."""
    digits = 12 - math.floor(math.log10(max(abs(value), abs(step))))
    return round(value, digits) if digits < 300 else value
