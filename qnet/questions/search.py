"""The largest value of one parameter at which a limit holds, for a batch of points at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from qnet.expression import FLOATS, Expression, arrays, evaluate
from qnet.model.conditions import Condition
from qnet.model.model import Model
from qnet.model.values import Values
from qnet.networks.roots import root
from qnet.questions.points import Solved, solve_points
from qnet.questions.saturation import JUST_BELOW, limiting
from qnet.record import Record

_START = 1e-9
"""Share of the largest value at which "no load" is read."""
_DOUBLINGS = 80


class Found(Record):
    """Arrays with one element per point."""

    value: Any
    """The largest value at which the limit holds; the largest with a steady state where it holds up to there."""
    largest: Any
    """The largest value with a steady state, or the end of the range of the parameter."""
    bounded: Any
    """Whether the steady state ends at `largest`; else the range of the parameter does."""
    crosses: Any
    """Whether the limit binds at `value`."""
    infeasible: Any
    """Whether the limit is exceeded at the lowest load already."""
    hopeless: Any
    """Whether there is no steady state at any value."""
    cause: Any
    """What saturates at `largest`."""
    there: Solved
    """The solution at `value`; where there is none, at the lowest load."""


def search(model: Model, vary: str, limit: Condition | None, coordinates: Mapping[str, Any], size: int) -> Found:
    """Find the largest value of a parameter that keeps a steady state and a limit, at every point of a batch.

    model        the model; `vary` one of its parameters, whose load must grow with it.
    limit        what must hold; None to ask for the steady state only.
    coordinates  other parameters, each with `size` values.
    Method       The edge of the steady state first: the capacity of a station that holds no waits is a root of its
                 load; where waits fill an outer station before that, a root of the largest load. Then the limit,
                 between no load and the edge, over the logarithm of the distance to the edge.
    Limits       The metric must not fall as the parameter grows; where it does, one crossing of several is found.
    """
    return _Search(model, vary, limit, coordinates, size).find()


class _Search:
    def __init__(
        self, model: Model, vary: str, limit: Condition | None, coordinates: Mapping[str, Any], size: int
    ) -> None:
        import numpy as np

        self.np: Any = np
        self.model = model
        self.vary = vary
        self.limit = limit
        self.coordinates = coordinates
        self.size = size
        self.operations = arrays()
        varied = model.parameters[vary]
        self.least = _edge(varied.low, 0.0)
        self.greatest = _edge(varied.high, float("inf"))

    def solve(self, value: Any) -> Solved:
        return solve_points(self.model, {**self.coordinates, self.vary: value}, self.size)

    def find(self) -> Found:
        np = self.np
        largest, bounded = self.maximum()
        start = np.maximum(largest * _START, self.least)
        end = np.where(bounded, largest * JUST_BELOW, largest)
        lowest, highest = self.solve(start), self.solve(end)
        at_start, at_end = self.excess(lowest), self.excess(highest)
        hopeless = ~lowest.stable
        infeasible = ~hopeless & (at_start > 0)
        crosses = ~hopeless & ~infeasible & (at_end > 0)
        value = np.where(bounded, largest, end)
        there = highest
        if (crosses | hopeless | infeasible).any():
            shown = np.where(hopeless | infeasible, start, end)
            if crosses.any():
                found = self.below(largest, start, end, crosses, at_start, at_end, self.excess)
                value, shown = np.where(crosses, found, value), np.where(crosses, found, shown)
            there = self.solve(shown)
        return Found(value, largest, bounded, crosses, infeasible, hopeless, highest.gather(limiting), there)

    def below(
        self, edge: Any, start: Any, end: Any, wanted: Any, at_start: Any, at_end: Any, excess: Callable[[Solved], Any]
    ) -> Any:
        """Where a function of the solution that is negative at `start` and positive at `end` changes sign.

        The search runs over u = -log(1 - value / edge): close to saturation figures grow like 1 / (edge - value),
        and over u they are smooth.
        """
        np = self.np
        top = np.maximum(edge, end / JUST_BELOW)
        low, high = -np.log1p(-start / top), -np.log1p(-end / top)
        found = root(
            lambda u: excess(self.solve(-top * np.expm1(-u))),
            low,
            high,
            np.where(wanted, at_start, -1.0),
            np.where(wanted, at_end, -1.0),
            self.operations,
        )
        return -top * np.expm1(-found)

    def maximum(self) -> tuple[Any, Any]:
        """The largest value with a steady state, and whether it is one (or the end of the range, or of patience)."""
        np = self.np
        guess = _default(self.model, self.vary)
        low = np.full(self.size, max(self.least, 0.0))
        high = np.full(self.size, min(max(guess, self.least * 2, 1e-12), self.greatest))
        at_low = at_high = np.full(self.size, -1.0)
        for _ in range(_DOUBLINGS):
            solved = self.solve(high)
            at_high = np.where(solved.stable, np.minimum(solved.load - 1, -1e-16), np.maximum(solved.load - 1, 0.0))
            inside = solved.stable & (high < self.greatest)
            if not inside.any():
                break
            low, at_low = np.where(inside, high, low), np.where(inside, solved.certain_load - 1, at_low)
            high = np.where(inside, np.minimum(high * 2, self.greatest), high)
        bounded = at_high >= 0
        if not bounded.any():
            return high, bounded
        return np.where(bounded, self.edge(low, high, at_low, bounded), high), bounded

    def edge(self, low: Any, high: Any, at_low: Any, bounded: Any) -> Any:
        """Where the steady state ends: at the capacity of an inner station, or before it if waits fill an outer one."""
        np = self.np

        def certain(solved: Solved) -> Any:
            return solved.certain_load - 1

        at_high = certain(self.solve(high))
        by_capacity = bounded & (at_high >= 0)
        edge = np.where(by_capacity, high, high / JUST_BELOW)
        if by_capacity.any():
            found = root(
                lambda x: certain(self.solve(x)),
                low,
                high,
                np.where(by_capacity, at_low, -1.0),
                np.where(by_capacity, at_high, -1.0),
                self.operations,
            )
            edge = np.where(by_capacity, found, edge)
        end = edge * JUST_BELOW
        at_end = self.overload(self.solve(end))
        earlier = bounded & (at_end >= 0)
        if not earlier.any():
            return edge
        start = np.maximum(low, edge * _START)
        at_start = self.overload(self.solve(start))
        hopeless = at_start >= 0
        found = self.below(edge, start, end, earlier & ~hopeless, at_start, at_end, self.overload)
        return np.where(earlier, np.where(hopeless, start, found), edge)

    def overload(self, solved: Solved) -> Any:
        """The largest load less one: negative with a steady state."""
        load = self.np.minimum(solved.load - 1, 1.0)
        return self.np.where(solved.stable, self.np.minimum(load, -1e-16), self.np.maximum(load, 0.0))

    def excess(self, solved: Solved) -> Any:
        """How far the limit is exceeded, between -1 and 1: not above 0 where it holds."""
        np, asked = self.np, self.limit
        if asked is None:
            return np.where(solved.stable, -1.0, 1.0)
        metric, bound = solved.metric(asked.metric), solved.metric(asked.bound)
        sign = 1.0 if asked.operator in ("<", "<=") else -1.0
        size = np.maximum(np.maximum(np.abs(metric), np.abs(bound)), 1e-300)
        return np.where(solved.stable, sign * (metric - bound) / size, 1.0)


def _edge(bound: Expression | None, otherwise: float) -> float:
    """The end of the range of a parameter, where it is a plain value."""
    if bound is None or bound.names:
        return otherwise
    return float(evaluate(bound.root, {}, FLOATS))


def _default(model: Model, name: str) -> float:
    """The value of a parameter as the model states it, 1 for none."""
    return float(Values(model, {}, None).known.get(name, 0.0)) or 1.0
