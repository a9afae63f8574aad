"""Checks of the questions that a model states: its envelopes, and its defaults of `qnet knee`."""

from __future__ import annotations

from collections.abc import Callable

from qnet.documents import Path
from qnet.errors import UsageError, suggest
from qnet.expression import ExpressionError, parse
from qnet.model.conditions import condition
from qnet.model.grids import PAIR, joined_grids, varied
from qnet.model.model import EnvelopeModel, Model
from qnet.model.reader import Reader
from qnet.model.settings import with_settings


def check_envelopes(model: Model, reader: Reader) -> None:
    """Note what is wrong with the envelopes; expressions that use a broken name are not checked."""
    routes = sorted({route.name for customers in model.classes for route in customers.routes if route.name})
    for envelope in model.envelopes.values():
        _check(envelope, model, reader, routes)


def check_knee(model: Model, reader: Reader) -> None:
    """Note what is wrong with the defaults of `qnet knee`."""
    _vary(model.knee_question.vary, ("knee",), model, reader)
    _limits(model.knee_question.limits, ("knee",), model, reader)


def _check(envelope: EnvelopeModel, model: Model, reader: Reader, routes: list[str]) -> None:
    path = envelope.path
    _vary(envelope.vary, path, model, reader)
    _limits(envelope.limits, path, model, reader)
    visited: set[str] = set()
    for index, text in enumerate(envelope.over):
        names = [part.partition("=")[0].strip() for part in text.split(PAIR)]
        position = (*path, "over", index) if reader.stated((*path, "over", index)) else (*path, "over")
        if envelope.vary in names:
            reader.fail(
                "QN010", position, f'"{envelope.vary}" is both varied and part of the grid', "another parameter"
            )
        elif name := next((item for item in names if item in visited or names.count(item) > 1), ""):
            reader.fail("QN010", position, f'"{name}" is in the grid twice', "one list of all its values")
        elif name := next((item for item in names if item in envelope.settings), ""):
            reader.fail("QN010", position, f'"{name}" is both set and part of the grid', "one of the two")
        elif not any(item in reader.broken for item in names):
            _try(lambda text=text: joined_grids(text, model), position, reader)
        visited.update(names)
    usable = {
        name: text
        for name, text in envelope.settings.items()
        if name not in reader.broken and not _mentions(text, reader.broken)
    }
    circular = any(problem.code == "QN210" for problem in reader.problems)
    if not circular:
        _try(lambda: with_settings(model, usable), (*path, "set"), reader)
    if envelope.route and envelope.route not in routes:
        sentence = f'unknown route "{envelope.route}"'
        reader.fail("QN219", (*path, "route"), sentence, help=suggest(envelope.route, routes))


def _vary(vary: str, path: Path, model: Model, reader: Reader) -> None:
    if vary:
        _try(lambda: varied(model, vary), (*path, "vary"), reader)


def _limits(limits: tuple[str, ...], path: Path, model: Model, reader: Reader) -> None:
    for index, text in enumerate(limits):
        if not _mentions(text, reader.broken):
            position = (*path, "limit", index) if reader.stated((*path, "limit", index)) else (*path, "limit")
            _try(lambda text=text: condition(text, model), position, reader)


def _try(action: Callable[[], object], path: Path, reader: Reader) -> None:
    """Note what an action refuses."""
    try:
        action()
    except UsageError as error:
        for problem in error.problems:
            reader.note(problem.replace(path=path))


def _mentions(text: str, names: set[str]) -> bool:
    """Whether an expression uses any of some names."""
    try:
        used = parse(text).names
    except ExpressionError:
        return False
    return any(name in names or name.partition(".")[0] in names for name in used)
