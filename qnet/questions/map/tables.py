"""Tables of measurements: CSV with a header, or rows as mappings, with where each row stands."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from qnet.errors import InvalidInput, Problem, UsageError, short
from qnet.questions.map.parameter_cells import Fault
from qnet.record import Record

MAX_BYTES = 1 << 24
MAX_ROWS = 100_000
_MOST_PROBLEMS = 20

Rows = str | Iterable[Mapping[str, Any]]
"""A path, `-` for standard input, or rows by the names of their columns."""


class Table(Record):
    """Cells under named columns."""

    name: str
    """What messages call it."""
    digest: str
    """Twelve hexadecimal digits that change with its text; empty for rows that have none."""
    header: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    lines: tuple[int, ...]
    """Of each row, where it begins: its line in the file, or its number."""

    def fault(self, row: int, column: str, text: object) -> Problem:
        """What is wrong with a cell of a column; of no column, where the text names it itself."""
        title = f"{short(column.strip())}: " if column else ""
        where: dict[str, Any] = {"file": self.name, "line": self.lines[row]} if self.digest else {"file": "rows"}
        number = "" if self.digest else f"row {self.lines[row]}: "
        return Problem("QN251", f"{number}{title}{text}", **where)


def refuse(problems: Sequence[Problem]) -> None:
    """Raise `InvalidInput` with the first problems, if there are any."""
    if problems:
        more = len(problems) - _MOST_PROBLEMS
        said = sorted(problems, key=lambda problem: problem.line)[:_MOST_PROBLEMS]
        if more > 0:
            said.append(Problem("QN251", f"{more} more cells cannot be used"))
        raise InvalidInput(*said)


def read_table(source: Rows) -> Table:
    """Read a table whole.

    Raises  `UsageError` where there is no such file, `InvalidInput` for what is no table: QN250 of the whole, QN251 of
            rows.
    """
    if isinstance(source, str):
        return _csv(source)
    given = [dict(row) for row in source]
    if len(given) > MAX_ROWS:
        raise _unusable("rows", f"there are {len(given)} rows", f"at most {MAX_ROWS}")
    header = tuple(dict.fromkeys(str(name) for row in given for name in row))
    rows = tuple(tuple(row.get(name, "") for name in header) for row in given)
    return _checked(Table("rows", "", header, rows, tuple(range(1, len(rows) + 1))))


def csv_fault(error: Exception) -> str:
    """What the reader of the standard library has against a row, in words for those who wrote it."""
    match str(error):
        case "unexpected end of data":
            return "a quotation mark is opened and never closed"
        case text if text.endswith("expected after '\"'"):
            return "a quotation mark is closed inside a cell"
        case text:
            return text


def _csv(path: str) -> Table:
    import csv
    from hashlib import sha256

    raw = _bytes(path)
    name = "<stdin>" if path == "-" else path
    if len(raw) > MAX_BYTES:
        raise _unusable(name, f"the file is larger than {MAX_BYTES >> 20} MiB", "measurements of at most that size")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _unusable(name, "this is not UTF-8 text", "measurements as CSV with a header") from None
    reader = csv.reader(text.splitlines(keepends=True), strict=True)
    rows: list[tuple[str, ...]] = []
    lines: list[int] = []
    header: tuple[str, ...] = ()
    try:
        line = 1
        for row in reader:
            if row and not header:
                header = tuple(row)
            elif row:
                rows.append(tuple(row))
                lines.append(line)
            line = reader.line_num + 1
    except csv.Error as error:
        raise _unusable(name, f"line {reader.line_num} cannot be read: {csv_fault(error)}", "CSV") from None
    if len(rows) > MAX_ROWS:
        raise _unusable(name, f"there are {len(rows)} rows", f"at most {MAX_ROWS}")
    problems = [
        Problem("QN251", f"the row has {len(row)} cells for {len(header)} columns", file=name, line=line)
        for row, line in zip(rows, lines, strict=True)
        if len(row) != len(header)
    ]
    refuse(problems)
    return _checked(Table(name, sha256(raw).hexdigest()[:12], header, tuple(rows), tuple(lines)))


def _checked(table: Table) -> Table:
    """The table, where it has rows under columns of different names."""
    if not table.rows:
        raise _unusable(table.name, "there is no row", "a header and a row for each measurement")
    titles = [name.strip() for name in table.header]
    twice = [name for place, name in enumerate(titles) if name and name in titles[:place]]
    if twice:
        raise _unusable(table.name, f'the column "{short(twice[0])}" is there twice', "distinct names")
    return table


def _unusable(name: str, found: str, expected: str) -> InvalidInput:
    return InvalidInput(Problem("QN250", found, expected, file=name))


def _bytes(path: str) -> bytes:
    try:
        if path == "-":
            if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]
                raise ValueError("standard input is closed")
            return sys.stdin.buffer.read(MAX_BYTES + 1)
        with open(path, "rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        found = f"cannot be read: {getattr(error, 'strerror', None) or error}"
        raise UsageError(Problem("QN002", found, "measurements as CSV with a header", file=path)) from None


def number(cell: object) -> float | None:
    """A cell that is a plain number; None for an empty one. Raises `Fault` for anything else."""
    text = cell.strip() if isinstance(cell, str) else cell
    if text is None or text == "":
        return None
    try:
        value = float(text) if isinstance(text, str | int | float) and not isinstance(text, bool) else float("nan")
    except ValueError:
        value = float("nan")
    if not abs(value) < float("inf"):
        raise Fault(f'"{short(str(text))}" is no number')
    return value


def truth(cell: object) -> bool:
    """Whether a cell says yes; an empty one does not. Raises `Fault` for what is neither yes nor no."""
    text = str(cell).strip().lower()
    if text in ("1", "true", "yes", "y"):
        return True
    if text in ("", "0", "false", "no", "n", "none"):
        return False
    raise Fault(f'"{short(text)}" is neither yes nor no')


def weight(cell: object) -> float:
    """A weight: a number above 0; 1 where the cell is empty. Raises `Fault` for anything else."""
    value = number(cell)
    if value is None:
        return 1.0
    if value <= 0:
        raise Fault("a weight is above 0; rows that shall not count are held out")
    return value
