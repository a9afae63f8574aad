"""Failures of a run: a message on standard error, the exit code of its kind, and no traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import NoReturn, TextIO, TypeVar

import click

from qnet.errors import NotComputed, Problem, QnetError, UsageError, printable

_Result = TypeVar("_Result")


def guarded(action: Callable[[], _Result], debug: bool = False) -> _Result:
    """Run an action; a failure ends the process with its exit code, a pipe closed by its reader with 0.

    debug    whether internal errors are raised, for their traceback.
    Returns  the result of the action.
    """
    try:
        return action()
    except (click.exceptions.Exit, SystemExit):
        raise
    except (KeyboardInterrupt, click.Abort):
        fail("qnet: interrupted", 130)
    except BrokenPipeError:
        _forget(sys.stdout)
        raise SystemExit(0) from None
    except QnetError as error:
        _report(error)
    except click.UsageError as error:
        from qnet.cli.usage import usage_error

        _report(usage_error(error))
    except Exception as error:
        if debug:
            raise
        _report_other(error)
    finally:
        _last.set(None)


_FEW = 20
"""Characters of a line that fits any screen."""

_last: ContextVar[Callable[[], str] | None] = ContextVar("last", default=None)
"""The sentence of `reporting_last`."""


@contextmanager
def reporting_last(sentence: Callable[[], str]) -> Generator[None]:
    """Write a sentence as the last line on standard error, after the message of a failure inside."""
    _last.set(sentence)
    yield
    _last.set(None)
    write_line(f"qnet: {sentence()}")


def _report_other(error: Exception) -> NoReturn:
    """Report an error of the operating system, an overflow or a lack of memory; anything else is a defect of qnet."""
    match error:
        case OSError():
            _forget(sys.stdout)
            name = error.filename if isinstance(error.filename, str) else "standard output"
            _report(UsageError(Problem("QN005", f"{name}: {error.strerror or error}")))
        case OverflowError():
            text, help = "a number is too large to compute with", "check the units and sizes of the values"
            _report(NotComputed(Problem("QN502", text, "numbers below 1e300", help=help)))
        case MemoryError():
            _report(NotComputed(Problem("QN503", "the answer does not fit into memory", help="use fewer points")))
        case _:
            words = printable(f"{type(error).__name__}: {error}")
            fail(f"qnet: internal error: {words}\n  help: run qnet --debug with the same command and report it", 1)


def _report(error: QnetError) -> NoReturn:
    """Print every problem of an error and exit with its code."""
    lines = [problem.render() for problem in error.problems] or [printable(str(error))]
    fail("\n".join(f"qnet: {text}" for text in lines), error.exit_code)


def fail(message: str, code: int) -> NoReturn:
    """Print the message and end the process."""
    write_line(message)
    sentence = _last.get()
    if sentence is not None:
        _last.set(None)
        write_line(f"qnet: {sentence()}")
    raise SystemExit(code)


def write_line(message: str) -> None:
    """Write a line to standard error, if it is open."""
    if sys.stderr is None:  # pyright: ignore[reportUnnecessaryComparison]
        return
    if len(message) > _FEW and sys.stderr.isatty():
        from qnet.cli import screen

        message = screen.message(message, screen.columns_of(sys.stderr))
    try:
        sys.stderr.write(message + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        # A closed standard error is no second failure.
        _forget(sys.stderr)


def _forget(stream: TextIO | None) -> None:
    """Redirect a failed stream to the null device, because Python would try to flush it at exit, and complain."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # type: ignore[union-attr]
