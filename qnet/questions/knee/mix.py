"""The answers of a mix of customers in exact proportions, interpolated between integer populations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qnet.expression import Expression, Value, arrays, evaluate, solution_name
from qnet.expression.nodes import Name
from qnet.lazy import Array, np
from qnet.model.model import Model
from qnet.model.scope import about, all_figures, is_figure
from qnet.questions.knee.axes import GrowthAxis
from qnet.questions.points.answers import OK, Answers
from qnet.questions.points.points import Part
from qnet.record import Record
from qnet.units import TIME

_INTEGER = 1e-9
"""How close to an integer a population counts as one."""


class Corners(Record):
    """The integer populations around points of a mix, each of them once, as rows of a table."""

    columns: dict[str, Any]
    size: int
    """The number of rows."""
    indices: Any
    """(points, corners): the rows that surround each point."""
    shares: Any
    """(points, corners): the weight of each of these rows."""

    def between(self, model: Model, answers: Answers, first: int = 0) -> MixAnswers:
        """The answers at the points, from those of a table in which the rows begin at `first`.

        model    the model that was solved.
        answers  the answers of the table.
        """
        return MixAnswers(model, answers, self.indices + first, self.shares)


def corners(axis: GrowthAxis, values: Any) -> Corners:
    """The integer populations around points of a mix whose customers are in exact proportion.

    axis      an axis of closed classes with several parameters.
    values    (points,) numbers of customers of all classes together.
    Returns   `Corners`. Ten customers of a mix of 25 and 4 are 8.62 and 1.38.

    Method    Rates and numbers of customers are interpolated linearly between the solved integer populations at the
              corners of the simplex around the exact mix. Times are interpolated with their passages as weights, so
              that Little's law and the response time law N = X (R + Z) hold between integer populations too.
    Source    The simplices: @kuhn1960.
    Limits    Between integer populations a figure is a definition, not the figure of any system.
    """
    exact = np.stack([np.asarray(values, dtype=float) * weight for weight in axis.weights], axis=1)
    near = np.floor(exact + 0.5)
    exact = np.where(np.abs(exact - near) <= _INTEGER * np.maximum(near, 1.0), near, exact)
    floor = np.floor(exact)
    order = np.argsort(floor - exact, axis=1, kind="stable")
    fractions = np.take_along_axis(exact - floor, order, axis=1)
    size, classes = exact.shape
    shares = -np.diff(fractions, prepend=1.0, append=0.0, axis=1)
    around = np.repeat(floor[:, None, :], classes + 1, axis=1)
    for step in range(classes):
        around[np.arange(size), step + 1 :, order[:, step]] += 1
    # A corner without a share may lie outside the range of a parameter.
    around = np.where((shares > 0)[:, :, None], around, floor[:, None, :])
    unique, point = np.unique(around.reshape(-1, classes), axis=0, return_inverse=True)
    columns = {name: unique[:, number] for number, name in enumerate(axis.parameters)}
    return Corners(columns, len(unique), point.reshape(size, classes + 1), shares)


class MixAnswers:
    """Answers at points between integer populations, with the interface of `Answers`.

    corners          the answers at integer populations.
    indices, shares  (points, corners): which of them surround each point, and their weights.
    """

    def __init__(self, model: Model, corners: Answers, indices: Any, shares: Any) -> None:
        self.model = model
        self.corners = corners
        self.size = len(indices)
        self._indices = indices
        self._shares = shares
        failed = ~corners.answered[indices]
        self.answered: Any = ~failed.any(axis=1)
        first: list[int] = indices[range(self.size), failed.argmax(axis=1)].tolist()
        self.status: list[str] = [
            OK if answered else corners.status[index]
            for answered, index in zip(self.answered.tolist(), first, strict=True)
        ]
        around: list[list[int]] = indices.tolist()
        several = [{corners.method[index] for index in each} for each in around]
        self.method: list[str | None] = [next(iter(names)) if len(names) == 1 else None for names in several]
        """The method at each point; None where its corners have several."""
        self.methods = corners.methods
        self.exact = corners.exact
        self.reasons = corners.reasons
        self.failure = corners.failure
        self.solved = corners.solved

    @property
    def parts(self) -> list[Part]:
        """The parts of the solution at the corners."""
        return self.corners.parts

    def gather(self, of: Callable[[Part], Any]) -> Any:
        """A rate or a number of customers per point, from a function of a part."""
        return self._between(self.corners.gather(of))

    def mean(self, of: Callable[[Part], Any], passages: Callable[[Part], Any]) -> Any:
        """A mean time per point, with the passages of the corners as weights, from functions of a part."""
        return self._weighted(self.corners.gather(of), self.corners.gather(passages))

    def of(self, expression: Expression) -> Any:
        """The value of an expression over parameters, outputs and figures, per point."""
        used = [output for name, output in self.model.outputs.items() if name in expression.names]
        names = dict.fromkeys(name for item in [expression, *(one.expression for one in used)] for name in item.names)
        outputs = {output.name for output in used}
        known: dict[str, Value] = {name: self._named(name) for name in names if name not in outputs}
        operations, nothing = arrays(), np.zeros(self.size)
        with np.errstate(all="ignore"):
            for output in used:
                known[output.name] = evaluate(output.expression.root, known, operations, self.model.choices)
            return evaluate(expression.root, known, operations, self.model.choices) + nothing

    def _named(self, name: str) -> Any:
        """The value of a parameter, or of a figure of the solution, per point."""
        value = self.corners.of(_plain(name))
        if not is_figure(name) or all_figures(self.model, [name])[name] != TIME:
            return self._between(value)
        throughput = solution_name("throughput", about(name))
        passages = throughput if throughput in all_figures(self.model) else "throughput"
        return self._weighted(value, self.corners.of(_plain(passages)))

    def _between(self, value: Any) -> Array:
        """Figures of the corners, linearly interpolated; a value equal at all corners is kept exactly."""
        value = value[self._indices]
        beyond = np.where(self._shares > 0, value - value[:, :1], 0.0)
        return np.where(self.answered, value[:, 0] + (self._shares * beyond).sum(axis=1), np.nan)

    def _weighted(self, value: Array, passages: Array) -> Array:
        """Means of the corners, weighted by passages; unweighted where there are no passages."""
        total = self._between(passages)
        idle = ~(total > 0)
        return np.where(idle, self._between(value), self._between(value * passages) / np.where(idle, 1.0, total))


def rate_and_time(
    answers: Answers | MixAnswers, rate: Callable[[Part], Any], time: Callable[[Part], Any]
) -> tuple[Any, Any]:
    """Passages per second and their mean time, per point, from functions of a part."""
    mean: Any = answers.mean(time, rate) if isinstance(answers, MixAnswers) else answers.gather(time)
    return answers.gather(rate), mean


def _plain(name: str) -> Expression:
    return Expression(name, Name(name), (name,))
