"""The parameters that an answer rests on, as numbers that may be moved: how they are, and what they may be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qnet.errors import Problem, QnetError, UsageError
from qnet.expression import FLOATS, Expression, evaluate
from qnet.lazy import np
from qnet.model.bind import expressions
from qnet.model.grids import parameter
from qnet.model.metrics import Metric
from qnet.model.model import Model, Parameter
from qnet.model.scope import rests_on
from qnet.model.values import Values
from qnet.networks.solution import RoutedSolution
from qnet.questions.points.domain import Domain
from qnet.record import Record

_INTEGER = 1e-9
"""How far rounding may take an integer; any number above rounding and below real fractions."""


class Input(Record):
    """A parameter with a number that may be moved."""

    name: str
    value: float
    """As stated, in base units."""
    free: bool
    """Whether its value is stated; else it follows from others, and is moved by itself all the same."""
    integer: bool
    """Whether it counts something, so that only integers have a meaning."""
    low: float | None
    """The least value allowed, where it is a plain one."""
    high: float | None
    fixed: str = ""
    """Why it cannot be moved; empty where it can."""

    def allows(self, value: float) -> bool:
        """Whether a value is in the range that is allowed."""
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)


def inputs(model: Model, asked: Sequence[Metric], names: Sequence[str] = ()) -> tuple[Input, ...]:
    """The named parameters, or every stated number that the network or a metric rests on, in the order of the model.

    model    with the parameters that were set.
    asked    the metrics of the question.
    names    the parameters that were asked about; none: all that matter.
    Raises   `UsageError` with everything that is wrong with the names: unknown ones, choices of words, and parameters
             that follow from the solution.
    """
    problems: list[Problem] = []
    for name in names:
        try:
            if parameter(model, name).options:
                problems.append(Problem("QN004", f'"{name}" is a choice of words', "a parameter that is a number"))
        except UsageError as error:
            problems += error.problems
    values = Values(model, {}, None)
    for name in names:
        if name in model.parameters and not model.parameters[name].options and name not in values.known:
            words = f'"{name}" follows from the solution of the model'
            problems.append(Problem("QN004", words, "a parameter that has a value before the model is solved"))
    if problems:
        raise UsageError(*problems)
    used = rests_on(model, [*expressions(model), *(item.expression for item in asked)])
    result = [
        _input(model, item, values)
        for name, item in model.parameters.items()
        if (name in names if names else name in used and not item.options and not item.expression.names)
        and name in values.known
    ]
    return tuple(result)


def _input(model: Model, item: Parameter, values: Values) -> Input:
    value = float(values.known[item.name])
    free = not item.expression.names
    low, high = (_plain(bound) for bound in (item.low, item.high)) if not item.part else (None, None)
    counts = item.name in rests_on(model, [each.population for each in model.customers if each.population is not None])
    overall = counts or Domain(model, item.name, {}).integer(1)
    fixed = ""
    if counts and (value != round(value) or not _integer_populations(model, item.name, value + 1)):
        fixed = "a population would be a fraction"
    return Input(name=item.name, value=value, free=free, integer=overall, low=low, high=high, fixed=fixed)


def _plain(bound: Expression | None) -> float | None:
    return None if bound is None or bound.names else float(evaluate(bound.root, {}, FLOATS))


def _integer_populations(model: Model, name: str, value: float) -> bool:
    """Whether every population is an integer with this value; True as well where the model refuses it."""
    try:
        values = Values(model, {name: value}, None)
        result = [
            values.evaluate(item.population, item.path) for item in model.customers if item.population is not None
        ]
    except QnetError:
        return True
    return all(abs(item - round(item)) <= _INTEGER for item in result)


def columns(result: Sequence[Input], rows: Sequence[tuple[str, float]]) -> dict[str, Any]:
    """A table in which one input at a time has another value, and all others are as stated.

    result   the inputs.
    rows     for each row the name of the input and its value, in base units; an empty name changes none.
    Returns  by name an array of one number for each row.
    """
    table = {item.name: np.full(len(rows), item.value) for item in result}
    for index, (name, value) in enumerate(rows):
        if name:
            table[name][index] = value
    return table


def saturated(solution: RoutedSolution) -> str:
    """The name of the station or limit of a solution with the largest load; empty where there is none."""
    return max(solution.loads, key=lambda item: float(item.load)).name if solution.loads else ""
