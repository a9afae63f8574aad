"""The parameters that an answer rests on, and the values that a model allows for each: its range, and what every number
of the network may be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import Any

from qnet.errors import Problem, QnetError, UsageError
from qnet.expression import FLOATS, Expression, evaluate
from qnet.lazy import np
from qnet.model.bind import bind, expressions, structural, structures
from qnet.model.grids import parameter
from qnet.model.metrics import Metric
from qnet.model.model import Model, Parameter, StepModel, fact
from qnet.model.scope import rests_on, station_figures
from qnet.model.values import Values
from qnet.networks.solution import RoutedSolution
from qnet.record import Record

_CODES = ("QN130", "QN211", "QN220", "QN221", "QN231")
_MOST = 1_000_000
"""No integer is searched beyond this."""
_HALVINGS = 100
"""Of an interval of floats; any number above their bits works."""


_INTEGER = 1e-9
"""How far rounding may take an integer; any number above rounding and below real fractions."""


def outside(error: QnetError) -> bool:
    """Whether an error is that of numbers outside what a model allows."""
    return bool(error.problems) and error.problems[0].code in _CODES


def stated_value(model: Model, name: str) -> float:
    """The value of the parameter `name` as the model states it, in base units; 0 where it has none."""
    return float(Values(model, {}, None).known.get(name, 0.0))


def stations_inside(step: StepModel) -> set[str]:
    """The stations that are visited while a step holds another."""
    result: set[str] = set()
    waiting = list(step.inner)
    while waiting:
        inner = waiting.pop()
        result |= {inner.station} if inner.station else set()
        waiting += inner.inner
    return result


@fact
def _structural(model: Model) -> set[str]:
    """The parameters that the structure of the network of a model rests on."""
    return _used(model, [expression for expression, _ in structural(model)])


def _used(model: Model, expressions: Iterable[Expression]) -> set[str]:
    """The parameters that some expressions rest on, directly or through others."""
    asked = [name for expression in expressions for name in expression.names]
    names = set(asked)
    while asked:
        parameter = model.parameters.get(asked.pop())
        new = set(parameter.expression.names) - names if parameter else set[str]()
        names |= new
        asked += new
    return names


class Domain:
    """What one parameter may be, at every point of a grid of others. Found by trial, because expressions decide it."""

    def __init__(self, model: Model, vary: str, coordinates: Mapping[str, Any]) -> None:
        self.model = model
        self.vary = vary
        self.coordinates = coordinates
        self.idle = dict.fromkeys(station_figures(model), 0.0)

    def at(self, coordinates: Mapping[str, Any]) -> Domain:
        """The same over other points of the grid."""
        result = copy(self)
        result.coordinates = coordinates
        return result

    def allows(self, index: int, value: float) -> bool:
        """Whether the model has a network at a point of the grid with this value."""
        try:
            self.refuse(index, value)
        except QnetError as error:
            if outside(error):
                return False
            raise
        return True

    def refuse(self, index: int, value: float) -> None:
        """Raise what the model has against a value at a point of the grid, if anything."""
        point = {name: float(values[index]) for name, values in self.coordinates.items()}
        bind(self.model, Values(self.model, {**point, self.vary: float(value)}, None, self.idle))

    def end(self, index: int, inside: float, value: float) -> float:
        """The value, or the last one that is allowed on the way to it from one that is.

        Raises what the model has against the value where neither is allowed.
        """
        if self.allows(index, value):
            return value
        if not self.allows(index, inside):
            self.refuse(index, value)
        for _ in range(_HALVINGS):
            middle = inside + (value - inside) / 2
            if abs(value - inside) <= 1e-13 * abs(value) or middle in (inside, value):
                break
            inside, value = (middle, value) if self.allows(index, middle) else (inside, middle)
        return inside

    def integer(self, size: int) -> bool:
        """Whether the parameter counts something: servers and copies, or customers, that are integers where it is."""
        if self.vary in _structural(self.model):
            value = stated_value(self.model, self.vary)
            first = next((index for index in range(size) if self.allows(index, value)), None)
            return first is not None and not any(self.allows(first, value + half) for half in (0.5, -0.5))
        return self.vary in self.customers() and self._counts_customers()

    def customers(self) -> set[str]:
        """The parameters that populations rest on."""
        return _used(self.model, [item.population for item in self.model.customers if item.population is not None])

    def pools(self) -> set[str]:
        """The parameters that the servers of stations rest on that are held while other stations are visited."""
        held: set[str] = set()
        delays = {item.name for item in self.model.stations if item.delay}
        waiting = [step for item in self.model.classes for route in item.routes for step in route.steps]
        while waiting:
            step = waiting.pop()
            waiting += step.inner
            if step.station and stations_inside(step) - delays:
                held.add(step.station)
        return _used(self.model, [item.servers for item in self.model.stations if item.name in held])

    def _counts_customers(self) -> bool:
        """Whether populations are integers where the parameter is one, and not half way between."""
        value = stated_value(self.model, self.vary)

        def people(number: float) -> bool:
            values = Values(self.model, {self.vary: number}, None, self.idle)
            result = [
                float(values.evaluate(item.population, (*item.path, "population")))
                for item in self.model.customers
                if item.population is not None
            ]
            return all(abs(count - round(count)) <= 1e-9 for count in result)

        near = [number for number in (value - 1, value, value + 1) if self.allows(0, number)]
        between = [number for number in (value - 0.5, value + 0.5) if self.allows(0, number)]
        return value == round(value) and all(map(people, near)) and not any(map(people, between))

    def integer_ranges(self, size: int) -> list[tuple[int, int]]:
        """The least and the largest integer that are allowed around the stated value, at all points of the grid.

        Raises what the model has against the stated value where no half of it is allowed either.
        Method   Most grids have one range: that of the first point is tried at all of them at once. Of others, most
                 points have the range of the one before them, which is tried first.
        """
        if size > 1:
            common = self.integer_range(0)
            if self._is_range_of_all(*common, size):
                return [common] * size
        result: list[tuple[int, int]] = []
        for index in range(size):
            same = result and self._is_range(index, *result[-1])
            result.append(result[-1] if same else self.integer_range(index))
        return result

    def _is_range(self, index: int, first: int, last: int) -> bool:
        """Whether two integers are allowed and those just beyond them are not, or are never tried."""
        if not (self.allows(index, first) and self.allows(index, last)) or self.allows(index, first - 1):
            return False
        return last == _MOST or not self.allows(index, last + 1)

    def _is_range_of_all(self, first: int, last: int, size: int) -> bool:
        """As `_is_range`, at all points of the grid; False also where that is not plain from a few batches."""
        if not (self._of_all(first, size) and self._of_all(last, size)) or self._of_all(first - 1, size) is not False:
            return False
        return last == _MOST or self._of_all(last + 1, size) is False

    def _of_all(self, value: int, size: int) -> bool | None:
        """Whether a value is allowed at every point of the grid, or at none; None where it is not plain."""
        try:
            values = Values(self.model, {**self.coordinates, self.vary: np.full(size, float(value))}, size, self.idle)
            if len(structures(self.model, values)) > 1:
                return None
            bind(self.model, values)
        except QnetError as error:
            return False if outside(error) and error.at is not None and error.at.all() else None
        return True

    def integer_range(self, index: int) -> tuple[int, int]:
        """The same at one point."""
        middle = stated = int(stated_value(self.model, self.vary))
        while not self.allows(index, middle):
            if not middle:
                self.refuse(index, stated)
            middle //= 2
        return self._last(index, middle, -1), self._last(index, middle, _MOST + 1)

    def _last(self, index: int, inside: int, beyond: int) -> int:
        """The last integer that is allowed on the way to one that is not."""
        step = 1 if beyond > inside else -1
        reach = 1
        while abs(beyond - inside) > reach and self.allows(index, inside + step * reach):
            inside, reach = inside + step * reach, 2 * reach
        beyond = beyond if abs(beyond - inside) <= reach else inside + step * reach
        while abs(beyond - inside) > 1:
            middle = (inside + beyond) // 2
            inside, beyond = (middle, beyond) if self.allows(index, middle) else (inside, middle)
        return inside


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
