"""Writing a report: the form, the colours and the place that were asked for, and nothing on failure."""

from __future__ import annotations

import os
import sys

import click

from qnet.cli.options import Output
from qnet.errors import Problem, UsageError
from qnet.reports.render import Style, format_of_path, render
from qnet.reports.report import Report


def ready(output: Output) -> None:
    """Make sure before any work that the answer can be written; raises `UsageError` where it cannot."""
    if output.path == "-":
        return
    existed = os.path.exists(output.path)
    try:
        with open(output.path, "ab"):
            pass
    except OSError as error:
        raise UsageError(Problem("QN005", f"cannot write {output.path}: {error.strerror or error}", "a file that can be written")) from None
    if not existed:
        os.unlink(output.path)


def write(report: Report, output: Output) -> None:
    """Render a report and write it whole."""
    format_name = output.format or (format_of_path(output.path) if output.path != "-" else None) or "table"
    text = render(report, format_name, _style(output), plot=output.plot)
    if format_name in ("csv", "jsonl"):
        _write_notes(report)
    data = text.encode("ascii" if _plain_ascii(output) and format_name == "table" else "utf-8", "replace")
    if output.path == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    with open(output.path, "wb") as stream:
        stream.write(data)


def _write_notes(report: Report) -> None:
    """Notes of formats that have no room for them, on standard error."""
    for note in report.notes:
        click.echo(f"qnet: {note.severity}: {note.text} [{note.code}]" + (f"\n  next: {note.next}" if note.next else ""), err=True)


def _style(output: Output) -> Style:
    terminal = output.path == "-" and sys.stdout.isatty()
    width = None
    if terminal:
        from shutil import get_terminal_size

        width = get_terminal_size().columns
    return Style(color=_colored(output, terminal), width=width, ascii=_plain_ascii(output), terminal=terminal)


def _colored(output: Output, terminal: bool) -> bool:
    """The flag first, then NO_COLOR, then FORCE_COLOR, then whether there is a terminal."""
    if output.color != "auto":
        return output.color == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE"):
        return True
    return terminal and os.environ.get("TERM") != "dumb"


def _plain_ascii(output: Output) -> bool:
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    return output.ascii or (output.path == "-" and not encoding.startswith("utf"))
