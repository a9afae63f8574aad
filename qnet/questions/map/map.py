"""Rows of parameters in, their answers out: what `qnet map` and `map_rows` do, a chunk of rows at a time.

Rows as text, CSV or JSON lines, through a `Mapper`: read as they come, told as they are answered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from qnet.errors import AssertionFailed, InvalidInput, Problem, QnetError, short, suggest
from qnet.lazy import lazy, np
from qnet.model.metrics import every_metric, metrics
from qnet.model.model import Model
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.map.parameter_cells import Fault, Written, parameter_columns, parameter_value
from qnet.questions.map.tables import csv_fault
from qnet.questions.points.answers import Answers, solve_table
from qnet.questions.presentation.assertions import conditions, failing, told
from qnet.questions.presentation.columns import Columns, effect_notes, metric_cells
from qnet.questions.presentation.labels import labels
from qnet.questions.presentation.trust import approximate_notes, percentile_notes
from qnet.record import Record
from qnet.reports.content import Cell, Column, Note
from qnet.reports.csv_ import line
from qnet.reports.json_ import dumps
from qnet.reports.records import column_names

if TYPE_CHECKING:
    from qnet.questions.uncertainty import carried as uncertainty
    from qnet.questions.uncertainty.carried import Doubts
else:
    uncertainty = lazy("qnet.questions.uncertainty.carried")

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
                raise InvalidInput(Problem("QN241", found, "one row in each line"))
            yield text


CHUNK = 1024
"""Rows that are solved and told at once, at most."""


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


_MOST_UNREAD = 20
"""So many columns and warnings are remembered."""
_KEYS = ("method", "exactness", "status")

Cells = tuple[Cell, ...]


class _Broken(Record):
    """How often an assertion was false, and where first."""

    times: int
    row: int
    value: float | None


class Mapper:
    """Answers rows of parameters of one model, chunk by chunk, and remembers how they fared.

    metrics   texts such as `response` or `utilization('cpu')`; none: `every_metric`.
    wanted    the method and its budget, where there is a choice.
    asserted  conditions that every row must meet.
    prefix    stands before the name of every column of an answer.
    Raises    `UsageError` for a metric or condition that the model does not have.
    """

    def __init__(
        self,
        model: Model,
        metrics_: Sequence[str] = (),
        wanted: Wanted = AUTO,
        asserted: Sequence[str] = (),
        prefix: str = "",
    ) -> None:
        self.model = model
        self.wanted = wanted
        self.metrics = metrics(metrics_, model) if metrics_ else every_metric(model)
        self.claimed = conditions(asserted, model)
        self.shown = [*(item.expression for item in self.metrics), *(item.metric for item in self.claimed)]
        """What the answers tell, and what is asserted of them."""
        make = Columns(_KEYS)
        columns = [make.metric(item) for item in self.metrics]
        if model.calibration is not None:
            columns += [make.end(item, word) for item in self.metrics for word in ("low", "high")]
        columns += [Column(key, key) for key in _KEYS]
        self.names = tuple(prefix + name for name in column_names(columns))
        """The columns of an answer."""
        self.rows = 0
        self.answered = 0
        self.failures: dict[type[QnetError], QnetError] = {}
        self.broken: list[_Broken | None] = [None] * len(self.claimed)
        self.unread: dict[str, None] = {}
        """Columns that are passed through and are no parameters, the first of them."""
        self.read: dict[str, None] = {}
        """The parameters that rows state."""
        self._warned: dict[str, Note] = {}
        self._doubts: dict[tuple[str, ...], Doubts] = {}
        """By the parameters that rows state, which are known there: those of the calibration that are in doubt."""
        self._doubted: dict[Note, None] = {}

    def parameters(self, names: Sequence[str]) -> dict[str, str]:
        """Which columns are which parameters; raises `InvalidInput` where these columns cannot be answered."""
        found = parameter_columns(names, self.model)
        for name in names:
            if name not in found and name.strip() and len(self.unread) < _MOST_UNREAD:
                self.unread[name.strip()] = None
        self.read |= dict.fromkeys(found.values())
        both = [name for name in names if name in self.names]
        if both:
            help = "say --prefix new_ to name the answers otherwise"
            problem = Problem("QN240", f'"{both[0]}" is a column of the rows and of the answers', help=help)
            raise InvalidInput(problem)
        return found

    def answer(self, rows: Sequence[Mapping[str, Any] | Fault]) -> list[Cells]:
        """The cells of `names` for every row: a mapping of parameters to what its cells say, or a fault of the row.

        What a cell says is a text, a number, or `Written` of one under a column that may have a unit.
        """
        answers: list[Cells | None] = [None] * len(rows)
        tables: dict[tuple[str, ...], list[tuple[int, list[float]]]] = {}
        for place, row in enumerate(rows):
            try:
                if isinstance(row, Fault):
                    raise row
                values = [_value(self.model, name, cell) for name, cell in row.items()]
            except Fault as fault:
                answers[place] = self._fault(fault)
            else:
                tables.setdefault(tuple(row), []).append((place, values))
        false: list[tuple[int, int, float | None]] = []
        for names, members in tables.items():
            for (place, _), cells in zip(members, self._solve(names, members, false), strict=True):
                answers[place] = cells
        unanswered = [place for place, cells in enumerate(answers) if cells and cells[-1] != "ok"]
        false += [(number, place, None) for number in range(len(self.claimed)) for place in unanswered]
        self._claim(false)
        self.rows += len(rows)
        return [cells for cells in answers if cells is not None]

    def notes(self) -> list[Note]:
        """What limits the trust in the answers so far, and which columns were passed through unread."""
        found = [*self._warned.values(), *self._doubted]
        found += effect_notes(self.model, [*self.model.settings, *self.read], self.shown)
        if self.unread:
            names = ", ".join(f'"{short(name)}"' for name in self.unread)
            text = f"no parameters of the model, passed through unread: {names}"
            found.append(Note("QN700", text + (" and others" if len(self.unread) == _MOST_UNREAD else "")))
        return found

    def finish(self) -> None:
        """Raise what is to be said after the last row.

        `NoAnswer`, `NotComputed`, `UsageError` or `InvalidInput` where there were rows and none has an answer;
        `AssertionFailed` where an assertion is false of any row.
        """
        if self.rows and not self.answered:
            raise min(self.failures.values(), key=lambda error: (error.exit_code not in (4, 5), error.exit_code))
        problems = [
            told(item, broken.value, f" at {broken.times} of {self.rows} rows, first at row {broken.row}")
            for item, broken in zip(self.claimed, self.broken, strict=True)
            if broken
        ]
        if problems:
            raise AssertionFailed(*problems)

    def _solve(
        self,
        names: Sequence[str],
        members: Sequence[tuple[int, list[float]]],
        false: list[tuple[int, int, float | None]],
    ) -> list[Cells]:
        """The answers of rows that state the same parameters; where they break an assertion is added to `false`."""
        columns = {name: [values[index] for _, values in members] for index, name in enumerate(names)}
        answers = solve_table(self.model, columns, len(members), self.wanted)
        self.answered += int(answers.answered.sum())
        self._note(answers.failure)
        for note in (*approximate_notes(answers.reasons), *percentile_notes(self.model, self.shown, answers.parts)):
            if note.severity == "warning" and len(self._warned) < _MOST_UNREAD:
                self._warned.setdefault(note.code, note)
        for number, item in enumerate(self.claimed):
            fails, values = failing(answers, item)
            false += [
                (number, members[index][0], float(values[index]))
                for index in (fails & answers.answered).nonzero()[0].tolist()
            ]
        return _cells(self, answers, self._intervals(names, columns, answers))

    def _intervals(self, names: Sequence[str], columns: Mapping[str, Any], answers: Answers) -> list[list[Cell]]:
        """The cells of both ends of every metric by the doubt of calibrated parameters, where a model states it."""
        if self.model.calibration is None:
            return []

        key = tuple(names)
        doubts = self._doubts.get(key) or uncertainty.Doubts(self.model, key)
        if len(self._doubts) < _MOST_UNREAD:
            self._doubts[key] = doubts
        asked = [item.expression for item in self.metrics]
        here = np.array([answers.of(item) for item in asked], dtype=float)
        carried = doubts.at(columns, answers.size, asked, here, self.wanted)
        for note in doubts.notes(carried.lame, asked):
            if len(self._doubted) < _MOST_UNREAD:
                self._doubted[note] = None
        ends = zip(self.metrics, carried.low, carried.high, strict=True)
        return [metric_cells(item, values) for item, *both in ends for values in both]

    def _fault(self, fault: Fault) -> Cells:
        self._note(InvalidInput(Problem("QN241", f"no row can be used: {fault}")))
        return (*(None for _ in self.names[:-1]), str(fault))

    def _note(self, failure: QnetError | None) -> None:
        if failure is not None:
            self.failures.setdefault(type(failure), failure)

    def _claim(self, false: list[tuple[int, int, float | None]]) -> None:
        """Count where assertions are false: number of the assertion, place in the chunk, value."""
        for number, place, value in sorted(false, key=lambda item: item[:2]):
            before = self.broken[number]
            first = _Broken(0, self.rows + place + 1, value) if before is None else before
            self.broken[number] = first.replace(times=first.times + 1)


def _value(model: Model, name: str, cell: object) -> float:
    if isinstance(cell, Written):
        return parameter_value(model, name, cell.cell, cell.column)
    return parameter_value(model, name, cell)


def _cells(mapper: Mapper, answers: Answers, intervals: Sequence[list[Cell]]) -> list[Cells]:
    columns = [*(metric_cells(item, answers.of(item.expression)) for item in mapper.metrics), *intervals]
    trust = labels(answers, mapper.shown)
    columns += [list(answers.method), trust, list(answers.status)]
    return list(zip(*columns, strict=True))


def chunks(rows: Iterable[Any], most: int = CHUNK) -> Iterator[list[Any]]:
    """The rows in lists that grow from one row to `most`: first answers come at once, later ones cheaply.

    The sizes depend on the number of the row alone, so that answers are the same to the last digit at every run.
    """
    waiting, size = iter(rows), 1
    while chunk := list(islice(waiting, min(size, most))):
        yield chunk
        size = min(2 * size, most)


def map_rows(
    model: Model,
    rows: Iterable[Mapping[str, Any]],
    metrics: Sequence[str] = (),
    wanted: Wanted = AUTO,
    prefix: str = "",
    chunk: int = CHUNK,
) -> Iterator[dict[str, Any]]:
    """Every row with its answer beside it, as rows come.

    rows      mappings; keys that are named like parameters hold numbers in base units, or in the unit at their end
              (`rate`, `rate_per_min`, `time_ms`), quantities such as "600/s", or words of a choice. Others are passed
              through; one that is nearly named like a parameter is refused. A parameter that a row does not name
              keeps the value of the model.
    metrics   texts such as `response` or `utilization('cpu')`; none: `every_metric`.
    wanted    the method and its budget, where there is a choice.
    prefix    stands before the names of the answers.
    chunk     how many rows are solved at once, at most.
    Returns   the rows, with metrics, `method`, `exactness` and `status`; without an answer the status says why. Where
              the model states a calibration, `METRIC_low` and `METRIC_high` stand behind the metrics.
    Raises    `UsageError` for a metric that the model does not have, `InvalidInput` QN240 for keys that clash, or that
              are nearly named like parameters.
    """
    mapper = Mapper(model, metrics, wanted, prefix=prefix)
    for some in chunks(rows, chunk):
        given: list[Mapping[str, Any] | Fault] = []
        for row in some:
            known = mapper.parameters(tuple(row))
            given.append({name: Written(row[column], column) for column, name in known.items()})
        for row, cells in zip(some, mapper.answer(given), strict=True):
            yield {**row, **dict(zip(mapper.names, cells, strict=True))}


def no_parameter(model: Model) -> Problem:
    """That no column is named like a parameter, which is what a missing header looks like."""
    own = [name for name, parameter in model.parameters.items() if not parameter.part]
    return Problem("QN240", "no column is named like a parameter", "a header", help=suggest("", own))
