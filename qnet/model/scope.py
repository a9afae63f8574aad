"""Which names an expression may use where: parameters everywhere, figures of the solution where a solution exists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from qnet.expression import Expression, ExpressionError, solution_name
from qnet.expression.names import INSIDE, MAX_THROUGHPUT, percentile_share
from qnet.expression.nodes import Binary, Name, Node
from qnet.model.fields import LOST, OF_BUFFERS, RESERVED, SOLUTION_DIMENSIONS
from qnet.model.model import BranchModel, Model, StepModel, fact
from qnet.units import NUMBER, RATE, TIME, Dimension


def station_figures(model: Model) -> dict[str, Dimension]:
    """The figures of stations and buffers that times and parameters of `model` may depend on, with their dimensions."""
    names = ("wait", "utilization", "queue_length", "busy_servers")
    result = {
        solution_name(name, station.name): SOLUTION_DIMENSIONS[name]
        for name in names
        for station in model.stations
        # Of a service whose rate depends on the number present no part is a wait.
        if name != "wait" or not station.rates
    }
    limited = [station for station in model.stations if station.capacity is not None]
    result |= {solution_name(name, station.name): SOLUTION_DIMENSIONS[name] for name in LOST for station in limited}
    selected = ((name, buffer.name) for name in OF_BUFFERS for buffer in model.buffers)
    return result | {solution_name(name, buffer): SOLUTION_DIMENSIONS[name] for name, buffer in selected}


def all_figures(model: Model, named: Iterable[str] = ()) -> dict[str, Dimension]:
    """The figures that outputs and limits of `model` may use, of stations, classes, routes, chains and the system, with
    their dimensions.

    named   the names that an expression uses: there is no end of possible percentiles, and only these are included.
    """
    figures = station_figures(model) | dict(zip(RESERVED, (RATE, TIME), strict=True))
    figures |= {solution_name("residence", station.name): TIME for station in model.stations}
    if MAX_THROUGHPUT not in {*model.parameters, *model.outputs}:
        figures[MAX_THROUGHPUT] = RATE
    if model.loses:
        figures |= {name: SOLUTION_DIMENSIONS[name] for name in LOST}
    names = [name for item in model.classes for name in (item.name, *(route.name for route in item.routes))]
    for name in [*names, *(chain.name for chain in model.chains)]:
        for function in ("response", "throughput", *(LOST if model.loses else ())):
            figures[solution_name(function, name)] = SOLUTION_DIMENSIONS[function]
    for name in named:
        for mean in ("response", "wait"):
            known = solution_name(mean, about(name)) if about(name) else mean
            if percentile_share(name, mean) and known in figures:
                figures[name] = TIME
    return figures


def about(name: str) -> str:
    """The station, class or route that the figure called `name` is of; empty for the system.

    >>> about("response_p95('web')")
    'web'
    """
    return name.partition("('")[2].removesuffix("')")


def is_figure(name: str) -> bool:
    """Whether a name is a figure of the solution and not a parameter."""
    of_something = name.endswith("')") and not is_inside(name)
    return name in RESERVED or name in LOST or of_something or percentile_share(name) is not None


def is_inside(name: str) -> bool:
    """Whether a name is the number of customers that hold a station, known in that hold only: `inside('memory')`."""
    return name.startswith(f"{INSIDE}('")


def numbers_inside(model: Model) -> dict[str, Dimension]:
    """The numbers of holders of every station except delays, which the steps inside the hold may use."""
    return {solution_name(INSIDE, station.name): NUMBER for station in model.stations if not station.delay}


def inside_stations(model: Model, names: Iterable[str]) -> tuple[str, ...]:
    """The stations of `model` whose number of holders `names` depend on, directly or through parameters."""
    result: dict[str, None] = {}
    waiting, visited = list(names), set[str]()
    while waiting:
        name = waiting.pop()
        if is_inside(name):
            result[about(name)] = None
        elif name in model.parameters and name not in visited:
            waiting += model.parameters[name].expression.names
        visited.add(name)
    return tuple(result)


def refuse_inside(model: Model, expression: Expression) -> None:
    """Raise `ExpressionError` QN123 where an expression depends on the number of holders of a station of `model`.

    expression   one outside steps: only steps inside a hold have such a number.
    """
    for station in inside_stations(model, expression.names):
        text = f"this depends on inside('{station}'), which is defined for the steps inside only"
        raise ExpressionError(text, 0, f"busy_servers('{station}') is the mean number inside", "QN123")


@fact
def depends_on_solution(model: Model) -> frozenset[str]:
    """The parameters of `model` whose value needs the solution, directly or through others."""
    result: set[str] = set()
    for name, parameter in model.parameters.items():
        if any(is_figure(used) or used in result for used in parameter.expression.names):
            result.add(name)
    return frozenset(result)


def uses_solution(expression: Expression, dependent: frozenset[str]) -> bool:
    """Whether the value of an expression needs the solution.

    dependent   the parameters that do, as from `depends_on_solution`.
    """
    return any(is_figure(name) or name in dependent for name in expression.names)


def closure(model: Model, names: Iterable[str]) -> dict[str, None]:
    """`names`, and everything that those of them in `model` depend on: each once, the nearest first."""
    result: dict[str, None] = {}
    asked = list(names)
    for name in asked:
        if name not in result:
            result[name] = None
            item = model.parameters.get(name) or model.outputs.get(name)
            asked += item.expression.names if item else ()
    return result


def counted(model: Model) -> frozenset[str]:
    """The parameters of `model` that count something: those used by name, alone or as terms of a sum, as a population,
    or as the number of servers, copies or places.
    """
    stations, closed = model.stations, [item for item in model.customers if item.population is not None]
    counts = [item.population for item in closed]
    counts += [count for item in stations for count in (item.servers, item.copies, item.capacity)]
    counts += [item.places for item in model.buffers]
    counts += [branch.copies for item in model.classes for route in item.routes for branch in _branches(route.steps)]
    result: set[str] = set()
    waiting = [name for count in counts if count is not None for name in _terms(count.root)]
    while waiting:
        name = waiting.pop()
        if name in model.parameters and name not in result:
            result.add(name)
            waiting += _terms(model.parameters[name].expression.root)
    return frozenset(result)


def _terms(node: Node) -> Iterator[str]:
    """The names in a sum or a difference, of which each is a term; of a name alone that name."""
    match node:
        case Name(name=name):
            yield name
        case Binary(operator="+" | "-", left=left, right=right):
            yield from (*_terms(left), *_terms(right))
        case _:
            pass


def _branches(steps: Iterable[StepModel]) -> Iterator[BranchModel]:
    """All branches of parallel steps, however deep."""
    for step in steps:
        yield from step.branches
        yield from _branches(step.inner)


def rests_on(model: Model, rests: Iterable[Expression]) -> dict[str, None]:
    """The names in some expressions of `model`, and everything that they depend on, as `closure`.

    rests   the expressions.
    """
    return closure(model, (name for expression in rests for name in expression.names))


MAX_CIRCLES = 20
"""Circles that are reported; a choice: a model with more of them has one cause."""


def ordered(uses: Mapping[str, Iterable[str]]) -> tuple[list[str], list[list[str]]]:
    """The names so that each comes after those it uses, and the circles among them, the first `MAX_CIRCLES` at most.

    uses   what each name uses; uses of anything that is not a name itself do not count
    """
    done: dict[str, None] = {}
    circles: list[list[str]] = []
    for start in uses:
        trail: dict[str, Iterator[str]] = {} if start in done else {start: iter(uses[start])}
        while trail:
            name = next(reversed(trail))
            for used in trail[name]:
                if used in trail:
                    if len(circles) < MAX_CIRCLES:
                        names = list(trail)
                        circles.append([*names[names.index(used) :], used])
                elif used in uses and used not in done:
                    trail[used] = iter(uses[used])
                    break
            else:
                del trail[name]
                done[name] = None
    return list(done), circles
