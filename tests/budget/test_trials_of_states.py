"""Chains that `auto` gives up leave the rest of the command what it needs: every point is answered, by its own method.

The models are those that `solve` answers at once; the chains of their heavier points have too many states.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import qnet
from qnet import budget
from qnet.budget import Account
from qnet.system import System

sys.path.append(str(Path(__file__).parents[1]))

from oracle import load, solve

MIXED = """qnet = 1
title = "mixed"
[parameters]
r = "0.5/s"
k = 1
[stations]
s = {}
[classes.a]
arrival_rate = "r"
steps = [{ station = "s", time = "0.9 s * k" }]
[classes.c]
population = 2
think_time = "2 s"
steps = [{ station = "s", time = "0.5 s" }]
"""
LATE = """qnet = 1
title = "late"
[parameters]
n = 5
[stations]
cpu = {}
disk = {}
[classes.a]
population = "n"
think_time = "0.2 s"
steps = [
  { station = "cpu", time = "0.2 s" },
  { station = "disk", time = "0.1 s" },
  { phase = 2, station = "disk", time = "0.15 s" },
  { phase = 2, station = "cpu", time = "0.03 s" },
]
"""


def system(path: Path, text: str) -> System:
    file = path / "m.toml"
    file.write_text(text)
    return qnet.load(str(file))


def rows(report: Any) -> list[dict[str, Any]]:
    return [row for row in report.records() if row.get("method")]


@pytest.mark.long
def test_a_sweep_answers_the_points_whose_chain_is_given_up(tmp_path: Path) -> None:
    with budget.opened(Account()) as account:
        report = system(tmp_path, MIXED).sweep("r=0.1/s:0.9/s:0.05/s", metric="response")
    found = rows(report)
    assert [row["status"] for row in found] == ["ok"] * 17
    assert {row["method"] for row in found} == {"states", "residual-service"}
    assert account.spent < 5e9
    asked = MIXED.replace('r = "0.5/s"', 'r = "0.1/s"')
    answer = solve(load(asked))
    flow = sum(answer.throughput.values())
    response = sum(answer.throughput[name] * answer.response[name] for name in "ac") / flow
    assert found[0]["method"] == "states" and found[0]["exactness"] == "exact"
    assert found[0]["response_s"] == pytest.approx(response, rel=1e-9)


@pytest.mark.long
def test_a_sweep_over_customers_does_not_try_again_with_more(tmp_path: Path) -> None:
    with budget.opened(Account()) as account:
        found = rows(system(tmp_path, LATE).sweep("n=1:20:1", metric="throughput"))
    assert [row["status"] for row in found] == ["ok"] * 20
    by_states = [row["method"] == "states" for row in found]
    assert by_states == sorted(by_states, reverse=True) and any(by_states) and not all(by_states)
    assert account.spent < 2.5e9


@pytest.mark.long
def test_rows_have_the_answers_that_their_points_have_alone(tmp_path: Path) -> None:
    model = system(tmp_path, MIXED)
    for swept in rows(model.sweep("r=0.3/s,0.5/s,0.9/s", metric="response")):
        alone = model.set(r=f"{swept['r_per_s']}/s").solve().records()[0]
        assert swept["method"] == alone["method"]
        assert swept["response_s"] == pytest.approx(alone["response_s"], rel=1e-9)


def test_a_sensitivity_is_answered(tmp_path: Path) -> None:
    report = system(tmp_path, MIXED).sensitivity(metric="response")
    assert [(row["parameter"], row["status"]) for row in report.records()] == [("k", "ok"), ("r", "ok")]


def test_a_comparison_is_answered(tmp_path: Path) -> None:
    first = system(tmp_path, MIXED)
    report = first.compare(*(first.set(r=f"{rate}/s") for rate in (0.6, 0.7, 0.8, 0.9)), metric="response")
    assert len({row["value"] for row in report.records()}) == 4


@pytest.mark.long
def test_a_map_answers_every_row(tmp_path: Path) -> None:
    found = list(system(tmp_path, MIXED).map_rows([{"r": rate / 20} for rate in range(2, 19)], metric="response"))
    assert [row["status"] for row in found] == ["ok"] * 17


def test_points_without_operations_for_chains_say_so(tmp_path: Path) -> None:
    model = system(tmp_path, MIXED)
    with budget.opened(Account()) as account:
        account.tried = account.operations
        report = model.sweep("r=0.1/s,0.2/s", metric="response")
    assert {row["method"] for row in rows(report)} == {"residual-service"}
    assert "QN768" in {note.code for note in report.notes}
    assert "QN768" not in {note.code for note in model.sweep("r=0.1/s,0.2/s", metric="response").notes}


def test_trials_leave_a_quarter_to_the_others() -> None:
    with budget.opened(Account(1e10)) as account:
        with pytest.raises(budget.OverBudget), budget.trial():
            budget.spend(5e9)
            budget.spend(5e9)
        assert account.tried == 1e10 and budget.trial_left() == 0.0


def test_a_trial_has_a_limit_where_nothing_else_has() -> None:
    assert budget.current() is None
    with pytest.raises(budget.OverBudget), budget.trial(100.0):
        budget.spend(101.0, "states")
    assert budget.current() is None


def test_a_trial_that_ends_in_time_is_charged_once() -> None:
    with budget.opened(Account(1e10)) as account:
        with budget.trial():
            budget.spend(2e9)
        assert account.spent == account.tried == 2e9
        assert budget.trial_left() == 5.5e9
