"""What an envelope asks of a model: the parameter, the limits, the grid, and which end is wanted."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.documents import Path
from qnet.errors import Problem, UsageError, short, suggest
from qnet.expression import Expression, parse, solution_name
from qnet.expression.nodes import Name
from qnet.model.conditions import Condition, condition
from qnet.model.grids import Grid, joined_grids, refuse_twice, varied
from qnet.model.model import EnvelopeModel, Model
from qnet.model.settings import with_settings
from qnet.networks.wanted import AUTO, Wanted
from qnet.record import Record


class Question(Record):
    """What an envelope asks of a model."""

    model: Model
    name: str
    title: str
    vary: str
    limits: tuple[Condition, ...]
    """All of them must hold."""
    over: tuple[Grid, ...]
    find: str = ""
    """`largest` or `smallest`; empty: the one that the limits stop."""
    wanted: Wanted = AUTO
    by_row: bool = False
    """Whether points are rows of a table, so that an invalid one is refused alone."""

    @property
    def stated(self) -> str:
        """The limits in the words they were asked in."""
        return " and ".join(item.source for item in self.limits)

    @property
    def shown(self) -> list[Expression]:
        """What is reported for every point: the metrics of the limits, and the outputs."""
        outputs = (output.expression for output in self.model.outputs.values())
        return [*(item.metric for item in self.limits), *outputs]


def question(
    model: Model,
    stated: EnvelopeModel | None,
    vary: str = "",
    limit: str | Sequence[str] = (),
    over: Sequence[str] = (),
    route: str = "",
    find: str = "",
    wanted: Wanted = AUTO,
) -> Question:
    """What to ask: a stated envelope of the model, or its parts, replaced by what is given.

    limit    what must hold, such as `response <= 10 ms`; of several, all.
    find     `largest` or `smallest`; empty: the one that the limits stop.
    Raises   `UsageError` where the parameter, a limit, the route or the grid is not one of the model's.
    """
    vary = vary or (stated.vary if stated else _loading_parameter(model))
    texts = ((limit,) if limit else ()) if isinstance(limit, str) else tuple(limit)
    texts = texts or (stated.limits if stated else ())
    if not texts:
        raise UsageError(
            Problem(
                "QN011",
                "there is no limit to hold",
                "--limit, such as --limit 'response <= 10 ms'",
                help=_stated(model),
            )
        )
    varied(model, vary)
    changed = model
    if stated:
        particular = {name: text for name, text in stated.settings.items() if name not in model.settings}
        changed = with_settings(model, particular, (*stated.path, "set"))
    grids_asked = tuple(over) or (stated.over if stated else ())
    axes = tuple(joined_grids(text, changed) for text in grids_asked)
    grids = tuple(item for each in axes for item in each)
    _apart(model, vary, grids)
    index: Path = () if over or not stated else (*stated.path, "over")
    origins = {
        item.name: index or f"--over {short(text)}"
        for each, text in zip(axes, grids_asked, strict=True)
        for item in each
    }
    changed = changed.replace(origins={**changed.origins, **origins})
    limits = tuple(condition(text, changed) for text in dict.fromkeys(texts))
    chosen = route or (stated.route if stated else "")
    if chosen:
        limits = _of_route(changed, limits, chosen)
    name, title = (stated.name, stated.title) if stated else ("envelope", "")
    find = find or (stated.find if stated else "")
    return Question(
        model=changed, name=name, title=title, vary=vary, limits=limits, over=grids, find=find, wanted=wanted
    )


def _apart(model: Model, vary: str, grids: Sequence[Grid]) -> None:
    """Refuse a parameter that would get its values from more than one place."""
    refuse_varied(vary, grids)
    refuse_twice(model, grids, "--over")


def refuse_varied(vary: str, grids: Sequence[Grid]) -> None:
    """Raise `UsageError` where a grid has the parameter that is varied."""
    if any(item.name == vary for item in grids):
        raise UsageError(Problem("QN010", f'"{vary}" is both varied and part of the grid'))


def questions(
    model: Model,
    names: Sequence[str] = (),
    vary: str = "",
    limit: str | Sequence[str] = (),
    over: Sequence[str] = (),
    route: str = "",
    find: str = "",
    wanted: Wanted = AUTO,
) -> list[Question]:
    """What to ask: the named envelopes of a model, all of them without a name, or a new one where a limit is given.

    Raises `UsageError` for an unknown envelope, and as `question`.
    """
    for name in names:
        if name not in model.envelopes:
            raise UsageError(Problem("QN011", f'unknown envelope "{name}"', help=suggest(name, list(model.envelopes))))
    asked: list[EnvelopeModel | None] = [model.envelopes[name] for name in names]
    if not names:
        asked = [None] if limit or not model.envelopes else list(model.envelopes.values())
    return [question(model, stated, vary, limit, over, route, find, wanted) for stated in asked]


def _stated(model: Model) -> str:
    return "or --envelope " + " or ".join(model.envelopes) if model.envelopes else ""


def _loading_parameter(model: Model) -> str:
    """The parameter that drives the arrivals, or else the populations, where it is the only one."""
    rates = dict.fromkeys(name for item in model.customers if item.arrival_rate for name in item.arrival_rate.names)
    people = dict.fromkeys(name for item in model.customers if item.population for name in item.population.names)
    if "rate" in model.parameters:
        return "rate"
    names = rates or people
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


def _of_route(model: Model, limits: Sequence[Condition], route: str) -> tuple[Condition, ...]:
    """The limits, those on the response of the system replaced by limits on that of a route."""
    routes = [item.name for customers in model.classes for item in customers.routes]
    if route not in routes:
        raise UsageError(Problem("QN219", f'unknown route "{route}"', help=suggest(route, routes)))
    response = parse("response").root
    if all(item.metric.root != response for item in limits):
        text = f'the limit "{limits[0].source}" is not on the response'
        raise UsageError(Problem("QN219", text, "response <= ... with --route"))
    name = solution_name("response", route)
    return tuple(_renamed(item, name) if item.metric.root == response else item for item in limits)


def _renamed(asked: Condition, name: str) -> Condition:
    source = f"{name} {asked.operator} {asked.source.partition(asked.operator)[2].strip()}"
    return asked.replace(source=source, metric=Expression(source, Name(name), (name,)))
