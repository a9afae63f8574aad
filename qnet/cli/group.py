"""The `qnet` command: finds its subcommands by name, loads only the one that is asked for, and reports failures."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, NoReturn, TypeVar

import click

from qnet import __version__
from qnet.errors import QnetError

COMMANDS: dict[str, tuple[str, str]] = {
    "solve": ("qnet.cli.solve", "Throughput, response and utilization of a system."),
    "envelope": ("qnet.cli.envelope", "The largest load at which a limit holds, along a grid."),
    "check": ("qnet.cli.check", "Say everything that is wrong with a model; compute nothing."),
    "validate": ("qnet.cli.validate", "Hold a study's published figures against its model."),
    "catalog": ("qnet.cli.catalog", "Parts, systems and studies that come with qnet."),
    "explain": ("qnet.cli.explain", "What an error or note code means and what to do."),
    "schema": ("qnet.cli.schema", "JSON Schema of an output."),
    "completion": ("qnet.cli.completion", "Print the completion script of a shell."),
}
"""Name -> module with a `command`, and the first line of its help."""

_Result = TypeVar("_Result")

EPILOG = """A SYSTEM is a catalog name (qnet catalog list), a path with / or ending in .toml, or - for standard input.

\b
Exit codes: 0 answered, 1 internal error, 2 usage, 3 invalid model or data, 4 no answer exists,
5 not computed, 6 an assertion or validation is false, 130 interrupted."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are used, so that `--help` and completion stay fast."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Names only: enough for listing, completion and "did you mean".
        self.commands = dict.fromkeys(COMMANDS)  # type: ignore[assignment]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now."""
        row = COMMANDS.get(cmd_name)
        return import_module(row[0]).command if row else None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the order of the table."""
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, help) for name, (_, help) in COMMANDS.items()])

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Parse the arguments; help that nobody reads to the end is no failure."""
        return _guarded(lambda: super(LazyGroup, self).make_context(*args, **kwargs))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; every failure leaves in qnet's own words and with its exit code."""

        def run() -> Any:
            result = super(LazyGroup, self).invoke(ctx)
            sys.stdout.flush()
            return result

        try:
            return _guarded(run)
        except QnetError as error:
            _fail(str(error), error.exit_code)
        except KeyboardInterrupt:
            _fail("interrupted", 130)
        except (click.exceptions.Exit, click.ClickException, click.Abort, SystemExit):
            raise
        except Exception as error:
            if ctx.params.get("debug"):
                raise
            words = f"{type(error).__name__}: {error}".splitlines()[0][:300]
            _fail(f"internal error: {words}\n  help: run the command again with qnet --debug and report what it prints", 1)


def _guarded(action: Callable[[], _Result]) -> _Result:
    """Run an action; a reader that closes the pipe has seen enough, which is success."""
    try:
        return action()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None


def _fail(message: str, code: int) -> NoReturn:
    try:
        for line in message.splitlines():
            prefix = "" if line.startswith(" ") else "qnet: "
            click.echo(prefix + line, err=True)
    except BrokenPipeError:
        pass
    raise SystemExit(code)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EPILOG)
@click.version_option(__version__, "-V", "--version", prog_name="qnet", message="%(prog)s %(version)s")
@click.option("--debug", is_flag=True, help="Show the traceback of an internal error.")
def qnet(debug: bool) -> None:
    """Solve queueing networks without simulating.

    qnet takes a system described as service centres and answers in closed form: how it responds, where it saturates,
    how much load it can take. Every answer says by which method it was found and how far it can be trusted.
    """
