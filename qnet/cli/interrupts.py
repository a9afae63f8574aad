"""Ctrl-C while an answer is written: what is computed is written to its end, and the exit code is that of the key."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager, suppress


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
