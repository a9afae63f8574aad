"""The largest value of one parameter at which a limit holds, for a batch of points at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from qnet.errors import QnetError
from qnet.expression import FLOATS, Expression, arrays, evaluate
from qnet.model.conditions import Condition
from qnet.model.model import Model
from qnet.questions.domain import Domain, outside, stated_value
from qnet.questions.points import Solved, solve_points
from qnet.questions.saturation import JUST_BELOW, limiting
from qnet.queues.roots import root
from qnet.record import Record

_START = 1e-9
"""Share of the largest value at which "no load" is read."""
_DOUBLINGS = 80
_DESCENT, _DESCENTS = 1e-6, 60
"""How far a search goes down at once from a value that is far too large, and how often."""


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
    """Whether the limit holds neither at the lowest load nor at the highest."""
    hopeless: Any
    """Whether there is no steady state at any value."""
    endless: Any
    """Whether the limit holds at every value, and nothing bounds them."""
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
    Whole        A parameter that counts something is searched over whole numbers, from its largest down by halves.
    Domain       Values that the model refuses are never left as an answer: the search ends where they begin.
    Limits       The metric must not fall as the parameter grows; where it does, one crossing of several is found.
    """
    search = _Search(model, vary, limit, coordinates, size)
    return search.count() if search.domain.whole(size) else search.find()


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
        self.greatest: Any = np.full(size, _edge(varied.high, float("inf")))
        self.domain = Domain(model, vary, coordinates)

    def solve(self, value: Any) -> Solved:
        return solve_points(self.model, {**self.coordinates, self.vary: value}, self.size, patient=False)

    def find(self) -> Found:
        np = self.np
        largest, bounded = self.maximum()
        # A parameter that nothing bounds says little of where there is no load.
        start = np.where(bounded, largest, np.minimum(largest, _default(self.model, self.vary)))
        start = np.maximum(start * _START, self.least)
        end = np.where(bounded, largest * JUST_BELOW, largest)
        start, lowest = self.within(end, start)
        highest = self.solve(end)
        at_start, at_end = self.excess(lowest), self.excess(highest)
        hopeless = ~lowest.stable
        infeasible = ~hopeless & (at_start > 0) & (at_end > 0)
        crosses = ~hopeless & ~infeasible & (at_end > 0)
        value = np.where(bounded, largest, end)
        there = highest
        if (crosses | hopeless | infeasible).any():
            upper = self.limit is None or self.limit.upper
            shown = np.where(hopeless | infeasible if upper else hopeless, start, end)
            if crosses.any():
                found = self.below(largest, start, end, crosses, at_start, at_end, self.excess)
                value, shown = np.where(crosses, found, value), np.where(crosses, found, shown)
            there = self.solve(shown)
        endless = ~(bounded | crosses | infeasible | hopeless) & np.isinf(self.greatest)
        cause = highest.gather(limiting)
        return Found(value, largest, bounded, crosses, infeasible, hopeless, endless, cause, there)

    def within(self, inside: Any, value: Any) -> tuple[Any, Solved]:
        """The values, or the end of the domain between them and others that are inside, with the solutions there."""
        try:
            return value, self.solve(value)
        except QnetError as error:
            if not outside(error):
                raise
            value = self.np.array(
                [self.domain.end(place, *ends) for place, ends in enumerate(zip(inside, value, strict=True))]
            )
            return value, self.solve(value)

    def count(self) -> Found:
        """The answer for a parameter that counts something: of whole numbers."""
        np = self.np
        ends = [self.domain.whole_range(place) for place in range(self.size)]
        first, last = (np.array(values, dtype=float) for values in zip(*ends, strict=True))
        value, kept = self.last_whole(first, last, lambda solved: self.excess(solved) <= 0)
        most, steady = self.last_whole(first, last, lambda solved: solved.stable)
        bounded, hopeless = steady & (most < last), ~steady
        at_first, at_last = self.excess(self.solve(first)), self.excess(self.solve(last))
        best = np.where(at_first <= at_last, first, last)
        there = self.solve(np.where(kept, value, np.where(hopeless, last, best)))
        cause = self.solve(np.where(bounded, most + 1, last)).gather(limiting)
        crosses, infeasible = kept & (value < most), steady & ~kept
        return Found(value, most, bounded, crosses, infeasible, hopeless, kept & False, cause, there)

    def last_whole(self, first: Any, last: Any, holds: Callable[[Solved], Any]) -> tuple[Any, Any]:
        """The largest number that holds, and whether there is one: down by halves, then between the last two."""
        np = self.np
        low = high = last
        kept = holds(self.solve(last))
        while not (kept | (low <= first)).all():
            high = np.where(kept, high, low)
            low = np.where(kept, low, np.maximum(np.floor(low / 2), first))
            kept = kept | holds(self.solve(low))
        high = np.where(kept & (low < last), high, low)
        while (kept & (high - low > 1)).any():
            middle = np.floor((low + high) / 2)
            inside = holds(self.solve(np.where(kept, middle, last)))
            low, high = np.where(kept & inside, middle, low), np.where(kept & ~inside, middle, high)
        return low, kept

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
        lowest = low = np.full(self.size, max(self.least, 0.0))
        high = np.minimum(max(guess, self.least * 2, 1e-12), self.greatest)
        at_low = at_high = np.full(self.size, -1.0)
        for _ in range(_DOUBLINGS):
            end, solved = self.within(low, high)
            self.greatest, high = np.where(end < high, end, self.greatest), end
            at_high = np.where(solved.stable, np.minimum(solved.load - 1, -1e-16), np.maximum(solved.load - 1, 0.0))
            inside = solved.stable & (high < self.greatest)
            if not inside.any():
                break
            low, at_low = np.where(inside, high, low), np.where(inside, solved.certain_load - 1, at_low)
            high = np.where(inside, np.minimum(high * 2, self.greatest), high)
        bounded = at_high >= 0
        if not bounded.any():
            return high, bounded
        low, high, at_low = self.descended(low, high, at_low, bounded & (low == lowest))
        return np.where(bounded, self.edge(low, high, at_low, bounded), high), bounded

    def descended(self, low: Any, high: Any, at_low: Any, wanted: Any) -> tuple[Any, Any, Any]:
        """A bracket of the end of the steady state, where the first guess was far beyond it."""
        np = self.np
        top = high
        for _ in range(_DESCENTS):
            below = np.maximum(high * _DESCENT, low)
            wanted = wanted & (below > low)
            if not wanted.any():
                break
            try:
                solved = self.solve(np.where(wanted, below, high))
            except QnetError as error:
                if not outside(error):
                    raise
                break
            found = wanted & solved.stable
            low, at_low = np.where(found, below, low), np.where(found, solved.certain_load - 1, at_low)
            wanted = wanted & ~found
            high = np.where(wanted, below, high)
        return low, np.where(wanted, top, high), at_low

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
        sign = 1.0 if asked.upper else -1.0
        size = np.maximum(np.maximum(np.abs(metric), np.abs(bound)), 1e-300)
        return np.where(solved.stable, sign * (metric - bound) / size, 1.0)


def _edge(bound: Expression | None, otherwise: float) -> float:
    """The end of the range of a parameter, where it is a plain value."""
    if bound is None or bound.names:
        return otherwise
    return float(evaluate(bound.root, {}, FLOATS))


def _default(model: Model, name: str) -> float:
    """The value of a parameter as the model states it, 1 for none."""
    return stated_value(model, name) or 1.0
