"""Fit a study again with each alternative of its free choices, one choice at a time.

All fitted parameters are fitted together to the claims that they were fitted on, in logarithms: Broyden's method
(Mathematics of Computation 19, 1965) from the elasticities at the values of the catalog.
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
"""The largest number of rounds of a fit; any number above what converges works."""
_PATIENCE = 8
"""The largest number of rounds in a row without a smaller residual: then no convergence is expected."""
_CLOSE = 1e-6
"""The largest relative residual at which a fit ends: below the digits of any measurement."""
_FARTHEST = 0.5
"""The largest step of a logarithm in one round."""


class Refit(Record):
    """The fitted parameters and the predictions of a study with one alternative of a free choice."""

    choice: str
    """The id of the choice."""
    alternative: str
    converged: bool
    parameters: dict[str, float]
    """The fitted parameters by name, in base units."""
    figures: dict[str, float]
    """The figures of predictions by claim id, in base units; those without an answer are left out."""


class _Case(Record):
    """An alternative of a free choice; without choice and alternative, the study itself."""

    choice: str
    alternative: str
    settings: dict[str, str]
    """The parameter of the choice and its alternative; empty for a choice of a claim."""
    targets: dict[str, float]
    """The figure that the claim of the choice states instead, by id, in base units."""


def fits_of(study: Study, result: Influences) -> list[Claim]:
    """The fitted claims whose figure depends on the parameter that they set."""
    return [claim for claim in study.claims if claim.role == "fitted" and _elasticity(claim, result)]


def _elasticity(claim: Claim, result: Influences) -> float:
    """The elasticity of a fitted claim by its parameter; 0 if it is below `INFLUENCE`, or not finite."""
    slope = _slopes(claim, result).get(claim.sets, 0.0)
    return slope if isfinite(slope) and abs(slope) >= INFLUENCE else 0.0


def _slopes(claim: Claim, result: Influences) -> dict[str, float]:
    """The elasticities of a claim by the parameters that it does not set, by name."""
    item = result.claims.get(claim.id)
    slopes = item.by_parameter.items() if item else ()
    return {name: slope for (name, _), slope in slopes if not replaced(claim, name)}


def fitted_values(study: Study, result: Influences) -> dict[str, float]:
    """The fitted parameters of the catalog, by name, in base units; those without a claim of `fits_of` are left out."""
    return {
        claim.sets: next(value for name, value in result.claims[claim.id].by_parameter if name == claim.sets)
        for claim in fits_of(study, result)
    }


def refits(study: Study, results: Influences, predictions: Sequence[Claim]) -> list[Refit]:
    """Fit a study again with every alternative of every choice that names a parameter or a claim.

    results       the elasticities of the study.
    predictions   the claims to compute with the new values.
    Returns       one result for each alternative; empty for a study without fits or without such choices.
    """
    fits = fits_of(study, results)
    cases = [case for choice in study.choices for case in _cases(choice)]
    if not cases or not fits:
        return []
    computed = _Figures(study, results)
    logs, converged = _fit(computed, results, fits, cases)
    start = fitted_values(study, results)
    names = [claim.sets for claim in fits]
    entered = [
        (claim, case, dict(zip(names, (exp(item) for item in row), strict=True)))
        for case, row in zip(cases, logs, strict=True)
        for claim in predictions
    ]
    values = computed.values(entered)
    count = len(predictions)
    result: list[Refit] = []
    for index, case in enumerate(cases):
        of_case = values[index * count : (index + 1) * count]
        figures = {claim.id: value for claim, value in zip(predictions, of_case, strict=True) if value is not None}
        parameters = {name: start[name] * exp(float(item)) for name, item in zip(names, logs[index], strict=True)}
        result.append(Refit(case.choice, case.alternative, bool(converged[index]), parameters, figures))
    return result


def refitted(study: Study, result: Influences, factor: float) -> dict[str, float] | None:
    """Fit a study again, with its choices as they are, from `factor` times the fitted values of the catalog.

    Returns the fitted parameters by name, in base units; None if the fit does not converge.
    """
    fits = fits_of(study, result)
    logs, converged = _fit(_Figures(study, result), result, fits, [_Case("", "", {}, {})], log(factor))
    start = fitted_values(study, result)
    if not bool(converged.all()):
        return None
    return {claim.sets: start[claim.sets] * exp(float(item)) for claim, item in zip(fits, logs[0], strict=True)}


def _cases(choice: FreeChoice) -> list[_Case]:
    """The alternatives of a choice that is varied; empty for a choice in words."""
    result: list[_Case] = []
    for text in choice.alternatives if choice.varied else ():
        settings = {choice.parameter: text} if choice.parameter else {}
        targets = {choice.claim: printed(text).value} if choice.claim else {}
        result.append(_Case(choice.id, text, settings, targets))
    return result


def _fit(
    figures: _Figures, result: Influences, fits: list[Claim], cases: list[_Case], start: float = 0.0
) -> tuple[Any, Any]:  # fmt: skip
    """Fit the parameters in every case.

    start    the logarithm of the factor by which the fit begins off the fitted values of the catalog.
    Returns  the logarithms of the factors on the fitted values of the catalog, case by fit, and for each case whether
             its fit converged.
    """
    names = [claim.sets for claim in fits]
    stated = [_target(figures.study, claim, result) for claim in fits]
    targets = np.array([[case.targets.get(claim.id, value) for claim, value in zip(fits, stated, strict=True)]
                        for case in cases])  # fmt: skip
    slopes = [_slopes(claim, result) for claim in fits]
    first = np.nan_to_num(np.array([[row.get(name, 0.0) for name in names] for row in slopes]))
    jacobians = np.repeat(first[None, :, :], len(cases), axis=0)
    logs = np.full((len(cases), len(fits)), start)

    def residuals(rows: list[int]) -> Array:
        """The logarithms of modelled over stated figures, by case and fit; NaN without an answer."""
        entered = [
            (claim, cases[index], dict(zip(names, (exp(item) for item in logs[index]), strict=True)))
            for index in rows
            for claim in fits
        ]
        values = [float("nan") if value is None else value for value in figures.values(entered)]
        with np.errstate(all="ignore"):
            return np.log(np.array(values).reshape(len(rows), len(fits)) / targets[rows])

    residual = residuals(list(range(len(cases))))
    best = np.abs(residual).max(axis=1)
    since_best = np.zeros(len(cases))
    for _ in range(_ROUNDS):
        largest = np.abs(residual).max(axis=1)
        unfinished = np.isfinite(residual).all(axis=1) & (largest > _CLOSE) & (since_best < _PATIENCE)
        if not unfinished.any():
            break
        rows = [int(index) for index in np.flatnonzero(unfinished)]
        steps = np.zeros_like(logs)
        for row in rows:
            jacobian: Array = jacobians[row]
            of_case: Array = residual[row]
            step = -np.asarray(np.linalg.pinv(jacobian), np.float64) @ of_case
            steps[row] = step * min(1.0, _FARTHEST / max(float(np.abs(step).max()), 1e-300))
        logs = logs + steps
        before, residual = residual, residual.copy()
        residual[unfinished] = residuals(rows)
        largest = np.abs(residual).max(axis=1)
        since_best = np.where(largest < best, 0, since_best + 1)
        best = np.fmin(best, largest)
        for row in rows:
            step, change = steps[row], residual[row] - before[row]
            size = float(step @ step)
            if size > 0 and np.isfinite(change).all():
                jacobians[row] += np.outer(change - jacobians[row] @ step, step) / size
    with np.errstate(all="ignore"):
        converged = np.isfinite(residual).all(axis=1) & (np.abs(residual).max(axis=1) <= 100 * _CLOSE)
    return logs, converged


def _target(study: Study, claim: Claim, result: Influences) -> float:
    """The figure that a fitted claim states, in base units; the modelled one if it states bounds only."""
    figure = study.printed.get(claim.id)
    return figure.value if figure else result.claims[claim.id].value


class _Figures:
    """Computes the figures of claims in cases; a search begins near the answer of the round before."""

    def __init__(self, study: Study, results: Influences) -> None:
        self.study, self.results = study, results
        self.base = Computer(study)
        """The computer whose systems all rounds share."""
        self.answers: dict[tuple[str, str, str], dict[int, float]] = {}
        """By claim id, choice and alternative, then by slot, the values of the searched parameter."""

    def values(self, entered: Sequence[tuple[Claim, _Case, dict[str, float]]]) -> list[float | None]:
        """The figures of claims in base units, solved in common batches; None without an answer.

        entered   a claim, a case whose settings it gets, and factors on the fitted parameters of the catalog.
        """
        computer = Computer(self.study, self.base)
        copies: list[Claim] = []
        for position, (claim, case, factors) in enumerate(entered, len(self.study.claims)):
            at = _with_settings(computer, claim.at, case.settings)
            base = _with_settings(computer, claim.base, case.settings) if claim.base else None
            copies.append(claim.replace(position=position, at=at, base=base))
            answers = self.answers.get((claim.id, case.choice, case.alternative)) or self.results.answers.get(
                claim.id, {}
            )
            computer.near_answers |= {(position, slot): value for slot, value in answers.items()}
            computer.factors[position] = {
                name: factor for name, factor in factors.items() if _fitted(computer, claim, name)
            }
            computer.enter(copies[-1])
        result = computer.computed()
        for copy, (claim, case, _) in zip(copies, entered, strict=True):
            if copy.position in computer.answers:
                self.answers[claim.id, case.choice, case.alternative] = computer.answers[copy.position]
        return [_read(copy, result.get(copy.position)) for copy in copies]


def _fitted(computer: Computer, claim: Claim, name: str) -> bool:
    """Whether a system of a claim has a fitted parameter of that name, and the claim does not set it."""
    if replaced(claim, name):
        return False
    for where in (claim.at, claim.base):
        model = computer.systems.model(where.system, where.paths["system"]) if where else None
        if model is not None and name in model.parameters and model.parameters[name].grade == "fitted":
            return True
    return False


def _with_settings(computer: Computer, where: Where, settings: dict[str, str]) -> Where:
    """The system and settings of `where` with those further settings that the system has and `where` does not set."""
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
    """The figure of a claim in base units; None without an answer."""
    if result is None or result.reason:
        return None
    value = value_of(claim, result)
    return value if value is not None and isfinite(value) else None


class ParameterUncertainty(Record):
    """The uncertainty of one fitted parameter; values are in base units."""

    claim: Claim
    """The claim that the parameter was fitted on."""
    parameter: str
    value: float
    digits: tuple[float, float] | None
    """The interval from the rounding of the figures of all fitted claims, to first order; None if it is a point."""
    choices: tuple[float, float] | None
    """The interval over the fits with other free choices; None without such a fit."""
    implied: tuple[float, float] | None
    """The smallest and the largest value at which a prediction would have no error, to first order, within a factor of
    ten of the value; None if no prediction implies one."""
    contradicted: tuple[str, ...]
    """The ids of the predictions that imply a value outside of these intervals, the farthest first."""


def parameter_uncertainties(
    study: Study, results: Influences, again: Sequence[Refit], errors: dict[str, float | None]
) -> list[ParameterUncertainty]:  # fmt: skip
    """The uncertainties of the fitted parameters of a study.

    results   the elasticities of the study.
    again     the fits with other free choices.
    errors    the relative errors of predictions to the nearest value that rounds to the printed digits, by claim id.
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
    """Half of the last printed digit of the figure of a claim, relative to the figure; 0 for bounds."""
    figure = study.printed.get(claim.id)
    return figure.half / abs(figure.value) if figure and figure.value else 0.0


def _implied(
    study: Study, results: Influences, fit: Claim, value: float, errors: dict[str, float | None]
) -> dict[str, float]:  # fmt: skip
    """The value of a fitted parameter at which each prediction would have no error, in base units, by claim id.

    Predictions with an elasticity below 0.1, and values beyond a factor of ten, are left out.
    """
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
