"""The metrics that have formulas, in one table, and the functions that derive them from a model over symbols."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from qnet.errors import NoAnswer, NotComputed, Problem, QnetError, UsageError, short, suggest
from qnet.expression import Expression, ExpressionError, Value, evaluate, expression_problem, solution_name, symbols
from qnet.expression.names import MAX_THROUGHPUT, canonical, percentile_share
from qnet.expression.traced import TRACING, formula_of
from qnet.model.costs import classes_of, stations_of
from qnet.model.metrics import metric
from qnet.model.model import Model
from qnet.model.scope import is_figure
from qnet.model.values import Values
from qnet.networks.routed import OpenClass
from qnet.questions.cost.cost import cost_parts, loses_some, stated_costs
from qnet.questions.formula import bounds as bounds
from qnet.questions.formula.algebra import evaluated, solved
from qnet.questions.formula.network import FormulaCentre, Symbolic
from qnet.questions.points.points import solve_points
from qnet.questions.points.saturation import JUST_BELOW, saturation
from qnet.queues.arithmetic import total
from qnet.record import Record
from qnet.units import NUMBER, RATE, TIME, Dimension

SMALLEST, LARGEST = "smallest", "largest"
_CLOSE = 0.98
"""The share of a capacity that must be reached despite waits inside holds, for its formula to give the largest load."""
_CALL = re.compile(r"(\w+)(?:\(\s*'([^']*)'\s*\)|\(\s*\"([^\"]*)\"\s*\))?")


class MetricFormula(Record):
    """One formula of a metric: the metric itself, or one of several whose smallest or largest is the metric."""

    metric: str
    about: str
    class_name: str
    formula: Any
    """A sympy expression over the symbols of the parameters, in seconds and bytes."""
    dimension: Dimension
    combined: str = ""
    """`smallest` or `largest`, where the metric is that of all pieces of its class."""
    note: str = ""
    """A note for the report."""


_Pieces = list[MetricFormula]


class Known(Record):
    """A metric that has formulas."""

    words: str
    of: str
    """`station` or `cost` where one may be named, as in `demand('cpu')`; else empty."""
    compute: Callable[[Symbolic, str, str], _Pieces]
    """The function from a model, the name of the metric, and the station (empty: all) to the pieces."""


def pieces(symbolic: Symbolic, text: str) -> _Pieces:
    """The formulas of a metric: a name of `METRICS`, `max_NAME`, or an expression over figures and outputs.

    Raises `UsageError` QN013 where there is no such formula, and what the metric raises.
    """
    text = text.strip()
    match = _CALL.fullmatch(text)
    name, argument = (match[1], match[2] or match[3] or "") if match else ("", "")
    if canonical(text) == MAX_THROUGHPUT and text not in (*names(symbolic.model), *symbolic.model.parameters):
        return pieces(symbolic, _driven(symbolic.model, text))
    if name.startswith("max_") and not argument and name not in symbolic.model.outputs:
        return _largest(symbolic, name, name.removeprefix("max_"))
    if name in symbolic.model.costs and not argument:
        return _cost(symbolic, "cost", name)
    known = METRICS.get(name)
    if known is not None and (not argument or known.of):
        return known.compute(symbolic, name, argument)
    reported = (*symbolic.model.outputs, *symbolic.model.parameters)
    if match and not argument and name not in reported and percentile_share(name) is None:
        raise _unknown(symbolic.model, text)
    return _expression(symbolic, text)


def _driven(model: Model, text: str) -> str:
    """`max_NAME` of the parameter that is the arrival rate; raises `UsageError` QN013 where none is."""
    driving = _driving(model)
    rates = [item.arrival_rate for item in model.customers]
    if len(rates) == 1 and driving and rates[0] is not None and rates[0].source.strip() == driving[0]:
        return f"max_{driving[0]}"
    help = f"ask for max_{driving[0]}, the largest value of that parameter" if driving else ""
    help = help or f"ask for {' or '.join(main_metrics(model))}"
    words = f'there is no formula "{short(text)}": no parameter is the arrival rate of all customers'
    raise UsageError(Problem("QN013", words, help=help))


def names(model: Model) -> list[str]:
    """Every name that `--metric` takes for a model, without those of stations in them."""
    driving = [f"max_{name}" for name in _driving(model)]
    return [*METRICS, *driving, *model.outputs, *model.costs]


def main_metrics(model: Model) -> list[str]:
    """The default metrics of `model`."""
    closed = any(item.population is not None for item in model.customers)
    open_ = any(item.arrival_rate is not None for item in model.customers)
    result = ["demand"]
    if not closed:
        result += ["utilization", "response"]
    if open_:
        result += [f"max_{name}" for name in _driving(model)[:1]]
    if closed:
        result += ["n_star", "throughput_upper", "throughput_lower", "response_lower", "response_upper"]
    return [*result, *model.costs, *model.outputs]


def _unknown(model: Model, text: str) -> UsageError:
    return UsageError(Problem("QN013", f'there is no formula "{short(text)}"', help=suggest(text, names(model))))


def _driving(model: Model) -> list[str]:
    """The parameters on which arrival rates depend, `rate` first, then in the order of use."""
    used = [name for item in model.customers if item.arrival_rate for name in item.arrival_rate.names]
    result: dict[str, None] = dict.fromkeys(["rate"] if "rate" in used else [])
    while used:
        name = used.pop(0)
        if name in model.parameters and not is_figure(name):
            more = model.parameters[name].expression.names
            result.update({} if more else {name: None})
            used += more
    return list(result)


# Stations


def _chosen(symbolic: Symbolic, station: str) -> list[FormulaCentre]:
    """The groups of a station by its name or label, or all."""
    result = [item for item in symbolic.centres if station in ("", item.label, item.station.name)]
    if not result:
        every = [item.name for item in symbolic.model.stations]
        text = f'no class spends time at "{station}"' if station in every else f'unknown station "{short(station)}"'
        text = text if station else "no class spends time at a station"
        raise UsageError(Problem("QN013", text, help=suggest(station, [item.label for item in symbolic.centres])))
    return result


def _demand(symbolic: Symbolic, name: str, station: str) -> _Pieces:
    several = len(symbolic.network.classes) > 1
    return [
        MetricFormula(
            metric=name,
            about=centre.label,
            class_name=item.name if several else "",
            formula=formula_of(demand),
            dimension=TIME,
        )
        for centre in _chosen(symbolic, station)
        for item, demand in zip(symbolic.network.classes, centre.demands, strict=True)
        if demand != 0
    ]


def _utilization(symbolic: Symbolic, name: str, station: str) -> _Pieces:
    result: _Pieces = []
    refused: dict[str, list[str]] = {}
    failure: NotComputed | None = None
    for centre in _chosen(symbolic, station):
        if centre.station.delay:
            continue
        try:
            result.append(
                MetricFormula(
                    metric=name,
                    about=centre.label,
                    class_name="",
                    formula=formula_of(_used(symbolic, centre)),
                    dimension=NUMBER,
                )
            )
        except NotComputed as error:
            failure = error
            refused.setdefault(error.problems[0].found, []).append(centre.label)
    if failure is not None and (station or not result):
        raise failure
    text = "; ".join(f"no formula for the utilization of {', '.join(names)}: {why}" for why, names in refused.items())
    return [piece.replace(note=text) for piece in result]


def _used(symbolic: Symbolic, centre: FormulaCentre) -> Value:
    """The utilization of a station group that open classes use."""
    symbolic.refuse_losses()
    for item, demand in zip(symbolic.network.classes, centre.demands, strict=True):
        if item in symbolic.closed and demand != 0:
            text = f'closed class "{item.name}" uses the station'
            raise NotComputed(Problem("QN521", text, "open classes only", help="demand and throughput_upper are"))
    if centre.held:
        # The holding time contains waits for other stations, so this has a closed form only where they have one.
        return next(item.utilization for item in symbolic.solution.stations if item.label == centre.label)
    return symbolic.open_load(centre) / centre.station.peak


def _station_figure(symbolic: Symbolic, name: str, station: str) -> _Pieces:
    dimension = TIME if name in ("residence", "wait") else NUMBER
    stations = dict.fromkeys(centre.station.name for centre in _chosen(symbolic, station))
    return [
        MetricFormula(
            metric=name,
            about=item,
            class_name="",
            formula=formula_of(symbolic.figures[solution_name(name, item)]),
            dimension=dimension,
        )
        for item in stations
    ]


def _cost(symbolic: Symbolic, name: str, asked: str) -> _Pieces:
    """Costs that the model states: demand over units per passage."""
    model, network, result = symbolic.model, symbolic.network, list[MetricFormula]()
    for item in stated_costs(model, [asked] if asked else []):
        rates = [each.arrival_rate for each in network.classes if isinstance(each, OpenClass)]
        if len(classes_of(item, model)) > 1 and len(rates) < len(network.classes):
            text = f'"{item.name}" weights closed classes by their throughputs'
            raise NotComputed(Problem("QN521", text, "one class, or open ones", help='class = "NAME" in the cost'))
        if loses_some(item, model):
            symbolic.refuse_losses()
        throughputs = rates if len(classes_of(item, model)) > 1 else None
        parts = cost_parts(network, stations_of(item, model), item, throughputs, TRACING)
        per = evaluate(item.per.root, symbolic.values.known, TRACING, model.choices)
        if per == 0 or not per > 0:
            raise NotComputed(Problem("QN530", f'the cost "{item.name}" has nothing to divide by', "units above 0"))
        formula = formula_of(total(part.passages * part.demand for part in parts) / per)
        result.append(
            MetricFormula(metric=name, about=item.name, class_name="", formula=formula, dimension=item.dimension)
        )
    return result


# The system


def _throughput(symbolic: Symbolic, name: str, station: str) -> _Pieces:
    return [
        MetricFormula(metric=name, about="", class_name="", formula=formula_of(_figure(symbolic, name)), dimension=RATE)
    ]


def _response(symbolic: Symbolic, name: str, station: str) -> _Pieces:
    result = [
        MetricFormula(metric=name, about="", class_name="", formula=formula_of(symbolic.figures[name]), dimension=TIME)
    ]
    classes = symbolic.solution.classes
    if len(classes) > 1:
        result += [
            MetricFormula(
                metric=name, about="", class_name=item.name, formula=formula_of(item.response), dimension=TIME
            )
            for item in classes
        ]
    return result


def _figure(symbolic: Symbolic, name: str) -> Value:
    """A figure of the solution by its name in expressions."""
    if percentile_share(name) is not None:
        raise NotComputed(Problem("QN521", f"{name} is a percentile: only means have formulas", "a mean"))
    match = _CALL.fullmatch(name)
    assert match is not None
    argument = match[2]
    if match[1] == "utilization":
        used = [_used(symbolic, centre) for centre in _chosen(symbolic, argument) if not centre.station.delay]
        return TRACING.maximum(used) if len(used) > 1 else used[0] if used else 0.0
    if match[1] == "throughput" and not symbolic.closed and argument is None:
        symbolic.refuse_losses()
        return total(item.arrival_rate for item in symbolic.network.classes)  # type: ignore[union-attr]
    return symbolic.figures[name]


def _expression(symbolic: Symbolic, text: str) -> _Pieces:
    """A metric that is an expression over figures, outputs and parameters."""
    model = symbolic.model
    asked = metric(text, model)
    known = dict(symbolic.values.known)

    def traced(expression: Expression) -> Value:
        try:
            return evaluate(expression.root, known, TRACING, model.choices)
        except ExpressionError as error:
            raise NotComputed(expression_problem(error, expression.source)) from None

    def know(used: tuple[str, ...]) -> None:
        for name in used:
            if name in known:
                continue
            if name in model.outputs:
                output = model.outputs[name].expression
                know(output.names)
                known[name] = traced(output)
            elif is_figure(name):
                known[name] = _figure(symbolic, name)

    know(asked.expression.names)
    result = traced(asked.expression)
    return [
        MetricFormula(
            metric=asked.source, about="", class_name="", formula=formula_of(result), dimension=asked.dimension
        )
    ]


# Limits


def _largest(symbolic: Symbolic, metric_name: str, name: str) -> _Pieces:
    """The largest value of a parameter with a steady state: for each capacity, the value at which it saturates."""
    if name not in symbolic.model.parameters:
        known = [f"max_{item}" for item in symbolic.model.parameters]
        raise UsageError(Problem("QN013", f'there is no parameter "{short(name)}"', help=suggest(metric_name, known)))
    wanted = symbolic.values.symbols.get(name)
    if wanted is None or name in symbolic.values.definitions:
        text = f'"{name}" is computed from others, a choice, or part of the structure of the network'
        raise NotComputed(Problem("QN522", text, "a parameter whose value is a number"))
    symbolic.refuse_losses()
    numbers = symbolic.numbers
    target = symbols().symbol("load")
    result: list[MetricFormula] = []
    held: list[str] = []
    for label, load, is_held in symbolic.loads:
        formula = symbolic.expanded(formula_of(load), wanted)
        if not formula.has(wanted):
            continue
        if is_held:
            held.append(label)
            continue
        asked = {**numbers, "load": evaluated(formula, numbers) or 0.0}
        root = solved(formula - target, wanted, asked, f'the load of "{label}" solved for "{name}"').formula
        rises = evaluated(root.diff(target), asked)
        if rises is not None and rises > 0:
            dimension = symbolic.model.parameters[name].dimension
            result.append(
                MetricFormula(
                    metric=metric_name,
                    about=label,
                    class_name="",
                    formula=root.subs(target, 1),
                    dimension=dimension,
                    combined=SMALLEST,
                )
            )
    if not result:
        raise NotComputed(Problem("QN521", f'no capacity in closed form limits "{name}"', "a parameter of the load"))
    note = _proven(symbolic.model, name, result, numbers, held)
    return [piece.replace(note=note) for piece in result]


def _proven(model: Model, name: str, result: _Pieces, numbers: dict[str, float], held: list[str]) -> str:
    """A note on stations without a formula, and on whether their waits saturate them before the smallest piece.

    Raises `NotComputed` where another station saturates sooner, `NoAnswer` where no value has a steady state.
    """
    values = [(evaluated(piece.formula, numbers) or 0.0, piece.about) for piece in result]
    least, binding = min(values)
    if least <= 0:
        text = f'there is no steady state at any value of "{name}"'
        raise NoAnswer(Problem("QN401", text, "a lower load", help="reduce the other loads with -p"))
    if not held:
        return ""
    varied = {name: least * JUST_BELOW}
    try:
        Values(model, varied, None)
    except QnetError as error:
        return f"beyond what the model allows: {error.problems[0].found}; expected {error.problems[0].expected}"
    solved_there = solve_points(model, varied, patient=False)
    sentence = ", ".join(f'"{item}"' for item in held)
    if solved_there.stable:
        return f"{sentence}: no formula, because waits are part of the holding time; they saturate later in the model"
    edge = saturation(model, solved_there, varied)
    if edge.cause != binding or edge.factor < _CLOSE:
        text = f'"{edge.cause}" is saturated sooner, by waits inside its holding time: a fixed point'
        raise NotComputed(Problem("QN520", text, "a capacity in closed form", help="qnet envelope finds it"))
    return (
        f'waits for "{binding}" saturate the stations held meanwhile ({sentence}) at {edge.factor:.6g} times the load '
        "at which it saturates itself; the steady state that qnet solve computes ends there"
    )


def _bound(compute: Callable[[bounds.BoundInputs], bounds.Pieces], dimension: Dimension, combined: str) -> Any:
    def pieces(symbolic: Symbolic, name: str, station: str) -> _Pieces:
        several = len(symbolic.network.classes) > 1
        return [
            MetricFormula(
                metric=name,
                about=about,
                class_name=class_name if several else "",
                formula=formula_of(value),
                dimension=dimension,
                combined=combined if about else "",
            )
            for class_name, about, value in bounds.pieces(symbolic, compute)
        ]

    return pieces


METRICS: dict[str, Known] = {
    "demand": Known("time per passage at one copy of a station", "station", _demand),
    "utilization": Known("share of the servers that is busy", "station", _utilization),
    "cost": Known("server time per unit, of [costs]", "cost", _cost),
    "throughput": Known("passages per second of open classes", "", _throughput),
    "response": Known("response of open classes", "", _response),
    "residence": Known("part of the response spent at a station", "station", _station_figure),
    "wait": Known("wait per visit", "station", _station_figure),
    "queue_length": Known("mean number waiting and in service", "station", _station_figure),
    "busy_servers": Known("mean number of busy servers", "station", _station_figure),
    "n_star": Known("(D + Z) / Dmax of a closed class alone", "", _bound(bounds.n_star, NUMBER, SMALLEST)),
    "throughput_upper": Known(
        "asymptotic bound of a closed class", "", _bound(bounds.throughput_upper, RATE, SMALLEST)
    ),
    "throughput_lower": Known(
        "every customer waits for all others", "", _bound(bounds.throughput_lower, RATE, LARGEST)
    ),
    "response_lower": Known("asymptotic bound of a closed class", "", _bound(bounds.response_lower, TIME, LARGEST)),
    "response_upper": Known("every customer waits for all others", "", _bound(bounds.response_upper, TIME, SMALLEST)),
    "balanced_throughput_upper": Known(
        "balanced job bound of one closed class", "", _bound(bounds.balanced_throughput_upper, RATE, SMALLEST)
    ),
    "balanced_throughput_lower": Known(
        "balanced job bound of one closed class", "", _bound(bounds.balanced_throughput_lower, RATE, LARGEST)
    ),
    "balanced_response_lower": Known(
        "balanced job bound of one closed class", "", _bound(bounds.balanced_response_lower, TIME, LARGEST)
    ),
    "balanced_response_upper": Known(
        "balanced job bound of one closed class", "", _bound(bounds.balanced_response_upper, TIME, SMALLEST)
    ),
}
"""Every metric that has formulas, besides `max_PARAMETER`, outputs, and expressions over them."""
