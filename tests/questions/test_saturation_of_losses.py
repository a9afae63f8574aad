"""The load at which the steady state ends where customers may be lost before: found in a counted number of chains."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from qnet.model.model import Model
from qnet.networks.states import solve as states
from qnet.networks.wanted import AUTO
from qnet.questions.points.points import at_loads, solve_points
from qnet.questions.points.saturation import saturation
from qnet.questions.solve.solve import solve_report

LINE = """
qnet = 1
title = "full before last"
[stations]
full = {{ capacity = {capacity} }}
last = {{ discipline = "{discipline}" }}
[classes.a]
arrival_rate = "{rate}/s"
steps = [{{ station = "full", time = "7 ms", visits = 0.5 }}, {{ station = "last", time = "14 ms" }}]
"""


@pytest.mark.parametrize("discipline", ["lcfs-pr", "ps"])
@pytest.mark.parametrize("capacity", [2, 6])
def test_no_chain_is_tried_again_at_every_load(
    model: Callable[[str], Model], monkeypatch: pytest.MonkeyPatch, capacity: int, discipline: str
) -> None:
    tried: list[object] = []
    once = states.tried

    def counted(*asked: Any) -> Any:
        tried.append(asked)
        return once(*asked)

    monkeypatch.setattr(states, "tried", counted)
    found = model(LINE.format(capacity=capacity, discipline=discipline, rate=20))
    solved = solve_points(found)
    before = len(tried)
    edge = saturation(found, solved)
    assert len(tried) == before
    assert edge.cause == "last"
    # No more are lost than at a station that all come to at once.
    assert edge.factor * 20 * 0.014 >= 1


@pytest.mark.parametrize("capacity", [2, 6, 40])
def test_a_capacity_beyond_losses_is_found_from_below_in_a_few_solutions(
    model: Callable[[str], Model], monkeypatch: pytest.MonkeyPatch, capacity: int
) -> None:
    asked: list[float] = []

    def counted(*given: Any) -> Callable[[float], Any]:
        again = at_loads(*given)

        def solved(factor: float) -> Any:
            asked.append(factor)
            return again(factor)

        return solved

    monkeypatch.setattr("qnet.questions.points.saturation.at_loads", counted)
    found = model(LINE.format(capacity=capacity, discipline="ps", rate=20))
    edge = saturation(found, solve_points(found))
    assert edge.cause == "last" and edge.factor * 20 * 0.014 >= 1 - 1e-12
    assert len(asked) <= 18
    assert again_at(found, edge.factor * (1 - 1e-9)).stable and not again_at(found, edge.factor * (1 + 1e-9)).stable


def again_at(found: Model, factor: float) -> Any:
    """The model where all arrivals are some times as frequent, by the method that a search takes."""
    return at_loads(solve_points(found), None, AUTO.replace(chain=0, better=False))(factor)


def test_a_load_of_an_approximation_beside_an_exact_answer_is_told(model: Callable[[str], Model]) -> None:
    """Beside a load: an answer without one has nothing to tell of it."""
    found = model(LINE.format(capacity=2, discipline="lcfs-pr", rate=20))
    assert [note.code for note in saturation(found, solve_points(found)).notes] == ["QN707"]
    report = solve_report(found)
    assert report.records()[0].get("maximum_throughput_per_s") is None
    assert "QN707" not in {note.code for note in report.notes}


HELD = """
qnet = 1
title = "rates inside of a hold"
[stations]
inner = { rates = [1, 1.6] }
last = {}
outer = { servers = 2 }
[classes.a]
arrival_rate = "1/s"
steps = [
  { hold = "outer", steps = [{ hold = "inner", steps = [{ time = "0.1 s" }, { station = "last", time = "0.2 s" }] }] },
]
"""


def test_the_capacities_are_told_where_only_the_chain_has_an_answer(model: Callable[[str], Model]) -> None:
    """A search would try a chain at every load: the answer stands without it, and the note says what is left out."""
    report = solve_report(model(HELD))
    (system, *_) = report.records()
    assert report.method == "states" and system["response_s"] > 0.3
    assert 1.0 < system["maximum_throughput_per_s"] <= 5.0
    assert "QN675" in {note.code for note in report.warnings}


def test_nothing_is_told_of_a_largest_load_that_no_row_has(model: Callable[[str], Model]) -> None:
    report = solve_report(model(HELD), metric=["response"])
    assert "QN675" not in {note.code for note in report.notes}
