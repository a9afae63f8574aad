"""What the figures of claims rest on: their elasticities by every number that the model was given.

A number is identified by the parameter that has it and by its value, so that rows of a table are different inputs.
Fitted parameters are not inputs: the figures of the claims that they were fitted on are, and the parameters move
with them (the implicit function theorem).
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
"""The factor by which an input is moved: down, so that a share of one remains a share."""
FAR = 0.8
"""The factor of a second move of the one number that a figure rests on."""
INFLUENCE = 0.01
"""The elasticity from which on a figure rests on an input."""
_STATED = ("measured", "datasheet", "textbook", "fitted", "assumed")

Key = tuple[str, float]
"""A parameter and its value; or the id of a fitted claim and the figure it states."""
Read = Callable[[Claim, ClaimFigures], float | None]


class ModelInput(Record):
    """A number that the model was given."""

    key: Key
    dimension: Dimension
    step: float = STEP
    """The factor by which it is moved."""


class Influence(Record):
    """What the figure of a claim rests on."""

    claim: Claim
    value: float
    dimension: Dimension | None
    by_input: dict[Key, float]
    """Elasticities by what was given, fitted parameters following the figures that they were fitted on."""
    by_parameter: dict[Key, float]
    """Elasticities by parameters, fitted ones held."""
    here: dict[str, float]
    """The values of all numeric parameters of the systems at the claim, by `system:name`."""

    def rests_on(self, key: Key, least: float = INFLUENCE) -> bool:
        """Whether an input counts; one without a finite elasticity does."""
        result = self.by_input.get(key, 0.0)
        return not isfinite(result) or abs(result) >= least


class Influences(Record):
    """The influences of all claims of a study that are predicted or fitted."""

    inputs: dict[Key, ModelInput]
    claims: dict[str, Influence]
    answers: dict[str, dict[int, float]]
    """By claim, the answers of its search, by which of the values that it asks for."""


def replaced(claim: Claim, name: str) -> bool:
    """Whether a claim sets a parameter: its number is given there, even where the system has a fitted one."""
    return name in claim.at.settings or (claim.base is not None and name in claim.base.settings)


class _Moves:
    """Claims with one input moved in each, entered where they are to be solved.

    computer   where they are entered; what is wrong with any of them has no value.
    known      what has the answers of the searches as the systems stand, near which the moved ones are.
    """

    def __init__(self, computer: Computer, known: Computer) -> None:
        self.computer, self.known = computer, known
        self.copies: dict[tuple[str, Key, float], Claim] = {}
        """By claim, input and step."""

    def enter(self, moves: Sequence[tuple[Claim, ModelInput]]) -> None:
        """Enter some moves, those of all claims with the same settings at once."""
        computer = self.computer
        _move(computer, moves)
        for claim, item in moves:
            index = len(computer.study.claims) + len(computer.moved)
            computer.known |= {
                (index, slot): value for slot, value in self.known.answers.get(claim.position, {}).items()
            }
            computer.moved[index] = {item.key[0]: item.step}
            copy = self.copies[claim.id, item.key, item.step] = claim.replace(position=index)
            computer.enter(copy)

    def figure(self, claim: Claim, item: ModelInput, figures: dict[int, ClaimFigures], read: Read) -> float | None:
        """The figure of a claim with an input moved, of all that were computed."""
        copy = self.copies[claim.id, item.key, item.step]
        moved = figures.get(copy.position)
        return None if moved is None or moved.words else read(copy, moved)


class Begun:
    """What the claims of a study rest on, as far as it is asked together with what they ask for.

    Every input of every fitted and predicted claim is moved. The moves of claims that search no parameter are entered
    together with the claims, so that both are solved at once; those of the others need what the claims answer.

    computer   in which the claims are entered.
    """

    def __init__(self, computer: Computer) -> None:
        claims = computer.study.claims
        pool = _Pool(computer)
        self.asked = [
            claim for claim in claims if claim.role in ("fitted", "predicted") and claim.position in computer.values
        ]
        self.here: dict[str, dict[str, float]] = {claim.id: {} for claim in self.asked}
        """By claim, the values of all numeric parameters of its systems."""
        self.moves = [(claim, item) for claim in self.asked for item in pool.inputs(claim, self.here[claim.id])]
        self.together = _Moves(computer, computer)
        self.together.enter([(claim, item) for claim, item in self.moves if not claim.vary])


def influences(begun: Begun, figures: dict[int, ClaimFigures], read: Read) -> Influences:
    """Move every input of every fitted and predicted claim by one part in a hundred, and look.

    begun    the moves that are computed with the claims.
    figures  what was computed with the systems as they stand.
    read     the figure that a claim is about, from the values it asked for.
    """
    base, asked, moves = begun.together.computer, begun.asked, begun.moves
    study = base.study
    values = {claim.id: read(claim, figures[claim.position]) for claim in asked}
    inputs = {item.key: item for _, item in moves}
    raw: dict[str, dict[Key, float]] = {claim.id: {} for claim in asked}
    searched = [(claim, item) for claim, item in moves if claim.vary]
    slopes = _slopes(base, searched, values, read)
    for claim, item in moves:
        if claim.vary:
            raw[claim.id][item.key] = slopes[claim.id, item.key]
        else:
            after = begun.together.figure(claim, item, figures, read)
            raw[claim.id][item.key] = _elasticity(values[claim.id], after, item.step)
    # What looks proportional to one number near its value may not be so farther off.
    alone = [(claim, inputs[key].replace(step=FAR)) for claim in asked for key in _alone(raw[claim.id])]
    for (id, key), slope in _slopes(base, alone, values, read).items():
        raw[id][key] = slope
    fits = [claim for claim in asked if claim.role == "fitted" and _moves(claim, raw[claim.id])]
    follow = _Fits(study, fits, raw)
    inputs |= follow.inputs
    claims = {
        claim.id: Influence(
            claim, value, figures[claim.position].dimension,
            follow.given(raw[claim.id], claim), raw[claim.id], begun.here[claim.id],
        )
        for claim in asked
        if (value := values[claim.id]) is not None
    }  # fmt: skip
    answers = {claim.id: base.answers[claim.position] for claim in asked if claim.position in base.answers}
    return Influences(inputs, claims, answers)


def _slopes(
    base: Computer, moves: Sequence[tuple[Claim, ModelInput]], values: dict[str, float | None], read: Read
) -> dict[tuple[str, Key], float]:
    """The elasticities of figures by inputs, by claim and input, all of them solved at once.

    base   what has computed the figures without the moves.
    """
    if not moves:
        return {}
    entered = _Moves(Computer(base.study, base), base)
    entered.enter(moves)
    figures = entered.computer.computed()
    return {
        (claim.id, item.key): _elasticity(
            values[claim.id], entered.figure(claim, item, figures, read), item.step
        )
        for claim, item in moves
    }  # fmt: skip


def _move(computer: Computer, moves: Sequence[tuple[Claim, ModelInput]]) -> None:
    """Compute the parameters of claims with one of them moved, those of all claims with the same settings at once."""
    systems = computer.systems
    grouped: dict[Any, tuple[Where, Setting, str, list[tuple[str, float]]]] = {}
    for claim, item in moves:
        name = item.key[0]
        for where in (claim.at, claim.base):
            setting = systems.setting(where) if where else None
            if where and setting and name in setting.known and name != claim.vary:
                key = claim.over, where.system, *where.settings.items()
                grouped.setdefault(key, (where, setting, claim.over, []))[3].append((name, item.step))
    for where, setting, over, asked in grouped.values():
        if over:
            systems.move_along(where, setting, systems.grid(where, setting, over), asked)
        else:
            systems.move(where, setting, asked)


def _alone(slopes: dict[Key, float]) -> list[Key]:
    """The one number that a figure rests on."""
    result = [key for key, slope in slopes.items() if not isfinite(slope) or abs(slope) >= INFLUENCE]
    return result if len(result) == 1 else []


def _elasticity(before: float | None, after: float | None, step: float) -> float:
    if before is None or after is None or not isfinite(after):
        return float("nan")
    if before == after:
        return 0.0
    if before * after <= 0:
        return float("nan")
    return log(after / before) / log(step)


def _moves(claim: Claim, result: dict[Key, float]) -> bool:
    """Whether a fitted claim moves with the parameter that it sets; the choice of a word moves nothing."""
    return any(name == claim.sets and abs(slope) >= INFLUENCE for (name, _), slope in result.items())


class _Pool:
    """The inputs of claims, looked up once for each system."""

    def __init__(self, computer: Computer) -> None:
        self.computer = computer
        self.stated: dict[tuple[str, str, tuple[tuple[str, str], ...]], list[str]] = {}
        self.total: dict[tuple[str, str], bool] = {}

    def inputs(self, claim: Claim, here: dict[str, float]) -> Iterable[ModelInput]:
        """The inputs of a claim; `here` is filled with the values of parameters there."""
        result: dict[str, ModelInput] = {}
        for where in (claim.at, claim.base):
            setting = self.computer.systems.setting(where) if where else None
            if where is None or setting is None:
                continue
            for name, value in setting.known.items():
                if where is claim.at and isinstance(value, (int, float)) and name != claim.vary:
                    here[f"{where.system}:{name}"] = float(value)
            for name in self.names(claim, where, setting):
                value = float(setting.known[name])
                item = setting.model.parameters[name]
                if name in where.settings and value == 1 and _share(item):
                    continue  # hits alone, say: with a miss in a hundred it would be another system
                if value and name != claim.vary and name not in result and not self.counts(where, setting.model, name):
                    step = 1 / STEP if item.low is not None and not item.part and not _allows(item, value) else STEP
                    result[name] = ModelInput((name, value), item.dimension, step)
        return result.values()

    def names(self, claim: Claim, where: Where, setting: Setting) -> list[str]:
        """The parameters that state a number, of those that a claim may rest on."""
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
        return [name for name in self.stated[key] if name in setting.known]

    def counts(self, where: Where, model: Model, name: str) -> bool:
        """Whether a parameter counts something, so that it cannot be moved by a part."""
        key = where.system, name
        if key not in self.total:
            item = model.parameters[name]
            datum = item.part and item.dimension == NUMBER and not item.expression.names
            plain = float(evaluate(item.expression.root, {}, FLOATS)) if datum else 0.5
            self.total[key] = plain.is_integer() or Domain(model, name, {}).integer(1)
        return self.total[key]


def _share(item: Parameter) -> bool:
    """Whether a parameter is a share: at most 1."""
    high = item.high
    return high is not None and not high.names and float(evaluate(high.root, {}, FLOATS)) == 1


def _states(item: Parameter, here: Parameter) -> bool:
    """Whether a parameter states a number, as it stands or as a claim sets it, and not only the name of another one."""
    if here.expression is not item.expression:
        return not isinstance(here.expression.root, Name)
    return not item.expression.names or item.grade in _STATED


def _allows(item: Parameter, value: float) -> bool:
    """Whether the range of a parameter goes on below a value."""
    low = item.low
    return low is None or bool(low.names) or float(evaluate(low.root, {}, FLOATS)) <= value * STEP


class _Fits:
    """Fitted parameters as functions of what was given."""

    def __init__(self, study: Study, fits: Sequence[Claim], raw: dict[str, dict[Key, float]]) -> None:
        self.fits = fits
        self.names = [claim.sets for claim in fits]
        self.keys: list[Key] = []
        self.inputs: dict[Key, ModelInput] = {}
        for claim in fits:
            printed = study.printed.get(claim.id)
            key = (claim.id, printed.value if printed else 0.0)
            self.keys.append(key)
            if printed:
                self.inputs[key] = ModelInput(key, printed.dimension)
        matrix = np.array([self.fitted(raw[claim.id], claim) for claim in fits]).reshape(len(fits), len(fits))
        self.others = [self.plain(raw[claim.id], claim) for claim in fits]
        self.inverse: Any = np.linalg.pinv(np.nan_to_num(matrix)) if fits else matrix

    def fitted(self, result: dict[Key, float], claim: Claim) -> list[float]:
        """The elasticities by the fitted parameters."""
        by_name = {name: value for (name, _), value in result.items() if not replaced(claim, name)}
        return [by_name.get(name, 0.0) for name in self.names]

    def plain(self, result: dict[Key, float], claim: Claim) -> dict[Key, float]:
        """The elasticities by all other parameters."""
        return {key: value for key, value in result.items() if key[0] not in self.names or replaced(claim, key[0])}

    def given(self, results: dict[Key, float], claim: Claim) -> dict[Key, float]:
        """The elasticities by what was given, the fitted parameters following."""
        result = self.plain(results, claim)
        if not self.names:
            return result
        if claim in self.fits:
            return {self.keys[self.names.index(claim.sets)]: 1.0}
        slopes = np.array(self.fitted(results, claim)) @ self.inverse
        for index, slope in enumerate(float(item) for item in slopes):
            if slope != slope or abs(slope) < INFLUENCE:
                continue
            result[self.keys[index]] = slope
            for key, value in self.others[index].items():
                result[key] = result.get(key, 0.0) - slope * value
        return result
