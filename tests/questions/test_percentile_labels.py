"""A limit on a percentile is approximate, whatever the means are: told alike by every question."""

from __future__ import annotations

from pathlib import Path

import pytest

import qnet

USERS = """
qnet = 1
title = "users"
[parameters]
users = 20
[stations]
cpu = { discipline = "ps" }
disk = { discipline = "ps" }
[classes.user]
population = "users"
think_time = "5 s"
steps = [ { station = "cpu", time = "100 ms" }, { station = "disk", time = "150 ms" } ]
"""


@pytest.mark.parametrize(("metric", "word"), [("response", "exact"), ("response_p95", "approximate")])
def test_envelope_and_knee_say_so(metric: str, word: str, tmp_path: Path):
    (tmp_path / "users.toml").write_text(USERS)
    system = qnet.load(str(tmp_path / "users.toml"))
    limit = f"{metric} <= 3 s"
    for told in (system.envelope(vary="users", limit=limit), system.knee(limit=limit)):
        assert {row["exactness"] for row in told.records()} == {word}
