"""A model from data of Python, such as a dict: written in the model language, then read like a file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, cast

from qnet.documents import MAX_BITS, MAX_DEPTH, MAX_VALUES, Document, GivenText, Path, parse
from qnet.errors import Problem, UsageError, short
from qnet.real import real, truth

_BARE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_EXPECTED = "a text, a number, True or False, a sequence or a mapping"


class GivenData(GivenText):
    """A document made from data of Python: its problems are named by their keys, without a line."""

    __slots__ = ()

    def line(self, path: Path) -> int:
        """Zero, for no line."""
        return 0


def document_of(model: Any, name: str = "") -> Document:
    """The document of a model that is given as text in the model language, or as data for `document_from`.

    name     its name in messages; default: "<text>" or "<dict>".
    Raises   `UsageError` QN753 for anything else, and for a text without any key, which may be meant as a path; and
             what `document_from` and `qnet.documents.parse` raise.
    """
    if isinstance(model, Mapping):
        return document_from(cast("Mapping[Any, Any]", model), name or "<dict>")
    if not isinstance(model, str) or (model.strip() and "=" not in model and "\n" not in model.strip()):
        text = f"the model is {_described(model)}"
        raise UsageError(Problem("QN753", text, "the text of a model, or a dict", help="qnet.load(path) reads a file"))
    # A surrogate is refused as in a file.
    return GivenText(*parse(model.encode(errors="surrogatepass"), name or "<text>"))


def document_from(data: Mapping[Any, Any], name: str) -> Document:
    """The document of a model that is given as tables, arrays, texts, numbers and truth values, as in TOML.

    data     numbers of any type, and any sequence as an array; `qnet = 1` is added where it has no version.
    name     its name in messages.
    Raises   `UsageError` QN753, with its path, for a key that is no text or a value of another type; and what
             `qnet.documents.parse` raises.
    """
    text = _Writer().document({"qnet": 1, **data})
    return GivenData(*parse(text.encode(errors="surrogatepass"), name))


class _Writer:
    """Writes TOML: tables of tables with a header for each, and arrays of tables with a line for each."""

    def __init__(self) -> None:
        self.values = 0

    def document(self, data: Mapping[Any, Any]) -> str:
        """The text of the document: keys without a table first, as TOML requires."""
        entries = [(self.key(key, ()), value) for key, value in data.items()]
        plain = [f"{_quoted(key)} = {self.value(item, (key,))}" for key, item in entries if not _is_table(item)]
        tables = [self.table(item, (key,)) for key, item in entries if _is_table(item)]
        return "\n".join(["\n".join(plain), *tables]).strip("\n") + "\n"

    def table(self, table: Mapping[Any, Any], path: Path) -> str:
        """A top-level table: each entry on a line, or, where one holds tables itself, under a header."""
        entries = [(self.key(key, path), value) for key, value in table.items()]
        header = ".".join(_quoted(str(part)) for part in path)
        nested = any(_is_table(item) and any(map(_holds_tables, item.values())) for _, item in entries)
        lines: list[str] = []
        for key, item in entries:
            if not (nested and _is_table(item)):
                lines.append(f"{_quoted(key)} = {self.value(item, (*path, key))}")
        for key, item in entries if nested else []:
            if _is_table(item):
                lines.append(f"\n[{header}.{_quoted(key)}]")
                inner = [(self.key(each, (*path, key)), value) for each, value in item.items()]
                lines += [f"{_quoted(each)} = {self.value(value, (*path, key, each))}" for each, value in inner]
        first = [] if nested and lines[0].startswith("\n") else [f"[{header}]"]
        return "\n".join([*first, *lines, ""])

    def value(self, value: Any, path: Path) -> str:
        """A value on the right of an equals sign; raises `UsageError` for what TOML has no form for."""
        self.values += 1
        if self.values > MAX_VALUES or len(path) > MAX_DEPTH:
            text = f"more than {MAX_VALUES} values, or nested more than {MAX_DEPTH} deep"
            raise UsageError(Problem("QN753", text, "a smaller model", path=path[:3]))
        if isinstance(value, str):
            return _quoted_text(value)
        if _is_table(value):
            entries = [(self.key(key, path), item) for key, item in value.items()]
            inner = ", ".join(f"{_quoted(key)} = {self.value(item, (*path, key))}" for key, item in entries)
            return f"{{ {inner} }}" if inner else "{}"
        if (items := _items(value)) is not None:
            shown = [self.value(item, (*path, index)) for index, item in enumerate(items)]
            if any(_is_table(item) for item in items):
                return "\n".join(["[", *(f"  {text}," for text in shown), "]"])
            return f"[{', '.join(shown)}]"
        return self.number(value, path)

    def number(self, value: Any, path: Path) -> str:
        """A number or a truth value."""
        flag = truth(value)
        if flag is not None:
            return "true" if flag else "false"
        number = real(value)
        if number is None or (isinstance(value, int) and value.bit_length() > MAX_BITS):
            raise UsageError(Problem("QN753", f"found {_described(value)}", _EXPECTED, path=path))
        return str(int(value)) if isinstance(value, Integral) else repr(number)

    def key(self, key: Any, path: Path) -> str:
        """The key of a table; raises `UsageError` where it is no text."""
        if not isinstance(key, str):
            raise UsageError(Problem("QN753", f"the key {_described(key)} is no text", "a text", path=path))
        return key


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


def _holds_tables(value: Any) -> bool:
    """Whether a value is a table, or an array of them."""
    return _is_table(value) or any(map(_is_table, _items(value) or ()))


def _items(value: Any) -> Sequence[Any] | None:
    """The items of a sequence or an array with axes; None for anything else."""
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)):
        return cast("Sequence[Any]", value)
    array: Any = value
    return array.tolist() if getattr(array, "shape", ()) and hasattr(array, "tolist") else None


def _described(value: Any) -> str:
    try:
        return short(repr(value))
    except ValueError:
        return "an integer of thousands of digits"


def _quoted(key: str) -> str:
    """A key, in quotes where TOML needs them."""
    return key if key and _BARE.issuperset(key) else _quoted_text(key)


def _quoted_text(text: str) -> str:
    """A basic string of TOML: one of JSON, with DEL escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
