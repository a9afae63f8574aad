"""Values that an answer reports by name besides figures, such as costs, formulas or counts, so they can be asserted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qnet.errors import Problem
from qnet.expression import Expression, evaluate, parse
from qnet.expression.operations import arrays
from qnet.lazy import np
from qnet.model.conditions import Condition
from qnet.model.model import Model
from qnet.model.scope import depends_on_solution, is_figure
from qnet.model.values import Values
from qnet.networks.reasons import approximate_notes
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.points.answers import Answers, solve_table
from qnet.questions.points.points import Solved
from qnet.questions.presentation.assertions import broken, conditions
from qnet.questions.presentation.labels import all_exact, means_exact, percentile_notes
from qnet.record import Record
from qnet.reports.content import Note
from qnet.units import Dimension


class NamedValues(Record):
    """Values that an answer reports, by name: one per point, NaN where there is none. Base units."""

    values: Mapping[str, Sequence[float]]
    dimensions: Mapping[str, Dimension]
    columns: Mapping[str, Any] = {}
    """Parameters of the model by point, as arrays; others are as stated."""
    size: int = 1


class AssertionOutcome(Record):
    """The outcome of assertions."""

    broken: tuple[Problem, ...] = ()
    """A problem for each that is false."""
    exact: bool | None = None
    """Whether the figures of the model that they name are exact; None where they name none."""
    means: bool = False
    """Whether the means are exact although a figure that they name is not."""
    notes: tuple[Note, ...] = ()
    """The reasons why figures are not exact."""


def claims_of(
    named: NamedValues, asserted: Sequence[str], model: Model | None = None, wanted: Wanted = AUTO
) -> AssertionOutcome:
    """The assertions that do not hold at every point of an answer, and whether their figures are exact.

    named     names besides the parameters, outputs and figures of the model; they take precedence.
    asserted  conditions such as `value >= 500/s`.
    model     the model, which is solved only if an assertion names a figure or an output of it.
    wanted    the method and budget of that solution.
    Raises    `UsageError` with the problems of all assertions.
    """
    if not asserted:
        return AssertionOutcome()
    claimed = conditions(asserted, model, named.dimensions)
    solved: list[Answers] = []
    problems: list[Problem] = []
    for item in claimed:
        names = [name for name in item.metric.names if name not in named.values]
        if model is not None and not solved and any(_needs_solution(name, model) for name in names):
            solved.append(solve_table(model, named.columns, named.size, wanted))
        problems += broken(_Points(named, item, model, solved[0] if solved else None), [item])
    if model is None or not solved:
        return AssertionOutcome(tuple(problems))
    figures = [item.metric for item in claimed]
    parts, reasons = solved[0].parts, solved[0].reasons
    notes = (
        *approximate_notes(reasons, solved[0].methods, "what is asserted is"),
        *percentile_notes(model, figures, parts),
    )
    return AssertionOutcome(
        tuple(problems), all_exact(model, figures, parts), means_exact(model, figures, parts), notes
    )


def false_of(
    named: NamedValues, asserted: Sequence[str], model: Model | None = None, wanted: Wanted = AUTO
) -> list[Problem]:
    """A problem for each assertion that an answer does not meet; arguments as for `claims_of`."""
    return list(claims_of(named, asserted, model, wanted).broken)


def _needs_solution(name: str, model: Model) -> bool:
    return is_figure(name) or name in model.outputs or name in depends_on_solution(model)


class _Points:
    """The points of an answer, with the values of the names in one condition."""

    def __init__(self, named: NamedValues, asserted: Condition, model: Model | None, solved: Answers | None) -> None:
        self.size = named.size
        self.choices = model.choices if model else {}
        self.names: dict[str, Any] = {}
        self.solved: list[Solved] = solved.solved if solved else []
        self.answered: Any = np.full(named.size, True)
        known = Values(model, named.columns, named.size).known if model else {}
        for name in asserted.metric.names:
            if name in named.values:
                value: Any = np.asarray(named.values[name], dtype=float)
            elif model is None or not _needs_solution(name, model):
                if name not in known:
                    continue  # the word of a choice, which denotes itself
                value = np.asarray(known[name], dtype=float)
            else:
                assert solved is not None
                value = solved.of(parse(name))
            self.names[name] = value
            self.answered = self.answered & np.isfinite(value)

    def of(self, expression: Expression) -> Any:
        """The value of an expression per point."""
        with np.errstate(all="ignore"):
            return evaluate(expression.root, self.names, arrays(), self.choices) + np.zeros(self.size)
