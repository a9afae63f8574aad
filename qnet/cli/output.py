"""Writing a report in the requested format, colours and file, and nothing on failure."""

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
"""Columns of the narrowest screen that tables are fitted to."""


def ready(output: OutputOptions) -> None:
    """Make sure before any work that the answer can be written, and over nothing that is read.

    Raises `UsageError` where it cannot.
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
    """Words as a sentence lists them.

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
    """Render a report and write it; of its only metric just the number where `value` is wanted.

    Raises `UsageError` where it cannot be written, `AssertionFailed` when it is written and an assertion is false.
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
    """Write the part of an answer that is finished: to standard output, or under the name of a partial file.

    The caller says why it is not complete, and with which exit code; assertions are not judged.

    wanted  whether the report goes anywhere; else its notes alone are printed.
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
    """The answer is not complete, and does not replace its file."""


def _kept(path: str) -> None:
    write_line(f"qnet: note: not complete; what is finished is in {printable(path)} [QN732]")


_EARLIER = {"deviation_of": "standard_deviation_of", "whole": "integer"}
"""Beginnings of earlier names of columns, and those of the present ones."""


def _present(name: str, report: Report) -> str:
    """The present name of a column that is called by an earlier one."""
    names = report.columns.keys()
    if name not in names:
        for begun, instead in _EARLIER.items():
            if name.startswith(begun):
                return instead + name.removeprefix(begun)
    return name


def on_screen(text: str) -> str:
    """Text for standard output: on a terminal with control characters spelled out, in a file or pipe as it is."""
    if sys.stdout is None or not sys.stdout.isatty():  # pyright: ignore[reportUnnecessaryComparison]
        return text
    from qnet.reports.text import visible

    return visible(text)


def _write_value(report: Report, output: OutputOptions) -> None:
    """Write the value of the first row, as CSV has it, on a line; warnings go to standard error."""
    from qnet.reports.csv_ import line

    write_notes(report.warnings)
    number = report.rows[0][[column.key for column in report.columns].index("value")]
    deliver(f"{line([number])}\n".encode(), output)
    if report.broken:
        raise AssertionFailed(*report.broken)


def command_words() -> str:
    """The command line that runs, quoted for a shell; empty where there is none."""
    import click

    context = click.get_current_context(silent=True)
    words: list[str] = context.find_root().meta.get(ARGUMENTS, []) if context else []
    if not words:
        return ""
    from shlex import join

    return join(["qnet", *words])


def deliver(data: bytes, output: OutputOptions) -> None:
    """Write bytes where an answer goes; raises `UsageError` where that fails."""
    if output.path == "-":
        put_out(data)
        return
    replace(output.path, data)


def write_notes(notes: tuple[Note, ...] | list[Note]) -> None:
    """Print notes of formats without notes on standard error."""
    for note in () if is_quiet() else notes:
        write_line(f"qnet: {note.severity}: {printable(note.text, 2000)} [{note.code}]")
        if note.next:
            write_line(f"  next: {printable(note.next)}")


def _style(output: OutputOptions) -> Style:
    """What the terminal supports. Requested colour makes a pipe a terminal of unlimited width."""
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
    """What `QNET_WIDTH` asks for; else the columns of the terminal; a pipe and a file have no width."""
    asked = os.environ.get("QNET_WIDTH", "")
    if asked.isdecimal() and len(asked) < 6:  # more digits than a screen has columns are no width
        return max(int(asked), _NARROWEST)
    if not terminal:
        return None
    from shutil import get_terminal_size

    return get_terminal_size().columns


def _colored(output: OutputOptions, terminal: bool) -> bool:
    """The flag first, then NO_COLOR, then FORCE_COLOR, then whether there is a terminal; a file only by the flag."""
    if output.color != "auto":
        return output.color == "always"
    if os.environ.get("NO_COLOR") or output.path != "-":
        return False
    if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE"):
        return True
    return terminal and os.environ.get("TERM") != "dumb"


def _plain_ascii(output: OutputOptions) -> bool:
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "") if output.path == "-" else "utf8"
    asked = output.ascii or os.environ.get("QNET_ASCII", "") not in ("", "0")
    return asked or not encoding.startswith("utf")
