"""Reading the bytes of a file of another tool, or of standard input."""

from __future__ import annotations

import sys

from qnet.errors import Problem, UsageError
from qnet.exchange.imported import MAX_BYTES
from qnet.opened import note_read, standard_input


def read_bytes(path: str) -> bytes:
    """The contents of the file at `path`, or of standard input for `-`.

    Returns  at most `MAX_BYTES` + 1 bytes: that many are too many, which callers refuse.
    Raises   `UsageError` QN002 where it cannot be read.
    """
    expected = "a readable file"
    name = "<stdin>" if path == "-" else path
    try:
        if path == "-":
            if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]
                raise UsageError(Problem("QN002", "standard input is closed", expected, file=name))
            return standard_input().read(MAX_BYTES + 1)
        with open(path, "rb") as stream:
            note_read(stream, path)
            return stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        text = f"cannot be read: {getattr(error, 'strerror', None) or error}"
        raise UsageError(Problem("QN002", text, expected, file=name)) from None
