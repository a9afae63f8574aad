"""The curve on which knees are looked for: solved where it is asked for, many places at once, and kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from qnet.model.conditions import Condition
from qnet.networks.wanted import Wanted
from qnet.questions.answers import Answers, solve_table
from qnet.questions.knee_axes import Axis
from qnet.questions.points import Part
from qnet.record import Record

_SOLVES = 20
"""The budget of an answer is that of all its solves together: about so many are needed."""
_ZOOM = 33
"""Places at which a part of the curve is looked at."""


class Place(Record):
    """The curve at one place; figures of the classes that grow. `excess` has one element per limit."""

    throughput: float
    response: float
    excess: tuple[float, ...]
    """How far each limit is exceeded, between -1 and 1: not above 0 where it holds."""
    answered: bool


class Curve:
    """Throughput, response and limits along an axis."""

    def __init__(self, axis: Axis, limits: Sequence[Condition], wanted: Wanted) -> None:
        self.axis = axis
        self.limits = tuple(limits)
        self.wanted = wanted.replace(operations=wanted.operations / _SOLVES)
        self.known: dict[float, Place] = {}

    def answers(self, values: Any) -> Answers:
        """The model solved at values along the axis."""
        return solve_table(self.axis.model, self.axis.columns(values), len(values), self.wanted)

    def places(self, values: Any) -> list[Place]:
        """The curve at values along the axis; those that are not known yet are solved together."""
        import numpy as np

        new = np.array(sorted({float(value) for value in values} - self.known.keys()))
        if len(new):
            self._solve(new)
        return [self.known[float(value)] for value in values]

    def read(self, values: Any, of: Callable[[Place], float]) -> Any:
        """One figure at values along the axis, an array; not-a-number where there is no answer."""
        import numpy as np

        return np.array([of(place) if place.answered else float("nan") for place in self.places(values)], dtype=float)

    def read_all(self, values: Any, of: Callable[[Place], float]) -> Any:
        """As `read`, of places without an answer as well, whose excess says that no limit holds there."""
        import numpy as np

        return np.array([of(place) for place in self.places(values)], dtype=float)

    def _solve(self, values: Any) -> None:
        answers = self.answers(values)
        if self.wanted.method == "auto" and not answers.exact and len(answers.methods) == 1:
            # A curve of one method has no steps where another takes over.
            self.wanted = self.wanted.replace(method=_approximation(answers.methods[0]))
        throughput, response = grown(self.axis, answers)
        excess = [_excess(answers, limit) for limit in self.limits]
        for index, value in enumerate(values):
            over = tuple(float(item[index]) for item in excess)
            place = Place(float(throughput[index]), float(response[index]), over, bool(answers.answered[index]))
            self.known[float(value)] = place


def _approximation(method: str) -> str:
    from qnet.networks.product.methods import APPROXIMATIONS

    return method if method in APPROXIMATIONS else "auto"


def grown(axis: Axis, answers: Answers) -> tuple[Any, Any]:
    """Throughput and mean response of the classes that grow, per point."""
    return answers.gather(lambda part: throughput(axis, part)), answers.gather(lambda part: response(axis, part))


def throughput(axis: Axis, part: Part) -> Any:
    """What the classes that grow get done, per second."""
    return sum(part.solution.classes[place].throughput for place in axis.classes)


def response(axis: Axis, part: Part) -> Any:
    """The mean response of the classes that grow, over their passages; where nobody passes, over classes."""
    own = [part.solution.classes[place] for place in axis.classes]
    total = throughput(axis, part)
    nobody = total == 0
    return sum((item.throughput + nobody) * item.response for item in own) / (total + nobody * len(own))


def _excess(answers: Answers, limit: Condition) -> Any:
    import numpy as np

    metric, bound = answers.of(limit.metric), answers.of(limit.bound)
    size = np.maximum(np.maximum(np.abs(metric), np.abs(bound)), 1e-300)
    excess = (1.0 if limit.upper else -1.0) * (metric - bound) / size
    # Equality breaks a strict limit, by less than any other number.
    excess = np.where((excess == 0) & ~np.asarray(limit.holds(metric, bound), dtype=bool), 1e-300, excess)
    return np.where(answers.answered & ~np.isnan(excess), excess, 1.0)


def whole_places(low: float, high: float, count: int = _ZOOM) -> Any:
    """Whole numbers from one to another, both included, at most so many and evenly spread."""
    import numpy as np

    low, high = float(np.ceil(low)), float(np.floor(high))
    if high - low < count:
        return np.arange(low, high + 1)
    return np.unique(np.floor(np.linspace(low, high, count) + 0.5))


def places_to(edge: float, least: float, bounded: bool, count: int = _ZOOM) -> Any:
    """Rates up to where the steady state ends, closer together towards the end; evenly where nothing ends it."""
    import numpy as np

    if not bounded:
        return np.linspace(max(least, edge / count), edge, count)
    steps = np.linspace(0.0, 1.0, count + 1)[1:]
    values = -edge * np.expm1(-steps * np.log(1e4))
    return values[values > least]


def last_whole(holds: Callable[[Any], Any], low: float, high: float) -> float:
    """The last whole number at which something holds, between one where it does and one where it does not."""
    import numpy as np

    while high - low > 1:
        places = whole_places(low, high)
        first = int(np.argmin(holds(places)))
        low, high = float(places[first - 1]), float(places[first])
    return low


def highest_whole(of: Callable[[Any], Any], places: Any) -> float:
    """The whole number at which a figure is highest, between places that are close enough to show its hill."""
    import numpy as np

    while True:
        values = of(places)
        best = int(np.nanargmax(values))
        low, high = places[max(best - 1, 0)], places[min(best + 1, len(places) - 1)]
        if high - low <= 2:
            return float(places[best])
        places = whole_places(low, high)


def highest_real(of: Callable[[Any], Any], places: Any, rounds: int = 3) -> float:
    """Where a smooth figure is highest: closer and closer, and at last the top of a parabola."""
    import numpy as np

    for _ in range(rounds):
        best = int(np.nanargmax(of(places)))
        if best in (0, len(places) - 1):
            return float(places[best])
        places = np.linspace(places[best - 1], places[best + 1], 17)
    values = of(places)
    best = int(np.nanargmax(values))
    if best in (0, len(places) - 1):
        return float(places[best])
    step = float(places[1] - places[0])
    return float(places[best]) + step * top(*values[best - 1 : best + 2])


def top(left: float, middle: float, right: float) -> float:
    """Where the parabola through three equally spaced values is highest, from the middle one, in steps."""
    bend = left - 2 * middle + right
    return 0.5 * (left - right) / bend if bend < 0 else 0.0
