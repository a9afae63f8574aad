"""The `qnet` command: finds its subcommands by name and loads only the one that runs."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import click

from qnet import budget, opened
from qnet.cli.command_group import CommandGroup, eager, helped
from qnet.cli.commands import COMMANDS, QUESTION
from qnet.cli.failures import guarded, write_line
from qnet.cli.files import say
from qnet.cli.options import ARGUMENTS, is_quiet
from qnet.version import __version__

EPILOG = """A SYSTEM is the name of a catalog system (qnet catalog list) or an example (qnet example), a path with / or
ending in .toml, or - for standard input. qnet help lists topics and explains commands in detail.

\b
Exit codes:
  0  success                   4  no answer exists
  1  internal error            5  not computed
  2  usage                     6  an assertion or a validation is false
  3  invalid model or data   130  interrupted"""


def _announce(text: str) -> None:
    """Print on standard error how long the work may take."""
    if not is_quiet():
        write_line(f"qnet: {text}")


class LazyGroup(CommandGroup):
    """A group whose commands are imported when they are used, so that `--help` and completion are fast."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Names only: enough for listing and completion.
        self.commands = dict.fromkeys(COMMANDS)  # type: ignore[assignment]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now."""
        row = COMMANDS.get(cmd_name)
        if row is None:
            return None
        module = import_module(row[0])
        return helped(module.command_of(cmd_name) if row[0] == QUESTION else module.command)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the order of the table."""
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, help) for name, (_, help) in COMMANDS.items()])

    def make_context(self, info_name: str | None, args: list[str], *more: Any, **extra: Any) -> click.Context:
        """Parse the arguments; a pipe closed while help is printed is no failure."""
        debug, words = "--debug" in args, list(args)
        context = guarded(lambda: super(LazyGroup, self).make_context(info_name, args, *more, **extra), debug)
        context.meta[ARGUMENTS] = words
        return context

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; every failure is reported as a message of qnet with its exit code."""

        def run() -> Any:
            with opened.listed(), budget.opened(budget.Account(announce=_announce)):
                result = super(LazyGroup, self).invoke(ctx)
            if sys.stdout is not None:  # pyright: ignore[reportUnnecessaryComparison]
                sys.stdout.flush()
            return result

        return guarded(run, bool(ctx.params.get("debug")))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EPILOG)
@click.option("--debug", is_flag=True, help="Show the traceback of an internal error.")
def qnet(debug: bool) -> None:
    """Solve queueing networks without simulating.

    qnet computes response time, throughput, utilization and saturation of a system described as service centres, by
    analytic and numerical methods. Every result states its method and whether it is exact or approximate.

    \f
    debug   show the traceback of an internal error.
    """


qnet.params.insert(0, eager(["-V", "--version"], "Show the version and exit.", lambda _: say(f"qnet {__version__}")))
helped(qnet)
