"""Read the question of an envelope: the parameter to vary, the limits, the grid, and which end is wanted."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.documents import Path
from qnet.errors import Problem, UsageError, short, suggest
from qnet.expression import Expression, parse, solution_name
from qnet.expression.nodes import Name, without_columns
from qnet.model.conditions import Condition, condition
from qnet.model.grids import Grid, joined_grids, refuse_twice, varied
from qnet.model.model import EnvelopeModel, Model
from qnet.model.settings import with_settings
from qnet.networks.wanted import AUTO, Wanted
from qnet.record import Record


class Question(Record):
    """The question of an envelope: a search for the end of the values of `vary` that meet limits, along a grid."""

    model: Model
    name: str
    """The name of an envelope that the model states, or `envelope`."""
    title: str
    vary: str
    """The parameter that is varied."""
    limits: tuple[Condition, ...]
    """The conditions, all of which must hold."""
    over: tuple[Grid, ...]
    """The grids of other parameters."""
    find: str = ""
    """`largest` or `smallest`; empty: `smallest` where limits bound the parameter from below only, else `largest`."""
    wanted: Wanted = AUTO
    """The method and its budget."""
    by_row: bool = False
    """Whether points are rows of a table, so that an invalid one does not fail the others."""

    @property
    def stated(self) -> str:
        """The limits as the user or the model states them."""
        return " and ".join(item.source for item in self.limits)

    @property
    def shown(self) -> list[Expression]:
        """The expressions that are reported for every point: the metrics of the limits, and the outputs."""
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
    """The question of a new envelope, or of one that the model states; arguments that are given replace its parts.

    model    with the parameters that were set.
    stated   an envelope of the model; None for a new one.
    vary     the parameter; empty: that of `stated`, or the one that determines the arrival rates or the populations.
    limit    conditions such as `response <= 10 ms`, all of which must hold.
    over     grids of other parameters, such as `skew=1,2,4`.
    route    the name of a route, on whose response the limits on `response` are; empty: on the mean.
    find     `largest` or `smallest`; empty as in `Question`.
    wanted   the method and its budget.
    Raises   `UsageError` without a limit, for an ambiguous parameter, and for a parameter, a limit, a route or a grid
             that does not fit the model.
    """
    vary = vary or (stated.vary if stated else _loading_parameter(model))
    texts = ((limit,) if limit else ()) if isinstance(limit, str) else tuple(limit)
    texts = texts or (stated.limits if stated else ())
    if not texts:
        raise UsageError(
            Problem(
                "QN011",
                "the envelope has no limit",
                "--limit, such as --limit 'response <= 10 ms'",
                help=_names_help(model),
            )
        )
    varied(model, vary)
    changed = model
    if stated:
        settings = {name: text for name, text in stated.settings.items() if name not in model.settings}
        changed = with_settings(model, settings, (*stated.path, "set"))
    grid_texts = tuple(over) or (stated.over if stated else ())
    axes = tuple(joined_grids(text, changed) for text in grid_texts)
    grids = tuple(item for each in axes for item in each)
    _refuse_repeated(model, vary, grids)
    path: Path = () if over or not stated else (*stated.path, "over")
    origins = {
        item.name: path or f"--over {short(text)}" for each, text in zip(axes, grid_texts, strict=True) for item in each
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


def _refuse_repeated(model: Model, vary: str, grids: Sequence[Grid]) -> None:
    """Refuse a parameter that would get its values from more than one source."""
    refuse_varied(vary, grids)
    refuse_twice(model, grids, "--over")


def refuse_varied(vary: str, grids: Sequence[Grid]) -> None:
    """Raise `UsageError` QN010 if the parameter that is varied is also one of a grid."""
    if any(item.name == vary for item in grids):
        help = f'leave "{vary}" out of the grid, or out of the columns of --rows'
        raise UsageError(Problem("QN010", f'"{vary}" is both varied and part of the grid', help=help))


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
    """The questions of the named envelopes of a model.

    names    envelopes that the model states; none: all of them, or a new one if a limit is given.
    Raises   `UsageError` QN011 for an unknown envelope, and as `question`, whose arguments the others are.
    """
    for name in names:
        if name not in model.envelopes:
            raise UsageError(Problem("QN011", f'unknown envelope "{name}"', help=suggest(name, list(model.envelopes))))
    envelopes: list[EnvelopeModel | None] = [model.envelopes[name] for name in names]
    if not names:
        envelopes = [None] if limit or not model.envelopes else list(model.envelopes.values())
    return [question(model, stated, vary, limit, over, route, find, wanted) for stated in envelopes]


def _names_help(model: Model) -> str:
    """The help that lists the envelopes that the model states; empty without any."""
    return "or --envelope " + " or ".join(model.envelopes) if model.envelopes else ""


def _loading_parameter(model: Model) -> str:
    """The parameter `rate`, or the only one in the arrival rates, or without open classes in the populations.

    Raises   `UsageError` QN011 where there is none, or more than one.
    """
    rates = dict.fromkeys(name for item in model.customers if item.arrival_rate for name in item.arrival_rate.names)
    populations = dict.fromkeys(name for item in model.customers if item.population for name in item.population.names)
    if "rate" in model.parameters:
        return "rate"
    names = rates or populations
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
    """The limits, with those on the mean response replaced by limits on the response of a route.

    Raises   `UsageError` QN219 for an unknown route, or if no limit is on the response.
    """
    routes = [item.name for customers in model.classes for item in customers.routes]
    if route not in routes:
        raise UsageError(Problem("QN219", f'unknown route "{route}"', help=suggest(route, routes)))
    response = parse("response").root
    responses = [without_columns(item.metric.root) == response for item in limits]
    if not any(responses):
        text = f'the limit "{limits[0].source}" is not on the response'
        raise UsageError(Problem("QN219", text, "response <= ... with --route"))
    name = solution_name("response", route)
    pairs = zip(limits, responses, strict=True)
    return tuple(_renamed(item, name) if renamed else item for item, renamed in pairs)


def _renamed(limit: Condition, name: str) -> Condition:
    """A limit on the figure `name` instead of its metric, with the same bound."""
    source = f"{name} {limit.operator} {limit.sides[1]}"
    return limit.replace(source=source, metric=Expression(source, Name(name), (name,)))
