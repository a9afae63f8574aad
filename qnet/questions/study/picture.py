"""The picture of a study: the answer of another question of qnet, with the columns that a picture needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from qnet.errors import InvalidInput, Problem, QnetError, UsageError
from qnet.expression import FLOATS, evaluate
from qnet.model.column_names import column_key
from qnet.model.conditions import condition
from qnet.model.load import load
from qnet.model.model import Model
from qnet.model.settings import with_settings
from qnet.questions.compare.compare import ask_compare
from qnet.questions.cost.report import ask_cost
from qnet.questions.envelope.ask import ask_envelope
from qnet.questions.knee.report import knee_report
from qnet.questions.presentation.provenance import command_line
from qnet.questions.study.printed import printed
from qnet.questions.study.story import StoryQuestion
from qnet.questions.study.study import Study
from qnet.questions.study.validate_settings import Systems
from qnet.questions.sweep.sweep import ask_sweep
from qnet.record import Record
from qnet.reports.content import Cell, Column, Note, Plot
from qnet.reports.report import Report
from qnet.units import unit


class Picture(Record):
    """The columns and rows of a picture, its plot, and the command that prints the entire answer."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    drawn: tuple[tuple[Cell, ...], ...]
    """The rows with the points of the curves of the plot, if it has rows other than those of the report."""
    plot: Plot | None
    """How the picture is drawn; None for a table."""
    notes: tuple[Note, ...]
    command: str


_SHOWN: dict[str, tuple[str, ...]] = {
    "envelope": ("envelope", "binds"),
    "knee": ("definition", "about", "population_real", "setting", "response_beyond"),
    "sweep": (),
    "cost": ("cost", "scope", "station", "value", "unit", "against", "ratio"),
    "compare": ("metric", "unit", "base", "value", "ratio"),
}
"""The columns of the answer of a command that are shown in addition to those of its plot; of a sweep, all."""
_TOTALS = ("total", "station")
"""The scopes of the rows of a cost that are shown."""


def system_of(study: Study, question: StoryQuestion, other: bool = False) -> Model:
    """The system of a question with its settings, or the one that it is compared with.

    Raises `InvalidInput` with the key of the study for an unknown system or parameter, and for an invalid setting.
    """
    system, settings = (question.other, question.other_settings) if other else (question.system, question.settings)
    try:
        return with_settings(load(system), settings)
    except UsageError as error:
        raise located_error(study, question, error) from None


def located_error(study: Study, question: StoryQuestion, error: QnetError) -> InvalidInput:
    """The problems of an error, located at the question in the study file."""
    return InvalidInput(*(study.problem(problem, question.path) for problem in error.problems))


def picture(study: Study, question: StoryQuestion) -> Picture:
    """Answer the question of a picture.

    Raises `InvalidInput` with the key of the study for an invalid question; `NoAnswer` or `NotComputed` if it has no
    answer.
    """
    model = system_of(study, question)
    other = system_of(study, question, other=True) if question.other else None
    try:
        report = _REPORTS[question.command](model, other, question)
    except UsageError as error:
        raise located_error(study, question, error) from None
    keys = [column.key for column in report.columns]
    plot = report.plot if isinstance(report.plot, Plot) else None
    wanted = {*_SHOWN[question.command], *((plot.x, *plot.y, *plot.by) if plot else ())}
    if question.command == "cost":
        wanted |= {column.key for column in report.columns[1 : keys.index("scope")]}
    if question.command == "sweep":
        wanted = {column.key for column in report.columns if not column.footed}
    indices = [index for index, key in enumerate(keys) if key in wanted]
    rows = [row for row in report.rows if question.command != "cost" or row[keys.index("scope")] in _TOTALS]
    return Picture(
        tuple(report.columns[index] for index in indices),
        tuple(_selected(rows, indices)),
        tuple(_selected(plot.rows, indices)) if plot else (),
        plot,
        report.notes,
        command_of(model, question),
    )


def command_of(model: Model, question: StoryQuestion) -> str:
    """The command that answers a question."""
    return command_line(question.command, model, options=list(_words(question)))


def measured_points(study: Study, question: StoryQuestion, shown: Picture) -> tuple[tuple[float, float], ...]:
    """The figures of measured claims as points of a picture, in the units of its columns.

    A claim that searches the parameter of the horizontal axis is the point of its stated value and its limit; any other
    claim is that of the parameter at its settings and its stated value. Bounds are one point each.

    shown    the picture.
    Raises   `InvalidInput` for an invalid setting of a claim, and for a search of that parameter without a limit.
    """
    if shown.plot is None or not question.measured:
        return ()
    systems = Systems(study)
    x, y = (next(column for column in shown.columns if column.key == key) for key in (shown.plot.x, shown.plot.y[0]))
    result: list[tuple[float, float]] = []
    for claim in study.claims:
        if claim.id not in question.measured:
            continue
        setting = systems.setting(claim.at)
        stated = [study.printed[claim.id].value] if claim.id in study.printed else []
        values = stated or [printed(text).value for text in (claim.at_least, claim.at_most) if text]
        if setting is None:
            continue
        if claim.vary and column_key(claim.vary) == x.key:
            if not claim.limit:
                problem = Problem("QN320", f'the search of "{claim.id}" has no limit', "a claim with a limit")
                raise InvalidInput(study.problem(problem, (*question.path, "measured")))
            bound = condition(claim.limit, setting.model).bound
            limit = float(evaluate(bound.root, setting.values, FLOATS, setting.model.choices))
            result += [(_in_unit(value, x), _in_unit(limit, y)) for value in values]
            continue
        at = next((value for name, value in setting.values.items() if column_key(name) == x.key), None)
        if isinstance(at, (int, float)):
            result += [(_in_unit(float(at), x), _in_unit(value, y)) for value in values]
    if systems.problems:
        raise InvalidInput(*systems.problems)
    return tuple(result)


def _in_unit(value: float, column: Column) -> float:
    """A value in base units converted to the unit of a column."""
    return value / unit(column.unit).factor if column.unit else value


def _selected(rows: Sequence[tuple[Cell, ...]], indices: Sequence[int]) -> Iterator[tuple[Cell, ...]]:
    return (tuple(row[index] for index in indices) for row in rows)


def _words(question: StoryQuestion) -> Iterator[str]:
    """The options and arguments of a question after its system, as words of a command line."""
    for key, texts in question.options.items():
        for text in texts:
            if key == "name":
                yield from (text,) if question.command == "cost" else ("--envelope", text)
            else:
                yield from (f"--{key}", text)
    if question.other and question.command == "compare" and question.other == question.system:
        yield from ("--with", " & ".join(f"{name}={value}" for name, value in question.other_settings.items()))
    elif question.other and question.command == "compare":
        yield question.other  # the settings are those of both systems
    elif question.other:
        yield from ("--against", question.other)
        for name, value in question.other_settings.items():
            yield from ("--against-parameter", f"{name}={value}")


def _one(question: StoryQuestion, key: str) -> str:
    """The text of an option that takes one; empty if it is not given."""
    return "".join(question.options.get(key, ()))


def _many(question: StoryQuestion, key: str) -> tuple[str, ...]:
    """The texts of an option that may be repeated."""
    return question.options.get(key, ())


def _envelope(model: Model, other: Model | None, question: StoryQuestion) -> Report:
    limits, over = _many(question, "limit"), _many(question, "over")
    return ask_envelope(model, _many(question, "name"), _one(question, "vary"), limits, over, _one(question, "route"))


def _knee(model: Model, other: Model | None, question: StoryQuestion) -> Report:
    return knee_report(
        model, _one(question, "vary"), _many(question, "limit"), None, _many(question, "definition"), curve=True
    )


def _sweep(model: Model, other: Model | None, question: StoryQuestion) -> Report:
    return ask_sweep(model, _many(question, "over"), _many(question, "metric"))


def _cost(model: Model, other: Model | None, question: StoryQuestion) -> Report:
    return ask_cost(model, names=_many(question, "name"), over=_many(question, "over"), against=other)


def _compare(model: Model, other: Model | None, question: StoryQuestion) -> Report:
    return ask_compare(model, [] if other is None else [other], _many(question, "metric"))


_REPORTS: dict[str, Callable[[Model, Model | None, StoryQuestion], Report]] = {
    "envelope": _envelope,
    "knee": _knee,
    "sweep": _sweep,
    "cost": _cost,
    "compare": _compare,
}
