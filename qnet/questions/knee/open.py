"""The knees along an arrival rate: multiples of the response without load, service levels, power and saturation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import isfinite
from typing import Any

from qnet.errors import NoAnswer, NotComputed, Problem, QnetError
from qnet.expression import Expression, arrays, parse
from qnet.expression.nodes import Binary, Name
from qnet.lazy import np
from qnet.model.conditions import Condition
from qnet.model.model import Parameter
from qnet.networks.exactness import STATES
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.knee.axes import GrowthAxis, one_parameter
from qnet.questions.knee.curve import (
    BEYOND,
    Curve,
    CurvePoint,
    highest_near,
    highest_real,
    loads_to,
    power,
    solve_loads,
)
from qnet.questions.knee.knees import Knee, Knees
from qnet.questions.points.domain import stated_value
from qnet.questions.points.giving_way import at_saturation
from qnet.questions.points.trial import Trial
from qnet.questions.search.confirmed import Unconfirmed, end_near
from qnet.questions.search.scan import ENDLESS, SATURATION
from qnet.questions.search.search import largest
from qnet.queues.roots import root
from qnet.record import Record
from qnet.units import NUMBER, RATE

_LOADS = AUTO.replace(warned=False)
_BY_POINTS = (
    "a curve cannot be searched by single points; qnet envelope can, with a limit such as "
    "--limit 'response <= 1 s', and so can qnet sweep"
)
_MULTIPLE = "multiple of the rates"
"""An added parameter; no model can have one of this name."""


class Edge(Record):
    """The end of the steady state along an axis."""

    held: bool
    """Whether there is a steady state at any value."""
    value: float
    cause: int
    """One of the causes of `scan`, such as `SATURATION`."""
    station: str
    """The station that saturates."""


def edges(axes: Sequence[GrowthAxis]) -> list[Edge]:
    """The end of the steady state along each of some axes of open classes.

    Method   Axes of one model, without ranges, are searched as points of one batch: along a multiple of the stated
             rates, which only the parameters of the axis follow at each point.
    """
    if len(axes) > 1 and all(_joins(axes[0], axis) for axis in axes):
        try:
            return _together(axes)
        except QnetError:
            pass  # Searched alone, each axis raises its error.
    return [_alone(one_parameter(axis)) for axis in axes]


def _alone(axis: GrowthAxis) -> Edge:
    """The end along one axis, by its parameter.

    Without an unlimited queue there is none, also where the method of searches refuses the model.
    """
    trial = Trial(at_saturation(axis.model), axis.parameters[0], limits=(), coordinates={}, size=1, wanted=_LOADS)
    try:
        edge = largest(trial)
    except NotComputed as error:
        if all(item.delay or item.capacity is not None for item in axis.model.stations):
            return Edge(True, float("inf"), ENDLESS, "")
        raise NotComputed(*(item.replace(help=_BY_POINTS) for item in error.problems)) from None
    return Edge(bool(edge.held[0]), float(edge.value[0]), edge.cause[0], str(edge.station[0]))


def _joins(one: GrowthAxis, axis: GrowthAxis) -> bool:
    """Whether an axis may be searched in one batch with the axis `one`."""
    if axis.model is not one.model or axis.closed:
        return False
    parameters = [axis.model.parameters[name] for name in axis.parameters]
    plain = all(item.low is None and item.high is None and not item.expression.names for item in parameters)
    return plain and all(stated_value(axis.model, name) > 0 for name in axis.parameters)


def _together(axes: Sequence[GrowthAxis]) -> list[Edge]:
    """The ends along axes of one model as one batch."""
    model = axes[0].model
    names = dict.fromkeys(name for axis in axes for name in axis.parameters)
    stated = {name: stated_value(model, name) for name in names}
    totals = [sum(stated[name] for name in axis.parameters) for axis in axes]
    added, changed = {_MULTIPLE: Parameter(_MULTIPLE, parse(1), dimension=NUMBER)}, dict[str, Parameter]()
    coordinates: dict[str, list[float]] = {}
    for name in names:
        shares = [dict(zip(axis.parameters, axis.weights, strict=True)).get(name) for axis in axes]
        grows, rest = f"{name} that grows", f"{name} besides"
        coordinates[grows] = [
            0.0 if share is None else share * total for share, total in zip(shares, totals, strict=True)
        ]
        coordinates[rest] = [stated[name] if share is None else 0.0 for share in shares]
        added |= {new: Parameter(new, parse(0), dimension=RATE) for new in (grows, rest)}
        value = Binary("+", Binary("*", Name(grows), Name(_MULTIPLE)), Name(rest))
        expression = Expression(f"a share of {name}", value, (grows, _MULTIPLE, rest))
        changed[name] = model.parameters[name].replace(expression=expression)
    points = {name: np.array(values) for name, values in coordinates.items()}
    # Parameters are computed in this order.
    parameters = {**added, **model.parameters, **changed}
    trial = Trial(
        at_saturation(model.replace(parameters=parameters)),
        _MULTIPLE,
        limits=(),
        coordinates=points,
        size=len(axes),
        wanted=_LOADS,
    )
    result = largest(trial)
    return [
        Edge(
            bool(result.held[index]),
            float(result.value[index]) * total,
            result.cause[index],
            str(result.station[index]),
        )
        for index, total in enumerate(totals)
    ]


_IDLE = 1e-12
"""The share of the saturation throughput that counts as no load."""


class AlongRates:
    """The search of the knees along an axis of open classes.

    edge      the end of the steady state along it.
    limits    service levels.
    wanted    the method and its budget.
    multiple  the multiple of the floor, which is the response of these classes without load.
    Raises    `NoAnswer` QN401 where there is no steady state at any rate, QN404 where the customers never queue.
    """

    def __init__(
        self, axis: GrowthAxis, edge: Edge, limits: Sequence[Condition], wanted: Wanted, multiple: float
    ) -> None:
        # Rates in proportion are columns of the model itself, which curves along them share.
        self.curve = Curve(axis, limits, wanted)
        self.axis = axis = one_parameter(axis)
        self.limits = limits
        self.multiple = multiple
        if not edge.held:
            text = f"there is no steady state at any {axis.name}"
            raise NoAnswer(Problem("QN401", text, "a load below every capacity"))
        if edge.cause == ENDLESS and any(item.capacity is not None for item in axis.model.stations):
            text = (
                f"{axis.name}: customers that arrive at a full station are lost, so there is a steady state at any rate"
            )
            help = "qnet envelope finds the largest load with a limit such as --limit 'loss <= 1 %'"
            raise NoAnswer(Problem("QN404", text, "stations of unlimited capacity", help=help))
        if edge.cause == ENDLESS:
            text = f"{axis.name}: its customers never queue, so that the response does not grow with them"
            raise NoAnswer(Problem("QN404", text, "a queueing station on their route"))
        self.edge, self.bounded = edge.value, bool(edge.cause == SATURATION)
        self.saturating = edge.station
        self.idle = max(axis.least, _IDLE * self.edge)
        # Many points of open classes alone cost little; with closed ones each is a separate network.
        alone = all(item.population is None for item in axis.model.customers)
        count = 33 if alone else 17
        self.loads = loads_to(self.edge, self.idle, self.bounded, count)
        self.ends = (count,) if alone else (count // 4 + 1, count // 3 + 2, count // 2 + 1, count)
        """How many of these loads are tried first, and then, where they do not show a knee."""
        low = any(axis.model.parameters[name].low is not None for name in axis.parameters)
        self.unloaded = Curve(_without_least(axis) if low else self.curve.axis, limits, wanted)
        """The curve without load."""
        self.least = _IDLE * self.edge
        self.floor = float("nan")
        self.confirming: dict[tuple[str, str], list[Callable[[float], float]]] = {}
        """By definition and limit of a knee: functions from each of its rates to that of `confirmed`."""
        self.trusted = 0.0
        """The highest value at which `solve` is known to take another method than the chain; it does at lower ones."""

    def begin(self) -> None:
        """Compute the floor; raises the error of the solver. For several axes `begin_all` is faster."""
        self.floor = self.unloaded.points([self.least])[0].response
        if self.unloaded.failure is not None:
            raise self.unloaded.failure

    def searches(self, asked: Sequence[str]) -> list[Callable[[], Knee]]:
        """The searches along the curve for the definitions `asked`."""
        searches: list[Callable[[], Knee]] = []
        if "service_level" in asked:
            for index, limit in enumerate(self.limits):
                excess = partial(_excess, index)
                searches.append(partial(self.crossing, "service_level", limit.source, excess, limit.upper))
        if "power" in asked:
            searches.append(self.powerful)
        if "multiple" in asked:
            searches.append(partial(self.crossing, "multiple", self.lift, self.lifted, True))
        return searches

    def knees(self, asked: Sequence[str], searched: Sequence[Knee]) -> Knees:
        """The knees by the definitions `asked`.

        searched   the results of `searches`.
        """
        knees = self.confirmed(searched)
        if "saturation" in asked:
            none = self.none("saturation", f"the range ends before, at {self.edge:.6g}/s")
            knees.append(
                Knee(axis=self.axis, definition="saturation", about="", status="ok", real=self.edge, value=self.edge)
                if self.bounded
                else none
            )
        return Knees(
            axis=self.axis,
            knees=tuple(knees),
            curve=self.curve,
            first=self.idle,
            floor=self.floor,
            dependent=False,
            span=0.0,
            saturating=self.saturating,
        )

    def none(self, definition: str, why: str, about: str = "") -> Knee:
        """The record of a knee that does not exist, with the reason as its status."""
        return Knee(axis=self.axis, definition=definition, about=about, status=why)

    @property
    def lift(self) -> str:
        """The limit of the multiple, in words."""
        growing = self.axis.growing
        figure = f"response('{growing[0]}')" if len(growing) == 1 else "growing response" if growing else "response"
        return f"{figure} <= {self.multiple:g} x its floor"

    def lifted(self, point: CurvePoint) -> float:
        """The relative excess of the response over the multiple of its floor, between -1 and 1; 1 without an answer."""
        bound = self.multiple * self.floor
        if not point.answered or not abs(point.response) < float("inf"):
            return 1.0
        return (point.response - bound) / max(point.response, bound)

    def crossing(self, definition: str, about: str, excess: Callable[[CurvePoint], float], upper: bool) -> Knee:
        """The rate up to which a limit holds, or, for a lower limit, from which it holds."""

        def at(values: Any) -> Any:
            return self.curve.read_all(values, excess)

        loads, over = self.tried(at, lambda over: bool((over[-1] <= 0) != upper and (over[0] <= 0) == upper))
        held = over <= 0
        if not held[0] and upper:
            return self.none(definition, "exceeded by the first customer", about)
        changes = np.flatnonzero(held[:-1] != held[1:])
        if not len(changes):
            end = "saturation" if self.bounded else "the end of the range"
            return self.none(definition, f"{'holds' if held[0] else 'not reached'} up to {end}", about)
        result = [
            self.change(at, 1.0 if held[change] else -1.0, slice(change, change + 2), loads, over) for change in changes
        ]
        sides = [bool(held[change]) for change in changes]
        self.confirming[definition, about] = [partial(self.end, excess, upper) for upper in sides]
        return Knee(
            axis=self.axis,
            definition=definition,
            about=about,
            status="ok",
            real=result[0],
            value=result[0],
            also=tuple(result[1:]),
        )

    def confirmed(self, searched: Sequence[Knee]) -> list[Knee]:
        """Knees by the method that `solve` takes there, if that is the Markov chain of all states.

        The smallest rate is first: where its chain is too large, those of larger rates are.
        """
        rates = {
            (index, position): rate
            for index, item in enumerate(searched)
            for position, rate in enumerate([] if item.value is None else [item.value, *item.also])
        }
        moved: dict[tuple[int, int], float] = {}
        for key in sorted(rates, key=lambda key: rates[key]):
            item = searched[key[0]]
            moved[key] = self.confirming[item.definition, item.about][key[1]](rates[key])
        result = list(searched)
        for index, item in enumerate(searched):
            mine = [moved[key] for key in rates if key[0] == index]
            if mine:
                result[index] = item.replace(real=mine[0], value=mine[0], also=tuple(mine[1:]))
        return result

    def end(self, excess: Callable[[CurvePoint], float], upper: bool, rate: float) -> float:
        """A crossing as `confirmed` has it.

        upper   whether the limit holds below it.
        """

        def search(by_chain: Callable[[float], float]) -> float:
            return end_near(by_chain, rate, by_chain(rate), upper).value

        return self.searched_by_chain(excess, search, rate)

    def searched_by_chain(
        self, figure: Callable[[CurvePoint], float], search: Callable[[Callable[[float], float]], float], rate: float
    ) -> float:
        """The answer of a search of a figure along the curve by the methods of `solve`; `rate` where there is none, and
        where `solve` does not take the Markov chain of all states at that rate.

        search   from the figure as a function of rates to its answer.
        """

        def by_chain(value: float) -> float:
            point = self.curve.by_chain(value)
            result = float("nan") if point is None else figure(point)
            if not isfinite(result):
                raise Unconfirmed
            return result

        if rate <= self.trusted:
            return rate
        try:
            here = self.curve.by_chain(rate)
            if here is None or here.method != STATES:
                self.trusted = rate if here else self.trusted
                return rate
            result = search(by_chain)
            # The growth beyond a knee is that of one method.
            by_chain(result * BEYOND)
        except (Unconfirmed, QnetError):
            return rate
        self.curve.confirmed |= {result, result * BEYOND}
        return result

    def tried(self, of: Callable[[Any], Any], enough: Callable[[Any], bool]) -> tuple[Any, Any]:
        """The loads that are tried upwards until their figures are `enough`, or all of them; and these figures."""
        for end in self.ends[:-1]:
            figures = of(self.loads[:end])
            if enough(figures):
                return self.loads[:end], figures
        return self.loads, of(self.loads)

    def change(self, excess: Callable[[Any], Any], sign: float, ends: slice, loads: Any, over: Any) -> float:
        """The rate between two loads at which a limit begins or ceases to hold."""
        low, high, at_low, at_high = (np.array([value]) for value in (*loads[ends], *(sign * over[ends])))
        return float(root(lambda x: sign * excess(x), low, high, at_low, at_high, arrays())[0])

    def powerful(self) -> Knee:
        """The rate at which throughput / response is largest."""

        def of(values: Any) -> Any:
            return self.curve.read(values, power)

        loads, _ = self.tried(of, lambda values: bool(np.nanargmax(values) < len(values) - 1))
        rate = float(highest_real(of, loads))
        if rate >= self.loads[-1]:
            return self.none("power", f"still rising at {rate:.6g}/s, where the range ends")
        self.confirming["power", ""] = [lambda rate: self.searched_by_chain(power, partial(highest_near, rate), rate)]
        return Knee(axis=self.axis, definition="power", about="", status="ok", real=rate, value=rate)


def _excess(index: int, point: CurvePoint) -> float:
    """The excess over one of the limits."""
    return point.excess[index]


def begin_all(seekers: Sequence[AlongRates]) -> None:
    """Compute the floors of several axes together; raises what `AlongRates.begin` raises."""
    solve_loads({seeker.unloaded: [seeker.least] for seeker in seekers})
    for seeker in seekers:
        seeker.begin()


def _without_least(axis: GrowthAxis) -> GrowthAxis:
    """The axis without the lower end of its range, because the floor is the response without load."""
    name = axis.parameters[0]
    parameters = {**axis.model.parameters, name: axis.model.parameters[name].replace(low=None)}
    return axis.replace(model=axis.model.replace(parameters=parameters))
