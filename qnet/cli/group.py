"""The `qnet` command: finds its subcommands by name and loads only the one that is asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import click

from qnet import __version__
from qnet.cli.failures import fail, guarded, unknown_word

COMMANDS: dict[str, tuple[str, str]] = {
    "solve": ("qnet.cli.solve", "Throughput, response and utilization of a system."),
    "envelope": ("qnet.cli.envelope", "The largest load at which limits hold, or the smallest of what helps."),
    "cost": ("qnet.cli.cost", "Server time per unit, such as CPU time per page moved."),
    "sweep": ("qnet.cli.sweep", "Every metric along grids of parameters."),
    "map": ("qnet.cli.map", "Rows of parameters in, the same rows with answers out: a filter."),
    "compare": ("qnet.cli.compare", "Systems or settings side by side."),
    "knee": ("qnet.cli.knee", "Where the curve of response against load breaks."),
    "formula": ("qnet.cli.formula", "The closed form itself, also solved for a parameter."),
    "bottleneck": ("qnet.cli.bottleneck", "Where the time goes, what is full first, what would help."),
    "why": ("qnet.cli.why", "Why a system responds as it does, in words fit for a ticket."),
    "sensitivity": (
        "qnet.cli.sensitivity",
        "What every parameter, and doubt about it, does to a metric.",
    ),
    "calibrate": ("qnet.cli.calibrate", "Parameters from measurements, with their errors."),
    "queue": ("qnet.cli.queue", "The figures of one station, such as M/M/c, in closed form."),
    "methods": ("qnet.cli.methods", "The methods for networks: trust, applicability, cost, source."),
    "check": ("qnet.cli.check", "Say everything that is wrong with a model; compute nothing."),
    "validate": ("qnet.cli.validate", "Hold the published figures of studies against their models."),
    "study": ("qnet.cli.study", "A measured study on one screen: question, evidence, picture."),
    "catalog": ("qnet.cli.catalog", "Parts, systems and studies that come with qnet."),
    "explain": ("qnet.cli.explain", "What an error or note code means and what to do."),
    "schema": ("qnet.cli.schema", "JSON Schema of an output."),
    "completion": ("qnet.cli.completion", "Print the completion script of a shell."),
}
"""Name -> module with a `command`, and the first line of its help."""

EPILOG = """A SYSTEM is a catalog name (qnet catalog list), a path with / or ending in .toml, or - for standard input.

\b
Exit codes:
  0  answered                  4  no answer exists
  1  internal error            5  not computed
  2  usage                     6  an assertion or a validation is false
  3  invalid model or data   130  interrupted"""


class Group(click.Group):
    """A group of commands that answers an unknown one with the nearest, and none at all with its help."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "no_args_is_help": False})

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the options of the group; its help goes to standard error where it was not asked for."""
        if not args and not ctx.resilient_parsing:
            fail(ctx.get_help(), 2)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """The command that the arguments name; raises `UsageError` where there is none."""
        name = args[0]
        if name not in self.list_commands(ctx) and not name.startswith("-") and not ctx.resilient_parsing:
            raise unknown_word("command", name, self.list_commands(ctx), f"{ctx.command_path} --help")
        found = super().resolve_command(ctx, args)
        if found[1] is not None and not ctx.resilient_parsing:
            _refuse_repeated(click.Context(found[1], info_name=name, parent=ctx), found[2])
        return found


def _refuse_repeated(ctx: click.Context, args: list[str]) -> None:
    """Raise for an option of one value that is given twice: the first value would be lost without a word."""
    try:
        _, _, order = ctx.command.make_parser(ctx).parse_args(args=list(args))
    except click.UsageError:
        return  # It is told when the arguments are parsed.
    for item in order:
        last_wins = item.name in ("format_name", "color")
        if isinstance(item, click.Option) and not (item.multiple or item.is_flag or item.count or last_wins):
            times = sum(other is item for other in order)
            if times > 1:
                name = max(item.opts, key=len)
                raise click.UsageError(f"found {name} {times} times, expected it once", ctx)


def _helped(command: click.Command) -> click.Command:
    """The command with a help option of qnet's own: click's searches the disk for translations of its text."""
    if not any("--help" in parameter.opts for parameter in command.params):
        told = "Show this message and exit."
        command.params.append(_eager(["-h", "--help"], told, lambda ctx: click.echo(ctx.get_help(), color=ctx.color)))
    return command


def _eager(names: list[str], help: str, tell: Callable[[click.Context], None]) -> click.Option:
    """A flag that tells something and ends the run, whatever else was asked."""

    def told(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        if value and not ctx.resilient_parsing:
            tell(ctx)
            ctx.exit()

    return click.Option(names, is_flag=True, is_eager=True, expose_value=False, callback=told, help=help)


class LazyGroup(Group):
    """A group whose commands are imported when they are used, so that `--help` and completion stay fast."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Names only: enough for listing and completion.
        self.commands = dict.fromkeys(COMMANDS)  # type: ignore[assignment]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now."""
        row = COMMANDS.get(cmd_name)
        return _helped(import_module(row[0]).command) if row else None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the order of the table."""
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, help) for name, (_, help) in COMMANDS.items()])

    def make_context(self, info_name: str | None, args: list[str], *more: Any, **extra: Any) -> click.Context:
        """Parse the arguments; help that nobody reads to the end is no failure."""
        debug = "--debug" in args
        return guarded(lambda: super(LazyGroup, self).make_context(info_name, args, *more, **extra), debug)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; every failure leaves in qnet's own words and with its exit code."""

        def run() -> Any:
            result = super(LazyGroup, self).invoke(ctx)
            if sys.stdout is not None:  # pyright: ignore[reportUnnecessaryComparison]
                sys.stdout.flush()
            return result

        return guarded(run, bool(ctx.params.get("debug")))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EPILOG)
@click.option("--debug", is_flag=True, help="Show the traceback of an internal error.")
def qnet(debug: bool) -> None:
    """Solve queueing networks without simulating.

    qnet takes a system described as service centres and answers in closed form: how it responds, where it saturates,
    how much load it can take. Every answer says by which method it was found and how far it can be trusted.
    """


qnet.params.insert(
    0, _eager(["-V", "--version"], "Show the version and exit.", lambda _: click.echo(f"qnet {__version__}"))
)
_helped(qnet)
