"""The figures of a single station, and the answer to an inverse question about one, as a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from qnet.errors import NotComputed, Problem, UsageError
from qnet.queues.stations.front import evaluate_station, read_parameters, station_name
from qnet.queues.stations.inverse import figure, read_limit, unit_of
from qnet.queues.stations.inverse import solve_for as inverse
from qnet.queues.stations.table import BY_CLASS, PARAMETERS, STATIONS
from qnet.reports.content import Cell, Column, Note, row_maker
from qnet.reports.report import Report
from qnet.units import UnitError, format_number, format_quantity, quantity, unit

if TYPE_CHECKING:
    from qnet.queues.stations.answer import ClassAnswer, StationAnswer
    from qnet.queues.stations.inverse import Limit

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
"""`scope` says what a row is about: station, class, percentile, state (so many in the system), or answer."""

NAMES = {name: row[1] for name, row in STATIONS.items()}
"""Every station, with one line about it: for help and completion."""

_row = row_maker(COLUMNS)


def queue_report(
    name: str, texts: Mapping[str, str], percentiles: Sequence[float] = (), states: int = -1, solve_for: str = "",
    limit: str | Sequence[str] = (), asserted: Sequence[str] = (),
) -> Report:  # fmt: skip
    """Solve one station as the command line states it.

    texts        parameters with their units, such as `{"arrival_rate": "80/s"}`.
    percentiles  in per cent, above 0 and below 100.
    states       tell p(0) .. p(states); none below 0.
    solve_for    a parameter that is not in `texts`, and the `limit` that it must keep; of several all.
    asserted     conditions like a limit that the figures must meet; false ones stand in `broken` of the report.
    Raises       UsageError for what is not there or has another unit; NoAnswer and NotComputed as the solvers do.
    """
    station = station_name(name)
    if bool(solve_for) != bool(limit):
        found, lacking = ("--limit", "--solve-for") if limit else ("--solve-for", "--limit")
        raise UsageError(Problem("QN050", f"{found} stands alone", f"{lacking} as well"))
    for percentile in percentiles:
        if not 0 < percentile < 100:
            raise UsageError(Problem("QN050", f"the percentile {percentile:g}", "a number above 0 and below 100"))
    claimed = _claims(asserted) if asserted else []
    values = {key: _value(station, key, text) for key, text in texts.items()}
    rows: list[tuple[Cell, ...]] = []
    meta: dict[str, Any] = {"station": station}
    if solve_for:
        solved = inverse(solve_for, limit, station, **values)
        found = solved.answer
        used = solved.real if solved.whole is None else solved.whole
        meta["parameters"] = {**values, solve_for: used}
        meta["question"] = {"solve_for": solve_for, "limit": solved.limit}
        shown = PARAMETERS[solve_for][0] or None
        rows.append(
            _row(scope="answer", name=solve_for, value=solved.real, whole=solved.whole, unit=shown, binds=solved.binds)
        )
    else:
        read = read_parameters(station, values)
        meta["parameters"] = dict(values)
        found = evaluate_station(station, read)
    meta |= {"exactness": found.exactness, "source": found.source}
    servers = meta["parameters"].get("servers")
    rows += _figures(station, found, servers)
    rows += [_percentile(found, percentile) for percentile in percentiles]
    rows += _states(found, states)
    notes = tuple(_notes(found, percentiles, values))
    title, broken = f"{station}: {STATIONS[station][1]}", tuple(_broken(found, claimed))
    return Report(
        schema="qnet/queue/1",
        title=title,
        columns=COLUMNS,
        rows=rows,
        notes=notes,
        meta=meta,
        group="scope",
        broken=broken,
    )


def _claims(asserted: Sequence[str]) -> list[Limit]:
    return [read_limit(text) for text in asserted]


def _broken(found: StationAnswer, claimed: Sequence[Limit]) -> Iterator[Problem]:
    """The assertions that are false, with the figures they name."""
    for item in claimed:
        if not item.holds(item.slack(found)):
            told = ", ".join(f"{name} {format_quantity(figure(found, name), unit_of(name), 6)}" for name in item.names)
            yield Problem("QN608", f"asserted {item.source}, found {told}")


def _value(station: str, key: str, text: str) -> Any:
    """A parameter from its text; several, separated by commas, where the station has classes."""
    if key == "approximation":
        return text.strip()
    if station in BY_CLASS and "," in text:
        return [_quantity(key, part) for part in text.split(",")]
    return _quantity(key, text)


def _quantity(key: str, text: str) -> float | int:
    wanted = PARAMETERS[key][0]
    option = f"--{key.replace('_', '-')}"
    try:
        value, dimension = quantity(text)
    except UnitError as error:
        raise UsageError(Problem("QN102", f'{option} "{text}": {error}', help=error.help)) from None
    expected = unit(wanted).dimension if wanted else quantity("1")[1]
    if dimension != expected:
        found = f'{option} "{text}" is {dimension.describe()}'
        raise UsageError(Problem("QN120", found, expected.describe()))
    return int(value) if not wanted and value == int(value) and abs(value) < 2**53 else value


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _root(value: Any) -> float | None:
    return None if value is None else float(value) ** 0.5


def _figures(station: str, found: StationAnswer, servers: int | None) -> list[tuple[Cell, ...]]:
    keys = (
        "arrival_rate", "throughput", "offered", "busy_servers", "utilization", "response", "wait", "queue_length",
        "number_waiting", "probability_of_waiting", "blocking", "time_congestion",
    )  # fmt: skip
    cells = {key: _number(getattr(found, key)) for key in keys}
    count = servers if servers is not None else None if found.utilization is None else 1
    rows = [_row(scope="station", name=station, servers=count, exactness=found.exactness, **cells, **_spread(found))]
    for place, item in enumerate(found.classes, 1):
        rows.append(
            _row(
                scope="class", name=str(place), arrival_rate=_number(item.arrival_rate),
                throughput=_number(item.arrival_rate), utilization=_number(item.utilization),
                response=_number(item.response), wait=_number(item.wait), queue_length=_number(item.queue_length),
                number_waiting=_number(item.number_waiting), **_spread(item),
            )
        )  # fmt: skip
    return rows


def _spread(found: StationAnswer | ClassAnswer) -> dict[str, Cell]:
    """The deviations that are known."""
    return {
        "deviation_of_wait": _root(found.variance_of_wait),
        "deviation_of_response": _root(found.variance_of_response),
        "deviation_of_queue_length": _root(found.variance_of_queue_length),
    }


def _percentile(found: StationAnswer, percentile: float) -> tuple[Cell, ...]:
    def at(function: Callable[[Any], Any] | None) -> float | None:
        try:
            return None if function is None else float(function(percentile / 100))
        except NotComputed:
            return None

    name = f"{format_number(percentile, 12)} %"
    return _row(
        scope="percentile", name=name, response=at(found.response_percentile), wait=at(found.wait_percentile)
    )  # fmt: skip


def _states(found: StationAnswer, last: int) -> list[tuple[Cell, ...]]:
    function = found.state_probability
    if function is None:
        return []
    return [_row(scope="state", name=str(count), probability=float(function(count))) for count in range(last + 1)]


def _notes(found: StationAnswer, percentiles: Sequence[float], given: Mapping[str, Any]) -> list[Note]:
    notes = [Note("QN650", text) for text in found.notes]
    if found.exactness == "approximate":
        notes.append(Note("QN601", f"the answer is approximate: {found.source}", "warning"))
    if found.exactness == "bound":
        notes.append(Note("QN601", f"response, wait and numbers are upper bounds: {found.source}", "warning"))
    if found.blocking is not None and found.station in ("Engset", "M/M/c/K/N"):
        text = (
            "arrival rate and offered erlangs are totals of all sources; blocking is the share of requests refused, "
            "time congestion the share of time in which one would be"
        )
        notes.append(Note("QN650", text))
    lacking = _lacking(found, given)
    if lacking:
        notes.append(Note("QN652", lacking))
    if percentiles and found.response_percentile is None and found.wait_percentile is None:
        notes.append(Note("QN651", f"percentiles of {found.station} are not known in closed form"))
    lost = [name for name in map(_lost, [found] * len(percentiles), percentiles) if name]
    notes += [Note("QN651", text, "warning") for text in dict.fromkeys(lost)]
    return notes


def _lacking(found: StationAnswer, given: Mapping[str, Any]) -> str:
    """Which parameters the deviations of a station need, where it would have them; empty where it has."""
    if found.variance_of_response is not None or found.station == "Erlang B":
        return ""
    if found.station == "M/G/1-PS":
        return (
            "the standard deviation of the response depends on the service time: state scv_service, 0 for constant, "
            "1 / k for Erlang, 1 for exponential, above 1 for hyperexponential with balanced means"
        )
    taken = STATIONS[found.station][3]
    scvs = {name: name.replace("skewness", "scv") for name in taken if name.startswith("skewness")}
    # An scv that is not given stands for a distribution.
    names = [name for name, scv in scvs.items() if name not in given and given.get(scv, 0) != 0]
    return f"standard deviations need third moments: state {' and '.join(names)}" if names else ""


def _lost(found: StationAnswer, percentile: float) -> str:
    """Why a percentile that exists is not given; empty where it is."""
    for function in (found.response_percentile, found.wait_percentile):
        try:
            if function is not None:
                function(percentile / 100)
        except NotComputed as error:
            return f"the percentile {percentile:g} is not given: {error.problems[0].found}"
    return ""
