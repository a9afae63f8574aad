"""Options that commands share, each defined once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., Any])


class Output(NamedTuple):
    """Where an answer goes and what it looks like."""

    format: str
    """A name of `qnet.reports.render.FORMATS`; empty to decide by the suffix of the path."""
    path: str
    """A file, or `-` for standard output."""
    color: str
    ascii: bool
    plot: bool = False


FORMATS = ("table", "csv", "json", "jsonl", "md")


def output_options(command: _Command) -> _Command:
    """`--format`, its short forms, `-o`, `--color` and `--ascii`."""
    for decorate in reversed(
        [
            click.option("-f", "--format", "format_name", type=click.Choice(FORMATS), help="Form of the answer; table if left out."),
            click.option("--csv", "format_name", flag_value="csv", help="The same as --format csv."),
            click.option("--json", "format_name", flag_value="json", help="The same as --format json."),
            click.option("--jsonl", "format_name", flag_value="jsonl", help="The same as --format jsonl."),
            click.option("--md", "format_name", flag_value="md", help="The same as --format md, to paste into a ticket."),
            click.option("-o", "--output", "path", default="-", metavar="FILE", help="Write there; the suffix decides the form."),
            click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour on a terminal."),
            click.option("--ascii", "ascii_only", is_flag=True, envvar="QNET_ASCII", help="Only ASCII characters."),
        ]
    ):
        command = decorate(command)
    return command


def collect(options: dict[str, Any]) -> Output:
    """Take the shared output options out of a command's arguments."""
    return Output(
        options.pop("format_name") or "", options.pop("path"), options.pop("color"), options.pop("ascii_only"), options.pop("plot", False)
    )


def _complete_system(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    if "/" in incomplete or incomplete.startswith("."):
        return [CompletionItem(incomplete, type="file")]
    from qnet.catalog.find import entries

    found = [CompletionItem(entry.id) for entry in entries() if entry.kind == "system" and entry.id.startswith(incomplete)]
    return [*found, CompletionItem(incomplete, type="file")]


system_argument = click.argument("system", shell_complete=_complete_system)
optional_system_argument = click.argument("system", required=False, shell_complete=_complete_system)
parameter_option = click.option(
    "-p", "--parameter", "settings", multiple=True, metavar="NAME=VALUE", help="Set a parameter, such as -p rate=600/s. May be repeated."
)
