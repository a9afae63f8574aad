"""The curve on which knees are searched: solved on demand, many points at once, and cached."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from qnet import budget
from qnet.errors import QnetError
from qnet.lazy import np
from qnet.model.bind import all_steps
from qnet.model.conditions import Condition
from qnet.networks.exactness import STATES
from qnet.networks.near import Nearby
from qnet.networks.reasons import Beyond, named_chain
from qnet.networks.solvers.table import approximates_closed
from qnet.networks.wanted import FEW_REQUESTS, Wanted
from qnet.questions.knee.axes import GrowthAxis
from qnet.questions.knee.mix import Corners, MixAnswers, corners, rate_and_time
from qnet.questions.points.answers import Answers, joined, solve_table
from qnet.questions.points.domain import stated_value
from qnet.questions.points.expression_values import patient
from qnet.questions.points.points import Part, needs_solution
from qnet.queues.arithmetic import distinct
from qnet.record import Record

Made = TypeVar("Made")

_SOLVES = 80
"""Solves of a curve that share the budget of an answer: some tens of them for a model of several classes."""
BEYOND = 1.01
"""The rate beyond a knee along which the growth of the response is shown, as a multiple of that of the knee."""
_CHAINS = 3e9
"""The operations after which no more loads are solved by chains, some seconds."""
_CLOSER = 5
"""Refinements after which a parabola gives the maximum to nine digits, before rounding distorts it."""
_CLOSER_BY = (0.1, 0.01, 1e-3)
"""The relative distances of the loads of successive parabolas; closer ones differ in digits that chains do not have."""
_COARSE = 500
"""The divisor of an integer that gives the width from which the maximum is computed by a parabola."""


class Unsolved(Exception):
    """A search needs the curve at loads that are not solved yet."""

    def __init__(self, values: list[float]) -> None:
        super().__init__("some loads are not solved yet")
        self.values = values


class CurvePoint(Record):
    """The curve at one load, with figures of the growing classes."""

    throughput: float
    response: float
    overall: tuple[float, float]
    """Throughput and mean response of all classes together."""
    excess: tuple[float, ...]
    """The relative excess over each limit, between -1 and 1: at most 0 where it holds."""
    answered: bool
    method: str | None
    """None without an answer, and between populations that are solved by several methods."""


class Curve:
    """Throughput, response and limits along an axis."""

    def __init__(self, axis: GrowthAxis, limits: Sequence[Condition], wanted: Wanted) -> None:
        self.axis = axis
        self.limits = tuple(limits)
        self.wanted = wanted.replace(operations=wanted.operations / _SOLVES, enclosed=False)
        self.known: dict[float, CurvePoint] = {}
        self.ended: dict[tuple[float, ...], tuple[Nearby, int]] = {}
        """For each row of a table, the end of its fixed point, and the index of the row there."""
        self.waits = False
        """Whether a new load raises `Unsolved`, so that it is solved together with those of other searches."""
        self.why = ""
        """The reason for an approximation; empty where there is none, or it was asked for."""
        self.failure: QnetError | None = None
        """The error of a load without an answer, the gravest of several."""
        listed = [side for limit in self.limits for side in (limit.metric, limit.bound)]
        small = axis.closed or len(all_steps(axis.model)) <= FEW_REQUESTS
        self.alone = patient(axis.model, wanted, listed) if small else self.wanted
        self.chains: dict[float, CurvePoint | None] = {}
        """Loads that were tried by the Markov chain of all states, and the points of those where `solve` takes it."""
        self.by_chains: dict[float, Answers] = {}
        """The answers at these loads along closed classes; a batch of open ones may have other warnings."""
        self.chain_work = 0.0
        self.too_large = float("inf")
        """The least load at which a chain was too large; those of larger loads are larger."""
        self.confirmed: set[float] = set()
        """The loads at which the curve is that of the chain, not of the method that the search takes."""

    @property
    def zoom(self) -> int:
        """The number of points at which a part of the curve is sampled: few where each is expensive."""
        single = len(self.axis.model.customers) == 1
        return 33 if single or approximates_closed(self.wanted.method) else 9

    def answers(self, values: Any) -> Answers | MixAnswers:
        """The model solved at values along the axis, a mix in its exact proportions.

        Values known by the method of the curve are solved again, from the ends of their fixed points, so that notes are
        on these values alone.
        """
        confirmed = np.isin(values, list(self.confirmed))
        if confirmed.any():
            known = np.isin(values, list(self.by_chains))
            groups = [(~confirmed, False), (confirmed & ~known, True)]
            apart = [(np.flatnonzero(some), self._solved(values[some], chain)) for some, chain in groups if some.any()]
            for index in np.flatnonzero(confirmed & known):
                apart.append((np.array([index]), self.by_chains[float(values[index])]))
            return joined(self.axis.model, len(values), apart)
        rows = self.rows(values)
        answers = self._solved(values, False)
        return rows.between(self.axis.model, answers) if self.axis.mix else answers

    def _solved(self, values: Any, by_chain: bool) -> Answers:
        """The rows of some values, perhaps by the chain of states."""
        rows = self.rows(values)
        wanted = (self.alone if by_chain else self.wanted).replace(near=self.near(rows))
        return solve_table(self.axis.model, rows.columns, rows.size, wanted)

    def by_chain(self, value: float) -> CurvePoint | None:
        """The curve at one load by the method of `solve`: the Markov chain of all states, or one that does not warn.

        None where that warns, since the chain is too large, and where chains have taken too many operations.
        """
        if value not in self.chains:
            self.chains[value] = self._by_chain(value)
        return self.chains[value]

    def has_chain(self, value: float, most: float) -> bool:
        """Whether `solve` takes the Markov chain of all states at one load of closed classes, within a limit of
        operations."""
        if value not in self.chains:
            point = self._by_chain(value, most)
            if point is None or point.method != STATES:
                return False
            self.chains[value] = point
        known = self.chains[value]
        return known is not None and known.method == STATES

    def _by_chain(self, value: float, most: float = 0.0) -> CurvePoint | None:
        """As `by_chain`; with a limit of operations, for no answer where `solve` takes no chain within it."""
        if not self.alone.better or self.axis.mix or self.chain_work > _CHAINS or value >= self.too_large:
            return None
        before = budget.spent()
        rows = self.rows(np.array([value]))
        wanted = self.alone.replace(near=self.near(rows), only_chain=most)
        answers = solve_table(self.axis.model, rows.columns, rows.size, wanted)
        self.chain_work += budget.spent() - before
        if self.axis.closed and answers.method == [STATES]:
            self.by_chains[value] = answers
        (point,) = _curve_points(self.axis, answers, slice(None), self.limits)
        reasons = [reason for part in answers.parts for reason in part.solution.reasons]
        if not point.answered or point.method == STATES or not any(isinstance(reason, Beyond) for reason in reasons):
            return point
        if not named_chain(reasons):
            # The model has no chain, or one that is too large at any load.
            self.alone = self.wanted
        self.too_large = value
        return None

    def near(self, rows: Corners) -> Nearby | None:
        """The ends of the fixed points of rows; None where some are not known."""
        ended = [self.ended.get(key) for key in _keys(rows)]
        points = [item[0].rows([item[1]]) for item in ended if item is not None]
        return Nearby.joined(points) if len(points) == len(ended) and len({item.kind for item in points}) == 1 else None

    def points(self, values: Any) -> list[CurvePoint]:
        """The curve at values along the axis; new ones are solved together."""
        asked = [float(value) for value in values]
        new = sorted(set(asked) - self.known.keys())
        if new and self.waits:
            raise Unsolved(new)
        solve_loads({self: asked})
        by_chain = {value: self.chains.get(value) if value in self.confirmed else None for value in asked}
        return [by_chain[value] or self.known[value] for value in asked]

    def read(self, values: Any, of: Callable[[CurvePoint], float]) -> Any:
        """One figure at values along the axis, an array; NaN where there is no answer."""
        return np.array([of(point) if point.answered else float("nan") for point in self.points(values)], dtype=float)

    def read_all(self, values: Any, of: Callable[[CurvePoint], float]) -> Any:
        """As `read`, also for loads without an answer, at which no limit holds."""
        return np.array([of(point) for point in self.points(values)], dtype=float)

    def rows(self, values: Any) -> Corners:
        """The rows of a table to solve for values along the axis; one for each value, except for a mix."""
        if self.axis.mix:
            return corners(self.axis, values)
        each = np.arange(len(values))
        return Corners(self.axis.real(values), len(values), each[:, None], np.ones((len(values), 1)))

    def joins(self, other: Curve) -> bool:
        """Whether loads of this curve may be rows of one table with those of another: model and method are the same,
        and with closed classes both curves have points, so that the method is fixed."""
        model, sampled = self.axis.model, len(self.known) > 1 and len(other.known) > 1
        closed = any(item.population is not None for item in model.customers)
        if (closed and not sampled) or model is not other.axis.model or self.wanted != other.wanted:
            return False
        named = [model.parameters[name] for name in (*self.axis.parameters, *other.axis.parameters)]
        return not any(item.expression.names for item in named)

    def keep(self, new: list[float], rows: Corners, answers: Answers, first: int) -> None:
        """Keep the answers of a table at new loads; once a load is approximated, drop those of other methods.

        rows     the rows of the loads.
        answers  the answers of the table, which may have other rows as well.
        first    the index of the first of the rows in the table.
        """
        axis, mine = self.axis, slice(first, first + rows.size)
        self.note(rows, answers, first)
        at: Answers | MixAnswers = rows.between(axis.model, answers, first) if axis.mix else answers
        here = slice(None) if axis.mix else mine
        if not at.answered[here].all():
            self.failure = answers.failure or self.failure
        self.known.update(zip(new, _curve_points(axis, at, here, self.limits), strict=True))
        if self.wanted.method != "auto":
            return
        methods = set(answers.method[mine])
        solutions = [part.solution for part in answers.parts if part.solution.method in methods]
        approximate = next((item for item in solutions if approximates_closed(item.method) and item.why), None)
        if approximate is None:
            return
        self.why = (
            f"method {approximate.method}: {approximate.why}; each solve of a curve has 1/{_SOLVES} of --operations"
        )
        # A curve of one method has no steps between methods.
        self.wanted = self.wanted.replace(method=approximate.method)
        # Loads without a steady state have none by the same method.
        none = {
            index
            for piece in answers.pieces if piece.solved is not None and not axis.mix
            for part in piece.solved.parts if part.solution.method == approximate.method
            for index in (piece.rows[part.points] - first).tolist() if not answers.answered[index + first]
        }  # fmt: skip
        kept = {value for index, value in enumerate(new) if index in none}
        self.known = {
            value: point for value, point in self.known.items() if point.method == approximate.method or value in kept
        }

    def note(self, rows: Corners, answers: Answers, first: int) -> None:
        """Keep the ends of the fixed points of rows, with arguments as for `keep`; not where times depend on the
        solution, which must be reached from no load."""
        if needs_solution(self.axis.model):
            return
        keys = _keys(rows)
        for piece in answers.pieces:
            for part in piece.solved.parts if piece.solved is not None and piece.solved.rows is None else ():
                near, there = part.solution.near, enumerate((piece.rows[part.points] - first).tolist())
                if near is not None:
                    self.ended |= {keys[row]: (near, index) for index, row in there if 0 <= row < rows.size}


def _curve_points(
    axis: GrowthAxis, at: Answers | MixAnswers, here: slice, limits: Sequence[Condition]
) -> list[CurvePoint]:
    """The curve at some rows of a table."""
    throughput, response = (figure[here].tolist() for figure in grown(axis, at))
    overall = [figure[here].tolist() for figure in everything(at)]
    excess = [_excess(at, limit)[here].tolist() for limit in limits]
    answered, method = at.answered[here].tolist(), at.method[here]
    return [
        CurvePoint(
            throughput=throughput[index],
            response=response[index],
            overall=(overall[0][index], overall[1][index]),
            excess=tuple(item[index] for item in excess),
            answered=answered[index],
            method=method[index],
        )
        for index in range(len(answered))
    ]


def _keys(rows: Corners) -> list[tuple[float, ...]]:
    """The values of each row of a table, as a key."""
    return list(zip(*(rows.columns[name].tolist() for name in sorted(rows.columns)), strict=True))


def solve_loads(asked: Mapping[Curve, Sequence[float]]) -> None:
    """Solve curves at new loads, curves of one model together.

    asked   values along the axis, by curve.
    """
    while new := {curve: some for curve, values in asked.items() if (some := sorted(set(values) - curve.known.keys()))}:
        groups: list[list[Curve]] = []
        for curve in new:
            group = next((item for item in groups if item[0].joins(curve)), None)
            groups.append([curve]) if group is None else group.append(curve)
        for group in groups:
            _solve({curve: new[curve] for curve in group})


def _solve(new: Mapping[Curve, list[float]]) -> None:
    """Solve curves that join at new loads."""
    one = next(iter(new))
    rows = [curve.rows(np.array(values)) for curve, values in new.items()]
    names = dict.fromkeys(name for item in rows for name in item.columns)
    stated = {name: stated_value(one.axis.model, name) for name in names} if len(rows) > 1 else {}
    columns = {
        name: np.concatenate([item.columns[name] if name in item.columns else np.full(item.size, stated[name])
                              for item in rows])
        for name in names
    }  # fmt: skip
    # Notes come from the knees, which are solved separately.
    wanted = one.wanted.replace(warned=False)
    answers = solve_table(one.axis.model, columns, sum(item.size for item in rows), wanted)
    first = 0
    for (curve, values), item in zip(new.items(), rows, strict=True):
        curve.keep(values, item, answers, first)
        first += item.size


def together(searches: Sequence[tuple[Curve, Callable[[], Made]]]) -> list[Made]:
    """The results of some searches, each along a curve; the loads that they need next are solved together.

    searches   each is repeated from its beginning after a new load is solved, as the curve keeps all loads.
    """
    result: dict[int, Made] = {}
    while len(result) < len(searches):
        asked: dict[Curve, list[float]] = {}
        for index, (curve, search) in enumerate(searches):
            if index in result:
                continue
            curve.waits = True
            try:
                result[index] = search()
            except Unsolved as error:
                asked.setdefault(curve, []).extend(error.values)
            finally:
                curve.waits = False
        solve_loads(asked)
    return [result[index] for index in range(len(searches))]


def everything(answers: Answers | MixAnswers) -> tuple[Any, Any]:
    """Throughput and mean response of all classes together, per point."""
    return rate_and_time(answers, lambda part: part.solution.throughput, lambda part: part.solution.response)


def grown(axis: GrowthAxis, answers: Answers | MixAnswers) -> tuple[Any, Any]:
    """Throughput and mean response of the classes that grow, per point."""
    return rate_and_time(answers, lambda part: throughput(axis, part), lambda part: response(axis, part))


def throughput(axis: GrowthAxis, part: Part) -> Any:
    """The throughput of the growing classes."""
    return sum(part.solution.classes[index].throughput for index in axis.classes)


def response(axis: GrowthAxis, part: Part) -> Any:
    """The mean response of the growing classes, weighted by passages; unweighted where there are none."""
    growing = [part.solution.classes[index] for index in axis.classes]
    total = throughput(axis, part)
    idle = total == 0
    return sum((item.throughput + idle) * item.response for item in growing) / (total + idle * len(growing))


def _excess(answers: Answers | MixAnswers, limit: Condition) -> Any:
    metric, bound = answers.of(limit.metric), answers.of(limit.bound)
    size = np.maximum(np.maximum(np.abs(metric), np.abs(bound)), 1e-300)
    excess = (1.0 if limit.upper else -1.0) * (metric - bound) / size
    # Equality breaks a strict limit, by the smallest excess.
    excess = np.where((excess == 0) & ~np.asarray(limit.holds(metric, bound), dtype=bool), 1e-300, excess)
    return np.where(answers.answered & ~np.isnan(excess), excess, 1.0)


def power(point: CurvePoint) -> float:
    """Throughput / response; NaN where the response is 0."""
    return point.throughput / point.response if point.response > 0 else float("nan")


def integer_points(low: float, high: float, count: int) -> Any:
    """At most `count` integers from `low` to `high`, evenly spaced, both ends included."""
    low, high = float(np.ceil(low)), float(np.floor(high))
    if high - low < count:
        return np.arange(low, high + 1)
    return distinct(np.floor(np.linspace(low, high, count) + 0.5))


def loads_to(edge: float, least: float, bounded: bool, count: int) -> Any:
    """Rates from no load to the end of the steady state: half of them evenly spaced, half ever closer to the end."""
    if not bounded:
        return np.linspace(least, edge, count)
    even = np.linspace(least, 0.95 * edge, count - count // 2)
    near = edge * (1 - np.geomspace(0.05, 1e-5, count // 2 + 1)[1:])
    return np.concatenate([even, near[near > even[-1]]])


def last_integer(holds: Callable[[Any], Any], low: float, high: float, count: int) -> float:
    """The last integer for which `holds` is true, from `low`, where it is, to `high`, where it is not."""
    while high - low > 1:
        loads = integer_points(low, high, count)
        held = holds(loads)
        held[0], held[-1] = True, False
        first = int(np.argmin(held))
        low, high = float(loads[first - 1]), float(loads[first])
    return float(low)


def highest_integer(of: Callable[[Any], Any], loads: Any, count: int) -> tuple[float, float]:
    """The integer at which a figure is highest, and the vertex of the parabola there.

    of       the figure as a function of loads.
    loads    integers that are close enough to show its maximum.
    count    the number of points of each refinement.
    Method   Refinement down to single integers; for thousands of customers only to a width of about 1/500, because the
             differences of an approximation are meaningless below that: the integer is then next to the vertex.
    """
    while True:
        values = of(loads)
        best = int(np.nanargmax(values))
        if best in (0, len(loads) - 1) and abs(loads[best] - loads[1 if best == 0 else best - 1]) <= 1:
            return float(loads[best]), float(loads[best])
        before, after = max(best - 1, 0), min(best + 1, len(loads) - 1)
        width = float(loads[after] - loads[before])
        if after - before == 2 and width <= max(2.0, loads[best] / _COARSE):
            real = float(loads[best]) + width / 2 * top(*values[before : after + 1])
            return (float(loads[best]) if width <= 2 else float(np.floor(real + 0.5))), real
        loads = integer_points(loads[before], loads[after], count)


def highest_real(of: Callable[[Any], Any], loads: Any, closer: int = _CLOSER) -> float:
    """The load at which a smooth figure is highest: the vertex of a parabola after some refinements.

    closer   the number of refinements, each to a quarter of the width.
    """
    values = of(loads)
    best = int(np.nanargmax(values))
    if best in (0, len(loads) - 1):
        return float(loads[best])
    if closer:
        return highest_real(of, np.linspace(loads[best - 1], loads[best + 1], 9), closer - 1)
    return float(loads[best]) + float(loads[1] - loads[0]) * top(*values[best - 1 : best + 2])


def highest_near(near: float, of: Callable[[float], float]) -> float:
    """The load at which a smooth figure is highest: the vertex of the parabola through ever closer loads.

    near    a load near it, above 0.
    of      the figure at a load.
    """
    for step in _CLOSER_BY:
        left, middle, right = (of(near * factor) for factor in (1 - step, 1.0, 1 + step))
        while max(left, right) > middle:
            near = near * (1 + step) if right > left else near * (1 - step)
            left, middle, right = (
                (middle, right, of(near * (1 + step))) if right > left else (of(near * (1 - step)), left, middle)
            )
        near *= 1 + step * top(left, middle, right)
    return near


def top(left: float, middle: float, right: float) -> float:
    """The vertex of the parabola through three equally spaced values, in steps from the middle one; 0 if not a hill."""
    bend = left - 2 * middle + right
    return 0.5 * (left - right) / bend if bend < 0 else 0.0
