"""The knees along a number of customers: N* of the asymptotes, service levels, power and curvature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from qnet.errors import NoAnswer, Problem, QnetError, UsageError
from qnet.expression import Expression, parse
from qnet.expression.nodes import Name
from qnet.lazy import np
from qnet.model.bind import all_steps, expressions
from qnet.model.conditions import Condition
from qnet.model.model import Model, Parameter
from qnet.model.scope import closure
from qnet.networks.wanted import Wanted
from qnet.questions.knee.axes import GrowthAxis, load_of
from qnet.questions.knee.closed_confirmed import confirmed
from qnet.questions.knee.curve import Curve, highest_integer, integer_points, last_integer, power
from qnet.questions.knee.knees import OF_KIND, Knee, Knees
from qnet.questions.points.answers import Answers, solve_table
from qnet.questions.points.points import Part, solve_points
from qnet.queues.arithmetic import distinct
from qnet.queues.roots import first_of_many
from qnet.record import Record
from qnet.units import NUMBER

_LOADS = 64
"""Values of the axis, evenly spaced in their logarithm, between which the first crossing is enclosed; a choice."""
_ROUNDING = 1e-9
"""The relative difference above which one station limits a load more than another; any small number above rounding."""


class Light(Record):
    """The load of the stations if no customer waited for another, at values along an axis; arrays."""

    load: Any
    """The largest share of the remaining capacity of a station; at 1 the asymptotes of the curve meet."""
    station: Any
    """The label of the station with that share; empty where there is no queueing station."""
    response: Any
    """The response of a customer alone, in seconds; for several classes the mean over passages."""
    customers: Any
    """The number of customers of the growing classes; not rounded."""
    failure: QnetError | None
    """The reason where the response is NaN."""


class Asymptotes:
    """The light-load asymptotes of the closed classes of an axis.

    Definition  N customers that never wait for each other pass at N / (R0 + Z), with R0 the response of one of them
                alone and Z the think time. N* is where that reaches the capacity of the first station. Of one class it
                is (D + Z) / Dmax, Dmax the largest demand per capacity of a station, delays part of D; a station that
                is held while others are waited for does what it does when all its servers are held. Of a mix N* is
                where the stations' loads by all classes together reach the first capacity. Open classes take their
                part of the capacities beforehand, and other closed classes lengthen R0. Times that depend on waits
                are those of the customer alone.
    Source      @lazowska1984, chapter 5.
    """

    def __init__(self, axis: GrowthAxis, wanted: Wanted) -> None:
        self.axis = axis
        self.wanted = wanted
        self.names = [f"alone {index}" for index in axis.classes]
        self.lone = _alone(axis, self.names)
        self.known: dict[tuple[tuple[float, ...], tuple[float, ...]], Light] = {}

    @property
    def dependent(self) -> bool:
        """Whether anything but the number of customers changes along the axis."""
        names = [name for expression in expressions(self.lone) for name in expression.names]
        return not closure(self.lone, names).keys().isdisjoint(self.axis.parameters)

    @property
    def straight(self) -> bool:
        """Whether the numbers of customers are proportional to the value along the axis."""
        loads = [load_of(self.axis.model.customers[index]) for index in self.axis.classes]
        return all(isinstance(load.root, Name) and load.root.name in self.axis.parameters for load in loads)

    def light(self, values: Any, demands_at: float | None = None) -> Light:
        """The light load at values along the axis, with the demands there, or those at one value for all."""
        at = values if demands_at is None else np.full(len(values), demands_at)
        key = tuple(values.tolist()), tuple(at.tolist())
        if key not in self.known:
            self.known[key] = self._solved(values, at)
        return self.known[key]

    def _solved(self, values: Any, at: Any) -> Light:
        """The light load at `values` along the axis, with the demands at other values, `at`."""
        size, classes = len(values), len(self.axis.classes)
        columns = {name: np.repeat(column, classes) for name, column in self.axis.real(at).items()}
        for number, name in enumerate(self.names):
            columns[name] = np.tile([1.0 if other == number else 0.0 for other in range(classes)], size)
        answers = solve_table(self.lone, columns, size * classes, self.wanted)
        answers.refuse_all_failed()
        customers = self.axis.customers(values)
        response = np.stack([self._of_class(answers, index, "response") for index in self.axis.classes])
        response = np.stack([response[number, number::classes] for number in range(classes)])
        rates = np.stack([self._of_class(answers, index, "throughput") for index in self.axis.classes])
        rates = np.stack([rates[number, number::classes] for number in range(classes)])
        passing = customers * rates
        load, station = np.zeros(size), np.full(size, "", dtype=object)
        for label in dict.fromkeys(item.label for item in _queues(answers)):
            share = np.zeros(size)
            for number, index in enumerate(self.axis.classes):
                used = answers.gather(lambda part, p=index, at=label: _used(self.lone, part, at, p))[number::classes]
                share += customers[number] * used
            taken = answers.gather(lambda part, at=label: _used(self.lone, part, at, None))[::classes]
            share = share / (1 - taken)
            cause = answers.gather(lambda part, at=label: _saturated_by(part, at))[::classes]
            station = np.where(share > load, cause, station)
            load = np.maximum(share, load)
        limit = self._limit(answers)
        if limit:
            share = passing.sum(0) / limit[0]
            station = np.where(share > load * (1 - _ROUNDING), limit[1], station)
            load = np.maximum(share, load)
        weights = passing + (passing.sum(0) == 0)
        return Light(load, station, (weights * response).sum(0) / weights.sum(0), customers.sum(0), answers.failure)

    def saturating(self, first: float, full: float) -> str:
        """The station that saturates first where the asymptotes meet; `first` is where they begin."""
        # Loads that are proportional to the numbers of customers are in the same order at all of them.
        return str(self.light(np.array([first if self.straight and not self.dependent else full])).station[0])

    def meeting(self, first: float, last: float, demands_at: float | None = None) -> float | None:
        """The first value along the axis at which the asymptotes meet; None where they do not.

        demands_at   the value along the axis whose demands hold throughout; None for those at each value.
        """
        if self.straight and (demands_at is not None or not self.dependent):
            load = float(self.light(np.array([first]), first if demands_at is None else demands_at).load[0]) / first
            return 1 / load if load * last >= 1 else None

        def beyond(values: Any) -> Any:
            return self.light(values, demands_at).load - 1

        loads = np.geomspace(first, last, _LOADS)
        over = beyond(loads)
        loads, over = loads[~np.isnan(over)], over[~np.isnan(over)]
        changes = np.flatnonzero((over[:-1] < 0) & (over[1:] >= 0))
        if not len(changes):
            return None
        ends = slice(changes[0], changes[0] + 2)
        return first_of_many(beyond, *loads[ends].tolist(), *over[ends].tolist())

    def _limit(self, answers: Answers) -> tuple[float, str] | None:
        """The saturation throughput of a single class that holds servers while others are visited, and its cause."""
        if len(self.axis.model.customers) > 1 or self.dependent:
            return None
        if not any(part.solution.held_by for part in answers.parts):
            return None
        return solve_points(self.lone, asked=self.wanted).parts[0].solution.ceiling

    def _of_class(self, answers: Answers, index: int, figure: str) -> Any:
        return answers.gather(lambda part: getattr(part.solution.classes[index], figure))


def _alone(axis: GrowthAxis, names: list[str]) -> Model:
    """The model in which added parameters set the populations of the growing classes."""
    model = axis.model
    customers = list(model.customers)
    parameters = dict(model.parameters)
    for name, index in zip(names, axis.classes, strict=True):
        one = Expression(name, Name(name), (name,))
        parameters[name] = Parameter(name, parse(1), dimension=NUMBER)
        customers[index] = customers[index].replace(population=one)
    return model.with_customers(customers).replace(parameters=parameters)


def _queues(answers: Answers) -> Any:
    """The figures of every queueing station."""
    for part in answers.parts:
        yield from (item for item in part.solution.stations if item.utilization is not None)


def _saturated_by(part: Part, label: str) -> Any:
    """The station that saturates a resource, at each point of a part."""
    points = range(part.values.size or 0)
    return np.array([part.solution.saturated_by(label, point) for point in points], dtype=object)


def _used(model: Model, part: Part, label: str, index: int | None) -> Any:
    """The share of a station's capacity that one class uses, or (None) all open classes together."""
    full = part.solution.full_at.get(label)
    if full is not None:
        return np.zeros_like(full) if index is None else part.solution.classes[index].throughput / full
    names = [item.name for item in model.customers if item.population is None]
    if index is not None:
        names = [model.customers[index].name]
    visits = [item for item in part.solution.visits if item.label == label]
    result = [item.utilization for item in visits if (item.chain or item.class_name) in names]
    return sum(0.0 if item is None else item for item in result)


_MOST = 1e9
"""The largest number of customers tried."""
_DENSE = 1000
"""Customers up to which the entire curve is computed, where all its points cost little more than a few."""
_CROSSINGS = 9
"""Most crossings of a limit that are reported."""
_PARTS = 200
"""Curvature is measured over N* divided by this, and over at least one customer."""
_FLAT = 1e-9
"""Curvature up to this may be rounding alone."""
_NO_QUEUE = "its customers never queue, so that the response does not grow with them"
_LEVEL_FROM = 64.0
"""Where the response is constant up to twice N* times this, the end of the range is tried next."""
_HILL = 1e-3
"""The largest curvature must exceed that at the least number by this share of it to be a maximum."""


class AlongPopulations:
    """The search of the knees along an axis of closed classes.

    limits   service levels.
    wanted   the method and its budget.
    Raises   `NoAnswer` QN404 where the range has no customer; the error of the model for one customer alone;
             `UsageError` QN017 where the number of customers does not grow.
    """

    def __init__(self, axis: GrowthAxis, limits: Sequence[Condition], wanted: Wanted) -> None:
        self.axis = axis
        self.limits = limits
        self.curve = Curve(axis, limits, wanted)
        self.first = max(1.0, float(np.ceil(axis.least)))
        self.last = float(np.floor(min(axis.last, _MOST)))
        if self.last < self.first:
            text = f"the range of {axis.name} ends at {axis.last:g}"
            raise NoAnswer(Problem("QN404", text, "a range with one customer at least"))
        fewest, most = axis.customers(np.array([self.first, self.last])).sum(0)
        if self.first < self.last and not most > fewest * (1 + 1e-6):
            text = f'"{axis.name}" does not change the number of customers, which is always {fewest:g}'
            raise UsageError(Problem("QN017", text, "a parameter that the number of customers grows with"))
        # Along a mix, steps must be long enough to change every class.
        self.one_of_each = float(np.ceil(1 / min(axis.weights)))
        if axis.mix and not self.curve.points([self.first])[0].answered:
            # Figures that divide by the customers of a class need one of each.
            self.first = min(max(self.first, self.one_of_each), self.last)
        self.asymptotes = Asymptotes(axis, self.curve.wanted)
        alone = self.asymptotes.light(np.array([self.first]))
        if alone.failure and np.isnan(alone.response[0]):
            # A customer alone may saturate a station, and leave no steady state for other classes.
            raise alone.failure
        self.queueing = bool(alone.station[0])
        self.floor = float(alone.response[0])
        self.dependent = self.asymptotes.dependent
        self.n_star = self.asymptotes.meeting(self.first, self.last) if self.queueing else None
        # One class is solved at many populations at once; with single servers they cost little more than the largest.
        self.coarse = 33 if len(axis.model.customers) == 1 else 17
        self.dense = _DENSE if len(axis.model.customers) == 1 and _single(axis.model) else self.coarse
        self.span = 0.0

    def searches(self, asked: Sequence[str]) -> list[Callable[[], Knee]]:
        """The searches along the curve for the definitions `asked`."""
        if not self.queueing:
            return []
        searches: list[Callable[[], Knee]] = []
        if "service_level" in asked:
            searches += [partial(self.level, index) for index in range(len(self.limits))]
        if "power" in asked:
            searches.append(lambda: self.highest("power", lambda values: self.curve.read(values, power)))
        if "curvature" in asked:
            searches.append(self.curved)
        return searches

    def knees(self, asked: Sequence[str], searched: Sequence[Knee]) -> Knees:
        """The knees by the definitions `asked`.

        searched   the results of `searches`.
        """
        knees = self.asymptotic() if self.queueing and "n_star" in asked else []
        knees, searched = ([confirmed(self.curve, item, self.first) for item in some] for some in (knees, searched))
        if not self.queueing:
            levels = [self.none("service_level", _NO_QUEUE, item.source) for item in self.limits]
            knees = [self.none(name, _NO_QUEUE) for name in asked if name in OF_KIND[True] and name != "service_level"]
            knees += levels if "service_level" in asked else []
        saturating = ""
        if self.queueing and self.n_star:
            saturating = self.asymptotes.saturating(self.first, max(self.n_star, self.first))
        return Knees(
            axis=self.axis,
            knees=(*knees, *searched),
            curve=self.curve,
            first=self.first,
            floor=self.floor,
            dependent=self.dependent,
            span=self.span,
            saturating=saturating,
        )

    def none(self, definition: str, why: str, about: str = "") -> Knee:
        """The record of a knee that does not exist, with the reason as its status."""
        return Knee(axis=self.axis, definition=definition, about=about, status=why)

    def window(self, reach: float) -> Any:
        """Integers up to twice N* times `reach`: all of them where that is cheap."""
        end = min(max(2 * (self.n_star or self.last), 2 * self.first, 8.0) * reach, self.last)
        return integer_points(self.first, end, self.dense if end <= self.dense else self.coarse)

    def asymptotic(self) -> list[Knee]:
        """N*; where demands depend on the number of customers, also N* with those of the first customer."""
        knees = [self.meets("n_star", self.n_star)]
        if self.dependent:
            knees.append(self.meets("n_star_unloaded", self.asymptotes.meeting(self.first, _MOST, self.first)))
        return knees

    def meets(self, definition: str, value: float | None) -> Knee:
        """A knee at N*."""
        if value is None:
            return self.none(definition, f"not reached up to {self.last:g}, where the range ends")
        integer = float(np.floor(value * (1 + 1e-12)))
        if not self.first <= integer <= self.last:
            return self.none(definition, f"at {value:.6g}, beyond the range")
        return Knee(axis=self.axis, definition=definition, about="", status="ok", real=value, value=integer)

    def level(self, index: int) -> Knee:
        """The largest number up to which a limit holds, or, for a lower limit, the smallest from which it holds."""
        limit = self.limits[index]
        about, excess = limit.source, self.excess(index)
        loads, reach = self.window(1.0), 1.0
        held = excess(loads) <= 0
        if not held[0] and limit.upper:
            return self.none("service_level", "exceeded by the first customer", about)
        while held.all() == held.any() and loads[-1] < self.last:
            reach *= 4
            loads = distinct(np.concatenate([loads, self.window(reach)]))
            held = excess(loads) <= 0
        changes = np.flatnonzero(held[:-1] != held[1:])
        if not len(changes):
            status = "holds" if held[0] else "not reached"
            return self.none("service_level", f"{status} up to {loads[-1]:.9g}, where the range ends", about)
        crossings: list[float] = []
        for change in changes[:_CROSSINGS]:
            unchanged = _holds_as(excess, bool(held[change]))
            crossings.append(last_integer(unchanged, loads[change], loads[change + 1], self.curve.zoom))
        return self.crossing(about, crossings, bool(held[0]), excess)

    def excess(self, index: int) -> Callable[[Any], Any]:
        """The excess over one of the limits, as a function of the loads."""
        return lambda values: self.curve.read_all(values, lambda item: item.excess[index])

    def crossing(self, about: str, crossings: list[float], held: bool, excess: Callable[[Any], Any]) -> Knee:
        """The knee between two integers, of which only one meets the limit."""
        low = crossings[0]
        for number, point in zip((low, low + 1), self.curve.points([low, low + 1]), strict=True):
            if not point.answered:
                why = self.curve.answers(np.array([number])).status[0]
                return self.none("service_level", f"holds up to {low:.9g}; beyond, {why}", about)
        before, after = (float(value) for value in excess([low, low + 1]))
        real = low - before / (after - before)
        return Knee(
            axis=self.axis,
            definition="service_level",
            about=about,
            status="ok",
            real=real,
            value=low if held else low + 1,
            also=tuple(crossings[1:]),
        )

    def highest(self, definition: str, of: Callable[[Any], Any], low: float | None = None, margin: float = 0.0) -> Knee:
        """The number of customers at which a figure is highest.

        of       the figure as a function of the loads.
        low      the first number at which it is defined; None: the first of the curve.
        margin   the distance to each side over which it uses the curve; 0 for a figure at a single load.
        """
        reach = 1.0
        low, high = self.first if low is None else low, self.last - margin
        if low > high:
            return self.none(definition, "the range is too short")
        while True:
            loads = distinct(self.window(reach).clip(low, high))
            values = of(loads)
            if np.isnan(values).all():
                return self.none(definition, "no answer")
            if np.nanargmax(values) < len(loads) - 2 or loads[-1] >= high:
                break
            reach = float("inf") if reach == _LEVEL_FROM and not margin and self.level_at(loads) else 4 * reach
        integer, real = highest_integer(of, loads, self.curve.zoom)
        if margin and float(of(np.array([integer]))[0]) <= _FLAT:
            return self.none(definition, "the curve is straight")
        if self.begins(of, integer, low, margin):
            return self.none(definition, f"largest at the least number evaluated, {low:.9g}")
        if integer >= high:
            return self.none(definition, f"still rising at {integer:.9g}, where the range ends")
        return Knee(axis=self.axis, definition=definition, about="", status="ok", real=real, value=integer)

    def level_at(self, loads: Any) -> bool:
        """Whether the response is the same at some loads."""
        response = self.curve.read(loads, lambda point: point.response)
        return bool(np.ptp(response) <= _FLAT * response[0])

    def begins(self, of: Callable[[Any], Any], integer: float, low: float, margin: float) -> bool:
        """Whether a figure is highest at the first point of the curve, which is a knee only for one customer."""
        if not margin:
            return integer <= low and low > 1
        at_low, at_integer = of(np.array([low, integer]))
        return bool(integer <= low or at_integer <= at_low * (1 + _HILL))

    def curved(self) -> Knee:
        """The number of customers with the largest curvature."""
        if self.n_star is None:
            return self.none("curvature", "there is no N* to measure it by")
        if not self.floor:
            return self.none("curvature", "the response of one customer is 0, which is no unit to measure it by")
        self.span = max(self.one_of_each, float(np.floor(self.n_star / _PARTS)))
        return self.highest("curvature", self.curvature, max(self.first, self.one_of_each) + self.span, self.span)

    def curvature(self, values: Any) -> Any:
        """Curvature of R / R0 over N / N*, by central differences."""
        span = self.span
        nearby = np.concatenate([values - span, values, values + span])
        response = self.curve.read(nearby, lambda point: point.response).reshape(3, -1) / self.floor
        step = span / (self.n_star or 1.0)
        slope = (response[2] - response[0]) / (2 * step)
        return np.abs(response[2] - 2 * response[1] + response[0]) / step**2 / (1 + slope**2) ** 1.5


def _single(model: Model) -> bool:
    """Whether every station is a delay or has one server, and no steps are parallel, so that solving all populations up
    to a number costs little more than that number alone."""
    servers = all(item.delay or (not item.rates and item.servers == parse(1)) for item in model.stations)
    return servers and not any(step.branches for step in all_steps(model))


def _holds_as(excess: Callable[[Any], Any], held: bool) -> Callable[[Any], Any]:
    """A function of loads: whether a limit holds there, if `held`, or else whether it does not."""
    return lambda values: (excess(values) <= 0) == held
