"""Read files and standard input, and remember the files that a command has read, so that it overwrites none of them.

Files are identified by device and inode. The command line keeps a list while a command runs. A Python session keeps
none: it may last for days, during which inodes are reused for other files.
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
"""Device and inode of a regular file -> the name under which it was opened; None while no command runs."""


class _Waiting(io.RawIOBase):
    """A blocking stream over one that may not block, where no bytes so far do not mean the end."""

    def __init__(self, raw: Any) -> None:
        self.raw = raw

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.raw.fileno()

    def readinto(self, buffer: Any, /) -> int:
        while (count := self.raw.readinto(buffer)) is None:
            select.select([self.raw], [], [])
        return count


def standard_input() -> BinaryIO:
    """Standard input as a blocking stream of bytes, also if it is a non-blocking pipe; it must not be closed."""
    raw = getattr(sys.stdin.buffer, "raw", None)
    return sys.stdin.buffer if raw is None else io.BufferedReader(_Waiting(raw))


def contents(path: str, most: int) -> bytes:
    """The first bytes of a file.

    path     of the file; `-` for standard input.
    most     the largest number of bytes to read.
    Raises   `OSError` if it cannot be read, `ValueError` for a path that no file can have, or closed standard input.
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
    """A context in which `note_read` keeps a list of the files that are read."""
    token = _read.set({})
    try:
        yield
    finally:
        _read.reset(token)


def note_read(stream: BinaryIO, name: str) -> None:
    """Add an open file to the list of a running command; pipes and devices are ignored.

    stream  the file, open for reading.
    name    the name that the user gave.
    """
    files = _read.get()
    key = None if files is None else identity(stream.fileno())
    if files is not None and key is not None:
        files[key] = name


def read_as(path: str) -> str:
    """The name under which the running command has read a file; empty if it has not.

    path  any path to the file.
    """
    key = identity(path)
    return (_read.get() or {}).get(key, "") if key is not None else ""


def identity(path: str | int) -> tuple[int, int] | None:
    """Device and inode of a regular file, given by path or descriptor; None if there is no regular file."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
