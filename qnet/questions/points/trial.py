"""The evaluations of a search: by how much limits are exceeded at values of the parameter that is varied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

from qnet.errors import QnetError
from qnet.expression import Expression, arrays, solution_name
from qnet.lazy import Array, Indices, np
from qnet.model.conditions import Condition
from qnet.model.fields import RESERVED
from qnet.model.model import Model
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.points.domain import Domain, constant, outside, stated_value
from qnet.questions.points.expression_values import expression_value
from qnet.questions.points.points import Solved, needs_solution, solve_points

_FEW, _MOSTLY = 60, 0.9
"""Equal points of a batch are solved once from this size on, if the distinct ones are less than this share of it."""
_BRIEF = 1e9
"""Limit on the elementary operations of an exact method in a first scan of many values."""


class Trial:
    """A model, the parameter that is varied, and the limits that must hold, at the points of a grid.

    model         with the parameters that were set.
    vary          the name of the parameter.
    limits        conditions on metrics of the model.
    coordinates   other parameters -> arrays of their `size` values, in base units.
    size          the number of points.
    wanted        the method and its budget.
    applies       for each limit a Boolean array, true at the points at which it must hold; none: all limits everywhere.
    """

    def __init__(
        self, model: Model, vary: str, limits: Sequence[Condition], coordinates: Mapping[str, Any], size: int,
        wanted: Wanted = AUTO, applies: Sequence[Any] = (),
    ) -> None:  # fmt: skip

        self.model = model
        self.vary = vary
        self.limits = tuple(limits)
        self.coordinates = coordinates
        self.size = size
        self.wanted = wanted
        self.applies = applies
        self.operations = arrays()
        varied = model.parameters[vary]
        # The range of a value of the catalog is its uncertainty, and so no limit.
        low, high = (None, None) if varied.part else (constant(varied.low), constant(varied.high))
        self.bounded_below = low is not None
        """Whether the model states a constant lower end of the range of the parameter."""
        self.least = 0.0 if low is None else low
        self.greatest = float("inf") if high is None else high
        self.stated = stated_value(model, vary) or 1.0
        """The value that the model states, in base units; 1 instead of 0 or none."""
        self.domain = Domain(model, vary, coordinates)
        self.responses = rests_on_responses(
            model, [side for limit in self.limits for side in (limit.metric, limit.bound)]
        )
        """Whether the limits depend on nothing but parameters and throughputs and responses of classes."""
        self.groups = np.arange(size) if self.uncertain else _groups(coordinates, size)
        """A number for each point, equal for points with equal coordinates, except where `uncertain`."""
        self.kept: dict[float, Solved] | None = None
        """The solutions of `alone` at a single point by the value of the parameter, of trials `as_solve`."""

    @property
    def uncertain(self) -> bool:
        """Whether the method may depend on the size of a batch, whose points share a budget: closed classes, `auto`."""
        return self.wanted.method == "auto" and any(item.population is not None for item in self.model.customers)

    @property
    def closed(self) -> bool:
        """Whether there is a steady state at every load: all classes are closed, the model states no further
        capacities, and no time depends on the solution."""
        closed = all(item.population is not None for item in self.model.customers)
        return closed and not self.model.limits and not needs_solution(self.model)

    def brief(self) -> Trial:
        """The trial with a small budget, for a first scan of many values."""
        wanted = self.wanted
        if self.uncertain:
            wanted = wanted.replace(operations=min(wanted.operations, _BRIEF))
        return self._like(None, self.coordinates, self.size, wanted, self.applies)

    def as_solve(self) -> Trial:
        """The trial with the method that `qnet solve` takes at every point."""
        result = self._like(None, self.coordinates, self.size, self.wanted.replace(each=True), self.applies)
        result.kept = {} if self.size == 1 else None
        return result

    def at(self, indices: Any) -> Trial:
        """The trial at some points of the grid, given by an array of indices, which may repeat."""
        coordinates = {name: values[indices] for name, values in self.coordinates.items()}
        applies = [flags[indices] for flags in self.applies]
        return self._like(indices, coordinates, len(indices), self.wanted, applies)

    def _like(
        self, indices: Any, coordinates: Mapping[str, Any], size: int, wanted: Wanted, applies: Sequence[Any]
    ) -> Trial:
        """A copy at other points or with another method, without reading the model again."""
        result = copy(self)
        result.coordinates, result.size, result.wanted, result.applies = coordinates, size, wanted, applies
        result.groups = self.groups if indices is None else self.groups[indices]
        result.domain = self.domain.at(coordinates)
        return result

    def distinct(self, value: Array) -> tuple[Indices, Indices] | None:
        """The distinct points of a batch, so that equal ones are solved once.

        value     of the parameter, for each point.
        Returns   indices of the distinct points, and for each point the number of its equal among them. None where few
                  points are equal, the batch is small, or the method may depend on its size.
        """
        if self.size < _FEW or self.uncertain:
            return None
        pairs = np.empty(self.size, dtype=complex)
        pairs.real, pairs.imag = self.groups, value
        _, first, rows = np.unique(pairs, return_index=True, return_inverse=True)
        return (first, rows.reshape(-1)) if len(first) < _MOSTLY * self.size else None

    def solve(self, value: Any) -> Solved:
        """Solve the model with a value of the parameter for each point, for loads and the figures that the limits need.

        Its solutions do not warn of use beyond the measured regions, because searches try extreme values.
        """
        return self._each(value, self.wanted.replace(warned=False, responses=self.responses))

    def read(self, value: Any) -> Solved:
        """Solve as `solve`, but with all figures."""
        return self._each(value, self.wanted.replace(warned=False))

    def _each(self, value: Any, wanted: Wanted) -> Solved:
        """Solve with one solution for equal points."""
        if (distinct := self.distinct(value)) is None:
            return self._solved(value, wanted)
        first, rows = distinct
        return self.at(first)._solved(value[first], wanted).replace(rows=rows)

    def answer(self, value: Any) -> Solved:
        """Solve as `solve`, but with all figures, all warnings, and every point by itself."""
        return self._solved(value, self.wanted.replace(better=False))

    def alone(self, value: Any) -> Solved:
        """Solve as `answer`, every point by the method that `qnet solve` would take for it."""
        wanted = self.wanted.replace(each=True)
        if self.kept is None or self.size != 1:
            return self._solved(value, wanted)
        (key,) = np.asarray(value).tolist()
        if key not in self.kept:
            self.kept[key] = self._solved(value, wanted)
        return self.kept[key]

    def certain(self, value: Any) -> Array:
        """The largest load among those that contain no waits, less 1, at a value for each point."""
        loads_alone = not needs_solution(self.model)
        wanted = self.wanted.replace(warned=False, capacities=loads_alone, responses=loads_alone)
        result: Array = self._solved(value, wanted).certain_load - 1
        return result

    def _solved(self, value: Any, wanted: Wanted) -> Solved:
        varied = {**self.coordinates, self.vary: value}
        with np.errstate(all="ignore"):
            return solve_points(self.model, varied, self.size, patient=False, asked=wanted)

    def within(self, inside: Array, value: Array) -> tuple[Array, Solved]:
        """Values moved into the domain of the parameter, and the solutions there.

        inside   a valid value for each point.
        value    a value for each point; where some is invalid, each is replaced by the valid one nearest to it.
        """
        try:
            return value, self.solve(value)
        except QnetError as error:
            if not outside(error):
                raise
            pairs = enumerate(zip(inside, value, strict=True))
            value = np.array([self.domain.end(index, *pair) for index, pair in pairs])
            return value, self.solve(value)

    def overload(self, solved: Solved) -> Array:
        """The largest load less 1, for each point: negative with a steady state, from 0 to 1 without."""
        load: Array = np.minimum(solved.load - 1, 1.0)
        return np.where(solved.stable, np.minimum(load, -1e-16), np.maximum(load, 0.0))

    def filled(self, solved: Solved) -> Array:
        """As `overload`, but of the loads that contain waits alone, unless only others are saturated: smooth where one
        of them becomes the largest load."""
        waits: Array = np.minimum(solved.waiting_load - 1, 1.0)
        return np.where(solved.stable, np.minimum(waits, -1e-16), np.where(waits >= 0, waits, self.overload(solved)))

    def excesses(self, solved: Solved) -> list[Any]:
        """The excess over each limit, relative to the larger of metric and bound, an array for each limit.

        Not above 0 where the limit holds; 1 without a steady state or a finite metric; -1 where it does not apply.
        """
        result: list[Any] = []
        for index, limit in enumerate(self.limits):
            metric, bound = expression_value(solved, limit.metric), expression_value(solved, limit.bound)
            sign = 1.0 if limit.upper else -1.0
            size = np.maximum(np.maximum(np.abs(metric), np.abs(bound)), 1e-300)
            excess = np.where(solved.stable & np.isfinite(size), sign * (metric - bound) / size, 1.0)
            if self.applies:
                excess = np.where(self.applies[index], excess, np.where(solved.stable, -1.0, 1.0))
            result.append(excess)
        return result

    def excess(self, solved: Solved) -> Array:
        """The largest excess over a limit, for each point; without limits -1 with a steady state and 1 without."""
        result = self.excesses(solved)
        if not result:
            return np.where(solved.stable, -1.0, 1.0)
        return result[0] if len(result) == 1 else np.max(result, axis=0)


def rests_on_responses(model: Model, expressions: Sequence[Expression]) -> bool:
    """Whether expressions depend on nothing but parameters and throughputs and responses of classes.

    model        whose figures they name; False where a time of it depends on the solution, and so on all figures.
    expressions  over parameters, outputs and figures.
    """
    if needs_solution(model):
        return False
    figures = {*RESERVED, *(solution_name(kind, item.name) for kind in RESERVED for item in model.classes)}
    unread = list(expressions)
    names: set[str] = set()
    while unread:
        new = set(unread.pop().names) - names
        names |= new
        unread += [model.outputs[name].expression for name in new if name in model.outputs]
    return all(name in figures or name in model.parameters or name in model.outputs for name in names)


def _groups(coordinates: Mapping[str, Any], size: int) -> Indices:
    """A number for each of `size` points, equal for points with equal coordinates."""
    if size < 2 or not coordinates:
        return np.zeros(size, dtype=int)
    table: Any = np.stack([np.asarray(column, dtype=float) for column in coordinates.values()], axis=1)
    return np.unique(table, axis=0, return_inverse=True)[1].reshape(-1)
