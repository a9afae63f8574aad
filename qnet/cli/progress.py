"""Progress on standard error: only before somebody, only of work that takes a while, and gone when it is done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from time import monotonic

_PATIENCE = 0.5
"""Seconds after which somebody wonders whether anything happens."""
_OFTEN = 0.1
"""Seconds between two lines of progress."""


@contextmanager
def progress(what: str) -> Generator[Callable[[int, int], None] | None]:
    """Whom to tell how much is done, of how much: nobody where no terminal listens.

    what   what is counted, such as "points".
    """
    if sys.stderr is None or not sys.stderr.isatty():  # pyright: ignore[reportUnnecessaryComparison]
        yield None
        return
    line = _Line(what)
    try:
        yield line.tell
    finally:
        line.clear()


class _Line:
    """One line of a terminal that is written over and over."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.next = monotonic() + _PATIENCE
        self.shown = 0

    def tell(self, done: int, total: int) -> None:
        now = monotonic()
        if now < self.next:
            return
        self.next = now + _OFTEN
        text = f"qnet: {done} of {total} {self.what}" if total else f"qnet: {done} {self.what}"
        self.write("\r" + text.ljust(self.shown))
        self.shown = len(text)

    def clear(self) -> None:
        if self.shown:
            self.write("\r" + " " * self.shown + "\r")

    def write(self, text: str) -> None:
        from contextlib import suppress

        with suppress(OSError, ValueError):
            sys.stderr.write(text)
            sys.stderr.flush()
