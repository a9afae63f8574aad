"""The `qnet` command: finds its subcommands by name and loads only the one that runs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import click

from qnet import budget, opened
from qnet.cli.failures import fail, guarded, unknown_word, write_line
from qnet.cli.options import ARGUMENTS, is_quiet, quiet_option
from qnet.version import __version__

COMMANDS: dict[str, tuple[str, str]] = {
    "solve": ("qnet.cli.solve", "Compute throughput, response time and utilization of a system."),
    "envelope": ("qnet.cli.envelope", "Find the largest load (or the smallest capacity) that meets a limit."),
    "cost": ("qnet.cli.cost", "Compute server time per unit of work, such as CPU time per page moved."),
    "sweep": ("qnet.cli.sweep", "Compute metrics over a grid of parameter values."),
    "map": ("qnet.cli.map", "Solve the model for each row of a CSV or JSONL stream."),
    "compare": ("qnet.cli.compare", "Compare systems or settings side by side."),
    "knee": ("qnet.cli.knee", "Find the knee of response time as load grows."),
    "formula": ("qnet.cli.formula", "Derive metrics as closed-form expressions; solve them for a parameter."),
    "bottleneck": ("qnet.cli.bottleneck", "Break down response time, find the bottleneck, rank upgrades."),
    "why": ("qnet.cli.why", "Explain a system's response time in words fit for a ticket."),
    "sensitivity": ("qnet.cli.sensitivity", "Compute how a metric depends on each parameter and on its uncertainty."),
    "calibrate": ("qnet.cli.calibrate", "Estimate parameters and their errors from measurements."),
    "queue": ("qnet.cli.queue", "Compute the metrics of a single station, such as M/M/c, in closed form."),
    "methods": ("qnet.cli.methods", "List the solution methods: accuracy, applicability, cost, source."),
    "check": ("qnet.cli.check", "Validate a model without solving it."),
    "validate": ("qnet.cli.validate", "Compare the models of measured studies with their published figures."),
    "study": ("qnet.cli.study", "Summarize a measured study on one screen: question, evidence, chart."),
    "convert": ("qnet.cli.convert", "Convert models from and to the formats of other tools."),
    "measured": ("qnet.cli.measured", "Turn files of monitoring tools into a table of measurements."),
    "new": ("qnet.cli.new", "Write a commented starter model to standard output."),
    "example": ("qnet.cli.example", "List the example models, or print one."),
    "catalog": ("qnet.cli.catalog", "List and show the parts, systems and studies that come with qnet."),
    "help": ("qnet.cli.help", "Explain a topic, or a command in detail."),
    "explain": ("qnet.cli.explain", "Explain an error or note code and what to do about it."),
    "schema": ("qnet.cli.schema", "Print the JSON Schema of an output, or of the model language."),
    "completion": ("qnet.cli.completion", "Print the completion script of a shell, or the manual page."),
}
"""Name -> module with a `command`, and the first line of its help."""

EPILOG = """A SYSTEM is the name of a catalog system (qnet catalog list) or an example (qnet example), a path with / or
ending in .toml, or - for standard input. qnet help lists topics and explains commands in detail.

\b
Exit codes:
  0  success                   4  no answer exists
  1  internal error            5  not computed
  2  usage                     6  an assertion or a validation is false
  3  invalid model or data   130  interrupted"""


class CommandGroup(click.Group):
    """A group of commands: suggests the nearest for an unknown one, prints its help for none."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "no_args_is_help": False})

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the options of the group; help that was not requested goes to standard error."""
        if not args and not ctx.resilient_parsing:
            fail(ctx.get_help(), 2)
        return super().parse_args(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, with a help option of qnet's."""
        command = super().get_command(ctx, cmd_name)
        return _helped(command) if command else None

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """The command that the arguments name; raises `UsageError` where there is none."""
        name = args[0]
        if name not in self.list_commands(ctx) and not name.startswith("-") and not ctx.resilient_parsing:
            raise unknown_word("command", name, self.list_commands(ctx), f"{ctx.command_path} --help")
        resolved = super().resolve_command(ctx, args)
        if resolved[1] is not None and not ctx.resilient_parsing:
            _refuse_repeated(click.Context(resolved[1], info_name=name, parent=ctx), resolved[2])
        return resolved


def _refuse_repeated(ctx: click.Context, args: list[str]) -> None:
    """Raise for an option of one value that is given twice: the first value would be ignored silently."""
    try:
        _, _, order = ctx.command.make_parser(ctx).parse_args(args=list(args))
    except click.UsageError:
        return  # Reported when the arguments are parsed.
    for item in order:
        last_wins = item.name in ("format_name", "color")
        if isinstance(item, click.Option) and not (item.multiple or item.is_flag or item.count or last_wins):
            times = sum(other is item for other in order)
            if times > 1:
                name = max(item.opts, key=len)
                raise click.UsageError(f"{name} is given {times} times, expected once", ctx)


def _helped(command: click.Command) -> click.Command:
    """The command with `--quiet`, and a help option from qnet: that of click searches the disk for translations."""
    if not any("--help" in parameter.opts for parameter in command.params):
        command.params.append(quiet_option())
        command.params.append(_eager(["-h", "--help"], "Show this message and exit.", _show_help))
    return command


def _show_help(ctx: click.Context) -> None:
    """Print the help of a command by groups of options, that of a group of commands as click does."""
    if isinstance(ctx.command, click.Group):
        _say(ctx.get_help())
        return
    from qnet.cli.layout import help_text

    _say(help_text(ctx))


def _say(text: str) -> None:
    from qnet.cli.files import say

    say(text)


def _eager(names: list[str], help: str, show: Callable[[click.Context], None]) -> click.Option:
    """A flag that prints something and ends the run, whatever the other arguments."""

    def show_and_exit(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        if value and not ctx.resilient_parsing:
            show(ctx)
            ctx.exit()

    return click.Option(names, is_flag=True, is_eager=True, expose_value=False, callback=show_and_exit, help=help)


def _announce(text: str) -> None:
    """Announce on standard error how long the work may take."""
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
        return _helped(import_module(row[0]).command) if row else None

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


qnet.params.insert(0, _eager(["-V", "--version"], "Show the version and exit.", lambda _: _say(f"qnet {__version__}")))
_helped(qnet)
