"""What a search asks of a model: how far limits are exceeded where one parameter has some values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

from qnet.errors import QnetError
from qnet.expression import FLOATS, Expression, arrays, evaluate, solution_name
from qnet.lazy import Array, Indices, np
from qnet.model.conditions import Condition
from qnet.model.fields import RESERVED
from qnet.model.model import Model
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.points.domain import Domain, outside, stated_value
from qnet.questions.points.expression_values import expression_value
from qnet.questions.points.points import Solved, needs_solution, solve_points

_FEW, _MOSTLY = 60, 0.9
"""Points from which on those that are the same are solved once; where they are less than this share of all."""
_BRIEF = 1e9
"""Elementary operations of a first look."""


class Trial:
    """A model, the parameter that is varied, and the limits that must hold, at the points of a grid of others.

    coordinates   the other parameters, each with `size` values.
    wanted        the method and its budget, where there is a choice.
    applies       for each limit, at which points it must hold, as arrays of truth values; none: everywhere.
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
        # The range of a value from the catalog states how well it is known, not what it may be.
        low, high = (None, None) if varied.part else (_plain(varied.low), _plain(varied.high))
        self.bounded_below = low is not None
        """Whether the model says what the parameter is at least."""
        self.least = 0.0 if low is None else low
        self.greatest = float("inf") if high is None else high
        self.stated = stated_value(model, vary) or 1.0
        """The value of the parameter as the model states it, 1 for none."""
        self.domain = Domain(model, vary, coordinates)
        self.responses = rests_on_responses(
            model, [side for limit in self.limits for side in (limit.metric, limit.bound)]
        )
        """Whether all limits rest on parameters, and on throughputs and responses of classes."""
        self.groups = np.arange(size) if self.uncertain else _groups(coordinates, size)
        """A number for each point, the same for those that differ in nothing but which limits hold there."""

    @property
    def uncertain(self) -> bool:
        """Whether many values at once may be solved by another method than few: the budget is that of a batch."""
        return self.wanted.method == "auto" and any(item.population is not None for item in self.model.customers)

    @property
    def closed(self) -> bool:
        """Whether no load grows without bound: all classes are closed, nothing else has a capacity, and no time depends
        on the solution."""
        closed = all(item.population is not None for item in self.model.customers)
        return closed and not self.model.limits and not needs_solution(self.model)

    def brief(self) -> Trial:
        """The same within a small budget, for a first look at many values."""
        wanted = self.wanted
        if self.uncertain:
            wanted = wanted.replace(operations=min(wanted.operations, _BRIEF))
        return self._like(None, self.coordinates, self.size, wanted, self.applies)

    def at(self, indices: Any) -> Trial:
        """The same at some points of the grid, each as often as it is named."""
        particular = {name: values[indices] for name, values in self.coordinates.items()}
        applies = [everywhere[indices] for everywhere in self.applies]
        return self._like(indices, particular, len(indices), self.wanted, applies)

    def _like(
        self, indices: Any, coordinates: Mapping[str, Any], size: int, wanted: Wanted, applies: Sequence[Any]
    ) -> Trial:
        """The same at other points, or otherwise solved: what the model says of the parameter is known already."""
        result = copy(self)
        result.coordinates, result.size, result.wanted, result.applies = coordinates, size, wanted, applies
        result.groups = self.groups if indices is None else self.groups[indices]
        result.domain = self.domain.at(coordinates)
        return result

    def distinct(self, value: Array) -> tuple[Indices, Indices] | None:
        """Points that stand for all, where the parameter has some values, and which of them each point is.

        None where hardly any two are the same, or where the method depends on how many are solved at once.
        """
        if self.size < _FEW or self.uncertain:
            return None
        pairs = np.empty(self.size, dtype=complex)
        pairs.real, pairs.imag = self.groups, value
        _, first, rows = np.unique(pairs, return_index=True, return_inverse=True)
        return (first, rows.reshape(-1)) if len(first) < _MOSTLY * self.size else None

    def solve(self, value: Any) -> Solved:
        """The model where the parameter has these values, one for each point; a search looks at absurd ones as well.

        Its reasons leave out what was not measured.
        """
        return self._each(value, self.wanted.replace(warned=False, responses=self.responses))

    def read(self, value: Any) -> Solved:
        """As `solve`, with all figures."""
        return self._each(value, self.wanted.replace(warned=False))

    def _each(self, value: Any, wanted: Wanted) -> Solved:
        """As `_solved`; points that are the same are solved once."""
        if (distinct := self.distinct(value)) is None:
            return self._solved(value, wanted)
        first, rows = distinct
        return self.at(first)._solved(value[first], wanted).replace(rows=rows)

    def answer(self, value: Any) -> Solved:
        """As `solve`, with all reasons."""
        return self._solved(value, self.wanted)

    def certain(self, value: Any) -> Array:
        """The largest load among those that hold no waits, less one."""
        loads_alone = not needs_solution(self.model)
        wanted = self.wanted.replace(warned=False, capacities=loads_alone, responses=loads_alone)
        result: Array = self._solved(value, wanted).certain_load - 1
        return result

    def _solved(self, value: Any, wanted: Wanted) -> Solved:
        varied = {**self.coordinates, self.vary: value}
        with np.errstate(all="ignore"):
            return solve_points(self.model, varied, self.size, patient=False, asked=wanted)

    def within(self, inside: Array, value: Array) -> tuple[Array, Solved]:
        """The values, or the end of the domain between them and others that are inside, with the solutions there."""
        try:
            return value, self.solve(value)
        except QnetError as error:
            if not outside(error):
                raise
            ends = enumerate(zip(inside, value, strict=True))
            value = np.array([self.domain.end(index, *both) for index, both in ends])
            return value, self.solve(value)

    def overload(self, solved: Solved) -> Array:
        """The largest load less one: negative with a steady state."""
        load: Array = np.minimum(solved.load - 1, 1.0)
        return np.where(solved.stable, np.minimum(load, -1e-16), np.maximum(load, 0.0))

    def filled(self, solved: Solved) -> Array:
        """As `overload`, of the stations that hold waits alone as long as none of the others is full: without the bend
        where they become the fullest."""
        waits: Array = np.minimum(solved.waiting_load - 1, 1.0)
        return np.where(solved.stable, np.minimum(waits, -1e-16), np.where(waits >= 0, waits, self.overload(solved)))

    def excesses(self, solved: Solved) -> list[Any]:
        """How far each limit is exceeded, between -1 and 1: not above 0 where it holds, 1 without a steady state."""
        result: list[Any] = []
        for index, asked in enumerate(self.limits):
            metric, bound = expression_value(solved, asked.metric), expression_value(solved, asked.bound)
            sign = 1.0 if asked.upper else -1.0
            size = np.maximum(np.maximum(np.abs(metric), np.abs(bound)), 1e-300)
            excess = np.where(solved.stable & np.isfinite(size), sign * (metric - bound) / size, 1.0)
            if self.applies:
                excess = np.where(self.applies[index], excess, np.where(solved.stable, -1.0, 1.0))
            result.append(excess)
        return result

    def excess(self, solved: Solved) -> Array:
        """How far the limit that is exceeded most is exceeded; without limits only whether there is a steady state."""
        result = self.excesses(solved)
        if not result:
            return np.where(solved.stable, -1.0, 1.0)
        return result[0] if len(result) == 1 else np.max(result, axis=0)


def rests_on_responses(model: Model, expressions: Sequence[Expression]) -> bool:
    """Whether expressions rest on parameters, and on throughputs and responses of classes, and on nothing else.

    model        whose figures they name; where a time depends on its solution, they rest on all of that.
    expressions  any.
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
    """A number for each point, the same where all coordinates are."""
    if size < 2 or not coordinates:
        return np.zeros(size, dtype=int)
    table: Any = np.stack([np.asarray(column, dtype=float) for column in coordinates.values()], axis=1)
    return np.unique(table, axis=0, return_inverse=True)[1].reshape(-1)


def _plain(bound: Expression | None) -> float | None:
    """The end of the range of a parameter, where it is a plain value."""
    return None if bound is None or bound.names else float(evaluate(bound.root, {}, FLOATS))
