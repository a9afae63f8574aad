"""Progress of long computations on standard error, and Ctrl-C while their answer is written.

Progress is for a terminal only, and erased at the end. At a first Ctrl-C what is computed is written to its end, and
the exit code is that of the key.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qnet.networks.wanted import Wanted


_PATIENCE = 0.5
"""Seconds before the first line of progress."""
_OFTEN = 0.1
"""Seconds between two lines of progress."""


@contextmanager
def progress(what: str) -> Generator[Callable[[int, int], None] | None]:
    """A callback of how much is done, of how much (0 if unknown); None without a terminal.

    what   what is counted, such as "points".
    """
    with _line(what) as line:
        yield line and line.show


@contextmanager
def watched(wanted: Wanted) -> Generator[Wanted]:
    """A method and its budget that also report how many points are solved, for questions that solve many."""
    with _line("points solved") as line:
        if line is None:
            yield wanted
            return
        done = 0

        def count(more: int) -> None:
            nonlocal done
            done += more
            line.show(done, 0)

        def announce(text: str) -> None:
            line.clear()
            if wanted.announce:
                wanted.announce(text)

        yield wanted.replace(solved=count, announce=announce)


@contextmanager
def _line(what: str) -> Generator[_Line | None]:
    """A line of a terminal that is erased at the end; None without a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():  # pyright: ignore[reportUnnecessaryComparison]
        yield None
        return
    line = _Line(what)
    try:
        yield line
    finally:
        line.clear()


class _Line:
    """One line of a terminal that is written over and over."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.next = monotonic() + _PATIENCE
        self.shown = 0

    def show(self, done: int, total: int) -> None:
        now = monotonic()
        if now < self.next:
            return
        self.next = now + _OFTEN
        text = f"qnet: {done} of {total} {self.what}" if total else f"qnet: {self.what}: {done}"
        self.write("\r" + text.ljust(self.shown))
        self.shown = len(text)

    def clear(self) -> None:
        if self.shown:
            self.write("\r" + " " * self.shown + "\r")
            self.shown = 0

    def write(self, text: str) -> None:
        from contextlib import suppress

        with suppress(OSError, ValueError):
            sys.stderr.write(text)
            sys.stderr.flush()


@contextmanager
def finishing() -> Generator[None]:
    """Let what is inside, the writing of an answer, go on after a first Ctrl-C, and end the run after it.

    Raises  `KeyboardInterrupt` at the end of what is inside, or at once for the second Ctrl-C.
    """
    interrupted = False

    def note(number: int, frame: object) -> None:
        nonlocal interrupted
        if interrupted:
            raise KeyboardInterrupt
        interrupted = True

    before = None
    with suppress(ValueError):  # Only the main thread has signals; elsewhere none arrive.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)
    if interrupted:
        raise KeyboardInterrupt
