"""Stations where customers wait in line, one to 25 customers a class and loads of up to 0.95: against simulations."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import pytest
from line_systems import FAMILIES, SIMULATED, Line, drawn, simulated
from measuring import assert_told

import qnet
from qnet.errors import NotComputed
from qnet.networks.exactness import AWAY, HIGHER
from qnet.networks.measured_errors import MEASURED

KEPT: dict[str, Any] = json.loads(SIMULATED.read_text())


class Case(NamedTuple):
    line: Line
    answer: Any
    error: float
    """The largest of the throughputs of closed classes and the responses of open ones."""


def solved(line: Line) -> Any:
    """The answer for a network."""
    ranked = line.disciplines[0] in ("priority", "preemptive")
    demands = [[t * v for t, v in zip(*rows, strict=True)] for rows in zip(line.times, line.visits, strict=True)]
    kinds = len(line.think)
    return qnet.Network(
        demands, visits=line.visits, disciplines=line.disciplines, servers=line.servers, population=line.population,
        think_time=line.think, arrival_rate=line.rate, scv=line.scv,
        priority=range(kinds, 0, -1) if ranked else None,
    ).solve()  # fmt: skip


def cases(name: str) -> Iterator[Case]:
    """The networks of a family that have an answer and whose figures were simulated well enough."""
    noise = FAMILIES[name].noise
    for line, kept in zip(drawn(FAMILIES[name]), KEPT[name], strict=False):
        if kept is None:
            continue
        throughput, response, rate_error, time_error = kept
        closed = [count is not None for count in line.population]
        figures = [throughput[kind] if here else response[kind] for kind, here in enumerate(closed)]
        doubts = [rate_error[kind] if here else time_error[kind] for kind, here in enumerate(closed)]
        if any(doubt > noise * figure for doubt, figure in zip(doubts, figures, strict=True)):
            continue
        try:
            answer = solved(line)
        except NotComputed as refused:
            assert refused.problems[0].code in ("QN589", "QN511")
            continue
        found = [answer.throughput[kind] if here else answer.response[kind] for kind, here in enumerate(closed)]
        error = max(abs(float(value) / figure - 1) for value, figure in zip(found, figures, strict=True))
        yield Case(line, answer, error)


def higher(case: Case) -> float:
    """How busy the classes that are served before others keep the first station."""
    return float(case.answer.utilization[0][:-1].sum())


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
    return higher(case) <= HIGHER and away(case) >= AWAY


_WAITING = [name for name in FAMILIES if not name.startswith("priorities")]


@pytest.mark.parametrize("name", _WAITING)
def test_first_come_first_served(name: str):
    assert_told(name, [case.error for case in cases(name)][:200])


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
