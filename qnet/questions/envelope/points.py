"""What an envelope says of a point of its grid: the value that was found, what binds, and the figures there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qnet.expression import parse
from qnet.lazy import np
from qnet.questions.envelope.question import Question
from qnet.questions.points.saturation import busiest, busiest_utilization
from qnet.questions.presentation.labels import where_exact
from qnet.questions.search.regions import ENDLESS, LIMIT, SATURATION, Regions
from qnet.questions.search.search import Found
from qnet.record import Record

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
                coordinates[place],
                status,
                float(found.value[row]) if answered else None,
                extreme,
                binds(asked, found, row) if answered else "",
                shown,
                str(names[row]) if answered else "",
                float(utilization[row]) if answered else None,
                tuple(_number(output[row]) if answered else None for output in outputs),
                str(methods[row]),
                bool(exact[row]),
            )
        )
    return rows


def refused_point(asked: Question, coordinates: tuple[float, ...], status: str) -> Point:
    """A point of which some value that was looked at is not computed, and why."""
    nothing = (None,) * len(asked.model.outputs)
    return Point(coordinates, status, None, None, "", (None,) * len(asked.limits), "", None, nothing, "", False)


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
