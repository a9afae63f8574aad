"""Knees: where the curve of response against load breaks, by each definition that people use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qnet.errors import NoAnswer, Problem, UsageError, suggest
from qnet.model.conditions import Condition, condition
from qnet.model.model import Model
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.answers import Answers
from qnet.questions.knee_asymptotes import Asymptotes
from qnet.questions.knee_axes import Axis, axes, one_parameter
from qnet.questions.knee_curve import (
    Curve,
    Place,
    highest_real,
    highest_whole,
    last_whole,
    places_to,
    top,
    whole_places,
)
from qnet.questions.search import search
from qnet.record import Record

DEFINITIONS: dict[str, str] = {
    "n_star": "Lazowska et al. 1984, chapter 5",
    "service_level": "asked for",
    "power": "Kleinrock 1979",
    "curvature": "Satopaa et al. 2011",
    "multiple": "asked for",
    "saturation": "capacity",
}
"""By the name of a definition: where it comes from."""

_MOST = 1e9
"""No more customers are looked at."""
_DENSE = 1000
"""A curve of so many customers is looked at as a whole, where all its points cost little more than a few."""
_SHARE = 200
"""Curvature is measured over this part of N*, and over one customer at least."""
_FLAT = 1e-9
"""Curvature that rounding alone may leave."""
_IDLE = 1e-12
"""Share of the largest rate at which there is no load."""


class Knee(Record):
    """One knee. Along an axis of closed classes it is a number of customers, along one of open classes a rate."""

    axis: Axis
    definition: str
    """A name of `DEFINITIONS`; `n_star_unloaded` for N* with the demands of the first customer."""
    about: str
    """The limit, or the multiple, that it is the knee of."""
    status: str
    """`ok`, or why there is no such knee."""
    real: float | None = None
    """Where it is along the axis."""
    value: float | None = None
    """Of closed classes the whole number; else as `real`."""
    also: tuple[float, ...] = ()
    """Where else the curve crosses the limit."""


class Knees(Record):
    """The knees along one axis."""

    axis: Axis
    knees: tuple[Knee, ...]
    curve: Curve
    floor: float
    """The response of the first customer, in seconds."""
    dependent: bool
    """Whether demands change along the axis."""
    span: float
    """Over how many customers curvature was measured; 0 where it was not."""
    saturating: str
    """What reaches its capacity first."""


def knee(
    model: Model,
    vary: str = "",
    limits: Sequence[str] = (),
    multiple: float = 2.0,
    definitions: Sequence[str] = (),
    wanted: Wanted = AUTO,
) -> list[Knees]:
    """Where the curve of response against load breaks, along everything that brings customers.

    vary         the parameter that brings the customers; without it all that do are taken: `knee_axes.axes`.
    limits       service levels, such as `response <= 1 s`: of each the largest load up to which it holds.
    multiple     of open classes: how many times its floor the response may be.
    definitions  names of `DEFINITIONS` that are wanted; none for all.
    wanted       the method and its budget, which is that of all solves of an axis together.
    Returns      per axis its knees, in the order of `DEFINITIONS`.
    Definitions  N* as in `knee_asymptotes`; power is throughput / response, at its largest (Kleinrock, ICC 1979,
                 43.1.1); curvature |v''| / (1 + v'^2)^(3/2) of v = R / R0 over u = N / N*, at its largest (the
                 definition of a knee that Satopaa, Albrecht, Irwin and Raghavan, ICDCS Workshops 2011, start from).
                 Derivatives are central differences over one customer, or over N* / 200 where that is more.
    Raises       `UsageError` QN017, QN018 and of conditions; `NoAnswer` QN404 where nothing queues, QN401 where
                 there is no steady state at any load.
    Limits       Between the places that are looked at first (all where they are few, else 33) a curve is taken to
                 have one hill or one crossing.
    """
    for name in definitions:
        if name not in DEFINITIONS:
            found = f'no definition "{name}" of a knee'
            raise UsageError(Problem("QN018", found, ", ".join(DEFINITIONS), help=suggest(name, list(DEFINITIONS))))
    if not multiple > 1:
        raise UsageError(Problem("QN018", f"a multiple of {multiple:g} of the floor", "a number above 1"))
    conditions = [condition(text, model) for text in limits]
    asked = tuple(definitions) or tuple(DEFINITIONS)
    found: list[Knees] = []
    for axis in axes(model, vary):
        seek = _Closed(axis, conditions, asked, wanted) if axis.closed else _Open(axis, conditions, asked, wanted, multiple)
        found.append(seek.found())
    return found


class _Seeking:
    def __init__(self, axis: Axis, limits: Sequence[Condition], asked: Sequence[str], wanted: Wanted) -> None:
        self.axis = axis
        self.asked = asked
        self.curve = Curve(axis, limits, wanted)
        self.limits = limits

    def none(self, definition: str, why: str, about: str = "") -> Knee:
        """That there is no such knee."""
        return Knee(self.axis, definition, about, why)

    def excess(self, place: int) -> Any:
        """How far one of the limits is exceeded, as a function of places."""
        return lambda values: self.curve.read_all(values, lambda item: item.excess[place])


class _Closed(_Seeking):
    """The knees of a number of customers."""

    def __init__(self, axis: Axis, limits: Sequence[Condition], asked: Sequence[str], wanted: Wanted) -> None:
        super().__init__(axis, limits, asked, wanted)
        import numpy as np

        self.np: Any = np
        self.first = max(1.0, float(np.ceil(axis.least)))
        self.last = min(float(np.floor(axis.last)), _MOST)
        if self.last < self.first:
            found = f'the range of {axis.name} ends at {axis.last:g}'
            raise NoAnswer(Problem("QN404", found, "a range with one customer at least"))
        self.asymptotes = Asymptotes(axis, self.curve.wanted)
        start = self.asymptotes.light(np.array([self.first]))
        if not start.station[0]:
            found = f'{axis.name}: its customers never queue, so that the response does not grow'
            raise NoAnswer(Problem("QN404", found, "a queueing station on their way"))
        self.floor = float(start.response[0])
        self.dependent = self.asymptotes.dependent
        self.n_star, self.meetings = self.asymptotes.meeting(self.first, self.last)
        self.saturating = str(self.asymptotes.light(np.array([self.n_star or self.last])).station[0])
        self.dense = axis.model.classes[axis.classes[0]] is axis.model.classes[0] and len(axis.model.classes) == 1
        self.span = 0.0

    def found(self) -> Knees:
        """All knees that are asked for."""
        knees: list[Knee] = []
        if "n_star" in self.asked:
            knees += self.asymptotic()
        if "service_level" in self.asked:
            knees += [self.level(place) for place in range(len(self.limits))]
        if "power" in self.asked:
            knees.append(self.highest("power", self.power))
        if "curvature" in self.asked:
            knees.append(self.curved())
        return Knees(
            self.axis, tuple(knees), self.curve, self.floor, self.dependent, self.span, self.saturating
        )

    def window(self, reach: float) -> Any:
        """Whole numbers up to twice N* times `reach`: all of them where that is cheap."""
        end = min(max(2 * (self.n_star or self.last), 8.0) * reach, self.last)
        return whole_places(self.first, end, _DENSE if self.dense and end <= _DENSE else 33)

    def asymptotic(self) -> list[Knee]:
        """N*, and beside it the one that it would be if demands did not depend on the number of customers."""
        knees = [self.meets("n_star", self.n_star)]
        if self.dependent:
            unloaded, _ = self.asymptotes.meeting(self.first, _MOST, self.first)
            knees.append(self.meets("n_star_unloaded", unloaded))
        return knees

    def meets(self, definition: str, value: float | None) -> Knee:
        """A knee at N*."""
        if value is None:
            return self.none(definition, f"not reached up to {self.last:g}")
        whole = float(self.np.floor(value + 1e-9 * value))
        if not self.first <= whole <= self.last:
            return Knee(self.axis, definition, "", f"beyond the range of {self.axis.name}", value)
        return Knee(self.axis, definition, "", "ok", value, whole)

    def level(self, place: int) -> Knee:
        """The largest number up to which a limit holds; of a limit from below, the smallest from which on."""
        np, about = self.np, self.limits[place].source
        excess = self.excess(place)
        places, reach = self.window(1.0), 1.0
        held = excess(places) <= 0
        while held.all() == held.any() and places[-1] < self.last and held[0] == held[-1]:
            reach *= 4
            places = np.union1d(places, self.window(reach)[1:])
            held = excess(places) <= 0
        changes = [int(change) for change in np.flatnonzero(held[:-1] != held[1:])]
        if not changes:
            if held[0]:
                return self.none("service_level", f"holds up to {places[-1]:g}, where the range ends", about)
            return self.none("service_level", "exceeded by the first customer" if self.limits[place].upper else
                             f"not reached up to {places[-1]:g}", about)  # fmt: skip
        crossings = [
            last_whole(
                lambda values, here=held[change]: (excess(values) <= 0) == here, places[change], places[change + 1]
            )
            for change in changes[:8]
        ]
        return self.crossing(about, crossings, bool(held[0]), excess)

    def crossing(self, about: str, crossings: list[float], held: bool, excess: Any) -> Knee:
        """A knee between two whole numbers, of which only one keeps the limit."""
        low = crossings[0]
        before, after = (float(value) for value in excess([low, low + 1]))
        shares = self.curve.places([low, low + 1])
        real = low - before / (after - before) if all(item.answered for item in shares) else low
        return Knee(
            self.axis, "service_level", about, "ok", real, low if held else low + 1, tuple(crossings[1:])
        )

    def power(self, values: Any) -> Any:
        """Throughput / response."""
        return self.curve.read(values, lambda place: place.throughput / place.response)

    def curvature(self, values: Any) -> Any:
        """Curvature of R / R0 over N / N*, by central differences."""
        np, span = self.np, self.span
        nearby = np.concatenate([values - span, values, values + span])
        response = self.curve.read(nearby, lambda place: place.response).reshape(3, -1) / self.floor
        step = span / (self.n_star or 1.0)
        slope = (response[2] - response[0]) / (2 * step)
        return np.abs(response[2] - 2 * response[1] + response[0]) / step**2 / (1 + slope**2) ** 1.5

    def highest(self, definition: str, of: Any, margin: float = 0.0) -> Knee:
        """The number of customers at which a figure is highest."""
        np, reach = self.np, 1.0
        while True:
            places = self.window(reach)
            places = places[(places >= self.first + margin) & (places + margin <= self.last)]
            if not len(places):
                return self.none(definition, "the range is too short")
            values = of(places)
            if np.isnan(values).all():
                return self.none(definition, "no answer")
            best = int(np.nanargmax(values))
            if best < len(places) - 2 or self.window(reach)[-1] >= self.last:
                break
            reach *= 4
        whole = highest_whole(of, places)
        level = float(of(np.array([whole]))[0])
        if margin and level <= _FLAT:
            return self.none(definition, "the curve is straight")
        if whole + margin + 1 > self.last and whole == places[-1]:
            return self.none(definition, f"still rising at {whole:g}, where the range ends")
        real = whole
        if whole - 1 >= self.first + margin and whole + 1 + margin <= self.last:
            real += top(*of(np.array([whole - 1, whole, whole + 1])))
        return Knee(self.axis, definition, "", "ok", real, whole)

    def curved(self) -> Knee:
        """The number of customers at which the curve bends most."""
        if self.n_star is None:
            return self.none("curvature", "there is no N* to measure it by")
        self.span = max(1.0, float(self.np.floor(self.n_star / _SHARE)))
        return self.highest("curvature", self.curvature, self.span)


class _Open(_Seeking):
    """The knees of a rate of arrivals."""

    def __init__(
        self, axis: Axis, limits: Sequence[Condition], asked: Sequence[str], wanted: Wanted, multiple: float
    ) -> None:
        super().__init__(one_parameter(axis), limits, asked, wanted)
        import numpy as np

        self.np: Any = np
        self.multiple = multiple
        edge = search(self.axis.model, self.axis.parameters[0], None, {}, 1)
        if edge.hopeless[0]:
            found = f"there is no steady state at any {axis.name}"
            raise NoAnswer(Problem("QN401", found, "a load below every capacity"))
        self.edge, self.bounded = float(edge.largest[0]), bool(edge.bounded[0])
        self.saturating = str(edge.cause[0])
        self.idle = max(axis.least, _IDLE * self.edge)
        self.floor = self.curve.places([self.idle])[0].response
        if not self.bounded and edge.endless[0]:
            found = f"{axis.name}: nothing limits it, and nothing queues"
            raise NoAnswer(Problem("QN404", found, "a queueing station that these customers load"))

    def found(self) -> Knees:
        """All knees that are asked for."""
        knees: list[Knee] = []
        if "service_level" in self.asked:
            knees += [
                self.crossing("service_level", limit.source, self.excess(place))
                for place, limit in enumerate(self.limits)
            ]
        if "power" in self.asked:
            knees.append(self.powerful())
        if "multiple" in self.asked:
            knees.append(self.crossing("multiple", f"response <= {self.multiple:g} x its floor", self.lifted))
        if "saturation" in self.asked:
            end = Knee(self.axis, "saturation", "", "ok", self.edge, self.edge)
            none = self.none("saturation", f"the range of {self.axis.name} ends before, at {self.edge:.6g}/s")
            knees.append(end if self.bounded else none)
        return Knees(self.axis, tuple(knees), self.curve, self.floor, False, 0.0, self.saturating)

    def places(self) -> Any:
        """Rates to look at first."""
        return places_to(self.edge, self.idle, self.bounded)

    def lifted(self, values: Any) -> Any:
        """How far the response is above the multiple of its floor."""
        response = self.curve.read_all(values, lambda place: place.response if place.answered else float("inf"))
        bound = self.multiple * self.floor
        return (response - bound) / self.np.maximum(response, bound).clip(max=1e300)

    def crossing(self, definition: str, about: str, excess: Any) -> Knee:
        """The rate up to which a limit holds."""
        from qnet.expression import arrays
        from qnet.queues.roots import root

        np = self.np
        places = np.concatenate([[self.idle], self.places()])
        over = excess(places)
        held = over <= 0
        changes = [int(change) for change in np.flatnonzero(held[:-1] != held[1:])]
        if not changes:
            if held[0]:
                what = "saturation" if self.bounded else "the end of the range"
                return self.none(definition, f"holds up to {what}", about)
            return self.none(definition, "exceeded by the first customer", about)
        found: list[float] = []
        for change in changes[:8]:
            sign = 1.0 if held[change] else -1.0
            low, high = places[change : change + 1], places[change + 1 : change + 2]
            ends = sign * over[change : change + 1], sign * over[change + 1 : change + 2]
            found.append(float(root(lambda x, s=sign: s * excess(x), low, high, *ends, arrays())[0]))
        return Knee(self.axis, definition, about, "ok", found[0], found[0], tuple(found[1:]))

    def powerful(self) -> Knee:
        """The rate at which throughput / response is largest."""
        rate = highest_real(lambda values: self.curve.read(values, _power), self.places())
        if rate >= self.places()[-1]:
            return self.none("power", f"still rising at {rate:.6g}/s, where the range ends")
        return Knee(self.axis, "power", "", "ok", rate, rate)


def _power(place: Place) -> float:
    return place.throughput / place.response


def around(found: Knees) -> tuple[list[Knee], Answers | None, Answers | None]:
    """The knees that have an answer, with the model solved there and one step beyond.

    One step is one customer, or a hundredth of a rate.
    """
    import numpy as np

    answered = [item for item in found.knees if item.status == "ok" and item.definition != "saturation"]
    if not answered:
        return [], None, None
    values: Any = np.array([item.value for item in answered], dtype=float)
    beyond = values + 1 if found.axis.closed else values * 1.01
    return answered, found.curve.answers(values), found.curve.answers(beyond)
