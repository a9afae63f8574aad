"""The envelope: the largest (or smallest) value of a parameter at which limits hold, along a grid of others.

The answer of an envelope at a point of its grid: the value, the limit that binds, and the figures there.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from qnet.errors import InvalidInput, NoAnswer, NotComputed, Problem, QnetError, UsageError
from qnet.expression import FLOATS, Expression, Value, evaluate, parse
from qnet.expression.nodes import Name
from qnet.lazy import np
from qnet.model.conditions import Condition
from qnet.model.grids import combinations
from qnet.model.model import Model
from qnet.questions.envelope.question import Question
from qnet.questions.points.expression_values import expression_value
from qnet.questions.points.points import Solved
from qnet.questions.points.saturation import busiest, busiest_utilization
from qnet.questions.points.trial import Trial
from qnet.questions.presentation.labels import where_exact
from qnet.questions.search.scan import ENDLESS, LIMIT, SATURATION, Regions
from qnet.questions.search.search import IntervalEnd, ends, falls, pick, search
from qnet.record import Record
from qnet.units import base_unit, format_quantity

OK = "ok"
HOPELESS = "no steady state at any value"
EXCEEDED = "limit exceeded at the lowest load"
UNLIMITED = "limit holds at every value"
NOT_REACHED = "limit not reached at the highest load"
NOWHERE = ("no value meets the limit", "no value meets all limits")


class EnvelopePoint(Record):
    """One point of an envelope: floats, texts, or None where there is nothing to say."""

    coordinates: tuple[float, ...]
    status: str
    """`ok`, or why there is no answer here."""
    value: float | None
    """The largest value up to which the limits hold, or the smallest from which on they do."""
    extreme: float | None
    """The largest value with a steady state, or the smallest; None where the range of the parameter ends first."""
    binds: str
    """`limit`, or the text of the one that binds of several, `saturation of NAME` or `range of NAME`."""
    metrics: tuple[float | None, ...]
    """What each limit is on, where the figures are read."""
    busiest: str
    utilization: float | None
    outputs: tuple[float | None, ...]
    method: str
    exact: bool
    intervals: tuple[tuple[float, float], ...] = ()
    """All intervals in which the limits hold, in rising order."""


class Interval(Record):
    """One interval in which the limits hold: its number among those of a point, its lower end, and its upper end."""

    number: int
    least: float | None
    binds: str
    upper: EnvelopePoint


def points(
    asked: Question, coordinates: Sequence[tuple[float, ...]], regions: Regions, indices: Any, result: IntervalEnd,
    smallest: bool,
) -> list[EnvelopePoint]:  # fmt: skip
    """One end of an interval at each of some points of a grid, with the figures there.

    coordinates   the grid, and `indices` the rows of it that are reported.
    """
    there = result.there
    metrics = [expression_value(there, item.metric) for item in asked.limits]
    names, utilization = there.gather(busiest), there.gather(busiest_utilization)
    outputs = [expression_value(there, parse(name)) for name in asked.model.outputs]
    methods = there.gather(lambda part: np.full(len(part.points), part.solution.method, dtype=object))
    exact = there.gather(lambda part: np.full(len(part.points), where_exact(asked.model, asked.shown, part)))
    extremes = (regions.steady_least if smallest else regions.steady_greatest)[indices]
    rows: list[EnvelopePoint] = []
    for row, index in enumerate(map(int, indices)):
        status = _status(asked, smallest, result, row, regions, index)
        answered = status == OK
        shown = tuple(_number(values[row]) if status != HOPELESS else None for values in metrics)
        extreme = _number(extremes[row]) if status not in (HOPELESS, UNLIMITED) else None
        rows.append(
            EnvelopePoint(
                coordinates=coordinates[index],
                status=status,
                value=float(result.value[row]) if answered else None,
                extreme=extreme,
                binds=binds(asked, result, row) if answered else "",
                metrics=shown,
                busiest=str(names[row]) if answered else "",
                utilization=float(utilization[row]) if answered else None,
                outputs=tuple(_number(output[row]) if answered else None for output in outputs),
                method=str(methods[row]),
                exact=bool(exact[row]),
            )
        )
    return rows


def refused_point(asked: Question, coordinates: tuple[float, ...], status: str) -> EnvelopePoint:
    """A point where some value tried is not computed, and why."""
    nothing = (None,) * len(asked.model.outputs)
    return EnvelopePoint(
        coordinates=coordinates,
        status=status,
        value=None,
        extreme=None,
        binds="",
        metrics=(None,) * len(asked.limits),
        busiest="",
        utilization=None,
        outputs=nothing,
        method="",
        exact=False,
    )


def _status(asked: Question, smallest: bool, result: IntervalEnd, row: int, regions: Regions, index: int) -> str:
    if regions.hopeless[index]:
        return HOPELESS
    if result.held[row]:
        return UNLIMITED if result.cause[row] == ENDLESS else OK
    limit, *others = asked.limits
    if others or smallest or not regions.scan.nearest_at_end(index, lowest=limit.upper):
        return NOWHERE[bool(others)]
    return EXCEEDED if limit.upper else NOT_REACHED


def binds(asked: Question, result: IntervalEnd, row: int) -> str:
    """What ends the interval of a row."""
    if result.cause[row] == LIMIT:
        return "limit" if len(asked.limits) == 1 else asked.limits[int(result.limit[row])].source
    return f"saturation of {result.station[row]}" if result.cause[row] == SATURATION else f"range of {asked.vary}"


def _number(value: Any) -> float | None:
    number = float(value)
    return number if abs(number) < float("inf") else None


MAX_POINTS = 200_000
"""Of a grid; a choice that bounds memory."""
_CHUNK = 4096
"""Points that are searched at once: enough for arrays to pay, few enough to keep memory small."""


class SearchedPoints(Record):
    """Some points that were searched at once."""

    rows: Sequence[int]
    """Which points of the grid they are."""
    coordinates: Sequence[tuple[float, ...]]
    trial: Trial
    regions: Regions
    end: IntervalEnd

    def metric(self, vary: str, expression: Expression) -> Value:
        """The value of an expression per point, where the parameter has the value of the answer."""
        parts: list[Any] = []
        for part in self.end.there.parts:
            values = copy.copy(part.values)
            values.known = {**values.known, vary: self.end.value[part.points]}
            parts.append(part.replace(values=values))
        return expression_value(self.end.there.replace(parts=tuple(parts)), expression)


class Envelope(Record):
    """The answer to one question: its points in the order of the grid."""

    question: Question
    smallest: bool
    """Whether the values are the smallest ones."""
    points: tuple[EnvelopePoint, ...]
    reasons: tuple[str, ...]
    """Why some answers are not exact; empty where all are."""
    looked: tuple[int, float, float]
    """How many values were tried for a point, at most, and between which."""
    pieces: tuple[SearchedPoints, ...]

    @property
    def complete(self) -> bool:
        """Whether every possible value was tried, so that nothing can be missed."""
        return all(piece.regions.complete for piece in self.pieces)

    @property
    def answered(self) -> Any:
        """Which points have an answer, an array of truth values."""
        return np.array([point.status == OK for point in self.points])

    @property
    def solved(self) -> list[Solved]:
        """What was solved at the computed ends, in pieces."""
        return [piece.end.there for piece in self.pieces]

    def of(self, expression: Expression) -> Any:
        """The value of an expression over figures, outputs and parameters per point, with the parameter at the
        answer."""
        result: Any = np.full(len(self.points), np.nan)
        for piece in self.pieces:
            result[list(piece.rows)] = piece.metric(self.question.vary, expression)
        return result


def envelopes(asked: Sequence[Question]) -> list[Envelope]:
    """Answer several questions: those about one model that vary one parameter over one grid are searched together.

    Raises as `envelope`, for the first of them without an answer.
    """
    together: dict[Any, list[int]] = {}
    for index, question in enumerate(asked):
        key = (id(question.model.document), question.vary, question.over, question.wanted, question.by_row)
        together.setdefault(key, []).append(index)
    answers: dict[int, Envelope] = {}
    for some in together.values():
        answers.update(zip(some, _answered([asked[index] for index in some]), strict=True))
    return [answers[index] for index in range(len(asked))]


def envelope(asked: Question) -> Envelope:
    """Find the largest or smallest value of a parameter within limits, at every point of a grid as arrays.

    asked    the question: model, parameter, limits, and the grid of the others.
    Returns  the points in the order of the grid; one without an answer says so in its status, as does one where some
             value tried is not computed.
    Raises   `NoAnswer` where no point has an answer; `NotComputed` where some were not computed, and no other has one.
    """
    return _answered([asked])[0]


def _answered(asked: Sequence[Question]) -> list[Envelope]:
    grid = combinations(asked[0].over, MAX_POINTS)
    searches = [_Search(question, grid) for question in asked]
    for start in range(0, len(grid), _CHUNK):
        _search(searches, range(start, min(start + _CHUNK, len(grid))))
    return [each.answer() for each in searches]


def crossings(answer: Envelope) -> list[Interval]:
    """Every interval of every point in which the limits hold; points without any have one row that says why."""
    result: list[tuple[int, Interval]] = []
    asked = answer.question
    known = {row for piece in answer.pieces for row in piece.rows}
    result += [(row, Interval(0, None, "", item)) for row, item in enumerate(answer.points) if row not in known]
    for piece in answer.pieces:
        regions = piece.regions
        without: Any = np.setdiff1d(np.arange(len(piece.coordinates)), regions.point)
        index = np.concatenate([np.arange(len(regions.point)), np.full(len(without), -1)])
        position = np.concatenate([regions.point, without])
        order = np.argsort(position, kind="stable")
        position, index = position[order], index[order]
        upper, lower = (ends(piece.trial, regions, position, index, side) for side in (regions.high, regions.low))
        first = np.searchsorted(position, position)
        for row, point in enumerate(points(asked, piece.coordinates, regions, position, upper, False)):
            if index[row] < 0:
                result.append((piece.rows[int(position[row])], Interval(0, None, "", point)))
                continue
            open_above = point.replace(status=OK, binds="nothing") if point.status == UNLIMITED else point
            open_below = lower.cause[row] == ENDLESS
            least, cause = (None, "nothing") if open_below else (float(lower.value[row]), binds(asked, lower, row))
            interval = Interval(int(row - first[row]) + 1, least, cause, open_above)
            result.append((piece.rows[int(position[row])], interval))
    return [interval for _, interval in sorted(result, key=lambda item: item[0])]


class _Search:
    """What has been searched for one question, and what was refused."""

    def __init__(self, asked: Question, grid: Sequence[tuple[float, ...]]) -> None:
        self.asked = asked
        self.grid = grid
        self.searched: list[tuple[Sequence[int], Trial, Regions]] = []
        self.refused: dict[int, QnetError] = {}

    def trial(self, rows: Sequence[int]) -> Trial:
        """Some points of the grid."""
        asked = self.asked
        table: Any = np.array([self.grid[row] for row in rows], dtype=float).reshape(len(rows), len(asked.over))
        columns = {item.name: table[:, index] for index, item in enumerate(asked.over)}
        return Trial(
            asked.model, asked.vary, limits=asked.limits, coordinates=columns, size=len(rows), wanted=asked.wanted
        )

    def answer(self) -> Envelope:
        """The envelope; raises where no point has an answer."""
        asked, searched, refused = self.asked, self.searched, self.refused
        smallest = asked.find == "smallest"
        if not asked.find:
            turns = [falls(regions) for _, _, regions in searched]
            smallest = False not in turns and True in turns
        pieces = [
            SearchedPoints(rows, [self.grid[row] for row in rows], trial, regions, pick(trial, regions, smallest))
            for rows, trial, regions in searched
        ]
        details = {row: refused_point(asked, self.grid[row], error.problems[0].found) for row, error in refused.items()}
        for piece in pieces:
            details.update(zip(piece.rows, _points(asked, piece, smallest), strict=True))
        every = [details[row] for row in range(len(self.grid))]
        if not any(point.status == OK for point in every):
            raise next(iter(refused.values()), None) or _no_answer(asked, smallest, every, pieces[0])
        return Envelope(asked, smallest, tuple(every), _reasons(pieces), _looked(pieces), tuple(pieces))


def _search(searches: Sequence[_Search], rows: Sequence[int]) -> None:
    """Search some points of the grid at once; in halves, down to those that are refused, where one is not computed."""
    trials = [each.trial(rows) for each in searches]
    numbers = _differing([trial.model for trial in trials])
    # The method may depend on how many points are solved at once.
    if len(trials) > 1 and (numbers is None or trials[0].uncertain):
        for each in searches:
            _search([each], rows)
        return
    try:
        every = [search(trials[0])] if len(trials) == 1 else _together(trials, numbers or {})
    except (NotComputed, InvalidInput, UsageError) as error:
        if len(searches) > 1:
            for each in searches:
                _search([each], rows)
            return
        if not searches[0].asked.by_row and not isinstance(error, NotComputed):
            raise
        if len(rows) == 1:
            searches[0].refused[rows[0]] = error
            return
        for half in (rows[: len(rows) // 2], rows[len(rows) // 2 :]):
            _search(searches, half)
        return
    for each, trial, regions in zip(searches, trials, every, strict=True):
        each.searched.append((rows, trial, regions))


def _differing(models: Sequence[Model]) -> dict[str, list[float]] | None:
    """The numbers that parameters are set to in models that are equal otherwise; None where more than that differs."""
    first = models[0]
    result: dict[str, list[float]] = {}
    for model in models:
        if model.replace(parameters=first.parameters, settings=first.settings, origins=first.origins) != first:
            return None
    for name in {name for model in models for name in model.settings}:
        every = [model.parameters[name] for model in models]
        if all(item.expression == every[0].expression for item in every):
            continue
        if every[0].options or any(item.expression.names for item in every):
            return None
        result[name] = [float(evaluate(item.expression.root, {}, FLOATS)) for item in every]
    return result


def _together(trials: Sequence[Trial], numbers: Mapping[str, list[float]]) -> list[Regions]:
    """Search the same points for several limits as one batch: every limit applies to its part of it.

    numbers   parameters that have different values in the models of the trials.
    """
    first, size = trials[0], trials[0].size
    columns = {name: np.tile(values, len(trials)) for name, values in first.coordinates.items()}
    part = np.repeat(np.arange(len(trials)), size)
    columns |= {name: np.array(values)[part] for name, values in numbers.items()}
    limits = [(limit, part == index) for index, trial in enumerate(trials) for limit in trial.limits]
    batch = Trial(
        first.model, first.vary, limits=[limit for limit, _ in limits], coordinates=columns, size=len(part),
        wanted=first.wanted, applies=[applies for _, applies in limits],
    )  # fmt: skip
    regions = search(batch)
    return [regions.part(trial, index * size) for index, trial in enumerate(trials)]


def _points(asked: Question, piece: SearchedPoints, smallest: bool) -> list[EnvelopePoint]:
    """The answers point by point, with all intervals of each."""
    regions = piece.regions
    selected: dict[int, list[tuple[float, float]]] = {}
    for index, low, high in zip(regions.point, regions.low.value, regions.high.value, strict=True):
        selected.setdefault(int(index), []).append((float(low), float(high)))
    reported = points(asked, piece.coordinates, regions, range(len(piece.coordinates)), piece.end, smallest)
    return [point.replace(intervals=tuple(selected.get(index, ()))) for index, point in enumerate(reported)]


def _reasons(pieces: Sequence[SearchedPoints]) -> tuple[str, ...]:
    """Why answers are not exact: what the solutions there say."""
    parts = [part for piece in pieces for part in piece.end.there.parts]
    return tuple(dict.fromkeys(reason for part in parts for reason in part.solution.reasons))


def _looked(pieces: Sequence[SearchedPoints]) -> tuple[int, float, float]:
    most = max(int(np.bincount(piece.regions.scan.point).max()) for piece in pieces)
    values = [piece.regions.scan.value for piece in pieces]
    return most, float(min(item.min() for item in values)), float(max(item.max() for item in values))


def _no_answer(asked: Question, smallest: bool, reported: Sequence[EnvelopePoint], piece: SearchedPoints) -> NoAnswer:
    """Why no point has an answer, and where the limits are nearest to one."""
    if all(point.status == UNLIMITED for point in reported):
        observed = piece.regions.scan.value
        one, far = (
            ("smallest", f"down to {observed.min():.6g}") if smallest else ("largest", f"up to {observed.max():.6g}")
        )
        text = f'every value of "{asked.vary}" that was tried, {far}, meets {asked.stated}: there is no {one} one'
        help = f'vary what loads the system, or give "{asked.vary}" a range'
    else:
        status = reported[0].status
        text = f'no value of "{asked.vary}" meets {asked.stated}' + ("" if status in NOWHERE else f": {status}")
        help = "" if status in (UNLIMITED, HOPELESS) else _way_out(asked, reported[0], float(piece.regions.best[0]))
    return NoAnswer(Problem("QN402", text, help=help))


def _metric(limit: Condition) -> str:
    """What a limit is on, as it is written."""
    root = limit.metric.root
    return root.name if isinstance(root, Name) else limit.source.partition(limit.operator)[0].strip()


def _way_out(asked: Question, point: EnvelopePoint, value: float) -> str:
    shown = [
        (_metric(item), format_quantity(metric, base_unit(item.dimension)))
        for item, metric in zip(asked.limits, point.metrics, strict=True)
        if metric is not None
    ]
    if not shown:
        return ""
    more = f"choose a {'larger' if asked.limits[0].upper else 'smaller'} limit"
    if point.status not in NOWHERE:
        load = "lowest" if asked.limits[0].upper else "highest"
        return f"{shown[0][0]} is {shown[0][1]} at the {load} load; {more}"
    nearest = format_quantity(value, base_unit(asked.model.parameters[asked.vary].dimension))
    if len(asked.limits) == 1:
        return f"at best {shown[0][0]} is {shown[0][1]}, with {asked.vary} = {nearest}; {more}"
    figures = ", ".join(f"{name} is {figure}" for name, figure in shown)
    return f"the nearest is {asked.vary} = {nearest}, where {figures}"
