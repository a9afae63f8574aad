"""The envelope: the largest value of a parameter at which a limit holds, along a grid of other parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from qnet.errors import NoAnswer, Problem, UsageError, suggest
from qnet.expression import FLOATS, Expression, Value, arrays, evaluate, parse, solution_name
from qnet.model.conditions import Condition, condition
from qnet.model.grids import Grid, grid, parameter
from qnet.model.model import EnvelopeModel, Model
from qnet.model.settings import with_settings
from qnet.questions.points import Solved, solve_points
from qnet.questions.roots import root
from qnet.questions.saturation import JUST_BELOW, busiest, busiest_utilization, limiting

_START = 1e-9
"""Share of the largest value at which "no load" is read."""
_DOUBLINGS = 80
MAX_POINTS = 200_000


class Question(NamedTuple):
    """What an envelope asks of a model."""

    model: Model
    name: str
    title: str
    vary: str
    condition: Condition
    over: tuple[Grid, ...]


class Point(NamedTuple):
    """One point of an envelope: floats, texts, or None where there is nothing to say."""

    coordinates: tuple[float, ...]
    status: str
    """`ok`, or why there is no answer here."""
    value: float | None
    """The largest value at which the limit holds."""
    maximum: float | None
    """The largest value with a steady state; None where the range of the parameter ends first."""
    binds: str
    """`limit`, `saturation of NAME` or `range of NAME`."""
    metric: float | None
    busiest: str
    utilization: float | None
    outputs: tuple[float | None, ...]


class Envelope(NamedTuple):
    """The answer to one question: its points in the order of the grid."""

    question: Question
    points: tuple[Point, ...]


def question(
    model: Model,
    stated: EnvelopeModel | None,
    vary: str = "",
    limit: str = "",
    over: Sequence[str] = (),
    route: str = "",
) -> Question:
    """What to ask: a stated envelope of the model, or its parts, replaced by what is given.

    Raises `UsageError` where the parameter, the limit, the route or the grid is not one of the model's.
    """
    vary = vary or (stated.vary if stated else _rate_parameter(model))
    limit = limit or (stated.limit if stated else "")
    if not limit:
        raise UsageError(Problem("QN011", "there is no limit to hold", "--limit, such as --limit 'response <= 10 ms'", help=_stated(model)))
    parameter(model, vary)
    changed = with_settings(model, {k: v for k, v in stated.settings.items() if k not in model.settings}) if stated else model
    texts = tuple(over) or (stated.over if stated else ())
    grids = tuple(grid(text, changed) for text in texts)
    for item in grids:
        if item.name == vary:
            raise UsageError(Problem("QN010", f'"{vary}" is both varied and part of the grid'))
    asked = condition(limit, changed)
    chosen = route or (stated.route if stated else "")
    if chosen:
        asked = _of_route(changed, asked, chosen)
    name, title = (stated.name, stated.title) if stated else ("envelope", "")
    return Question(changed, name, title, vary, asked, grids)


def _stated(model: Model) -> str:
    return "or --envelope " + " or ".join(model.envelopes) if model.envelopes else ""


def _rate_parameter(model: Model) -> str:
    """The parameter that drives the arrivals, where it is the only one."""
    names = dict.fromkeys(name for item in model.classes if item.arrival_rate for name in item.arrival_rate.names)
    if "rate" in model.parameters:
        return "rate"
    if len(names) == 1:
        return next(iter(names))
    raise UsageError(Problem("QN011", "it is not clear which parameter to vary", "--vary NAME", help=suggest("rate", list(model.parameters))))


def _of_route(model: Model, asked: Condition, route: str) -> Condition:
    routes = [item.name for customers in model.classes for item in customers.routes]
    if route not in routes:
        raise UsageError(Problem("QN219", f'unknown route "{route}"', help=suggest(route, routes)))
    if asked.metric.root != parse("response").root:
        raise UsageError(Problem("QN219", f'the limit "{asked.source}" is not on the response', "response <= ... beside --route"))
    from qnet.expression.nodes import Name

    name = solution_name("response", route)
    return asked._replace(metric=Expression(asked.source, Name(name), (name,)))


def envelope(asked: Question) -> Envelope:
    """Answer one question, the whole grid as arrays.

    A point without an answer says so in its status. Raises `NoAnswer` where no point has one.
    """
    coordinates = _product(asked.over)
    points = _Search(asked, coordinates).points()
    if not any(point.status == "ok" for point in points):
        raise NoAnswer(Problem("QN402", f'no value of "{asked.vary}" meets {asked.condition.source}: {points[0].status}', help=_way_out(asked, points[0])))
    return Envelope(asked, tuple(points))


def _way_out(asked: Question, point: Point) -> str:
    from qnet.units import base_unit, format_quantity

    if point.metric is None:
        return ""
    return f"at the lowest load it is {format_quantity(point.metric, base_unit(asked.condition.dimension))}: ask for more than that"


def _product(over: Sequence[Grid]) -> list[tuple[float, ...]]:
    points: list[tuple[float, ...]] = [()]
    for item in over:
        points = [(*point, value) for point in points for value in item.values]
        if len(points) > MAX_POINTS:
            raise UsageError(Problem("QN010", f"the grid has more than {MAX_POINTS} points", help="use fewer values"))
    return points


class _Search:
    """The search for all points of a grid at once."""

    def __init__(self, asked: Question, coordinates: list[tuple[float, ...]]) -> None:
        self.asked = asked
        self.coordinates = coordinates
        self.size = len(coordinates)
        self.operations = arrays()
        import numpy as np

        self.np: Any = np
        columns = np.array(coordinates, dtype=float).reshape(self.size, len(asked.over))
        self.grid: dict[str, Any] = {item.name: columns[:, index] for index, item in enumerate(asked.over)}
        varied = asked.model.parameters[asked.vary]
        self.least = _edge(asked.model, varied.low, 0.0)
        self.greatest = _edge(asked.model, varied.high, float("inf"))

    def solve(self, value: Any) -> Solved:
        varied: Mapping[str, Any] = {**self.grid, self.asked.vary: value}
        return solve_points(self.asked.model, varied, self.size)

    def points(self) -> list[Point]:
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
        shown = np.where(hopeless | infeasible, start, end)
        if crosses.any():
            value = np.where(crosses, self.below(largest, start, end, crosses, at_start, at_end, self.excess), value)
            shown = np.where(crosses, value, shown)
        there = self.solve(shown)
        causes = highest.gather(limiting)
        return [self.point(index, value, largest, bounded, crosses, hopeless, infeasible, there, causes) for index in range(self.size)]

    def below(self, edge: Any, start: Any, end: Any, wanted: Any, at_start: Any, at_end: Any, excess: Callable[[Solved], Any]) -> Any:
        """Where a function of the solution that is negative at `start` and positive at `end` changes sign.

        The search runs over u = -log(1 - value / edge): close to saturation figures grow like 1 / (edge - value),
        and over u they are smooth.
        """
        np = self.np
        top = np.maximum(edge, end / JUST_BELOW)
        low, high = -np.log1p(-start / top), -np.log1p(-end / top)
        found = root(
            lambda u: excess(self.solve(-top * np.expm1(-u))), low, high, np.where(wanted, at_start, -1.0), np.where(wanted, at_end, -1.0),
            self.operations,
        )  # fmt: skip
        return -top * np.expm1(-found)

    def maximum(self) -> tuple[Any, Any]:
        """The largest value with a steady state, and whether it is one (or the end of the range, or of patience)."""
        np = self.np
        guess = evaluate_default(self.asked.model, self.asked.vary)
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
        """Where the steady state ends: at the capacity of an inner station or, if waits fill an outer one, before it."""
        np = self.np

        def certain(solved: Solved) -> Any:
            return solved.certain_load - 1

        at_high = certain(self.solve(high))
        by_capacity = bounded & (at_high >= 0)
        edge = np.where(by_capacity, high, high / JUST_BELOW)
        if by_capacity.any():
            found = root(
                lambda x: certain(self.solve(x)), low, high, np.where(by_capacity, at_low, -1.0), np.where(by_capacity, at_high, -1.0),
                self.operations,
            )  # fmt: skip
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
        np, asked = self.np, self.asked.condition
        metric, bound = solved.metric(asked.metric), solved.metric(asked.bound)
        sign = 1.0 if asked.operator in ("<", "<=") else -1.0
        size = np.maximum(np.maximum(np.abs(metric), np.abs(bound)), 1e-300)
        return np.where(solved.stable, sign * (metric - bound) / size, 1.0)

    def point(self, index: int, value: Any, largest: Any, bounded: Any, crosses: Any, hopeless: Any, infeasible: Any, there: Solved, causes: Any) -> Point:
        coordinates = self.coordinates[index]
        metric = float(there.metric(self.asked.condition.metric)[index])
        if hopeless[index]:
            return Point(coordinates, "no steady state at any value", None, None, "", None, "", None, self.nothing())
        if infeasible[index]:
            maximum = float(largest[index]) if bounded[index] else None
            return Point(coordinates, "the limit is exceeded at the lowest load", None, maximum, "", metric, "", None, self.nothing())
        binds = "limit" if crosses[index] else f"saturation of {causes[index]}" if bounded[index] else f"range of {self.asked.vary}"
        outputs = tuple(_number(there.metric(parse(name))[index]) for name in self.asked.model.outputs)
        return Point(
            coordinates, "ok", float(value[index]), float(largest[index]) if bounded[index] else None, binds, metric,
            str(there.gather(busiest)[index]), float(there.gather(busiest_utilization)[index]), outputs,
        )  # fmt: skip

    def nothing(self) -> tuple[None, ...]:
        return (None,) * len(self.asked.model.outputs)


def _number(value: Any) -> float | None:
    number = float(value)
    return number if abs(number) < float("inf") else None


def _edge(model: Model, bound: Expression | None, otherwise: float) -> float:
    """The end of the range of a parameter, where it is a plain value."""
    if bound is None or bound.names:
        return otherwise
    return float(evaluate(bound.root, {}, FLOATS))


def evaluate_default(model: Model, name: str) -> float:
    """The value of a parameter as the model states it."""
    from qnet.model.values import Values

    value: Value = Values(model, {}, None).known.get(name, 1.0)
    return float(value) or 1.0
