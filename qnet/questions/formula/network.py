"""A model as formulas: its demands and loads, and the figures of its steady state where they are closed forms."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from qnet.errors import NoAnswer, NotComputed, Problem
from qnet.expression import FLOATS, Value
from qnet.expression.traced import TRACING, Traced, number_of
from qnet.model.bind import bind, expressions
from qnet.model.model import Model
from qnet.model.scope import closure, depends_on_solution, inside_stations, is_figure, uses_solution
from qnet.model.traced import TracedValues
from qnet.model.values import Values
from qnet.networks.exactness import reasons_for
from qnet.networks.open.solve import closed_form
from qnet.networks.routed import ClosedClass, Group, OpenClass, RoutedNetwork, Station
from qnet.networks.solution import RoutedSolution
from qnet.networks.streams import Key, Streams, streams
from qnet.questions.points.points import solve_points
from qnet.questions.points.solution_figures import figures
from qnet.queues.arithmetic import total
from qnet.record import Record

MAX_STREAMS = 300
"""Most visits of classes to stations; a formula over more would be unreadable."""


class FormulaCentre(Record):
    """One copy of a station group."""

    key: Key
    station: Station
    group: Group
    demands: tuple[Value, ...]
    """Seconds of one copy per passage, by class."""
    held: bool
    """Whether holding times contain waits for other stations, which demands exclude."""
    answered: tuple[Value, ...]
    """The parts of the demands before the response."""

    @property
    def label(self) -> str:
        """The label of the group."""
        return self.group.label


class Symbolic:
    """A model whose network has been bound to symbols.

    Raises `NotComputed` QN520 where times use figures of the solution, QN523 for a network that is too large for
    formulas; and what binding the model to its numbers raises.
    """

    def __init__(self, model: Model, values: TracedValues) -> None:
        _refuse_solution_functions(model)
        bind(model, Values(model, {}, None))  # Refuses numbers outside their domain.
        self.model = model
        self.values = values
        self.network: RoutedNetwork = bind(model, values)
        ones = [Traced(1.0, TRACING.number(1.0).formula)] * len(self.network.classes)
        self.unit: Streams = streams(self.network, TRACING, ones)
        if len(self.unit.streams) > MAX_STREAMS:
            text = f"the network has {len(self.unit.streams)} kinds of visits"
            raise NotComputed(Problem("QN523", text, f"at most {MAX_STREAMS} for a formula"))

    @cached_property
    def centres(self) -> tuple[FormulaCentre, ...]:
        """Every station group that is visited, in the order of the model."""
        members = self.unit.members()
        result: list[FormulaCentre] = []
        classes = range(len(self.network.classes))
        for station in self.network.stations:
            for index, group in enumerate(station.groups):
                visits = [self.unit.streams[item] for item in members[station.name, index]]
                demands = tuple(
                    self.alone((station.name, index), number)
                    if station.delay and (station.name, index) in self.around
                    else total(stream.rate * stream.holding.mean for stream in visits if stream.class_index == number)
                    for number in classes
                )
                if any(demand != 0 for demand in demands):
                    held = any(stream.holding.waits for stream in visits)
                    answered = tuple(
                        total(
                            item.rate * item.first.mean
                            for item in visits
                            if item.class_index == number and not item.left
                        )
                        for number in classes
                    )
                    result.append(FormulaCentre((station.name, index), station, group, demands, held, answered))
        return tuple(result)

    @cached_property
    def around(self) -> frozenset[Key]:
        """The station groups that are held while others are visited."""
        return frozenset(key for stream in self.unit.streams for key in stream.around)

    def alone(self, key: Key, number: int) -> Value:
        """The time of a passage of one class in a held delay, without the stations visited meanwhile."""
        routes = [route for route in self.unit.routes if route.class_index == number]
        return total(route.probability * route.parts[key].mean for route in routes if key in route.parts)

    @cached_property
    def delays(self) -> tuple[Value, ...]:
        """Pure delays per passage, by class."""
        result: list[Value] = [0.0] * len(self.network.classes)
        for route in self.unit.routes:
            if any(fork.width > 1 for fork in route.forks):
                text = "the time of the slowest of parallel branches is an integral"
                raise NotComputed(Problem("QN553", text, "no parallel steps", help="qnet solve computes the number"))
            for (name, _), duration in route.parts.items():
                if not name:
                    result[route.class_index] = result[route.class_index] + route.probability * duration.mean
        return tuple(result)

    @cached_property
    def numbers(self) -> dict[str, float]:
        """The value of every symbol in the model, by its name."""
        return {name: number_of(self.values.known[name]) for name in self.values.symbols}

    def expanded(self, formula: Any, wanted: Any = None) -> Any:
        """The formula with all definitions substituted, or, with `wanted`, those that depend on that symbol."""
        for name in reversed(self.values.definitions):
            definition = self.values.definitions[name].formula
            if formula.has(self.values.symbols[name]) and (wanted is None or wanted.name in self.reached(definition)):
                formula = formula.xreplace({self.values.symbols[name]: definition})
        return formula

    def reached(self, *formulas: Any) -> dict[str, None]:
        """The names of all symbols in some formulas and in the definitions they use, in the order of the model."""
        used = {symbol.name for formula in formulas for symbol in formula.free_symbols}
        for name in reversed(self.values.definitions):
            if name in used:
                used |= {symbol.name for symbol in self.values.definitions[name].formula.free_symbols}
        return dict.fromkeys(name for name in self.values.symbols if name in used)

    @property
    def closed(self) -> tuple[ClosedClass, ...]:
        """The closed classes."""
        return self.network.closed

    @property
    def losing(self) -> bool:
        """Whether customers may be lost: at a station or a buffer that is full."""
        full = any(item.capacity is not None for item in self.network.stations)
        return full or any(item.loses for item in self.network.buffers)

    def refuse_losses(self) -> None:
        """Raise `NotComputed` QN521 where customers may be lost, so that not all arrivals are served."""
        if self.losing:
            text = "customers may be lost at a full station or buffer, so that fewer complete than arrive"
            help = "qnet solve computes the figures; for a single station, qnet queue M/M/c/K"
            raise NotComputed(Problem("QN521", text, "a model without losses", help=help))

    @cached_property
    def without_product_form(self) -> str:
        """The reason why the network has no product form at the model's numbers; empty where it has one."""
        network = bind(self.model, Values(self.model, {}, None))
        compiled = streams(network, FLOATS, [1.0] * len(network.classes))
        return next((item.reason.short for item in reasons_for(network, compiled, FLOATS)), "")

    def open_load(self, centre: FormulaCentre) -> Value:
        """The load of open classes on one copy of a station group, in erlangs."""
        classes = zip(self.network.classes, centre.demands, strict=True)
        return total(item.arrival_rate * demand for item, demand in classes if isinstance(item, OpenClass))

    @cached_property
    def loads(self) -> tuple[tuple[str, Value, bool], ...]:
        """For every capacity: its label, the share that open classes use, and whether that lacks waits inside holds."""
        result: list[tuple[str, Value, bool]] = []
        for centre in self.centres:
            if not centre.station.delay:
                rates = centre.station.rates
                most = centre.station.servers if rates is None else rates[-1]
                result.append((centre.label, self.open_load(centre) / most, centre.held))
        return (*result, *((limit.name, limit.load / limit.capacity, False) for limit in self.network.limits))

    @property
    def saturated(self) -> list[str]:
        """The capacities that open classes saturate at the model's numbers."""
        return [name for name, load, _ in self.loads if load >= 1]

    @cached_property
    def solution(self) -> RoutedSolution:
        """All figures, each a formula.

        Raises `NotComputed` QN520, QN521 where there is no closed form, with the reason; `NoAnswer` QN401 where there
        is no steady state at the model's numbers.
        """
        if self.closed:
            text = f'class "{self.closed[0].name}" is closed: its figures are no closed form, but have bounds'
            help = "ask for throughput_upper, response_lower and the like; qnet solve for the figures themselves"
            raise NotComputed(Problem("QN521", text, "open classes only", help=help))
        rated = [station.name for station in self.network.stations if station.rates is not None]
        if rated:
            text = f'the rates of "{rated[0]}" depend on the number present'
            raise NotComputed(Problem("QN521", text, "servers", help="qnet solve computes the figures"))
        if self.network.limited:
            text = "a station or a buffer may be full, and what is lost or delayed is a fixed point"
            raise NotComputed(Problem("QN521", text, "room for all", help="qnet solve computes the figures"))
        numeric = solve_points(self.model)
        if not numeric.stable:
            help = "set a lower load with -p; the formula holds below saturation"
            raise NoAnswer(Problem("QN401", "no steady state at the model's numbers", "a lower load", help=help))
        return closed_form(self.network, TRACING)

    @cached_property
    def figures(self) -> dict[str, Value]:
        """Every figure that expressions may use, by name; raises as `solution`."""
        return figures(self.solution)


def _refuse_solution_functions(model: Model) -> None:
    """Raise for a number of the network that uses a figure of the solution, by the name of both."""
    dependent = depends_on_solution(model)
    for expression in expressions(model):
        if uses_solution(expression, dependent):
            figure = next((name for name in closure(model, expression.names) if is_figure(name)), expression.source)
            text = f'"{expression.source}" uses {figure}, a figure of the solution: a fixed point'
            help = "qnet solve computes it; qnet envelope finds the largest value of a parameter"
            raise NotComputed(Problem("QN520", text, "numbers that do not depend on the solution", help=help))
        for station in inside_stations(model, expression.names):
            text = f"\"{expression.source}\" uses inside('{station}'), a number that changes with the state"
            raise NotComputed(Problem("QN520", text, "constant numbers", help="qnet solve accepts it"))
