"""Standard input, and which files a command has read, by device and inode: no answer is written over one of them.

The command line keeps a list for as long as a command runs. A Python session has none: it may last for days, in which
inodes are given to other files.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, BinaryIO

from qnet.lazy import lazy

if TYPE_CHECKING:
    import select
else:
    select = lazy("select")

_read: ContextVar[dict[tuple[int, int], str] | None] = ContextVar("files that were read", default=None)
"""Device and inode -> the name under which a regular file was opened; None where no command runs."""


class _Waiting(io.RawIOBase):
    """A stream that waits for bytes where the one below does not block: there nothing yet is not the end."""

    def __init__(self, below: Any) -> None:
        self.below = below

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.below.fileno()

    def readinto(self, buffer: Any, /) -> int:
        while (count := self.below.readinto(buffer)) is None:
            select.select([self.below], [], [])
        return count


def standard_input() -> BinaryIO:
    """The bytes of standard input to their end, also of a pipe that does not block; it must not be closed already."""
    below = getattr(sys.stdin.buffer, "raw", None)
    return sys.stdin.buffer if below is None else io.BufferedReader(_Waiting(below))


def contents(path: str, most: int) -> bytes:
    """The bytes of the file at `path`, or of standard input for `-`, `most` of them at most.

    Raises   `OSError` where it cannot be read, `ValueError` for a name that no file has, or input that is closed.
    """
    if path == "-":
        if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]
            raise ValueError("standard input is closed")
        return standard_input().read(most)
    with open(path, "rb") as stream:
        note_read(stream, path)
        return stream.read(most)


@contextmanager
def listed() -> Generator[None]:
    """Keep a list of the files that are read inside."""
    token = _read.set({})
    try:
        yield
    finally:
        _read.reset(token)


def note_read(stream: BinaryIO, name: str) -> None:
    """Remember a file that is open for reading, while a command runs; pipes and devices are not remembered.

    stream  the open file.
    name    by which the user named it.
    """
    files = _read.get()
    key = None if files is None else identity(stream.fileno())
    if files is not None and key is not None:
        files[key] = name


def read_as(path: str) -> str:
    """The name under which the command that runs has read a file; empty where it has not.

    path  any name of the file.
    """
    key = identity(path)
    return (_read.get() or {}).get(key, "") if key is not None else ""


def identity(path: str | int) -> tuple[int, int] | None:
    """Device and inode of a regular file, by path or descriptor; None for what is none, or is not there."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
