"""Reading TOML files that nobody vouches for: bounded in size and depth, and able to say on which line a key stands."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from qnet.errors import InvalidInput, Problem, UsageError

MAX_BYTES = 1 << 20
MAX_DEPTH = 40

Path = tuple[str | int, ...]


class Document(NamedTuple):
    """A TOML document: the name it is known by in messages, its text, and its data."""

    name: str
    text: str
    data: dict[str, Any]

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits that change with the text."""
        from hashlib import sha256

        return sha256(self.text.encode()).hexdigest()[:12]

    def line(self, path: Path) -> int:
        """The line of a key, or of the nearest key above it that stands in the text; 0 for none."""
        lines = _locate(self.text)
        while path:
            if path in lines:
                return lines[path]
            path = path[:-1]
        return 0

    def place(self, problem: Problem) -> Problem:
        """The problem with this file's name and the line of its key."""
        return problem._replace(file=self.name, line=problem.line or self.line(problem.path))


def read(path: str) -> Document:
    """Read a TOML file, or standard input for `-`.

    Raises `UsageError` where there is no such file, `InvalidInput` where it is too large, not text, empty or not TOML.
    """
    name = "<stdin>" if path == "-" else path
    try:
        if path == "-":
            raw = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            if not os.path.isfile(path) and os.path.exists(path):
                raise UsageError(Problem("QN002", "this is not a file", "a model file in TOML", file=name))
            with open(path, "rb") as stream:
                raw = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(Problem("QN002", f"cannot be read: {error.strerror or error}", "a model file in TOML", file=name)) from None
    return parse(raw, name)


def parse(raw: bytes, name: str) -> Document:
    """Check and parse the bytes of a TOML document; raises `InvalidInput` as `read` does."""
    if len(raw) > MAX_BYTES:
        raise _invalid(name, f"the file is larger than {MAX_BYTES >> 20} MiB", "a model of at most that size", code="QN103")
    if b"\0" in raw:
        raise _invalid(name, "this is a binary file", "a model in TOML, which is text", code="QN103")
    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise _invalid(name, "this is not UTF-8 text", "a model in TOML, which is UTF-8", line=line, code="QN103") from None
    if not text.strip():
        raise _invalid(name, "the file is empty", "a model in TOML", 'start with: qnet = 1, title = "...", [stations], [classes]', code="QN103")
    import tomllib

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(name, text, str(error)) from None
    except (RecursionError, ValueError):
        raise _invalid(name, "values nest too deeply or are out of range", f"at most {MAX_DEPTH} levels", code="QN103") from None
    if _depth(data) > MAX_DEPTH:
        raise _invalid(name, f"values nest more than {MAX_DEPTH} deep", "fewer levels", code="QN103")
    return Document(name, text, data)


def _invalid(name: str, found: str, expected: str, help: str = "", line: int = 0, code: str = "QN100") -> InvalidInput:
    return InvalidInput(Problem(code, found, expected, help=help, file=name, line=line))


def _syntax_error(name: str, text: str, message: str) -> InvalidInput:
    import re

    match = re.search(r"\(at line (\d+), column (\d+)\)", message)
    line, column = (int(match[1]), int(match[2])) if match else (len(text.splitlines()), len(text.splitlines()[-1]) + 1)
    words = re.sub(r"\s*\(at [^)]*\)", "", message)
    source = text.splitlines()[line - 1 : line] or [""]
    excerpt = f"{source[0][:200]}\n{' ' * min(column - 1, 200)}^"
    found = words[:1].lower() + words[1:]
    return InvalidInput(Problem("QN100", f"not valid TOML: {found}", help="see https://toml.io for the syntax", file=name, line=line, excerpt=excerpt))


def _depth(value: Any) -> int:
    """How deep tables and arrays nest, without recursion."""
    deepest, stack = 0, [(value, 0)]
    while stack:
        item, depth = stack.pop()
        deepest = max(deepest, depth)
        children: Sequence[Any] = ()
        if isinstance(item, dict):
            children = list(item.values())  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        elif isinstance(item, list):
            children = item  # pyright: ignore[reportUnknownVariableType]
        stack += [(child, depth + 1) for child in children]
    return deepest


@lru_cache(maxsize=4)
def _locate(text: str) -> dict[Path, int]:
    return _Locator(text).lines


class _Locator:
    """Where each key of a valid TOML document stands. Lenient: it reads only what it needs to tell lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.lines: dict[Path, int] = {}
        self.counts: dict[Path, int] = {}
        table: Path = ()
        while self._skip(" \t\n"):
            if self.text.startswith("[[", self.position):
                self.position += 2
                table = self._indexed(self._key(), last=True)
                self._to_line_end()
            elif self.text[self.position] == "[":
                self.position += 1
                table = self._indexed(self._key(), last=False)
                self._to_line_end()
            else:
                self._pair(table)

    def _here(self, path: Path) -> None:
        for length in range(1, len(path) + 1):
            self.lines.setdefault(path[:length], self.text.count("\n", 0, self.position) + 1)

    def _indexed(self, key: Path, last: bool) -> Path:
        """The path of a table header, with the index of every array of tables it goes through."""
        path: Path = ()
        for position, part in enumerate(key):
            path = (*path, part)
            if last and position == len(key) - 1:
                self.counts[path] = self.counts.get(path, -1) + 1
            if path in self.counts:
                path = (*path, self.counts[path])
        self._here(path)
        return path

    def _skip(self, characters: str) -> bool:
        """Skip space and comments; False at the end of the text."""
        while self.position < len(self.text):
            character = self.text[self.position]
            if character == "#":
                self._to_line_end()
            elif character in characters:
                self.position += 1
            else:
                return True
        return False

    def _to_line_end(self) -> None:
        end = self.text.find("\n", self.position)
        self.position = len(self.text) if end < 0 else end

    def _key(self) -> Path:
        parts: list[str | int] = []
        while self._skip(" \t."):
            character = self.text[self.position]
            if character in "'\"":
                start = self.position + 1
                self._string()
                parts.append(self.text[start : self.position - 1])
            elif character.isalnum() or character in "_-":
                start = self.position
                while self.position < len(self.text) and (self.text[self.position].isalnum() or self.text[self.position] in "_-"):
                    self.position += 1
                parts.append(self.text[start : self.position])
            else:
                break
        return tuple(parts)

    def _pair(self, table: Path) -> None:
        before = self.position
        path = (*table, *self._key())
        self._here(path)
        self._skip(" \t=")
        self._value(path)
        if self.position == before:
            self.position += 1

    def _value(self, path: Path) -> None:
        character = self.text[self.position : self.position + 1]
        if character == "[":
            self.position += 1
            index = 0
            while self._skip(" \t\n,") and self.text[self.position] != "]":
                self._here((*path, index))
                self._value((*path, index))
                index += 1
            self.position += 1
        elif character == "{":
            self.position += 1
            while self._skip(" \t\n,") and self.text[self.position] != "}":
                self._pair(path)
            self.position += 1
        elif character in ("'", '"'):
            self._string()
        else:
            while self.position < len(self.text) and self.text[self.position] not in ",]}\n#":
                self.position += 1

    def _string(self) -> None:
        quote = self.text[self.position]
        if self.text.startswith(quote * 3, self.position):
            end = self.text.find(quote * 3, self.position + 3)
            self.position = len(self.text) if end < 0 else end + 3
            return
        self.position += 1
        while self.position < len(self.text) and self.text[self.position] != quote:
            self.position += 2 if self.text[self.position] == "\\" and quote == '"' else 1
        self.position += 1
