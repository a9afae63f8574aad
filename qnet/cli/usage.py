"""Errors of click in the form of all other errors, with suggestions of what may be meant."""

from __future__ import annotations

from collections.abc import Sequence

import click

from qnet.errors import Problem, UsageError

_ALSO_CALLED = {
    "--lambda": "--arrival-rate",
    "--mu": "--service-rate",
    "--rho": "--utilization",
    "--users": "--population",
    "--customers": "--population",
    "--clients": "--population",
    "--jobs": "--population",
    "--population": "--sources",
    "--buffer": "--capacity",
    "--places": "--capacity",
    "--think": "--think-time",
    "--agents": "--servers",
    "--chart": "--plot",
}
"""Common names of an option in other tools, and its name here."""
_SETTING = ("--set", "--param", "--parameters", "--with")
"""Common names of --parameter in other tools."""
_AS_METRIC = {
    "--metric": "a percentile is a metric: --metric response_p95",
    "--limit": "a percentile is a metric: --limit 'response_p95 <= 1 s'",
}
"""The advice for --percentile, by an option that the command has instead."""


def usage_error(error: click.UsageError) -> UsageError:
    """A usage error of click in the form of every other error, the same for all versions of click."""
    help = f"{error.ctx.command_path} --help" if error.ctx else "add --help to the command"
    expected = ""
    match error:
        case click.NoSuchOption(option_name=name):
            text = f'unknown option "{name}"'
            help = _near_option(name, error.ctx) or help
        case click.MissingParameter(param=click.Parameter() as parameter):
            text, expected = f"{parameter_name(parameter)} is missing", _choices(parameter)
        case click.BadParameter(param=click.Parameter() as parameter):
            text = f"{parameter_name(parameter)}: {error.message}".rstrip(".")
        case _:
            message = error.format_message().rstrip(".")
            # An argument is written in capitals: KIND.
            text = message if message[:2].isupper() else message[:1].lower() + message[1:]
            help = _as_one_list(text, error.ctx) or _as_parameters(text, error.ctx) or help
    return UsageError(Problem("QN001", text, expected, help=help))


def unknown_word(kind: str, word: str, known: Sequence[str], help: str) -> UsageError:
    """The error for an unknown command or code, with the nearest names."""
    return UsageError(Problem("QN001", f'unknown {kind} "{word}"', help=_near(word, known) or help))


def _near(word: str, known: Sequence[str]) -> str:
    """`did you mean "solve"?` for words that are likely meant; empty where none is."""
    from difflib import get_close_matches

    longer = [item for item in known if len(word.strip("-")) > 1 and item.startswith(word)]
    near = dict.fromkeys([*longer, *get_close_matches(word, known, cutoff=0.7)])
    return "did you mean " + " or ".join(f'"{item}"' for item in list(near)[:3]) + "?" if near else ""


def _near_option(name: str, ctx: click.Context | None) -> str:
    """As `_near`, also by names of other tools, by a part of the name, and for a parameter of the model."""
    known = _options(ctx)
    if name == "--percentile" and (words := next((_AS_METRIC[key] for key in _AS_METRIC if key in known), "")):
        return words
    if name in _SETTING and "--parameter" in known:
        return "a parameter of the model is set by -p NAME=VALUE"
    meant = [option for option in (_ALSO_CALLED.get(name),) if option in known]
    word = name.strip("-")
    parts = [option for option in known if word in option.strip("-").split("-") and option.startswith("--")]
    listed = " or ".join(f'"{option}"' for option in (meant or parts)[:3])
    near = f"did you mean {listed}?" if listed else _near(name, known)
    if near and (not listed or "--parameter" not in known):
        return near
    if elsewhere := _commands_with(name, ctx):
        return f"{near} {name} is an option of {', '.join(elsewhere)}".strip()
    return f"{near} A parameter of the model is set by -p {word}=VALUE".strip() if "--parameter" in known else near


def _as_one_list(text: str, ctx: click.Context | None) -> str:
    """The advice for several percentiles, where numbers remain that belong to no option; else empty."""
    given = ctx.params.get("percentile") if ctx else None
    rest = text.rpartition("(")[2].rstrip(")").split()
    if not given or "extra argument" not in text or not all(word.replace(".", "", 1).isdigit() for word in rest):
        return ""
    numbers = [*(f"{number:g}" for number in given), *rest]
    return f"several percentiles are separated by commas: --percentile {','.join(numbers)}"


def _as_parameters(text: str, ctx: click.Context | None) -> str:
    """The advice for setting parameters, where NAME=VALUE remains that belongs to no option; else empty."""
    rest = text.rpartition("(")[2].rstrip(")").split()
    if "extra argument" not in text or "--parameter" not in _options(ctx) or not all("=" in word for word in rest):
        return ""
    return f"a parameter of the model is set by {' '.join(f'-p {word}' for word in rest)}"


def _commands_with(name: str, ctx: click.Context | None) -> list[str]:
    """The other commands that have an option."""
    if ctx is None or ctx.parent is None or not isinstance(ctx.parent.command, click.Group):
        return []
    group = ctx.parent.command
    commands = ((each, group.get_command(ctx.parent, each)) for each in group.list_commands(ctx.parent))
    return [
        f"qnet {each}"
        for each, command in commands
        if command is not None and any(name in parameter.opts for parameter in command.params)
    ]


def _options(ctx: click.Context | None) -> list[str]:
    return [option for parameter in ctx.command.get_params(ctx) for option in parameter.opts] if ctx else []


def parameter_name(parameter: click.Parameter) -> str:
    """The name of a parameter in messages: `--limit`, `SYSTEM`."""
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len)
    return parameter.human_readable_name


def _choices(parameter: click.Parameter) -> str:
    words = parameter.type.choices if isinstance(parameter.type, click.Choice) else getattr(parameter, "choices", ())
    return "one of " + ", ".join(map(str, words)) if words else ""
