"""The parameters to be fitted: their ranges, and the coordinates in which they are searched."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from qnet.errors import Problem, UsageError, short
from qnet.lazy import np
from qnet.model.grids import parameter
from qnet.model.model import Model
from qnet.questions.points.domain import Input, inputs
from qnet.questions.sensitivity.ranges import constant
from qnet.record import Record
from qnet.units import base_unit

FAR = math.log(100.0)
"""The largest distance of other starts from the stated value, as a logarithm."""
_FARTHEST = 1e4
"""The factor by which a positive parameter without a range may differ from its start."""


class Unknown(Record):
    """A parameter that is to be fitted, in base units."""

    name: str
    start: float
    low: float
    high: float
    logarithmic: bool
    """Whether the coordinate is its logarithm, and not its position between its ends."""
    unit: str

    def coordinate(self, value: float) -> float:
        """The coordinate of a value; a change of 1 is large."""
        if self.logarithmic:
            return math.log(value) if value > 0 else -math.inf
        return (value - self.low) / (self.high - self.low)

    def values(self, coordinates: Any) -> Any:
        """The values at an array of coordinates."""
        if self.logarithmic:
            return np.exp(np.clip(coordinates, -690, 690))
        return self.low + coordinates * (self.high - self.low)

    def slope(self, value: float) -> float:
        """The derivative of the value by the coordinate."""
        return value if self.logarithmic else self.high - self.low


def unknowns(model: Model, names: Sequence[str], between: Sequence[str] = ()) -> tuple[Unknown, ...]:
    """The parameters to be fitted, in the order in which they are named.

    between   `NAME=LOW:HIGH` texts: ranges in place of those that the model states.
    Raises    `UsageError` with all problems: unknown names, choices, counts, and parameters that follow from others.
    """
    problems: list[Problem] = []
    ends: dict[str, tuple[float, float]] = {}
    for text in between:
        try:
            name, low, high = _between(model, text, names)
            if name in ends:
                raise UsageError(Problem("QN028", f'"{name}" has two ranges', "one --between of it"))
            ends[name] = (low, high)
        except UsageError as error:
            problems += error.problems
    if len(set(names)) < len(names):
        twice = next(name for index, name in enumerate(names) if name in names[:index])
        problems.append(Problem("QN027", f'"{short(twice)}" is to be fitted twice', "each parameter once"))
    result: list[Unknown] = []
    for name in dict.fromkeys(names):
        try:
            item = next(iter(inputs(model, (), [name])), None)
            result.append(_unknown(model, name, item, ends.get(name)))
        except UsageError as error:
            problems += error.problems
    if problems:
        raise UsageError(*problems)
    return tuple(result)


def _unknown(model: Model, name: str, item: Input | None, ends: tuple[float, float] | None) -> Unknown:
    problem = ""
    help = ""
    if item is None:
        problem = "depends on the solution"
    elif not item.free:
        used = ", ".join(model.parameters[name].expression.names)
        problem, help = "follows from other parameters", f"fit what it follows from: {used}"
    elif item.integer or item.fixed:
        problem, help = "counts something and has integer values only", "compare its values with qnet sweep"
    if problem or item is None:
        raise UsageError(Problem("QN027", f'"{name}" {problem}', "a stated number that may be any", help=help))
    unit = base_unit(model.parameters[name].dimension)
    stated = (item.low, item.high)
    if ends and any(end is not None and not item.allows(each) for end, each in zip(stated, ends, strict=True)):
        words = f'the range for "{name}" goes beyond that of the model'
        raise UsageError(Problem("QN028", words, "a range inside it"))
    low, high = ends or (0.0 if item.low is None else item.low, math.inf if item.high is None else item.high)
    logarithmic = (low > 0 or math.isinf(high)) and low >= 0
    if not logarithmic and not low < high < math.inf:
        raise UsageError(Problem("QN028", f'"{name}" has no ends', "a range", help=f"--between {name}=LOW:HIGH"))
    start = item.value
    if not low < start < high:
        if math.isinf(high):
            words = f'"{name}" is {start:g}, from where no search can start'
            raise UsageError(Problem("QN028", words, "a value above 0", help=f"--between {name}=LOW:HIGH"))
        start = math.sqrt(low * high) if logarithmic and low > 0 else (low + high) / 2
    if logarithmic:
        low, high = low or start / _FARTHEST, min(high, start * _FARTHEST)
    return Unknown(name, start, low, high, logarithmic, unit)


def _between(model: Model, text: str, names: Sequence[str]) -> tuple[str, float, float]:
    name, separator, values = (part.strip() for part in text.partition("="))
    low, colon, high = values.partition(":")
    if not separator or not name or not colon:
        expected = "NAME=LOW:HIGH, such as --between seek=1ms:20ms"
        raise UsageError(Problem("QN028", f'"{short(text)}" is not a range', expected))
    dimension = parameter(model, name).dimension
    if name not in names:
        raise UsageError(Problem("QN028", f'"{name}" has a range but is not fitted', f"--fit with {name}"))
    least, most = (constant(end, dimension, text) for end in (low, high))
    if not least < most:
        raise UsageError(Problem("QN028", f'"{short(text)}" is empty', "low below high"))
    return name, least, most


def starts(result: Sequence[Unknown], count: int) -> Any:
    """Coordinates (count, n) that are spread evenly over the ranges of parameters, the same at every run.

    Source   @halton1960.
    """
    columns: list[list[float]] = []
    for item, base in zip(result, _primes(len(result)), strict=True):
        here = item.coordinate(item.start)
        low, high = max(item.coordinate(item.low), here - FAR), min(item.coordinate(item.high), here + FAR)
        columns.append([low + (high - low) * _halton(number, base) for number in range(1, count + 1)])
    return np.array(columns).T


def _halton(number: int, base: int) -> float:
    """The radical inverse of a number: its digits mirrored at the decimal point."""
    value, share = 0.0, 1.0
    while number:
        share /= base
        number, digit = divmod(number, base)
        value += share * digit
    return value


def _primes(count: int) -> list[int]:
    result: list[int] = []
    number = 2
    while len(result) < count:
        if all(number % prime for prime in result):
            result.append(number)
        number += 1
    return result
