"""The figures of a single station, and the answer to an inverse question about one, as a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from qnet.errors import NoAnswer, NotComputed, Problem, QnetError, UsageError
from qnet.lazy import lazy
from qnet.queues.stations.conversions import converted, service_level
from qnet.queues.stations.front import evaluate_station, read_parameters, station_name
from qnet.queues.stations.inverse import figure, figure_or_none, percentile_names, read_limit, separate, unit_of
from qnet.queues.stations.inverse import solve_for as inverse
from qnet.queues.stations.table import BY_CLASS, CONVERTED, PARAMETERS, STATIONS
from qnet.reports.content import Cell, Column, Note, row_maker
from qnet.reports.report import Report
from qnet.units import NUMBER, UnitError, format_number, format_quantity, quantity, unit

if TYPE_CHECKING:
    from qnet.model import grids
    from qnet.queues.stations.answer import ClassAnswer, StationAnswer
    from qnet.queues.stations.inverse import Limit
else:
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
    Column("deviation_of_response", "standard deviation of response", "s"),
    Column("deviation_of_wait", "standard deviation of wait", "s"),
    Column("deviation_of_queue_length", "standard deviation of queue length"),
    Column("probability", "probability"),
    Column("value", "value"),
    Column("whole", "integer"),
    Column("unit", "unit"),
    Column("binds", "binds"),
    Column("exactness", "exactness"),
)
"""`scope` says what a row is about: station, class, percentile, state (number in the system), or answer."""

_MOST_POINTS = 10_000

NAMES = {name: row[1] for name, row in STATIONS.items()}
"""Every station, with one line about it: for help and completion."""


def queue_report(
    name: str, texts: Mapping[str, str], percentiles: Sequence[float] = (), states: int = -1, solve_for: str = "",
    limit: str | Sequence[str] = (), asserted: Sequence[str] = (), within: str = "",
) -> Report:  # fmt: skip
    """Solve one station as the command line states it.

    texts        parameters with their units, such as `{"arrival_rate": "80/s"}`; grids such as `{"servers": "1:20"}`,
                 of which every combination is a row.
    percentiles  in per cent, above 0 and below 100.
    states       report p(0) .. p(states); none below 0.
    solve_for    a parameter that is not in `texts`, and the `limit` that it must keep; of several all.
    asserted     conditions like a limit that the figures must meet; false ones stand in `broken` of the report.
    within       a time t: report the service level P(wait <= t).
    Raises       UsageError for what is not there or has another unit; NoAnswer and NotComputed as the solvers do.
    """
    station = station_name(name)
    if bool(solve_for) != bool(limit):
        result, lacking = ("--limit", "--solve-for") if limit else ("--solve-for", "--limit")
        raise UsageError(Problem("QN050", f"{result} stands alone", f"{lacking} as well"))
    for percentile in percentiles:
        if not 0 < percentile < 100:
            raise UsageError(Problem("QN050", f"the percentile {percentile:g}", "a number above 0 and below 100"))
    limits = separate([limit] if isinstance(limit, str) and limit else limit)
    claimed = [read_limit(text) for text in separate(asserted)]
    level = _quantity("within", within, "s") if within else None
    asked = percentile_names([*(read_limit(text) for text in limits), *claimed])
    axes = {key: values for key, text in texts.items() if (values := grid_values(station, key, text)) is not None}
    fixed = {key: _value(station, key, text) for key, text in texts.items() if key not in axes}
    columns = (*COLUMNS, *_more_columns(axes, asked, level is not None))
    row = row_maker(columns)
    rows: list[tuple[Cell, ...]] = []
    notes: list[Note] = []
    broken: list[Problem] = []
    meta: dict[str, Any] = {"station": station}
    answered = 0
    failed: list[QnetError] = []
    for point in points(axes):
        values = {**fixed, **point}
        try:
            solved = inverse(solve_for, limits, station, **values) if solve_for else None
            result = solved.answer if solved else _evaluated(station, values)
        except (NoAnswer, NotComputed) as error:
            if not axes:
                raise
            failed.append(error)
            rows.append(row(scope="station", name=station, status=error.problems[0].found, **point))
            continue
        answered += 1
        known: dict[str, Any] = converted(station, values, solve_for)
        if solved is not None:
            known[solve_for] = solved.real if solved.integer is None else solved.integer
            answer = {"name": solve_for, "value": solved.real, "whole": solved.integer, "binds": solved.binds}
            answer["unit"] = PARAMETERS[solve_for][0] or None
            rows.append(row(scope="answer", **answer, **point))
        meta["parameters"] = {**values, solve_for: known[solve_for]} if solved else dict(values)
        more = {item: figure_or_none(result, item) for item in asked}
        if level is not None:
            more["service_level"] = _service_level(result, level)
        for index, cells in enumerate(_figures(station, result, known.get("servers"))):
            place = {} if index else {**point, **more, **({"status": "ok"} if axes else {})}
            rows.append(row(**{**cells, **place}))
        rows += [row(**cells) for cells in (_percentile(result, item) for item in percentiles)]
        rows += [row(**cells) for cells in _states(result, states)]
        notes += _notes(result, percentiles, known)
        if "service" in fixed:
            mean, scv = known["service_time"], known["scv_service"]
            text = f"the lognormal service time has the mean {format_quantity(mean, 's')} and the scv {scv:.4g}"
            notes.append(Note("QN650", text))
        if level is not None and result.wait_percentile is None:
            notes.append(Note("QN651", f"the service level of {station} is not known in closed form"))
        broken += _broken(result, claimed)
        meta |= {"exactness": result.exactness, "source": result.source}
    if not answered:
        raise failed[0]
    if claimed and failed:
        broken.append(Problem("QN608", f"asserted {claimed[0].source}, there is no answer at {len(failed)} points"))
    if axes:
        meta["parameters"] = {**fixed, **{key: list(values) for key, values in axes.items()}}
        rows.sort(key=lambda cells: _ORDER.index(str(cells[0])))
    if solve_for:
        meta["question"] = {"solve_for": solve_for, "limit": " and ".join(limits)}
    return Report(
        schema="qnet/queue/1",
        title=f"{station}: {STATIONS[station][1]}",
        columns=columns,
        rows=rows,
        notes=tuple(dict.fromkeys(notes)),
        meta=meta,
        group="scope",
        broken=tuple(broken),
    )


def _more_columns(axes: Mapping[str, Any], asked: Sequence[str], leveled: bool) -> Iterator[Column]:
    """The columns that only some questions have: grids, percentiles that limits name, the service level."""
    keys = {column.key for column in COLUMNS}
    for key in axes:
        if key not in keys:
            yield Column(key, key.replace("_", " "), (PARAMETERS | CONVERTED)[key][0])
    for item in asked:
        yield Column(item, item.replace("_", " "), "s")
    if leveled:
        yield Column("service_level", "service level")
    if axes:
        yield Column("status", "status")


_ORDER = ("answer", "station", "class", "percentile", "state")


def _evaluated(station: str, values: Mapping[str, Any]) -> StationAnswer:
    return evaluate_station(station, read_parameters(station, converted(station, values)))


def _service_level(result: StationAnswer, time: float) -> float | None:
    return None if result.wait_percentile is None else service_level(result.wait_percentile, time)


def _broken(result: StationAnswer, claimed: Sequence[Limit]) -> Iterator[Problem]:
    """The assertions that are false, with the figures they name."""
    for item in claimed:
        if not item.holds(item.slack(result)):
            text = ", ".join(f"{name} {format_quantity(figure(result, name), unit_of(name), 6)}" for name in item.names)
            yield Problem("QN608", f"asserted {item.source}, found {text}")


def grid_values(station: str, key: str, text: str) -> tuple[float, ...] | None:
    """The values of a grid such as `1:20` or `log(1, 100, 5)`; None for a single value, or one per class."""
    if key in ("approximation", "service") or not (":" in text or "," in text or text.strip().startswith("log")):
        return None
    if station in BY_CLASS and ":" not in text:
        return None
    wanted = (PARAMETERS | CONVERTED)[key][0]
    dimension = unit(wanted).dimension if wanted else NUMBER
    result = grids.values(key, dimension, text)
    counted = not wanted and all(value == int(value) for value in result)
    return tuple(int(value) for value in result) if counted else result


def points(axes: Mapping[str, Sequence[float]]) -> Iterator[dict[str, float]]:
    """Every combination of the values of grids, the first slowest; one without values where there are none."""
    count = prod(len(values) for values in axes.values())
    if count > _MOST_POINTS:
        raise UsageError(Problem("QN010", f"the grid has {count} points", f"at most {_MOST_POINTS}"))
    return (dict(zip(axes, values, strict=True)) for values in product(*axes.values()))


def _value(station: str, key: str, text: str) -> Any:
    """A parameter from its text; several, separated by commas, where the station has classes."""
    if key in ("approximation", "service"):
        return text.strip()
    if station in BY_CLASS and "," in text:
        return [_quantity(key, part) for part in text.split(",")]
    return _quantity(key, text)


def _quantity(key: str, text: str, wanted: str | None = None) -> float | int:
    wanted = (PARAMETERS | CONVERTED)[key][0] if wanted is None else wanted
    option = f"--{key.replace('_', '-')}"
    try:
        value, dimension = quantity(text)
    except UnitError as error:
        raise UsageError(Problem("QN102", f'{option} "{text}": {error}', help=error.help)) from None
    expected = unit(wanted).dimension if wanted else quantity("1")[1]
    if dimension != expected:
        sentence = f'{option} "{text}" is {dimension.describe()}'
        raise UsageError(Problem("QN120", sentence, expected.describe()))
    return int(value) if not wanted and value == int(value) and abs(value) < 2**53 else value


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
        "deviation_of_wait": _root(result.variance_of_wait),
        "deviation_of_response": _root(result.variance_of_response),
        "deviation_of_queue_length": _root(result.variance_of_queue_length),
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
    """Which parameters the standard deviations of a station still need; empty where they are known."""
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
    """Why a percentile that exists is not given; empty where it is."""
    for function in (result.response_percentile, result.wait_percentile):
        try:
            if function is not None:
                function(percentile / 100)
        except NotComputed as error:
            return f"the percentile {percentile:g} is not given: {error.problems[0].found}"
    return ""
