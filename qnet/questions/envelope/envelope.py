"""The envelope: the largest (or smallest) value of a parameter at which limits hold, along a grid of others.

What an envelope says of a point of its grid: the value that was found, what binds, and the figures there.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from qnet.errors import NoAnswer, NotComputed, Problem, UsageError
from qnet.expression import Expression, Value, parse
from qnet.lazy import np
from qnet.model.grids import Grid
from qnet.questions.envelope.question import Question
from qnet.questions.points.points import solve_points
from qnet.questions.points.saturation import busiest, busiest_utilization
from qnet.questions.points.trial import Trial
from qnet.questions.presentation.labels import where_exact
from qnet.questions.search.regions import ENDLESS, LIMIT, SATURATION, Regions
from qnet.questions.search.search import Found, ends, falls, pick, search
from qnet.record import Record
from qnet.units import base_unit, format_quantity

OK = "ok"
HOPELESS = "no steady state at any value"
EXCEEDED = "limit exceeded at the lowest load"
UNLIMITED = "limit holds at every value"
NOT_REACHED = "limit not reached at the highest load"
NOWHERE = ("limit holds at no value", "limits hold together at no value")


class Point(Record):
    """One point of an envelope: floats, texts, or None where there is nothing to say."""

    coordinates: tuple[float, ...]
    status: str
    """`ok`, or why there is no answer here."""
    value: float | None
    """The largest value up to which the limits hold, or the smallest from which on they do."""
    extreme: float | None
    """The largest value with a steady state, or the smallest; None where the range of the parameter ends first."""
    binds: str
    """`limit`, or in its own words the one that binds of several, `saturation of NAME` or `range of NAME`."""
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
    """One interval in which the limits hold: its place among those of a point, its lower end, and its upper end."""

    number: int
    least: float | None
    binds: str
    upper: Point


def points(
    asked: Question, coordinates: Sequence[tuple[float, ...]], regions: Regions, places: Any, found: Found,
    smallest: bool,
) -> list[Point]:  # fmt: skip
    """One end of an interval at each of some places of a grid, told with the figures there.

    coordinates   the grid, and `places` the rows of it that are told.
    """
    there = found.there
    metrics = [there.metric(item.metric) for item in asked.limits]
    names, utilization = there.gather(busiest), there.gather(busiest_utilization)
    outputs = [there.metric(parse(name)) for name in asked.model.outputs]
    methods = there.gather(lambda part: np.full(len(part.points), part.solution.method, dtype=object))
    exact = there.gather(lambda part: np.full(len(part.points), where_exact(asked.model, asked.shown, part)))
    extremes = (regions.steady_least if smallest else regions.steady_greatest)[places]
    rows: list[Point] = []
    for row, place in enumerate(map(int, places)):
        status = _status(asked, smallest, found, row, regions, place)
        answered = status == OK
        shown = tuple(_number(values[row]) if status != HOPELESS else None for values in metrics)
        extreme = _number(extremes[row]) if status not in (HOPELESS, UNLIMITED) else None
        rows.append(
            Point(
                coordinates=coordinates[place],
                status=status,
                value=float(found.value[row]) if answered else None,
                extreme=extreme,
                binds=binds(asked, found, row) if answered else "",
                metrics=shown,
                busiest=str(names[row]) if answered else "",
                utilization=float(utilization[row]) if answered else None,
                outputs=tuple(_number(output[row]) if answered else None for output in outputs),
                method=str(methods[row]),
                exact=bool(exact[row]),
            )
        )
    return rows


def refused_point(asked: Question, coordinates: tuple[float, ...], status: str) -> Point:
    """A point of which some value that was looked at is not computed, and why."""
    nothing = (None,) * len(asked.model.outputs)
    return Point(
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


def _status(asked: Question, smallest: bool, found: Found, row: int, regions: Regions, place: int) -> str:
    if regions.hopeless[place]:
        return HOPELESS
    if found.held[row]:
        return UNLIMITED if found.cause[row] == ENDLESS else OK
    limit, *others = asked.limits
    if others or smallest or not regions.scan.nearest_at_end(place, lowest=limit.upper):
        return NOWHERE[bool(others)]
    return EXCEEDED if limit.upper else NOT_REACHED


def binds(asked: Question, found: Found, row: int) -> str:
    """What ends the interval of a row."""
    if found.cause[row] == LIMIT:
        return "limit" if len(asked.limits) == 1 else asked.limits[int(found.limit[row])].source
    return f"saturation of {found.station[row]}" if found.cause[row] == SATURATION else f"range of {asked.vary}"


def _number(value: Any) -> float | None:
    number = float(value)
    return number if abs(number) < float("inf") else None


MAX_POINTS = 200_000
_CHUNK = 4096
"""Points that are searched at once: enough for arrays to pay, few enough to keep memory small."""


class Piece(Record):
    """Some points that were searched at once."""

    rows: Sequence[int]
    """Which points of the grid they are."""
    coordinates: Sequence[tuple[float, ...]]
    trial: Trial
    regions: Regions
    found: Found

    def metric(self, vary: str, expression: Expression) -> Value:
        """The value of an expression per point, where the parameter has the value that was found."""
        parts: list[Any] = []
        for part in self.found.there.parts:
            values = copy.copy(part.values)
            values.known = {**values.known, vary: self.found.value[part.points]}
            parts.append(part.replace(values=values))
        return self.found.there.replace(parts=tuple(parts)).metric(expression)


class Envelope(Record):
    """The answer to one question: its points in the order of the grid."""

    question: Question
    smallest: bool
    """Whether the values are the smallest ones."""
    points: tuple[Point, ...]
    reasons: tuple[str, ...]
    """Why some answers are not exact; empty where all are."""
    looked: tuple[int, float, float]
    """How many values were looked at for a point, at most, and between which."""
    pieces: tuple[Piece, ...]

    @property
    def complete(self) -> bool:
        """Whether every value there is was looked at, so that nothing can be missed."""
        return all(piece.regions.complete for piece in self.pieces)

    @property
    def answered(self) -> Any:
        """Which points have an answer, an array of truth values."""
        return np.array([point.status == OK for point in self.points])

    def of(self, expression: Expression) -> Any:
        """The value of an expression over figures, outputs and parameters per point, the parameter as it was found."""
        found: Any = np.full(len(self.points), np.nan)
        for piece in self.pieces:
            found[list(piece.rows)] = piece.metric(self.question.vary, expression)
        return found


def envelope(asked: Question) -> Envelope:
    """Answer one question, the whole grid as arrays.

    A point without an answer says so in its status, as one does where some value that was looked at is not computed.
    Raises `NoAnswer` where no point has one; `NotComputed` where some were not computed, and no other has one.
    """
    grid = _product(asked.over)
    searched: list[_Searched] = []
    refused: dict[int, NotComputed] = {}
    for start in range(0, len(grid), _CHUNK):
        _search(asked, grid, range(start, min(start + _CHUNK, len(grid))), searched, refused)
    smallest = asked.find == "smallest"
    if not asked.find:
        turns = [falls(regions) for _, _, regions in searched]
        smallest = False not in turns and True in turns
    pieces = [
        Piece(rows, [grid[row] for row in rows], trial, regions, pick(trial, regions, smallest))
        for rows, trial, regions in searched
    ]
    told = {row: refused_point(asked, grid[row], error.problems[0].found) for row, error in refused.items()}
    for piece in pieces:
        told.update(zip(piece.rows, _points(asked, piece, smallest), strict=True))
    every = [told[row] for row in range(len(grid))]
    if not any(point.status == OK for point in every):
        raise next(iter(refused.values()), None) or _no_answer(asked, smallest, every, pieces[0])
    return Envelope(asked, smallest, tuple(every), _reasons(asked, pieces), _looked(pieces), tuple(pieces))


def crossings(answer: Envelope) -> list[Interval]:
    """Every interval of every point in which the limits hold; points without any have one row that says why."""
    found: list[tuple[int, Interval]] = []
    asked = answer.question
    known = {row for piece in answer.pieces for row in piece.rows}
    found += [(row, Interval(0, None, "", item)) for row, item in enumerate(answer.points) if row not in known]
    for piece in answer.pieces:
        regions = piece.regions
        without: Any = np.setdiff1d(np.arange(len(piece.coordinates)), regions.place)
        index = np.concatenate([np.arange(len(regions.place)), np.full(len(without), -1)])
        place = np.concatenate([regions.place, without])
        order = np.argsort(place, kind="stable")
        place, index = place[order], index[order]
        upper, lower = (ends(piece.trial, regions, place, index, side) for side in (regions.high, regions.low))
        first = np.searchsorted(place, place)
        for row, point in enumerate(points(asked, piece.coordinates, regions, place, upper, False)):
            if index[row] < 0:
                found.append((piece.rows[int(place[row])], Interval(0, None, "", point)))
                continue
            open_above = point.replace(status=OK, binds="nothing") if point.status == UNLIMITED else point
            open_below = lower.cause[row] == ENDLESS
            least, cause = (None, "nothing") if open_below else (float(lower.value[row]), binds(asked, lower, row))
            interval = Interval(int(row - first[row]) + 1, least, cause, open_above)
            found.append((piece.rows[int(place[row])], interval))
    return [interval for _, interval in sorted(found, key=lambda item: item[0])]


_Searched = tuple[Sequence[int], Trial, Regions]


def _search(
    asked: Question, grid: Sequence[tuple[float, ...]], rows: Sequence[int], searched: list[_Searched],
    refused: dict[int, NotComputed],
) -> None:  # fmt: skip
    """Search some points of the grid at once; in halves, down to those that are refused, where one is not computed."""
    table: Any = np.array([grid[row] for row in rows], dtype=float).reshape(len(rows), len(asked.over))
    columns = {item.name: table[:, index] for index, item in enumerate(asked.over)}
    trial = Trial(asked.model, asked.vary, asked.limits, columns, len(rows), asked.wanted)
    try:
        searched.append((rows, trial, search(trial)))
    except NotComputed as error:
        if len(rows) == 1:
            refused[rows[0]] = error
            return
        for half in (rows[: len(rows) // 2], rows[len(rows) // 2 :]):
            _search(asked, grid, half, searched, refused)


def _product(over: tuple[Grid, ...]) -> list[tuple[float, ...]]:
    found: list[tuple[float, ...]] = [()]
    for item in over:
        found = [(*point, value) for point in found for value in item.values]
        if len(found) > MAX_POINTS:
            raise UsageError(Problem("QN010", f"the grid has more than {MAX_POINTS} points", help="use fewer values"))
    return found


def _points(asked: Question, piece: Piece, smallest: bool) -> list[Point]:
    """What was found, told point by point, with all intervals of each."""
    regions = piece.regions
    own: dict[int, list[tuple[float, float]]] = {}
    for place, low, high in zip(regions.place, regions.low.value, regions.high.value, strict=True):
        own.setdefault(int(place), []).append((float(low), float(high)))
    told = points(asked, piece.coordinates, regions, range(len(piece.coordinates)), piece.found, smallest)
    return [point.replace(intervals=tuple(own.get(place, ()))) for place, point in enumerate(told)]


def _reasons(asked: Question, pieces: Sequence[Piece]) -> tuple[str, ...]:
    """Why answers are not exact: in general, as the model is stated; else for what they are about."""
    parts = [part for piece in pieces for part in piece.found.there.parts]
    own = dict.fromkeys(reason for part in parts for reason in part.solution.reasons)
    if not own:
        return ()
    return solve_points(asked.model, asked=asked.wanted).parts[0].solution.reasons or tuple(own)


def _looked(pieces: Sequence[Piece]) -> tuple[int, float, float]:
    most = max(int(np.bincount(piece.regions.scan.place).max()) for piece in pieces)
    values = [piece.regions.scan.value for piece in pieces]
    return most, float(min(item.min() for item in values)), float(max(item.max() for item in values))


def _no_answer(asked: Question, smallest: bool, told: Sequence[Point], piece: Piece) -> NoAnswer:
    """Why no point has an answer, and where the limits are nearest to one."""
    if all(point.status == UNLIMITED for point in told):
        seen = piece.regions.scan.value
        one, far = ("smallest", f"down to {seen.min():.6g}") if smallest else ("largest", f"up to {seen.max():.6g}")
        found = f'every value of "{asked.vary}" that was tried, {far}, meets {asked.stated}: there is no {one} one'
        help = f'vary what loads the system, or give "{asked.vary}" a range'
    else:
        status = told[0].status
        found = f'no value of "{asked.vary}" meets {asked.stated}: {status}'
        help = "" if status in (UNLIMITED, HOPELESS) else _way_out(asked, told[0], float(piece.regions.best[0]))
    return NoAnswer(Problem("QN402", found, help=help))


def _way_out(asked: Question, point: Point, value: float) -> str:
    shown = [
        (item.source.partition(item.operator)[0].strip(), format_quantity(metric, base_unit(item.dimension)))
        for item, metric in zip(asked.limits, point.metrics, strict=True)
        if metric is not None
    ]
    if not shown:
        return ""
    more = f"ask for {'more' if asked.limits[0].upper else 'less'} than that"
    if point.status not in NOWHERE:
        return f"at the {'lowest' if asked.limits[0].upper else 'highest'} load it is {shown[0][1]}: {more}"
    nearest = format_quantity(value, base_unit(asked.model.parameters[asked.vary].dimension))
    if len(asked.limits) == 1:
        return f"even where {asked.vary} is {nearest} it is {shown[0][1]}: {more}"
    figures = ", ".join(f"{name} is {figure}" for name, figure in shown)
    return f"they are nearest to it where {asked.vary} is {nearest}: {figures}"
