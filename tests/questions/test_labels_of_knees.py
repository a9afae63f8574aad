"""The label of a knee is that of the figure that decides where it is."""

from __future__ import annotations

from math import copysign
from pathlib import Path
from typing import Any

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
