"""What-if changes of stations: the effect of a faster station, and of one more server.

Speeds and added servers become parameters of the model, so that a changed model is solved like any other, at one point
or at a batch of points.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from qnet import budget
from qnet.errors import QnetError
from qnet.expression import FLOATS, Expression, Value, parse
from qnet.expression.nodes import Binary, Name
from qnet.lazy import lazy, np
from qnet.model.bind import bind
from qnet.model.model import THINK, Model, Parameter, StationModel, StepModel
from qnet.model.values import Values
from qnet.networks.exactness import STATES
from qnet.networks.routed import RoutedNetwork, at_point
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve
from qnet.networks.solvers import table
from qnet.networks.streams import streams
from qnet.networks.wanted import AUTO, Wanted
from qnet.networks.work import work
from qnet.questions.points.points import Solved, needs_solution, solve_points
from qnet.questions.points.saturation import Saturation, largest_throughput, limiting, saturation
from qnet.record import Record
from qnet.units import NUMBER, format_number

if TYPE_CHECKING:
    from qnet.networks import closed_networks, copy_classes, reduction
    from qnet.networks.layers import solve as layers
    from qnet.networks.layers import together
else:
    closed_networks = lazy("qnet.networks.closed_networks")
    copy_classes = lazy("qnet.networks.copy_classes")
    reduction = lazy("qnet.networks.reduction")
    layers = lazy("qnet.networks.layers.solve")
    together = lazy("qnet.networks.layers.together")


_MOST_TOGETHER = 12
"""The most stations whose changes are solved ahead, as one batch: of more, users mostly ask for some only."""


def speed_of(station: str) -> str:
    """The name of the parameter by which times at a station are divided; no model can define one of that name."""
    return f"speed of {station}"


def added_to(station: str) -> str:
    """The name of the parameter that is added to the servers of each copy of a station; no model can define it."""
    return f"servers added to {station}"


def changeable(model: Model) -> Model:
    """The model with two more parameters for every station: its speed, 1, and the servers added to each copy, 0.

    The speed divides the service times of a station in both phases, but neither the times at stations visited while it
    is held, nor the waits for them, nor the remainder of a fit. Delays outside stations do not change. Delay stations
    and stations with load-dependent rates have no parameter of added servers.
    """
    defaults = {speed_of(item.name): 1 for item in model.stations}
    defaults |= {added_to(item.name): 0 for item in model.stations if has_servers(item)}
    parameters = {name: Parameter(name, parse(value), dimension=NUMBER) for name, value in defaults.items()}
    classes = tuple(
        customers.replace(
            routes=tuple(
                route.replace(steps=tuple(_faster(step, "") for step in route.steps)) for route in customers.routes
            )
        )
        for customers in model.classes
    )
    chains = tuple(
        chain.replace(
            services=tuple(
                item.replace(time=_with("/", item.time, speed_of(station))) if station != THINK else item
                for item in chain.services
                for _, station in [item.state]
            )
        )
        for chain in model.chains
    )
    stations = tuple(
        item.replace(servers=_with("+", item.servers, added_to(item.name))) if has_servers(item) else item
        for item in model.stations
    )
    return model.replace(
        parameters={**model.parameters, **parameters}, classes=classes, chains=chains, stations=stations
    )


def remainders(model: Model) -> dict[str, list[str]]:
    """The times that are remainders of a fit, which no speed divides, by station.

    Returns   station, or the empty name outside stations -> the expressions as the model states them, each once.
    """
    result: dict[str, list[str]] = {}
    waiting = [(step, "") for item in model.classes for route in item.routes for step in route.steps]
    while waiting:
        step, around = waiting.pop(0)
        if step.remainder and step.time is not None and step.time.source not in result.setdefault(around, []):
            result[around].append(step.time.source)
        waiting += [(inner, step.station or around) for inner in step.inner]
    return result


def has_servers(station: StationModel) -> bool:
    """Whether servers can be added to a station: it is no delay, and its rates do not depend on the number present."""
    return not station.delay and not station.rates


def _faster(step: StepModel, station: str) -> StepModel:
    """A step with the service times of its stations divided by their speeds; `station` is the one held around it."""
    if step.branches:
        branches = tuple(
            branch.replace(steps=tuple(_faster(inner, station) for inner in branch.steps)) for branch in step.branches
        )
        return step.replace(branches=branches)
    if step.station:
        return step.replace(steps=tuple(_faster(inner, step.station) for inner in step.steps))
    if not station or step.time is None or step.remainder:
        return step
    return step.replace(time=_with("/", step.time, speed_of(station)))


def _with(operator: str, expression: Expression, name: str) -> Expression:
    """An expression combined with a parameter by an operator; its source remains that of the model."""
    return Expression(expression.source, Binary(operator, expression.root, Name(name)), (*expression.names, name))


class ClassChange(Record):
    """The figures of one class after a change: throughput per second, mean response in seconds."""

    name: str
    throughput: float
    response: float
    maximum: float | None
    """The saturation throughput of an open class of a mixed model, per second; None otherwise, and where nothing limits
    it."""


_JUDGED = 1e9
"""The operations that the chain of one change may take, about a second."""


class Change(Record):
    """A change of one station, the same at all of its copies, and its effect: rates per second, times in seconds."""

    station: str
    faster: float | None
    """The factor on the speed of the station; None where each copy has one more server instead."""
    status: str
    """`ok`, or why there is no answer."""
    throughput: float | None = None
    response: float | None = None
    maximum: float | None = None
    """The saturation throughput; None where nothing limits it or it is not known."""
    limited_by: str | None = None
    """The station or limit that causes it."""
    arrivals: float | None = None
    """The sum of the arrival rates at saturation, all growing in proportion; None without arrivals and where nothing
    limits it."""
    exact: bool = True
    method: str = ""
    """The method of the figures; empty without an answer."""
    cut: bool = False
    """Whether the search for the saturation throughput of open classes takes more than the budget."""
    classes: tuple[ClassChange, ...] = ()

    @property
    def what(self) -> str:
        """The change in words: `2 times as fast`, `one server more`."""
        return "one server more" if self.faster is None else f"{format_number(self.faster)} times as fast"

    @property
    def words(self) -> str:
        """The change and its station in words: `cpu 2 times as fast`, `one server more at cpu`."""
        return f"{self.what} at {self.station}" if self.faster is None else f"{self.station} {self.what}"


class Changes(Record):
    """Changes and the unchanged model, solved in the same way, so that their ratios are meaningful."""

    before: Change
    tried: tuple[Change, ...]

    def unlimited(self) -> Changes:
        """The same without saturation throughputs."""
        before, *tried = (item.replace(maximum=None, limited_by=None) for item in (self.before, *self.tried))
        return Changes(before, tuple(tried))


def changes(model: Model, names: Sequence[str], faster: float, wanted: Wanted = AUTO) -> Changes:
    """The effect of speeding up each of some stations, and of one more server at each copy of it.

    names    stations of the model.
    faster   the factor on the speed of a station, above 1.
    wanted   the method and its budget, which all changes share.
    Method   The speeds are solved as one batch, or one by one where each point is to get the method that it would get
             alone. Each added server is a different structure, and solved separately.
    Returns  the unchanged model, then the speeds, then the servers, both in the order of `names`; a change without an
             answer has the reason as its status.
    """
    changed = changeable(model)
    extensible = [item.name for item in model.stations if item.name in names and has_servers(item)]
    operations = wanted.operations / (1 + len(names) + len(extensible))
    asked = wanted.replace(states=False, bounds="", announce=None, operations=operations)
    points: list[tuple[str, float | None]] = [("", 1.0), *((name, faster) for name in names)]
    servers: list[tuple[str, float | None]] = [(name, None) for name in names if name in extensible]
    sped = [] if wanted.each else _speeds(changed, names, faster, asked)
    with layers_together(changed, servers if sped else [*points, *servers]):
        before, *sped = sped or [_single(changed, *point, asked) for point in points]
        more = [_single(changed, *point, asked) for point in servers]
    return Changes(before, (*sped, *more))


def judged_by_states(model: Model, tried: Sequence[Change], wanted: Wanted) -> tuple[Change, ...]:
    """Changes of a system whose figures are exact, by the Markov chain of all states: approximate figures of a change,
    also where they are trusted, cannot be compared with those.

    model    the system.
    tried    the changes, of which those that are exact or have no answer remain; of others the largest load does.
    wanted   the budget.
    """
    changed = changeable(model)
    return tuple(item if item.exact or item.status != "ok" else _by_states(changed, item, wanted) for item in tried)


def _by_states(changed: Model, change: Change, wanted: Wanted) -> Change:
    """A change by the chain of states; one without an answer, with the reason, where that takes too long."""
    asked = wanted.replace(method=STATES, states=False, bounds="", announce=None)
    try:
        with budget.trial(_JUDGED):
            solution = solve_points(changed, _varied(change.station, change.faster), asked=asked).parts[0].solution
    except QnetError:
        status = "not judged: its chain of states takes too long, and an approximation cannot be compared"
        return Change(change.station, change.faster, status=status)
    classes = zip(change.classes, solution.classes, strict=True)
    return change.replace(
        throughput=float(solution.throughput),
        response=float(solution.response),
        classes=tuple(
            old.replace(throughput=float(new.throughput), response=float(new.response)) for old, new in classes
        ),
        exact=solution.exact,
        method=solution.method,
    )


def changes_together(model: Model, faster: float) -> AbstractContextManager[None]:
    """A context in which the layers of a model and of all its changes, as made by `changes`, are solved as one batch.

    faster   the factor on the speed of a station.
    Returns  a context without effect for models of many stations, and where times depend on the solution.
    """
    if len(model.stations) > _MOST_TOGETHER or needs_solution(model):
        return nullcontext()
    points: list[tuple[str, float | None]] = [("", 1.0), *((item.name, faster) for item in model.stations)]
    points += [(item.name, None) for item in model.stations if has_servers(item)]
    return layers_together(changeable(model), points)


def layers_together(changed: Model, points: Sequence[tuple[str, float | None]]) -> AbstractContextManager[None]:
    """A context in which the layers of some changes, and those of their ceilings, are solved as one batch.

    changed  a model made by `changeable`.
    points   the changes: the station, and the factor on its speed, or None for one more server. An empty station name
             is the unchanged model.
    Returns  a context without effect where no class is closed, times depend on the solution, or a point needs no layers
             or cannot be prepared.
    """
    if needs_solution(changed) or not any(item.population is not None for item in changed.customers):
        return nullcontext()
    questions: list[together.LayerProblem] = []
    try:
        for point in points:
            reduced = reduction.Reduction(bind(changed, Values(changed, _varied(*point), None)))
            if not reduced.regular and not reduced.kept:
                return nullcontext()
            if together.announcing():  # With all changes of the model, by `changes_together`.
                return nullcontext()
            questions += layers.point_problems(reduced.network, reduced.unit)
    except QnetError:
        return nullcontext()
    return together.together(questions)


def _speeds(changed: Model, names: Sequence[str], faster: float, wanted: Wanted) -> list[Change]:
    """Solve the unchanged model and each of some stations faster as one batch, or one by one where the batch fails.

    wanted   the method, and the budget of each point.
    """
    points = [("", 1.0), *((name, faster) for name in names)]
    size = len(points)
    varied: dict[str, Value] = {
        speed_of(name): np.where(np.arange(size) == index, faster, 1.0) for index, name in enumerate(names, 1)
    }
    overall = wanted.replace(operations=wanted.operations * size, ceilings=True)
    try:
        solved = solve_points(changed, varied, size, asked=overall)
        edge = saturation(changed, solved, varied, overall)
    except QnetError:
        return [_single(changed, name, factor, wanted) for name, factor in points]
    with _ceilings_together(changed, solved):
        return [_figures(changed, solved, edge, index, *point) for index, point in enumerate(points)]


def _ceilings_together(changed: Model, solved: Solved) -> AbstractContextManager[None]:
    """A context in which the layers for the ceilings of the points of a batch, where it lacks them, are one batch."""
    part = solved.parts[0]
    if len(solved.parts) > 1 or not _for_demands(part.solution) or part.solution.ceiling is not None:
        return nullcontext()
    network = part.solution.network or bind(changed, part.values)
    if len(network.classes) > 1 or not network.closed:
        return nullcontext()
    try:
        reduced = [reduction.Reduction(network.point(index)) for index in range(solved.size or 1)]
        if not all(item.regular for item in reduced):
            return nullcontext()
        return together.together([layers.ceiling_problem(item.network, item.unit) for item in reduced])
    except QnetError:
        return nullcontext()


def _for_demands(solution: RoutedSolution) -> bool:
    """Whether a solution is by a method that works on service demands, which does not compute the ceiling."""
    return all(row.takes != "routes" for row in table.TABLE if row.name == solution.method)


def _varied(name: str, faster: float | None) -> dict[str, Value]:
    """The parameters of a change: of the station `name`, its speed, or for None one more server; no name, no change."""
    return {added_to(name): 1.0} if faster is None else {speed_of(name): faster} if name else {}


def _single(changed: Model, name: str, faster: float | None, wanted: Wanted) -> Change:
    """One change solved separately; a failure becomes its status."""
    varied = _varied(name, faster)
    try:
        solved = solve_points(changed, varied, asked=wanted)
        return _figures(changed, solved, saturation(changed, solved, varied, wanted), None, name, faster)
    except QnetError as error:
        return Change(name, faster, status=error.problems[0].found)


def _figures(
    model: Model, solved: Solved, edge: Saturation, point: int | None, name: str, faster: float | None
) -> Change:
    """The change of the station `name` with its figures, read at a point of a batch, or at a single point for None."""
    part = solved.parts[0]
    solution = part.solution
    network = solution.network or bind(model, part.values)
    if point is not None:
        network, stable = network.point(point), solution.stable[point]
        reported = (solution.throughput, solution.response, solution.classes, solution.full_at, solution.used_when_full)
        throughput, response, classes, full_at, used_when_full = at_point(reported, point)
        tried = solution.ceiling is not None
        ceiling = solution.ceiling and (float(solution.ceiling[0][point]), solution.ceiling[1][point])
        solution = solution.replace(
            throughput=throughput, response=response, classes=classes, full_at=full_at, used_when_full=used_when_full,
            ceiling=ceiling if ceiling and ceiling[1] else None,
        )  # fmt: skip
        cause = edge.cause if isinstance(edge.cause, str) else edge.cause[point]
        edge = Saturation(float(edge.factor[point]), cause, cut=edge.cut)
    else:
        stable, tried = solution.stable, True
    arriving = float(sum(item.throughput for item in solution.classes if item.population is None))
    arrivals = arriving * edge.factor if arriving > 0 and edge.factor < float("inf") and not edge.cut else None
    most = largest_throughput(solution, edge) if needs_solution(model) else _maximum(solution, edge, network, tried)
    if edge.cut and arriving > 0 and not network.closed:
        most = None, None
    change = Change(
        station=name, faster=faster, status="ok", maximum=most[0], limited_by=most[1], arrivals=arrivals,
        exact=solution.exact, method=solution.method, cut=edge.cut,
    )  # fmt: skip
    if not stable:
        full = edge.cause or (limiting(part) if point is None else limiting(part)[point])
        return change.replace(status=f"no steady state: {full}")
    mixed = bool(network.closed) and arrivals is not None
    return change.replace(
        throughput=float(solution.throughput),
        response=float(solution.response),
        classes=tuple(
            ClassChange(
                item.name,
                float(item.throughput),
                float(item.response),
                float(item.throughput * edge.factor) if mixed and item.population is None else None,
            )
            for item in solution.classes
        ),
    )


def _maximum(
    solution: RoutedSolution, edge: Saturation, network: RoutedNetwork, tried: bool
) -> tuple[float | None, str | None]:
    """The saturation throughput of a point, solved alone or in a batch, and what limits it.

    tried  whether the method has tried to compute the ceiling; where it has none then, no further solution is tried.
    """
    if len(network.closed) == 1 == len(network.classes) and solution.ceiling is None:
        inner = inside_limits(solution)
        if not solution.full_at and any(stream.around for stream in streams(network, FLOATS, [1.0]).streams):
            # Waits for the inner stations limit the throughput too, which only a solution gives.
            return (None, None) if tried else _ceiling(solution, network) or (None, None)
        limits = [
            (solution.full_at.get(item.label, item.full_at([1.0])), item.label)
            for item in work(network).groups
            if item.capacity and item.label not in inner
        ]
        most, label = min(limits, default=(None, None))
        return most, label and solution.saturated_by(label)
    return largest_throughput(solution, edge)


def _ceiling(solution: RoutedSolution, network: RoutedNetwork) -> tuple[Value, str] | None:
    """The limit of the throughput of a point as its population grows, and its cause; None where it is not known.

    Methods that work on demands do not compute it: it comes from their network then, without a solution.
    """
    if not _for_demands(solution):
        return solve(network).ceiling
    copies = copy_classes.apart(network) if any(item.per_copy_of for item in network.classes) else None
    return copies.ceiling() if copies else closed_networks.ceiling(network)


def inside_limits(solution: RoutedSolution) -> set[str]:
    """The labels of the stations inside limited subnetworks, whose capacities the throughput limits of these include.

    solution   the solution of the network with the limits.
    """
    return {label for name in solution.full_at for label in solution.held_by.get(name, {})}
