"""Changing parameters from outside: `-p name=value`, and the `set` of an envelope."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qnet.errors import Problem, UsageError, suggest
from qnet.expression import Expression, ExpressionError, check, parse
from qnet.model.grids import parameter
from qnet.model.model import Model, Parameter
from qnet.model.reader import caret
from qnet.model.scope import station_figures
from qnet.units import NUMBER, base_unit


def parse_settings(texts: Sequence[str]) -> dict[str, str]:
    """`name=value` texts as a mapping; raises `UsageError` for a text of another form."""
    settings: dict[str, str] = {}
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator or not name.strip() or not value.strip():
            raise UsageError(Problem("QN003", f'"{text}" does not set a parameter', "name=value, such as rate=600/s"))
        settings[name.strip()] = value.strip()
    return settings


def with_settings(model: Model, settings: Mapping[str, str]) -> Model:
    """The model with some parameters set to new values or expressions.

    Raises `UsageError` for an unknown name (with the nearest ones), a wrong dimension, or a circular expression.
    """
    if not settings:
        return model
    parameters = dict(model.parameters)
    for name, text in settings.items():
        old = parameter(model, name)
        parameters[name] = old._replace(
            expression=_value(model, old, text), grade="assumed" if old.grade else "", sources=(), note="set for this run", fitted_on=()
        )
    changed = model._replace(parameters=_ordered(parameters), settings={**model.settings, **settings})
    from hashlib import sha256

    text = "\n".join(f"{name}={value}" for name, value in sorted(changed.settings.items()))
    return changed._replace(digest=sha256(f"{model.digest}\n{text}".encode()).hexdigest()[:12])


def _value(model: Model, old: Parameter, text: str) -> Expression:
    if old.options:
        word = text.strip("'\"")
        if word not in old.options:
            raise UsageError(Problem("QN003", f'"{text}" is not an option of "{old.name}"', help=suggest(word, old.options)))
        return parse(old.options.index(word))
    try:
        expression = parse(text)
        dimension = check(expression.root, model.dimensions | station_figures(model), model.choices)
    except ExpressionError as error:
        raise UsageError(
            Problem(error.code, f'in "{old.name}={text}": {error}', help=error.help, excerpt=caret(text, error.column))
        ) from None
    if dimension is not None and dimension != old.dimension:
        unit = base_unit(old.dimension)
        help = f'add the unit, such as "{old.name}={text}{unit}"' if dimension == NUMBER and unit else ""
        raise UsageError(Problem("QN122", f'"{text}" is {dimension.describe()}', f'"{old.name}" as {old.dimension.describe()}', help=help))
    return expression


def _ordered(parameters: dict[str, Parameter]) -> dict[str, Parameter]:
    """The parameters in order of use again; raises `UsageError` where a setting made them circular."""
    done: dict[str, Parameter] = {}

    def visit(name: str, trail: tuple[str, ...]) -> None:
        if name in trail:
            raise UsageError(Problem("QN210", "the parameters are circular: " + " -> ".join([*trail[trail.index(name) :], name])))
        if name in done or name not in parameters:
            return
        for used in parameters[name].expression.names:
            visit(used, (*trail, name))
        done[name] = parameters[name]

    for name in parameters:
        visit(name, ())
    return done
