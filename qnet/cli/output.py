"""Writing a report in the requested format, colours and file; after a failure nothing is written."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import cast

import click

from qnet import budget
from qnet.cli.failures import write_line
from qnet.cli.files import put_out, refuse_same, refuse_unwritable, replace, streaming
from qnet.cli.files import say as say
from qnet.cli.options import ARGUMENTS, OutputOptions, is_quiet
from qnet.errors import AssertionFailed, Problem, UsageError, printable
from qnet.formats import DEFAULT, FORMATS, INSIDE, MACHINES, TERMINAL, format_of_path, suffixes
from qnet.reports.content import Note, Plot, Style
from qnet.reports.render import render
from qnet.reports.report import Report

_NARROWEST = 20
"""Columns of the narrowest screen to which tables are fitted."""


def ready(output: OutputOptions) -> None:
    """Check before any work that the answer can be written, and overwrites no input.

    Raises `UsageError` where it cannot be written, or would overwrite one.
    """
    if output.figure:
        from qnet.reports.figure_files import check_suffix

        check_suffix(output.figure)
        ready(output.replace(path=output.figure, figure="", format="svg"))
    _refuse_operands(output.path)
    if output.path == "-":
        if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]
            raise UsageError(Problem("QN005", "standard output is closed", "-o FILE"))
        return
    _, dot, suffix = os.path.basename(output.path).rpartition(".")
    if dot and not output.format and format_of_path(output.path) is None:
        text = f'unknown output format ".{suffix}"'
        raise UsageError(Problem("QN005", text, listed(suffixes(), "or"), help="or add --format"))
    refuse_unwritable(output.path)


def listed(words: Sequence[str], last: str) -> str:
    """Words as an enumeration in a sentence; `last` stands before the last of them.

    >>> listed(["tables", "Markdown", "HTML"], "and")
    'tables, Markdown and HTML'
    """
    return f" {last} ".join([part for part in (", ".join(words[:-1]), *words[-1:]) if part])


def _refuse_operands(path: str) -> None:
    """Refuse an output that is the same file as an argument of the command, or as another output."""
    ctx = click.get_current_context(silent=True)
    inputs: list[str] = []
    outputs: list[str] = []
    for parameter in ctx.command.params if ctx else ():
        value = ctx.params.get(parameter.name or "") if ctx else None
        given: tuple[object, ...] = (value,) if not isinstance(value, tuple) else cast("tuple[object, ...]", value)
        texts = [item for item in given if isinstance(item, str)]
        if isinstance(parameter, click.Argument):
            inputs += texts
        elif isinstance(parameter, click.Option) and "FILE" in (parameter.metavar or ""):
            outputs += texts
    refuse_same(outputs if path in outputs else [*outputs, path], inputs)


def form(output: OutputOptions) -> str:
    """The output format: the requested one, else that of the file's suffix, else a table."""
    return output.format or (format_of_path(output.path) if output.path != "-" else None) or DEFAULT


def write(report: Report, output: OutputOptions, value: bool = False) -> None:
    """Render a report and write it.

    value    whether to write only the number of its single metric.
    Raises   `UsageError` where it cannot be written; `AssertionFailed`, after writing, where an assertion is false.
    """
    budget.settle()
    if value:
        _write_value(report, output)
        return
    deliver(_rendered(report, output), output)
    if report.broken:
        raise AssertionFailed(*report.broken)


def _rendered(report: Report, output: OutputOptions) -> bytes:
    """The bytes of a report in its format; its notes are printed, and its figure is written."""
    format_name = form(output)
    row = FORMATS[format_name]
    if output.log and isinstance(report.plot, Plot):
        report = report.replace(plot=report.plot.replace(log=output.log))
    if is_quiet() and row.read_by != MACHINES:
        report = report.replace(notes=())
    if row.command:
        report = report.replace(command=command_words())
    if output.figure:
        from qnet.reports.figure_files import figure_file

        deliver(figure_file(report, output.figure), output.replace(path=output.figure))
    if output.columns:
        from qnet.reports.selection import selected

        report = selected(report, [_present(name, report) for name in output.columns])
    text = render(report, format_name, _style(output), plot=output.plot)
    if not row.notes:
        write_notes(report.notes)
    if output.safe_csv and not row.spreadsheet:
        titles = listed([other.title for other in FORMATS.values() if other.spreadsheet], "and")
        write_notes([Note("QN606", f"--safe-csv applies to {titles}, not to {format_name}")])
    if output.plot and not row.drawing:
        titles = listed([other.title for other in FORMATS.values() if other.drawing], "and")
        write_notes([Note("QN606", f"--plot applies to {titles}, not to {format_name}")])
    drawn = isinstance(report.plot, Plot) and (output.plot or output.figure or row.drawing == INSIDE)
    if output.log and not drawn:
        write_notes([Note("QN606", "--log applies to charts of lines, which --plot draws")])
    if row.read_by != TERMINAL and output.path == "-":
        text = on_screen(text)
    return text.encode("ascii" if _plain_ascii(output) and row.read_by == TERMINAL else "utf-8", "replace")


def write_incomplete(report: Report, output: OutputOptions, wanted: bool = True) -> None:
    """Write the finished part of an answer to standard output, or to a partial file.

    The caller reports why it is not complete, and the exit code; assertions are not judged.

    wanted  whether to write the report; otherwise only its notes are printed.
    """
    if not wanted:
        write_notes(report.notes)
        return
    data = _rendered(report, output.replace(figure=""))
    if output.path == "-":
        deliver(data, output)
        return
    with suppress(_Incomplete), streaming(output.path, _kept) as put:
        put(data)
        raise _Incomplete


class _Incomplete(Exception):
    """Ends `streaming` early, so that an incomplete answer does not replace the file."""


def _kept(path: str) -> None:
    write_line(f"qnet: note: not complete; the finished part is in {printable(path)} [QN732]")


_EARLIER = {"deviation_of": "standard_deviation_of", "whole": "integer"}
"""Prefixes of earlier names of columns, and those of the present names."""


def _present(name: str, report: Report) -> str:
    """The present name of a column; other names are unchanged."""
    names = report.columns.keys()
    if name not in names:
        for earlier, present in _EARLIER.items():
            if name.startswith(earlier):
                return present + name.removeprefix(earlier)
    return name


def on_screen(text: str) -> str:
    """Text for standard output: with control characters spelled out on a terminal, unchanged in a file or pipe."""
    if sys.stdout is None or not sys.stdout.isatty():  # pyright: ignore[reportUnnecessaryComparison]
        return text
    from qnet.reports.text import visible

    return visible(text)


def _write_value(report: Report, output: OutputOptions) -> None:
    """Write the value of the first row as in CSV, on a line; warnings go to standard error."""
    from qnet.reports.csv_ import line

    write_notes(report.warnings)
    number = report.rows[0][[column.key for column in report.columns].index("value")]
    deliver(f"{line([number])}\n".encode(), output)
    if report.broken:
        raise AssertionFailed(*report.broken)


def command_words() -> str:
    """The running command line, quoted for a shell; empty where there is none."""
    import click

    context = click.get_current_context(silent=True)
    words: list[str] = context.find_root().meta.get(ARGUMENTS, []) if context else []
    if not words:
        return ""
    from shlex import join

    return join(["qnet", *words])


def deliver(data: bytes, output: OutputOptions) -> None:
    """Write bytes to the file of the output, or to standard output; raises `UsageError` where that fails."""
    if output.path == "-":
        put_out(data)
        return
    replace(output.path, data)


def write_notes(notes: tuple[Note, ...] | list[Note]) -> None:
    """Print notes on standard error, unless `--quiet` is given."""
    for note in () if is_quiet() else notes:
        write_line(f"qnet: {note.severity}: {printable(note.text, 2000)} [{note.code}]")
        if note.next:
            write_line(f"  next: {printable(note.next)}")


def _style(output: OutputOptions) -> Style:
    """The style that the output supports. Requested colour makes a pipe a terminal of unlimited width."""
    terminal = output.path == "-" and sys.stdout.isatty()
    color = _colored(output, terminal)
    return Style(
        color=color,
        width=_width(terminal),
        ascii=_plain_ascii(output),
        safe_csv=output.safe_csv,
        terminal=terminal or color,
        digits=output.digits,
        units=output.units,
    )


def _width(terminal: bool) -> int | None:
    """The value of `QNET_WIDTH`, or else the columns of the terminal; None for a pipe or a file."""
    columns = os.environ.get("QNET_WIDTH", "")
    if columns.isdecimal() and len(columns) < 6:
        return max(int(columns), _NARROWEST)
    if not terminal:
        return None
    from shutil import get_terminal_size

    return get_terminal_size().columns


def _colored(output: OutputOptions, terminal: bool) -> bool:
    """Whether to use colour: by the option, then NO_COLOR, then FORCE_COLOR, then the terminal; in a file only by the
    option."""
    if output.color != "auto":
        return output.color == "always"
    if os.environ.get("NO_COLOR") or output.path != "-":
        return False
    if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE"):
        return True
    return terminal and os.environ.get("TERM") != "dumb"


def _plain_ascii(output: OutputOptions) -> bool:
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "") if output.path == "-" else "utf8"
    requested = output.ascii or os.environ.get("QNET_ASCII", "") not in ("", "0")
    return requested or not encoding.startswith("utf")
