"""The envelope: the largest value of a parameter at which a limit holds, along a grid of other parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qnet.documents import Path
from qnet.errors import NoAnswer, NotComputed, Problem, UsageError, short, suggest
from qnet.expression import Expression, parse, solution_name
from qnet.model.conditions import Condition, condition
from qnet.model.grids import Grid, grid, varied
from qnet.model.model import EnvelopeModel, Model
from qnet.model.settings import with_settings
from qnet.questions.saturation import busiest, busiest_utilization
from qnet.questions.search import search
from qnet.record import Record

MAX_POINTS = 200_000
EXCEEDED = "limit exceeded at the lowest load"
ENDLESS = "limit holds at every value"
NOT_REACHED = "limit not reached at the highest load"


class Question(Record):
    """What an envelope asks of a model."""

    model: Model
    name: str
    title: str
    vary: str
    condition: Condition
    over: tuple[Grid, ...]


class Point(Record):
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


class Envelope(Record):
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
        raise UsageError(
            Problem(
                "QN011",
                "there is no limit to hold",
                "--limit, such as --limit 'response <= 10 ms'",
                help=_stated(model),
            )
        )
    varied(model, vary)
    _refuse_population(model, vary)
    changed = model
    if stated:
        own = {name: text for name, text in stated.settings.items() if name not in model.settings}
        changed = with_settings(model, own, (*stated.path, "set"))
    texts = tuple(over) or (stated.over if stated else ())
    grids = tuple(grid(text, changed) for text in texts)
    _apart(model, vary, grids)
    place: Path = () if over or not stated else (*stated.path, "over")
    origins = {item.name: place or f"--over {short(text)}" for item, text in zip(grids, texts, strict=True)}
    changed = changed.replace(origins={**changed.origins, **origins})
    asked = condition(limit, changed)
    chosen = route or (stated.route if stated else "")
    if chosen:
        asked = _of_route(changed, asked, chosen)
    name, title = (stated.name, stated.title) if stated else ("envelope", "")
    return Question(changed, name, title, vary, asked, grids)


def _apart(model: Model, vary: str, grids: Sequence[Grid]) -> None:
    """Refuse a parameter that would get its values from more than one place."""
    seen: set[str] = set()
    for item in grids:
        if item.name == vary:
            raise UsageError(Problem("QN010", f'"{vary}" is both varied and part of the grid'))
        if item.name in model.settings:
            found = f'"{item.name}" is both set with -p and part of the grid'
            raise UsageError(Problem("QN010", found, help="leave out -p, or give another --over"))
        if item.name in seen:
            raise UsageError(Problem("QN010", f'"{item.name}" is in the grid twice', "one --over with all its values"))
        seen.add(item.name)


def questions(
    model: Model, names: Sequence[str], vary: str = "", limit: str = "", over: Sequence[str] = (), route: str = ""
) -> list[Question]:
    """What to ask: the named envelopes of a model, all of them for no name, or one of its own where a limit is given.

    Raises `UsageError` for an unknown envelope, and as `question`.
    """
    for name in names:
        if name not in model.envelopes:
            raise UsageError(Problem("QN011", f'unknown envelope "{name}"', help=suggest(name, list(model.envelopes))))
    if names:
        return [question(model, model.envelopes[name], vary, limit, over, route) for name in names]
    if limit or not model.envelopes:
        return [question(model, None, vary, limit, over, route)]
    return [question(model, stated, vary, limit, over, route) for stated in model.envelopes.values()]


def _stated(model: Model) -> str:
    return "or --envelope " + " or ".join(model.envelopes) if model.envelopes else ""


def _rate_parameter(model: Model) -> str:
    """The parameter that drives the arrivals, where it is the only one."""
    names = dict.fromkeys(name for item in model.customers if item.arrival_rate for name in item.arrival_rate.names)
    if "rate" in model.parameters:
        return "rate"
    if len(names) == 1:
        return next(iter(names))
    raise UsageError(
        Problem(
            "QN011",
            "it is not clear which parameter to vary",
            "--vary NAME",
            help=suggest("rate", list(model.parameters)),
        )
    )


def _refuse_population(model: Model, vary: str) -> None:
    """Populations are whole: the search over a continuous value is not for them."""
    affected = {vary}
    for name, item in model.parameters.items():
        if not affected.isdisjoint(item.expression.names):
            affected.add(name)
    for customers in model.customers:
        if customers.population is not None and not affected.isdisjoint(customers.population.names):
            found = f'"{vary}" sets the population of "{customers.name}"'
            help = "solve it for single values with -p, or take it as a grid with --over"
            raise NotComputed(Problem("QN501", found, "a parameter that is no population", help=help))


def _of_route(model: Model, asked: Condition, route: str) -> Condition:
    routes = [item.name for customers in model.classes for item in customers.routes]
    if route not in routes:
        raise UsageError(Problem("QN219", f'unknown route "{route}"', help=suggest(route, routes)))
    if asked.metric.root != parse("response").root:
        raise UsageError(
            Problem("QN219", f'the limit "{asked.source}" is not on the response', "response <= ... beside --route")
        )
    from qnet.expression.nodes import Name

    name = solution_name("response", route)
    source = f"{name} {asked.operator} {asked.source.partition(asked.operator)[2].strip()}"
    return asked.replace(source=source, metric=Expression(source, Name(name), (name,)))


def envelope(asked: Question) -> Envelope:
    """Answer one question, the whole grid as arrays.

    A point without an answer says so in its status. Raises `NoAnswer` where no point has one.
    """
    coordinates = _product(asked.over)
    points = _points(asked, coordinates)
    if all(point.status == ENDLESS for point in points):
        found = f'every value of "{asked.vary}" meets {asked.condition.source}: there is no largest one'
        raise NoAnswer(Problem("QN402", found, help=f'vary what loads the system, or give "{asked.vary}" a range'))
    if not any(point.status == "ok" for point in points):
        raise NoAnswer(
            Problem(
                "QN402",
                f'no value of "{asked.vary}" meets {asked.condition.source}: {points[0].status}',
                help=_way_out(asked, points[0]),
            )
        )
    return Envelope(asked, tuple(points))


def _way_out(asked: Question, point: Point) -> str:
    from qnet.units import base_unit, format_quantity

    if point.metric is None or point.status == ENDLESS:
        return ""
    best = format_quantity(point.metric, base_unit(asked.condition.dimension))
    if asked.condition.upper:
        return f"at the lowest load it is {best}: ask for more than that"
    return f"at the highest load it is {best}: ask for less than that"


def _product(over: Sequence[Grid]) -> list[tuple[float, ...]]:
    points: list[tuple[float, ...]] = [()]
    for item in over:
        points = [(*point, value) for point in points for value in item.values]
        if len(points) > MAX_POINTS:
            raise UsageError(Problem("QN010", f"the grid has more than {MAX_POINTS} points", help="use fewer values"))
    return points


def _points(asked: Question, coordinates: list[tuple[float, ...]]) -> list[Point]:
    """The search over the whole grid, told point by point."""
    import numpy as np

    size = len(coordinates)
    table: Any = np.array(coordinates, dtype=float).reshape(size, len(asked.over))
    columns = {item.name: table[:, index] for index, item in enumerate(asked.over)}
    found = search(asked.model, asked.vary, asked.condition, columns, size)
    metric = found.there.metric(asked.condition.metric)
    names, utilization = found.there.gather(busiest), found.there.gather(busiest_utilization)
    outputs = [found.there.metric(parse(name)) for name in asked.model.outputs]
    points: list[Point] = []
    for index, place in enumerate(coordinates):
        maximum = float(found.largest[index]) if found.bounded[index] else None
        if found.hopeless[index]:
            points.append(
                Point(place, "no steady state at any value", None, None, "", None, "", None, (None,) * len(outputs))
            )
        elif found.endless[index]:
            shown = _number(metric[index])
            points.append(Point(place, ENDLESS, None, None, "", shown, "", None, (None,) * len(outputs)))
        elif found.infeasible[index]:
            shown = _number(metric[index])
            points.append(
                Point(
                    place,
                    EXCEEDED if asked.condition.upper else NOT_REACHED,
                    None,
                    maximum,
                    "",
                    shown,
                    "",
                    None,
                    (None,) * len(outputs),
                )
            )
        else:
            edge = f"saturation of {found.cause[index]}" if found.bounded[index] else f"range of {asked.vary}"
            points.append(
                Point(
                    place,
                    "ok",
                    float(found.value[index]),
                    maximum,
                    "limit" if found.crosses[index] else edge,
                    _number(metric[index]),
                    str(names[index]),
                    float(utilization[index]),
                    tuple(_number(output[index]) for output in outputs),
                )
            )
    return points


def _number(value: Any) -> float | None:
    number = float(value)
    return number if abs(number) < float("inf") else None
