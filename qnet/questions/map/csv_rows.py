"""Rows of CSV as they arrive, each with its text, so that a faulty row neither is lost nor affects later ones."""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from qnet.note import Note
from qnet.questions.map.parameter_cells import Fault
from qnet.record import Record
from qnet.reports.csv_ import line

SEPARATORS = (",", ";", "\t")
"""The first of these outside quotation marks in the header separates cells."""
COMMENT = "#"

_QUOTED = re.compile(r'"[^"]*+"')
_DECIMAL_COMMA = re.compile(r"\s*+[+-]?\d++,\d++(?![\d.,])", re.ASCII)
_DECIMAL_POINT = re.compile(r"\s*+[+-]?\d++\.\d", re.ASCII)


MAX_FIELD_LINES = 100
"""Most lines of a cell in quotation marks; a mark that is not closed by then is a stray one."""
_PLAIN = 100_000
"""Most characters of a line that is split here; the reader of the standard library limits the length of cells."""
_MOST_COMMENTS = 100
"""Most comments before the header that are remembered."""


def separator(header: str) -> str:
    """The separator of the cells of a table, by its header line."""
    bare = _QUOTED.sub("", header)
    return next((sign for sign in SEPARATORS if sign in bare), ",")


def is_comment(text: str) -> bool:
    """Whether the line `text` begins with `#`; but `#` before a separator is the title of a column of row numbers."""
    return text.startswith(COMMENT) and text[1:].lstrip(" ")[:1] not in SEPARATORS


def are_numbers(cells: Sequence[str]) -> bool:
    """Whether all `cells` are numbers, so that they are not a header."""
    try:
        return bool([float(decimal_point(cell)) for cell in cells])
    except ValueError:
        return False


def decimal_point(cell: str) -> str:
    """The cell with a decimal point in place of a decimal comma: `1.5 ms` for `1,5 ms`."""
    return cell.replace(",", ".", 1) if has_comma(cell) else cell


def has_comma(cell: str) -> bool:
    """Whether a cell is a number, or a quantity, with one comma among its digits and no point."""
    return "," in cell and _DECIMAL_COMMA.match(cell) is not None


def has_point(cell: str) -> bool:
    """Whether a cell is a number, or a quantity, with a decimal point."""
    return _DECIMAL_POINT.match(cell) is not None


class RowFault(Fault):
    """The fault of a row; `what` completes the sentence "the row ...", such as "cannot be read"."""

    def __init__(self, what: str) -> None:
        super().__init__(f"the row {what}")
        self.what = what


class CsvRow(Record):
    """A row: its text, and its cells or fault."""

    text: str
    """Its characters, without the end of the line."""
    cells: tuple[str, ...]
    fault: RowFault | None = None
    """The reason why it is not a row of the table."""
    line: int = 0
    """The number of its first line, from 1."""
    separator: str = ","
    comment: bool = False
    """Whether it is a comment below the header."""
    lines: int = 1
    """The number of its lines."""

    def fitted(self, columns: int) -> list[str]:
        """As many cells as there are columns: surplus cells are joined to the last one, as CSV; a row without cells has
        its text in the first."""
        cells = list(self.cells) or [self.text]
        if len(cells) > columns:
            return [*cells[: columns - 1], line(cells[columns - 1 :])]
        return [*cells, *[""] * (columns - len(cells))]


def csv_rows(lines: Iterable[str], comments: bool = False) -> Iterator[CsvRow]:
    """The header and the rows that are not empty, by RFC 4180; cells may be separated by semicolons or tabs as well.

    A cell may continue over lines if its quotation mark is closed within `MAX_FIELD_LINES` and the row then has the
    cells of the header. Otherwise its first line alone is at fault, and the lines after it are rows again.

    Lines before the header that begin with `#` are comments; where the first line after them is all numbers, the last
    comment with as many cells is the header.

    comments   whether lines after the header that begin with `#` are comments too.
    """
    source, ahead = _Counted(lines), deque[str]()
    columns: int | None = None
    sign = ","
    before: list[tuple[str, int]] = []
    while True:
        text = ahead.popleft() if ahead else next(source, None)
        if text is None:
            return
        begin = source.taken - len(ahead)
        if is_comment(text) and (columns is None or comments):
            if columns is None:
                before = [*before[1 - _MOST_COMMENTS :], (text, begin)]
            else:
                row = _parsed(text, sign)
                yield (row or CsvRow(text.rstrip("\r\n"), ())).replace(line=begin, separator=sign, comment=True)
            continue
        if columns is None:
            sign = separator(text)
        elif (cells := _plain(text, sign)) is not None and len(cells) == columns:
            yield CsvRow(text=text.rstrip("\r\n"), cells=cells, line=begin, separator=sign)
            continue
        row = _parsed(text, sign)
        if row is None:
            row = _continued(text, source, ahead, columns, sign)
        elif not row.cells and row.fault is None:
            continue
        row = row.replace(line=begin, separator=sign)
        if columns is None:
            columns = len(row.cells)
            header = _header_above(before, row)
            if header is not None:
                yield header
        elif row.fault is None and len(row.cells) != columns:
            row = row.replace(fault=RowFault(f"has {len(row.cells)} cells for {columns} columns"))
        yield row


def _header_above(comments: Iterable[tuple[str, int]], first: CsvRow) -> CsvRow | None:
    """The header, if it is a comment above a first row of numbers; None where that row itself is the header."""
    if first.fault is not None or not are_numbers(first.cells):
        return None
    for text, number in reversed(list(comments)):
        row = _parsed(text.lstrip(COMMENT + " "), first.separator)
        if row is not None and row.fault is None and len(row.cells) == len(first.cells):
            return row.replace(line=number, separator=first.separator)
    return None


class LongCells:
    """A count of rows that extend over several lines, which two stray quotation marks may cause."""

    def __init__(self) -> None:
        self.rows = self.lines = self.first = 0

    def add(self, rows: Iterable[CsvRow]) -> None:
        """Count the long rows among some."""
        for row in [row for row in rows if row.lines > 1]:
            self.rows += 1
            self.lines += row.lines
            self.first = self.first or row.line

    def notes(self) -> list[Note]:
        """A warning of such rows; none without any."""
        if not self.rows:
            return []
        rows = "1 row runs" if self.rows == 1 else f"{self.rows} rows run"
        text = f"{rows} over {self.lines} lines, the first from line {self.first}, inside quotation marks"
        return [Note("QN756", text, "warning", "if a quotation mark is a stray one, double it inside quotation marks")]


class _Counted:
    """Lines that are counted as they are taken."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = iter(lines)
        self.taken = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self.lines)
        self.taken += 1
        return line


def csv_fault(error: Exception) -> str:
    """The message for a user of an error of the reader of the standard library."""
    match str(error):
        case "unexpected end of data":
            return "a quotation mark is opened and never closed"
        case text if text.endswith("expected after '\"'"):
            return "a quotation mark is closed inside a cell"
        case text:
            return text


def _plain(text: str, sign: str) -> tuple[str, ...] | None:
    """The cells of a line without quotation marks, as the reader of the standard library gives them; else None."""
    bare = text.rstrip("\r\n")
    if not bare or '"' in bare or "\r" in bare or "\n" in bare or len(bare) > _PLAIN:
        return None
    return tuple(bare.split(sign))


def _parsed(text: str, sign: str) -> CsvRow | None:
    """The row of a text, with a fault where it cannot be read; None where a quotation mark is still open."""
    bare = text.rstrip("\r\n")
    # A line break counts only inside a cell.
    reader = csv.reader(text.splitlines(keepends=True) if "\n" in bare else [text], strict=True, delimiter=sign)
    try:
        nothing: list[str] = []
        cells = next(reader, nothing)
        if next(reader, None):
            return CsvRow(bare, (), fault=RowFault("cannot be read: a quotation mark is closed inside a cell"))
    except csv.Error as error:
        if str(error) == "unexpected end of data":
            return None
        return CsvRow(bare, (), fault=RowFault(f"cannot be read: {csv_fault(error)}"))
    return CsvRow(bare, tuple(cells))


def _continued(first: str, source: Iterator[str], ahead: deque[str], columns: int | None, sign: str) -> CsvRow:
    """A row whose first line ends inside quotation marks; lines that are read but not used remain in `ahead`."""
    text = first
    for number in range(MAX_FIELD_LINES - 1):
        if number == len(ahead):
            more = next(source, None)
            if more is None:
                break
            ahead.append(more)
        text += ahead[number]
        if ahead[number].count('"') % 2 == 0:
            continue
        row = _parsed(text, sign)
        if row is None:
            continue
        if row.fault is not None or (columns is not None and len(row.cells) != columns):
            break
        for _ in range(number + 1):
            ahead.popleft()
        return row.replace(lines=number + 2)
    fault = RowFault("cannot be read: a quotation mark is opened and never closed")
    return CsvRow(first.rstrip("\r\n"), (), fault=fault)
