"""Where a curve would break without any waiting: what customers who never meet each other ask of the stations."""

from __future__ import annotations

from typing import Any

from qnet.errors import QnetError
from qnet.expression import Expression, arrays, parse
from qnet.expression.nodes import Name
from qnet.lazy import np
from qnet.model.bind import expressions
from qnet.model.model import Model, Parameter
from qnet.networks.wanted import Wanted
from qnet.questions.knee.axes import Axis, closure, load_of
from qnet.questions.points.answers import Answers, solve_table
from qnet.questions.points.points import Part, solve_points
from qnet.queues.roots import root
from qnet.record import Record
from qnet.units import NUMBER

_PLACES = 64
_ROUNDING = 1e-9


class Light(Record):
    """What the stations carry as if nobody waited for another, at values along an axis; arrays."""

    load: Any
    """The largest share of what is left of a capacity; at 1 the asymptotes of the curve meet."""
    station: Any
    """The label of the station with that share; empty where there is no queueing station."""
    response: Any
    """Of the first customer, in seconds; of several classes the mean over passages."""
    customers: Any
    """How many there are of the classes that grow, fractions and all."""
    failure: QnetError | None
    """Why there is no answer where the response is not-a-number."""


class Asymptotes:
    """The light-load asymptotes of the closed classes of an axis.

    Definition  N customers who never wait for each other pass at N / (R0 + Z), with R0 the response of one of them
                alone and Z the think time. N* is where that reaches the capacity of the first station. Of one class it
                is (D + Z) / Dmax, Dmax the largest demand per capacity of a station, delays part of D; a station that
                is held while others are waited for does what it does when all its servers are held. Of a mix N* is
                where the stations' loads by all classes together reach the first capacity. Open classes take their
                part of the capacities beforehand, and other closed classes lengthen R0. Times that depend on waits
                are those of the customer alone.
    Source      Lazowska, Zahorjan, Graham and Sevcik, Quantitative System Performance (1984), chapter 5.
    """

    def __init__(self, axis: Axis, wanted: Wanted) -> None:
        self.axis = axis
        self.wanted = wanted
        self.names = [f"alone {place}" for place in axis.classes]
        self.lone = _alone(axis, self.names)

    @property
    def dependent(self) -> bool:
        """Whether anything but the number of customers changes along the axis."""
        names = [name for expression in expressions(self.lone) for name in expression.names]
        return not closure(self.lone, names).isdisjoint(self.axis.parameters)

    @property
    def straight(self) -> bool:
        """Whether the numbers of customers are proportional to the value along the axis."""
        loads = [load_of(self.axis.model.customers[place]) for place in self.axis.classes]
        return all(isinstance(load.root, Name) and load.root.name in self.axis.parameters for load in loads)

    def light(self, values: Any, demands_at: float | None = None) -> Light:
        """The light load at values along the axis, with the demands there, or those at one value for all."""

        size, kinds = len(values), len(self.axis.classes)
        at = values if demands_at is None else np.full(size, demands_at)
        columns = {name: np.repeat(column, kinds) for name, column in self.axis.real(at).items()}
        for kind, name in enumerate(self.names):
            columns[name] = np.tile([1.0 if other == kind else 0.0 for other in range(kinds)], size)
        answers = solve_table(self.lone, columns, size * kinds, self.wanted)
        answers.refuse_all_failed()
        people = self.axis.customers(values)
        response = np.stack([self._of_class(answers, place, "response") for place in self.axis.classes])
        response = np.stack([response[kind, kind::kinds] for kind in range(kinds)])
        rates = np.stack([self._of_class(answers, place, "throughput") for place in self.axis.classes])
        rates = np.stack([rates[kind, kind::kinds] for kind in range(kinds)])
        passing = people * rates
        load, station = np.zeros(size), np.full(size, "", dtype=object)
        for label in dict.fromkeys(item.label for item in _queues(answers)):
            share = np.zeros(size)
            for kind, place in enumerate(self.axis.classes):
                own = answers.gather(lambda part, p=place, at=label: _used(self.lone, part, at, p))[kind::kinds]
                share += people[kind] * own
            taken = answers.gather(lambda part, at=label: _used(self.lone, part, at, None))[::kinds]
            share = share / (1 - taken)
            station = np.where(share > load, label, station)
            load = np.maximum(share, load)
        limit = self._limit(answers)
        if limit:
            share = passing.sum(0) / limit[0]
            station = np.where(share > load * (1 + _ROUNDING), limit[1], station)
            load = np.maximum(share, load)
        weights = passing + (passing.sum(0) == 0)
        return Light(load, station, (weights * response).sum(0) / weights.sum(0), people.sum(0), answers.failure)

    def meeting(self, first: float, last: float, demands_at: float | None = None) -> float | None:
        """The first value along the axis at which the asymptotes meet; None where they do not.

        demands_at   the value along the axis whose demands hold throughout; None for those at each value.
        """

        if self.straight and (demands_at is not None or not self.dependent):
            load = float(self.light(np.array([first]), first if demands_at is None else demands_at).load[0]) / first
            return 1 / load if load * last >= 1 else None

        def beyond(values: Any) -> Any:
            return self.light(values, demands_at).load - 1

        places = np.geomspace(first, last, _PLACES)
        over = beyond(places)
        places, over = places[~np.isnan(over)], over[~np.isnan(over)]
        changes = np.flatnonzero((over[:-1] < 0) & (over[1:] >= 0))
        if not len(changes):
            return None
        here, after = slice(changes[0], changes[0] + 1), slice(changes[0] + 1, changes[0] + 2)
        return float(root(beyond, places[here], places[after], over[here], over[after], arrays())[0])

    def _limit(self, answers: Answers) -> tuple[float, str] | None:
        """The most passages per second of one class alone, and what is full then, where servers are held meanwhile."""
        if len(self.axis.model.customers) > 1 or self.dependent:
            return None
        if not any(part.solution.held_by for part in answers.parts):
            return None
        return solve_points(self.lone, asked=self.wanted).parts[0].solution.ceiling

    def _of_class(self, answers: Answers, place: int, figure: str) -> Any:
        return answers.gather(lambda part: getattr(part.solution.classes[place], figure))


def _alone(axis: Axis, names: list[str]) -> Model:
    """The model with as many customers of each class that grows as a parameter of our own says."""
    model = axis.model
    customers = list(model.customers)
    parameters = dict(model.parameters)
    for name, place in zip(names, axis.classes, strict=True):
        one = Expression(name, Name(name), (name,))
        parameters[name] = Parameter(name, parse(1), NUMBER)
        customers[place] = customers[place].replace(population=one)
    return model.with_customers(customers).replace(parameters=parameters)


def _queues(answers: Answers) -> Any:
    """The figures of every queueing station."""
    for part in answers.parts:
        yield from (item for item in part.solution.stations if item.utilization is not None)


def _used(model: Model, part: Part, label: str, place: int | None) -> Any:
    """The share of a station's capacity that one class uses, or (None) all open classes together."""
    full = part.solution.full_at.get(label)
    if full is not None:
        return 0.0 * full if place is None else part.solution.classes[place].throughput / full
    names = [item.name for item in model.customers if item.population is None]
    if place is not None:
        names = [model.customers[place].name]
    visits = [item for item in part.solution.visits if item.label == label]
    found = [item.utilization for item in visits if (item.chain or item.class_name) in names]
    return sum(0.0 if item is None else item for item in found)
