"""Reshaping of tables of measurements: columns renamed, and wide rows melted into one row per condition."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from qnet.errors import Problem, UsageError, short, suggest
from qnet.model.model import Model
from qnet.questions.map.tables import DataTable, Rows, read_table
from qnet.record import Record

CODE = "QN755"
_RENAMED = "COLUMN=NAME, such as --column io_r=throughput"
_MELTED = "a pattern such as 'rt_{rate}_ms=response_ms' or '{}@{rate}'"
_BRACES = re.compile(r"\{([^{}]*+)\}")
_MOST_BRACES = 4
"""Most parameters in one title; a choice that bounds the time of matching."""
_LONGEST = 500
"""Most characters of a title that a pattern is matched with."""
_NUMBER = r"[+-]?[0-9][0-9_.,]*(?:e[+-]?[0-9]+)?(?: ?[A-Za-z%/]+)?"
"""A value in a title: a number, possibly with its unit."""


def shaped(table: DataTable, columns: Sequence[str], patterns: Sequence[str], model: Model | None) -> DataTable:
    """A table with wide rows melted, and then with columns renamed.

    columns    `COLUMN=NAME` texts.
    patterns   titles with a parameter in braces in place of its value, `rt_{rate}_ms`, followed by `=NAME`, the column
               that takes the cells; or with `{}` in place of the name of that column: `{}@{rate}`.
    model      the model whose choices may have their words in titles; None: numbers only.
    Raises     `UsageError` QN755 for texts that cannot be read, match no column, or make a column twice.
    """
    for text in patterns:
        table = _melted(table, text, _Pattern(text, model))
    return _renamed(table, columns) if columns else table


def read_shaped(source: Rows, columns: Sequence[str], patterns: Sequence[str], model: Model | None) -> DataTable:
    """A table of measurements, read from a CSV file or rows, and reshaped.

    source    as for `read_table`; columns, patterns and model as for `shaped`.
    Raises    what these two raise.
    """
    return shaped(read_table(source), columns, patterns, model)


def _refusal(text: str, expected: str = "", help: str = "") -> UsageError:
    return UsageError(Problem(CODE, text, expected, help=help))


def _renamed(table: DataTable, texts: Sequence[str]) -> DataTable:
    titles = {column.strip(): column for column in table.header}
    names: dict[str, str] = {}
    for text in texts:
        old, sign, new = (part.strip() for part in text.rpartition("="))
        if not sign or not old or not new:
            raise _refusal(f'"{short(text)}" renames no column', _RENAMED)
        if old not in titles:
            raise _refusal(f'there is no column "{short(old)}"', _RENAMED, suggest(old, list(titles)))
        if old in names:
            raise _refusal(f'the column "{short(old)}" is renamed twice', "one name for each column")
        names[old] = new
    result = [names.get(column.strip(), column) for column in table.header]
    stripped = [column.strip() for column in result]
    twice = next((name for name in names.values() if stripped.count(name) > 1), None)
    if twice is not None:
        help = f"rename the other one too, such as --column {twice}=other"
        raise _refusal(f'there would be two columns "{short(twice)}"', "distinct names", help)
    return table.replace(header=tuple(result))


class _Match(Record):
    """The match of a title: the column that takes the cells, and the values in the title."""

    name: str
    values: tuple[str, ...]


class _Pattern:
    """A pattern of titles."""

    def __init__(self, text: str, model: Model | None) -> None:
        pattern, sign, name = (part.strip() for part in text.rpartition("="))
        if not sign:
            pattern, name = text.strip(), ""
        braces = _BRACES.findall(pattern)
        self.keys: tuple[str, ...] = tuple(key.strip() for key in braces if key.strip())
        self.name = name
        free = len(braces) - len(self.keys)
        rest = _BRACES.sub("", pattern)
        if not self.keys or len(braces) > _MOST_BRACES or "{" in rest or "}" in rest or "{" in name:
            raise _refusal(f'"{short(text)}" is not a pattern of titles', _MELTED)
        if len(set(self.keys)) < len(self.keys) or name in self.keys:
            raise _refusal(f'"{short(text)}" names a column twice', "distinct names")
        if free + bool(name) != 1:
            what = "has no name for the cells" if not free and not name else "names the cells twice"
            raise _refusal(f'"{short(text)}" {what}', _MELTED)
        self.expression = re.compile("".join(self._part(piece, model) for piece in re.split(r"(\{[^{}]*+\})", pattern)))

    def _part(self, piece: str, model: Model | None) -> str:
        """A piece of the pattern as a regular expression."""
        if not _BRACES.fullmatch(piece):
            return re.escape(piece)
        key = piece[1:-1].strip()
        if not key:
            return "(?P<name_>.+)"
        options = model.parameters[key].options if model is not None and key in model.parameters else ()
        words = "|".join(map(re.escape, sorted(options, key=len, reverse=True)))
        return f"(?P<v{self.keys.index(key)}>{words or _NUMBER})"

    def match(self, title: str) -> _Match | None:
        """The match of a title; None where the pattern does not match."""
        match = self.expression.fullmatch(title) if len(title) <= _LONGEST else None
        if match is None:
            return None
        name = self.name or match["name_"].strip()
        return _Match(name, tuple(match[f"v{index}"] for index in range(len(self.keys))))


def _melted(table: DataTable, text: str, pattern: _Pattern) -> DataTable:
    """One row for each set of values in titles; rows without any cell are left out."""
    matches: dict[int, _Match] = {}
    for index, column in enumerate(table.header):
        match = pattern.match(column.strip())
        if match is not None:
            matches[index] = match
    if not matches:
        help = suggest("", [short(column.strip()) for column in table.header], called="the columns are:")
        raise _refusal(f'no column fits "{short(text)}"', _MELTED, help)
    kept = [index for index in range(len(table.header)) if index not in matches]
    names = list(dict.fromkeys(match.name for match in matches.values()))
    header = (*(table.header[index] for index in kept), *pattern.keys, *names)
    _refuse_twice(header, text)
    groups: dict[tuple[str, ...], dict[str, int]] = {}
    for index, match in matches.items():
        indices = groups.setdefault(match.values, {})
        if match.name in indices:
            raise _refusal(f'two columns are "{short(match.name)}" at {", ".join(match.values)}', "one of them")
        indices[match.name] = index
    chosen: list[int] = []
    rows: list[tuple[Any, ...]] = []
    for number, row in enumerate(table.rows):
        for values, indices in groups.items():
            cells = _cells(row, indices, names)
            if any(cell is not None and str(cell).strip() for cell in cells):
                rows.append((*(row[index] for index in kept), *values, *cells))
                chosen.append(number)
    if not rows:
        raise _refusal(f'the columns that fit "{short(text)}" are empty', "measurements")
    return table.replace(
        header=header,
        rows=tuple(rows),
        lines=_at(table.lines, chosen),
        numbers=_at(table.numbers, chosen),
        texts=_at(table.texts, chosen),
    )


def _cells(row: Sequence[Any], indices: Mapping[str, int], names: Iterable[str]) -> list[Any]:
    return [row[indices[name]] if name in indices else "" for name in names]


def _at(values: Sequence[Any], indices: Iterable[int]) -> tuple[Any, ...]:
    return tuple(values[index] for index in indices)


def _refuse_twice(header: Sequence[str], text: str) -> None:
    titles = [name.strip() for name in header]
    twice = next((name for index, name in enumerate(titles) if name and name in titles[:index]), None)
    if twice is not None:
        raise _refusal(f'"{short(text)}" makes a second column "{short(twice)}"', "distinct names")
