"""Why there is no steady state: demand against capacity of every station, and the smallest changes that cure it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qnet.errors import NoAnswer, Problem
from qnet.model.conditions import Condition
from qnet.model.model import Model
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.points.cures import (
    COPIES,
    FASTER,
    FASTEST,
    FEWER,
    SERVERS,
    SHORTER,
    Cure,
    OfferedLoad,
    arrivals,
    asked,
    cures,
    has_arrivals,
)
from qnet.questions.points.points import Solved, solve_points
from qnet.questions.points.saturation import Saturation, saturation
from qnet.questions.presentation.provenance import inputs
from qnet.questions.why.brief import fitting
from qnet.questions.why.findings import (
    ANSWER,
    BEST,
    FULL,
    HELP,
    LAWS,
    LINE,
    LITTLE,
    QUESTION,
    SOURCES,
    TRUST,
    Finding,
    few,
    listed,
    percent,
    rate_of,
    time_of,
)
from qnet.questions.why.trust import NO_SOURCE
from qnet.record import Record
from qnet.reports.content import Cell, Column
from qnet.units import format_number

OPTIONAL = (
    Column("demand", "demand", "s"),
    Column("offered_load", "offered load"),
    Column("capacity", "capacity"),
    Column("load", "load per server"),
    Column("excess", "excess"),
    Column("now", "now", unit_in="unit"),
    Column("needed", "needed", unit_in="unit"),
)
"""Columns of answers on saturated systems only: `demand` per arrival, `offered_load` and `capacity` in servers of a
copy, `load` the one over the other, which may exceed 1, as no utilization can, and `excess` that less 1; `now` and
`needed` of a change, in its `unit`."""


class Overload(Record):
    """A model without a steady state, the offered load of its stations, and the changes that would cure it."""

    model: Model
    solved: Solved
    edge: Saturation
    arrivals: float
    asked: tuple[OfferedLoad, ...]
    cures: tuple[Cure, ...]
    too_fast: str = ""
    """The station that would have to be faster by far than any cure may be; empty where there is none."""

    @property
    def over(self) -> tuple[OfferedLoad, ...]:
        """The stations whose offered load is at least their capacity."""
        return tuple(item for item in self.asked if item.excess >= 0)

    def needed(self, change: str) -> list[Cure]:
        """The changes of one type, which are needed together."""
        return [item for item in self.cures if item.change == change]


NO_SPEED = "No change of station speeds alone gives a steady state."

_LEAST = 1e-9
"""The share of the arrivals below which a steady state is not worth reporting: some station has no capacity."""


def overload(model: Model, error: NoAnswer, wanted: Wanted = AUTO) -> Overload:
    """Explain why a model has no steady state; raises `error` again where its arrivals are not the reason."""
    if not any(problem.code == "QN401" for problem in error.problems):
        raise error
    solved = solve_points(model, asked=wanted)
    if not has_arrivals(solved):
        raise error
    edge = saturation(model, solved, wanted=wanted)
    if not _LEAST < edge.factor <= 1 or any(not item.capacity for item in asked(solved)):
        raise error
    ways = cures(model, solved, edge, wanted)
    return Overload(
        model=model, solved=solved, edge=edge, arrivals=arrivals(solved), asked=asked(solved), cures=ways.changes,
        too_fast=ways.too_fast,
    )  # fmt: skip


def findings(item: Overload) -> Iterator[Finding]:
    """The findings, in the order of the sections."""
    yield _question(item)
    yield Finding(ANSWER, str(item.edge.cause), _answer(item), "full_at", _largest(item), "/s")
    yield from _cured(item)
    yield from _capacity(item)
    for change, sentence in _WAYS:
        if item.needed(change):
            first = item.needed(change)[0]
            yield Finding(HELP, first.station, sentence(item.needed(change)), change, first.needed, first.unit)
    if not item.needed(FASTER):
        yield Finding(HELP, item.too_fast, _no_speed(item))
    yield from _laws(item)
    yield Finding(TRUST, "", _trust(item))
    if not inputs(item.model):
        yield Finding(SOURCES, "", NO_SOURCE)


def table_of(item: Overload, section: str) -> Iterator[dict[str, Cell]]:
    """The rows of the table of a section, as cells by column."""
    if section == FULL:
        for each in item.asked:
            full_at = item.arrivals * each.capacity / each.offered if each.offered > 0 else None
            yield {
                "name": each.label, "full_at": full_at, "demand": each.demand, "offered_load": each.offered,
                "capacity": each.capacity, "load": each.offered / each.capacity, "excess": each.excess,
            }  # fmt: skip
    if section == HELP:
        for cure in item.cures:
            name = cure.station or "arrivals"
            yield {
                "name": name, "change": cure.change, "now": cure.now, "needed": cure.needed, "unit": cure.unit or None
            }  # fmt: skip


def broken(claimed: Sequence[Condition]) -> tuple[Problem, ...]:
    """A problem for each assertion, because none holds without an answer."""
    return tuple(Problem("QN608", f"asserted {item.source}, but there is no answer") for item in claimed)


def short(item: Overload) -> list[str]:
    """The answer in six lines: the saturated stations, the smallest change of each type, and the next station.

    The method is mentioned only where the limits are approximate.
    """
    ways = [_in_short(item, change) for change in _SHORT if item.needed(change)]
    spare = [_room(each) for each in item.asked if each.excess < 0][:1]
    last = [] if _is_exact(item) else [_trust(item)]
    others = [finding.text for finding in findings(item) if finding.section == FULL]
    lines = [_answer(item, brief=True), *ways, *last, *spare, *others]
    if not item.needed(FASTER):
        lines.insert(-1 - len(others), _no_speed(item))
    kept = fitting(lines)
    return [line for line in kept if line not in last] + [line for line in last if line in kept]


def _question(item: Overload) -> Finding:
    model = item.model
    settings = [f"{name} = {value}" for name, value in model.settings.items()]
    point = f" with {listed(settings)}" if settings else ""
    text = f'Why does "{model.title}" ({model.name}, digest {model.digest}) have no steady state{point}?'
    return Finding(QUESTION, "", text)


def _largest(item: Overload) -> float:
    return item.arrivals * float(item.edge.factor)


def _answer(item: Overload, brief: bool = False) -> str:
    """The saturated stations, with their utilization at the present load."""
    over, rate = item.over, rate_of(item.arrivals)
    if sum(each.arrival_rate is not None for each in item.model.customers) > 1:
        rate += " in total"
    if not over:
        text = f"There is no steady state at {rate}: {item.edge.cause} is saturated, because the time that it is held "
        return f"{text}includes waiting for stations inside."
    first, *others = over
    names = [f"{first.label} would be {percent(1 + first.excess)} utilized"]
    names += [f"{each.label} {percent(1 + each.excess)}" for each in others]
    text = f"There is no steady state at {rate}: {few(names)}."
    if brief and len(text) > LINE:
        return text.replace("There is no", "No", 1).replace(" and ", ", ")
    return text


def _in_short(item: Overload, change: str) -> str:
    """The smallest changes of one type, in a line."""
    return _fewer(item.needed(change)) if change == FEWER else f"{_LINES[change]}: {_details(item, change)}."


def _details(item: Overload, change: str, now: str = "(now {})") -> str:
    """The smallest changes of one type, listed by station.

    now  the words for the present number of servers.
    """
    items = item.needed(change)
    needed = [(each.station, format_number(each.needed), format_number(each.now)) for each in items]
    if change == FASTER:
        text = listed([f"{station} more than {times} times as fast" for station, times, _ in needed])
        fits = len(f"{_LINES[FASTER]}: {text}.") <= LINE
        return text if fits else listed([f"{station} over {times} times" for station, times, _ in needed])
    if change == SERVERS:
        return listed([f"{station} {number} {now.format(servers)}" for station, number, servers in needed])
    return listed([f"{each.station} below {time_of(each.needed)}" for each in items])


def _cured(item: Overload) -> Iterator[Finding]:
    """The smallest changes of every type in one sentence of the answer."""
    ways: list[str] = []
    for change in _SHORT:
        if items := item.needed(change):
            fewer = f"less than {rate_of(items[0].needed)}"
            ways.append(f"{_CALLED[change]} ({fewer if change == FEWER else _details(item, change, 'instead of {}')})")
    if ways:
        any_one = "Any one of these gives a steady state" if len(ways) > 1 else "This gives a steady state"
        first = item.needed(next(change for change in _SHORT if item.needed(change)))[0]
        yield Finding(ANSWER, first.station, f"{any_one}: {listed(ways, 'or')}.", BEST, first.needed, first.unit)


def _capacity(item: Overload) -> Iterator[Finding]:
    """Demand against capacity, of each overloaded station, and the station that saturates next."""
    for each in item.over:
        text = f"{each.label}: {rate_of(item.arrivals)} x {time_of(each.demand)}: "
        text += f"needs {format_number(each.offered)} servers, has {format_number(each.capacity)}"
        text += (
            f": {percent(each.excess)} more than its capacity." if each.excess > 0 else ": no room for any variation."
        )
        yield Finding(FULL, each.label, text, "excess", each.excess)
    spare = [each for each in item.asked if each.excess < 0]
    if spare:
        yield Finding(FULL, spare[0].label, _room(spare[0]), "excess", spare[0].excess)


def _room(each: OfferedLoad) -> str:
    return f"{each.label} is next: its utilization would be {percent(1 + each.excess)}."


def _fewer(items: list[Cure]) -> str:
    (item,) = items
    fewer = item.needed < item.now * (1 - LITTLE / 100)
    less = f", {percent(1 - item.needed / item.now)} less than {rate_of(item.now)}" if fewer else ""
    return f"Fewer arrivals: less than {rate_of(item.needed)}{less}."


def _faster(items: list[Cure]) -> str:
    names = [f"{item.station} more than {format_number(item.needed)} times as fast" for item in items]
    return f"Faster stations: {listed(names)}." if len(items) > 1 else f"A faster station: {names[0]}."


def _no_speed(item: Overload) -> str:
    """That no speeds help, and by how much the station that remains saturated would have to be faster."""
    if not item.too_fast:
        return NO_SPEED
    return f"No faster station helps: {item.too_fast} would have to be more than {FASTEST:.0f} times as fast."


def _servers(items: list[Cure]) -> str:
    names = [f"{format_number(item.needed)} at {item.station} instead of {format_number(item.now)}" for item in items]
    return f"More servers: {listed(names)}."


def _copies(items: list[Cure]) -> str:
    names = [f"{format_number(item.needed)} of {item.station} instead of {format_number(item.now)}" for item in items]
    return f"More copies: {listed(names)}."


def _shorter(items: list[Cure]) -> str:
    names = [
        f"less than {time_of(item.needed)} at {item.station} instead of {time_of(item.now)} "
        f"({percent(1 - item.needed / item.now)} less)"
        for item in items
    ]
    return f"A shorter demand per arrival: {listed(names)}."


_CALLED = {FEWER: "fewer arrivals", FASTER: "faster service", SERVERS: "more servers", SHORTER: "a shorter demand"}
_LINES = {FASTER: "Faster", SERVERS: "More servers", SHORTER: "Shorter demand"}
_SHORT = (FEWER, FASTER, SERVERS, SHORTER)
_WAYS = ((FEWER, _fewer), (FASTER, _faster), (SERVERS, _servers), (COPIES, _copies), (SHORTER, _shorter))


def _laws(item: Overload) -> Iterator[Finding]:
    for each in item.over[:1]:
        text = f"Capacity, X <= m / D, at {each.label}: {format_number(each.capacity)} / {time_of(each.demand)} = "
        full_at = each.capacity / each.demand
        text += f"{rate_of(full_at)}, where D is the demand of one arrival on a copy, without waits."
        yield Finding(LAWS, each.label, text, "full_at", full_at, "/s")


def _is_exact(item: Overload) -> bool:
    """Whether the limits follow from the utilization law alone."""
    return bool(item.over) and all(load.certain for load in item.solved.parts[0].solution.loads)


def _trust(item: Overload) -> str:
    if _is_exact(item):
        return "These limits are exact: they follow from the utilization law, whatever the distributions."
    method = item.solved.parts[0].solution.method
    return f"Limits that include waits inside holds are approximate, by the method {method}."
