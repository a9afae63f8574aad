"""Stations whose rate falls with the number present: the largest rate bounds the throughput of closed classes."""

from __future__ import annotations

from typing import Any

import pytest

import qnet

_CLOSED = """
qnet = 1
title = "Three customers at a station that is slow with four"

[stations]
cpu = { rates = [1, 2, 3, 1.5] }
disk = {}

[classes.web]
population = 3
think_time = "0.1 s"
steps = [ { station = "cpu", time = "1 s" }, { station = "disk", time = "0.1 s" } ]
"""
_MIXED = '\n[classes.other]\narrival_rate = "0.1/s"\nsteps = [ { station = "cpu", time = "1 s" } ]\n'


@pytest.mark.parametrize("text", [_CLOSED, _CLOSED + _MIXED], ids=["closed", "mixed"])
def test_no_throughput_is_beyond_the_one_at_which_a_station_saturates(tmp_path: Any, text: str) -> None:
    """U = X D / (largest rate), so that the headroom is 1 / U - 1."""
    (tmp_path / "model.toml").write_text(text)
    rows: list[Any] = list(qnet.load(str(tmp_path / "model.toml")).bottleneck().records())
    cpu = next(row for row in rows if row["scope"] == "station" and row["name"] == "cpu")
    assert cpu["headroom"] == pytest.approx(1 / cpu["utilization"] - 1, rel=1e-9)
    assert cpu["full_at_per_s"] == pytest.approx(3 / cpu["demand_s"], rel=1e-9)
    limits = [row["maximum_throughput_per_s"] for row in rows if not row["class"]]
    assert not [limit for limit in limits if limit is not None and limit < 2]


def test_open_classes_saturate_a_station_at_its_last_rate(tmp_path: Any) -> None:
    text = _CLOSED.replace("population = 3", 'arrival_rate = "1/s"').replace('think_time = "0.1 s"\n', "")
    (tmp_path / "model.toml").write_text(text)
    rows: list[Any] = list(qnet.load(str(tmp_path / "model.toml")).bottleneck().records())
    cpu = next(row for row in rows if row["scope"] == "station" and row["name"] == "cpu")
    assert cpu["full_at_per_s"] == pytest.approx(1.5, rel=1e-9)
