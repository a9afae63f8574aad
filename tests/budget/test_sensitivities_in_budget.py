"""Sensitivities of small networks are answered, or refused, in a fraction of the budget: by counted operations."""

from __future__ import annotations

from pathlib import Path

import pytest

import qnet
from qnet import budget
from qnet.budget import Account
from qnet.errors import NotComputed
from qnet.system import System

PLACES = """qnet = 1
title = "eight jobs, a station of five places"
[parameters]
think = "2.6 s"
first = "1.1 s"
second = "0.61 s"
other_think = "0.65 s"
other = "0.8 s"
[stations]
s0 = {}
s1 = { discipline = "ps", capacity = 5 }
[classes.c0]
population = 8
think_time = "think"
steps = [{ station = "s0", time = "first", scv = 4 }, { station = "s1", time = "second", visits = 0.5 }]
[classes.c1]
population = 2
think_time = "other_think"
steps = [{ station = "s0", time = "other", visits = 3 }]
"""
NO_OTHER = """qnet = 1
title = "two stations of five places"
[parameters]
think = "5.8 s"
ta = "1.1 s"
tb = "0.29 s"
tc = "0.25 s"
td = "0.11 s"
te = "0.96 s"
tf = "1.17 s"
tg = "1.09 s"
[stations]
s0 = { servers = 3 }
s1 = { discipline = "ps", capacity = 5 }
s2 = { discipline = "priority", servers = 2, capacity = 5 }
h = { servers = 2 }
[classes.c0]
population = 3
think_time = "think"
priority = 1
steps = [
  { station = "s0", time = "ta" },
  { hold = "h", steps = [{ time = "td" }, { station = "s1", time = "tb" }, { phase = 2, time = "tc" }] } ]
[classes.c1]
arrival_rate = "0.154/s"
priority = 2
steps = [{ station = "s0", time = "te", scv = 2 }, { station = "s1", time = "tf" }, { station = "s2", time = "tg" }]
"""
HELD = """qnet = 1
title = "open jobs in memory"
[parameters]
think = "1.21 s"
ta = "0.71 s"
tb = "1.07 s"
tc = "0.8 s"
td = "1.14 s"
rate = "0.11/s"
te = "0.84 s"
tf = "1.1 s"
tg = "0.56 s"
th = "0.41 s"
[stations]
s0 = { servers = 2 }
s1 = { discipline = "ps" }
s2 = {}
s3 = { servers = 2 }
m = { servers = 2 }
[classes.c0]
population = 8
think_time = "think"
steps = [
  { station = "s0", time = "ta" }, { station = "s1", time = "tb" }, { station = "s2", time = "tc", scv = 0 },
  { station = "s3", time = "td", scv = 4 } ]
[classes.c1]
arrival_rate = "rate"
steps = [{ hold = "m", steps = [
  { station = "s0", time = "te", scv = 0.5 }, { station = "s1", time = "tf", scv = 2 },
  { station = "s2", time = "tg", scv = 0 }, { station = "s3", time = "th" } ] }]
"""


def system(path: Path, text: str) -> System:
    file = path / "m.toml"
    file.write_text(text)
    return qnet.load(str(file))


@pytest.mark.long
def test_an_approximation_replaces_chains_of_too_many_points(tmp_path: Path) -> None:
    with budget.opened(Account()) as account:
        report = system(tmp_path, PLACES).sensitivity(metric="throughput")
    assert account.spent < 6e9
    assert "QN768" in {note.code for note in report.notes}
    rows = report.records()
    assert {(row["status"], row["exactness"]) for row in rows} == {("ok", "approximate")}
    # All times in another unit change the throughput by that unit alone: elasticities add up to -1.
    assert sum(float(str(row["elasticity"])) for row in rows) == pytest.approx(-1, abs=1e-5)


@pytest.mark.long
def test_chains_without_a_substitute_are_refused_with_their_cost(tmp_path: Path) -> None:
    with budget.opened(Account()) as account, pytest.raises(NotComputed, match="chains of all states would take"):
        system(tmp_path, NO_OTHER).sensitivity(metric="response")
    assert account.over is None  # It is not the budget of the command that ends.
    one = system(tmp_path, NO_OTHER).sensitivity(metric="response", by="tb")
    assert [row["status"] for row in one.records()] == ["ok"]


@pytest.mark.long
def test_many_requests_at_few_servers_are_charged_by_the_states_that_are_computed(tmp_path: Path) -> None:
    with budget.opened(Account()) as account:
        rows = system(tmp_path, HELD).sensitivity(metric="response").records()
    assert account.spent < 5e9
    assert {row["status"] for row in rows} == {"ok"}
