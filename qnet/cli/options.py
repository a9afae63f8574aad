"""Options that commands share, each defined once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from qnet.record import Record

_Command = TypeVar("_Command", bound=Callable[..., Any])


class Output(Record):
    """Where the output goes and its format."""

    format: str
    """A name of `qnet.reports.render.FORMATS`; empty to decide by the suffix of the path."""
    path: str
    """A file, or `-` for standard output."""
    color: str
    ascii: bool
    plot: bool = False


FORMATS = ("table", "csv", "json", "jsonl", "md")


def said(
    ctx: click.Context, param: click.Parameter, value: str | tuple[str, ...] | None
) -> str | tuple[str, ...] | None:
    """A text, or several, that are not empty: callback of parameters whose empty text would count as missing."""
    for text in (value,) if isinstance(value, str) else value or ():
        if not text.strip():
            raise click.BadParameter("the text is empty", ctx, param)
        if "\0" in text:
            raise click.BadParameter("the text contains a NUL character", ctx, param)
    return value


def output_options(command: _Command) -> _Command:
    """`--format`, its short forms, `-o`, `--color` and `--ascii`."""
    option = click.option
    for decorate in reversed(
        [
            option("-f", "--format", "format_name", type=click.Choice(FORMATS), help="Output format (default: table)."),
            option("--csv", "format_name", flag_value="csv", help="Short for --format csv."),
            option("--json", "format_name", flag_value="json", help="Short for --format json."),
            option("--jsonl", "format_name", flag_value="jsonl", help="Short for --format jsonl."),
            option("--md", "format_name", flag_value="md", help="Short for --format md, to paste into a ticket."),
            option("-o", "--output", "path", default="-", metavar="FILE", callback=said,
                   help="Output file; its suffix .csv, .json, .jsonl, .md or .txt sets the format."),
            option("--color", type=click.Choice(["auto", "always", "never"]), default="auto",
                   help="Use colour (default: auto, on a terminal; honours NO_COLOR, FORCE_COLOR)."),
            option("--ascii", "ascii_only", is_flag=True, help="Use only ASCII characters (also QNET_ASCII=1)."),
        ]
    ):  # fmt: skip
        command = decorate(command)
    return command


def collect(options: dict[str, Any]) -> Output:
    """Take the shared output options out of a command's arguments."""
    format_name, path, color = options.pop("format_name") or "", options.pop("path"), options.pop("color")
    return Output(format_name, path, color, options.pop("ascii_only"), options.pop("plot", False))


def complete_system(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    """The systems of the catalog that begin so, or files."""
    from click.shell_completion import CompletionItem

    if "/" in incomplete or incomplete.startswith("."):
        return [CompletionItem(incomplete, type="file")]
    from qnet.catalog.find import entries

    names = [entry.id for entry in entries() if entry.kind == "system" and entry.id.startswith(incomplete)]
    return [*map(CompletionItem, names), CompletionItem(incomplete, type="file")]


system_argument = click.argument("system", callback=said, shell_complete=complete_system)
optional_system_argument = click.argument("system", required=False, callback=said, shell_complete=complete_system)
parameter_option = click.option(
    "-p", "--parameter", "settings", multiple=True, metavar="NAME=VALUE",
    help="Set a parameter, such as -p rate=600/s. May be repeated.",
)  # fmt: skip
assert_option = click.option(
    "--assert", "asserted", multiple=True, metavar="CONDITION", callback=said,
    help="Exit with code 6 if this is false, such as 'response < 200 ms'. May be repeated.",
)  # fmt: skip
metric_option = click.option(
    "--metric", "metrics", multiple=True, metavar="METRIC", callback=said,
    help="Metric to report, such as response or \"utilization('cpu')\" (default: all). May be repeated.",
)  # fmt: skip
faster_option = click.option(
    "--faster", type=float, default=2.0, metavar="NUMBER", help="Speed-up factor of a station (default: 2)."
)
