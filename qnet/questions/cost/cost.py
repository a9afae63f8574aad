"""Costs: busy server time per unit of something else, split by station, class and route."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qnet.errors import NoAnswer, NotComputed, Problem, UsageError, short, suggest
from qnet.expression import Operations, Value
from qnet.lazy import np
from qnet.model.bind import bind, counted, structures
from qnet.model.costs import classes_of, counts, names, stated_cost, stations_of
from qnet.model.fields import TABLES
from qnet.model.grids import Grid, combinations, joined_grids
from qnet.model.model import ChainModel, CostModel, Model
from qnet.model.scope import depends_on_solution, uses_solution
from qnet.model.values import Values
from qnet.networks.routed import OpenClass, RoutedNetwork
from qnet.networks.wanted import AUTO, Wanted
from qnet.networks.work import route_demands
from qnet.questions.points.points import Part, needs_solution, solve_points
from qnet.queues.arithmetic import total
from qnet.record import Record

OK = "ok"
BY_DEMANDS = "demands"
"""The method where nothing had to be solved."""
MAX_POINTS = 100_000
"""Most points of a grid; a choice that bounds memory."""


class CostPart(Record):
    """The contribution of one route at one group of copies of a station."""

    station: str
    """The label of the group of copies."""
    class_name: str
    route: str
    """The route, or the class of a chain."""
    passages: Value
    """The share of the route, or of the chain, in the passages that count."""
    demand: Value
    """Seconds of server time per passage of the route, or of the chain."""
    chain: bool = False
    """Whether the class is a chain, each of whose passages belongs to all of its classes."""

    @property
    def taken(self) -> tuple[str, str]:
        """A key of the passages: those of a route, or of a chain, whose classes all share the same passages."""
        return self.class_name, "" if self.chain else self.route


class Cost(Record):
    """A cost at one point."""

    cost: CostModel
    coordinates: tuple[float, ...]
    """The values of the parameters of the grid, in base units."""
    status: str
    """`ok`, or why there is no cost here."""
    per: float
    """Units per passage."""
    parts: tuple[CostPart, ...]
    """The parts in the order of the classes, their routes, and the stations; empty without an answer."""

    @property
    def demand(self) -> float:
        """Seconds of server time per passage."""
        return total(part.passages * part.demand for part in self.parts)

    @property
    def value(self) -> float | None:
        """Seconds of server time per unit; None where there is no answer."""
        return self.demand / self.per if self.status == OK else None


class Costs(Record):
    """Costs of one model at every point of a grid."""

    model: Model
    over: tuple[Grid, ...]
    points: tuple[Cost, ...]
    """Every cost at every point of the grid."""
    method: str
    exact: bool
    reasons: tuple[str, ...]
    wanted: Wanted = AUTO


def cost(
    model: Model,
    names: Sequence[str] = (),
    of: Sequence[str] = (),
    per: str = "1",
    class_name: str = "",
    route: Sequence[str] = (),
    unit: str = "",
    over: Sequence[str] = (),
    work: Sequence[str] = (),
    wanted: Wanted = AUTO,
) -> Costs:
    """The server time that a unit of something takes, such as CP CPU time per page moved.

    names        costs that the model states; without names and `of`: all that it states.
    of           instead of names: the stations whose server time counts, or `all`.
    per          with `of`: units per passage, an expression over the parameters of the model.
    class_name   with `of`: the class whose passages count; empty for all classes.
    route        with `of`: the routes whose passages count, or the classes of a chain whose time counts.
    unit         with `of`: the unit of the result.
    work         with `of`: the kinds of work that count, as steps state them; none: all work.
    over         grids of other parameters, such as `device=scsi,eckd`.
    wanted       the method and its budget, where the network has to be solved.
    Returns      `Costs`: for every cost and point, seconds of server time per unit, and its parts.
    Raises       `UsageError` for names that the model does not have; `NoAnswer` where no point has a steady state,
                 `NotComputed` where the units per passage are 0 at every point.

    Method       (sum of X_r D_r) / (sum of X_r) / per, over the routes r that count: X_r is the throughput of the
                 route, D_r its demand as `route_demands` defines it, without waits. A chain is one such route: X_r is
                 the throughput of the chain, and D_r the demand of a passage in all of its classes that count. The
                 network is solved only where several classes count and some are closed, where several routes count and
                 customers may be lost, or where times depend on the solution.
    """
    asked = [stated_cost(model, of, per, class_name, route, unit, work)] if of else stated_costs(model, names)
    return costs(model, asked, tuple(item for text in over for item in joined_grids(text, model)), wanted)


def costs(model: Model, asked: Sequence[CostModel], grids: tuple[Grid, ...], wanted: Wanted = AUTO) -> Costs:
    """The costs `asked` of a model at every point of the product of `grids`; otherwise as `cost`."""
    columns, size = _columns(grids)
    result: list[list[Cost]] = [[] for _ in asked]
    trust: dict[str, None] = {}
    exact, reasons = True, dict[str, None]()
    for points, values, network, part in _networks(model, asked, columns, size, wanted):
        trust[part.solution.method if part else BY_DEMANDS] = None
        if part:
            exact, reasons = exact and part.solution.exact, {**reasons, **dict.fromkeys(part.solution.reasons)}
        for item, costs in zip(asked, result, strict=True):
            costs += _at_points(model, item, values, network, part, points, grids, columns)
    _refuse_none([item for costs in result for item in costs])
    order = {index: number for number, index in enumerate(_coordinates(columns, size))}
    ordered = [item for costs in result for item in sorted(costs, key=lambda item: order[item.coordinates])]
    return Costs(
        model=model,
        over=grids,
        points=tuple(ordered),
        method=", ".join(trust),
        exact=exact,
        reasons=tuple(reasons),
        wanted=wanted,
    )


def cost_parts(
    network: RoutedNetwork,
    stations: Sequence[str],
    asked: CostModel,
    throughputs: Sequence[Value] | None,
    operations: Operations,
    completed: Mapping[tuple[int, str], Value] | None = None,
) -> list[CostPart]:
    """The parts of a cost, which is the sum of their passages x demand, divided by the units per passage.

    network      the network, with numbers, arrays or symbols.
    stations     the names of the stations that count.
    asked        the cost, which selects classes, routes and kinds of work.
    throughputs  passages per second of every class; None where only one class counts.
    operations   the operations on the numbers of the network.
    completed    passages completed per second, by the number of a class and its route, where customers may be lost;
                 None: those of the class times the probability of the route.
    Returns      a part for each station, class and route, with its share of the passages and its demand in seconds.
    """
    carried = completed or {}
    counted = {
        (number, route.name): carried.get(
            (number, route.name), (rate if throughputs else 1.0) * (1.0 if customers.chain else route.probability)
        )
        for number, (customers, rate) in enumerate(
            zip(network.classes, throughputs or [1.0] * len(network.classes), strict=True)
        )
        if asked.class_name in ("", customers.name)
        for route in customers.routes
        if counts(asked, route.name)
    }
    # The classes of a chain share the same passages, which count once.
    passages = {
        (number, "" if network.classes[number].chain else route): rate for (number, route), rate in counted.items()
    }
    all_passages = total(passages.values())
    idle = 1 * (all_passages == 0)
    all_passages = all_passages + idle * len(passages)
    classes = {customers.name: (number, customers.chain) for number, customers in enumerate(network.classes)}
    result: list[CostPart] = []
    for item in route_demands(network, operations, asked.work):
        number, chain = classes[item.class_name]
        if item.station in stations and (number, item.route) in counted:
            share = (counted[number, item.route] + idle) / all_passages
            result.append(CostPart(item.label, item.class_name, item.route, share, item.demand, chain))
    return result


def stated_costs(model: Model, names: Sequence[str]) -> list[CostModel]:
    """The costs that a model states by those names, or all without names; raises `UsageError` QN024 for none."""
    for name in names:
        if name not in model.costs:
            help = suggest(name, list(model.costs)) if model.costs else "the model states none; ask with --of and --per"
            raise UsageError(Problem("QN024", f'unknown cost "{short(name)}"', help=help))
    if not model.costs:
        text, help = "the model states no costs", "such as --of cpu --per faults, or [costs.NAME] in the model"
        raise UsageError(Problem("QN024", text, "--of STATION, and --per EXPRESSION", help=help))
    return [model.costs[name] for name in names or model.costs]


def _columns(grids: Sequence[Grid]) -> tuple[dict[str, Any], int | None]:
    """The values of the parameters at every point of the product of some grids, and the number of points, None
    without grids."""
    if not grids:
        return {}, None
    names = [item.name for item in grids]
    if len(set(names)) < len(names):
        raise UsageError(Problem("QN010", "a parameter is in the grid twice", "one --over with all its values"))
    table: Any = np.array(combinations(grids, MAX_POINTS), dtype=float)
    return {name: table[:, index] for index, name in enumerate(names)}, len(table)


def _coordinates(columns: Mapping[str, Any], size: int | None) -> list[tuple[float, ...]]:
    return [()] if size is None else list(zip(*(column.tolist() for column in columns.values()), strict=True))


def _networks(
    model: Model, asked: Sequence[CostModel], columns: Mapping[str, Any], size: int | None, wanted: Wanted
) -> list[tuple[Any, Values, RoutedNetwork, Part | None]]:
    """The groups of points that share a structure: their indices, parameters, network, and solution if needed."""
    if _must_solve(model, asked):
        parts = solve_points(model, columns, size, asked=wanted).parts
        return [(part.points, part.values, part.solution.network or bind(model, part.values), part) for part in parts]
    values = Values(model, columns, size)
    if size is None:
        return [(None, values, bind(model, values), None)]
    result: list[tuple[Any, Values, RoutedNetwork, Part | None]] = []
    for points in structures(model, values):
        at_points = Values(model, {name: column[points] for name, column in columns.items()}, len(points))
        result.append((points, at_points, bind(model, at_points), None))
    return result


def _must_solve(model: Model, asked: Sequence[CostModel]) -> bool:
    """Whether a cost depends on the solution: on throughputs that are not given, or on figures."""
    dependent = depends_on_solution(model)
    for item in asked:
        classes = classes_of(item, model)
        mixed = len(classes) > 1 and any(customers.arrival_rate is None for customers in classes)
        if mixed or loses_some(item, model) or uses_solution(item.per, dependent):
            return True
    return needs_solution(model) or bool(counted(model))


def loses_some(asked: CostModel, model: Model) -> bool:
    """Whether several routes count, of which customers may be lost in different shares.

    asked   the cost.
    model   of which it is asked.
    """
    ways = [
        1 if isinstance(customers, ChainModel) else sum(counts(asked, route) for route in names(customers))
        for customers in classes_of(asked, model)
    ]
    return model.loses and sum(ways) > 1


def _completed(network: RoutedNetwork, part: Part | None) -> dict[tuple[int, str], Value] | None:
    """The throughput of every route of a class, by the number of the class; None where no customers are lost."""
    if part is None or part.solution.offered is None:
        return None
    numbers = {customers.name: number for number, customers in enumerate(network.classes)}
    return {(numbers[item.class_name], item.name): item.throughput for item in part.solution.routes}


def _throughputs(model: Model, asked: CostModel, network: RoutedNetwork, part: Part | None) -> list[Value] | None:
    if len(classes_of(asked, model)) == 1:
        return None
    if part is not None:
        return [item.throughput for item in part.solution.classes]
    return [item.arrival_rate if isinstance(item, OpenClass) else 0.0 for item in network.classes]


def _at_points(
    model: Model,
    asked: CostModel,
    values: Values,
    network: RoutedNetwork,
    part: Part | None,
    points: Any,
    grids: Sequence[Grid],
    columns: Mapping[str, Any],
) -> list[Cost]:
    """One cost at every point of a batch, or at the only one."""
    per = values.field(asked.per, TABLES["cost"]["per"], (*asked.path, "per"))
    stations = stations_of(asked, model)
    throughputs = _throughputs(model, asked, network, part)
    parts = cost_parts(network, stations, asked, throughputs, values.operations, _completed(network, part))
    stable = part.solution.stable if part else True
    if points is None:
        return [_cost(asked, values, (), float(per), bool(stable), parts)]
    size = len(points)

    def row(value: Value) -> list[Any]:
        return np.broadcast_to(np.asarray(value), (size,)).tolist()

    numbers = [(item, row(item.passages), row(item.demand)) for item in parts]
    coordinates = list(zip(*(columns[item.name][points].tolist() for item in grids), strict=True))
    result: list[Cost] = []
    for number, (point, units, is_stable) in enumerate(zip(coordinates, row(per), row(stable), strict=True)):
        at_point = [item.replace(passages=share[number], demand=demand[number]) for item, share, demand in numbers]
        result.append(_cost(asked, values, point, units, is_stable, at_point))
    return result


def _cost(
    asked: CostModel, values: Values, point: tuple[float, ...], per: float, stable: bool, parts: Sequence[CostPart]
) -> Cost:
    if not stable:
        return Cost(asked, point, "no steady state", per, ())
    if per == 0:
        where = values.at(_quoted_names(values.model, asked)) if values.size is None else ""
        return Cost(asked, point, f'nothing to divide by: "{short(asked.per.source)}" is 0{where}', per, ())
    return Cost(asked, point, OK, per, tuple(parts))


def _quoted_names(model: Model, asked: CostModel) -> tuple[str, ...]:
    """The parameters to quote where the units are 0: those of the expression, or of its only parameter."""
    names = asked.per.names
    parameter = model.parameters.get(names[0]) if len(names) == 1 else None
    return parameter.expression.names if parameter and parameter.expression.names else names


def _refuse_none(result: Sequence[Cost]) -> None:
    """Raise `NoAnswer` or `NotComputed` where no cost has a value at any point."""
    if any(item.status == OK for item in result):
        return
    if all(item.status == "no steady state" for item in result):
        raise NoAnswer(Problem("QN401", "no steady state at any point", "a load below every capacity"))
    first = next(item for item in result if item.status != "no steady state")
    help = "choose a point where it is not 0"
    raise NotComputed(Problem("QN530", f'the cost "{first.cost.name}" has {first.status}', "units above 0", help=help))
