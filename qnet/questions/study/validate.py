"""Compare the published figures of a study with its models: compute every claim and judge it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from qnet.errors import InvalidInput, Problem, UsageError
from qnet.expression import evaluate, parse
from qnet.model.model import Model
from qnet.questions.study.claims import TOLERANT, UNCHANGED, WIDEST
from qnet.questions.study.influences import Influences, InputMoves, influences
from qnet.questions.study.prediction_rule import carried, path_length
from qnet.questions.study.printed import Printed, printed
from qnet.questions.study.story import fill_references, references_in
from qnet.questions.study.study import Claim, Study, bounds_of
from qnet.questions.study.validate_points import ClaimFigures, Computer
from qnet.record import Record
from qnet.units import NUMBER, in_unit

MET, MISSED, EXACT, WITHIN = "met", "missed", "exact", "within rounding"
"""Verdicts on claims that must hold."""
_STEADY = 1e-9
"""Relative change below which a trend is "unchanged"."""
_COMPUTED = 1e-5
"""The relative error of a fitted claim that counts as zero: parameters are stated with a limited number of digits."""
_SLACK = 1 + 1e-9
"""The factor by which rounding may exceed a tolerance; any number a little above 1 works."""


class Judged(Record):
    """A claim with the modelled figure and the verdict; figures are in the unit of the stated one."""

    claim: Claim
    stated: float | str | None
    """The stated figure, direction, text, or bounds in words."""
    modelled: float | str | None
    """The modelled figure or direction, or why there is none; None for a claim without figure and search."""
    verdict: str
    """`met`, `missed`, `exact` or `within rounding`; the role of a claim that need not hold or is not computed."""
    unit: str = ""
    error: float | None = None
    """The relative error to the nearest value that rounds to the printed digits: 0 within rounding; of a fitted claim,
    to the printed figure itself. None for bounds, trends, a stated zero, and without an answer."""
    tolerance: float | None = None
    """Relative."""
    plain_error: float | None = None
    """The relative error to the printed figure itself; None as for `error`."""
    null: float | None = None
    """The figure of the null, in the unit of the claim."""
    null_error: float | None = None
    """The relative error of the null to the nearest value that rounds to the printed digits."""
    of_source: bool = False
    """Whether the figure names other claims only, and nothing of the model."""
    carried: str = ""
    """Why a claim with the role `predicted` is no prediction; empty for all others."""
    path_length: bool = False
    """Whether the figure rests on a path length alone, as `prediction_rule.path_length` defines it."""

    @property
    def role(self) -> str:
        """The role as which the claim is counted."""
        return "carried" if self.carried else self.claim.role

    @property
    def counted(self) -> bool:
        """Whether it counts as a prediction."""
        return self.claim.counted and not self.carried

    @property
    def separate(self) -> bool:
        """Whether it counts as a prediction, or would if the form of the model had not been chosen with it in view."""
        return self.counted or (self.claim.in_view and not self.carried)

    @property
    def broken(self) -> bool:
        """Whether it is missed and the study gives no reason."""
        return self.verdict == MISSED and not self.claim.miss


class Validation(Record):
    """The verdicts on all claims of a study."""

    study: Study
    models: tuple[Model, ...]
    """The systems that claims use, the main system first."""
    judged: tuple[Judged, ...]
    """In the order of the claims."""
    influences: Influences | None = None
    """The elasticities of fitted and predicted claims; None if no claim counts as a prediction by its role."""


def validate(study: Study) -> Validation:
    """Compute every claim of a study with its systems, and judge it.

    Raises `InvalidInput` for claims that cannot be computed, and for a claim that holds and gives a reason for a miss;
    `UsageError` QN012 for a study without claims.
    """
    if not study.claims:
        raise UsageError(Problem("QN012", f'the study "{study.id}" has no claims'))
    computer = Computer(study)
    main = computer.systems.main()
    computer.enter_claims()
    predicted = any(claim.counted and claim.position in computer.values for claim in study.claims)
    input_moves = InputMoves(computer) if predicted else None
    figures = computer.figures()
    others = [model for name, model in computer.systems.models.items() if model is not None and name != study.system]
    judge = _Judge(study)
    arithmetic = computer.arithmetic_claims
    judged = tuple(
        judge.judged(claim, figures.get(claim.position)).replace(of_source=claim.position in arithmetic)
        for claim in study.claims
    )
    judge.check_reasons(judged)
    if judge.problems:
        raise InvalidInput(*judge.problems)
    if input_moves is None:
        return Validation(study, (main, *others), judged)
    result = influences(input_moves, figures, value_of)
    reasons = _carried(study, result)
    by_path_length = {id for id, item in result.claims.items() if path_length(item, result)}
    judged = tuple(
        item.replace(carried=reasons.get(item.claim.id, ""), path_length=item.claim.id in by_path_length)
        for item in judged
    )
    return Validation(study, (main, *others), judged, result)


def _carried(study: Study, result: Influences) -> dict[str, str]:
    """The reasons why claims with the role `predicted` are counted as carried, by id."""
    nulls = {claim.id: null for claim in study.claims if (null := null_of(study, claim)) is not None}
    return carried(study, result, nulls)


def null_of(study: Study, claim: Claim) -> float | None:
    """The figure of the null of a claim, in base units; None if the claim has no null, or only a reason for that."""
    if claim.null == UNCHANGED:
        return 1.0 if claim.take == "ratio" else 0.0
    result = study.printed.get(claim.null)
    return result.value if result else None


class _Judge:
    """Judges the claims of a study; problems of the claims are collected in `problems`."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.problems: list[Problem] = []

    def check_reasons(self, judged: Sequence[Judged]) -> None:
        """Record a problem for every claim that gives a reason for a miss but is not missed."""
        for item in judged:
            if item.claim.miss and item.verdict != MISSED:
                problem = Problem("QN324", f'"{item.claim.id}" gives a reason for a miss, and it holds', "no miss here")
                self.problems.append(self.study.problem(problem, ("claims", item.claim.position, "miss")))

    def judged(self, claim: Claim, result: ClaimFigures | None) -> Judged:
        """The verdict on a claim, with its figures; `result` is None for a claim that is not computed."""
        if result is None:
            return self.not_computed(claim)
        stated: float | str = claim.stated or bounds_of(claim)
        figure = self.study.printed.get(claim.id)
        unit = figure.unit if figure else ""
        if figure:
            stated = in_unit(figure.value, figure.unit)
        if result.reason:
            return Judged(
                claim=claim, stated=stated, modelled=result.reason, verdict=self.verdict(claim, False), unit=unit
            )
        if not figure and claim.stated:
            modelled = self.trend(claim, result)
            verdict = self.verdict(claim, modelled == claim.stated)
            return Judged(claim=claim, stated=stated, modelled=modelled, verdict=verdict)
        value = value_of(claim, result)
        if value is None:
            text, verdict = "the base is zero", self.verdict(claim, False)
            return Judged(claim=claim, stated=stated, modelled=text, verdict=verdict, unit=unit)
        bounds = {key: printed(text) for key, text in _bound_texts(claim)}
        first = figure or next(iter(bounds.values()))
        self.check_dimension(claim, result, first)
        modelled, unit = in_unit(value, first.unit), first.unit
        if not figure:
            verdict = self.verdict_by_bounds(claim, value, bounds)
            return Judged(claim=claim, stated=stated, modelled=modelled, verdict=verdict, unit=unit)
        plain = value / figure.value - 1 if figure.value else None
        error = figure.error(value)
        if claim.role == "fitted" and plain is not None:
            error = 0.0 if abs(plain) < _COMPUTED else plain
        tolerance = self.tolerance(claim, figure)
        null = null_of(self.study, claim)
        null_error = None if null is None else figure.error(null)
        return Judged(
            claim=claim,
            stated=stated,
            modelled=modelled,
            verdict=self.verdict_by_figure(claim, value, figure, error, tolerance),
            unit=unit,
            error=error,
            tolerance=tolerance,
            plain_error=plain,
            null=None if null is None else in_unit(null, figure.unit),
            null_error=null_error,
        )

    def not_computed(self, claim: Claim) -> Judged:
        """A claim without figure and search, whose verdict is its role."""
        figure = self.study.printed.get(claim.id)
        if figure:
            stated = in_unit(figure.value, figure.unit)
            return Judged(claim=claim, stated=stated, modelled=None, verdict=claim.role, unit=figure.unit)
        return Judged(claim=claim, stated=claim.stated or bounds_of(claim), modelled=None, verdict=claim.role)

    def verdict(self, claim: Claim, satisfied: bool) -> str:
        """The verdict on a claim that holds, or not."""
        if claim.role in ("fitted", "disputed"):
            return claim.role
        if claim.role == "identity":
            return EXACT if satisfied else MISSED
        return MET if satisfied else MISSED

    def verdict_by_figure(
        self, claim: Claim, value: float, stated: Printed, error: float | None, tolerance: float | None
    ) -> str:
        """The verdict on a modelled value where a figure is stated.

        Given claims and identities must have the printed digits, an identity perhaps once the figures that it refers to
        move by their rounding. All others are within their tolerance of a value that rounds to the printed digits; if a
        tolerance is relative and zero is stated, or there is none, they must have the printed digits.
        """
        if claim.role == "identity" and not stated.agrees(value):
            low, high = self.rounding(claim, value)
            satisfied = low <= stated.value + stated.half * _SLACK and high >= stated.value - stated.half * _SLACK
            return WITHIN if satisfied else MISSED
        if claim.role in ("given", "identity"):
            return self.verdict(claim, stated.agrees(value))
        if isinstance(claim.tolerance, str) and not stated.value:
            allowed = printed(claim.tolerance).value + stated.half
            return self.verdict(claim, abs(value) <= allowed * _SLACK)
        if error is None or tolerance is None:
            return self.verdict(claim, stated.agrees(value))
        satisfied = abs(error) <= tolerance * _SLACK
        wide = claim.role in TOLERANT and abs(error) > WIDEST * _SLACK
        return self.verdict(claim, satisfied and not wide)

    def verdict_by_bounds(self, claim: Claim, value: float, bounds: dict[str, Printed]) -> str:
        """The verdict on a modelled value where bounds are stated."""
        if claim.role == "identity" and not _between(value, value, bounds):
            return WITHIN if _between(*self.rounding(claim, value), bounds) else MISSED
        return self.verdict(claim, _between(value, value, bounds))

    def rounding(self, claim: Claim, value: float) -> tuple[float, float]:
        """The interval of an identity when each figure it refers to moves by half of its last printed digit.

        Every figure is moved in the direction that raises the result, then in the other one: exact where the result is
        monotone in each figure. An expression that names anything of a model is not moved.
        """
        names = references_in(claim.figure)

        def moved_by(halves: dict[str, float]) -> float:
            parsed = parse(fill_references(claim.figure, lambda id: self.study.printed[id].moved(halves.get(id, 0.0))))
            return value if parsed.names else float(evaluate(parsed.root, {}))

        raising = {name: 1.0 if moved_by({name: 1.0}) >= moved_by({name: -1.0}) else -1.0 for name in names}
        ends = value, moved_by(raising), moved_by({name: -sign for name, sign in raising.items()})
        return min(ends), max(ends)

    def tolerance(self, claim: Claim, stated: Printed) -> float | None:
        """The relative tolerance of a claim; None without one, and for an absolute one if zero is stated."""
        if not isinstance(claim.tolerance, str):
            return claim.tolerance
        allowed = printed(claim.tolerance)
        if allowed.dimension != stated.dimension:
            self.keep_problem(claim, "tolerance", f"found {allowed.dimension.describe()}", stated.dimension.describe())
        return allowed.value / abs(stated.value) if stated.value else None

    def check_dimension(self, claim: Claim, result: ClaimFigures, stated: Printed) -> None:
        """Record a problem if the modelled and the stated figure differ in dimension."""
        modelled = NUMBER if claim.take in ("ratio", "change") else result.dimension
        if modelled is not None and modelled != stated.dimension:
            key = "stated" if claim.stated else "at_most" if claim.at_most else "at_least"
            expected = f"{modelled.describe()}, as the figure is"
            self.keep_problem(claim, key, f"found {stated.dimension.describe()}", expected)

    def keep_problem(self, claim: Claim, key: str, problem: str, expected: str) -> None:
        """Record a problem of dimensions at a key of a claim."""
        located = self.study.problem(Problem("QN122", problem, expected), ("claims", claim.position, key))
        self.problems.append(located)

    def trend(self, claim: Claim, result: ClaimFigures) -> str:
        """The direction of the values of a claim: `rises`, `falls`, `turns`, or `unchanged` within its tolerance."""
        values = result.values
        size = max(abs(value) for value in values)
        least = _STEADY * size
        allowed = least
        if isinstance(claim.tolerance, str):
            amount = printed(claim.tolerance)
            if result.dimension not in (None, amount.dimension):
                self.keep_problem(claim, "tolerance", f"found {amount.dimension.describe()}", "as the figure is")
            allowed = max(amount.value, least)
        elif claim.tolerance is not None:
            allowed = max(claim.tolerance * abs(values[0]), least)
        if max(values) - min(values) <= allowed:
            return "unchanged"
        steps = [after - before for before, after in pairwise(values)]
        if all(step > -least for step in steps):
            return "rises"
        return "falls" if all(step < least for step in steps) else "turns"


def value_of(claim: Claim, result: ClaimFigures) -> float | None:
    """The figure of a claim in base units, aggregated from its values as `take` states: their mean, the comparison of
    the claim with its base, otherwise the largest. None for a ratio or change if the base is zero."""
    values = result.values
    if claim.take == "mean":
        return sum(values) / len(values)
    if claim.take not in ("ratio", "change", "difference"):
        return max(values)
    base, value = values
    if claim.take == "difference":
        return value - base
    if not base:
        return None
    return value / base - 1 if claim.take == "change" else value / base


def _bound_texts(claim: Claim) -> Iterator[tuple[str, str]]:
    """The bounds that a claim states, as printed, by the words for each."""
    if claim.at_least:
        yield "at least", claim.at_least
    if claim.at_most:
        yield "at most", claim.at_most


def _between(low: float, high: float, bounds: dict[str, Printed]) -> bool:
    """Whether an interval contains a value that satisfies the bounds."""
    least, most = bounds.get("at least"), bounds.get("at most")
    return (least is None or high >= least.value) and (most is None or low <= most.value)
