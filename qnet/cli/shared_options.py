"""Options that several commands share: the system, the method and its budget."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from qnet.cli.options import MethodOption, ModelOption, stated
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.cli.inline import Inline
    from qnet.model.model import Model
    from qnet.networks.wanted import Wanted


_Command = TypeVar("_Command", bound=Callable[..., Any])

INLINE = ("stations", "delays", "servers", "arrival_rate", "population", "think_time")
"""The options of a network without a file, as arguments of a command."""


def _complete_method(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    from qnet.networks.solvers.loader import known
    from qnet.networks.solvers.table import names

    result = [name for name in ("auto", *names()) if name.startswith(incomplete)]
    return [CompletionItem(name, help="" if name == "auto" else known(name).APPLIES) for name in result]


def _complete_bounds(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    from qnet.networks.solvers.bounds import BOUNDS

    return [CompletionItem(name, help=kind.applies) for name, kind in BOUNDS.items() if name.startswith(incomplete)]


def _core_solutions(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    """A number of core solutions, or None for iterating until they converge."""
    if value == "converged":
        return None
    try:
        count = int(value or "3")
    except ValueError:
        count = 0
    if count < 1:
        raise click.BadParameter(f"{value!r} is not valid, expected an integer of at least 1, or converged", ctx, param)
    return count


def budget_options(command: _Command) -> _Command:
    """`--operations` and `--memory`: the limits of a command."""
    operations = click.option("--operations", type=click.FloatRange(min=0, min_open=True), metavar="NUMBER",
                              help="Operation limit (about 1e9/s; default: 1e10).")  # fmt: skip
    memory = click.option("--memory", metavar="SIZE", help="Memory limit, such as 4 GB (default: 1 GB).")
    return operations(memory(command))


def method_options(command: _Command) -> _Command:
    """`--method`, `--operations`, `--memory`, `--servers-correction` and `--core-solutions`."""
    option = partial(click.option, cls=MethodOption)
    for decorate in reversed(
        [
            option("--method", "method_name", metavar="NAME", default="auto", shell_complete=_complete_method,
                   help="Solution method (see qnet methods; default: auto, the most accurate within budget)."),
            budget_options,
            option("--servers-correction", metavar="NAME", default="",
                   help="Multiserver approximation: conway, seidmann or rolia-sevcik."),
            option("--core-solutions", metavar="NUMBER", default="3", callback=_core_solutions,
                   help="Linearizer iterations, or converged (default: 3)."),
        ]
    ):  # fmt: skip
        command = decorate(command)
    return command


bounds_option = click.option(
    "--bounds", cls=MethodOption, metavar="KIND", default="", shell_complete=_complete_bounds,
    help="Also compute bounds: asymptotic, balanced, composite, proportional or geometric.",
)  # fmt: skip
states_option = click.option(
    "--states",
    cls=MethodOption,
    is_flag=True,
    help="Also compute the probabilities of 0, 1, ... closed customers at stations.",
)


def method(options: dict[str, Any]) -> Wanted:
    """Take the options of `method_options`, and `--bounds` and `--states`, out of the arguments of a command."""
    from qnet.networks.wanted import AUTO

    name, correction = options.pop("method_name"), options.pop("servers_correction")
    operations, memory = limited(options)
    bounds = options.pop("bounds", "")
    if name != "auto":
        _known("method", name)
    if bounds:
        _known("bounds", bounds)
    if correction:
        _known("correction", correction)
    return AUTO.replace(
        method=name,
        states=options.pop("states", False),
        bounds=bounds,
        announce=_announcer(),
        operations=operations,
        memory=memory,
        correction=correction,
        core_solutions=options.pop("core_solutions"),
    )


def limited(options: dict[str, Any]) -> tuple[float, float]:
    """Take the options of `budget_options` out of the arguments of a command, and limit its account by them.

    Returns   the operations, and the memory in bytes.
    """
    from qnet import budget

    operations, text = options.pop("operations"), options.pop("memory")
    limits = operations or budget.OPERATIONS, budget.MEMORY if text is None else _size(text)
    account = budget.current()
    if account is not None:
        account.limit(*limits)
    return limits


def affordable(options: dict[str, Any]) -> Wanted:
    """The best method within the limits of `budget_options`, which are taken out of the arguments of a command."""
    from qnet.networks.wanted import AUTO

    operations, memory = limited(options)
    return AUTO.replace(operations=operations, memory=memory, announce=_announcer())


def _announcer() -> Callable[[str], None] | None:
    """A function that announces long computations; None where standard error is no terminal."""
    import sys

    if sys.stderr is None or not sys.stderr.isatty():  # pyright: ignore[reportUnnecessaryComparison]
        return None
    from qnet.cli.failures import write_line

    return lambda text: write_line(f"qnet: {text}")


def _known(what: str, name: str) -> None:
    """Refuse an unknown method, kind of bounds or correction."""
    from qnet.errors import Problem, UsageError, suggest
    from qnet.networks.solvers.bounds import BOUNDS
    from qnet.networks.solvers.table import names
    from qnet.networks.wanted import CORRECTIONS

    options = {"method": ("auto", *names()), "bounds": tuple(BOUNDS), "correction": CORRECTIONS}[what]
    if name not in options:
        raise UsageError(Problem("QN514", f'unknown {what} "{name}"', ", ".join(options), help=suggest(name, options)))


def _size(text: str) -> float:
    """A number of bytes."""
    from qnet.units import DATA, UnitError, quantity

    try:
        value, dimension = quantity(text)
    except UnitError as error:
        raise click.UsageError(f"--memory {text}: {error}") from None
    if dimension != DATA or value <= 0:
        raise click.UsageError(f"--memory {text}: expected a size above 0, such as 4 GB")
    return value


class SystemOptions(Record):
    """The system of a command: a SYSTEM with settings, or a network given by options."""

    system: str | None
    settings: tuple[str, ...]
    network: tuple[Any, ...]
    """The values of the options of a network without a file, in the order of `INLINE`."""

    def words(self) -> tuple[str, ...]:
        """The options of a network without a file as words of a command line; empty for a SYSTEM."""
        words: list[str] = []
        for key, value in zip(INLINE, self.network, strict=True):
            option = "--" + {"stations": "station", "delays": "delay"}.get(key, key.replace("_", "-"))
            for text in (value,) if isinstance(value, str) else value or ():
                words += [option, text]
        return tuple(words)


def inline_options(command: _Command) -> _Command:
    """The options of a network without a file: `--station`, `--delay`, `--servers`, `--arrival-rate`, `--population`,
    `--think-time`."""
    option = partial(click.option, cls=ModelOption)
    for decorate in reversed(
        [
            option("--station", "stations", multiple=True, metavar="NAME=TIME",
                   help="Station and its demand (parameter demand_NAME)."),
            option("--delay", "delays", multiple=True, metavar="NAME=TIME",
                   help="Delay station and its time (parameter delay_NAME)."),
            option("--servers", multiple=True, metavar="NAME=NUMBER",
                   help="Servers, default 1 (parameter servers_NAME)."),
            option("--arrival-rate", metavar="RATE", callback=stated,
                   help="Arrival rate of an open class, such as 3/s."),
            option("--population", metavar="NUMBER", callback=stated,
                   help="Population of a closed class."),
            option("--think-time", metavar="TIME", callback=stated,
                   help="Think time of a closed class."),
        ]
    ):  # fmt: skip
        command = decorate(command)
    return command


def asked(options: dict[str, Any]) -> SystemOptions:
    """Take the system out of the arguments of a command; raises `click.UsageError` for none, or for two."""
    system, settings = options.pop("system"), options.pop("settings")
    network = tuple(options.pop(key) for key in INLINE)
    if system is not None and any(network):
        if bare := next((text for text in (*network[0], *network[1]) if "=" not in text), ""):
            option = "--station" if bare in network[0] else "--delay"
            raise click.UsageError(f'{option} "{bare}" is incomplete; expected {option} NAME=TIME, such as cpu=120ms')
        raise click.UsageError(
            "a SYSTEM cannot be combined with options of a network without a file; use -p to set a parameter"
        )
    if system is None and not any(network):
        raise click.UsageError(
            "there is nothing to solve, expected a SYSTEM, or --station and --arrival-rate or --population"
        )
    return SystemOptions(system, settings, network)


@contextmanager
def opened(asked: SystemOptions) -> Generator[Model]:
    """The model of a command, with its settings; errors inside name the option at fault.

    Raises `UsageError` for an unknown name or setting, `InvalidInput` for a defect of a file.
    """
    if asked.system is not None:
        from qnet.cli.system import open_system

        yield open_system(asked.system, asked.settings)
        return
    from qnet.cli.inline import inline
    from qnet.errors import InvalidInput

    stations, delays, servers, arrival_rate, population, think_time = asked.network
    network = inline(stations, delays, servers, arrival_rate or "", population or "", think_time or "")
    try:
        yield _with(network, asked.settings)
    except InvalidInput as error:
        raise network.blame(error) from None


def _with(network: Inline, settings: Sequence[str]) -> Model:
    model = network.model()
    if not settings:
        return model
    from qnet.model.settings import parse_settings, with_settings

    return with_settings(model, parse_settings(settings))
