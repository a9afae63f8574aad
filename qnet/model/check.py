"""The check of a model: names, dimensions, forms of steps, circular definitions, and numbers outside their domain.

It collects all problems, whereas `bind` stops at the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from qnet.documents import Path
from qnet.errors import InvalidInput, QnetError, UsageError, short, suggest
from qnet.expression import Expression, Value
from qnet.expression.nodes import Number
from qnet.lazy import lazy
from qnet.model.fields import BY_PRIORITY, RATES, SHARE, TABLES, Field
from qnet.model.model import (
    ChainModel,
    ClassModel,
    CostModel,
    Model,
    Output,
    Parameter,
    State,
    StationModel,
    StepModel,
    fact,
)
from qnet.model.reader import Reader
from qnet.model.scope import (
    all_figures,
    depends_on_solution,
    inside_stations,
    numbers_inside,
    ordered,
    station_figures,
    uses_solution,
)
from qnet.model.values import Values
from qnet.record import Record
from qnet.units import NUMBER, TIME, Dimension, unit

if TYPE_CHECKING:
    from qnet.model import calibration, chains, check_buffers, check_copy_classes, check_envelopes, column_names
    from qnet.model import costs as model_costs
else:
    check_buffers = lazy("qnet.model.check_buffers")
    chains = lazy("qnet.model.chains")
    check_envelopes = lazy("qnet.model.check_envelopes")
    check_copy_classes = lazy("qnet.model.check_copy_classes")
    calibration = lazy("qnet.model.calibration")
    column_names = lazy("qnet.model.column_names")
    model_costs = lazy("qnet.model.costs")


def check_model(model: Model, reader: Reader) -> Model:
    """The model with all dimensions and with its parameters in order; problems are noted in the reader.

    Numbers outside their domain are noted only next to other problems: in a model without these, an option may still
    replace them.
    """
    checker = _checked(model, reader)
    if reader.problems:
        for refusal in refusals(checker.stated()):
            for problem in refusal.problems:
                reader.note(problem)
    return checker.model


@fact
def stated(model: Model) -> Stated:
    """The numbers that a checked model states."""
    return _checked(model, Reader(model.document)).stated()


def _checked(model: Model, reader: Reader) -> _Checker:
    checker = _Checker(model, reader)
    checker.parameters()
    checker.stations()
    for customers in model.classes:
        checker.customers(customers)
    for chain in model.chains:
        checker.load("chain", chain)
    checker.holds()
    if any(customers.per_copy_of for customers in model.classes):
        check_copy_classes.check_copy_classes(model, reader)
    if model.buffers or checker.buffered:
        check_buffers.check_buffers(model, reader, checker.number)
    checker.limits()
    checker.outputs()
    if model.chains:
        chains.check_chains(model, reader, checker.number)
        for chain in model.chains:
            checker.onward(chain)
    checker.costs()
    if model.envelopes:
        check_envelopes.check_envelopes(checker.model, reader)
    if model.knee_question.limits or model.knee_question.vary:
        check_envelopes.check_knee(checker.model, reader)
    if model.calibration is not None:
        calibration.check_calibration(checker.model, reader, model.calibration)
    return checker


class _Checker:
    def __init__(self, model: Model, reader: Reader) -> None:
        self.model = model
        self.reader = reader
        self.choices = model.choices
        self.names: dict[str, Dimension] = station_figures(model) | numbers_inside(model)
        """The dimensions of the names that expressions may use: figures of stations, and the parameters so far."""
        self.stations_by_name = {station.name: station for station in model.stations}
        self.inside: dict[str, set[str]] = {station.name: set() for station in model.stations}
        self.dependent: frozenset[str] = frozenset()
        self.ordered = False
        """Whether the parameters are checked."""
        self.buffered = False
        """Whether any step fills or drains a buffer."""
        self.numbers: list[StatedNumber] = []
        self.sums: list[Probabilities] = []

    def stated(self) -> Stated:
        """The numbers that are free of problems so far."""
        parameters: dict[str, Parameter] = {}
        for name, item in self.model.parameters.items():
            if name not in self.reader.broken:
                blamed = self.reader.blamed((*item.path, "range"))
                parameters[name] = item.replace(low=None, high=None) if blamed else item
        return Stated(self.model.replace(parameters=parameters), self.numbers, self.sums)

    def expression(
        self,
        expression: Expression | None,
        wanted: Dimension | None,
        path: Path,
        names: Mapping[str, Dimension] | None = None,
        holds: tuple[str, ...] = (),
    ) -> Dimension | None:
        """Check an expression, and return its dimension; None where it has a problem or uses a broken name.

        wanted  the dimension that it must have; None: any.
        names   the names that it may use, with their dimensions; None: all that are known so far.
        holds   the stations held around it whose number of holders it may use.
        """
        if expression is None:
            return None
        root = expression.root
        if isinstance(root, Number) and root.dimension == wanted:
            # Most numbers of a large model are such literals, which use no name.
            return wanted
        broken = self.reader.broken
        if any(name in broken or name.partition(".")[0] in broken for name in expression.names):
            return None
        if self.ordered:
            self.check_inside(expression, holds, path)
        return self.reader.dimension(expression, wanted, path, names or self.names, self.choices)

    def number(
        self,
        expression: Expression | None,
        field: Field,
        path: Path,
        holds: tuple[str, ...] = (),
        wanted: Dimension | None = None,
    ) -> Dimension | None:
        """Check a number of the network, in the dimension of its field or else the `wanted` one, as `expression`."""
        dimension = self.expression(expression, field.dimension or wanted, path, holds=holds)
        if expression is not None and dimension is not None:
            self.numbers.append(StatedNumber(expression, field, path))
        return dimension

    def check_inside(self, expression: Expression, holds: tuple[str, ...], path: Path) -> None:
        """Refuse numbers of holders of stations that are not among `holds`."""
        for station in inside_stations(self.model, expression.names):
            if station in self.stations_by_name and station not in holds:
                text = f"inside('{station}') is not defined here"
                expected = f'a time or visits of a step inside a hold of "{station}"'
                help = f"busy_servers('{station}') is the mean number inside"
                self.reader.fail("QN123", path, text, expected, help=help)

    def fields(self, kind: str, item: Record, path: Path, holds: tuple[str, ...] = ()) -> None:
        """Check all expressions of a record against their rows of the field table.

        kind    its table.
        holds   the stations that are held around it.
        """
        for key, expression in self.reader.keys.numbers(kind, item):
            self.field(key.field, expression, (*path, key.key), holds if key.field.inside else ())

    def field(self, field: Field, expression: Expression | None, path: Path, holds: tuple[str, ...] = ()) -> None:
        """Check an expression against its row of the field table; `holds` as for `expression`."""
        self.number(expression, field, path, holds)
        if field.integer and expression is not None and uses_solution(expression, self.dependent):
            text = f'"{short(expression.source)}" depends on the solution'
            self.reader.fail("QN123", path, text, "a value known before solving")

    def shown(self, text: str, dimension: Dimension | None, path: Path) -> None:
        """Check the unit that a value is shown in."""
        if text and dimension is not None and unit(text).dimension != dimension:
            sentence = f'"{text}" is {unit(text).dimension.describe()}'
            self.reader.fail("QN122", (*path, "unit"), sentence, dimension.describe())

    # Parameters

    def parameters(self) -> None:
        """Order the parameters, note circular ones, and give each its dimension."""
        parameters = self.model.parameters
        order, circles = ordered({name: parameter.expression.names for name, parameter in parameters.items()})
        for circle in circles:
            text = "the parameters are circular: " + " -> ".join(circle)
            expected = "no parameter that depends on itself"
            self.reader.fail("QN210", parameters[circle[0]].path, text, expected)
            self.reader.broken.update(circle)
        known: dict[str, Parameter] = {}
        for name in order:
            known[name] = self.parameter(parameters[name])
        for parameter in known.values():
            self.range(parameter)
        self.model = self.model.replace(parameters=known)
        self.dependent = depends_on_solution(self.model)
        self.ordered = True

    def parameter(self, parameter: Parameter) -> Parameter:
        """The parameter with its dimension."""
        if parameter.options:
            return parameter
        dimension = self.expression(parameter.expression, None, self.value_path(parameter.path))
        if dimension is None:
            self.reader.broken.add(parameter.name)
        self.shown(parameter.unit, dimension, parameter.path)
        self.names[parameter.name] = dimension or NUMBER
        return parameter.replace(dimension=dimension or NUMBER)

    def range(self, parameter: Parameter) -> None:
        """Check the ends of a range, which may use any parameter."""
        if parameter.part:
            return
        wanted = None if parameter.name in self.reader.broken else parameter.dimension
        for index, bound in enumerate((parameter.low, parameter.high)):
            self.expression(bound, wanted, (*parameter.path, "range", index))

    def value_path(self, path: Path) -> Path:
        """The path of a value: that of the name itself, or of `value` in its table."""
        full = (*path, "value")
        return full if self.reader.stated(full) else path

    # Stations

    def stations(self) -> None:
        """Check the expressions of every station, and the station that it follows."""
        for station in self.model.stations:
            self.fields("station", station, station.path)
            split = (*station.path, "split")
            if station.split.kind == "hot":
                self.fields("split", station.split, split)
            for index, share in enumerate(station.split.shares):
                self.number(share, SHARE, (*split, index))
            for index, rate in enumerate(station.rates):
                formula = station.rate_formula is not None
                self.number(rate, RATES, (*station.path, "rates", *(() if formula else (index,))))
            if station.rate_formula is not None and "n" in self.model.parameters:
                text = "n is the number present in a formula of rates, and also a parameter of the model"
                self.reader.fail("QN750", (*station.path, "rates"), text, "another name of the parameter")
            if station.follows:
                self.follower(station)

    def follower(self, station: StationModel) -> None:
        """Check the station whose copies this one shares."""
        path = (*station.path, "follows")
        leader = self.stations_by_name.get(station.follows)
        if leader is None:
            text = f'unknown station "{station.follows}"'
            self.reader.fail("QN212", path, text, help=suggest(station.follows, list(self.stations_by_name)))
        elif leader.name == station.name:
            self.reader.fail("QN213", path, f'"{leader.name}" follows itself', "another station")
        elif leader.follows:
            text = f'"{leader.name}" follows another station itself'
            self.reader.fail("QN213", path, text, "a station with its split")

    # Classes

    def customers(self, customers: ClassModel) -> None:
        """Check a class and its routes."""
        path = customers.path
        self.load("class", customers)
        names: set[str] = set()
        for route in customers.routes:
            if route.path != path:
                self.fields("route", route, route.path)
            if route.name and route.name in names:
                text = f'there are two routes "{route.name}" in this class'
                self.reader.fail("QN215", (*route.path, "name"), text, "distinct names")
            names.add(route.name)
            for step in route.steps:
                self.step(step, ())
        routes = (*path, "routes")
        if customers.routes and not self.reader.blamed(routes, 2):
            terms = {f'"{route.name}"': (*route.path, "probability") for route in customers.routes}
            self.sums.append(Probabilities("the probabilities of the routes", routes, terms))

    def load(self, kind: str, customers: ClassModel | ChainModel) -> None:
        """Check that a class or a chain is either open or closed, and its numbers and priority.

        kind   its table, `class` or `chain`.
        """
        path = customers.path
        opened, closed = (self.reader.stated((*path, key)) for key in ("arrival_rate", "population"))
        if opened == closed:
            text = f"found {'both' if closed else 'neither'} arrival_rate {'and' if closed else 'nor'} population"
            self.reader.fail("QN214", path, text, f"arrival_rate (an open {kind}) or population (a closed one)")
        self.fields(kind, customers, path)
        by_priority = any(station.discipline in BY_PRIORITY for station in self.model.stations)
        if customers.priority and not by_priority and self.stations_by_name:
            expected = 'discipline = "priority" or "preemptive" at a station'
            self.reader.fail("QN217", (*path, "priority"), "no station has a discipline with priorities", expected)

    def onward(self, chain: ChainModel) -> None:
        """Keep the probabilities from every state of a chain, which must sum to one."""
        if self.reader.blamed((*chain.path, "routing")) or self.reader.blamed((*chain.path, "classes")):
            return
        terms: dict[State, dict[str, Path]] = {}
        for item in chain.onward:
            terms.setdefault(item.origin, {})[chain.label(item.target)] = item.path
        for state, each in terms.items():
            what = f"the probabilities from {chain.label(state)}"
            self.sums.append(Probabilities(what, chain.row(state), each))

    def step(self, step: StepModel, holds: tuple[str, ...]) -> None:
        """Check a step inside the `holds` that enclose it, and everything inside it."""
        path = step.path
        self.fields("step", step, path, holds)
        if step.phase == 2:
            known = all(name in self.stations_by_name for name in holds)
            for name in step.keeps or ():
                if name not in holds and known:
                    expected = "enclosing holds: " + (", ".join(holds) or "none")
                    self.reader.fail("QN216", (*path, "keeps"), f'"{name}" is not held here', expected)
        elif step.keeps is not None:
            self.reader.fail("QN216", (*path, "keeps"), "keeps is used in phase 1", "phase = 2, or no keeps")
        self.buffered = self.buffered or bool(step.fills or step.drains)
        if self.reader.stated((*path, "parallel")):
            for branch in step.branches:
                self.fields("branch", branch, branch.path)
                for inner in branch.steps:
                    self.step(inner, holds)
            return
        if step.fills:
            return
        if self.reader.stated((*path, "station")) or self.reader.stated((*path, "hold")):
            self.visit(step, holds)
            return
        outside = step.time_key != "delay" and not holds and self.reader.stated((*path, step.time_key))
        if outside and not self.reader.misspelt(path):
            self.reader.fail("QN209", path, "a time is outside of any hold", "delay, or station and time")
        self.field(TABLES["step"][step.time_key], step.time, (*path, step.time_key), holds)

    def visit(self, step: StepModel, holds: tuple[str, ...]) -> None:
        """Check a step that visits or holds a station."""
        path = step.path
        key = "hold" if self.reader.stated((*path, "hold")) else "station"
        station = self.stations_by_name.get(step.station)
        if station is None and step.station and self.stations_by_name:
            text = f'unknown station "{step.station}"'
            self.reader.fail("QN212", (*path, key), text, help=suggest(step.station, list(self.stations_by_name)))
        elif station is not None and step.priority and (station.delay or station.discipline in ("ps", "lcfs-pr")):
            text = f'"{station.name}" has no queueing discipline for priorities'
            expected = 'discipline "fcfs", "priority" or "preemptive"'
            self.reader.fail("QN217", (*path, "priority"), text, expected)
        if station is not None and step.station in holds:
            expected = "a station that is not held here: a customer cannot wait for itself"
            self.reader.fail("QN218", (*path, key), f'"{step.station}" is held already', expected)
        elif station is not None:
            for name in holds:
                self.inside.get(name, set()).add(step.station)
        for inner in step.steps:
            if inner.path == path:
                fields = TABLES["step"]
                self.field(fields["time"], inner.time, (*path, "time"), (*holds, step.station))
                self.field(fields["scv"], inner.scv, (*path, "scv"))
            else:
                self.step(inner, (*holds, step.station))

    def holds(self) -> None:
        """Check that the graph of holds has no cycle."""
        _, circles = ordered({name: sorted(inner) for name, inner in self.inside.items()})
        for circle in circles:
            text = "circular holds: " + " -> ".join(circle)
            self.reader.fail("QN218", ("stations", circle[0]), text, "holds nested in the same order")

    # Results

    def limits(self) -> None:
        """Check that load and capacity of every limit have the same dimension."""
        for limit in self.model.limits:
            load: Dimension | None = None
            for key, expression in self.reader.keys.numbers("limit", limit):
                path = (*limit.path, key.key)
                dimension = self.number(expression, key.field, path, wanted=load if key.key == "capacity" else None)
                load = dimension if key.key == "load" else load

    def outputs(self) -> None:
        """Give every output its dimension."""
        asked = [used for output in self.model.outputs.values() for used in output.expression.names]
        names = {**self.names, **all_figures(self.model, asked)}
        outputs: dict[str, Output] = {}
        for name, output in self.model.outputs.items():
            if name in self.model.parameters:
                self.reader.fail("QN207", output.path, f'"{name}" is a parameter already', "another name")
            dimension = None
            output = output.replace(expression=column_names.mean_inside(output.expression))
            if name not in self.reader.broken:
                dimension = self.expression(output.expression, None, self.value_path(output.path), names)
                self.shown(output.unit, dimension, output.path)
            if dimension is None:
                self.reader.broken.add(name)
            outputs[name] = output.replace(dimension=dimension or NUMBER)
        self.model = self.model.replace(outputs=outputs)

    def costs(self) -> None:
        """Give every cost its dimension, and check what it names."""
        costs: dict[str, CostModel] = {}
        for name, cost in self.model.costs.items():
            per = self.expression(cost.per, None, (*cost.path, "per"))
            for problem in model_costs.unknown_names(cost, self.model):
                self.reader.note(problem)
            dimension = TIME.times(per, -1) if per is not None else None
            self.shown(cost.unit, dimension, cost.path)
            costs[name] = cost.replace(dimension=dimension or TIME)
        self.model = self.model.replace(costs=costs)


class StatedNumber(Record):
    """An expression of the right names and dimension that becomes a number of the network."""

    expression: Expression
    field: Field
    path: Path


class Probabilities(Record):
    """Numbers that must sum to one."""

    what: str
    """What they are, for messages."""
    path: Path
    terms: Mapping[str, Path]
    """The path of each, by its name in the file."""


class Stated(Record):
    """The numbers that a model states, without those that are wrong in names or dimensions."""

    model: Model
    """With those parameters only that have no such problem."""
    numbers: list[StatedNumber]
    sums: list[Probabilities]


def together(stated: Stated, error: QnetError, figures: Mapping[str, Value] | None = None) -> QnetError:
    """The error of a model that cannot be bound, extended by every other number that is outside its domain.

    stated    the numbers of the model.
    error     the first problem, from `Values` or `bind`.
    figures   the figures of the solution that are known.
    Returns   `UsageError` where `error` is one, with the first problem of each option, because further ones mostly
              follow from it; else `InvalidInput` in the order of the file.
    """
    if not isinstance(error, (InvalidInput, UsageError)):
        return error
    others = [item for item in refusals(stated, figures) if type(item) is type(error)]
    problems = list(dict.fromkeys(problem for item in (error, *others) for problem in item.problems))
    if isinstance(error, UsageError):
        first = {problem.file: problem for problem in reversed(problems)}
        return UsageError(*(problem for problem in problems if first[problem.file] is problem))
    name = stated.model.document.name
    return InvalidInput(*sorted(problems, key=lambda problem: (problem.file != name, problem.line)))


def refusals(stated: Stated, figures: Mapping[str, Value] | None = None) -> list[QnetError]:
    """An error for each parameter and number outside its domain, and for numbers that do not sum to one.

    Numbers that depend on a refused one, or on figures that are not known, are left out.
    """
    values = _AllValues(stated.model, figures)
    known: dict[Path, tuple[Expression, Value]] = {}
    for item in stated.numbers:
        if values.knows(item.expression):
            try:
                known[item.path] = item.expression, values.field(item.expression, item.field, item.path)
            except QnetError as error:
                values.refused.append(error)
    for what, path, paths in stated.sums:
        terms = {label: known[term] for label, term in paths.items() if term in known}
        if len(terms) == len(paths):
            total: Value = sum(value for _, value in terms.values())
            try:
                values.check_sum(total, what, path, {label: expression for label, (expression, _) in terms.items()})
            except QnetError as error:
                values.refused.append(error)
    return values.refused


class _AllValues(Values):
    """The values of a model at one point; a parameter outside its domain is noted, and remains unknown."""

    def __init__(self, model: Model, figures: Mapping[str, Value] | None) -> None:
        self.refused: list[QnetError] = []
        super().__init__(model, {}, None, figures)

    def knows(self, expression: Expression) -> bool:
        """Whether everything that an expression uses has a value."""
        return all(name in self.known for name in expression.names)

    def _state(self, parameter: Parameter, varied: Mapping[str, Value]) -> bool:
        try:
            return super()._state(parameter, varied)
        except QnetError as error:
            self.refused.append(error)
            return True

    def _check_range(self, parameter: Parameter, value: Value) -> bool:
        try:
            return super()._check_range(parameter, value)
        except QnetError as error:
            self.refused.append(error)
            self.known.pop(parameter.name)
            return True
