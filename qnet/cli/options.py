"""Options that commands share, each defined once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import click

from qnet.errors import Problem, UsageError
from qnet.formats import DEFAULT, FORMATS, short_options
from qnet.record import Record

_Command = TypeVar("_Command", bound=Callable[..., Any])

ARGUMENTS = "qnet.arguments"
"""The key under which the root context keeps the words of the command line."""


class OutputOptions(Record):
    """The format, the file and the appearance of the output."""

    format: str
    """A name of `qnet.formats.FORMATS`; empty: by the suffix of the path."""
    path: str
    """A file, or `-` for standard output."""
    color: str
    ascii: bool
    plot: bool = False
    """Whether to draw below the table."""
    figure: str = ""
    """The file of a figure; empty for none."""
    log: str = ""
    """The axes of figures with a logarithmic scale: `x`, `y`, `xy` or none."""
    safe_csv: bool = False
    """Whether CSV puts an apostrophe before texts that spreadsheets would take for formulas."""
    units: tuple[str, ...] = ()
    """Preferred units of tables."""
    digits: int = 4
    """Significant digits of tables."""
    columns: tuple[str, ...] = ()
    """The selected columns; empty for all."""


class ModelOption(click.Option):
    """An option that determines what is solved; help lists these after those of the command."""

    section = "Model options (--station and the options below it replace a SYSTEM)"


class MethodOption(click.Option):
    """An option that determines how it is solved."""

    section = "Method options"


class OutputOption(click.Option):
    """An option about the answer: its format, its file, assertions."""

    section = "Output options"


_QUIET = "qnet.quiet"


class Renamed(click.Option):
    """An option whose earlier names still work, but are not listed by help."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The row of the help."""
        names = self.opts
        self.opts = names[:1]
        try:
            return super().get_help_record(ctx)
        finally:
            self.opts = names


class RareOption(OutputOption):
    """An output option that only the complete help of a command lists."""


class RareParameter(RareOption):
    """An option of the command itself that only its complete help lists."""

    section = "Options"


_FIGURES = (".svg", ".png", ".pdf")


class Drawing(click.Command):
    """A command with `--plot [FILE]`: the word after it is the file where it has the suffix of a figure."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, with `--plot` and its file as one word."""
        words: list[str] = []
        waiting = list(args)
        while waiting:
            word = waiting.pop(0)
            if word == "--":
                words += [word, *waiting]
                break
            if word == "--plot":
                file = waiting.pop(0) if waiting and waiting[0].lower().endswith(_FIGURES) else "-"
                word = f"--plot={file}"
            words.append(word)
        return super().parse_args(ctx, words)


def plot_options(command: _Command) -> _Command:
    """`--plot [FILE]` and `--log`, of a `Drawing`."""
    plot = click.option(
        "--plot", metavar="[FILE]", callback=stated,
        help="Also draw a chart below the table, or into FILE.svg, FILE.png or FILE.pdf.",
    )  # fmt: skip
    log = click.option("--log", type=click.Choice(["x", "y", "xy"]), help="Axes of the chart with a logarithmic scale.")
    return plot(log(command))


def stated(
    ctx: click.Context, param: click.Parameter, value: str | tuple[str, ...] | None
) -> str | tuple[str, ...] | None:
    """A callback that refuses empty texts, which would count as missing, and NUL characters."""
    if ctx.get_parameter_source(param.name or "") is click.core.ParameterSource.DEFAULT:
        return value
    for text in (value,) if isinstance(value, str) else value or ():
        if not text.strip():
            raise click.BadParameter("the text is empty", ctx, param)
        if "\0" in text:
            raise click.BadParameter("the text contains a NUL character", ctx, param)
    return value


safe_csv_option = click.option(
    "--safe-csv", cls=RareOption, is_flag=True,
    help="In CSV, put ' before text like a formula (=1+1).",
)  # fmt: skip


def _names(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    """Names between commas."""
    return tuple(name.strip() for name in value.split(",") if name.strip())


def _units(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    """Units between commas; raises `UsageError` QN102 for an unknown one."""
    names = _names(ctx, param, value)
    if names:
        from qnet.units import UnitError, unit

        for name in names:
            try:
                unit(name)
            except UnitError as error:
                raise UsageError(Problem("QN102", f'--units "{name}": {error}', help=error.help)) from None
    return names


def quiet_option() -> OutputOption:
    """`--quiet`, which every command has."""

    def note(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        if value:
            ctx.find_root().meta[_QUIET] = True

    return OutputOption(
        ["-q", "--quiet"], is_flag=True, expose_value=False, callback=note, help="Leave out notes and warnings."
    )


def is_quiet() -> bool:
    """Whether the running command has `--quiet`."""
    context = click.get_current_context(silent=True)
    return bool(context and context.find_root().meta.get(_QUIET))


def _short_option(name: str) -> Callable[[Any], Any]:
    """The option of a format, such as `--csv`."""
    use = FORMATS[name].use
    help = f"Short for --format {name}{', ' if use else ''}{use}."
    return click.option(f"--{name}", "format_name", cls=OutputOption, flag_value=name, help=help)


def output_options(command: _Command) -> _Command:
    """`--format`, its short forms, `-o`, `--color` and `--ascii`."""
    option = partial(click.option, cls=OutputOption)
    for decorate in reversed(
        [
            option("-f", "--format", "format_name", type=click.Choice(tuple(FORMATS)), metavar="FORMAT",
                   help=f"Format (default: {DEFAULT}); short: {', '.join(f'--{name}' for name in short_options())}."),
            *map(_short_option, short_options()),
            option("-o", "--output", "path", default="-", metavar="FILE", callback=stated,
                   help="Output file; its suffix sets the format."),
            safe_csv_option,
            option("--columns", "shown_columns", default="", metavar="NAMES", callback=_names,
                   help="Only these columns, such as name,response_s."),
            option("--units", default="", metavar="UNITS", callback=_units,
                   shell_complete=completed("unit"), help="Units of tables, such as ms,MB/s."),
            option("--precision", type=click.IntRange(1, 17), default=4, metavar="DIGITS",
                   help="Significant digits of tables (default: 4)."),
            option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", metavar="WHEN",
                   help="Use colour: auto, always or never (default: auto)."),
            click.option("--ascii", "ascii_only", cls=RareOption, is_flag=True,
                   help="Use only ASCII characters (also QNET_ASCII=1)."),
        ]
    ):  # fmt: skip
        command = decorate(command)
    return command


def collect(options: dict[str, Any]) -> OutputOptions:
    """Take the shared output options out of a command's arguments."""
    format_name, path, color = options.pop("format_name") or "", options.pop("path"), options.pop("color")
    ascii_only, plot, log = options.pop("ascii_only"), options.pop("plot", None) or "", options.pop("log", None) or ""
    figure = "" if plot == "-" else plot
    return OutputOptions(
        format=format_name,
        path=path,
        color=color,
        ascii=ascii_only,
        plot=plot == "-",
        figure=figure,
        log=log,
        safe_csv=options.pop("safe_csv"),
        units=options.pop("units"),
        digits=options.pop("precision"),
        columns=options.pop("shown_columns"),
    )


def completed(what: str) -> Callable[[click.Context, click.Parameter, str], list[Any]]:
    """The completion of a value, such as `complete_metric` for `metric`, imported when a shell completes it."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from qnet.cli import complete

        return getattr(complete, f"complete_{what}")(ctx, param, incomplete)

    return complete


def complete_system(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    """The systems of the catalog and the examples that begin with a text, or files."""
    from click.shell_completion import CompletionItem

    if "/" in incomplete or incomplete.startswith("."):
        return [CompletionItem(incomplete, type="file")]
    from qnet.catalog.find import entries, examples

    known = [entry for entry in (*entries(), *examples()) if entry.kind in ("system", "example")]
    items = [CompletionItem(entry.id, help=entry.title) for entry in known if entry.id.startswith(incomplete)]
    # Files first: the script of bash drops the items before them.
    return [CompletionItem(incomplete, type="file"), *items]


system_argument = click.argument("system", callback=stated, shell_complete=complete_system)
optional_system_argument = click.argument("system", required=False, callback=stated, shell_complete=complete_system)
parameter_option = click.option(
    "-p", "--parameter", "settings", cls=ModelOption, multiple=True, metavar="NAME=VALUE",
    shell_complete=completed("setting"), help="Set a parameter (rate=600/s). May be repeated.",
)  # fmt: skip
assert_option = click.option(
    "--assert", "asserted", cls=OutputOption, multiple=True, metavar="CONDITION", callback=stated,
    shell_complete=completed("metric"),
    help="Exit with code 6 if this is false, such as 'response < 200 ms'. May be repeated.",
)  # fmt: skip
metric_option = click.option(
    "--metric", "metric", multiple=True, metavar="METRIC", callback=stated, shell_complete=completed("metric"),
    help="Metric to report, such as response or \"utilization('cpu')\" (default: all). May be repeated.",
)  # fmt: skip


def _percentiles(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[float, ...]:
    """Numbers from texts such as `50,95,99`."""
    result: list[float] = []
    for text in ",".join(value).split(",") if value else ():
        try:
            result.append(float(text))
        except ValueError:
            meant = text.strip().lstrip("pP").rstrip("%").replace("_", ".")
            help = f"; write {meant}" if meant.replace(".", "", 1).isdigit() else ""
            raise click.BadParameter(f"{text!r} is not a valid number{help}", ctx, param) from None
    return tuple(dict.fromkeys(result))


percentile_option = click.option(
    "--percentile", "percentile", multiple=True, metavar="NUMBERS", callback=_percentiles,
    help="Percentiles of response to report, such as 95,99.",
)  # fmt: skip


def value_options(command: _Command) -> _Command:
    """`--value` and `--unit`."""
    value = click.option("--value", is_flag=True, help="Print only the number of the one --metric or --percentile.")
    unit = click.option(
        "--unit", metavar="UNIT", default="", callback=stated, shell_complete=completed("unit"),
        help="Unit of --metric, --percentile and --value, such as ms (default: base units).",
    )  # fmt: skip
    return value(unit(command))


def require_one(metrics: tuple[str, ...], percentiles: tuple[float, ...], options: dict[str, Any]) -> None:
    """Refuse `--value` without exactly one metric, or with a format; raises `UsageError` QN748."""
    if len(metrics) + len(percentiles) != 1:
        raise UsageError(Problem("QN748", "--value needs exactly one --metric or --percentile"))
    if options.get("format_name"):
        text = f"--value prints one number, and --{options['format_name']} is given"
        raise UsageError(Problem("QN748", text, "one of the two"))
