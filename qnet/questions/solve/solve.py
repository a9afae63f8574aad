"""The report on the figures of a system at one point, with intervals by its calibration and margins of assertions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from qnet.errors import NoAnswer, NotComputed, Problem
from qnet.expression import Expression, parse, solution_name
from qnet.expression.names import MAX_THROUGHPUT
from qnet.lazy import lazy, np
from qnet.model.bind import depends_on_population
from qnet.model.model import Model, fact
from qnet.networks.exactness import LAYERS
from qnet.networks.routed import NO_CAPACITY
from qnet.networks.solution import ClassFigures, ClassStationFigures, RoutedSolution
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.points.expression_values import expression_value, patient
from qnet.questions.points.points import Solved, needs_solution, solve_points
from qnet.questions.points.saturation import Saturation, largest_throughput, saturation
from qnet.questions.points.solution_figures import COLUMNS as FULL
from qnet.questions.points.solution_figures import buffer_cells, losing
from qnet.questions.presentation.columns import effect_notes
from qnet.questions.presentation.labels import (
    all_exact,
    asks_percentile,
    fitted_notes,
    label,
    means_exact,
    percentile_notes,
    pool_notes,
    trust_notes,
    undefined_notes,
)
from qnet.questions.presentation.provenance import Basis
from qnet.reports.content import Bars, Cell, Column, Note, row_maker
from qnet.reports.report import Report
from qnet.units import base_unit, format_quantity, in_unit

if TYPE_CHECKING:
    from qnet.model import metrics
    from qnet.model.conditions import Condition
    from qnet.model.metrics import Metric
    from qnet.questions import uncertainty
    from qnet.questions.presentation import assertions, summaries
    from qnet.questions.solve import selected
else:
    uncertainty = lazy("qnet.questions.uncertainty")
    metrics = lazy("qnet.model.metrics")
    assertions = lazy("qnet.questions.presentation.assertions")
    summaries = lazy("qnet.questions.presentation.summaries")
    selected = lazy("qnet.questions.solve.selected")

_FIGURES = ("throughput", "response")


def _with_intervals(
    model: Model,
    solved: Solved,
    columns: Sequence[Column],
    rows: Sequence[tuple[Cell, ...]],
    asked: Sequence[Metric],
    wanted: Wanted,
) -> tuple[tuple[Column, ...], list[tuple[Cell, ...]], list[Note]]:
    """The columns and rows of a solution with the intervals of throughputs, responses, outputs and metrics, and notes
    on them.

    solved   the model at its stated point.
    asked    the metrics, in the order of their rows.
    """
    keys = [column.key for column in columns]
    expressions: list[Expression] = []
    targets: list[tuple[int, int, str]] = []
    """Of each expression: its row, its first column in `DOUBT`, and its unit."""
    remaining = iter(asked)
    for number, row in enumerate(rows):
        scope, name = row[keys.index("scope")], row[keys.index("name")]
        if scope == "output":
            output = model.outputs[str(name)]
            expressions.append(parse(str(name)))
            targets.append((number, 4, output.unit or base_unit(output.dimension)))
        elif scope == "metric":
            item = next(remaining)
            expressions.append(item.expression)
            targets.append((number, 4, item.unit))
        elif scope in ("system", "class"):
            figures = [figure if scope == "system" else solution_name(figure, str(name)) for figure in _FIGURES]
            expressions += [parse(item) for item in figures]
            targets += [(number, 0, ""), (number, 2, "")]
    here = np.array([[float(expression_value(solved, item))] for item in expressions])
    doubts = uncertainty.Doubts(model)
    carried = doubts.at({}, 1, expressions, here, wanted)
    added: list[list[Cell]] = [[None] * len(DOUBT) for _ in rows]
    for index, (number, first, unit) in enumerate(targets):
        for side, values in enumerate((carried.low, carried.high)):
            value = float(values[index, 0])
            if abs(value) < float("inf"):
                added[number][first + side] = in_unit(value, unit) if unit else value
    listed = [(*row, *more) for row, more in zip(rows, added, strict=True)]
    return (*columns, *DOUBT), listed, doubts.notes(carried.lame, expressions)


COLUMNS = (
    Column("scope", "scope"),
    Column("name", "name"),
    Column("class", "class"),
    Column("copies", "copies"),
    Column("servers", "servers"),
    Column("probability", "probability"),
    Column("throughput", "throughput", "/s"),
    Column("response", "response", "s"),
    Column("residence", "residence", "s"),
    Column("wait", "wait", "s"),
    Column("holding", "holding", "s"),
    Column("utilization", "utilization"),
    Column("busy_servers", "busy servers"),
    Column("queue_length", "queue length"),
    Column("maximum_throughput", "maximum throughput", "/s"),
    Column("limited_by", "limited by"),
    Column("value", "value", unit_in="unit"),
    Column("unit", "unit"),
    Column("population", "population"),
    Column("think_time", "think time", "s"),
    Column("throughput_lower", "throughput at least", "/s"),
    Column("throughput_upper", "throughput at most", "/s"),
    Column("response_lower", "response at least", "s"),
    Column("response_upper", "response at most", "s"),
    Column("customers", "customers"),
    Column("method", "method", footed=True),
    Column("exactness", "exactness", footed=True),
)
"""`scope` is the subject of a row: system, class, class of chain, route, station, buffer, branch, class at station,
state, output, metric, or assertion.

A chain is a class; a row of scope `class of chain` has one of its classes as `name`, and the chain as `class`.
A row of scope `branch` has a branch of a parallel step: the `probability` that it is the last one that the step waits
for, its mean time as `residence`, and the rest of the step, in which it waits for others, as `wait`. A row of scope
`state` has the probability that this number of `customers` of closed classes are at one copy. The `exactness` of the
system is that of its means; outputs, metrics and assertions have that of their figures."""

DOUBT = (
    Column("throughput_low", "throughput low", "/s"),
    Column("throughput_high", "throughput high", "/s"),
    Column("response_low", "response low", "s"),
    Column("response_high", "response high", "s"),
    Column("value_low", "value low", unit_in="unit"),
    Column("value_high", "value high", unit_in="unit"),
)
"""The intervals from the uncertainty of calibrated parameters, where a model states it."""
MARGIN = (
    Column("bound", "limit", unit_in="unit"),
    Column("margin", "margin", unit_in="unit"),
    Column("margin_percent", "margin percent"),
    Column("holds", "holds"),
)
"""Columns of scope `assertion`: the distance of `value` from the limit, positive where the condition holds, in the unit
of the row and in percent of the limit."""
OPTIONAL = (*FULL, *DOUBT, *MARGIN)

_row = row_maker((*COLUMNS, *FULL))
_MAXIMUM = [column.key for column in COLUMNS].index("maximum_throughput")


def solve_report(
    model: Model, wanted: Wanted = AUTO, asserted: Sequence[str] = (), metric: Sequence[str] = (),
    percentile: Sequence[float] = (), unit: str = "", only: bool = False,
) -> Report:  # fmt: skip
    """Solve a model as it stands and report its figures by class, route and station.

    wanted       the method and its budget.
    asserted     conditions that the answer must meet, each reported with its margin; those that are false stand in
                 `broken` of the report.
    metric       metrics to report instead of all figures.
    percentile   percentiles of response time to report, in percent: of all passages, and by class if there are several.
    unit         the unit of the metrics and percentiles.
    only         report the first metric or percentile only.
    Raises       `NoAnswer` where there is no steady state, naming what is overloaded, by how much, and the saturation
                 throughput; or where the only metric has no value.
    """
    claimed = claims(asserted, model)
    brief = bool(metric) or only
    asked = selected.selected(model, metric, percentile, unit) if metric or percentile else []
    read = (*(item.expression for item in asked), *(item.metric for item in claimed))
    solved = solve_points(model, asked=patient(model, wanted, read))
    edge = saturation(model, solved, wanted=wanted)
    solution = solved.parts[0].solution
    if not solution.stable:
        raise no_steady_state(model, solved, edge)
    if solution.ceiling and depends_on_population(model):
        # Demands change with the population, so that the limit of this network for many customers has no meaning.
        solution = solution.replace(ceiling=None)
    columns = (*COLUMNS, *FULL) if solution.offered is not None or solution.buffers else COLUMNS
    if only and asked:
        asked = asked[:1]
        selected.defined_value(model, solved, asked[0])
    outputs = {} if brief else model.outputs
    expressions = [item.expression for item in asked]
    listed = [*(output.expression for output in outputs.values()), *expressions, *(item.metric for item in claimed)]
    named = [*(parse(name) for name in outputs), *expressions]
    exact = all_exact(model, listed, solved.parts)
    shown = [item for item in listed if not asks_percentile(model, [item])]
    means = bool(not brief or shown) and means_exact(model, listed, solved.parts)
    every = [] if brief else [*_rows(solution, edge, all_exact(model, (), solved.parts)), *_outputs(model, solved)]
    every += [_row(**cells) for cells in selected.metric_rows(model, solved, asked)] if asked else []
    largest = any(MAX_THROUGHPUT in item.names for item in listed) or any(row[_MAXIMUM] is not None for row in every)
    notes = [*trust_notes(solution), *undefined_notes([solved], named), *_notes(model, solved, edge, listed, largest)]
    rows = [row[: len(columns)] for row in every]
    if model.calibration is not None and not only:
        columns, rows, more = _with_intervals(model, solved, columns, rows, asked, wanted)
        notes += more
    if claimed:
        columns, rows = _with_margins(model, columns, rows, solved, claimed)
    return Report(
        schema="qnet/solution/1",
        title=model.title,
        columns=columns,
        rows=rows,
        notes=tuple(notes),
        meta=Basis(model, solution.method, exact, means=means, **_method_record(solution)),
        group="scope",
        once=("system", "class"),
        plot=Bars("name", ("utilization",), by="scope", only=("station",)),
        broken=false_claims(solved, claimed),
        summary=None if brief else lambda report: summaries.of_solution(report),
    )


def _notes(
    model: Model, solved: Solved, edge: Saturation, listed: Sequence[Expression], largest: bool
) -> Iterator[Note]:
    """Notes on a model, its percentiles, its saturation where it is shown, and on settings without effect."""
    yield from pool_notes(model)
    yield from fitted_notes(model)
    yield from percentile_notes(model, listed, solved.parts)
    if largest:
        yield from edge.notes
    yield from effect_notes(model, model.settings, listed)


def _with_margins(
    model: Model, columns: Sequence[Column], rows: Sequence[tuple[Cell, ...]], solved: Solved,
    claimed: Sequence[Condition],
) -> tuple[tuple[Column, ...], list[tuple[Cell, ...]]]:  # fmt: skip
    """The columns and rows of a solution, with a row for every assertion."""
    wider = (*columns, *MARGIN)
    row, empty = row_maker(wider), (None,) * len(MARGIN)
    margins = [row(**cells) for cells in selected.margin_rows(model, solved, claimed)]
    return wider, [*((*cells, *empty) for cells in rows), *margins]


def metric_value(model: Model, text: str, wanted: Wanted = AUTO, unit: str = "") -> float:
    """The value of one metric of a model as it stands.

    text     an expression over parameters, outputs and figures, such as `response_p95` or `max_throughput`.
    wanted   the method and its budget.
    unit     the unit of the result; empty: the base unit.
    Raises   `UsageError` for an unknown metric, `NoAnswer` without a steady state or a finite value.
    """
    asked = metrics.metric(text, model)
    asked = selected.selected(model, [text], shown=unit)[0] if unit else asked.replace(unit="")
    better = patient(model, wanted, [asked.expression])
    known = _KNOWN.get(better)
    solved = known(model) if known else solve_points(model, asked=better)
    if not solved.stable:
        raise no_steady_state(model, solved, saturation(model, solved, wanted=wanted))
    return selected.defined_value(model, solved, asked)


@fact
def _solved(model: Model) -> Solved:
    """The solution of a model as it stands, cached because sessions read one figure after the other."""
    return solve_points(model)


@fact
def _better(model: Model) -> Solved:
    """The solution by the Markov chain where the method of `_solved` would warn; cached as well."""
    return solve_points(model, asked=_BETTER)


_BETTER = AUTO.replace(better=True)
_KNOWN = {AUTO: _solved, _BETTER: _better}
"""The cached solutions, by what is wanted of them."""


def claims(asserted: Sequence[str], model: Model) -> tuple[Condition, ...]:
    """Parse the conditions that are asserted of an answer.

    asserted  texts such as `response <= 10 ms`, over parameters, outputs and figures of the model.
    Raises    `UsageError` with the problems of all of them.
    """
    if not asserted:
        return ()
    return assertions.conditions(asserted, model)


def false_claims(solved: Solved, claimed: tuple[Condition, ...]) -> tuple[Problem, ...]:
    """A problem for each condition of `claimed` that does not hold for `solved`, a model at one point."""
    if not claimed:
        return ()
    return tuple(assertions.broken(solved, claimed))


def _method_record(solution: RoutedSolution) -> dict[str, Any]:
    """The reason for the method, and the normalizing constant, for solutions that have them."""
    details = {"why": solution.why, "log_normalising_constant": solution.log_constant}
    return {key: value for key, value in details.items() if value not in ("", None)}


def no_steady_state(model: Model, solved: Solved, edge: Saturation) -> NoAnswer | NotComputed:
    """The error for a model without a steady state: what is overloaded, by how much, and the saturation throughput.

    solved   the model at one point.
    edge     the factor on its arrival rates at which the steady state ends, and the station that causes it.
    Returns  `NotComputed` QN540 where there is a steady state, which the method does not compute.
    """
    solution = solved.parts[0].solution
    if solution.method == LAYERS and edge.reached and 1 < edge.factor < float("inf"):
        arrivals = sum(item.throughput for item in solution.classes if item.population is None)
        most = format_quantity(arrivals * edge.factor, "/s", 6)
        text = f"the waits of the layers did not converge: too near the saturation throughput of {most}"
        return NotComputed(Problem("QN540", text, "a lower load", file=model.name))
    if all(item.population is not None for item in solution.classes):
        worst = max(solution.loads, key=lambda item: float(item.load))
        if worst.load >= NO_CAPACITY:
            text = f'no steady state: the capacity of "{worst.name}" is 0'
            return NoAnswer(Problem("QN401", text, "a load below every capacity", file=model.name))
        text = f'no steady state: "{worst.name}" would be {100 * worst.load:.4g} % utilized by second-phase work'
        help = "fewer customers, or less second-phase work"
        return NoAnswer(Problem("QN401", text, "a load below every capacity", help=help, file=model.name))
    arrivals = sum(item.throughput for item in solution.classes if item.population is None)
    largest = arrivals * edge.factor
    cause = next((item for item in solution.loads if item.name == edge.cause), None)
    asked = format_quantity(arrivals, "/s", 6)
    none = cause is not None and cause.load >= NO_CAPACITY
    if none:
        text = f'no steady state: the capacity of "{edge.cause}" is 0, at {asked}'
    elif cause is not None and cause.load >= 1 and cause.certain and not needs_solution(model):
        text = f'no steady state: "{edge.cause}" would be {100 * cause.load:.4g} % utilized, at {asked}'
    else:
        text = f'no steady state: "{edge.cause}" is saturated, at {asked}'
    possible = format_quantity(largest, "/s", 6)
    if edge.approximate:
        possible += f", by an approximation (method {solution.method})"
    help = f"the saturation throughput is {possible}"
    if none or not largest > 0:
        help = "there is no steady state at any rate"
    elif edge.cut and not edge.reached:
        help = "the saturation throughput is lower: the search for it takes more than --operations"
    for item in solution.buffers:
        if item.time_to_fill < float("inf"):
            help += f'; "{item.name}", if empty at first, is full after {format_quantity(item.time_to_fill, "s", 4)}'
    return NoAnswer(Problem("QN401", text, "a load below every capacity", help=help, file=model.name))


_Rows = list[tuple[Cell, ...]]


def _rows(solution: RoutedSolution, edge: Saturation, exact: bool) -> _Rows:
    maximum, cause = largest_throughput(solution, edge)
    system = _row(
        scope="system",
        throughput=solution.throughput,
        response=solution.response,
        maximum_throughput=maximum,
        limited_by=cause,
        method=solution.method,
        exactness=label(exact),
        **losing(solution.offered, solution.throughput),
    )
    result = [system, *_classes(solution, edge), *_of_chains(solution), *_routes(solution), *_stations(solution)]
    buffers = [_row(scope="buffer", **buffer_cells(item)) for item in solution.buffers]
    return [*result, *buffers, *_branches(solution), *_visits(solution), *_states(solution)]


def _count(number: Any) -> float | None:
    """A number of customers as an integer where it is one."""
    return int(number) if number is not None and float(number).is_integer() else number


def _classes(solution: RoutedSolution, edge: Saturation) -> _Rows:
    mixed = any(item.population is not None for item in solution.classes) and edge.factor < float("inf")
    return [
        _row(
            scope="class",
            name=item.name,
            throughput=item.throughput,
            response=item.response,
            population=_count(item.population),
            think_time=item.think_time,
            maximum_throughput=item.throughput * edge.factor if mixed and item.population is None else None,
            limited_by=edge.cause if mixed and item.population is None else None,
            **_enclosed(item),
            **losing(item.offered, item.throughput),
        )
        for item in solution.classes
    ]


def _of_chains(solution: RoutedSolution) -> _Rows:
    """The classes of chains: the time of a passage of the chain in each, and the number of customers in it."""
    members: dict[tuple[str, str], list[ClassStationFigures]] = {}
    for item in solution.visits:
        if item.chain:
            members.setdefault((item.chain, item.class_name), []).append(item)
    return [
        _row(
            scope="class of chain",
            name=name,
            class_=chain,
            residence=sum(item.residence for item in each),
            queue_length=sum(item.queue_length for item in each),
        )
        for (chain, name), each in members.items()
    ]


def _routes(solution: RoutedSolution) -> _Rows:
    """The routes of classes that have several."""
    return [
        _row(
            scope="route",
            name=item.name,
            class_=item.class_name,
            probability=item.probability,
            throughput=item.throughput,
            response=item.response,
            **losing(item.offered, item.throughput),
        )
        for item in solution.routes
        if sum(other.class_name == item.class_name for other in solution.routes) > 1
    ]


def _stations(solution: RoutedSolution) -> _Rows:
    return [
        _row(
            scope="station",
            name=item.label,
            copies=item.copies,
            servers=None if item.utilization is None else item.servers,
            throughput=item.throughput,
            residence=item.residence,
            wait=item.wait,
            holding=item.holding,
            utilization=item.utilization,
            busy_servers=item.busy_servers,
            queue_length=item.queue_length,
            **losing(item.offered, item.throughput),
        )
        for item in solution.stations
    ]


def _branches(solution: RoutedSolution) -> _Rows:
    """The branches of parallel steps, each with its mean wait for the others, if the step waits for all of them."""
    return [
        _row(
            scope="branch",
            name=item.name,
            class_=item.class_name,
            copies=item.copies,
            probability=item.awaited,
            residence=item.time,
            wait=item.total - item.time if item.needed == item.width else None,
        )
        for item in solution.branches
    ]


def _visits(solution: RoutedSolution) -> _Rows:
    """The classes at the stations, where there are several classes or a chain."""
    if len(solution.classes) < 2 and not any(item.chain for item in solution.visits):
        return []
    return [
        _row(
            scope="class at station",
            name=item.label,
            class_=item.class_name,
            throughput=item.throughput,
            residence=item.residence,
            utilization=item.utilization,
            queue_length=item.queue_length,
        )
        for item in solution.visits
        if item.throughput > 0
    ]


def _states(solution: RoutedSolution) -> _Rows:
    return [
        _row(scope="state", name=label, customers=count, probability=share)
        for label, row in (solution.states or {}).items()
        for count, share in enumerate(row)
    ]


def _enclosed(item: ClassFigures) -> dict[str, Cell]:
    """The bounds of a class; those of the throughput of an open class would repeat its arrival rate."""
    if not item.enclosed:
        return {}
    *rates, lower, upper = item.enclosed
    bounded: dict[str, Cell] = {"response_lower": lower, "response_upper": upper}
    if item.population is not None:
        bounded |= zip(("throughput_lower", "throughput_upper"), rates, strict=True)
    return bounded


def _outputs(model: Model, solved: Solved) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = []
    for name, output in model.outputs.items():
        shown = output.unit or base_unit(output.dimension)
        value = float(expression_value(solved, parse(name)))
        reported = in_unit(value, shown) if abs(value) < float("inf") else None
        exactness = label(all_exact(model, [output.expression], solved.parts))
        rows.append(_row(scope="output", name=name, value=reported, unit=shown or None, exactness=exactness))
    return rows
