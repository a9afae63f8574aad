"""Software bottlenecks where passages are lost after the station: the work is that of all visits made."""

from __future__ import annotations

from typing import Any

import pytest

from qnet.model.load import load
from qnet.questions.bottleneck.bottleneck import bottleneck

_GATE = """
qnet = 1
title = "A gate after the threads"

[stations]
threads = {{ servers = 4 }}
db = {{ servers = 8, discipline = "ps" }}
gate = {{ capacity = 1 }}

[classes.web]
arrival_rate = "36/s"
steps = [
  {{ hold = "threads", steps = [ {{ time = "{outside} ms" }}, {{ station = "db", time = "{inside} ms" }} ] }},
  {{ station = "gate", time = "60 ms" }},
]
"""


@pytest.mark.parametrize(("outside", "inside"), [(53, 40), (33, 60)])
def test_passages_that_are_lost_later_count_as_work(tmp_path: Any, outside: int, inside: int) -> None:
    """Without waits at the database, a thread spends there its share of the service, whoever is lost at the gate."""
    path = tmp_path / "gate.toml"
    path.write_text(_GATE.format(outside=outside, inside=inside))
    shares = [item.inside for item in bottleneck(load(str(path))).software]
    share = inside / (outside + inside)
    assert shares == (pytest.approx([share], rel=1e-3) if share >= 0.5 else [])
