"""The command of a question, made from its row in the table of signatures and its `Command`.

Every parameter of the signature becomes an option. Options such as `--metric` and those of the method are the same for
all questions; a parameter of type `Model` takes the name of a system.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from inspect import Parameter
from typing import TYPE_CHECKING, Any

import click

from qnet.cli.commands import RUN_BY
from qnet.cli.options import (
    Drawing,
    OutputOptions,
    Renamed,
    assert_option,
    collect,
    complete_system,
    completed,
    metric_option,
    optional_system_argument,
    output_options,
    parameter_option,
    percentile_option,
    plot_options,
    require_one,
    stated,
    value_options,
)
from qnet.cli.shared_options import (
    SystemOptions,
    affordable,
    asked,
    bounds_option,
    budget_options,
    inline_options,
    limited,
    method,
    method_options,
    opened,
    states_option,
)
from qnet.question import Command, Option
from qnet.signatures import METHOD_FIELDS, Row, answering, rows

if TYPE_CHECKING:
    from qnet.model.model import Model

Decorator = Callable[[Any], Any]


def options_of(question: str) -> Callable[..., Decorator]:
    """A function that makes options of a question, for a command that is written out.

    question  the name of the question, a method of `qnet.System`. The function takes the fields of `Option`.
    """
    parameters = rows()[question].parameters

    def made(name: str, metavar: str = "", help: str = "", **named: Any) -> Decorator:
        return decorator(Option(name, metavar, help, **named), parameters)

    return made


def decorator(option: Option, parameters: Mapping[str, Parameter]) -> Decorator:
    """The decorator that adds an option, or an argument, to a command.

    option      its name, help and other properties.
    parameters  those of the question, by name.
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
    """The arguments of `click.option` that follow from a parameter: its default, and whether it is a flag, may be
    repeated, or is a text, which may not be empty.

    typed  whether the values of the option have a type other than text.
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


_SHARED: dict[str, Decorator] = {"metric": metric_option, "percentile": percentile_option, "unit": value_options}
"""Parameter -> the options shared by several questions."""
_METHOD: dict[str, Decorator] = {"bounds": bounds_option, "states": states_option}
"""Parameter -> the option listed with those of the method."""


def command_of(name: str) -> click.Command:
    """The command of a question, by its name in the table of signatures."""
    row = rows()[name]
    words = row.command()
    parameters = dict(row.parameters)
    for other in words.also:
        parameters |= {key: item for key, item in rows()[other].parameters.items() if key not in parameters}

    def command(**options: Any) -> None:
        if name in RUN_BY:
            import_module(RUN_BY[name]).run(**options)
        else:
            _ask(row, words, parameters, options)

    callback: Any = command
    for decorate in reversed(list(_decorators(words, parameters))):
        callback = decorate(callback)
    made = click.command(
        name,
        cls=Drawing if words.plot else click.Command,
        help=f"{row.help}\n\n{words.text}",
        epilog=words.epilog or None,
    )
    return made(callback)


def _decorators(words: Command, parameters: Mapping[str, Parameter]) -> Iterator[Decorator]:
    """The decorators that add the arguments and options of a command, in the order of its help."""
    others = _others(parameters)
    if words.operands or others:
        name, metavar = ("given", words.operands) if words.operands else ("systems", "[SYSTEM]...")
        yield click.argument(name, metavar=metavar, nargs=-1, callback=stated, shell_complete=complete_system)
    else:
        yield optional_system_argument
    yield parameter_option
    if not words.operands:
        yield inline_options
    for option in words.options:
        yield _SHARED[option.name] if not option.help and option.name in _SHARED else decorator(option, parameters)
        if option.name in parameters and parameters[option.name].annotation.startswith("Model"):
            word = f"--{option.name.replace('_', '-')}-parameter"
            yield click.option(word, multiple=True, metavar="NAME=VALUE", help="Set its parameters.")
    listed = {item.name for item in words.options} | {*words.derived, *METHOD_FIELDS, others}
    for name in parameters:
        if name not in listed:
            yield _SHARED[name] if name in _SHARED else decorator(Option(name, "VALUE"), parameters)
    if words.plot:
        yield plot_options
    yield method_options if "method" in parameters else budget_options
    yield from (option for name, option in _METHOD.items() if name in parameters)
    yield assert_option
    yield output_options


def _others(parameters: Mapping[str, Parameter]) -> str:
    """The parameter of the further systems after the first; empty where there is none."""
    several = (name for name, item in parameters.items() if item.kind is item.VAR_POSITIONAL)
    return next((name for name in several if parameters[name].annotation == "Model"), "")


def _ask(row: Row, words: Command, parameters: Mapping[str, Parameter], options: dict[str, Any]) -> None:
    """Compute the answer, and write the report."""
    from qnet.cli.output import ready, write

    value = words.value and options.pop("value")
    if value:
        require_one(options["metric"], options["percentile"], options)
    if "method" in parameters:
        options["wanted"] = method(options)
    elif "operations" in parameters:
        options["wanted"] = affordable(options)
    else:
        limited(options)
    output, network, rest = collect(options), *_systems(options)
    _refuse_together(words, bool(rest))
    ready(output)
    models = _models(parameters, options)
    with opened(network) as model, _watched(options):
        if others := _others(parameters):
            models[others] = _open(rest, network.settings)
        options |= {name: _given(name, network, output, value) for name in words.given}
        report = answering(words.answer or row.answer)(model, **options, **models)
    write(report, output, value=value)


@contextmanager
def _watched(options: dict[str, Any]) -> Generator[None]:
    """Show on a terminal how many points are solved, where the question has a method; elsewhere load nothing."""
    if "wanted" not in options or not options["wanted"].announce:
        yield
        return
    from qnet.cli.progress import watched

    with watched(options["wanted"]) as options["wanted"]:
        yield


def _systems(options: dict[str, Any]) -> tuple[SystemOptions, tuple[str, ...]]:
    """Take the systems out of the arguments of a command: the first with its options, and the names of the others."""
    if "systems" not in options:
        return asked(options), ()
    first, *rest = options.pop("systems") or (None,)
    options["system"] = first
    if [first, *rest].count("-") > 1:
        raise click.UsageError("- is given twice, expected at most one model from standard input")
    return asked(options), tuple(rest)


def _models(parameters: Mapping[str, Parameter], options: dict[str, Any]) -> dict[str, Any]:
    """Open the models named by options, and take these out of the arguments of a command."""
    models: dict[str, Any] = {}
    for name, parameter in parameters.items():
        if name in options and parameter.annotation.startswith("Model"):
            system, settings = options.pop(name), options.pop(f"{name}_parameter")
            models[name] = _open([system], settings)[0] if system else None
    return models


def _open(systems: Sequence[str], settings: Sequence[str]) -> list[Model]:
    """The models of several systems, each with the settings."""
    if not systems:
        return []
    from qnet.cli.system import open_system

    return [open_system(system, settings) for system in systems]


def _given(name: str, network: SystemOptions, output: OutputOptions, value: bool) -> Any:
    """The value of a further argument of the answer, by its name in `Command.given`."""
    if name == "network":
        return network.words()
    if name == "only":
        return value
    from qnet.cli.output import form
    from qnet.formats import FORMATS, INSIDE

    return output.plot or bool(output.figure) or FORMATS[form(output)].drawing == INSIDE


def _refuse_together(words: Command, several: bool) -> None:
    """Refuse options that exclude each other, and those that lack an option they need.

    several  whether there is more than one system.
    """
    context = click.get_current_context()
    written = {item.name or "": item for item in context.command.params}
    default = click.core.ParameterSource.DEFAULT
    given = {name for name in written if context.get_parameter_source(name) not in (default, None)}

    def words_of(names: Iterable[str]) -> str:
        from qnet.cli.output import listed
        from qnet.cli.usage import parameter_name

        return listed([parameter_name(written[name]) for name in names], "and")

    for names in words.excluding:
        if len(given.intersection(names)) > 1:
            raise click.UsageError(f"{words_of(names)} exclude each other")
    needs: dict[str, list[str]] = {}
    for option in words.options:
        if option.single and several and option.name in given:
            raise click.UsageError(f"{words_of([option.name])} needs exactly one SYSTEM, which it changes")
        if option.needs:
            needs.setdefault(option.needs, []).append(option.name)
        if (settings := f"{option.name}_parameter") in written:
            needs[option.name] = [settings]
    for needed, names in needs.items():
        if needed not in given and given.intersection(names):
            raise click.UsageError(f"{words_of(names)} need{'' if len(names) > 1 else 's'} {words_of([needed])}")
