"""Compute the figures of all claims of a study.

The points of the claims are grouped by system, searched parameter and replaced expressions; each group is solved as one
batch.
"""

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
from qnet.questions.study.story import fill_references
from qnet.questions.study.study import Claim, Study, Where
from qnet.questions.study.validate_settings import Systems, refuse_moving
from qnet.record import Record
from qnet.units import Dimension

_BatchKey = tuple[str, str, bool, frozenset[str]]
"""The system, the parameter that is searched (empty for none), whether for its smallest value, and the parameters with
an expression in the model that the points of the batch set, where other points have no plain value of them."""


class ClaimFigures(Record):
    """The values computed for a claim, from which `validate.value_of` makes its figure."""

    values: tuple[float, ...]
    """In base units: one per grid value of `over`; or that at the base, then that of the claim; or one. NaN for no
    answer."""
    dimension: Dimension | None
    """None for an expression that fits every dimension, such as 0."""
    reason: str
    """Why a value is missing, "no answer" or "not computed"; empty if none is missing."""


class _ClaimPoint(Record):
    """One operating point of a claim in a batch."""

    claim: Claim
    slot: int
    """The index in `ClaimFigures.values` of the value that the point gives."""
    names: tuple[str, ...]
    """The parameters that the claim sets."""
    parameters: dict[str, Any]
    """The values of all parameters that are known before solving; those that change along a grid, or as one of them is
    moved, may be arrays."""
    row: int | None
    """The index of the elements of these arrays; None if there are none."""


class Computer:
    """Computes the claims of one study: `enter` or `enter_claims` first, then `figures` or `computed`.

    Problems of the study are collected in `problems`.

    base   a computer of the same study, whose opened systems and checked expressions are shared.
    """

    def __init__(self, study: Study, base: Computer | None = None) -> None:
        self.study = study
        self.systems = Systems(study, base.systems if base else None)
        self.problems = self.systems.problems
        self.values: dict[int, list[float]] = {}
        """The values of each claim entered, by its position; NaN until they are computed."""
        self.dimensions: dict[int, Dimension | None] = {}
        self.reasons: dict[int, str] = {}
        """Why a value of a claim is missing, by its position."""
        self.batches: dict[_BatchKey, list[_ClaimPoint]] = {}
        self.checked_figures: dict[tuple[str, str], Expression | None] = base.checked_figures if base else {}
        self.figure_dimensions: dict[tuple[str, str], Dimension | None] = base.figure_dimensions if base else {}
        self.parsed_figures: dict[str, Expression] = base.parsed_figures if base else {}
        """The figures of claims with references filled in, by their text."""
        self.conditions: dict[tuple[str, str], Condition] = base.conditions if base else {}
        """The checked limits, by system and text."""
        self.arithmetic_claims: set[int] = set()
        """The positions of claims whose figure names nothing of a model."""
        self.factors: dict[int, dict[str, float]] = {}
        """By the position of a claim, the factors by which its parameters are multiplied."""
        self.answers: dict[int, dict[int, float]] = {}
        """By the position of a claim, then by slot, the values of the searched parameter."""
        self.near_answers: dict[tuple[int, int], float] = {}
        """By the position and slot of a claim, the answer for a slightly different system: a search begins near it."""

    def enter_claims(self) -> None:
        """Enter every claim of the study; raises `InvalidInput` with all problems of the claims."""
        for claim in self.study.claims:
            if claim.computed:
                self.enter(claim)
        self.refuse()

    def refuse(self) -> None:
        """Raise `InvalidInput` if there are problems, with each of them once."""
        if self.problems:
            raise InvalidInput(*dict.fromkeys(self.problems))

    def figures(self) -> dict[int, ClaimFigures]:
        """Solve the claims entered and return their figures by position; raises `InvalidInput` with all problems."""
        result = self.computed()
        self.refuse()
        return result

    def computed(self) -> dict[int, ClaimFigures]:
        """Solve the claims entered and return their figures by position; a claim with a problem has no values."""
        for key, points in self.batches.items():
            self.solve(key, points)
        return self.read()

    def read(self) -> dict[int, ClaimFigures]:
        """The figures of the claims entered, by position, with a reason for those without all of their values."""
        for position, values in self.values.items():
            if not all(isfinite(value) for value in values):
                self.reasons.setdefault(position, "no answer")
        return {
            position: ClaimFigures(tuple(values), self.dimensions.get(position), self.reasons.get(position, ""))
            for position, values in self.values.items()
        }

    def enter(self, claim: Claim) -> None:
        """Add the points of a claim to the batches; compute at once a figure of parameters or of other claims alone."""
        path = ("claims", claim.position)
        if claim.figure and not claim.vary and self.compute_arithmetic(claim, (*path, "figure")):
            return
        count = 2 if claim.base else 1
        self.values[claim.position] = [float("nan")] * count
        for slot, where in enumerate((claim.base, claim.at) if claim.base else (claim.at,)):
            self.enter_at(claim, where, slot)

    def compute_arithmetic(self, claim: Claim, path: Path) -> bool:
        """Compute the figure if it names nothing of a model, only figures of other claims; False if it does."""
        try:
            parsed = self.parsed_figure(claim)
            if parsed.names:
                return False
            self.arithmetic_claims.add(claim.position)
            self.dimensions[claim.position] = check(parsed.root, {}, {})
            self.values[claim.position] = [float(evaluate(parsed.root, {}))]
        except ExpressionError as error:
            self.keep_figure_problem(error, claim, path)
            return True
        if claim.counted or claim.in_view or claim.role == "trend":
            text = f"the figure of a {claim.role} claim is arithmetic on other claims alone"
            problem = Problem("QN323", text, "a figure of the model", help="such a claim is an identity")
            self.problems.append(self.study.problem(problem, path))
        return True

    def parsed_figure(self, claim: Claim) -> Expression:
        """The figure of a claim with references filled in; raises `ExpressionError`."""
        if claim.figure not in self.parsed_figures:
            text = fill_references(claim.figure, lambda id: self.study.printed[id].moved(0))
            self.parsed_figures[claim.figure] = parse(text)
        return self.parsed_figures[claim.figure]

    def keep_figure_problem(self, error: ExpressionError, claim: Claim, path: Path) -> None:
        """Record an error in the figure of a claim as a problem."""
        problem = Problem(error.code, f'in the figure "{claim.figure}": {error}', help=error.help)
        self.problems.append(self.study.problem(problem, path))

    def enter_at(self, claim: Claim, where: Where, slot: int) -> None:
        """Add the points of a claim at its settings, or at those of its base, to a batch.

        slot   the index of the first value in `ClaimFigures.values`.
        """
        setting = self.systems.setting(where)
        if setting is None:
            return
        model, names, key = setting.model, tuple(where.settings), "over"
        parameters: dict[str, Any] = setting.values
        row: int | None = None
        try:
            factors = self.factors.get(claim.position, {})
            factors = {name: factor for name, factor in factors.items() if name in parameters and name != claim.vary}
            if factors:
                if not claim.over:
                    parameters, row = self.systems.moved(where, setting, factors)
                names = (*names, *factors)
            if claim.vary:
                key = "smallest" if claim.smallest else "largest"
                vary = varied(model, claim.vary)
                self.dimensions[claim.position] = vary.dimension
                refuse_moving(claim.vary, where.settings, setting.changed)
            if claim.limit:
                key = "limit"
                self.checked_limit(claim.limit, where.system, model)
            count = 1
            if claim.over:
                key = "over"
                grid = self.systems.grid(where, setting, claim.over)
                count = len(grid.values)
                self.values[claim.position] = [float("nan")] * count
                names = (*names, grid.name)
                parameters, row = self.systems.along(where, setting, grid, factors), 0
        except QnetError as error:
            self.keep_problems(error, claim.position, (key,))
            return
        expression = self.expression(claim, where.system, model)
        if claim.figure and expression is None:
            return
        if expression and not claim.vary and all(name in parameters for name in expression.names):
            points = [{name: _at(parameters[name], row, index) for name in expression.names} for index in range(count)]
            self.evaluate_parameters(claim, slot, expression, setting.changed, points)
            return
        separate = self.separated_by(model, claim.vary, names)
        batch = self.batches.setdefault((where.system, claim.vary, claim.smallest, separate), [])
        for index in range(count):
            batch.append(_ClaimPoint(claim, slot + index, names, parameters, None if row is None else row + index))

    def separated_by(self, model: Model, vary: str, names: Iterable[str]) -> frozenset[str]:
        """The parameters among `names` for which points that do not set them have no value before solving.

        In the model, these are expressions of the solution or of the searched parameter `vary`, so that such points
        cannot share a batch with points that set them.
        """
        with_expression = [name for name in names if model.parameters[name].expression.names]
        if not with_expression:
            return frozenset()
        dependent = depends_on_solution(model)
        return frozenset(
            name for name in with_expression if name in dependent or (vary and vary in closure(model, [name]))
        )

    def checked_limit(self, text: str, system: str, model: Model) -> Condition:
        """The condition of a limit, checked against a system once; raises `UsageError` for an invalid one."""
        key = system, text
        if key not in self.conditions:
            self.conditions[key] = condition(text, model)
        return self.conditions[key]

    def evaluate_parameters(
        self, claim: Claim, slot: int, expression: Expression, model: Model, points: Iterable[dict[str, float]]
    ) -> None:
        """Compute a figure that depends on parameters alone, from their values at each of some points."""
        for index, point in enumerate(points):
            try:
                value = float(evaluate(expression.root, point, FLOATS, model.choices))
            except ExpressionError as error:
                self.keep_figure_problem(error, claim, ("claims", claim.position, "figure"))
                return
            self.values[claim.position][slot + index] = value

    def expression(self, claim: Claim, system: str, model: Model) -> Expression | None:
        """The figure of a claim, checked against a system; None if the claim has none or it has an error."""
        if not claim.figure:
            return None
        key = (system, claim.figure)
        if key not in self.checked_figures:
            self.checked_figures[key] = None
            try:
                parsed = self.parsed_figure(claim)
                refuse_inside(model, parsed)
                names = model.dimensions | all_figures(model, parsed.names)
                names |= {name: output.dimension for name, output in model.outputs.items()}
                self.figure_dimensions[key] = check(parsed.root, names, model.choices)
                self.checked_figures[key] = parsed
            except ExpressionError as error:
                self.keep_figure_problem(error, claim, ("claims", claim.position, "figure"))
        self.dimensions[claim.position] = self.figure_dimensions.get(key)
        return self.checked_figures[key]

    def solve(self, key: _BatchKey, points: list[_ClaimPoint]) -> None:
        """Compute a batch; if that fails, each claim separately, so that each has values or a reason."""
        try:
            self.compute(key, points)
        except QnetError as error:
            positions = list(dict.fromkeys(point.claim.position for point in points))
            if len(positions) > 1:
                for position in positions:
                    self.solve(key, [point for point in points if point.claim.position == position])
            elif isinstance(error, (NoAnswer, NotComputed)):
                self.reasons[positions[0]] = "not computed" if isinstance(error, NotComputed) else "no answer"
            else:
                self.keep_problems(error, positions[0], ())

    def keep_problems(self, error: QnetError, position: int, keys: Path) -> None:
        """Record the problems of an error at a key of a claim; errors of a claim with moved parameters are ignored."""
        if position not in self.factors:
            self.systems.keep_problems(error, ("claims", position, *keys))

    def compute(self, key: _BatchKey, points: list[_ClaimPoint]) -> None:
        """Solve the distinct points of a batch, and keep the values of its claims."""
        system, vary, _, _ = key
        model = self.systems.models[system]
        assert model is not None
        names = sorted({name for point in points for name in point.names} - {vary})
        columns = _columns(points, names)
        indices, firsts = _distinct(points, columns)
        distinct = [points[first] for first in firsts]
        columns = {name: column[firsts] for name, column in columns.items()}
        with_figure = {index for index, point in zip(indices, points, strict=True) if point.claim.figure}
        if vary:
            parts = self.search(key, distinct, columns, with_figure, _sets(points, indices))
        else:
            parts = [_solved(model, columns, len(distinct))]
        figures = {point.claim.figure for point in points} - {""}
        expressions = {figure: self.checked_figures[system, figure] for figure in figures}
        for part in parts:
            read: dict[str, Any] = {}
            for figure, expression in expressions.items():
                assert expression is not None
                read[figure] = expression_value(part.solved, expression) if part.solved else []
            answered = zip(part.indices.tolist(), part.answered.tolist(), strict=True)
            rows = {index: row for row, (index, holds) in enumerate(answered) if holds}
            read_rows = {index: row for row, index in enumerate(part.read.tolist())}
            answers = None if part.value is None else part.value.tolist()
            for index, point in zip(indices, points, strict=True):
                if index in rows:
                    figure = point.claim.figure
                    answer: Any = None if answers is None else answers[rows[index]]
                    value: Any = read[figure][read_rows[index]] if figure else answer
                    self.values[point.claim.position][point.slot] = float(value)
                    if answer is not None:
                        self.answers.setdefault(point.claim.position, {})[point.slot] = answer

    def search(
        self,
        key: _BatchKey,
        points: list[_ClaimPoint],
        columns: dict[str, Any],
        with_figure: Container[int],
        sets: Any,
    ) -> list[_Part]:
        """Search the parameter of a batch at every point: near a known answer first, then in its full range.

        columns       the values of the parameters that the points set, by name.
        with_figure   the indices of the points whose solutions are read.
        sets          by point, the number of a set of which only the largest answer is used; -1 for none.
        """
        system, vary, smallest, _ = key
        model = self.systems.models[system]
        assert model is not None
        limits = list(dict.fromkeys(point.claim.limit for point in points if point.claim.limit))
        applies = [np.array([point.claim.limit == limit for point in points]) for limit in limits]
        conditions = [self.checked_limit(limit, system, model) for limit in limits]
        trial = Trial(model, vary, limits=conditions, coordinates=columns, size=len(points), applies=applies)
        known = [self.near_answers.get((point.claim.position, point.slot), float("nan")) for point in points]
        parts: list[_Part] = []
        remaining = np.arange(len(points))
        if not smallest:
            result = near_largest(trial, np.array(known), sets)
            near, remaining = np.flatnonzero(result.answered), np.flatnonzero(~result.answered)
            if len(near):
                answers = result.answered[near], result.value[near], result.shown[near]
                parts.append(_with_solutions(trial, near, *answers, with_figure))
        if len(remaining):
            chosen = choose(search(trial.at(remaining), ends=False), len(remaining), smallest)
            parts.append(_with_solutions(trial, remaining, chosen.held, chosen.value, chosen.shown, with_figure))
        return parts


class _Part(Record):
    """Some points of a batch that were solved together."""

    indices: Any
    """The indices of the points in the batch."""
    answered: Any
    """For each of these points, whether it has an answer."""
    value: Any
    """For each of these points, the value of the searched parameter; None if none is searched."""
    read: Any
    """The indices of the points that `solved` has, in its order."""
    solved: Solved | None


def _with_solutions(
    trial: Trial, indices: Any, answered: Any, value: Any, shown: Any, with_figure: Container[int]
) -> _Part:
    """Points with the answers of a search, and the solutions at `shown` of those whose figures are read."""
    rows = [row for row, index in enumerate(indices) if answered[row] and int(index) in with_figure]
    read = indices[rows]
    solved = trial.at(read).read(shown[rows]) if rows else None
    return _Part(indices, answered, value, read, solved)


def _solved(model: Model, columns: dict[str, Any], size: int) -> _Part:
    """Solve all points of a batch at their parameters."""
    solved = solve_points(model, columns, size, asked=AUTO.replace(each=True))
    every = np.arange(size)
    return _Part(every, solved.stable, None, every, solved)


def _distinct(points: list[_ClaimPoint], columns: dict[str, Any]) -> tuple[list[int], list[int]]:
    """The index of the distinct point of each point, and the position in `points` of the first at each distinct point.

    Points with the same parameters and the same limit are solved once.
    """
    table: Any = np.stack(list(columns.values()), axis=1) if columns else np.zeros((len(points), 0))
    distinct: dict[tuple[str, bytes], int] = {}
    indices: list[int] = []
    firsts: list[int] = []
    for row, point in enumerate(points):
        index = distinct.setdefault((point.claim.limit, table[row].tobytes()), len(distinct))
        if index == len(firsts):
            firsts.append(row)
        indices.append(index)
    return indices, firsts


def _sets(points: list[_ClaimPoint], indices: list[int]) -> Any:
    """By distinct point, the position of the only claim there if it takes its largest answer alone; otherwise -1."""
    result: dict[int, int] = {}
    for index, point in zip(indices, points, strict=True):
        largest_alone = point.claim.take == LARGEST and not point.claim.figure
        position = point.claim.position if largest_alone else -1
        result[index] = position if result.get(index, position) == position else -1
    return np.array([result[index] for index in range(len(result))])


def _columns(points: list[_ClaimPoint], names: Iterable[str]) -> dict[str, Any]:
    """The values of some parameters at all points, as arrays by name; points of one grid are copied together."""
    parts: list[tuple[dict[str, Any], slice, Any]] = []
    start = 0
    for _, run in groupby(points, key=lambda point: id(point.parameters)):
        same = list(run)
        span = slice(start, start := start + len(same))
        parts.append((same[0].parameters, span, None if same[0].row is None else [point.row for point in same]))
    columns = {name: np.empty(len(points)) for name in names}
    for parameters, span, rows in parts:
        for name, column in columns.items():
            value = parameters[name]
            column[span] = value if rows is None or not getattr(value, "ndim", 0) else value[rows]
    return columns


def _at(value: Any, row: int | None, index: int) -> float:
    """The element of an array `index` places after `row`, or the number that is no array."""
    return float(value) if row is None or not getattr(value, "ndim", 0) else float(value[row + index])
