"""The label of a knee is that of the figure that decides where it is."""

from __future__ import annotations

from math import copysign
from pathlib import Path
from typing import Any

import pytest

import qnet

CLOSED = """qnet = 1
title = "t"
[stations]
a = {}
b = {}
[classes.c]
population = 10
think_time = "2 s"
steps = [{ station = "a", time = "0.2 s" }, { station = "b", time = "0.1 s" }]
"""
LOST = """qnet = 1
title = "t"
[buffers]
l = { places = 200, full = "lost" }
[stations]
c = {}
d = {}
[classes.a]
arrival_rate = "0.9/s"
steps = [
  { fill = "l" },
  { station = "c", time = "0.2 s", scv = 0 },
  { phase = 2, station = "d", time = "1 s", scv = 0, drains = "l" },
]
"""


def system(path: Path, text: str) -> Any:
    file = path / "m.toml"
    file.write_text(text)
    return qnet.load(str(file))


def test_only_the_service_level_rests_on_a_percentile(tmp_path: Path) -> None:
    rows = system(tmp_path, CLOSED).knee(limit="response_p95 <= 4 s").records()
    found = {row["definition"]: row["exactness"] for row in rows if row["status"] == "ok"}
    assert found.pop("service_level") == "approximate"
    assert set(found.values()) == {"exact"}
    plain = system(tmp_path, CLOSED).knee(limit="response <= 2 s").records()
    assert {row["exactness"] for row in plain} == {"exact"}


def test_nothing_lost_is_no_negative_share(tmp_path: Path) -> None:
    losses = [row["loss"] for row in system(tmp_path, LOST).solve().records() if row.get("loss") is not None]
    assert losses and all(value == 0.0 and copysign(1.0, value) > 0 for value in losses)


@pytest.mark.long
def test_a_method_of_several_searches_is_named_once(tmp_path: Path) -> None:
    """One search is solved by two methods, which a batch names together, and another by the first of them."""
    jobs = """
[parameters]
users = 20
jobs = 4
[stations]
cpu = { servers = 2, discipline = "ps" }
disk = { copies = 4 }
[classes.online]
population = "users"
think_time = "10 s"
steps = [ { station = "cpu", time = "30 ms" }, { station = "disk", visits = 6, time = "8 ms" } ]
[classes.batch]
population = "jobs"
steps = [ { station = "cpu", time = "2 s" }, { station = "disk", visits = 400, time = "8 ms" } ]
"""
    report = system(tmp_path, 'qnet = 1\ntitle = "t"\n' + jobs).knee()
    names = report.meta["method"].split(", ")
    assert len(names) == len(set(names)) > 1


def test_bounds_of_an_open_class_leave_out_its_arrival_rate(tmp_path: Path) -> None:
    forked = """
[stations]
a = {}
b = {}
[classes.c]
arrival_rate = "5/s"
[[classes.c.routes]]
name = "both"
probability = 1
[[classes.c.routes.steps]]
parallel = [
  { steps = [ { station = "a", time = "0.1 s" } ] },
  { steps = [ { station = "b", time = "0.12 s" } ] },
]
"""
    (row,) = [
        row
        for row in system(tmp_path, 'qnet = 1\ntitle = "t"\n' + forked).solve(method="open").records()
        if row["scope"] == "class"
    ]
    assert row["throughput_lower_per_s"] is row["throughput_upper_per_s"] is None
    assert row["response_lower_s"] < row["response_s"] <= row["response_upper_s"]
