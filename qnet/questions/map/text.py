"""Rows as text, CSV or JSON lines, through a `Mapper`: read as they come, told as they are answered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from qnet.errors import InvalidInput, Problem, short
from qnet.questions.map.map import CHUNK, Mapper, chunks, no_parameter
from qnet.questions.map.parameter_cells import Fault, Written, parameter_columns
from qnet.questions.map.tables import csv_fault
from qnet.record import Record
from qnet.reports.csv_ import line
from qnet.reports.json_ import dumps

MAX_LINE = 1 << 20
"""Characters of a line; nobody knows how long the next one is."""

_MAX_KINDS = 1000
"""Sets of keys that are remembered."""


class Lines:
    """The lines of a text stream that is read as it comes; raises `InvalidInput` for one that has no end."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __iter__(self) -> Iterator[str]:
        while text := self.stream.readline(MAX_LINE + 1):
            if len(text) > MAX_LINE:
                found = f"a line is longer than {MAX_LINE} characters"
                raise InvalidInput(Problem("QN241", found, "rows, each in a line of its own"))
            yield text


def map_csv(mapper: Mapper, lines: Iterable[str], chunk: int = CHUNK) -> Iterator[str]:
    """Rows of CSV by RFC 4180 with a header, answered: text with one more line for each, a chunk at a time.

    Cells are passed on as they are, quoted where they need it, lines end with LF. A row that is no row of the table
    says so in its status. Without any line there is a header of the answers alone.

    Raises  `InvalidInput` QN240 for a header that names no parameter, or a column twice; QN241 for an endless line.
    """
    rows = _csv_rows(lines)
    header = next(rows, None)
    if header is None:
        yield line(mapper.names) + "\n"
        return
    if isinstance(header, Fault):
        raise InvalidInput(Problem("QN240", str(header).replace("the row", "the header", 1), "names of columns"))
    known = mapper.parameters(header)
    if not known:
        raise InvalidInput(no_parameter(mapper.model))
    places = [(header.index(column), name) for column, name in known.items()]
    yield line([*header, *mapper.names]) + "\n"
    for some in chunks(rows, chunk):
        given: list[Mapping[str, Any] | Fault] = []
        kept: list[Sequence[str]] = []
        for row in some:
            cells: list[str] = [] if isinstance(row, Fault) else row
            kept.append(_fitted(cells, len(header)))
            given.append(
                _misfit(row, len(header)) or {name: Written(cells[place], header[place]) for place, name in places}
            )
        answers = mapper.answer(given)
        yield "".join(line([*row, *cells]) + "\n" for row, cells in zip(kept, answers, strict=True))


def _csv_rows(lines: Iterable[str]) -> Iterator[list[str] | Fault]:
    """The rows that are not empty; a fault where one cannot be read."""
    import csv

    reader = csv.reader(lines, strict=True)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Fault(f"the row cannot be read: {csv_fault(error)}")
            continue
        if row:
            yield row


def _misfit(row: list[str] | Fault, columns: int) -> Fault | None:
    if isinstance(row, Fault):
        return row
    if len(row) != columns:
        return Fault(f"the row has {len(row)} cells for {columns} columns")
    return None


def _fitted(row: list[str], columns: int) -> list[str]:
    return [*row[:columns], *[""] * (columns - len(row))]


class _Object(Record):
    """A line of JSON, as it stands and as it was understood."""

    text: str
    value: Mapping[str, Any]


def map_jsonl(mapper: Mapper, lines: Iterable[str], chunk: int = CHUNK) -> Iterator[str]:
    """Objects, one in a line, answered: the same text with the answers at the end of each object, a chunk at a time.

    A line that is no object, that has no key named like a parameter, or one nearly so, says so in its status.

    Raises  `InvalidInput` QN240 for a key that the answers have too, QN241 for an endless line.
    """
    known: dict[tuple[str, ...], dict[str, str] | Fault] = {}
    for some in chunks((_object(text) for text in lines if text.strip()), chunk):
        given: list[Mapping[str, Any] | Fault] = []
        for row in some:
            if isinstance(row, Fault):
                given.append(row)
                continue
            keys = tuple(row.value)
            if keys not in known and len(known) < _MAX_KINDS:
                known[keys] = _known(mapper, keys)
            found = known.get(keys) or _known(mapper, keys)
            given.append(found if isinstance(found, Fault) else _written(row.value, found))
        answers = mapper.answer(given)
        made = (dict(zip(mapper.names, cells, strict=True)) for cells in answers)
        yield "".join(_joined(row, answer) for row, answer in zip(some, made, strict=True))


def _written(value: Mapping[str, Any], known: Mapping[str, str]) -> dict[str, Any]:
    return {name: Written(value[key], key) for key, name in known.items()}


def _known(mapper: Mapper, keys: tuple[str, ...]) -> dict[str, str] | Fault:
    try:
        parameter_columns(keys, mapper.model)
    except InvalidInput as error:
        return Fault(error.problems[0].found.replace("column", "key"))
    found = mapper.parameters(keys)
    return found or Fault(no_parameter(mapper.model).found.replace("column", "key"))


def _joined(row: _Object | Fault, answer: dict[str, Any]) -> str:
    """The text of a row with its answer inside; of what is no object, the answer alone."""
    text = dumps(answer)
    if isinstance(row, Fault) or not row.value:
        return text + "\n"
    return row.text.rstrip()[:-1].rstrip() + "," + text[1:] + "\n"


def _object(text: str) -> _Object | Fault:
    import json

    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_number)
    except RecursionError:
        return Fault("the line nests too deeply")
    except Fault as fault:
        return fault
    except ValueError:
        return Fault(f'the line is not JSON: "{short(text.strip())}"')
    if not isinstance(value, dict):
        return Fault("the line is no JSON object")
    return _Object(text.strip(), cast("dict[str, Any]", value))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Fault("the line has a key twice")
    return found


def _no_number(text: str) -> Any:
    raise Fault(f"{text} is no number")
