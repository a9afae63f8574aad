"""Reading files of other tools, and the result of a conversion: a text, and the items that it cannot express."""

from __future__ import annotations

import re
import sys
from collections.abc import Container, Iterable, Mapping
from itertools import count
from types import MappingProxyType

from qnet.errors import InvalidInput, Problem, UsageError, printable
from qnet.note import Note
from qnet.opened import contents
from qnet.record import Record

MALFORMED, ITEM, REFUSED = "QN760", "QN766", "QN767"
MAX_BYTES = 16 << 20
"""The largest file of another tool; results of what-if analyses make files long."""
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][+-]?[0-9]{1,4})?")
_LARGEST = 1e90
"""Larger numbers are mistakes; products of three still fit a float."""
_NONE: Mapping[str, str] = MappingProxyType({})


class Item(Record):
    """Something in a source that the target cannot express, or expresses by other means."""

    where: str
    """A line of a file, or the path of a key."""
    text: str
    changes: bool = False
    """Whether the solution of the target differs without it."""
    informs: bool = False
    """Whether nothing is lost, because it is expressed by other means."""


def unused_name(name: str, taken: Container[str], mark: str = " ", first: int = 0) -> str:
    """A name that is not taken: `name`, or else that with a mark and a number, from `first` on."""
    return name if name not in taken else next(text for i in count(first) if (text := f"{name}{mark}{i}") not in taken)


def notes_of(items: Iterable[Item]) -> list[Note]:
    """Items as notes of a report; those with the same text become one note.

    items   in the order in which they were read, which is also that of the notes.
    """
    located: dict[Item, list[str]] = {}
    for item in items:
        located.setdefault(item.replace(where=""), []).append(item.where)
    result: list[Note] = []
    for item, where in located.items():
        named = ", ".join(filter(None, where))
        text = f"{named}: {item.text}" if named else item.text
        text += " (this changes the solution)" if item.changes else ""
        result.append(Note(ITEM, printable(text), "note" if item.informs else "warning"))
    return result


class Items:
    """The list of items of one conversion, each once."""

    def __init__(self) -> None:
        self._items: dict[Item, None] = {}

    def lost(self, where: str, text: str, changes: bool = False) -> None:
        """Add something that is left out; `changes`: whether the solution differs without it."""
        self._items[Item(where, text, changes)] = None

    def kept(self, where: str, text: str) -> None:
        """Add something that is expressed by other means."""
        self._items[Item(where, text, informs=True)] = None

    @property
    def all(self) -> tuple[Item, ...]:
        """The items in the order in which they were read."""
        return tuple(self._items)


class Converted(Record):
    """The text of a model in the target format, and the items that it cannot express."""

    text: str
    items: tuple[Item, ...] = ()


class Reading(Record):
    """The name of a file, and the units and loads that its format does not state."""

    name: str
    """The name of the source in messages."""
    time_unit: str = "s"
    """The unit of the times in the file."""
    populations: Mapping[str, str] = _NONE
    """By class; the key "" applies to every class without a load. Likewise below."""
    arrival_rates: Mapping[str, str] = _NONE
    think_times: Mapping[str, str] = _NONE


def malformed(name: str, line: int, found: str, expected: str = "", help: str = "") -> InvalidInput:
    """The error for a file that does not conform to its format."""
    return InvalidInput(Problem(MALFORMED, found, expected, help=help, file=name, line=line))


def number(text: str, name: str, line: int, what: str) -> float:
    """A number from 0 to 1e90; raises `InvalidInput` for any other text."""
    stripped = text.strip()
    value = float(stripped) if len(stripped) < 900 and _NUMBER.fullmatch(stripped) else -1.0
    if not 0 <= value <= _LARGEST:
        help = "variables of other programs must be replaced by numbers" if stripped.startswith("$") else ""
        raise malformed(name, line, f'{what} is "{printable(stripped, 60)}"', f"a number from 0 to {_LARGEST:g}", help)
    return value


def above_0(text: str, name: str, line: int, what: str) -> float:
    """A number above 0, to 1e90; raises `InvalidInput` for any other text."""
    value = number(text, name, line, what)
    if not value:
        raise malformed(name, line, f'{what} is "{printable(text.strip(), 60)}"', "a number above 0")
    return value


def integer(text: str, name: str, line: int, what: str, least: int = 0) -> int:
    """An integer from `least` to 1e9; raises `InvalidInput` for any other text."""
    value = number(text, name, line, what)
    if value != int(value) or value < least or value > 1e9:
        expected = f"an integer from {least} to 1e9"
        raise malformed(name, line, f'{what} is "{printable(text.strip(), 60)}"', expected)
    return int(value)


def text_of(raw: bytes, name: str) -> str:
    """The text of a file with line ends \\n; raises `InvalidInput` for contents that are not text or too large."""
    if len(raw) > MAX_BYTES:
        raise malformed(name, 0, f"the file is larger than {MAX_BYTES >> 20} MiB", "a file of at most that size")
    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise malformed(name, line, "this is not UTF-8 text", "a text file") from None
    if "\0" in text:
        raise malformed(name, 0, "this is a binary file", "a text file")
    if not text.strip():
        raise malformed(name, 0, "the file is empty", "a model")
    return text


def read_bytes(path: str) -> bytes:
    """The contents of the file at `path`, or of standard input for `-`.

    Returns  at most `MAX_BYTES` + 1 bytes, so that callers can refuse a file that is too large.
    Raises   `UsageError` QN002 where it cannot be read.
    """
    expected = "a readable file"
    name = "<stdin>" if path == "-" else path
    if path == "-" and sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]
        raise UsageError(Problem("QN002", "standard input is closed", expected, file=name))
    try:
        return contents(path, MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        text = f"cannot be read: {getattr(error, 'strerror', None) or error}"
        raise UsageError(Problem("QN002", text, expected, file=name)) from None
