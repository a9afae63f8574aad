"""Settings of parameters: `-p name=value`, and the `set` of an envelope."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from qnet.documents import Path
from qnet.errors import Names, Problem, UsageError, short, suggest
from qnet.expression import Expression, ExpressionError, check, expression_problem, parse
from qnet.lazy import lazy
from qnet.model.grids import parameter, values
from qnet.model.model import Model, Parameter
from qnet.model.scope import depends_on_solution, ordered, refuse_inside, station_figures, uses_solution
from qnet.units import NUMBER, base_unit

if TYPE_CHECKING:
    from qnet.model import bind
else:
    bind = lazy("qnet.model.bind")


def parse_settings(texts: Sequence[str]) -> dict[str, str]:
    """`name=value` texts as a mapping; raises `UsageError` for texts of another form."""
    settings: dict[str, str] = {}
    problems: list[Problem] = []
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator or not name.strip() or not value.strip():
            problems.append(
                Problem("QN003", f'"{short(text)}" does not set a parameter', "name=value, such as rate=600/s")
            )
        elif name.strip() in settings:
            problems.append(Problem("QN003", f'"{short(name.strip())}" is set twice', "one value for each parameter"))
        settings[name.strip()] = value.strip()
    if problems:
        raise UsageError(*problems)
    return settings


def with_settings(model: Model, settings: Mapping[str, str], path: Path = ()) -> Model:
    """The model with some parameters set to new values or expressions.

    settings   texts by parameter, such as `{"rate": "600/s"}`; an expression over other parameters is allowed.
    path       the path in the file that states them; empty for those of the command line.
    Raises     `UsageError`, with every problem, for an unknown name (with the nearest ones), a wrong dimension, an
               option that does not exist, a circular expression, or an integer that would depend on the solution.
    """
    if not settings:
        return model
    parameters = dict(model.parameters)
    problems: list[Problem] = []
    for name, text in settings.items():
        try:
            old = parameter(model, name)
            parameters[name] = old.replace(
                expression=_value(model, old, text), grade="assumed" if old.grade else "", sources=(),
                note="set for this run", fitted_on=(),
            )  # fmt: skip
        except UsageError as error:
            problems += error.problems
    if problems:
        raise UsageError(*problems)
    origins = {name: (*path, name) if path else f"-p {short(f'{name}={text}')}" for name, text in settings.items()}
    # Without names of others they remain in order, and nothing more depends on the solution.
    named = any(parameters[name].expression.names for name in settings)
    changed = model.set_to(
        _in_order(parameters) if named else parameters, {**model.settings, **settings}, {**model.origins, **origins}
    )
    if named:
        _check_known_before(changed)
    return changed


def _value(model: Model, old: Parameter, text: str) -> Expression:
    """The expression for a new value; raises `UsageError` for one that does not fit."""
    if old.options:
        word = text.strip("'\"")
        if word not in old.options:
            help = suggest(word, old.options)
            raise UsageError(Problem("QN003", f'"{short(text)}" is not an option of "{old.name}"', help=help))
        return parse(old.options.index(word))
    try:
        expression = parse(text)
        refuse_inside(model, expression)
        known = model.dimensions | station_figures(model) if expression.names else {}
        dimension = check(expression.root, known, model.choices)
    except ExpressionError as error:
        if _is_list(old, text):
            given = f"'{old.name}={text}'"
            help = f"a list is solved value by value: qnet sweep --over {given}, or qnet compare --with {given}"
            raise UsageError(Problem("QN003", f'"{short(text)}" is a list of values', "one value", help=help)) from None
        if error.code == "QN112" and isinstance(error.help, Names):
            example = f"{old.name}={_example(old)}"
            error.help = f'write a number, such as "{example}", or an expression over other parameters'
        raise UsageError(expression_problem(error, text, before=f'in "{short(f"{old.name}={text}")}": ')) from None
    if dimension is not None and dimension != old.dimension:
        unit = base_unit(old.dimension)
        help = f'add the unit, such as "{old.name}={text}{unit}"' if dimension == NUMBER and unit else ""
        expected = f'"{old.name}" as {old.dimension.describe()}'
        raise UsageError(Problem("QN122", f'"{short(text)}" is {dimension.describe()}', expected, help=help))
    return expression


def _is_list(old: Parameter, text: str) -> bool:
    """Whether a text is a grid with several values, such as `4,6,8` or `1:10`."""
    try:
        return len(values(old.name, old.dimension, text)) > 1
    except UsageError:
        return False


def _example(old: Parameter) -> str:
    """An example of a value: the one that the model states, where that is a number; otherwise 1 in the base unit."""
    stated = old.expression.source.strip()
    return stated if stated[:1].isdigit() and not old.expression.names else f"1{base_unit(old.dimension)}"


def _in_order(parameters: dict[str, Parameter]) -> dict[str, Parameter]:
    """The parameters, each after those that it uses; raises `UsageError` where a setting made them circular."""
    order, circles = ordered({name: item.expression.names for name, item in parameters.items()})
    if circles:
        problems = [Problem("QN210", "the parameters are circular: " + " -> ".join(circle)) for circle in circles]
        raise UsageError(*problems)
    return {name: parameters[name] for name in order}


def _check_known_before(model: Model) -> None:
    """Raise `UsageError` where a setting made a number of servers or copies depend on the solution."""
    dependent = depends_on_solution(model)
    for expression, _ in bind.structural(model) if dependent else ():
        if uses_solution(expression, dependent):
            text = f'"{expression.source}" depends on the solution with these settings'
            raise UsageError(Problem("QN123", text, "a value known before solving"))
