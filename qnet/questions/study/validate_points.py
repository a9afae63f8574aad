"""The figures of all claims of a study: points with the same question are gathered into batches, each solved at
once."""

from __future__ import annotations

from collections.abc import Container, Iterable
from itertools import groupby
from math import isfinite
from typing import Any

from qnet.documents import Path
from qnet.errors import InvalidInput, NoAnswer, NotComputed, Problem, QnetError
from qnet.expression import FLOATS, Expression, ExpressionError, check, evaluate, parse
from qnet.lazy import np
from qnet.model.conditions import Condition, condition
from qnet.model.grids import varied
from qnet.model.model import Model
from qnet.model.scope import all_figures, closure, depends_on_solution, refuse_inside
from qnet.networks.wanted import AUTO
from qnet.questions.points.expression_values import expression_value
from qnet.questions.points.points import Solved, solve_points
from qnet.questions.points.trial import Trial
from qnet.questions.search.near import near_largest
from qnet.questions.search.search import choose, search
from qnet.questions.study.claims import LARGEST
from qnet.questions.study.story import filled
from qnet.questions.study.study import Claim, Study, Where
from qnet.questions.study.validate_settings import Systems, refuse_moving
from qnet.record import Record
from qnet.units import Dimension

_Key = tuple[str, str, bool, frozenset[str]]
"""System, parameter searched, for its smallest value, and the settings that replace expressions."""


class ClaimFigures(Record):
    """What a claim asked for, in base units."""

    values: tuple[float, ...]
    """One for each value of its grid; of the base and then of the claim itself; or one. Not-a-number for no answer."""
    dimension: Dimension | None
    """None for a figure that has none, such as 0."""
    words: str
    """Why there is no value, where there is none."""


class _Lane(Record):
    """One point of a batch: the claim it belongs to, which of its values it gives, and the parameters there."""

    claim: Claim
    slot: int
    names: tuple[str, ...]
    """Parameters that the claim sets."""
    known: dict[str, Any]
    """The values of all parameters; of those along a grid as arrays."""
    row: int | None
    """Which of the values along a grid; None for no grid."""


class Computer:
    """Computes the claims of one study.

    base   what has computed them already: its systems are not opened again.
    """

    def __init__(self, study: Study, base: Computer | None = None) -> None:
        self.study = study
        self.systems = Systems(study, base.systems if base else None)
        self.problems = self.systems.problems
        self.values: dict[int, list[float]] = {}
        self.dimensions: dict[int, Dimension | None] = {}
        self.words: dict[int, str] = {}
        self.batches: dict[_Key, list[_Lane]] = {}
        self.parsed: dict[tuple[str, str], Expression | None] = base.parsed if base else {}
        self.shown: dict[tuple[str, str], Dimension | None] = base.shown if base else {}
        self.texts: dict[str, Expression] = base.texts if base else {}
        """Figures with those of other claims filled in, by their text."""
        self.conditions: dict[tuple[str, str], Condition] = base.conditions if base else {}
        """Limits, checked, by their system and their text."""
        self.arithmetics: set[int] = set()
        """The indices of claims that name nothing of a model."""
        self.moved: dict[int, dict[str, float]] = {}
        """By the place of a claim, parameters that are multiplied by a factor in it."""
        self.answers: dict[int, dict[int, float]] = {}
        """By the place of a claim, and which of its values it is, the value of the parameter that is searched for."""
        self.known: dict[tuple[int, int], float] = {}
        """The same, of a system that hardly differs: where a search begins."""

    def enter_claims(self) -> None:
        """Put what every claim asks for into batches; raises `InvalidInput` with all that is wrong with the claims."""
        for claim in self.study.claims:
            if claim.asks:
                self.enter(claim)
        self.refuse()

    def refuse(self) -> None:
        """Raise `InvalidInput` with all that is wrong with the claims, if anything is."""
        if self.problems:
            raise InvalidInput(*dict.fromkeys(self.problems))

    def figures(self) -> dict[int, ClaimFigures]:
        """What was entered, computed, by the place of the claim; raises `InvalidInput` with all that is wrong."""
        result = self.computed()
        self.refuse()
        return result

    def computed(self) -> dict[int, ClaimFigures]:
        """What was entered, computed; what is wrong with any of it has no value."""
        for key, lanes in self.batches.items():
            self.solve(key, lanes)
        return self.read()

    def read(self) -> dict[int, ClaimFigures]:
        """What was computed, by the place of the claim."""
        for index, values in self.values.items():
            if not all(isfinite(value) for value in values):
                self.words.setdefault(index, "no answer")
        return {
            index: ClaimFigures(tuple(values), self.dimensions.get(index), self.words.get(index, ""))
            for index, values in self.values.items()
        }

    def enter(self, claim: Claim) -> None:
        """Put the points of a claim into batches, or compute it at once where nothing is to be solved."""
        path = ("claims", claim.position)
        if claim.figure and not claim.vary and self.arithmetic(claim, (*path, "figure")):
            return
        count = 2 if claim.base else 1
        self.values[claim.position] = [float("nan")] * count
        for slot, where in enumerate((claim.base, claim.at) if claim.base else (claim.at,)):
            self.enter_at(claim, where, slot)

    def arithmetic(self, claim: Claim, path: Path) -> bool:
        """Compute a figure that is arithmetic on figures of other claims; False where it asks the model."""
        try:
            parsed = self.filled(claim)
            if parsed.names:
                return False
            self.arithmetics.add(claim.position)
            self.dimensions[claim.position] = check(parsed.root, {}, {})
            self.values[claim.position] = [float(evaluate(parsed.root, {}))]
        except ExpressionError as error:
            self.wrong(error, claim, path)
            return True
        if claim.counted or claim.in_view or claim.role == "trend":
            text = f"a {claim.role} claim is arithmetic on other claims"
            problem = Problem("QN323", text, "a figure of the model", help="such a claim is an identity")
            self.problems.append(self.study.problem(problem, path))
        return True

    def filled(self, claim: Claim) -> Expression:
        """The figure of a claim with those of other claims filled in; raises `ExpressionError`."""
        if claim.figure not in self.texts:
            self.texts[claim.figure] = parse(filled(claim.figure, lambda id: self.study.printed[id].moved(0)))
        return self.texts[claim.figure]

    def wrong(self, error: ExpressionError, claim: Claim, path: Path) -> None:
        """Keep what is wrong with a figure."""
        problem = Problem(error.code, f'in the figure "{claim.figure}": {error}', help=error.help)
        self.problems.append(self.study.problem(problem, path))

    def enter_at(self, claim: Claim, where: Where, slot: int) -> None:
        """Put the points of a claim, or of what it is compared with, into a batch."""
        setting = self.systems.setting(where)
        if setting is None:
            return
        model, names, key = setting.model, tuple(where.settings), "over"
        known: dict[str, Any] = setting.known
        try:
            moved = self.moved.get(claim.position, {})
            factors = {name: factor for name, factor in moved.items() if name in known and name != claim.vary}
            if factors:
                known = known if claim.over else self.systems.moved(where, setting, factors)
                names = (*names, *factors)
            if claim.vary:
                key = "smallest" if claim.smallest else "largest"
                vary = varied(model, claim.vary)
                self.dimensions[claim.position] = vary.dimension
                refuse_moving(claim.vary, where.settings, setting.changed)
            if claim.limit:
                key = "limit"
                self.limit(claim.limit, where.system, model)
            count = 1
            if claim.over:
                key = "over"
                points = self.systems.grid(where, setting, claim.over)
                count = len(points.values)
                self.values[claim.position] = [float("nan")] * count
                names = (*names, points.name)
                known = self.systems.along(where, setting, points, factors)
        except QnetError as error:
            self.blame(error, claim.position, (key,))
            return
        expression = self.expression(claim, where.system, model)
        if claim.figure and expression is None:
            return
        if expression and not claim.vary and all(name in known for name in expression.names):
            self.of_parameters(claim, slot, count, expression, setting.changed, known)
            return
        replaced = self.kept_apart(model, claim.vary, names)
        batch = self.batches.setdefault((where.system, claim.vary, claim.smallest, replaced), [])
        for index in range(count):
            batch.append(_Lane(claim, slot + index, names, known, index if claim.over else None))

    def kept_apart(self, model: Model, vary: str, names: Iterable[str]) -> frozenset[str]:
        """The parameters, of some with expressions that are replaced, that other points have no plain value of."""
        written = [name for name in names if model.parameters[name].expression.names]
        if not written:
            return frozenset()
        dependent = depends_on_solution(model)
        return frozenset(name for name in written if name in dependent or (vary and vary in closure(model, [name])))

    def limit(self, text: str, system: str, model: Model) -> Condition:
        """A limit, checked against a system once; raises `UsageError` for one that is wrong."""
        key = system, text
        if key not in self.conditions:
            self.conditions[key] = condition(text, model)
        return self.conditions[key]

    def of_parameters(
        self, claim: Claim, slot: int, count: int, expression: Expression, model: Model, known: dict[str, Any]
    ) -> None:
        """Compute a figure that rests on parameters alone."""
        for index in range(count):
            point = {name: _at(known[name], index) for name in expression.names}
            try:
                value = float(evaluate(expression.root, point, FLOATS, model.choices))
            except ExpressionError as error:
                self.wrong(error, claim, ("claims", claim.position, "figure"))
                return
            self.values[claim.position][slot + index] = value

    def expression(self, claim: Claim, system: str, model: Model) -> Expression | None:
        """The figure of a claim, checked against a system; None where it is none, or wrong."""
        if not claim.figure:
            return None
        key = (system, claim.figure)
        if key not in self.parsed:
            self.parsed[key] = None
            try:
                parsed = self.filled(claim)
                refuse_inside(model, parsed)
                names = model.dimensions | all_figures(model, parsed.names)
                names |= {name: output.dimension for name, output in model.outputs.items()}
                self.shown[key] = check(parsed.root, names, model.choices)
                self.parsed[key] = parsed
            except ExpressionError as error:
                self.wrong(error, claim, ("claims", claim.position, "figure"))
        self.dimensions[claim.position] = self.shown.get(key)
        return self.parsed[key]

    def solve(self, key: _Key, lanes: list[_Lane]) -> None:
        """Compute a batch; where it has no answer, claim by claim, so that each gets its error."""
        try:
            self.compute(key, lanes)
        except QnetError as error:
            claims = list(dict.fromkeys(lane.claim.position for lane in lanes))
            if len(claims) > 1:
                for index in claims:
                    self.solve(key, [lane for lane in lanes if lane.claim.position == index])
            elif isinstance(error, (NoAnswer, NotComputed)):
                self.words[claims[0]] = "not computed" if isinstance(error, NotComputed) else "no answer"
            else:
                self.blame(error, claims[0], ())

    def blame(self, error: QnetError, position: int, keys: Path) -> None:
        """Keep what is wrong with a claim as a problem of one of its keys; a claim with moved parameters has none."""
        if position not in self.moved:
            self.systems.blame(error, ("claims", position, *keys))

    def compute(self, key: _Key, lanes: list[_Lane]) -> None:
        """Solve a batch and read the figures of its claims."""
        system, vary, _, _ = key
        model = self.systems.models[system]
        assert model is not None
        names = sorted({name for lane in lanes for name in lane.names} - {vary})
        columns = _columns(lanes, names)
        indices, firsts = _distinct(lanes, columns)
        lanes, every = [lanes[first] for first in firsts], lanes
        columns = {name: column[firsts] for name, column in columns.items()}
        with_figure = {index for index, lane in zip(indices, every, strict=True) if lane.claim.figure}
        sets = _sets(every, indices)
        parts = self.searched(key, lanes, columns, with_figure, sets) if vary else [_solved(model, columns, len(lanes))]
        expressions = {figure: self.parsed[system, figure] for figure in {lane.claim.figure for lane in every} - {""}}
        for part in parts:
            read: dict[str, Any] = {}
            for figure, expression in expressions.items():
                assert expression is not None
                read[figure] = expression_value(part.solved, expression) if part.solved else []
            rows = {int(point): row for row, point in enumerate(part.indices) if part.answered[row]}
            read_rows = {int(point): row for row, point in enumerate(part.read)}
            for index, lane in zip(indices, every, strict=True):
                if index in rows:
                    figure, answers = lane.claim.figure, part.value
                    answer: Any = None if answers is None else float(answers[rows[index]])
                    value: Any = read[figure][read_rows[index]] if figure else answer
                    self.values[lane.claim.position][lane.slot] = float(value)
                    if answer is not None:
                        self.answers.setdefault(lane.claim.position, {})[lane.slot] = answer

    def searched(
        self, key: _Key, lanes: list[_Lane], columns: dict[str, Any], with_figure: Container[int], sets: Any
    ) -> list[_Part]:
        """Search a parameter at every point of a batch: near a known answer, and from the start where there is none.

        with_figure   the points whose solutions are read.
        sets          by point, the number of a set of which only the largest answer is asked for; -1 for none.
        """
        system, vary, smallest, _ = key
        model = self.systems.models[system]
        assert model is not None
        limits = list(dict.fromkeys(lane.claim.limit for lane in lanes if lane.claim.limit))
        applies = [np.array([lane.claim.limit == limit for lane in lanes]) for limit in limits]
        asked = [self.limit(limit, system, model) for limit in limits]
        trial = Trial(model, vary, limits=asked, coordinates=columns, size=len(lanes), applies=applies)
        known = [self.known.get((lane.claim.position, lane.slot), float("nan")) for lane in lanes]
        parts: list[_Part] = []
        there = np.arange(len(lanes))
        if not smallest:
            result = near_largest(trial, np.array(known), sets)
            here, there = np.flatnonzero(result.answered), np.flatnonzero(~result.answered)
            if len(here):
                answers = result.answered[here], result.value[here], result.shown[here]
                parts.append(_shown(trial, here, *answers, with_figure))
        if len(there):
            rest = trial.at(there)
            chosen = choose(search(rest, ends=False), len(there), smallest)
            parts.append(_shown(trial, there, chosen.held, chosen.value, chosen.shown, with_figure))
        return parts


class _Part(Record):
    """Some points of a batch that were solved together."""

    indices: Any
    answered: Any
    value: Any
    """Of the parameter that is searched for; None where none is."""
    read: Any
    """The points that were solved for figures, in the order of the solution."""
    solved: Solved | None


def _shown(trial: Trial, indices: Any, answered: Any, value: Any, shown: Any, with_figure: Container[int]) -> _Part:
    """Points with answers of a search, and the solutions there of those whose figures are read."""
    rows = [row for row, index in enumerate(indices) if answered[row] and int(index) in with_figure]
    read = indices[rows]
    solved = trial.at(read).read(shown[rows]) if rows else None
    return _Part(indices, answered, value, read, solved)


def _solved(model: Model, columns: dict[str, Any], size: int) -> _Part:
    solved = solve_points(model, columns, size, asked=AUTO.replace(each=True))
    every = np.arange(size)
    return _Part(every, solved.stable, None, every, solved)


def _distinct(lanes: list[_Lane], columns: dict[str, Any]) -> tuple[list[int], list[int]]:
    """Which of the distinct points each lane is at, and the first lane of each.

    Claims of several figures at one point, within one limit, share it.
    """
    table: Any = np.stack(list(columns.values()), axis=1) if columns else np.zeros((len(lanes), 0))
    points: dict[tuple[str, bytes], int] = {}
    indices: list[int] = []
    firsts: list[int] = []
    for number, lane in enumerate(lanes):
        index = points.setdefault((lane.claim.limit, table[number].tobytes()), len(points))
        if index == len(firsts):
            firsts.append(number)
        indices.append(index)
    return indices, firsts


def _sets(lanes: list[_Lane], indices: list[int]) -> Any:
    """By distinct point, the position of the claim whose largest answer is all that is asked for; -1 for the others."""
    result: dict[int, int] = {}
    for index, lane in zip(indices, lanes, strict=True):
        alone = lane.claim.take == LARGEST and not lane.claim.figure
        mine = lane.claim.position if alone else -1
        result[index] = mine if result.get(index, mine) == mine else -1
    return np.array([result[index] for index in range(len(result))])


def _columns(lanes: list[_Lane], names: Iterable[str]) -> dict[str, Any]:
    """The values of some parameters at all points; those of one grid are taken together."""
    parts: list[tuple[dict[str, Any], slice, Any]] = []
    start = 0
    for _, run in groupby(lanes, key=lambda lane: id(lane.known)):
        same = list(run)
        here = slice(start, start := start + len(same))
        parts.append((same[0].known, here, None if same[0].row is None else [lane.row for lane in same]))
    columns = {name: np.empty(len(lanes)) for name in names}
    for known, here, rows in parts:
        for name, column in columns.items():
            value = known[name]
            column[here] = value if rows is None or not getattr(value, "ndim", 0) else value[rows]
    return columns


def _at(value: Any, index: int) -> float:
    return float(value) if not getattr(value, "ndim", 0) else float(value[index])
