"""Everything that can be wrong with a model apart from its numbers: names, dimensions, places of steps, cycles."""

from __future__ import annotations

from collections.abc import Mapping

from qnet.documents import Path
from qnet.errors import UsageError, suggest
from qnet.expression import Expression, ExpressionError, check
from qnet.model.conditions import condition
from qnet.model.fields import TABLES
from qnet.model.grids import grid
from qnet.model.model import ClassModel, Model, Output, Parameter, StationModel, StepModel
from qnet.model.reader import Reader
from qnet.model.scope import all_figures, depends_on_solution, station_figures, uses_solution
from qnet.units import NUMBER, Dimension, unit


def check_model(model: Model, reader: Reader, broken: set[str]) -> Model:
    """The model with dimensions and parameters in order; problems are noted in the reader."""
    checker = _Checker(model, reader, broken)
    checker.parameters()
    checker.stations()
    for customers in checker.model.classes:
        checker.customers(customers)
    checker.holds()
    checker.limits()
    checker.outputs()
    if not reader.problems:
        checker.envelopes()
    return checker.model


class _Checker:
    def __init__(self, model: Model, reader: Reader, broken: set[str]) -> None:
        self.model = model
        self.reader = reader
        self.broken = set(broken)
        self.stations_by_name = {station.name: station for station in model.stations}
        self.inside: dict[str, set[str]] = {station.name: set() for station in model.stations}
        self.figures: dict[str, Dimension] = station_figures(model)
        self.dependent: frozenset[str] = frozenset()

    def expression(self, expression: Expression | None, wanted: Dimension | None, path: Path, extra: Mapping[str, Dimension] | None = None) -> Dimension | None:
        """Check an expression unless it uses a name that is broken itself."""
        if expression is None or any(name in self.broken or name.partition(".")[0] in self.broken for name in expression.names):
            return None
        names = {**self.model.dimensions, **(self.figures if extra is None else extra)}
        return self.reader.dimension(expression, wanted, path, names, self.model.choices)

    def field(self, kind: str, key: str, expression: Expression | None, path: Path) -> None:
        """Check an expression against its row of the field table."""
        field = TABLES[kind][key]
        self.expression(expression, field.dimension, (*path, key))
        if field.whole and expression is not None and uses_solution(expression, self.dependent):
            self.reader.fail("QN123", (*path, key), f'"{expression.source}" depends on the solution', "a value known before solving")

    # Parameters

    def parameters(self) -> None:
        """Order the parameters, find cycles, and give each its dimension."""
        ordered = self.ordered()
        known: dict[str, Parameter] = {}
        for parameter in ordered:
            self.model = self.model._replace(parameters=known)
            dimension = None if parameter.options else self.expression(parameter.expression, None, self.value_path(parameter))
            if dimension is None and not parameter.options and parameter.name not in self.broken:
                self.broken.add(parameter.name)
            if parameter.unit and dimension is not None and unit(parameter.unit).dimension != dimension:
                self.reader.fail("QN122", (*parameter.path, "unit"), f'"{parameter.unit}" is {unit(parameter.unit).dimension.describe()}', dimension.describe())
            known[parameter.name] = parameter._replace(dimension=dimension or NUMBER)
            for key, bound in ((0, parameter.low), (1, parameter.high)):
                if bound is not None and not parameter.part:
                    self.expression(bound, dimension, (*parameter.path, "range", key))
        self.model = self.model._replace(parameters=known)
        self.dependent = depends_on_solution(self.model)

    def value_path(self, parameter: Parameter) -> Path:
        full = (*parameter.path, "value")
        return full if self.reader.document.line(full) > self.reader.document.line(parameter.path) else parameter.path

    def ordered(self) -> list[Parameter]:
        """The parameters, each after those it uses; a cycle is noted once."""
        parameters = self.model.parameters
        done: dict[str, Parameter] = {}
        for start in parameters:
            trail: list[tuple[str, list[str]]] = [(start, list(parameters[start].expression.names))]
            while trail:
                name, uses = trail[-1]
                if name in done or not uses:
                    done.setdefault(name, parameters[name])
                    trail.pop()
                    continue
                used = uses.pop(0)
                if used not in parameters or used in done:
                    continue
                open_names = [item[0] for item in trail]
                if used in open_names:
                    cycle = [*open_names[open_names.index(used) :], used]
                    self.reader.fail("QN210", parameters[used].path, "the parameters are circular: " + " -> ".join(cycle), "each parameter from others that do not need it")
                    self.broken |= set(cycle)
                    done.setdefault(name, parameters[name])
                    trail.pop()
                    continue
                trail.append((used, list(parameters[used].expression.names)))
        return list(done.values())

    # Stations

    def stations(self) -> None:
        for station in self.model.stations:
            self.field("station", "servers", station.servers, station.path)
            self.field("station", "copies", station.copies, station.path)
            split = (*station.path, "split")
            if station.split.kind == "hot":
                self.field("split", "hot", station.split.hot, split)
                self.field("split", "share", station.split.share, split)
            for index, share in enumerate(station.split.shares):
                self.expression(share, NUMBER, (*split, index))
            self.follower(station)

    def follower(self, station: StationModel) -> None:
        if not station.follows:
            return
        path = (*station.path, "follows")
        leader = self.stations_by_name.get(station.follows)
        if leader is None:
            self.reader.fail("QN212", path, f'unknown station "{station.follows}"', help=suggest(station.follows, list(self.stations_by_name)))
        elif leader.follows or leader.name == station.name:
            self.reader.fail("QN213", path, f'"{leader.name}" follows another station itself', "a station with a split of its own")
        raw = self.reader.document.data["stations"][station.name]
        for key in ("copies", "split"):
            if key in raw:
                self.reader.fail("QN213", (*station.path, key), f"found {key} beside follows", f'nothing: copies and split are those of "{station.follows}"')

    # Classes

    def customers(self, customers: ClassModel) -> None:
        if (customers.arrival_rate is None) == (customers.population is None):
            found = "both arrival_rate and population" if customers.population else "neither arrival_rate nor population"
            self.reader.fail("QN214", customers.path, f"found {found}", "arrival_rate (an open class) or population (a closed one)")
        if customers.think_time is not None and customers.population is None:
            self.reader.fail("QN214", (*customers.path, "think_time"), "found a think time in an open class", "a think time only beside population")
        self.field("class", "arrival_rate", customers.arrival_rate, customers.path)
        self.field("class", "population", customers.population, customers.path)
        self.field("class", "think_time", customers.think_time, customers.path)
        names: set[str] = set()
        for route in customers.routes:
            if len(customers.routes) > 1 or route.path != customers.path:
                self.field("route", "probability", route.probability, route.path)
            if route.name in names:
                self.reader.fail("QN215", (*route.path, "name"), f'there are two routes "{route.name}" in this class', "names of their own")
            names.add(route.name)
            for step in route.steps:
                self.step(step, ())

    def step(self, step: StepModel, holds: tuple[str, ...]) -> None:
        path = step.path
        for key, value in (("visits", step.visits), ("exempt", step.exempt), ("scv", step.scv), ("copy", step.copy)):
            if value is not None:
                self.field("step", key, value, path)
        if step.phase == 2:
            for name in step.keeps or ():
                if name not in holds:
                    self.reader.fail("QN216", (*path, "keeps"), f'"{name}" is not held here', "enclosing holds: " + (", ".join(holds) or "none"))
        elif step.keeps is not None:
            self.reader.fail("QN216", (*path, "keeps"), "found keeps in phase 1", "phase = 2, or no keeps")
        if not step.station:
            if step.time_key == "time" and not holds:
                self.reader.fail("QN209", path, "found a time outside of any hold", "delay, or station and time")
            self.field("step", step.time_key, step.time, path)
            return
        self.visit(step, holds)

    def visit(self, step: StepModel, holds: tuple[str, ...]) -> None:
        path = step.path
        station = self.stations_by_name.get(step.station)
        key = "hold" if len(step.steps) != 1 or step.steps[0].path != path else "station"
        if station is None:
            self.reader.fail("QN212", (*path, key), f'unknown station "{step.station}"', help=suggest(step.station, list(self.stations_by_name)))
        elif step.priority and (station.delay or station.discipline != "fcfs"):
            self.reader.fail("QN217", (*path, "priority"), f'"{station.name}" has no order of service', "a first-come-first-served queue")
        if step.station in holds:
            self.reader.fail("QN218", (*path, key), f'"{step.station}" is held already', "a station that is not held here: nobody can wait for himself")
        for name in holds:
            self.inside.get(name, set()).add(step.station)
        for inner in step.steps:
            if inner.path == path:
                self.field("step", "time", inner.time, path)
                if inner.scv is not None:
                    self.field("step", "scv", inner.scv, path)
            else:
                self.step(inner, (*holds, step.station))

    def holds(self) -> None:
        """The graph of who holds whom must have no cycle."""
        done: set[str] = set()

        def visit(name: str, trail: tuple[str, ...]) -> None:
            if name in trail:
                cycle = " -> ".join([*trail[trail.index(name) :], name])
                self.reader.fail("QN218", ("stations", name), f"stations hold each other in a circle: {cycle}", "holds that always nest the same way")
                return
            if name in done:
                return
            for inner in sorted(self.inside.get(name, ())):
                visit(inner, (*trail, name))
            done.add(name)

        for name in self.inside:
            visit(name, ())

    # Results

    def limits(self) -> None:
        for limit in self.model.limits:
            load = self.expression(limit.load, None, (*limit.path, "load"))
            if load is not None:
                self.expression(limit.capacity, load, (*limit.path, "capacity"))

    def outputs(self) -> None:
        names = all_figures(self.model)
        outputs: dict[str, Output] = {}
        for name, output in self.model.outputs.items():
            path = (*output.path, "value") if self.reader.document.line((*output.path, "value")) else output.path
            if name in self.model.parameters:
                self.reader.fail("QN207", output.path, f'"{name}" is a parameter already', "a name of its own")
            dimension = self.expression(output.expression, None, path, names)
            shown = unit(output.unit).dimension if output.unit else dimension
            if dimension is not None and shown != dimension:
                self.reader.fail("QN122", (*output.path, "unit"), f'"{output.unit}" is {unit(output.unit).dimension.describe()}', dimension.describe())
            outputs[name] = output._replace(dimension=dimension or NUMBER)
        self.model = self.model._replace(outputs=outputs)

    def envelopes(self) -> None:
        from qnet.model.settings import with_settings

        for envelope in self.model.envelopes.values():
            problems: list[tuple[str, UsageError | ExpressionError]] = []
            if envelope.vary not in self.model.parameters:
                self.reader.fail("QN004", (*envelope.path, "vary"), f'unknown parameter "{envelope.vary}"', help=suggest(envelope.vary, list(self.model.parameters)))
            for key, action in (
                ("limit", lambda: condition(envelope.limit, self.model)),  # noqa: B023
                ("over", lambda: [grid(text, self.model) for text in envelope.over]),  # noqa: B023
                ("set", lambda: with_settings(self.model, envelope.settings)),  # noqa: B023
            ):
                try:
                    action()
                except UsageError as error:
                    problems.append((key, error))
            for key, error in problems:
                for problem in getattr(error, "problems", ()):
                    self.reader.problems.append(problem._replace(path=(*envelope.path, key)))
            names = {route.name for customers in self.model.classes for route in customers.routes}
            if envelope.route and envelope.route not in names:
                self.reader.fail("QN219", (*envelope.path, "route"), f'unknown route "{envelope.route}"', help=suggest(envelope.route, sorted(names)))


def check_expression(model: Model, expression: Expression) -> Dimension | None:
    """The dimension of an expression over the parameters and station figures of a model; raises `ExpressionError`."""
    return check(expression.root, model.dimensions | station_figures(model), model.choices)
