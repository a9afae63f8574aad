"""Writing a report in the requested format, colours and file, and nothing on failure."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from qnet.cli.failures import tell
from qnet.cli.options import Output
from qnet.errors import AssertionFailed, Problem, UsageError, printable
from qnet.reports.content import Note, Style
from qnet.reports.render import format_of_path, render
from qnet.reports.report import Report


def ready(output: Output) -> None:
    """Make sure before any work that the answer can be written; raises `UsageError` where it cannot."""
    if output.path == "-":
        if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]
            raise UsageError(Problem("QN005", "standard output is closed", "-o FILE"))
        return
    _, dot, suffix = os.path.basename(output.path).rpartition(".")
    if dot and not output.format and format_of_path(output.path) is None:
        found = f'unknown output format ".{suffix}"'
        raise UsageError(Problem("QN005", found, ".csv, .json, .jsonl, .md or .txt", help="or add --format"))
    existed = os.path.exists(output.path)
    if existed and _is_stream(output.path):
        return
    try:
        with open(output.path, "ab"):
            pass
    except OSError as error:
        raise _unwritable(output.path, error) from None
    if not existed:
        _remove(output.path)


def form(output: Output) -> str:
    """The output format: the requested one, else that of the file's suffix, else a table."""
    return output.format or (format_of_path(output.path) if output.path != "-" else None) or "table"


def write(report: Report, output: Output) -> None:
    """Render a report and write it.

    Raises `UsageError` where it cannot be written, `AssertionFailed` when it is written and an assertion is false.
    """
    format_name = form(output)
    text = render(report, format_name, _style(output), plot=output.plot)
    if format_name in ("csv", "jsonl"):
        tell_notes(report.notes)
    if output.plot and format_name not in ("table", "md"):
        tell_notes([Note("QN606", f"--plot applies to tables and Markdown, not to {format_name}")])
    deliver(text.encode("ascii" if _plain_ascii(output) and format_name == "table" else "utf-8", "replace"), output)
    if report.broken:
        raise AssertionFailed(*report.broken)


def deliver(data: bytes, output: Output) -> None:
    """Write bytes where an answer goes; raises `UsageError` where that fails."""
    if output.path == "-":
        _put(data)
        return
    existed = os.path.exists(output.path)
    try:
        with open(output.path, "wb") as stream:
            stream.write(data)
    except BrokenPipeError:
        raise
    except OSError as error:
        if not existed:
            _remove(output.path)
        raise _unwritable(output.path, error) from None


def _is_stream(path: str) -> bool:
    """Whether a path is a pipe or a device: to open it is to use it."""
    from pathlib import Path

    return Path(path).is_fifo() or Path(path).is_char_device()


def say(text: str) -> None:
    """Write lines to standard output, for output that is no report."""
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    _put((text + "\n").encode(encoding, "backslashreplace"))


def _put(data: bytes) -> None:
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]
        raise UsageError(Problem("QN005", "standard output is closed", "-o FILE"))
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _remove(path: str) -> None:
    from pathlib import Path

    with suppress(OSError):
        Path(path).resolve().unlink()


def _unwritable(path: str, error: OSError) -> UsageError:
    return UsageError(Problem("QN005", f"cannot write {path}: {error.strerror or error}", "a writable file"))


def tell_notes(notes: tuple[Note, ...] | list[Note]) -> None:
    """Print notes of formats without notes on standard error."""
    for note in notes:
        tell(f"qnet: {note.severity}: {printable(note.text, 2000)} [{note.code}]")
        if note.next:
            tell(f"  next: {printable(note.next)}")


def _style(output: Output) -> Style:
    """What the terminal supports. Requested colour makes a pipe a terminal of unlimited width."""
    terminal = output.path == "-" and sys.stdout.isatty()
    color = _colored(output, terminal)
    width = None
    if terminal:
        from shutil import get_terminal_size

        width = get_terminal_size().columns
    return Style(color=color, width=width, ascii=_plain_ascii(output), terminal=terminal or color)


def _colored(output: Output, terminal: bool) -> bool:
    """The flag first, then NO_COLOR, then FORCE_COLOR, then whether there is a terminal; a file only by the flag."""
    if output.color != "auto":
        return output.color == "always"
    if os.environ.get("NO_COLOR") or output.path != "-":
        return False
    if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE"):
        return True
    return terminal and os.environ.get("TERM") != "dumb"


def _plain_ascii(output: Output) -> bool:
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "") if output.path == "-" else "utf8"
    asked = output.ascii or os.environ.get("QNET_ASCII", "") not in ("", "0")
    return asked or not encoding.startswith("utf")
