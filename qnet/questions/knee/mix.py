"""The answers of a mix of customers in its exact proportions, between the integer populations around it."""

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
    """How many rows."""
    indices: Any
    """(points, corners) which of the rows surround each point."""
    shares: Any
    """(points, corners) how much of each counts."""

    def between(self, model: Model, answers: Answers, first: int = 0) -> MixAnswers:
        """The answers at the points, from a table in which the rows begin at `first`.

        model    that of the table.
        answers  of the table.
        """
        return MixAnswers(model, answers, self.indices + first, self.shares)


def corners(axis: GrowthAxis, values: Any) -> Corners:
    """The integer populations around points of a mix, by which its customers are in its exact proportions.

    axis      of closed classes and several parameters; values: customers of all of them together.
    Returns   `Corners`. The first ten customers of a mix of 25 and 4 are 8.62 and 1.38.

    Method    Rates and numbers of customers are interpolated linearly between solved integer populations: those at the
              corners of the simplex around the exact mix. Times are interpolated weighted by the passages whose mean
              they are, so that Little's law and the response time law N = X (R + Z) hold between integer populations
              too. Populations split into integers would go in steps, each a step of one class.
    Source    The simplices: @kuhn1960.
    Limits    Between integer populations a figure is a definition, not the figure of any system.
    """
    exact = np.stack([np.asarray(values, dtype=float) * weight for weight in axis.weights], axis=1)
    near = np.floor(exact + 0.5)
    exact = np.where(np.abs(exact - near) <= _INTEGER * np.maximum(near, 1.0), near, exact)
    floor = np.floor(exact)
    order = np.argsort(floor - exact, axis=1, kind="stable")
    left = np.take_along_axis(exact - floor, order, axis=1)
    size, kinds = exact.shape
    shares = -np.diff(left, prepend=1.0, append=0.0, axis=1)
    around = np.repeat(floor[:, None, :], kinds + 1, axis=1)
    for step in range(kinds):
        around[np.arange(size), step + 1 :, order[:, step]] += 1
    # What has no share may lie beyond a range.
    around = np.where((shares > 0)[:, :, None], around, floor[:, None, :])
    unique, point = np.unique(around.reshape(-1, kinds), axis=0, return_inverse=True)
    columns = {name: unique[:, kind] for kind, name in enumerate(axis.parameters)}
    return Corners(columns, len(unique), point.reshape(size, kinds + 1), shares)


class MixAnswers:
    """As `Answers`, for points between integer populations."""

    def __init__(self, model: Model, corners: Answers, indices: Any, shares: Any) -> None:
        """From answers at integer populations; which of them surround each point, and their shares: (points,
        corners)."""
        self.model = model
        self.corners = corners
        self.size = len(indices)
        self._indices = indices
        self._shares = shares
        failed = ~corners.answered[indices]
        self.answered: Any = ~failed.any(axis=1)
        first: list[int] = indices[range(self.size), failed.argmax(axis=1)].tolist()
        self.status: list[str] = [
            OK if here else corners.status[index] for here, index in zip(self.answered.tolist(), first, strict=True)
        ]
        around: list[list[int]] = indices.tolist()
        several = [{corners.method[index] for index in each} for each in around]
        self.method: list[str | None] = [next(iter(names)) if len(names) == 1 else None for names in several]
        """The method of each point; None where its corners have several."""
        self.methods = corners.methods
        self.exact = corners.exact
        self.reasons = corners.reasons
        self.failure = corners.failure
        self.solved = corners.solved

    @property
    def parts(self) -> list[Part]:
        """What was solved."""
        return self.corners.parts

    def gather(self, of: Callable[[Part], Any]) -> Any:
        """A rate or a number of customers per point, from a function of a part."""
        return self._between(self.corners.gather(of))

    def mean(self, of: Callable[[Part], Any], passages: Callable[[Part], Any]) -> Any:
        """A time per point, of which the corners have means over passages, from functions of a part."""
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
        """A parameter, or a figure of the solution."""
        value = self.corners.of(_plain(name))
        if not is_figure(name) or all_figures(self.model, [name])[name] != TIME:
            return self._between(value)
        particular = solution_name("throughput", about(name))
        return self._weighted(
            value, self.corners.of(_plain(particular if particular in all_figures(self.model) else "throughput"))
        )

    def _between(self, value: Any) -> Array:
        """Figures of the corners, linearly interpolated; a value equal at all corners is kept exactly."""
        value = value[self._indices]
        beyond = np.where(self._shares > 0, value - value[:, :1], 0.0)
        return np.where(self.answered, value[:, 0] + (self._shares * beyond).sum(axis=1), np.nan)

    def _weighted(self, value: Array, passages: Array) -> Array:
        """Means of the corners, weighted by passages; unweighted where there are no passages."""
        total = self._between(passages)
        nobody = ~(total > 0)
        return np.where(nobody, self._between(value), self._between(value * passages) / np.where(nobody, 1.0, total))


def rate_and_time(
    answers: Answers | MixAnswers, rate: Callable[[Part], Any], time: Callable[[Part], Any]
) -> tuple[Any, Any]:
    """Passages per second and the mean time of one, per point, from functions of a part."""
    mean: Any = answers.mean(time, rate) if isinstance(answers, MixAnswers) else answers.gather(time)
    return answers.gather(rate), mean


def _plain(name: str) -> Expression:
    return Expression(name, Name(name), (name,))
