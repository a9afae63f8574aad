"""The search for the largest load of an answer leaves most of the budget, and its bracket where it is stopped."""

from __future__ import annotations

from pathlib import Path

import pytest

import qnet
from qnet import budget
from qnet.budget import Account
from qnet.errors import NoAnswer, NotComputed
from qnet.system import System

SHARED = """qnet = 1
title = "open jobs in memory, and closed ones beside it, who do not give way at saturation"
[parameters]
rate = "0.185/s"
[stations]
s0 = { servers = 2 }
s1 = {}
s2 = { discipline = "ps" }
s3 = {}
m = { servers = 2 }
[classes.c0]
population = 2
think_time = "2.71 s"
steps = [
  { station = "s0", time = "0.8 s" }, { station = "s1", time = "0.79 s" },
  { station = "s2", time = "0.74 s" }, { station = "s3", time = "0.14 s" } ]
[classes.c1]
arrival_rate = "rate"
steps = [{ hold = "m", steps = [
  { station = "s0", time = "1.12 s", visits = 0.5 }, { station = "s1", time = "1.15 s" },
  { station = "s2", time = "1.13 s", scv = 0 }, { station = "s3", time = "0.17 s" } ] }]
"""


def system(path: Path) -> System:
    file = path / "m.toml"
    file.write_text(SHARED)
    return qnet.load(str(file))


@pytest.mark.long
def test_the_bottleneck_of_few_stations_takes_a_fraction_of_the_budget(tmp_path: Path) -> None:
    with budget.opened(Account()) as account:
        report = system(tmp_path).bottleneck()
    assert account.spent < 3e9
    assert "QN747" in {note.code for note in report.notes}
    # What a search did not find is left out, rather than replaced by a capacity that holds without waits.
    changed = [row for row in report.records() if row["scope"] == "what if" and row["class"]]
    assert changed and all(row["maximum_throughput_per_s"] is None for row in changed)


@pytest.mark.long
def test_a_search_that_is_stopped_gives_the_largest_load_with_a_steady_state(tmp_path: Path) -> None:
    model = system(tmp_path)
    with budget.opened(Account()) as account:
        found = [item for item in model.why().records() if "steady state ends" in str(item["text"])]
    assert account.spent < 3e9
    (rate,) = {float(str(item["value"])) for item in found}
    assert model.set(rate=f"{0.95 * rate}/s").solve().records()
    with pytest.raises((NoAnswer, NotComputed)):
        model.set(rate=f"{1.01 * rate}/s").solve()


def test_extra_searches_share_a_fifth_of_the_operations() -> None:
    with budget.opened(Account(1e10)) as account:
        for _ in range(20):
            with pytest.raises(budget.OverBudget), budget.extra(0.75):
                while True:
                    budget.spend(1e7)
        assert account.searched == account.spent
        assert 2e9 <= account.spent <= 2e9 + 20 * 1e7
        assert account.over is None
