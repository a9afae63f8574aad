"""Stations where customers wait in line, one to 25 customers a class and loads of up to 0.95: against simulations."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np  # noqa: TID253
import pytest
from line_systems import FAMILIES, SIMULATED, Line, drawn, simulated
from measuring import assert_told

import qnet
from qnet.errors import NotComputed
from qnet.networks.exactness import HIGHER, LONG_ABSENCE
from qnet.networks.measured_errors import MEASURED

KEPT: dict[str, Any] = json.loads(SIMULATED.read_text())


_WAITING = [name for name in FAMILIES if not name.startswith("priorities")]


class Case(NamedTuple):
    line: Line
    answer: Any
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

    ranked = first.disciplines[0] in ("priority", "preemptive")
    think = [
        values if count is not None else 0.0 for values, count in zip(column("think"), first.population, strict=True)
    ]
    return qnet.Network(
        table("times") * table("visits"), visits=table("visits"), disciplines=first.disciplines, servers=first.servers,
        population=column("population"), think_time=think, arrival_rate=column("rate"), scv=table("scv"),
        priority=range(len(first.think), 0, -1) if ranked else None,
    ).solve()  # fmt: skip


def figures(lines: Sequence[Line]) -> list[list[float] | None]:
    """Of networks of one structure the throughputs of closed classes and the responses of open ones; None: refused."""
    try:
        answer = solved(lines)
    except NotComputed as refused:
        if len(lines) > 1:
            return [item for line in lines for item in figures([line])]
        assert refused.problems[0].code in ("QN589", "QN511")
        return [None]
    closed = np.array([count is not None for count in lines[0].population])
    return np.where(closed, np.array(answer.throughput), np.array(answer.response)).tolist()


def identical(line: Line) -> Line:
    """The network with its stations, and its classes where none goes before another, in an order of their own."""
    places = sorted(range(len(line.servers)), key=lambda place: (line.disciplines[place], line.servers[place]))
    kinds = sorted(range(len(line.think)), key=lambda kind: line.population[kind] is None)

    def table(rows: list[list[Any]]) -> list[list[Any]]:
        return [[rows[place][kind] for kind in kinds] for place in places]

    return Line(
        [line.disciplines[place] for place in places], [line.servers[place] for place in places],
        table(line.times), table(line.scv), table(line.visits),
        *([values[kind] for kind in kinds] for values in (line.population, line.think, line.rate)),
    )  # fmt: skip


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
def errors() -> dict[str, list[float]]:
    """Of each family without priorities the errors of the networks that have an answer. Those alike are one batch."""
    groups: dict[Any, list[tuple[str, int, Line, list[float]]]] = {}
    for name in _WAITING:
        lines = drawn(FAMILIES[name])
        for place, known in simulated_well(name):
            line = identical(lines[place])
            closed = [count is not None for count in line.population]
            # In the order of `alike`: closed classes first.
            own = [count is not None for count in lines[place].population]
            known = [value for here in (True, False) for value, mine in zip(known, own, strict=True) if mine == here]
            key = (tuple(line.disciplines), tuple(line.servers), tuple(closed))
            groups.setdefault(key, []).append((name, place, line, known))
    found: dict[str, dict[int, float]] = {name: {} for name in _WAITING}
    for group in groups.values():
        for (name, place, _, known), answer in zip(group, figures([item[2] for item in group]), strict=True):
            if answer is not None:
                found[name][place] = worst(answer, known)
    return {name: [values[place] for place in sorted(values)] for name, values in found.items()}


def cases(name: str) -> Iterator[Case]:
    """The networks of a family, one by one, that have an answer and whose figures were simulated well enough."""
    lines = drawn(FAMILIES[name])
    for place, known in simulated_well(name):
        line = lines[place]
        try:
            answer = solved([line])
        except NotComputed as refused:
            assert refused.problems[0].code in ("QN589", "QN511")
            continue
        closed = np.array([count is not None for count in line.population])
        found = np.where(closed, np.array(answer.throughput), np.array(answer.response))[0]
        yield Case(line, answer, worst(found, known))


def higher(case: Case) -> float:
    """How busy the classes that are served before others keep the first station."""
    return float(case.answer.utilization[0, 0, :-1].sum())


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
    return higher(case) <= HIGHER and away(case) >= LONG_ABSENCE


@pytest.mark.parametrize("name", _WAITING)
def test_first_come_first_served(name: str):
    assert_told(name, errors()[name][:200])


_RANKED = "priorities: up to 25 customers"


@pytest.mark.skipif(not os.environ.get("QNET_FULL"), reason="takes a minute; see QNET_FULL in README")
def test_priorities():
    """Those inside the trusted region stay within what the rows of small systems tell."""
    every = list(cases(_RANKED))
    assert_told(_RANKED, [case.error for case in every][:200])
    assert max(case.error for case in every if trusted(case)) <= MEASURED["priorities: mixed"].worst


def test_some_priorities():
    some = list(islice(cases(_RANKED), 12))
    assert max(case.error for case in some) <= MEASURED[_RANKED].worst
    assert max(case.error for case in some if trusted(case)) <= MEASURED["priorities: mixed"].worst


@pytest.mark.skipif(shutil.which("cc") is None, reason="the simulation is written in C")
def test_simulated_figures_are_those_of_closed_forms():
    """M/G/1 with priorities, and what an open class leaves to a customer who never thinks."""
    options: dict[str, Any] = {"visits": [[1, 1]], "servers": [1], "population": [None, None], "think": [0.0, 0.0]}
    served = Line(["priority"], times=[[1.0, 2.0]], scv=[[0.0, 4.0]], rate=[0.2, 0.25], **options)
    options["population"] = [None, 1]
    never = Line(["fcfs"], times=[[2.0, 1.0]], scv=[[0.25, 1.0]], rate=[0.4, None], **options)
    first, second = simulated([served, never], 400_000)
    assert first and first[1] == pytest.approx([1 + 2.6 / 0.8, 2 + 2.6 / 0.8 / 0.3], rel=0.05)
    assert second and second[0] == pytest.approx([0.4, 0.2], rel=0.02)
