"""Progress of long computations on standard error, and Ctrl-C while their answer is written.

Progress is shown on a terminal only, and erased at the end. After a first Ctrl-C the results so far are written
completely, and the exit code is 130.
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
    """A callback that shows how many items are done, of how many (0 if unknown); None without a terminal.

    what   the items, such as "points".
    """
    with _line(what) as line:
        yield line and line.show


@contextmanager
def watched(wanted: Wanted) -> Generator[Wanted]:
    """A method and its budget that also show on a terminal how many points are solved."""
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
        with suppress(OSError, ValueError):
            sys.stderr.write(text)
            sys.stderr.flush()


@contextmanager
def finishing() -> Generator[None]:
    """Finish the block, which writes an answer, after a first Ctrl-C, and end the run then.

    Raises  `KeyboardInterrupt` at the end of the block, or immediately after a second Ctrl-C.
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
