"""The ranges of uncertain parameters: low and high of the catalog, ranges given by the user, and spreads."""

from __future__ import annotations

import math
from collections.abc import Sequence

from qnet.errors import Problem, UsageError, short
from qnet.expression import FLOATS, ExpressionError, check, evaluate, expression_problem, parse
from qnet.model.grids import parameter
from qnet.model.metrics import Metric
from qnet.model.model import Model
from qnet.model.values import Values
from qnet.questions.points.domain import Input, inputs
from qnet.record import Record
from qnet.units import NUMBER, Dimension, UnitError, quantity

CATALOG, STATED, WITHIN, SPREAD = "catalog", "stated", "within", "spread"


class Range(Record):
    """The range of an uncertain parameter."""

    input: Input
    low: float
    high: float
    """Ends in base units; for a spread, one standard deviation below and above the stated value."""
    origin: str
    """`catalog`, `stated`, `within` or `spread`."""
    variation: float = 0.0
    """The coefficient of variation of a spread; 0 for others."""


def ranges(
    model: Model,
    asked: Sequence[Metric],
    by: Sequence[str] = (),
    stated: Sequence[str] = (),
    within: str = "",
    spread: Sequence[str] = (),
) -> tuple[Range, ...]:
    """The parameters that are uncertain, each with its range, in the order of the model.

    asked    the metrics of the question.
    by       the parameters; none: every stated number that has a range, and on which the network or a metric depends.
    stated   `NAME=low:high`, with units.
    within   a share such as `10%` for every parameter without a stated range, inside the range of allowed values.
    spread   `NAME=10%`: coefficient of variation, for a positive quantity.
    Returns  the ranges; those of counts (servers, users) are widened to integers.
    Raises   `UsageError` with the problems of all texts, and where nothing is uncertain.
    """
    problems: list[Problem] = []
    given: dict[str, Range] = {}
    for texts, read in ((stated, _stated), (spread, _spread)):
        for text in texts:
            try:
                name, low, high, variation = read(model, text)
                if name in given:
                    raise UsageError(Problem("QN025", f'"{name}" has two ranges', "one --range or --spread of it"))
                given[name] = Range(_single(model, asked, name), low, high, SPREAD if variation else STATED, variation)
            except UsageError as error:
                problems += error.problems
    share = _share(within, problems) if within else 0.0
    results = inputs(model, asked, by)
    if problems:
        raise UsageError(*problems)
    known = Values(model, {}, None).known
    names = {item.name for item in results} | (set[str]() if by else given.keys())
    result: list[Range] = []
    for name in (name for name in model.parameters if name in names):
        item = next((each for each in results if each.name == name), None)
        each_range = given.get(name)
        if each_range is None and item is not None:
            each_range = _catalog(model, item) or _within(item, share)
        if each_range is not None:
            result.append(_fitted(each_range))
    if not result:
        help = "--within 10% for every parameter, --range NAME=low:high, or --spread NAME=10%"
        raise UsageError(Problem("QN025", "no parameter has a range", "something uncertain", help=help))
    for each in result:
        name = each.input.name
        if not each.low <= known[name] <= each.high:
            words = f'the range of "{name}" does not contain its stated value'
            problems.append(Problem("QN025", words, "low <= stated value <= high"))
        elif each.input.fixed:
            problems.append(Problem("QN025", f'"{name}" cannot be changed: {each.input.fixed}'))
    if problems:
        raise UsageError(*problems)
    return tuple(result)


def _single(model: Model, asked: Sequence[Metric], name: str) -> Input:
    return inputs(model, asked, [name])[0]


def _fitted(result: Range) -> Range:
    """The range with integer ends for counts, and inside the values that the model allows."""
    item, low, high = result.input, result.low, result.high
    if item.integer:
        low, high = float(math.floor(low + 1e-9)), float(math.ceil(high - 1e-9))
    if result.origin == WITHIN:
        low = max(low, item.low) if item.low is not None else low
        high = min(high, item.high) if item.high is not None else high
    return result.replace(low=low, high=high)


def _catalog(model: Model, item: Input) -> Range | None:
    """The range of a parameter of a catalog part, if it states one and the parameter is not set."""
    result = model.parameters[item.name]
    if not result.part or result.low is None or result.high is None or item.name in model.settings:
        return None
    known = Values(model, {}, None).known
    low, high = (float(evaluate(end.root, known, FLOATS)) for end in (result.low, result.high))
    return Range(item, low, high, CATALOG)


def _within(item: Input, share: float) -> Range | None:
    if not share or not item.value or item.fixed:
        return None
    reach = abs(item.value) * share
    return Range(item, item.value - reach, item.value + reach, WITHIN)


_Read = tuple[str, float, float, float]


def _stated(model: Model, text: str) -> _Read:
    name, values = _split(text, "NAME=low:high, such as --range disk.seek=8ms:12ms")
    result = parameter(model, name)
    low, separator, high = values.partition(":")
    if not separator or result.options:
        what = "is a choice of words" if result.options else "is not a range"
        raise UsageError(Problem("QN025", f'"{short(text)}" {what}', "a number, as NAME=low:high"))
    least, most = (constant(end, result.dimension, text) for end in (low, high))
    if not least < most:
        raise UsageError(Problem("QN025", f'"{short(text)}" is empty', "low below high"))
    return name, least, most, 0.0


def _spread(model: Model, text: str) -> _Read:
    name, values = _split(text, "NAME=share, such as --spread disk.seek=10%")
    parameter(model, name)
    problems: list[Problem] = []
    share = _share(values, problems)
    if problems:
        raise UsageError(*problems)
    value = float(Values(model, {}, None).known.get(name, 0.0))
    if value <= 0:
        raise UsageError(Problem("QN025", f'"{name}" is {value:g}', "a value above 0 for --spread"))
    return name, value * (1 - share), value * (1 + share), share


def _split(text: str, expected: str) -> tuple[str, str]:
    name, separator, values = text.partition("=")
    if not separator or not name.strip() or not values.strip():
        raise UsageError(Problem("QN025", f'"{short(text)}" is not a range', expected))
    return name.strip(), values.strip()


def _share(text: str, problems: list[Problem]) -> float:
    """A share such as 10%, above 0 and below 1."""
    try:
        value, dimension = quantity(text)
        if dimension == NUMBER and 0 < value < 1:
            return value
    except UnitError:
        pass
    problems.append(Problem("QN025", f'"{short(text)}" is not a share', "a number above 0 and below 1, such as 10%"))
    return 0.0


def constant(text: str, dimension: Dimension, overall: str) -> float:
    """The value of an expression without names, in base units.

    text       the expression, such as `1.5 * 10 ms`, of the given dimension.
    overall    the text that contains it, which messages quote.
    Raises     `UsageError` where it cannot be read, is not constant, or has another dimension (QN122).
    """
    try:
        parsed = parse(text)
        result = check(parsed.root, {}, {})
        if result is not None and result != dimension:
            words = f'in the range "{short(overall)}": "{short(text.strip())}" is {result.describe()}'
            raise UsageError(Problem("QN122", words, dimension.describe()))
        return float(evaluate(parsed.root, {}, FLOATS))
    except ExpressionError as error:
        raise UsageError(expression_problem(error, text, before=f'in the range "{short(overall)}": ')) from None
