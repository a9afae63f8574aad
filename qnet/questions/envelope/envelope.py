"""The envelope: the largest (or smallest) value of a parameter that meets limits, at every point of a grid of others.

The answer at a point is that value, the constraint that binds, and the figures there.
"""

from __future__ import annotations

import copy
from collections import Counter
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
from qnet.questions.points.expression_values import expression_value, patient
from qnet.questions.points.points import Solved
from qnet.questions.points.saturation import busiest, busiest_utilization, limiting
from qnet.questions.points.trial import Trial
from qnet.questions.presentation.labels import where_exact
from qnet.questions.search.outward import outward
from qnet.questions.search.scan import ENDLESS, LIMIT, SATURATION, Regions
from qnet.questions.search.search import IntervalEnd, ends, falls, pick, search
from qnet.record import Record
from qnet.units import base_unit, format_quantity

# The statuses of points.
OK = "ok"
HOPELESS = "no steady state at any value"
EXCEEDED = "limit exceeded at the lowest load"
UNLIMITED = "limit holds at every value"
NOT_REACHED = "limit not reached at the highest load"
NOWHERE = ("no value meets the limit", "no value meets all limits")


class EnvelopePoint(Record):
    """The answer of an envelope at one point of its grid, in base units; numbers are None where there is no answer."""

    coordinates: tuple[float, ...]
    """The values of the parameters of the grid."""
    status: str
    """`ok`, or why there is no answer."""
    value: float | None
    """The largest value up to which the limits hold, or the smallest from which on they do."""
    extreme: float | None
    """The largest, or smallest, value with a steady state; None where the range of the parameter ends first."""
    binds: str
    """The binding constraint: `limit`, of several limits the text of one, `saturation of NAME` or `range of NAME`."""
    metrics: tuple[float | None, ...]
    """The metric of each limit at the answer, or at the value nearest to one; None without a steady state."""
    busiest: str
    """The station with the largest utilization; empty without an answer."""
    utilization: float | None
    outputs: tuple[float | None, ...]
    """The outputs of the model at the answer."""
    method: str
    """Empty where the point was not computed."""
    exact: bool
    intervals: tuple[tuple[float, float], ...] = ()
    """The ends of every interval in which the limits hold, ascending."""


class Interval(Record):
    """One interval of values that meet the limits."""

    number: int
    """Its number among those of the point, from 1; 0 for a point without intervals, and where these are not listed."""
    least: float | None
    """Its lower end; None where it has none."""
    binds: str
    """The binding constraint at the lower end."""
    upper: EnvelopePoint
    """The answer at its upper end."""


def points(
    question: Question, coordinates: Sequence[tuple[float, ...]], regions: Regions, indices: Any, result: IntervalEnd,
    smallest: bool,
) -> list[EnvelopePoint]:  # fmt: skip
    """The answers at one end of an interval for each of some points of a grid.

    coordinates   the points of the grid.
    regions       the intervals that were located at these points.
    indices       the points that are reported, one for each row of `result`; they may repeat.
    result        the ends, and the solutions there.
    smallest      whether the smallest values are wanted.
    """
    there = result.there
    metrics = [expression_value(there, item.metric) for item in question.limits]
    names, utilization = there.gather(busiest), there.gather(busiest_utilization)
    outputs = [expression_value(there, parse(name)) for name in question.model.outputs]
    methods = there.gather(lambda part: np.full(len(part.points), part.solution.method, dtype=object))
    exact = there.gather(lambda part: np.full(len(part.points), where_exact(question.model, question.shown, part)))
    extremes = (regions.steady_least if smallest else regions.steady_greatest)[indices]
    rows: list[EnvelopePoint] = []
    for row, index in enumerate(map(int, indices)):
        status = _status(question, smallest, result, row, regions, index)
        answered = status == OK
        shown = tuple(_number(values[row]) if status != HOPELESS else None for values in metrics)
        extreme = _number(extremes[row]) if status not in (HOPELESS, UNLIMITED) else None
        rows.append(
            EnvelopePoint(
                coordinates=coordinates[index],
                status=status,
                value=float(result.value[row]) if answered else None,
                extreme=extreme,
                binds=binds(question, result, row) if answered else "",
                metrics=shown,
                busiest=str(names[row]) if answered else "",
                utilization=float(utilization[row]) if answered else None,
                outputs=tuple(_number(output[row]) if answered else None for output in outputs),
                method=str(methods[row]),
                exact=bool(exact[row]),
            )
        )
    return rows


def refused_point(question: Question, coordinates: tuple[float, ...], status: str) -> EnvelopePoint:
    """The answer at a point where some value was refused or not computed; `status` is the reason."""
    nothing = (None,) * len(question.model.outputs)
    return EnvelopePoint(
        coordinates=coordinates,
        status=status,
        value=None,
        extreme=None,
        binds="",
        metrics=(None,) * len(question.limits),
        busiest="",
        utilization=None,
        outputs=nothing,
        method="",
        exact=False,
    )


def _status(question: Question, smallest: bool, result: IntervalEnd, row: int, regions: Regions, index: int) -> str:
    """`ok` for the row of a result with an answer, else the reason; `index` is the point of the row."""
    if regions.hopeless[index]:
        return HOPELESS
    if result.held[row]:
        return UNLIMITED if result.cause[row] == ENDLESS else OK
    limit, *others = question.limits
    if others or smallest or not regions.scan.nearest_at_end(index, lowest=limit.upper):
        return NOWHERE[bool(others)]
    return EXCEEDED if limit.upper else NOT_REACHED


def binds(question: Question, result: IntervalEnd, row: int) -> str:
    """The binding constraint at the end of the interval of a row, as in `EnvelopePoint.binds`."""
    if result.cause[row] == LIMIT:
        return "limit" if len(question.limits) == 1 else question.limits[int(result.limit[row])].source
    return f"saturation of {result.station[row]}" if result.cause[row] == SATURATION else f"range of {question.vary}"


def _number(value: Any) -> float | None:
    """A finite number as a float; None for others."""
    number = float(value)
    return number if abs(number) < float("inf") else None


MAX_POINTS = 200_000
"""The largest number of points of a grid; it bounds memory."""
_CHUNK = 4096
"""Points of the grid that are searched as one batch: enough for arrays to pay, few enough to bound memory."""


_OUTWARDS = 16
"""The most points that are searched by single solutions: each may take a hundred chains."""


class SearchedPoints(Record):
    """Points of a grid that were searched as one batch."""

    rows: Sequence[int]
    """Their indices in the grid."""
    coordinates: Sequence[tuple[float, ...]]
    trial: Trial
    regions: Regions
    end: IntervalEnd

    def metric(self, vary: str, expression: Expression) -> Value:
        """The value of an expression at each point, with the parameter `vary` at the answer, in base units."""
        parts: list[Any] = []
        for part in self.end.there.parts:
            values = copy.copy(part.values)
            values.known = {**values.known, vary: self.end.value[part.points]}
            parts.append(part.replace(values=values))
        return expression_value(self.end.there.replace(parts=tuple(parts)), expression)


class Envelope(Record):
    """The answer to one question, with its points in the order of the grid."""

    question: Question
    smallest: bool
    """Whether the values are the smallest that meet the limits; else the largest."""
    points: tuple[EnvelopePoint, ...]
    reasons: tuple[str, ...]
    """Why some answers are not exact; empty where all are."""
    sampled: tuple[int, float, float]
    """The largest number of values that were tried for a point, and the least and the largest value tried."""
    pieces: tuple[SearchedPoints, ...]

    @property
    def complete(self) -> bool:
        """Whether every integer in the range of the parameter was tried, so that no interval can be missed."""
        return all(piece.regions.complete for piece in self.pieces)

    @property
    def answered(self) -> Any:
        """Which points have an answer, a Boolean array."""
        return np.array([point.status == OK for point in self.points])

    @property
    def solved(self) -> list[Solved]:
        """The solutions at the answers, one batch for each piece."""
        return [piece.end.there for piece in self.pieces]

    def of(self, expression: Expression) -> Any:
        """The value of an expression over figures, outputs and parameters at the answer of each point, in base units.

        Returns   an array of floats; NaN at points that were refused.
        """
        result: Any = np.full(len(self.points), np.nan)
        for piece in self.pieces:
            result[list(piece.rows)] = piece.metric(self.question.vary, expression)
        return result


def envelopes(questions: Sequence[Question]) -> list[Envelope]:
    """Answer several questions; those about one model that vary one parameter over one grid share a search.

    Raises   as `envelope`, for the first question without an answer.
    """
    together: dict[Any, list[int]] = {}
    for index, question in enumerate(questions):
        key = (id(question.model.document), question.vary, question.over, question.wanted, question.by_row)
        together.setdefault(key, []).append(index)
    answers: dict[int, Envelope] = {}
    for indices in together.values():
        answers.update(zip(indices, _answered([questions[index] for index in indices]), strict=True))
    return [answers[index] for index in range(len(questions))]


def envelope(question: Question) -> Envelope:
    """Search the largest or smallest value of a parameter that meets limits, at every point of a grid.

    question  the model, the parameter, the limits, and the grid of other parameters.
    Returns   an answer for each point of the grid; a point without one, or at which a value could not be computed, has
              the reason as its status.
    Raises    `UsageError` for a grid of more than `MAX_POINTS` points. Where no point has an answer: the error of the
              first point that was not computed, else `NoAnswer` QN402.
    """
    return _answered([question])[0]


def _answered(questions: Sequence[Question]) -> list[Envelope]:
    """Answer questions about one model that vary one parameter over one grid."""
    grid = combinations(questions[0].over, MAX_POINTS)
    searches = [_Search(question, grid) for question in questions]
    for start in range(0, len(grid), _CHUNK):
        _search(searches, range(start, min(start + _CHUNK, len(grid))))
    return [each.answer() for each in searches]


def crossings(answer: Envelope) -> list[Interval]:
    """Every interval in which the limits hold, in the order of the grid, ascending at each point.

    A point without an interval has one entry with the number 0, whose status is the reason.
    """
    result: list[tuple[int, Interval]] = []
    question = answer.question
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
        for row, point in enumerate(points(question, piece.coordinates, regions, position, upper, False)):
            if index[row] < 0:
                result.append((piece.rows[int(position[row])], Interval(0, None, "", point)))
                continue
            open_above = point.replace(status=OK, binds="nothing") if point.status == UNLIMITED else point
            open_below = lower.cause[row] == ENDLESS
            least, cause = (None, "nothing") if open_below else (float(lower.value[row]), binds(question, lower, row))
            interval = Interval(int(row - first[row]) + 1, least, cause, open_above)
            result.append((piece.rows[int(position[row])], interval))
    return [interval for _, interval in sorted(result, key=lambda item: item[0])]


class _Search:
    """The progress of one question: the batches that were searched, and the points that were refused."""

    def __init__(self, question: Question, grid: Sequence[tuple[float, ...]]) -> None:
        self.question = question
        self.grid = grid
        listed = [side for item in question.limits for side in (item.metric, item.bound)]
        self.wanted = patient(question.model, question.wanted, [*listed, *question.shown])
        self.searched: list[tuple[Sequence[int], Trial, Regions]] = []
        self.refused: dict[int, QnetError] = {}
        self.outwards = 0
        """How many points were searched by single solutions."""

    def trial(self, rows: Sequence[int]) -> Trial:
        """The trial of the points of the grid with the indices `rows`."""
        question = self.question
        table: Any = np.array([self.grid[row] for row in rows], dtype=float).reshape(len(rows), len(question.over))
        columns = {item.name: table[:, index] for index, item in enumerate(question.over)}
        return Trial(
            question.model,
            question.vary,
            limits=question.limits,
            coordinates=columns,
            size=len(rows),
            wanted=self.wanted,
        )

    def search_outwards(self, rows: Sequence[int], error: QnetError) -> None:
        """Search one point, which a search as a batch refused with an error, by single solutions if these are chains.

        The error is kept where the stated value has no answer either.
        """
        if isinstance(error, NotComputed) and self.wanted.method == "auto" and self.outwards < _OUTWARDS:
            self.outwards += 1
            trial = self.trial(rows).as_solve()
            try:
                self.searched.append((rows, trial, outward(trial)))
            except QnetError as alone:
                # Not that of the batch where operations were spent.
                error = alone if any(item.code == "QN515" for item in alone.problems) else error
            else:
                return
        self.refused[rows[0]] = error

    def answer(self) -> Envelope:
        """The envelope; raises as `envelope` where no point has an answer."""
        question, searched, refused = self.question, self.searched, self.refused
        smallest = question.find == "smallest"
        if not question.find:
            turns = [falls(regions) for _, _, regions in searched]
            smallest = False not in turns and True in turns
        pieces = [
            SearchedPoints(rows, [self.grid[row] for row in rows], trial, regions, pick(trial, regions, smallest))
            for rows, trial, regions in searched
        ]
        details = {
            row: refused_point(question, self.grid[row], error.problems[0].found) for row, error in refused.items()
        }
        for piece in pieces:
            details.update(zip(piece.rows, _points(question, piece, smallest), strict=True))
        every = [details[row] for row in range(len(self.grid))]
        if not any(point.status == OK for point in every):
            raise next(iter(refused.values()), None) or _no_answer(question, smallest, every, pieces[0])
        return Envelope(question, smallest, tuple(every), _reasons(pieces), _sampled(pieces), tuple(pieces))


def _search(searches: Sequence[_Search], rows: Sequence[int]) -> None:
    """Search points of the grid as one batch; where it fails, question by question, then in halves down to the point.

    A point that fails alone is refused, if it was not computed, or if it is a row of a table.
    """
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
        if not searches[0].question.by_row and not isinstance(error, NotComputed):
            raise
        if len(rows) == 1:
            searches[0].search_outwards(rows, error)
            return
        for half in (rows[: len(rows) // 2], rows[len(rows) // 2 :]):
            _search(searches, half)
        return
    for each, trial, regions in zip(searches, trials, every, strict=True):
        each.searched.append((rows, trial, regions))


def _differing(models: Sequence[Model]) -> dict[str, list[float]] | None:
    """The parameters that are set to different numbers in models that are otherwise equal.

    Returns   parameter -> its number in each model; None where the models differ in anything else.
    """
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
    """Search the same points for several trials as one batch, of which each limit applies to the part of its trial.

    numbers   parameters with different values in the models of the trials -> the value of each trial.
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


def _points(question: Question, piece: SearchedPoints, smallest: bool) -> list[EnvelopePoint]:
    """The answers of a batch, with all intervals of each point."""
    regions = piece.regions
    selected: dict[int, list[tuple[float, float]]] = {}
    for index, low, high in zip(regions.point, regions.low.value, regions.high.value, strict=True):
        selected.setdefault(int(index), []).append((float(low), float(high)))
    reported = points(question, piece.coordinates, regions, range(len(piece.coordinates)), piece.end, smallest)
    return [point.replace(intervals=tuple(selected.get(index, ()))) for index, point in enumerate(reported)]


def _reasons(pieces: Sequence[SearchedPoints]) -> tuple[str, ...]:
    """Why answers are not exact: the distinct reasons of their solutions."""
    parts = [part for piece in pieces for part in piece.end.there.parts]
    return tuple(dict.fromkeys(reason for part in parts for reason in part.solution.reasons))


def _sampled(pieces: Sequence[SearchedPoints]) -> tuple[int, float, float]:
    """`Envelope.sampled` of all pieces."""
    most = max(int(np.bincount(piece.regions.scan.point).max()) for piece in pieces)
    values = [piece.regions.scan.value for piece in pieces]
    return most, float(min(item.min() for item in values)), float(max(item.max() for item in values))


def _no_answer(
    question: Question, smallest: bool, reported: Sequence[EnvelopePoint], piece: SearchedPoints
) -> NoAnswer:
    """The error where no point has an answer: the reason, and how near the limits come to one at the first point."""
    counts = Counter(point.status for point in reported)
    observed = piece.regions.scan.value
    one, far = ("smallest", f"down to {observed.min():.6g}") if smallest else ("largest", f"up to {observed.max():.6g}")
    help = f'vary what loads the system, or give "{question.vary}" a range'
    if counts[UNLIMITED] == len(reported) and piece.regions.refused:
        text = f'every value of "{question.vary}" that has an answer, {far}, meets {question.stated}'
        help = f"farther out, {piece.regions.refused}"
    elif counts[UNLIMITED] == len(reported):
        text = f'every value of "{question.vary}" that was tried, {far}, meets {question.stated}: there is no {one} one'
    elif counts[UNLIMITED]:
        statuses = ", ".join(f"{status} ({count} of {len(reported)} points)" for status, count in counts.items())
        text = f'no point has a {one} value of "{question.vary}" that meets {question.stated}: {statuses}'
    else:
        status = reported[0].status
        text = f'no value of "{question.vary}" meets {question.stated}' + ("" if status in NOWHERE else f": {status}")
        if status == HOPELESS:
            help = _saturated_help(question, piece)
        else:
            help = _nearest_help(question, reported[0], float(piece.regions.best[0]))
    return NoAnswer(Problem("QN402", text, help=help))


def _metric(limit: Condition) -> str:
    """The metric of a limit, as the user or the model states it."""
    root = limit.metric.root
    return root.name if isinstance(root, Name) else limit.sides[0]


def _saturated_help(question: Question, piece: SearchedPoints) -> str:
    """The help of an error without a steady state: what is saturated at the end of the values with the least load."""
    scan = piece.regions.scan
    tried = scan.value[scan.point == scan.point[0]][[0, -1]]
    try:
        solved = piece.trial.at(np.full(2, scan.point[0])).read(tried)
    except QnetError:
        return ""
    least = int(np.argmin(solved.load))
    load, name = float(solved.load[least]), str(solved.gather(limiting)[least])
    if load < 1 or not name:
        return ""
    value = format_quantity(float(tried[least]), base_unit(question.model.parameters[question.vary].dimension))
    return (
        f'"{name}" would be {100 * load:.4g} % utilized even with {question.vary} = {value}; lower the load, or vary '
        f'what relieves "{name}"'
    )


def _nearest_help(question: Question, point: EnvelopePoint, value: float) -> str:
    """The help of an error: the metrics of the limits at the value nearest to an answer."""
    shown = [
        (_metric(item), format_quantity(metric, base_unit(item.dimension)))
        for item, metric in zip(question.limits, point.metrics, strict=True)
        if metric is not None
    ]
    if not shown:
        return ""
    more = f"choose a {'larger' if question.limits[0].upper else 'smaller'} limit"
    if point.status not in NOWHERE:
        load = "lowest" if question.limits[0].upper else "highest"
        return f"{shown[0][0]} is {shown[0][1]} at the {load} load; {more}"
    nearest = format_quantity(value, base_unit(question.model.parameters[question.vary].dimension))
    if len(question.limits) == 1:
        return f"at best {shown[0][0]} is {shown[0][1]}, with {question.vary} = {nearest}; {more}"
    figures = ", ".join(f"{name} is {figure}" for name, figure in shown)
    return f"the nearest is {question.vary} = {nearest}, where {figures}"
