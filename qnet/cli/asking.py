"""The options of a question, from the table of signatures that `qnet.System` has too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter
from typing import Any

import click

from qnet.cli.options import Renamed, complete_system, completed, stated
from qnet.question import Option
from qnet.signatures import rows

Decorator = Callable[[Any], Any]


def options_of(question: str) -> Callable[..., Decorator]:
    """A maker of the options of a question of `qnet.System`, for a command that is written out.

    question  its name there. The maker takes the fields of `Option`.
    """
    parameters = rows()[question].parameters

    def made(name: str, metavar: str = "", help: str = "", **named: Any) -> Decorator:
        return decorator(Option(name, metavar, help, **named), parameters)

    return made


def decorator(option: Option, parameters: Mapping[str, Parameter]) -> Decorator:
    """What adds an option to a command, or an argument.

    option      its words.
    parameters  of the question, by name.
    """
    parameter = parameters.get(option.name)
    many = option.repeated or (parameter is not None and _repeated(parameter))
    if option.argument:
        return click.argument(option.name, nargs=-1 if many else 1, required=False, callback=stated)
    made: dict[str, Any] = {"is_flag": True} if option.flag else {"multiple": option.repeated, "callback": stated}
    if parameter is not None:
        kind = _type(option, parameter)
        made = _kind(parameter, typed=kind is not None) | ({} if kind is None else {"type": kind})
    if option.optional:
        made["default"] = None
    if option.required:
        made["required"] = True
    if parameter is not None and "Model" in parameter.annotation:
        made["shell_complete"] = complete_system
    if option.completes:
        made["shell_complete"] = completed(option.completes)
    words = option.words or (_word(option.name),)
    if len(words) > 1:
        made["cls"] = Renamed
    return click.option(*words, option.name, metavar=option.metavar or None, help=option.help, **made)


def _kind(parameter: Parameter, typed: bool) -> dict[str, Any]:
    """The default of a parameter, and what its annotation says: a flag, a list, a text that may not be empty.

    typed  whether the option has a type of its values, and no text.
    """
    repeated = _repeated(parameter)
    made: dict[str, Any] = {"default": () if repeated else parameter.default}
    if repeated:
        made["multiple"] = True
    if parameter.annotation == "bool":
        made["is_flag"] = True
    elif not typed:
        made["callback"] = stated
    return made


def _type(option: Option, parameter: Parameter) -> Any:
    """The type of the values of an option: numbers within a range, or words of a choice; None for texts and flags."""
    if option.choices:
        return click.Choice(option.choices)
    kinds = parameter.annotation.split(" | ")
    if "float" not in kinds and "int" not in kinds:
        return None
    least, most = option.range
    if least is None and most is None:
        return float if "float" in kinds else int
    made: Any = click.FloatRange if "float" in kinds else click.IntRange
    return made(least, most, min_open=option.above)


def _repeated(parameter: Parameter) -> bool:
    return parameter.kind is parameter.VAR_POSITIONAL or "Texts" in parameter.annotation


def _word(name: str) -> str:
    return f"--{name.replace('_', '-')}"
