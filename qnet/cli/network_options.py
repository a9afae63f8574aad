"""A system from a file or the catalog, or a small one from command-line options: for every command that takes one."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from qnet.cli.options import ModelOption, optional_system_argument, parameter_option, stated
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.cli.inline import Inline
    from qnet.model.model import Model

_Command = TypeVar("_Command", bound=Callable[..., Any])
INLINE = ("stations", "delays", "servers", "arrival_rate", "population", "think_time")
"""The options of a network without a file, as arguments of a command."""


class SystemOptions(Record):
    """What a command was asked about."""

    system: str | None
    settings: tuple[str, ...]
    network: tuple[Any, ...]
    """The values of the options of a network without a file, in the order of `INLINE`."""

    def words(self) -> tuple[str, ...]:
        """The options of a network without a file, as words of a command line; none for a system of a file."""
        words: list[str] = []
        for key, value in zip(INLINE, self.network, strict=True):
            option = "--" + {"stations": "station", "delays": "delay"}.get(key, key.replace("_", "-"))
            for text in (value,) if isinstance(value, str) else value or ():
                words += [option, text]
        return tuple(words)


def network_options(command: _Command) -> _Command:
    """SYSTEM or the options of a network without a file; and `-p`."""
    return optional_system_argument(parameter_option(inline_options(command)))


def inline_options(command: _Command) -> _Command:
    """Without a file: `--station`, `--delay`, `--servers`, `--arrival-rate`, `--population`, `--think-time`."""
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
    """Take what a command was asked about out of its arguments; raises `click.UsageError` for none, or for two."""
    system, settings = options.pop("system"), options.pop("settings")
    network = tuple(options.pop(key) for key in INLINE)
    if system is not None and any(network):
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
    """The model that was asked about, with its settings; errors inside name the option at fault.

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
