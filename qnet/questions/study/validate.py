"""A study's published figures against its model, judged claim by claim."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from qnet.errors import InvalidInput, Problem, UsageError
from qnet.expression import evaluate, parse
from qnet.model.model import Model
from qnet.questions.study.claims import TOLERANT, UNCHANGED, WIDEST
from qnet.questions.study.influences import Begun, Influences, influences
from qnet.questions.study.prediction_rule import carried, path_length
from qnet.questions.study.printed import Printed, printed
from qnet.questions.study.story import filled, referred
from qnet.questions.study.study import Claim, Study, bounds_of
from qnet.questions.study.validate_points import ClaimFigures, Computer
from qnet.record import Record
from qnet.units import NUMBER, in_unit

MET, MISSED, EXACT, WITHIN = "met", "missed", "exact", "within rounding"
_STEADY = 1e-9
"""Relative change below which a trend is "unchanged"."""
_COMPUTED = 1e-5
"""How closely a fitted claim is reproduced by values with the digits stated."""
_SLACK = 1 + 1e-9
"""The factor by which rounding may exceed a tolerance; any number a little above 1 works."""


class Judged(Record):
    """A claim with the model's figure, in the unit of the claim."""

    claim: Claim
    stated: float | str | None
    modelled: float | str | None
    verdict: str
    """`met`, `missed`, `exact`, `within rounding`, or the role where nothing is required."""
    unit: str = ""
    error: float | None = None
    """Relative, to the nearest figure that is printed so: 0 within rounding. None where a bound or a trend is stated,
    where there is no answer, and where zero is stated."""
    tolerance: float | None = None
    plain_error: float | None = None
    """Relative to the printed figure itself."""
    null: float | None = None
    """The nearest figure that the model was given, in the unit of the claim."""
    null_error: float | None = None
    """That of doing nothing, as `error`."""
    of_source: bool = False
    """Whether its figure names figures of the source only, and nothing of the model."""
    carried: str = ""
    """Why it is no prediction though it is called one; empty where it is one, or is not called so."""
    path_length: bool = False
    """Whether it rests on nothing but the length of a path that was measured on another workload."""

    @property
    def role(self) -> str:
        """What it counts as."""
        return "carried" if self.carried else self.claim.role

    @property
    def counted(self) -> bool:
        """Whether it is a separate prediction."""
        return self.claim.counted and not self.carried

    @property
    def separate(self) -> bool:
        """Whether it is a separate prediction, even one that the form of the model was chosen for."""
        return self.counted or (self.claim.in_view and not self.carried)

    @property
    def broken(self) -> bool:
        """Whether it is missed and no reason is given."""
        return self.verdict == MISSED and not self.claim.miss


class Validation(Record):
    """A study and its models, with the verdict on every claim."""

    study: Study
    models: tuple[Model, ...]
    """The systems that claims use, that of the study first."""
    judged: tuple[Judged, ...]
    influences: Influences | None = None
    """What fitted and predicted claims rest on; None where nothing is predicted."""


def validate(study: Study) -> Validation:
    """Compute every claim of a study with its systems.

    Raises `InvalidInput` for claims that cannot be computed and for reasons given for a miss that is none, `UsageError`
    QN012 where there is no claim.
    """
    if not study.claims:
        raise UsageError(Problem("QN012", f'the study "{study.id}" has no claims'))
    computer = Computer(study)
    main = computer.systems.main()
    computer.enter_claims()
    predicted = any(claim.counted and claim.position in computer.values for claim in study.claims)
    begun = Begun(computer) if predicted else None
    figures = computer.figures()
    others = [model for name, model in computer.systems.models.items() if model is not None and name != study.system]
    judge = _Judge(study)
    judged = tuple(
        judge.verdict(claim, figures.get(claim.position)).replace(of_source=claim.position in computer.arithmetics)
        for claim in study.claims
    )
    judge.needless(judged)
    if judge.problems:
        raise InvalidInput(*judge.problems)
    if begun is None:
        return Validation(study, (main, *others), judged)
    result = influences(begun, figures, value_of)
    reasons = _carried(study, result)
    moved = {id for id, item in result.claims.items() if path_length(item, result)}
    judged = tuple(
        item.replace(carried=reasons.get(item.claim.id, ""), path_length=item.claim.id in moved) for item in judged
    )
    return Validation(study, (main, *others), judged, result)


def _carried(study: Study, result: Influences) -> dict[str, str]:
    """Why claims that are called predictions are none, by id."""
    nulls = {claim.id: null for claim in study.claims if (null := null_of(study, claim)) is not None}
    return carried(study, result, nulls)


def null_of(study: Study, claim: Claim) -> float | None:
    """The nearest figure that the model was given, in base units; None where nothing given can be compared."""
    if claim.null == UNCHANGED:
        return 1.0 if claim.take == "ratio" else 0.0
    result = study.printed.get(claim.null)
    return result.value if result else None


class _Judge:
    """Judges the claims of a study; what is wrong with any of them is kept in `problems`."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.problems: list[Problem] = []

    def needless(self, judged: Sequence[Judged]) -> None:
        """Keep the reasons for misses that are none: the model has become better than its study says."""
        for item in judged:
            if item.claim.miss and item.verdict != MISSED:
                problem = Problem("QN324", f'"{item.claim.id}" gives a reason for a miss, and it holds', "no miss here")
                self.problems.append(self.study.problem(problem, ("claims", item.claim.position, "miss")))

    def verdict(self, claim: Claim, result: ClaimFigures | None) -> Judged:
        """The judgement on one claim."""
        if result is None:
            return self.unasked(claim)
        stated: float | str = claim.stated or bounds_of(claim)
        figure = self.study.printed.get(claim.id)
        unit = figure.unit if figure else ""
        if figure:
            stated = in_unit(figure.value, figure.unit)
        if result.words:
            return Judged(
                claim=claim, stated=stated, modelled=result.words, verdict=self.required(claim, False), unit=unit
            )
        if not figure and claim.stated:
            modelled = self.trend(claim, result)
            verdict = self.required(claim, modelled == claim.stated)
            return Judged(claim=claim, stated=stated, modelled=modelled, verdict=verdict)
        value = value_of(claim, result)
        if value is None:
            text, verdict = "nothing to compare with", self.required(claim, False)
            return Judged(claim=claim, stated=stated, modelled=text, verdict=verdict, unit=unit)
        bounds = {key: printed(text) for key, text in _bound_texts(claim)}
        first = figure or next(iter(bounds.values()))
        self.compare_units(claim, result, first)
        modelled, unit = in_unit(value, first.unit), first.unit
        if not figure:
            verdict = self.bounded(claim, value, bounds)
            return Judged(claim=claim, stated=stated, modelled=modelled, verdict=verdict, unit=unit)
        plain = value / figure.value - 1 if figure.value else None
        error = figure.error(value)
        if claim.role == "fitted" and plain is not None:
            error = 0.0 if abs(plain) < _COMPUTED else plain
        tolerance = self.tolerance(claim, figure)
        null = null_of(self.study, claim)
        null_error, shown = (None, None) if null is None else (figure.error(null), in_unit(null, figure.unit))
        return Judged(
            claim=claim,
            stated=stated,
            modelled=modelled,
            verdict=self.near(claim, value, figure, error, tolerance),
            unit=unit,
            error=error,
            tolerance=tolerance,
            plain_error=plain,
            null=shown,
            null_error=null_error,
        )

    def unasked(self, claim: Claim) -> Judged:
        """A claim that asks the model for nothing."""
        figure = self.study.printed.get(claim.id)
        if figure:
            stated = in_unit(figure.value, figure.unit)
            return Judged(claim=claim, stated=stated, modelled=None, verdict=claim.role, unit=figure.unit)
        return Judged(claim=claim, stated=claim.stated or bounds_of(claim), modelled=None, verdict=claim.role)

    def required(self, claim: Claim, satisfied: bool) -> str:
        """The verdict where a claim holds or not."""
        if claim.role in ("fitted", "disputed"):
            return claim.role
        if claim.role == "identity":
            return EXACT if satisfied else MISSED
        return MET if satisfied else MISSED

    def near(
        self, claim: Claim, value: float, particular: Printed, error: float | None, tolerance: float | None
    ) -> str:
        """The verdict on a figure."""
        if claim.role == "identity" and not particular.agrees(value):
            low, high = self.rounding(claim, value)
            satisfied = (
                low <= particular.value + particular.half * _SLACK
                and high >= particular.value - particular.half * _SLACK
            )
            return WITHIN if satisfied else MISSED
        if claim.role in ("given", "identity"):
            return self.required(claim, particular.agrees(value))
        if error is None or tolerance is None:
            return self.required(claim, particular.agrees(value))
        satisfied = abs(error) <= tolerance * _SLACK
        wide = claim.role in TOLERANT and abs(error) > WIDEST * _SLACK
        return self.required(claim, satisfied and not wide)

    def bounded(self, claim: Claim, value: float, bounds: dict[str, Printed]) -> str:
        """The verdict on a figure between bounds."""
        if claim.role == "identity" and not _between(value, value, bounds):
            return WITHIN if _between(*self.rounding(claim, value), bounds) else MISSED
        return self.required(claim, _between(value, value, bounds))

    def rounding(self, claim: Claim, value: float) -> tuple[float, float]:
        """How far an identity may move when each figure it refers to moves by half of its last printed digit.

        Each is moved to the side that raises the result, or lowers it: exact for figures that act in one direction.
        """
        names = referred(claim.figure)

        def at(moves: dict[str, float]) -> float:
            parsed = parse(filled(claim.figure, lambda id: self.study.printed[id].moved(moves.get(id, 0.0))))
            return value if parsed.names else float(evaluate(parsed.root, {}))

        up = {name: 1.0 if at({name: 1.0}) >= at({name: -1.0}) else -1.0 for name in names}
        ends = value, at(up), at({name: -side for name, side in up.items()})
        return min(ends), max(ends)

    def tolerance(self, claim: Claim, particular: Printed) -> float | None:
        """The relative tolerance of a claim."""
        if not isinstance(claim.tolerance, str):
            return claim.tolerance
        allowed = printed(claim.tolerance)
        if allowed.dimension != particular.dimension:
            self.fault(claim, "tolerance", f"found {allowed.dimension.describe()}", particular.dimension.describe())
        return allowed.value / abs(particular.value) if particular.value else None

    def compare_units(self, claim: Claim, result: ClaimFigures, stated: Printed) -> None:
        """Record a problem where quantities of different dimensions are compared."""
        modelled = NUMBER if claim.take in ("ratio", "change") else result.dimension
        if modelled is not None and modelled != stated.dimension:
            key = "stated" if claim.stated else "at_most" if claim.at_most else "at_least"
            self.fault(claim, key, f"found {stated.dimension.describe()}", f"{modelled.describe()}, as the figure is")

    def fault(self, claim: Claim, key: str, result: str, expected: str) -> None:
        """Keep a problem of a key of a claim."""
        problem = Problem("QN122", result, expected)
        self.problems.append(self.study.problem(problem, ("claims", claim.position, key)))

    def trend(self, claim: Claim, result: ClaimFigures) -> str:
        """The direction of the figures of a claim, against what it counts as unchanged."""
        values = result.values
        size = max(abs(value) for value in values)
        least = _STEADY * size
        allowed = least
        if isinstance(claim.tolerance, str):
            amount = printed(claim.tolerance)
            if result.dimension not in (None, amount.dimension):
                self.fault(claim, "tolerance", f"found {amount.dimension.describe()}", "as the figure is")
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
    """The figure that a claim is about, from the values it asked for; None for a ratio to nothing."""
    values = result.values
    if claim.take == "mean":
        return sum(values) / len(values)
    if claim.take not in ("ratio", "change", "difference"):
        return max(values)
    base, particular = values
    if claim.take == "difference":
        return particular - base
    if not base:
        return None
    return particular / base - 1 if claim.take == "change" else particular / base


def _bound_texts(claim: Claim) -> Iterator[tuple[str, str]]:
    if claim.at_least:
        yield "at least", claim.at_least
    if claim.at_most:
        yield "at most", claim.at_most


def _between(low: float, high: float, bounds: dict[str, Printed]) -> bool:
    """Whether an interval reaches what lies between bounds."""
    least, most = bounds.get("at least"), bounds.get("at most")
    return (least is None or high >= least.value) and (most is None or low <= most.value)
