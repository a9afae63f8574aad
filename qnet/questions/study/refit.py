"""The fits of a study done again where its free choices are made otherwise.

All fitted parameters of the study move at once until the claims that they were fitted on state what they state: chords
of the elasticities at the catalog's values, improved by Broyden's rank-one updates (Mathematics of Computation 19,
1965). Every choice is changed by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, isfinite, log
from typing import Any

from qnet.lazy import Array, np
from qnet.questions.study.influences import INFLUENCE, Influences, replaced
from qnet.questions.study.printed import printed
from qnet.questions.study.study import Claim, FreeChoice, Study, Where
from qnet.questions.study.validate import value_of
from qnet.questions.study.validate_points import ClaimFigures, Computer
from qnet.record import Record

_ROUNDS = 40
"""Until a fit is given up; any number above what converges works."""
_PATIENCE = 8
"""The most rounds in a row that come no nearer to what is stated: then no fit is expected."""
_CLOSE = 1e-6
"""The relative difference from what is stated that ends a fit: below the digits of any measurement."""
_FARTHEST = 0.5
"""The largest step of a logarithm in one round."""


class Refit(Record):
    """The fitted parameters and the predictions of a study with one choice made otherwise."""

    choice: str
    alternative: str
    converged: bool
    parameters: dict[str, float]
    """By name, in base units."""
    figures: dict[str, float]
    """What predictions ask for, by the id of the claim; those without an answer are left out."""


class _Case(Record):
    """A choice made otherwise: settings of parameters, and figures that claims state instead."""

    choice: str
    alternative: str
    settings: dict[str, str]
    targets: dict[str, float]


def fits_of(study: Study, result: Influences) -> list[Claim]:
    """The fitted claims that move with the parameter that they set."""
    return [claim for claim in study.claims if claim.role == "fitted" and _elasticity(claim, result)]


def _elasticity(claim: Claim, result: Influences) -> float:
    """The elasticity of a fitted claim by its parameter, 0 for none."""
    slope = _slopes(claim, result).get(claim.sets, 0.0)
    return slope if isfinite(slope) and abs(slope) >= INFLUENCE else 0.0


def _slopes(claim: Claim, result: Influences) -> dict[str, float]:
    """The elasticities of a claim by the parameters that it does not set itself."""
    item = result.claims.get(claim.id)
    slopes = item.by_parameter.items() if item else ()
    return {name: slope for (name, _), slope in slopes if not replaced(claim, name)}


def fitted_values(study: Study, result: Influences) -> dict[str, float]:
    """The values of the fitted parameters as they stand, in base units."""
    return {
        claim.sets: next(value for name, value in result.claims[claim.id].by_parameter if name == claim.sets)
        for claim in fits_of(study, result)
    }


def refits(study: Study, results: Influences, asked: Sequence[Claim]) -> list[Refit]:
    """The study fitted again with every alternative of every choice that names a parameter or a claim.

    asked   predictions to be computed with the new values.
    """
    fits = fits_of(study, results)
    cases = [case for choice in study.choices for case in _cases(choice)]
    if not cases or not fits:
        return []
    computed = _Figures(study, results)
    logs, close = _solved(computed, results, fits, cases)
    start = fitted_values(study, results)
    names = [claim.sets for claim in fits]
    entered = [
        (claim, case, dict(zip(names, (exp(item) for item in row), strict=True)))
        for case, row in zip(cases, logs, strict=True)
        for claim in asked
    ]
    values = computed.values(entered)
    result: list[Refit] = []
    for index, case in enumerate(cases):
        particular = values[index * len(asked) : (index + 1) * len(asked)]
        figures = {claim.id: value for claim, value in zip(asked, particular, strict=True) if value is not None}
        parameters = {name: start[name] * exp(float(item)) for name, item in zip(names, logs[index], strict=True)}
        result.append(Refit(case.choice, case.alternative, bool(close[index]), parameters, figures))
    return result


def refitted(study: Study, result: Influences, factor: float) -> dict[str, float] | None:
    """The fitted parameters of a study, fitted from another start: `factor` times the values that it has; None where no
    fit converges."""
    fits = fits_of(study, result)
    logs, close = _solved(_Figures(study, result), result, fits, [_Case("", "", {}, {})], log(factor))
    start = fitted_values(study, result)
    if not bool(close.all()):
        return None
    return {claim.sets: start[claim.sets] * exp(float(item)) for claim, item in zip(fits, logs[0], strict=True)}


def _cases(choice: FreeChoice) -> list[_Case]:
    result: list[_Case] = []
    for text in choice.alternatives if choice.varied else ():
        settings = {choice.parameter: text} if choice.parameter else {}
        targets = {choice.claim: printed(text).value} if choice.claim else {}
        result.append(_Case(choice.id, text, settings, targets))
    return result


def _solved(
    figures: _Figures, result: Influences, fits: list[Claim], cases: list[_Case], start: float = 0.0
) -> tuple[Any, Any]:  # fmt: skip
    """The logarithms by which fitted parameters move in every case, and whether the figures are reached."""
    names = [claim.sets for claim in fits]
    stated = [_target(figures.study, claim, result) for claim in fits]
    targets = np.array([[case.targets.get(claim.id, value) for claim, value in zip(fits, stated, strict=True)]
                        for case in cases])  # fmt: skip
    slopes = [_slopes(claim, result) for claim in fits]
    first = np.nan_to_num(np.array([[row.get(name, 0.0) for name in names] for row in slopes]))
    jacobians = np.repeat(first[None, :, :], len(cases), axis=0)
    logs = np.full((len(cases), len(fits)), start)

    def off(rows: list[int]) -> Array:
        entered = [
            (claim, cases[index], dict(zip(names, (exp(item) for item in logs[index]), strict=True)))
            for index in rows
            for claim in fits
        ]
        values = [float("nan") if value is None else value for value in figures.values(entered)]
        with np.errstate(all="ignore"):
            return np.log(np.array(values).reshape(len(rows), len(fits)) / targets[rows])

    rest = off(list(range(len(cases))))
    best = np.abs(rest).max(axis=1)
    since = np.zeros(len(cases))
    for _ in range(_ROUNDS):
        open_ = np.isfinite(rest).all(axis=1) & (np.abs(rest).max(axis=1) > _CLOSE) & (since < _PATIENCE)
        if not open_.any():
            break
        steps = np.zeros_like(logs)
        for index in np.flatnonzero(open_):
            jacobian: Array = jacobians[index]
            missed: Array = rest[index]
            step = -np.asarray(np.linalg.pinv(jacobian), np.float64) @ missed
            steps[index] = step * min(1.0, _FARTHEST / max(float(np.abs(step).max()), 1e-300))
        logs = logs + steps
        before, rest = rest, rest.copy()
        rest[open_] = off([int(index) for index in np.flatnonzero(open_)])
        farthest = np.abs(rest).max(axis=1)
        since = np.where(farthest < best, 0, since + 1)
        best = np.fmin(best, farthest)
        for index in np.flatnonzero(open_):
            step, change = steps[index], rest[index] - before[index]
            size = float(step @ step)
            if size > 0 and np.isfinite(change).all():
                jacobians[index] += np.outer(change - jacobians[index] @ step, step) / size
    with np.errstate(all="ignore"):
        close = np.isfinite(rest).all(axis=1) & (np.abs(rest).max(axis=1) <= 100 * _CLOSE)
    return logs, close


def _target(study: Study, claim: Claim, result: Influences) -> float:
    """What a fitted claim states; where it states a bound only, what it is set to below it."""
    figure = study.printed.get(claim.id)
    return figure.value if figure else result.claims[claim.id].value


class _Figures:
    """The figures of claims in cases, each searched for near its value in the round before."""

    def __init__(self, study: Study, results: Influences) -> None:
        self.study, self.results = study, results
        self.base = Computer(study)
        """Its systems are those of all others."""
        self.answers: dict[tuple[str, str, str], dict[int, float]] = {}
        """By claim and case, the values of the parameter that is searched for, as `Influences.answers` has them."""

    def values(self, entered: Sequence[tuple[Claim, _Case, dict[str, float]]]) -> list[float | None]:
        """The figures of claims with the settings of cases and parameters moved by factors, all solved at once."""
        computer = Computer(self.study, self.base)
        copies: list[Claim] = []
        for index, (claim, case, factors) in enumerate(entered, len(self.study.claims)):
            at = _with(computer, claim.at, case.settings)
            base = _with(computer, claim.base, case.settings) if claim.base else None
            copies.append(claim.replace(position=index, at=at, base=base))
            known = self.answers.get((claim.id, case.choice, case.alternative)) or self.results.answers.get(
                claim.id, {}
            )
            computer.known |= {(index, slot): value for slot, value in known.items()}
            computer.moved[index] = {name: factor for name, factor in factors.items() if _fitted(computer, claim, name)}
            computer.enter(copies[-1])
        result = computer.computed()
        for copy, (claim, case, _) in zip(copies, entered, strict=True):
            if copy.position in computer.answers:
                self.answers[claim.id, case.choice, case.alternative] = computer.answers[copy.position]
        return [_read(copy, result.get(copy.position)) for copy in copies]


def _fitted(computer: Computer, claim: Claim, name: str) -> bool:
    """Whether a parameter is a fitted one in a system of a claim: another one may have something else of that name,
    and a claim may set it."""
    if replaced(claim, name):
        return False
    for where in (claim.at, claim.base):
        model = computer.systems.model(where.system, where.paths["system"]) if where else None
        if model is not None and name in model.parameters and model.parameters[name].grade == "fitted":
            return True
    return False


def _with(computer: Computer, where: Where, settings: dict[str, str]) -> Where:
    """A place with more settings, as far as its system has them and does not set them itself."""
    model = computer.systems.model(where.system, where.paths["system"])
    more = {
        name: text
        for name, text in settings.items()
        if model is not None and name in model.parameters and name not in where.settings
    }
    if not more:
        return where
    paths = {**where.paths, **dict.fromkeys(more, ("free_choices",))}
    return where.replace(settings={**where.settings, **more}, paths=paths)


def _read(claim: Claim, result: ClaimFigures | None) -> float | None:
    if result is None or result.words:
        return None
    value = value_of(claim, result)
    return value if value is not None and isfinite(value) else None


class ParameterUncertainty(Record):
    """How well one fitted parameter is determined."""

    claim: Claim
    parameter: str
    value: float
    digits: tuple[float, float] | None
    """What the printed digits of all fitted claims leave, to first order."""
    choices: tuple[float, float] | None
    """What the free choices leave."""
    implied: tuple[float, float] | None
    """The values that predictions imply, each by itself and to first order, within a factor of ten."""
    contradicted: tuple[str, ...]
    """The predictions that imply a value outside of what digits and choices leave, the farthest first."""


def doubts(
    study: Study, results: Influences, again: Sequence[Refit], errors: dict[str, float | None]
) -> list[ParameterUncertainty]:  # fmt: skip
    """How well the fitted parameters of a study are determined.

    errors  of predictions to the nearest figure that is printed so, by id.
    """
    fits = fits_of(study, results)
    names = [claim.sets for claim in fits]
    slopes = [_slopes(claim, results) for claim in fits]
    matrix = np.nan_to_num(np.array([[row.get(name, 0.0) for name in names] for row in slopes])).reshape(len(fits), -1)
    inverse = np.abs(np.linalg.pinv(matrix)) if fits else matrix
    halves = np.array([_half(study, claim) for claim in fits])
    spread = inverse @ halves
    values = fitted_values(study, results)
    result: list[ParameterUncertainty] = []
    for index, claim in enumerate(fits):
        value = values[claim.sets]
        wide = float(spread[index])
        digits = (value * exp(-wide), value * exp(wide)) if wide else None
        others = [item.parameters[claim.sets] for item in again if item.converged]
        choices = (min(value, *others), max(value, *others)) if others else None
        low = min(end[0] for end in (digits, choices, (value, value)) if end)
        high = max(end[1] for end in (digits, choices, (value, value)) if end)
        implied = _implied(study, results, claim, value, errors)
        outside = {id: other for id, other in implied.items() if not low * (1 - 1e-6) <= other <= high * (1 + 1e-6)}
        order = sorted(outside, key=lambda id: -abs(log(outside[id] / value)))
        ends = (min(implied.values()), max(implied.values())) if implied else None
        result.append(
            ParameterUncertainty(
                claim=claim,
                parameter=claim.sets,
                value=value,
                digits=digits,
                choices=choices,
                implied=ends,
                contradicted=tuple(order),
            )
        )
    return result


def _half(study: Study, claim: Claim) -> float:
    """Half of the last printed digit of what a claim states, relative."""
    figure = study.printed.get(claim.id)
    return figure.half / abs(figure.value) if figure and figure.value else 0.0


def _implied(
    study: Study, results: Influences, fit: Claim, value: float, errors: dict[str, float | None]
) -> dict[str, float]:  # fmt: skip
    """The value of a fitted parameter that each prediction asks for, where it rests on it by a tenth or more."""
    result: dict[str, float] = {}
    for id, error in errors.items():
        item = results.claims.get(id)
        slope = _slopes(item.claim, results).get(fit.sets, 0.0) if item else 0.0
        if error is None or error <= -1 or not isfinite(slope) or abs(slope) < 0.1:
            continue
        move = -log(1 + error) / slope
        if abs(move) <= log(10):
            result[id] = value * exp(move)
    return result
