"""The sensitivity of metrics to parameters: derivatives and elasticities at the stated point, and their report.

Derivatives are differences, extrapolated to step zero, with an error estimated from their disagreement.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, log10

from qnet import budget
from qnet.errors import NoAnswer, NotComputed, Problem, QnetError, UsageError
from qnet.model.metrics import Metric, metrics
from qnet.model.model import Model
from qnet.networks.exactness import AGGREGATED, STATES
from qnet.networks.reasons import approximate_notes, named_chain
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.points.answers import OK, solve_table
from qnet.questions.points.domain import Input, columns, counts_capacity, inputs, saturated
from qnet.questions.points.expression_values import expression_value, patient, undefined
from qnet.questions.points.points import Part, Solved, solve_points
from qnet.questions.presentation.assertions import broken, conditions
from qnet.questions.presentation.columns import effect_notes
from qnet.questions.presentation.labels import (
    EXACT,
    all_exact,
    label,
    labels,
    means_beside,
    method_list,
    percentile_notes,
)
from qnet.questions.presentation.provenance import Basis
from qnet.questions.sensitivity.differences import Slope, slopes, steps
from qnet.questions.sensitivity.rows import Rows
from qnet.record import Record
from qnet.reports.cells import is_number
from qnet.reports.content import Bars, Cell, Column, Note
from qnet.reports.report import Report
from qnet.units import base_unit, in_unit

COLUMNS = (
    Column("metric", "metric"),
    Column("parameter", "parameter"),
    Column("value", "value", unit_in="unit"),
    Column("unit", "unit"),
    Column("elasticity", "elasticity"),
    Column("derivative", "derivative"),
    Column("derivative_unit", "derivative in"),
    Column("error", "error"),
    Column("by", "difference"),
    Column("status", "status"),
    Column("stated", "stated", footed=True),
    Column("stated_unit", "stated in", footed=True),
    Column("method", "method", footed=True),
    Column("exactness", "exactness", footed=True),
)
"""`value` and `derivative` are in base units; `stated` is the metric as the model stands, in its display unit.

`error` is the error of the elasticity, relative to the larger of it and 1: a power of ten, at least 1e-9, or 0 for
integers.
"""

_LEAST = 1e-9
"""Errors below this are rounding, and differ between machines."""


def ask_sensitivity(
    model: Model, metric: Sequence[str], by: Sequence[str], wanted: Wanted = AUTO, asserted: Sequence[str] = ()
) -> Report:
    """The report of the effects of parameters on metrics; arguments as for `sensitivity` and `sensitivity_report`."""
    conditions(asserted, model)
    # The default metrics do not depend on saturation throughputs.
    plain = wanted if metric or asserted else wanted.replace(ceilings=False)
    return sensitivity_report(sensitivity(model, metric, by, plain), asserted)


def sensitivity_report(result: Sensitivity, asserted: Sequence[str] = ()) -> Report:
    """The report of the effects of parameters on metrics.

    asserted  conditions that the stated point must meet; those that are false stand in `broken` of the report.
    """
    model = result.model
    claimed = conditions(asserted, model)
    claims = [item.metric for item in claimed]
    shown = [*(item.metric.expression for item in result.effects), *claims]
    methods = method_list(result.methods)
    rows = [(*_row(result, item), methods, label(item.exact)) for item in result.effects]
    exact = all(item.exact for item in result.effects) and all_exact(model, claims, result.stated.parts)
    notes = [*approximate_notes(result.reasons, result.methods), *percentile_notes(model, shown, result.parts)]
    notes += effect_notes(model, [*model.settings, *(item.input.name for item in result.effects)], shown)
    sides = {(item.metric.source, item.input.name, item.by) for item in result.effects if item.derivative is not None}
    bent = dict.fromkeys(name for metric, name, by in sorted(sides) if by == BELOW and (metric, name, ABOVE) in sides)
    if result.spared:
        notes.append(Note("QN768", f"{result.spared}; these are figures of an approximation", "warning"))
    if bent:
        text = f"at its stated value the derivative jumps: {', '.join(bent)}; both sides are shown"
        notes.append(Note("QN629", text))
    missing = sum(item.derivative is None for item in result.effects)
    if missing:
        text = f"{missing} of {len(result.effects)} rows have no derivative; their status says why"
        notes.append(Note("QN632", text, "warning"))
    return Report(
        schema="qnet/sensitivity/1",
        title=f"{model.title}: sensitivity to its parameters",
        columns=COLUMNS,
        rows=rows,
        readable=[_without_noise(row) for row in rows],
        notes=tuple(notes),
        meta=Basis(model, methods, exact, means=means_beside(model, shown, result.parts)),
        group="metric",
        plot=Bars("parameter", ("elasticity",), by="metric"),
        broken=tuple(broken(result.stated, claimed)),
    )


def _row(result: Sensitivity, item: Effect) -> tuple[Cell, ...]:
    parameter, metric = result.model.parameters[item.input.name], item.metric
    unit, shown = base_unit(parameter.dimension), metric.unit
    per = base_unit(metric.dimension.times(parameter.dimension, -1))
    stated = in_unit(float(expression_value(result.stated, metric.expression)), shown)
    error = None if item.derivative is None else _magnitude(item.relative_error)
    return (
        metric.source, item.input.name, item.input.value, unit or None, item.elasticity, item.derivative, per or None,
        error, item.by or None, item.status, stated, shown or None,
    )  # fmt: skip


def _without_noise(row: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """The row for reading: an effect no larger than its error is 0."""
    keys = [column.key for column in COLUMNS]
    elasticity, error = row[keys.index("elasticity")], row[keys.index("error")]
    if not is_number(elasticity) or not is_number(error) or abs(elasticity) > error:
        return row
    return tuple(0.0 if key in ("elasticity", "derivative") else cell for key, cell in zip(keys, row, strict=True))


def _magnitude(error: float) -> float:
    """The next power of ten, because the digits of an error mean nothing."""
    return float(f"1e{ceil(log10(max(error, _LEAST)))}") if error else 0.0


_DIVISIBLE = 1e-280
"""Above this, small shares of a value keep all digits."""
_SAMPLE = 4
"""The points by which the operations of a table of points are estimated."""
CENTRAL, BELOW, ABOVE = "central", "from below", "from above"
NEXT, PREVIOUS = "next integer", "previous integer"
NOT_CONVERGENT = "the differences do not converge: a jump or a kink nearby"
ATTEMPTS = 3
"""Choices of steps until differences count as not convergent; a choice between time and answers near kinks."""
VERIFIED = 1e-6
"""The relative error of an elasticity up to which no shorter steps are tried."""
_JUMP, _SAME = 0.5, 1e-9
"""The extrapolation of nearby values misses a smooth metric 16 times less at the shortest steps than at the longest; a
miss that keeps more than the first share, and exceeds the second share of the metric, is a jump."""
_CHAINS = 0.6
"""The share of the operations that chains in place of a method that warns may take."""
_EQUAL = 1e-13
"""The relative difference of two solutions that counts as none."""
TRUSTED = 1e-2
"""The relative error above which a derivative is not reported."""


class Effect(Record):
    """The effect of one parameter on one metric at the stated point; base units."""

    metric: Metric
    input: Input
    derivative: float | None
    """Of the metric by the parameter; for integers the difference to the neighbour. None without an answer."""
    elasticity: float | None
    """Percent of the metric per percent of the parameter; None where either is 0."""
    error: float | None
    """The error of the derivative; 0 for a difference of integers."""
    by: str
    """The side from which it was computed."""
    status: str
    """`ok`, or why there is no answer."""
    relative_error: float = float("inf")
    """The error relative to the larger of the elasticity and 1."""
    exact: bool = True
    """Whether the metric is exact at the stated point and at all values used for the derivative."""


class Sensitivity(Record):
    """The effects of all parameters on all metrics, by metric, the strongest first."""

    model: Model
    stated: Solved
    effects: tuple[Effect, ...]
    methods: tuple[str, ...]
    parts: tuple[Part, ...]
    """The parts of all solutions."""
    reasons: tuple[str, ...]
    spared: str = ""
    """Why no chains of states were solved although the stated point has one; empty where they were, or it has none."""


class _Dear(Exception):
    """The chains of all points of a question take more operations than there are."""

    def __init__(self, points: int, each: float) -> None:
        super().__init__(f"{points} chains of all states would take about {points * each:.1e} operations")


def sensitivity(model: Model, of: Sequence[str] = (), by: Sequence[str] = (), asked: Wanted = AUTO) -> Sensitivity:
    """Elasticities of metrics with respect to parameters, ranked.

    of       metrics; none: the response, and the throughput where there are closed classes.
    by       parameters; derived ones are changed alone; none: every stated number that has an effect.
    asked    the method and its budget.
    Returns  for each metric and parameter the derivative, the elasticity (dM / dp) (p / M), the error, and its side.
             Where the sides differ (max, min, where, interp), each has an `Effect`. Integers have the difference to the
             next one.
    Raises   `UsageError` for unknown names, `NoAnswer` without a steady state at the stated point.

    Method   `slopes`; all points of all parameters are solved as one batch. Where the estimates of a derivative
             disagree by more than `VERIFIED`, or one side has no answer, steps 64 times shorter are tried, twice at
             most; a derivative with an error above `TRUSTED` is refused. Where a metric jumps because values near the
             stated point are solved by another method, they are solved again by the method of that point. Where the
             Markov chains of all points are too many for the budget, which the first few show, an approximation solves
             all points instead.
    """
    wanted = chosen_metrics(model, of)
    result = inputs(model, wanted, by)
    if not result:
        raise UsageError(Problem("QN026", "no number of the model is a parameter with an effect", "--by NAME"))
    before = budget.spent()
    stated = at_stated_point(model, asked)
    spared, left = "", budget.trial_left()
    better = _by_chain(model, wanted, result, asked, stated)
    try:
        each = budget.spent() - before if asked.method != STATES else 0.0
        search = better or _Search(model, wanted, asked, stated, each).all(_counted(result, stated))
    except _Dear as dear:
        spared = str(dear)
        asked = asked.replace(chain=0)
        try:
            stated = at_stated_point(model, asked)
        except NotComputed:
            help = "name few parameters with --by, or allow more with --operations"
            problem = Problem("QN515", spared, f"at most {left:.1e} operations", help=help)
            raise NotComputed(problem) from None
        search = _Search(model, wanted, asked, stated).all(_counted(result, stated))
    if all(item.derivative is None for item in search.effects):
        status = search.effects[0].status
        raise NotComputed(Problem("QN532", f"no parameter can be changed: {status}", "room around the stated point"))
    order = {item.source: number for number, item in enumerate(wanted)}
    ranked = sorted(search.effects, key=lambda item: (order[item.metric.source], *_rank(item)))
    return Sensitivity(
        model=model, stated=search.stated, effects=tuple(ranked), methods=tuple(search.methods),
        parts=tuple(search.parts), reasons=tuple(search.reasons), spared=spared,
    )  # fmt: skip


def _counted(result: Sequence[Input], stated: Solved) -> list[Input]:
    """The inputs, of which those that count places of buffers have integers only with methods that have no parts of a
    place."""
    if stated.parts[0].solution.method not in (STATES, AGGREGATED):
        return list(result)
    return [item.replace(integer=True) if counts_capacity(stated.model, item) else item for item in result]


def chosen_metrics(model: Model, of: Sequence[str]) -> tuple[Metric, ...]:
    """The metrics `of` a question; default: the response, and the throughput where `model` has closed classes."""
    closed = any(item.population is not None for item in model.customers)
    return metrics(of or (["response", "throughput"] if closed else ["response"]), model)


def at_stated_point(model: Model, asked: Wanted) -> Solved:
    """The solution of a model as it stands; raises `NoAnswer` where it has no steady state."""
    stated = solve_points(model, asked=asked)
    if not stated.stable:
        cause = saturated(stated.parts[0].solution)
        text = f'no steady state at the stated point: "{cause}" is saturated'
        raise NoAnswer(Problem("QN401", text, "a load below every capacity", file=model.name))
    return stated


def values_here(stated: Solved, wanted: Sequence[Metric]) -> list[float]:
    """The metrics at the stated point; raises `NotComputed` QN532 for one that has no value there."""
    result: list[float] = []
    for item in wanted:
        value = float(expression_value(stated, item.expression))
        if not abs(value) < float("inf"):
            reason = undefined(stated, item.expression)
            text = reason.found if reason else f'"{item.source}" has no value'
            raise NotComputed(Problem("QN532", f"{text}, at the stated point", "a number"))
        result.append(value)
    return result


def _by_chain(
    model: Model, wanted: Sequence[Metric], moved: Sequence[Input], asked: Wanted, stated: Solved
) -> _Search | None:
    """The search by the Markov chain of all states, where `solve` takes that in place of a method that warns, of which
    `stated` is the solution; None where it does not, or the chains of all points take too many operations."""
    patiently = patient(model, asked, [item.expression for item in wanted])
    if not patiently.better or asked.better or not named_chain(stated.parts[0].solution.reasons):
        return None
    try:
        with budget.share(_CHAINS):
            before = budget.spent()
            stated = at_stated_point(model, patiently)
            if stated.parts[0].solution.method != STATES:
                return None
            search = _Search(model, wanted, asked.replace(method=STATES), stated, budget.spent() - before)
            return search.all(_counted(moved, stated))
    except (_Dear, QnetError):
        return None


def _rank(item: Effect) -> tuple[float, ...]:
    """The sort key of an effect: the strongest first, then those with a derivative only, then those without an answer.

    Elasticities that differ only by their errors are equal, as for two parameters of which only the ratio counts.
    """
    if item.elasticity is not None:
        return 0, -float(f"{abs(item.elasticity):.7g}")
    return (1, 0) if item.derivative is not None else (2, 0)


def _together(result: Sequence[Input]) -> list[list[Input]]:
    """Inputs that can be changed in one table: all stated ones; each derived one alone, as it follows the others."""
    free = [item for item in result if item.free]
    return [*([free] if free else []), *([item] for item in result if not item.free)]


_Plan = tuple[Input, list[float], list[int], list[int]]
"""An input, its steps, and the rows of the values above and below."""


class _Search:
    """The effects of some parameters.

    each    the operations that a chain of states takes, as that of the stated point.
    """

    def __init__(
        self, model: Model, wanted: Sequence[Metric], asked: Wanted, stated: Solved, each: float = 0.0
    ) -> None:
        self.model = model
        self.wanted = wanted
        self.asked = asked
        self.stated = stated
        self.here = values_here(stated, wanted)
        self.exact = [all_exact(model, [item.expression], stated.parts) for item in wanted]
        self.parts = [*stated.parts]
        self.effects: list[Effect] = []
        self.bases: dict[str, list[float]] = {}
        """The metrics at the stated point by another method, for integers whose neighbours have only that one."""
        solution = stated.parts[0].solution
        self.method = solution.method
        self.methods: dict[str, None] = {solution.method: None}
        self.reasons: dict[str, None] = dict.fromkeys(solution.reasons)
        self.each = each if solution.method == STATES else 0.0

    def all(self, result: Sequence[Input]) -> _Search:
        """The search, with the effects of all inputs computed."""
        for group in _together(result):
            self.find(group)
        return self

    def find(self, group: Sequence[Input]) -> None:
        """Compute the effects of some inputs that may share a table, with shorter steps for those that need them."""
        for item in group:
            if item.fixed:
                self.effects += [
                    Effect(
                        metric=each,
                        input=item,
                        derivative=None,
                        elasticity=None,
                        error=None,
                        by="",
                        status=item.fixed,
                        exact=exact,
                    )
                    for each, exact in zip(self.wanted, self.exact, strict=True)
                ]
        remaining = [item for item in group if not item.fixed]
        best: dict[tuple[str, str], list[Effect]] = {}
        for attempt in range(ATTEMPTS):
            if not remaining:
                break
            again: list[Input] = []
            try:
                by_input = self.measured(group, remaining, attempt)
            except _Dear:
                if not attempt:
                    raise
                break
            for item, effects in zip(remaining, by_input, strict=True):
                for each in effects:
                    key = (item.name, each[0].metric.source)
                    if key not in best or _quality(each) < _quality(best[key]):
                        best[key] = each
                    unverified, one_sided, _ = _quality(best[key])
                    again_one_sided = one_sided and not _at_an_end(item)
                    if (unverified or again_one_sided) and item not in again and not item.integer:
                        again.append(item)
            remaining = again
        self.effects += [_reported(effect) for effects in best.values() for effect in effects]

    def measured(self, group: Sequence[Input], moved: Sequence[Input], attempt: int) -> list[list[list[Effect]]]:
        """The effects from one attempt, by input and metric."""
        rows: list[tuple[str, float]] = []

        def added(item: Input, sign: int, lengths: Sequence[float]) -> list[int]:
            """Add the points at some steps to one side, and return their rows; none where the range ends before."""
            points = [item.value + sign * length for length in lengths]
            if not all(map(item.allows, points)):
                return []
            rows.extend((item.name, point) for point in points)
            return list(range(len(rows) - len(points), len(rows)))

        plans: list[_Plan] = []
        for item in moved:
            lengths = [1.0] if item.integer else steps(_size(item), attempt)
            above = added(item, 1, lengths)
            # The next integer suffices, if it has an answer.
            plans.append((item, lengths, above, [] if item.integer and above else added(item, -1, lengths)))
        result = self.solved(group, rows, self.asked)
        known = len(rows)
        for item, lengths, above, below in plans:
            if item.integer and above and any(self.side(above, values) is None for values in result.values):
                below += added(item, -1, lengths)
        if len(rows) > known:
            result = result.followed(self.solved(group, rows[known:], self.asked))
        jumping = [plan for plan in plans if self.jumps(plan, result)]
        again = [row for _, _, *sides in jumping for side in sides for row in side]
        if jumping and self.affordable(len(again)):
            same_method = self.solved(group, [rows[row] for row in again], self.asked.replace(method=self.method))
            if all(status == OK for status in same_method.status):
                result = result.replaced(again, same_method)
        for plan in plans:
            if plan[0].integer and (same := self.by_its_method(group, plan, rows, result)):
                self.bases[plan[0].name] = [values[0] for values in same.values]
        self.parts += result.parts
        for part in result.parts:
            self.methods[part.solution.method] = None
            self.reasons |= dict.fromkeys(part.solution.reasons)
        return [[self.effect(plan, result, index) for index in range(len(self.wanted))] for plan in plans]

    def solved(self, group: Sequence[Input], rows: Sequence[tuple[str, float]], asked: Wanted) -> Rows:
        """The metrics with one input changed in each row."""
        if not rows:
            return Rows([[] for _ in self.wanted], [[] for _ in self.wanted], [], [], [])
        if len(rows) > 2 * _SAMPLE and not self.affordable(len(rows)):
            # Chains that differ in rates only share the search for their states, which is made once.
            counts = {item.name for item in group if item.integer}
            before, few = budget.spent(), [row for row in rows if row[0] not in counts][:_SAMPLE] or rows[:_SAMPLE]
            solve_table(self.model, columns(group, few), len(few), asked)
            self.each = max(budget.spent() - before - self.each, 0.0) / max(len(few) - 1, 1)
            if not self.affordable(len(rows)):
                raise _Dear(len(rows), self.each)
        answers = solve_table(self.model, columns(group, rows), len(rows), asked)
        if self.each and not budget.trial_left() and {*answers.method} - {STATES}:
            raise _Dear(len(rows), self.each)
        return Rows(
            [answers.of(each.expression).tolist() for each in self.wanted],
            [[word == EXACT for word in labels(answers, [each.expression])] for each in self.wanted],
            answers.status,
            answers.method,
            answers.parts,
        )

    def affordable(self, points: int) -> bool:
        """Whether chains of states at some points would leave operations to the others."""
        return points * self.each <= budget.trial_left()

    def jumps(self, plan: _Plan, result: Rows) -> bool:
        """Whether a metric jumps near the stated point, and another method was taken there."""
        item, _, *sides = plan
        if item.integer or {result.method[row] for side in sides for row in side} <= {self.method, None}:
            return False
        for here, values in zip(self.here, result.values, strict=True):
            for rows in sides:
                nearby = self.side(rows, values)
                if nearby is None:
                    continue
                misses = [abs(2 * near - far - here) for far, near in pairwise(nearby)]
                if misses[-1] > max(_JUMP * misses[0], _SAME * abs(here)):
                    return True
        return False

    def by_its_method(
        self, group: Sequence[Input], plan: _Plan, rows: Sequence[tuple[str, float]], result: Rows
    ) -> Rows | None:
        """The stated point by the approximation that solved the neighbour of an integer, as the difference of two
        methods would contain their errors; None where it is solved by the same method, or both are exact."""
        item, _, above, below = plan
        row = next((row for row in (*above, *below) if result.status[row] == OK), None)
        if row is None or result.method[row] in (None, self.method) or all(values[row] for values in result.exact):
            return None
        by_it = self.asked.replace(method=result.method[row] or self.method, chain=0)
        answer = self.solved(group, [(item.name, item.value)], by_it)
        finite = all(abs(value) < float("inf") for values in answer.values for value in values)
        return answer if answer.status == [OK] and finite else None

    def effect(self, plan: _Plan, result: Rows, number: int) -> list[Effect]:
        """The effects of one input on the metric of a number, from the values at some steps."""
        rows = (*plan[2], *plan[3])
        exact = self.exact[number] and all(result.exact[number][row] for row in rows if result.status[row] == OK)
        return [effect.replace(exact=exact) for effect in self.slopes(plan, result, number)]

    def slopes(self, plan: _Plan, rows: Rows, number: int) -> list[Effect]:
        """As `effect`, without exactness."""
        item, lengths, above, below = plan
        values = rows.values[number]
        here, metric = self.here[number], self.wanted[number]
        sides = [self.side(rows, values) for rows in (above, below)]
        if sides[0] is None and sides[1] is None:
            causes = [rows.status[row] for row in (*above, *below) if rows.status[row] != OK]
            cause = f"no answer next to it: {causes[0]}" if causes else "its range leaves no room"
            return [
                Effect(metric=metric, input=item, derivative=None, elasticity=None, error=None, by="", status=cause)
            ]
        if item.integer:
            base = self.bases.get(item.name, self.here)[number]
            if sides[0] is not None:
                return [_effect(metric, item, here, Slope(_difference(sides[0][0], base), 0.0), NEXT)]
            assert sides[1] is not None
            return [_effect(metric, item, here, Slope(_difference(base, sides[1][0]), 0.0), PREVIOUS)]
        result = slopes(here, sides[0], sides[1], lengths)
        reported = ((result.both, CENTRAL), (result.below, BELOW), (result.above, ABOVE))
        return [_effect(metric, item, here, slope, by) for slope, by in reported if slope is not None]

    def side(self, rows: Sequence[int], values: Sequence[float]) -> list[float] | None:
        """The values on one side; None where any of them is missing."""
        result = [values[row] for row in rows]
        return result if result and all(abs(value) < float("inf") for value in result) else None


def _difference(more: float, less: float) -> float:
    """The difference of two values of a metric; 0 where it may be rounding."""
    return more - less if abs(more - less) > _EQUAL * abs(more) else 0.0


def _at_an_end(item: Input) -> bool:
    """Whether the stated value is an end of the allowed range."""
    return item.value in (item.low, item.high)


def _size(item: Input) -> float:
    """The size of which the steps of an input are shares: its value; for 0 and tiny values the width of its range, or
    else 1."""
    if abs(item.value) > _DIVISIBLE:
        return item.value
    return item.high - item.low if item.low is not None and item.high is not None else 1.0


def _effect(metric: Metric, item: Input, here: float, slope: Slope, by: str) -> Effect:
    derivative = slope.derivative if abs(slope.derivative) > slope.error else 0.0
    elasticity = derivative * item.value / here if item.value and here else None
    size = abs(_size(item) / here) if here else 1.0
    relative_error = slope.error * size / max(abs(derivative) * size, 1.0) if slope.error else 0.0
    return Effect(
        metric=metric,
        input=item,
        derivative=derivative,
        elasticity=elasticity,
        error=slope.error,
        by=by,
        status=OK,
        relative_error=relative_error,
    )


def _quality(effects: Sequence[Effect]) -> tuple[bool, bool, float]:
    """The sort key of an attempt, the best first: whether it is unverified, one-sided, and its relative error."""
    error = max(item.relative_error for item in effects)
    return error > VERIFIED, effects[0].by in (BELOW, ABOVE), error


def _reported(item: Effect) -> Effect:
    """The effect as reported: without a derivative whose error is too large."""
    if item.derivative is None or item.relative_error <= TRUSTED:
        return item
    return item.replace(derivative=None, elasticity=None, status=NOT_CONVERGENT)
