"""The demands of a model at its operating point, and the features of the model that demands cannot express."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from qnet.errors import render_path
from qnet.exchange.demands import DemandCentre, DemandClass, DemandNetwork, Service
from qnet.exchange.imported import Items, unused_name
from qnet.model.bind import bind, expressions
from qnet.model.keys import keys_of, stated
from qnet.model.model import Model
from qnet.model.scope import depends_on_solution, inside_stations, station_figures, uses_solution
from qnet.model.values import Values
from qnet.networks import copy_classes
from qnet.networks.routed import ClosedClass, Fork, Hold, OpenClass, RoutedNetwork, Station, Step, Time
from qnet.record import Record

MAX_CENTRES = 2000
"""Stations, counting copies."""
_DELAY = "delays"


_HANDLED: Mapping[str, frozenset[str]] = {
    "limit": frozenset(("load", "capacity")),
    "station": frozenset(("servers", "rates", "capacity", "discipline", "delay", "copies", "split", "follows")),
    "split": frozenset(("hot", "share")),
    "buffer": frozenset(("places", "full")),
    "class": frozenset(
        ("arrival_rate", "arrival_scv", "population", "think_time", "priority", "per_copy_of", "routes")
    ),
    "route": frozenset(("probability", "steps")),
    "chain": frozenset(("arrival_rate", "arrival_scv", "population", "think_time", "reference", "priority", "classes")),
    "service": frozenset(("time", "scv")),
    "step": frozenset(
        ("station", "steps", "join", "fill", "drains", "visits", "phase", "keeps", "priority", "exempt", "scv", "copy")
    ),
    "branch": frozenset(("steps", "copies")),
}
"""The keys, by table of the language, that are converted or reported as lost by the code below. Any other key is
reported as lost wherever it has another value than its default."""


class _Visit(Record):
    """Visits of a class to a station, or to a delay."""

    station: str
    """Empty for a delay."""
    copy: int | None
    visits: float
    """Per passage."""
    time: float
    """Service time of a visit, in seconds."""
    scv: float
    """That of the service time; -1 for one made of several times."""
    priority: int


def demands_of(model: Model, items: Items, varied: Mapping[str, float] | None = None) -> DemandNetwork:
    """The network of a model as service times and visits, at the values of its parameters.

    Routes and the classes of a chain become means over the passages of the class; copies become stations. Features
    without product form are left out, and listed in `items` as a change of the solution.

    varied   other values for some parameters, in base units.
    """
    _list_parts_outside(model, items)
    values = Values(model, varied or {}, None, dict.fromkeys(station_figures(model), 0.0))
    network = bind(model, values)
    _list_unknown_keys(model, values, items)
    owners = {customers.name: customers for customers in model.classes if customers.per_copy_of}
    if owners:
        for name in owners:
            items.kept(f"classes.{name}.per_copy_of", "one class for each copy")
        network = copy_classes.per_copy(network)
    return _Demands(model, network, items).demands()


def _list_parts_outside(model: Model, items: Items) -> None:
    """List the parts of a model outside of its network."""
    dependent = depends_on_solution(model)
    rests = expressions(model)
    if any(uses_solution(expression, dependent) for expression in rests):
        items.lost(
            "model", "numbers depend on the solution, such as utilization('cpu'); they are taken without load", True
        )
    if inside := inside_stations(model, [name for expression in rests for name in expression.names]):
        items.lost(
            f"stations.{inside[0]}",
            "numbers depend on the customers inside; those of the most customers are taken",
            True,
        )
    if model.parameters:
        items.lost("parameters", "written as their present values, without their names")
    for limit in model.limits:
        items.lost(
            f"limits.{limit.name}", "a capacity that is not a queue is left out; no load reaches it at this point"
        )
    for table, names in (("outputs", model.outputs), ("costs", model.costs), ("envelopes", model.envelopes)):
        for name in names:
            items.lost(f"{table}.{name}", "the other format has no such question")
    if model.knee_question.vary or model.knee_question.limits:
        items.lost("knee", "the other format has no such question")
    if model.calibration is not None:
        items.lost("calibration", "standard errors of parameters are left out")


def _list_unknown_keys(model: Model, values: Values, items: Items) -> None:
    """List the keys outside of `_HANDLED` that have another value than their default."""
    keys = keys_of(model)
    for kind, item, path in stated(model):
        for key in keys.all(kind, type(item)):
            value = key.of(item)
            if key.key in _HANDLED.get(kind, ()) or key.field.explains or value in (None, "", ()) or value is False:
                continue
            if key.field.kind == "expression":
                value = values.evaluate(value, (*path, key.key))
            if value != key.field.default:
                items.lost(render_path((*path, key.key)), "the other format has no such key", True)


class _Demands:
    """Sums the service that each class asks of each station."""

    def __init__(self, model: Model, network: RoutedNetwork, items: Items) -> None:
        self.model, self.network, self.items = model, network, items
        self.stations = {station.name: station for station in network.stations}
        self.paths = {item.name: ".".join(map(str, item.path)) for item in model.customers}
        for item in network.classes:
            self.paths.setdefault(item.name, self.paths.get(item.name.rpartition("[")[0], item.name))
        self.where = ""
        self.visits: list[_Visit] = []

    def demands(self) -> DemandNetwork:
        """The network."""
        by_class: list[list[_Visit]] = []
        for item in self.network.classes:
            self.where, self.visits = self.paths[item.name], []
            self._customers(item)
            by_class.append(self.visits)
        for buffer in self.network.buffers:
            self.items.lost(f"buffers.{buffer.name}", "a finite buffer is left out", True)
        centres: list[DemandCentre] = []
        if sum(station.copies for station in self.network.stations) > MAX_CENTRES:
            self.items.lost("stations", f"there are more than {MAX_CENTRES} copies; each would be a station", True)
        else:
            for station in self.network.stations:
                centres += self._centres(station, by_class)
        delays = tuple(self._service([visit for visit in visits if not visit.station]) for visits in by_class)
        if any(item.time for item in delays):
            taken = {centre.name for centre in centres}
            name = unused_name(_DELAY, taken)
            centres.insert(0, DemandCentre(name, delay=True, services=delays))
            self.items.kept("steps", f'delays without queueing are the delay station "{name}"')
        classes = tuple(self._class(item, visits) for item, visits in zip(self.network.classes, by_class, strict=True))
        lowest = min((item.priority for item in classes), default=0)
        if lowest < 0:
            self.items.kept(
                "classes", f"all priorities are {-lowest} higher, because the other format has none below 0"
            )
            classes = tuple(item.replace(priority=item.priority - lowest) for item in classes)
        return DemandNetwork(self.model.title, tuple(centres), classes)

    # Classes

    def _customers(self, item: OpenClass | ClosedClass) -> None:
        """Collect the visits of a class."""
        if isinstance(item, OpenClass) and item.arrival_scv != 1:
            self.items.lost(f"{self.where}.arrival_scv", "arrivals are taken as Poisson", True)
        if item.chain:
            self.items.kept(self.where, "class switching: the chain is one class with its mean visits and times")
        elif len(item.routes) > 1:
            self.items.kept(f"{self.where}.routes", f"{len(item.routes)} routes are one class with their mean visits")
        for route in item.routes:
            self._steps(route.steps, float(route.probability), False)

    def _class(self, item: OpenClass | ClosedClass, visits: list[_Visit]) -> DemandClass:
        """A class with its load, and its priority where it has one."""
        ranked = [v for v in visits if v.station and self.stations[v.station].discipline in ("priority", "preemptive")]
        priorities = {visit.priority for visit in ranked}
        where = self.paths[item.name]
        if len(priorities) > 1:
            self.items.lost(where, "steps of several priorities: the class gets the lowest of them", True)
        priority = min(priorities, default=0)
        if isinstance(item, OpenClass):
            return DemandClass(item.name, arrival_rate=float(item.arrival_rate), priority=priority)
        population = float(item.population)
        if population != int(population):
            self.items.lost(f"{where}.population", f"{population:g} customers are rounded", True)
            population = float(round(population))
        return DemandClass(item.name, population=population, think_time=float(item.think_time), priority=priority)

    # Steps

    def _steps(self, steps: Iterable[Step], times: float, held: bool) -> None:
        """Collect the visits of steps that are made `times` per passage, while a queueing station is `held` or not."""
        for step in steps:
            if step.phase == 2:
                self.items.lost(self.where, "second-phase work is made before the response", True)
            if isinstance(step, Fork):
                self.items.lost(self.where, "parallel steps are made one after the other", True)
                for branch in step.branches:
                    self._steps(branch.steps, times * float(step.visits) * branch.copies, held)
            elif isinstance(step, Hold):
                self._hold(step, times, held)
            elif step.mean and step.visits:
                self.visits.append(_Visit("", None, times * float(step.visits), float(step.mean), 1.0, 0))

    def _hold(self, step: Hold, times: float, held: bool) -> None:
        """Collect a visit to a station, and those made while it is held."""
        delay = self.stations[step.station].delay
        if held and not delay:
            self.items.lost(self.where, "simultaneous resource possession: the held station is released before the "
                            "next one is requested", True)  # fmt: skip
        if step.exempt:
            self.items.lost(self.where, f'the exemption from priority at "{step.station}" is left out', True)
        visits = times * float(step.visits)
        services = [item for item in step.steps if isinstance(item, Time)]
        inner = [item for item in step.steps if not isinstance(item, Time)]
        if any(item.phase == 2 for item in services):
            self.items.lost(self.where, f'second-phase work at "{step.station}" is made before the response', True)
        time = sum(float(item.mean) * float(item.visits) for item in services)
        scv = 1.0
        if step.scv is not None:
            scv = float(step.scv)
        elif time:
            timed = [item for item in services if item.mean]
            scv = float(timed[0].scv) if len(timed) == 1 and timed[0].visits == 1 else -1.0
        if visits:
            self.visits.append(_Visit(step.station, step.copy, visits, time, scv, step.priority))
            self._steps(inner, visits, held or not delay)

    # Stations

    def _centres(self, station: Station, by_class: list[list[_Visit]]) -> list[DemandCentre]:
        """A station, or each of its copies."""
        where = f"stations.{station.name}"
        visits = [[visit for visit in each if visit.station == station.name] for each in by_class]
        if station.capacity is not None:
            self.items.lost(f"{where}.capacity", "the capacity is left out: no customer is blocked or lost", True)
        if station.discipline == "fcfs" and not station.delay:
            served = [visit for each in visits for visit in each if visit.time]
            if len({visit.time for visit in served}) > 1:
                self.items.lost(where, "first come first served with different service times: product form is assumed",
                                True)  # fmt: skip
            if any(visit.scv != 1 for visit in served):
                self.items.lost(where, "service times that are not exponential are taken as exponential", True)
        ranked = station.discipline in ("priority", "preemptive")
        if ranked and any(visit.scv != 1 for each in visits for visit in each if visit.time):
            self.items.lost(where, "service times that are not exponential are taken as exponential", True)
        if station.discipline in ("ps", "lcfs-pr") and not station.delay:
            self.items.kept(where, f'"{station.discipline}" becomes a product-form queue with the same means')
        if station.copies > 1:
            self.items.kept(f"{where}.copies", f"{station.copies} copies become stations")
        result: list[DemandCentre] = []
        first = 0
        for group in station.groups:
            for index in range(first, first + group.copies):
                of_copy = [
                    [
                        visit if visit.copy is not None else visit.replace(visits=visit.visits * float(group.share))
                        for visit in each
                        if visit.copy is None or visit.copy == index + 1
                    ]
                    for each in visits
                ]
                result.append(
                    DemandCentre(
                        name=station.name if station.copies == 1 else f"{station.name}[{index + 1}]",
                        delay=station.delay,
                        servers=1 if station.rates else station.servers,
                        discipline=station.discipline,
                        rates=station.rates or (),
                        services=tuple(map(self._service, of_copy)),
                    )
                )
            first += group.copies
        return result

    @staticmethod
    def _service(visits: list[_Visit]) -> Service:
        """The mean service time of a visit, and the number of visits."""
        number = sum(visit.visits for visit in visits)
        times = {visit.time for visit in visits if visit.visits}
        if len(times) == 1:
            return Service(times.pop(), number)
        total = sum(visit.visits * visit.time for visit in visits)
        return Service(total / number if number else 0.0, number)
