"""The stations, classes, routes and kinds of work that a cost counts, and the check of what it names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qnet.errors import Problem, UsageError, short, suggest
from qnet.expression import ExpressionError, check, expression_problem, parse
from qnet.model.model import ChainModel, ClassModel, CostModel, Model
from qnet.model.scope import refuse_inside, station_figures
from qnet.units import NUMBER, TIME, UnitError, unit

ALL = "all"
"""The name for all stations but delays, unless a station is called so."""


def stations_of(cost: CostModel, model: Model) -> tuple[str, ...]:
    """The names of the stations whose busy server time a cost counts, in the order of the model."""
    named = {station.name for station in model.stations}
    every = ALL in cost.of and ALL not in named
    return tuple(item.name for item in model.stations if item.name in cost.of or (every and not item.delay))


def classes_of(cost: CostModel, model: Model) -> tuple[ClassModel | ChainModel, ...]:
    """The classes and chains of `model` of which `cost` counts at least one route."""
    return tuple(
        item
        for item in model.customers
        if cost.class_name in ("", item.name) and (not cost.routes or any(counts(cost, route) for route in names(item)))
    )


def names(customers: ClassModel | ChainModel) -> list[str]:
    """The names of the routes of a class (empty for a route without a name), or of the classes of a chain.

    customers   the class or chain.
    """
    return list(customers.classes) if isinstance(customers, ChainModel) else [item.name for item in customers.routes]


def counts(cost: CostModel, route: str) -> bool:
    """Whether `cost` counts the passages along `route` of a class that it counts."""
    return not cost.routes or route in cost.routes


def kinds_of_work(model: Model) -> tuple[str, ...]:
    """The kinds of work that the steps of `model` are labelled with, in order of appearance, each once."""
    pending = [step for customers in model.classes for route in customers.routes for step in route.steps][::-1]
    result: dict[str, None] = {}
    while pending:
        step = pending.pop()
        if step.work:
            result[step.work] = None
        pending += step.inner[::-1]
    return tuple(result)


def unknown_names(cost: CostModel, model: Model) -> Iterator[Problem]:
    """A problem for each station, kind of work, class or route that a cost names and the model does not have."""
    stations = [station.name for station in model.stations]
    for name in cost.of:
        if name not in stations and name != ALL and stations:
            yield Problem("QN212", f'unknown station "{name}"', path=(*cost.path, "of"), help=suggest(name, stations))
    kinds = kinds_of_work(model) if cost.work else ()
    for name in cost.work:
        if name not in kinds:
            help = suggest(name, kinds) if kinds else "no step has a kind of work"
            yield Problem("QN245", f'unknown work "{name}"', path=(*cost.path, "work"), help=help)
    classes = {item.name: names(item) for item in model.customers}
    if not classes or not all(chain.complete for chain in model.chains):
        return
    if cost.class_name and cost.class_name not in classes:
        help = suggest(cost.class_name, list(classes))
        yield Problem("QN245", f'unknown class "{cost.class_name}"', path=(*cost.path, "class"), help=help)
        return
    routes = classes[cost.class_name] if cost.class_name else [name for each in classes.values() for name in each]
    for name in cost.routes:
        if name not in routes and all(routes):
            text = f'unknown route "{name}"' + (f' of "{cost.class_name}"' if cost.class_name else "")
            help = suggest(name, routes)
            yield Problem("QN245", text, path=(*cost.path, "routes"), help=help)


def stated_cost(
    model: Model,
    of: Sequence[str],
    per: str = "1",
    class_name: str = "",
    routes: Sequence[str] = (),
    shown: str = "",
    work: Sequence[str] = (),
) -> CostModel:
    """A checked cost that the command line or a caller states, and not the model.

    model       whose stations, classes, routes and kinds of work may be named.
    of          stations, or `all`.
    per         units per passage, an expression over parameters and figures of stations.
    class_name  count this class only; empty for all.
    routes      count these routes only; none for all.
    shown       the display unit; empty for the base unit, seconds per unit.
    work        count steps of these kinds of work only; none for all.
    Raises      `UsageError` with everything that is wrong with it.
    """
    cost = CostModel(
        name="cost",
        of=tuple(of),
        per=parse(1),
        class_name=class_name,
        routes=tuple(routes),
        work=tuple(work),
        unit=shown,
    )
    problems = [problem.replace(path=()) for problem in unknown_names(cost, model)]
    try:
        expression = parse(per)
        refuse_inside(model, expression)
        dimension = check(expression.root, model.dimensions | station_figures(model), model.choices)
        result = TIME.times(dimension or NUMBER, -1)
        units = "passage" if per.strip() == "1" else per.strip()
        cost = cost.replace(name=f"{', '.join(of)} per {units}", per=expression, dimension=result)
        if shown and unit(shown).dimension != result:
            words = f'the unit "{short(shown)}" is {unit(shown).dimension.describe()}'
            problems.append(Problem("QN122", words, result.describe()))
    except ExpressionError as error:
        problems.append(expression_problem(error, per, before=f'in --per "{short(per)}": '))
    except UnitError as error:
        problems.append(Problem("QN101", str(error), help=error.help))
    if problems:
        raise UsageError(*problems)
    return cost
