"""Stations where customers wait in line, one to 25 customers a class and loads of up to 0.95: against simulations."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pytest
from line_systems import FAMILIES, SIMULATED, Line, drawn, simulated
from measuring import assert_told
from simulating import needs_compiler

import qnet
from qnet.errors import NotComputed
from qnet.networks.exactness import HIGHER, LONG_ABSENCE
from qnet.networks.measured_errors import MEASURED

KEPT: dict[str, Any] = json.loads(SIMULATED.read_text())


_WAITING = tuple(name for name in FAMILIES if not name.startswith("priorities"))
RANKED = ("priority", "preemptive")


class Case(NamedTuple):
    line: Line
    found: list[float]
    busy: float
    """How busy the classes that are served before others keep the first station."""
    error: float
    """The largest of the throughputs of closed classes and the responses of open ones."""


def solved(lines: Sequence[Line]) -> Any:
    """The answer for networks of one structure, as a batch."""
    first = lines[0]

    def table(name: str) -> Any:
        return np.array([getattr(line, name) for line in lines])

    def column(name: str) -> list[Any]:
        values = [[getattr(line, name)[kind] for line in lines] for kind in range(len(first.think))]
        return [None if value[0] is None else np.array(value) for value in values]

    ranked = any(discipline in RANKED for discipline in first.disciplines)
    think = [
        values if count is not None else 0.0 for values, count in zip(column("think"), first.population, strict=True)
    ]
    return qnet.Network(
        table("times") * table("visits"), visits=table("visits"), disciplines=first.disciplines, servers=first.servers,
        population=column("population"), think_time=think, arrival_rate=column("rate"), scv=table("scv"),
        priority=range(len(first.think), 0, -1) if ranked else None,
    ).solve()  # fmt: skip


def figures(lines: Sequence[Line]) -> list[tuple[list[float], list[list[float]]] | None]:
    """Of networks of one structure, throughputs of closed classes and responses of open ones, and how busy each class
    keeps each station; None: refused."""
    try:
        answer = solved(lines)
    except NotComputed as refused:
        if len(lines) > 1:
            return [item for line in lines for item in figures([line])]
        assert refused.problems[0].code in ("QN589", "QN511")
        return [None]
    closed = np.array([count is not None for count in lines[0].population])
    found = np.where(closed, np.array(answer.throughput), np.array(answer.response))
    return list(zip(found.tolist(), answer.utilization.tolist(), strict=True))


def order(line: Line) -> list[int]:
    """The classes, closed ones first where none goes before another."""
    kinds = range(len(line.think))
    return (
        list(kinds) if line.disciplines[0] in RANKED else sorted(kinds, key=lambda kind: line.population[kind] is None)
    )


def ordered(line: Line) -> Line:
    """The network with its classes in that order."""
    kinds = order(line)
    tables = ([[row[kind] for kind in kinds] for row in rows] for rows in (line.times, line.scv, line.visits))
    columns = ([values[kind] for kind in kinds] for values in (line.population, line.think, line.rate))
    return Line(line.disciplines, line.servers, *tables, *columns)


def between(line: Line, stations: Sequence[tuple[str, int]]) -> tuple[Line, list[int | None]]:
    """The network with these stations, disciplines and servers, of which it visits those that it has; and which these
    are."""
    rest = list(range(len(line.servers)))
    places: list[int | None] = []
    for station in stations:
        place = next((place for place in rest if (line.disciplines[place], line.servers[place]) == station), None)
        places.append(place)
        if place is not None:
            rest.remove(place)
    assert not rest

    def table(rows: Sequence[Sequence[Any]], absent: Any) -> list[list[Any]]:
        return [[absent] * len(line.think) if place is None else list(rows[place]) for place in places]

    tables = table(line.times, 1.0), table(line.scv, 1.0), table(line.visits, 0)
    disciplines, servers = zip(*stations, strict=True)
    return Line(list(disciplines), list(servers), *tables, line.population, line.think, line.rate), places


def together(lines: Sequence[Line]) -> list[tuple[list[float], float] | None]:
    """The figures of networks with classes of one sort, and how busy all classes but the last keep the first station.

    They are solved as one batch, of a network with the stations of all: what none visits changes nothing.
    """
    every: Counter[tuple[str, int]] = Counter()
    for line in lines:
        every |= Counter(zip(line.disciplines, line.servers, strict=True))
    stations = sorted(every.elements())
    padded = [between(line, stations) for line in lines]
    answers = figures([line for line, _ in padded])
    return [
        answer and (answer[0], sum(answer[1][places.index(0)][:-1]))
        for (_, places), answer in zip(padded, answers, strict=True)
    ]


def simulated_well(name: str) -> Iterator[tuple[int, list[float]]]:
    """The place of each network of a family that was simulated well enough, and its figures."""
    for place, (line, kept) in enumerate(zip(drawn(FAMILIES[name]), KEPT[name], strict=False)):
        if kept is None:
            continue
        throughput, response, rate_error, time_error = kept
        closed = [count is not None for count in line.population]
        known = [throughput[kind] if here else response[kind] for kind, here in enumerate(closed)]
        doubts = [rate_error[kind] if here else time_error[kind] for kind, here in enumerate(closed)]
        if all(doubt <= FAMILIES[name].noise * figure for doubt, figure in zip(doubts, known, strict=True)):
            yield place, known


def worst(found: Sequence[float], known: Sequence[float]) -> float:
    return max(abs(value / figure - 1) for value, figure in zip(found, known, strict=True))


@cache
def cases(names: Sequence[str], most: int | None = None) -> dict[str, list[Case]]:
    """Of each family the networks, the first ones or all, that have an answer and were simulated well enough."""
    groups: dict[Any, list[tuple[str, int, Line, list[float]]]] = {}
    for name in names:
        lines = drawn(FAMILIES[name])
        for place, known in islice(simulated_well(name), most):
            line = ordered(lines[place])
            closed = tuple(count is not None for count in line.population)
            item = (name, place, line, [known[kind] for kind in order(lines[place])])
            # With priorities other fixed points may be found among stations that are not visited: one by one.
            groups.setdefault((closed, place if line.disciplines[0] in RANKED else None), []).append(item)
    found: dict[str, dict[int, Case]] = {name: {} for name in names}
    for group in groups.values():
        for (name, place, line, known), answer in zip(group, together([item[2] for item in group]), strict=True):
            if answer is not None:
                found[name][place] = Case(line, *answer, worst(answer[0], known))
    return {name: [values[place] for place in sorted(values)] for name, values in found.items()}


def away(case: Case) -> float:
    """The least share of their time without waits that closed classes served before others spend thinking."""
    line = case.line
    spent = [
        sum(t[kind] * v[kind] for t, v in zip(line.times, line.visits, strict=True)) for kind in range(len(line.think))
    ]
    shares = [
        think / (think + time) for think, time, count in zip(line.think, spent, line.population, strict=True) if count
    ]
    return min(shares[:-1] if line.population[-1] is not None else shares, default=1.0)


def trusted(case: Case) -> bool:
    """Whether priorities are within the region in which the answer comes without a warning."""
    return case.busy <= HIGHER and away(case) >= LONG_ABSENCE


@pytest.mark.long
@pytest.mark.parametrize("name", _WAITING)
def test_first_come_first_served(name: str):
    found = cases(_WAITING)[name]
    assert_told(name, [case.error for case in found][:200])
    for case in found[::50]:
        (alone,) = figures([case.line])
        assert alone and alone[0] == pytest.approx(case.found, rel=1e-8)


_RANKED = "priorities: up to 25 customers"


@pytest.mark.long
def test_priorities():
    """Those inside the trusted region stay within what the rows of small systems tell."""
    every = cases((_RANKED,))[_RANKED]
    assert_told(_RANKED, [case.error for case in every][:200])
    assert max(case.error for case in every if trusted(case)) <= MEASURED["priorities: mixed"].worst


@pytest.mark.long
def test_some_priorities():
    some = cases((_RANKED,), 14)[_RANKED]
    assert len(some) >= 12
    assert max(case.error for case in some) <= MEASURED[_RANKED].worst
    assert max(case.error for case in some if trusted(case)) <= MEASURED["priorities: mixed"].worst


@needs_compiler
def test_simulated_figures_are_those_of_closed_forms():
    """M/G/1 with priorities, and what an open class leaves to a customer who never thinks."""
    options: dict[str, Any] = {"visits": [[1, 1]], "servers": [1], "population": [None, None], "think": [0.0, 0.0]}
    served = Line(["priority"], times=[[1.0, 2.0]], scv=[[0.0, 4.0]], rate=[0.2, 0.25], **options)
    options["population"] = [None, 1]
    never = Line(["fcfs"], times=[[2.0, 1.0]], scv=[[0.25, 1.0]], rate=[0.4, None], **options)
    first, second = simulated([served, never], 400_000)
    assert first and first[1] == pytest.approx([1 + 2.6 / 0.8, 2 + 2.6 / 0.8 / 0.3], rel=0.05)
    assert second and second[0] == pytest.approx([0.4, 0.2], rel=0.02)
