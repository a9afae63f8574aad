"""The report on a single station: its figures, or the answer to an inverse question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from qnet.errors import NoAnswer, NotComputed, Problem, QnetError, UsageError, suggest
from qnet.lazy import lazy
from qnet.queues.stations.conversions import converted
from qnet.queues.stations.front import evaluate_station, read_parameters, station_name
from qnet.queues.stations.inverse import solve_for as inverse
from qnet.queues.stations.limits import separate
from qnet.queues.stations.table import BY_CLASS, CONVERTED, PARAMETERS, STATIONS
from qnet.record import Record
from qnet.reports.content import Cell, Column, Note, row_maker
from qnet.reports.report import Report
from qnet.units import NUMBER, UnitError, format_number, format_quantity, quantity, unit

if TYPE_CHECKING:
    from qnet.model import grids
    from qnet.questions.tables import queue_claims
    from qnet.questions.tables.queue_claims import QueueRequest
    from qnet.queues.stations.answer import ClassAnswer, StationAnswer
    from qnet.queues.stations.inverse import Inverse
else:
    queue_claims = lazy("qnet.questions.tables.queue_claims")
    grids = lazy("qnet.model.grids")


COLUMNS = (
    Column("scope", "scope"),
    Column("name", "name"),
    Column("servers", "servers"),
    Column("arrival_rate", "arrival rate", "/s"),
    Column("throughput", "throughput", "/s"),
    Column("offered", "offered erlangs"),
    Column("busy_servers", "busy servers"),
    Column("utilization", "utilization"),
    Column("response", "response", "s"),
    Column("wait", "wait", "s"),
    Column("queue_length", "queue length"),
    Column("number_waiting", "number waiting"),
    Column("probability_of_waiting", "probability of waiting"),
    Column("blocking", "blocking"),
    Column("time_congestion", "time congestion"),
    Column("standard_deviation_of_response", "standard deviation of response", "s"),
    Column("standard_deviation_of_wait", "standard deviation of wait", "s"),
    Column("standard_deviation_of_queue_length", "standard deviation of queue length"),
    Column("probability", "probability"),
    Column("value", "value", unit_in="unit"),
    Column("integer", "integer"),
    Column("unit", "unit"),
    Column("binds", "binds"),
    Column("exactness", "exactness"),
)
"""`scope` is the subject of a row: station, class, percentile, state (number in the system), answer, metric, or
assertion."""

NAMES = {name: row[1] for name, row in STATIONS.items()}
"""The stations, each with a line of description, for help and completion."""


_MOST_POINTS = 10_000
"""Most points of a grid; a choice that bounds time, as they are solved one by one."""
_WRITTEN = {
    "": "a plain number, such as 0.5 or 2",
    "s": 'a number and a unit, such as "8.5 ms"',
    "/s": 'a number and a unit, such as "80/s"',
}
_UNITS = {"s": "ms", "/s": "/s"}
"""The unit that is advised for a plain number, by base unit."""
"""The form of values, by their base unit."""
Axis = Mapping[str, Sequence[float]]
"""The values of one parameter, or of several that vary together."""


def queue_report(
    name: str, texts: Mapping[str, str], percentiles: Sequence[float] = (), states: int = -1, solve_for: str = "",
    limit: str | Sequence[str] = (), asserted: Sequence[str] = (), within: str = "", over: Sequence[str] = (),
    metrics: Sequence[str] = (), unit: str = "", only: bool = False,
) -> Report:  # fmt: skip
    """Solve one station as the command line states it.

    name         the station, such as `M/M/c`, in upper or lower case.
    texts        parameters with their units, such as `{"arrival_rate": "80/s"}`; grids such as `{"servers": "1:20"}`,
                 of which every combination is a row.
    percentiles  in percent, above 0 and below 100.
    states       the last number in the system whose probability is reported; none below 0.
    solve_for    the parameter to solve for, so that every `limit` holds; it is not in `texts`.
    limit        conditions for `solve_for`; without that, they are asserted.
    asserted     conditions that the figures must meet, each reported with its margin; false ones stand in `broken` of
                 the report.
    within       a time t: report the service level P(wait <= t).
    over         more grids, such as `servers = 1:20`; those joined by `&` vary together.
    metrics      metrics to report instead of all figures.
    unit         the unit of the metrics; empty for the base units.
    only         report the first metric or percentile of response only; `NotComputed` where it has no value.
    Raises       `UsageError` for an unknown name or another unit; `NoAnswer` and `NotComputed` as the solvers do.
    """
    station = station_name(name)
    _refuse_request(solve_for, limit, percentiles)
    time = stated_quantity("within", within, "s") if within else None
    limits = separate([limit] if isinstance(limit, str) and limit else limit)
    claims = [*(() if solve_for else limits), *separate(asserted)]
    asked = queue_claims.QueueRequest(
        limits if solve_for else (), claims, metrics=metrics, percentiles=percentiles, within=time, unit=unit, only=only
    )
    axes = axes_of(station, texts, over)
    if axes and only:
        raise UsageError(Problem("QN748", "--value prints one number, and there is a grid", "one of the two"))
    gridded = {key for axis in axes for key in axis}
    fixed = {key: stated_value(station, key, text) for key, text in texts.items() if key not in gridded}
    columns = (*COLUMNS, *_more_columns(gridded, asked))
    shown = _Shown(station, asked, percentiles, states, bool(axes), only)
    rows, answers, failed = _solve_points(
        axes, columns, shown, lambda point: _answer(station, {**fixed, **point}, solve_for, limits, time)
    )
    if not answers:
        raise failed[0]
    broken = [problem for answer in answers for problem in asked.broken(answer.result)]
    if claims and failed:
        broken.append(Problem("QN608", f"asserted {claims[0]}, but there is no answer at {len(failed)} points"))
    if axes:
        rows.sort(key=lambda cells: _ORDER.index(str(cells[0])))
    meta = _basis(station, answers[-1], fixed, axes)
    if solve_for:
        meta["question"] = {"solve_for": solve_for, "limit": " and ".join(limits)}
    notes = [note for answer in answers for note in shown.notes(answer, time is not None, "service" in fixed)]
    return Report(
        schema="qnet/queue/1",
        title=f"{station}: {STATIONS[station][1]}",
        columns=columns,
        rows=rows,
        notes=tuple(dict.fromkeys(notes)),
        meta=meta,
        group="scope",
        broken=tuple(broken),
        readable=_readable(columns, rows) if solve_for else None,
    )


def _refuse_request(solve_for: str, limit: str | Sequence[str], percentiles: Sequence[float]) -> None:
    """Raise `UsageError` QN050 for an inverse question without a limit, and for percentiles outside of 0 to 100."""
    if solve_for and not limit:
        raise UsageError(Problem("QN050", "--solve-for needs a limit", "--limit as well"))
    for percentile in percentiles:
        if not 0 < percentile < 100:
            raise UsageError(Problem("QN050", f"the percentile {percentile:g}", "a number above 0 and below 100"))


class _Answer(Record):
    """The answer of a station at one point."""

    result: StationAnswer
    solved: Inverse | None
    """The answer to the inverse question, where one is asked."""
    parameters: Mapping[str, Any]
    """The given parameters, and the one that was solved for."""
    known: Mapping[str, Any]
    """The parameters after conversion, with those that follow from others."""


def _solve_points(
    axes: Sequence[Axis], columns: Sequence[Column], shown: _Shown, answer_at: Callable[[Mapping[str, Any]], _Answer]
) -> tuple[list[tuple[Cell, ...]], list[_Answer], list[QnetError]]:
    """The rows of every point of a grid, the answers, and the errors of points without one.

    Raises   what `answer_at` raises, where there is no grid; in a grid, the error is the status of a row.
    """
    row = row_maker(columns)
    rows: list[tuple[Cell, ...]] = []
    answers: list[_Answer] = []
    failed: list[QnetError] = []
    for point in points(axes):
        try:
            answer = answer_at(point)
        except (NoAnswer, NotComputed) as error:
            if not axes:
                raise
            failed.append(error)
            rows.append(row(scope="station", name=shown.station, status=error.problems[0].found, **point))
            continue
        answers.append(answer)
        rows += [row(**cells) for cells in shown.rows(point, answer)]
    return rows, answers, failed


def _basis(station: str, last: _Answer, fixed: Mapping[str, Any], axes: Sequence[Axis]) -> dict[str, Any]:
    """The provenance of the answers: the station, its parameters with the values of grids, and the source."""
    gridded = {key: list(values) for axis in axes for key, values in axis.items()}
    return {
        "station": station,
        "parameters": {**fixed, **gridded} if axes else last.parameters,
        "exactness": last.result.exactness,
        "source": last.result.source,
    }


def _answer(
    station: str, values: Mapping[str, Any], solve_for: str, limits: Sequence[str], time: float | None
) -> _Answer:
    """The figures of a station with some parameters, and with the value of `solve_for` that meets the limits."""
    solved = inverse(solve_for, limits, station, time, **values) if solve_for else None
    result = solved.answer if solved else _evaluated(station, values)
    known: dict[str, Any] = converted(station, values, solve_for)
    if solved is None:
        return _Answer(result, None, dict(values), known)
    known[solve_for] = solved.value
    return _Answer(result, solved, {**values, solve_for: solved.value}, known)


class _Shown(Record):
    """The selection of what a report shows at every point."""

    station: str
    asked: QueueRequest
    percentiles: Sequence[float]
    states: int
    """The last number in the system whose probability is reported; none below 0."""
    gridded: bool
    """Whether there is a grid: points have a status, and a metric without a value leaves its cell empty."""
    only: bool
    """Whether only the first metric is reported."""

    def rows(self, point: Mapping[str, Any], answer: _Answer) -> Iterator[Mapping[str, Cell]]:
        """The rows of one point, as cells by column.

        point   the parameters of the grid there.
        """
        result, known = answer.result, answer.known
        if answer.solved is not None and not self.only:
            yield {**_inverse(answer.solved), **point}
        if not self.asked.metrics:
            status = {"status": "ok"} if self.gridded else {}
            for index, cells in enumerate(_figures(self.station, result, known.get("servers"))):
                yield cells if index else {**cells, **point, **self.asked.figures(result), **status}
        for cells in self.asked.metric_rows(result, known, lenient=self.gridded):
            yield {**cells, **point}
        in_closed_form = result.response_percentile or result.wait_percentile
        for percentile in self.percentiles if in_closed_form and not self.only else ():
            yield _percentile(result, percentile)
        yield from _states(result, self.states)
        for cells in self.asked.margin_rows(result):
            yield {**cells, **point}

    def notes(self, answer: _Answer, within: bool, lognormal: bool) -> Iterator[Note]:
        """The notes of one point.

        within     whether a service level is asked for.
        lognormal  whether a lognormal service time was fitted to percentiles.
        """
        yield from _notes(answer.result, self.percentiles, answer.known)
        if lognormal:
            mean, scv = answer.known["service_time"], answer.known["scv_service"]
            text = f"the lognormal service time has the mean {format_quantity(mean, 's')} and the scv {scv:.4g}"
            yield Note("QN650", text)
        if within and answer.result.wait_percentile is None:
            yield Note("QN651", f"the service level of {self.station} is not known in closed form")


def _inverse(solved: Inverse) -> dict[str, Cell]:
    unit = PARAMETERS[solved.parameter][0] or None
    return {
        "scope": "answer", "name": solved.parameter, "value": solved.real, "integer": solved.integer, "unit": unit,
        "binds": solved.binds,
    }  # fmt: skip


def _readable(columns: Sequence[Column], rows: Sequence[tuple[Cell, ...]]) -> list[tuple[Cell, ...]]:
    """The rows without the real number behind an integer, which tables would round to another integer."""
    keys = [column.key for column in columns]
    value, integer = keys.index("value"), keys.index("integer")
    return [(*row[:value], None, *row[value + 1 :]) if row[integer] is not None else row for row in rows]


def _more_columns(gridded: Set[str], asked: QueueRequest) -> Iterator[Column]:
    """The columns that only some questions have: grids, percentiles and service levels of limits, margins."""
    keys = {column.key for column in COLUMNS}
    for key in PARAMETERS | CONVERTED:
        if key in gridded and key not in keys:
            yield Column(key, key.replace("_", " "), (PARAMETERS | CONVERTED)[key][0])
    yield from asked.columns()
    if gridded:
        yield Column("status", "status")


_ORDER = ("answer", "station", "class", "metric", "percentile", "state", "assertion")


def _evaluated(station: str, values: Mapping[str, Any]) -> StationAnswer:
    return evaluate_station(station, read_parameters(station, converted(station, values)))


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _root(value: Any) -> float | None:
    return None if value is None else float(value) ** 0.5


def _figures(station: str, result: StationAnswer, servers: int | None) -> list[dict[str, Cell]]:
    keys = (
        "arrival_rate", "throughput", "offered", "busy_servers", "utilization", "response", "wait", "queue_length",
        "number_waiting", "probability_of_waiting", "blocking", "time_congestion",
    )  # fmt: skip
    cells = {key: _number(getattr(result, key)) for key in keys}
    count = servers if servers is not None else None if result.utilization is None else 1
    rows = [dict(scope="station", name=station, servers=count, exactness=result.exactness, **cells, **_spread(result))]
    for index, item in enumerate(result.classes, 1):
        rows.append(
            dict(
                scope="class", name=str(index), arrival_rate=_number(item.arrival_rate),
                throughput=_number(item.arrival_rate), utilization=_number(item.utilization),
                response=_number(item.response), wait=_number(item.wait), queue_length=_number(item.queue_length),
                number_waiting=_number(item.number_waiting), **_spread(item),
            )
        )  # fmt: skip
    return rows


def _spread(result: StationAnswer | ClassAnswer) -> dict[str, Cell]:
    """The standard deviations that are known."""
    return {
        "standard_deviation_of_wait": _root(result.variance_of_wait),
        "standard_deviation_of_response": _root(result.variance_of_response),
        "standard_deviation_of_queue_length": _root(result.variance_of_queue_length),
    }


def _percentile(result: StationAnswer, percentile: float) -> dict[str, Cell]:
    def at(function: Callable[[Any], Any] | None) -> float | None:
        try:
            return None if function is None else float(function(percentile / 100))
        except NotComputed:
            return None

    name = f"{format_number(percentile, 12)} %"
    return {
        "scope": "percentile", "name": name, "response": at(result.response_percentile),
        "wait": at(result.wait_percentile),
    }  # fmt: skip


def _states(result: StationAnswer, last: int) -> list[dict[str, Cell]]:
    function = result.state_probability
    if function is None:
        return []
    return [{"scope": "state", "name": str(count), "probability": float(function(count))} for count in range(last + 1)]


def _notes(result: StationAnswer, percentiles: Sequence[float], given: Mapping[str, Any]) -> list[Note]:
    notes = [Note("QN650", text) for text in result.notes]
    if result.exactness == "approximate":
        notes.append(Note("QN601", f"the answer is approximate: {result.source}", "warning"))
    if result.exactness == "bound":
        notes.append(Note("QN601", f"response, wait and numbers are upper bounds: {result.source}", "warning"))
    if result.blocking is not None and result.station in ("Engset", "M/M/c/K/N"):
        text = (
            "arrival rate and offered erlangs are totals of all sources; blocking is the share of requests refused, "
            "time congestion the share of time in which one would be"
        )
        notes.append(Note("QN650", text))
    lacking = _lacking(result, given)
    if lacking:
        notes.append(Note("QN652", lacking))
    if percentiles and result.response_percentile is None and result.wait_percentile is None:
        notes.append(Note("QN651", f"percentiles of {result.station} are not known in closed form"))
    lost = [name for name in map(_lost, [result] * len(percentiles), percentiles) if name]
    notes += [Note("QN651", text, "warning") for text in dict.fromkeys(lost)]
    return notes


def _lacking(result: StationAnswer, given: Mapping[str, Any]) -> str:
    """A sentence on the parameters that standard deviations still need; empty where they are known."""
    if result.variance_of_response is not None or result.station == "Erlang B":
        return ""
    if result.station == "M/G/1-PS":
        return (
            "the standard deviation of the response depends on the service time: state scv_service, 0 for constant, "
            "1 / k for Erlang, 1 for exponential, above 1 for hyperexponential with balanced means"
        )
    taken = STATIONS[result.station][3]
    scvs = {name: name.replace("skewness", "scv") for name in taken if name.startswith("skewness")}
    # An scv that is not given means a known distribution.
    names = [name for name, scv in scvs.items() if name not in given and given.get(scv, 0) != 0]
    return f"standard deviations need third moments: state {' and '.join(names)}" if names else ""


def _lost(result: StationAnswer, percentile: float) -> str:
    """The reason why a percentile that exists is not given; empty where it is."""
    for function in (result.response_percentile, result.wait_percentile):
        try:
            if function is not None:
                function(percentile / 100)
        except NotComputed as error:
            return f"the percentile {percentile:g} is not given: {error.problems[0].found}"
    return ""


def axes_of(station: str, texts: Mapping[str, str], over: Sequence[str]) -> list[Axis]:
    """The grids: those of parameters, then those of `over`, such as `servers = 1:4 & arrival_rate = ...`.

    Raises `UsageError` for a grid that cannot be read, and for a parameter that is given twice.
    """
    result: list[Axis] = []
    for key, text in texts.items():
        if (values := grid_values(station, key, text)) is not None:
            result.append({key: values})
    for text in over:
        result.append(_paired(text))
    given = [*(key for key in texts if not any(key in axis for axis in result[: len(result) - len(over)])),
             *(key for axis in result for key in axis)]  # fmt: skip
    for key in given:
        if given.count(key) > 1:
            help = f"leave out --{key.replace('_', '-')}, which --over replaces" if key in texts and over else ""
            raise UsageError(Problem("QN010", f"{key} is given twice", "one option with all its values", help=help))
    return result


def _paired(text: str) -> Axis:
    """Grids that vary together, joined by `&`."""
    axis: dict[str, Sequence[float]] = {}
    for part in text.split("&"):
        name, separator, values = part.partition("=")
        key = name.strip().replace("-", "_")
        if not separator:
            raise UsageError(Problem("QN010", f'"{part.strip()}" is not a grid', "name=values, such as servers=1:20"))
        if key not in PARAMETERS | CONVERTED or key in ("approximation", "service"):
            near = suggest(key, [*PARAMETERS, *CONVERTED])
            raise UsageError(Problem("QN004", f'unknown parameter "{key}"', help=near))
        axis[key] = _grid(key, values)
    counts = {key: len(values) for key, values in axis.items()}
    if len(set(counts.values())) > 1:
        sentence = " and ".join(f"{key} has {count}" for key, count in counts.items())
        raise UsageError(Problem("QN014", f"the grids are paired: {sentence} values", "as many values each"))
    return axis


def grid_values(station: str, key: str, text: str) -> tuple[float, ...] | None:
    """The values of a grid such as `1:20` or `log(1, 100, 5)`; None for a single value, or one per class."""
    if key in ("approximation", "service") or not (":" in text or "," in text or text.strip().startswith("log")):
        return None
    if station in BY_CLASS and ":" not in text:
        return None
    return _grid(key, text)


def _grid(key: str, text: str) -> tuple[float, ...]:
    wanted = (PARAMETERS | CONVERTED)[key][0]
    dimension = unit(wanted).dimension if wanted else NUMBER
    result = grids.values(key, dimension, text)
    counted = not wanted and all(value == int(value) for value in result)
    return tuple(int(value) for value in result) if counted else result


def points(axes: Sequence[Axis]) -> Iterator[dict[str, float]]:
    """Every combination of the values of grids, the first slowest; a single empty one without grids."""
    steps = [[dict(zip(axis, values, strict=True)) for values in zip(*axis.values(), strict=True)] for axis in axes]
    count = prod(len(values) for values in steps)
    if count > _MOST_POINTS:
        raise UsageError(Problem("QN010", f"the grid has {count} points", f"at most {_MOST_POINTS}"))
    return ({key: value for values in point for key, value in values.items()} for point in product(*steps))


def stated_value(station: str, key: str, text: str) -> Any:
    """The value of a parameter from its text; a list, separated by commas, where the station has classes."""
    if key in ("approximation", "service"):
        return text.strip()
    if station in BY_CLASS and "," in text:
        return [stated_quantity(key, part) for part in text.split(",")]
    return stated_quantity(key, text)


def stated_quantity(key: str, text: str, wanted: str | None = None) -> float | int:
    """The value of a parameter from its text, as an integer where it is one; raises `UsageError` for a wrong unit.

    wanted   the base unit; None: that of the parameter `key`.
    """
    wanted = (PARAMETERS | CONVERTED)[key][0] if wanted is None else wanted
    option = f"--{key.replace('_', '-')}"
    try:
        value, dimension = quantity(text, _WRITTEN[wanted])
    except UnitError as error:
        raise UsageError(Problem("QN102", f'{option} "{text}": {error}', help=error.help)) from None
    expected = unit(wanted).dimension if wanted else quantity("1")[1]
    if dimension != expected:
        sentence = f'{option} "{text}" is {dimension.describe()}'
        help = f'add the unit, such as "{text.strip()}{_UNITS[wanted]}"' if dimension == NUMBER and wanted else ""
        raise UsageError(Problem("QN120", sentence, expected.describe(), help=help))
    return int(value) if not wanted and value == int(value) and abs(value) < 2**53 else value
