"""Tables of measurements: CSV with a header, or rows as mappings, with the line of each row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any

from qnet.errors import InvalidInput, Problem, UsageError, short
from qnet.lazy import lazy
from qnet.opened import contents
from qnet.questions.map.csv_rows import CsvRow, LongCells, csv_rows, decimal_point, has_comma, has_point
from qnet.questions.map.parameter_cells import Fault
from qnet.real import real
from qnet.record import Record
from qnet.reports.content import Note
from qnet.reports.csv_ import line as csv_line

if TYPE_CHECKING:
    import hashlib

    from qnet.catalog import find
else:
    hashlib = lazy("hashlib")
    find = lazy("qnet.catalog.find")

MAX_BYTES = 1 << 24
"""Most bytes of a file; a choice that bounds memory."""
MAX_ROWS = 100_000
"""Most rows of a table; a choice that bounds memory."""
_MOST_PROBLEMS = 20
"""Most problems that are reported; a choice: people do not read more."""

Rows = str | Iterable[Mapping[str, Any]]
"""A path, `-` for standard input, or rows by the names of their columns."""


class Unread(Record):
    """A row of data that cannot be read."""

    number: int
    """The number of the row of data, from 1."""
    text: str
    """Its text in the file; for a mapping, its values as CSV."""
    problem: Problem


class DataTable(Record):
    """Cells under named columns."""

    name: str
    """Its name in messages."""
    digest: str
    """Twelve hexadecimal digits of a hash of the file; empty for mappings."""
    header: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    lines: tuple[int, ...]
    """The first line of each row in the file; for mappings, its number."""
    numbers: tuple[int, ...]
    """The number of each row of data, from 1, counting also rows that cannot be read."""
    texts: tuple[str, ...]
    """The text of each row in the file."""
    unread: tuple[Unread, ...] = ()
    """The rows that cannot be read, in order."""
    remarks: tuple[Note, ...] = ()
    """Notes on how the file was read, where that is a guess."""

    def fault(self, row: int, column: str, text: object) -> Problem:
        """The problem of a cell; without a column where the text names it."""
        title = f"{short(column.strip())}: " if column else ""
        where: dict[str, Any] = {"file": self.name, "line": self.lines[row]} if self.digest else {"file": "rows"}
        number = "" if self.digest else f"row {self.lines[row]}: "
        return Problem("QN251", f"{number}{title}{text}", **where)

    def without(self, problems: Mapping[int, Sequence[Problem]]) -> DataTable:
        """The table without the rows that have problems, which become unread rows.

        problems   by index of the row.
        Raises     `InvalidInput` with the first problems of all rows, where no row is left.
        """
        if not problems:
            return self
        kept = [index for index in range(len(self.rows)) if index not in problems]
        more = [Unread(self.numbers[index], self.texts[index], items[0]) for index, items in problems.items()]
        if not kept:
            refuse([*(item.problem for item in self.unread), *(one for items in problems.values() for one in items)])
        return self.replace(
            rows=tuple(self.rows[index] for index in kept),
            lines=tuple(self.lines[index] for index in kept),
            numbers=tuple(self.numbers[index] for index in kept),
            texts=tuple(self.texts[index] for index in kept),
            unread=tuple(sorted((*self.unread, *more), key=lambda item: item.number)),
        )

    def refuse_unread(self) -> None:
        """Raise `InvalidInput` for the first row that cannot be read, if there is one."""
        if self.unread:
            help = "leave out --strict to continue without such rows"
            raise InvalidInput(self.unread[0].problem.replace(help=help))

    def reasons(self) -> tuple[Problem, ...]:
        """The problems of the first unread rows."""
        return tuple(item.problem for item in self.unread[:_MOST_PROBLEMS])

    def tally(self) -> str:
        """The numbers of rows that were read and not read, as a sentence; empty where all were read."""
        return f"rows: {len(self.rows)} read, {len(self.unread)} not" if self.unread else ""

    def notes(self) -> list[Note]:
        """Notes on how the file was read, and on rows that cannot be read."""
        if not self.unread:
            return list(self.remarks)
        text = f"{len(self.unread)} of {len(self.rows) + len(self.unread)} rows cannot be read and are not used; "
        text += "their status says why"
        return [*self.remarks, Note("QN737", text, "warning", "correct them, or add --strict to stop at the first")]


def refuse(problems: Sequence[Problem]) -> None:
    """Raise `InvalidInput` with the first problems, if there are any."""
    if problems:
        more = len(problems) - _MOST_PROBLEMS
        ordered = sorted(problems, key=lambda problem: problem.line)[:_MOST_PROBLEMS]
        if more > 0:
            ordered.append(Problem("QN251", f"{more} more cells cannot be used"))
        raise InvalidInput(*ordered)


def read_table(source: Rows) -> DataTable:
    """Read an entire table; rows that cannot be read are listed in `unread`.

    source  the name of a CSV file with a header, or at most `MAX_ROWS` mappings from columns to cells.
    Raises  `UsageError` where there is no such file; `InvalidInput` QN250 for a file that is not a table, QN251 where
            no row can be read.
    """
    if isinstance(source, str):
        return _csv(source)
    given = [dict(row) for row in source]
    if len(given) > MAX_ROWS:
        raise _unusable("rows", f"there are {len(given)} rows", f"at most {MAX_ROWS}")
    header = tuple(dict.fromkeys(str(name) for row in given for name in row))
    rows = tuple(tuple(row.get(name, "") for name in header) for row in given)
    numbers = tuple(range(1, len(rows) + 1))
    texts = tuple(map(_as_csv, rows))
    return _checked(
        DataTable(name="rows", digest="", header=header, rows=rows, lines=numbers, numbers=numbers, texts=texts)
    )


def _as_csv(row: Sequence[Any]) -> str:
    """The cells of a mapping as CSV."""
    return csv_line("" if cell is None else str(cell) for cell in row)


def _csv(path: str) -> DataTable:
    raw = _bytes(path)
    name = "<stdin>" if path == "-" else path
    if len(raw) > MAX_BYTES:
        raise _unusable(name, f"the file is larger than {MAX_BYTES >> 20} MiB", "measurements of at most that size")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _unusable(name, "this is not UTF-8 text", "measurements as CSV with a header") from None
    header, rows, problems, remarks = _read(name, text)
    cells, lines, numbers, texts = zip(*rows, strict=True) if rows else ((), (), (), ())
    digest = hashlib.sha256(raw).hexdigest()[:12]
    table = DataTable(
        name=name, digest=digest, header=header, rows=cells, lines=lines, numbers=numbers, texts=texts, remarks=remarks
    )
    return _checked(table).without(problems)


_Row = tuple[tuple[str, ...], int, int, str]


def _read(name: str, text: str) -> tuple[tuple[str, ...], list[_Row], dict[int, list[Problem]], tuple[Note, ...]]:
    """The header, the rows with their lines, numbers and texts, the problems by row, and notes on the reading."""
    header: CsvRow | None = None
    rows: list[_Row] = []
    problems: dict[int, list[Problem]] = {}
    hidden, long = 0, LongCells()
    for row in csv_rows(StringIO(text, newline=""), comments=True):
        if header is None:
            if row.fault is not None:
                raise _unusable(name, f"line {row.line} cannot be read: {row.fault}", "a header")
            header = row
            continue
        if row.comment:
            hidden += len(row.cells) == len(header.cells) > 1
            continue
        if len(rows) == MAX_ROWS:
            raise _unusable(name, f"there are more than {MAX_ROWS} rows", f"at most {MAX_ROWS}")
        long.add([row])
        if row.fault is not None:
            problems[len(rows)] = [Problem("QN251", str(row.fault), file=name, line=row.line)]
        rows.append((row.cells, row.line, len(rows) + 1, row.text))
    if header is None:
        return (), rows, problems, ()
    remarks = long.notes()
    if header.separator != ",":
        columns = _decimals(rows, len(header.cells), header.cells)
        if columns:
            remarks.append(Note("QN756", f"numbers with a decimal comma: {', '.join(map(short, columns))}"))
    if hidden:
        lines = "1 line begins" if hidden == 1 else f"{hidden} lines begin"
        text = f"{lines} with # and would otherwise be a row: taken as a comment"
        remarks.append(Note("QN756", text, "warning", 'write "#..." in quotation marks for a cell that begins with #'))
    return header.cells, rows, problems, tuple(remarks)


def _decimals(rows: list[_Row], count: int, titles: Sequence[str]) -> list[str]:
    """Replace decimal commas by points in columns without decimal points, and return the titles of these columns."""
    indices = [index for index in range(count) if any(has_comma(row[0][index]) for row in rows if len(row[0]) == count)]
    indices = [index for index in indices if not any(has_point(row[0][index]) for row in rows if len(row[0]) == count)]
    if indices:
        for number, (cells, line, row, text) in enumerate(rows):
            if len(cells) == count:
                changed = tuple(decimal_point(cell) if index in indices else cell for index, cell in enumerate(cells))
                rows[number] = (changed, line, row, text)
    return [titles[index].strip() for index in indices]


def _checked(table: DataTable) -> DataTable:
    """The table; raises `InvalidInput` QN250 where it has no rows, or two columns of the same name."""
    if not table.rows:
        raise _unusable(table.name, "there is no row", "a header and a row for each measurement")
    titles = [name.strip() for name in table.header]
    twice = [name for index, name in enumerate(titles) if name and name in titles[:index]]
    if twice:
        raise _unusable(table.name, f'the column "{short(twice[0])}" appears twice', "distinct names")
    return table


def _unusable(name: str, result: str, expected: str) -> InvalidInput:
    return InvalidInput(Problem("QN250", result, expected, file=name))


def _bytes(path: str) -> bytes:
    try:
        return contents(path, MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        text = f"cannot be read: {getattr(error, 'strerror', None) or error}"
        help = f"qnet example {path} > {path}.csv writes that example" if _is_example(path) else ""
        raise UsageError(Problem("QN002", text, "measurements as CSV with a header", file=path, help=help)) from None


def _is_example(name: str) -> bool:
    """Whether a name is that of an example of measurements, which `qnet example` prints."""
    return any(entry.id == name for entry in find.examples() if entry.kind == find.DATA)


def number(cell: object) -> float | None:
    """The number in a cell; None for an empty one. Raises `Fault` for anything else."""
    text = cell.strip() if isinstance(cell, str) else cell
    if text is None or (isinstance(text, str) and not text):
        return None
    try:
        value = float(text) if isinstance(text, str) else real(text)
    except ValueError:
        value = float("nan")
    if value is None or not abs(value) < float("inf"):
        raise Fault(f'"{short(str(text))}" is not a number')
    return value


def truth(cell: object) -> bool:
    """The truth value in a cell; False for an empty one. Raises `Fault` for anything else."""
    text = str(cell).strip().lower()
    if text in ("1", "true", "yes", "y"):
        return True
    if text in ("", "0", "false", "no", "n", "none"):
        return False
    raise Fault(f'"{short(text)}" is neither yes nor no')


def weight(cell: object) -> float:
    """The weight in a cell, above 0; 1 for an empty one. Raises `Fault` for anything else."""
    value = number(cell)
    if value is None:
        return 1.0
    if value <= 0:
        raise Fault("a weight must be above 0; to exclude a row from the fit, hold it out")
    return value
