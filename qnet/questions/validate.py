"""A study's published figures against its model, claim by claim: computed in batches, judged one by one."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from qnet.errors import InvalidInput, Problem, QnetError, UsageError
from qnet.expression import Expression, ExpressionError, check, parse
from qnet.model.conditions import condition
from qnet.model.grids import grid
from qnet.model.load import load
from qnet.model.model import Model
from qnet.model.scope import all_figures
from qnet.model.settings import with_settings
from qnet.model.values import Values
from qnet.questions.points import solve_points
from qnet.questions.search import largest as largest_value
from qnet.questions.solve import in_unit
from qnet.questions.study import Claim, Study
from qnet.questions.trial import Trial
from qnet.record import Record
from qnet.units import NUMBER, Dimension, UnitError, base_unit, quantity, unit

_STEADY = 1e-9
"""Relative change below which a trend is "unchanged"."""


class Judged(Record):
    """A claim with the model's figure, in the unit of the claim."""

    claim: Claim
    stated: float | str | None
    modelled: float | str
    unit: str
    error: float | None
    """Relative; None where a bound or a trend is stated."""
    tolerance: float | None
    verdict: str
    """`met`, `missed`, or the role where nothing is required."""


class Validation(Record):
    """A study and its model, with the verdict on every claim."""

    study: Study
    model: Model
    judged: tuple[Judged, ...]


def validate(study: Study) -> Validation:
    """Compute every claim of a study with its system.

    Raises `InvalidInput` for claims that cannot be computed, `UsageError` QN012 where there is none.
    """
    if not study.claims:
        raise UsageError(Problem("QN012", f'the study "{study.id}" has no claims'))
    model = load(study.system)
    values = _Computer(study, model).values()
    return Validation(study, model, tuple(_judge(study, model, claim, values[claim.place]) for claim in study.claims))


class _Lane(Record):
    """One point of a batch: the claim it belongs to and its parameters."""

    claim: Claim
    parameters: dict[str, float]


class _Computer:
    """Gathers the points of all claims that ask alike into batches, and solves each batch at once."""

    def __init__(self, study: Study, model: Model) -> None:
        self.study = study
        self.model = model
        self.results: dict[int, list[float]] = {claim.place: [] for claim in study.claims}

    def values(self) -> dict[int, list[float]]:
        batches: dict[tuple[str, str], list[_Lane]] = {}
        for claim in self.study.claims:
            batches.setdefault((claim.largest, claim.limit), []).extend(self.lanes(claim))
        for (largest, limit), lanes in batches.items():
            self.solve(largest, limit, lanes)
        return self.results

    def lanes(self, claim: Claim) -> list[_Lane]:
        """The points of a claim: one, or one for each value of its grid."""
        try:
            model = with_settings(self.model, claim.settings)
            known = Values(model, {}, None).known
            base = {name: float(known[name]) for name in claim.settings}
            if not claim.over:
                return [_Lane(claim, base)]
            points = grid(claim.over, model)
        except QnetError as error:
            raise self.blame(claim, error) from None
        return [_Lane(claim, {**base, points.name: value}) for value in points.values]

    def blame(self, claim: Claim, error: QnetError) -> InvalidInput:
        place = ("claims", claim.place)
        return InvalidInput(
            *(self.study.document.place(problem.replace(path=place, line=0)) for problem in error.problems)
        )

    def solve(self, largest: str, limit: str, lanes: list[_Lane]) -> None:
        import numpy as np

        names = sorted({name for lane in lanes for name in lane.parameters} - {largest})
        stated = Values(self.model, {}, None).known
        columns = {name: np.array([lane.parameters.get(name, float(stated[name])) for lane in lanes]) for name in names}
        value: Any = None
        if largest:
            asked = [condition(limit, self.model)] if limit else []
            found = largest_value(Trial(self.model, largest, asked, columns, len(lanes)))
            value, solved = np.where(found.held, found.value, np.nan), found.there
        else:
            solved = solve_points(self.model, columns, len(lanes))
        read = {
            figure: solved.metric(self.expression(figure)) for figure in {lane.claim.figure for lane in lanes} if figure
        }
        for index, lane in enumerate(lanes):
            result = read[lane.claim.figure][index] if lane.claim.figure else value[index]
            self.results[lane.claim.place].append(float(result))

    def expression(self, figure: str) -> Expression:
        try:
            parsed = parse(figure)
            check(parsed.root, _names(self.model), self.model.choices)
        except ExpressionError as error:
            raise InvalidInput(
                Problem(
                    error.code, f'in the figure "{figure}": {error}', help=error.help, file=self.study.document.name
                )
            ) from None
        return parsed


def _names(model: Model) -> dict[str, Dimension]:
    return model.dimensions | all_figures(model) | {name: output.dimension for name, output in model.outputs.items()}


def _judge(study: Study, model: Model, claim: Claim, values: list[float]) -> Judged:
    if any(value != value for value in values):
        return Judged(
            claim, claim.stated, "no steady state", "", None, None, "missed" if _required(claim) else claim.role
        )
    if claim.take == "trend":
        modelled = _trend(values)
        met = modelled == claim.stated
        return Judged(claim, claim.stated, modelled, "", None, None, "met" if met else "missed")
    value = sum(values) / len(values) if claim.take == "mean" else max(values)
    stated_text = claim.stated or claim.at_most or claim.at_least
    amount, shown = _quantity(study, claim, stated_text)
    modelled = in_unit(value, shown)
    if not claim.stated:
        met = all(
            sign * value <= sign * _quantity(study, claim, bound)[0]
            for sign, bound in ((1, claim.at_most), (-1, claim.at_least))
            if bound
        )
        words = " and ".join(
            f"{word} {bound}" for word, bound in (("at least", claim.at_least), ("at most", claim.at_most)) if bound
        )
        return Judged(
            claim, words, modelled, shown, None, None, ("met" if met else "missed") if _required(claim) else claim.role
        )
    error = value / amount - 1
    tolerance = claim.tolerance
    if isinstance(tolerance, str):
        tolerance = _quantity(study, claim, tolerance)[0] / amount
    verdict = claim.role
    if _required(claim):
        verdict = "met" if tolerance is not None and abs(error) <= tolerance * (1 + 1e-9) else "missed"
    return Judged(claim, in_unit(amount, shown), modelled, shown, error, tolerance, verdict)


def _required(claim: Claim) -> bool:
    return claim.role in ("predicted", "trend")


def _quantity(study: Study, claim: Claim, text: str) -> tuple[float, str]:
    """A stated quantity in base units, and the unit it is written in."""
    try:
        amount, dimension = quantity(text)
    except UnitError as error:
        place = Problem("QN320", f'"{text}": {error}', "a quantity", ("claims", claim.place, "stated"), error.help)
        raise InvalidInput(study.document.place(place)) from None
    shown = text.lstrip("+-0123456789.eE ").strip() if dimension != NUMBER else ""
    try:
        unit(shown or "s")
    except UnitError:
        shown = base_unit(dimension)
    return amount, shown


def _trend(values: list[float]) -> str:
    changes = [after / before - 1 for before, after in pairwise(values)]
    if all(abs(change) <= _STEADY for change in changes):
        return "unchanged"
    if all(change > -_STEADY for change in changes):
        return "rises"
    return "falls" if all(change < _STEADY for change in changes) else "turns"
