"""Changes next to an open station held around a processor-sharing one are those of the chain of states, not of waits
outside of what was measured."""

from __future__ import annotations

from pathlib import Path

import pytest

import qnet

HELD = """qnet = 1
title = "a connection held around a shared processor"
[stations]
pool = { discipline = "ps" }
cpu = { discipline = "ps" }
[classes.a]
arrival_rate = "0.7/s"
steps = [{ hold = "pool", steps = [{ station = "cpu", time = "0.8 s" }] }]
[classes.b]
arrival_rate = "0.2/s"
steps = [{ station = "cpu", time = "0.8 s" }]
"""


def test_one_more_connection_around_a_shared_processor_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "m.toml"
    file.write_text(HELD)
    rows = qnet.load(str(file)).bottleneck().records()
    changed = {(row["name"], row["change"]): row for row in rows if row["scope"] == "what if" and not row["class"]}
    # Shared or not, a connection holds back nothing: the processor does the work of M/M/1, S / (1 - rate S).
    pool = changed["pool", "one server more"]
    assert pool["status"] == "ok" and pool["exactness"] == "exact"
    assert pool["response_s"] == pytest.approx(0.8 / (1 - 0.9 * 0.8), rel=1e-6)
    assert pool["response_ratio"] == pytest.approx(1.0, rel=1e-6)
    assert changed["cpu", "2 times as fast"]["response_s"] == pytest.approx(0.4 / (1 - 0.9 * 0.4), rel=1e-6)


def test_a_change_that_only_an_approximation_answers_is_not_compared_with_an_exact_system(tmp_path: Path) -> None:
    file = tmp_path / "m.toml"
    file.write_text(HELD.replace('pool = { discipline = "ps" }', "pool = {}"))
    rows = qnet.load(str(file)).bottleneck().records()
    changed = [row for row in rows if row["scope"] == "what if" and not row["class"]]
    assert changed
    for row in changed:
        exact = row["exactness"] == "exact"
        assert exact or (str(row["status"]).startswith("not judged") and row["response_ratio"] is None)
