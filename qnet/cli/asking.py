"""The options of a question, from the table of signatures that `qnet.System` has too."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, TypeVar

import click

from qnet.cli.options import stated
from qnet.signatures import Questions

_Command = TypeVar("_Command", bound=Callable[..., Any])


def options_of(question: str) -> Callable[..., Callable[[_Command], _Command]]:
    """A maker of the options of a question of `qnet.System`.

    question  its name there. An option is made of the name of a parameter, and of what only a command needs: other
              words for it, a metavar, a help. Its default, whether it may be repeated and whether it is a flag are
              those of the parameter; a text may not be empty.
    """
    parameters = signature(getattr(Questions, question)).parameters

    def option(name: str, *words: str, **more: Any) -> Callable[[_Command], _Command]:
        parameter = parameters[name]
        repeated = parameter.kind is parameter.VAR_POSITIONAL or "Texts" in parameter.annotation
        made: dict[str, Any] = {"default": () if repeated else parameter.default}
        if repeated:
            made["multiple"] = True
        if parameter.annotation == "bool":
            made["is_flag"] = True
        elif "type" not in more:
            made["callback"] = stated
        return click.option(*(words or [f"--{name.replace('_', '-')}"]), name, **(made | more))

    return option


faster_option = options_of("bottleneck")(
    "faster", type=float, metavar="NUMBER", help="Speed-up factor of a station (default: 2)."
)
