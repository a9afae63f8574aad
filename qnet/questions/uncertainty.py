"""The uncertainty of calibrated parameters, propagated to the figures of a model, or of two that may share them.

Questions compute it after their answer, and report both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from qnet.errors import QnetError
from qnet.expression import Expression, parse
from qnet.lazy import Array, np
from qnet.model.bind import expressions
from qnet.model.calibration import correlation_matrix, standard_errors
from qnet.model.model import Model
from qnet.model.scope import rests_on
from qnet.model.values import Values
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.calibrate.errors import NORMAL, SHARE, half_width
from qnet.questions.envelope.envelope import envelope
from qnet.questions.points.answers import solve_table
from qnet.record import Record
from qnet.reports.content import Note

_SHORTER = 16.0
"""The divisor of a step, where the first one has no answer on either side."""
NOTHING = 1e-9
"""The relative half width up to which a figure counts as certain."""


class Carried(Record):
    """Intervals of figures by the covariance of calibrated parameters."""

    low: Any
    """(figures, points): NaN where there is no interval."""
    high: Any
    lame: bool
    """Whether some step of one standard error had no answer, so that an interval may be too narrow."""


class Doubts:
    """The calibrated parameters that are uncertain in a question on a model.

    model   a model that states a calibration.
    fixed   parameters to which the question gives values, in addition to those that were set.
    """

    def __init__(self, model: Model, fixed: Sequence[str] = ()) -> None:
        stated = model.calibration
        assert stated is not None
        known = Values(model, {}, None).known
        free = [
            index
            for index, name in enumerate(stated.parameters)
            if name not in model.settings and name not in fixed and name in known
        ]
        sizes, matrix = standard_errors(stated), np.array(correlation_matrix(stated))
        self.model = model
        self.names = [stated.parameters[index] for index in free if sizes[index] > 0]
        indices = [index for index in free if sizes[index] > 0]
        self.values = [float(known[name]) for name in self.names]
        self.sizes = [sizes[index] for index in indices]
        self.correlation: Any = matrix[np.ix_(indices, indices)] if indices else np.zeros((0, 0))
        self.lost = [name for name in stated.undetermined if name not in model.settings and name not in fixed]
        self.times = NORMAL if stated.freedom is None else half_width(SHARE, stated.freedom)

    def carried(self, here: Any, moved: Callable[[list[tuple[int, float]]], Array]) -> Carried:
        """The intervals of figures.

        here     (figures, points) at the stated values.
        moved    gives the figures (steps, figures, points) for pairs of the index of a parameter and its value.
        Method   Half the difference over one standard error to both sides is the standard error from one parameter,
                 for a figure above 0 in its logarithm; together they are the square root of d' R d.
        """
        if not self.names:
            nothing = np.full(here.shape, np.nan)
            return Carried(nothing, nothing, False)
        slopes, lame = self.slopes(here, moved)
        return self.intervals(here, slopes, lame)

    def intervals(self, here: Array, slopes: Array, lame: bool) -> Carried:
        """The intervals of figures by their `slopes`."""
        variance = np.einsum("ifp,ij,jfp->fp", slopes, self.correlation, slopes)
        half: Array = self.times * np.sqrt(np.maximum(variance, 0.0))
        positive = here > 0
        with np.errstate(all="ignore"):
            size = np.where(positive, 1.0, np.abs(here))
            half = np.where(half > NOTHING * size, half, 0.0 * half)
            low: Array = np.where(positive, here * np.exp(-half), here - half)
            high: Array = np.where(positive, here * np.exp(half), here + half)
        return Carried(low, high, lame)

    def slopes(self, here: Array, moved: Callable[[list[tuple[int, float]]], Array]) -> tuple[Any, bool]:
        """The changes (parameters, figures, points) per standard error of each parameter; arguments as for `carried`.

        For a figure above 0 it is the change of its logarithm. Also whether some step had no answer.
        """
        count = len(self.names)
        positive = here > 0
        with np.errstate(all="ignore"):
            measure: Array = np.where(positive, np.log(here), here)
        slopes = np.full((count, *here.shape), np.nan)
        lame = False
        for share in (1.0, 1.0 / _SHORTER):
            remaining = [index for index in range(count) if not np.isfinite(slopes[index][np.isfinite(here)]).all()]
            if not remaining:
                break
            sides = [(index, sign) for index in remaining for sign in (1, -1)]
            steps = [(index, self.values[index] + sign * share * self.sizes[index]) for index, sign in sides]
            values: Array = moved(steps)
            with np.errstate(all="ignore"):
                values = np.where(positive, np.log(values), values)
            for number, index in enumerate(remaining):
                above: Array = values[2 * number] - measure
                below: Array = measure - values[2 * number + 1]
                both = np.isfinite(above) & np.isfinite(below)
                lame |= bool((np.isfinite(here) & ~both).any())
                either = np.where(np.isfinite(above), above, below)
                result = np.where(both, (above + below) / 2, either) / share
                slopes[index] = np.where(np.isfinite(slopes[index]), slopes[index], result)
        return slopes, lame

    def at(
        self, columns: Mapping[str, Any], size: int, asked: Sequence[Expression], here: Any, wanted: Wanted = AUTO
    ) -> Carried:
        """The intervals of expressions at the points of a table.

        columns   parameters that have separate values at every point.
        here      (figures, points): the values of the expressions.
        """
        return self.carried(here, self.solver(columns, size, asked, wanted))

    def solver(
        self, columns: Mapping[str, Any], size: int, asked: Sequence[Expression], wanted: Wanted = AUTO
    ) -> Callable[[list[tuple[int, float]]], Any]:
        """The function `moved` of `carried` for expressions at the points of a table; all steps are one batch."""

        def moved(steps: list[tuple[int, float]]) -> Any:
            table = {name: np.tile(values, len(steps)) for name, values in columns.items()}
            for index in {index for index, _ in steps}:
                ends = [value if each == index else self.values[index] for each, value in steps]
                table[self.names[index]] = np.repeat(ends, size)
            answers = solve_table(self.model, table, len(steps) * size, wanted)
            result = np.array([answers.of(item) for item in asked], dtype=float)
            return np.moveaxis(result.reshape(len(asked), len(steps), size), 1, 0)

        return moved

    def notes(self, lame: bool, asked: Sequence[Expression] = ()) -> list[Note]:
        """Notes on the parameters of intervals, and on what they do not contain."""
        result: list[Note] = []
        if self.names:
            text = f"intervals hold {100 * SHARE:g} % by the calibration of {', '.join(self.names)}"
            result.append(Note("QN696", text))
        used = rests_on(self.model, [*expressions(self.model), *asked])
        lost = [name for name in self.lost if name in used]
        if lost:
            text = f"no interval contains the uncertainty of {', '.join(lost)}, which the calibration did not determine"
            result.append(Note("QN697", text, "warning", "measure where it has more effect, or set it with -p"))
        if lame:
            text = "one standard error from some points there is no answer: its interval may be too narrow"
            result.append(Note("QN697", text, "warning"))
        return result


def moved_model(model: Model, name: str, value: float) -> Model:
    """The model with another value, in base units, of the parameter `name`."""
    parameters = dict(model.parameters)
    parameters[name] = parameters[name].replace(expression=parse(value))
    return model.replace(parameters=parameters)


def carried_envelope(question: Any, points: Sequence[Any]) -> tuple[Carried, Doubts]:
    """The uncertainty of the values of an envelope, with each calibrated parameter changed by its standard error.

    question  the question of the envelope, on a model that states a calibration.
    points    its answers.
    Returns   the intervals, arrays (1, points), and the parameters that are uncertain.
    """
    doubts = Doubts(question.model, (question.vary, *(item.name for item in question.over)))

    def values(results: Sequence[Any]) -> list[float]:
        return [float("nan") if point.value is None else point.value for point in results]

    def moved(steps: list[tuple[int, float]]) -> Any:
        result: list[list[list[float]]] = []
        for index, value in steps:
            other = question.replace(model=moved_model(question.model, doubts.names[index], value))
            try:
                result.append([values(envelope(other).points)])
            except QnetError:
                result.append([[float("nan")] * len(points)])
        return np.array(result)

    return doubts.carried(np.array([values(points)]), moved), doubts


class Sides(Record):
    """Intervals of two values of the same figures, and of their difference."""

    base: Carried
    value: Carried
    low: Any
    """Of value - base; (figures, points), as all others."""
    high: Any


class SideSlopes(Record):
    """The figures of one of two sides, with their slopes along its uncertain parameters."""

    here: Any
    """(figures, points)"""
    doubts: Doubts | None
    """None for a model without a calibration."""
    slopes: Any
    """(parameters, figures, points), as `Doubts.slopes`."""
    lame: bool

    def carried(self) -> Carried:
        """The intervals of the side alone."""
        if self.doubts is None or not self.doubts.names:
            nothing = np.full(self.here.shape, np.nan)
            return Carried(nothing, nothing, False)
        return self.doubts.intervals(self.here, self.slopes, self.lame)


def slopes_of(doubts: Doubts | None, here: Any, moved: Callable[[list[tuple[int, float]]], Any]) -> SideSlopes:
    """The slopes of figures in the uncertain parameters, if there are any; arguments as for `Doubts.carried`."""
    if doubts is None or not doubts.names:
        return SideSlopes(here, doubts, np.zeros((0, *here.shape)), False)
    return SideSlopes(here, doubts, *doubts.slopes(here, moved))


def differences(base: SideSlopes, value: SideSlopes) -> Sides:
    """The intervals of the figures of two sides, and of the differences between them.

    Sides with the same calibration share its parameters, so that an equal change of both leaves the difference
    unchanged; different calibrations are independent.

    base, value   the same figures at the same points, arrays (figures, points), with their slopes.
    """
    one, other = base.doubts, value.doubts
    difference = value.here - base.here
    nothing = np.full(difference.shape, np.nan)
    low, high = nothing, nothing
    uncertain = [item for item in (one, other) if item and item.names]
    if uncertain:
        variance = np.zeros(difference.shape)
        times = max(item.times for item in uncertain)
        with np.errstate(all="ignore"):
            ours, theirs = (side.slopes * np.where(side.here > 0, side.here, 1.0) for side in (base, value))
        if one and other and one.model.calibration == other.model.calibration:
            names = list(dict.fromkeys([*one.names, *other.names]))
            moved = np.zeros((len(names), *difference.shape))
            for side, sign, slopes in ((one, -1.0, ours), (other, 1.0, theirs)):
                indices = [names.index(name) for name in side.names]
                moved[indices] += sign * slopes
            variance = np.einsum("ifp,ij,jfp->fp", moved, _correlations(one, names), moved)
        else:
            for side, slopes in ((one, ours), (other, theirs)):
                if side:
                    variance = variance + np.einsum("ifp,ij,jfp->fp", slopes, side.correlation, slopes)
        half = times * np.sqrt(np.maximum(variance, 0.0))
        size = np.maximum(np.abs(base.here), np.abs(value.here))
        half = np.where(half > NOTHING * size, half, 0.0 * half)
        low, high = difference - half, difference + half
    return Sides(base.carried(), value.carried(), low, high)


def _correlations(doubts: Doubts, names: Sequence[str]) -> Any:
    """The correlations of some parameters of a calibration, free or not."""
    stated = doubts.model.calibration
    assert stated is not None
    indices = [stated.parameters.index(name) for name in names]
    return np.array(correlation_matrix(stated))[np.ix_(indices, indices)]
