"""Which numbers of a model are outside their domain: all of them, where `bind` stops at the first."""

from __future__ import annotations

from collections.abc import Mapping

from qnet.documents import Path
from qnet.errors import InvalidInput, QnetError, UsageError
from qnet.expression import Expression, Value
from qnet.model.fields import Field
from qnet.model.model import Model, Parameter
from qnet.model.values import Values
from qnet.record import Record


class StatedNumber(Record):
    """An expression that becomes a number of the network, sound in names and dimension."""

    expression: Expression
    field: Field
    path: Path


class Probabilities(Record):
    """Numbers that must sum to one."""

    what: str
    path: Path
    terms: Mapping[str, Path]
    """Where each is stated, by what the file calls it."""


class Stated(Record):
    """What a model states in numbers, without those that are wrong in names or dimensions."""

    model: Model
    """With the sound parameters only."""
    numbers: list[StatedNumber]
    sums: list[Probabilities]


def together(stated: Stated, error: QnetError, figures: Mapping[str, Value] | None = None) -> QnetError:
    """The refusal of a model with every other number that is outside its domain.

    stated    the numbers of the model.
    error     why the model has no network, from `Values` or `bind`.
    figures   the figures of the solution that are known.
    Returns   `UsageError` where the error is one, with the first number of each option that is refused, because others
              mostly follow from it; else `InvalidInput` in the order of the file.
    """
    if not isinstance(error, (InvalidInput, UsageError)):
        return error
    others = [item for item in refusals(stated, figures) if type(item) is type(error)]
    problems = list(dict.fromkeys(problem for item in (error, *others) for problem in item.problems))
    if isinstance(error, UsageError):
        first = {problem.file: problem for problem in reversed(problems)}
        return UsageError(*(problem for problem in problems if first[problem.file] is problem))
    name = stated.model.document.name
    return InvalidInput(*sorted(problems, key=lambda problem: (problem.file != name, problem.line)))


def refusals(stated: Stated, figures: Mapping[str, Value] | None = None) -> list[QnetError]:
    """Every refusal of a parameter, of a number, and of numbers that do not sum to one.

    Left out is what rests on a value that is refused itself, and on figures that are not known.
    """
    values = _AllValues(stated.model, figures)
    known: dict[Path, tuple[Expression, Value]] = {}
    for item in stated.numbers:
        if values.knows(item.expression):
            try:
                known[item.path] = item.expression, values.field(item.expression, item.field, item.path)
            except QnetError as error:
                values.refused.append(error)
    for what, path, paths in stated.sums:
        terms = {label: known[term] for label, term in paths.items() if term in known}
        if len(terms) == len(paths):
            total: Value = sum(value for _, value in terms.values())
            try:
                values.check_sum(total, what, path, {label: expression for label, (expression, _) in terms.items()})
            except QnetError as error:
                values.refused.append(error)
    return values.refused


class _AllValues(Values):
    """The values of a model at one point; a parameter that is refused is noted, and unknown."""

    def __init__(self, model: Model, figures: Mapping[str, Value] | None) -> None:
        self.refused: list[QnetError] = []
        super().__init__(model, {}, None, figures)

    def knows(self, expression: Expression) -> bool:
        """Whether everything that an expression uses has a value."""
        return all(name in self.known for name in expression.names)

    def _state(self, parameter: Parameter, varied: Mapping[str, Value]) -> bool:
        try:
            return super()._state(parameter, varied)
        except QnetError as error:
            self.refused.append(error)
            return True

    def _check_range(self, parameter: Parameter, value: Value) -> bool:
        try:
            return super()._check_range(parameter, value)
        except QnetError as error:
            self.refused.append(error)
            self.known.pop(parameter.name)
            return True
