"""The model solved for rows of parameters, a chunk at a time: for `qnet map` from text, for `map_rows` from mappings.

Rows are read as they arrive, answered by a `Mapper`, and written at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from qnet.arguments import argument
from qnet.errors import AssertionFailed, InvalidInput, NotComputed, Problem, QnetError, UsageError, short, suggest
from qnet.lazy import lazy, np
from qnet.model.metrics import Metric, every_metric, metrics
from qnet.model.model import Model
from qnet.networks.reasons import approximate_notes
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.map.csv_rows import CsvRow, LongCells, csv_rows, decimal_point
from qnet.questions.map.parameter_cells import Fault, Written, parameter_columns, parameter_value, parameter_values
from qnet.questions.map.row_budget import RowBudget
from qnet.questions.points.answers import OK, Answers, Undefined, solve_table
from qnet.questions.presentation.assertions import conditions, failing, failure
from qnet.questions.presentation.columns import ColumnMaker, effect_notes, metric_cells
from qnet.questions.presentation.labels import labels, percentile_notes, undefined_notes
from qnet.record import Record
from qnet.reports.columns import column_names
from qnet.reports.content import Cell, Column, Note
from qnet.reports.csv_ import line, needs_marks
from qnet.reports.json_ import dumps
from qnet.units import in_unit

if TYPE_CHECKING:
    import json

    from qnet.questions import uncertainty
    from qnet.questions.uncertainty import Doubts
else:
    json = lazy("json")
    uncertainty = lazy("qnet.questions.uncertainty")

_OBJECTS = "rows in JSON are read with --jsonl"
MAX_LINE = 1 << 20
"""Most characters of a line."""

_MAX_KINDS = 1000
"""Most sets of keys whose parameters are remembered."""


class Lines:
    """The lines of a text stream, read as they arrive; raises `InvalidInput` QN241 for one longer than `MAX_LINE`."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __iter__(self) -> Iterator[str]:
        while text := self.stream.readline(MAX_LINE + 1):
            if len(text) > MAX_LINE:
                sentence = f"a line is longer than {MAX_LINE} characters"
                raise InvalidInput(Problem("QN241", sentence, "one row in each line"))
            yield text


CHUNK = 2048
"""Most rows that are solved and written at once."""


def map_csv(
    mapper: Mapper, lines: Iterable[str], chunk: int = CHUNK, safe: bool = False, header_too: bool = True
) -> Iterator[str]:
    """The answers to rows of CSV (RFC 4180) with a header, as CSV, a chunk at a time.

    Cells are passed through, quoted where they need it; lines end with LF. The status of a line that is no row of the
    table gives the reason. Without any line, the result is a header of the answers alone.

    mapper      the model and the metrics that answer a row.
    lines       the text, as it is read; a field in quotation marks may extend over several.
    chunk       how many rows are solved and written at once, at least 1.
    safe        whether text that a spreadsheet would compute gets an apostrophe before it.
    header_too  whether the answers begin with a header.
    Raises      `InvalidInput` QN240 for a header that names no parameter, or a column twice; QN241 for an endless line.
    """
    refuse_chunk(chunk)
    rows = csv_rows(lines)
    first = next(rows, None)
    if first is None:
        yield line(mapper.names, safe) + "\n" if header_too else ""
        return
    if first.fault is not None:
        help = _OBJECTS if first.text[:1] == "{" else ""
        raise InvalidInput(Problem("QN240", f"the header {first.fault.what}", "names of columns", help=help))
    header = first.cells
    known = mapper.parameters(header)
    if not known:
        problem = no_parameter(mapper.model)
        raise InvalidInput(problem.replace(help=_OBJECTS) if header[0].startswith("{") else problem)
    parameters = [(header.index(column), name) for column, name in known.items()]
    yield line([*header, *mapper.names], safe) + "\n" if header_too else ""
    for some in chunks(rows, chunk):
        mapper.long_cells.add(some)
        good = [row for row in some if row.fault is None]
        columns = {name: (_column(good, index), header[index]) for index, name in parameters}
        answers = mapper.answer_columns(columns, [row.fault for row in some])
        write = _Writing(len(header), safe)
        yield "".join(write.answered(row, cells) for row, cells in zip(some, answers, strict=False))
        mapper.refuse_stopped()


class _Writing:
    """Rows with their answers, as lines of CSV."""

    def __init__(self, columns: int, safe: bool) -> None:
        self.columns, self.safe = columns, safe
        self._ends: dict[Cells, str] = {}
        """Method, exactness and status, which many rows have in common, as they are written."""

    def answered(self, row: CsvRow, cells: Cells) -> str:
        """The line of a row with its answer; a row that needs no quotation marks is copied."""
        plain = row.fault is None and row.separator == "," and len(row.cells) == self.columns
        if self.safe or not plain or needs_marks(row.text):
            return line([*row.fitted(self.columns), *cells], self.safe) + "\n"
        figures, common = cells[: -len(_KEYS)], cells[-len(_KEYS) :]
        end = self._ends.get(common)
        if end is None:
            end = self._ends[common] = line(common) + "\n"
        return f"{row.text},{line(figures)},{end}" if figures else f"{row.text},{end}"


def _column(rows: Sequence[CsvRow], index: int) -> list[str]:
    """The cells of a column; decimal commas become points, unless commas separate cells."""
    cells = [row.cells[index] for row in rows]
    return cells if not rows or rows[0].separator == "," else [decimal_point(cell) for cell in cells]


def refuse_chunk(chunk: int) -> None:
    """Raise `UsageError` QN004 where `chunk`, the number of rows of a chunk, is below 1."""
    if chunk < 1:
        raise UsageError(Problem("QN004", f"chunk is {chunk}", "at least 1 row"))


class _Object(Record):
    """A line of JSON: its text, and its value or fault."""

    text: str
    value: Mapping[str, Any]
    fault: Fault | None = None

    def apart(self, names: Sequence[str]) -> _Object:
        """The line, with a fault where it has a key of the answers, so that its text is kept under `line`."""
        both = next((name for name in names if name in self.value), None)
        return self if both is None else self.replace(fault=Fault(f'"{both}" is a key of the row and of the answers'))


def map_jsonl(mapper: Mapper, lines: Iterable[str], chunk: int = CHUNK) -> Iterator[str]:
    """The answers to JSON objects, one in a line: the same text with the answers added to each object.

    The status of a line gives the reason if it is not an object, has no key named like a parameter, or has a key that
    is nearly named like one.

    mapper  the model and the metrics that answer a row.
    lines   the text, as it is read; empty lines are skipped.
    chunk   how many rows are solved and written at once, at least 1.
    Raises  `InvalidInput` QN240 for a key of the first object that the answers have too, QN241 for an endless line.
    """
    refuse_chunk(chunk)
    known: dict[tuple[str, ...], dict[str, str] | Fault] = {}
    for some in chunks((_object(text) for text in lines if text.strip()), chunk):
        given: list[Mapping[str, Any] | Fault] = []
        for row in some:
            if row.fault is not None:
                given.append(row.fault)
                continue
            keys = tuple(row.value)
            if keys not in known and len(known) < _MAX_KINDS:
                known[keys] = _known(mapper, keys, not mapper.rows and not given)
            result = known.get(keys) or _known(mapper, keys, False)
            given.append(result if isinstance(result, Fault) else _written(row.value, result))
        some = [row.apart(mapper.names) for row in some]
        answers = mapper.answer(given)
        made = (dict(zip(mapper.names, cells, strict=True)) for cells in answers)
        yield "".join(_joined(row, answer) for row, answer in zip(some, made, strict=False))
        mapper.refuse_stopped()


def _written(value: Mapping[str, Any], known: Mapping[str, str]) -> dict[str, Any]:
    return {name: Written(value[key], key) for key, name in known.items()}


def _known(mapper: Mapper, keys: tuple[str, ...], first: bool) -> dict[str, str] | Fault:
    """The parameters that some keys denote, or their fault; raises `InvalidInput` for a key of the answers in the first
    row, before anything is answered."""
    try:
        mapper.refuse_unread(keys, parameter_columns(keys, mapper.model, "key"), "key")
    except InvalidInput as error:
        return Fault(error.problems[0].found)
    try:
        result = mapper.parameters(keys, "column of the rows" if first else "key of the row")
    except InvalidInput as error:
        if first:
            raise
        return Fault(error.problems[0].found)
    return result or Fault(no_parameter(mapper.model, "key").found)


def _joined(row: _Object, answer: dict[str, Any]) -> str:
    """The text of a row with its answer added; for a line at fault, the answer with the text under `line`."""
    if row.fault is not None:
        return dumps({"line": row.text, **answer}) + "\n"
    text = dumps(answer)
    return row.text[:-1].rstrip() + "," + text[1:] + "\n" if row.value else text + "\n"


def _object(line: str) -> _Object:
    text = line.strip()
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_number)
    except RecursionError:
        return _Object(text, {}, Fault("the line nests too deeply"))
    except Fault as fault:
        return _Object(text, {}, fault)
    except ValueError:
        return _Object(text, {}, Fault(f'the line is not JSON: "{short(text)}"'))
    if not isinstance(value, dict):
        return _Object(text, {}, Fault("the line is not a JSON object"))
    return _Object(text, cast("dict[str, Any]", value))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise Fault("the line has a key twice")
    return result


def _no_number(text: str) -> Any:
    raise Fault(f"{text} is not a number")


_MOST_UNREAD = 20
"""Most columns and warnings that are remembered."""
_KEYS = ("method", "exactness", "status")

Cells = tuple[Cell, ...]


class _Broken(Record):
    """The number of rows at which an assertion was false, and the first of them with its value."""

    times: int
    row: int
    value: float | None


class Mapper:
    """Answers rows of parameters of one model, chunk by chunk, and keeps account of them.

    metrics_  texts such as `response` or `utilization('cpu')`; none: `every_metric`.
    wanted    the method and its budget.
    asserted  conditions that every row must meet.
    prefix    precedes the name of every column of the answers.
    strict    whether to stop at the first row without an answer, and to refuse columns that are not parameters.
    Raises    `UsageError` for a metric or condition that the model does not have.
    """

    def __init__(
        self,
        model: Model,
        metrics_: Sequence[str] = (),
        wanted: Wanted = AUTO,
        asserted: Sequence[str] = (),
        prefix: str = "",
        strict: bool = False,
    ) -> None:
        self.strict = strict
        self._stopped: Problem | None = None
        self.undefined = 0
        """Answered rows in which a metric is undefined or infinite."""
        self.model = model
        self.wanted = wanted
        self.budget = RowBudget(wanted)
        self.metrics = metrics(metrics_, model) if metrics_ else every_metric(model)
        self.claimed = conditions(asserted, model)
        self.shown = [*(item.expression for item in self.metrics), *(item.metric for item in self.claimed)]
        """The metrics of the answers and of the assertions."""
        make = ColumnMaker(_KEYS)
        columns = [make.metric(item) for item in self.metrics]
        columns += [make.end(item, word) for item in self.metrics for word in self._both]
        columns += [Column(key, key) for key in _KEYS]
        self.names = tuple(prefix + name for name in column_names(columns))
        """The columns of an answer."""
        self.rows = 0
        self.answered = 0
        self.failures: dict[type[QnetError], QnetError] = {}
        self.broken: list[_Broken | None] = [None] * len(self.claimed)
        self.unread: dict[str, None] = {}
        """The first columns that are passed through because they are not parameters."""
        self.read: dict[str, None] = {}
        """The parameters that rows state."""
        self.long_cells = LongCells()
        self._warned: dict[str, Note] = {}
        self._doubts: dict[tuple[str, ...], Doubts] = {}
        """The uncertain parameters of the calibration, by the parameters that rows state."""
        self._interval_notes: dict[Note, None] = {}

    def parameters(self, names: Sequence[str], called: str = "column of the rows") -> dict[str, str]:
        """The parameters by the columns, or keys, that denote them; raises `InvalidInput` for names that clash."""
        result = parameter_columns(names, self.model)
        self.refuse_unread(names, result)
        for name in names:
            if name not in result and name.strip() and len(self.unread) < _MOST_UNREAD:
                self.unread[name.strip()] = None
        self.read |= dict.fromkeys(result.values())
        both = [name for name in names if name in self.names]
        if both:
            help = "rename the answers, such as with --prefix new_"
            problem = Problem("QN240", f'"{both[0]}" is a {called} and of the answers', help=help)
            raise InvalidInput(problem)
        return result

    def refuse_unread(self, names: Sequence[str], known: Mapping[str, str], called: str = "column") -> None:
        """Raise `InvalidInput` QN240 for columns, or keys, that are not parameters, if `strict`."""
        unread = [f'"{short(name.strip())}"' for name in names if name not in known and name.strip()]
        if self.strict and unread:
            text = f"the {called} {unread[0]} is not a parameter"
            if len(unread) > 1:
                text = f"the {called}s {', '.join(unread[:_MOST_UNREAD])} are not parameters"
            help = "leave out --strict to pass other columns through unread"
            raise InvalidInput(Problem("QN240", text, "columns that are parameters", help=help))

    def answer(self, rows: Sequence[Mapping[str, Any] | Fault]) -> list[Cells]:
        """The cells of `names` for every row.

        rows   mappings from parameters to cells (a text, a number, or one of these as `Written`), or faults.
        """
        faults: list[Fault | None] = [None] * len(rows)
        tables: dict[tuple[str, ...], list[tuple[int, list[float]]]] = {}
        for index, row in enumerate(rows):
            try:
                if isinstance(row, Fault):
                    raise row
                values = [_value(self.model, name, cell) for name, cell in row.items()]
            except Fault as fault:
                faults[index] = fault
            else:
                tables.setdefault(tuple(row), []).append((index, values))
        return self._answer_tables(tables, faults)

    def answer_columns(
        self, columns: Mapping[str, tuple[Sequence[object], str]], faults: Sequence[Fault | None]
    ) -> list[Cells]:
        """The cells of `names` for rows that all state the same parameters.

        columns   by parameter, the cells of the rows without a fault, in order, and the name of their column.
        faults    the fault of every row, or None.
        """
        remaining = list(faults)
        indices = [index for index, fault in enumerate(faults) if fault is None]
        read = [parameter_values(self.model, name, *column) for name, column in columns.items()]
        # Of several faults in a row, that of the first column is kept.
        for values in reversed(read):
            for index, value in zip(indices, values, strict=True):
                if isinstance(value, Fault):
                    remaining[index] = value
        rows = cast("list[list[float]]", list(zip(*read, strict=True)))
        members = [item for item in zip(indices, rows, strict=True) if remaining[item[0]] is None]
        return self._answer_tables({tuple(columns): members} if members else {}, remaining)

    def _answer_tables(
        self, tables: Mapping[tuple[str, ...], Sequence[tuple[int, list[float]]]], faults: Sequence[Fault | None]
    ) -> list[Cells]:
        """The cells of `names` for every row, which has a fault or is a member of a table by stated parameters."""
        answers = [None if fault is None else self._fault(fault) for fault in faults]
        false: list[tuple[int, int, float | None]] = []
        for names, members in tables.items():
            for (index, _), cells in zip(members, self._solve(names, members, false), strict=True):
                answers[index] = cells
        unanswered = [index for index, cells in enumerate(answers) if cells and cells[-1] != OK]
        if self.strict and unanswered:
            first = unanswered[0]
            text = f"row {self.rows + first + 1}: {cells[-1] if (cells := answers[first]) else 'no answer'}"
            help = "leave out --strict to continue after such rows"
            self._stopped = Problem("QN733", text, "an answer for every row", help=help)
            del answers[first:]
        unanswered = [index for index in unanswered if index < len(answers)]
        partial = [index for index in unanswered if isinstance((answers[index] or ("",))[-1], Undefined)]
        self.undefined += len(partial)
        unanswered = [index for index in unanswered if index not in set(partial)]
        false += [(number, index, None) for number in range(len(self.claimed)) for index in unanswered]
        self._claim([item for item in false if item[1] < len(answers)])
        self.answered += len(answers) - len(unanswered)
        self.rows += len(answers) + (self._stopped is not None)
        return [cells for cells in answers if cells is not None]

    def columns(self, values: Mapping[str, Any], size: int) -> list[Any]:
        """The columns of `names` for some rows.

        values   arrays (size,) by parameter, in base units.
        Returns  arrays of floats, NaN where a row has no value, and three lists of texts at the end.
        """
        answers = self._answers(values, size)
        counted = int(np.count_nonzero(answers.answered))
        self.rows, self.answered = self.rows + size, self.answered + counted
        asked = [*self.metrics, *(item for item in self.metrics for _ in self._both)]
        figures = [*(answers.of(item.expression) for item in self.metrics), *self._ends(list(values), values, answers)]
        shown = [_in_unit(item, column) for item, column in zip(asked, figures, strict=True)]
        return [*shown, answers.method, labels(answers, self.shown), answers.statuses(self.metrics)]

    def notes(self) -> list[Note]:
        """Notes on the accuracy of the answers so far, and on columns that were passed through unread."""
        result = [*self.long_cells.notes(), *self._warned.values(), *self._interval_notes]
        result += effect_notes(self.model, [*self.model.settings, *self.read], self.shown)
        if self.unread:
            names = ", ".join(f'"{short(name)}"' for name in self.unread)
            text = f"columns that are not parameters, passed through unread: {names}"
            result.append(Note("QN700", text + (" and others" if len(self.unread) == _MOST_UNREAD else "")))
        return result

    def count(self) -> str:
        """The numbers of answered and of other rows, as a sentence."""
        text = f"rows: {self.answered - self.undefined} answered, {self.rows - self.answered} not"
        return text + (f", {self.undefined} with undefined metrics" if self.undefined else "")

    def refuse_stopped(self) -> None:
        """Raise `InvalidInput` QN733 for the first row without an answer, where that ends the run."""
        if self._stopped is not None:
            raise InvalidInput(self._stopped)

    def finish(self) -> None:
        """Raise the error that applies after the last row, if any.

        `NoAnswer`, `NotComputed`, `UsageError` or `InvalidInput` where there were rows and none has an answer;
        `NotComputed` where rows were too expensive; `AssertionFailed` where an assertion is false at any row.
        """
        if self.rows and not self.answered:
            raise min(self.failures.values(), key=lambda error: (error.exit_code not in (4, 5), error.exit_code))
        if stopped := self.budget.refusal():
            raise stopped
        problems = [
            failure(item, broken.value, f" at {broken.times} of {self.rows} rows, first at row {broken.row}")
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
        """The answers of rows that state the same parameters; failures of assertions are added to `false`."""
        columns = {name: [values[index] for _, values in members] for index, name in enumerate(names)}
        answers = self._answers(columns, len(members))
        for number, item in enumerate(self.claimed):
            fails, values = failing(answers, item)
            false += [
                (number, members[index][0], float(values[index]))
                for index in (fails & answers.answered).nonzero()[0].tolist()
            ]
        return _cells(self, answers, self._intervals(names, columns, answers))

    def _answers(self, columns: Mapping[str, Any], size: int) -> Answers:
        """The answers of some rows within their budget; warnings on them are kept."""
        answers = self.budget.answers(self.model, columns, size, solve_table)
        try:
            undefined = undefined_notes(answers.solved, self.shown)
        except NotComputed:
            answers = answers.giving(self.shown)
            undefined = undefined_notes(answers.solved, self.shown)
        self._note(answers.failure)
        for note in (
            *approximate_notes(answers.reasons),
            *percentile_notes(self.model, self.shown, answers.parts),
            *undefined,
        ):
            if note.severity == "warning" and len(self._warned) < _MOST_UNREAD:
                self._warned.setdefault(note.code, note)
        return answers

    def _intervals(self, names: Sequence[str], columns: Mapping[str, Any], answers: Answers) -> list[list[Cell]]:
        """The cells of both ends of every metric."""
        ends = self._ends(names, columns, answers)
        both = [item for item in self.metrics for _ in self._both]
        return [metric_cells(item, values) for item, values in zip(both, ends, strict=True)]

    @property
    def _both(self) -> tuple[str, ...]:
        """The ends of intervals that an answer has."""
        return () if self.model.calibration is None else ("low", "high")

    def _ends(self, names: Sequence[str], columns: Mapping[str, Any], answers: Answers) -> list[Any]:
        """Both ends of every metric from the uncertainty of calibrated parameters, where a model states it."""
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
            if len(self._interval_notes) < _MOST_UNREAD:
                self._interval_notes[note] = None
        return [values for both in zip(carried.low, carried.high, strict=True) for values in both]

    def _fault(self, fault: Fault) -> Cells:
        self._note(InvalidInput(Problem("QN241", f"no row can be used: {fault}")))
        return (*(None for _ in self.names[:-1]), str(fault))

    def _note(self, failure: QnetError | None) -> None:
        if failure is not None:
            self.failures.setdefault(type(failure), failure)

    def _claim(self, false: list[tuple[int, int, float | None]]) -> None:
        """Count false assertions, given as number of the assertion, index in the chunk, and value."""
        for number, index, value in sorted(false, key=lambda item: item[:2]):
            before = self.broken[number]
            first = _Broken(0, self.rows + index + 1, value) if before is None else before
            self.broken[number] = first.replace(times=first.times + 1)


def _value(model: Model, name: str, cell: object) -> float:
    if isinstance(cell, Written):
        return parameter_value(model, name, cell.cell, cell.column)
    return parameter_value(model, name, cell)


def _cells(mapper: Mapper, answers: Answers, intervals: Sequence[list[Cell]]) -> list[Cells]:
    columns = [*(metric_cells(item, answers.of(item.expression)) for item in mapper.metrics), *intervals]
    trust = labels(answers, mapper.shown)
    columns += [list(answers.method), trust, answers.statuses(mapper.metrics)]
    return list(zip(*columns, strict=True))


def _in_unit(asked: Metric, values: Any) -> Any:
    """An array of the values of a metric, in its display unit; NaN for values that are not finite."""
    finite: Any = np.where(np.abs(values) < np.inf, values, np.nan)
    return in_unit(finite, asked.unit)


def chunks(rows: Iterable[Any], most: int = CHUNK) -> Iterator[list[Any]]:
    """The rows in chunks that grow from one row to `most`: first answers come at once, later ones cheaply.

    The sizes depend on nothing else, so that answers are the same to the last digit at every run.
    """
    remaining, size = iter(rows), 1
    while chunk := list(islice(remaining, min(size, most))):
        yield chunk
        size = min(2 * size, most)


def map_rows(
    model: Model,
    rows: Iterable[Mapping[str, Any]],
    metric: Sequence[str] = (),
    wanted: Wanted = AUTO,
    prefix: str = "",
    chunk: int = CHUNK,
) -> Iterator[dict[str, Any]]:
    """Every row with its answer added, as rows arrive.

    rows      mappings; keys that are named like parameters hold numbers in base units, or in the unit at their end
              (`rate`, `rate_per_min`, `time_ms`), quantities such as "600/s", or words of a choice. Others are passed
              through; one that is nearly named like a parameter is refused. A parameter that a row does not name
              keeps the value of the model.
    metric    texts such as `response` or `utilization('cpu')`; none: `every_metric`.
    wanted    the method and its budget.
    prefix    precedes the names of the answers.
    chunk     most rows that are solved at once.
    Returns   the rows, with metrics, `method`, `exactness` and `status`, which gives the reason where there is no
              answer. Where the model states a calibration, `METRIC_low` and `METRIC_high` follow the metrics.
    Raises    `UsageError` for a metric that the model does not have, `InvalidInput` QN240 for keys that clash, or that
              are nearly named like parameters.
    """
    given = argument("rows", rows, "Rows")
    if isinstance(given, str):
        raise UsageError(Problem("QN753", "rows is a text or a path", "an iterable of mappings"))
    refuse_chunk(chunk)
    return _map_rows(Mapper(model, metric, wanted, prefix=prefix), given, chunk)


def _map_rows(mapper: Mapper, rows: Iterable[Mapping[str, Any]], chunk: int) -> Iterator[dict[str, Any]]:
    for some in chunks(rows, chunk):
        given: list[Mapping[str, Any] | Fault] = []
        for row in some:
            known = mapper.parameters(tuple(row))
            given.append({name: Written(row[column], column) for column, name in known.items()})
        for row, cells in zip(some, mapper.answer(given), strict=True):
            yield {**row, **dict(zip(mapper.names, cells, strict=True))}


def no_parameter(model: Model, called: str = "column") -> Problem:
    """The problem QN240 that no column is named like a parameter of `model`, as when the header is missing.

    called   the word for a column, such as "key" for objects.
    """
    known = [name for name, parameter in model.parameters.items() if not parameter.part]
    return Problem("QN240", f"no {called} is named like a parameter", "a header", help=suggest("", known))
