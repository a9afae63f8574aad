"""The picture of a story: the answer of another question to one system, cut down to what a picture needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from qnet.errors import InvalidInput, QnetError, UsageError
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
from qnet.questions.study.story import Ask
from qnet.questions.study.study import Study
from qnet.questions.study.validate_settings import Systems
from qnet.questions.sweep.sweep import ask_sweep
from qnet.record import Record
from qnet.reports.content import Cell, Column, Note, Plot
from qnet.reports.report import Report
from qnet.units import unit


class Picture(Record):
    """What is shown, and the command that shows all of it."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    drawn: tuple[tuple[Cell, ...], ...]
    """Points of curves."""
    plot: Plot | None
    notes: tuple[Note, ...]
    command: str


_SHOWN: dict[str, tuple[str, ...]] = {
    "envelope": ("envelope", "binds"),
    "knee": ("definition", "about", "population_real", "setting", "response_beyond"),
    "sweep": (),
    "cost": ("cost", "scope", "station", "value", "unit", "against", "ratio"),
    "compare": ("metric", "unit", "base", "value", "ratio"),
}
"""Columns that are shown besides those that are drawn."""
_TOTALS = ("total", "station")
"""The rows of a cost that are shown."""


def opened(study: Study, ask: Ask, beside: bool = False) -> Model:
    """The system of a question with its settings; `beside`: the other one.

    Raises `InvalidInput` with the place in the study for what the system does not have.
    """
    system, settings = (ask.other, ask.other_settings) if beside else (ask.system, ask.settings)
    try:
        return with_settings(load(system), settings)
    except UsageError as error:
        raise placed(study, ask, error) from None


def placed(study: Study, ask: Ask, error: QnetError) -> InvalidInput:
    """What is wrong with a question, as a problem of the study that asks it."""
    return InvalidInput(*(study.problem(problem, ask.path) for problem in error.problems))


def picture(study: Study, ask: Ask) -> Picture:
    """Ask the question of a picture.

    Raises `InvalidInput` with the place in the study for a question that cannot be asked, and what the question raises
    where it has no answer.
    """
    model = opened(study, ask)
    other = opened(study, ask, beside=True) if ask.other else None
    try:
        report = _REPORTS[ask.command](model, other, ask)
    except UsageError as error:
        raise placed(study, ask, error) from None
    keys = [column.key for column in report.columns]
    plot = report.plot if isinstance(report.plot, Plot) else None
    wanted = {*_SHOWN[ask.command], *((plot.x, *plot.y, *plot.by) if plot else ())}
    if ask.command == "cost":
        wanted |= {column.key for column in report.columns[1 : keys.index("scope")]}
    if ask.command == "sweep":
        wanted = {column.key for column in report.columns if not column.footed}
    indices = [index for index, key in enumerate(keys) if key in wanted]
    rows = [row for row in report.rows if ask.command != "cost" or row[keys.index("scope")] in _TOTALS]
    return Picture(
        tuple(report.columns[index] for index in indices),
        tuple(_cut(rows, indices)),
        tuple(_cut(plot.rows, indices)) if plot else (),
        plot,
        report.notes,
        command_of(model, ask),
    )


def command_of(model: Model, ask: Ask) -> str:
    """The command that answers a question."""
    return command_line(ask.command, model, options=list(_words(ask)))


def measured_points(study: Study, ask: Ask, shown: Picture) -> tuple[tuple[float, float], ...]:
    """What claims state as points of a picture, in the units of its columns.

    A claim that searches along the picture stands at what it states and at its limit; any other one at its settings.
    """
    if shown.plot is None or not ask.measured:
        return ()
    systems = Systems(study)
    x, y = (next(column for column in shown.columns if column.key == key) for key in (shown.plot.x, shown.plot.y[0]))
    result: list[tuple[float, float]] = []
    for claim in study.claims:
        if claim.id not in ask.measured:
            continue
        setting = systems.setting(claim.at)
        selected = [study.printed[claim.id].value] if claim.id in study.printed else []
        values = selected or [printed(text).value for text in (claim.at_least, claim.at_most) if text]
        if setting is None:
            continue
        if claim.vary and column_key(claim.vary) == x.key:
            bound = condition(claim.limit, setting.model).bound
            limit = float(evaluate(bound.root, setting.known, FLOATS, setting.model.choices))
            result += [(_in(value, x), _in(limit, y)) for value in values]
            continue
        at = next((value for name, value in setting.known.items() if column_key(name) == x.key), None)
        if isinstance(at, (int, float)):
            result += [(_in(float(at), x), _in(value, y)) for value in values]
    if systems.problems:
        raise InvalidInput(*systems.problems)
    return tuple(result)


def _in(value: float, column: Column) -> float:
    """A value in base units, in the unit of a column."""
    return value / unit(column.unit).factor if column.unit else value


def _cut(rows: Sequence[tuple[Cell, ...]], indices: Sequence[int]) -> Iterator[tuple[Cell, ...]]:
    return (tuple(row[index] for index in indices) for row in rows)


def _words(ask: Ask) -> Iterator[str]:
    """What a question asks besides its system, as words of a command line."""
    for key, texts in ask.options.items():
        for text in texts:
            if key == "name":
                yield from (text,) if ask.command == "cost" else ("--envelope", text)
            else:
                yield from (f"--{key}", text)
    if ask.other and ask.command == "compare" and ask.other == ask.system:
        yield from ("--with", " & ".join(f"{name}={value}" for name, value in ask.other_settings.items()))
    elif ask.other and ask.command == "compare":
        yield ask.other
    elif ask.other:
        yield from ("--against", ask.other)
        for name, value in ask.other_settings.items():
            yield from ("--against-parameter", f"{name}={value}")


def _one(ask: Ask, key: str) -> str:
    return "".join(ask.options.get(key, ()))


def _many(ask: Ask, key: str) -> tuple[str, ...]:
    return ask.options.get(key, ())


def _envelope(model: Model, other: Model | None, ask: Ask) -> Report:
    limits, over = _many(ask, "limit"), _many(ask, "over")
    return ask_envelope(model, _many(ask, "name"), _one(ask, "vary"), limits, over, _one(ask, "route"))


def _knee(model: Model, other: Model | None, ask: Ask) -> Report:
    return knee_report(model, _one(ask, "vary"), _many(ask, "limit"), None, _many(ask, "definition"), curve=True)


def _sweep(model: Model, other: Model | None, ask: Ask) -> Report:
    return ask_sweep(model, _many(ask, "over"), _many(ask, "metric"))


def _cost(model: Model, other: Model | None, ask: Ask) -> Report:
    return ask_cost(model, names=_many(ask, "name"), over=_many(ask, "over"), against=other)


def _compare(model: Model, other: Model | None, ask: Ask) -> Report:
    return ask_compare(model, [] if other is None else [other], _many(ask, "metric"))


_REPORTS: dict[str, Callable[[Model, Model | None, Ask], Report]] = {
    "envelope": _envelope,
    "knee": _knee,
    "sweep": _sweep,
    "cost": _cost,
    "compare": _compare,
}
