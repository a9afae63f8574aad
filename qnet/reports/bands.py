"""A table that is wider than its screen: columns folded, then parted into bands that repeat the leading ones."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from qnet.record import Record
from qnet.reports.cells import Table, aligned
from qnet.reports.text import width

UNLIMITED = 1_000_000
"""Columns of a screen that has no edge."""
_LONGEST_WORD = 20
"""A longer word may be broken where the screen is narrow."""
_SHORT = 12
"""Texts that are no longer are not folded, as `users = 10`."""
_UNIT = "unit"
_NAME = 0.75
"""A name is not broken that takes at most this share of the screen."""


class ColumnLayout(Record):
    """One column of a table and the room it takes."""

    title: str
    cells: list[str]
    numeric: bool
    natural: int
    least: int


def fields(table: Table) -> list[ColumnLayout]:
    """The columns of a table, with the room that each would like and the least that it needs."""
    fields: list[ColumnLayout] = []
    for index, (title, numeric) in enumerate(zip(table.titles, table.numeric, strict=True)):
        texts = [row[index] for row in table.rows]
        cells = aligned(texts) if numeric else texts
        digits = max(map(len, cells), default=0) if numeric else 0
        words = [word for text in (title, *([] if numeric else texts)) for word in text.split()]
        longest = max(map(width, words), default=1)
        natural = max(map(width, (title, *cells)))
        room = max(map(width, cells), default=0)
        longest = room if not numeric and longest < room <= _SHORT else longest
        fields.append(ColumnLayout(title, cells, numeric, natural, max(digits, min(longest, _LONGEST_WORD))))
    return fields


def bands(fields: Sequence[ColumnLayout], screen: int, gap: int, leading: int = 0) -> list[list[ColumnLayout]]:
    """The columns that stand side by side: all, or as many as fit after the leading texts, which say what a row is."""
    enough = list(fields[: _distinguishing(fields)])
    texts = list(takewhile(lambda field: not field.numeric, fields))
    wanted = (fields[:leading] or max(texts, enough, key=len), enough)
    narrow = (list(each) for each in wanted if total([item.least for item in each], gap) <= screen / 2)
    keys = next(narrow, list(fields[:1]))
    if total([field.natural for field in keys], gap) <= screen / 2:
        keys = [field.replace(least=field.natural) for field in keys]  # a name is not broken
    elif keys[0].natural <= _NAME * screen:
        keys = [keys[0].replace(least=keys[0].natural), *keys[1:]]
    bands = [keys]
    rest = list(fields[len(keys) :])
    before = list(takewhile(lambda field: field.title != _UNIT, rest))
    if len(before) < len(rest) and total([field.least for field in (*keys, *rest[: len(before) + 1])], gap) > screen:
        rest.insert(0, rest.pop(len(before)))  # numbers are not parted from their unit
    for field in rest:
        if len(bands[-1]) > len(keys) and total([field.least for field in (*bands[-1], field)], gap) > screen:
            bands.append(keys)
        bands[-1] = [*bands[-1], field]
    return [bands[0], *(_without_empty(band, len(keys)) for band in bands[1:])]


def _distinguishing(fields: Sequence[ColumnLayout]) -> int:
    """How many leading columns distinguish the rows; the first alone where all together do not."""
    for count in range(1, len(fields) + 1):
        rows = list(zip(*(field.cells for field in fields[:count]), strict=True))
        if len(set(rows)) == len(rows):
            return count
    return 1


def _without_empty(band: list[ColumnLayout], keys: int) -> list[ColumnLayout]:
    """A further band without the rows that have nothing but their names."""
    rows = [index for index in range(len(band[0].cells)) if any(field.cells[index].strip() for field in band[keys:])]
    return [field.replace(cells=[field.cells[index] for index in rows]) for field in band]


def total(widths: Sequence[int], gap: int) -> int:
    """The room of columns side by side."""
    return sum(widths) + gap * (len(widths) - 1)


def fitted(band: Sequence[ColumnLayout], screen: int, gap: int) -> list[int]:
    """Natural widths, taken from the widest columns as long as the screen is too narrow and something can be taken."""
    widths = [field.natural for field in band]
    while total(widths, gap) > screen:
        spare = [index for index, field in enumerate(band) if widths[index] > field.least]
        if not spare:
            break
        widths[max(spare, key=widths.__getitem__)] -= 1
    return widths
