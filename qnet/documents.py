"""Reading untrusted TOML files: bounded in size and depth, and able to locate the line of a key."""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from qnet.errors import InvalidInput, Problem, UsageError, caret
from qnet.lazy import lazy
from qnet.opened import note_read, standard_input
from qnet.record import Record

if TYPE_CHECKING:
    import bisect
    import hashlib
    import tomllib
else:
    bisect = lazy("bisect")
    hashlib = lazy("hashlib")
    tomllib = lazy("tomllib")

MAX_BYTES = 1 << 20
"""The largest file, far above any model. A choice that bounds time and memory, like the limits below."""
MAX_DEPTH = 40
"""Levels of nested values, far below Python's limit of recursion."""
MAX_KEY_PARTS = 16
"""Parts of a dotted key; no key of the language has more than a few."""
MAX_VALUES = 100_000
"""Values of a file, so that checks take bounded time."""
MAX_BITS = 4096
"""Bits of an integer: conversion to decimal takes quadratic time, and floats end at 1024 bits."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Path = tuple[str | int, ...]


class Document(Record):
    """A TOML document: its name in messages, its text, and its data."""

    name: str
    text: str
    data: dict[str, Any]

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits that change with the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]

    def line(self, path: Path) -> int:
        """The line of a key, or of the nearest key above it that stands in the text; 0 for none."""
        lines = _locate(self.text).lines
        while path:
            if path in lines:
                return lines[path]
            path = path[:-1]
        return 0

    def span(self, path: Path) -> tuple[int, int] | None:
        """The positions in the text where the value of a key begins and ends; None for tables and unknown keys."""
        return _locate(self.text).spans.get(path)

    def located(self, problem: Problem) -> Problem:
        """The problem with this file's name and the line of its key; one that names a file already is unchanged."""
        if problem.file:
            return problem
        return problem.replace(file=self.name, line=problem.line or self.line(problem.path))


class GivenText(Document):
    """A document that was given as a text, and is in no file."""

    __slots__ = ()


def read(path: str) -> Document:
    """Read a TOML file, or standard input for `-`.

    path  the file, or `-`.

    Raises `UsageError` QN002 where it cannot be read, `InvalidInput` where it is too large, not text, empty or not
    TOML.
    """
    return parse(_bytes(path), "<stdin>" if path == "-" else path)


def _bytes(path: str) -> bytes:
    """The bytes of a file, at most one more than allowed."""
    expected = "a model file in TOML"
    if path == "-":
        if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]
            raise UsageError(Problem("QN002", "standard input is closed", expected, file="<stdin>"))
        try:
            return standard_input().read(MAX_BYTES + 1)
        except OSError as error:
            text = f"cannot be read: {error.strerror or error}"
            raise UsageError(Problem("QN002", text, expected, file="<stdin>")) from None
    try:
        with open(path, "rb") as stream:
            note_read(stream, path)
            return stream.read(MAX_BYTES + 1)
    except IsADirectoryError:
        raise UsageError(Problem("QN002", "this is not a file", expected, file=path)) from None
    except (OSError, ValueError) as error:
        text = f"cannot be read: {getattr(error, 'strerror', None) or error}"
        help = f"a single queue is solved by: qnet queue {path}" if _is_queue(path) else ""
        raise UsageError(Problem("QN002", text, expected, file=path, help=help)) from None


def _is_queue(name: str) -> bool:
    """Whether a name has the form of Kendall's notation, such as M/M/1."""
    kinds, rest = name.split("/")[:2], name.split("/")[2:]
    return bool(rest) and all(kind.isupper() and len(kind) <= 2 for kind in kinds)


def parse(raw: bytes, name: str) -> Document:
    """Check and parse the bytes of a TOML document; raises `InvalidInput` as `read` does.

    raw   the content of the file, UTF-8.
    name  of the document in messages.
    """
    text = _text(raw, name)
    if line := _long_key(text):
        raise _invalid(name, f"a key has more than {MAX_KEY_PARTS} parts", "fewer levels", line=line)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(name, text, str(error)) from None
    except (RecursionError, ValueError):
        raise _invalid(name, "values nest too deeply or are out of range", f"at most {MAX_DEPTH} levels") from None
    _survey(data, name)
    return Document(name, text, data)


def stated(data: dict[str, Any], raw: bytes, name: str) -> Document:
    """Check a document written by a program that has its data already; raises `InvalidInput` as `parse` does.

    data  the data that parsing would yield.
    raw   the text, UTF-8.
    name  the name of the document in messages.
    """
    text = _text(raw, name)
    _survey(data, name)
    return Document(name, text, data)


def _text(raw: bytes, name: str) -> str:
    """The text of a file with line ends \\n; raises `InvalidInput` for contents that are not text."""
    if len(raw) > MAX_BYTES:
        raise _invalid(name, f"the file is larger than {MAX_BYTES >> 20} MiB", "a model of at most that size")
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _invalid(name, "this is UTF-16 text", "a model in TOML, which is UTF-8", "save it again as UTF-8")
    if b"\0" in raw:
        raise _invalid(name, "this is a binary file", "a model in TOML, which is text")
    try:
        text = raw.removeprefix(_BYTE_ORDER_MARK).decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise _invalid(name, "this is not UTF-8 text", "a model in TOML, which is UTF-8", line=line) from None
    if not text.strip():
        help = 'start with: qnet = 1, title = "...", [stations], [classes]'
        raise _invalid(name, "the file is empty", "a model in TOML", help)
    return text


def _invalid(name: str, text: str, expected: str, help: str = "", line: int = 0) -> InvalidInput:
    return InvalidInput(Problem("QN103", text, expected, help=help, file=name, line=line))


def _syntax_error(name: str, text: str, message: str) -> InvalidInput:
    lines = text.split("\n")
    words, _, position = message.rpartition(" (at ")
    match = re.fullmatch(r"line (\d+), column (\d+)\)", position)
    if match:
        line, column = int(match[1]), int(match[2])
    else:  # "(at end of document)"
        while len(lines) > 1 and not lines[-1].strip():
            lines.pop()
        line, column = len(lines), len(lines[-1]) + 1
    problem = Problem(
        "QN100",
        f"not valid TOML: {(words or message)[:1].lower()}{(words or message)[1:]}",
        help="see https://toml.io for the syntax",
        file=name,
        line=line,
        excerpt=caret(lines[line - 1] if line <= len(lines) else "", column - 1),
    )
    return InvalidInput(problem)


def _survey(data: dict[str, Any], name: str) -> None:
    """Raise `InvalidInput` for tables and arrays that nest too deeply, too many values, or a number too long."""
    count = 0
    waiting: list[tuple[Any, int]] = [(data, 0)]
    while waiting:
        item, depth = waiting.pop()
        count += 1
        if depth > MAX_DEPTH:
            raise _invalid(name, f"values nest more than {MAX_DEPTH} deep", "fewer levels")
        if isinstance(item, dict):
            waiting += [(child, depth + 1) for child in cast("dict[str, Any]", item).values()]
        elif isinstance(item, list):
            waiting += [(child, depth + 1) for child in cast("list[Any]", item)]
        elif isinstance(item, int) and item.bit_length() > MAX_BITS:
            # Python refuses to convert much longer ones to text, even for a message.
            raise _invalid(name, f"an integer has more than {MAX_BITS} bits", "a smaller number")
        if count + len(waiting) > MAX_VALUES:
            raise _invalid(name, f"the file has more than {MAX_VALUES} values", "a smaller model", "use copies")


@lru_cache(maxsize=4)
def _locate(text: str) -> _Locator:
    return _Locator(text)


_BARE_KEY = "[A-Za-z0-9_-]++"
_BASIC_STRING = r'"(?:[^"\\\n]|\\.)*+"'
_LITERAL_STRING = r"'[^'\n]*+'"
_LONG_BASIC_STRING = r'"""(?:[^"\\]|\\.|""?(?!"))*+"{3,5}'
_LONG_LITERAL_STRING = r"'''(?:[^']|''?(?!'))*+'{3,5}"


def _long_key(text: str) -> int:
    """The line of a key of more than `MAX_KEY_PARTS` parts; 0 where there is none.

    Tables inside tables by dots cost the TOML parser the square of their number, before it knows their depth.
    """
    # No key begins inside a word, or with an escaped quote: a search from each would take the square of their number.
    part = rf"(?:(?<![A-Za-z0-9_-]){_BARE_KEY}|(?<!\\){_BASIC_STRING}|{_LITERAL_STRING})"
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") >= MAX_KEY_PARTS and re.search(rf"(?:{part}[ \t]*+\.[ \t]*+){{{MAX_KEY_PARTS}}}", line):
            return number
    return 0


class _Locator:
    """The positions of all keys and values of a valid TOML document, which is read only as far as that needs."""

    def __init__(self, text: str) -> None:
        # Compiled here, because most runs have no error to locate.
        self.bare = re.compile(_BARE_KEY)
        self.quoted = re.compile(
            "|".join([_LONG_BASIC_STRING, _LONG_LITERAL_STRING, _BASIC_STRING, _LITERAL_STRING]), re.DOTALL
        )
        self.plain = re.compile(r"[^,\]}\n#]*+")
        self.space = re.compile(r"(?:[ \t]++|#[^\n]*+)*+")
        self.space_and_lines = re.compile(r"(?:[ \t\n,]++|#[^\n]*+)*+")
        self.text = text
        self.position = 0
        self.ends = [match.start() for match in re.finditer("\n", text)]
        self.lines: dict[Path, int] = {}
        self.spans: dict[Path, tuple[int, int]] = {}
        self.counts: dict[Path, int] = {}
        table: Path = ()
        while self._next(self.space_and_lines):
            before = self.position
            if self.text.startswith("[[", self.position):
                self.position += 2
                table = self._header(self._key(), array=True)
            elif self.text[self.position] == "[":
                self.position += 1
                table = self._header(self._key(), array=False)
            else:
                self._pair(table)
            self.position = max(self.position, before + 1)

    def _next(self, space: re.Pattern[str]) -> str:
        """The character after some space and comments; empty at the end of the text."""
        match = space.match(self.text, self.position)
        self.position = match.end() if match else self.position
        return self.text[self.position : self.position + 1]

    def _here(self, path: Path, above: int) -> None:
        """Record the line of a path, and of the tables above it, longer than `above`, that are first named here."""
        line = bisect.bisect_left(self.ends, self.position) + 1
        for length in range(above + 1, len(path) + 1):
            self.lines.setdefault(path[:length], line)

    def _header(self, key: Path, array: bool) -> Path:
        """The path of a table header, with the index of every array of tables it goes through."""
        path: Path = ()
        for position, part in enumerate(key):
            path = (*path, part)
            if array and position == len(key) - 1:
                self.counts[path] = self.counts.get(path, -1) + 1
            if path in self.counts:
                path = (*path, self.counts[path])
        self._here(path, 0)
        end = self.text.find("\n", self.position)
        self.position = len(self.text) if end < 0 else end
        return path

    def _key(self) -> Path:
        """The parts of a dotted key."""
        parts: list[str] = []
        while self._next(self.space):
            if match := self.bare.match(self.text, self.position):
                parts.append(match[0])
            elif match := self.quoted.match(self.text, self.position):
                parts.append(_unquoted(match[0]))
            else:
                break
            self.position = match.end()
            if self._next(self.space) != ".":
                break
            self.position += 1
        return tuple(parts)

    def _pair(self, table: Path) -> None:
        start = self.position
        path = (*table, *self._key())
        after, self.position = self.position, start
        self._here(path, len(table))
        self.position = after
        if self._next(self.space) == "=":
            self.position += 1
            self._value(path)

    def _value(self, path: Path) -> None:
        character = self._next(self.space)
        start = self.position
        if character == "[":
            self.position += 1
            index = 0
            while self._next(self.space_and_lines) not in ("]", ""):
                before = self.position
                inner = (*path, index)
                self._here(inner, len(path))
                self._value(inner)
                self.position = max(self.position, before + 1)
                index += 1
            self.position += 1
        elif character == "{":
            self.position += 1
            while self._next(self.space_and_lines) not in ("}", ""):
                before = self.position
                self._pair(path)
                self.position = max(self.position, before + 1)
            self.position += 1
        elif match := (self.quoted if character in ("'", '"') else self.plain).match(self.text, self.position):
            self.position = match.end()
        self.spans[path] = (start, start + len(self.text[start : self.position].rstrip()))


def _unquoted(quoted: str) -> str:
    """The text of a quoted key."""
    if "\\" not in quoted or quoted.startswith("'"):
        return quoted[1:-1]
    return tomllib.loads(f"key = {quoted}")["key"]
