"""The numeric parameters of a model that affect an answer, and the values that each may have.

A parameter is limited by its stated range and by the domains of the numbers of the network that depend on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import Any

from qnet.errors import Problem, QnetError, UsageError
from qnet.expression import FLOATS, Expression, evaluate
from qnet.lazy import Flags, np
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
"""The largest integer that is tried."""
_HALVINGS = 100
"""The most bisections of an interval of floats, which mostly ends earlier at its resolution."""
_RESOLUTION = 1e-13
"""The width of an interval, relative to its end, at which its bisection ends: some hundred units in the last place."""
_INTEGER = 1e-9
"""Tolerance on an integer: any number above rounding and below meaningful fractions works."""


def outside(error: QnetError) -> bool:
    """Whether an error, by its first problem, states that a number of the model is outside its domain."""
    return bool(error.problems) and error.problems[0].code in _CODES


def stated_value(model: Model, name: str) -> float:
    """The value of the parameter `name` as the model states it, in base units; 0 if it depends on the solution."""
    return float(_stated_values(model).get(name, 0.0))


@fact
def _stated_values(model: Model) -> dict[str, Any]:
    """The values of the parameters as the model states them, in base units."""
    return Values(model, {}, None).known


def stations_inside(step: StepModel) -> set[str]:
    """The names of the stations that are visited inside a step, while its station is held."""
    result: set[str] = set()
    waiting = list(step.inner)
    while waiting:
        inner = waiting.pop()
        result |= {inner.station} if inner.station else set()
        waiting += inner.inner
    return result


@fact
def _structural(model: Model) -> set[str]:
    """The parameters on which the structure of the network depends, such as numbers of servers and copies."""
    return _used(model, [expression for expression, _ in structural(model)])


def _used(model: Model, expressions: Iterable[Expression]) -> set[str]:
    """The names in some expressions and in the parameters that these use, directly or through others."""
    waiting = [name for expression in expressions for name in expression.names]
    names = set(waiting)
    while waiting:
        parameter = model.parameters.get(waiting.pop())
        new = set(parameter.expression.names) - names if parameter else set[str]()
        names |= new
        waiting += new
    return names


class Domain:
    """The values that one parameter may have, at every point of a grid of other parameters.

    Values are tried, because the expressions of the model determine which ones are valid.

    model        with the parameters that were set.
    vary         the name of the parameter.
    coordinates  other parameters -> arrays of their values at the points of the grid, in base units.
    """

    def __init__(self, model: Model, vary: str, coordinates: Mapping[str, Any]) -> None:
        self.model = model
        self.vary = vary
        self.coordinates = coordinates
        self.idle = dict.fromkeys(station_figures(model), 0.0)

    def at(self, coordinates: Mapping[str, Any]) -> Domain:
        """The domain of the parameter at the points of another grid, given by its `coordinates`."""
        result = copy(self)
        result.coordinates = coordinates
        return result

    def allows(self, index: int, value: float) -> bool:
        """Whether a value of the parameter is valid at a point of the grid.

        index    of the point.
        value    in base units.
        Raises   a `QnetError` where the model is invalid for another reason than a number outside its domain.
        """
        try:
            self.refuse(index, value)
        except QnetError as error:
            if outside(error):
                return False
            raise
        return True

    def refuse(self, index: int, value: float) -> None:
        """Raise the `QnetError` of a value that is invalid at the point `index` of the grid; return for a valid one."""
        point = {name: float(values[index]) for name, values in self.coordinates.items()}
        bind(self.model, Values(self.model, {**point, self.vary: float(value)}, None, self.idle))

    def end(self, index: int, inside: float, value: float) -> float:
        """The value if it is valid, else the last valid one between `inside` and it, by bisection.

        index    of the point of the grid.
        inside   a value that should be valid.
        value    the value that is tried, above or below `inside`.
        Raises   the error of `value` where both are invalid.
        """
        if self.allows(index, value):
            return value
        if not self.allows(index, inside):
            self.refuse(index, value)
        for _ in range(_HALVINGS):
            middle = inside + (value - inside) / 2
            if abs(value - inside) <= _RESOLUTION * abs(value) or middle in (inside, value):
                break
            inside, value = (middle, value) if self.allows(index, middle) else (inside, middle)
        return inside

    def integers(self, size: int) -> Flags:
        """Whether only integers are valid, at each point of the grid: the parameter determines numbers of servers, of
        copies or of customers.

        size    the number of points of the grid; the first at which the stated value is valid is examined for servers
                and copies, and for customers all that differ in a parameter on which populations depend.
        """
        if self.vary in _structural(self.model):
            value = stated_value(self.model, self.vary)
            first = next((index for index in range(size) if self.allows(index, value)), None)
            counts = first is not None and not any(self.allows(first, value + half) for half in (0.5, -0.5))
            return np.full(size, counts)
        names = self.customers()
        if self.vary not in names:
            return np.zeros(size, dtype=bool)
        together = [values for name, values in self.coordinates.items() if name in names]
        if not together:
            return np.full(size, self._counts_customers(0))
        points = np.stack([np.asarray(values, dtype=float) for values in together], axis=1)
        _, first, group = np.unique(points, axis=0, return_index=True, return_inverse=True)
        return np.array([self._counts_customers(index) for index in first.tolist()])[group.reshape(-1)]

    def integer(self) -> bool:
        """Whether only integers are valid at the first point of the grid, or without a grid."""
        return bool(self.integers(1)[0])

    def customers(self) -> set[str]:
        """The names on which the populations of the model depend."""
        return _used(self.model, [item.population for item in self.model.customers if item.population is not None])

    def pools(self) -> set[str]:
        """The names that determine the servers of stations held while other queueing stations are visited."""
        held: set[str] = set()
        delays = {item.name for item in self.model.stations if item.delay}
        waiting = [step for item in self.model.classes for route in item.routes for step in route.steps]
        while waiting:
            step = waiting.pop()
            waiting += step.inner
            if step.station and stations_inside(step) - delays:
                held.add(step.station)
        return _used(self.model, [item.servers for item in self.model.stations if item.name in held])

    def _counts_customers(self, index: int) -> bool:
        """Whether all populations at a point of the grid are integers at integer values of the parameter next to the
        stated one, and not at halves."""
        value = stated_value(self.model, self.vary)
        if value != round(value):
            return False
        point = {name: float(values[index]) for name, values in self.coordinates.items()}

        def integer_populations(number: float) -> bool:
            values = Values(self.model, {**point, self.vary: number}, None, self.idle)
            result = [
                float(values.evaluate(item.population, (*item.path, "population")))
                for item in self.model.customers
                if item.population is not None
            ]
            return all(abs(count - round(count)) <= _INTEGER for count in result)

        near = [number for number in (value - 1, value, value + 1) if self.allows(index, number)]
        between = [number for number in (value - 0.5, value + 0.5) if self.allows(index, number)]
        return all(map(integer_populations, near)) and not any(map(integer_populations, between))

    def integer_ranges(self, size: int) -> list[tuple[int, int]]:
        """The least and the largest valid integer around the stated value, at each of the `size` points of the grid.

        Raises   as `integer_range`.
        Method   Most grids have one range: that of the first point is tried at all points in a few batches. Otherwise
                 the range of the point before is tried first.
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
        """Whether `first` and `last` are the ends of the valid integers at a point, the largest one tried included."""
        if not (self.allows(index, first) and self.allows(index, last)) or self.allows(index, first - 1):
            return False
        return last == _MOST or not self.allows(index, last + 1)

    def _is_range_of_all(self, first: int, last: int, size: int) -> bool:
        """Whether `_is_range` holds at all points of the grid; False also where a few batches do not decide it."""
        if not (self._of_all(first, size) and self._of_all(last, size)) or self._of_all(first - 1, size) is not False:
            return False
        return last == _MOST or self._of_all(last + 1, size) is False

    def _of_all(self, value: int, size: int) -> bool | None:
        """Whether a value is valid at all points of the grid (True) or at none (False); None where a batch does not
        decide it."""
        try:
            values = Values(self.model, {**self.coordinates, self.vary: np.full(size, float(value))}, size, self.idle)
            if len(structures(self.model, values)) > 1:
                return None
            bind(self.model, values)
        except QnetError as error:
            return False if outside(error) and error.at is not None and error.at.all() else None
        return True

    def integer_range(self, index: int) -> tuple[int, int]:
        """The least and the largest valid integer around the stated value at a point, at most `_MOST`.

        index    of the point of the grid.
        Raises   the error of the stated value where neither it nor any of its successive halves is valid.
        """
        middle = stated = int(stated_value(self.model, self.vary))
        while not self.allows(index, middle):
            if not middle:
                self.refuse(index, stated)
            middle //= 2
        return self._last(index, middle, -1), self._last(index, middle, _MOST + 1)

    def _last(self, index: int, inside: int, beyond: int) -> int:
        """The valid integer farthest from `inside`, a valid one, towards `beyond`, which is not tried itself."""
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
    """A numeric parameter that can be varied."""

    name: str
    value: float
    """The value that the model states, in base units."""
    free: bool
    """Whether it is stated as a number; else an expression of other parameters, which a varied value replaces."""
    integer: bool
    """Whether only integers are meaningful: it counts servers, copies or customers."""
    low: float | None
    """The lower end of the stated range; None where there is none, or where it depends on other parameters."""
    high: float | None
    """The upper end, likewise."""
    fixed: str = ""
    """Why it cannot be varied; empty where it can."""

    def allows(self, value: float) -> bool:
        """Whether a value in base units is in the range from `low` to `high`."""
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)


def inputs(model: Model, asked: Sequence[Metric], names: Sequence[str] = ()) -> tuple[Input, ...]:
    """The named parameters, or every stated number on which the network or a metric depends, in the order of the model.

    model    with the parameters that were set.
    asked    the metrics of the question.
    names    the parameters; none: all that affect the network or a metric.
    Raises   `UsageError` with every problem of the names: unknown ones, those with options instead of numbers, and
             those that depend on the solution.
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
    """A parameter as an input; the range of a value of the catalog is its uncertainty, and so no limit."""
    value = float(values.known[item.name])
    free = not item.expression.names
    low, high = (constant(bound) for bound in (item.low, item.high)) if not item.part else (None, None)
    counts = item.name in rests_on(model, [each.population for each in model.customers if each.population is not None])
    integer = counts or Domain(model, item.name, {}).integer()
    fixed = ""
    if counts and (value != round(value) or not _integer_populations(model, item.name, value + 1)):
        fixed = "a population would be a fraction"
    return Input(name=item.name, value=value, free=free, integer=integer, low=low, high=high, fixed=fixed)


def constant(bound: Expression | None) -> float | None:
    """The end of a range in base units; None where there is none, or where it depends on parameters."""
    return None if bound is None or bound.names else float(evaluate(bound.root, {}, FLOATS))


def counts_capacity(model: Model, item: Input) -> bool:
    """Whether an input counts the places of buffers: these are integers at its stated value and the next ones, and not
    between them.

    model   with the parameters that were set.
    item    an input of it.
    """
    if item.name not in rests_on(model, [buffer.places for buffer in model.buffers]):
        return False

    def all_integers(value: float) -> bool:
        values = Values(model, {item.name: value}, None)
        numbers = [float(values.evaluate(buffer.places, (*buffer.path, "places"))) for buffer in model.buffers]
        return all(abs(number - round(number)) <= _INTEGER for number in numbers)

    try:
        return all_integers(item.value) and all_integers(item.value + 1) and not all_integers(item.value + 0.5)
    except QnetError:
        return False


def _integer_populations(model: Model, name: str, value: float) -> bool:
    """Whether every population is an integer with a value of a parameter; True also where the value is invalid."""
    try:
        values = Values(model, {name: value}, None)
        result = [
            values.evaluate(item.population, item.path) for item in model.customers if item.population is not None
        ]
    except QnetError:
        return True
    return all(abs(item - round(item)) <= _INTEGER for item in result)


def columns(varied: Sequence[Input], rows: Sequence[tuple[str, float]]) -> dict[str, Any]:
    """A table in which each row changes one input, and states the values of the model for the others.

    varied   the inputs.
    rows     for each row the name of the input that changes, and its value in base units; no name, no change.
    Returns  name of an input -> an array with a value for each row, in base units.
    """
    table = {item.name: np.full(len(rows), item.value) for item in varied}
    for index, (name, value) in enumerate(rows):
        if name:
            table[name][index] = value
    return table


def saturated(solution: RoutedSolution) -> str:
    """The name of the station or limit with the largest load in a solution of one point; empty where it has none."""
    return max(solution.loads, key=lambda item: float(item.load)).name if solution.loads else ""
