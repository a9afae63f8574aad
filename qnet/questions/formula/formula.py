"""Metrics of a model as formulas of its parameters, also solved for one of them; and their report.

The report has one row per formula, then the names in them, each with its definition and value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from qnet.errors import NoAnswer, NotComputed, Problem, QnetError, UsageError, short, suggest
from qnet.expression import ExpressionError, check, evaluate, expression_problem, parse, symbols
from qnet.model.model import Model
from qnet.model.traced import TracedValues
from qnet.networks.reasons import approximate_notes
from qnet.questions.formula.algebra import evaluated, solved
from qnet.questions.formula.metrics import SMALLEST, MetricFormula, main_metrics, pieces
from qnet.questions.formula.network import Symbolic
from qnet.questions.formula.simplifier import Simplifier
from qnet.questions.formula.text import latex_name, latex_of, text_of
from qnet.questions.points.points import solve_points
from qnet.questions.presentation.named_values import AssertionOutcome, NamedValues, claims_of
from qnet.questions.presentation.provenance import Basis
from qnet.record import Record
from qnet.reports.content import Cell, Column, Note
from qnet.reports.report import Report
from qnet.units import Dimension, base_unit, format_quantity

if TYPE_CHECKING:
    from qnet.questions.presentation.named_values import AssertionOutcome

COLUMNS = (
    Column("scope", "scope"),
    Column("metric", "metric"),
    Column("about", "about"),
    Column("class", "class"),
    Column("binds", "binds"),
    Column("value", "value"),
    Column("unit", "unit"),
    Column("formula", "formula"),
    Column("latex", "LaTeX", math=True),
)
"""`scope` is formula, definition (a name in the formulas that is an expression over others), or parameter.

Where a metric is the smallest or largest of several formulas, `binds` is `yes` for the one that it is at the model's
numbers. Formulas and values are in seconds and bytes."""


def ask_formula(
    model: Model, metric: Sequence[str], solve_for: str, value: str, expand: bool, keep: Sequence[str] | None,
    asserted: Sequence[str] = (),
) -> Report:  # fmt: skip
    """The report of metrics as closed forms; arguments as of `System.formula`."""
    return formula_report(formula(model, metric, solve_for, value, expand, keep), asserted)


def formula_report(answer: Formulas, asserted: Sequence[str] = ()) -> Report:
    """The report of formulas with their values in the model, and every name that they use.

    asserted   conditions that must hold at the model's numbers: over a metric that has one formula, or one that binds,
               by its name, such as max_rate, and over parameters and figures of the model. False ones stand in
               `broken` of the report.
    """
    claimed = _claimed(answer, asserted)
    known = [item for item in (answer.exact, claimed.exact) if item is not None]
    exact = all(known) if known else None
    rows = [_row("formula", item) for item in answer.formulas]
    free = {name for name, item in answer.definitions.items() if item.expression.is_Symbol}
    rows += [_row("definition", item) for name, item in answer.definitions.items() if name not in free]
    rows += [_row("parameter", item) for name, item in answer.definitions.items() if name in free]
    notes = approximate_notes(answer.reasons, what="the formulas are")
    notes += [note for note in claimed.notes if note.code != "QN601" or not notes]
    notes += [Note("QN610", text) for text in answer.notes]
    if answer.fixed:
        sentence = ", ".join(f"{name} = {value:g}" for name, value in answer.fixed.items())
        notes.append(Note("QN611", f"numbers, because the structure of the network depends on them: {sentence}"))
    if any("erlang_c(" in str(item.expression) for item in answer.formulas):
        text = "erlang_c(c, a) is Erlang's C: the probability of waiting for c servers with a erlangs offered"
        notes.append(Note("QN611", text))
    return Report(
        schema="qnet/formula/1",
        title=f"{answer.model.title}: formulas",
        columns=COLUMNS,
        rows=rows,
        notes=tuple(notes),
        meta=Basis(answer.model, "closed form", exact),
        group="scope",
        broken=claimed.broken,
    )


def _claimed(answer: Formulas, asserted: Sequence[str]) -> AssertionOutcome:
    if not asserted:
        return AssertionOutcome()
    times = Counter(item.metric for item in answer.formulas)
    overall = [item for item in answer.formulas if item.binds or times[item.metric] == 1]
    values = {item.metric: [float("nan") if item.value is None else item.value] for item in overall}
    dimensions = {item.metric: item.dimension for item in overall}
    return claims_of(NamedValues(values, dimensions), asserted, answer.model)


def _row(scope: str, item: Formula) -> tuple[Cell, ...]:
    binds: Cell = ("yes" if item.binds else "no") if item.combined else None
    parameter = scope == "parameter"
    text = None if parameter else text_of(item.expression)
    index = ",~".join(latex_name(name) for name in (item.about, item.class_name) if name and "=" not in name)
    latex = f"{latex_name(item.metric)}{f'_{{{index}}}' if index else ''} = {latex_of(item.expression)}"
    unit = base_unit(item.dimension) or None
    reported = None if parameter else latex
    return scope, item.metric, item.about or None, item.class_name or None, binds, item.value, unit, text, reported


class Formula(Record):
    """One formula."""

    metric: str
    about: str
    """The station, cost or bound that it belongs to; empty for the system."""
    class_name: str
    expression: Any
    """A sympy expression over symbols named like the parameters; times in seconds, data in bytes."""
    value: float | None
    """The value at the model's numbers; None where it has none."""
    dimension: Dimension
    combined: str = ""
    """`smallest` or `largest`, where the metric is that of several formulas."""
    binds: bool = False
    """Whether, of several formulas, it is the metric at the model's numbers."""


class Formulas(Record):
    """The answer: formulas, the definitions of names in them, and their assumptions."""

    model: Model
    formulas: tuple[Formula, ...]
    definitions: dict[str, Formula]
    """Every name that the formulas use, directly or through others: a formula, or a symbol and its value."""
    fixed: dict[str, float]
    """Parameters that are kept as numbers, because the structure of the network depends on them."""
    notes: tuple[str, ...]
    exact: bool | None
    reasons: tuple[str, ...]

    def at(self, item: Formula, changes: Mapping[str, float]) -> float | None:
        """The value of one of the formulas with some parameters changed; None where it has none.

        changes   numbers in seconds and bytes, by parameter; definitions over them follow.
        Raises    `UsageError` QN013 for a name that no formula uses.
        """
        numbers: dict[str, float] = {}
        for name, each in self.definitions.items():
            number = changes.get(name)
            if number is None:
                number = evaluated(each.expression, numbers) if not each.expression.is_Symbol else each.value
            if number is not None:
                numbers[name] = number
        for name in changes:
            if name not in self.definitions:
                help = suggest(name, list(self.definitions))
                raise UsageError(Problem("QN013", f'no formula uses "{short(name)}"', help=help))
        return evaluated(item.expression, numbers)

    def of(self, metric: str, about: str = "") -> Formula:
        """The formula of a metric, of the station or class `about` if given; of several, the one that binds.

        Raises `UsageError` QN013 where there is none.
        """
        matching = [
            item for item in self.formulas if item.metric == metric and about in ("", item.about, item.class_name)
        ]
        if not matching:
            help = suggest(metric, [item.metric for item in self.formulas])
            raise UsageError(Problem("QN013", f'there is no formula "{short(metric)}" {about}'.rstrip(), help=help))
        return next((item for item in matching if item.binds), matching[0])


def formula(
    model: Model,
    of: str | Sequence[str] = (),
    solve_for: str = "",
    value: str = "",
    expand: bool = False,
    keep: Sequence[str] | None = None,
) -> Formulas:
    """Metrics of a model as closed forms.

    Applies    to demands, capacities and bounds of any network without figures of the solution in its times; to
               utilization and response of open classes where no wait is the solution of a fixed point.
    of         metrics of `metrics.METRICS`, `max_PARAMETER`, outputs, or expressions over them; none: the main ones.
    solve_for  the parameter to be expressed as a formula of a metric; then `of` is one metric.
    value      with `solve_for`, the value of the metric, such as "10 ms"; empty: its value in the model.
    expand     whether to substitute the definitions of parameters; otherwise these are symbols with definitions.
    keep       parameters that remain symbols, while all others become numbers; None: all remain symbols.
    Returns    `Formulas`, each simplified and evaluated at the model's numbers.
    Method     The network is bound to numbers that carry sympy expressions, and the code of the numeric solvers
               computes over them; so both agree by construction, and each formula is evaluated again as a check.
    Raises     `UsageError` QN013 for an unknown metric or parameter; `NotComputed` QN520 where a fixed point is
               needed, QN521 for closed classes, QN522 where algebra cannot solve, QN523 for too large a network.
    """
    asked = [of] if isinstance(of, str) else list(of)
    _check_names(model, solve_for, keep or ())
    if keep is not None:
        driven = [text.strip().removeprefix("max_") for text in asked or main_metrics(model) if "max_" in text]
        keep = [*keep, *([solve_for] if solve_for else ()), *driven]
    symbolic = Symbolic(model, TracedValues(model, expand, keep))
    notes: list[str] = []
    result = [piece for text in asked for piece in pieces(symbolic, text)] if asked else _main(symbolic, notes)
    formulas = _evaluated(symbolic, result)
    if solve_for:
        formulas = _solved(symbolic, formulas, solve_for, value, notes)
    elif value:
        raise UsageError(Problem("QN013", "there is a value and nothing to solve for", "--solve-for PARAMETER"))
    notes += dict.fromkeys(piece.note for piece in result if piece.note)
    if symbolic.saturated:
        sentence = ", ".join(f'"{name}"' for name in symbolic.saturated)
        notes.append(f"no steady state at the model's numbers, {sentence} would be more than 100 % utilized: "
                     "formulas hold below saturation, and have no value here")  # fmt: skip
    notes += _held_demands(symbolic, result)
    return _answer(symbolic, formulas, notes)


def _main(symbolic: Symbolic, notes: list[str]) -> list[MetricFormula]:
    """The main formulas that there are; why others are none goes to the notes."""
    result: list[MetricFormula] = []
    missing: dict[str, list[str]] = {}
    for text in main_metrics(symbolic.model):
        try:
            result += pieces(symbolic, text)
        except QnetError as error:
            missing.setdefault(error.problems[0].found, []).append(text)
    notes += [f"no formula of {', '.join(names)}: {reason}" for reason, names in missing.items()]
    if not result:
        raise NotComputed(Problem("QN521", notes[0], "demands at least"))
    return result


def _check_names(model: Model, solve_for: str, keep: Sequence[str]) -> None:
    for name in (*keep, *([solve_for] if solve_for else ())):
        if name not in model.parameters:
            help = suggest(name, list(model.parameters))
            raise UsageError(Problem("QN013", f'there is no parameter "{short(name)}"', help=help))


def _evaluated(symbolic: Symbolic, result: Sequence[MetricFormula]) -> list[Formula]:
    """The formulas of pieces, simplified, with their values, and with the one of several that binds."""
    formulas: list[Formula] = []
    simplifier = Simplifier(symbolic.numbers)
    for (_, _, combined), run in groupby(result, key=lambda piece: (piece.metric, piece.class_name, piece.combined)):
        group: list[Formula] = []
        for piece in run:
            short_form = simplifier.simplified(piece.formula)
            meaningful = not symbolic.saturated or piece.metric == "demand" or piece.metric.startswith("max_")
            value = evaluated(short_form, symbolic.numbers) if meaningful else None
            if combined and value is not None and value < 0:
                value = None  # A bound below zero does not bind.
            group.append(
                Formula(
                    metric=piece.metric,
                    about=piece.about,
                    class_name=piece.class_name,
                    expression=short_form,
                    value=value,
                    dimension=piece.dimension,
                    combined=combined,
                )
            )
        if combined:
            known = [item for item in group if item.value is not None]
            choose = min if combined == SMALLEST else max
            best = choose(known, key=lambda item: item.value or 0.0) if known else None
            group = [item.replace(binds=item is best) for item in group]
        formulas += group
    return formulas


def _held_demands(symbolic: Symbolic, result: Sequence[MetricFormula]) -> list[str]:
    """A note on demands that leave out waits inside holds."""
    held = {centre.label for centre in symbolic.centres if centre.held}
    reported = dict.fromkeys(piece.about for piece in result if piece.metric == "demand" and piece.about in held)
    names = ", ".join(f'"{name}"' for name in reported)
    return [f"the demand of {names} excludes waits for other stations during the hold"] if reported else []


def _answer(symbolic: Symbolic, formulas: Sequence[Formula], notes: Sequence[str]) -> Formulas:
    values, model = symbolic.values, symbolic.model
    definitions: dict[str, Formula] = {}
    simplifier = Simplifier(symbolic.numbers)
    for name in symbolic.reached(*(item.expression for item in formulas)):
        definition = values.definitions.get(name)
        expression = simplifier.simplified(definition.formula) if definition else values.symbols[name]
        dimension = model.parameters[name].dimension
        definitions[name] = Formula(
            metric=name,
            about="",
            class_name="",
            expression=expression,
            value=symbolic.numbers[name],
            dimension=dimension,
        )
    waits = "solution" in symbolic.__dict__
    reasons = symbolic.solution.reasons if waits else ()
    fixed = {name: float(values.known[name]) for name in values.fixed}
    return Formulas(
        model=model,
        formulas=tuple(formulas),
        definitions=definitions,
        fixed=fixed,
        notes=tuple(notes),
        exact=not reasons if waits else None,
        reasons=reasons,
    )


# Solving for a parameter


def _solved(symbolic: Symbolic, formulas: Sequence[Formula], name: str, value: str, notes: list[str]) -> list[Formula]:
    """The parameter as a formula of the metric, for each class; of several pieces, for the one that binds."""
    wanted = symbolic.values.symbols.get(name)
    if wanted is None or name in symbolic.values.definitions:
        text = f'"{name}" is computed from others, a choice, or part of the structure of the network'
        help = "solve for a parameter that it depends on"
        raise NotComputed(Problem("QN522", text, "a parameter whose value is a number", help=help))
    binding = [item for item in formulas if item.binds or not item.combined]
    if len({item.metric for item in binding}) > 1:
        raise UsageError(Problem("QN013", "there are several metrics to solve", "--metric once"))
    dependent = [item for item in binding if wanted.name in symbolic.reached(item.expression)]
    if not dependent:
        text = f'{binding[0].metric} does not depend on "{name}"'
        raise NotComputed(Problem("QN522", text, "a parameter that it depends on"))
    return [_inverse(symbolic, item, wanted, value, notes) for item in dependent]


def _inverse(symbolic: Symbolic, item: Formula, wanted: Any, value: str, notes: list[str]) -> Formula:
    target = symbols().symbol(_symbol_name(item))
    expression = symbolic.expanded(item.expression, wanted)
    if item.value is None:
        raise NotComputed(Problem("QN522", f"{item.metric} has no value in the model", "a value, to choose the branch"))
    numbers = {**symbolic.numbers, target.name: item.value}
    about = f'{item.metric} solved for "{wanted.name}"'
    inverse = solved(expression - target, wanted, numbers, about)
    short_form = Simplifier(numbers).simplified(inverse.formula)
    given = item.value if not value else _given(symbolic.model, value, item.dimension)
    numbers[target.name] = given
    result = evaluated(short_form, numbers)
    if result is not None and value:
        result = _verified(symbolic, item, expression, wanted, result, given)
    notes += [f"the formula holds while {text}, as at the model's numbers" for text in inverse.assumed]
    if item.combined:
        notes.append(f'the formula holds while "{item.about}" is the {item.combined}, as at the model\'s numbers')
    dimension = symbolic.model.parameters[wanted.name].dimension
    sentence = f"{target.name} = {format_quantity(given, base_unit(item.dimension), 6)}"
    return Formula(
        metric=wanted.name,
        about=sentence,
        class_name=item.class_name,
        expression=short_form,
        value=result,
        dimension=dimension,
    )


def _symbol_name(item: Formula) -> str:
    return item.metric if item.metric.isidentifier() or "('" in item.metric else "metric"


def _given(model: Model, text: str, dimension: Dimension) -> float:
    """A value that is given as text, of the dimension of a metric."""
    try:
        expression = parse(text)
        result = check(expression.root, model.dimensions, model.choices)
        if result is not None and result != dimension:
            unit = base_unit(dimension)
            raise ExpressionError(
                f"this is {result.describe()}", 0, f'the metric is {dimension.describe()}; add "{unit}"'
            )
        if expression.names:
            raise ExpressionError("this is not a number", 0, "write a number with its unit")
        return float(evaluate(expression.root, {}))
    except ExpressionError as error:
        raise UsageError(expression_problem(error, text, before="in --equals: ")) from None


def _verified(symbolic: Symbolic, item: Formula, expression: Any, wanted: Any, result: float, given: float) -> float:
    """The value of a parameter, if it gives the metric and a steady state; raises `NoAnswer` where it does not."""
    again = evaluated(expression, {**symbolic.numbers, wanted.name: result})
    unit = base_unit(symbolic.model.parameters[wanted.name].dimension)
    shown = format_quantity(result, unit, 6)
    if again is None or abs(again - given) > 1e-9 * max(abs(given), 1e-300):
        text = f'"{wanted.name}" of {shown} does not give {item.metric}: another branch holds there'
        raise NoAnswer(Problem("QN402", text, help="qnet envelope finds it numerically"))
    if not symbolic.closed:
        try:
            stable = bool(solve_points(symbolic.model, {wanted.name: result}).stable)
        except QnetError as error:
            text = f'"{wanted.name}" would have to be {shown}'
            raise NoAnswer(Problem("QN402", text, error.problems[0].expected)) from None
        if not stable and not item.metric.startswith("max_"):
            raise NoAnswer(Problem("QN402", f'there is no steady state at "{wanted.name}" of {shown}'))
    return result
