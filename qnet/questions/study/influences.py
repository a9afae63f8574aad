"""The elasticities of the figures of claims with respect to every number that the model was given.

The elasticity of y by x is d ln y / d ln x, here the quotient of a move of x by 1 %. An input is identified by its
parameter and its value, so that claims that set the same parameter to different numbers have different inputs. Fitted
parameters are not inputs: the figures of the claims that they were fitted on are, and the parameters move with them
(the implicit function theorem).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isfinite, log
from typing import Any

from qnet.expression import FLOATS, evaluate
from qnet.expression.nodes import Name
from qnet.lazy import np
from qnet.model.bind import expressions
from qnet.model.model import Model, Parameter
from qnet.model.scope import rests_on
from qnet.questions.points.domain import Domain
from qnet.questions.study.study import Claim, Study, Where
from qnet.questions.study.validate_points import ClaimFigures, Computer
from qnet.questions.study.validate_settings import Setting
from qnet.record import Record
from qnet.units import NUMBER, Dimension

STEP = 0.99
"""The factor by which an input is moved: below 1, so that a share of one remains a share."""
FAR = 0.8
"""The factor of a second, larger move of an input that alone determines a figure."""
INFLUENCE = 0.01
"""The least absolute elasticity by which a figure depends on an input."""
_STATED = ("measured", "datasheet", "textbook", "fitted", "assumed")
"""Grades of parameters that are inputs even if they are written as expressions over other parameters."""

InputKey = tuple[str, float]
"""A parameter and its value in base units; or the id of a fitted claim and the figure that it states."""
ReadFigure = Callable[[Claim, ClaimFigures], float | None]
"""`validate.value_of`: the figure of a claim from its values."""


class ModelInput(Record):
    """A number that the model was given."""

    key: InputKey
    dimension: Dimension
    step: float = STEP
    """The factor by which it is moved."""


class Influence(Record):
    """The figure of a claim and its elasticities; NaN where a moved figure has no answer or another sign."""

    claim: Claim
    value: float
    """The figure in base units; NaN without an answer."""
    dimension: Dimension | None
    by_input: dict[InputKey, float]
    """Elasticities by inputs, with fitted parameters following the figures that they were fitted on."""
    by_parameter: dict[InputKey, float]
    """Elasticities by parameters, with all other parameters held constant."""
    parameter_values: dict[str, float]
    """The values of the parameters known at the settings of the claim, in base units, by `system:name`; without the one
    that it searches."""

    def rests_on(self, key: InputKey, least: float = INFLUENCE) -> bool:
        """Whether the figure depends on an input by at least an elasticity; it does if the elasticity is not finite."""
        elasticity = self.by_input.get(key, 0.0)
        return not isfinite(elasticity) or abs(elasticity) >= least


class Influences(Record):
    """The elasticities of all claims of a study that are predicted or fitted."""

    inputs: dict[InputKey, ModelInput]
    claims: dict[str, Influence]
    """By id; without ratios and changes whose base is zero."""
    answers: dict[str, dict[int, float]]
    """By claim id, then by slot, the values of the searched parameter."""


def replaced(claim: Claim, name: str) -> bool:
    """Whether a claim sets a parameter, at its settings or its base: its number is then given, even if the system has a
    fitted one."""
    return name in claim.at.settings or (claim.base is not None and name in claim.base.settings)


class _MovedClaims:
    """Copies of claims with one input moved in each, entered in a computer.

    computer   the computer that solves them; a copy with an error has no value.
    known      the computer that has the answers of the claims without moves, near which searches begin.
    """

    def __init__(self, computer: Computer, known: Computer) -> None:
        self.computer, self.known = computer, known
        self.copies: dict[tuple[str, InputKey, float], Claim] = {}
        """The copies by claim id, input and step."""

    def enter(self, moves: Sequence[tuple[Claim, ModelInput]]) -> None:
        """Enter a copy for each pair of a claim and an input; the parameters at equal settings are one batch."""
        computer = self.computer
        _move_parameters(computer, moves)
        for claim, item in moves:
            position = len(computer.study.claims) + len(computer.factors)
            computer.near_answers |= {
                (position, slot): value for slot, value in self.known.answers.get(claim.position, {}).items()
            }
            computer.factors[position] = {item.key[0]: item.step}
            copy = self.copies[claim.id, item.key, item.step] = claim.replace(position=position)
            computer.enter(copy)

    def figure(
        self, claim: Claim, item: ModelInput, figures: dict[int, ClaimFigures], read: ReadFigure
    ) -> float | None:
        """The figure of a claim with an input moved, from the figures by position; None without an answer."""
        copy = self.copies[claim.id, item.key, item.step]
        moved = figures.get(copy.position)
        return None if moved is None or moved.reason else read(copy, moved)


class InputMoves:
    """The moves of every input of every fitted and predicted claim of a study.

    The moves of claims that search no parameter are entered in the computer of the claims, so that both are solved in
    the same batches; those of the others need the answers of the claims first, and are solved by `influences`.

    computer   the computer in which the claims are entered.
    """

    def __init__(self, computer: Computer) -> None:
        claims = computer.study.claims
        finder = _InputFinder(computer)
        self.claims = [
            claim for claim in claims if claim.role in ("fitted", "predicted") and claim.position in computer.values
        ]
        self.parameter_values: dict[str, dict[str, float]] = {claim.id: {} for claim in self.claims}
        """By claim id, as `Influence.parameter_values`."""
        self.moves = [
            (claim, item) for claim in self.claims for item in finder.inputs(claim, self.parameter_values[claim.id])
        ]
        self.joint = _MovedClaims(computer, computer)
        self.joint.enter([(claim, item) for claim, item in self.moves if not claim.vary])


def influences(input_moves: InputMoves, figures: dict[int, ClaimFigures], read: ReadFigure) -> Influences:
    """Compute the elasticities of every fitted and predicted claim by every input, each moved by one part in a hundred.

    input_moves   the moves, entered before the claims were solved.
    figures       the figures by position, with those of the moves that were solved together with the claims.
    read          makes the figure of a claim from its values.
    """
    base, claims_moved, moves = input_moves.joint.computer, input_moves.claims, input_moves.moves
    study = base.study
    values = {claim.id: read(claim, figures[claim.position]) for claim in claims_moved}
    inputs = {item.key: item for _, item in moves}
    raw: dict[str, dict[InputKey, float]] = {claim.id: {} for claim in claims_moved}
    searched = [(claim, item) for claim, item in moves if claim.vary]
    slopes = _slopes(base, searched, values, read)
    for claim, item in moves:
        if claim.vary:
            raw[claim.id][item.key] = slopes[claim.id, item.key]
        else:
            after = input_moves.joint.figure(claim, item, figures, read)
            raw[claim.id][item.key] = _elasticity(values[claim.id], after, item.step)
    # A figure that is proportional to its only input near its value may not be so farther from it.
    alone = [(claim, inputs[key].replace(step=FAR)) for claim in claims_moved for key in _alone(raw[claim.id])]
    for (id, key), slope in _slopes(base, alone, values, read).items():
        raw[id][key] = slope
    fits = [claim for claim in claims_moved if claim.role == "fitted" and _depends_on_fit(claim, raw[claim.id])]
    fitted = _FittedParameters(study, fits, raw)
    inputs |= fitted.inputs
    claims = {
        claim.id: Influence(
            claim, value, figures[claim.position].dimension,
            fitted.by_input(raw[claim.id], claim), raw[claim.id], input_moves.parameter_values[claim.id],
        )
        for claim in claims_moved
        if (value := values[claim.id]) is not None
    }  # fmt: skip
    answers = {claim.id: base.answers[claim.position] for claim in claims_moved if claim.position in base.answers}
    return Influences(inputs, claims, answers)


def _slopes(
    base: Computer, moves: Sequence[tuple[Claim, ModelInput]], values: dict[str, float | None], read: ReadFigure
) -> dict[tuple[str, InputKey], float]:
    """The elasticities of figures by inputs, by claim id and input, solved in common batches.

    base     the computer that has solved the claims without moves.
    values   the figures without moves, by claim id.
    """
    if not moves:
        return {}
    entered = _MovedClaims(Computer(base.study, base), base)
    entered.enter(moves)
    figures = entered.computer.computed()
    return {
        (claim.id, item.key): _elasticity(
            values[claim.id], entered.figure(claim, item, figures, read), item.step
        )
        for claim, item in moves
    }  # fmt: skip


def _move_parameters(computer: Computer, moves: Sequence[tuple[Claim, ModelInput]]) -> None:
    """Compute the parameters of claims with one of them moved, in one batch for all claims that set the same ones."""
    systems = computer.systems
    grouped: dict[Any, tuple[Where, Setting, str, list[tuple[str, float]]]] = {}
    for claim, item in moves:
        name = item.key[0]
        for where in (claim.at, claim.base):
            setting = systems.setting(where) if where else None
            if where and setting and name in setting.values and name != claim.vary:
                key = claim.over, where.system, *where.settings.items()
                grouped.setdefault(key, (where, setting, claim.over, []))[3].append((name, item.step))
    systems.compute_moved((where, setting, steps) for where, setting, over, steps in grouped.values() if not over)
    for where, setting, over, steps in grouped.values():
        if over:
            systems.compute_along(where, setting, systems.grid(where, setting, over), steps)


def _alone(slopes: dict[InputKey, float]) -> list[InputKey]:
    """The input of a figure that depends on one alone; empty if it depends on none or several."""
    result = [key for key, slope in slopes.items() if not isfinite(slope) or abs(slope) >= INFLUENCE]
    return result if len(result) == 1 else []


def _elasticity(before: float | None, after: float | None, step: float) -> float:
    """The elasticity of a figure by an input that is multiplied by `step`; NaN without an answer, or if the figure is
    zero or changes its sign."""
    if before is None or after is None or not isfinite(after):
        return float("nan")
    if before == after:
        return 0.0
    if before * after <= 0:
        return float("nan")
    return log(after / before) / log(step)


def _depends_on_fit(claim: Claim, slopes: dict[InputKey, float]) -> bool:
    """Whether the figure of a fitted claim depends on the parameter that it sets; not if that is a choice of words."""
    return any(name == claim.sets and abs(slope) >= INFLUENCE for (name, _), slope in slopes.items())


class _InputFinder:
    """Determines the inputs of claims, once for each figure at a setting of a system."""

    def __init__(self, computer: Computer) -> None:
        self.computer = computer
        self.stated: dict[tuple[str, str, tuple[tuple[str, str], ...]], list[str]] = {}
        """The results of `names` by system, figure and settings, before the values are known."""
        self.integers: dict[tuple[str, str], bool] = {}
        """The results of `is_integer` by system and parameter."""

    def inputs(self, claim: Claim, values: dict[str, float]) -> Iterable[ModelInput]:
        """The inputs of a claim; its `Influence.parameter_values` are added to `values`."""
        result: dict[str, ModelInput] = {}
        for where in (claim.at, claim.base):
            setting = self.computer.systems.setting(where) if where else None
            if where is None or setting is None:
                continue
            for name, value in setting.values.items():
                if where is claim.at and isinstance(value, (int, float)) and name != claim.vary:
                    values[f"{where.system}:{name}"] = float(value)
            for name in self.names(claim, where, setting):
                value = float(setting.values[name])
                item = setting.model.parameters[name]
                if name in where.settings and value == 1 and _share(item):
                    continue  # such as a hit ratio of 1: with misses it would be a different case
                if (
                    value
                    and name != claim.vary
                    and name not in result
                    and not self.is_integer(where, setting.model, name)
                ):
                    step = 1 / STEP if item.low is not None and not item.part and not _allows(item, value) else STEP
                    result[name] = ModelInput((name, value), item.dimension, step)
        return result.values()

    def names(self, claim: Claim, where: Where, setting: Setting) -> list[str]:
        """The parameters that state a number, have a value, and are used by the model or by the figure of a claim."""
        expression = self.computer.expression(claim, where.system, setting.model)
        key = where.system, claim.figure, tuple(where.settings.items())
        if key not in self.stated:
            rests = [*expressions(setting.changed), *([expression] if expression else [])]
            used = rests_on(setting.changed, rests)
            self.stated[key] = [
                name
                for name, item in setting.model.parameters.items()
                if name in used and not item.options and _states(item, setting.changed.parameters[name])
            ]
        return [name for name in self.stated[key] if name in setting.values]

    def is_integer(self, where: Where, model: Model, name: str) -> bool:
        """Whether a parameter is a number of something, which cannot be moved by 1 %.

        It is if it must be an integer in the model, or is a plain integer of a catalog part.
        """
        key = where.system, name
        if key not in self.integers:
            item = model.parameters[name]
            number_of_part = item.part and item.dimension == NUMBER and not item.expression.names
            value = float(evaluate(item.expression.root, {}, FLOATS)) if number_of_part else 0.5
            self.integers[key] = value.is_integer() or Domain(model, name, {}).integer()
        return self.integers[key]


def _share(item: Parameter) -> bool:
    """Whether a parameter is a share: the upper end of its range is the number 1."""
    high = item.high
    return high is not None and not high.names and float(evaluate(high.root, {}, FLOATS)) == 1


def _states(item: Parameter, at_claim: Parameter) -> bool:
    """Whether a parameter states a number, and not only an expression over other parameters.

    item       the parameter in the model.
    at_claim   the parameter at the settings of a claim; if it is set, it states a number unless it names another one.
    """
    if at_claim.expression is not item.expression:
        return not isinstance(at_claim.expression.root, Name)
    return not item.expression.names or item.grade in _STATED


def _allows(item: Parameter, value: float) -> bool:
    """Whether 99 % of a value is in the range of a parameter; an expression as the lower end is not evaluated."""
    low = item.low
    return low is None or bool(low.names) or float(evaluate(low.root, {}, FLOATS)) <= value * STEP


class _FittedParameters:
    """Fitted parameters as functions of inputs: of the figures that they were fitted on, and of other parameters.

    fits   the fitted claims that depend on the parameter that they set.
    raw    the elasticities of claims by parameters, by claim id.
    """

    def __init__(self, study: Study, fits: Sequence[Claim], raw: dict[str, dict[InputKey, float]]) -> None:
        self.fits = fits
        self.names = [claim.sets for claim in fits]
        self.keys: list[InputKey] = []
        self.inputs: dict[InputKey, ModelInput] = {}
        for claim in fits:
            printed = study.printed.get(claim.id)
            key = (claim.id, printed.value if printed else 0.0)
            self.keys.append(key)
            if printed:
                self.inputs[key] = ModelInput(key, printed.dimension)
        matrix = np.array([self.by_fitted(raw[claim.id], claim) for claim in fits]).reshape(len(fits), len(fits))
        self.others = [self.by_others(raw[claim.id], claim) for claim in fits]
        self.inverse: Any = np.linalg.pinv(np.nan_to_num(matrix)) if fits else matrix

    def by_fitted(self, slopes: dict[InputKey, float], claim: Claim) -> list[float]:
        """The elasticities by the fitted parameters that the claim does not set, 0 for the others."""
        by_name = {name: slope for (name, _), slope in slopes.items() if not replaced(claim, name)}
        return [by_name.get(name, 0.0) for name in self.names]

    def by_others(self, slopes: dict[InputKey, float], claim: Claim) -> dict[InputKey, float]:
        """The elasticities by all other parameters, and by fitted ones that the claim sets."""
        return {key: slope for key, slope in slopes.items() if key[0] not in self.names or replaced(claim, key[0])}

    def by_input(self, slopes: dict[InputKey, float], claim: Claim) -> dict[InputKey, float]:
        """The elasticities by inputs, from those by parameters: fitted parameters follow their figures."""
        result = self.by_others(slopes, claim)
        if not self.names:
            return result
        if claim in self.fits:
            return {self.keys[self.names.index(claim.sets)]: 1.0}
        by_figure = np.array(self.by_fitted(slopes, claim)) @ self.inverse
        for index, slope in enumerate(float(item) for item in by_figure):
            if slope != slope or abs(slope) < INFLUENCE:
                continue
            result[self.keys[index]] = slope
            for key, value in self.others[index].items():
                result[key] = result.get(key, 0.0) - slope * value
        return result
